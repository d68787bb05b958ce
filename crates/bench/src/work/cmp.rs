//! `cmp`: comparisons of random shared numbers.

use std::{fmt, io::Read, ops::Range, sync::Arc};

use clap::{Args, ValueEnum};
use hushtable::{
    Role,
    arith::{self, CompareJob},
    bill::Bill,
    net::LinkShape,
    operation::{self, Compare, Operation, Relation},
};
use hushtable_columns::{
    failure::{Failure, Result},
    memory::fits,
};
use hushtable_jobs::choice::Optimise;
use serde::{Deserialize, Serialize};

use crate::{
    baseline::Baseline,
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
};

/// A batch of comparisons.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct CmpWork {
    /// Width of the numbers, 1 to 64
    #[arg(long, value_name = "L", default_value = "32", value_parser = clap::value_parser!(u32).range(1..=64))]
    bits: u32,
    /// Which numbers they are
    #[arg(long, value_enum, default_value = "near")]
    domain: Domain,
    /// What the choice of the protocol is to make small
    #[arg(long, value_enum, default_value = "total")]
    optimise: Optimise,
    /// How digits are compared, instead of the choice; with --digit
    #[arg(long, value_enum, requires = "digit")]
    method: Option<Method>,
    /// Largest width of a digit, 1 to 6, or 1 to 10 by one-hot vectors; with --method
    #[arg(long, value_name = "W", requires = "method", value_parser = clap::value_parser!(u32).range(1..=10))]
    digit: Option<u32>,
    /// How many digits are joined at once, 2 to 5, by one-hot vectors
    #[arg(long, value_name = "K", default_value = "4", value_parser = clap::value_parser!(u32).range(2..=5))]
    #[serde(default = "join")]
    join: u32,
    /// Number of comparisons, 1 to 2^26
    #[arg(long, value_name = "B", default_value = "100000", value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    batch: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Domain {
    /// Signed, with |x - y| < 2^(L-1)
    Near,
    /// All signed numbers
    Signed,
    /// All unsigned numbers
    Unsigned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    /// By shared thermometers, nearly all offline
    Thermometer,
    /// By lookups in the sender's tables, nearly all online
    Lookup,
    /// By one-hot vectors, in few rounds
    OneHot,
    /// By lookups in rotated tables, as ROTL has it, for near numbers; a baseline
    Rotl,
}

fn join() -> u32 {
    4
}

impl fmt::Display for CmpWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = self.method_name().map_err(|_| fmt::Error)?;
        let domain = self.domain.to_possible_value().expect("no variant is skipped");
        write!(
            f,
            "comparison, {} numbers of {} bits, {method}, batch {}",
            domain.get_name(),
            self.bits,
            self.batch
        )
    }
}

impl Benchmark for CmpWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        "comparison"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        self.bill(1)?;
        let effort = self.operation()?.effort(self.items(), &inputs::usual_setting())?;
        fits(effort.memory.iter().sum(), &format!("both parties' {} comparisons", self.batch))
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        self.bill(items).expect("checked before the processes started").cots_of(role)
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        let compare = self.operation()?;
        let inputs = |role, rows| Ok(shares(self, role, rows));
        let piece = match self.is_baseline() {
            true => operation::batch(compare.as_ref(), self.items(), &inputs::usual_setting())?,
            false => self.items(),
        };
        let done = lanes.operate(piece, |_| Ok(compare.clone()), inputs, |_| ())?;
        done.verify(
            || done.words(),
            |from| done.pieces().try_for_each(|(rows, mine)| check(self, rows, mine, from)),
        )
    }

    fn protocol(&self) -> Option<String> {
        self.method_name().ok()
    }

    fn is_baseline(&self) -> bool {
        self.method == Some(Method::Rotl)
    }

    /// By what the library chooses.
    fn plan(&mut self, _: &LinkShape, optimise: Optimise) -> Result<bool> {
        (self.method, self.digit, self.optimise) = (None, None, optimise);
        Ok(true)
    }
}

impl CmpWork {
    fn operation(&self) -> Result<Arc<dyn Operation>> {
        match self.digit {
            Some(digit) if self.is_baseline() => Baseline::Rotl { bits: self.bits, digit }.operation(),
            _ => Ok(Arc::new(Compare::of(Relation::Ge, self.job()?))),
        }
    }

    fn bill(&self, items: usize) -> Result<Bill> {
        match self.is_baseline() {
            true if self.domain != Domain::Near || self.bits == 1 => {
                Err(Failure::new("--method rotl takes --domain near and numbers of 2 bits or more"))
            }
            true => Ok(self.operation()?.bill(items, &inputs::usual_setting())?),
            false => Ok(self.job()?.bill()?.times(items)),
        }
    }

    fn method_name(&self) -> Result<String> {
        if self.is_baseline() {
            return Ok(self.operation()?.method());
        }
        let plan = self.job()?.plan;
        Ok(format!("{:?} in digits of {}", plan.method, plan.digit))
    }

    fn job(&self) -> Result<CompareJob> {
        let domain = match self.domain {
            Domain::Near => arith::CompareDomain::Near,
            Domain::Signed => arith::CompareDomain::Signed,
            Domain::Unsigned => arith::CompareDomain::Unsigned,
        };
        let mut job = CompareJob::new(self.bits, domain, self.optimise.into())?;
        if let (Some(method), Some(digit)) = (self.method, self.digit) {
            let method = match method {
                Method::Thermometer => arith::DigitMethod::Thermometer,
                Method::Lookup => arith::DigitMethod::Lookup,
                Method::OneHot => arith::DigitMethod::OneHot { join: self.join },
                Method::Rotl => return Err(Failure::new("rotl is no method of the library's")),
            };
            job.plan = arith::ComparePlan { method, digit };
        }
        Ok(job)
    }

    /// The comparisons from one on: x, y, and P0's shares of them.
    fn pairs(&self, start: usize) -> impl Iterator<Item = [u64; 4]> + use<> {
        let unused = 64 - self.bits;
        // Near numbers have three equal bits at the top.
        let room = if self.domain == Domain::Near { 2 } else { 0 };
        let value = move |w: u64| ((w << unused) as i64 >> room) as u64 >> unused;
        let mut words = blake3::Hasher::new().update(&(start as u64).to_le_bytes()).finalize_xof();
        std::iter::repeat_with(move || {
            let mut drawn = [0; 40];
            words.fill(&mut drawn);
            let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| drawn[8 * i + k]));
            let y = value(word(1));
            // One pair in four is equal or of neighbours.
            let beside = y.wrapping_add(word(4) >> 2 & 1) << unused >> unused;
            let x = if word(4).is_multiple_of(4) { beside } else { value(word(0)) };
            [x, y, word(2), word(3)]
        })
    }

    /// What the comparison of x and y is to give.
    fn plain(&self, x: u64, y: u64) -> bool {
        let signed = |x: u64| (x << (64 - self.bits)) as i64;
        if self.domain == Domain::Unsigned { x >= y } else { signed(x) >= signed(y) }
    }
}

/// The shares of the numbers of some pairs that the party `role` has.
fn shares(work: &CmpWork, role: Role, rows: Range<usize>) -> Vec<Vec<u64>> {
    let mine = |value: u64, first: u64| match role {
        Role::P0 => first,
        Role::P1 => value.wrapping_sub(first),
    };
    let pairs = work.pairs(rows.start).take(rows.len()).map(|[x, y, x0, y0]| (mine(x, x0), mine(y, y0)));
    let (x, y) = pairs.unzip();
    vec![x, y]
}

fn check(work: &CmpWork, rows: Range<usize>, mine: &[u64], from: &mut dyn Read) -> Result<()> {
    for (mine, [x, y, ..]) in mine.iter().zip(work.pairs(rows.start)) {
        if mine ^ lanes::word(from)? != u64::from(work.plain(x, y)) {
            return Err(Failure::Check(format!("{x} >= {y} in {} bits came out wrong", work.bits)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_result() {
        for domain in [Domain::Near, Domain::Signed, Domain::Unsigned] {
            let (optimise, method, digit) = (Optimise::Total, None, None);
            let work = CmpWork { bits: 13, domain, optimise, method, digit, join: 4, batch: 100 };
            let right = work.pairs(70).take(100).map(|[x, y, ..]| u64::from(work.plain(x, y)));
            let other = |i: u64| 0x5555_1234 >> (i % 32) & 1;
            let mine: Vec<u64> = right.zip(0..).map(|(bit, i)| bit ^ other(i)).collect();
            let handed: Vec<u8> = (0..100).flat_map(|i| other(i).to_le_bytes()).collect();
            let check = |mut handed: &[u8]| check(&work, 70..170, &mine, &mut handed);
            check(&handed).unwrap();
            for at in [0, 8, 8 * 99] {
                let mut wrong = handed.clone();
                wrong[at] ^= 1;
                assert!(matches!(check(&wrong), Err(Failure::Check(_))));
            }
            assert!(check(&handed[1..]).is_err());
        }
    }

    /// A wrong result that would go unseen: all pairs ordered alike, or far apart.
    #[test]
    fn pairs_are_of_all_orders() {
        for domain in [Domain::Near, Domain::Signed, Domain::Unsigned] {
            for bits in [2, 8, 32, 64] {
                let (optimise, method, digit) = (Optimise::Total, None, None);
                let work = CmpWork { bits, domain, optimise, method, digit, join: 4, batch: 1 };
                let pairs: Vec<_> = work.pairs(0).take(1000).collect();
                let count = |f: &dyn Fn(u64, u64) -> bool| pairs.iter().filter(|p| f(p[0], p[1])).count();
                assert!(count(&|x, y| x == y) > 50 && count(&|x, y| work.plain(x, y)) > 300);
                assert!(count(&|x, y| !work.plain(x, y)) > 100, "{domain:?} {bits}");
                assert!(bits == 64 || pairs.iter().all(|p| p[0] >> bits == 0 && p[1] >> bits == 0));
            }
        }
    }
}

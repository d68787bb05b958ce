//! `trunc`: truncations of random shared numbers.

use std::{fmt, io::Read, ops::Range, sync::Arc};

use clap::{Args, ValueEnum};
use hushtable::{
    AShare, Party, Role,
    arith::Truncation,
    net::LinkShape,
    operation::{Operation, Truncate},
};
use hushtable_columns::{
    failure::{Failure, Result},
    memory::fits,
};
use hushtable_jobs::count::batch;
use serde::{Deserialize, Serialize};

use crate::{
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
};

/// A batch of truncations.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct TruncWork {
    /// Width of the numbers, 3 to 64
    #[arg(long, value_name = "L", default_value = "64", value_parser = clap::value_parser!(u32).range(3..=64))]
    bits: u32,
    /// Bits to cut off, 1 to L - 2
    #[arg(long, value_name = "F", default_value = "16", value_parser = clap::value_parser!(u32).range(1..=62))]
    cut: u32,
    /// What is lost
    #[arg(long, value_enum, default_value = "safe")]
    rounding: Rounding,
    /// Number of truncations, 1 to 2^28
    #[arg(long, value_name = "B", default_value = "100000", value_parser = batch)]
    batch: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Rounding {
    /// Down, or down and one unit more
    Safe,
    /// Down
    Faithful,
}

impl fmt::Display for TruncWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounding = self.rounding.to_possible_value().expect("no variant is skipped");
        let (rounding, Self { bits, cut, batch, .. }) = (rounding.get_name(), self);
        write!(f, "{rounding} truncation, numbers of {bits} bits by {cut}, batch {batch}")
    }
}

impl Benchmark for TruncWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        "truncation"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        if self.cut > self.bits - 2 {
            let most = self.bits - 2;
            return Err(Failure::new(format!(
                "--cut {}: numbers of {} bits take 1 to {most}",
                self.cut, self.bits
            )));
        }
        // Strings and pads of the OTs, and the numbers in several places.
        let (send, recv) = self.cots(Role::P0, 1);
        let each = 48 * (send + recv) as u64 + 80;
        fits(2 * each * u64::from(self.batch), &format!("both parties' {} truncations", self.batch))
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let bill = match self.rounding {
            Rounding::Safe => Truncation::bill(self.cut).times(items),
            Rounding::Faithful => {
                let truncate = Truncate { bits: self.bits, cut: self.cut };
                truncate.bill(items, &inputs::usual_setting()).expect("widths that were checked")
            }
        };
        bill.cots_of(role)
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        let (bits, cut) = (self.bits, self.cut);
        let inputs = |role, rows| Ok(vec![shares(self, role, rows)]);
        if self.rounding == Rounding::Faithful {
            let truncate = Arc::new(Truncate { bits, cut });
            let done = lanes.operate(self.items(), |_| Ok(truncate.clone()), inputs, |_| ())?;
            return done.verify(
                || done.words(),
                |from| done.pieces().try_for_each(|(rows, mine)| check(self, rows, mine, from)),
            );
        }
        // No operation of its own, but a part of others.
        let (role, rows) = (lanes.role(), lanes.rows());
        let x = rows.iter().map(|rows| AShare::<u64>::new(bits, shares(self, role, rows.clone()))).collect();
        let make = |p: &mut Party, items| Truncation::prepare(p, bits, cut, items);
        let items = lanes.items().to_vec();
        let done = lanes.measure(items, x, make, |p, material, x| material.truncate(p, x))?;
        done.verify(
            || done.results.iter().flat_map(|share| share.words()).copied(),
            |from| {
                rows.into_iter()
                    .zip(&done.results)
                    .try_for_each(|(rows, y)| check(self, rows, y.words(), from))
            },
        )
    }
}

impl TruncWork {
    /// The numbers from one on, each with the share of P0.
    fn numbers(&self, start: usize) -> impl Iterator<Item = (i64, u64)> + use<> {
        let unused = 64 - self.bits;
        let values = inputs::words("value", 0, start as u64).map(move |w| (w as i64) >> (unused + 1));
        values.zip(inputs::words("share", 0, start as u64))
    }

    /// Whether `result`, reduced, is what x may become.
    fn right(&self, x: i64, result: u64) -> bool {
        let unused = 64 - self.bits;
        let off = (x >> self.cut).wrapping_sub(result as i64) << unused >> unused;
        off == 0 || off == 1 && self.rounding == Rounding::Safe
    }
}

/// The shares of some numbers that the party `role` has.
fn shares(work: &TruncWork, role: Role, rows: Range<usize>) -> Vec<u64> {
    let mine = |(value, first): (i64, u64)| match role {
        Role::P0 => first,
        Role::P1 => (value as u64).wrapping_sub(first),
    };
    work.numbers(rows.start).take(rows.len()).map(mine).collect()
}

fn check(work: &TruncWork, rows: Range<usize>, mine: &[u64], from: &mut dyn Read) -> Result<()> {
    for (mine, (x, _)) in mine.iter().zip(work.numbers(rows.start)) {
        if !work.right(x, mine.wrapping_add(lanes::word(from)?)) {
            return Err(Failure::Check(format!("{x} without its low {} bits came out wrong", work.cut)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_result() {
        for (bits, rounding) in [(64, Rounding::Safe), (64, Rounding::Faithful), (20, Rounding::Safe)] {
            let work = TruncWork { bits, cut: 5, rounding, batch: 50 };
            let mine: Vec<u64> = (0..50u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let handed = |off: i64| -> Vec<u8> {
                let values = work.numbers(50).zip(&mine);
                let other = values.map(|((x, _), m)| ((x >> 5) - off).wrapping_sub(*m as i64));
                other.flat_map(i64::to_le_bytes).collect()
            };
            let ok = |off| check(&work, 50..100, &mine, &mut handed(off).as_slice()).is_ok();
            assert!(ok(0) && !ok(2) && !ok(-1));
            assert_eq!(ok(1), rounding == Rounding::Safe);
            assert!(check(&work, 50..100, &mine, &mut &handed(0)[1..]).is_err());
        }
    }

    #[test]
    fn numbers_are_of_both_signs_and_leave_two_bits() {
        let work = TruncWork { bits: 20, cut: 5, rounding: Rounding::Safe, batch: 1 };
        let numbers: Vec<i64> = work.numbers(0).map(|(x, _)| x).take(1000).collect();
        assert!(numbers.iter().all(|x| (-(1 << 18)..1 << 18).contains(x)));
        assert!(numbers.iter().filter(|&&x| x < 0).count() > 300 && numbers.iter().any(|&x| x > 1 << 17));
    }

    #[test]
    fn refuses_to_cut_too_much() {
        let mut work = TruncWork { bits: 16, cut: 15, rounding: Rounding::Safe, batch: 1 };
        let refused = work.prepare(&LinkShape::LOOPBACK, 1).unwrap_err().to_string();
        assert!(refused.contains("--cut 15: numbers of 16 bits take 1 to 14"));
    }
}

//! Numbers outside a domain: all refused if there is one.
//!
//! # Functionality
//! In: additive shares mod `2^l` of numbers x. Out: an error at both parties if there is an x outside an interval of
//! the ring, and nothing else.
//!
//! # Protocol
//! [`Sides`] tells of every x whether it is inside; or in the rest of the ring, whichever is smaller. An OR is taken
//! over all numbers, and its bit is opened.
//!
//! # Cost
//! [`Sides`] and a triple a number; for a batch of n, `n - 1` ANDs in `ceil(log2 n)` rounds, and 2 bits in 1 round.
//!
//! # Source
//! lut-spec 11.4.

use prim::ring::{Ring, low};

use crate::{
    arith::{Fixed, Objective, Sides, SidesJob},
    bill::Bill,
    error::{Error, Result},
    gates::{Bits, Triples, or},
    math::functions::target::Grid,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// Which numbers are refused. Public.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    /// The least number of the interval that is looked for.
    first: i64,
    job: SidesJob,
    /// Whether that interval is what is refused.
    refused: bool,
    /// The first number that is accepted, and the first after it that is not.
    accepted: [i128; 2],
    /// Whether some of these only stand for the ends at -1 and 1, as roundings may bring numbers beyond.
    rounded: bool,
    fraction: u32,
}

impl Check {
    /// That no number lies `beyond` the lower and the upper end of a grid in a ring of `bits` bits, where there are
    /// such numbers.
    ///
    /// # Errors
    /// [`Error::Param`] for an interval that lacks one number of the ring.
    pub(super) fn new(
        grid: &Grid,
        bits: u32,
        beyond: [bool; 2],
        objective: Objective,
    ) -> Result<Option<Self>> {
        let half = 1i128 << (bits - 1);
        let (lo, end) = (i128::from(grid.lo), i128::from(grid.lo) + i128::from(grid.count));
        let lo = if beyond[0] { lo } else { -half };
        let end = if beyond[1] { end } else { half };
        let rest = 2 * half - (end - lo);
        if rest == 0 {
            return Ok(None);
        }
        let refused = rest < half;
        let (first, span) = if refused { (end, rest) } else { (lo, end - lo) };
        let job = SidesJob::inside(bits, span as u64, objective)?;
        let (accepted, fraction) = ([lo, end], grid.fraction);
        Ok(Some(Self { first: first as i64, job, refused, accepted, rounded: false, fraction }))
    }

    /// The same of numbers from -1 to 1, where a few steps beyond count as these.
    pub(super) fn rounded(self, rounded: bool) -> Self {
        Self { rounded, ..self }
    }

    /// Whether a number is none of those.
    pub(super) fn accepts(&self, x: i64) -> bool {
        (self.accepted[0]..self.accepted[1]).contains(&x.into())
    }

    /// What is accepted, in words.
    fn says(&self) -> String {
        let [lo, hi] = self.accepted.map(|end| end as f64 / 2f64.powi(self.fraction as i32));
        if self.rounded {
            return format!(
                "-1 <= x <= 1 for every number x, where roundings down to {lo} and below {hi} count as -1 and 1; or results \
                 that saturate or clamp outside it"
            );
        }
        format!(
            "{lo} <= x < {hi} for every number x; or a larger domain; or results that saturate or clamp outside it"
        )
    }

    /// All of it as numbers, for a digest; what is accepted follows from the rest.
    pub(super) fn words(self) -> Vec<u64> {
        let Self { first, job, refused, accepted: _, rounded: _, fraction: _ } = self;
        [vec![first as u64, refused.into()], job.words()].concat()
    }

    /// Offline.
    pub(super) fn prepare(&self, p: &mut dyn Source, batch: usize) -> Result<Material> {
        let sides = Sides::prepare(p, self.job, batch)?;
        // One is not used: then as many belong to each number.
        Ok(Material { check: *self, sides, triples: Triples::random(p, batch)? })
    }

    /// What a number costs: its share in a large batch, but the rounds of one;
    /// [`Card::of_batch`](crate::math::Card::of_batch)
    /// has what is missing.
    pub(super) fn bill(&self) -> Result<Bill> {
        Ok(self.job.bill()? + Triples::bill(1))
    }
}

/// One-time material.
pub(super) struct Material {
    check: Check,
    sides: Sides,
    triples: Triples,
}

impl Material {
    /// Online. Spends the material.
    ///
    /// # Errors
    /// [`Error::Param`] if there are numbers that are refused; and those of the channel.
    pub(super) fn run<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<()> {
        let (role, bits, check) = (s.role(), x.bits(), self.check);
        let first = if role == Role::P0 { check.first as u64 } else { 0 };
        let moved = x.share().words().iter().map(|w| low(w.to_u64().wrapping_sub(first), bits));
        let found = self.sides.inside(s, &AShare::<u64>::new(bits, moved.collect()))?;
        let refused = if check.refused { found } else { found.not(role) };
        // Public: the caller asked for an error that both parties see, which says this bit and no more.
        let any = any(s, self.triples, refused)?;
        if any.is_empty() || any.open(s)?[0] == 0 {
            return Ok(());
        }
        Err(Error::Param { what: "input", got: "a number outside the domain".into(), accepted: check.says() })
    }
}

/// A share of whether any bit is 1, if there are bits.
fn any(s: &mut Session, mut triples: Triples, mut any: Bits) -> Result<Bits> {
    while any.len() > 1 {
        let mut first = any;
        let half = first.split_off(first.len().div_ceil(2));
        let rest = first.range(half.len()..first.len());
        let first = first.range(0..half.len());
        any = or(s, triples.take(half.len())?, &first, &half)?;
        any.append(&rest);
    }
    Ok(any)
}

#[cfg(test)]
mod tests {
    use crate::math::{Evaluation, Function, Options, Outside};

    #[test]
    fn what_is_accepted_is_said_without_roundings() {
        let says = |function, fraction, outside| {
            let options = Options { outside, ..Options::default() };
            Evaluation::new(function, 32, fraction, &options)
                .unwrap()
                .0
                .check
                .expect("some are refused")
                .says()
        };
        for function in [Function::Asin, Function::Acos] {
            for (fraction, ends) in
                [(8, "down to -1.015625 and below 1.01953125"), (12, "below 1.001220703125")]
            {
                for outside in [Outside::Usual, Outside::Strict] {
                    let text = says(function, fraction, outside);
                    assert!(text.starts_with("-1 <= x <= 1 for every number x, where roundings"), "{text}");
                    assert!(text.contains(ends) && !text.contains("larger domain"), "{text}");
                }
            }
        }
        let text = says(Function::Sqrt, 8, Outside::Usual);
        assert!(text.starts_with("0.25 <= x < 16.25 for") && text.contains("or a larger domain"), "{text}");
    }
}

//! The largest and the smallest number that matches.
//!
//! # Functionality
//! In, for each bin: shares of the bit whether it matches, and of a signed number of l bits, below `2^(l-2)` in absolute
//! value, and below `2^(l-3)` where some that do not match are other than 0, as in groups. Out: shares of the largest
//! number that matches, or of the smallest. If nothing matches, it is such a number of the others, moved by `2^(l-2)`:
//! **to be opened only where something matches**, unless the others are 0.
//!
//! # Protocol
//! `x + (e - 1) 2^(l-2)` is the number where the bit e is 1, else less than all, and the maximum of all bins is taken. The
//! smallest is that of the negatives.
//!
//! # Cost
//! A conversion of a bit for each bin, and a maximum of all bins.
//!
//! # Source
//! join-spec 4, Aggregates.

use hushtable::{
    AShare, Error, Result, Role,
    arith::{CompareDomain, CompareJob, Objective, VectorMaximum},
    bill::Bill,
    gates::{B2a, Bits},
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
    source::Origin,
};

/// The largest number that matches, or the smallest. Takes the bits of matches and the numbers.
#[derive(Clone, Copy, Debug)]
pub struct Extreme {
    /// Which.
    pub end: End,
    /// Width of the numbers, 4 to 64.
    pub bits: u32,
    /// Of the join, at least one.
    pub bins: usize,
}

/// Which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The smallest number.
    Least,
    /// The largest.
    Greatest,
}

impl Operation for Extreme {
    fn name(&self) -> String {
        match self.end {
            End::Least => "smallest number",
            End::Greatest => "largest number",
        }
        .into()
    }

    fn method(&self) -> String {
        "maximum of all bins".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bins", self.bins.to_string()), ("width of numbers", self.bits.to_string())]
    }

    fn signature(&self) -> Signature {
        let number = Port::additive("number", self.bits);
        Signature::new([Port::bit("matches").of(self.bins), number.of(self.bins)], number)
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let maximum = VectorMaximum::bill(&near(self.bits)?, self.bins, false)?;
        Ok((B2a::bill(self.bits).times(self.bins) + maximum).times(items))
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, from: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        let Self { end, bits, bins } = *self;
        let job = near(bits)?;
        let matches = B2a::prepare(from, bits, bins)?;
        let maximum = VectorMaximum::prepare(from, job, 1, bins)?;
        Ok(spend(1, move |s, given| {
            let [matched, numbers] = operands(given)?;
            let matches = matches.convert::<u64>(s, &Bits::collect(matched.iter().copied()))?;
            let signed = |word: u64| if end == End::Greatest { word } else { word.wrapping_neg() };
            let moved = numbers.iter().zip(outside(s.role(), &matches));
            let moved = AShare::<u64>::new(bits, moved.map(|(x, y)| signed(*x).wrapping_sub(y)).collect());
            let found = maximum.max(s, &moved)?;
            Ok(vec![Words::new(found.words().iter().map(|&word| signed(word)).collect())])
        }))
    }

    fn tells(&self) -> String {
        format!("the {} of those that match", self.name())
    }
}

/// The comparison of numbers with what stands where nothing matches.
pub(super) fn near(bits: u32) -> Result<CompareJob> {
    if !(4..=64).contains(&bits) {
        let (what, got) = ("width of numbers in order", bits.to_string());
        return Err(Error::Param { what, got, accepted: "4 to 64".into() });
    }
    CompareJob::new(bits, CompareDomain::Near, Objective::Total)
}

/// What stands where nothing matches, and 0 elsewhere: `(1 - e) 2^(l-2)`. Local.
pub(super) fn outside(role: Role, matches: &AShare<u64>) -> impl Iterator<Item = u64> + '_ {
    let (one, at) = (u64::from(role == Role::P0), matches.bits() - 2);
    matches.words().iter().map(move |e| one.wrapping_sub(*e) << at)
}

//! Counts of matches, and what follows from counts and sums.
//!
//! # Functionality
//! In, for each bin: a share of the bit whether it matches. Out: a share of how many do, of 32 bits.
//!
//! # Protocol
//! The bits become additive words, which are added up.
//!
//! # Cost
//! A conversion of a bit for each bin. 1 round.
//!
//! # Source
//! join-spec 4, Aggregates.

use hushtable::{
    Result,
    bill::Bill,
    gates::{B2a, Bits},
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
    source::Origin,
};

/// Bits of a count.
pub(super) const COUNT: u32 = 32;

/// How many bins match. Takes the bits of matches.
#[derive(Clone, Copy, Debug)]
pub struct Matches {
    /// Of the join.
    pub bins: usize,
}

impl Operation for Matches {
    fn name(&self) -> String {
        "count of matches".into()
    }

    fn method(&self) -> String {
        "bits as numbers".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bins", self.bins.to_string())]
    }

    fn signature(&self) -> Signature {
        Signature::new([Port::bit("matches").of(self.bins)], Port::additive("count", COUNT))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(B2a::bill(COUNT).times(items * self.bins))
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, from: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        let counts = B2a::prepare(from, COUNT, self.bins)?;
        Ok(spend(1, move |s, given| {
            let [matches] = operands(given)?;
            let counts = counts.convert::<u64>(s, &Bits::collect(matches.iter().copied()))?;
            Ok(vec![Words::new(vec![sum(counts.words())])])
        }))
    }

    fn tells(&self) -> String {
        "how many rows match".into()
    }
}

/// The share of a sum. Local.
pub(super) fn sum(words: &[u64]) -> u64 {
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

/// What follows from opened sums of two columns, or of one taken twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Of both columns.
    pub means: [f64; 2],
    /// Of the rows there are, not of those they were drawn from; of one column its variance.
    pub covariance: f64,
}

impl Moments {
    /// From the count, the sums and the sum of products. `None` if nothing matches.
    pub fn of(count: u64, sums: [i64; 2], products: i64) -> Option<Self> {
        let n = (count > 0).then_some(count as f64)?;
        // In whole numbers, so that nothing gets lost in the difference.
        let difference = i128::from(count) * i128::from(products) - i128::from(sums[0]) * i128::from(sums[1]);
        Some(Self { means: sums.map(|sum| sum as f64 / n), covariance: difference as f64 / (n * n) })
    }
}

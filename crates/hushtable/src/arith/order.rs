//! Order and equality of two numbers at once, one known to each party.
//!
//! # Functionality
//! P0 inputs `c`, P1 inputs `d`, numbers of L bits, and if the caller has one both input shares of the order
//! of a digit below. Both get XOR shares of `1{c < d}` and of `1{c = d}`, with that digit as the lowest.
//!
//! # Protocol
//! Thermometers or lookups tell the orders of digits; a tree of ANDs merges them.
//!
//! # Cost
//! For m digits, and `n = m` of them in the tree or one more. By thermometers: offline `(w - 1) 2^w + 1` bits and w
//! correlated OTs a digit, and `2 (n - 1)` correlated OTs; online `2 L + 6 (n - 1)` bits in `1 + ceil(log2 n)` rounds. By
//! lookups: offline the correlated OTs alone; online `w + 2 (2^w - 1)` bits a digit instead of `2 w`, and a round more.
//!
//! # Source
//! That of `arith::Millionaires`, which drops the equality of what has the lowest digit.

use super::{
    digits::{Cut, MAX_DIGIT_BITS},
    lookup_digits::Lookups,
    plan::weight,
    thermometer::Thermometers,
    tree::{Order, Tree},
};
use crate::{
    bill::{Bill, Objective},
    error::{Result, same},
    session::Session,
    source::Source,
};

/// What the orders of a batch have in common. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OrderJob {
    /// Width of the numbers, 1 to 64.
    pub(super) bits: u32,
    /// Largest width of a digit.
    pub(super) digit: u32,
    /// Whether digits are compared by lookups.
    pub(super) lookups: bool,
    /// Whether there is a digit below.
    pub(super) below: bool,
}

/// One-time material for the orders of a batch of numbers.
pub(super) struct Ordering {
    batch: usize,
    digits: Digits,
    tree: Tree,
}

enum Digits {
    Thermometers(Thermometers),
    Lookups(Lookups),
}

impl OrderJob {
    /// With digits as wide, and compared, as suits the objective.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless `1 <= bits <= 64`.
    pub(super) fn new(bits: u32, below: bool, objective: Objective) -> Result<Self> {
        let mut best = (Self { bits, digit: 1, lookups: false, below }, u64::MAX);
        let all = [false, true].map(|lookups| (1..=MAX_DIGIT_BITS).map(move |digit| (lookups, digit)));
        for (lookups, digit) in all.into_iter().flatten() {
            let job = Self { bits, digit, lookups, below };
            let weight = weight(&job.bill()?, objective);
            if weight < best.1 {
                best = (job, weight);
            }
        }
        Ok(best.0)
    }

    /// All of it as numbers, for a digest.
    pub(super) fn words(self) -> Vec<u64> {
        let Self { bits, digit, lookups, below } = self;
        let mut words = vec![bits.into(), digit.into(), below.into()];
        words.extend(lookups.then_some(1));
        words
    }

    /// What an order costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless `1 <= bits <= 64` and `1 <= digit <= 6`.
    pub(super) fn bill(&self) -> Result<Bill> {
        let cut = Cut::new(self.bits, self.digit)?;
        let digits = if self.lookups { Lookups::bill(&cut, true) } else { Thermometers::bill(&cut) };
        Ok(digits + Tree::equality_bill(self.merges()? + 1))
    }

    fn merges(&self) -> Result<usize> {
        Ok(Cut::new(self.bits, self.digit)?.len() - 1 + usize::from(self.below))
    }
}

impl Ordering {
    /// Offline.
    ///
    /// # Errors
    /// As [`OrderJob::bill`], and those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, job: OrderJob, batch: usize) -> Result<Self> {
        let cut = Cut::new(job.bits, job.digit)?;
        let digits = match job.lookups {
            false => Digits::Thermometers(Thermometers::prepare(p, &cut, batch)?),
            true => Digits::Lookups(Lookups::prepare(p, &cut, true, batch)?),
        };
        Ok(Self { batch, digits, tree: Tree::with_equality(p, job.merges()? + 1, batch)? })
    }

    /// Online, `mine` being this party's numbers, of which the low bits count. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are as many numbers as prepared for, and those of
    /// the channel.
    pub(super) fn run(self, s: &mut Session, mine: &[u64], below: Option<Order>) -> Result<Order> {
        same("numbers to compare", self.batch, mine.len())?;
        let digits = match self.digits {
            Digits::Thermometers(digits) => digits.orders(s, mine)?,
            Digits::Lookups(digits) => digits.orders(s, mine)?,
        };
        self.tree.merge(s, below.into_iter().chain(digits).collect())
    }
}

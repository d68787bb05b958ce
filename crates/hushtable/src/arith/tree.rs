//! The order of two numbers from the orders of their digits.
//!
//! # Functionality
//! In: for each digit, lowest first, XOR shares of `less` and, but for the lowest, of `equal`. Out:
//! shares of `less` of the numbers; *with equality*, which takes the lowest's too, also of `equal`.
//!
//! # Protocol
//! Neighbours merge in pairs, until one is left: `less = less_hi ^ (equal_hi & less_lo)` and
//! `equal = equal_hi & equal_lo`. Without equality nobody asks whether what contains the lowest digit is
//! equal. Both ANDs of a pair open `equal_hi` once.
//!
//! # Cost
//! For m digits: `ceil(log2 m)` pairs with one AND, `m - 1 - ceil(log2 m)` with two; 4 bits and 6
//! bits online, and 2 correlated OTs offline for either. `ceil(log2 m)` rounds. With equality all pairs
//! have two.
//!
//! # Source
//! Garay, Schoenmakers, Villegas, "Practical and Secure Solutions for Integer Comparison" (PKC 2007);
//! lut-spec 10.

use crate::{
    bill::{Bill, Phase},
    error::Result,
    gates::{Ands, Bits, Triples, and_all},
    session::Session,
    source::Source,
};

/// Shares of the order of a digit in each item of a batch.
pub(super) struct Order {
    pub(super) less: Bits,
    /// Of the lowest digit needed for equality only.
    pub(super) equal: Option<Bits>,
}

/// One-time material for merging the digits of a batch.
pub(super) struct Tree {
    /// For pairs with one AND and with two.
    one: Triples,
    two: Triples,
    equality: bool,
}

impl Tree {
    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, digits: usize, batch: usize) -> Result<Self> {
        let (ones, twos) = pairs(digits);
        let one = Triples::shared(p, ones * batch, 1)?;
        Ok(Self { one, two: Triples::shared(p, twos * batch, 2)?, equality: false })
    }

    /// Offline, with equality: takes `digits - 1` correlated OTs in each direction.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn with_equality(p: &mut dyn Source, digits: usize, batch: usize) -> Result<Self> {
        let two = Triples::shared(p, (digits - 1) * batch, 2)?;
        Ok(Self { one: Triples::shared(p, 0, 1)?, two, equality: true })
    }

    /// What merging the digits of an item costs.
    pub(super) fn bill(digits: usize) -> Bill {
        let (ones, twos) = pairs(digits);
        let levels = digits.next_power_of_two().trailing_zeros();
        in_rounds(Triples::bill(1).times(ones) + Triples::bill(2).times(twos), levels)
    }

    /// The same with equality.
    pub(super) fn equality_bill(digits: usize) -> Bill {
        in_rounds(Triples::bill(2).times(digits - 1), digits.next_power_of_two().trailing_zeros())
    }

    /// Online. Spends the material.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn merge(mut self, s: &mut Session, mut digits: Vec<Order>) -> Result<Order> {
        if let (Some(lowest), false) = (digits.first_mut(), self.equality) {
            lowest.equal = None;
        }
        while digits.len() > 1 {
            digits = self.level(s, &digits)?;
        }
        Ok(digits.swap_remove(0))
    }

    /// All pairs of a level: 1 round.
    fn level(&mut self, s: &mut Session, digits: &[Order]) -> Result<Vec<Order>> {
        let mut sets = Vec::with_capacity(digits.len() / 2);
        for pair in digits.chunks_exact(2) {
            let x = pair[1].equal.as_ref().expect("equality of all but the lowest digit");
            let ys: Vec<&Bits> =
                [Some(&pair[0].less), pair[0].equal.as_ref()].into_iter().flatten().collect();
            let triples = if ys.len() == 1 { &mut self.one } else { &mut self.two }.take(x.len())?;
            sets.push(Ands { x, ys, triples });
        }
        let products = and_all(s, sets)?.into_iter().zip(digits.chunks_exact(2));
        let merged = products.map(|(products, pair)| {
            let mut products = products.into_iter();
            let below = products.next().expect("an AND for each pair");
            Order { less: &pair[1].less ^ &below, equal: products.next() }
        });
        let odd = digits.chunks_exact(2).remainder().iter();
        let odd = odd.map(|o| Order { less: o.less.clone(), equal: o.equal.clone() });
        Ok(merged.chain(odd).collect())
    }
}

/// A bill of ANDs, a level of which shares a round.
pub(super) fn in_rounds(bill: Bill, rounds: u32) -> Bill {
    Bill { online: Phase { rounds, ..bill.online }, ..bill }
}

/// Pairs with one AND and with two, over all levels.
fn pairs(digits: usize) -> (usize, usize) {
    let levels = digits.next_power_of_two().trailing_zeros() as usize;
    (levels, digits.saturating_sub(1 + levels))
}

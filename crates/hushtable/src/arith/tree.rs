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

use std::sync::Arc;

use crate::{
    bill::Bill,
    circuit::{Builder, Layers, Made, Netlist, merge_orders},
    error::Result,
    gates::Bits,
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
    circuit: Layers,
    equality: bool,
}

impl Tree {
    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, digits: usize, batch: usize) -> Result<Self> {
        Ok(Self { circuit: Layers::prepare(p, &merging(digits, false), batch)?, equality: false })
    }

    /// Offline, with equality: takes `digits - 1` correlated OTs in each direction.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn with_equality(p: &mut dyn Source, digits: usize, batch: usize) -> Result<Self> {
        Ok(Self { circuit: Layers::prepare(p, &merging(digits, true), batch)?, equality: true })
    }

    /// What merging the digits of an item costs.
    pub(super) fn bill(digits: usize) -> Bill {
        Layers::bill(&merging(digits, false), 1)
    }

    /// The same with equality.
    pub(super) fn equality_bill(digits: usize) -> Bill {
        Layers::bill(&merging(digits, true), 1)
    }

    /// Online. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of digits, and those of the channel.
    pub(super) fn merge(self, s: &mut Session, mut digits: Vec<Order>) -> Result<Order> {
        if let (Some(lowest), false) = (digits.first_mut(), self.equality) {
            lowest.equal = None;
        }
        let mut inputs = Vec::with_capacity(2 * digits.len());
        for digit in digits {
            inputs.push(digit.less);
            inputs.extend(digit.equal);
        }
        let mut merged = self.circuit.eval(s, inputs)?.into_iter();
        Ok(Order { less: merged.next().expect("the order"), equal: merged.next() })
    }
}

/// The circuit. In: for each digit whether it is less, and whether it is equal but for the lowest without equality. Out:
/// the same of the numbers. A message for each pair.
fn merging(digits: usize, equality: bool) -> Arc<Netlist> {
    static MADE: Made<(usize, bool)> = Made::new();
    MADE.get((digits, equality), || {
        let mut b = Builder::new(if equality { &[2, 1] } else { &[1, 2] });
        let inputs = (0..digits).map(|i| b.inputs(if i > 0 || equality { 2 } else { 1 })).collect();
        let order = merge_orders(&mut b, inputs, |b, groups| {
            groups.iter().flat_map(|(equal, below)| b.and_each(*equal, below)).collect()
        });
        b.finish(&order)
    })
}

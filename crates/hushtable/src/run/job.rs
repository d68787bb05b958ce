//! A run, said in one sentence.

use std::slice;

use super::{Done, Ready, Reveal, Unwatched, Watch, run};
use crate::{
    bill::Bill,
    error::Result,
    operation::{Operation, choose},
    ot::Setting,
    party::Party,
};

/// An operation, what it is given, and who gets the results. Unless something else is said, results stay shared, and
/// all material is made on the way, by the [way](crate::operation::choose) that suits the items and the link.
///
/// ```
/// use hushtable::prelude::*;
///
/// # fn main() -> Result<()> {
/// // Whether a number of 16 bits is at least 1000: in the upper of two bands.
/// let reaches = Bands::new(16, vec![1000], Objective::Total)?;
/// let party = |p: &mut Party| {
///     let mine = match p.role() {
///         Role::P0 => [600, 300],
///         Role::P1 => [500, 400], // together 1100 and 700
///     };
///     let done = Job::new(&reaches).on(&mine).reveal(Reveal::Both).run(p)?;
///     Ok(done.values())
/// };
/// let (at_p0, at_p1) = run_pair(Party::pair()?, party, party)?;
/// assert_eq!((at_p0, at_p1), (Some(vec![1, 0]), Some(vec![1, 0])));
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing runs before `run`"]
pub struct Job<'a> {
    operation: &'a dyn Operation,
    operands: Vec<&'a [u64]>,
    reveal: Reveal,
    ready: Vec<Ready>,
    watch: &'a dyn Watch,
}

impl<'a> Job<'a> {
    /// Of an operation.
    pub fn new(operation: &'a dyn Operation) -> Self {
        Self { operation, operands: Vec::new(), reveal: Reveal::Nobody, ready: Vec::new(), watch: &Unwatched }
    }

    /// With this party's words of the next operand, as many as all items take.
    pub fn on(mut self, operand: &'a [u64]) -> Self {
        self.operands.push(operand);
        self
    }

    /// With results for whom `reveal` says; the peer must say the same.
    pub fn reveal(self, reveal: Reveal) -> Self {
        Self { reveal, ..self }
    }

    /// With material that is there already, for the next lane.
    pub fn ready(mut self, ready: Ready) -> Self {
        self.ready.push(ready);
        self
    }

    /// With somebody who is told how far it has come.
    pub fn watched(self, watch: &'a dyn Watch) -> Self {
        Self { watch, ..self }
    }

    /// What [`run`](Self::run) of so many items costs under this setting.
    ///
    /// # Errors
    /// As [`bill`](super::bill).
    pub fn bill(&self, items: usize, under: &Setting) -> Result<Bill> {
        let chosen = if self.ready.is_empty() { choose(self.operation, items, under)? } else { None };
        super::bill(chosen.as_deref().unwrap_or(self.operation), items, 1, self.reveal, under)
    }

    /// Runs it on one connection.
    ///
    /// # Errors
    /// As [`run`](super::run).
    pub fn run(self, p: &mut Party) -> Result<Done> {
        self.run_in(slice::from_mut(p))
    }

    /// Runs it in lanes, as [`Party::fork`] makes them.
    ///
    /// # Errors
    /// As [`run`](super::run).
    pub fn run_in(self, lanes: &mut [Party]) -> Result<Done> {
        let Self { operation, operands, reveal, mut ready, watch } = self;
        let chosen = match lanes.first().filter(|_| ready.is_empty()) {
            Some(p) => choose(operation, operation.signature().items(p.role(), &operands)?, &p.setting())?,
            // What was made ahead was made by the operation as it is.
            None => None,
        };
        let operation = chosen.as_deref().unwrap_or(operation);
        ready.resize_with(lanes.len().max(ready.len()), Ready::default);
        run(operation, lanes, ready, &operands, reveal, watch)
    }
}

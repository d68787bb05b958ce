//! Local work, counted.

use std::{
    iter::Sum,
    ops::{Add, Mul},
};

use super::Bill;

/// What a party computes for a lookup, besides making correlated OTs and sending: on average, where the parties'
/// parts differ. In units of which `plan::Machine` has the rates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    /// Blocks through the hash.
    pub(crate) hashes: f64,
    /// Words handled one by one: cut out of a pad, masked, packed, unpacked, chosen by a bit.
    pub(crate) words: f64,
    /// Bytes that vector instructions pass over: rows of bits, tables.
    pub(crate) bytes: f64,
}

// What every protocol does is counted in words, for all of them alike. How many was chosen by the record of runs, once
// and rounded: `tools/check_plan.py` shows what comes of it.

/// A correlated OT, from its string to a share of what went through it.
const COT: f64 = 16.0;
/// A few hashes that wait for those before them, such as a level of a small tree.
const STEP: f64 = 12.0;
/// An index, or whatever else a lookup has one of: masked, sent, received.
const INDEX: f64 = 16.0;

/// Bytes that vector instructions pass over in a microsecond.
const VECTOR: f64 = 47_600.0;

/// Lookups among which what a batch takes once is lost.
const MANY: usize = 1 << 16;

impl Work {
    /// Blocks through the hash, in bulk.
    pub(crate) fn hashes(blocks: usize) -> Self {
        Self { hashes: blocks as f64, ..Self::default() }
    }

    /// Words handled one by one.
    pub(crate) fn words(words: usize) -> Self {
        Self { words: words as f64, ..Self::default() }
    }

    /// Bytes passed over.
    pub(crate) fn bytes(bytes: usize) -> Self {
        Self { bytes: bytes as f64, ..Self::default() }
    }

    /// An index, or whatever else a lookup has one of.
    pub(crate) fn index() -> Self {
        Self { words: INDEX, ..Self::default() }
    }

    /// Correlated OTs put to use.
    pub(crate) fn cots(count: u64) -> Self {
        Self { words: COT, ..Self::default() } * count as f64
    }

    /// Correlated OTs of which each has a step of its own, such as a level of a small tree.
    pub(crate) fn levels(count: u32) -> Self {
        Self::cots(count.into()) + Self::steps(count)
    }

    /// Hashes that wait for those before them.
    pub(crate) fn steps(count: u32) -> Self {
        Self { words: STEP, ..Self::default() } * f64::from(count)
    }

    /// A correlated OT each way, with so many words of payload: pads of two blocks' hashes here and of one there.
    pub(crate) fn payload(words: usize) -> Self {
        Self::cots(2) + Self::hashes(3 * words.div_ceil(2)) + Self::words(8 * words.saturating_sub(1))
    }

    /// Triples of bits: three hashes each, of which as many bits are taken.
    pub(crate) fn triples(count: usize) -> Self {
        Self::hashes(3 * count) + Self::words(3 * count)
    }

    /// Nodes of trees: hashed, corrected, and read again.
    pub(crate) fn nodes(count: usize) -> Self {
        Self { hashes: count as f64, words: 0.5 * count as f64, ..Self::default() }
    }

    /// What takes vector instructions so many microseconds on the machine whose rates are the reference.
    pub(crate) fn vectors(microseconds: f64) -> Self {
        Self { bytes: microseconds * VECTOR, ..Self::default() }
    }

    /// A row of bits: two passes that make or shift it, one to memory or back, one that reads or wipes it.
    pub(crate) fn row(bits: usize) -> Self {
        Self::bytes(4 * bits / 8)
    }

    /// What bills of batches imply for a lookup, offline and online: for protocols that count nothing themselves. What
    /// is kept is taken for a row.
    pub(crate) fn implied(bill: impl FnOnce(usize) -> Bill) -> [Self; 2] {
        Self::of_batch(&bill(MANY)).map(|all| all * (1.0 / MANY as f64) + Self::index())
    }

    /// What the bill of a batch implies for all of it, offline and online.
    pub(crate) fn of_batch(bill: &Bill) -> [Self; 2] {
        let row = Self::row(bill.kept as usize);
        let sent = |bits: u64| Self::words(bits as usize / 64);
        let offline = Self::cots(bill.all_cots()) + sent(bill.offline.all_bits()) + row;
        [offline, sent(bill.online.all_bits()) + row]
    }
}

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            hashes: self.hashes + other.hashes,
            words: self.words + other.words,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl Mul<f64> for Work {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self { hashes: times * self.hashes, words: times * self.words, bytes: times * self.bytes }
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

//! Keys of a function that is its payload at one secret position and 0 elsewhere.
//!
//! # Functionality
//! In: shares of a payload, words additive or shared by XOR; later shares of a position of d bits, `1 <= d <= 24`,
//! additive or XOR. Out: keys which at any public points, and any number of times, give shares of the payload at
//! the position, and of 0 elsewhere.
//!
//! # Protocol
//! 1. As for one-hot vectors by trees: the vector of the low bits of a random position by doubling, as many as a
//!    block has entries, and a half-tree over the others, whose highest bit is decided first.
//! 2. The payload is spread over the entries: one selection for each of them but one. A payload of one bit selects
//!    the vector; the bit 1 needs nothing.
//! 3. The leaves' corrections are opened. For additive words the correction has a sign, of which the parties have
//!    bits g as shares: one selection removes it. Neither the sign nor what it comes from is opened.
//! 4. *Online.* The distance of the given position from the random one is opened, uniform and therefore public.
//!    Points are moved by it.
//!
//! Where a block holds the whole function (and for the bit 1 up to 8 bits), the entries are the keys: there is no
//! tree.
//!
//! # Cost
//! `low` bits of the position in a block of `2^low` entries, `h = d - low`. The bit 1: as a one-hot vector, `240 +
//! 256 (h + 1)` bits, `d` rounds, one more in the cyclic group with the lift's `d (d - 1) / 2` bits. Else `2 (2^low -
//! low - 1)` and `256 h` bits; `2^low - 1` selections of the payload; for additive words of l bits a selection of
//! `2^low` payloads of `l - 1` bits; their opening; 3 rounds more than the bits have levels. Online 2 d bits, 1 round.
//!
//! Made in one pass over each level, of parts that stay in the cache; nodes are grown again for the next level.
//!
//! # Source
//! fss-spec 3, 3b and 3c, fss-beyond B1 and B4, fss-errata E. Deviation: additive payloads at the end of a tree with
//! several entries a block are corrected entry by entry.

use std::ops::Range;

use prim::rows::Shift;

use super::{
    function::{Function, Placed, Unplaced},
    keys::{Keys, Nodes, Plan},
    layout::KeyShape,
    make::{self, Payload},
};
use crate::{
    bill::Bill,
    error::{Result, same, within},
    party::Party,
    share::{Bitwise, Kind, Share},
    tree::{Group, Xor},
};
use prim::{forest::LANES, planes};

/// The function of a [`Dpf`].
pub struct Point;

impl Function for Point {
    const NAME: &'static str = "Dpf";
}

/// Keys of a distributed point function.
pub type Dpf<G, K> = Placed<Point, G, K>;

impl<G: Group> Dpf<G, Bitwise> {
    /// Offline: `batch` keys with the bit 1 as payload, for positions of `d` bits.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for more than 24 bits or more than [`MAX_KEYS`](super::MAX_KEYS) keys,
    /// and those of the channel.
    pub fn prepare_bit(p: &mut Party, d: u32, batch: usize) -> Result<Unplaced<Point, G, Bitwise>> {
        make::make(p, bit_plan(d)?, batch, None).map(Unplaced::of)
    }

    /// What such a key costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) as [`prepare_bit`](Self::prepare_bit).
    pub fn bit_bill(d: u32) -> Result<Bill> {
        bit_plan(d).map(|plan| make::bill::<G>(&plan))
    }

    /// The whole function of each key whose payload is one bit: its number, and shares of the values, 64 a word.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other payloads.
    pub fn eval_bits(&self, mut read: impl FnMut(usize, &[u64])) -> Result<()> {
        let keys = &self.0;
        same("bits of the payload", 1, (keys.plan.shape.bits * keys.plan.shape.words) as usize)?;
        let (d, mut moved) =
            (keys.plan.shape.position, prim::Wiped::zeros((1 << keys.plan.shape.position) / 64));
        keys.bit_rows(&mut |key, row| {
            let shift = keys.shifts()[key];
            if d < 6 {
                row[0] = moved_word(row[0], G::SHIFT, shift, 1 << d);
                return read(key, &row[..1]);
            }
            let row = &mut row[..1 << (d - 6)];
            match G::SHIFT {
                Shift::Xor => planes::xor_move(row, shift, &mut moved),
                Shift::Cyclic => turn_words(row, &mut moved, shift),
            }
            read(key, &moved);
        });
        Ok(())
    }
}

/// Points of a piece, as a power of two; of keys with fewer, all are one piece.
pub const PIECE_BITS: u32 = 14;

impl Dpf<Xor, Bitwise> {
    /// Shares of the values at the points of a piece, `piece * 2^14` and up, of all keys whose payload is one bit: numbers
    /// of consecutive keys, in order, and a row of bits for each, 64 a word. Nothing is held between the pieces, so the
    /// keys may be many and their domain large.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other payloads, [`Error::Param`](crate::Error::Param) if there is no
    /// such piece.
    pub fn eval_piece(&self, piece: u32, mut read: impl FnMut(Range<usize>, &[u64])) -> Result<()> {
        let shape = self.0.plan.shape;
        same("bits of the payload", 1, (shape.bits * shape.words) as usize)?;
        let most = (1 << shape.position.saturating_sub(PIECE_BITS)) - 1;
        within("piece of a function's points", piece, 0..=most)?;
        self.0.bit_pieces(piece, &mut read);
        Ok(())
    }
}

impl<G: Group, K: Kind> Dpf<G, K> {
    /// Offline: keys for positions of `d` bits with these payloads, a batch of each word.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for more than 24 bits, more than 16 words or more than
    /// [`MAX_KEYS`](super::MAX_KEYS) keys; [`Error::Shape`](crate::Error::Shape) if words differ in width or number;
    /// and those of the channel.
    pub fn prepare(p: &mut Party, d: u32, payload: &Payload<K>) -> Result<Unplaced<Point, G, K>> {
        let (plan, batch) = plan_of(d, payload, Nodes::None)?;
        make::make(p, plan, batch, Some(payload)).map(Unplaced::of)
    }

    /// Keys at these positions, with these payloads.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn new(p: &mut Party, position: &Share<G::Kind, u32>, payload: &Payload<K>) -> Result<Self> {
        Self::prepare(p, position.bits(), payload)?.at(p, position)
    }

    /// What a key costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) if there are none of this shape.
    pub fn bill(shape: KeyShape) -> Result<Bill> {
        Ok(make::bill::<G>(&Plan::new::<K>(shape, false, Nodes::None)?))
    }

    /// Shares of each function's value at a public point of its own, a batch of each word.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there is a point for each key, and
    /// [`Error::Param`](crate::Error::Param) if one lies outside.
    pub fn eval(&self, points: &[u32]) -> Result<Vec<Share<K, u64>>> {
        values(&self.0, points)
    }

    /// Shares of all functions' values at a range of points, function by function, some points at a time in order:
    /// the function's number, the first point, and the words of the value at each point.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) if the range lies outside.
    pub fn eval_range(&self, range: Range<u32>, mut read: impl FnMut(usize, u32, &[u64])) -> Result<()> {
        self.0.range(range, &mut read)
    }

    /// [`eval_range`](Self::eval_range) of all points.
    ///
    /// # Errors
    /// None.
    pub fn eval_all(&self, read: impl FnMut(usize, u32, &[u64])) -> Result<()> {
        self.eval_range(0..1 << self.0.plan.shape.position, read)
    }
}

fn bit_plan(d: u32) -> Result<Plan> {
    Plan::new::<Bitwise>(KeyShape { position: d, bits: 1, words: 1 }, true, Nodes::None)
}

/// The plan for payloads, and how many there are.
pub(super) fn plan_of<K: Kind>(position: u32, payload: &Payload<K>, nodes: Nodes) -> Result<(Plan, usize)> {
    let (bits, batch) = payload.first().map_or((1, 0), |column| (column.bits(), column.len()));
    let shape = KeyShape { position, bits, words: payload.len() as u32 };
    Ok((Plan::new::<K>(shape, false, nodes)?, batch))
}

/// Values of point functions at a point each.
pub(super) fn values<G: Group, K: Kind>(keys: &Keys<G, K>, points: &[u32]) -> Result<Vec<Share<K, u64>>> {
    let (shape, leaf) = (keys.plan.shape, keys.plan.leaf);
    keys.check_points(points, shape.position)?;
    let column = || prim::Wiped::from(Vec::with_capacity(points.len()));
    let mut columns: Vec<prim::Wiped<u64>> = (0..shape.words).map(|_| column()).collect();
    for (points, first) in points.chunks(LANES).zip((0..).step_by(LANES)) {
        let moved: Vec<u32> = (first..).zip(points).map(|(key, &x)| keys.moved(key, x)).collect();
        let nodes: Vec<_> = (first..).zip(&moved).map(|(key, at)| (key, at >> leaf.low)).collect();
        let found = keys.leaves(&nodes, &mut |_, _| {});
        for (blocks, at) in found.chunks_exact(leaf.blocks).zip(&moved) {
            for (word, column) in (0..).zip(&mut columns) {
                column.push(keys.value(&leaf, blocks, at & ((1 << leaf.low) - 1), word));
            }
        }
    }
    Ok(columns.into_iter().map(|column| Share::new(shape.bits, column.into_vec())).collect())
}

/// The first `n` bits of a word, moved by a public distance.
fn moved_word(word: u64, group: Shift, shift: u32, n: u32) -> u64 {
    let from = |x: u32| match group {
        Shift::Xor => x ^ shift,
        Shift::Cyclic => x.wrapping_sub(shift) & (n - 1),
    };
    (0..n).fold(0, |moved, x| moved | (word >> from(x) & 1) << x)
}

/// Bit x of `to` is bit `x - shift` of `row`, cyclically.
fn turn_words(row: &[u64], to: &mut [u64], shift: u32) {
    let (words, bits) = ((shift / 64) as usize, shift % 64);
    for (i, to) in to.iter_mut().enumerate() {
        let word = |back: usize| row[i.wrapping_sub(words + back) & (row.len() - 1)];
        *to = word(0) << bits | word(1) >> 1 >> (63 - bits);
    }
}

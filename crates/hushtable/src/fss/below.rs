//! Keys of a function that is its payload below a secret position and 0 from there on.
//!
//! # Functionality
//! As [`super::point`]; the keys give shares of the payload at points `x < alpha` (or `x <= alpha`, of the same
//! keys), and of 0 elsewhere.
//!
//! # Protocol
//! A key of a point function is one of a comparison: `1{x < alpha}` sums, over the levels at which x goes to the left
//! of alpha, what the node to the right has, and of x's own block the entries above x.
//! 1. The bit 1: a [point function's](super::point) key and no more. A node has its control bit.
//! 2. Other payloads: the nodes of all levels are corrected like leaves, in the passes that grow the tree; one
//!    selection for all signs, and one opening.
//! 3. *Online.* The XOR of position and random position moves nodes to nodes. In the cyclic group, with distance m
//!    and `c(y) = [y < rho]` of the random position rho, `[x < rho + m] = c(x - m) - c(-1 - m) + [x - m > -1 - m]`
//!    modulo `2^d`: what stands behind is the same at all points.
//!
//! Values at a range of points are sums of the point function's, from above, and need no nodes but leaves.
//!
//! # Cost
//! As [`super::point`], and for h levels of payloads of l bits `2 h l` bits, for additive ones besides `2 h l` and a
//! correlated OT each way in one round more.
//!
//! # Source
//! fss-spec 4 and 6a, fss-beyond B2. The paper's form, whose chain of values is here a correction for each level, is
//! what tests compare with.

use std::ops::Range;

use prim::{Wiped, forest::LANES, ring::low, rows::Shift};
use zeroize::Zeroizing;

use super::{
    function::{Function, Placed, Unplaced},
    keys::{Keys, Nodes, Plan},
    layout::KeyShape,
    make::{self, Payload},
    point, walk,
};
use crate::{
    bill::Bill,
    error::Result,
    party::Party,
    share::{Bitwise, Kind, Share},
    tree::Group,
};

/// The function of a [`Dcf`].
pub struct Below;

impl Function for Below {
    const NAME: &'static str = "Dcf";
}

/// Keys of a distributed comparison function.
pub type Dcf<G, K> = Placed<Below, G, K>;

/// Where a comparison ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Points `x < alpha`.
    Before,
    /// Points `x <= alpha`.
    At,
}

/// Points of a range of which values are summed at once.
const PIECE: u32 = 1 << 14;

impl<G: Group> Dcf<G, Bitwise> {
    /// Offline: `batch` keys with the bit 1 as payload, for positions of `d` bits.
    ///
    /// # Errors
    /// As [`Dpf::prepare_bit`](super::Dpf::prepare_bit).
    pub fn prepare_bit(p: &mut Party, d: u32, batch: usize) -> Result<Unplaced<Below, G, Bitwise>> {
        make::make(p, bit_plan(d)?, batch, None).map(Unplaced::of)
    }

    /// What such a key costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) as [`prepare_bit`](Self::prepare_bit).
    pub fn bit_bill(d: u32) -> Result<Bill> {
        bit_plan(d).map(|plan| make::bill::<G>(&plan))
    }
}

impl<G: Group, K: Kind> Dcf<G, K> {
    /// Offline: keys for positions of `d` bits with these payloads, a batch of each word.
    ///
    /// # Errors
    /// As [`Dpf::prepare`](super::Dpf::prepare).
    pub fn prepare(p: &mut Party, d: u32, payload: &Payload<K>) -> Result<Unplaced<Below, G, K>> {
        let (plan, batch) = point::plan_of(d, payload, Nodes::Same)?;
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
        Ok(make::bill::<G>(&Plan::new::<K>(shape, false, Nodes::Same)?))
    }

    /// Shares of each function's value at a public point of its own, a batch of each word.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there is a point for each key, and [`Error::Param`](crate::Error::Param) if one lies outside.
    pub fn eval(&self, end: End, points: &[u32]) -> Result<Vec<Share<K, u64>>> {
        let (keys, shape) = (&self.0, self.0.plan.shape);
        keys.check_points(points, shape.position)?;
        let words = shape.words as usize;
        let mut all = keys.sums(end, points);
        if matches!(G::SHIFT, Shift::Cyclic) {
            let last = low(u64::MAX, shape.position) as u32;
            for (key, &point) in points.iter().enumerate() {
                // Public: points and distances.
                let above = keys.moved(key, point) > keys.moved(key, last);
                for i in key * words..(key + 1) * words {
                    let whole = if above { keys.payload[i] } else { 0 };
                    all[i] = low(K::combine(K::strip(all[i], keys.constant[i]), whole), shape.bits);
                }
            }
        }
        let column = |word| Share::new(shape.bits, all.iter().skip(word).step_by(words).copied().collect());
        Ok((0..words).map(column).collect())
    }

    /// Shares of all functions' values at a range of points, function by function. A function's points come from
    /// the last to the first, some at a time: the function's number, the first of these, and the words of the value
    /// at each, in order.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) if the range lies outside.
    pub fn eval_range(
        &self,
        end: End,
        range: Range<u32>,
        mut read: impl FnMut(usize, u32, &[u64]),
    ) -> Result<()> {
        walk::check_range(&range, self.0.plan.shape.position)?;
        if range.is_empty() {
            return Ok(());
        }
        let words = self.0.plan.shape.words as usize;
        let mut to = range.end;
        let mut next = None;
        while to > range.start {
            let from = range.start.max((to - 1) / PIECE * PIECE);
            let mut above = match next.take() {
                Some(above) => above,
                None => self.above(to)?,
            };
            let mut values = Wiped::<u64>::zeros((to - from) as usize * words);
            self.0.range(from..to, &mut |key, first, found| {
                let at = (first - from) as usize * words;
                values[at..at + found.len()].copy_from_slice(found);
                if at + found.len() == values.len() {
                    self.sum_up(end, &mut above[key * words..(key + 1) * words], &mut values);
                    read(key, from, &values);
                }
            })?;
            (to, next) = (from, Some(above));
        }
        Ok(())
    }

    /// [`eval_range`](Self::eval_range) of all points.
    ///
    /// # Errors
    /// None.
    pub fn eval_all(&self, end: End, read: impl FnMut(usize, u32, &[u64])) -> Result<()> {
        self.eval_range(end, 0..1 << self.0.plan.shape.position, read)
    }

    /// Shares of each function's value `x <= alpha` at the end of a range, which is that of `x < alpha` at the point
    /// before: words of a key together.
    fn above(&self, to: u32) -> Result<Wiped<u64>> {
        let words = self.0.plan.shape.words as usize;
        let mut above = Wiped::zeros(self.0.len * words);
        if to < 1 << self.0.plan.shape.position {
            for (word, column) in self.eval(End::At, &vec![to; self.0.len])?.iter().enumerate() {
                let own = above.iter_mut().skip(word).step_by(words);
                own.zip(column.words()).for_each(|(own, &x)| *own = x);
            }
        }
        Ok(above)
    }

    /// Sums a key's values of the point function from above, beginning with what lies `above` them.
    fn sum_up(&self, end: End, above: &mut [u64], values: &mut [u64]) {
        let bits = self.0.plan.shape.bits;
        if let [above] = above {
            for value in values.iter_mut().rev() {
                let with = low(K::combine(*above, *value), bits);
                *value = if end == End::At { with } else { *above };
                *above = with;
            }
            return;
        }
        for point in values.rchunks_exact_mut(above.len()) {
            for (above, value) in above.iter_mut().zip(point) {
                let with = low(K::combine(*above, *value), bits);
                *value = if end == End::At { with } else { *above };
                *above = with;
            }
        }
    }
}

impl<G: Group, K: Kind> Keys<G, K> {
    /// What placed keys of comparisons need to know of the distances.
    pub(super) fn settle(&mut self) {
        if self.plan.nodes == Nodes::Same && matches!(G::SHIFT, Shift::Cyclic) {
            let last = low(u64::MAX, self.plan.shape.position) as u32;
            self.constant = self.sums(End::Before, &vec![last; self.len]);
        }
    }

    /// Shares of the payload where a point, moved, lies below the keys' own position: words of a key together. In
    /// the xor group below the position given.
    fn sums(&self, end: End, points: &[u32]) -> Wiped<u64> {
        let words = self.plan.shape.words as usize;
        let mut all = Wiped::zeros(points.len() * words);
        for (all, first) in all.chunks_mut(LANES * words).zip((0..).step_by(LANES)) {
            let points = &points[first..first + all.len() / words];
            self.sums_of_group(end, first, points, all);
        }
        all
    }

    fn sums_of_group(&self, end: End, first: usize, points: &[u32], all: &mut [u64]) {
        let Plan { shape, leaf, .. } = self.plan;
        let words = shape.words as usize;
        let mask = (1u32 << leaf.low) - 1;
        let moved: Vec<u32> = (first..).zip(points).map(|(key, &x)| self.moved(key, x)).collect();
        // By what numbers in a tree and of points differ.
        let flip = |i: usize| if matches!(G::SHIFT, Shift::Xor) { moved[i] ^ points[i] } else { 0 };
        let nodes: Vec<_> = (first..).zip(&moved).map(|(key, at)| (key, at >> leaf.low)).collect();
        let height = self.plan.height();
        let mut add = |i: usize, word: usize, value: u64| {
            let sum = &mut all[i * words + word];
            *sum = low(K::combine(*sum, value), shape.bits);
        };
        let left = |i: usize, level: u32| (moved[i] ^ flip(i)) >> (shape.position - level) & 1 == 0;
        let dense = self.plan.dense();
        let found = self.leaves(&nodes, &mut |level, children| {
            // The child to which the point does not go, where alpha's side is the right one.
            let other =
                |i: usize| children[i + LANES * (moved[i] >> (shape.position - level) & 1 ^ 1) as usize];
            let mut siblings = Zeroizing::new([prim::block::Block::ZERO; LANES]);
            (0..nodes.len()).for_each(|i| siblings[i] = other(i));
            self.add_siblings(level, &nodes, &siblings, &mut |i, word, value| {
                if left(i, level) {
                    add(i, word, value);
                }
            });
        });
        for (i, blocks) in found.chunks_exact(leaf.blocks).enumerate() {
            let own = (moved[i] ^ flip(i)) & mask;
            for entry in 0..=mask {
                let place = (entry ^ flip(i)) & mask;
                if place > own || end == End::At && place == own {
                    (0..words).for_each(|word| add(i, word, self.value(&leaf, blocks, entry, word as u32)));
                }
            }
        }
        if dense && height > 0 {
            self.add_other_blocks(&nodes, &flip, &mut add);
        }
    }

    /// What the nodes of a level give that are to the other side of points.
    fn add_siblings(
        &self,
        level: u32,
        nodes: &[walk::Node],
        siblings: &[prim::block::Block; LANES],
        add: &mut dyn FnMut(usize, usize, u64),
    ) {
        if self.plan.unit {
            return (0..nodes.len()).for_each(|i| add(i, 0, siblings[i].0 as u64 >> 1 & 1));
        }
        let (payloads, layout) = self.level(level);
        let found = walk::payloads(payloads, &layout, nodes, siblings);
        for (i, blocks) in found.chunks_exact(layout.blocks).enumerate() {
            for word in 0..self.plan.shape.words {
                add(i, word as usize, self.value(&layout, blocks, 0, word));
            }
        }
    }

    /// The blocks of whole vectors that lie above the point's.
    fn add_other_blocks(
        &self,
        nodes: &[walk::Node],
        flip: &dyn Fn(usize) -> u32,
        add: &mut dyn FnMut(usize, usize, u64),
    ) {
        let leaf = self.plan.leaf;
        for (i, &(key, own)) in nodes.iter().enumerate() {
            let moved = flip(i) >> leaf.low;
            for block in 0..1u32 << self.plan.height() {
                if block ^ moved > own ^ moved {
                    let blocks = self.leaves(&[(key, block)], &mut |_, _| {});
                    for entry in 0..1 << leaf.low {
                        add(i, 0, self.value(&leaf, &blocks, entry, 0));
                    }
                }
            }
        }
    }
}

fn bit_plan(d: u32) -> Result<Plan> {
    Plan::new::<Bitwise>(KeyShape { position: d, bits: 1, words: 1 }, true, Nodes::Same)
}

//! Sums of the hashes of leaves, and how many ones the rows will have that hang at them.

use super::{LANES, group};
use crate::aes::{Cipher, Stream, vector, vector_mut};
use crate::simd::{Isa, Op};
use crate::{Block, CcrHash};
use zeroize::ZeroizeOnDrop;

/// What a pass over the leaves of a group tells of the rows `H(x ^ 1) ^ t * word` before `word` is known.
#[derive(Default, ZeroizeOnDrop)]
pub struct LeafSums {
    /// Bit by bit, how many of the hashes have a 1 there, mod 4.
    units: [Block; LANES],
    twos: [Block; LANES],
    /// XOR of the hashes of leaves with control bit 1.
    marked: [Block; LANES],
    /// The number of those leaves, negated, in both halves.
    count: [Block; LANES],
}

/// Sums `H(x ^ 1)` over the leaves of each tree.
///
/// # Panics
/// Unless `leaves` has the same number of leaves for each tree.
pub fn xor_leaves(hash: &CcrHash, leaves: &[Block]) -> LeafSums {
    assert!(leaves.len().is_multiple_of(LANES), "leaves");
    hash.note(leaves, Block::ONE);
    let mut sums = LeafSums::default();
    hash.aes.engine.run(Sum { hash, leaves, sums: &mut sums });
    sums
}

impl LeafSums {
    /// The XOR of each tree's hashes.
    pub fn sum(&self) -> &[Block; LANES] {
        &self.units
    }

    /// How many ones the row of tree `l` has with that `word`, mod 4.
    pub fn weight(&self, l: usize, word: Block) -> u8 {
        let ones = |x: Block| x.0.count_ones();
        let pads = ones(self.units[l]).wrapping_add(2 * ones(self.twos[l]));
        // x ^ w has ones(x) + ones(w) - 2 ones(x & w)
        let count = (self.count[l].0 as u32).wrapping_neg();
        let marked = count.wrapping_mul(ones(word)).wrapping_sub(2 * ones(self.marked[l] & word));
        (pads.wrapping_add(marked) & 3) as u8
    }
}

struct Sum<'a> {
    hash: &'a CcrHash,
    leaves: &'a [Block],
    sums: &'a mut LeafSums,
}

impl<S: Isa> Op<S> for Sum<'_> {
    type Out = ();

    #[inline(always)]
    fn call(mut self, isa: S) {
        Cipher::new(isa, &self.hash.aes.keys).stream(self.leaves.len() / S::BLOCKS, &mut self);
    }
}

impl<S: Isa> Stream<S> for Sum<'_> {
    #[inline(always)]
    fn fetch<const W: usize>(&self, isa: S, batch: usize, k: usize) -> S::V {
        // the leaf itself is the input of no other hash under this key
        isa.xor(isa.load(vector::<S, W>(self.leaves, batch, k)), isa.splat(Block::ONE))
    }

    #[inline(always)]
    fn deliver<const W: usize>(&mut self, isa: S, batch: usize, k: usize, hash: S::V) {
        let trees = batch % group::<S, W>();
        let control = isa.spread_bit_1(isa.load(vector::<S, W>(self.leaves, batch, k)));
        let LeafSums { units, twos, marked, count } = &mut *self.sums;
        let units = vector_mut::<S, W>(units, trees, k);
        let twos = vector_mut::<S, W>(twos, trees, k);
        let marked = vector_mut::<S, W>(marked, trees, k);
        let count = vector_mut::<S, W>(count, trees, k);
        let unit = isa.load(units);
        isa.store(isa.xor(isa.load(twos), isa.and(unit, hash)), twos);
        isa.store(isa.xor(unit, hash), units);
        isa.store(isa.xor(isa.load(marked), isa.and(control, hash)), marked);
        isa.store(isa.add_halves(isa.load(count), control), count);
    }
}

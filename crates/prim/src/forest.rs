//! Half-trees that grow side by side, with a correction of every level that both parties know.
//!
//! [`LANES`] trees make a group: `nodes[i * LANES + l]` is node `i` of tree `l`. In a level of `m`
//! nodes the children of node `i` are number `i` (left) and `i + m` (right) of the next, so bit `j`
//! of a leaf's number is the turn taken at level `j`.
//!
//! Two parties have such trees. Their nodes are equal off one path and differ by a secret block on
//! it, whose bit 1 is set: bit 1 of a node is its control bit `t`, which differs on the path only.

mod leaves;
mod weights;

pub use leaves::{add_leaves, count_control, write_add, write_xor};
pub use weights::{LeafSums, xor_leaves};

use crate::aes::{Cipher, Stream, vector, vector_mut};
use crate::simd::{Isa, Op};
use crate::{Block, CcrHash};

/// Trees of a group.
pub const LANES: usize = 32;

/// Puts the children of the first half of `nodes`, one level, into all of it. The left child of x is
/// `H(x) ^ t * word` of its tree, `t` the control bit of x, and the right one that `^ x`.
///
/// # Panics
/// Unless `nodes` has an even number of nodes a tree.
pub fn grow(hash: &CcrHash, words: &[Block; LANES], nodes: &mut [Block]) {
    assert!(nodes.len().is_multiple_of(2 * LANES), "nodes");
    let (left, right) = nodes.split_at_mut(nodes.len() / 2);
    hash.note_regrown(left, Block::ZERO);
    hash.aes.engine.run(Grow { hash, words, left, right });
}

/// Adds `H(x)` of every node to the sum of its tree, by XOR: those of the left children of a level, not
/// yet corrected.
///
/// # Panics
/// Unless `nodes` has the same number of nodes for each tree.
pub fn xor_hashes(hash: &CcrHash, nodes: &[Block], sums: &mut [Block; LANES]) {
    assert!(nodes.len().is_multiple_of(LANES), "nodes");
    hash.note(nodes, Block::ZERO);
    hash.aes.engine.run(Sum { hash, nodes, sums });
}

struct Grow<'a> {
    hash: &'a CcrHash,
    words: &'a [Block; LANES],
    left: &'a mut [Block],
    right: &'a mut [Block],
}

impl<S: Isa> Op<S> for Grow<'_> {
    type Out = ();

    #[inline(always)]
    fn call(mut self, isa: S) {
        Cipher::new(isa, &self.hash.aes.keys).stream(self.left.len() / S::BLOCKS, &mut self);
    }
}

impl<S: Isa> Stream<S> for Grow<'_> {
    #[inline(always)]
    fn fetch<const W: usize>(&self, isa: S, batch: usize, k: usize) -> S::V {
        isa.load(vector::<S, W>(self.left, batch, k))
    }

    #[inline(always)]
    fn deliver<const W: usize>(&mut self, isa: S, batch: usize, k: usize, hash: S::V) {
        let (left, right) =
            (vector_mut::<S, W>(self.left, batch, k), vector_mut::<S, W>(self.right, batch, k));
        let (x, word) = (isa.load(left), isa.load(vector::<S, W>(self.words, batch % group::<S, W>(), k)));
        let child = isa.xor(hash, isa.and(isa.spread_bit_1(x), word));
        isa.store(child, left);
        isa.store(isa.xor(child, x), right); // siblings sum to their parent
    }
}

/// Batches of `W` vectors of a group's trees.
#[inline(always)]
fn group<S: Isa, const W: usize>() -> usize {
    LANES / (W * S::BLOCKS)
}

struct Sum<'a> {
    hash: &'a CcrHash,
    nodes: &'a [Block],
    sums: &'a mut [Block; LANES],
}

impl<S: Isa> Op<S> for Sum<'_> {
    type Out = ();

    #[inline(always)]
    fn call(mut self, isa: S) {
        Cipher::new(isa, &self.hash.aes.keys).stream(self.nodes.len() / S::BLOCKS, &mut self);
    }
}

impl<S: Isa> Stream<S> for Sum<'_> {
    #[inline(always)]
    fn fetch<const W: usize>(&self, isa: S, batch: usize, k: usize) -> S::V {
        isa.load(vector::<S, W>(self.nodes, batch, k))
    }

    #[inline(always)]
    fn deliver<const W: usize>(&mut self, isa: S, batch: usize, k: usize, hash: S::V) {
        let sum = vector_mut::<S, W>(self.sums, batch % group::<S, W>(), k);
        isa.store(isa.xor(isa.load(sum), hash), sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kernel, Prg};

    const HEIGHT: usize = 5;

    /// All trees by the definition, node by node: the leaves of each in order of their numbers.
    fn plain(hash: &CcrHash, root: Block, words: &[Block]) -> (Vec<Block>, Vec<Block>) {
        let (mut level, mut sums) = (vec![root], Vec::new());
        for &word in words {
            let change = |x: Block| if x.bit(1) { word } else { Block::ZERO };
            let left: Vec<Block> = level.iter().map(|&x| hash.one(x)).collect();
            sums.push(left.iter().fold(Block::ZERO, |sum, &x| sum ^ x));
            let left: Vec<Block> = left.iter().zip(&level).map(|(&h, &x)| h ^ change(x)).collect();
            let right: Vec<Block> = left.iter().zip(&level).map(|(&l, &x)| l ^ x).collect();
            level = [left, right].concat();
        }
        (level, sums)
    }

    #[test]
    fn every_tree_of_a_group_on_every_kernel() {
        let mut prg = Prg::new(Block(5));
        let roots: [Block; LANES] = std::array::from_fn(|_| prg.block());
        let words: [[Block; LANES]; HEIGHT + 1] =
            std::array::from_fn(|_| std::array::from_fn(|_| prg.block()));
        for kernel in Kernel::supported() {
            let (inner, outer) =
                (CcrHash::with_kernel(Block(7), kernel), CcrHash::with_kernel(Block(8), kernel));
            let mut nodes = vec![Block::ZERO; LANES << HEIGHT];
            nodes[..LANES].copy_from_slice(&roots);
            let mut sums = [[Block::ZERO; LANES]; HEIGHT];
            for level in 0..HEIGHT {
                xor_hashes(&inner, &nodes[..LANES << level], &mut sums[level]);
                grow(&inner, &words[level], &mut nodes[..LANES << (level + 1)]);
            }
            let leaf_sums = xor_leaves(&outer, &nodes);
            for trees in [LANES, LANES - 3, 1] {
                let mut rows = vec![u64::MAX; (trees * 2) << HEIGHT];
                write_xor(&outer, &words[HEIGHT], &nodes, &mut rows);
                for l in 0..trees {
                    let words: Vec<Block> = words.iter().map(|w| w[l]).collect();
                    let (leaves, inner_sums) = plain(&inner, roots[l], &words[..HEIGHT]);
                    let pads: Vec<Block> = leaves.iter().map(|&x| outer.one(x ^ Block::ONE)).collect();
                    let total = pads.iter().fold(Block::ZERO, |sum, &x| sum ^ x);
                    assert!(
                        inner_sums.iter().zip(&sums).all(|(want, got)| *want == got[l]),
                        "{kernel:?} {l}"
                    );
                    assert!(total == leaf_sums.sum()[l], "{kernel:?} {l}");
                    let row = &rows[(l << HEIGHT) * 2..][..2 << HEIGHT];
                    let ones: u32 = row.iter().map(|x| x.count_ones()).sum();
                    assert_eq!(leaf_sums.weight(l, words[HEIGHT]), ones as u8 % 4, "{kernel:?} {l}");
                    for (i, (&x, &pad)) in leaves.iter().zip(&pads).enumerate() {
                        assert!(x == nodes[i * LANES + l], "{kernel:?} {l} {i}");
                        let want = if x.bit(1) { pad ^ words[HEIGHT] } else { pad };
                        let got = &rows[(l << HEIGHT | i) * 2..][..2];
                        assert!(bytemuck::cast_slice::<Block, u64>(&[want]) == got, "{kernel:?} {l} {i}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_level_of_one_node() {
        let hash = CcrHash::new(Block(3));
        let roots: [Block; LANES] = std::array::from_fn(|l| Block(l as u128 * 77));
        let mut nodes = [roots, [Block::ZERO; LANES]].concat();
        grow(&hash, &[Block::ZERO; LANES], &mut nodes);
        let mut rows = vec![0; 4 * LANES];
        write_xor(&hash, &[Block::ZERO; LANES], &nodes, &mut rows);
        for (l, &root) in roots.iter().enumerate() {
            let leaf = hash.one(root) ^ root;
            assert!(nodes[LANES + l] == leaf);
            let row = bytemuck::cast_slice::<Block, u64>(&[hash.one(leaf ^ Block::ONE)]).to_vec();
            assert_eq!(rows[4 * l + 2..4 * l + 4], row);
        }
    }
}

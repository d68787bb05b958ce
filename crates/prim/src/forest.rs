//! Half-trees that grow side by side, with a correction of every level that both parties know.
//!
//! [`LANES`] trees make a group: `nodes[i * LANES + l]` is node `i` of tree `l`. In a level of `m`
//! nodes the children of node `i` are number `i` (left) and `i + m` (right) of the next, so bit `j`
//! of a leaf's number is the turn taken at level `j`.
//!
//! Two parties have such trees. Their nodes are equal off one path and differ by a secret block on
//! it, whose bit 1 is set: bit 1 of a node is its control bit `t`, which differs on the path only.

mod leaves;

pub use leaves::{add_leaves, count_control, write_add, write_xor, xor_leaves};

use crate::aes::Cipher;
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
    hash.aes.engine.run(Grow { hash, words, left, right });
}

/// Adds `H(x)` of every node to the sum of its tree, by XOR: those of the left children of a level, not
/// yet corrected.
///
/// # Panics
/// Unless `nodes` has the same number of nodes for each tree.
pub fn xor_hashes(hash: &CcrHash, nodes: &[Block], sums: &mut [Block; LANES]) {
    assert!(nodes.len().is_multiple_of(LANES), "nodes");
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
    fn call(self, isa: S) {
        if wide::<S>() { self.run::<S, 8>(isa) } else { self.run::<S, 4>(isa) }
    }
}

/// Whether eight vectors, enough to hide the latency of their rounds, are not more than a group.
#[inline(always)]
fn wide<S: Isa>() -> bool {
    8 * S::BLOCKS <= LANES
}

impl Grow<'_> {
    #[inline(always)]
    fn run<S: Isa, const W: usize>(self, isa: S) {
        let cipher = Cipher::new(isa, &self.hash.aes.keys);
        let step = W * S::BLOCKS;
        let pairs = self.left.chunks_exact_mut(step).zip(self.right.chunks_exact_mut(step));
        for ((left, right), at) in pairs.zip((0..).step_by(step)) {
            let x = cipher.load::<W>(left);
            let h = cipher.hash(x);
            let words = self.words[at % LANES..][..step].chunks_exact(S::BLOCKS);
            let children = left.chunks_exact_mut(S::BLOCKS).zip(right.chunks_exact_mut(S::BLOCKS));
            for (((h, x), word), (left, right)) in h.into_iter().zip(x).zip(words).zip(children) {
                let child = isa.xor(h, isa.and(isa.spread_bit_1(x), isa.load(word)));
                isa.store(child, left);
                isa.store(isa.xor(child, x), right); // siblings sum to their parent
            }
        }
    }
}

struct Sum<'a> {
    hash: &'a CcrHash,
    nodes: &'a [Block],
    sums: &'a mut [Block; LANES],
}

impl<S: Isa> Op<S> for Sum<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        if wide::<S>() { self.run::<S, 8>(isa) } else { self.run::<S, 4>(isa) }
    }
}

impl Sum<'_> {
    #[inline(always)]
    fn run<S: Isa, const W: usize>(self, isa: S) {
        let cipher = Cipher::new(isa, &self.hash.aes.keys);
        let step = W * S::BLOCKS;
        for (nodes, at) in self.nodes.chunks_exact(step).zip((0..).step_by(step)) {
            let h = cipher.hash(cipher.load::<W>(nodes));
            for (h, sum) in h.into_iter().zip(self.sums[at % LANES..][..step].chunks_exact_mut(S::BLOCKS)) {
                isa.store(isa.xor(isa.load(sum), h), sum);
            }
        }
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
            let mut sums = [[Block::ZERO; LANES]; HEIGHT + 1];
            for level in 0..HEIGHT {
                xor_hashes(&inner, &nodes[..LANES << level], &mut sums[level]);
                grow(&inner, &words[level], &mut nodes[..LANES << (level + 1)]);
            }
            xor_leaves(&outer, &nodes, &mut sums[HEIGHT]);
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
                    assert!(total == sums[HEIGHT][l], "{kernel:?} {l}");
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

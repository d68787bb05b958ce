//! Half-tree GGM: expansion of all leaves, and of all leaves but one.
//!
//! A node `x` has the children `H(x)` (left) and `H(x) ^ x` (right); the first two nodes are
//! `(q_0, q_0 ^ delta)`, so the XOR of every level is `delta`. The bits of a leaf's index are its
//! path from the root, most significant first. Leaves are correlated by `delta`: use them only as
//! `H'(leaf ^ i)` under another key.

use crate::aes::Cipher;
use crate::ct::eq_mask;
use crate::simd::{Isa, MAX_BLOCKS, Op};
use crate::{Block, CcrHash};

/// The sender's half: writes all `2^depth` leaves and the `depth - 1` corrections
/// `c_j = K_j^0 ^ q_j`, `j >= 1`, where `K_j^0` is the XOR of all left children of level `j`.
///
/// `q` has the sender's strings of `depth` random correlated OTs, each used for nothing else.
///
/// # Panics
/// Unless `1 <= depth < 32` and the lengths are `2^depth` and `depth - 1`.
pub fn expand(hash: &CcrHash, delta: Block, q: &[Block], leaves: &mut [Block], corrections: &mut [Block]) {
    check_lengths(q.len(), leaves.len(), corrections.len());
    hash.aes.engine.run(Expand { hash, delta, q, leaves, corrections });
}

/// The receiver's half: returns the punctured position `alpha` and writes all leaves but
/// `leaves[alpha]`, which becomes zero.
///
/// `t` has the receiver's strings, with the choice bit `b_j` in bit 0; `alpha` is made of the
/// bits `!b_j`. No branch and no address depends on it.
///
/// # Panics
/// Unless `1 <= depth < 32` and the lengths are `2^depth` and `depth - 1`.
pub fn puncture(hash: &CcrHash, t: &[Block], corrections: &[Block], leaves: &mut [Block]) -> u32 {
    check_lengths(t.len(), leaves.len(), corrections.len());
    hash.aes.engine.run(Puncture { hash, t, corrections, leaves })
}

fn check_lengths(depth: usize, leaves: usize, corrections: usize) {
    assert!((1..32).contains(&depth), "depth");
    assert_eq!(leaves, 1 << depth, "leaves");
    assert_eq!(corrections, depth - 1, "corrections");
}

struct Expand<'a> {
    hash: &'a CcrHash,
    delta: Block,
    q: &'a [Block],
    leaves: &'a mut [Block],
    corrections: &'a mut [Block],
}

impl<S: Isa> Op<S> for Expand<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let cipher = Cipher::new(isa, &self.hash.aes.keys);
        self.leaves[0] = self.q[0];
        self.leaves[1] = self.q[0] ^ self.delta;
        for (correction, level) in self.corrections.iter_mut().zip(1..) {
            self.hash.note(&self.leaves[..1 << level], Block::ZERO);
            let left = grow(isa, &cipher, &mut self.leaves[..2 << level]);
            *correction = left ^ self.q[level];
        }
    }
}

struct Puncture<'a> {
    hash: &'a CcrHash,
    t: &'a [Block],
    corrections: &'a [Block],
    leaves: &'a mut [Block],
}

impl<S: Isa> Op<S> for Puncture<'_> {
    type Out = u32;

    #[inline(always)]
    fn call(self, isa: S) -> u32 {
        let cipher = Cipher::new(isa, &self.hash.aes.keys);
        let of_zero = self.hash.one(Block::ZERO);
        let known = Block::mask(self.t[0].lsb());
        self.leaves[0] = self.t[0] & !known;
        self.leaves[1] = self.t[0] & known;
        let mut alpha = u32::from(!self.t[0].lsb());
        // the XOR of the level, in which the node on the path to alpha is kept zero
        let mut total = self.t[0];
        for (&correction, level) in self.corrections.iter().zip(1..) {
            self.hash.note(&self.leaves[..1 << level], Block::ZERO);
            let nodes = &mut self.leaves[..2 << level];
            let left = grow(isa, &cipher, nodes);
            let t = self.t[level];
            let b = t.lsb();
            // both children of the zero node are H(0), which the sums of the children contain
            let same_side = left ^ (total & Block::mask(b));
            let sibling = correction ^ t ^ same_side ^ of_zero;
            total ^= sibling;
            let is_right = sibling & Block::mask(b);
            patch(isa, nodes, alpha, of_zero ^ sibling ^ is_right, of_zero ^ is_right);
            alpha = 2 * alpha + u32::from(!b);
        }
        alpha
    }
}

/// Replaces the first half of `nodes`, one level, by its children, and returns the XOR of the
/// left ones.
#[inline(always)]
fn grow<S: Isa>(isa: S, cipher: &Cipher<S>, nodes: &mut [Block]) -> Block {
    let parents = nodes.len() / 2;
    if parents < S::BLOCKS {
        return grow_padded(isa, cipher, nodes);
    }
    let mut left = isa.splat(Block::ZERO);
    // from the end, so that no parent is overwritten before it is read
    if parents >= 8 * S::BLOCKS {
        for at in (0..parents).step_by(8 * S::BLOCKS).rev() {
            left = grow_at::<S, 8>(isa, cipher, nodes, at, left);
        }
    } else {
        for at in (0..parents).step_by(S::BLOCKS).rev() {
            left = grow_at::<S, 1>(isa, cipher, nodes, at, left);
        }
    }
    isa.fold(left)
}

/// Writes the children of the `W` vectors of parents at `at`, and adds the left ones to `sum`.
#[inline(always)]
fn grow_at<S: Isa, const W: usize>(
    isa: S,
    cipher: &Cipher<S>,
    nodes: &mut [Block],
    at: usize,
    mut sum: S::V,
) -> S::V {
    let x = cipher.load::<W>(&nodes[at..][..W * S::BLOCKS]);
    let h = cipher.hash(x);
    let children = nodes[2 * at..][..2 * W * S::BLOCKS].chunks_exact_mut(2 * S::BLOCKS);
    for ((x, h), children) in x.into_iter().zip(h).zip(children) {
        let (first, second) = isa.pairs(h, isa.xor(h, x));
        isa.store(first, &mut children[..S::BLOCKS]);
        isa.store(second, &mut children[S::BLOCKS..]);
        sum = isa.xor(sum, h);
    }
    sum
}

/// `grow` for a level of less than one vector.
#[inline(always)]
fn grow_padded<S: Isa>(isa: S, cipher: &Cipher<S>, nodes: &mut [Block]) -> Block {
    let parents = nodes.len() / 2;
    let mut wide = [Block::ZERO; 2 * MAX_BLOCKS];
    wide[..parents].copy_from_slice(&nodes[..parents]);
    grow_at::<S, 1>(isa, cipher, &mut wide[..2 * S::BLOCKS], 0, isa.splat(Block::ZERO));
    nodes.copy_from_slice(&wide[..nodes.len()]);
    nodes.iter().step_by(2).fold(Block::ZERO, |sum, &x| sum ^ x)
}

/// XORs the two values into the children of the secret place `parent` of the level above, by a
/// scan over all nodes.
#[inline(always)]
fn patch<S: Isa>(isa: S, nodes: &mut [Block], parent: u32, left: Block, right: Block) {
    if nodes.len() < 2 * S::BLOCKS {
        for (children, place) in nodes.as_chunks_mut::<2>().0.iter_mut().zip(0..) {
            let mask = eq_mask(place, parent);
            let mask = Block(u128::from(mask) << 64 | u128::from(mask));
            children[0] ^= left & mask;
            children[1] ^= right & mask;
        }
        return;
    }
    // a number stands in both halves of its block, so that a comparison gives masks for blocks
    let number = |x: u32| Block(u128::from(x) << 64 | u128::from(x));
    let mut places = [Block::ZERO; MAX_BLOCKS];
    places.iter_mut().zip(0..).for_each(|(place, i)| *place = number(i));
    let places = isa.load(&places[..S::BLOCKS]);
    let ((mut first, mut second), parent) = (isa.pairs(places, places), isa.splat(number(parent)));
    let values = isa.pairs(isa.splat(left), isa.splat(right));
    let step = isa.splat(number(S::BLOCKS as u32));
    for children in nodes.chunks_exact_mut(2 * S::BLOCKS) {
        let (a, b) = children.split_at_mut(S::BLOCKS);
        let masks = (isa.equal_halves(first, parent), isa.equal_halves(second, parent));
        isa.store(isa.xor(isa.load(a), isa.and(masks.0, values.0)), a);
        isa.store(isa.xor(isa.load(b), isa.and(masks.1, values.1)), b);
        (first, second) = (isa.add_halves(first, step), isa.add_halves(second, step));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kernel, Prg};

    /// All leaves, straight from the definition.
    fn plain(hash: &CcrHash, delta: Block, root: Block, depth: usize) -> Vec<Block> {
        let mut level = vec![root, root ^ delta];
        for _ in 1..depth {
            level = level.iter().flat_map(|&x| [hash.one(x), hash.one(x) ^ x]).collect();
        }
        level
    }

    fn check(kernel: Kernel, depth: usize, seed: u128, alpha: u32) {
        let mut prg = Prg::new(Block(seed));
        let hash = CcrHash::with_kernel(prg.block(), kernel);
        let delta = prg.block().with_lsb(true);
        let mut t: Vec<Block> = (0..depth).map(|_| prg.block()).collect();
        for (j, t) in t.iter_mut().enumerate() {
            *t = t.with_lsb(alpha >> (depth - 1 - j) & 1 == 0);
        }
        let q: Vec<Block> = t.iter().map(|&t| t ^ (Block::mask(t.lsb()) & delta)).collect();

        let mut leaves = vec![Block::ONE; 1 << depth];
        let mut corrections = vec![Block::ONE; depth - 1];
        expand(&hash, delta, &q, &mut leaves, &mut corrections);
        assert_eq!(leaves, plain(&hash, delta, q[0], depth), "{kernel:?} {depth}");

        let mut punctured = vec![Block::ONE; 1 << depth];
        assert_eq!(puncture(&hash, &t, &corrections, &mut punctured), alpha);
        leaves[alpha as usize] = Block::ZERO;
        assert_eq!(punctured, leaves, "{kernel:?} {depth} {alpha}");
    }

    #[test]
    fn small_trees_at_every_position() {
        for kernel in Kernel::supported() {
            for depth in 1..=5 {
                for alpha in 0..1 << depth {
                    check(kernel, depth, 1000 * depth as u128 + u128::from(alpha), alpha);
                }
            }
        }
    }

    #[test]
    fn deep_trees() {
        for kernel in Kernel::supported() {
            for depth in 6..=12 {
                for alpha in [0, (1 << depth) - 1, 0x5a5 & ((1 << depth) - 1), 1 << (depth - 1)] {
                    check(kernel, depth, u128::from(alpha) + 7, alpha);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "leaves")]
    fn wrong_number_of_leaves() {
        expand(&CcrHash::new(Block(1)), Block(3), &[Block(2); 3], &mut [Block(0); 9], &mut [Block(0); 2]);
    }
}

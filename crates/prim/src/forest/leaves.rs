//! What hangs at the leaves of a group of trees: hashes of them, summed, or corrected and written to
//! the row of their tree.

use super::LANES;
use crate::aes::Cipher;
use crate::simd::{ByteIsa, Op};
use crate::{Block, CcrHash, Ring};
use zeroize::Zeroize;

/// Leaves written to a row at once.
const TILE: usize = 4;

/// The largest [`BLOCKS`](crate::simd::Isa::BLOCKS) of a [`ByteIsa`].
const MAX_BYTE_BLOCKS: usize = 2;

/// Adds `H(x ^ 1)` of every leaf to the sum of its tree, as words of `R`.
///
/// # Panics
/// Unless `leaves` has the same number of leaves for each tree.
pub fn add_leaves<R: Ring>(hash: &CcrHash, leaves: &[Block], sums: &mut [Block; LANES]) {
    run(hash, Leaves::<R, true> { hash, leaves, then: Then::Sum(sums) });
}

/// Writes the row of each tree, two words a leaf: `H(x ^ 1) ^ t * word`. There may be fewer rows
/// than trees.
///
/// # Panics
/// Unless `leaves` has the same number of leaves for each tree and `rows` at most that many rows.
pub fn write_xor(hash: &CcrHash, words: &[Block; LANES], leaves: &[Block], rows: &mut [u64]) {
    let width = 2 * leaves.len() / LANES;
    run(hash, Leaves::<u64, false> { hash, leaves, then: Then::Write { words, rows, width } });
}

/// Writes `width` words of each tree: `H(x ^ 1) + t * word`, as words of `R`. There may be fewer
/// rows than trees.
///
/// # Panics
/// Unless `leaves` has the same number of leaves for each tree, of that many words at least, and
/// `rows` at most as many rows.
pub fn write_add<R: Ring>(
    hash: &CcrHash,
    words: &[Block; LANES],
    leaves: &[Block],
    rows: &mut [R],
    width: usize,
) {
    run(hash, Leaves::<R, true> { hash, leaves, then: Then::Write { words, rows, width } });
}

/// The number of leaves with control bit 1 of each tree.
pub fn count_control(leaves: &[Block]) -> [u32; LANES] {
    let mut counts = [0; LANES];
    for leaves in leaves.chunks_exact(LANES) {
        counts.iter_mut().zip(leaves).for_each(|(count, x)| *count += (x.0 >> 1 & 1) as u32);
    }
    counts
}

/// What hangs at the leaves, XORed or added as words of `R`.
struct Leaves<'a, R, const ADD: bool> {
    hash: &'a CcrHash,
    leaves: &'a [Block],
    then: Then<'a, R>,
}

enum Then<'a, R> {
    Sum(&'a mut [Block; LANES]),
    Write { words: &'a [Block; LANES], rows: &'a mut [R], width: usize },
}

fn run<R: Ring, const ADD: bool>(hash: &CcrHash, op: Leaves<R, ADD>) {
    assert!(op.leaves.len().is_multiple_of(LANES), "leaves");
    if let Then::Write { rows, width, .. } = &op.then {
        let most = op.leaves.len() / LANES * Leaves::<R, ADD>::WORDS;
        assert!(rows.len().is_multiple_of(*width) && rows.len() <= width * LANES && *width <= most, "rows");
        assert!(*width == most || most <= Leaves::<R, ADD>::WORDS, "words of more leaves than one");
    }
    match &op.then {
        Then::Sum(_) => hash.note(op.leaves, Block::ONE),
        Then::Write { .. } => hash.note_regrown(op.leaves, Block::ONE),
    }
    if let Then::Write { .. } = &op.then
        && op.leaves.len() < TILE * LANES
    {
        return op.leaf_by_leaf();
    }
    if let Err(op) = hash.aes.engine.run_bytes(op) {
        op.leaf_by_leaf();
    }
}

impl<R: Ring, const ADD: bool> Leaves<'_, R, ADD> {
    /// Words of a leaf.
    const WORDS: usize = 128 / R::WIDTH as usize;

    /// The definition.
    fn leaf_by_leaf(self) {
        let mut pads = vec![Block::ZERO; self.leaves.len()];
        self.hash.aes.hash_xored(self.leaves, Block::ONE, &mut pads);
        match self.then {
            Then::Sum(sums) => {
                for pads in pads.chunks_exact(LANES) {
                    sums.iter_mut().zip(pads).for_each(|(sum, &pad)| *sum = Self::combine(*sum, pad));
                }
            }
            Then::Write { words, rows, width } => {
                for (i, (pad, &x)) in pads.iter_mut().zip(self.leaves).enumerate() {
                    *pad = Self::combine(*pad, words[i % LANES] & Block::mask(x.bit(1)));
                }
                for (l, row) in rows.chunks_exact_mut(width).enumerate() {
                    let blocks = pads[l..].iter().step_by(LANES);
                    for (to, block) in row.chunks_mut(Self::WORDS).zip(blocks) {
                        to.copy_from_slice(&bytemuck::cast_slice(std::slice::from_ref(block))[..to.len()]);
                    }
                }
            }
        }
        pads.zeroize();
    }

    fn combine(a: Block, b: Block) -> Block {
        let word = |i: u32| {
            let cut = |x: Block| R::from_u64((x.0 >> (i * R::WIDTH)) as u64).to_u64();
            u128::from(R::from_u64(cut(a).wrapping_add(cut(b))).to_u64()) << (i * R::WIDTH)
        };
        if ADD { Block((0..Self::WORDS as u32).fold(0, |sum, i| sum | word(i))) } else { a ^ b }
    }
}

impl<S: ByteIsa, R: Ring, const ADD: bool> Op<S> for Leaves<'_, R, ADD> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let cipher = Cipher::new(isa, &self.hash.aes.keys);
        match self.then {
            Then::Sum(sums) => sum::<S, R, ADD>(isa, &cipher, self.leaves, sums),
            Then::Write { words, rows, width } => {
                write::<S, R, ADD>(isa, &cipher, words, self.leaves, rows, width);
            }
        }
    }
}

/// `H(x ^ 1)`: the leaf itself is the input of no other hash under this key.
#[inline(always)]
fn pads<S: ByteIsa>(isa: S, cipher: &Cipher<S>, mut xs: [S::V; 8]) -> [S::V; 8] {
    for x in &mut xs {
        *x = isa.xor(*x, isa.splat(Block::ONE));
    }
    cipher.hash(xs)
}

#[inline(always)]
fn combine<S: ByteIsa, R: Ring, const ADD: bool>(isa: S, a: S::V, b: S::V) -> S::V {
    if ADD { isa.add::<R>(a, b) } else { isa.xor(a, b) }
}

#[inline(always)]
fn sum<S: ByteIsa, R: Ring, const ADD: bool>(
    isa: S,
    cipher: &Cipher<S>,
    leaves: &[Block],
    sums: &mut [Block; LANES],
) {
    let step = 8 * S::BLOCKS;
    for (leaves, at) in leaves.chunks_exact(step).zip((0..).step_by(step)) {
        let h = pads(isa, cipher, cipher.load::<8>(leaves));
        for (h, sum) in h.into_iter().zip(sums[at % LANES..][..step].chunks_exact_mut(S::BLOCKS)) {
            isa.store(combine::<S, R, ADD>(isa, isa.load(sum), h), sum);
        }
    }
}

/// Row by row, `TILE` leaves at a time.
#[inline(always)]
fn write<S: ByteIsa, R: Ring, const ADD: bool>(
    isa: S,
    cipher: &Cipher<S>,
    words: &[Block; LANES],
    leaves: &[Block],
    rows: &mut [R],
    width: usize,
) {
    let tile_words = TILE * Leaves::<R, ADD>::WORDS;
    for (leaves, first) in leaves.chunks_exact(TILE * LANES).zip((0..).step_by(tile_words)) {
        let trees = rows.chunks_mut(2 * S::BLOCKS * width).zip((0..).step_by(2 * S::BLOCKS));
        for (rows, at) in trees {
            let tile = tile::<S, R, ADD>(isa, cipher, words, leaves, at);
            for (row, tile) in rows.chunks_exact_mut(width).zip(&tile) {
                row[first..first + tile_words].copy_from_slice(bytemuck::cast_slice(tile));
            }
        }
    }
}

/// The same `TILE` leaves of the `2 * S::BLOCKS` trees from `at` on, those of a tree together.
#[inline(always)]
fn tile<S: ByteIsa, R: Ring, const ADD: bool>(
    isa: S,
    cipher: &Cipher<S>,
    words: &[Block; LANES],
    leaves: &[Block],
    at: usize,
) -> [[Block; TILE]; 2 * MAX_BYTE_BLOCKS] {
    let word = cipher.load::<2>(&words[at..][..2 * S::BLOCKS]);
    let mut x = [word[0]; 2 * TILE];
    for (x, leaves) in x.as_chunks_mut::<2>().0.iter_mut().zip(leaves.chunks_exact(LANES)) {
        *x = cipher.load::<2>(&leaves[at..][..2 * S::BLOCKS]);
    }
    let mut h = pads(isa, cipher, x);
    for (i, (h, x)) in h.iter_mut().zip(x).enumerate() {
        *h = combine::<S, R, ADD>(isa, *h, isa.and(isa.spread_bit_1(x), word[i % 2]));
    }
    let mut tile = [[Block::ZERO; TILE]; 2 * MAX_BYTE_BLOCKS];
    for (half, trees) in tile[..2 * S::BLOCKS].chunks_exact_mut(S::BLOCKS).enumerate() {
        for leaf in 0..TILE / 2 {
            // blocks of two leaves, tree by tree
            let (low, high) = isa.pairs(h[4 * leaf + half], h[4 * leaf + 2 + half]);
            let mut pairs = [Block::ZERO; 2 * MAX_BYTE_BLOCKS];
            isa.store(low, &mut pairs[..S::BLOCKS]);
            isa.store(high, &mut pairs[S::BLOCKS..2 * S::BLOCKS]);
            for (tree, pair) in trees.iter_mut().zip(pairs.as_chunks::<2>().0) {
                tree[2 * leaf..][..2].copy_from_slice(pair);
            }
        }
    }
    tile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kernel, Prg};

    fn sums_of_words<R: Ring>() {
        let mut prg = Prg::new(Block(u128::from(R::WIDTH)));
        let mut leaves = vec![Block::ZERO; 8 * LANES];
        prg.blocks(&mut leaves);
        let words: [Block; LANES] = std::array::from_fn(|_| prg.block());
        let per_leaf = 128 / R::WIDTH as usize;
        let cut = |x: Block| bytemuck::cast_slice::<Block, R>(&[x]).to_vec();
        let add = |a: R, b: R| R::from_u64(a.to_u64().wrapping_add(b.to_u64()));
        for kernel in Kernel::supported() {
            let hash = CcrHash::with_kernel(Block(9), kernel);
            let mut sums = [Block::ZERO; LANES];
            add_leaves::<R>(&hash, &leaves, &mut sums);
            let counts = count_control(&leaves);
            let mut rows = vec![R::default(); (LANES - 1) * 8 * per_leaf];
            write_add::<R>(&hash, &words, &leaves, &mut rows, 8 * per_leaf);
            let mut short = vec![R::default(); 2 * LANES];
            write_add::<R>(&hash, &words, &leaves[..LANES], &mut short, 2);
            for l in 0..LANES {
                let own: Vec<Block> = leaves.iter().skip(l).step_by(LANES).copied().collect();
                let pads: Vec<Vec<R>> = own.iter().map(|&x| cut(hash.one(x ^ Block::ONE))).collect();
                for w in 0..per_leaf {
                    let sum = pads.iter().fold(R::default(), |sum, pad| add(sum, pad[w]));
                    assert_eq!(sum, cut(sums[l])[w], "{kernel:?} {l} {w}");
                }
                assert_eq!(counts[l] as usize, own.iter().filter(|x| x.bit(1)).count());
                let want: Vec<R> = own
                    .iter()
                    .zip(&pads)
                    .flat_map(|(x, pad)| {
                        let word = cut(if x.bit(1) { words[l] } else { Block::ZERO });
                        pad.iter().zip(word).map(|(&p, w)| add(p, w)).collect::<Vec<_>>()
                    })
                    .collect();
                assert!(l == LANES - 1 || rows[l * want.len()..][..want.len()] == want, "{kernel:?} {l}");
                assert_eq!(short[2 * l..][..2], want[..2], "{kernel:?} {l}");
            }
        }
    }

    #[test]
    fn leaves_of_words() {
        sums_of_words::<u8>();
        sums_of_words::<u16>();
        sums_of_words::<u32>();
        sums_of_words::<u64>();
    }
}

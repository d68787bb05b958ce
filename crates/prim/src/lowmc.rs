//! LowMC with blocks and keys of 128 bits: Albrecht, Rechberger, Schneider, Tiessen, Zohner, "Ciphers for MPC and
//! FHE" (EUROCRYPT 2015).
//!
//! A round: S-boxes on the lowest `3 * boxes` bits, a matrix, a constant and a key. Bits of a block are numbered from
//! its lowest. Matrices and constants are those of the designers' generator, the Grain LFSR as a self-shrinking
//! generator from the state of all ones: all linear layers, then all constants, then all key matrices, those without
//! full rank left out.
//!
//! Work is done on bit planes: bit i of 64 blocks a word, for `width` words one after the other. Matrices are public,
//! what they are multiplied with may be secret.

mod grain;

use std::sync::OnceLock;

use zeroize::{Zeroize, ZeroizeOnDrop};

use self::grain::Grain;
use crate::simd::{Isa, MAX_BLOCKS, Op};
use crate::wipe::wipe_with;
use crate::{Block, Kernel};

/// Bits of a block.
pub const BITS: usize = 128;

/// S-boxes of a round of [`LowMc::standard`].
pub const BOXES: usize = 42;

/// Its rounds.
pub const ROUNDS: usize = 13;

/// A square matrix over F_2: bit j of row i is what column j of the factor counts for row i of the product.
pub type Matrix = [u128; BITS];

/// An instance: its matrices and constants. Public.
pub struct LowMc {
    boxes: usize,
    linear: Vec<Matrix>,
    constants: Vec<u128>,
    keys: Vec<Matrix>,
}

/// The keys of all rounds, and the one before the first; constants included.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct RoundKeys(Vec<u128>);

impl RoundKeys {
    /// That of a round, from 1 on; 0 is the one before the first.
    pub fn of(&self, round: usize) -> Block {
        Block(self.0[round])
    }
}

impl LowMc {
    /// 42 S-boxes, 13 rounds, made once: by the designers' script for 128 bits of security and up to 2^64 blocks.
    pub fn standard() -> &'static Self {
        static STANDARD: OnceLock<LowMc> = OnceLock::new();
        STANDARD.get_or_init(|| Self::new(BOXES, ROUNDS))
    }

    /// The instance of these numbers.
    ///
    /// # Panics
    /// For more S-boxes than 42.
    pub fn new(boxes: usize, rounds: usize) -> Self {
        assert!(3 * boxes <= BITS, "S-boxes of a block");
        let mut grain = Grain::new();
        let linear = (0..rounds).map(|_| grain.matrix()).collect();
        let constants = (0..rounds).map(|_| grain.row()).collect();
        let keys = (0..=rounds).map(|_| grain.matrix()).collect();
        Self { boxes, linear, constants, keys }
    }

    /// S-boxes of a round.
    pub fn boxes(&self) -> usize {
        self.boxes
    }

    /// Rounds.
    pub fn rounds(&self) -> usize {
        self.linear.len()
    }

    /// The linear layer of a round, from 1 on.
    pub fn linear(&self, round: usize) -> &Matrix {
        &self.linear[round - 1]
    }

    /// The round keys of a key.
    pub fn round_keys(&self, key: Block) -> RoundKeys {
        let constants = std::iter::once(&0).chain(&self.constants);
        let keys = self.keys.iter().zip(constants);
        RoundKeys(keys.map(|(matrix, constant)| times(matrix, key.0) ^ constant).collect())
    }

    /// Encrypts what stands in the planes, `width` words each: 64 blocks a word.
    ///
    /// # Panics
    /// Unless there are 128 planes.
    pub fn encrypt(&self, keys: &RoundKeys, planes: &mut [u64], width: usize) {
        self.encrypt_with(Kernel::active(), keys, planes, width);
    }

    fn encrypt_with(&self, kernel: Kernel, keys: &RoundKeys, planes: &mut [u64], width: usize) {
        assert_eq!(planes.len(), BITS * width, "planes");
        kernel.engine().run(Encrypt { cipher: self, keys, planes, width });
    }
}

/// Planes of the products of these rows of a matrix with the blocks in 128 planes of `width` words.
///
/// # Panics
/// Unless there are 128 planes, and one of the product for each row.
pub fn multiply(rows: &[u128], planes: &[u64], width: usize, out: &mut [u64]) {
    multiply_with(Kernel::active(), rows, planes, width, out);
}

fn multiply_with(kernel: Kernel, rows: &[u128], planes: &[u64], width: usize, out: &mut [u64]) {
    assert_eq!((planes.len(), out.len()), (BITS * width, rows.len() * width), "planes");
    kernel.engine().run(Multiply { rows, planes, width, out });
}

/// Vectors of a plane that are worked on together.
const VECTORS: usize = 2;

/// As many vectors of a plane.
type Piece<V> = [V; VECTORS];

/// Sums of planes are held for so many groups of four: with the planes they fit into the nearest cache.
const GROUPS: usize = 8;

/// Of each group the sums of every choice of its planes (Arlazarov and others, 1970).
type Sums<V> = [[Piece<V>; 16]; GROUPS];

struct Encrypt<'a> {
    cipher: &'a LowMc,
    keys: &'a RoundKeys,
    planes: &'a mut [u64],
    width: usize,
}

impl<S: Isa> Op<S> for Encrypt<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let Self { cipher, keys, planes, width } = self;
        let none = [isa.splat(Block::ZERO); VECTORS];
        let (mut states, mut sums) = ([[none; BITS]; 2], [[none; 16]; GROUPS]);
        let [mut now, mut next] = states.each_mut();
        for from in (0..width).step_by(words::<S>()) {
            for (i, (state, plane)) in now.iter_mut().zip(planes.chunks_exact(width)).enumerate() {
                *state = xor(isa, load(isa, &plane[from..]), splat(isa, keys.0[0], i));
            }
            for (matrix, &key) in cipher.linear.iter().zip(&keys.0[1..]) {
                now.as_chunks_mut()
                    .0
                    .iter_mut()
                    .take(cipher.boxes)
                    .for_each(|planes| substitute(isa, planes));
                product(isa, matrix, now, key, next, &mut sums);
                std::mem::swap(&mut now, &mut next);
            }
            for (&state, plane) in now.iter().zip(planes.chunks_exact_mut(width)) {
                store(isa, state, &mut plane[from..]);
            }
        }
        wipe_with(&mut states, [none; BITS]);
        wipe_with(&mut sums, [none; 16]);
    }
}

/// An S-box, of its three planes.
#[inline(always)]
fn substitute<S: Isa>(isa: S, [c, b, a]: &mut [Piece<S::V>; 3]) {
    for ((c, b), a) in c.iter_mut().zip(b).zip(a) {
        let (a_b, ab, ac, bc) = (isa.xor(*a, *b), isa.and(*a, *b), isa.and(*a, *c), isa.and(*b, *c));
        (*c, *b, *a) = (isa.xor(isa.xor(a_b, *c), ab), isa.xor(a_b, ac), isa.xor(*a, bc));
    }
}

struct Multiply<'a> {
    rows: &'a [u128],
    planes: &'a [u64],
    width: usize,
    out: &'a mut [u64],
}

impl<S: Isa> Op<S> for Multiply<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let Self { rows, planes, width, out } = self;
        let none = [isa.splat(Block::ZERO); VECTORS];
        let (mut factors, mut sums) = ([none; BITS], [[none; 16]; GROUPS]);
        let mut products = vec![none; rows.len()];
        for from in (0..width).step_by(words::<S>()) {
            for (factor, plane) in factors.iter_mut().zip(planes.chunks_exact(width)) {
                *factor = load(isa, &plane[from..]);
            }
            product(isa, rows, &factors, 0, &mut products, &mut sums);
            for (&product, plane) in products.iter().zip(out.chunks_exact_mut(width)) {
                store(isa, product, &mut plane[from..]);
            }
        }
        wipe_with(&mut factors, none);
        wipe_with(&mut products, none);
        wipe_with(&mut sums, [none; 16]);
    }
}

/// `out[i] = ` row i times the planes, and bit i of `add` in all places. The rows are public, everything else is secret.
#[inline(always)]
fn product<S: Isa>(
    isa: S,
    rows: &[u128],
    planes: &[Piece<S::V>; BITS],
    add: u128,
    out: &mut [Piece<S::V>],
    sums: &mut Sums<S::V>,
) {
    for (part, planes) in planes.as_chunks::<{ 4 * GROUPS }>().0.iter().enumerate() {
        for (sums, planes) in sums.iter_mut().zip(planes.as_chunks::<4>().0) {
            for (k, &plane) in planes.iter().enumerate() {
                for i in 0..1 << k {
                    sums[i | 1 << k] = xor(isa, sums[i], plane);
                }
            }
        }
        for (i, (&row, out)) in rows.iter().zip(&mut *out).enumerate() {
            let row = (row >> (4 * GROUPS * part)) as u32;
            let mut total = if part == 0 { splat(isa, add, i) } else { *out };
            for (group, sums) in sums.iter().enumerate() {
                total = xor(isa, total, sums[(row >> (4 * group)) as usize & 15]);
            }
            *out = total;
        }
    }
}

/// Words of a piece.
const fn words<S: Isa>() -> usize {
    2 * S::BLOCKS * VECTORS
}

#[inline(always)]
fn xor<S: Isa>(isa: S, a: Piece<S::V>, b: Piece<S::V>) -> Piece<S::V> {
    std::array::from_fn(|at| isa.xor(a[at], b[at]))
}

/// Bit i of a secret block in all places.
#[inline(always)]
fn splat<S: Isa>(isa: S, block: u128, i: usize) -> Piece<S::V> {
    [isa.splat(Block((block >> i & 1).wrapping_neg())); VECTORS]
}

/// The next piece of a plane, and zeros behind its end.
#[inline(always)]
fn load<S: Isa>(isa: S, plane: &[u64]) -> Piece<S::V> {
    let mut blocks = [Block::ZERO; MAX_BLOCKS * VECTORS];
    let len = words::<S>().min(plane.len());
    bytemuck::cast_slice_mut(&mut blocks)[..len].copy_from_slice(&plane[..len]);
    std::array::from_fn(|at| isa.load(&blocks[at * S::BLOCKS..][..S::BLOCKS]))
}

#[inline(always)]
fn store<S: Isa>(isa: S, piece: Piece<S::V>, plane: &mut [u64]) {
    let mut blocks = [Block::ZERO; MAX_BLOCKS * VECTORS];
    for (at, v) in piece.into_iter().enumerate() {
        isa.store(v, &mut blocks[at * S::BLOCKS..][..S::BLOCKS]);
    }
    let len = words::<S>().min(plane.len());
    plane[..len].copy_from_slice(&bytemuck::cast_slice(&blocks)[..len]);
}

/// The product of a matrix and a block, which may be secret.
fn times(matrix: &Matrix, x: u128) -> u128 {
    matrix.iter().enumerate().fold(0, |product, (i, row)| product | parity(row & x) << i)
}

fn parity(mut x: u128) -> u128 {
    for shift in [64, 32, 16, 8, 4, 2, 1] {
        x ^= x >> shift;
    }
    x & 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prg;

    fn words(seed: u128, len: usize) -> Vec<u64> {
        let mut words = vec![0; len];
        Prg::new(Block(seed)).words(64, &mut words);
        words
    }

    fn block(planes: &[u64], width: usize, at: usize) -> u128 {
        let bit = |plane: &[u64]| u128::from(plane[at / 64] >> (at % 64) & 1);
        planes.chunks(width).enumerate().fold(0, |block, (i, plane)| block | bit(plane) << i)
    }

    /// A block after the other, by the definition.
    fn plain(cipher: &LowMc, keys: &RoundKeys, block: u128) -> u128 {
        let mut x = block ^ keys.0[0];
        for round in 1..=cipher.rounds() {
            for i in 0..cipher.boxes {
                let [c, b, a] = [0, 1, 2].map(|bit| x >> (3 * i + bit) & 1);
                let out = (a ^ b ^ c ^ a & b) | (a ^ b ^ a & c) << 1 | (a ^ b & c) << 2;
                x = x & !(7 << (3 * i)) | out << (3 * i);
            }
            x = times(cipher.linear(round), x) ^ keys.0[round];
        }
        x
    }

    #[test]
    fn many_blocks_are_as_one_on_every_kernel() {
        let ciphers = [(1, 3), (42, 4), (13, 2)].map(|(boxes, rounds)| LowMc::new(boxes, rounds));
        for (width, rows) in [(1, 128), (2, 1), (7, 40), (8, 128), (16, 3), (31, 100), (33, 128)] {
            let (before, rows) = (words(width as u128, BITS * width), &ciphers[1].linear(2)[..rows]);
            for kernel in Kernel::supported() {
                let mut out = vec![1; rows.len() * width];
                multiply_with(kernel, rows, &before, width, &mut out);
                for at in 0..64 * width {
                    let x = block(&before, width, at);
                    let want = rows.iter().enumerate().fold(0, |y, (i, row)| y | parity(row & x) << i);
                    assert_eq!(block(&out, width, at), want, "{kernel:?}: {width} words, place {at}");
                }
                for cipher in &ciphers {
                    let (keys, mut planes) = (cipher.round_keys(Block(width as u128 * 7)), before.clone());
                    cipher.encrypt_with(kernel, &keys, &mut planes, width);
                    for at in (0..64 * width).step_by(5) {
                        let want = plain(cipher, &keys, block(&before, width, at));
                        assert_eq!(block(&planes, width, at), want, "{kernel:?}: {width} words, place {at}");
                    }
                }
            }
        }
    }
}

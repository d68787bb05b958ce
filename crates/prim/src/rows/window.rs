//! The vector kernel for rows of two blocks or more.
//!
//! Leaf `i = 128 h + 8 e + j` is shifted back in three steps: by `e` bytes here, in vectors that
//! hold a few blocks of the rows of a window of 128 leaves; by `h` blocks where these are added to
//! the parts; by `j` bits by the caller.

use super::Sums;
use crate::Shift;
use crate::aes::{Along, Cipher};
use crate::block::Block;
use crate::simd::{ByteIsa, MAX_BLOCKS, Op};

impl<S: ByteIsa> Op<S> for Sums<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let cipher = Cipher::new(isa, &self.hash.aes.keys);
        let width = self.leaves.len() / 128;
        let (plain, parts) = self.sums.split_at_mut(width);
        for (leaves, h) in self.leaves.as_chunks().0.iter().zip(0..) {
            for (plain, first) in plain.chunks_exact_mut(S::BLOCKS).zip((0..).step_by(S::BLOCKS)) {
                let window = Window { isa, cipher: &cipher, leaves, first };
                match self.group {
                    Shift::Cyclic => window.rotated(h, plain, parts),
                    Shift::Xor => window.permuted(h, plain, parts),
                }
            }
        }
    }
}

/// The vectors of blocks from `first` on of the rows of 128 leaves.
struct Window<'a, S: ByteIsa> {
    isa: S,
    cipher: &'a Cipher<S>,
    leaves: &'a [Block; 128],
    first: usize,
}

impl<S: ByteIsa> Window<'_, S> {
    #[inline(always)]
    fn rotated(&self, h: usize, plain: &mut [Block], parts: &mut [Block]) {
        let zero = self.isa.splat(Block::ZERO);
        let mut sums = Rotated { high: [zero; 8], low: [zero; 8] };
        self.sum(plain, &mut sums);
        let width = parts.len() / 8;
        for (j, part) in parts.chunks_exact_mut(width).enumerate() {
            self.add(sums.high[j], part, |block| block.wrapping_sub(h) & (width - 1));
            self.add(sums.low[j], part, |block| block.wrapping_sub(h + 1) & (width - 1));
        }
    }

    #[inline(always)]
    fn permuted(&self, h: usize, plain: &mut [Block], parts: &mut [Block]) {
        let mut sums = Permuted { sums: [self.isa.splat(Block::ZERO); 8] };
        self.sum(plain, &mut sums);
        let width = parts.len() / 8;
        for (part, sum) in parts.chunks_exact_mut(width).zip(sums.sums) {
            self.add(sum, part, |block| block ^ h);
        }
    }

    /// Adds the blocks of `v` to `part`, each at the place for its place in the row.
    #[inline(always)]
    fn add(&self, v: S::V, part: &mut [Block], place: impl Fn(usize) -> usize) {
        let mut blocks = [Block::ZERO; MAX_BLOCKS];
        self.isa.store(v, &mut blocks[..S::BLOCKS]);
        for (&block, from) in blocks[..S::BLOCKS].iter().zip(self.first..) {
            part[place(from)] ^= block;
        }
    }

    /// Adds the rows to `plain`, and shifted by bytes to `parts`, from the largest shift down.
    #[inline(always)]
    fn sum<P: Parts<S>>(&self, plain: &mut [Block], parts: &mut P) {
        let isa = self.isa;
        let index = isa.xor(isa.counters(self.first as u64 + 1), self.cipher.whitening);
        let none = isa.splat(Block::ZERO);
        let mut adding = Adding { sum: isa.load(plain), rows: [none; 8], parts, swap: none };
        for (leaves, e) in self.leaves.as_chunks::<8>().0.iter().zip(0..16).rev() {
            let mut xs = [index; 8];
            for (x, &leaf) in xs.iter_mut().zip(leaves) {
                *x = isa.xor(index, isa.splat(leaf));
            }
            adding.swap = isa.splat(XOR_BYTES[(e + 1) % 16]);
            adding.rows = self.cipher.hash_along(xs, &mut adding);
        }
        adding.swap = isa.splat(XOR_BYTES[0]);
        for j in 0..8 {
            adding.step(isa, j);
        }
        isa.store(adding.sum, plain);
    }
}

/// The rows of eight leaves being added, while those of the next are hashed.
struct Adding<'a, S: ByteIsa, P> {
    sum: S::V,
    rows: [S::V; 8],
    parts: &'a mut P,
    swap: S::V,
}

impl<S: ByteIsa, P: Parts<S>> Along<S> for Adding<'_, S, P> {
    #[inline(always)]
    fn step(&mut self, isa: S, j: usize) {
        self.sum = isa.xor(self.sum, self.rows[j]);
        self.parts.add(isa, j, self.rows[j], self.swap);
    }
}

/// Sums of rows shifted back by whole bytes, apart for each `j`.
trait Parts<S: ByteIsa> {
    /// Adds a row to sum `j`. Rows come with falling `e`; `swap` is `XOR_BYTES[e]`.
    fn add(&mut self, isa: S, j: usize, row: S::V, swap: S::V);
}

/// Horner's rule: the sum so far moves down by a byte, out of `high` into `low`.
struct Rotated<S: ByteIsa> {
    high: [S::V; 8],
    low: [S::V; 8],
}

impl<S: ByteIsa> Parts<S> for Rotated<S> {
    #[inline(always)]
    fn add(&mut self, isa: S, j: usize, row: S::V, _swap: S::V) {
        let high = self.high[j];
        self.low[j] = isa.next_bytes(self.low[j], high);
        self.high[j] = isa.xor(isa.next_bytes(high, isa.splat(Block::ZERO)), row);
    }
}

struct Permuted<S: ByteIsa> {
    sums: [S::V; 8],
}

impl<S: ByteIsa> Parts<S> for Permuted<S> {
    #[inline(always)]
    fn add(&mut self, isa: S, j: usize, row: S::V, swap: S::V) {
        self.sums[j] = isa.xor(self.sums[j], isa.permute_bytes(row, swap));
    }
}

/// Byte `p` of entry `e` is `p ^ e`.
const XOR_BYTES: [Block; 16] = {
    let mut table = [Block::ZERO; 16];
    let mut e = 0;
    while e < 16 {
        let identity = 0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100;
        table[e] = Block(identity ^ (u128::MAX / 0xff * e as u128));
        e += 1;
    }
    table
};

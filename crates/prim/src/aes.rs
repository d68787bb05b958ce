//! AES-128 on vectors of blocks, written once for all instruction sets.

mod stream;

pub(crate) use stream::{Along, Stream, vector, vector_mut};

use crate::Block;
use crate::block::sigma_inverse;
use crate::simd::{Engine, Isa, MAX_BLOCKS, Op};
use zeroize::Zeroize;

/// The eleven round keys of AES-128, and the engine that uses them.
#[derive(Clone)]
pub(crate) struct Aes {
    pub engine: Engine,
    pub keys: [Block; 11],
}

impl Aes {
    pub fn new(engine: Engine, key: Block) -> Self {
        Self { engine, keys: engine.run(KeySchedule { key }) }
    }

    /// Overwrites `out` with `AES(first), AES(first + 1), ..`; its length is a multiple of
    /// [`MAX_BLOCKS`].
    pub fn key_stream(&self, first: u64, out: &mut [Block]) {
        assert!(out.len().is_multiple_of(MAX_BLOCKS), "whole vectors");
        self.engine.run(KeyStream { keys: &self.keys, first, out });
    }

    /// Replaces every `x` by `H(x)`, see [`crate::hash`].
    pub fn hash(&self, xs: &mut [Block]) {
        self.engine.run(Hash { keys: &self.keys, xs });
    }

    /// Replaces every `x` by `AES(x)`.
    pub fn encrypt(&self, xs: &mut [Block]) {
        self.engine.run(Encrypt { keys: &self.keys, xs });
    }
}

impl Zeroize for Aes {
    fn zeroize(&mut self) {
        self.keys.zeroize();
    }
}

/// The round keys, one vector each.
pub(crate) struct Cipher<S: Isa> {
    isa: S,
    keys: [S::V; 11],
    /// For `H`: what `sigma` makes the first round key of, and the XOR of first and last.
    pub whitening: S::V,
    closing: S::V,
}

// Loops rather than `array::map`: its closures would not be compiled for the instruction set.
impl<S: Isa> Cipher<S> {
    #[inline(always)]
    pub fn new(isa: S, keys: &[Block; 11]) -> Self {
        let mut wide = [isa.splat(Block::ZERO); 11];
        for (wide, &key) in wide.iter_mut().zip(keys) {
            *wide = isa.splat(key);
        }
        let whitening = isa.splat(sigma_inverse(keys[0]));
        Self { isa, whitening, closing: isa.xor(wide[0], wide[10]), keys: wide }
    }

    /// AES of `W` vectors at once, so that the latencies of their rounds overlap.
    #[inline(always)]
    pub fn encrypt<const W: usize>(&self, mut xs: [S::V; W]) -> [S::V; W] {
        for x in &mut xs {
            *x = self.isa.xor(*x, self.keys[0]);
        }
        self.finish(xs, self.keys[10])
    }

    /// `H` of `W` vectors at once.
    #[inline(always)]
    pub fn hash<const W: usize>(&self, mut xs: [S::V; W]) -> [S::V; W] {
        for x in &mut xs {
            *x = self.isa.xor(*x, self.whitening);
        }
        self.hash_whitened(xs)
    }

    /// `H(x ^ whitening)` of `W` vectors at once: `sigma` is linear, so its result already has the
    /// first round key, both in AES and in the final XOR, where the last key undoes it.
    #[inline(always)]
    fn hash_whitened<const W: usize>(&self, mut xs: [S::V; W]) -> [S::V; W] {
        for x in &mut xs {
            *x = self.isa.sigma(*x);
        }
        let mut ys = self.finish(xs, self.closing);
        for (y, x) in ys.iter_mut().zip(xs) {
            *y = self.isa.xor(*y, x);
        }
        ys
    }

    /// A round of many vectors side by side: left to itself, the compiler schedules the rounds one vector
    /// after the other, too far apart for the processor to overlap them.
    #[inline(always)]
    fn round<const W: usize>(&self, xs: &mut [S::V; W], key: S::V) {
        for x in xs {
            *x = self.isa.hold(self.isa.round(*x, key));
        }
    }

    /// The rounds of AES after the first key, with another last key.
    #[inline(always)]
    fn finish<const W: usize>(&self, mut xs: [S::V; W], last: S::V) -> [S::V; W] {
        for &key in &self.keys[1..10] {
            self.round(&mut xs, key);
        }
        for x in &mut xs {
            *x = self.isa.last_round(*x, last);
        }
        xs
    }

    /// `W` vectors from exactly as many blocks.
    #[inline(always)]
    pub fn load<const W: usize>(&self, blocks: &[Block]) -> [S::V; W] {
        let mut xs = [self.keys[0]; W];
        for (x, blocks) in xs.iter_mut().zip(blocks.chunks_exact(S::BLOCKS)) {
            *x = self.isa.load(blocks);
        }
        xs
    }

    /// `W` vectors to exactly as many blocks.
    #[inline(always)]
    pub fn store<const W: usize>(&self, xs: [S::V; W], blocks: &mut [Block]) {
        for (x, blocks) in xs.into_iter().zip(blocks.chunks_exact_mut(S::BLOCKS)) {
            self.isa.store(x, blocks);
        }
    }

    /// Writes `AES(first), AES(first + 1), ..`, exactly `W` vectors.
    #[inline(always)]
    pub fn key_stream<const W: usize>(&self, first: u64, blocks: &mut [Block]) {
        let mut xs = [self.keys[0]; W];
        for (x, i) in xs.iter_mut().zip(0..) {
            *x = self.isa.counters(first + i * S::BLOCKS as u64);
        }
        self.store(self.encrypt(xs), blocks);
    }
}

/// In place.
struct Hash<'a> {
    keys: &'a [Block; 11],
    xs: &'a mut [Block],
}

impl<S: Isa> Op<S> for Hash<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let cipher = Cipher::new(isa, self.keys);
        let mut wide = self.xs.chunks_exact_mut(8 * S::BLOCKS);
        for xs in &mut wide {
            cipher.store(cipher.hash(cipher.load::<8>(xs)), xs);
        }
        let mut single = wide.into_remainder().chunks_exact_mut(S::BLOCKS);
        for xs in &mut single {
            cipher.store(cipher.hash(cipher.load::<1>(xs)), xs);
        }
        hash_rest(&cipher, single.into_remainder());
    }
}

/// In place, of less than a vector.
#[inline(always)]
fn hash_rest<S: Isa>(cipher: &Cipher<S>, rest: &mut [Block]) {
    if !rest.is_empty() {
        let mut padded = [Block::ZERO; MAX_BLOCKS];
        padded[..rest.len()].copy_from_slice(rest);
        cipher.store(cipher.hash(cipher.load::<1>(&padded[..S::BLOCKS])), &mut padded[..S::BLOCKS]);
        rest.copy_from_slice(&padded[..rest.len()]);
    }
}

/// In place.
struct Encrypt<'a> {
    keys: &'a [Block; 11],
    xs: &'a mut [Block],
}

impl<S: Isa> Op<S> for Encrypt<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let cipher = Cipher::new(isa, self.keys);
        let mut wide = self.xs.chunks_exact_mut(8 * S::BLOCKS);
        for xs in &mut wide {
            cipher.store(cipher.encrypt(cipher.load::<8>(xs)), xs);
        }
        for rest in wide.into_remainder().chunks_mut(S::BLOCKS) {
            let mut padded = [Block::ZERO; MAX_BLOCKS];
            padded[..rest.len()].copy_from_slice(rest);
            cipher.store(cipher.encrypt(cipher.load::<1>(&padded[..S::BLOCKS])), &mut padded[..S::BLOCKS]);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// Key stream of a whole number of vectors of every kernel.
struct KeyStream<'a> {
    keys: &'a [Block; 11],
    first: u64,
    out: &'a mut [Block],
}

impl<S: Isa> Op<S> for KeyStream<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let cipher = Cipher::new(isa, self.keys);
        let mut first = self.first;
        let mut wide = self.out.chunks_exact_mut(8 * S::BLOCKS);
        for out in &mut wide {
            cipher.key_stream::<8>(first, out);
            first += 8 * S::BLOCKS as u64;
        }
        for out in wide.into_remainder().chunks_exact_mut(S::BLOCKS) {
            cipher.key_stream::<1>(first, out);
            first += S::BLOCKS as u64;
        }
    }
}

/// The AES-128 key schedule.
struct KeySchedule {
    key: Block,
}

impl<S: Isa> Op<S> for KeySchedule {
    type Out = [Block; 11];

    #[inline(always)]
    fn call(self, isa: S) -> [Block; 11] {
        let mut keys = [self.key; 11];
        let mut constant = 1u32;
        for i in 1..11 {
            let last = (keys[i - 1].0 >> 96) as u32;
            // in a state of four equal columns ShiftRows does nothing, so this is SubBytes alone
            let equal = isa.splat(columns(last.rotate_right(8)));
            let mut sub = [Block::ZERO; MAX_BLOCKS];
            isa.store(isa.last_round(equal, isa.splat(columns(constant))), &mut sub[..S::BLOCKS]);
            // word j of the new key is the XOR of words 0..=j of the old one and of `sub`
            let mut words = keys[i - 1].0;
            words ^= words << 32;
            words ^= words << 64;
            keys[i] = Block(words) ^ sub[0];
            constant = (constant << 1) ^ (0x11b & (constant >> 7).wrapping_neg());
        }
        keys
    }
}

/// The AES state whose four columns are all `column`.
fn columns(column: u32) -> Block {
    Block(bytemuck::cast([column; 4]))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Kernel;

    /// `AES_key(x)`, the same in every place of a batch.
    pub fn encrypt(kernel: Kernel, key: Block, x: Block) -> Block {
        let mut out = vec![x; 8 * MAX_BLOCKS + 5];
        Aes::new(kernel.engine(), key).encrypt(&mut out);
        assert!(out.iter().all(|x| *x == out[0]));
        out[0]
    }

    /// A block from its 16 bytes in the order in which FIPS-197 prints them.
    fn fips(x: u128) -> Block {
        Block(x.swap_bytes())
    }

    #[test]
    fn fips_197_known_answers() {
        for kernel in Kernel::supported() {
            let (key, x) = (0x000102030405060708090a0b0c0d0e0f, 0x00112233445566778899aabbccddeeff);
            let y = fips(0x69c4e0d86a7b0430d8cdb78070b4c55a);
            assert_eq!(encrypt(kernel, fips(key), fips(x)), y, "{kernel:?}");

            let (key, x) = (0x2b7e151628aed2a6abf7158809cf4f3c, 0x3243f6a8885a308d313198a2e0370734);
            let y = fips(0x3925841d02dc09fbdc118597196a0b32);
            assert_eq!(encrypt(kernel, fips(key), fips(x)), y, "{kernel:?}");
            let last = fips(0xd014f9a8c9ee2589e13f0cc8b6630ca6);
            assert_eq!(Aes::new(kernel.engine(), fips(key)).keys[10], last, "{kernel:?}");
        }
    }

    #[test]
    fn key_streams_count_on_every_kernel() {
        for kernel in Kernel::supported() {
            let aes = Aes::new(kernel.engine(), Block(77));
            for (first, len) in [(0, 0), (3, 8), (1 << 33, 64), (u64::MAX >> 2, 72), (5, 136)] {
                let mut out = vec![Block::ZERO; len];
                aes.key_stream(first, &mut out);
                for (x, counter) in out.into_iter().zip(first..) {
                    let expected = encrypt(Kernel::Portable, Block(77), Block(counter.into()));
                    assert_eq!(x, expected, "{kernel:?} {first} {len}");
                }
            }
        }
    }
}

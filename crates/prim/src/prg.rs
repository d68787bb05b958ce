//! Pseudo-random generator: AES-128 in counter mode.

use crate::aes::Aes;
use crate::{Block, Kernel, Ring, low};
use std::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks made at a time.
const BATCH: usize = 16;

/// The byte stream `AES_seed(0), AES_seed(1), ..`, counters and blocks little-endian. Every call
/// takes the next bytes of the stream, so equal seeds and equal calls give equal results.
///
/// Not `Clone`, since two copies would give the same "random" values; zeroized on drop; `Debug`
/// prints nothing of it.
pub struct Prg {
    aes: Aes,
    counter: u64,
    batch: [Block; BATCH],
    /// Bytes of `batch` already given out.
    used: usize,
}

impl Prg {
    /// The stream of `seed`, on the fastest kernel of this processor.
    pub fn new(seed: Block) -> Self {
        Self::with_kernel(seed, Kernel::active())
    }

    /// The stream of `seed`, on a given kernel.
    ///
    /// # Panics
    /// If this processor does not support the kernel.
    pub fn with_kernel(seed: Block, kernel: Kernel) -> Self {
        let aes = Aes::new(kernel.engine(), seed);
        Self { aes, counter: 0, batch: [Block::ZERO; BATCH], used: 16 * BATCH }
    }

    /// Overwrites `out` with the next `16 * out.len()` bytes.
    pub fn blocks(&mut self, mut out: &mut [Block]) {
        if self.used == 16 * BATCH {
            let (whole, rest) = out.split_at_mut(out.len() - out.len() % BATCH);
            self.aes.key_stream(self.counter, whole);
            self.counter += whole.len() as u64;
            out = rest;
        }
        self.bytes(bytemuck::cast_slice_mut(out));
    }

    /// Overwrites `out` with the next `out.len()` bytes.
    pub fn bytes(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            if self.used == 16 * BATCH {
                self.refill();
            }
            let ready = &bytemuck::cast_slice(&self.batch)[self.used..];
            let take = ready.len().min(out.len());
            let (now, later) = out.split_at_mut(take);
            now.copy_from_slice(&ready[..take]);
            self.used += take;
            out = later;
        }
    }

    /// The next 8 bytes.
    pub fn u64(&mut self) -> u64 {
        let mut out = [0; 8];
        self.bytes(&mut out);
        u64::from_le_bytes(out)
    }

    /// A uniform number below n, by Lemire's multiplication with rejection: the next 8 bytes, or
    /// with probability below `n / 2^64` more. Whether it rejects does not depend on the result.
    ///
    /// # Panics
    /// If n is zero.
    pub fn below(&mut self, n: u32) -> u32 {
        let fewest = u64::from(n).wrapping_neg() % u64::from(n); // 2^64 mod n
        loop {
            let product = u128::from(self.u64()) * u128::from(n);
            if product as u64 >= fewest {
                return (product >> 64) as u32;
            }
        }
    }

    /// The next 16 bytes.
    pub fn block(&mut self) -> Block {
        let mut out = [Block::ZERO];
        self.blocks(&mut out);
        out[0]
    }

    /// Overwrites `out` with uniform words of `bits` bits; each takes `R::WIDTH / 8` bytes of the
    /// stream whatever `bits` is.
    ///
    /// # Panics
    /// If `bits > R::WIDTH`.
    pub fn words<R: Ring>(&mut self, bits: u32, out: &mut [R]) {
        assert!(bits <= R::WIDTH, "width out of range");
        self.bytes(bytemuck::cast_slice_mut(out));
        if bits < R::WIDTH {
            for word in out {
                *word = R::from_u64(low(word.to_u64(), bits));
            }
        }
    }

    fn refill(&mut self) {
        self.aes.key_stream(self.counter, &mut self.batch);
        self.counter += BATCH as u64;
        self.used = 0;
    }
}

impl Drop for Prg {
    fn drop(&mut self) {
        self.aes.zeroize();
        self.batch.zeroize();
    }
}

impl ZeroizeOnDrop for Prg {}

impl fmt::Debug for Prg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prg(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::tests::encrypt;

    #[test]
    fn numbers_below_a_bound() {
        let (mut prg, mut words) = (Prg::new(Block(9)), Prg::new(Block(9)));
        (0..100).for_each(|_| assert_eq!(prg.below(1 << 5), (words.u64() >> 59) as u32));
        let mut counts = [0; 6];
        (0..6000).for_each(|_| counts[prg.below(6) as usize] += 1);
        assert!(counts.iter().all(|c| (800..1200).contains(c)), "{counts:?}");
    }

    #[test]
    fn is_aes_in_counter_mode_on_every_kernel() {
        for kernel in Kernel::supported() {
            let seed = Block(u128::MAX / 3);
            let expected: Vec<Block> = (0..75).map(|i| encrypt(Kernel::Portable, seed, Block(i))).collect();
            let mut out = vec![Block::ZERO; 75];
            Prg::with_kernel(seed, kernel).blocks(&mut out);
            assert_eq!(out, expected, "{kernel:?}");
        }
    }

    #[test]
    fn calls_take_consecutive_bytes() {
        let mut whole = [0; 1000];
        Prg::new(Block(9)).bytes(&mut whole);
        let mut prg = Prg::new(Block(9));
        let mut parts = Vec::new();
        for len in [0, 1, 7, 8, 15, 16, 17, 200] {
            let mut part = vec![0; len];
            prg.bytes(&mut part);
            parts.extend(part);
        }
        parts.extend(prg.u64().to_le_bytes());
        parts.extend(prg.block().0.to_le_bytes());
        let mut blocks = [Block::ZERO; 21];
        prg.blocks(&mut blocks);
        parts.extend_from_slice(bytemuck::cast_slice(&blocks));
        let mut words = [0u32; 9];
        prg.words(32, &mut words);
        parts.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        assert_eq!(parts, whole[..parts.len()]);
    }

    #[test]
    fn words_are_reduced() {
        let mut words = [0u16; 1000];
        Prg::new(Block(1)).words(5, &mut words);
        assert!(words.iter().all(|&w| w < 32));
        assert!((0..32).all(|v| words.contains(&v)));
        Prg::new(Block(1)).words(0, &mut words);
        assert_eq!(words, [0; 1000]);
    }

    #[test]
    fn debug_hides_the_state() {
        assert_eq!(format!("{:?}", Prg::new(Block(5))), "Prg(..)");
    }
}

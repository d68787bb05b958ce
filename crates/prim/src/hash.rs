//! AES-128 under a fixed key as a circular correlation robust hash.

pub use crate::block::sigma;

use crate::aes::Aes;
use crate::{Block, Kernel, record};

/// The hash `H(x) = AES_k(sigma(x)) ^ sigma(x)` under one public key `k`.
///
/// A key serves one purpose in one session, and at most about `2^20` calls of a protocol.
#[derive(Clone)]
pub struct CcrHash {
    pub(crate) aes: Aes,
}

impl CcrHash {
    /// The hash under `key`, on the fastest kernel of this processor.
    pub fn new(key: Block) -> Self {
        Self::with_kernel(key, Kernel::active())
    }

    /// The hash under `key`, on a given kernel.
    ///
    /// # Panics
    /// If this processor does not support the kernel.
    pub fn with_kernel(key: Block, kernel: Kernel) -> Self {
        Self { aes: Aes::new(kernel.engine(), key) }
    }

    /// The key. Public.
    pub fn key(&self) -> Block {
        self.aes.keys[0]
    }

    /// `H(x)`.
    pub fn one(&self, x: Block) -> Block {
        let mut out = [x];
        self.in_place(&mut out);
        out[0]
    }

    /// Replaces every `x` by `H(x)`.
    pub fn in_place(&self, xs: &mut [Block]) {
        self.note(xs, Block::ZERO);
        self.aes.hash(xs);
    }

    /// `out[i] = H(xs[i] ^ tweak)`.
    ///
    /// # Panics
    /// Unless both slices have the same length.
    pub fn xored(&self, xs: &[Block], tweak: Block, out: &mut [Block]) {
        assert_eq!(xs.len(), out.len(), "lengths");
        self.note(xs, tweak);
        self.aes.hash_xored(xs, tweak, out);
    }

    /// [`xored`](Self::xored) of nodes whose hashes were used before, in the same place.
    ///
    /// # Panics
    /// Unless both slices have the same length.
    pub fn xored_again(&self, xs: &[Block], tweak: Block, out: &mut [Block]) {
        assert_eq!(xs.len(), out.len(), "lengths");
        self.note_regrown(xs, tweak);
        self.aes.hash_xored(xs, tweak, out);
    }

    /// Notes in the [`record`] that `x ^ tweak` is hashed, for every x.
    #[inline]
    pub(crate) fn note(&self, xs: &[Block], tweak: Block) {
        record::note(self.aes.keys[0], xs, tweak, false);
    }

    /// The same of nodes that were hashed before, of trees that are grown again.
    #[inline]
    pub(crate) fn note_regrown(&self, xs: &[Block], tweak: Block) {
        record::note(self.aes.keys[0], xs, tweak, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::tests::encrypt;
    use crate::block::sigma_inverse;

    /// Rank over F_2 of a linear map on blocks.
    fn rank(map: impl Fn(Block) -> Block) -> usize {
        let mut rows: Vec<u128> = (0..128).map(|i| map(Block(1 << i)).0).collect();
        let mut rank = 0;
        for bit in 0..128 {
            let Some(at) = (rank..128).find(|&r| rows[r] >> bit & 1 == 1) else { continue };
            rows.swap(rank, at);
            let pivot = rows[rank];
            for row in rows[rank + 1..].iter_mut().filter(|row| **row >> bit & 1 == 1) {
                *row ^= pivot;
            }
            rank += 1;
        }
        rank
    }

    #[test]
    fn sigma_is_a_linear_orthomorphism() {
        assert_eq!(rank(sigma), 128);
        assert_eq!(rank(|x| sigma(x) ^ x), 128);
        assert_eq!(rank(|x| Block(x.0 ^ x.0 >> 64) ^ x), 64, "the test must see a bad map");
        let (a, b) = (Block(0x1234 << 70 | 77), Block(u128::MAX / 7));
        assert_eq!(sigma(a ^ b), sigma(a) ^ sigma(b));
        assert_eq!(sigma(Block(3 << 64 | 5)), Block((3 ^ 5) << 64 | 3));
        assert_eq!(sigma_inverse(sigma(b)), b);
    }

    #[test]
    fn every_kernel_hashes_by_the_definition_at_lane_edges() {
        for kernel in Kernel::supported() {
            let key = Block(0xfeed << 100 | 42);
            let hash = CcrHash::with_kernel(key, kernel);
            for len in (0..=35).chain([63, 64, 65, 127, 128, 129, 200]) {
                let xs: Vec<Block> = (0..len).map(|i| Block(u128::MAX / (i + 3))).collect();
                let tweak = Block(1 << 127 | len);
                let mut out = vec![Block::ZERO; xs.len()];
                hash.xored(&xs, tweak, &mut out);
                for (&x, &h) in xs.iter().zip(&out) {
                    let s = sigma(x ^ tweak);
                    let y = encrypt(Kernel::Portable, key, s);
                    assert_eq!(h, y ^ s, "{kernel:?} {len}");
                    assert_eq!(h, hash.one(x ^ tweak));
                }
            }
        }
    }
}

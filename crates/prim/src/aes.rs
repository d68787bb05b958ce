//! AES-128 on vectors of blocks, written once for all instruction sets.

use crate::Block;
use crate::simd::{Engine, Isa, MAX_BLOCKS, Op};
use std::hint::black_box;
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

    /// Replaces every `x` by `AES(x)`.
    pub fn encrypt(&self, xs: &mut [Block]) {
        self.engine.run(InPlace::<false> { keys: &self.keys, xs });
    }

    /// Replaces every `x` by `H(x)`, see [`crate::hash`].
    pub fn hash(&self, xs: &mut [Block]) {
        self.engine.run(InPlace::<true> { keys: &self.keys, xs });
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
    rounds: usize,
}

// Loops rather than `array::map`: its closures would not be compiled for the instruction set.
impl<S: Isa> Cipher<S> {
    #[inline(always)]
    pub fn new(isa: S, keys: &[Block; 11]) -> Self {
        let mut wide = [isa.splat(Block::ZERO); 11];
        for (wide, &key) in wide.iter_mut().zip(keys) {
            *wide = isa.splat(key);
        }
        // an unknown number keeps the rounds a loop; unrolled, they are scheduled one vector after
        // the other, and the processor cannot look far enough ahead to overlap them
        Self { isa, keys: wide, rounds: black_box(10) }
    }

    /// AES of `W` vectors at once, so that the latencies of their rounds overlap.
    #[inline(always)]
    pub fn encrypt<const W: usize>(&self, mut xs: [S::V; W]) -> [S::V; W] {
        for x in &mut xs {
            *x = self.isa.xor(*x, self.keys[0]);
        }
        for &key in &self.keys[1..self.rounds] {
            for x in &mut xs {
                *x = self.isa.round(*x, key);
            }
        }
        for x in &mut xs {
            *x = self.isa.last_round(*x, self.keys[10]);
        }
        xs
    }

    /// `H` of `W` vectors at once.
    #[inline(always)]
    pub fn hash<const W: usize>(&self, mut xs: [S::V; W]) -> [S::V; W] {
        for x in &mut xs {
            *x = self.isa.sigma(*x);
        }
        let mut ys = self.encrypt(xs);
        for (y, x) in ys.iter_mut().zip(xs) {
            *y = self.isa.xor(*y, x);
        }
        ys
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

    /// `encrypt`, or `hash` if `HASH`, of exactly `W` vectors in memory.
    #[inline(always)]
    fn in_place<const W: usize, const HASH: bool>(&self, blocks: &mut [Block]) {
        let xs = self.load::<W>(blocks);
        let ys = if HASH { self.hash(xs) } else { self.encrypt(xs) };
        for (y, blocks) in ys.into_iter().zip(blocks.chunks_exact_mut(S::BLOCKS)) {
            self.isa.store(y, blocks);
        }
    }
}

struct InPlace<'a, const HASH: bool> {
    keys: &'a [Block; 11],
    xs: &'a mut [Block],
}

impl<S: Isa, const HASH: bool> Op<S> for InPlace<'_, HASH> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let cipher = Cipher::new(isa, self.keys);
        let mut wide = self.xs.chunks_exact_mut(8 * S::BLOCKS);
        for xs in &mut wide {
            cipher.in_place::<8, HASH>(xs);
        }
        let mut single = wide.into_remainder().chunks_exact_mut(S::BLOCKS);
        for xs in &mut single {
            cipher.in_place::<1, HASH>(xs);
        }
        let rest = single.into_remainder();
        if !rest.is_empty() {
            let mut padded = [Block::ZERO; MAX_BLOCKS];
            padded[..rest.len()].copy_from_slice(rest);
            cipher.in_place::<1, HASH>(&mut padded[..S::BLOCKS]);
            rest.copy_from_slice(&padded[..rest.len()]);
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
mod tests {
    use super::*;
    use crate::Kernel;

    /// A block from its 16 bytes in the order in which FIPS-197 prints them.
    fn fips(x: u128) -> Block {
        Block(x.swap_bytes())
    }

    #[test]
    fn fips_197_known_answers() {
        for kernel in Kernel::supported() {
            let aes = Aes::new(kernel.engine(), fips(0x000102030405060708090a0b0c0d0e0f));
            let mut xs = [fips(0x00112233445566778899aabbccddeeff); 67];
            aes.encrypt(&mut xs);
            assert_eq!(xs, [fips(0x69c4e0d86a7b0430d8cdb78070b4c55a); 67], "{kernel:?}");

            let aes = Aes::new(kernel.engine(), fips(0x2b7e151628aed2a6abf7158809cf4f3c));
            assert_eq!(aes.keys[10], fips(0xd014f9a8c9ee2589e13f0cc8b6630ca6), "{kernel:?}");
            let mut xs = [fips(0x3243f6a8885a308d313198a2e0370734)];
            aes.encrypt(&mut xs);
            assert_eq!(xs, [fips(0x3925841d02dc09fbdc118597196a0b32)], "{kernel:?}");
        }
    }
}

//! The 128-bit block: key, seed, OT string or tree node.

use bytemuck::{Pod, Zeroable};
use std::fmt;
use std::ops::{BitAnd, BitXor, BitXorAssign, Not};
use zeroize::DefaultIsZeroes;

/// 128 bits. Bit `i` is `(x >> i) & 1`; the 16 bytes are little-endian in memory and on the wire.
///
/// `Debug` never prints the value.
#[repr(transparent)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Block(pub u128);

impl Block {
    /// All bits 0.
    pub const ZERO: Block = Block(0);
    /// Bit 0 set, all others 0.
    pub const ONE: Block = Block(1);

    /// Bit 0.
    #[inline]
    pub fn lsb(self) -> bool {
        self.bit(0)
    }

    /// Bit `i`, for `i < 128`.
    #[inline]
    pub fn bit(self, i: u32) -> bool {
        (self.0 >> i) & 1 == 1
    }

    /// All ones if `bit`, else zero, without a branch.
    #[inline]
    pub fn mask(bit: bool) -> Block {
        Block(u128::from(std::hint::black_box(bit as u8)).wrapping_neg())
    }

    /// The same block with bit 0 set to `bit`.
    #[inline]
    pub fn with_lsb(self, bit: bool) -> Block {
        Block((self.0 & !1) | u128::from(bit))
    }
}

/// `sigma(L || R) = (L ^ R || L)`, `L` the high and `R` the low 64 bits.
///
/// Both `sigma` and `x -> sigma(x) ^ x` are bijective. Were one of them not, a guess of 64 bits
/// or fewer would give away the correlation of all OTs.
#[inline]
pub fn sigma(x: Block) -> Block {
    Block((x.0 ^ (x.0 << 64)) & (u128::MAX << 64) | x.0 >> 64)
}

/// `x` such that `sigma(x) = y`.
#[inline]
pub(crate) fn sigma_inverse(y: Block) -> Block {
    Block(y.0 << 64 | (y.0 ^ y.0 << 64) >> 64)
}

impl BitXor for Block {
    type Output = Block;
    #[inline]
    fn bitxor(self, other: Block) -> Block {
        Block(self.0 ^ other.0)
    }
}

impl BitXorAssign for Block {
    #[inline]
    fn bitxor_assign(&mut self, other: Block) {
        self.0 ^= other.0;
    }
}

impl BitAnd for Block {
    type Output = Block;
    #[inline]
    fn bitand(self, other: Block) -> Block {
        Block(self.0 & other.0)
    }
}

impl Not for Block {
    type Output = Block;
    #[inline]
    fn not(self) -> Block {
        Block(!self.0)
    }
}

/// Makes `Block` and slices of it `Zeroize`.
impl DefaultIsZeroes for Block {}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Block(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroize::Zeroize;

    #[test]
    fn bits_and_bytes_are_little_endian() {
        let x = Block(0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100);
        assert_eq!(bytemuck::bytes_of(&x), (0..16).collect::<Vec<u8>>());
        assert!(x.bit(8) && !x.bit(9) && !x.lsb() && x.with_lsb(true).lsb());
        assert_eq!(x.with_lsb(true).with_lsb(false), x);
    }

    #[test]
    fn masks() {
        assert_eq!(Block::mask(true), !Block::ZERO);
        assert_eq!(Block::mask(false), Block::ZERO);
    }

    #[test]
    fn debug_hides_the_value() {
        assert_eq!(format!("{:?}", Block(0xdead)), "Block(..)");
    }

    #[test]
    fn zeroizes() {
        let mut x = vec![Block(7); 3];
        x.as_mut_slice().zeroize();
        assert_eq!(x, [Block::ZERO; 3]);
    }
}

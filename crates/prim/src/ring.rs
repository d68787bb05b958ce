//! Machine words as elements of `Z_{2^WIDTH}` or `F_2^WIDTH`.

use bytemuck::Pod;
use std::fmt::Debug;
use zeroize::Zeroize;

/// An unsigned machine word. A batch may use fewer bits than [`WIDTH`](Ring::WIDTH); the width
/// belongs to the batch, see [`low`].
pub trait Ring: Copy + Eq + Debug + Default + Pod + Zeroize + Send + Sync + 'static {
    /// Bits in the word.
    const WIDTH: u32;
    /// Zero-extends.
    fn to_u64(self) -> u64;
    /// Keeps the low `WIDTH` bits.
    fn from_u64(x: u64) -> Self;
}

/// The low `bits` bits of `x`, for `bits` in `0..=64`.
#[inline]
pub fn low(x: u64, bits: u32) -> u64 {
    debug_assert!(bits <= 64);
    x & u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}

/// The low `bits` bits of `x` as a number with a sign, for `bits` in `1..=64`.
#[inline]
pub fn signed(x: u64, bits: u32) -> i64 {
    (x << (64 - bits)) as i64 >> (64 - bits)
}

impl Ring for u8 {
    const WIDTH: u32 = 8;
    #[inline]
    fn to_u64(self) -> u64 {
        self.into()
    }
    #[inline]
    fn from_u64(x: u64) -> u8 {
        x as u8
    }
}

impl Ring for u16 {
    const WIDTH: u32 = 16;
    #[inline]
    fn to_u64(self) -> u64 {
        self.into()
    }
    #[inline]
    fn from_u64(x: u64) -> u16 {
        x as u16
    }
}

impl Ring for u32 {
    const WIDTH: u32 = 32;
    #[inline]
    fn to_u64(self) -> u64 {
        self.into()
    }
    #[inline]
    fn from_u64(x: u64) -> u32 {
        x as u32
    }
}

impl Ring for u64 {
    const WIDTH: u32 = 64;
    #[inline]
    fn to_u64(self) -> u64 {
        self
    }
    #[inline]
    fn from_u64(x: u64) -> u64 {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_keeps_exactly_the_low_bits() {
        assert_eq!(low(u64::MAX, 0), 0);
        assert_eq!(low(u64::MAX, 1), 1);
        assert_eq!(low(u64::MAX, 63), u64::MAX >> 1);
        assert_eq!(low(u64::MAX, 64), u64::MAX);
        assert_eq!(low(0x1234, 8), 0x34);
    }
}

//! One number at a time.

use super::LaneIsa;
use crate::simd::Portable;

impl LaneIsa for Portable {
    type L = u32;
    type W = u64;
    const LANES: usize = 1;

    #[inline(always)]
    fn load_lanes(self, src: &[u32]) -> u32 {
        src[0]
    }

    #[inline(always)]
    fn store_lanes(self, v: u32, dst: &mut [u32]) {
        dst[0] = v;
    }

    #[inline(always)]
    fn splat_lanes(self, x: u32) -> u32 {
        x
    }

    #[inline(always)]
    fn add_lanes(self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn sub_lanes(self, a: u32, b: u32) -> u32 {
        a.wrapping_sub(b)
    }

    /// Without a branch: the sign of the difference.
    #[inline(always)]
    fn min_lanes(self, a: u32, b: u32) -> u32 {
        let less = (u64::from(a).wrapping_sub(b.into()) >> 32) as u32;
        b ^ ((a ^ b) & less)
    }

    #[inline(always)]
    fn mul_low(self, a: u32, b: u32) -> u32 {
        a.wrapping_mul(b)
    }

    #[inline(always)]
    fn mul_wide(self, a: u32, b: u32) -> [u64; 2] {
        [u64::from(a) * u64::from(b), 0]
    }

    #[inline(always)]
    fn high(self, products: [u64; 2]) -> u32 {
        (products[0] >> 32) as u32
    }

    #[inline(always)]
    fn low(self, products: [u64; 2]) -> u32 {
        products[0] as u32
    }

    #[inline(always)]
    fn add_wide(self, a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn load_wide(self, src: &[u64]) -> [u64; 2] {
        [src[0], 0]
    }

    #[inline(always)]
    fn store_wide(self, v: [u64; 2], dst: &mut [u64]) {
        dst[0] = v[0];
    }

    #[inline(always)]
    fn transpose(self, _: &mut [u32]) {}
}

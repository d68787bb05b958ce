//! Four numbers of Advanced SIMD.

use std::arch::aarch64::*;

use super::LaneIsa;
use crate::simd::neon::Neon;

impl LaneIsa for Neon {
    type L = uint32x4_t;
    type W = uint64x2_t;
    const LANES: usize = 4;

    #[inline(always)]
    fn load_lanes(self, src: &[u32]) -> uint32x4_t {
        assert!(src.len() == Self::LANES);
        // SAFETY: 16 bytes of `src`; `self` proves Advanced SIMD
        unsafe { vld1q_u32(src.as_ptr()) }
    }

    #[inline(always)]
    fn store_lanes(self, v: uint32x4_t, dst: &mut [u32]) {
        assert!(dst.len() == Self::LANES);
        // SAFETY: 16 bytes of `dst`; `self` proves Advanced SIMD
        unsafe { vst1q_u32(dst.as_mut_ptr(), v) }
    }

    #[inline(always)]
    fn splat_lanes(self, x: u32) -> uint32x4_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vdupq_n_u32(x) }
    }

    #[inline(always)]
    fn add_lanes(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vaddq_u32(a, b) }
    }

    #[inline(always)]
    fn sub_lanes(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vsubq_u32(a, b) }
    }

    #[inline(always)]
    fn min_lanes(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vminq_u32(a, b) }
    }

    #[inline(always)]
    fn mul_low(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vmulq_u32(a, b) }
    }

    #[inline(always)]
    fn mul_wide(self, a: uint32x4_t, b: uint32x4_t) -> [uint64x2_t; 2] {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { [vmull_u32(vget_low_u32(a), vget_low_u32(b)), vmull_high_u32(a, b)] }
    }

    #[inline(always)]
    fn high(self, products: [uint64x2_t; 2]) -> uint32x4_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vuzp2q_u32(vreinterpretq_u32_u64(products[0]), vreinterpretq_u32_u64(products[1])) }
    }

    #[inline(always)]
    fn low(self, products: [uint64x2_t; 2]) -> uint32x4_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vuzp1q_u32(vreinterpretq_u32_u64(products[0]), vreinterpretq_u32_u64(products[1])) }
    }

    #[inline(always)]
    fn add_wide(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vaddq_u64(a, b) }
    }

    #[inline(always)]
    fn load_wide(self, src: &[u64]) -> [uint64x2_t; 2] {
        assert!(src.len() == Self::LANES);
        // SAFETY: 32 bytes of `src`; `self` proves Advanced SIMD
        unsafe { [vld1q_u64(src.as_ptr()), vld1q_u64(src[2..].as_ptr())] }
    }

    #[inline(always)]
    fn store_wide(self, v: [uint64x2_t; 2], dst: &mut [u64]) {
        assert!(dst.len() == Self::LANES);
        // SAFETY: 32 bytes of `dst`; `self` proves Advanced SIMD
        unsafe {
            vst1q_u64(dst.as_mut_ptr(), v[0]);
            vst1q_u64(dst[2..].as_mut_ptr(), v[1]);
        }
    }

    #[inline(always)]
    fn transpose(self, rows: &mut [uint32x4_t]) {
        // SAFETY: `self` proves Advanced SIMD
        unsafe {
            let pair = |a, b| {
                let (a, b) = (vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b));
                [vreinterpretq_u32_u64(vtrn1q_u64(a, b)), vreinterpretq_u32_u64(vtrn2q_u64(a, b))]
            };
            let even = [vtrn1q_u32(rows[0], rows[1]), vtrn1q_u32(rows[2], rows[3])];
            let odd = [vtrn2q_u32(rows[0], rows[1]), vtrn2q_u32(rows[2], rows[3])];
            let ([r0, r2], [r1, r3]) = (pair(even[0], even[1]), pair(odd[0], odd[1]));
            rows.copy_from_slice(&[r0, r1, r2, r3]);
        }
    }
}

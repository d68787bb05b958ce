//! Four, eight and sixteen numbers.

use std::arch::x86_64::*;

use super::LaneIsa;
use crate::simd::x86::{AesNi, Vaes256, Vaes512};

impl LaneIsa for AesNi {
    type L = __m128i;
    type W = __m128i;
    const LANES: usize = 4;

    #[inline(always)]
    fn load_lanes(self, src: &[u32]) -> __m128i {
        assert!(src.len() == Self::LANES);
        // SAFETY: 16 bytes of `src`, any alignment; `self` proves SSE4.1
        unsafe { _mm_loadu_si128(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_lanes(self, v: __m128i, dst: &mut [u32]) {
        assert!(dst.len() == Self::LANES);
        // SAFETY: 16 bytes of `dst`, any alignment; `self` proves SSE4.1
        unsafe { _mm_storeu_si128(dst.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat_lanes(self, x: u32) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_set1_epi32(x as i32) }
    }

    #[inline(always)]
    fn add_lanes(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub_lanes(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn min_lanes(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_min_epu32(a, b) }
    }

    #[inline(always)]
    fn mul_low(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_mullo_epi32(a, b) }
    }

    #[inline(always)]
    fn mul_wide(self, a: __m128i, b: __m128i) -> [__m128i; 2] {
        // SAFETY: `self` proves SSE4.1
        unsafe {
            let (odd_a, odd_b) = (_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b));
            [_mm_mul_epu32(a, b), _mm_mul_epu32(odd_a, odd_b)]
        }
    }

    #[inline(always)]
    fn high(self, [even, odd]: [__m128i; 2]) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_blend_epi16::<0xcc>(_mm_srli_epi64::<32>(even), odd) }
    }

    #[inline(always)]
    fn low(self, [even, odd]: [__m128i; 2]) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_blend_epi16::<0xcc>(even, _mm_slli_epi64::<32>(odd)) }
    }

    #[inline(always)]
    fn add_wide(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_add_epi64(a, b) }
    }

    #[inline(always)]
    fn load_wide(self, src: &[u64]) -> [__m128i; 2] {
        let (even, odd) = src.split_at(2);
        assert!(odd.len() == 2);
        // SAFETY: 16 bytes of each, any alignment; `self` proves SSE4.1
        unsafe { [_mm_loadu_si128(even.as_ptr().cast()), _mm_loadu_si128(odd.as_ptr().cast())] }
    }

    #[inline(always)]
    fn store_wide(self, v: [__m128i; 2], dst: &mut [u64]) {
        let (even, odd) = dst.split_at_mut(2);
        assert!(odd.len() == 2);
        // SAFETY: 16 bytes of each, any alignment; `self` proves SSE4.1
        unsafe {
            _mm_storeu_si128(even.as_mut_ptr().cast(), v[0]);
            _mm_storeu_si128(odd.as_mut_ptr().cast(), v[1]);
        }
    }

    #[inline(always)]
    fn transpose(self, rows: &mut [__m128i]) {
        assert!(rows.len() == Self::LANES);
        // SAFETY: `self` proves SSE4.1
        unsafe {
            let [a, b] = [_mm_unpacklo_epi32(rows[0], rows[1]), _mm_unpacklo_epi32(rows[2], rows[3])];
            let [c, d] = [_mm_unpackhi_epi32(rows[0], rows[1]), _mm_unpackhi_epi32(rows[2], rows[3])];
            rows[0] = _mm_unpacklo_epi64(a, b);
            rows[1] = _mm_unpackhi_epi64(a, b);
            rows[2] = _mm_unpacklo_epi64(c, d);
            rows[3] = _mm_unpackhi_epi64(c, d);
        }
    }
}

impl LaneIsa for Vaes256 {
    type L = __m256i;
    type W = __m256i;
    const LANES: usize = 8;

    #[inline(always)]
    fn load_lanes(self, src: &[u32]) -> __m256i {
        assert!(src.len() == Self::LANES);
        // SAFETY: 32 bytes of `src`, any alignment; `self` proves AVX2
        unsafe { _mm256_loadu_si256(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_lanes(self, v: __m256i, dst: &mut [u32]) {
        assert!(dst.len() == Self::LANES);
        // SAFETY: 32 bytes of `dst`, any alignment; `self` proves AVX2
        unsafe { _mm256_storeu_si256(dst.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat_lanes(self, x: u32) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_set1_epi32(x as i32) }
    }

    #[inline(always)]
    fn add_lanes(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub_lanes(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn min_lanes(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_min_epu32(a, b) }
    }

    #[inline(always)]
    fn mul_low(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_mullo_epi32(a, b) }
    }

    #[inline(always)]
    fn mul_wide(self, a: __m256i, b: __m256i) -> [__m256i; 2] {
        // SAFETY: `self` proves AVX2
        unsafe {
            let (odd_a, odd_b) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            [_mm256_mul_epu32(a, b), _mm256_mul_epu32(odd_a, odd_b)]
        }
    }

    #[inline(always)]
    fn high(self, [even, odd]: [__m256i; 2]) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(even), odd) }
    }

    #[inline(always)]
    fn low(self, [even, odd]: [__m256i; 2]) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_blend_epi32::<0xaa>(even, _mm256_slli_epi64::<32>(odd)) }
    }

    #[inline(always)]
    fn add_wide(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_add_epi64(a, b) }
    }

    #[inline(always)]
    fn load_wide(self, src: &[u64]) -> [__m256i; 2] {
        let (even, odd) = src.split_at(4);
        assert!(odd.len() == 4);
        // SAFETY: 32 bytes of each, any alignment; `self` proves AVX2
        unsafe { [_mm256_loadu_si256(even.as_ptr().cast()), _mm256_loadu_si256(odd.as_ptr().cast())] }
    }

    #[inline(always)]
    fn store_wide(self, v: [__m256i; 2], dst: &mut [u64]) {
        let (even, odd) = dst.split_at_mut(4);
        assert!(odd.len() == 4);
        // SAFETY: 32 bytes of each, any alignment; `self` proves AVX2
        unsafe {
            _mm256_storeu_si256(even.as_mut_ptr().cast(), v[0]);
            _mm256_storeu_si256(odd.as_mut_ptr().cast(), v[1]);
        }
    }

    #[inline(always)]
    fn transpose(self, rows: &mut [__m256i]) {
        assert!(rows.len() == Self::LANES);
        // SAFETY: `self` proves AVX2
        unsafe {
            // 4 x 4 in each half of four rows, then halves.
            for rows in rows.chunks_exact_mut(4) {
                let [a, b] =
                    [_mm256_unpacklo_epi32(rows[0], rows[1]), _mm256_unpacklo_epi32(rows[2], rows[3])];
                let [c, d] =
                    [_mm256_unpackhi_epi32(rows[0], rows[1]), _mm256_unpackhi_epi32(rows[2], rows[3])];
                rows[0] = _mm256_unpacklo_epi64(a, b);
                rows[1] = _mm256_unpackhi_epi64(a, b);
                rows[2] = _mm256_unpacklo_epi64(c, d);
                rows[3] = _mm256_unpackhi_epi64(c, d);
            }
            for i in 0..4 {
                let (a, b) = (rows[i], rows[i + 4]);
                rows[i] = _mm256_permute2x128_si256::<0x20>(a, b);
                rows[i + 4] = _mm256_permute2x128_si256::<0x31>(a, b);
            }
        }
    }
}

impl LaneIsa for Vaes512 {
    type L = __m512i;
    type W = __m512i;
    const LANES: usize = 16;

    #[inline(always)]
    fn load_lanes(self, src: &[u32]) -> __m512i {
        assert!(src.len() == Self::LANES);
        // SAFETY: 64 bytes of `src`, any alignment; `self` proves AVX-512F
        unsafe { _mm512_loadu_si512(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_lanes(self, v: __m512i, dst: &mut [u32]) {
        assert!(dst.len() == Self::LANES);
        // SAFETY: 64 bytes of `dst`, any alignment; `self` proves AVX-512F
        unsafe { _mm512_storeu_si512(dst.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat_lanes(self, x: u32) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_set1_epi32(x as i32) }
    }

    #[inline(always)]
    fn add_lanes(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub_lanes(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn min_lanes(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_min_epu32(a, b) }
    }

    #[inline(always)]
    fn mul_low(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_mullo_epi32(a, b) }
    }

    #[inline(always)]
    fn mul_wide(self, a: __m512i, b: __m512i) -> [__m512i; 2] {
        // SAFETY: `self` proves AVX-512F
        unsafe {
            let (odd_a, odd_b) = (_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
            [_mm512_mul_epu32(a, b), _mm512_mul_epu32(odd_a, odd_b)]
        }
    }

    #[inline(always)]
    fn high(self, [even, odd]: [__m512i; 2]) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64::<32>(even), odd) }
    }

    #[inline(always)]
    fn low(self, [even, odd]: [__m512i; 2]) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64::<32>(odd)) }
    }

    #[inline(always)]
    fn add_wide(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_add_epi64(a, b) }
    }

    #[inline(always)]
    fn load_wide(self, src: &[u64]) -> [__m512i; 2] {
        let (even, odd) = src.split_at(8);
        assert!(odd.len() == 8);
        // SAFETY: 64 bytes of each, any alignment; `self` proves AVX-512F
        unsafe { [_mm512_loadu_si512(even.as_ptr().cast()), _mm512_loadu_si512(odd.as_ptr().cast())] }
    }

    #[inline(always)]
    fn store_wide(self, v: [__m512i; 2], dst: &mut [u64]) {
        let (even, odd) = dst.split_at_mut(8);
        assert!(odd.len() == 8);
        // SAFETY: 64 bytes of each, any alignment; `self` proves AVX-512F
        unsafe {
            _mm512_storeu_si512(even.as_mut_ptr().cast(), v[0]);
            _mm512_storeu_si512(odd.as_mut_ptr().cast(), v[1]);
        }
    }

    #[inline(always)]
    fn transpose(self, rows: &mut [__m512i]) {
        assert!(rows.len() == Self::LANES);
        // SAFETY: `self` proves AVX-512F
        unsafe {
            // 4 x 4 in each quarter of four rows, then quarters.
            for rows in rows.chunks_exact_mut(4) {
                let [a, b] =
                    [_mm512_unpacklo_epi32(rows[0], rows[1]), _mm512_unpacklo_epi32(rows[2], rows[3])];
                let [c, d] =
                    [_mm512_unpackhi_epi32(rows[0], rows[1]), _mm512_unpackhi_epi32(rows[2], rows[3])];
                rows[0] = _mm512_unpacklo_epi64(a, b);
                rows[1] = _mm512_unpackhi_epi64(a, b);
                rows[2] = _mm512_unpacklo_epi64(c, d);
                rows[3] = _mm512_unpackhi_epi64(c, d);
            }
            for i in 0..4 {
                let [a, b, c, d] = [rows[i], rows[i + 4], rows[i + 8], rows[i + 12]];
                let (ab, cd) = (_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d));
                rows[i] = _mm512_shuffle_i32x4::<0x88>(ab, cd);
                rows[i + 4] = _mm512_shuffle_i32x4::<0xdd>(ab, cd);
                let (ab, cd) = (_mm512_shuffle_i32x4::<0xee>(a, b), _mm512_shuffle_i32x4::<0xee>(c, d));
                rows[i + 8] = _mm512_shuffle_i32x4::<0x88>(ab, cd);
                rows[i + 12] = _mm512_shuffle_i32x4::<0xdd>(ab, cd);
            }
        }
    }
}

//! VAES on pairs of blocks.

use super::AesNi;
use crate::simd::{ByteIsa, Isa, Op, ProductIsa};
use crate::{Block, Ring};
use std::arch::asm;
use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;

/// VAES on 256-bit vectors, with AVX2. A value exists only where the processor has them.
#[derive(Clone, Copy)]
pub(crate) struct Vaes256(AesNi);

impl Vaes256 {
    pub fn detect() -> Option<Self> {
        let vectors = has!("vaes") && has!("vpclmulqdq") && has!("avx2");
        let wide = vectors && has!("bmi1") && has!("bmi2") && has!("lzcnt");
        AesNi::detect().filter(|_| wide).map(Self)
    }
}

impl Isa for Vaes256 {
    type V = __m256i;
    const BLOCKS: usize = 2;

    #[inline(always)]
    fn run<O: Op<Self>>(self, op: O) -> O::Out {
        #[target_feature(enable = "vaes,vpclmulqdq,avx2,aes,pclmulqdq,ssse3,sse4.1,popcnt,bmi1,bmi2,lzcnt")]
        fn enter<O: Op<Vaes256>>(isa: Vaes256, op: O) -> O::Out {
            op.call(isa)
        }
        // SAFETY: `self` proves that the processor has these features
        unsafe { enter(self, op) }
    }

    #[inline(always)]
    fn load(self, src: &[Block]) -> __m256i {
        assert!(src.len() == Self::BLOCKS);
        // SAFETY: 32 bytes of `src`, any alignment; `self` proves AVX
        unsafe { _mm256_loadu_si256(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m256i, dst: &mut [Block]) {
        assert!(dst.len() == Self::BLOCKS);
        // SAFETY: 32 bytes of `dst`, any alignment; `self` proves AVX
        unsafe { _mm256_storeu_si256(dst.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat(self, x: Block) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_broadcastsi128_si256(self.0.splat(x)) }
    }

    #[inline(always)]
    fn counters(self, first: u64) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe {
            let first = _mm256_set_epi64x(0, first as i64, 0, first as i64);
            _mm256_add_epi64(first, _mm256_set_epi64x(0, 1, 0, 0))
        }
    }

    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_xor_si256(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    fn sigma(self, x: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe {
            let high = _mm256_and_si256(x, _mm256_set_epi64x(-1, 0, -1, 0));
            _mm256_xor_si256(_mm256_shuffle_epi32(x, 0b01_00_11_10), high)
        }
    }

    #[inline(always)]
    fn round(self, x: __m256i, key: __m256i) -> __m256i {
        // SAFETY: `self` proves VAES
        unsafe { _mm256_aesenc_epi128(x, key) }
    }

    #[inline(always)]
    fn hold(self, x: __m256i) -> __m256i {
        #[inline]
        #[target_feature(enable = "vaes,avx2")]
        fn held(mut x: __m256i) -> __m256i {
            // SAFETY: no instruction
            unsafe { asm!("/* {0} */", inout(ymm_reg) x, options(nomem, nostack, preserves_flags)) }
            x
        }
        // SAFETY: `self` proves AVX2
        unsafe { held(x) }
    }

    #[inline(always)]
    fn last_round(self, x: __m256i, key: __m256i) -> __m256i {
        // SAFETY: `self` proves VAES
        unsafe { _mm256_aesenclast_epi128(x, key) }
    }

    #[inline(always)]
    fn pairs(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        // SAFETY: `self` proves AVX2
        unsafe { (_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31)) }
    }

    #[inline(always)]
    fn add_halves(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_add_epi64(a, b) }
    }

    #[inline(always)]
    fn equal_halves(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_cmpeq_epi64(a, b) }
    }

    #[inline(always)]
    fn spread_bit_1(self, x: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_srai_epi32(_mm256_slli_epi32(_mm256_shuffle_epi32(x, 0), 30), 31) }
    }

    #[inline(always)]
    fn fold(self, v: __m256i) -> Block {
        // SAFETY: `self` proves AVX2
        let halves = unsafe { [_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)] };
        self.0.fold(self.0.xor(halves[0], halves[1]))
    }
}

impl ByteIsa for Vaes256 {
    #[inline(always)]
    fn next_bytes(self, low: __m256i, high: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_alignr_epi8(high, low, 1) }
    }

    #[inline(always)]
    fn permute_bytes(self, v: __m256i, places: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_shuffle_epi8(v, places) }
    }

    #[inline(always)]
    fn zip_bytes(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        // SAFETY: `self` proves AVX2
        unsafe { (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b)) }
    }

    #[inline(always)]
    fn high_halves(self, x: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15)) }
    }

    #[inline(always)]
    fn upper_bytes(self, x: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_srli_epi16(x, 8) }
    }

    #[inline(always)]
    fn splat_word(self, x: u64) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_set1_epi64x(x as i64) }
    }

    #[inline(always)]
    fn has_bits<R: Ring>(self, x: __m256i, bits: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe {
            let x = _mm256_and_si256(x, bits);
            match R::WIDTH {
                8 => _mm256_cmpeq_epi8(x, bits),
                16 => _mm256_cmpeq_epi16(x, bits),
                32 => _mm256_cmpeq_epi32(x, bits),
                _ => _mm256_cmpeq_epi64(x, bits),
            }
        }
    }

    #[inline(always)]
    fn add<R: Ring>(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe {
            match R::WIDTH {
                8 => _mm256_add_epi8(a, b),
                16 => _mm256_add_epi16(a, b),
                32 => _mm256_add_epi32(a, b),
                _ => _mm256_add_epi64(a, b),
            }
        }
    }
}

impl ProductIsa for Vaes256 {
    type Single = AesNi;
    type Pair = Self;

    #[inline(always)]
    fn single(self) -> AesNi {
        self.0
    }

    #[inline(always)]
    fn pair(self) -> Self {
        self
    }

    #[inline(always)]
    fn product<const UPPER_A: bool, const UPPER_B: bool>(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves VPCLMULQDQ and AVX2
        unsafe {
            match (UPPER_A, UPPER_B) {
                (false, false) => _mm256_clmulepi64_epi128::<0x00>(a, b),
                (true, false) => _mm256_clmulepi64_epi128::<0x01>(a, b),
                (false, true) => _mm256_clmulepi64_epi128::<0x10>(a, b),
                (true, true) => _mm256_clmulepi64_epi128::<0x11>(a, b),
            }
        }
    }

    #[inline(always)]
    fn lower_halves(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_unpacklo_epi64(a, b) }
    }

    #[inline(always)]
    fn upper_halves(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe { _mm256_unpackhi_epi64(a, b) }
    }

    #[inline(always)]
    fn load_words(self, src: &[u64]) -> __m256i {
        assert!(src.len() == 2 * Self::BLOCKS);
        // SAFETY: 32 bytes of `src`, any alignment; `self` proves AVX2
        unsafe { _mm256_loadu_si256(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_words(self, v: __m256i, dst: &mut [u64]) {
        assert!(dst.len() == 2 * Self::BLOCKS);
        // SAFETY: 32 bytes of `dst`, any alignment; `self` proves AVX2
        unsafe { _mm256_storeu_si256(dst.as_mut_ptr().cast(), v) }
    }
}

//! AES-NI on single blocks.

use crate::simd::{ByteIsa, Isa, Op, ProductIsa};
use crate::{Block, Ring};
use std::arch::asm;
use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;

/// AES-NI with SSE4.1. A value exists only where the processor has them.
#[derive(Clone, Copy)]
pub(crate) struct AesNi(());

impl AesNi {
    pub fn detect() -> Option<Self> {
        let needed = has!("aes") && has!("pclmulqdq") && has!("ssse3") && has!("sse4.1") && has!("popcnt");
        needed.then_some(Self(()))
    }
}

impl Isa for AesNi {
    type V = __m128i;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn run<O: Op<Self>>(self, op: O) -> O::Out {
        #[target_feature(enable = "aes,pclmulqdq,ssse3,sse4.1,popcnt")]
        fn enter<O: Op<AesNi>>(isa: AesNi, op: O) -> O::Out {
            op.call(isa)
        }
        // SAFETY: `self` proves that the processor has these features
        unsafe { enter(self, op) }
    }

    #[inline(always)]
    fn load(self, src: &[Block]) -> __m128i {
        assert!(src.len() == Self::BLOCKS);
        // SAFETY: 16 bytes of `src`, any alignment
        unsafe { _mm_loadu_si128(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m128i, dst: &mut [Block]) {
        assert!(dst.len() == Self::BLOCKS);
        // SAFETY: 16 bytes of `dst`, any alignment
        unsafe { _mm_storeu_si128(dst.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat(self, x: Block) -> __m128i {
        self.load(&[x])
    }

    #[inline(always)]
    fn counters(self, first: u64) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe { _mm_set_epi64x(0, first as i64) }
    }

    #[inline(always)]
    fn xor(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe { _mm_xor_si128(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe { _mm_and_si128(a, b) }
    }

    #[inline(always)]
    fn sigma(self, x: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe {
            let high = _mm_and_si128(x, _mm_set_epi64x(-1, 0));
            _mm_xor_si128(_mm_shuffle_epi32(x, 0b01_00_11_10), high)
        }
    }

    #[inline(always)]
    fn round(self, x: __m128i, key: __m128i) -> __m128i {
        // SAFETY: `self` proves AES-NI
        unsafe { _mm_aesenc_si128(x, key) }
    }

    #[inline(always)]
    fn hold(self, x: __m128i) -> __m128i {
        #[inline]
        #[target_feature(enable = "aes,ssse3,sse4.1")]
        fn held(mut x: __m128i) -> __m128i {
            // SAFETY: no instruction
            unsafe { asm!("/* {0} */", inout(xmm_reg) x, options(nomem, nostack, preserves_flags)) }
            x
        }
        // SAFETY: `self` proves SSE
        unsafe { held(x) }
    }

    #[inline(always)]
    fn last_round(self, x: __m128i, key: __m128i) -> __m128i {
        // SAFETY: `self` proves AES-NI
        unsafe { _mm_aesenclast_si128(x, key) }
    }

    #[inline(always)]
    fn pairs(self, a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        (a, b)
    }

    #[inline(always)]
    fn add_halves(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_add_epi64(a, b) }
    }

    #[inline(always)]
    fn equal_halves(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: `self` proves SSE4.1
        unsafe { _mm_cmpeq_epi64(a, b) }
    }

    #[inline(always)]
    fn spread_bit_1(self, x: __m128i) -> __m128i {
        // SAFETY: `self` proves SSE2
        unsafe { _mm_srai_epi32(_mm_slli_epi32(_mm_shuffle_epi32(x, 0), 30), 31) }
    }

    #[inline(always)]
    fn fold(self, v: __m128i) -> Block {
        let mut out = [Block::ZERO];
        self.store(v, &mut out);
        out[0]
    }
}

impl ByteIsa for AesNi {
    #[inline(always)]
    fn next_bytes(self, low: __m128i, high: __m128i) -> __m128i {
        // SAFETY: `self` proves SSSE3
        unsafe { _mm_alignr_epi8(high, low, 1) }
    }

    #[inline(always)]
    fn permute_bytes(self, v: __m128i, places: __m128i) -> __m128i {
        // SAFETY: `self` proves SSSE3
        unsafe { _mm_shuffle_epi8(v, places) }
    }

    #[inline(always)]
    fn zip_bytes(self, a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        // SAFETY: SSE2 is part of x86-64
        unsafe { (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)) }
    }

    #[inline(always)]
    fn high_halves(self, x: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe { _mm_and_si128(_mm_srli_epi16(x, 4), _mm_set1_epi8(15)) }
    }

    #[inline(always)]
    fn upper_bytes(self, x: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe { _mm_srli_epi16(x, 8) }
    }

    #[inline(always)]
    fn splat_word(self, x: u64) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe { _mm_set1_epi64x(x as i64) }
    }

    #[inline(always)]
    fn has_bits<R: Ring>(self, x: __m128i, bits: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64, and `self` proves SSE4.1
        unsafe {
            let x = _mm_and_si128(x, bits);
            match R::WIDTH {
                8 => _mm_cmpeq_epi8(x, bits),
                16 => _mm_cmpeq_epi16(x, bits),
                32 => _mm_cmpeq_epi32(x, bits),
                _ => _mm_cmpeq_epi64(x, bits),
            }
        }
    }

    #[inline(always)]
    fn add<R: Ring>(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe {
            match R::WIDTH {
                8 => _mm_add_epi8(a, b),
                16 => _mm_add_epi16(a, b),
                32 => _mm_add_epi32(a, b),
                _ => _mm_add_epi64(a, b),
            }
        }
    }
}

impl ProductIsa for AesNi {
    type Single = AesNi;
    type Pair = AesNi;

    #[inline(always)]
    fn single(self) -> AesNi {
        self
    }

    #[inline(always)]
    fn pair(self) -> AesNi {
        self
    }

    #[inline(always)]
    fn product<const UPPER_A: bool, const UPPER_B: bool>(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: `self` proves PCLMULQDQ
        unsafe {
            match (UPPER_A, UPPER_B) {
                (false, false) => _mm_clmulepi64_si128::<0x00>(a, b),
                (true, false) => _mm_clmulepi64_si128::<0x01>(a, b),
                (false, true) => _mm_clmulepi64_si128::<0x10>(a, b),
                (true, true) => _mm_clmulepi64_si128::<0x11>(a, b),
            }
        }
    }

    #[inline(always)]
    fn lower_halves(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe { _mm_unpacklo_epi64(a, b) }
    }

    #[inline(always)]
    fn upper_halves(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe { _mm_unpackhi_epi64(a, b) }
    }

    #[inline(always)]
    fn load_words(self, src: &[u64]) -> __m128i {
        assert!(src.len() == 2 * Self::BLOCKS);
        // SAFETY: 16 bytes of `src`, any alignment; SSE2 is part of x86-64
        unsafe { _mm_loadu_si128(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_words(self, v: __m128i, dst: &mut [u64]) {
        assert!(dst.len() == 2 * Self::BLOCKS);
        // SAFETY: 16 bytes of `dst`, any alignment; SSE2 is part of x86-64
        unsafe { _mm_storeu_si128(dst.as_mut_ptr().cast(), v) }
    }
}

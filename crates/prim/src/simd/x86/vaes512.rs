//! VAES on four blocks.

use super::{AesNi, Vaes256};
use crate::Block;
use crate::simd::{Isa, Op, ProductIsa};
use std::arch::asm;
use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;

/// VAES on 512-bit vectors, with AVX-512F and AVX-512BW. A value exists only where the processor
/// has them.
#[derive(Clone, Copy)]
pub(crate) struct Vaes512(Vaes256);

impl Vaes512 {
    pub fn detect() -> Option<Self> {
        let wide = has!("avx512f") && has!("avx512bw");
        Vaes256::detect().filter(|_| wide).map(Self)
    }

    /// The instructions on 256-bit vectors, which every such processor has too.
    pub fn half(self) -> Vaes256 {
        self.0
    }
}

impl Isa for Vaes512 {
    type V = __m512i;
    const BLOCKS: usize = 4;

    #[inline(always)]
    fn run<O: Op<Self>>(self, op: O) -> O::Out {
        #[target_feature(
            enable = "avx512f,avx512bw,vaes,vpclmulqdq,avx2,aes,pclmulqdq,ssse3,sse4.1,popcnt,bmi1,bmi2,lzcnt"
        )]
        fn enter<O: Op<Vaes512>>(isa: Vaes512, op: O) -> O::Out {
            op.call(isa)
        }
        // SAFETY: `self` proves that the processor has these features
        unsafe { enter(self, op) }
    }

    #[inline(always)]
    fn load(self, src: &[Block]) -> __m512i {
        assert!(src.len() == Self::BLOCKS);
        // SAFETY: 64 bytes of `src`, any alignment; `self` proves AVX-512F
        unsafe { _mm512_loadu_si512(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m512i, dst: &mut [Block]) {
        assert!(dst.len() == Self::BLOCKS);
        // SAFETY: 64 bytes of `dst`, any alignment; `self` proves AVX-512F
        unsafe { _mm512_storeu_si512(dst.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat(self, x: Block) -> __m512i {
        self.load(&[x; 4])
    }

    #[inline(always)]
    fn counters(self, first: u64) -> __m512i {
        let first = first as i64;
        // SAFETY: `self` proves AVX-512F
        unsafe {
            let first = _mm512_set_epi64(0, first, 0, first, 0, first, 0, first);
            _mm512_add_epi64(first, _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0))
        }
    }

    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_xor_si512(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn sigma(self, x: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe {
            let high = _mm512_and_si512(x, _mm512_set_epi64(-1, 0, -1, 0, -1, 0, -1, 0));
            _mm512_xor_si512(_mm512_shuffle_epi32(x, 0b01_00_11_10), high)
        }
    }

    #[inline(always)]
    fn round(self, x: __m512i, key: __m512i) -> __m512i {
        // SAFETY: `self` proves VAES and AVX-512F
        unsafe { _mm512_aesenc_epi128(x, key) }
    }

    #[inline(always)]
    fn hold(self, x: __m512i) -> __m512i {
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn held(mut x: __m512i) -> __m512i {
            // SAFETY: no instruction
            unsafe { asm!("/* {0} */", inout(zmm_reg) x, options(nomem, nostack, preserves_flags)) }
            x
        }
        // SAFETY: `self` proves AVX-512F
        unsafe { held(x) }
    }

    #[inline(always)]
    fn last_round(self, x: __m512i, key: __m512i) -> __m512i {
        // SAFETY: `self` proves VAES and AVX-512F
        unsafe { _mm512_aesenclast_epi128(x, key) }
    }

    #[inline(always)]
    fn pairs(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        // SAFETY: `self` proves AVX-512F
        unsafe {
            // 64-bit words, 0..8 of `a` and 8..16 of `b`
            let first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            (_mm512_permutex2var_epi64(a, first, b), _mm512_permutex2var_epi64(a, second, b))
        }
    }

    #[inline(always)]
    fn add_halves(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_add_epi64(a, b) }
    }

    #[inline(always)]
    fn equal_halves(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_maskz_set1_epi64(_mm512_cmpeq_epi64_mask(a, b), -1) }
    }

    #[inline(always)]
    fn spread_bit_1(self, x: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_srai_epi32(_mm512_slli_epi32(_mm512_shuffle_epi32(x, 0), 30), 31) }
    }

    #[inline(always)]
    fn fold(self, v: __m512i) -> Block {
        // SAFETY: `self` proves AVX-512F
        let halves = unsafe { [_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1)] };
        self.0.fold(self.0.xor(halves[0], halves[1]))
    }
}

impl ProductIsa for Vaes512 {
    type Single = AesNi;
    type Pair = Vaes256;

    #[inline(always)]
    fn single(self) -> AesNi {
        self.0.single()
    }

    #[inline(always)]
    fn pair(self) -> Vaes256 {
        self.0
    }

    #[inline(always)]
    fn product<const UPPER_A: bool, const UPPER_B: bool>(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves VPCLMULQDQ and AVX-512F
        unsafe {
            match (UPPER_A, UPPER_B) {
                (false, false) => _mm512_clmulepi64_epi128::<0x00>(a, b),
                (true, false) => _mm512_clmulepi64_epi128::<0x01>(a, b),
                (false, true) => _mm512_clmulepi64_epi128::<0x10>(a, b),
                (true, true) => _mm512_clmulepi64_epi128::<0x11>(a, b),
            }
        }
    }

    #[inline(always)]
    fn lower_halves(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_unpacklo_epi64(a, b) }
    }

    #[inline(always)]
    fn upper_halves(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe { _mm512_unpackhi_epi64(a, b) }
    }

    #[inline(always)]
    fn load_words(self, src: &[u64]) -> __m512i {
        assert!(src.len() == 2 * Self::BLOCKS);
        // SAFETY: 64 bytes of `src`, any alignment; `self` proves AVX-512F
        unsafe { _mm512_loadu_si512(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_words(self, v: __m512i, dst: &mut [u64]) {
        assert!(dst.len() == 2 * Self::BLOCKS);
        // SAFETY: 64 bytes of `dst`, any alignment; `self` proves AVX-512F
        unsafe { _mm512_storeu_si512(dst.as_mut_ptr().cast(), v) }
    }
}

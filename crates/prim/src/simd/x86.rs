//! x86-64: AES-NI, and VAES on 256- and 512-bit vectors.

use super::{ByteIsa, Isa, Op};
use crate::{Block, Ring};
use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;

/// AES-NI with SSE4.1. A value exists only where the processor has them.
#[derive(Clone, Copy)]
pub(crate) struct AesNi(());

impl AesNi {
    pub fn detect() -> Option<Self> {
        (has!("aes") && has!("ssse3") && has!("sse4.1") && has!("popcnt")).then_some(Self(()))
    }
}

impl Isa for AesNi {
    type V = __m128i;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn run<O: Op<Self>>(self, op: O) -> O::Out {
        #[target_feature(enable = "aes,ssse3,sse4.1,popcnt")]
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
    fn last_round(self, x: __m128i, key: __m128i) -> __m128i {
        // SAFETY: `self` proves AES-NI
        unsafe { _mm_aesenclast_si128(x, key) }
    }

    #[inline(always)]
    fn pairs(self, a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        (a, b)
    }

    #[inline(always)]
    fn place_mask(self, first: u32, at: u32) -> __m128i {
        // SAFETY: SSE2 is part of x86-64
        unsafe { _mm_cmpeq_epi32(_mm_setzero_si128(), _mm_set1_epi32(at.wrapping_sub(first) as i32)) }
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

/// VAES on 256-bit vectors, with AVX2. A value exists only where the processor has them.
#[derive(Clone, Copy)]
pub(crate) struct Vaes256(AesNi);

impl Vaes256 {
    pub fn detect() -> Option<Self> {
        let wide = has!("vaes") && has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt");
        AesNi::detect().filter(|_| wide).map(Self)
    }
}

impl Isa for Vaes256 {
    type V = __m256i;
    const BLOCKS: usize = 2;

    #[inline(always)]
    fn run<O: Op<Self>>(self, op: O) -> O::Out {
        #[target_feature(enable = "vaes,avx2,aes,ssse3,sse4.1,popcnt,bmi1,bmi2,lzcnt")]
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
    fn place_mask(self, first: u32, at: u32) -> __m256i {
        // SAFETY: `self` proves AVX2
        unsafe {
            let places = _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0);
            _mm256_cmpeq_epi32(places, _mm256_set1_epi32(at.wrapping_sub(first) as i32))
        }
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
        #[target_feature(enable = "avx512f,avx512bw,vaes,avx2,aes,ssse3,sse4.1,popcnt,bmi1,bmi2,lzcnt")]
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
    fn place_mask(self, first: u32, at: u32) -> __m512i {
        // SAFETY: `self` proves AVX-512F
        unsafe {
            let places = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
            let at = _mm512_set1_epi64(i64::from(at) - i64::from(first));
            _mm512_maskz_set1_epi64(_mm512_cmpeq_epi64_mask(places, at), -1)
        }
    }

    #[inline(always)]
    fn fold(self, v: __m512i) -> Block {
        // SAFETY: `self` proves AVX-512F
        let halves = unsafe { [_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1)] };
        self.0.fold(self.0.xor(halves[0], halves[1]))
    }
}

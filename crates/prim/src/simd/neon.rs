//! AArch64: Advanced SIMD with the AES extension.

use super::{ByteIsa, Isa, Op, ProductIsa};
use crate::{Block, Ring};
use std::arch::aarch64::*;
use std::arch::asm;
use std::arch::is_aarch64_feature_detected as has;

/// Advanced SIMD and AES. A value exists only where the processor has them.
#[derive(Clone, Copy)]
pub(crate) struct Neon(());

impl Neon {
    pub fn detect() -> Option<Self> {
        (has!("neon") && has!("aes")).then_some(Self(()))
    }
}

impl Isa for Neon {
    type V = uint8x16_t;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn run<O: Op<Self>>(self, op: O) -> O::Out {
        #[target_feature(enable = "neon,aes")]
        fn enter<O: Op<Neon>>(isa: Neon, op: O) -> O::Out {
            op.call(isa)
        }
        // SAFETY: `self` proves that the processor has these features
        unsafe { enter(self, op) }
    }

    #[inline(always)]
    fn load(self, src: &[Block]) -> uint8x16_t {
        assert!(src.len() == Self::BLOCKS);
        // SAFETY: 16 bytes of `src`, any alignment; `self` proves Advanced SIMD
        unsafe { vld1q_u8(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: uint8x16_t, dst: &mut [Block]) {
        assert!(dst.len() == Self::BLOCKS);
        // SAFETY: 16 bytes of `dst`, any alignment; `self` proves Advanced SIMD
        unsafe { vst1q_u8(dst.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat(self, x: Block) -> uint8x16_t {
        self.load(&[x])
    }

    #[inline(always)]
    fn counters(self, first: u64) -> uint8x16_t {
        self.load(&[Block(u128::from(first))])
    }

    #[inline(always)]
    fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { veorq_u8(a, b) }
    }

    #[inline(always)]
    fn and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vandq_u8(a, b) }
    }

    #[inline(always)]
    fn sigma(self, x: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe {
            let zero = vdupq_n_u8(0);
            // (L || R) with its halves swapped is (R || L); (L || 0) turns R into L ^ R
            let high = vextq_u8::<8>(zero, vextq_u8::<8>(x, zero));
            veorq_u8(vextq_u8::<8>(x, x), high)
        }
    }

    #[inline(always)]
    fn round(self, x: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves AES
        unsafe { veorq_u8(mix_columns(sub_shift(x)), key) }
    }

    #[inline(always)]
    fn hold(self, x: uint8x16_t) -> uint8x16_t {
        #[inline]
        #[target_feature(enable = "neon")]
        fn held(mut x: uint8x16_t) -> uint8x16_t {
            // SAFETY: no instruction
            unsafe { asm!("/* {0:v} */", inout(vreg) x, options(nomem, nostack, preserves_flags)) }
            x
        }
        // SAFETY: `self` proves Advanced SIMD
        unsafe { held(x) }
    }

    #[inline(always)]
    fn last_round(self, x: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves AES
        unsafe { veorq_u8(sub_shift(x), key) }
    }

    #[inline(always)]
    fn pairs(self, a: uint8x16_t, b: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
        (a, b)
    }

    #[inline(always)]
    fn add_halves(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b))) }
    }

    #[inline(always)]
    fn equal_halves(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vreinterpretq_u8_u64(vceqq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b))) }
    }

    #[inline(always)]
    fn spread_bit_1(self, x: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe {
            let low = vdupq_laneq_s32(vreinterpretq_s32_u8(x), 0);
            vreinterpretq_u8_s32(vshrq_n_s32(vshlq_n_s32(low, 30), 31))
        }
    }

    #[inline(always)]
    fn fold(self, v: uint8x16_t) -> Block {
        let mut out = [Block::ZERO];
        self.store(v, &mut out);
        out[0]
    }
}

impl ByteIsa for Neon {
    #[inline(always)]
    fn next_bytes(self, low: uint8x16_t, high: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vextq_u8::<1>(low, high) }
    }

    #[inline(always)]
    fn permute_bytes(self, v: uint8x16_t, places: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vqtbl1q_u8(v, places) }
    }

    #[inline(always)]
    fn zip_bytes(self, a: uint8x16_t, b: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { (vzip1q_u8(a, b), vzip2q_u8(a, b)) }
    }

    #[inline(always)]
    fn high_halves(self, x: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vshrq_n_u8(x, 4) }
    }

    #[inline(always)]
    fn upper_bytes(self, x: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vreinterpretq_u8_u16(vshrq_n_u16(vreinterpretq_u16_u8(x), 8)) }
    }

    #[inline(always)]
    fn splat_word(self, x: u64) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vreinterpretq_u8_u64(vdupq_n_u64(x)) }
    }

    #[inline(always)]
    fn has_bits<R: Ring>(self, x: uint8x16_t, bits: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe {
            let x = vandq_u8(x, bits);
            match R::WIDTH {
                8 => vceqq_u8(x, bits),
                16 => vreinterpretq_u8_u16(vceqq_u16(vreinterpretq_u16_u8(x), vreinterpretq_u16_u8(bits))),
                32 => vreinterpretq_u8_u32(vceqq_u32(vreinterpretq_u32_u8(x), vreinterpretq_u32_u8(bits))),
                _ => vreinterpretq_u8_u64(vceqq_u64(vreinterpretq_u64_u8(x), vreinterpretq_u64_u8(bits))),
            }
        }
    }

    #[inline(always)]
    fn add<R: Ring>(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe {
            match R::WIDTH {
                8 => vaddq_u8(a, b),
                16 => vreinterpretq_u8_u16(vaddq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b))),
                32 => vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b))),
                _ => vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b))),
            }
        }
    }
}

impl ProductIsa for Neon {
    type Single = Self;
    type Pair = Self;

    #[inline(always)]
    fn single(self) -> Self {
        self
    }

    #[inline(always)]
    fn pair(self) -> Self {
        self
    }

    #[inline(always)]
    fn product<const UPPER_A: bool, const UPPER_B: bool>(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        #[inline]
        #[target_feature(enable = "neon,aes")]
        fn multiply<const UPPER_A: bool, const UPPER_B: bool>(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            let (a, b) = (vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b));
            let a = if UPPER_A { vgetq_lane_u64::<1>(a) } else { vgetq_lane_u64::<0>(a) };
            let b = if UPPER_B { vgetq_lane_u64::<1>(b) } else { vgetq_lane_u64::<0>(b) };
            vreinterpretq_u8_p128(vmull_p64(a, b))
        }
        // SAFETY: `self` proves AES, which PMULL on words is part of
        unsafe { multiply::<UPPER_A, UPPER_B>(a, b) }
    }

    #[inline(always)]
    fn lower_halves(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b))) }
    }

    #[inline(always)]
    fn upper_halves(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: `self` proves Advanced SIMD
        unsafe { vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b))) }
    }

    #[inline(always)]
    fn load_words(self, src: &[u64]) -> uint8x16_t {
        assert!(src.len() == 2 * Self::BLOCKS);
        // SAFETY: 16 bytes of `src`, any alignment; `self` proves Advanced SIMD
        unsafe { vreinterpretq_u8_u64(vld1q_u64(src.as_ptr())) }
    }

    #[inline(always)]
    fn store_words(self, v: uint8x16_t, dst: &mut [u64]) {
        assert!(dst.len() == 2 * Self::BLOCKS);
        // SAFETY: 16 bytes of `dst`, any alignment; `self` proves Advanced SIMD
        unsafe { vst1q_u64(dst.as_mut_ptr(), vreinterpretq_u64_u8(v)) }
    }
}

/// SubBytes and ShiftRows. The instruction adds a round key first, not last: here zero.
#[inline]
#[target_feature(enable = "neon,aes")]
fn sub_shift(x: uint8x16_t) -> uint8x16_t {
    vaeseq_u8(x, vdupq_n_u8(0))
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn mix_columns(x: uint8x16_t) -> uint8x16_t {
    vaesmcq_u8(x)
}

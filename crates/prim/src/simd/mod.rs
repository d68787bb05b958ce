//! Instruction sets, chosen at run time.
//!
//! Every kernel is written once, as an `Op` over an instruction set (`Isa`). The value of an
//! `Isa` type is the proof that the processor has its instructions: it can only be had from
//! `detect`, so the kernels themselves are safe code. `Portable` is the twin that runs everywhere.

mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod table;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use lanes::LaneIsa;
pub(crate) use portable::Portable;
pub(crate) use table::Table;

use crate::{Block, Ring};
use std::sync::OnceLock;

/// A set of processor instructions that the kernels can be run with. All give equal results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernel {
    /// Any processor: bitsliced AES on 128-bit integers, no tables.
    Portable,
    /// x86-64: AES-NI, PCLMULQDQ, SSE4.1 and SSSE3.
    AesNi,
    /// x86-64: VAES and VPCLMULQDQ on 256-bit vectors, AVX2.
    Vaes256,
    /// x86-64: VAES and VPCLMULQDQ on 512-bit vectors, AVX-512F and AVX-512BW.
    Vaes512,
    /// AArch64: Advanced SIMD with the AES extension, PMULL among it.
    Neon,
}

impl Kernel {
    /// The fastest supported kernel, found once.
    pub fn active() -> Kernel {
        static ACTIVE: OnceLock<Kernel> = OnceLock::new();
        *ACTIVE.get_or_init(|| *Kernel::supported().last().expect("the portable kernel is always there"))
    }

    /// All kernels that this processor can run, slowest first.
    pub fn supported() -> Vec<Kernel> {
        use Kernel::*;
        [Portable, AesNi, Vaes256, Vaes512, Neon].into_iter().filter(|k| k.detect().is_some()).collect()
    }

    /// Lower-case name, for reports.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            Kernel::AesNi => "aes-ni",
            Kernel::Vaes256 => "vaes-256",
            Kernel::Vaes512 => "vaes-512",
            Kernel::Neon => "neon",
        }
    }

    /// # Panics
    /// If this processor does not support the kernel.
    pub(crate) fn engine(self) -> Engine {
        self.detect().unwrap_or_else(|| panic!("this processor lacks the {} kernel", self.name()))
    }

    fn detect(self) -> Option<Engine> {
        match self {
            Kernel::Portable => Some(Engine::Portable(Portable)),
            #[cfg(target_arch = "x86_64")]
            Kernel::AesNi => x86::AesNi::detect().map(Engine::AesNi),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vaes256 => x86::Vaes256::detect().map(Engine::Vaes256),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vaes512 => x86::Vaes512::detect().map(Engine::Vaes512),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => neon::Neon::detect().map(Engine::Neon),
            _ => None,
        }
    }
}

/// The largest [`Isa::BLOCKS`].
pub(crate) const MAX_BLOCKS: usize = 8;

/// A kernel with the proof that this processor supports it.
#[derive(Clone, Copy)]
pub(crate) enum Engine {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    AesNi(x86::AesNi),
    #[cfg(target_arch = "x86_64")]
    Vaes256(x86::Vaes256),
    #[cfg(target_arch = "x86_64")]
    Vaes512(x86::Vaes512),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
}

impl Engine {
    /// Runs `op` with this engine's instructions.
    #[inline]
    pub fn run<T, O: AnyOp<T>>(self, op: O) -> T {
        match self {
            Engine::Portable(isa) => isa.run(op),
            #[cfg(target_arch = "x86_64")]
            Engine::AesNi(isa) => isa.run(op),
            #[cfg(target_arch = "x86_64")]
            Engine::Vaes256(isa) => isa.run(op),
            #[cfg(target_arch = "x86_64")]
            Engine::Vaes512(isa) => isa.run(op),
            #[cfg(target_arch = "aarch64")]
            Engine::Neon(isa) => isa.run(op),
        }
    }
}

impl Engine {
    /// Runs `op` with this engine's vectors, or gives it back if there are none.
    #[inline]
    pub fn run_bytes<T, O: AnyByteOp<T>>(self, op: O) -> Result<T, O> {
        match self {
            Engine::Portable(_) => Err(op),
            #[cfg(target_arch = "x86_64")]
            Engine::AesNi(isa) => Ok(isa.run(op)),
            #[cfg(target_arch = "x86_64")]
            Engine::Vaes256(isa) => Ok(isa.run(op)),
            #[cfg(target_arch = "x86_64")]
            Engine::Vaes512(isa) => Ok(isa.half().run(op)),
            #[cfg(target_arch = "aarch64")]
            Engine::Neon(isa) => Ok(isa.run(op)),
        }
    }
}

impl Engine {
    /// Runs `op` with this engine's carry-less products, or gives it back if there are none.
    #[inline]
    pub fn run_products<T, O: AnyProductOp<T>>(self, op: O) -> Result<T, O> {
        match self {
            Engine::Portable(_) => Err(op),
            #[cfg(target_arch = "x86_64")]
            Engine::AesNi(isa) => Ok(isa.run(op)),
            #[cfg(target_arch = "x86_64")]
            Engine::Vaes256(isa) => Ok(isa.run(op)),
            #[cfg(target_arch = "x86_64")]
            Engine::Vaes512(isa) => Ok(isa.run(op)),
            #[cfg(target_arch = "aarch64")]
            Engine::Neon(isa) => Ok(isa.run(op)),
        }
    }
}

/// A kernel body. `call` must be `#[inline(always)]`, so that it is compiled with the
/// instructions of the function that `Isa::run` enters.
pub(crate) trait Op<S: Isa> {
    type Out;
    fn call(self, isa: S) -> Self::Out;
}

/// An `Op` for every instruction set of this architecture.
#[cfg(target_arch = "x86_64")]
pub(crate) trait AnyOp<T>:
    Op<Portable, Out = T> + Op<x86::AesNi, Out = T> + Op<x86::Vaes256, Out = T> + Op<x86::Vaes512, Out = T>
{
}
#[cfg(target_arch = "x86_64")]
impl<T, O> AnyOp<T> for O where
    O: Op<Portable, Out = T>
        + Op<x86::AesNi, Out = T>
        + Op<x86::Vaes256, Out = T>
        + Op<x86::Vaes512, Out = T>
{
}

#[cfg(target_arch = "aarch64")]
pub(crate) trait AnyOp<T>: Op<Portable, Out = T> + Op<neon::Neon, Out = T> {}
#[cfg(target_arch = "aarch64")]
impl<T, O: Op<Portable, Out = T> + Op<neon::Neon, Out = T>> AnyOp<T> for O {}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) trait AnyOp<T>: Op<Portable, Out = T> {}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl<T, O: Op<Portable, Out = T>> AnyOp<T> for O {}

/// An `Op` for every instruction set of this architecture that has [`ByteIsa`].
#[cfg(target_arch = "x86_64")]
pub(crate) trait AnyByteOp<T>: Op<x86::AesNi, Out = T> + Op<x86::Vaes256, Out = T> {}
#[cfg(target_arch = "x86_64")]
impl<T, O: Op<x86::AesNi, Out = T> + Op<x86::Vaes256, Out = T>> AnyByteOp<T> for O {}
#[cfg(target_arch = "aarch64")]
pub(crate) trait AnyByteOp<T>: Op<neon::Neon, Out = T> {}
#[cfg(target_arch = "aarch64")]
impl<T, O: Op<neon::Neon, Out = T>> AnyByteOp<T> for O {}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) trait AnyByteOp<T> {}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl<T, O> AnyByteOp<T> for O {}

/// An `Op` for every instruction set of this architecture that has [`ProductIsa`].
#[cfg(target_arch = "x86_64")]
pub(crate) trait AnyProductOp<T>:
    Op<x86::AesNi, Out = T> + Op<x86::Vaes256, Out = T> + Op<x86::Vaes512, Out = T>
{
}
#[cfg(target_arch = "x86_64")]
impl<T, O> AnyProductOp<T> for O where
    O: Op<x86::AesNi, Out = T> + Op<x86::Vaes256, Out = T> + Op<x86::Vaes512, Out = T>
{
}
#[cfg(target_arch = "aarch64")]
pub(crate) trait AnyProductOp<T>: Op<neon::Neon, Out = T> {}
#[cfg(target_arch = "aarch64")]
impl<T, O: Op<neon::Neon, Out = T>> AnyProductOp<T> for O {}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) trait AnyProductOp<T> {}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl<T, O> AnyProductOp<T> for O {}

/// Vectors of [`BLOCKS`](Isa::BLOCKS) blocks and what the kernels do with them.
pub(crate) trait Isa: Copy {
    /// A vector of `BLOCKS` blocks.
    type V: Copy;
    /// Blocks in a vector.
    const BLOCKS: usize;

    /// Enters a function compiled for this instruction set.
    fn run<O: Op<Self>>(self, op: O) -> O::Out;

    /// `src` has exactly `BLOCKS` blocks.
    fn load(self, src: &[Block]) -> Self::V;
    /// `dst` has exactly `BLOCKS` blocks.
    fn store(self, v: Self::V, dst: &mut [Block]);
    /// The block in every place.
    fn splat(self, x: Block) -> Self::V;
    /// The blocks `first, first + 1, ..`, in 64 bits.
    fn counters(self, first: u64) -> Self::V;
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    /// `sigma(L || R) = (L ^ R || L)` on each block, see [`crate::hash::sigma`].
    fn sigma(self, x: Self::V) -> Self::V;
    /// A full AES round: SubBytes, ShiftRows, MixColumns, XOR of the round key.
    fn round(self, x: Self::V, key: Self::V) -> Self::V;
    /// `x`, and an end to what the compiler may put before or after it: what is held first is ready first.
    fn hold(self, x: Self::V) -> Self::V;
    /// The last AES round, without MixColumns.
    fn last_round(self, x: Self::V, key: Self::V) -> Self::V;
    /// The `2 * BLOCKS` blocks `a_0, b_0, a_1, b_1, ..`.
    fn pairs(self, a: Self::V, b: Self::V) -> (Self::V, Self::V);
    /// Adds 64-bit halves of blocks.
    fn add_halves(self, a: Self::V, b: Self::V) -> Self::V;
    /// All ones in the 64-bit halves of blocks that are equal, zero in the others.
    fn equal_halves(self, a: Self::V, b: Self::V) -> Self::V;
    /// All ones in the blocks whose bit 1 is set, zero in the others.
    fn spread_bit_1(self, x: Self::V) -> Self::V;
    /// XOR of the blocks of a vector.
    fn fold(self, v: Self::V) -> Block;
}

/// Vectors with instructions for their bytes and words.
pub(crate) trait ByteIsa: Isa {
    /// In each block: bytes 1 and up of `low`, then byte 0 of `high`.
    fn next_bytes(self, low: Self::V, high: Self::V) -> Self::V;
    /// Byte `p` of each block is the byte at place `places[p] < 16` of the same block of `v`.
    fn permute_bytes(self, v: Self::V, places: Self::V) -> Self::V;
    /// The bytes of the low halves of `a` and `b` in turn, in each block, and those of the high halves.
    fn zip_bytes(self, a: Self::V, b: Self::V) -> (Self::V, Self::V);
    /// The four high bits of every byte, as its low ones.
    fn high_halves(self, x: Self::V) -> Self::V;
    /// The upper byte of every 16 bits, as the lower one.
    fn upper_bytes(self, x: Self::V) -> Self::V;
    /// The word in every 64 bits.
    fn splat_word(self, x: u64) -> Self::V;
    /// All ones in the words of `R` where `x & bits == bits`, zero in the others.
    fn has_bits<R: Ring>(self, x: Self::V, bits: Self::V) -> Self::V;
    /// Adds words of `R`.
    fn add<R: Ring>(self, a: Self::V, b: Self::V) -> Self::V;
}

/// Vectors with carry-less products of the 64-bit halves of their blocks.
pub(crate) trait ProductIsa: Isa {
    /// The same instructions on single blocks.
    type Single: ProductIsa;
    /// Those on two blocks, or on single ones if there are none.
    type Pair: ProductIsa;

    fn single(self) -> Self::Single;
    fn pair(self) -> Self::Pair;
    /// The carry-less product of a half of each block of `a` and one of the same block of `b`, the upper ones if so.
    fn product<const UPPER_A: bool, const UPPER_B: bool>(self, a: Self::V, b: Self::V) -> Self::V;
    /// Of each block: the lower half of `a`, and above it that of `b`.
    fn lower_halves(self, a: Self::V, b: Self::V) -> Self::V;
    /// Of each block: the upper half of `a`, and above it that of `b`.
    fn upper_halves(self, a: Self::V, b: Self::V) -> Self::V;
    /// `src` has exactly `2 * BLOCKS` words, two a block.
    fn load_words(self, src: &[u64]) -> Self::V;
    /// `dst` has exactly `2 * BLOCKS` words.
    fn store_words(self, v: Self::V, dst: &mut [u64]);
}

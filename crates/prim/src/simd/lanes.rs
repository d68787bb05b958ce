//! Vectors of 32-bit numbers.

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::Isa;

/// Vectors of [`LANES`](LaneIsa::LANES) numbers of 32 bits and what the kernels do with them, mod `2^32`.
pub(crate) trait LaneIsa: Isa {
    /// A vector of `LANES` numbers.
    type L: Copy;
    /// Half of a vector's numbers, in 64 bits each: which of them, the kernels do not ask.
    type W: Copy;
    /// Numbers in a vector: a power of two.
    const LANES: usize;

    /// `src` has exactly `LANES` numbers.
    fn load_lanes(self, src: &[u32]) -> Self::L;
    /// `dst` has exactly `LANES` numbers.
    fn store_lanes(self, v: Self::L, dst: &mut [u32]);
    /// The number in every place.
    fn splat_lanes(self, x: u32) -> Self::L;
    fn add_lanes(self, a: Self::L, b: Self::L) -> Self::L;
    fn sub_lanes(self, a: Self::L, b: Self::L) -> Self::L;
    /// The lesser ones, as numbers without a sign.
    fn min_lanes(self, a: Self::L, b: Self::L) -> Self::L;
    /// The lower halves of the products.
    fn mul_low(self, a: Self::L, b: Self::L) -> Self::L;
    /// The products.
    fn mul_wide(self, a: Self::L, b: Self::L) -> [Self::W; 2];
    /// The upper halves of what [`mul_wide`](Self::mul_wide) gives, or of sums of that, in their places.
    fn high(self, products: [Self::W; 2]) -> Self::L;
    /// The lower ones.
    fn low(self, products: [Self::W; 2]) -> Self::L;
    fn add_wide(self, a: Self::W, b: Self::W) -> Self::W;
    /// `src` has exactly `LANES` words: of both halves of a vector.
    fn load_wide(self, src: &[u64]) -> [Self::W; 2];
    /// `dst` has exactly `LANES` words.
    fn store_wide(self, v: [Self::W; 2], dst: &mut [u64]);
    /// `LANES` vectors as rows of a matrix: its columns.
    fn transpose(self, rows: &mut [Self::L]);
}

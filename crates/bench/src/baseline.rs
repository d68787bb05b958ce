//! What stands only beside the papers' figures: measured if the program was built with its feature `baselines`.

#[cfg(not(feature = "baselines"))]
pub mod absent;
#[cfg(feature = "baselines")]
mod present;

use std::ops::Range;

use hushtable::operation::Evaluate;
#[cfg(feature = "baselines")]
pub use hushtable_baselines::ndss as nmt;
#[cfg(not(feature = "baselines"))]
use hushtable_columns::failure::Failure;
use hushtable_columns::failure::Result;

#[cfg(not(feature = "baselines"))]
pub use self::absent as nmt;
use crate::benchmark::Benchmark;

/// A baseline that is an operation.
#[cfg_attr(not(feature = "baselines"), allow(dead_code))] // asked for, and then refused
pub enum Baseline {
    /// `x >= y` by rotated tables: bits of the numbers and of a digit.
    Rotl { bits: u32, digit: u32 },
    /// In which of these intervals a number lies, as additive numbers.
    Intervals { bits: u32, intervals: Vec<Range<i64>> },
    /// Truncation by so many bits, and reduction.
    Reduction { bits: u32, cut: u32 },
    /// Digits of so many bits.
    Digits { bits: u32, digit: u32 },
    /// A circuit with triples from codes.
    Codes(Evaluate),
    /// Polynomials over pieces as long, with results of `ring` bits.
    Spline { bits: u32, ring: u32, degree: u32, coefficients: Vec<Vec<u64>> },
}

/// Refuses a baseline that was not built, before any work.
pub fn built(work: &dyn Benchmark) -> Result<()> {
    match work.is_baseline() {
        #[cfg(not(feature = "baselines"))]
        true => Err(failure()),
        _ => Ok(()),
    }
}

#[cfg(not(feature = "baselines"))]
fn failure() -> Failure {
    Failure::local("built without baselines; build with --features baselines")
}

//! What stands beside the tables of Xing et al., "Distributed Function Secret Sharing and Applications": their keys, and
//! gates of one opening.

mod additive_containment;
mod carry_lookup;
mod ggm;
mod one_round;
mod one_round_digits;
mod operations;
mod payload_gates;
mod piecewise;
mod words;

pub use additive_containment::AdditiveContainment;
pub use carry_lookup::MAX_CARRY_BITS;
pub use ggm::{GgmFunction, GgmKeys};
pub use one_round::{OneRoundExtension, OneRoundReduction, OneRoundTruncation};
pub use one_round_digits::OneRoundDigits;
pub use operations::{AdditiveIntervals, Digits, Reduction, Spline};
pub use payload_gates::{PayloadComparison, PayloadEquality};
pub use piecewise::{Piecewise, PiecewiseJob, SecretPiecewise};

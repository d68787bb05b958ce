//! Functions of fixed-point numbers, by name, and the public tables that hold their values.
//!
//! A number is an integer times `2^-fraction_bits`. A [`Domain`] is an interval of such numbers with `2^k`
//! of them, a [`Tabulated`] holds one value for each, and a lookup at `x - lo mod 2^k` is the function.

mod affine;
mod domain;
mod exponent;
mod exponential;
mod function;
mod gelu;
mod linear;
mod mantissa;
mod norm;
mod normalise;
mod reciprocal;
mod root;
mod softmax;
mod tabulated;

pub use affine::Affine;
pub use domain::{Bounds, Domain, MAX_INDEX_BITS};
pub use function::{Function, Tail};
pub use gelu::{Gelu, GeluJob, gelu};
pub use norm::{Norm, NormJob};
pub use reciprocal::{Reciprocal, ReciprocalJob};
pub use softmax::{Softmax, SoftmaxJob};
pub use tabulated::{MAX_VALUE_BITS, Tabulated, exact_fraction_bits};

//! Functions of rows of shared numbers, and what they are made of.

mod affine;
mod exponent;
mod exponential;
mod gelu;
mod mantissa;
mod norm;
mod normalise;
mod reciprocal;
mod root;
mod softmax;

pub use affine::Affine;
pub use gelu::{Gated, Gelu, GeluJob, Precision, gelu, silu};
pub use norm::{Norm, NormJob};
pub use reciprocal::{Reciprocal, ReciprocalJob};
pub use softmax::{Softmax, SoftmaxJob};

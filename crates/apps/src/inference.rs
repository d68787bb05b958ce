//! A transformer block between two parties: one knows the weights, the other the activations.
//!
//! [`Block`] is attention and the two layers behind it, each with a layer norm and with a residual; its
//! nonlinear parts are [`softmax_rows`](hushtable::math::Softmax), [`Gelu`](hushtable::math::Gelu) and
//! [`Norm`](hushtable::math::Norm). [`Transformer`] is several of them, one behind the other, for a text that may go on vector by
//! vector. Both parties know the shapes, and nothing else of the other's.
//! [`twin`] is the same in plain fixed-point numbers and in floating point.

mod block;
mod linear;
mod operation;
mod shape;
mod transformer;
pub mod twin;
mod weights;

pub use block::{Block, Cache};
pub use operation::BlockJob;
pub use shape::{BlockShape, Norms};
pub use transformer::{Transformer, TransformerShape};
pub use weights::{LinearWeights, NormWeights, Weights};

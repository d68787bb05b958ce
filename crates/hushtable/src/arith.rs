//! Arithmetic on shared numbers: products, truncation and comparison.
//!
//! Each is a type of one-time material with its bill, as [`Multiplication`]: prepared by a party for a batch, and
//! spent by a method that takes a session and the shares.

mod additive_to_xor;
mod angles;
mod beaver;
mod bit_product;
mod carry;
mod compare;
mod containment;
mod convolution;
mod decompose;
mod digits;
mod drawn;
mod equal;
mod extend;
pub mod fixed;
mod gilboa;
mod gram;
mod hamming;
mod interval;
mod lattice;
mod lattice_triples;
mod layer;
mod linear;
mod lookup_digits;
mod matrix;
mod maximum;
mod millionaires;
mod onehot_digits;
mod order;
mod plan;
mod product;
mod radians;
mod row_multiple;
mod row_product;
mod select;
mod sides;
mod small;
mod thermometer;
mod tree;
mod truncate;
mod xor_to_additive;

pub use crate::bill::Objective;
pub use additive_to_xor::AdditiveToXor;
pub use angles::{AngleJob, Angles};
pub use beaver::ProductTriples;
pub use compare::{CompareDomain, CompareJob, Comparison};
pub use containment::Containment;
pub use convolution::ConvolutionShape;
pub use decompose::{Decomposition, carry_free_split};
pub use drawn::DrawnEquality;
pub use equal::Equality;
pub use extend::{BoundedExtension, Extension};
pub use fixed::Fixed;
pub use gram::{Gram, GramJob};
pub use hamming::HammingEquality;
pub use interval::{below, equal_to, inside};
pub(crate) use lattice::cheapest_block;
pub use lattice::{LatticeJob, LatticeProduct};
pub use lattice_triples::LatticeTriplesJob;
pub use layer::{Layer, LayerJob};
pub use linear::{LinearJob, LinearProduct, LinearShape};
pub use matrix::{MatrixJob, MatrixProduct, MatrixShape, public_times_shared, shared_times_public};
pub use maximum::VectorMaximum;
pub use millionaires::Millionaires;
pub use plan::{ComparePlan, DigitMethod};
pub use product::{FoldedProducts, KnownProducts, Multiplication, Squares};
pub use radians::Radians;
pub(crate) use row_multiple::{RowMultiples, RowMultiplesJob};
pub(crate) use row_product::{RowProductJob, RowProducts};
pub use select::{Absolute, Clamp, Maximum, Relu};
pub use sides::{Sides, SidesJob};
pub(crate) use sides::{Upper, UpperJob};
pub use small::SmallProducts;
pub use truncate::{
    FaithfulReduction, FaithfulTruncation, Truncation, insecure_truncate_local, truncate_reduce,
};
pub use xor_to_additive::XorToAdditive;

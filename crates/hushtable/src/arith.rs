//! Arithmetic on shared numbers: products, truncation and comparison.

mod beaver;
mod bit_product;
mod carry;
mod compare;
mod decompose;
mod digits;
mod equal;
mod extend;
pub mod fixed;
mod gilboa;
mod interval;
mod lookup_digits;
mod matrix;
mod millionaires;
mod plan;
mod product;
mod select;
mod small;
mod thermometer;
mod tree;
mod truncate;

pub use beaver::ProductTriples;
pub use compare::{CompareJob, Comparison, Domain};
pub use decompose::{Decomposition, carry_free_split};
pub use equal::Equality;
pub use extend::{Extension, sign_extend_bounded, zero_extend_bounded};
pub use fixed::Fixed;
pub use interval::{below, equal_to, inside};
pub use matrix::{Factor, Shape, matrix_product, public_times_shared, shared_times_public};
pub use millionaires::Millionaires;
pub use plan::{Method, Objective, Plan, PlanCost};
pub use product::{inner_products, multiply, multiply_numbers, multiply_rows, square};
pub use select::{Maximum, abs, clamp, max, relu, select};
pub use small::{Small, small_cots, times_both, times_sum};
pub use truncate::{FaithfulTruncation, insecure_truncate_local, truncate, truncate_reduce};

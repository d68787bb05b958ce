//! Arithmetic on shared numbers: products, truncation and comparison.

mod beaver;
mod bit_product;
mod carry;
mod compare;
mod digits;
mod extend;
mod gilboa;
mod lookup_digits;
mod matrix;
mod millionaires;
mod plan;
mod product;
mod thermometer;
mod tree;
mod truncate;

pub use beaver::ProductTriples;
pub use compare::{CompareJob, Comparison, Domain};
pub use extend::{Extension, sign_extend_bounded, zero_extend_bounded};
pub use matrix::{Factor, Shape, matrix_product, public_times_shared, shared_times_public};
pub use millionaires::Millionaires;
pub use plan::{Method, Objective, Plan, PlanCost};
pub use product::{inner_products, multiply, multiply_numbers, multiply_rows, square};
pub use truncate::{FaithfulTruncation, insecure_truncate_local, truncate, truncate_reduce};

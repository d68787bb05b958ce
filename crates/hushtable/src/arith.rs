//! Arithmetic on shared numbers: products, truncation and comparison.

mod beaver;
mod digits;
mod gilboa;
mod lookup_digits;
mod matrix;
mod millionaires;
mod plan;
mod product;
mod thermometer;
mod tree;

pub use beaver::ProductTriples;
pub use matrix::{Factor, Shape, matrix_product, public_times_shared, shared_times_public};
pub use millionaires::Millionaires;
pub use plan::{Method, Objective, Plan, PlanCost};
pub use product::{inner_products, multiply, multiply_numbers, multiply_rows, square};

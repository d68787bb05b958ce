//! The tests of `arith` alone, for whoever changes it: `make arith`. They are part of `all`, too.
#![allow(dead_code, reason = "what all tests share is more than these use")]

mod support;

mod additive_to_xor;
mod angles;
mod arith_compare;
mod arith_functions;
mod arith_joint_views;
mod arith_product;
mod arith_shared;
mod arith_sides;
mod arith_truncate;
mod arith_views;
mod arithmetic;
mod few_rounds;
mod lattice;
mod linear_layers;
mod many_layers;
mod xor_to_additive;

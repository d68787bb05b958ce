//! Negacyclic transforms of polynomials of degree below 8192, mod a prime below `2^30`, and sums of products.
//!
//! The transform of `x` are its values at the odd powers of a root psi of order 16384. So a product in
//! `Z_q[X]/(X^8192 + 1)` is one of values. Their order is the same for every kernel: part of what both parties see.
//!
//! Four stages pair numbers that are 512 or more apart. Then coefficient `512 k + r` moves to place `16 r + k`: in nine
//! further stages a vector's lanes have nothing to do with each other. Numbers are below `4 q` in between (Harvey, "Faster
//! arithmetic for number-theoretic transforms", 2014), and are multiplied by known ones after Shoup. No branch and no
//! address depends on a coefficient.

mod arithmetic;
mod linear;
mod sums;
mod transform;

pub use sums::Sums;
pub use transform::{DEGREE, Ntt, PRIMES, SHORT};

#[cfg(test)]
mod tests;

//! Functions of fixed-point numbers, by name, and the public tables that hold their values.
//!
//! A number is an integer times `2^-fraction_bits`. A [`Domain`] is an interval of such numbers with `2^k`
//! of them, a [`Tabulated`] holds one value for each, and a lookup at `x - lo mod 2^k` is the function.

mod domain;
mod function;
mod tabulated;

pub use domain::{Bounds, Domain, MAX_INDEX_BITS};
pub use function::{Function, Tail};
pub use tabulated::{MAX_VALUE_BITS, Tabulated, exact_fraction_bits};

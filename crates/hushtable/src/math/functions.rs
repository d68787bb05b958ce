//! What is public of a function: its values, its domain, what is asked of it and what is known of it.

mod card;
mod domain;
mod function;
mod options;
mod slope;
mod tabulated;
pub(super) mod target;
mod undefined;
pub(super) mod usual;

pub use card::{Accuracy, Card, TensorCard, rounded_up};
pub use domain::{Bounds, Domain, MAX_INDEX_BITS, fraction_bits};
pub use function::{Function, Tail};
pub use options::{Method, Options, Outside};
pub use tabulated::{MAX_VALUE_BITS, Tabulated, exact_fraction_bits};

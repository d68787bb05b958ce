//! Functions of fixed-point numbers: by name or any other, each with its card.
//!
//! An [`Evaluation`] is a public function at a given ring and scale. It knows how it is evaluated, how accurate
//! the results are and what they cost: its [`Card`]. It [prepares](Evaluation::prepare) one-time material, which
//! [evaluates](Prepared::eval) a batch of shared numbers.
//!
//! ```
//! use hushtable::{AShare, Party, Role, arith::Fixed, math::{Evaluation, Function, Options}, run_pair};
//!
//! let sigmoid = Evaluation::new(Function::Sigmoid, 16, 12, &Options::default())?;
//! let job = |p: &mut Party| {
//!     let mine = if p.role() == Role::P0 { 9000 } else { 4096u16.wrapping_sub(9000) };
//!     let x = Fixed::new(AShare::new(16, vec![mine]), 12)?; // 1.0
//!     sigmoid.prepare(p, 1)?.eval(p, &x)?.open(p)
//! };
//! let (y, _) = run_pair(Party::pair()?, job, job)?;
//! assert!((y[0] - 0.731).abs() < 0.001 && sigmoid.card().max_ulp() <= 1.0);
//! # Ok::<(), hushtable::Error>(())
//! ```
//!
//! Tables by themselves are a [`Domain`], an interval of `2^k` numbers, and a [`Tabulated`] with one value for
//! each; a lookup at `x - lo mod 2^k` is the function.

mod evaluation;
mod functions;
mod linear;
mod rows;
mod splines;
mod tables;

pub use evaluation::{Evaluation, Prepared, PreparedSinCos, SinCos, Suggestion};
pub use functions::{
    Accuracy, Bounds, Card, Domain, Function, MAX_INDEX_BITS, MAX_VALUE_BITS, Method, Options, Outside,
    Tabulated, Tail, TensorCard, exact_fraction_bits, fraction_bits, rounded_up,
};
pub use rows::{
    Affine, Gated, Gelu, GeluJob, Norm, NormJob, Precision, Reciprocal, ReciprocalJob, Softmax, SoftmaxJob,
    gelu, silu,
};

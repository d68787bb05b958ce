//! Function secret sharing without a dealer: keys of functions with a secret position.
//!
//! Both parties make keys together, of shares of a payload and of a position that neither knows. A key gives its
//! party shares of the function's values at public points, without the other party: evaluation takes `&self`, and any
//! number of times. What serves one opening only is [`Unplaced`], whose position is uniform, and which
//! [`at`](Unplaced::at) spends.
//!
//! | keys | value at x | position shared |
//! |---|---|---|
//! | [`Dpf`] | payload if `x = alpha` | additively or by XOR |
//! | [`Dcf`] | payload if `x < alpha`, or `x <= alpha` | additively or by XOR |

mod below;
mod correct;
mod function;
mod keys;
mod layout;
mod make;
mod point;
mod stored;
mod walk;

pub use below::{Below, Dcf, End};
pub use function::{Function, Placed, Unplaced};
pub use layout::{KeyShape, MAX_KEYS, MAX_POSITION_BITS, MAX_WORDS};
pub use point::{Dpf, PIECE_BITS, Point};

//! Each party's half of VOLEs.

use std::fmt;

use prim::{Wiped, block::Block};
use zeroize::Zeroizing;

/// The half of the party that knows Delta.
///
/// ```compile_fail,E0382
/// # use hushtable::ot::vole::Sender;
/// fn twice(v: Sender, consume: fn(Sender)) { consume(v); consume(v); } // use of moved value
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Sender {
    /// The secret difference of the session's correlated OTs in which this party sends: never sent, never printed.
    pub delta: Zeroizing<Block>,
    /// `v_i`.
    pub v: Wiped<Block>,
}

/// The other half.
#[derive(Default)]
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Receiver {
    /// `a_i`.
    pub a: Wiped<u64>,
    /// `w_i = v_i + a_i Delta`.
    pub w: Wiped<Block>,
}

impl Receiver {
    /// None, with room for so many.
    pub(super) fn with_room(count: usize) -> Self {
        let mut empty = Self::default();
        empty.a.reserve(count);
        empty.w.reserve(count);
        empty
    }
}

/// Prints the shape only.
impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({} VOLEs)", self.v.len())
    }
}

/// Prints the shape only.
impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receiver({} VOLEs)", self.w.len())
    }
}

//! Wires as gates read them: plain or negated.

use std::{fmt, ops::Not};

/// A wire, or its complement. Wire 0 is always false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The constant 0.
    pub const FALSE: Self = Self(0);
    /// The constant 1.
    pub const TRUE: Self = Self(1);
    /// Most wires of a form.
    pub const MOST: u32 = 1 << 30;

    /// A wire as it is.
    ///
    /// # Panics
    /// For more than [`Lit::MOST`] wires.
    pub fn of(wire: u32) -> Self {
        assert!(wire < Self::MOST, "wire {wire}");
        Self(wire << 1)
    }

    /// Which wire it is.
    pub fn wire(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is the complement.
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The complement if asked for.
    #[must_use]
    pub fn negate_if(self, negate: bool) -> Self {
        Self(self.0 ^ u32::from(negate))
    }

    /// The wire itself, without its negation.
    #[must_use]
    pub fn plain(self) -> Self {
        Self(self.0 & !1)
    }

    /// Its value in a constant; `None` for a wire that can be both.
    pub fn constant(self) -> Option<bool> {
        (self.wire() == 0).then_some(self.negated())
    }

    /// All ones if negated.
    pub fn mask(self) -> u64 {
        u64::from(self.0 & 1).wrapping_neg()
    }
}

impl Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        self.negate_if(true)
    }
}

impl fmt::Display for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated() {
            f.write_str("!")?;
        }
        write!(f, "{}", self.wire())
    }
}

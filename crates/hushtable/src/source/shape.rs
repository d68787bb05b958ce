//! What stored material depends on, and no more.

use std::fmt;

use super::{origin::Origin, trace::Trace};
use crate::{
    error::{Error, Result},
    net::Role,
};

/// Items whose atoms are looked at: whole bytes whatever the widths.
const SAMPLE: usize = 8;

/// What stored material is: which atoms, of which widths, and how many an item. Whatever has the same shape can spend
/// it: tables, ends of domains and constants are not part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// For people, of printable ASCII.
    pub text: String,
    /// Of all that the material depends on.
    pub digest: [u8; 32],
    /// Bits that an item takes on disk, at the party that has more.
    bits: usize,
    /// Bytes besides.
    fixed: usize,
}

impl Shape {
    /// The longest text.
    pub const LONGEST: usize = 200;

    /// Of what `make` makes for so many items. Of the text, printable ASCII is kept.
    ///
    /// # Errors
    /// Those of `make`; [`Error::Store`] for what cannot be stored, as items that share material.
    pub fn of(text: String, make: impl Fn(&mut Origin<'_>, usize) -> Result<()>) -> Result<Self> {
        let trace = |role, items| -> Result<Trace> {
            let mut trace = Trace::new(role);
            make(&mut Origin::traced(&mut trace), items)?;
            Ok(trace)
        };
        let (mut bits, mut fixed, mut digest) = (0, 0, None);
        for role in [Role::P0, Role::P1] {
            let [one, two] = [trace(role, SAMPLE)?, trace(role, 2 * SAMPLE)?];
            if !one
                .asked
                .iter()
                .map(|(atom, count)| (atom, 2 * count))
                .eq(two.asked.iter().map(|(a, n)| (a, *n)))
            {
                return Err(Error::Store(format!("nothing is stored for {text}: its items share material")));
            }
            bits = bits.max((two.bytes - one.bytes) * 8 / SAMPLE);
            fixed = fixed.max(one.bytes.saturating_sub(two.bytes - one.bytes));
            // The parties' atoms differ: one party sends what the other selects. P0's are hashed.
            digest = digest.or_else(|| Some(*one.digest().as_bytes()));
        }
        let digest = digest.expect("two roles");
        let printable = text.chars().filter(|c| *c == ' ' || c.is_ascii_graphic());
        Ok(Self { text: printable.take(Self::LONGEST).collect(), digest, bits, fixed })
    }

    /// Bytes of the material of so many items at a party, at most; exactly for multiples of 8, at the party that has
    /// more.
    pub fn bytes(&self, items: usize) -> usize {
        self.bits * items.div_ceil(8) + self.fixed
    }

    /// Bits that an item takes on disk.
    pub fn bits(&self) -> usize {
        self.bits
    }
}

/// With the first digits of the digest.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (shape {})", self.text, short(&self.digest))
    }
}

/// The first digits of a digest.
pub(crate) fn short(digest: &[u8; 32]) -> String {
    digest[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

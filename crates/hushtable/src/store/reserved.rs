//! Lookups that were handed out.

use std::sync::Arc;

use prim::ring::Ring;

use super::pieces::Pieces;
use crate::{
    error::{Error, Result},
    lut::Prepared,
    onehot::Group,
    share::Kind,
};

/// A range of a store that nobody else gets, now or after a crash. Not `Clone`.
///
/// ```compile_fail,E0599
/// # use hushtable::store::Reserved;
/// fn twice(reserved: Reserved) -> Reserved { reserved.clone() } // would be spent twice
/// ```
#[must_use = "what is reserved and not used is lost"]
pub struct Reserved {
    pub(super) pieces: Arc<Pieces>,
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Reserved {
    /// Number of lookups.
    pub fn len(&self) -> usize {
        (self.to - self.from) as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.from == self.to
    }

    /// Position of the first in the store.
    pub fn position(&self) -> u64 {
        self.from
    }

    /// Cuts off the first `m`, for a lane of their own.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are fewer.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        if m > self.len() {
            return Err(Error::Shape { what: "lookups reserved", want: m, got: self.len() });
        }
        let from = self.from;
        self.from += m as u64;
        Ok(Self { pieces: Arc::clone(&self.pieces), from, to: self.from })
    }

    /// Reads the material of the next lookups: `most` of them, or fewer where a file ends. The peer
    /// gets as many.
    ///
    /// # Errors
    /// [`Error::Store`] if the file is damaged or nothing is left, [`Error::Io`].
    pub fn load<G: Group, K: Kind, R: Ring>(&mut self, most: usize) -> Result<Prepared<G, K, R>> {
        if self.is_empty() {
            return Err(Error::Store("nothing is left of what was reserved".into()));
        }
        let number = self.pieces.at(self.from);
        let m = self.len().min(most).min((self.pieces.end(number) - self.from) as usize);
        let mut all = self.pieces.open::<G, K, R>(number)?;
        let before = (self.from - number * self.pieces.about().piece) as usize;
        self.from += m as u64;
        // The order in a piece is the one in which `take` cuts: from the back. Those before are
        // spent.
        drop(all.take(before)?);
        all.take(m)
    }
}

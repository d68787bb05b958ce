//! Lookups that were handed out.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use prim::ring::Ring;

use super::pieces::Pieces;
use crate::{
    error::{Error, Result},
    lut::Prepared,
    onehot::Group,
    share::Kind,
};

/// Positions of a store that nobody else gets in this session. Not `Clone`.
///
/// They are spent as they are loaded: what a process that is killed had not loaded stays in the store, as
/// far as it lies behind all that was.
///
/// ```compile_fail,E0599
/// # use hushtable::store::Reserved;
/// fn twice(reserved: Reserved) -> Reserved { reserved.clone() } // would be spent twice
/// ```
#[must_use = "what is reserved and not used is lost"]
pub struct Reserved {
    pub(super) pieces: Arc<Pieces>,
    /// In order, none empty.
    pub(super) ranges: VecDeque<Range<u64>>,
}

impl Reserved {
    /// Number of lookups.
    pub fn len(&self) -> usize {
        self.ranges.iter().map(|range| (range.end - range.start) as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Positions of the lookups in the store.
    pub fn positions(&self) -> impl Iterator<Item = u64> {
        self.ranges.iter().cloned().flatten()
    }

    /// Reads the material of the next lookups: `most` of them, or fewer where a file ends. The peer
    /// gets as many. They are durably marked as spent before they are read.
    ///
    /// # Errors
    /// [`Error::Store`] if the file is damaged or nothing is left; [`Error::Forked`] in a fork;
    /// [`Error::Io`].
    pub fn load<G: Group, K: Kind, R: Ring>(&mut self, most: usize) -> Result<Prepared<G, K, R>> {
        let Some(range) = self.ranges.front_mut() else {
            return Err(Error::Store("nothing is left of what was reserved".into()));
        };
        let from = range.start;
        let number = self.pieces.at(from);
        let to = range.end.min(self.pieces.end(number)).min(from.saturating_add(most as u64));
        // Whatever other lanes have reserved before this and not loaded is lost with it in a crash.
        self.pieces.spend(to)?;
        range.start = to;
        if range.is_empty() {
            self.ranges.pop_front();
        }
        let mut all = self.pieces.open::<G, K, R>(number)?;
        // The order in a piece is the one in which `take` cuts: from the back. Those before are
        // spent.
        drop(all.take((from - number * self.pieces.about().piece) as usize)?);
        all.take((to - from) as usize)
    }
}

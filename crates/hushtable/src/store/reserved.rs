//! Items that were handed out.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use zeroize::Zeroizing;

use super::pieces::Pieces;
use crate::{
    error::{Error, Result},
    operation::{Material, Operation},
    source::{self, Origin, Shape, Window},
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
    /// Number of items.
    pub fn len(&self) -> usize {
        self.ranges.iter().map(|range| (range.end - range.start) as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Positions of the items in the store.
    pub fn positions(&self) -> impl Iterator<Item = u64> {
        self.ranges.iter().cloned().flatten()
    }

    /// Reads the material of the next items: `most` of them, or fewer where a file ends. The peer
    /// gets as many. They are durably marked as spent before they are read.
    ///
    /// # Errors
    /// [`Error::Store`] for an operation of another shape, of which nothing is spent; if the file is damaged or
    /// nothing is left; [`Error::Forked`] in a fork; [`Error::Io`].
    pub fn load(&mut self, operation: &dyn Operation, most: usize) -> Result<Box<dyn Material>> {
        self.read(&operation.shape()?, most, |from, items| operation.material(from, items))
    }

    /// [`load`](Self::load) for what is no operation: `make` gets so many items of this shape.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn read<T>(
        &mut self,
        shape: &Shape,
        most: usize,
        make: impl FnOnce(&mut Origin<'_>, usize) -> Result<T>,
    ) -> Result<T> {
        self.pieces.fits(shape)?;
        let (number, window) = self.spend(most)?;
        let role = self.pieces.about().role;
        self.pieces.open(number, |bytes| source::read(bytes, role, window, |from| make(from, window.wanted)))
    }

    /// The bytes of each of the next items, for tests of what is at a position.
    #[doc(hidden)]
    pub fn insecure_bytes(
        &mut self,
        operation: &dyn Operation,
        most: usize,
    ) -> Result<Vec<Zeroizing<Vec<u8>>>> {
        self.pieces.fits(&operation.shape()?)?;
        let (number, window) = self.spend(most)?;
        let role = self.pieces.about().role;
        self.pieces.open(number, |bytes| {
            let one = |before| {
                let window = Window { before, wanted: 1, ..window };
                source::cut(bytes, role, window, |from| operation.material(from, 1))
            };
            (window.before..window.before + window.wanted).map(one).collect()
        })
    }

    /// Marks the next items as spent: the piece that they are in, and where.
    fn spend(&mut self, most: usize) -> Result<(u64, Window)> {
        let Some(range) = self.ranges.front_mut().filter(|_| most > 0) else {
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
        // The order in a piece is the one in which atoms are cut: from the back. Those before are spent.
        let before = (from - number * self.pieces.about().piece) as usize;
        Ok((number, Window { items: self.pieces.len(number), before, wanted: (to - from) as usize }))
    }
}

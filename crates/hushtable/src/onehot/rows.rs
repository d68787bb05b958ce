//! The rows of one-hot material, as long as tables: stored, or grown from half-trees when they are read.
//! To grow them again takes less time than to write them to memory and to read them.

use std::{ops::Range, sync::Arc};

use prim::{Ring, Wiped, block::Block, forest::LANES, hash::CcrHash, lookup, wipe};
use zeroize::Zeroizing;

use crate::tree::half_tree::{HalfTrees, lanes};

/// Lookups under one leaf key at most.
pub(crate) const LOOKUPS: usize = 1 << 20;

/// Words of stored rows that are read and wiped at once.
const PIECE: usize = 1 << 17;

/// A row of so many words for each of a batch of lookups.
pub(crate) enum Rows<T: Ring> {
    /// One after the other.
    Stored(Wiped<T>),
    /// Those of some trees; what is left of the same batch may have others.
    Grown(Arc<Trees<T>>, Range<usize>),
}

/// Half-trees, and what makes rows of their leaves.
pub(crate) struct Trees<T: Ring> {
    pub trees: HalfTrees,
    /// Those of the leaves, each for [`LOOKUPS`].
    pub keys: Vec<CcrHash>,
    /// The correction of each tree's leaves.
    pub words: Vec<Block>,
    /// How many ones each row has, mod 4, where it was made to be asked.
    pub weights: Zeroizing<Vec<u8>>,
    /// Words of a row.
    pub width: usize,
    /// Writes the rows of a group: from the leaves' key, the corrections, the leaves and the width.
    pub write: fn(&CcrHash, &[Block; LANES], &[Block], &mut [T], usize),
}

impl<T: Ring> Rows<T> {
    /// The rows of `batch` trees.
    pub(crate) fn grown(trees: Trees<T>, batch: usize) -> Self {
        Self::Grown(Arc::new(trees), 0..batch)
    }

    /// The rows of `width` words from number `left` on, cut off.
    pub(crate) fn split_off(&mut self, left: usize, width: usize) -> Self {
        match self {
            Self::Stored(rows) => {
                let cut = Wiped::from(rows[left * width..].to_vec());
                wipe(&mut rows[left * width..]);
                rows.truncate(left * width);
                Self::Stored(cut)
            }
            Self::Grown(trees, at) => {
                let cut = at.start + left..at.end;
                at.end = cut.start;
                Self::Grown(Arc::clone(trees), cut)
            }
        }
    }

    /// Lets `read` have all rows of `width` words, some after others, with their numbers.
    pub(crate) fn visit(&self, width: usize, mut read: impl FnMut(Range<usize>, &[T])) {
        match self {
            Self::Stored(rows) => read(0..rows.len() / width, rows),
            Self::Grown(trees, at) => trees.visit(at, |at, rows| read(at, rows)),
        }
    }

    /// The same, with rows that `read` may change; they are wiped when it has read them.
    pub(crate) fn spend(self, width: usize, mut read: impl FnMut(Range<usize>, &mut [T])) {
        match self {
            Self::Stored(mut rows) => {
                let piece = (PIECE / width).max(1);
                for (rows, from) in rows.chunks_mut(piece * width).zip((0..).step_by(piece)) {
                    read(from..from + rows.len() / width, rows);
                    wipe(rows); // while they are in the cache
                }
                drop(rows.into_vec()); // already wiped
            }
            Self::Grown(trees, at) => trees.visit(&at, read),
        }
    }

    /// All of them, one after the other.
    pub(crate) fn into_stored(self, width: usize) -> Wiped<T> {
        match self {
            Self::Stored(rows) => rows,
            Self::Grown(trees, at) => {
                let mut all = Wiped::from(Vec::with_capacity(at.len() * width));
                trees.visit(&at, |_, rows| all.extend_from_slice(rows));
                all
            }
        }
    }
}

#[cfg(test)]
impl<T: Ring> Rows<T> {
    /// Bytes in memory.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Stored(rows) => size_of::<T>() * rows.capacity(),
            Self::Grown(trees, _) => {
                trees.trees.held() + size_of::<Block>() * trees.words.capacity() + trees.weights.capacity()
            }
        }
    }
}

impl Rows<u64> {
    /// How many ones each row of `width` words has, mod 4.
    pub(crate) fn weights(&self, width: usize) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(match self {
            Self::Stored(rows) => {
                rows.chunks_exact(width).map(|row| (lookup::popcount(row) & 3) as u8).collect()
            }
            Self::Grown(trees, at) => trees.weights[at.clone()].to_vec(),
        })
    }
}

impl<T: Ring> Trees<T> {
    /// Bytes of a tree of this height and of the correction of its leaves.
    pub(crate) fn bytes(height: u32) -> usize {
        HalfTrees::bytes(height) + size_of::<Block>()
    }

    /// The key of a group's leaves.
    pub(crate) fn key(&self, group: usize) -> &CcrHash {
        &self.keys[group * LANES / LOOKUPS]
    }

    /// Grows the rows of some trees, a group after the other.
    fn visit(&self, trees: &Range<usize>, mut read: impl FnMut(Range<usize>, &mut [T])) {
        let (mut leaves, mut rows) = (self.trees.room(), Wiped::zeros(LANES * self.width));
        let mut from = trees.start;
        while from < trees.end {
            let (group, first) = (from / LANES, from % LANES);
            let last = (trees.end - group * LANES).min(LANES);
            self.trees.leaves(group, &mut leaves);
            let rows = &mut rows[..last * self.width];
            (self.write)(self.key(group), lanes(&self.words, group), &leaves, rows, self.width);
            let to = from + last - first;
            read(from - trees.start..to - trees.start, &mut rows[first * self.width..]);
            from = to;
        }
    }
}

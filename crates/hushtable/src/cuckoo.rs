//! Cuckoo tables: a bin of its own for every item, one of three.
//!
//! # Functionality
//! In: n distinct items of 128 bits. Out: a bin for each, one of the three that the item hashes to, no bin for two. The
//! bins come in three thirds and an item has one in each, so never the same bin twice.
//!
//! # Protocol
//! None, it is local: items are put in one after the other, along the shortest way to a free bin (breadth first). So an
//! item finds no bin only if there is no placement at all: then there is no second try and no stash.
//!
//! # Cost
//! `1.27 n` bins from 1897 items on, else `n + 512` ([`bins`]). There is no placement with probability `2^-44` at most
//! by a computed bound (`tests/data/okvs_bounds.json`), `2^-93` at `2^20`. Ways have few steps.
//!
//! # Source
//! join-spec 2, Cuckoo.

use prim::{Block, CcrHash, Wiped};

use crate::{
    chance::Chance,
    error::{Error, Result},
    net::Role,
    session::{Purpose, Session},
};

/// Most items of a table.
pub const MAX_ITEMS: usize = 1 << 24;

/// No item.
const EMPTY: u32 = u32::MAX;

/// Bins for so many items, or fewer: a multiple of 3.
///
/// # Errors
/// [`Error::Param`] for more than [`MAX_ITEMS`].
pub fn bins(items: usize) -> Result<usize> {
    if items > MAX_ITEMS {
        let (what, got) = ("items of a cuckoo table", items.to_string());
        return Err(Error::Param { what, got, accepted: format!("up to {MAX_ITEMS}") });
    }
    Ok((127 * items).div_ceil(100).max(items + 512).next_multiple_of(3))
}

/// That so many items have no placement: `2^-44`, and from 4096 on `2^-53`. By the computed bounds in
/// `tests/data/okvs_bounds.json`.
pub fn chance(items: usize) -> Chance {
    Chance::of("ids without a bin", f64::from(u8::from(items > 0)), if items < 4096 { -44 } else { -53 })
}

/// The hash functions of a table. Public.
#[derive(Clone)]
pub struct Hashing(CcrHash);

impl Hashing {
    /// For a table of the party `owner`: both parties ask in the same order.
    pub fn new(s: &mut Session, owner: Role) -> Self {
        Self(s.hash(Purpose::Bin, owner))
    }

    /// The three bins of each item, of `bins` in all.
    ///
    /// # Panics
    /// Unless that is a multiple of 3.
    pub fn bins(&self, bins: usize, items: &[Block]) -> Wiped<[u32; 3]> {
        assert!(bins.is_multiple_of(3), "three thirds");
        let third = bins as u128 / 3;
        let mut hashed = Wiped::zeros(items.len());
        self.0.xored(items, Block::ZERO, &mut hashed);
        let mut out = Wiped::zeros(items.len());
        for (out, x) in out.iter_mut().zip(hashed.iter()) {
            let part = |i: u32| x.0 >> (42 * i) & ((1 << 42) - 1);
            *out = [0, 1, 2].map(|i| (u128::from(i) * third + ((part(i) * third) >> 42)) as u32);
        }
        out
    }
}

/// Which item lies in which bin. Secret: it tells the other party about the items.
pub struct Placement(Wiped<u32>);

impl Placement {
    /// A bin for each item, of its three.
    ///
    /// # Errors
    /// [`Error::Chance`] if there is no placement: with probability `2^-44` at most for as many bins as
    /// [`bins`] says.
    ///
    /// # Panics
    /// If one of the three is not below `bins`.
    pub fn new(bins: usize, places: &[[u32; 3]]) -> Result<Self> {
        let mut search = Search {
            owners: Wiped::from(vec![EMPTY; bins]),
            places,
            seen: Wiped::zeros(bins),
            queue: Wiped::default(),
        };
        for item in 0..places.len() as u32 {
            search.insert(item).ok_or(Error::Chance("placing items in bins"))?;
        }
        Ok(Self(search.owners))
    }

    /// Bins.
    pub fn bins(&self) -> usize {
        self.0.len()
    }

    /// The item of each bin, in the order of bins.
    pub fn items(&self) -> impl Iterator<Item = Option<usize>> {
        self.0.iter().map(|&item| (item != EMPTY).then_some(item as usize))
    }
}

struct Search<'a> {
    owners: Wiped<u32>,
    places: &'a [[u32; 3]],
    /// The last item for which a bin was visited, counted from 1.
    seen: Wiped<u32>,
    /// Bins on the way: the bin, and the place in the queue of the one from whose item it was reached.
    queue: Wiped<[u32; 2]>,
}

impl Search<'_> {
    fn insert(&mut self, item: u32) -> Option<()> {
        self.queue.clear();
        let mut moving = item;
        for at in 0.. {
            // From the item at place `at - 1` of the queue, or from the new one.
            for bin in self.places[moving as usize] {
                if std::mem::replace(&mut self.seen[bin as usize], item + 1) == item + 1 {
                    continue;
                }
                self.queue.extend_from_slice(&[[bin, at]]);
                if self.owners[bin as usize] == EMPTY {
                    self.shift(item);
                    return Some(());
                }
            }
            moving = self.owners[self.queue.get(at as usize)?[0] as usize];
        }
        None
    }

    /// Moves items along the way to the last bin of the queue.
    fn shift(&mut self, item: u32) {
        let mut at = self.queue.len() - 1;
        loop {
            let [bin, from] = self.queue[at];
            let Some(from) = from.checked_sub(1) else { return self.owners[bin as usize] = item };
            self.owners[bin as usize] = self.owners[self.queue[from as usize][0] as usize];
            at = from as usize;
        }
    }
}

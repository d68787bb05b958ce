//! Where an id may lie: three distinct buckets, and three distinct places of a bucket.
//!
//! If two of the three could be one (confidential-errata E11), an item would be retrieved twice there, and cancel.

use prim::{Block, CcrHash, Wiped};

use super::job::COPIES;
use hushtable::{
    net::Role,
    session::{Purpose, Session},
};

/// The hash functions of a batch. Public.
pub(super) struct Hashes {
    buckets: CcrHash,
    places: CcrHash,
}

impl Hashes {
    /// Both parties ask in the same order.
    pub fn new(s: &mut Session, server: Role) -> Self {
        let [buckets, places] = [0, 1].map(|_| s.hash(Purpose::Bin, server));
        Self { buckets, places }
    }

    /// The buckets of each id, of `count`.
    pub fn buckets(&self, count: usize, ids: &[Block]) -> Wiped<[u32; COPIES]> {
        candidates(&self.buckets, count, ids)
    }

    /// The places of each id in each of its buckets, of `count`.
    pub fn places(&self, count: usize, ids: &[Block]) -> Wiped<[u32; COPIES]> {
        candidates(&self.places, count, ids)
    }
}

/// Three distinct numbers below `count` for each id, uniform among these.
fn candidates(hash: &CcrHash, count: usize, ids: &[Block]) -> Wiped<[u32; COPIES]> {
    let mut hashed = Wiped::zeros(ids.len());
    hash.xored(ids, Block::ZERO, &mut hashed);
    let mut all = Wiped::zeros(ids.len());
    for (out, x) in all.iter_mut().zip(hashed.iter()) {
        // One of all, one of what is left, one of what is left then.
        let below =
            |i: u32| (((x.0 >> (42 * i) & ((1 << 42) - 1)) * (count as u128 - u128::from(i))) >> 42) as u32;
        let (first, mut second, mut third) = (below(0), below(1), below(2));
        second += u32::from(second >= first);
        third += u32::from(third >= first.min(second));
        third += u32::from(third >= first.max(second));
        *out = [first, second, third];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each set of three of five about as often as another; never two alike.
    #[test]
    fn candidates_are_distinct_and_uniform() {
        let ids: Vec<Block> = (0..6000).map(Block).collect();
        let mut counts = [0; 32];
        for found in candidates(&CcrHash::new(Block(7)), 5, &ids).iter() {
            let set = found.iter().fold(0, |set, at| set | 1u32 << at);
            assert_eq!(set.count_ones(), 3, "{found:?}");
            counts[set as usize] += 1;
        }
        for (set, &count) in counts.iter().enumerate().filter(|(set, _)| set.count_ones() == 3) {
            assert!((450..=750).contains(&count), "{count} times {set:b} of about 600");
        }
    }
}

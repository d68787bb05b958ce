//! Tree: shared one-hot vectors of large tables, a half-tree over the high bits of the index whose
//! payload is the shared one-hot vector of the low bits.
//!
//! # Functionality
//! Both parties get `(s_p, B_p)` with `B_0 ^ B_1 = e_s`, `s = s_0 + s_1` in the index group, all
//! of it random.
//!
//! # Protocol
//! 1. The low 7 bits of s and their vector `e_lo`, of 128 entries, come from
//!    [doubling](super::doubling); they serve this vector alone.
//! 2. Over the `h` high bits grows a [half-tree](crate::tree::half_tree): leaves equal off the position,
//!    and different by `Delta` there, with control bits t that differ there only.
//! 3. Each party sends `XOR of G(x) ^ e_lo,p` over its leaves x; the sum is `F`, and leaf x becomes
//!    `G(x) ^ t F`, 128 entries of the vector. `G(x) = H'(x ^ 1)` under a key of its own. How many ones
//!    the vector has, mod 4, follows from sums over the same leaves: additive outputs need it.
//!
//! # Cost
//! For n entries, `d = log2 n = 7 + h`: `2 (128 - 7 - 1) + 256 h + 256` bits and `2 (d - 1)`
//! correlated OTs a lookup, in `d` rounds; the lift to the cyclic group adds `d (d - 1) / 2` bits, one
//! correlated OT and one round. The vectors are not stored: the material keeps `F` and the trees, and each
//! reading of a vector hashes `2^h` leaves, and their ancestors again.
//!
//! # Source
//! lut-beyond 2.4; see the half-tree.

use prim::{
    Wiped,
    block::Block,
    ct,
    forest::{self, LANES, LeafSums},
    hash::CcrHash,
};
use zeroize::Zeroizing;

use super::{
    Cyclic, Generator, Group, MAX_INDEX_BITS, OneHot, check_index_bits, doubling,
    doubling::{ByDoubling, Doubling},
    rows::{LOOKUPS, Trees},
    shifted,
};
use crate::{
    bill::{Bill, Phase, Step, Work},
    error::Result,
    net::Role,
    party::Party,
    session::{Purpose, Session},
    tree::{
        half_tree::{self, HalfTrees, add_blocks, groups, next},
        index::Index,
    },
};

/// Low bits of the index, whose vector is as long as a leaf.
pub(crate) const LOW: u32 = 7;

/// Bytes a lookup while its tree grows, besides its correlated OTs and the material: short vectors and their
/// products of a level, the index, and of a level the correlated OTs and what they mask.
pub(crate) const MAKING: usize = 2 * 16 + (4 + 8 + 8) + (2 * 16 + 16);

/// Bytes of the material of one lookup, more than 7 index bits: the tree, how many ones the vector has, and the index.
pub(crate) fn material(d: u32) -> usize {
    Trees::<u64>::bytes(d - LOW) + 1 + 4
}

/// Words of a leaf.
const WORDS: usize = (1 << LOW) / 64;

impl<G: Group> OneHot<G> {
    /// Offline phase for `batch` lookups in tables of `2^d` entries, `1 <= d <= 20`, in `d` rounds
    /// (`d + 1` in the cyclic group). The material has `2^d` bits a lookup, so a batch of large
    /// tables is cut by the caller. Up to `d = 7` it is [`doubling`](Self::doubling).
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another `d`, and those of the channel.
    pub fn tree(p: &mut Party, d: u32, batch: usize) -> Result<Self> {
        check_index_bits(d, MAX_INDEX_BITS)?;
        if d <= LOW {
            return Self::doubling(p, d, batch);
        }
        let (send, recv) = Self::tree_bill(d).times(batch).cots_of(p.role());
        let (mut out, mut inc) = p.cots(send, recv)?;
        let (mut index, low) = Doubling::run::<G>(p, d, LOW, batch, &mut out, &mut inc)?;
        let trees = HalfTrees::grow::<G>(p, &mut index, LOW, &mut out, &mut inc)?;
        let key = |_| p.session().hash(Purpose::TreeRow, Role::P0);
        let keys = (0..batch.div_ceil(LOOKUPS)).map(key).collect();
        let words = vec![Block::ZERO; trees.groups() * LANES];
        let write = |key: &CcrHash, words: &[Block; LANES], leaves: &[Block], rows: &mut [u64], _| {
            forest::write_xor(key, words, leaves, rows);
        };
        let mut run = Leaves {
            room: trees.room(),
            sums: (0..trees.groups()).map(|_| LeafSums::default()).collect(),
            trees: Trees {
                weights: Zeroizing::new(vec![0; batch]),
                trees,
                keys,
                words,
                width: ct::row_words(1 << d),
                write,
            },
            low: &low,
            to_send: batch,
            to_receive: batch,
        };
        p.session().duplex(&mut run, |_, run| Ok(run.send()), |s, run| run.receive(s))?;
        Ok(Self::grown(d, std::mem::take(&mut index.offset), run.trees))
    }

    /// What a lookup's vector of `2^d` entries costs.
    pub fn tree_bill(d: u32) -> Bill {
        if d <= LOW {
            return Self::doubling_bill(d);
        }
        let (low, high) = (Self::doubling_bill(LOW), u64::from(d - LOW));
        let lift = u64::from(Index::lift_bits::<G>(d));
        // The corrections of each level and of the leaves, from both parties.
        let sent = low.offline.bits[1] + 128 * high + 128;
        let offline = Phase { bits: [sent + lift, sent], rounds: d + u32::from(lift > 0) };
        let cots = low.cots.map(|cots| cots + high);
        Bill { cots, offline, kept: 8 * material(d) as u64, ..Bill::FREE }
    }
}

/// Step 3 under way, from the last lookup to the first.
struct Leaves<'a> {
    /// Their corrections are `F`, or what is known of it.
    trees: Trees<u64>,
    /// For the leaves of a group.
    room: Wiped<Block>,
    /// Of each group, from sending on.
    sums: Vec<LeafSums>,
    /// `e_lo,p`.
    low: &'a [u64],
    to_send: usize,
    to_receive: usize,
}

impl Leaves<'_> {
    /// This party's part of `F` for the next lookups.
    fn send(&mut self) -> Option<Vec<u8>> {
        let at = next(&mut self.to_send)?;
        let low = self.low[WORDS * at.start..WORDS * at.end].as_chunks::<WORDS>().0;
        let mut own: Zeroizing<Vec<Block>> = Zeroizing::new(low.iter().map(|&w| bytemuck::cast(w)).collect());
        for (group, own) in groups(&at).zip(own.chunks_mut(LANES)) {
            self.trees.trees.leaves(group, &mut self.room);
            let sums = forest::xor_leaves(self.trees.key(group), &self.room);
            own.iter_mut().zip(sums.sum()).for_each(|(own, &sum)| *own ^= sum);
            self.sums[group] = sums;
        }
        self.trees.words[at].iter_mut().zip(own.iter()).for_each(|(word, &own)| *word ^= own);
        Some(bytemuck::cast_slice(&own).to_vec())
    }

    /// The peer's part.
    fn receive(&mut self, s: &mut Session) -> Result<bool> {
        let Some(at) = next(&mut self.to_receive) else { return Ok(false) };
        let message = s.recv(16 * at.len())?;
        add_blocks(&mut self.trees.words[at.clone()], &message);
        let Trees { words, weights, .. } = &mut self.trees;
        for (i, weight) in at.clone().zip(&mut weights[at]) {
            *weight = self.sums[i / LANES].weight(i % LANES, words[i]);
        }
        Ok(true)
    }
}

/// [`OneHot::tree`].
pub(crate) struct HalfTree;

impl Generator for HalfTree {
    const NAME: &'static str = "dt";
    const ABOUT: &'static str = "one-hot vectors of large tables by half-trees";
    const NUMBER: u8 = 5;
    const MAX_BITS: u32 = MAX_INDEX_BITS;
    fn make<G: Group>(p: &mut Party, d: u32, batch: usize) -> Result<OneHot<G>> {
        OneHot::tree(p, d, batch)
    }

    fn bill<G: Group>(d: u32, batch: usize) -> Bill {
        OneHot::<G>::tree_bill(d).times(batch)
    }

    fn work<G: Group>(d: u32) -> Work {
        match d.checked_sub(LOW) {
            None | Some(0) => ByDoubling::work::<G>(d),
            Some(high) => doubling::work::<G>(d, LOW) + half_tree::work(high) + half_tree::leaves_work(high),
        }
    }

    fn growing(d: u32) -> Work {
        match d.checked_sub(LOW) {
            None | Some(0) => Work::default(),
            // Rows come a few at a time.
            Some(high) => half_tree::leaves_work(high) + Work::index(),
        }
    }

    fn steps<G: Group>(d: u32, batch: usize) -> Vec<Step> {
        doubling::lifted_steps(&Self::bill::<G>(d, batch), Index::lift_bits::<G>(d) > 0)
    }

    fn memory(d: u32, cots: usize, removal: usize) -> usize {
        if d <= LOW {
            return cots + 32 + 16 * ct::row_words(1 << d);
        }
        // The sign's correlated OTs come when those of the tree are spent.
        let own = 16 * OneHot::<Cyclic>::tree_bill(d).all_cots() as usize;
        let sign = if removal > 0 { removal + 2 * 16 + 4 * 16 } else { 0 };
        material(d) + (own + MAKING).max(sign)
    }

    fn room(d: u32) -> usize {
        if d > LOW { shifted::room(ct::row_words(1 << d)) } else { 0 }
    }
}

//! Half-trees over the high bits of an index whose path is shared, for generators that differ in
//! what hangs at the leaves.
//!
//! # Functionality
//! For each lookup both parties get shares of h random bits of the index, and a tree of `2^h`
//! leaves each: equal but for the leaf at these bits, where they differ by
//! `Delta = Delta_0 ^ Delta_1`. Bit 1 of a node is its control bit t: `Delta` has it set, P0's part
//! of it alone, so t differs on the path only.
//!
//! # Protocol
//! 1. Roots: party p has `Delta_p ^ W`, W the tree's number, which never repeats, in bits 8 and up.
//! 2. Level j: `s_j = b_0 ^ b_1`, random choice bits of one correlated OT each way. With its
//!    strings, `b_p Delta_p ^ q_p ^ t_p` are shares of `s_j Delta`. Each party sends
//!    `XOR of H(x) over its nodes x ^ Delta_p ^ (share of s_j Delta)`; the sum is the correction `C`,
//!    and the children of x are `H(x) ^ t C` (left) and that `^ x` (right).
//!
//! What a party sends is `C` but for what the other knows, and `C` is masked by the hash of a node
//! that the other does not know. The share of `s_j Delta` alone would give away `Delta`.
//!
//! *Additive lift* (cyclic group): the products `b_0 b_1` ride as hashed payloads on the same
//! correlated OTs, as in doubling.
//!
//! # Cost
//! 256 bits and 2 correlated OTs a level, 1 round; each party hashes a block a node. Nodes below
//! `KEPT` levels are not kept but grown anew at each level below, and whenever the leaves are read: a
//! hash takes less time than a block's way to memory and back.
//!
//! # Source
//! lut-beyond 2.4. Distributed key generation by Doerner and shelat (CCS 2017), half-tree by Guo et
//! al. (EUROCRYPT 2023), which has roots `Delta_p ^ W` too.

mod parts;

use std::ops::Range;

use prim::{
    Wiped,
    block::Block,
    forest::{self, LANES},
    hash::CcrHash,
};
use zeroize::Zeroizing;

use super::{Group, index::Index};
use crate::{
    bill::Work,
    error::Result,
    net::Role,
    ot::{
        CotReceiver, CotSender,
        strings::{PayloadReceiver, PayloadSender},
    },
    party::Party,
    session::{Purpose, Session},
};

/// Lookups per message, a multiple of [`LANES`].
pub(crate) const PIECE: usize = 1 << 12;

/// Levels of which the nodes are kept.
pub(crate) const KEPT: u32 = 4;

/// What else is computed of the nodes of a level while they are there, of a group and a part of its trees.
pub(crate) type Also<'a> = dyn FnMut(&HalfTrees, u32, usize, &[Block]) + 'a;

/// Nodes under one key, at most, that a party does not know: one a level of each tree.
const CALLS: usize = 1 << 20;

/// Trees of this height under one key: whole groups.
const fn trees_of_a_key(height: u32) -> usize {
    let height = if height == 0 { 1 } else { height as usize };
    CALLS / height / LANES * LANES
}

/// Local work of growing a tree: of each level the hashes of its nodes and the nodes grown anew for them.
pub(crate) fn work(height: u32) -> Work {
    let kept = |level: u32| if level < KEPT { 1 << level } else { 0 };
    let level = |level: u32| Work::nodes((1 << level) + unfolded(level) + kept(level)) + Work::cots(2);
    (0..height).map(level).sum()
}

/// Local work of hashing the leaves.
pub(crate) fn leaves_work(height: u32) -> Work {
    Work::nodes((1 << height) + unfolded(height))
}

/// Nodes that are grown anew to reach a level.
fn unfolded(level: u32) -> usize {
    (1 << level) - (1 << level.min(KEPT))
}

/// One party's trees, in groups as in [`forest`]; the last group is filled up with idle ones.
pub(crate) struct HalfTrees {
    height: u32,
    /// Level `min(KEPT, height)` of all trees.
    nodes: Wiped<Block>,
    /// The corrections of each level. Public.
    words: Vec<Vec<Block>>,
    keys: Vec<CcrHash>,
}

impl HalfTrees {
    /// Trees over the bits from `low` on of the index, to which they add their bits.
    pub(crate) fn grow<G: Group>(
        p: &mut Party,
        index: &mut Index,
        low: u32,
        out: &mut CotSender,
        inc: &mut CotReceiver,
    ) -> Result<Self> {
        let bits: Vec<u32> = (low..index.d).collect();
        Self::grow_over::<G>(p, index, &bits, out, inc, &mut |_, _, _, _| {})
    }

    /// Trees over these bits of the index, that of the first level first, to which they add their bits. `also` gets
    /// the nodes of every level but the leaves once, in parts.
    pub(crate) fn grow_over<G: Group>(
        p: &mut Party,
        index: &mut Index,
        bits: &[u32],
        out: &mut CotSender,
        inc: &mut CotReceiver,
        also: &mut Also<'_>,
    ) -> Result<Self> {
        let batch = index.offset.len();
        let delta = out.delta();
        let mut trees = Self::roots(p.session(), delta, batch, bits.len() as u32);
        for &bit in bits {
            let cots = (out.take(batch)?, inc.take(batch)?);
            trees.step::<G>(p, index, bit, delta, cots, also)?;
        }
        Ok(trees)
    }

    /// Step 1.
    fn roots(s: &mut Session, delta: Block, batch: usize, height: u32) -> Self {
        // Nodes hide both Deltas; one name is as good as the other.
        let keys =
            (0..batch.div_ceil(trees_of_a_key(height))).map(|_| s.hash(Purpose::Tree, Role::P0)).collect();
        let mut nodes = Wiped::zeros(batch.next_multiple_of(LANES) << KEPT.min(height));
        let numbers = s.number_trees(batch)..;
        for (group, nodes) in nodes.chunks_exact_mut(LANES << KEPT.min(height)).enumerate() {
            let trees = numbers.start + (group * LANES) as u64..;
            for (root, number) in nodes[..LANES.min(batch - group * LANES)].iter_mut().zip(trees) {
                *root = delta ^ Block(u128::from(number) << 8);
            }
        }
        Self { height, nodes, words: Vec::new(), keys }
    }

    /// Bytes of a tree of this height.
    pub(crate) fn bytes(height: u32) -> usize {
        16 * ((1 << KEPT.min(height)) + height as usize)
    }

    /// Bytes of all of them.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        let blocks = self.nodes.capacity() + self.words.iter().map(Vec::capacity).sum::<usize>();
        16 * blocks
    }

    /// Groups of trees.
    pub(crate) fn groups(&self) -> usize {
        self.nodes.len() / self.group_len()
    }

    /// Room for the leaves of a group.
    pub(crate) fn room(&self) -> Wiped<Block> {
        Wiped::zeros(LANES << self.height)
    }

    /// The leaves of all trees of a group, in the layout of [`forest`].
    pub(crate) fn leaves(&self, group: usize, room: &mut [Block]) {
        self.unfold(group, self.height, room);
    }

    fn group_len(&self) -> usize {
        LANES << KEPT.min(self.height)
    }

    fn key(&self, group: usize) -> &CcrHash {
        &self.keys[group * LANES / trees_of_a_key(self.height)]
    }

    /// The nodes of a group at `level`, no higher than those kept.
    pub(crate) fn unfold(&self, group: usize, level: u32, nodes: &mut [Block]) {
        let kept = LANES << level.min(KEPT);
        nodes[..kept].copy_from_slice(&self.nodes[group * self.group_len()..][..kept]);
        for level in KEPT..level {
            let words = lanes(&self.words[level as usize], group);
            forest::grow(self.key(group), words, &mut nodes[..LANES << (level + 1)]);
        }
    }

    /// Step 2: 1 round, with OTs of the roots' `delta`.
    fn step<G: Group>(
        &mut self,
        p: &mut Party,
        index: &mut Index,
        bit: u32,
        delta: Block,
        (out, inc): (CotSender, CotReceiver),
        also: &mut Also<'_>,
    ) -> Result<()> {
        // With another one the path would have two differences, whose XOR the corrections show.
        out.check_delta(delta)?;
        index.choose(p.session(), &inc);
        let strings = out.strings().iter().zip(inc.strings());
        let share = |(&q, &t): (&Block, &Block)| delta ^ (delta & Block::mask(t.lsb())) ^ q ^ t;
        let shares = Zeroizing::new(strings.map(share).collect());
        let (lift_out, lift_in) = index.lift::<G>(p.role(), bit);
        let level = self.words.len() as u32;
        self.words.push(vec![Block::ZERO; self.groups() * LANES]);
        let (to_send, to_receive) = (out.len(), inc.len());
        let mut run = Level {
            trees: self,
            index,
            level,
            shares,
            also,
            lift_out,
            lift_in,
            out,
            inc,
            to_send,
            to_receive,
        };
        p.session().duplex(&mut run, |s, run| run.send(s), |s, run| run.receive(s))?;
        index.add::<G>(bit);
        Ok(())
    }
}

/// One level under way. Lookups go from the last to the first, as `take` hands OTs out.
struct Level<'a, 'b> {
    trees: &'a mut HalfTrees,
    index: &'a mut Index,
    level: u32,
    /// `Delta_p ^ (share of s_j Delta)`: goes out under the sum of the nodes' hashes only.
    shares: Zeroizing<Vec<Block>>,
    also: &'a mut Also<'b>,
    lift_out: Option<u32>,
    lift_in: Option<u32>,
    out: CotSender,
    inc: CotReceiver,
    to_send: usize,
    to_receive: usize,
}

impl Level<'_, '_> {
    /// This party's part of the corrections of the next lookups.
    fn send(&mut self, s: &mut Session) -> Result<Option<Vec<u8>>> {
        let Some(at) = next(&mut self.to_send) else { return Ok(None) };
        for group in groups(&at) {
            let sums = self.sums(group);
            let own = &mut self.shares[group * LANES..at.end.min((group + 1) * LANES)];
            own.iter_mut().zip(sums.iter()).for_each(|(own, &sum)| *own ^= sum);
        }
        let words = &mut self.trees.words[self.level as usize][at.clone()];
        words.iter_mut().zip(&self.shares[at.clone()]).for_each(|(word, &own)| *word ^= own);
        let mut message = bytemuck::cast_slice(&self.shares[at.clone()]).to_vec();
        let cots = self.out.take(at.len())?;
        if let Some(width) = self.lift_out {
            message.extend(self.index.send_lift(&mut PayloadSender::random(s, cots, &[width]), at));
        }
        Ok(Some(message))
    }

    /// The sums of the hashes of a group's nodes.
    fn sums(&mut self, group: usize) -> Zeroizing<[Block; LANES]> {
        let mut sums = Zeroizing::new([Block::ZERO; LANES]);
        self.trees.visit(group, self.level, |nodes| {
            forest::xor_hashes(self.trees.key(group), nodes, &mut sums);
            (self.also)(self.trees, self.level, group, nodes);
        });
        sums
    }

    /// The peer's part, with which a level that is kept is grown.
    fn receive(&mut self, s: &mut Session) -> Result<bool> {
        let Some(at) = next(&mut self.to_receive) else { return Ok(false) };
        assert!(
            self.to_send <= at.start,
            "a level is grown from the one before, which is still needed for its sums"
        );
        let cots = self.inc.take(at.len())?;
        let pads = self.lift_in.map(|width| PayloadReceiver::random(s, cots, &[width]));
        let product_len = pads.as_ref().map_or(0, |pads| pads.message_len(1));
        let message = s.recv(16 * at.len() + product_len)?;
        let (theirs, product) = message.split_at(16 * at.len());
        add_blocks(&mut self.trees.words[self.level as usize][at.clone()], theirs);
        if let Some(mut pads) = pads {
            self.index.receive_lift(&mut pads, at.clone(), product);
        }
        if self.level < KEPT {
            let len = self.trees.group_len();
            for group in groups(&at) {
                let HalfTrees { nodes, words, keys, height } = &mut *self.trees;
                let nodes = &mut nodes[group * len..][..LANES << (self.level + 1)];
                let words = lanes(&words[self.level as usize], group);
                forest::grow(&keys[group * LANES / trees_of_a_key(*height)], words, nodes);
            }
        }
        Ok(true)
    }
}

/// The lookups of the next message of a stream, from the back; whole groups but for the last.
pub(crate) fn next(left: &mut usize) -> Option<Range<usize>> {
    let to = *left;
    *left = to.saturating_sub(1) / PIECE * PIECE;
    (to > 0).then_some(*left..to)
}

/// The groups of the lookups of a message.
pub(crate) fn groups(at: &Range<usize>) -> Range<usize> {
    at.start / LANES..at.end.div_ceil(LANES)
}

/// The words of the trees of a group.
pub(crate) fn lanes(words: &[Block], group: usize) -> &[Block; LANES] {
    words[group * LANES..].first_chunk().expect("a word for each tree of a group")
}

/// XORs blocks that came over the wire.
pub(crate) fn add_blocks(to: &mut [Block], bytes: &[u8]) {
    for (to, bytes) in to.iter_mut().zip(bytes.as_chunks().0) {
        *to ^= Block(u128::from_le_bytes(*bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{error::Error, tree::Xor};

    fn delta(bits: u128) -> Block {
        Block(0x5eed << 64 | bits << 2 | 0b11)
    }

    /// A party does not know one node a level of each tree, so higher trees share a key with fewer.
    #[test]
    fn a_key_serves_as_many_nodes_at_every_height() {
        for height in 0..=20 {
            let unknown = height.max(1) as usize * trees_of_a_key(height);
            assert!(unknown <= CALLS && unknown > CALLS - 20 * LANES, "{height}");
        }
        let (mut p0, _p1) = Party::pair_seeded(61).unwrap();
        for (height, batch, keys) in [(1, 1 << 17, 1), (13, 80_640, 1), (13, 80_641, 2), (13, 161_281, 3)] {
            let trees = HalfTrees::roots(p0.session(), delta(0), batch, height);
            assert_eq!(trees.keys.len(), keys, "{batch} of height {height}");
        }
    }

    #[test]
    fn strings_of_another_delta_are_refused() {
        let (mut p0, p1) = Party::pair_seeded(62).unwrap();
        drop(p1); // whoever goes on finds nobody
        let mut trees = HalfTrees::roots(p0.session(), delta(0), 1, 2);
        let mut index = Index::new(9, 1);
        let cots = (CotSender::new(delta(1), Wiped::zeros(1)), CotReceiver::new(Wiped::zeros(1)));
        let refused = trees.step::<Xor>(&mut p0, &mut index, 7, delta(0), cots, &mut |_, _, _, _| {});
        assert!(matches!(refused, Err(Error::Param { what: "Delta of a tree's correlated OTs", .. })));
    }
}

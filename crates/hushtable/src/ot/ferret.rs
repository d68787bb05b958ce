//! Ferret: random correlated OTs in bulk from a few, by primal LPN with regular noise.
//!
//! # Functionality
//! Random correlated OT: sender `(Delta, q)`, receiver `(b, t)` with `t = q ^ b * Delta`.
//!
//! # Protocol
//! One extension of a parameter set `(t trees, k = 2^log2_k, depth)` spends `k + t * depth`
//! correlated OTs, its seeds, and makes `t * 2^depth`:
//! 1. for each tree, single-point correlated OT by a half-tree: the sender expands `depth` of its
//!    strings to leaves whose XOR is `Delta` and sends `depth - 1` blocks, the receiver gets all
//!    leaves but number `alpha`, given by the complement of its choice bits, and fills that place
//!    with the XOR of the others, which is `leaf_alpha ^ Delta`;
//! 2. each leaf is XORed with the 10 strings, out of `k` seeds, that a row of the public matrix
//!    names: LPN samples `A s + e` with the choice bits `s` of the seeds and noise `e` at `alpha`;
//! 3. the lowest bit of every leaf is cleared before, and set at `alpha`, so that choice bits
//!    travel in the strings.
//!
//! Trees are made as they are asked for; the last ones of an extension become the seeds of the
//! next. The matrix is drawn anew for every extension, from a key bound to the session id.
//!
//! # Cost
//! `t * (depth - 1)` blocks from the sender for the `n` OTs of an extension, less the whole trees
//! that hold the next one's `k + t * depth` seeds; 1 round, a message for each 2^13 OTs. Both:
//! about 1 AES call a leaf for the tree and 2.5 for the matrix.
//!
//! # Source
//! Yang, Weng, Lan, Zhang, Wang, "Ferret" (CCS 2020) with the half-tree of Guo et al. (EUROCRYPT
//! 2023), semi-honest: without the consistency check. Deviation: parameters of [`params`](super::params).

use prim::{Wiped, block::Block, ct, ggm, hash::CcrHash, lpn::Encoder};
use zeroize::ZeroizeOnDrop;

use super::{
    params::{self, LpnSet},
    rcot::{CotReceiver, CotSender},
};
use crate::{
    error::{Result, same},
    net::Role,
    session::{Purpose, Session},
};

/// Outputs per message, about; trees are whole.
const PIECE: usize = 1 << 13;

/// What both sides of an extension keep: the position in it and the seeds.
struct Extension {
    set: &'static LpnSet,
    owner: Role,
    /// `k` strings for the matrix, then `depth` for each tree.
    seeds: Wiped<Block>,
    /// The next extension's seeds, as far as they are made.
    next_seeds: Wiped<Block>,
    /// Next tree.
    tree: usize,
    /// Apart, as unused room would hold what lay on the stack.
    keys: Option<Box<(CcrHash, Encoder)>>,
}

/// The side that knows `Delta`.
#[derive(ZeroizeOnDrop)]
pub(super) struct Sender {
    delta: Block,
    #[zeroize(skip)] // wipes itself
    extension: Extension,
}

/// The side that gets the choice bits.
pub(super) struct Receiver {
    extension: Extension,
}

impl Sender {
    /// Starts from `set.seeds()` correlated OTs.
    pub(super) fn new(s: &Session, set: &'static LpnSet, seeds: CotSender) -> Result<Self> {
        let extension = Extension::new(set, s.role(), seeds.strings())?;
        Ok(Self { delta: seeds.delta(), extension })
    }

    /// Appends the next correlated OTs, enough whole trees for `want` of them or one message's
    /// worth, to `out`; returns the message that gives the receiver its half.
    pub(super) fn expand(&mut self, s: &mut Session, want: usize, out: &mut Wiped<Block>) -> Vec<u8> {
        let (first, trees) = self.extension.next_trees(s, want);
        let mut kept = self.extension.lend_next_seeds(first);
        let Extension { set, seeds, keys, .. } = &self.extension;
        let (depth, delta) = (set.depth as usize, self.delta);
        let (hash, _) = &**keys.as_ref().expect("next_trees made the keys");
        let mut corrections = vec![Block::ZERO; trees * (depth - 1)];
        let leaves = kept.as_mut().unwrap_or(out).extend_zeros(trees << depth).chunks_exact_mut(1 << depth);
        for (i, (leaves, c)) in leaves.zip(corrections.chunks_exact_mut(depth - 1)).enumerate() {
            let q = &seeds[set.k() + (first + i) * depth..][..depth];
            ggm::expand(hash, delta, q, leaves, c);
            leaves.iter_mut().for_each(|x| *x = x.with_lsb(false));
            self.extension.encode(first + i, leaves);
        }
        self.extension.give_back(kept);
        bytemuck::cast_slice(&corrections).to_vec()
    }
}

impl Receiver {
    /// Starts from `set.seeds()` correlated OTs.
    pub(super) fn new(s: &Session, set: &'static LpnSet, seeds: &CotReceiver) -> Result<Self> {
        Ok(Self { extension: Extension::new(set, s.role().peer(), seeds.strings())? })
    }

    /// Appends the next correlated OTs to `out`, from the sender's next message.
    pub(super) fn absorb(&mut self, s: &mut Session, want: usize, out: &mut Wiped<Block>) -> Result<()> {
        let (first, trees) = self.extension.next_trees(s, want);
        let depth = self.extension.set.depth as usize;
        let mut corrections = vec![Block::ZERO; trees * (depth - 1)];
        s.recv_blocks(&mut corrections)?;
        let mut kept = self.extension.lend_next_seeds(first);
        let Extension { set, seeds, keys, .. } = &self.extension;
        let (hash, _) = &**keys.as_ref().expect("next_trees made the keys");
        let leaves = kept.as_mut().unwrap_or(out).extend_zeros(trees << depth).chunks_exact_mut(1 << depth);
        for (i, (leaves, c)) in leaves.zip(corrections.chunks_exact(depth - 1)).enumerate() {
            let t = &seeds[set.k() + (first + i) * depth..][..depth];
            let alpha = ggm::puncture(hash, t, c, leaves);
            fill(leaves, alpha);
            self.extension.encode(first + i, leaves);
        }
        self.extension.give_back(kept);
        Ok(())
    }
}

impl Extension {
    fn new(set: &'static LpnSet, owner: Role, seeds: &[Block]) -> Result<Self> {
        params::check(set)?;
        same("seeds of an OT extension", set.seeds(), seeds.len())?;
        let seeds = seeds.to_vec().into();
        Ok(Self { set, owner, seeds, next_seeds: Wiped::default(), tree: 0, keys: None })
    }

    /// How many of the last trees become the next seeds.
    fn reserved(&self) -> usize {
        self.set.seeds().div_ceil(1 << self.set.depth)
    }

    /// The trees of the next message, `(first, count)`: whole trees for `want` outputs, at most a
    /// message's worth, never across the boundary to the reserved ones. Both sides count alike.
    fn next_trees(&mut self, s: &mut Session, want: usize) -> (usize, usize) {
        if self.tree == self.set.t {
            self.seeds = std::mem::take(&mut self.next_seeds);
            self.seeds.truncate(self.set.seeds());
            (self.tree, self.keys) = (0, None);
        }
        if self.keys.is_none() {
            let matrix = s.key(Purpose::Matrix, self.owner);
            let hash = s.hash(Purpose::NoiseTree, self.owner);
            self.keys = Some(Box::new((hash, Encoder::new(matrix, self.set.log2_k))));
        }
        let for_use = self.set.t - self.reserved();
        let left = if self.tree < for_use { for_use - self.tree } else { self.set.t - self.tree };
        let wanted = if self.tree < for_use { want.div_ceil(1 << self.set.depth) } else { left };
        let trees = wanted.min(PIECE >> self.set.depth).min(left);
        self.tree += trees;
        (self.tree - trees, trees)
    }

    /// Step 2 for the leaves of one tree.
    fn encode(&self, tree: usize, leaves: &mut [Block]) {
        let (_, encoder) = &**self.keys.as_ref().expect("next_trees made the keys");
        encoder.encode((tree << self.set.depth) as u64, &self.seeds[..self.set.k()], leaves);
    }

    /// Where the outputs of this tree go if they are the next extension's seeds: lent, with room for all.
    fn lend_next_seeds(&mut self, tree: usize) -> Option<Wiped<Block>> {
        (tree >= self.set.t - self.reserved()).then(|| {
            let mut seeds = std::mem::take(&mut self.next_seeds);
            if seeds.is_empty() {
                seeds.reserve(self.reserved() << self.set.depth);
            }
            seeds
        })
    }

    fn give_back(&mut self, lent: Option<Wiped<Block>>) {
        if let Some(seeds) = lent {
            self.next_seeds = seeds;
        }
    }
}

/// Clears the lowest bits and puts `leaf ^ Delta`, choice bit 1, into the secret place `alpha`.
fn fill(leaves: &mut [Block], alpha: u32) {
    let sum = leaves.iter().fold(Block::ZERO, |sum, &x| sum ^ x).with_lsb(true);
    for (i, x) in leaves.iter_mut().enumerate() {
        let here = ct::eq_mask(i as u32, alpha);
        *x = x.with_lsb(false) ^ (sum & Block(u128::from(here) << 64 | u128::from(here)));
    }
}

//! One extension: single-point VOLEs, to which LPN samples are added.

use std::ops::Range;

use prim::{Wiped, block::Block, ct, ggm, hash::CcrHash, lpn::FieldEncoder};

use super::{chain::Extension, halves::Receiver};
use crate::{
    error::Result,
    net::Role,
    ot::{
        params::LpnSet,
        rcot::{CotReceiver, CotSender},
    },
    session::{Purpose, Session},
};

/// VOLEs per message, about; trees are whole.
const PIECE: usize = 1 << 13;

/// Of one extension: for its trees, their leaves, and the matrix.
pub(super) struct Keys {
    tree: CcrHash,
    leaf: CcrHash,
    encoder: FieldEncoder,
}

impl Keys {
    /// Fresh ones; the peer draws them too.
    pub(super) fn new(s: &mut Session, owner: Role, set: &LpnSet) -> Self {
        let [tree, leaf] = [Purpose::VoleTree, Purpose::VoleLeaf].map(|purpose| s.hash(purpose, owner));
        let [places, factors] =
            [Purpose::VolePlace, Purpose::VoleFactor].map(|purpose| s.key(purpose, owner));
        Self { tree, leaf, encoder: FieldEncoder::new(places, factors, set.log2_k) }
    }

    /// `v_i = H'(leaf_i ^ i)`; returns their sum.
    fn hash_leaves(&self, leaves: &mut [Block]) -> Block {
        leaves.iter_mut().zip(0..).for_each(|(leaf, i)| *leaf ^= Block(i));
        self.leaf.in_place(leaves);
        leaves.iter().fold(Block::ZERO, |sum, &v| sum ^ v)
    }
}

/// Appends what the trees for use make to the first output and the others to the second. Of the seeds, the first k are
/// the secret, and each of the next ones belongs to a tree.
pub(super) fn send(
    s: &mut Session,
    keys: &Keys,
    extension: &Extension,
    cots: &CotSender,
    seeds: &[Block],
    (out, next): (&mut Wiped<Block>, &mut Wiped<Block>),
) -> Result<()> {
    let (set, depth) = (extension.set, extension.set.depth as usize);
    let (secret, noise) = seeds.split_at(set.k());
    let mut pieces = extension.pieces();
    s.duplex(
        &mut (),
        |_, ()| {
            let Some(trees) = pieces.next() else { return Ok(None) };
            let mut message = vec![Block::ZERO; trees.len() * depth];
            let to = if trees.start < extension.for_use { &mut *out } else { &mut *next };
            let all = to.extend_zeros(trees.len() << depth);
            for ((tree, leaves), to_peer) in
                trees.zip(all.chunks_exact_mut(1 << depth)).zip(message.chunks_exact_mut(depth))
            {
                let q = &cots.strings()[tree * depth..][..depth];
                let (corrections, sum) = to_peer.split_at_mut(depth - 1);
                ggm::expand(&keys.tree, cots.delta(), q, leaves, corrections);
                sum[0] = keys.hash_leaves(leaves) ^ noise[tree];
                keys.encoder.encode((tree << depth) as u64, secret, leaves);
            }
            Ok(Some(bytemuck::cast_slice(&message).to_vec()))
        },
        |_, ()| Ok(false),
    )
}

/// The same at the other party.
pub(super) fn receive(
    s: &mut Session,
    keys: &Keys,
    extension: &Extension,
    cots: &CotReceiver,
    seeds: &Receiver,
    (out, next): (&mut Receiver, &mut Receiver),
) -> Result<()> {
    let (set, depth) = (extension.set, extension.set.depth as usize);
    let (secret, noise, noise_a) = (secret(set, seeds), &seeds.w[set.k()..], &seeds.a[set.k()..]);
    let mut pieces = extension.pieces();
    s.duplex(
        &mut (),
        |_, ()| Ok(None),
        |s, ()| {
            let Some(trees) = pieces.next() else { return Ok(false) };
            let mut message = vec![Block::ZERO; trees.len() * depth];
            s.recv_blocks(&mut message)?;
            let to = if trees.start < extension.for_use { &mut *out } else { &mut *next };
            let (all, all_a) =
                (to.w.extend_zeros(trees.len() << depth), to.a.extend_zeros(trees.len() << depth));
            let leaves = all.chunks_exact_mut(1 << depth).zip(all_a.chunks_exact_mut(1 << depth));
            for ((tree, (leaves, a)), from_peer) in trees.zip(leaves).zip(message.chunks_exact(depth)) {
                let t = &cots.strings()[tree * depth..][..depth];
                let (corrections, sum) = from_peer.split_at(depth - 1);
                let alpha = ggm::puncture(&keys.tree, t, corrections, leaves);
                // What stands at alpha is the hash of no leaf: it cancels.
                let missing = keys.hash_leaves(leaves) ^ sum[0] ^ noise[tree];
                fill(leaves, a, alpha, missing, noise_a[tree]);
                keys.encoder.encode_both((tree << depth) as u64, &secret, leaves, a);
            }
            Ok(true)
        },
    )
}

/// The first k seeds, of each both values together.
fn secret(set: &LpnSet, seeds: &Receiver) -> Wiped<[Block; 2]> {
    let mut secret = Wiped::zeros(set.k());
    let both = seeds.w.iter().zip(seeds.a.iter());
    secret.iter_mut().zip(both).for_each(|(to, (&w, &a))| *to = [w, Block(a.into())]);
    secret
}

impl Extension {
    /// The trees of each message.
    fn pieces(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (most, trees, for_use) = ((PIECE >> self.set.depth).max(1), self.trees, self.for_use);
        let cut = move |all: Range<usize>| {
            all.clone().step_by(most).map(move |from| from..all.end.min(from + most))
        };
        cut(0..for_use).chain(cut(for_use..trees))
    }
}

/// Adds `missing` to the entry at the secret place `alpha` and puts `beta` there into `a`, by a scan.
fn fill(leaves: &mut [Block], a: &mut [u64], alpha: u32, missing: Block, beta: u64) {
    for (i, (leaf, a)) in leaves.iter_mut().zip(a).enumerate() {
        let here = ct::eq_mask(i as u32, alpha);
        *leaf ^= missing & Block(u128::from(here) << 64 | u128::from(here));
        *a = here & beta;
    }
}

#[cfg(test)]
mod tests {
    use prim::{Prg, gf64};

    use super::*;
    use crate::{net::LinkShape, ot::params::S};

    /// What a dealer hands out: of the seeds `a` is uniform.
    struct Dealt {
        delta: Block,
        q: Vec<Block>,
        t: Vec<Block>,
        v: Vec<Block>,
        seeds: Receiver,
    }

    const TREES: usize = 150;
    const EXTENSION: Extension = Extension { set: &S, trees: TREES, for_use: 100 };
    const LEAVES: usize = 1 << S.depth;

    fn deal() -> Dealt {
        let mut prg = Prg::new(Block(5));
        let delta = Block(prg.block().0 | 1);
        let blocks = |prg: &mut Prg, n| {
            let mut blocks = vec![Block::ZERO; n];
            prg.blocks(&mut blocks);
            blocks
        };
        let q: Vec<Block> =
            blocks(&mut prg, EXTENSION.cots()).into_iter().map(|x| x.with_lsb(false)).collect();
        let t = q.iter().map(|&q| q ^ (Block::mask(prg.block().lsb()) & delta)).collect();
        let v = blocks(&mut prg, S.k() + TREES);
        let mut a = vec![0; v.len()];
        prg.words(64, &mut a);
        let mut w = v.clone();
        gf64::scale_pair_add(&mut w, &a, delta);
        Dealt { delta, q, t, v, seeds: Receiver { a: a.into(), w: w.into() } }
    }

    /// The sender's outputs of both kinds and its message.
    fn sent(dealt: &Dealt) -> (Vec<Block>, Vec<Block>) {
        let (mut s0, mut s1) = Session::pair_seeded(9, LinkShape::LOOPBACK);
        let cots = CotSender::new(dealt.delta, dealt.q.clone().into());
        let keys = Keys::new(&mut s0, Role::P0, &S);
        let (mut out, mut next) = (Wiped::default(), Wiped::default());
        send(&mut s0, &keys, &EXTENSION, &cots, &dealt.v, (&mut out, &mut next)).unwrap();
        assert_eq!((out.len(), next.len()), (100 * LEAVES, 50 * LEAVES));
        out.extend_from_slice(&next);
        let mut message = Vec::new();
        for piece in EXTENSION.pieces() {
            let mut blocks = vec![Block::ZERO; piece.len() * S.depth as usize];
            s1.recv_blocks(&mut blocks).unwrap();
            message.extend(blocks);
        }
        (out.to_vec(), message)
    }

    /// The receiver's outputs of both kinds, from this message.
    fn received(dealt: &Dealt, message: &[Block]) -> Receiver {
        let (mut s0, mut s1) = Session::pair_seeded(9, LinkShape::LOOPBACK);
        let mut from = message;
        for piece in EXTENSION.pieces() {
            let (blocks, rest) = from.split_at(piece.len() * S.depth as usize);
            s0.send(bytemuck::cast_slice(blocks).to_vec()).unwrap();
            from = rest;
        }
        let keys = Keys::new(&mut s1, Role::P0, &S);
        let cots = CotReceiver::new(dealt.t.clone().into());
        let (mut out, mut next) = (Receiver::default(), Receiver::default());
        receive(&mut s1, &keys, &EXTENSION, &cots, &dealt.seeds, (&mut out, &mut next)).unwrap();
        out.a.extend_from_slice(&next.a);
        out.w.extend_from_slice(&next.w);
        out
    }

    /// Single-point VOLEs from their definition, leaf by leaf: the sender's, its message, and the places.
    fn plain(dealt: &Dealt, keys: &Keys) -> (Vec<Block>, Vec<Block>, Vec<usize>) {
        let (mut v, mut message, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let depth = S.depth as usize;
        for (tree, q) in dealt.q.chunks_exact(depth).enumerate() {
            let mut level = vec![q[0], q[0] ^ dealt.delta];
            for &q in &q[1..] {
                let left: Vec<Block> = level.iter().map(|&x| keys.tree.one(x)).collect();
                message.push(left.iter().fold(q, |sum, &x| sum ^ x));
                level = level.iter().zip(left).flat_map(|(&x, left)| [left, left ^ x]).collect();
            }
            let hashed: Vec<Block> = (0..).zip(&level).map(|(i, &x)| keys.leaf.one(x ^ Block(i))).collect();
            message.push(hashed.iter().fold(dealt.v[S.k() + tree], |sum, &x| sum ^ x));
            v.extend(hashed);
            let bits = dealt.t[tree * depth..][..depth].iter().map(|t| usize::from(!t.lsb()));
            places.push(tree * LEAVES + bits.fold(0, |at, bit| 2 * at + bit));
        }
        (v, message, places)
    }

    fn keys() -> Keys {
        Keys::new(&mut Session::pair_seeded(9, LinkShape::LOOPBACK).0, Role::P0, &S)
    }

    /// The message and both parties' outputs are what the definition says. Catches coefficients or places that are out
    /// of step between messages, at both parties alike; seeds of noise that serve two trees; leaves that are hashed
    /// without their number; noise other than the seed's; a matrix of ones.
    #[test]
    fn an_extension_is_that_of_the_definition() {
        let (dealt, keys) = (deal(), keys());
        let (mut v, message, places) = plain(&dealt, &keys);
        let mut a = vec![0; v.len()];
        places.iter().zip(&dealt.seeds.a[S.k()..]).for_each(|(&place, &beta)| a[place] = beta);
        let mut noise_w = v.clone();
        gf64::scale_pair_add(&mut noise_w, &a, dealt.delta);
        // All rows at once.
        keys.encoder.encode(0, &dealt.v[..S.k()], &mut v);
        keys.encoder.encode_both(0, &secret(&S, &dealt.seeds), &mut noise_w, &mut a);
        let (out, sent_message) = sent(&dealt);
        assert!(sent_message == message, "the message");
        assert!(out == v, "the sender's");
        let got = received(&dealt, &message);
        assert!(*got.a == a && *got.w == noise_w, "the receiver's");
        gf64::scale_pair_add(&mut v, &a, dealt.delta);
        assert!(v == noise_w);
    }

    /// The attack on leaves that are not hashed: they add up to Delta, so that `D + z = (1 + beta) Delta` (join-spec
    /// 1). From the receiver's view of every tree; hashed without their numbers they do no better.
    #[test]
    fn the_sums_of_leaves_do_not_give_delta_away() {
        let dealt = deal();
        let (_, message) = sent(&dealt);
        let quotients = |message: &[Block]| -> Vec<u128> {
            let sums = message.chunks_exact(S.depth as usize).map(|of_tree| of_tree[of_tree.len() - 1]);
            let guess = |(tree, sum): (usize, Block)| {
                let at = S.k() + tree;
                let mut factor = [dealt.seeds.a[at] ^ 1];
                gf64::invert_all(&mut factor);
                gf64::inner(&factor, &[sum ^ dealt.seeds.w[at]]).0
            };
            sums.enumerate().map(guess).collect()
        };
        let mut found = quotients(&message);
        assert!(!found.contains(&dealt.delta.0), "Delta");
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), TREES, "a candidate for Delta that trees have in common");
        // The attack works: unhashed leaves of each tree add up to Delta.
        let mut raw = message;
        raw.chunks_exact_mut(S.depth as usize).enumerate().for_each(|(tree, of_tree)| {
            of_tree[of_tree.len() - 1] = dealt.delta ^ dealt.v[S.k() + tree];
        });
        assert!(quotients(&raw).iter().all(|&guess| guess == dealt.delta.0));
    }

    /// Every bit and byte of a message is uniform.
    #[test]
    fn messages_are_uniform() {
        let (_, message) = sent(&deal());
        for place in 0..S.depth as usize {
            let blocks: Vec<Block> = message.iter().copied().skip(place).step_by(S.depth as usize).collect();
            let ones: u32 = blocks.iter().map(|x| x.0.count_ones()).sum();
            let bits = 128.0 * blocks.len() as f64;
            assert!((f64::from(ones) - bits / 2.0).abs() < 2.5 * bits.sqrt(), "{place}: {ones} of {bits}");
        }
        let mut sorted: Vec<u128> = message.iter().map(|x| x.0).collect();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]));
    }
}

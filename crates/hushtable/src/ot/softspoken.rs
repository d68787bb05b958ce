//! SoftSpoken OT extension: random correlated OTs from 128 base OTs, for small jobs and to start
//! Ferret. With `K = 1` it is IKNP.
//!
//! # Functionality
//! Random correlated OT: sender `(Delta, q)`, receiver `(b, t)` with `t = q ^ b * Delta`.
//!
//! # Protocol
//! The 128 bits of `Delta` are cut into `128 / K` groups. Each group has a GGM tree with `2^K`
//! leaves, known to the receiver; the sender knows all leaves but number `delta_g`, its own group
//! of bits. With `L_x` the pseudo-random bit string of leaf `x`:
//! 1. receiver: `u_g = XOR_x L_x` and, for each bit j, `v_j = XOR_{x: bit j of x} L_x`;
//!    sender: `w_j = XOR_x {bit j of x ^ delta_g} L_x`, so that `w_j = v_j ^ delta_j * u_g`;
//! 2. the receiver takes `b = u_0` for its choice bits and sends `u_g ^ b` for every other group;
//!    the sender adds `delta_j * (u_g ^ b)` to `w_j`: now `w = v ^ delta * b` in all 128 columns;
//! 3. both transpose their 128 columns into strings.
//!
//! Streams are made, added up and transposed in one pass: see [`prim::subfield`].
//!
//! # Cost
//! `128 / K - 1` bits per OT from the receiver, for as many OTs as are missing, in multiples of 128; 1 round, a
//! message for each 2^13 OTs. Each side: `2^K` AES calls per 128 OTs and group, the sender one less a group.
//! Once: `2 (K - 1)` blocks per group from the receiver, 1 message.
//!
//! # Source
//! Roy, "SoftSpokenOT" (CRYPTO 2022), Figures 7 and 8 without the consistency checks of the
//! malicious model; Ishai, Kilian, Nissim, Petrank (CRYPTO 2003) is the case `K = 1`.

use prim::{Wiped, block::Block, ct, hash::CcrHash, subfield::Streams};
use zeroize::ZeroizeOnDrop;

use crate::{
    error::Result,
    net::Role,
    session::{Purpose, Session},
};

/// OTs per message, at most.
const PIECE: usize = 1 << 13;
/// They are made in multiples of this.
pub(super) const UNIT: usize = 128;

/// The side that knows `Delta`.
#[derive(ZeroizeOnDrop)]
pub(super) struct Sender {
    delta: Block,
    /// `128 >> k` groups of `2^k` streams, stream `y` being leaf `y ^ delta_g`; `y = 0` is unknown.
    #[zeroize(skip)] // each wipes itself
    streams: Streams,
}

/// The side that gets the choice bits.
pub(super) struct Receiver {
    streams: Streams,
}

impl Sender {
    /// Sets up from base OTs whose choices were the complement of `Delta`'s bits.
    pub(super) fn new(s: &mut Session, k: u32, delta: Block, base: &[Block]) -> Result<Self> {
        let hash = s.hash(Purpose::SubfieldTree, s.role());
        let groups = 128 / k as usize;
        let mut corrections = vec![Block::ZERO; groups * 2 * (k as usize - 1)];
        s.recv_blocks(&mut corrections)?;
        // With room for all: a vector that grows leaves a copy behind.
        let mut seeds = Wiped::from(Vec::with_capacity(groups << k));
        for (g, keys) in base.chunks_exact(k as usize).enumerate() {
            let at = (delta.0 >> (g as u32 * k)) as u32 & ((1 << k) - 1);
            let levels = &corrections[g * 2 * (k as usize - 1)..][..2 * (k as usize - 1)];
            let mut leaves = punctured(&hash, keys, levels, at);
            swap_by(&mut leaves, at);
            seeds.extend_from_slice(&leaves);
        }
        Ok(Self { delta, streams: Streams::new(k, &seeds) })
    }

    /// Seeds of an independent sender with the same `Delta`; the receiver draws them at the same point.
    pub(super) fn seeds(&mut self) -> Wiped<Block> {
        self.streams.blocks()
    }

    /// The sender of these seeds.
    pub(super) fn of_seeds(k: u32, delta: Block, seeds: &[Block]) -> Self {
        Self { delta, streams: Streams::new(k, seeds) }
    }

    /// Takes the receiver's next message and appends the correlated OTs of it, of which `want` are missing, to `out`.
    pub(super) fn absorb(&mut self, s: &mut Session, want: usize, out: &mut Wiped<Block>) -> Result<()> {
        let count = in_message(want);
        let mut corrections = vec![Block::ZERO; message_len(self.streams.k(), count) / 16];
        s.recv_blocks(&mut corrections)?;
        // Bit 0 of Delta is 1, so column 0 carries the choice bit: q gets 0 there, t the bit itself.
        self.streams.send(self.delta, &corrections, out.extend_zeros(count));
        Ok(())
    }
}

impl Receiver {
    /// Sets up from the sender's side of the base OTs.
    pub(super) fn new(s: &mut Session, k: u32, base: &[[Block; 2]]) -> Result<Self> {
        let hash = s.hash(Purpose::SubfieldTree, s.role().peer());
        let (mut seeds, mut corrections) =
            (Wiped::from(Vec::with_capacity((128 / k as usize) << k)), Vec::new());
        for keys in base.chunks_exact(k as usize) {
            seeds.extend_from_slice(&full(&hash, keys, &mut corrections));
        }
        s.send(bytemuck::cast_slice(&corrections).to_vec())?;
        Ok(Self { streams: Streams::new(k, &seeds) })
    }

    /// Seeds of an independent receiver; the sender draws them at the same point.
    pub(super) fn seeds(&mut self) -> Wiped<Block> {
        self.streams.blocks()
    }

    /// The receiver of these seeds.
    pub(super) fn of_seeds(k: u32, seeds: &[Block]) -> Self {
        Self { streams: Streams::new(k, seeds) }
    }

    /// Appends the next correlated OTs, of which `want` are missing, to `out`; returns the message that gives the
    /// sender its half.
    pub(super) fn expand(&mut self, want: usize, out: &mut Wiped<Block>) -> Vec<u8> {
        let count = in_message(want);
        let mut message = vec![0; message_len(self.streams.k(), count)];
        self.streams.receive(out.extend_zeros(count), &mut message);
        message
    }
}

/// OTs of the next message if so many are missing.
fn in_message(want: usize) -> usize {
    want.min(PIECE).next_multiple_of(UNIT)
}

/// Bytes of a message for `count` OTs.
fn message_len(k: u32, count: usize) -> usize {
    (128 / k as usize - 1) * count / 8
}

/// All leaves of one group's tree. Level 1 is the base OT's pair itself; the others are sent as
/// the XOR of all left and of all right children, each under one key of the pair.
fn full(hash: &CcrHash, keys: &[[Block; 2]], corrections: &mut Vec<Block>) -> Wiped<Block> {
    let mut nodes = Wiped::from(keys[keys.len() - 1].to_vec());
    for pair in keys[..keys.len() - 1].iter().rev() {
        let mut sums = *pair;
        nodes = next_level(hash, &nodes);
        for (i, &x) in nodes.iter().enumerate() {
            sums[i % 2] ^= x;
        }
        corrections.extend(sums);
    }
    nodes
}

/// All leaves but number `at` (left zero), from the keys chosen by the complement of `at`'s bits.
/// Neither branches nor indexes on `at`: the node on its path is kept zero, and the two children
/// of zero are taken out of the sums again.
fn punctured(hash: &CcrHash, keys: &[Block], corrections: &[Block], at: u32) -> Wiped<Block> {
    let top = keys.len() - 1;
    let off_path = |i: u32, path: u32| Block(u128::from(!ct::eq_mask(i, path)) * ((1 << 64) + 1));
    let mut nodes = Wiped::from([0, 1].map(|i| keys[top] & off_path(i, at >> top)).to_vec());
    for (level, sums) in (0..top).rev().zip(corrections.chunks_exact(2)) {
        let known = Block::mask((at >> level) & 1 == 0); // side of the sibling: all ones if right
        let of_zero = children(hash, Block::ZERO);
        let mut children = next_level(hash, &nodes);
        let total = |side: usize| children.iter().skip(side).step_by(2).fold(of_zero[side], |a, &x| a ^ x);
        let missing = [total(0) ^ sums[0], total(1) ^ sums[1]];
        let sibling = (missing[0] & !known) ^ (missing[1] & known) ^ keys[level];
        for (i, x) in children.iter_mut().enumerate() {
            let (is_path, is_sibling) =
                (off_path(i as u32, at >> level), off_path(i as u32, (at >> level) ^ 1));
            *x = *x & is_path & is_sibling ^ (sibling & !is_sibling);
        }
        nodes = children;
    }
    nodes
}

/// The children of all nodes of a level.
fn next_level(hash: &CcrHash, nodes: &[Block]) -> Wiped<Block> {
    let mut next = Wiped::zeros(2 * nodes.len());
    next.as_chunks_mut().0.iter_mut().zip(nodes).for_each(|(pair, &x)| *pair = children(hash, x));
    next
}

fn children(hash: &CcrHash, x: Block) -> [Block; 2] {
    [hash.one(x), hash.one(x ^ Block::ONE)]
}

/// Moves leaf `x` to place `x ^ by`, without branching on `by`.
fn swap_by(leaves: &mut [Block], by: u32) {
    for bit in 0..leaves.len().trailing_zeros() {
        let swap = Block::mask((by >> bit) & 1 == 1);
        for i in (0..leaves.len()).filter(|i| i >> bit & 1 == 0) {
            let difference = (leaves[i] ^ leaves[i | 1 << bit]) & swap;
            leaves[i] ^= difference;
            leaves[i | 1 << bit] ^= difference;
        }
    }
}

/// Which base OT keys the sender of correlated OTs asks for: the complement of its `Delta`.
pub(super) fn choices(delta: Block) -> Vec<bool> {
    (0..128).map(|i| !delta.bit(i)).collect()
}

/// `Delta` of a party: bit 0 is 1 (see [`CotSender`]), bit 1 tells the two parties' apart, so that
/// `Delta_0 ^ Delta_1` has a bit known to be 1; the other 126 bits are uniform.
pub(super) fn draw_delta(s: &mut Session) -> Block {
    let drawn = s.rng().block().0;
    Block(drawn & !0b11 | fixed_bits(s.role()))
}

/// Whether a party of this role can have this `Delta`.
pub(super) fn is_delta(role: Role, delta: Block) -> bool {
    delta.0 & 0b11 == fixed_bits(role)
}

fn fixed_bits(role: Role) -> u128 {
    match role {
        Role::P0 => 0b11,
        Role::P1 => 0b01,
    }
}

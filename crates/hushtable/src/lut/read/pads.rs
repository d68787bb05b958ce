//! Pads of many correlated OTs whose bits are random choices, made as the correlated OTs come.
//!
//! # Functionality
//! For each OT the sender gets words `X_0` and `X_1 - X_0`, the receiver its choice c and `X_c`; in both
//! directions at once.
//!
//! # Protocol
//! `X_0 = H(q)`, `X_1 = H(q ^ Delta)` and `X_c = H(t)`, of which the low 64 bits are kept.
//!
//! # Cost
//! A correlated OT each way.
//!
//! # Source
//! As `ot::strings`, which keeps the strings of a batch until all are there.

use std::ops::Range;

use prim::{Block, Wiped, hash::CcrHash, products::bits_from};

use crate::{
    error::Result,
    net::Role,
    party::Party,
    session::{Purpose, Session},
};

/// OTs whose pads come from one hash key, at most; a multiple of 64.
const CALLS: usize = 1 << 20;

/// OTs that are hashed at once.
const STEP: usize = 1 << 9;

/// Both parties' words, in the order of the correlated OTs.
pub(super) struct Pads {
    /// `X_0` and `X_1 - X_0`.
    pub(super) zero: Wiped<u64>,
    pub(super) step: Wiped<u64>,
    /// `X_c`.
    pub(super) chosen: Wiped<u64>,
    /// 64 a word.
    pub(super) choices: Wiped<u64>,
}

impl Pads {
    /// Offline, without a message beside those of the correlated OTs.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn random(p: &mut Party, count: usize) -> Result<Self> {
        let role = p.role();
        let mut keys = |owner: Role| -> Vec<CcrHash> {
            (0..count.div_ceil(CALLS)).map(|_| key(p.session(), owner)).collect()
        };
        let (own, others) = (keys(role), keys(role.peer()));
        let [zero, step, chosen] = [(); 3].map(|()| Wiped::from(Vec::with_capacity(count)));
        let choices = Wiped::from(Vec::with_capacity(count.div_ceil(64)));
        let pads = Self { zero, step, chosen, choices };
        let mut making = (pads, [(); 2].map(|()| Wiped::zeros(STEP)));
        p.stream_cots(
            (count, count),
            &mut making,
            |(pads, room), delta, q| pads.send(&own, delta, q, room),
            |(pads, room), t| pads.receive(&others, t, &mut room[0]),
        )?;
        Ok(making.0)
    }

    /// `X_0` of some OTs.
    pub(super) fn zero(&self, at: Range<usize>) -> &[u64] {
        &self.zero[at]
    }

    /// `X_1 - X_0`.
    pub(super) fn step(&self, at: Range<usize>) -> &[u64] {
        &self.step[at]
    }

    /// `X_c`.
    pub(super) fn chosen(&self, at: Range<usize>) -> &[u64] {
        &self.chosen[at]
    }

    /// The choices, 64 a word.
    pub(super) fn choices(&self, at: Range<usize>) -> impl Iterator<Item = u64> {
        bits_from(&self.choices, at.start, at.len())
    }

    fn send(&mut self, keys: &[CcrHash], delta: Block, q: &[Block], [zero, one]: &mut [Wiped<Block>; 2]) {
        for q in q.chunks(STEP) {
            let (zero, one) = (&mut zero[..q.len()], &mut one[..q.len()]);
            let key = &keys[self.zero.len() / CALLS];
            key.xored(q, Block::ZERO, zero);
            key.xored(q, delta, one);
            self.zero.extend(zero.iter().map(|x0| x0.0 as u64));
            self.step.extend(zero.iter().zip(one).map(|(x0, x1)| (x1.0 as u64).wrapping_sub(x0.0 as u64)));
        }
    }

    fn receive(&mut self, keys: &[CcrHash], t: &[Block], room: &mut [Block]) {
        for t in t.chunks(STEP) {
            let room = &mut room[..t.len()];
            keys[self.chosen.len() / CALLS].xored(t, Block::ZERO, room);
            self.chosen.extend(room.iter().map(|x| x.0 as u64));
            let word = |t: &[Block]| t.iter().rev().fold(0, |word, t| word << 1 | u64::from(t.lsb()));
            self.choices.extend(t.chunks(64).map(word));
        }
    }
}

fn key(s: &mut Session, owner: Role) -> CcrHash {
    s.hash(Purpose::OtPad, owner)
}

//! The position of a one-hot vector, where the generator takes its bits as shared bits.
//!
//! # Functionality
//! Both parties get XOR shares of uniform bits `s_j`, and shares of `s = sum of 2^j s_j` in the index
//! group.
//!
//! # Protocol
//! In the xor group both are drawn. *Additive lift* (cyclic group, d bits): with `s_j = b_0 ^ b_1`,
//! `s = sum of 2^j (b_0 + b_1 - 2 b_0 b_1)`. The products are needed mod `2^(d-j-1)`, and not at all
//! for the top bit. For every other bit:
//! 1. P1's bit is its random choice in a correlated OT, which serves for nothing else;
//! 2. P0 draws its bit and sends it as the payload of `d - j - 1` bits.
//!
//! # Cost
//! `d (d - 1) / 2` bits and `d - 1` correlated OTs from P0 to P1, 1 message; nothing in the xor group.
//!
//! # Source
//! lut-beyond 2.3, with OTs of its own.

use prim::rows::Shift;
use zeroize::Zeroizing;

use super::Group;
use crate::{
    bill::{Bill, Phase, Step, Work},
    error::Result,
    gates::{Bits, Products, multiply},
    net::Role,
    party::Party,
    share::Additive,
};

/// The shared position of each lookup of a batch.
pub(super) struct Position {
    /// Lowest first.
    pub bits: Vec<Bits>,
    /// Shares in the cyclic group; in the xor group they follow from the bits.
    lifted: Option<Vec<u32>>,
}

impl Position {
    /// Draws positions of `d` bits.
    pub(super) fn draw<G: Group>(p: &mut Party, d: u32, batch: usize) -> Result<Self> {
        let mut bits: Vec<Bits> = (0..d).map(|_| Bits::random(p, batch)).collect();
        if matches!(G::SHIFT, Shift::Xor) {
            return Ok(Self { bits, lifted: None });
        }
        let (send, recv) = Self::bill::<G>(d).times(batch).cots_of(p.role());
        let (mut out, mut inc) = p.cots(send, recv)?;
        let (send, recv) = (send.min(batch), recv.min(batch));
        let mut values = Vec::new();
        let mut parts = Vec::new();
        for b in &mut bits[..d as usize - 1] {
            let (out, inc) = (out.take(send)?, inc.take(recv)?);
            if p.role() == Role::P1 {
                *b = Bits::collect(inc.strings().iter().map(|t| u64::from(t.lsb())));
            }
            values.push(Zeroizing::new(vec![b.iter().collect::<Vec<u64>>()]));
            parts.push((out, inc));
        }
        let from_p0 = p.role() == Role::P0;
        let mut runs = Vec::with_capacity(parts.len());
        for ((j, (out, inc)), values) in (0..).zip(parts).zip(&values) {
            let cots = (from_p0.then_some(out), (!from_p0).then_some(inc));
            runs.push(Products::of(p, batch, cots, &[d - 1 - j]).random(values));
        }
        let products = multiply::<Additive>(p, runs)?;
        let mut lifted = vec![0u32; batch];
        for (j, b) in bits.iter().enumerate() {
            let product = |i: usize| products.get(j).map_or(0, |columns| columns[0][i]);
            let words = lifted.iter_mut().zip(b.iter()).enumerate();
            words.for_each(|(i, (s, b))| *s = s.wrapping_add((b.wrapping_sub(2 * product(i)) as u32) << j));
        }
        Ok(Self { bits, lifted: Some(lifted) })
    }

    /// What a position costs.
    pub(super) fn bill<G: Group>(d: u32) -> Bill {
        match G::SHIFT {
            Shift::Cyclic if d > 1 => {
                let bits = u64::from(d * (d - 1) / 2);
                Bill {
                    cots: [u64::from(d) - 1, 0],
                    offline: Phase { bits: [bits, 0], rounds: 1 },
                    ..Bill::FREE
                }
            }
            _ => Bill::FREE,
        }
    }

    /// Local work of a position.
    pub(super) fn work<G: Group>(d: u32) -> Work {
        Work::cots(Self::bill::<G>(d).all_cots())
    }

    /// The steps of a bill that begins with that of the positions of a batch.
    pub(super) fn steps<G: Group>(d: u32, batch: usize, bill: &Bill) -> Vec<Step> {
        let own = Self::bill::<G>(d).times(batch);
        let rest = [bill.cots[0] - own.cots[0], bill.cots[1]];
        let after = Step::both(bill.offline.rounds - own.offline.rounds);
        match own.offline.rounds {
            0 => vec![Step::Cots(rest), after],
            _ => vec![Step::Cots(own.cots), Step::Rounds([true, false], 1), Step::Cots(rest), after],
        }
    }

    /// This party's shares of the positions.
    pub(super) fn shares(&self) -> Result<Vec<u32>> {
        match &self.lifted {
            Some(shares) => Ok(shares.clone()),
            None => Ok(Bits::to_share::<u32>(&self.bits)?.words().to_vec()),
        }
    }
}

impl Drop for Position {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.lifted);
    }
}

//! The shared position of a one-hot vector while its bits are drawn, one level of a generator each.
//!
//! Bit j is `b_0 ^ b_1`, where `b_p` is party p's random choice bit in a correlated OT of the level.
//! In the xor group the bits are the shares. *Additive lift* (cyclic group):
//! `s = sum of 2^j (b_0 + b_1 - 2 b_0 b_1)`; the products are needed mod `2^(d-j-1)` and ride, from P0
//! to P1, in the same OT.

use std::ops::Range;

use prim::rows::Shift;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::Group;
use crate::{
    net::Role,
    ot::{
        CotReceiver,
        strings::{PayloadReceiver, PayloadSender},
    },
    session::Session,
    share::Additive,
};

#[derive(ZeroizeOnDrop)]
pub(crate) struct Index {
    /// Bits of the whole index.
    pub d: u32,
    /// Shares of the index so far: XOR of bits, or the lifted sum.
    pub offset: Vec<u32>,
    /// This party's bits of the level, and its shares of the products for the lift.
    pub bits: Vec<u64>,
    pub product: Vec<u64>,
}

impl Index {
    pub(crate) fn new(d: u32, batch: usize) -> Self {
        Self { d, offset: vec![0; batch], bits: vec![0; batch], product: vec![0; batch] }
    }

    /// Bits of the level's product that the lift needs.
    pub(crate) fn product_bits<G: Group>(d: u32, level: u32) -> u32 {
        match G::SHIFT {
            Shift::Cyclic => d - level - 1,
            Shift::Xor => 0,
        }
    }

    /// Those of all levels.
    pub(crate) fn lift_bits<G: Group>(d: u32) -> u32 {
        (0..d).map(|level| Self::product_bits::<G>(d, level)).sum()
    }

    /// Widths of the level's product as payload, if there is any: where this party sends, and
    /// where it receives.
    pub(crate) fn lift<G: Group>(&self, role: Role, level: u32) -> (Option<u32>, Option<u32>) {
        let lift = Some(Self::product_bits::<G>(self.d, level)).filter(|&w| w > 0);
        match role {
            Role::P0 => (lift, None),
            Role::P1 => (None, lift),
        }
    }

    /// This party's bits of the next level: its random choices, or drawn where it receives nothing.
    pub(crate) fn choose(&mut self, s: &mut Session, inc: &CotReceiver) {
        if inc.is_empty() {
            s.rng().words(1, &mut self.bits);
        }
        self.bits.iter_mut().zip(inc.strings()).for_each(|(b, t)| *b = u64::from(t.lsb()));
        self.product.fill(0);
    }

    /// The products of some lookups where this party sends: its message.
    pub(crate) fn send_lift(&mut self, pads: &mut PayloadSender, at: Range<usize>) -> Vec<u8> {
        let bits = Zeroizing::new(vec![self.bits[at.clone()].to_vec()]);
        let (message, shares) = pads.send::<Additive>(&bits);
        self.product[at].copy_from_slice(&Zeroizing::new(shares)[0]);
        message
    }

    /// The products where it receives.
    pub(crate) fn receive_lift(&mut self, pads: &mut PayloadReceiver, at: Range<usize>, message: &[u8]) {
        self.product[at].copy_from_slice(&Zeroizing::new(pads.receive::<Additive>(1, message))[0]);
    }

    /// Adds the level's bit to the shares of the index.
    pub(crate) fn add<G: Group>(&mut self, level: u32) {
        for ((s, &b), &product) in self.offset.iter_mut().zip(&self.bits).zip(&self.product) {
            *s = match G::SHIFT {
                Shift::Xor => *s | (b as u32) << level,
                Shift::Cyclic => s.wrapping_add((b.wrapping_sub(2 * product) as u32) << level),
            };
        }
    }
}

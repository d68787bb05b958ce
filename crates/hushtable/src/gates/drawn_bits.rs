//! Products of bits that one party draws with bits of the other's.
//!
//! # Functionality
//! Offline one party, the *drawer*, gets uniform bits a. Online the other gives as many bits x. Out: XOR shares of each
//! `a x`.
//!
//! # Protocol
//! Each correlated OT of random choice c, whose sender is the drawer, is hashed to bits: `r_0`, `r_1` at the drawer and
//! `r_c` at the other party. With `a = r_0 ^ r_1`, `r_0` and `r_c` are shares of `a c`. Online the other party sends
//! `d = x ^ c`, and the drawer adds `a d` to its share.
//!
//! # Cost
//! 1 correlated OT; online 1 bit of the other party's, 1 round. Where both bits are given, as for
//! [`Triples`](super::Triples), the drawer sends one, too.
//!
//! # Source
//! Asharov, Lindell, Schneider, Zohner, "More Efficient Oblivious Transfer" (CCS 2013), section 5.1.3, of which this
//! is one direction.

use super::{
    Bits,
    bits::{pieces, wire_len},
    triples::Growing,
};
use crate::{
    bill::{Bill, Phase},
    codec::{Reader, Writer},
    error::{Error, Result, same},
    net::Role,
    party::Party,
    session::Session,
    source::{Atom, Source},
    terms::Terms,
};

/// One-time material for a batch of products.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, gates::{Bits, DrawnBits}};
/// fn twice(p: &mut Party, m: DrawnBits, x: &Bits) -> Result<()> {
///     m.multiply(p, Some(x))?;
///     m.multiply(p, Some(x))?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct DrawnBits {
    drawer: Role,
    role: Role,
    /// a at the drawer, c at the other party.
    own: Bits,
    /// Of `a c`.
    share: Bits,
}

impl DrawnBits {
    /// Offline: `count` bits of the party `drawer`. No message beyond the correlated OTs' own.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(p: &mut dyn Source, drawer: Role, count: usize) -> Result<Self> {
        p.atom(drawer, count, |p: &mut Party| {
            let (role, mut made) = (p.role(), Growing::new(p, count, 1));
            let counts = if role == drawer { (count, 0) } else { (0, count) };
            p.stream_cots(counts, &mut made, Growing::send, Growing::receive)?;
            let [own, share] = made.one_way(count, role == drawer);
            Ok(Self { drawer, role, own, share })
        })
    }

    /// What a bit costs.
    pub fn bill(drawer: Role) -> Bill {
        let one = |role: Role| {
            let mut of = [0; 2];
            of[role as usize] = 1;
            of
        };
        let online = Phase { bits: one(drawer.peer()), rounds: 1 };
        Bill { cots: one(drawer), online, kept: 2, ..Bill::FREE }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// The bits, at the drawer.
    pub fn drawn(&self) -> Option<&Bits> {
        (self.role == self.drawer).then_some(&self.own)
    }

    /// Online, 1 round: shares of `a x`. The drawer gives no x. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless x has as many bits and is the other party's, and those of the channel.
    pub fn multiply(self, s: &mut Session, x: Option<&Bits>) -> Result<Bits> {
        let (draws, count) = (self.role == self.drawer, self.len());
        same("bits to multiply with drawn ones", if draws { 0 } else { count }, x.map_or(0, Bits::len))?;
        let Some(x) = x else {
            let mut share = self.share.clone();
            let words = share.words_mut();
            for at in pieces(count) {
                let message = s.recv(wire_len(count, &at))?;
                let mut flips = vec![0u64; at.len()]; // public
                bytemuck::cast_slice_mut(&mut flips)[..message.len()].copy_from_slice(&message);
                let drawn = self.own.words()[at.clone()].iter().zip(&flips);
                words[at].iter_mut().zip(drawn).for_each(|(share, (a, d))| *share ^= a & d);
            }
            return Ok(share);
        };
        // Public: the random choices mask the bits and serve only here.
        let flips = x ^ &self.own;
        pieces(count).try_for_each(|at| s.send(flips.wire(&at).to_vec()))?;
        Ok(self.share.clone())
    }
}

impl Atom for DrawnBits {
    type Form = Role;

    fn terms(drawer: &Role) -> Terms {
        Terms::of("drawn bits").with("from", *drawer)
    }

    fn encode(&self, to: &mut Writer) {
        [&self.own, &self.share].into_iter().for_each(|bits| bits.encode(to));
    }

    fn decode(from: &mut Reader<'_>, role: Role, drawer: &Role, count: usize) -> Result<Self> {
        let (own, share) = (Bits::decode(from, count)?, Bits::decode(from, count)?);
        Ok(Self { drawer: *drawer, role, own, share })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let Some(left) = self.len().checked_sub(count) else {
            return Err(Error::Shape { what: "drawn bits left", want: count, got: self.len() });
        };
        let (own, share) = (self.own.split_off(left), self.share.split_off(left));
        Ok(Self { drawer: self.drawer, role: self.role, own, share })
    }
}

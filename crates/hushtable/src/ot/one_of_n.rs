//! 1-of-n OT of random pads, from correlated OTs or from a code.
//!
//! # Functionality
//! The sender gets random pads `m_0, ..., m_{n-1}`; the receiver a uniform `s < n` and `m_s`, or an
//! `s` of its choice.
//!
//! # Protocol
//! Two sources, for `n <= 2^d`:
//! * products of keys, `ot::products`, for any d, from d correlated OTs;
//! * codes, `ot::kk13`, for `d <= 13`.
//!
//! A choice `c` (for n no power of two also a random one, drawn below n) costs a correction: the
//! receiver sends `flip = c ^ s`, masked by its random `s`, and pad `i` becomes `m_{i ^ flip}`. Both
//! sources let the sender flip the index before it makes pads. For n no power of two `s` is then
//! uniform below n only, so that a choice of the receiver's after it is corrected modulo n: it sends
//! `c - s`, and the pads are turned by that.
//!
//! # Cost
//! Products: no message, about n hashes. Codes: `rho - d` bits from the receiver, 1 round, n hashes.
//! A correction: `d` bits, 1 round.
//!
//! # Source
//! Naor and Pinkas, "Computationally Secure Oblivious Transfer" (J. Cryptology 2005); Dessouky et al.
//! (NDSS 2017), section III-C, for the random choice.

use std::ops::Range;

use prim::{
    block::Block,
    ct,
    hash::CcrHash,
    pack::{pack, packed_len, unpack},
};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

pub use super::products::index_bits;
use super::{
    codes, kk13,
    products::{self, Pads},
    rcot::{CotReceiver, CotSender},
};
use crate::{
    codec::Writer,
    error::{Error, Result, same},
    session::{Purpose, Session},
};

/// Most pads from products.
pub const MAX_PADS: usize = 1 << 20;
/// Most pads from a code.
pub const MAX_CODE_PADS: usize = 1 << codes::MAX_INDEX_BITS;

/// The sender's half of a batch of 1-of-n OTs.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Sender {
    n: usize,
    /// Corrections of the indices: pad i is the source's `i ^ flip`.
    flips: Vec<u32>,
    /// How far the n pads are turned then.
    turns: Vec<u32>,
    chosen: bool,
    /// OTs of which the pads are made.
    spent: usize,
    source: Sending,
}

enum Sending {
    Products(CotSender),
    Code(kk13::Sent),
}

/// The receiver's half: an index and one pad each.
#[must_use = "one-time material that is not used was generated for nothing"]
#[derive(ZeroizeOnDrop)]
pub struct Receiver {
    #[zeroize(skip)]
    n: usize,
    #[zeroize(skip)]
    chosen: bool,
    /// As at the sender.
    #[zeroize(skip)]
    spent: usize,
    choices: Vec<u32>,
    #[zeroize(skip)] // wipes itself
    source: Receiving,
}

enum Receiving {
    Products(CotReceiver),
    /// `y` of each OT.
    Code(Zeroizing<Vec<Block>>),
}

/// Hash keys of pads.
pub enum Keys {
    /// From correlated OTs.
    Products(products::Keys),
    /// From a code.
    Code(CcrHash),
}

const FOREIGN: &str = "keys of another source of OTs";

/// The receiver's random index in products: its choice bits, most significant first.
pub fn chosen_index(t: &[Block]) -> u32 {
    t.iter().fold(0, |index, t| index << 1 | u32::from(t.lsb()))
}

/// Correlated OTs, as sender and receiver, that [`by_products`] takes for `send` OTs as sender and
/// `recv` as receiver.
pub fn product_cots(n: usize, (send, recv): (usize, usize)) -> (usize, usize) {
    (send.saturating_mul(index_bits(n)), recv.saturating_mul(index_bits(n)))
}

/// Correlated OTs, as sender and receiver, that [`by_code`] takes: a few hundred in each direction
/// that is used; none for an n that it refuses.
pub fn code_cots(n: usize, (send, recv): (usize, usize)) -> (usize, usize) {
    let Ok(code) = code_of(n) else { return (0, 0) };
    kk13::cots(&code, send, recv)
}

/// Bits an OT that [`by_code`] takes for n = 2^d: `rho - d`; none for a d that it refuses.
pub fn code_columns(d: u32) -> usize {
    codes::Code::new(d).map_or(0, |code| code.len() - d as usize)
}

fn code_of(n: usize) -> Result<codes::Code> {
    check(n, MAX_CODE_PADS)?;
    codes::Code::new(index_bits(n) as u32)
}

/// 1-of-n OTs with uniform choices below n, `2 <= n <= 2^20`, as many each way as the correlated
/// OTs suffice for. No message if n is a power of two, else 1 round.
///
/// # Errors
/// [`Error::Param`] for another n, [`Error::Shape`] unless the correlated OTs are whole groups of
/// d, and those of the channel.
pub fn by_products(s: &mut Session, n: usize, cots: (CotSender, CotReceiver)) -> Result<(Sender, Receiver)> {
    below(s, from_random(n, cots)?)
}

/// What [`by_products`] makes, for n a power of two: without a session.
pub(crate) fn from_random(n: usize, (out, inc): (CotSender, CotReceiver)) -> Result<(Sender, Receiver)> {
    check(n, MAX_PADS)?;
    let d = index_bits(n);
    same("correlated OTs in the last group to send", 0, out.len() % d)?;
    same("correlated OTs in the last group to receive", 0, inc.len() % d)?;
    let choices = inc.strings().chunks_exact(d).map(chosen_index).collect();
    let out = Sender::new(n, out.len() / d, Sending::Products(out));
    Ok((out, Receiver { n, chosen: false, spent: 0, choices, source: Receiving::Products(inc) }))
}

/// `send` 1-of-n OTs as sender and `recv` as receiver with uniform choices below n, `2 <= n <= 2^13`,
/// from [`code_cots`]. 1 round, and another if n is no power of two.
///
/// # Errors
/// [`Error::Param`] for another n, [`Error::Shape`] for another number of correlated OTs, and
/// those of the channel.
pub fn by_code(
    s: &mut Session,
    n: usize,
    cots: (CotSender, CotReceiver),
    (send, recv): (usize, usize),
) -> Result<(Sender, Receiver)> {
    let (sent, mut received) = kk13::extend(s, code_of(n)?, cots, (send, recv))?;
    let choices = std::mem::take(&mut received.choices);
    let rows = Zeroizing::new(std::mem::take(&mut received.rows));
    let out = Sender::new(n, send, Sending::Code(sent));
    below(s, (out, Receiver { n, chosen: false, spent: 0, choices, source: Receiving::Code(rows) }))
}

/// Replaces the receiver's choices by `wanted`, each below n; the peer does the same in the other
/// direction. Once per OT. 1 round.
///
/// # Errors
/// [`Error::Shape`] unless there is one for each OT, or the second time, when the difference of both
/// choices would be seen; those of the channel.
pub fn choose(s: &mut Session, out: &mut Sender, inc: &mut Receiver, wanted: Vec<u32>) -> Result<()> {
    same("choices made before", 0, usize::from(out.chosen | inc.chosen))?;
    (out.chosen, inc.chosen) = (true, true);
    if out.n.is_power_of_two() {
        return flip(s, out, inc, wanted);
    }
    let n = out.n as u32;
    let turns = correct(s, out, inc, wanted, |c, s| minus(c, s, n))?;
    out.turns = turns.iter().map(|turn| turn % n).collect();
    Ok(())
}

/// Replaces choices that are uniform among all d bits.
fn flip(s: &mut Session, out: &mut Sender, inc: &mut Receiver, wanted: Vec<u32>) -> Result<()> {
    out.flips = correct(s, out, inc, wanted, |c, s| c ^ s)?;
    Ok(())
}

/// Sends the differences of the wanted to the random choices; the peer's.
fn correct(
    s: &mut Session,
    out: &Sender,
    inc: &mut Receiver,
    wanted: Vec<u32>,
    difference: impl Fn(u32, u32) -> u32,
) -> Result<Vec<u32>> {
    same("choices", inc.len(), wanted.len())?;
    let bits = index_bits(out.n) as u32;
    // Public: each wanted index goes out under the random choice of an OT that serves only here, and
    // is uniform in the group of the difference.
    let masked: Vec<u32> = wanted.iter().zip(&inc.choices).map(|(&c, &s)| difference(c, s)).collect();
    let mut message = Vec::new();
    pack(&masked, bits, &mut message);
    let reply = s.exchange(message, packed_len(out.len(), bits))?;
    let mut theirs = vec![0; out.len()];
    unpack(&reply, bits, &mut theirs);
    inc.choices.zeroize();
    inc.choices = wanted;
    Ok(theirs)
}

/// `a - b` modulo n, of numbers below n, without branching.
pub(crate) fn minus(a: u32, b: u32, n: u32) -> u32 {
    let difference = a.wrapping_sub(b);
    // Add n back if the subtraction wrapped.
    difference.wrapping_add(n & ct::bit_mask(u64::from(difference >> 31)) as u32)
}

impl Sender {
    fn new(n: usize, count: usize, source: Sending) -> Self {
        Self { n, flips: vec![0; count], turns: vec![0; count], chosen: false, spent: 0, source }
    }

    /// How many OTs.
    pub fn len(&self) -> usize {
        self.flips.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.flips.is_empty()
    }

    /// Cuts off the last `m` OTs.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        let left = left(self.len(), self.spent, m)?;
        let source = match &mut self.source {
            Sending::Products(cots) => Sending::Products(cots.take(m * index_bits(self.n))?),
            Sending::Code(sent) => Sending::Code(sent.split_off(left)),
        };
        let (flips, turns) = (self.flips.split_off(left), self.turns.split_off(left));
        Ok(Self { n: self.n, flips, turns, chosen: self.chosen, spent: 0, source })
    }

    /// Of OTs from correlated OTs with random choices, for the store.
    ///
    /// # Panics
    /// For others, which are not stored.
    pub(crate) fn encode(&self, to: &mut Writer) {
        match &self.source {
            Sending::Products(cots) if self.n.is_power_of_two() && !self.chosen => cots.encode(to),
            _ => panic!("codes and corrections are not stored"),
        }
    }

    /// Fresh keys for the next pads: for up to about 2^20 hashes.
    pub fn key(&self, s: &mut Session) -> Keys {
        match self.source {
            Sending::Products(_) => Keys::Products(products::Keys::new(s, s.role())),
            Sending::Code(_) => Keys::Code(s.hash(Purpose::CodePad, s.role())),
        }
    }

    /// The n pads of OT `j` in another order: `m_{i ^ order}` in place i. `order` is public, and zero
    /// unless n is a power of two. Spends the OT: their turns come in order, once each.
    ///
    /// # Panics
    /// If the room is for fewer pads, without such an OT, or if it is not its turn.
    pub fn pads<'a>(&mut self, keys: &Keys, j: usize, order: u32, room: &'a mut Pads) -> &'a [Block] {
        assert_eq!(j, self.spent, "each OT's pads are made once, in order");
        self.spent += 1;
        let flip = self.flips[j] ^ order;
        match (&self.source, keys) {
            (Sending::Products(cots), Keys::Products(keys)) => {
                let d = index_bits(self.n);
                room.join_all(keys, cots.delta(), &cots.strings()[j * d..][..d], flip, self.n);
            }
            (Sending::Code(sent), Keys::Code(hash)) => {
                let row = sent.rows[j] ^ sent.differences[flip as usize]; // D is linear
                hash.xored(&sent.differences[..self.n], row, room.first(self.n));
            }
            _ => panic!("{FOREIGN}"),
        }
        let pads = room.first(self.n);
        pads.rotate_right(self.turns[j] as usize); // turns are public
        pads
    }
}

impl Receiver {
    /// How many OTs.
    pub fn len(&self) -> usize {
        self.choices.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    /// Cuts off the last `m` OTs.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        let left = left(self.len(), self.spent, m)?;
        let source = match &mut self.source {
            Receiving::Products(cots) => Receiving::Products(cots.take(m * index_bits(self.n))?),
            Receiving::Code(rows) => Receiving::Code(Zeroizing::new(rows.split_off(left))),
        };
        let choices = self.choices.split_off(left);
        Ok(Self { n: self.n, chosen: self.chosen, spent: 0, choices, source })
    }

    /// As [`Sender::encode`].
    pub(crate) fn encode(&self, to: &mut Writer) {
        match &self.source {
            Receiving::Products(cots) if self.n.is_power_of_two() && !self.chosen => cots.encode(to),
            _ => panic!("codes and corrections are not stored"),
        }
    }

    /// The index in each OT.
    pub fn choices(&self) -> &[u32] {
        &self.choices
    }

    /// The keys that the sender draws with [`Sender::key`].
    pub fn key(&self, s: &mut Session) -> Keys {
        match self.source {
            Receiving::Products(_) => Keys::Products(products::Keys::new(s, s.role().peer())),
            Receiving::Code(_) => Keys::Code(s.hash(Purpose::CodePad, s.role().peer())),
        }
    }

    /// The pads of the OTs `at`. Spends them, as at the sender.
    ///
    /// # Panics
    /// Without such OTs, or if it is not their turn.
    pub fn pads(&mut self, keys: &Keys, at: Range<usize>) -> Zeroizing<Vec<Block>> {
        assert_eq!(at.start, self.spent, "each OT's pad is made once, in order");
        self.spent = at.end;
        match (&self.source, keys) {
            (Receiving::Products(cots), Keys::Products(keys)) => {
                let d = index_bits(self.n);
                products::chosen(keys, &cots.strings()[at.start * d..at.end * d], d)
            }
            (Receiving::Code(rows), Keys::Code(hash)) => {
                let mut pads = Zeroizing::new(rows[at].to_vec());
                hash.in_place(&mut pads);
                pads
            }
            _ => panic!("{FOREIGN}"),
        }
    }
}

/// For n no power of two: uniform choices below n.
fn below(s: &mut Session, (mut out, mut inc): (Sender, Receiver)) -> Result<(Sender, Receiver)> {
    let n = out.n;
    if !n.is_power_of_two() {
        let rng = s.rng();
        let wanted = (0..inc.len()).map(|_| rng.below(n as u32)).collect();
        flip(s, &mut out, &mut inc, wanted)?;
    }
    Ok((out, inc))
}

/// How many stay when the last m are cut off.
fn left(len: usize, spent: usize, m: usize) -> Result<usize> {
    let left = len.checked_sub(m).filter(|&left| left >= spent);
    left.ok_or(Error::Shape { what: "1-of-n OTs left", want: m, got: len - spent })
}

fn check(n: usize, most: usize) -> Result<()> {
    if (2..=most).contains(&n) {
        return Ok(());
    }
    Err(Error::Param { what: "pads of an OT", got: n.to_string(), accepted: format!("2 to {most}") })
}

#[cfg(test)]
mod tests;

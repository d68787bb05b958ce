//! The order of two digits, one known to each party, by one lookup in a table of the sender's.
//!
//! # Functionality
//! P0 has a digit `c`, P1 a digit `d`, of w bits. Out: XOR shares of `1{c < d}` and of `1{c = d}`,
//! the latter of the lowest digit only where it is asked for.
//!
//! # Protocol
//! One party is the sender, in turns. Offline it gets `2^w` random pads `m_i`, of a bit for each
//! output, the receiver a random `s` and `m_s`: 1-of-n OT by products of keys. Online, with `v` the
//! receiver's digit:
//! 1. the receiver sends `u = s ^ v`;
//! 2. the sender has the table of its digit's order relative to every `i`, and sends
//!    `W_i = T_i ^ m_{i ^ u} ^ z` for `i > 0`, with `z` such that `W_0 = 0`. It outputs `z`, the
//!    receiver `W_v ^ m_s`.
//!
//! # Cost, a digit
//! w correlated OTs; online `w + 2 (2^w - 1)` bits, `w + 2^w - 1` for the lowest without equality: 2 rounds.
//!
//! # Source
//! Rathee et al., "CrypTFlow2" (CCS 2020), section 3.1; Huang et al., "Cheetah" (USENIX Security
//! 2022), section 4.2, over silent OTs. `W_0` is not sent: lut-spec 7.

mod stored;

use std::ops::Range;

use prim::{
    block::Block,
    ct,
    lookup::shift_row,
    pack::{pack, packed_len, unpack},
    ring::low,
    rows::Shift,
};
use zeroize::{Zeroize, Zeroizing};

use super::{digits::Cut, tree::Order};
use crate::{
    bill::{Bill, Phase},
    error::Result,
    gates::Bits,
    net::Role,
    ot::{CotReceiver, CotSender, products},
    party::Party,
    session::{Session, pieces},
    source::Source,
};

/// Items of which the pads come from one key and a message consists; whole words of bits.
const PIECE: usize = 1 << 13;

/// One-time material for the orders of a batch of numbers' digits.
pub(super) struct Lookups {
    cut: Cut,
    /// Whether the equality of the lowest digit is told, too.
    equality: bool,
    batch: usize,
    digits: Vec<Pads>,
}

/// Some items of a digit, and how many bits are told of each.
struct Digit {
    outputs: usize,
    at: Range<usize>,
}

/// The pads of a digit.
struct Pads {
    w: u32,
    sender: bool,
    /// For `less` and `equal`: at the sender a word of `2^w` bits, at the receiver the bit chosen.
    pads: [Vec<u64>; 2],
    /// The receiver's `s`.
    choice: Vec<u8>,
}

impl Lookups {
    /// Offline, without a message.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, cut: &Cut, equality: bool, batch: usize) -> Result<Self> {
        p.atom((cut.clone(), equality), batch, |p| Self::make(p, cut, equality, batch))
    }

    /// [`prepare`](Self::prepare), with the peer.
    fn make(p: &mut Party, cut: &Cut, equality: bool, batch: usize) -> Result<Self> {
        let (send, recv) = Self::bill(cut, equality).times(batch).cots_of(p.role());
        let (mut out, mut inc) = p.cots(send, recv)?;
        let mut digits = Vec::with_capacity(cut.len());
        for (i, &w) in cut.widths().iter().enumerate() {
            let sender = sender_of(i) == p.role();
            let pads = [Vec::with_capacity(batch), Vec::with_capacity(batch)];
            let mut digit = Pads { w, sender, pads, choice: Vec::new() };
            for at in pieces(batch, PIECE) {
                let count = at.len() * w as usize;
                match sender {
                    true => digit.draw(p, out.take(count)?),
                    false => digit.choose(p, inc.take(count)?),
                }
            }
            digits.push(digit);
        }
        Ok(Self { cut: cut.clone(), equality, batch, digits })
    }

    /// What the digits of a number cost, `equality` being whether that of the lowest is asked for.
    pub(super) fn bill(cut: &Cut, equality: bool) -> Bill {
        let digit = |(i, &w): (usize, &u32)| {
            let sent = outputs(i, equality) as u64 * ((1 << w) - 1);
            let online = Phase { bits: [sent, w.into()], rounds: 2 };
            let made = Bill { cots: [w.into(), 0], online, kept: 136, ..Bill::FREE };
            if sender_of(i) == Role::P0 { made } else { made.swapped() }
        };
        cut.widths().iter().enumerate().map(digit).fold(Bill::FREE, Bill::beside)
    }

    /// Online, 2 rounds: the orders of the digits of this party's numbers and the peer's.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn orders(self, s: &mut Session, mine: &[u64]) -> Result<Vec<Order>> {
        let opened = self.open(s, mine)?;
        let (role, count, equality) = (s.role(), self.digits.len(), self.equality);
        let planes = || vec![Vec::with_capacity(self.batch.div_ceil(64)); count];
        // The sender's outputs are known when it sends, the receiver's when it has received.
        let mut state = (self.pieces(true), self.pieces(false), planes(), planes());
        s.duplex(
            &mut state,
            |_, (mine_to_send, _, less, equal)| {
                let Some((i, at)) = mine_to_send.next() else { return Ok(None) };
                let x = self.cut.digit(mine, i, &at);
                let digit = Digit { outputs: outputs(i, equality), at };
                Ok(Some(self.digits[i].send(role, digit, &x, &opened[i], [&mut less[i], &mut equal[i]])))
            },
            |s, (_, to_receive, less, equal)| {
                let Some((i, at)) = to_receive.next() else { return Ok(false) };
                let x = self.cut.digit(mine, i, &at);
                let digit = Digit { outputs: outputs(i, equality), at };
                self.digits[i].receive(s, digit, &x, [&mut less[i], &mut equal[i]])?;
                Ok(true)
            },
        )?;
        let bits = |words| Bits::new(self.batch, words);
        let orders = state.2.into_iter().zip(state.3).enumerate();
        let equal = |i: usize, e| (outputs(i, equality) > 1).then(|| bits(e));
        Ok(orders.map(|(i, (l, e))| Order { less: bits(l), equal: equal(i, e) }).collect())
    }

    /// Step 1: what the peer sent of the digits in which this party is the sender.
    fn open(&self, s: &mut Session, mine: &[u64]) -> Result<Vec<Vec<u8>>> {
        let mut state = (self.pieces(false), self.pieces(true), vec![Vec::new(); self.digits.len()]);
        s.duplex(
            &mut state,
            |_, (mine_to_send, ..)| {
                let Some((i, at)) = mine_to_send.next() else { return Ok(None) };
                let x = self.cut.digit(mine, i, &at);
                // Public: s is uniform and serves only here.
                let u: Vec<u8> = x.iter().zip(&self.digits[i].choice[at]).map(|(x, s)| x ^ s).collect();
                let mut message = Vec::new();
                pack(&u, self.digits[i].w, &mut message);
                Ok(Some(message))
            },
            |s, (_, to_receive, opened)| {
                let Some((i, at)) = to_receive.next() else { return Ok(false) };
                let mut u = vec![0u8; at.len()];
                unpack(&s.recv(packed_len(at.len(), self.digits[i].w))?, self.digits[i].w, &mut u);
                opened[i].extend(u);
                Ok(true)
            },
        )?;
        Ok(state.2)
    }

    /// Pieces of the digits in which this party is sender, or receiver.
    fn pieces(&self, sender: bool) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let of: Vec<usize> = (0..self.digits.len()).filter(|&i| self.digits[i].sender == sender).collect();
        let batch = self.batch;
        of.into_iter().flat_map(move |i| pieces(batch, PIECE).map(move |at| (i, at)))
    }
}

impl Pads {
    /// The sender's pads of more items.
    fn draw(&mut self, s: &mut Session, out: CotSender) {
        let hash = products::Keys::new(s, s.role());
        let mut room = products::Pads::new(1 << self.w);
        for q in out.strings().chunks_exact(self.w as usize) {
            let leaves = room.join_all(&hash, out.delta(), q, 0, 1 << self.w);
            for (bit, pads) in self.pads.iter_mut().enumerate() {
                pads.push(leaves.iter().rev().fold(0, |word, m| word << 1 | (m.0 >> bit) as u64 & 1));
            }
        }
    }

    /// The receiver's choices and pads of more items.
    fn choose(&mut self, s: &mut Session, inc: CotReceiver) {
        let hash = products::Keys::new(s, s.role().peer());
        let w = self.w as usize;
        // The first string of an item is for the highest bit of the leaf's index.
        let index = |t: &[Block]| t.iter().fold(0, |index, t| index << 1 | u8::from(t.lsb()));
        self.choice.extend(inc.strings().chunks_exact(w).map(index));
        let chosen = products::chosen(&hash, inc.strings(), w);
        for (bit, pads) in self.pads.iter_mut().enumerate() {
            pads.extend(chosen.iter().map(|m| (m.0 >> bit) as u64 & 1));
        }
    }

    /// Step 2 at the sender: the message for some items; its outputs go to `planes`.
    fn send(
        &self,
        role: Role,
        Digit { outputs, at }: Digit,
        digit: &[u8],
        opened: &[u8],
        planes: [&mut Vec<u64>; 2],
    ) -> Vec<u8> {
        let n = 1usize << self.w;
        let all = low(u64::MAX, n as u32);
        let mut message = Vec::new();
        let mut payload = Zeroizing::new(vec![0u64; at.len()]);
        for (output, plane) in planes.into_iter().enumerate().take(outputs) {
            let pads = self.pads[output][at.clone()].iter().zip(&opened[at.clone()]);
            let mut bits = Zeroizing::new(Vec::with_capacity(at.len()));
            for ((&x, (&pad, &u)), w) in digit.iter().zip(pads).zip(payload.iter_mut()) {
                let mut row = [pad];
                shift_row(&mut row, n, Shift::Xor, u.into()); // `u` came over the wire: public
                let masked = row[0] ^ entries(x, self.w, output, role);
                let z = ct::bit_mask(masked & 1);
                *w = (masked ^ z & all) >> 1;
                bits.push(z & 1);
            }
            plane.extend_from_slice(Bits::collect(bits.iter().copied()).words());
            pack(&payload, n as u32 - 1, &mut message);
        }
        message
    }

    /// Step 2 at the receiver.
    fn receive(
        &self,
        s: &mut Session,
        Digit { outputs, at }: Digit,
        digit: &[u8],
        planes: [&mut Vec<u64>; 2],
    ) -> Result<()> {
        let width = (1 << self.w) - 1;
        let len = packed_len(at.len(), width);
        let message = s.recv(outputs * len)?;
        let mut words = vec![0u64; at.len()];
        for ((output, plane), message) in planes.into_iter().enumerate().zip(message.chunks_exact(len.max(1)))
        {
            unpack(message, width, &mut words);
            let items = words.iter().zip(digit).zip(&self.pads[output][at.clone()]);
            let bits = items.map(|((&w, &x), pad)| (select(w << 1, x, self.w) ^ pad) & 1);
            plane.extend_from_slice(Bits::collect(bits).words());
        }
        Ok(())
    }
}

/// Bit `x` of a word of `2^w` bits.
fn select(word: u64, x: u8, w: u32) -> u64 {
    let step = |word, k| {
        let take = ct::bit_mask(u64::from(x >> k & 1));
        word ^ take & (word ^ word >> (1u32 << k))
    };
    (0..w).fold(word, step)
}

/// The sender's table: bit i says whether P0's digit is less than P1's (output 0) or equal to it, if
/// the receiver's is i.
fn entries(x: u8, w: u32, output: usize, role: Role) -> u64 {
    let bit = |i: u32| {
        // Differences of small numbers: bit 31 is the sign.
        let (less, more) = (u32::from(x).wrapping_sub(i) >> 31, i.wrapping_sub(u32::from(x)) >> 31);
        match (output, role) {
            (0, Role::P0) => less,
            (0, Role::P1) => more,
            _ => 1 ^ less ^ more,
        }
    };
    (0..1 << w).rev().fold(0, |word, i| word << 1 | u64::from(bit(i)))
}

/// Outputs of digit `i`: whether a bit for equality is among them.
fn outputs(i: usize, equality: bool) -> usize {
    1 + usize::from(equality || i > 0)
}

/// Who is the sender of digit `i`.
fn sender_of(i: usize) -> Role {
    if i.is_multiple_of(2) { Role::P0 } else { Role::P1 }
}

impl Drop for Pads {
    fn drop(&mut self) {
        self.pads.iter_mut().for_each(Zeroize::zeroize);
        self.choice.zeroize();
    }
}

//! Shared thermometers: compare digits that one party each knows, after one opening.
//!
//! # Functionality
//! *Offline*: party p gets a uniform private `s_p` in `0..2^w`, and both get XOR shares of the word
//! `V` of `2^(w+1)` bits with `V[j] = bit w of (j + s_0 + s_1)`: a run of `2^w` ones, cyclically.
//! *Online*: P0 has a digit `c`, P1 a digit `d`, both in `0..2^w`; XOR shares of `1{c < d}` and of
//! `1{c = d}`.
//!
//! # Protocol
//! Since `V[j + 2^w] = 1 ^ V[j]`, only `h = 2^w` bits are shared: those of one party's share are
//! the other way round in the upper half (*sender*), those of the other's are the same (*receiver*).
//!
//! Offline: the sender starts with the word for its own `s`, the receiver with zero and with s made
//! of its random choices `b_k` in w correlated OTs. For each bit k of s:
//! 1. turning the word by `2^k` where `b_k = 1` adds `b_k D`, `D[j] = V[j] ^ V[j + 2^k]`. The
//!    receiver turns its own share; for the sender's, the sender sends `D ^ X_0 ^ X_1` and adds
//!    `X_0`, the receiver adds `X_b ^ b * message`;
//! 2. the bits `D[r], D[r + 2^k], ...` sum to 1 for every r, so the last `2^k` bits of D are not
//!    sent but follow from the others.
//!
//! Online, with `t_0 = c - s_0` and `t_1 = -d - s_1` mod `2^(w+1)`:
//! 3. party p sends the low w bits of `t_p`. Their sum m, of `w + 1` bits, is `c - d - s_0 - s_1`
//!    but for `2^w` times the sum of the top bits;
//! 4. `1{c < d}` is bit w of `c - d`: `V[m]`, and each party adds the top bit of its `t_p`;
//! 5. `1{c = d} = V[m] ^ V[m - 1]`: bit w of `e` and of `e - 1` differ for `e = 0` and for
//!    `e = 2^w`, which is no difference of digits.
//!
//! # Cost
//! Offline `(w - 1) 2^w + 1` bits and w correlated OTs a digit, 1 message. Online `2w` bits, 1 round.
//!
//! # Source
//! The comparison of digits by one lookup is that of Hou et al., "ROTL" (PoPETs 2026), section 7,
//! there with a one-hot vector of `2^(w+1)` entries and `2 (w + 1)` bits online. The staged rotation
//! is that of lut-beyond 2.6 with digits of one bit.

mod digit;
mod making;
mod stored;

use std::ops::Range;

use prim::pack::packed_len;

use digit::Thermometer;
use making::Making;

use super::{digits::Cut, tree::Order};
use crate::{
    bill::{Bill, Phase},
    error::Result,
    gates::Bits,
    net::Role,
    party::Party,
    session::{Session, pieces},
    source::Source,
};

/// Items of a digit in a message offline, and of all digits online; whole words of bits.
const PIECE: usize = 1 << 12;
const PIECE_ONLINE: usize = 1 << 14;

/// One-time material for the orders of a batch of numbers' digits.
pub(super) struct Thermometers {
    cut: Cut,
    batch: usize,
    digits: Vec<Thermometer>,
}

impl Thermometers {
    /// Offline, 1 message each way. The parties take turns in being the sender of a digit.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, cut: &Cut, batch: usize) -> Result<Self> {
        p.atom(cut.clone(), batch, |p| Self::make(p, cut, batch))
    }

    /// [`prepare`](Self::prepare), with the peer.
    fn make(p: &mut Party, cut: &Cut, batch: usize) -> Result<Self> {
        let role = p.role();
        let digit = |(i, &w): (usize, &u32)| {
            let sender = sender_of(i) == role;
            let mut digit = Thermometer { w, sender, offset: vec![0; batch], words: vec![0; batch] };
            if sender {
                p.rng().words(w, &mut digit.offset);
                digit.start();
            }
            digit
        };
        let mut digits = cut.widths().iter().enumerate().map(digit).collect::<Vec<_>>();
        let of = |sender: Role| -> Vec<(usize, Range<usize>)> {
            let of = (0..cut.len()).filter(|&i| sender_of(i) == sender);
            of.flat_map(|i| pieces(batch, PIECE).map(move |at| (i, at))).collect()
        };
        let (mine, theirs) = (of(role), of(role.peer()));
        let mut making = Making::new(p, mine.clone(), theirs.clone());
        let counts = Self::bill(cut).times(batch).cots_of(role);
        let mut state = (&mut making, &mut digits);
        p.stream_cots(
            counts,
            &mut state,
            |(making, digits), delta, q| making.send(digits, delta, q),
            |(making, digits), t| making.receive(digits, t),
        )?;
        let Making { messages, pads, .. } = making;
        let mut state = (digits, messages.into_iter(), theirs.into_iter().zip(pads));
        p.duplex(
            &mut state,
            |_, (_, messages, _)| Ok(messages.next()),
            |s, (digits, _, theirs)| match theirs.next() {
                Some(((i, at), pads)) => digits[i].finish(s, at, &pads).map(|()| true),
                None => Ok(false),
            },
        )?;
        Ok(Self { cut: cut.clone(), batch, digits: state.0 })
    }

    /// What the digits of a number cost.
    pub(super) fn bill(cut: &Cut) -> Bill {
        let digit = |(i, &w): (usize, &u32)| {
            let made = Bill { cots: [w.into(), 0], kept: 72, ..Bill::opening(w.into()) };
            let sent = ((u64::from(w) - 1) << w) + 1;
            let made = Bill { offline: Phase { bits: [sent, 0], rounds: 1 }, ..made };
            if sender_of(i) == Role::P0 { made } else { made.swapped() }
        };
        cut.widths().iter().enumerate().map(digit).fold(Bill::FREE, Bill::beside)
    }

    /// Online, 1 round: the orders of the digits of this party's numbers and the peer's. Also says
    /// of the lowest digit whether it is equal.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn orders(self, s: &mut Session, mine: &[u64]) -> Result<Vec<Order>> {
        let role = s.role();
        let planes = || vec![Vec::with_capacity(self.batch.div_ceil(64)); self.digits.len()];
        let all = || pieces(self.batch, PIECE_ONLINE);
        let mut state = (all(), all(), planes(), planes());
        s.duplex(
            &mut state,
            |_, (to_send, ..)| Ok(to_send.next().map(|at| self.masked(role, mine, at))),
            |s, (_, to_receive, less, equal)| {
                let Some(at) = to_receive.next() else { return Ok(false) };
                let lens = self.digits.iter().map(|digit| packed_len(at.len(), digit.w));
                let message = s.recv(lens.clone().sum())?;
                let mut rest = message.as_slice();
                let columns = less.iter_mut().zip(equal).zip(lens);
                for ((i, digit), (planes, len)) in self.digits.iter().enumerate().zip(columns) {
                    let x = self.cut.digit(mine, i, &at);
                    digit.compare(role, &x, at.clone(), &rest[..len], planes);
                    rest = &rest[len..];
                }
                Ok(true)
            },
        )?;
        let bits = |words| Bits::new(self.batch, words);
        let orders = state.2.into_iter().zip(state.3);
        Ok(orders.map(|(less, equal)| Order { less: bits(less), equal: Some(bits(equal)) }).collect())
    }

    /// Step 3 for some items: this party's message.
    fn masked(&self, role: Role, mine: &[u64], at: Range<usize>) -> Vec<u8> {
        let mut message = Vec::new();
        for (i, digit) in self.digits.iter().enumerate() {
            digit.masked(role, &self.cut.digit(mine, i, &at), at.clone(), &mut message);
        }
        message
    }
}

/// Who is the sender of digit `i`.
fn sender_of(i: usize) -> Role {
    if i.is_multiple_of(2) { Role::P0 } else { Role::P1 }
}

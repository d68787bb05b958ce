//! Bit triples from 1-of-4^t OT over codes: for small jobs, which do not pay for silent OTs.
//!
//! # Functionality
//! XOR shares of uniform bits `a`, `b` and of `a b`, t triples an OT, `1 <= t <= 4`.
//!
//! # Protocol
//! S sends, R receives; the roles alternate over the batch.
//! 1. Random 1-of-4^t OT from codes (see `ot::kk13`): S gets pads `m_v`, R a random `v` and `m_v`. The
//!    2 t bits of `v` are R's `(a_1, b_1)` of each triple.
//! 2. S draws its `(a_0, b_0)` and sends, for every `v > 0`, the t bits
//!    `(a_0 ^ a_1)(b_0 ^ b_1) ^ c_0 ^ m_v` that this `v` gives, with `c_0` such that those of `v = 0`
//!    are zero. R's share is `c_1`, what was sent for its `v` without the pad.
//!
//! # Cost
//! `rho - 2 t` bits from R and `t (4^t - 1)` from S an OT, 2 rounds: 193, 133, 145 and 316.75 bits a
//! triple for t = 1 to 4. Once `rho` correlated OTs in each direction.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section III-E. Deviation: the
//! message of `v = 0` is not sent.

use std::ops::Range;

use prim::{
    pack::{pack, packed_len, unpack},
    ring::low,
    words,
};
use zeroize::Zeroizing;

use hushtable::{
    bill::{Bill, Phase},
    error::{Error, Result},
    gates::{Bits, Triples},
    inner::{by_role, halves, pieces},
    net::Role,
    ot::{one_of_n, products::Pads},
    party::Party,
    session::Session,
};

/// OTs of which the pads come from one key and a message consists.
const PIECE: usize = 1 << 12;

/// Offline, 2 rounds: `count` triples, t from each OT, `1 <= t <= 4`; t = 2 takes fewest bits.
///
/// # Errors
/// [`Error::Param`] for another t, and those of the channel.
pub fn triples_from_codes(p: &mut Party, count: usize, t: u32) -> Result<Triples> {
    check(t)?;
    let (counts, n) = (ots(p.role(), count, t), 1 << (2 * t));
    let (send, recv) = one_of_n::code_cots(n, counts);
    let cots = p.cots(send, recv)?;
    let (out, inc) = one_of_n::by_code(p, n, cots, counts)?;
    let columns = |count: usize| [(); 3].map(|()| Zeroizing::new(Vec::with_capacity(count)));
    let mut run = Run { t, out, inc, sent: columns(counts.0), received: columns(counts.1) };
    let (mut mine, mut theirs) = (pieces(counts.0, PIECE), pieces(counts.1, PIECE));
    p.duplex(
        &mut run,
        |s, run| Ok(mine.next().map(|at| run.send(s, at))),
        |s, run| theirs.next().map_or(Ok(false), |at| run.receive(s, at).map(|()| true)),
    )?;
    let (first, second) = by_role(p.role(), run.sent, run.received);
    let bits = |i: usize| {
        let words = first[i].iter().chain(second[i].iter());
        let single = words.flat_map(|&word| (0..t).map(move |bit| u64::from(word >> bit & 1)));
        Bits::collect(single.take(count))
    };
    Triples::from_shares(bits(0), bits(1), bits(2))
}

/// Correlated OTs that [`triples_from_codes`] takes at `role`: `(as sender, as receiver)`.
///
/// # Errors
/// [`Error::Param`] for another t.
pub fn code_cots(role: Role, count: usize, t: u32) -> Result<(usize, usize)> {
    check(t)?;
    Ok(one_of_n::code_cots(1 << (2 * t), ots(role, count, t)))
}

/// What [`triples_from_codes`] costs.
///
/// # Errors
/// [`Error::Param`] for another t.
pub fn code_bill(count: usize, t: u32) -> Result<Bill> {
    let cots = code_cots(Role::P0, count, t)?;
    let (send, receive) = ots(Role::P0, count, t);
    let (messages, columns) = (t as usize * ((1 << (2 * t)) - 1), one_of_n::code_columns(2 * t));
    let bits = |send: usize, receive: usize| (send * messages + receive * columns) as u64;
    let offline =
        Phase { bits: [bits(send, receive), bits(receive, send)], rounds: if count == 0 { 0 } else { 2 } };
    Ok(Bill { offline, ..Bill::of_cots([cots.0 as u64, cots.1 as u64]) }.keeping(3 * count as u64))
}

/// The triples under way: shares of `a`, `b`, `c`, t bits an OT, where this party sends and where it
/// receives.
struct Run {
    t: u32,
    out: one_of_n::Sender,
    inc: one_of_n::Receiver,
    sent: [Zeroizing<Vec<u8>>; 3],
    received: [Zeroizing<Vec<u8>>; 3],
}

impl Run {
    /// Step 2 at S for the next OTs.
    fn send(&mut self, s: &mut Session, at: Range<usize>) -> Vec<u8> {
        let n = 1usize << (2 * self.t);
        let (hash, mut room) = (self.out.key(s), Pads::new(n));
        let mut drawn = Zeroizing::new(vec![[0u8; 2]; at.len()]);
        s.rng().words(self.t, drawn.as_flattened_mut());
        let receivers: Vec<[u8; 2]> = (0..n as u32).map(digits).collect();
        let mut masked = Vec::with_capacity(at.len() * (n - 1));
        let [a, b, c] = &mut self.sent;
        for (j, &[a0, b0]) in at.zip(drawn.iter()) {
            let pads = self.out.pads(&hash, j, 0, &mut room);
            let c0 = low(u64::from(a0 & b0) ^ pads[0].0 as u64, self.t) as u8;
            let message =
                |(&[a1, b1], pad): (&[u8; 2], &prim::Block)| ((a0 ^ a1) & (b0 ^ b1)) ^ c0 ^ pad.0 as u8;
            masked.extend(receivers.iter().zip(pads).skip(1).map(message));
            a.push(a0);
            b.push(b0);
            c.push(c0);
        }
        let mut message = Vec::with_capacity(packed_len(masked.len(), self.t));
        pack(&masked, self.t, &mut message);
        message
    }

    /// Step 2 at R.
    fn receive(&mut self, s: &mut Session, at: Range<usize>) -> Result<()> {
        let n = 1usize << (2 * self.t);
        let keys = self.inc.key(s);
        let pads = self.inc.pads(&keys, at.clone());
        let mut sent = vec![0u8; at.len() * (n - 1)];
        unpack(&s.recv(packed_len(sent.len(), self.t))?, self.t, &mut sent);
        let [a, b, c] = &mut self.received;
        for ((&v, pad), sent) in self.inc.choices()[at].iter().zip(pads.iter()).zip(sent.chunks_exact(n - 1))
        {
            let [a1, b1] = digits(v);
            a.push(a1);
            b.push(b1);
            // The message of v = 0 is zero, which is what a selection outside gives.
            let own = words::select(sent, v.wrapping_sub(1));
            c.push(low(u64::from(own) ^ pad.0 as u64, self.t) as u8);
        }
        Ok(())
    }
}

/// The bits of `v` in even and in odd places.
fn digits(v: u32) -> [u8; 2] {
    [0, 1].map(|odd| (0..4).fold(0, |word, i| word | ((v >> (2 * i + odd) & 1) << i)) as u8)
}

/// OTs as sender and as receiver at `role`.
fn ots(role: Role, count: usize, t: u32) -> (usize, usize) {
    halves(role, count.div_ceil(t as usize))
}

fn check(t: u32) -> Result<()> {
    if (1..=4).contains(&t) {
        return Ok(());
    }
    Err(Error::Param { what: "triples of an OT", got: t.to_string(), accepted: "1 to 4".into() })
}

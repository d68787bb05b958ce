//! What protocols make of correlated OTs: keys for chosen choices, and correlated OT with a payload.
//!
//! # Functionality
//! * *Chosen keys*: sender gets random `(k^0, k^1)`, receiver inputs `c` and gets `k^c`.
//! * *Payload*: sender inputs `x`, receiver inputs a bit `b`; both get shares of `b * x`, additive
//!   mod `2^w` or XOR. The bit is given first (offline), the payload later.
//!
//! # Protocol
//! With `r_0 = H(q)`, `r_1 = H(q ^ Delta)` at the sender and `H(t) = r_c` at the receiver, `c` the
//! random choice:
//! 1. receiver sends `d = b ^ c`; the sender names `X_0 = r_d`, `X_1 = r_{1^d}`, so the receiver
//!    holds `X_b`;
//! 2. sender sends `m = x + X_0 - X_1` and keeps `-X_0`; the receiver's share is `X_b + b * m`.
//!
//! Several payloads may belong to one bit: each takes its own slice of the pads
//! `H(q ^ 1), H(q ^ 2), ...`, and a slice serves once.
//!
//! # Cost
//! 1 bit from the receiver, then `w` bits a payload from the sender: 2 messages.
//!
//! # Source
//! Asharov, Lindell, Schneider, Zohner, "More Efficient Oblivious Transfer" (CCS 2013), section 5;
//! lut-rules, section 8.

use std::borrow::Borrow;

use prim::{
    Wiped,
    block::Block,
    hash::CcrHash,
    pack::{pack, packed_len, unpack},
    ring::low,
};
use zeroize::Zeroizing;

use super::rcot::{CotReceiver, CotSender};
use crate::{
    codec::{Reader, Writer},
    error::Result,
    net::Role,
    session::{Purpose, Session},
    share::Kind,
};

/// OTs whose pads come from one hash key, at most.
const CALLS: usize = 1 << 20;

/// OTs that are hashed at once.
const STEP: usize = 1 << 9;

/// Sender's side of OTs of random keys with choices of the receiver's.
pub(super) fn chosen_keys_send(s: &mut Session, cots: CotSender) -> Result<Zeroizing<Vec<[Block; 2]>>> {
    let hash = s.hash(Purpose::OtPad, s.role());
    let flips = recv_bits(s, cots.len())?;
    let pads = cots.strings().iter().map(|&q| [hash.one(q), hash.one(q ^ cots.delta())]);
    // `flips` came over the wire: public.
    let keys = pads.zip(flips).map(|([r0, r1], d)| if d == 1 { [r1, r0] } else { [r0, r1] });
    Ok(Zeroizing::new(keys.collect()))
}

/// Receiver's side of [`chosen_keys_send`].
pub(super) fn chosen_keys_receive(
    s: &mut Session,
    cots: &CotReceiver,
    choices: &[bool],
) -> Result<Zeroizing<Vec<Block>>> {
    let hash = s.hash(Purpose::OtPad, s.role().peer());
    let bits = Zeroizing::new(choices.iter().map(|&c| u8::from(c)).collect::<Vec<_>>());
    send_flips(s, cots, &bits)?;
    Ok(Zeroizing::new(cots.strings().iter().map(|&t| hash.one(t)).collect()))
}

/// Sender's pads for payloads of the given widths, one set per correlated OT. Slices are spent in
/// order, each once.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct PayloadSender {
    widths: Vec<u32>,
    /// Per payload: `X_0` of each OT, and `X_1`.
    pads: Vec<[Wiped<u64>; 2]>,
    spent: usize,
}

/// Receiver's pads, with its choice bits.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct PayloadReceiver {
    widths: Vec<u32>,
    /// Choice bits, as masks of all ones or zeros.
    choices: Wiped<u64>,
    pads: Vec<Wiped<u64>>,
    spent: usize,
}

impl PayloadSender {
    /// Step 1 with the receiver's corrections: `widths` in bits, 0 to 64 each.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn new(s: &mut Session, cots: CotSender, widths: &[u32]) -> Result<Self> {
        let keys = keys(s, s.role(), cots.len());
        let flips = recv_bits(s, cots.len())?;
        // `flips` came over the wire: which of the two strings is named first is public.
        let flip = |(&q, &d): (&Block, &u8)| if d == 1 { q ^ cots.delta() } else { q };
        let first: Zeroizing<Vec<Block>> =
            Zeroizing::new(cots.strings().iter().zip(&flips).map(flip).collect());
        Ok(Self::with(&keys, cots.delta(), &first, widths))
    }

    /// Without step 1: the receiver's bit is its random choice. No message.
    pub fn random(s: &mut Session, cots: CotSender, widths: &[u32]) -> Self {
        let keys = keys(s, s.role(), cots.len());
        Self::with(&keys, cots.delta(), cots.strings(), widths)
    }

    fn with(keys: &[CcrHash], delta: Block, first: &[Block], widths: &[u32]) -> Self {
        let (x0, x1) = (slices(keys, widths, first, Block::ZERO), slices(keys, widths, first, delta));
        Self { widths: widths.to_vec(), pads: x0.into_iter().zip(x1).map(Into::into).collect(), spent: 0 }
    }

    /// Widths of the payloads.
    pub(crate) fn widths(&self) -> &[u32] {
        &self.widths
    }

    /// The payloads for which step 2 sends zeros, before reduction to their widths. They are uniform for the receiver, which
    /// has one pad of each pair.
    pub(crate) fn unsent<K: Kind>(&self) -> impl Iterator<Item = Vec<u64>> {
        let of = |[x0, x1]: &[Wiped<u64>; 2]| {
            x1.iter().zip(x0.iter()).map(|(&x1, &x0)| K::strip(x1, x0)).collect()
        };
        self.pads.iter().map(of)
    }

    /// Cuts off the pads of the last `m` OTs.
    pub(crate) fn take(&mut self, m: usize) -> Self {
        let cut = |pads: &mut [Wiped<u64>; 2]| pads.each_mut().map(|pads| pads.split_off(pads.len() - m));
        Self { widths: self.widths.clone(), pads: self.pads.iter_mut().map(cut).collect(), spent: self.spent }
    }

    pub(crate) fn encode(&self, to: &mut Writer) {
        assert_eq!(self.spent, 0, "only whole material is stored");
        for (&w, [x0, x1]) in self.widths.iter().zip(&self.pads) {
            let pairs = x0.iter().zip(x1.iter()).flat_map(|(x0, x1)| [*x0, *x1]);
            to.words(&Zeroizing::new(pairs.collect::<Vec<_>>()), w);
        }
    }

    /// Of `count` OTs.
    pub(crate) fn decode(from: &mut Reader<'_>, widths: &[u32], count: usize) -> Result<Self> {
        let mut pads = |&w| {
            let pairs = Zeroizing::new(from.words::<u64>(2 * count, w)?);
            Ok([0, 1].map(|x| pairs.iter().skip(x).step_by(2).copied().collect::<Vec<_>>().into()))
        };
        Ok(Self {
            widths: widths.to_vec(),
            pads: widths.iter().map(&mut pads).collect::<Result<_>>()?,
            spent: 0,
        })
    }

    /// Bytes in memory.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.pads.iter().flatten().map(|pads| 8 * pads.capacity()).sum()
    }

    /// Step 2 for the next payloads: the message, and the sender's shares.
    ///
    /// # Panics
    /// If there are more payloads than slices left, or of another length than the OTs.
    pub fn send<K: Kind>(&mut self, payloads: &[impl Borrow<[u64]>]) -> (Vec<u8>, Vec<Vec<u64>>) {
        let next = self.spent..self.spent + payloads.len();
        self.spent = next.end;
        let mut message = Vec::new();
        let mut shares = Vec::with_capacity(payloads.len());
        for ((&w, [x0, x1]), x) in self.widths[next.clone()].iter().zip(&self.pads[next]).zip(payloads) {
            let x = x.borrow();
            assert_eq!(x.len(), x0.len(), "a payload for each OT");
            let masked = x.iter().zip(x0.iter()).zip(x1.iter());
            let masked = masked.map(|((&x, &x0), &x1)| K::strip(K::combine(x, x0), x1));
            append(&masked.collect::<Vec<_>>(), w, &mut message);
            shares.push(x0.iter().map(|&x0| low(K::strip(0, x0), w)).collect());
        }
        (message, shares)
    }
}

impl PayloadReceiver {
    /// Step 1: gives the choices away under the random choice bits, each 0 or 1.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn new(s: &mut Session, cots: CotReceiver, choices: &[u8], widths: &[u32]) -> Result<Self> {
        send_flips(s, &cots, choices)?;
        let choices = choices.iter().map(|&b| u64::from(b).wrapping_neg()).collect::<Vec<_>>().into();
        Ok(Self::with(s, &cots, choices, widths))
    }

    /// Without step 1: the bit is the random choice. No message.
    pub fn random(s: &mut Session, cots: CotReceiver, widths: &[u32]) -> Self {
        let choices = cots.strings().iter().map(|t| u64::from(t.lsb()).wrapping_neg());
        Self::with(s, &cots, choices.collect::<Vec<_>>().into(), widths)
    }

    fn with(s: &mut Session, cots: &CotReceiver, choices: Wiped<u64>, widths: &[u32]) -> Self {
        let keys = keys(s, s.role().peer(), cots.len());
        let pads = slices(&keys, widths, cots.strings(), Block::ZERO);
        Self { widths: widths.to_vec(), choices, pads, spent: 0 }
    }

    /// Widths of the payloads.
    pub(crate) fn widths(&self) -> &[u32] {
        &self.widths
    }

    /// Bytes of the sender's message with all payloads of `count` OTs.
    pub(crate) fn all_len(&self, count: usize) -> usize {
        self.widths.iter().filter(|&&w| w > 0).map(|&w| packed_len(count, w)).sum()
    }

    /// The choice bits, as masks of all ones or zeros.
    pub(crate) fn choices(&self) -> &[u64] {
        &self.choices
    }

    /// Cuts off the pads of the last `m` OTs.
    pub(crate) fn take(&mut self, m: usize) -> Self {
        let left = self.choices.len() - m;
        Self {
            widths: self.widths.clone(),
            choices: self.choices.split_off(left),
            pads: self.pads.iter_mut().map(|pads| pads.split_off(left)).collect(),
            spent: self.spent,
        }
    }

    pub(crate) fn encode(&self, to: &mut Writer) {
        assert_eq!(self.spent, 0, "only whole material is stored");
        to.words(&self.choices, 1);
        self.widths.iter().zip(&self.pads).for_each(|(&w, pads)| to.words(pads, w));
    }

    /// Of `count` OTs.
    pub(crate) fn decode(from: &mut Reader<'_>, widths: &[u32], count: usize) -> Result<Self> {
        let mut choices = Wiped::from(from.words::<u64>(count, 1)?);
        choices.iter_mut().for_each(|b| *b = b.wrapping_neg());
        let pads = widths.iter().map(|&w| Ok(from.words(count, w)?.into())).collect::<Result<_>>()?;
        Ok(Self { widths: widths.to_vec(), choices, pads, spent: 0 })
    }

    /// Bytes in memory.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        8 * (self.choices.capacity() + self.pads.iter().map(|pads| pads.capacity()).sum::<usize>())
    }

    /// Bytes of the sender's message for the next `payloads`.
    pub fn message_len(&self, payloads: usize) -> usize {
        let widths = &self.widths[self.spent..self.spent + payloads];
        widths.iter().map(|&w| if w == 0 { 0 } else { packed_len(self.choices.len(), w) }).sum()
    }

    /// Step 2 for the next `payloads`: the receiver's shares, one vector per width.
    ///
    /// # Panics
    /// If there are fewer slices left, or the message is not of [`message_len`](Self::message_len).
    pub fn receive<K: Kind>(&mut self, payloads: usize, mut message: &[u8]) -> Vec<Vec<u64>> {
        assert_eq!(message.len(), self.message_len(payloads), "bytes of the payloads' message");
        let next = self.spent..self.spent + payloads;
        self.spent = next.end;
        let mut finish = |(&w, pads): (&u32, &Wiped<u64>)| -> Vec<u64> {
            let mut m = vec![0u64; pads.len()];
            if w > 0 {
                let (mine, rest) = message.split_at(packed_len(pads.len(), w));
                unpack(mine, w, &mut m);
                message = rest;
            }
            let share = |((m, &b), &x): ((u64, &u64), &u64)| low(K::combine(x, m & b), w);
            m.into_iter().zip(self.choices.iter()).zip(pads.iter()).map(share).collect()
        };
        self.widths[next.clone()].iter().zip(&self.pads[next]).map(&mut finish).collect()
    }
}

/// Step 1 at the receiver: `d = b ^ c`, uniform because the random choice `c` serves only here.
fn send_flips(s: &mut Session, cots: &CotReceiver, choices: &[u8]) -> Result<()> {
    assert_eq!(cots.len(), choices.len(), "a choice for each OT");
    let flips: Vec<u8> = cots.strings().iter().zip(choices).map(|(t, &b)| b ^ u8::from(t.lsb())).collect();
    let mut message = Vec::new();
    pack(&flips, 1, &mut message);
    s.send(message)
}

fn recv_bits(s: &mut Session, count: usize) -> Result<Vec<u8>> {
    let mut bits = vec![0u8; count];
    unpack(&s.recv(packed_len(count, 1))?, 1, &mut bits);
    Ok(bits)
}

fn append(words: &[u64], width: u32, message: &mut Vec<u8>) {
    if width > 0 {
        pack(words, width, message);
    }
}

/// A key for every [`CALLS`] OTs.
fn keys(s: &mut Session, owner: Role, count: usize) -> Vec<CcrHash> {
    (0..count.div_ceil(CALLS)).map(|_| s.hash(Purpose::OtPad, owner)).collect()
}

/// Cuts `H(x ^ flip ^ 1), H(x ^ flip ^ 2), ...` of every string into slices of the given widths. A
/// slice never crosses from one block into the next.
fn slices(keys: &[CcrHash], widths: &[u32], strings: &[Block], flip: Block) -> Vec<Wiped<u64>> {
    let mut hashed = Zeroizing::new([Block::ZERO; STEP]);
    let mut out: Vec<Wiped<u64>> = widths.iter().map(|_| Vec::with_capacity(strings.len()).into()).collect();
    for (i, strings) in strings.chunks(STEP).enumerate() {
        let (key, hashed) = (&keys[i * STEP / CALLS], &mut hashed[..strings.len()]);
        let (mut block, mut bit) = (0u128, 0);
        for (&w, out) in widths.iter().zip(&mut out) {
            if w == 0 {
                out.extend(std::iter::repeat_n(0, strings.len()));
                continue;
            }
            if block == 0 || bit + w > 128 {
                (block, bit) = (block + 1, 0);
                key.xored(strings, flip ^ Block(block), hashed);
            }
            out.extend(hashed.iter().map(|h| low((h.0 >> bit) as u64, w)));
            bit += w;
        }
    }
    out
}

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

use prim::{
    block::Block,
    hash::CcrHash,
    pack::{pack, packed_len, unpack},
    ring::low,
};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::rcot::{CotReceiver, CotSender};
use crate::{
    error::Result,
    session::{Purpose, Session},
    share::Kind,
};

/// Sender's side of OTs of random keys with choices of the receiver's.
pub(super) fn chosen_keys_send(s: &mut Session, cots: CotSender) -> Result<Vec<[Block; 2]>> {
    let hash = s.hash(Purpose::OtPad, s.role());
    let flips = recv_bits(s, cots.len())?;
    let pads = cots.strings().iter().map(|&q| [hash.one(q), hash.one(q ^ cots.delta())]);
    // `flips` came over the wire: public.
    Ok(pads.zip(flips).map(|([r0, r1], d)| if d == 1 { [r1, r0] } else { [r0, r1] }).collect())
}

/// Receiver's side of [`chosen_keys_send`].
pub(super) fn chosen_keys_receive(
    s: &mut Session,
    cots: &CotReceiver,
    choices: &[bool],
) -> Result<Vec<Block>> {
    let hash = s.hash(Purpose::OtPad, s.role().peer());
    let bits: Vec<u8> = choices.iter().map(|&c| u8::from(c)).collect();
    send_flips(s, cots, &bits)?;
    Ok(cots.strings().iter().map(|&t| hash.one(t)).collect())
}

/// Sender's pads for payloads of the given widths, one set per correlated OT.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct PayloadSender {
    widths: Vec<u32>,
    /// Per payload, per OT: `(X_0, X_1)`.
    pads: Vec<Vec<[u64; 2]>>,
}

/// Receiver's pads, with its choice bits.
#[must_use = "one-time material that is not used was generated for nothing"]
#[derive(ZeroizeOnDrop)]
pub struct PayloadReceiver {
    widths: Vec<u32>,
    /// Choice bits, as masks of all ones or zeros.
    choices: Vec<u64>,
    pads: Vec<Vec<u64>>,
}

impl PayloadSender {
    /// Step 1 with the receiver's corrections: `widths` in bits, 0 to 64 each.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn new(s: &mut Session, cots: CotSender, widths: &[u32]) -> Result<Self> {
        let hash = s.hash(Purpose::OtPad, s.role());
        let flips = recv_bits(s, cots.len())?;
        // `flips` came over the wire: which of the two is hashed first is public.
        let name = |x: bool| cots.strings().iter().zip(&flips).map(move |(&q, &d)| (q, (d == 1) ^ x));
        let string = |(q, other): (Block, bool)| if other { q ^ cots.delta() } else { q };
        let x0 = slices(&hash, widths, &name(false).map(string).collect::<Vec<_>>());
        let x1 = slices(&hash, widths, &name(true).map(string).collect::<Vec<_>>());
        let pair = |(x0, x1): (Vec<u64>, Vec<u64>)| x0.into_iter().zip(x1).map(|(a, b)| [a, b]).collect();
        Ok(Self { widths: widths.to_vec(), pads: x0.into_iter().zip(x1).map(pair).collect() })
    }

    /// Step 2 for all payloads, one vector of `x` per width: the message, and the sender's shares.
    pub fn send<K: Kind>(self, payloads: &[Vec<u64>]) -> (Vec<u8>, Vec<Vec<u64>>) {
        assert_eq!(payloads.len(), self.widths.len(), "a payload for each width");
        let mut message = Vec::new();
        let mut shares = Vec::with_capacity(payloads.len());
        for ((&w, pads), x) in self.widths.iter().zip(&self.pads).zip(payloads) {
            assert_eq!(x.len(), pads.len(), "a payload for each OT");
            let masked = x.iter().zip(pads).map(|(&x, &[x0, x1])| K::strip(K::combine(x, x0), x1));
            append(&masked.collect::<Vec<_>>(), w, &mut message);
            shares.push(pads.iter().map(|&[x0, _]| low(K::strip(0, x0), w)).collect());
        }
        (message, shares)
    }
}

impl Drop for PayloadSender {
    fn drop(&mut self) {
        self.pads.iter_mut().for_each(|p| p.as_flattened_mut().zeroize());
    }
}

impl PayloadReceiver {
    /// Step 1: gives the choices away under the random choice bits, each 0 or 1.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn new(s: &mut Session, cots: CotReceiver, choices: &[u8], widths: &[u32]) -> Result<Self> {
        let hash = s.hash(Purpose::OtPad, s.role().peer());
        send_flips(s, &cots, choices)?;
        let choices = choices.iter().map(|&b| u64::from(b).wrapping_neg()).collect();
        Ok(Self { widths: widths.to_vec(), choices, pads: slices(&hash, widths, cots.strings()) })
    }

    /// Bytes of the sender's message.
    pub fn message_len(&self) -> usize {
        self.widths.iter().map(|&w| if w == 0 { 0 } else { packed_len(self.choices.len(), w) }).sum()
    }

    /// Step 2 for all payloads: the receiver's shares, one vector per width.
    pub fn receive<K: Kind>(self, message: &[u8]) -> Vec<Vec<u64>> {
        let mut at = 0;
        let mut finish = |(&w, pads): (&u32, &Vec<u64>)| -> Vec<u64> {
            let mut m = vec![0u64; pads.len()];
            if w > 0 {
                let len = packed_len(pads.len(), w);
                unpack(&message[at..at + len], w, &mut m);
                at += len;
            }
            let share = |((m, &b), &x): ((u64, &u64), &u64)| low(K::combine(x, m & b), w);
            m.into_iter().zip(&self.choices).zip(pads).map(share).collect()
        };
        self.widths.iter().zip(&self.pads).map(&mut finish).collect()
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

/// Cuts `H(x ^ 1), H(x ^ 2), ...` of every string into slices of the given widths. A slice never
/// crosses from one block into the next.
fn slices(hash: &CcrHash, widths: &[u32], strings: &[Block]) -> Vec<Vec<u64>> {
    let (mut block, mut bit) = (0u128, 0);
    let mut hashed = vec![Block::ZERO; strings.len()];
    let mut out = Vec::with_capacity(widths.len());
    for &w in widths {
        if block == 0 || bit + w > 128 {
            (block, bit) = (block + 1, 0);
            hash.xored(strings, Block(block), &mut hashed);
        }
        out.push(hashed.iter().map(|h| low((h.0 >> bit) as u64, w)).collect());
        bit += w;
    }
    hashed.zeroize();
    out
}

//! One digit: its word, turned by what both parties subtract, and read.

use std::ops::Range;

use prim::{
    ct,
    pack::{pack, packed_len, unpack},
    ring::low,
};
use zeroize::{Zeroize, Zeroizing};

use crate::{error::Result, net::Role, session::Session};

/// The material of a digit.
pub(super) struct Thermometer {
    pub(super) w: u32,
    /// Whether this party's shares change in the upper half.
    pub(super) sender: bool,
    pub(super) offset: Vec<u8>,
    /// Shares of the lower half of `V`.
    pub(super) words: Vec<u64>,
}

impl Thermometer {
    /// Cuts off the items from `at` on.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let rest = Self {
            w: self.w,
            sender: self.sender,
            offset: self.offset[at..].to_vec(),
            words: self.words[at..].to_vec(),
        };
        self.offset[at..].zeroize();
        self.words[at..].zeroize();
        self.offset.truncate(at);
        self.words.truncate(at);
        rest
    }

    /// Step 3 for the items `at`, whose digits are `digit`: this party's message. Public, because the
    /// offset masks the digit and serves only here.
    pub(super) fn masked(&self, role: Role, digit: &[u8], at: Range<usize>, message: &mut Vec<u8>) {
        let t = Zeroizing::new(self.relative(role, digit, at).map(|t| t as u8).collect::<Vec<_>>());
        pack(&t, self.w, message);
    }

    /// Steps 4 and 5 from the peer's message: words of shares of `c < d` and of `c = d`, 64 items each.
    pub(super) fn compare(
        &self,
        role: Role,
        digit: &[u8],
        at: Range<usize>,
        message: &[u8],
        (less, equal): (&mut Vec<u64>, &mut Vec<u64>),
    ) {
        let (w, half) = (self.w, 1u32 << self.w);
        let mut theirs = vec![0u8; at.len()];
        unpack(message, w, &mut theirs);
        let turned = u64::from(self.sender);
        let words = self.words[at.clone()].iter().zip(&theirs);
        let mut items = words.zip(self.relative(role, digit, at.clone()));
        for _ in 0..at.len().div_ceil(64) {
            let (mut lt, mut eq) = (0, 0);
            for (k, ((&word, &theirs), t)) in items.by_ref().take(64).enumerate() {
                // `m` was opened: public.
                let m = (t & (half - 1)) + u32::from(theirs);
                let bit = |m: u32| word >> (m & (half - 1)) ^ turned & u64::from(m >> w);
                let here = bit(m);
                lt |= ((here ^ u64::from(t >> w)) & 1) << k;
                eq |= ((here ^ bit(m.wrapping_sub(1) & (2 * half - 1))) & 1) << k;
            }
            less.push(lt);
            equal.push(eq);
        }
    }

    /// `t_p` of `w + 1` bits for the items `at`.
    fn relative(&self, role: Role, digit: &[u8], at: Range<usize>) -> impl Iterator<Item = u32> {
        let negative = (role as u32).wrapping_neg(); // P1's digit counts negatively
        let mask = (2u32 << self.w) - 1;
        let digits = digit.iter().zip(&self.offset[at]);
        digits.map(move |(&x, &s)| {
            let x = (u32::from(x) ^ negative).wrapping_sub(negative);
            x.wrapping_sub(u32::from(s)) & mask
        })
    }

    /// The word for this party's `s`: from `s = 0`, whose lower half is zero.
    pub(super) fn start(&mut self) {
        for k in 0..self.w {
            let bits = self.offset.iter().map(|s| ct::bit_mask(u64::from(s >> k & 1)));
            self.words.iter_mut().zip(bits).for_each(|(v, b)| *v ^= b & (*v ^ turn(*v, self.w, k, true)));
        }
    }

    /// Steps 1 and 2 as receiver, from the sender's message and the pads of some items.
    pub(super) fn finish(&mut self, s: &mut Session, at: Range<usize>, pads: &[u8]) -> Result<()> {
        let (w, n) = (self.w, at.len());
        let lens = (0..w).map(|k| packed_len(n, sent_bits(w, k)));
        let message = s.recv(lens.clone().sum())?;
        let mut message = message.as_slice();
        let (words, offset) = (&mut self.words[at.clone()], &self.offset[at]);
        let (mut payload, bytes) = (vec![0u64; n], pad_bytes(w));
        for ((k, len), pads) in (0..w).zip(lens).zip(pads.chunks_exact((n * bytes).max(1))) {
            let (mine, rest) = message.split_at(len);
            message = rest;
            unpack(mine, sent_bits(w, k), &mut payload);
            let items = words.iter_mut().zip(offset).zip(&payload).zip(pads.chunks_exact(bytes));
            for (((v, s), m), pad) in items {
                let x = pad.iter().rev().fold(0, |x, &byte| x << 8 | u64::from(byte));
                let b = ct::bit_mask(u64::from(s >> k & 1));
                let last = b & (u64::MAX >> (64 - (1 << k))) << sent_bits(w, k);
                *v ^= b & (*v ^ turn(*v, w, k, false)) ^ complete(x ^ m & b, w, k) ^ last;
            }
        }
        Ok(())
    }
}

impl Drop for Thermometer {
    fn drop(&mut self) {
        self.offset.zeroize();
        self.words.zeroize();
    }
}

/// Bytes of a pad: of `2^w` bits.
pub(super) fn pad_bytes(w: u32) -> usize {
    (1usize << w).div_ceil(8)
}

/// The word with its bits `2^k` places lower, of `2^w` bits; those that come round are
/// complemented if the upper half is.
#[inline(always)]
pub(super) fn turn(v: u64, w: u32, k: u32, complemented: bool) -> u64 {
    let (half, by) = (1 << w, 1 << k);
    let round = low(v, by) ^ if complemented { low(u64::MAX, by) } else { 0 };
    v >> by | round << (half - by)
}

/// Bits of D that are sent in step 1.
pub(super) fn sent_bits(w: u32, k: u32) -> u32 {
    (1 << w) - (1 << k)
}

/// Step 2 for a share: the bits sent, and behind them the sums of those whose places are equal mod `2^k`.
#[inline(always)]
pub(super) fn complete(v: u64, w: u32, k: u32) -> u64 {
    let v = low(v, sent_bits(w, k));
    let sums = (k..w).rev().fold(v, |sums, step| sums ^ sums >> (1 << step));
    v | low(sums, 1 << k) << sent_bits(w, k)
}

//! Doubling: a shared one-hot vector from one string OT each way per index bit.
//!
//! # Functionality
//! Both parties get `(s_p, B_p)` with `B_0 ^ B_1 = e_s`, `s = s_0 + s_1` in the index group, all
//! of it random.
//!
//! # Protocol
//! The parties keep XOR shares `e_p` of the one-hot vector of the low j bits of s, of `m = 2^j`
//! entries. Bit j of s is `b_0 ^ b_1`, where `b_p` is party p's random choice bit in a correlated
//! OT (for j = 0 without the lift: drawn). Per level, from `e_p`:
//! 1. the cross terms `b_1 e_0` and `b_0 e_1` by one string OT each way: its choice bit is random,
//!    so nothing is corrected; the sender sends `e ^ X_0 ^ X_1`, `m - 1` bits, and keeps `X_0`, the
//!    receiver computes `X_b ^ b * message`;
//! 2. with `b_p e_p` they are shares of `s_j e`; its last entry follows from the others, since all
//!    entries sum to `s_j`;
//! 3. the new vector is `(e ^ s_j e, s_j e)`.
//!
//! *Additive lift* (cyclic group): `s = sum of 2^j (b_0 + b_1 - 2 b_0 b_1)`; the products are
//! needed mod `2^(d-j-1)` and ride in the same OT, in their own slice of the pads.
//!
//! # Cost
//! `2 (n - d - 1)` bits and `2 (d - 1)` correlated OTs a lookup, `d - 1` rounds; the lift adds
//! `d (d - 1) / 2` bits and one correlated OT.
//!
//! # Source
//! lut-beyond 2.1 and 2.3. The recursion is the demultiplexer of Launchbury et al. (ICFP 2012) and
//! Keller et al. (ACNS 2017), with string OTs in place of AND gates.

use prim::{ct, ring::low, rows::Shift};

use super::{Group, OneHot, check_index_bits};
use crate::{
    error::Result,
    net::Role,
    ot::{
        CotReceiver, CotSender,
        strings::{PayloadReceiver, PayloadSender},
    },
    party::Party,
    share::{Additive, Bitwise},
};

impl<G: Group> OneHot<G> {
    /// Offline phase for `batch` lookups in tables of `2^n` entries, `1 <= n <= 16`, in `n - 1`
    /// rounds (`n` in the cyclic group). Bytes grow with `2^n`: meant for `n <= 9`.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another `n`, and those of the channel.
    pub fn doubling(p: &mut Party, n: u32, batch: usize) -> Result<Self> {
        check_index_bits(n)?;
        let (send, recv) = Self::doubling_cots(p.role(), n, batch);
        let (out, inc) = p.cots(send, recv)?;
        let mut state = Doubling::new(p.role(), n, batch);
        let (mut out, mut inc) = (out, inc);
        for level in 0..n {
            let (send, recv) = Self::level_cots(p.role(), n, level, batch);
            let (out, inc) = (out.take(send)?, inc.take(recv)?);
            state.step::<G>(p, level, out, inc)?;
        }
        Self::new(n, state.offset, state.rows)
    }

    /// Correlated OTs that [`doubling`](Self::doubling) takes at the party `role`: `(as sender, as receiver)`.
    pub fn doubling_cots(role: Role, n: u32, batch: usize) -> (usize, usize) {
        let levels = (0..n).map(|level| Self::level_cots(role, n, level, batch));
        levels.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    /// Those of one level: one each way; at level 0, which has no cross terms, only what the lift needs.
    fn level_cots(role: Role, n: u32, level: u32, batch: usize) -> (usize, usize) {
        let (to_p1, to_p0) = match level {
            0 => (batch * usize::from(product_bits::<G>(n, 0) > 0), 0),
            _ => (batch, batch),
        };
        match role {
            Role::P0 => (to_p1, to_p0),
            Role::P1 => (to_p0, to_p1),
        }
    }
}

/// The state between levels.
struct Doubling {
    n: u32,
    words: usize,
    /// Shares of the index so far: XOR of bits, or the lifted sum.
    offset: Vec<u32>,
    rows: Vec<u64>,
}

impl Doubling {
    /// The one-hot vector of no bits: one entry, which is 1.
    fn new(role: Role, n: u32, batch: usize) -> Self {
        let words = ct::row_words(1 << n);
        let mut rows = vec![0; batch * words];
        let one = match role {
            Role::P0 => 1,
            Role::P1 => 0,
        };
        rows.iter_mut().step_by(words).for_each(|row| *row = one);
        Self { n, words, offset: vec![0; batch], rows }
    }

    /// One level: 1 round.
    fn step<G: Group>(&mut self, p: &mut Party, level: u32, out: CotSender, inc: CotReceiver) -> Result<()> {
        let bits = self.choose(p, &inc);
        let payload = entry_widths(level);
        // The product for the lift rides from P0 to P1.
        let lift = product_bits::<G>(self.n, level);
        let (lift_out, lift_in) = match p.role() {
            Role::P0 => (Some(lift).filter(|&w| w > 0), None),
            Role::P1 => (None, Some(lift).filter(|&w| w > 0)),
        };
        let widths = |lift: Option<u32>| payload.iter().copied().chain(lift).collect::<Vec<_>>();
        let mut out = PayloadSender::random(p, out, &widths(lift_out));
        let mut inc = PayloadReceiver::random(p, inc, &widths(lift_in));

        let entries: Vec<Vec<u64>> = (0..payload.len()).map(|w| self.column(w)).collect();
        let (mut message, g) = out.send::<Bitwise>(&entries);
        let mut product = vec![0; bits.len()];
        if lift_out.is_some() {
            let (more, share) = out.send::<Additive>(std::slice::from_ref(&bits));
            message.extend(more);
            product.clone_from(&share[0]);
        }
        let for_entries = inc.message_len(payload.len());
        let expected = inc.message_len(payload.len() + lift_in.iter().count());
        // Without a lift level 0 sends nothing.
        let theirs = if widths(Some(lift)) == [0] { Vec::new() } else { p.exchange(message, expected)? };
        let h = inc.receive::<Bitwise>(payload.len(), &theirs[..for_entries]);
        if lift_in.is_some() {
            product.clone_from(&inc.receive::<Additive>(1, &theirs[for_entries..])[0]);
        }
        self.double(level, &bits, &g, &h);
        self.index::<G>(level, &bits, &product);
        Ok(())
    }

    /// This party's bits of the level: its random choices, or drawn where it receives nothing.
    fn choose(&self, p: &mut Party, inc: &CotReceiver) -> Vec<u64> {
        if inc.is_empty() {
            let mut bits = vec![0; self.offset.len()];
            p.rng().words(1, &mut bits);
            return bits;
        }
        inc.strings().iter().map(|t| u64::from(t.lsb())).collect()
    }

    /// Word `w` of every row.
    fn column(&self, w: usize) -> Vec<u64> {
        self.rows.iter().skip(w).step_by(self.words).copied().collect()
    }

    /// Steps 2 and 3: from the cross terms' shares `g` and `h` to the vector of twice the length.
    fn double(&mut self, level: u32, bits: &[u64], g: &[Vec<u64>], h: &[Vec<u64>]) {
        let m = 1usize << level;
        let (last_word, last_bit) = ((m - 1) / 64, (m - 1) % 64);
        for (i, row) in self.rows.chunks_exact_mut(self.words).enumerate() {
            let mut moved = [0u64; 1 << (super::MAX_INDEX_BITS - 7)];
            let moved = &mut moved[..=last_word];
            for (w, moved) in moved.iter_mut().enumerate() {
                let cross = if w < g.len() { g[w][i] ^ h[w][i] } else { 0 };
                *moved = (row[w] & bits[i].wrapping_neg()) ^ cross;
            }
            // The last entry: all entries of s_j e sum to s_j.
            moved[last_word] = low(moved[last_word], last_bit as u32);
            let sum = moved.iter().fold(0, |sum, w| sum ^ w).count_ones() as u64 & 1;
            moved[last_word] |= (sum ^ bits[i]) << last_bit;
            for (w, &moved) in moved.iter().enumerate() {
                row[w] ^= moved;
                if m < 64 {
                    row[0] |= moved << m;
                } else {
                    row[w + m / 64] = moved;
                }
            }
        }
    }

    /// Adds the level's bit to the shares of the index.
    fn index<G: Group>(&mut self, level: u32, bits: &[u64], product: &[u64]) {
        for ((s, &b), &product) in self.offset.iter_mut().zip(bits).zip(product) {
            *s = match G::SHIFT {
                Shift::Xor => *s | (b as u32) << level,
                Shift::Cyclic => s.wrapping_add((b.wrapping_sub(2 * product) as u32) << level),
            };
        }
    }
}

/// Words of the `m - 1` entries that go through the OTs of a level.
fn entry_widths(level: u32) -> Vec<u32> {
    let mut left = (1u32 << level) - 1;
    let mut widths = Vec::new();
    while left > 0 {
        widths.push(left.min(64));
        left -= left.min(64);
    }
    widths
}

/// Bits of a level's product `b_0 b_1` that the lift needs.
fn product_bits<G: Group>(n: u32, level: u32) -> u32 {
    match G::SHIFT {
        Shift::Cyclic => n - level - 1,
        Shift::Xor => 0,
    }
}

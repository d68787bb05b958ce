//! SP-LUT: lookup by 1-of-n OT of all masked entries.
//!
//! # Functionality
//! In: a public table of n entries of `l` bits, shares of `x`. Out: shares of `T[x]`, additive or
//! XOR alike.
//!
//! # Protocol
//! One party sends (S), the other receives (R); `x_S`, `x_R` are their shares of the index.
//! 1. Offline: 1-of-n random OT: S gets pads `m_0, ..., m_{n-1}`, R a uniform `s` and `m_s`. For n
//!    not a power of two R draws `s` below n and corrects its choice bits.
//! 2. R sends `u = s - x_R`, uniform.
//! 3. S sends `V_i = T[i + x_S] + m_{i+u} - z` for all i, with its output `z` chosen so that
//!    `V_0 = 0` need not be sent. R outputs `V_{x_R} - m_s`.
//!
//! In the xor group all sums of indices are XORs. The first half of a batch is sent by P0, the
//! second by P1, so that both directions of the link are used. Pads are expanded online, from the
//! `d = ceil(log2 n)` strings kept.
//!
//! # Cost, a lookup
//! Offline `d` correlated OTs, and `d` bits if n is no power of two. Online `d + (n - 1) l` bits, 2
//! rounds. S hashes `2 (2^d - 1)` blocks.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section III-C. Deviations: pads
//! from a key tree over silent OT instead of KK13; `V_0` is not sent.

mod stored;

use std::{marker::PhantomData, ops::Range};

use prim::{
    block::Block,
    pack::{pack, packed_len, unpack},
    ring::{Ring, low},
    rows::Shift,
    words,
};
use zeroize::{Zeroize, Zeroizing};

use super::Table;
use crate::{
    error::{Error, Result, same},
    net::Role,
    onehot::{Cyclic, Group},
    ot::{CotReceiver, CotSender, one_of_n},
    party::Party,
    session::{Purpose, Session},
    share::{AShare, BShare, Kind, Share},
};

/// Largest table: one lookup is one message, which both parties may have in flight.
const MAX_ENTRIES: usize = 1 << 20;
/// Bytes of one message of masked entries, about.
const PIECE: usize = 1 << 18;

/// One-time material for a batch of lookups in tables of n entries, `2 <= n <= 2^20`.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, lut::{Table, splut::SpLut}, onehot::Cyclic};
/// fn twice(p: &mut Party, m: SpLut<Cyclic>, t: &Table<u8>, x: &AShare<u32>) -> Result<()> {
///     m.lookup(p, t, x)?;
///     m.lookup(p, t, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct SpLut<G: Group> {
    role: Role,
    entries: usize,
    depth: usize,
    /// Strings for the lookups in which this party sends.
    out: CotSender,
    /// Corrections of the receiver's choices in those lookups: pad i is leaf `i ^ flip`.
    flips: Vec<u32>,
    /// Strings for the others, and the random choice `s` of each.
    inc: CotReceiver,
    choices: Vec<u32>,
    group: PhantomData<G>,
}

impl<G: Group> SpLut<G> {
    /// Offline phase for `batch` lookups in tables of `entries` entries.
    ///
    /// # Errors
    /// [`Error::Param`] if there are fewer than 2 or more than 2^20 entries, or, in the xor group,
    /// no power of two of them.
    pub fn prepare(p: &mut Party, entries: usize, batch: usize) -> Result<Self> {
        Self::prepare_halves(p, entries, batch.div_ceil(2), batch / 2)
    }

    /// [`prepare`](Self::prepare) for given numbers of lookups in which P0 and P1 send.
    pub(super) fn prepare_halves(p: &mut Party, entries: usize, p0: usize, p1: usize) -> Result<Self> {
        let power = entries.is_power_of_two();
        if !(2..=MAX_ENTRIES).contains(&entries) || (!power && matches!(G::SHIFT, Shift::Xor)) {
            let accepted = match G::SHIFT {
                Shift::Cyclic => "2 to 2^20".into(),
                Shift::Xor => "powers of two from 2 to 2^20 (Table::pad)".into(),
            };
            return Err(Error::Param { what: "entries of the table", got: entries.to_string(), accepted });
        }
        let depth = depth(entries);
        let (send, recv) = Self::cots_of_halves(p.role(), entries, p0, p1);
        let (out, inc) = p.cots(send, recv)?;
        let mut choices: Vec<u32> = inc.strings().chunks_exact(depth).map(one_of_n::chosen_index).collect();
        let mut flips = vec![0u32; send / depth];
        if !power {
            let uniform = |_| ((u128::from(p.session().rng().u64()) * entries as u128) >> 64) as u32;
            let drawn: Vec<u32> = (0..choices.len()).map(uniform).collect();
            // Public: the random choice bits mask the drawn index and serve only here.
            let masked: Vec<u32> = choices.iter().zip(&drawn).map(|(b, s)| b ^ s).collect();
            let flipped = exchange(p, &masked, flips.len(), depth as u32)?;
            (choices, flips) = (drawn, flipped);
        }
        Ok(Self { role: p.role(), entries, depth, out, flips, inc, choices, group: PhantomData })
    }

    /// Correlated OTs that [`prepare`](Self::prepare) takes at the party `role`: `(as sender, as receiver)`.
    pub fn cots(role: Role, entries: usize, batch: usize) -> (usize, usize) {
        Self::cots_of_halves(role, entries, batch.div_ceil(2), batch / 2)
    }

    /// Those of [`prepare_halves`](Self::prepare_halves).
    pub(super) fn cots_of_halves(role: Role, entries: usize, p0: usize, p1: usize) -> (usize, usize) {
        let (p0, p1) = (p0 * depth(entries), p1 * depth(entries));
        match role {
            Role::P0 => (p0, p1),
            Role::P1 => (p1, p0),
        }
    }

    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.flips.len() + self.choices.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Online, 2 rounds: additive shares of `T[x]`. The low bits of a wider index count. Spends
    /// this material.
    ///
    /// # Errors
    /// [`Error::Shape`] if the number of indices or of entries differs from what was prepared;
    /// [`Error::Param`] if the index is narrower than the table's or the length is no power of two.
    pub fn lookup<R: Ring>(
        self,
        p: &mut Party,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<AShare<R>> {
        let x = self.whole_index(x)?;
        self.run(p, table, x.words())
    }

    /// Online, 2 rounds: XOR shares of `T[x]`. Spends this material.
    ///
    /// # Errors
    /// As [`lookup`](Self::lookup).
    pub fn lookup_xor<R: Ring>(
        self,
        p: &mut Party,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<BShare<R>> {
        let x = self.whole_index(x)?;
        self.run(p, table, x.words())
    }

    /// This party's index shares, reduced, for a table of a power of two of entries.
    fn whole_index(&self, x: &Share<G::Kind, u32>) -> Result<Share<G::Kind, u32>> {
        if !self.entries.is_power_of_two() {
            let accepted = "powers of two; for other lengths share the index modulo the length".into();
            return Err(Error::Param {
                what: "entries of the table",
                got: self.entries.to_string(),
                accepted,
            });
        }
        x.low_bits(self.depth as u32)
    }

    fn run<K: Kind, R: Ring>(self, p: &mut Party, table: &Table<R>, x: &[u32]) -> Result<Share<K, R>> {
        same("indices", self.len(), x.len())?;
        same("entries of the table", self.entries, table.len())?;
        same("columns of the table", 1, table.columns().len())?;
        let (mine, theirs) = match p.role() {
            Role::P0 => x.split_at(self.flips.len()),
            Role::P1 => {
                let (theirs, mine) = x.split_at(self.choices.len());
                (mine, theirs)
            }
        };
        let masked = self.masked(theirs);
        let u = exchange(p, &masked, mine.len(), self.depth as u32)?;
        let (sent, received, _) = self.answer::<K, R>(p, table, [mine, theirs], &u, |_| Vec::new(), 0)?;
        let (mut first, second) = match p.role() {
            Role::P0 => (sent, received),
            Role::P1 => (received, sent),
        };
        first.extend(second);
        Ok(Share::new(table.bits(), first))
    }

    /// Step 2: `u` for the lookups in which this party receives, at its index shares.
    ///
    /// Public: s is uniform in the index group and serves no other lookup, since only this and the
    /// next step follow, once.
    pub(super) fn masked(&self, theirs: &[u32]) -> Vec<u32> {
        self.choices.iter().zip(theirs).map(|(&s, &x)| minus::<G>(s, x, self.entries as u32)).collect()
    }

    /// Step 3 for the lookups in which this party sends and those in which it receives, at its index
    /// shares `[mine, theirs]`: its outputs of both. In the same round goes the message that `next`
    /// makes of its outputs as sender, unless empty, and `len` bytes of the peer's come.
    pub(super) fn answer<K: Kind, R: Ring>(
        self,
        p: &mut Party,
        table: &Table<R>,
        [mine, theirs]: [&[u32]; 2],
        u: &[u32],
        next: impl FnOnce(&[R]) -> Vec<u8>,
        len: usize,
    ) -> Result<(Vec<R>, Vec<R>, Vec<u8>)> {
        let mut run = Run::<K, R> {
            table,
            depth: self.depth,
            sent: vec![R::default(); mine.len()],
            received: vec![R::default(); theirs.len()],
            produced: 0,
            consumed: 0,
            kind: PhantomData,
        };
        let (out, flips, inc) = (&self.out, &self.flips, &self.inc);
        let (mut next, mut theirs_next) = (Some(next), Vec::new());
        p.session().duplex(
            &mut run,
            |s, run| {
                Ok(match run.next_sent() {
                    Some(at) => Some(run.send::<G>(s, out, flips, mine, u, at)),
                    None => next.take().map(|next| next(&run.sent)).filter(|message| !message.is_empty()),
                })
            },
            |s, run| match run.next_received() {
                Some(at) => run.receive(s, inc, theirs, at).map(|()| true),
                None if theirs_next.len() < len => {
                    theirs_next = s.recv(len)?;
                    Ok(true)
                }
                None => Ok(false),
            },
        )?;
        Ok((run.sent, run.received, theirs_next))
    }
}

impl SpLut<Cyclic> {
    /// Online, 2 rounds: additive shares of `T[x]` for a table of any length n; `x` are this
    /// party's words, below n, of indices shared additively **modulo n**. Spends this material.
    ///
    /// # Errors
    /// As [`lookup`](Self::lookup), and [`Error::Param`] if a word is not below n: an index shared
    /// modulo another number cannot be reduced locally.
    pub fn lookup_mod<R: Ring>(self, p: &mut Party, table: &Table<R>, x: &[u32]) -> Result<AShare<R>> {
        self.below_entries(x)?;
        self.run(p, table, x)
    }

    /// As [`lookup_mod`](Self::lookup_mod), with XOR shares of `T[x]`.
    ///
    /// # Errors
    /// As [`lookup_mod`](Self::lookup_mod).
    pub fn lookup_mod_xor<R: Ring>(self, p: &mut Party, table: &Table<R>, x: &[u32]) -> Result<BShare<R>> {
        self.below_entries(x)?;
        self.run(p, table, x)
    }

    fn below_entries(&self, x: &[u32]) -> Result<()> {
        let outside = x.iter().fold(false, |any, &x| any | (x as usize >= self.entries));
        if !outside {
            return Ok(());
        }
        let accepted = format!("shares modulo {}", self.entries);
        Err(Error::Param { what: "index share", got: "a word that is not reduced".into(), accepted })
    }
}

/// The online phase under way: outputs of both halves and how far each stream is.
struct Run<'a, K: Kind, R: Ring> {
    table: &'a Table<R>,
    depth: usize,
    sent: Vec<R>,
    received: Vec<R>,
    produced: usize,
    consumed: usize,
    kind: PhantomData<K>,
}

impl<K: Kind, R: Ring> Run<'_, K, R> {
    /// Lookups per message.
    fn piece(&self) -> usize {
        (8 * PIECE / (self.table.len() * self.table.bits() as usize)).max(1)
    }

    fn next_sent(&mut self) -> Option<Range<usize>> {
        let from = self.produced;
        self.produced = self.sent.len().min(from + self.piece());
        (from < self.produced).then_some(from..self.produced)
    }

    fn next_received(&mut self) -> Option<Range<usize>> {
        let from = self.consumed;
        self.consumed = self.received.len().min(from + self.piece());
        (from < self.consumed).then_some(from..self.consumed)
    }

    /// Step 3 at the sender: the message of the next lookups.
    fn send<G: Group>(
        &mut self,
        s: &mut Session,
        out: &CotSender,
        flips: &[u32],
        x: &[u32],
        u: &[u32],
        at: Range<usize>,
    ) -> Vec<u8> {
        let hash = s.hash(Purpose::KeyTree, s.role());
        let (column, n, bits) = (&self.table.columns()[0], self.table.len(), self.table.bits());
        let mut leaves = Zeroizing::new(vec![Block::ZERO; 1 << self.depth]);
        let mut pads = Zeroizing::new(vec![R::default(); n]);
        // The table turned by a secret amount, and scratch for turning it.
        let (mut turned, mut spare) = (Zeroizing::new(column.clone()), Zeroizing::new(column.clone()));
        let mut masked = Vec::with_capacity(at.len() * (n - 1));
        for j in at {
            one_of_n::pads(&hash, out.delta(), &out.strings()[j * self.depth..][..self.depth], &mut leaves);
            place_pads::<G, R>(&leaves, flips[j], u[j], &mut pads);
            turned.copy_from_slice(column);
            match G::SHIFT {
                Shift::Cyclic => words::rotate_left(&mut turned, &mut spare, x[j]),
                Shift::Xor => words::permute_xor(&mut turned, &mut spare, x[j]),
            }
            let z = K::combine(turned[0].to_u64(), pads[0].to_u64());
            let entry = |(t, m): (&R, &R)| R::from_u64(K::strip(K::combine(t.to_u64(), m.to_u64()), z));
            masked.extend(turned[1..].iter().zip(&pads[1..]).map(entry));
            self.sent[j] = R::from_u64(low(z, bits));
        }
        let mut message = Vec::with_capacity(packed_len(masked.len(), bits));
        pack(&masked, bits, &mut message);
        message
    }

    /// Step 3 at the receiver.
    fn receive(&mut self, s: &mut Session, inc: &CotReceiver, x: &[u32], at: Range<usize>) -> Result<()> {
        let hash = s.hash(Purpose::KeyTree, s.role().peer());
        let (n, bits, depth) = (self.table.len(), self.table.bits(), self.depth);
        let strings = &inc.strings()[at.start * depth..at.end * depth];
        let pads = Zeroizing::new(one_of_n::chosen_pads(&hash, strings, depth));
        let mut v = vec![R::default(); at.len() * (n - 1)];
        unpack(&s.recv(packed_len(v.len(), bits))?, bits, &mut v);
        for ((v, pad), j) in v.chunks_exact(n - 1).zip(pads.iter()).zip(at) {
            // Entry 0 is zero and was not sent, which is what a selection outside gives.
            let entry = words::select(v, x[j].wrapping_sub(1));
            self.received[j] = R::from_u64(low(K::strip(entry.to_u64(), pad.0 as u64), bits));
        }
        Ok(())
    }
}

/// Pads in the order in which they mask: `pads[i] = m_{i+u}`, `m_j` being leaf `j ^ flip`. Both
/// numbers came over the wire: public.
fn place_pads<G: Group, R: Ring>(leaves: &[Block], flip: u32, u: u32, pads: &mut [R]) {
    let pad = |j: usize| R::from_u64(leaves[j ^ flip as usize].0 as u64);
    let n = pads.len();
    match G::SHIFT {
        Shift::Cyclic => {
            let u = u as usize % n;
            let (head, tail) = pads.split_at_mut(n - u);
            head.iter_mut().enumerate().for_each(|(i, p)| *p = pad(i + u));
            tail.iter_mut().enumerate().for_each(|(i, p)| *p = pad(i));
        }
        Shift::Xor => pads.iter_mut().enumerate().for_each(|(i, p)| *p = pad(i ^ u as usize)),
    }
}

/// The difference in the index group of n elements.
fn minus<G: Group>(a: u32, b: u32, n: u32) -> u32 {
    match G::SHIFT {
        // Without branching: add n back if the subtraction wrapped.
        Shift::Cyclic => {
            let difference = a.wrapping_sub(b);
            difference.wrapping_add(n & ((difference as i32) >> 31) as u32)
        }
        Shift::Xor => a ^ b,
    }
}

/// Swaps `bits`-bit words with the peer, who sends `theirs` of them.
pub(super) fn exchange(p: &mut Party, mine: &[u32], theirs: usize, bits: u32) -> Result<Vec<u32>> {
    let mut message = Vec::new();
    pack(mine, bits, &mut message);
    let mut out = vec![0u32; theirs];
    unpack(&p.session().exchange(message, packed_len(theirs, bits))?, bits, &mut out);
    Ok(out)
}

fn depth(entries: usize) -> usize {
    entries.next_power_of_two().trailing_zeros() as usize
}

impl<G: Group> Drop for SpLut<G> {
    fn drop(&mut self) {
        self.choices.zeroize();
    }
}

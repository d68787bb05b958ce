//! Doubling: a shared one-hot vector from one string OT each way per index bit.
//!
//! # Functionality
//! Both parties get `(s_p, B_p)` with `B_0 ^ B_1 = e_s`, `s = s_0 + s_1` in the index group, `s_p`
//! uniform. `B_p` is not: it determines `s_p` (its parity, and the parities over the entries whose
//! index has a given bit), which no reader minds and no mask may rely on.
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
//! *Additive lift* (cyclic group): the products `b_0 b_1` ride in the same OT, in their own slice of
//! the pads.
//!
//! # Cost
//! `2 (n - d - 1)` bits and `2 (d - 1)` correlated OTs a lookup, `d - 1` rounds, for n entries and
//! `d = log2 n`; the lift adds `d (d - 1) / 2` bits, one correlated OT and one round.
//!
//! # Source
//! lut-beyond 2.1 and 2.3. The recursion is the demultiplexer of Launchbury et al. (ICFP 2012) and
//! Keller et al. (ACNS 2017), with string OTs in place of AND gates.

use std::ops::Range;

use prim::{Wiped, ring::low};
use zeroize::Zeroizing;

use super::{Generator, Group, MAX_DENSE_BITS, OneHot, check_index_bits};
use crate::{
    bill::{Bill, Phase, Step, Work},
    error::Result,
    net::Role,
    ot::{
        CotReceiver, CotSender,
        strings::{PayloadReceiver, PayloadSender},
    },
    party::Party,
    session::Session,
    share::Bitwise,
    tree::index::Index,
};

/// Lookups per message, at most.
const PIECE: usize = 1 << 12;

/// Bits per message, about.
const MESSAGE: usize = 1 << 23;

/// Lookups whose columns are gone through together.
const TILE: usize = 1 << 9;

impl<G: Group> OneHot<G> {
    /// Offline phase for `batch` lookups in tables of `2^d` entries, `1 <= d <= 16`, in `d - 1`
    /// rounds (`d` in the cyclic group). Bytes grow with `2^d`: meant for `d <= 9`.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another `d`, and those of the channel.
    pub fn doubling(p: &mut Party, d: u32, batch: usize) -> Result<Self> {
        check_index_bits(d, MAX_DENSE_BITS)?;
        let (send, recv) = Self::doubling_bill(d).times(batch).cots_of(p.role());
        let (mut out, mut inc) = p.cots(send, recv)?;
        let (mut index, rows) = Doubling::run::<G>(p, d, d, batch, &mut out, &mut inc)?;
        Self::new(d, std::mem::take(&mut index.offset), rows)
    }

    /// What a lookup's vector of `2^d` entries costs.
    pub fn doubling_bill(d: u32) -> Bill {
        let lift = u64::from(Index::lift_bits::<G>(d));
        let first = u32::from(lift > 0);
        let (levels, entries) = (u64::from(d) - 1, 1u64 << d);
        let sent = entries - levels - 2;
        let offline = Phase { bits: [sent + lift, sent], rounds: d - 1 + first };
        Bill { cots: [levels + u64::from(first), levels], offline, kept: entries + 32, ..Bill::FREE }
    }
}

/// Correlated OTs for the vector of the low `m` bits of an index of `d` bits.
pub(crate) fn cots<G: Group>(role: Role, d: u32, m: u32, batch: usize) -> (usize, usize) {
    let levels = (0..m).map(|level| level_cots::<G>(role, d, level, batch));
    levels.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
}

/// Local work of the same: of a level both parties' products, what each masks and doubles.
pub(crate) fn work<G: Group>(d: u32, m: u32) -> Work {
    let level = |level: u32| match level {
        0 => Work::cots(u64::from(Index::lift_bits::<G>(d) > 0)),
        _ => {
            // In columns a word takes less than one of a payload by itself does.
            let words = entry_widths(level).len();
            Work::hashes(3 * words.div_ceil(2)) + Work::words(6 + 8 * words) + Work::bytes(2 << m >> 3)
        }
    };
    Work::index() + (0..m).map(level).sum()
}

/// Those of one level: one each way; at level 0, which has no cross terms, only what the lift needs.
pub(super) fn level_cots<G: Group>(role: Role, d: u32, level: u32, batch: usize) -> (usize, usize) {
    let (to_p1, to_p0) = match level {
        0 => (batch * usize::from(Index::product_bits::<G>(d, 0) > 0), 0),
        _ => (batch, batch),
    };
    match role {
        Role::P0 => (to_p1, to_p0),
        Role::P1 => (to_p0, to_p1),
    }
}

/// The state between levels.
pub(crate) struct Doubling {
    index: Index,
    /// Shares of the vectors so far: word w of each lookup's in column w.
    columns: Vec<Wiped<u64>>,
    /// The level's shares of `s_j e`, likewise.
    moved: Vec<Wiped<u64>>,
}

impl Doubling {
    /// The low `m` bits of an index of `d` bits, for `batch` lookups, and their one-hot vectors in rows.
    pub(crate) fn run<G: Group>(
        p: &mut Party,
        d: u32,
        m: u32,
        batch: usize,
        out: &mut CotSender,
        inc: &mut CotReceiver,
    ) -> Result<(Index, Wiped<u64>)> {
        let mut state = Self::new(p.role(), Index::new(d, batch));
        for level in 0..m {
            let (send, recv) = level_cots::<G>(p.role(), d, level, batch);
            state.step::<G>(p, level, out.take(send)?, inc.take(recv)?)?;
        }
        Ok(state.finish())
    }

    /// The one-hot vector of no bits: one entry, which is 1.
    pub(crate) fn new(role: Role, index: Index) -> Self {
        let one = match role {
            Role::P0 => 1,
            Role::P1 => 0,
        };
        let columns = vec![vec![one; index.offset.len()].into()];
        Self { index, columns, moved: Vec::new() }
    }

    /// The index, and the vectors in rows, one behind the other.
    pub(crate) fn finish(mut self) -> (Index, Wiped<u64>) {
        let words = self.columns.len();
        if words == 1 {
            return (self.index, self.columns.remove(0));
        }
        let mut rows = Wiped::zeros(self.index.offset.len() * words);
        for (some, rows) in rows.chunks_mut(TILE * words).enumerate() {
            for (w, column) in self.columns.iter().enumerate() {
                let places = rows.iter_mut().skip(w).step_by(words);
                places.zip(&column[some * TILE..]).for_each(|(place, word)| *place = *word);
            }
        }
        (self.index, rows)
    }

    /// One level: 1 round.
    fn step<G: Group>(&mut self, p: &mut Party, level: u32, out: CotSender, inc: CotReceiver) -> Result<()> {
        let mut run = self.begin::<G>(p.session(), level, out, inc);
        p.session().duplex(&mut run, |s, run| run.send(s), |s, run| run.receive(s))?;
        self.end::<G>(level);
        Ok(())
    }

    /// A level up to its messages.
    pub(crate) fn begin<G: Group>(
        &mut self,
        s: &mut Session,
        level: u32,
        out: CotSender,
        inc: CotReceiver,
    ) -> Level<'_> {
        self.index.choose(s, &inc);
        // This party's own part of `s_j e`.
        let chosen = |column: &Wiped<u64>| {
            let own = column.iter().zip(&self.index.bits).map(|(word, bit)| word & bit.wrapping_neg());
            Wiped::from(own.collect::<Vec<_>>())
        };
        self.moved = self.columns.iter().map(chosen).collect();
        let (lift_out, lift_in) = self.index.lift::<G>(s.role(), level);
        let entries = entry_widths(level).len();
        let widths = |lift: Option<u32>| entry_widths(level).into_iter().chain(lift).collect();
        Level {
            entries,
            piece: PIECE.min(MESSAGE >> level),
            to_send: out.len(),
            to_receive: inc.len(),
            widths_out: widths(lift_out),
            widths_in: widths(lift_in),
            state: self,
            out,
            inc,
        }
    }

    /// A level behind its messages: steps 2 and 3.
    pub(crate) fn end<G: Group>(&mut self, level: u32) {
        let (m, batch) = (1u32 << level, self.index.offset.len());
        (0..batch).step_by(TILE).for_each(|at| self.complete(m, at..batch.min(at + TILE)));
        for (column, moved) in self.columns.iter_mut().zip(&self.moved) {
            column.iter_mut().zip(moved.iter()).for_each(|(word, moved)| *word ^= moved);
        }
        if m < 64 {
            let words = self.columns[0].iter_mut().zip(self.moved[0].iter());
            words.for_each(|(word, moved)| *word |= moved << m);
            self.moved.clear();
        } else {
            self.columns.append(&mut self.moved);
        }
        self.index.add::<G>(level);
    }

    /// Step 2 for some lookups: the last of `m` entries, since all entries of `s_j e` sum to `s_j`.
    fn complete(&mut self, m: u32, at: Range<usize>) {
        let place = (m - 1) % 64;
        let (last, rest) = self.moved.split_last_mut().expect("a column");
        for (i, last) in at.clone().zip(&mut last[at]) {
            *last = low(*last, place);
            let sum = rest.iter().fold(*last, |sum, column| sum ^ column[i]);
            *last |= (parity(sum) ^ self.index.bits[i]) << place;
        }
    }

    /// Adds shares of cross terms, given as columns of words.
    fn add(&mut self, at: &Range<usize>, cross: &[Vec<u64>]) {
        for (moved, column) in self.moved.iter_mut().zip(cross) {
            moved[at.clone()].iter_mut().zip(column).for_each(|(moved, share)| *moved ^= share);
        }
    }
}

/// The sum of a word's bits.
fn parity(word: u64) -> u64 {
    [32, 16, 8, 4, 2, 1].iter().fold(word, |word, by| word ^ word >> by) & 1
}

/// One level under way: what is left of its correlated OTs and of each stream. Lookups go from
/// the last to the first, as `take` hands OTs out.
pub(crate) struct Level<'a> {
    state: &'a mut Doubling,
    /// Words of entries; behind their widths may stand that of the product.
    entries: usize,
    /// Lookups per message.
    piece: usize,
    widths_out: Vec<u32>,
    widths_in: Vec<u32>,
    out: CotSender,
    inc: CotReceiver,
    to_send: usize,
    to_receive: usize,
}

impl Level<'_> {
    /// Step 1 as sender, for the next lookups.
    pub(crate) fn send(&mut self, s: &mut Session) -> Result<Option<Vec<u8>>> {
        let Some(at) = next(&mut self.to_send, self.piece) else { return Ok(None) };
        let mut pads = PayloadSender::random(s, self.out.take(at.len())?, &self.widths_out);
        let columns: Vec<&[u64]> =
            self.state.columns[..self.entries].iter().map(|column| &column[at.clone()]).collect();
        let (mut message, g) = pads.send::<Bitwise>(&columns);
        self.state.add(&at, &Zeroizing::new(g));
        if self.widths_out.len() > self.entries {
            message.extend(self.state.index.send_lift(&mut pads, at));
        }
        Ok(Some(message))
    }

    /// Step 1 as receiver.
    pub(crate) fn receive(&mut self, s: &mut Session) -> Result<bool> {
        let Some(at) = next(&mut self.to_receive, self.piece) else { return Ok(false) };
        let mut pads = PayloadReceiver::random(s, self.inc.take(at.len())?, &self.widths_in);
        let message = s.recv(pads.message_len(self.widths_in.len()))?;
        let (entries, product) = message.split_at(pads.message_len(self.entries));
        self.state.add(&at, &Zeroizing::new(pads.receive::<Bitwise>(self.entries, entries)));
        if self.widths_in.len() > self.entries {
            self.state.index.receive_lift(&mut pads, at, product);
        }
        Ok(true)
    }
}

/// The next lookups of a stream, from the back.
fn next(left: &mut usize, piece: usize) -> Option<Range<usize>> {
    let to = *left;
    *left = to.saturating_sub(piece);
    (to > 0).then_some(*left..to)
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

/// [`OneHot::doubling`].
pub(crate) struct ByDoubling;

impl Generator for ByDoubling {
    const NAME: &'static str = "d";
    const ABOUT: &'static str = "one-hot vectors by doubling";
    const NUMBER: u8 = 4;
    const MAX_BITS: u32 = MAX_DENSE_BITS;
    fn make<G: Group>(p: &mut Party, d: u32, batch: usize) -> Result<OneHot<G>> {
        OneHot::doubling(p, d, batch)
    }

    fn bill<G: Group>(d: u32, batch: usize) -> Bill {
        OneHot::<G>::doubling_bill(d).times(batch)
    }

    fn work<G: Group>(d: u32) -> Work {
        work::<G>(d, d) + Work::row(1 << d)
    }

    fn steps<G: Group>(d: u32, batch: usize) -> Vec<Step> {
        lifted_steps(&Self::bill::<G>(d, batch), Index::lift_bits::<G>(d) > 0)
    }
}

/// The products of the lowest bit go from P0 to P1, where there is a lift.
pub(crate) fn lifted_steps(bill: &Bill, lifted: bool) -> Vec<Step> {
    let rounds = bill.offline.rounds;
    match lifted {
        true => vec![Step::Cots(bill.cots), Step::Rounds([true, false], 1), Step::both(rounds - 1)],
        false => Step::of(bill),
    }
}

//! Comparison of two numbers, one known to each party, by one-hot vectors: few rounds.
//!
//! # Functionality
//! P0 inputs `c`, P1 inputs `d`, numbers of L bits. Both get XOR shares of `1{c < d}`.
//!
//! # Protocol
//! Both cut their numbers into digits of w bits.
//! 1. *Offline*, for each digit: a shared one-hot vector e at a random position s of w bits, and additive shares of s
//!    mod `2^(w+1)`.
//! 2. *A digit*: let `t_0 = c - s_0` and `t_1 = -d - s_1` mod `2^(w+1)`. Both send the low w bits, which sum to m, of
//!    `w + 1` bits. So `c - d = m + s` but for the top bits of `t_0` and `t_1`, and `1{c < d}`, its bit w, is the XOR
//!    of these, of bit w of m, and of `1{s >= 2^w - (m mod 2^w)}`, which is the parity of a part of e; `1{c = d}` is
//!    the entry `-m mod 2^w` of e.
//! 3. *Joining*: of k neighbours with shares of `less` and `equal`, the highest `less` is added to the entry of a
//!    public table at the others: `less` of any that is not the highest, and `equal` of all above it. The k - 1
//!    highest `equal` and lowest `less` are the index, of XOR; if it does not begin at the lowest digit also the lowest
//!    `equal`, for `equal` of all of them. One lookup by a one-hot vector; until one is left.
//!
//! # Cost
//! For a digit `2 (2^w - w - 1) + w (w + 1) / 2` bits and `2 w - 1` correlated OTs offline, online `2 w` bits. For a
//! join with an index of `b = 2 (k - 1)` bits, or one more, `2 (2^b - b - 1)` bits and `2 (b - 1)` correlated OTs
//! offline, online `2 b` bits. Offline as many rounds as the widest has bits, or one less for an index of XOR; online
//! 1, and 1 for each level of joins.
//!
//! # Source
//! fss-beyond B0 and B5. Deviations: a position that is lifted by one bit more, so that no carry between digits is
//! asked for, and neighbours are joined by any number.

mod joining;
mod stored;

use std::ops::Range;

use prim::{
    pack::{pack, packed_len, unpack},
    ring::low,
};
use zeroize::Zeroizing;

use super::{digits::Cut, tree::Order};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    gates::Bits,
    net::Role,
    onehot::{OneHot, UnitShape, UnitVectors, Xor},
    party::Party,
    session::{Session, pieces},
    source::Source,
};

/// Largest width of a digit.
pub(super) const MAX_ONEHOT_DIGIT: u32 = 10;
/// Most neighbours that are joined at once.
pub(super) const MAX_JOIN: u32 = 5;

/// Items of a message online.
const PIECE: usize = 1 << 14;

/// How numbers are cut, and how many of their digits are joined at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OneHotForm {
    cut: Cut,
    join: u32,
}

/// One-time material for the comparison of a batch of numbers.
pub(super) struct OneHots {
    form: OneHotForm,
    batch: usize,
    digits: Vec<UnitVectors>,
    /// From the first level to the last, in each from the lowest digits on.
    joins: Vec<OneHot<Xor>>,
}

impl OneHotForm {
    /// For numbers of `bits` bits in digits of at most `digit` bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= bits <= 64`, `1 <= digit <= 10` and `2 <= join <= 5`.
    pub(super) fn new(bits: u32, digit: u32, join: u32) -> Result<Self> {
        if !(2..=MAX_JOIN).contains(&join) {
            let accepted = format!("2 to {MAX_JOIN}");
            return Err(Error::Param { what: "digits joined at once", got: join.to_string(), accepted });
        }
        Ok(Self { cut: Cut::wide(bits, digit, MAX_ONEHOT_DIGIT)?, join })
    }

    /// What a comparison costs.
    pub(super) fn bill(&self) -> Bill {
        let shapes = self.digits().chain(self.joins());
        let made = shapes.map(UnitShape::bill).fold(Bill::FREE, Bill::beside);
        let digits = Bill::opening(self.cut.widths().iter().map(|&w| u64::from(w)).sum());
        let levels = joining::levels(self.cut.len(), self.join);
        let level = |level: &Vec<usize>| Bill::opening(joining::index_bits(level).map(u64::from).sum());
        levels.iter().map(level).fold(made + digits, Bill::then)
    }

    /// The kinds of vectors: of the digits, lowest first.
    fn digits(&self) -> impl Iterator<Item = UnitShape> {
        self.cut.widths().iter().map(|&w| UnitShape { d: w, ring: Some(w + 1) })
    }

    /// And of the joins.
    fn joins(&self) -> impl Iterator<Item = UnitShape> {
        let levels = joining::levels(self.cut.len(), self.join);
        let bits = levels.iter().flat_map(|level| joining::index_bits(level)).collect::<Vec<_>>();
        bits.into_iter().map(|d| UnitShape { d, ring: None })
    }
}

impl OneHots {
    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, form: &OneHotForm, batch: usize) -> Result<Self> {
        p.atom(form.clone(), batch, |p| Self::make(p, form, batch))
    }

    /// [`prepare`](Self::prepare), with the peer: all vectors of a kind together, all kinds in the same rounds.
    fn make(p: &mut Party, form: &OneHotForm, batch: usize) -> Result<Self> {
        let shapes: Vec<UnitShape> = form.digits().chain(form.joins()).collect();
        let mut kinds: Vec<(UnitShape, usize)> = Vec::new();
        for &shape in &shapes {
            match kinds.iter_mut().find(|(kind, _)| *kind == shape) {
                Some((_, count)) => *count += batch,
                None => kinds.push((shape, batch)),
            }
        }
        let mut made = UnitVectors::doubling(p, &kinds)?;
        let mut next = |shape: UnitShape| {
            let kind = kinds.iter().position(|(kind, _)| *kind == shape).expect("a kind that was made");
            made[kind].take(batch)
        };
        let digits = form.digits().map(&mut next).collect::<Result<_>>()?;
        let joins = form.joins().map(|shape| next(shape)?.into_onehot()).collect::<Result<_>>()?;
        Ok(Self { form: form.clone(), batch, digits, joins })
    }

    /// Online: shares of `1{c < d}`, `mine` being this party's numbers. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many numbers as comparisons, and those of the channel.
    pub(super) fn less(self, s: &mut Session, mine: &[u64]) -> Result<Bits> {
        same("numbers to compare", self.batch, mine.len())?;
        let orders = self.orders(s, mine)?;
        joining::join(s, orders, self.form.join, self.joins)
    }

    /// Step 2, 1 round: the orders of the digits.
    fn orders(&self, s: &mut Session, mine: &[u64]) -> Result<Vec<Order>> {
        let role = s.role();
        let planes = || vec![Vec::with_capacity(self.batch.div_ceil(64)); self.digits.len()];
        let all = || pieces(self.batch, PIECE);
        let mut state = (all(), all(), Zeroizing::new([planes(), planes()]));
        s.duplex(
            &mut state,
            |_, (to_send, ..)| {
                let message = |at: Range<usize>| {
                    let mut message = Vec::new();
                    for (i, &w) in self.form.cut.widths().iter().enumerate() {
                        // Public: s masks the digit, and serves only here.
                        pack(&self.relative(role, mine, i, &at), w, &mut message);
                    }
                    message
                };
                Ok(to_send.next().map(message))
            },
            |s, (_, to_receive, planes)| {
                let Some(at) = to_receive.next() else { return Ok(false) };
                let lens = self.form.cut.widths().iter().map(|&w| packed_len(at.len(), w));
                let message = s.recv(lens.clone().sum())?;
                let mut rest = message.as_slice();
                let [less, equal] = &mut **planes;
                for (i, len) in lens.enumerate() {
                    let t = self.relative(role, mine, i, &at);
                    self.compare(role, i, at.start, &t, &rest[..len], (&mut less[i], &mut equal[i]));
                    rest = &rest[len..];
                }
                Ok(true)
            },
        )?;
        let [less, equal] = std::mem::take(&mut *state.2);
        let bits = |words| Bits::new(self.batch, words);
        let orders = less.into_iter().zip(equal);
        Ok(orders.map(|(less, equal)| Order { less: bits(less), equal: Some(bits(equal)) }).collect())
    }

    /// `t_p` of digit `i` of some numbers, of `w + 1` bits.
    fn relative(&self, role: Role, mine: &[u64], i: usize, at: &Range<usize>) -> Zeroizing<Vec<u32>> {
        let (w, place) = (self.form.cut.widths()[i], self.form.cut.place(i));
        let negative = u64::from(role as u32).wrapping_neg(); // P1's digit counts negatively
        let digit = |x: &u64| (low(x >> place, w) ^ negative).wrapping_sub(negative);
        let pairs = mine[at.clone()].iter().zip(&self.digits[i].offset()[at.clone()]);
        let t = pairs.map(|(x, &s)| low(digit(x).wrapping_sub(s.into()), w + 1) as u32);
        Zeroizing::new(t.collect())
    }

    /// The rest of step 2 for some items of digit `i`, from the peer's message: words of shares of `c < d` and of
    /// `c = d`, 64 items each.
    fn compare(
        &self,
        role: Role,
        i: usize,
        from: usize,
        t: &[u32],
        message: &[u8],
        (less, equal): (&mut Vec<u64>, &mut Vec<u64>),
    ) {
        let (w, vectors) = (self.form.cut.widths()[i], &self.digits[i]);
        let mut theirs = vec![0u32; t.len()];
        unpack(message, w, &mut theirs);
        let (half, public) = (1u32 << w, 1 - role as u32);
        for (t, (theirs, first)) in t.chunks(64).zip(theirs.chunks(64).zip((from..).step_by(64))) {
            let (mut lt, mut eq) = (0, 0);
            for (k, (&t, &theirs)) in t.iter().zip(theirs).enumerate() {
                // `m` was opened: public.
                let m = (t & (half - 1)) + theirs;
                let row = vectors.row(first + k);
                let at = half - (m & (half - 1));
                lt |= (parity_from(row, at) ^ u64::from(t >> w ^ m >> w & public)) << k;
                let at = at & (half - 1);
                eq |= (row[at as usize / 64] >> (at % 64) & 1) << k;
            }
            less.push(lt);
            equal.push(eq);
        }
    }
}

/// The parity of the entries from `at` on, which is public.
fn parity_from(row: &[u64], at: u32) -> u64 {
    let (word, bit) = (at as usize / 64, at % 64);
    let Some(first) = row.get(word) else { return 0 };
    let sum = row[word + 1..].iter().fold(first >> bit, |sum, w| sum ^ w);
    u64::from(sum.count_ones() & 1)
}

//! B: a shared one-hot vector by balanced outer products, in few rounds.
//!
//! # Functionality
//! As `onehot::doubling`: shares of `e_s` and of the uniform `s`.
//!
//! # Protocol
//! The one-hot vector of a position of k bits is the outer product of those of its high
//! `k - floor(k / 2)` and of its low `floor(k / 2)` bits, `u` and `v`, made likewise; of one bit it is
//! `(1 ^ s, s)`. An outer product of `n1 x n2` entries, from shares `u_p`, `v_p`:
//! 1. for each i > 0 the cross terms `u_1[i] v_0` and `u_0[i] v_1` by one string OT each way, whose
//!    payload is all of v but the last entry; the receiver's choice is corrected in the same round;
//! 2. with `u_p[i] v_p` they are shares of row i; its last entry follows, since the row sums to
//!    `u[i]`, and then row 0, since the rows sum to `v`.
//!
//! In the xor group, where k = 2, `u[1]` is a bit of s and may be the random choice of its OT: then
//! nothing is corrected. All outer products of one depth share a round.
//!
//! # Cost
//! `C(k)` bits and `R(k)` correlated OTs a lookup, `ceil(log2 k)` rounds for k index bits. With `h =
//! floor(k / 2)`: `C(1) = 0`, `C(2) = 2`, `C(k) = 2 (2^(k-h) - 1) 2^h + C(k - h) + C(h)`; `R(1) = 0`,
//! `R(k) = 2 (2^(k-h) - 1) + R(k - h) + R(h)`. For n = 256, 536 bits, 50 OTs, 3 rounds. In the cyclic
//! group `C(2) = 4`, and the lift adds `k (k - 1) / 2` bits, `k - 1` correlated OTs and one round.
//!
//! # Source
//! lut-beyond 2.2. Outer products of one-hot vectors: Heath, Kolesnikov, "One Hot Garbling" (CCS
//! 2021).

use prim::{ct, ring::low, rows::Shift};
use zeroize::Zeroizing;

use super::{Generator, Group, MAX_DENSE_BITS, OneHot, check_index_bits, lift::Position};
use crate::{
    bill::{Bill, Phase, Step, Work},
    error::Result,
    gates::{Bits, Products, multiply},
    net::Role,
    ot::{CotReceiver, CotSender},
    party::Party,
    share::Bitwise,
};

impl<G: Group> OneHot<G> {
    /// Offline phase for `batch` lookups in tables of `2^d` entries, `1 <= d <= 16`, in `ceil(log2 d)`
    /// rounds (one more in the cyclic group). Bytes grow with `2^d`: meant for `d <= 10`.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another `d`, and those of the channel.
    pub fn balanced(p: &mut Party, d: u32, batch: usize) -> Result<Self> {
        check_index_bits(d, MAX_DENSE_BITS)?;
        let mut position = Position::draw::<G>(p, d, batch)?;
        let (mut out, mut inc) = p.cots(batch * rows(d), batch * rows(d))?;
        let role = p.role();
        let mut vectors: Vec<Vector> = position.bits.iter().map(|b| Vector::of_bit(role, b)).collect();
        for depth in 1..=depth(d) {
            let mut take = || Ok((out.take(batch)?, inc.take(batch)?));
            let mut slots = Slot::pair_up(vectors, &parts(d, depth), &mut take)?;
            let random = depth == 1 && matches!(G::SHIFT, Shift::Xor);
            if random {
                for outer in slots.iter_mut().filter_map(Slot::outer) {
                    // The high bit of two is the random choice of the only OT each way.
                    let bit = Bits::collect(outer.cots[0].1.strings().iter().map(|t| u64::from(t.lsb())));
                    outer.high = Vector::of_bit(role, &bit);
                    position.bits[outer.at as usize + 1] = bit;
                }
            }
            vectors = multiply_all(p, slots, random)?;
        }
        Self::new(d, position.shares()?, vectors[0].to_rows())
    }
}

/// Rounds of outer products for k bits.
fn depth(k: u32) -> u32 {
    k.next_power_of_two().ilog2()
}

/// String OTs each way for k bits: a row of each outer product but its first.
fn rows(k: u32) -> usize {
    match k {
        1 => 0,
        _ => (1 << (k - k / 2)) - 1 + rows(k - k / 2) + rows(k / 2),
    }
}

/// How many bits the vectors that exist after `rounds` rounds stand for, from the lowest bit on.
fn parts(k: u32, rounds: u32) -> Vec<u32> {
    match depth(k) <= rounds {
        true => vec![k],
        false => [parts(k / 2, rounds), parts(k - k / 2, rounds)].concat(),
    }
}

/// Shares of one-hot vectors of `2^k` entries, for a batch.
struct Vector {
    k: u32,
    /// Word w of every lookup's vector in column w.
    columns: Zeroizing<Vec<Vec<u64>>>,
}

/// One vector while a round is under way.
enum Slot {
    Done(Vector),
    Outer(Outer),
}

/// An outer product to be made.
struct Outer {
    /// The lowest bit it stands for.
    at: u32,
    low: Vector,
    high: Vector,
    /// For each row but the first.
    cots: Vec<(CotSender, CotReceiver)>,
}

impl Slot {
    /// Pairs the vectors up where the next round has one in place of two.
    fn pair_up(
        vectors: Vec<Vector>,
        parts: &[u32],
        take: &mut impl FnMut() -> Result<(CotSender, CotReceiver)>,
    ) -> Result<Vec<Self>> {
        let (mut vectors, mut at) = (vectors.into_iter(), 0);
        let mut slot = |&k: &u32| -> Result<Self> {
            at += k;
            let low = vectors.next().expect("a vector for each part");
            if low.k == k {
                return Ok(Self::Done(low));
            }
            let high = vectors.next().expect("two vectors for a part");
            let cots = (1..1 << high.k).map(|_| take()).collect::<Result<_>>()?;
            Ok(Self::Outer(Outer { at: at - k, low, high, cots }))
        };
        parts.iter().map(&mut slot).collect()
    }

    fn outer(&mut self) -> Option<&mut Outer> {
        match self {
            Self::Done(_) => None,
            Self::Outer(outer) => Some(outer),
        }
    }
}

/// One round: all outer products.
fn multiply_all(p: &mut Party, mut slots: Vec<Slot>, random: bool) -> Result<Vec<Vector>> {
    let mut batches = Vec::new();
    for outer in slots.iter_mut().filter_map(Slot::outer) {
        let widths = outer.low.payload_widths();
        let Outer { low, high, cots, .. } = outer;
        for (i, (out, inc)) in (1..).zip(cots.drain(..)) {
            let products = Products::of(p, out.len(), (Some(out), Some(inc)), &widths);
            batches.push(match random {
                true => products.random(&low.columns),
                false => products.chosen(high.entries(i), &low.columns),
            });
        }
    }
    let mut cross = multiply::<Bitwise>(p, batches)?.into_iter();
    let finish = |slot| match slot {
        Slot::Done(vector) => vector,
        Slot::Outer(Outer { low, high, .. }) => Vector::outer(&low, &high, &mut cross),
    };
    Ok(slots.into_iter().map(finish).collect())
}

impl Vector {
    /// `(1 ^ b, b)`.
    fn of_bit(role: Role, b: &Bits) -> Self {
        let one = 1 - role as u64;
        Self { k: 1, columns: Zeroizing::new(vec![b.iter().map(|b| (3 * b) ^ one).collect()]) }
    }

    /// Entry i of every lookup's vector.
    fn entries(&self, i: usize) -> impl Iterator<Item = u64> {
        self.columns[i / 64].iter().map(move |w| w >> (i % 64) & 1)
    }

    /// Widths of the words without the last entry.
    fn payload_widths(&self) -> Vec<u32> {
        let entries = (1u32 << self.k) - 1;
        (0..entries.div_ceil(64)).map(|w| (entries - 64 * w).min(64)).collect()
    }

    /// Step 2: from the shares of the cross terms, one set of columns for each row but the first.
    fn outer(low: &Self, high: &Self, cross: &mut impl Iterator<Item = Zeroizing<Vec<Vec<u64>>>>) -> Self {
        let (k, batch) = (low.k + high.k, low.columns[0].len());
        let mut out = Self { k, columns: Zeroizing::new(vec![vec![0; batch]; ct::row_words(1 << k)]) };
        let mut first = low.columns.clone();
        for (i, mut row) in (1..1 << high.k).zip(cross) {
            high.entries(i).enumerate().for_each(|(at, bit)| low.complete(&mut row, at, bit));
            for (first, row) in first.iter_mut().zip(row.iter()) {
                first.iter_mut().zip(row).for_each(|(f, r)| *f ^= r);
            }
            out.place(i, low.k, &row);
        }
        out.place(0, low.k, &first);
        out
    }

    /// Adds this party's own product `bit * self` to the cross terms of lookup `at` in `row`, and
    /// sets the last entry so that the row sums to the bit.
    fn complete(&self, row: &mut [Vec<u64>], at: usize, bit: u64) {
        let (mask, last) = (ct::bit_mask(bit), (1u32 << self.k) - 1);
        let mut sum = bit;
        for (w, (row, mine)) in row.iter_mut().zip(self.columns.iter()).enumerate() {
            let known = (last - 64 * w as u32).min(64);
            row[at] = low(row[at] ^ mine[at] & mask, known);
            sum ^= u64::from(row[at].count_ones() & 1);
        }
        row[last as usize / 64][at] |= sum << (last % 64);
    }

    /// Sets entries `i * 2^k..` to a row of `2^k` entries.
    fn place(&mut self, i: usize, k: u32, row: &[Vec<u64>]) {
        let at = i << k;
        for (column, row) in self.columns[at / 64..].iter_mut().zip(row) {
            column.iter_mut().zip(row).for_each(|(c, r)| *c |= r << (at % 64));
        }
    }

    /// A row of words for each lookup.
    fn to_rows(&self) -> Vec<u64> {
        let mut rows = vec![0; self.columns.len() * self.columns[0].len()];
        for (w, column) in self.columns.iter().enumerate() {
            let words = rows.iter_mut().skip(w).step_by(self.columns.len());
            words.zip(column).for_each(|(row, word)| *row = *word);
        }
        rows
    }
}

/// [`OneHot::balanced`].
pub(crate) struct OuterProducts;

impl Generator for OuterProducts {
    const NAME: &'static str = "b";
    const ABOUT: &'static str = "one-hot vectors in few rounds by outer products";
    const NUMBER: u8 = 8;
    const MAX_BITS: u32 = MAX_DENSE_BITS;
    fn make<G: Group>(p: &mut Party, d: u32, batch: usize) -> Result<OneHot<G>> {
        OneHot::balanced(p, d, batch)
    }

    fn bill<G: Group>(d: u32, batch: usize) -> Bill {
        let position = Position::bill::<G>(d);
        let sent = sent_bits(d, matches!(G::SHIFT, Shift::Cyclic));
        let offline = Phase { bits: [sent; 2], rounds: depth(d) };
        let products = Bill { cots: [rows(d) as u64; 2], offline, kept: (1 << d) + 32, ..Bill::FREE };
        (position + products).times(batch)
    }

    fn work<G: Group>(d: u32) -> Work {
        Position::work::<G>(d) + products_work(d) + Work::index() + Work::row(1 << d)
    }

    fn steps<G: Group>(d: u32, batch: usize) -> Vec<Step> {
        Position::steps::<G>(d, batch, &Self::bill::<G>(d, batch))
    }

    fn memory(d: u32, _cots: usize, _removal: usize) -> usize {
        // Its OTs at once, and the cross terms of the last product.
        128 + 64 * ct::row_words(1 << d) + (64 << d.div_ceil(2))
    }
}

/// Local work of the outer products for k bits: a payload for each row but the first.
fn products_work(k: u32) -> Work {
    let (low, high) = (k / 2, k - k / 2);
    match k {
        1 => Work::default(),
        _ => {
            let row = Work::payload(((1 << low) - 1u32).div_ceil(64) as usize);
            row * f64::from((1u32 << high) - 1) + products_work(low) + products_work(high)
        }
    }
}

/// Bits that each party sends for k index bits: of a pair of bits the correction and an entry, without the correction
/// where the choice is random.
fn sent_bits(k: u32, corrected: bool) -> u64 {
    let (low, high) = (k / 2, k - k / 2);
    match k {
        1 => 0,
        2 => 1 + u64::from(corrected),
        _ => {
            let own = ((1u64 << high) - 1) << low;
            own + sent_bits(low, corrected) + sent_bits(high, corrected)
        }
    }
}

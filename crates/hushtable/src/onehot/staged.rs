//! Staged rotation: a shared one-hot vector of a larger table in one message, with far less hashing
//! than [one rotation](super::rotl).
//!
//! # Functionality
//! Both parties get `(s_p, B_p)` with `B_0 ^ B_1 = e_s`, `s = s_0 + s_1` in the index group, all
//! of it random.
//!
//! # Protocol
//! As the rotation, with the offset of the party that turns (T) cut into k digits:
//! `alpha = sum of alpha_j R_j`, digit j of `m_j` values, `R_j` the product of the `m` before. The
//! party that holds (H) starts from `v = e_{s_H}`, T from `y = 0`. Stage j, with a half-tree of
//! `m_j` leaves from correlated OTs of its own, `d_i` the row of n bits of leaf i, of which T lacks
//! number `alpha_j`:
//! 1. H computes `r = XOR_i d_i` and `a = XOR_i unshift_{i R_j}(d_i)`, T the same sums `r'`, `a'` with
//!    whatever stands in place `alpha_j`;
//! 2. H sends the tree's corrections and `v ^ a`; T turns `y ^ v ^ a ^ a'` by `alpha_j R_j` and adds
//!    `r'`: its new `y`;
//! 3. H goes on with `v = r`.
//!
//! After each stage `v ^ y` is the vector turned by the digits so far. H knows every v beforehand and
//! T answers nothing, so all stages are one message. At last `B_H = v`, `B_T = y`. No v or y between
//! is ever output.
//!
//! # Cost
//! For n entries and `d = log2 n`: `128 (d - k) + k n` bits from the holder and `d` correlated OTs a
//! lookup, 1 message; each party hashes about `sum of m_j (1 + ceil(n / 128))` blocks. The digits are
//! as even as can be, their number k the one for which bits and blocks, a block weighing as two
//! bits, are least: a digit for each bit up to n = 64, where no tree has more than two leaves and
//! nothing is corrected; 2 at n = 256, 4 at 65536.
//!
//! # Source
//! lut-beyond 2.6, from the rotation of Hou et al., "ROTL" (PoPETs 2026).

use std::ops::Range;

use prim::{block::Block, ct, ggm, hash::CcrHash, pack, rows};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::{Generator, Group, MAX_DENSE_BITS, OneHot, check_index_bits};
use crate::{
    bill::{Bill, Phase, Work},
    error::Result,
    net::Role,
    ot::{CotReceiver, CotSender},
    party::Party,
    session::{Purpose, Session, by_role, pieces},
};

/// Bytes of a message, about.
const MESSAGE: usize = 1 << 19;

impl<G: Group> OneHot<G> {
    /// Offline phase for `batch` lookups in tables of `2^d` entries, `1 <= d <= 16`, in 1 message.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another `d`, and those of the channel.
    pub fn staged(p: &mut Party, d: u32, batch: usize) -> Result<Self> {
        check_index_bits(d, MAX_DENSE_BITS)?;
        let (send, recv) = StagedRotation::bill::<G>(d, batch).cots_of(p.role());
        let (as_holder, as_turner) = p.cots(send, recv)?;
        let plan = Sizes::new(d);
        let half = |cots: usize| Half {
            offset: vec![0; cots / d as usize],
            rows: vec![0; cots / d as usize * plan.words],
        };
        let mut halves = (half(send), half(recv));
        p.session().rng().words(d, &mut halves.0.offset);
        let (mut mine, mut theirs) =
            (pieces(halves.0.offset.len(), plan.piece), pieces(halves.1.offset.len(), plan.piece));
        p.session().duplex(
            &mut halves,
            |s, (held, _)| Ok(mine.next().map(|at| held.hold::<G>(s, &plan, &as_holder, at))),
            |s, (_, turned)| match theirs.next() {
                Some(at) => turned.turn::<G>(s, &plan, &as_turner, at).map(|()| true),
                None => Ok(false),
            },
        )?;
        let (first, second) = by_role(p.role(), &halves.0, &halves.1);
        Self::new(d, [&*first.offset, &second.offset].concat(), [&*first.rows, &second.rows].concat())
    }
}

/// The sizes of a lookup. Public.
struct Sizes {
    d: u32,
    words: usize,
    /// Bits of each digit, from the lowest.
    digits: Vec<u32>,
    /// Lookups in a message.
    piece: usize,
}

impl Sizes {
    fn new(d: u32) -> Self {
        let piece = (8 * MESSAGE / bits(d)).clamp(1, 512);
        Self { d, words: ct::row_words(1 << d), piece, digits: digits(d) }
    }

    /// Each digit's bits, with the place of its lowest.
    fn stages(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut at = 0;
        self.digits.iter().map(move |&width| {
            at += width;
            (width, at - width)
        })
    }

    /// Corrections of all trees of a lookup.
    fn corrections(&self) -> usize {
        self.d as usize - self.digits.len()
    }

    /// Entries packed in a word.
    fn word_bits(&self) -> u32 {
        (1 << self.d).min(64)
    }
}

/// Bits that the holder sends for a lookup.
pub(crate) fn bits(d: u32) -> usize {
    let k = digits(d).len();
    128 * (d as usize - k) + (k << d)
}

/// Blocks that a party hashes for a lookup, about.
fn hashed(d: u32, digits: impl Iterator<Item = u32>) -> usize {
    digits.map(|width| (1 << width) * (1 + (1usize << d).div_ceil(128))).sum()
}

/// Bits of each digit of an offset of `d` bits.
fn digits(d: u32) -> Vec<u32> {
    let even = |k: u32| (0..k).map(move |j| d / k + u32::from(j < d % k));
    let cost = |&k: &u32| 128 * (d - k) as usize + ((k as usize) << d) + 2 * hashed(d, even(k));
    even((1..=d).min_by_key(cost).expect("a digit")).collect()
}

/// The lookups in which this party holds, or turns.
#[derive(ZeroizeOnDrop)]
struct Half {
    offset: Vec<u32>,
    rows: Vec<u64>,
}

impl Half {
    /// All stages at the holder: the message.
    fn hold<G: Group>(&mut self, s: &mut Session, plan: &Sizes, c: &CotSender, at: Range<usize>) -> Vec<u8> {
        let (tree, row) = keys(s, s.role());
        let mut corrections = vec![Block::ZERO; at.len() * plan.corrections()];
        let mut masked = vec![0u64; at.len() * plan.digits.len() * plan.words];
        let (mut next, mut out) = (corrections.as_mut_slice(), masked.chunks_exact_mut(plan.words));
        let mut leaves = Zeroizing::new(vec![Block::ZERO; 1 << plan.digits[0]]);
        for j in at {
            let v = &mut self.rows[j * plan.words..][..plan.words];
            let strings = &c.strings()[j * plan.d as usize..][..plan.d as usize];
            ct::one_hot_row(1 << plan.d, self.offset[j], v);
            for (width, place) in plan.stages() {
                let leaves = &mut leaves[..1 << width];
                let (own, rest) = next.split_at_mut(width as usize - 1);
                ggm::expand(&tree, c.delta(), &strings[place as usize..][..width as usize], leaves, own);
                let a = out.next().expect("a row for each stage");
                let mut r = Zeroizing::new(vec![0; plan.words]);
                rows::sum_stepped_rows(&row, G::SHIFT, 1 << plan.d, 1 << place, leaves, &mut r, a);
                a.iter_mut().zip(&*v).for_each(|(a, v)| *a ^= v);
                v.copy_from_slice(&r);
                next = rest;
            }
        }
        let mut message = bytemuck::cast_slice(&corrections).to_vec();
        pack::pack(&masked, plan.word_bits(), &mut message);
        message
    }

    /// All stages at the turner.
    fn turn<G: Group>(
        &mut self,
        s: &mut Session,
        plan: &Sizes,
        c: &CotReceiver,
        at: Range<usize>,
    ) -> Result<()> {
        let (tree, row) = keys(s, s.role().peer());
        let mut corrections = vec![Block::ZERO; at.len() * plan.corrections()];
        let mut masked = vec![0u64; at.len() * plan.digits.len() * plan.words];
        let packed = pack::packed_len(masked.len(), plan.word_bits());
        let message = s.recv(16 * corrections.len() + packed)?;
        let (blocks, rest) = message.split_at(16 * corrections.len());
        bytemuck::cast_slice_mut(&mut corrections).copy_from_slice(blocks);
        pack::unpack(rest, plan.word_bits(), &mut masked);
        let (mut next, mut masked) = (corrections.as_slice(), masked.chunks_exact(plan.words));
        let mut leaves = Zeroizing::new(vec![Block::ZERO; 1 << plan.digits[0]]);
        let mut sums = Zeroizing::new([vec![0; plan.words], vec![0; plan.words]]);
        for j in at {
            let y = &mut self.rows[j * plan.words..][..plan.words];
            let strings = &c.strings()[j * plan.d as usize..][..plan.d as usize];
            for (width, place) in plan.stages() {
                let leaves = &mut leaves[..1 << width];
                let (own, rest) = next.split_at(width as usize - 1);
                let digit = ggm::puncture(&tree, &strings[place as usize..][..width as usize], own, leaves);
                let [r, a] = &mut *sums;
                rows::sum_stepped_rows(&row, G::SHIFT, 1 << plan.d, 1 << place, leaves, r, a);
                let v = masked.next().expect("a row for each stage");
                y.iter_mut().zip(a.iter().zip(v)).for_each(|(y, (a, v))| *y ^= a ^ v);
                match G::SHIFT {
                    rows::Shift::Cyclic => ct::rotate_row(y, 1 << plan.d, digit << place),
                    rows::Shift::Xor => ct::xor_row(y, 1 << plan.d, digit << place),
                }
                y.iter_mut().zip(&*r).for_each(|(y, r)| *y ^= r);
                self.offset[j] |= digit << place;
                next = rest;
            }
        }
        Ok(())
    }
}

/// Fresh keys for the next message of the direction in which `holder` sends: of trees and rows.
fn keys(s: &mut Session, holder: Role) -> (CcrHash, CcrHash) {
    (s.hash(Purpose::Pprf, holder), s.hash(Purpose::Row, holder))
}

/// [`OneHot::staged`].
pub(crate) struct StagedRotation;

impl Generator for StagedRotation {
    const NAME: &'static str = "st";
    const ABOUT: &'static str = "one-hot vectors by rotation digit by digit";
    const NUMBER: u8 = 6;
    const MAX_BITS: u32 = MAX_DENSE_BITS;
    fn make<G: Group>(p: &mut Party, d: u32, batch: usize) -> Result<OneHot<G>> {
        OneHot::staged(p, d, batch)
    }

    fn bill<G: Group>(d: u32, batch: usize) -> Bill {
        let offline = Phase { bits: [bits(d) as u64, 0], rounds: 1 };
        Bill { cots: [d.into(), 0], offline, kept: (1 << d) + 32, ..Bill::FREE }.alternating(batch)
    }

    fn work<G: Group>(d: u32) -> Work {
        let (n, digits) = (1usize << d, digits(d));
        let leaves: usize = digits.iter().map(|width| 1 << width).sum();
        let trees = Work::nodes(hashed(d, digits.iter().copied())) + Work::levels(d);
        // Rows and their sums: of a leaf's row each word is read, turned, and added to both.
        let rows = Work::words(4 * leaves * ct::row_words(n)) + Work::steps(2 * digits.len() as u32);
        trees + rows + Work::index() + Work::row(n)
    }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn digits_make_the_offset() {
        assert_eq!(digits(1), [1]);
        assert_eq!(digits(3), [1, 1, 1]);
        assert_eq!(digits(8), [4, 4]);
        assert_eq!(digits(16), [4, 4, 4, 4]);
        for d in 1..=16 {
            let digits = digits(d);
            assert_eq!(digits.iter().sum::<u32>(), d);
            assert!(digits.is_sorted_by(|a, b| a >= b) && digits[0] <= digits[digits.len() - 1] + 1);
        }
    }
}

//! In which public intervals a shared number lies, in one opening.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x, and public intervals `a..b` in `0..2^l`. Out: XOR shares of `1{a <= x < b}` for
//! each of any number of them.
//!
//! # Protocol
//! 1. *Offline*: a shared one-hot vector e of `n = 2^l` entries at a random position s, with shares of s.
//! 2. Open `m = x - s`. Since `x = s + m`, `1{a <= x < b}` is the parity of the entries of e from `a - m` up to `b - m`,
//!    cyclically. Local: one pass over the vector up to each bound.
//!
//! # Cost
//! Offline that of the vector: by doubling up to 9 bits, by half-trees above. Online `2 l` bits, 1 round, for any number
//! of intervals, thresholds and values.
//!
//! # Source
//! fss-spec 6a and 9, fss-beyond B0.

use std::ops::Range;

use prim::{ct, ring::Ring};
use zeroize::Zeroizing;

use crate::{
    bill::Bill,
    codec::{Reader, Writer},
    error::{Error, Result, same, within},
    gates::Bits,
    lut::read::Vectors,
    net::Role,
    onehot::{Cyclic, MAX_INDEX_BITS, OneHot, contained},
    session::Session,
    share::AShare,
    source::{Atom, Source},
    terms::Terms,
};

/// Widest index for which doubling sends less than half-trees.
const DENSE: u32 = 9;

/// One-time material for a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Containment};
/// fn twice(p: &mut Party, m: Containment, x: &AShare<u16>) -> Result<()> {
///     m.inside(p, x, &[3..9])?;
///     m.inside(p, x, &[3..9])?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Containment {
    vectors: OneHot<Cyclic>,
}

impl Containment {
    /// Offline, for `batch` numbers of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= bits <= 20`, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, batch: usize) -> Result<Self> {
        check(bits)?;
        p.atom(bits, batch, |p| Ok(Self { vectors: by(bits).make(p, bits, batch)? }))
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= bits <= 20`.
    pub fn bill(bits: u32) -> Result<Bill> {
        check(bits)?;
        let vector = match by(bits) {
            Vectors::Doubling => OneHot::<Cyclic>::doubling_bill(bits),
            Vectors::Tree => OneHot::<Cyclic>::tree_bill(bits),
        };
        Ok(vector + Bill::opening(bits.into()))
    }

    /// Online, 1 round: shares of `1{a <= x < b}` for each interval `a..b`; one with `a >= b` is empty. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Param`] for a bound above `2^l`, [`Error::Shape`] if numbers or widths are not those prepared for, and
    /// those of the channel.
    pub fn inside<R: Ring>(
        self,
        s: &mut Session,
        x: &AShare<R>,
        intervals: &[Range<u64>],
    ) -> Result<Vec<Bits>> {
        let (bits, count, role) = (self.vectors.index_bits(), x.len(), s.role());
        same("numbers to compare", self.vectors.len(), count)?;
        same("bits of the numbers", bits as usize, x.bits() as usize)?;
        let entries = 1u64 << bits;
        if let Some(bound) = intervals.iter().flat_map(|i| [i.start, i.end]).find(|&bound| bound > entries) {
            let (what, accepted) = ("bound of an interval", format!("0 to {entries}"));
            return Err(Error::Param { what, got: bound.to_string(), accepted });
        }
        let masked = x.low_bits::<u32>(bits)?.minus(self.vectors.offset());
        // Public: s is uniform and serves no other opening, since `self` is spent.
        let m = s.open(&masked)?;
        let mut planes = Zeroizing::new(vec![vec![0u64; count.div_ceil(64)]; intervals.len()]);
        self.vectors.spend_rows(|at, rows| {
            for (i, row) in at.zip(rows.chunks_exact(ct::row_words(1 << bits))) {
                for (plane, interval) in planes.iter_mut().zip(intervals) {
                    plane[i / 64] |= contained(role, row, bits, m[i].into(), interval) << (i % 64);
                }
            }
        });
        Ok(planes.iter_mut().map(|plane| Bits::new(count, std::mem::take(plane))).collect())
    }

    /// Online, 1 round: shares of `1{x < t}` for each threshold. Spends the material.
    ///
    /// # Errors
    /// As [`inside`](Self::inside).
    pub fn below<R: Ring>(self, s: &mut Session, x: &AShare<R>, thresholds: &[u64]) -> Result<Vec<Bits>> {
        self.inside(s, x, &thresholds.iter().map(|&t| 0..t).collect::<Vec<_>>())
    }

    /// Online, 1 round: shares of `1{x = v}` for each value. Spends the material.
    ///
    /// # Errors
    /// As [`inside`](Self::inside), for a value above `2^l - 1`.
    pub fn equal_to<R: Ring>(self, s: &mut Session, x: &AShare<R>, values: &[u64]) -> Result<Vec<Bits>> {
        self.inside(s, x, &values.iter().map(|&v| v..v.saturating_add(1)).collect::<Vec<_>>())
    }
}

/// By width.
impl Atom for Containment {
    type Form = u32;

    fn terms(&bits: &u32) -> Terms {
        Terms::of("one-hot vectors of intervals").with("bits", bits)
    }

    fn encode(&self, to: &mut Writer) {
        self.vectors.encode(to);
    }

    fn decode(from: &mut Reader<'_>, _role: Role, &bits: &u32, count: usize) -> Result<Self> {
        Ok(Self { vectors: OneHot::decode(from, bits, count)? })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        Ok(Self { vectors: self.vectors.take(count)? })
    }
}

fn by(bits: u32) -> Vectors {
    if bits <= DENSE { Vectors::Doubling } else { Vectors::Tree }
}

fn check(bits: u32) -> Result<()> {
    within("width of a number in intervals", bits, 1..=MAX_INDEX_BITS)
}

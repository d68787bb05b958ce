//! In which public intervals a shared number lies, as additive numbers, in one opening.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x, and public intervals `a..b` in `0..2^l`. Out: additive shares mod `2^k` of
//! `1{a <= x < b}` for each of any number of them.
//!
//! The sign of a number is such an interval, and so is the order of two numbers that are less than `2^(l-1)` apart.
//!
//! # Protocol
//! 1. *Offline*: keys of comparisons with the payload 1 mod `2^k`, at a random position.
//! 2. The distance of x from the position is opened. Local: `1{x < t}` is 1 less the keys' value at t, and an interval
//!    the difference of two.
//!
//! # Cost
//! Offline that of [`Dcf`] with a word of k bits. Online `2 l` bits, 1 round, for any number of intervals. Local: l
//! hashes or more for each bound.
//!
//! # Source
//! fss-spec 4, 6 and 9, fss-beyond B2. Where bits shared by XOR will do, [`Containment`](hushtable::arith::Containment) sends
//! less.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    ops::Range,
    slice::from_ref,
};

use prim::ring::Ring;

use hushtable::{
    bill::Bill,
    error::{Error, Result, same},
    fss::{Below, Dcf, End, KeyShape, Unplaced},
    inner::{Reader, Writer},
    net::Role,
    onehot::Cyclic,
    party::Party,
    session::Session,
    share::{AShare, Additive},
    source::{Atom, Source},
};

type Keys = Unplaced<Below, Cyclic, Additive>;

/// One-time material for a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result};
/// # use hushtable_baselines::dfss::AdditiveContainment;
/// fn twice(p: &mut Party, m: AdditiveContainment, x: &AShare<u16>) -> Result<()> {
///     m.inside(p, x, &[3..9])?;
///     m.inside(p, x, &[3..9])?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct AdditiveContainment {
    keys: Keys,
}

impl AdditiveContainment {
    /// Offline, for `batch` numbers of `bits` bits, and results mod `2^ring`.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= bits <= 24`, `1 <= ring <= 64` and `1 <= batch <= 2^15`, and those of the channel.
    pub fn prepare(p: &mut impl Source, bits: u32, ring: u32, batch: usize) -> Result<Self> {
        Self::bill(bits, ring)?;
        p.atom([bits, ring], batch, |p| Self::make(p, bits, ring, batch))
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill(bits: u32, ring: u32) -> Result<Bill> {
        Dcf::<Cyclic, Additive>::bill(shape(bits, ring))
    }

    /// How many numbers it serves.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn make(p: &mut Party, bits: u32, ring: u32, batch: usize) -> Result<Self> {
        let one = AShare::new(ring, vec![1 - p.role() as u64; batch]);
        Ok(Self { keys: Dcf::<Cyclic, Additive>::prepare(p, bits, &[one])? })
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
    ) -> Result<Vec<AShare<u64>>> {
        let KeyShape { position: bits, bits: ring, .. } = self.keys.shape();
        same("numbers to compare", self.len(), x.len())?;
        same("bits of the numbers", bits as usize, x.bits() as usize)?;
        let entries = 1u64 << bits;
        let bounds = || intervals.iter().flat_map(|i| [i.start, i.end]);
        if let Some(bound) = bounds().find(|&bound| bound > entries) {
            let (what, accepted) = ("bound of an interval", format!("0 to {entries}"));
            return Err(Error::Param { what, got: bound.to_string(), accepted });
        }
        let (one, batch) = (1 - s.role() as u64, x.len());
        let keys = self.keys.at(s, &x.low_bits(bits)?)?;
        // Shares of 1{x >= t}, of each bound once.
        let mut from = BTreeMap::new();
        for bound in bounds() {
            if let Entry::Vacant(place) = from.entry(bound) {
                place.insert(match bound {
                    0 => AShare::new(ring, vec![one; batch]),
                    _ if bound == entries => AShare::new(ring, vec![0; batch]),
                    _ => keys.eval(End::At, &vec![bound as u32; batch])?.remove(0),
                });
            }
        }
        let inside = |i: &Range<u64>| match i.is_empty() {
            true => AShare::new(ring, vec![0; batch]),
            false => &from[&i.start] - &from[&i.end],
        };
        Ok(intervals.iter().map(inside).collect())
    }

    /// Online, 1 round: shares of `1{x < t}` for each threshold. Spends the material.
    ///
    /// # Errors
    /// As [`inside`](Self::inside).
    pub fn below<R: Ring>(
        self,
        s: &mut Session,
        x: &AShare<R>,
        thresholds: &[u64],
    ) -> Result<Vec<AShare<u64>>> {
        self.inside(s, x, &thresholds.iter().map(|&t| 0..t).collect::<Vec<_>>())
    }

    /// Online, 1 round: shares of `1{x < 0}` for signed x. Spends the material.
    ///
    /// # Errors
    /// As [`inside`](Self::inside).
    pub fn negative<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<u64>> {
        let entries = 1u64 << self.keys.shape().position;
        Ok(self.inside(s, x, from_ref(&(entries / 2..entries)))?.remove(0))
    }

    /// Online, 1 round: shares of `1{x < y}` for numbers, both signed or both unsigned, with
    /// `-2^(l-1) <= x - y < 2^(l-1)`; for others the result is wrong. Spends the material.
    ///
    /// # Errors
    /// As [`inside`](Self::inside).
    pub fn less<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<AShare<u64>> {
        same("numbers to compare", x.len(), y.len())?;
        same("bits of the numbers", x.bits() as usize, y.bits() as usize)?;
        self.negative(s, &(x - y))
    }
}

/// By width and ring.
impl Atom for AdditiveContainment {
    type Form = [u32; 2];
    const NAME: &'static str = "keys of intervals";

    fn encode(&self, to: &mut Writer) {
        self.keys.write(to);
    }

    fn decode(from: &mut Reader<'_>, role: Role, &[bits, ring]: &Self::Form, count: usize) -> Result<Self> {
        Ok(Self { keys: Keys::read(from, role, shape(bits, ring), count)? })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        Ok(Self { keys: self.keys.take(count)? })
    }
}

fn shape(bits: u32, ring: u32) -> KeyShape {
    KeyShape { position: bits, bits: ring, words: 1 }
}

//! Functions that choose by comparison: ReLU, absolute value, clamping, maximum.
//!
//! # Functionality
//! In: additive shares mod `2^l` of signed numbers (of unsigned ones for a maximum with material for
//! them). Out: shares of `max(x, 0)`, `|x|`, `min(max(x, low), high)`, or of the larger of two numbers.
//!
//! # Protocol
//! A comparison gives shares of a bit, a multiplexer multiplies it with words:
//! * `relu(x) = 1{x >= 0} x`, `|x| = x - 2 * 1{x < 0} x`;
//! * `clamp(x) = low + 1{x >= low} (x - low) - 1{x >= high} (x - high)`, both at once;
//! * `max(x, y) = y + 1{x >= y} (x - y)`.
//!
//! # Cost
//! A comparison, then 2 correlated OTs and `2 + 2 l` bits online for a word of l bits that is selected, of `l - 1`
//! bits for the absolute value: 1 round more. Clamping: twice. ReLU of numbers known to fit m bits: both in a ring of m
//! bits, and a correlated OT and `l - m + 1` bits, 1 round, to extend the result.
//!
//! # Source
//! lut-spec 11.4; Rathee et al., "CrypTFlow2" (CCS 2020), section 5.

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::{
    compare::{CompareJob, Comparison},
    extend::BoundedExtension,
    product::share,
};
use crate::{
    bill::Bill,
    error::{Result, same},
    gates::Mux,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for the ReLU of a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Relu};
/// fn twice(p: &mut Party, m: Relu, x: &AShare<u32>) -> Result<()> {
///     m.relu(p, x)?;
///     m.relu(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Relu {
    bits: [u32; 2],
    choosing: Choosing,
    /// None where the ring is the same.
    extension: Option<BoundedExtension>,
}

impl Relu {
    /// Offline, for `batch` numbers, by a comparison of near ones.
    ///
    /// # Errors
    /// As [`Comparison::prepare`].
    pub fn prepare(p: &mut dyn Source, job: CompareJob, batch: usize) -> Result<Self> {
        Self::within(p, job, job.bits, batch)
    }

    /// The same of numbers in a ring of `bits` bits that are known to fit those of the job, `-2^(m-1) <= x < 2^(m-1)`.
    /// What does not is not noticed, and the result is wrong.
    ///
    /// # Errors
    /// As [`Comparison::prepare`], and [`Error::Param`](crate::Error::Param) for fewer bits than the job's, or above 64.
    pub fn within(p: &mut dyn Source, job: CompareJob, bits: u32, batch: usize) -> Result<Self> {
        let choosing = Choosing::prepare(p, job, batch, &[job.bits])?;
        let extension = match bits == job.bits {
            true => None,
            false => Some(BoundedExtension::prepare(p, [job.bits, bits], batch)?),
        };
        Ok(Self { bits: [job.bits, bits], choosing, extension })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for widths that are not supported.
    pub fn bill(job: &CompareJob) -> Result<Bill> {
        Self::bill_within(job, job.bits)
    }

    /// What a number costs in a ring of `bits` bits that is known to fit those of the job.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for widths that are not supported.
    pub fn bill_within(job: &CompareJob, bits: u32) -> Result<Bill> {
        let chosen = Choosing::bill(job, &[job.bits])?;
        Ok(if bits == job.bits { chosen } else { chosen + BoundedExtension::bill([job.bits, bits])? })
    }

    /// Online: shares of `max(x, 0)`, for signed x. Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::negative`].
    pub fn relu<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        let [narrow, bits] = self.bits;
        same("bits of the numbers", bits as usize, x.bits() as usize)?;
        let x = x.low_bits::<R>(narrow)?;
        let positive = self.choosing.compare.negative(s, &x)?.not(s.role());
        let y = self.choosing.mux.select(s, &positive, &x)?;
        // Not negative: its top bit is 0.
        match self.extension {
            None => Ok(y),
            Some(extension) => extension.zero(s, &y),
        }
    }
}

/// One-time material for the absolute values of a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Absolute};
/// fn twice(p: &mut Party, m: Absolute, x: &AShare<u32>) -> Result<()> {
///     m.abs(p, x)?;
///     m.abs(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Absolute(Choosing);

impl Absolute {
    /// Offline, for `batch` numbers, by a comparison of near ones.
    ///
    /// # Errors
    /// As [`Comparison::prepare`].
    pub fn prepare(p: &mut dyn Source, job: CompareJob, batch: usize) -> Result<Self> {
        Ok(Self(Choosing::prepare(p, job, batch, &[job.bits.saturating_sub(1)])?))
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for widths that are not supported.
    pub fn bill(job: &CompareJob) -> Result<Bill> {
        Choosing::bill(job, &[job.bits.saturating_sub(1)])
    }

    /// Online: shares of `|x|`, for signed x; that of `-2^(l-1)` is itself. Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::negative`].
    pub fn abs<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        let negative = self.0.compare.negative(s, x)?;
        // Twice the product is wanted: one mod 2^(l-1) will do.
        let half = x.low_bits::<R>(x.bits() - 1)?;
        let product = self.0.mux.select(s, &negative, &half)?;
        let words = x.words().iter().zip(product.words());
        let words = words.map(|(x, nx)| x.to_u64().wrapping_sub(nx.to_u64() << 1));
        Ok(share(x.bits(), &Zeroizing::new(words.collect::<Vec<_>>())))
    }
}

/// One-time material for limiting a batch of numbers to an interval.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Clamp};
/// fn twice(p: &mut Party, m: Clamp, x: &AShare<u32>) -> Result<()> {
///     m.clamp(p, x, 1, 2)?;
///     m.clamp(p, x, 1, 2)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Clamp(Choosing);

impl Clamp {
    /// Offline, for `batch` numbers; the comparison must be good for `x - low` and `x - high`.
    ///
    /// # Errors
    /// As [`Comparison::prepare`].
    pub fn prepare(p: &mut dyn Source, job: CompareJob, batch: usize) -> Result<Self> {
        Ok(Self(Choosing::prepare(p, job, 2 * batch, &[job.bits])?))
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for widths that are not supported.
    pub fn bill(job: &CompareJob) -> Result<Bill> {
        Ok(Choosing::bill(job, &[job.bits])?.times(2))
    }

    /// Online: shares of x where it lies in `low..=high`, else of the nearer bound. The bounds are public, signed
    /// or not as the comparison is. Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::ge`].
    pub fn clamp<R: Ring>(self, s: &mut Session, x: &AShare<R>, low: R, high: R) -> Result<AShare<R>> {
        let n = x.len();
        let bounds = [low, high].map(|bound| constant(s.role(), x, bound));
        let mut both = bounds[0].clone();
        both.append(&bounds[1])?;
        let mut twice = x.clone();
        twice.append(x)?;
        let above = self.0.compare.ge(s, &twice, &both)?;
        let selected = self.0.mux.select(s, &above, &(&twice - &both))?;
        let (over_low, over_high) = selected.words().split_at(n);
        let terms = bounds[0].words().iter().zip(over_low).zip(over_high);
        let out = terms.map(|((b, l), h)| b.to_u64().wrapping_add(l.to_u64()).wrapping_sub(h.to_u64()));
        Ok(share(x.bits(), &Zeroizing::new(out.collect::<Vec<_>>())))
    }
}

/// One-time material for the larger ones of pairs of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Maximum};
/// fn twice(p: &mut Party, m: Maximum, x: &AShare<u32>) -> Result<()> {
///     m.max(p, x, x)?;
///     m.max(p, x, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Maximum(Choosing);

impl Maximum {
    /// Offline, for `batch` pairs.
    ///
    /// # Errors
    /// As [`Comparison::prepare`].
    pub fn prepare(p: &mut dyn Source, job: CompareJob, batch: usize) -> Result<Self> {
        Ok(Self(Choosing::prepare(p, job, batch, &[job.bits])?))
    }

    /// What a pair costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for widths that are not supported.
    pub fn bill(job: &CompareJob) -> Result<Bill> {
        Choosing::bill(job, &[job.bits])
    }

    /// Online: shares of the larger of x and y. Spends the material.
    ///
    /// # Errors
    /// As [`Comparison::ge`].
    pub fn max<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<AShare<R>> {
        let larger = self.0.compare.ge(s, x, y)?;
        Ok(&self.0.mux.select(s, &larger, &(x - y))? + y)
    }
}

/// A comparison, and the selection by its bit.
pub(super) struct Choosing {
    pub(super) compare: Comparison,
    pub(super) mux: Mux,
}

impl Choosing {
    pub(super) fn prepare(p: &mut dyn Source, job: CompareJob, batch: usize, widths: &[u32]) -> Result<Self> {
        let compare = Comparison::prepare(p, job, batch)?;
        Ok(Self { compare, mux: Mux::prepare(p, batch, widths)? })
    }

    pub(super) fn bill(job: &CompareJob, widths: &[u32]) -> Result<Bill> {
        Ok(job.bill()? + Mux::bill(widths))
    }
}

/// Shares of one public number for each of x.
fn constant<R: Ring>(role: Role, x: &AShare<R>, value: R) -> AShare<R> {
    AShare::new(x.bits(), vec![R::from_u64(role.share_of(value.to_u64())); x.len()])
}

//! Comparison of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x and y. Out: XOR shares of `1{x >= y}`.
//!
//! # Protocol
//! *Near*, for signed numbers whose difference is less than `2^(l-1)`: `1{x < y}` is the top bit of
//! `x - y`, which is the sum of the top bits of its shares and of the carry from the bits below.
//!
//! *All numbers*: let `X = x_0 + x_1 - 2^l w_x` as integers, `b_p = 1{x_p < y_p}` of this party's
//! shares, and `c` the carry out of the sum of the differences mod `2^l`. Then
//! `X - Y = ((x - y) mod 2^l) + 2^l (c - b_0 - b_1 - w_x + w_y)`, and as the last factor is 0 or -1,
//! `1{X < Y} = c ^ b_0 ^ b_1 ^ w_x ^ w_y`: three carries at once. Signed numbers are moved by
//! `2^(l-1)` first, by P0.
//!
//! # Cost
//! Near: millionaires' with `l - 1` bits. All numbers: three times millionaires' with l bits.
//!
//! # Source
//! Rathee et al., "CrypTFlow2" (CCS 2020), section 4; Hou et al., "ROTL" (PoPETs 2026), section 7,
//! which states the first for all signed numbers: it is wrong for a quarter of the pairs.

use std::fmt;

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{carry::Carry, plan::ComparePlan};
use crate::{
    bill::{Bill, Objective},
    error::{Error, Result, same},
    gates::Bits,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// Which numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareDomain {
    /// Signed ones with `-2^(l-1) <= x - y < 2^(l-1)`; the result for others is wrong.
    Near,
    /// All signed ones: `-2^(l-1) <= x, y < 2^(l-1)`.
    Signed,
    /// All unsigned ones: `0 <= x, y < 2^l`.
    Unsigned,
}

impl fmt::Display for CompareDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Near => "near",
            Self::Signed => "signed",
            Self::Unsigned => "unsigned",
        })
    }
}

impl CompareDomain {
    /// What serves numbers of `bits` bits of which x lies in the range `x` and y in the range `y`, both ends included:
    /// the cheapest. `None` if no reading of the words holds both.
    pub fn of(bits: u32, x: [i128; 2], y: [i128; 2]) -> Option<Self> {
        let half = 1i128 << bits.clamp(1, 64).saturating_sub(1);
        let (least, most) = (x[0].min(y[0]), x[1].max(y[1]));
        // Differences that fit, in either order, take a third of the work.
        if bits >= 2 && x[1] - y[0] < half && y[1] - x[0] < half {
            Some(Self::Near)
        } else if -half <= least && most < half {
            Some(Self::Signed)
        } else {
            (0 <= least && most < 2 * half).then_some(Self::Unsigned)
        }
    }
}

/// What the comparisons of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompareJob {
    /// Width of the numbers, 1 to 64; 2 to 64 for near ones.
    pub bits: u32,
    /// Which they are.
    pub domain: CompareDomain,
    /// How they are compared.
    pub plan: ComparePlan,
}

impl CompareJob {
    /// Comparisons of numbers of `bits` bits, by the plan that suits the objective.
    ///
    /// # Errors
    /// [`Error::Param`] for a width that is not supported.
    pub fn new(bits: u32, domain: CompareDomain, objective: Objective) -> Result<Self> {
        let width = width(bits, domain)?;
        Ok(Self { bits, domain, plan: ComparePlan::best(width, objective)? })
    }

    /// What a comparison costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill(&self) -> Result<Bill> {
        Ok(Carry::bill(width(self.bits, self.domain)?, self.plan)?.times(carries(self.domain)))
    }
}

/// One-time material for a batch of comparisons.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Comparison};
/// fn twice(p: &mut Party, m: Comparison, x: &AShare<u32>) -> Result<()> {
///     m.ge(p, x, x)?;
///     m.ge(p, x, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Comparison {
    job: CompareJob,
    batch: usize,
    carry: Carry,
}

impl Comparison {
    /// Offline, for `batch` comparisons.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported, and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: CompareJob, batch: usize) -> Result<Self> {
        let carry = Carry::prepare(p, width(job.bits, job.domain)?, job.plan, carries(job.domain) * batch)?;
        Ok(Self { job, batch, carry })
    }

    /// Online: shares of `1{x >= y}`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn ge<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<Bits> {
        let role = s.role();
        Ok(self.less(s, x, y)?.not(role))
    }

    /// Online: shares of `1{x < y}`. Spends the material.
    ///
    /// # Errors
    /// As [`ge`](Self::ge).
    pub fn less<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<Bits> {
        for z in [x, y] {
            same("bits of the numbers to compare", self.job.bits as usize, z.bits() as usize)?;
        }
        self.less_words(s, x.words(), y.words())
    }

    /// [`less`](Self::less) of words of which the low bits count.
    ///
    /// # Errors
    /// As [`ge`](Self::ge).
    pub(crate) fn less_words<R: Ring>(self, s: &mut Session, x: &[R], y: &[R]) -> Result<Bits> {
        for z in [x, y] {
            same("numbers to compare", self.batch, z.len())?;
        }
        match self.job.domain {
            CompareDomain::Near => {
                self.top(s, x.iter().zip(y).map(|(x, y)| x.to_u64().wrapping_sub(y.to_u64())))
            }
            CompareDomain::Signed => {
                let shift = 1 << (self.job.bits - 1);
                self.all(s, x, y, shift)
            }
            CompareDomain::Unsigned => self.all(s, x, y, 0),
        }
    }

    /// Online: shares of `1{x < 0}`, the top bit of a signed number. Spends the material, which is to
    /// be that for near numbers.
    ///
    /// # Errors
    /// As [`ge`](Self::ge), and [`Error::Param`] for other material.
    pub fn negative<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<Bits> {
        same("numbers to compare", self.batch, x.len())?;
        same("bits of the numbers to compare", self.job.bits as usize, x.bits() as usize)?;
        if self.job.domain != CompareDomain::Near {
            let (what, got) = ("domain for a sign", format!("{:?}", self.job.domain));
            return Err(Error::Param { what, got, accepted: "Near".into() });
        }
        self.top(s, x.words().iter().map(|w| w.to_u64()))
    }

    /// Of words of which the low bits count.
    fn top(self, s: &mut Session, x: impl ExactSizeIterator<Item = u64> + Clone) -> Result<Bits> {
        let place = self.job.bits - 1;
        let carry = self.carry.of_each(s, x.clone())?;
        Ok(&carry ^ &Bits::collect(x.map(|w| w >> place & 1)))
    }

    /// With numbers of all sizes, `shift` being what P0 adds.
    fn all<R: Ring>(self, s: &mut Session, x: &[R], y: &[R], shift: u64) -> Result<Bits> {
        let (bits, n) = (self.job.bits, self.batch);
        let shift = match s.role() {
            Role::P0 => shift,
            Role::P1 => 0,
        };
        let shifted = |z: &[R]| {
            Zeroizing::new(z.iter().map(|z| low(z.to_u64().wrapping_add(shift), bits)).collect::<Vec<_>>())
        };
        let (x, y) = (shifted(x), shifted(y));
        let difference = x.iter().zip(y.iter()).map(|(x, y)| low(x.wrapping_sub(*y), bits));
        let mut mine = Zeroizing::new(Vec::with_capacity(3 * n));
        mine.extend(difference);
        mine.extend_from_slice(&x);
        mine.extend_from_slice(&y);
        let carries = self.carry.of(s, &mine)?;
        let borrows = Bits::collect(x.iter().zip(y.iter()).map(|(&x, &y)| borrow(x, y)));
        let parts = (0..3).map(|i| carries.range(i * n..(i + 1) * n));
        Ok(parts.fold(borrows, |sum, part| &sum ^ &part))
    }
}

/// `1{x < y}` without a branch.
fn borrow(x: u64, y: u64) -> u64 {
    (!x & y | (!x | y) & x.wrapping_sub(y)) >> 63
}

/// Width of the numbers that are compared in the end.
fn width(bits: u32, domain: CompareDomain) -> Result<u32> {
    let least = if domain == CompareDomain::Near { 2 } else { 1 };
    if !(least..=64).contains(&bits) {
        let (what, got) = ("width of a comparison", bits.to_string());
        return Err(Error::Param { what, got, accepted: format!("{least} to 64") });
    }
    Ok(bits + 1 - least)
}

/// Carries a comparison takes.
fn carries(domain: CompareDomain) -> usize {
    if domain == CompareDomain::Near { 1 } else { 3 }
}

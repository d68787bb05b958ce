//! Shares in a larger ring.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x. Out: shares of the same number mod `2^k`, `k > l`, x being
//! unsigned (*zero extension*) or signed (*sign extension*).
//!
//! # Protocol
//! As integers, the shares sum to `x + 2^l w`. With shares of w mod `2^(k-l)`,
//! `y_p = x_p - 2^l w_p`. A signed number is moved by `2^(l-1)` before, and back after.
//!
//! w is the carry out of the shares' sum: a comparison and a conversion. *Bounded*, for a number whose
//! top bit is known to be 0, it is the OR of the shares' top bits: one correlated OT.
//!
//! # Cost
//! A comparison of l bits and a conversion of `k - l` bits. Bounded: one correlated OT; online `k - l + 1` bits,
//! 1 round.
//!
//! # Source
//! Rathee et al., "SiRNN" (S&P 2021), section III-C.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{bit_product::BitProducts, carry::Carry, plan::ComparePlan, product::share};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    gates::B2a,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for extensions of numbers of l bits to k bits whose top bit is known to be 0.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::BoundedExtension};
/// fn twice(p: &mut Party, m: BoundedExtension, x: &AShare<u32>) -> Result<AShare<u64>> {
///     m.zero::<u32, u64>(p, x)?;
///     m.zero(p, x) // use of moved value: `m`
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct BoundedExtension {
    bits: [u32; 2],
    wraps: BitProducts,
}

impl BoundedExtension {
    /// Offline, for `batch` numbers, from l to k bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= l < k <= 64`, and those of the channel.
    pub fn prepare(p: &mut dyn Source, [l, k]: [u32; 2], batch: usize) -> Result<Self> {
        check_widths([l, k])?;
        Ok(Self { bits: [l, k], wraps: BitProducts::prepare(p, k - l, batch)? })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= l < k <= 64`.
    pub fn bill([l, k]: [u32; 2]) -> Result<Bill> {
        check_widths([l, k])?;
        Ok(BitProducts::bill(k - l))
    }

    /// Online, 1 round: zero extension of `x < 2^(l-1)`; for larger x the result is wrong. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, [`Error::Param`] if `S` has too few bits,
    /// and those of the channel.
    pub fn zero<R: Ring, S: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<S>> {
        self.extend(s, x, 0)
    }

    /// Online, 1 round: sign extension of `-2^(l-2) <= x < 2^(l-2)`; for other x the result is wrong. Spends the
    /// material.
    ///
    /// # Errors
    /// As [`zero`](Self::zero), and [`Error::Param`] for `l = 1`.
    pub fn sign<R: Ring, S: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<S>> {
        if x.bits() < 2 {
            let accepted = "2 and more".into();
            return Err(Error::Param { what: "width of a bounded signed number", got: "1".into(), accepted });
        }
        let quarter = 1 << (x.bits() - 2);
        self.extend(s, x, quarter)
    }

    fn extend<R: Ring, S: Ring>(self, s: &mut Session, x: &AShare<R>, shift: u64) -> Result<AShare<S>> {
        let [l, k] = self.bits;
        same("bits of the numbers to extend", l as usize, x.bits() as usize)?;
        check_word::<S>(self.bits)?;
        let shifted = shifted(s.role(), x, shift);
        let bits = Zeroizing::new(shifted.iter().map(|w| w >> (l - 1)).collect::<Vec<u64>>());
        let wraps = self.wraps.or(s, &bits)?;
        Ok(finish(s.role(), &shifted, &wraps, [l, k], shift))
    }
}

/// One-time material for extensions of any numbers of l bits to k bits.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Extension};
/// fn twice(p: &mut Party, m: Extension, x: &AShare<u32>) -> Result<AShare<u64>> {
///     m.zero::<u32, u64>(p, x)?;
///     m.zero(p, x) // use of moved value: `m`
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Extension {
    bits: [u32; 2],
    batch: usize,
    carry: Carry,
    wraps: B2a,
}

impl Extension {
    /// Offline, for `batch` numbers, from l to k bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= l < k <= 64`, and those of the channel.
    pub fn prepare(p: &mut dyn Source, [l, k]: [u32; 2], plan: ComparePlan, batch: usize) -> Result<Self> {
        check_widths([l, k])?;
        let carry = Carry::prepare(p, l, plan, batch)?;
        Ok(Self { bits: [l, k], batch, carry, wraps: B2a::prepare(p, k - l, batch)? })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill([l, k]: [u32; 2], plan: ComparePlan) -> Result<Bill> {
        check_widths([l, k])?;
        Ok(Carry::bill(l, plan)? + B2a::bill(k - l))
    }

    /// Online: zero extension, for every x. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, [`Error::Param`] if `S` has too few bits,
    /// and those of the channel.
    pub fn zero<R: Ring, S: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<S>> {
        self.extend(s, x, 0)
    }

    /// Online: sign extension, for every x. Spends the material.
    ///
    /// # Errors
    /// As [`zero`](Self::zero).
    pub fn sign<R: Ring, S: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<S>> {
        let half = 1 << (self.bits[0] - 1);
        self.extend(s, x, half)
    }

    fn extend<R: Ring, S: Ring>(self, s: &mut Session, x: &AShare<R>, shift: u64) -> Result<AShare<S>> {
        same("numbers to extend", self.batch, x.len())?;
        same("bits of the numbers to extend", self.bits[0] as usize, x.bits() as usize)?;
        check_word::<S>(self.bits)?;
        let shifted = shifted(s.role(), x, shift);
        let carry = self.carry.of(s, &shifted)?;
        let wraps: AShare<u64> = self.wraps.convert(s, &carry)?;
        Ok(finish(s.role(), &shifted, wraps.words(), self.bits, shift))
    }
}

/// The shares of the number moved by `shift`.
fn shifted<R: Ring>(role: Role, x: &AShare<R>, shift: u64) -> Zeroizing<Vec<u64>> {
    let add = role.share_of(shift);
    Zeroizing::new(x.words().iter().map(|w| low(w.to_u64().wrapping_add(add), x.bits())).collect())
}

/// The shares in the larger ring, of the number moved back.
fn finish<S: Ring>(role: Role, x: &[u64], wraps: &[u64], [l, k]: [u32; 2], shift: u64) -> AShare<S> {
    let back = role.share_of(shift);
    let word = |(x, w): (&u64, &u64)| x.wrapping_sub(w << l).wrapping_sub(back);
    share(k, &Zeroizing::new(x.iter().zip(wraps).map(word).collect::<Vec<_>>()))
}

fn check_widths([l, k]: [u32; 2]) -> Result<()> {
    if (1..64).contains(&l) && k > l && k <= 64 {
        return Ok(());
    }
    let (got, accepted) = (format!("{l} to {k}"), "1 to 63, to a greater one of at most 64".into());
    Err(Error::Param { what: "widths of an extension", got, accepted })
}

fn check_word<S: Ring>([l, k]: [u32; 2]) -> Result<()> {
    if k <= S::WIDTH {
        return Ok(());
    }
    let accepted = format!("{} to {}", l + 1, S::WIDTH);
    Err(Error::Param { what: "width to extend to", got: k.to_string(), accepted })
}

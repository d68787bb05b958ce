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
//! A comparison of l bits, and a conversion of `k - l` bits, 1 round. Bounded: one correlated OT and
//! `k - l + 1` bits, 1 round.
//!
//! # Source
//! Rathee et al., "SiRNN" (S&P 2021), section III-C.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    bit_product::{BitFactors, or},
    carry::Carry,
    plan::Plan,
    product::share,
};
use crate::{
    error::{Error, Result, same},
    gates::b2a,
    net::Role,
    party::Party,
    share::AShare,
};

/// Zero extension of `x < 2^(l-1)` to `k` bits: 1 round. For larger x the result is wrong.
///
/// # Errors
/// [`Error::Param`] unless `l < k <= S::WIDTH`, and those of the channel.
pub fn zero_extend_bounded<R: Ring, S: Ring>(p: &mut Party, x: &AShare<R>, k: u32) -> Result<AShare<S>> {
    bounded(p, x, k, 0)
}

/// Sign extension of `-2^(l-2) <= x < 2^(l-2)` to `k` bits: 1 round. For other x the result is wrong.
///
/// # Errors
/// [`Error::Param`] unless `2 <= l < k <= S::WIDTH`, and those of the channel.
pub fn sign_extend_bounded<R: Ring, S: Ring>(p: &mut Party, x: &AShare<R>, k: u32) -> Result<AShare<S>> {
    if x.bits() < 2 {
        let accepted = "2 and more".into();
        return Err(Error::Param { what: "width of a bounded signed number", got: "1".into(), accepted });
    }
    bounded(p, x, k, 1 << (x.bits() - 2))
}

/// One-time material for extensions of numbers of l bits.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Extension};
/// fn twice(p: &mut Party, m: Extension, x: &AShare<u32>) -> Result<AShare<u64>> {
///     m.zero::<u32, u64>(p, x, 64)?;
///     m.zero(p, x, 64) // use of moved value: `m`
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Extension {
    bits: u32,
    batch: usize,
    carry: Carry,
}

impl Extension {
    /// Offline, for `batch` numbers of `bits` bits, 1 to 63.
    ///
    /// # Errors
    /// [`Error::Param`] for another width, and those of the channel.
    pub fn prepare(p: &mut Party, bits: u32, plan: Plan, batch: usize) -> Result<Self> {
        Ok(Self { bits, batch, carry: Carry::prepare(p, bits, plan, batch)? })
    }

    /// Online: zero extension to `k` bits, for every x. Spends the material.
    ///
    /// # Errors
    /// [`Error::Param`] unless `l < k <= S::WIDTH`, [`Error::Shape`] if numbers or widths are not those
    /// prepared for, and those of the channel.
    pub fn zero<R: Ring, S: Ring>(self, p: &mut Party, x: &AShare<R>, k: u32) -> Result<AShare<S>> {
        self.extend(p, x, k, 0)
    }

    /// Online: sign extension to `k` bits, for every x. Spends the material.
    ///
    /// # Errors
    /// As [`zero`](Self::zero).
    pub fn sign<R: Ring, S: Ring>(self, p: &mut Party, x: &AShare<R>, k: u32) -> Result<AShare<S>> {
        let half = 1 << (self.bits - 1);
        self.extend(p, x, k, half)
    }

    fn extend<R: Ring, S: Ring>(self, p: &mut Party, x: &AShare<R>, k: u32, shift: u64) -> Result<AShare<S>> {
        same("numbers to extend", self.batch, x.len())?;
        same("bits of the numbers to extend", self.bits as usize, x.bits() as usize)?;
        check::<R, S>(x, k)?;
        let shifted = shifted(p.role(), x, shift);
        let carry = self.carry.of(p, &shifted)?;
        let wraps: AShare<u64> = b2a(p, &carry, k - self.bits)?;
        Ok(finish(p.role(), &shifted, wraps.words(), [self.bits, k], shift))
    }
}

fn bounded<R: Ring, S: Ring>(p: &mut Party, x: &AShare<R>, k: u32, shift: u64) -> Result<AShare<S>> {
    check::<R, S>(x, k)?;
    let (l, shifted) = (x.bits(), shifted(p.role(), x, shift));
    let bits = Zeroizing::new(shifted.iter().map(|w| w >> (l - 1)).collect());
    let wraps = or(p, &BitFactors { bits, k: k - l })?;
    Ok(finish(p.role(), &shifted, &wraps, [l, k], shift))
}

/// The shares of the number moved by `shift`.
fn shifted<R: Ring>(role: Role, x: &AShare<R>, shift: u64) -> Zeroizing<Vec<u64>> {
    let add = public(role, shift);
    Zeroizing::new(x.words().iter().map(|w| low(w.to_u64().wrapping_add(add), x.bits())).collect())
}

/// The shares in the larger ring, of the number moved back.
fn finish<S: Ring>(role: Role, x: &[u64], wraps: &[u64], [l, k]: [u32; 2], shift: u64) -> AShare<S> {
    let back = public(role, shift);
    let word = |(x, w): (&u64, &u64)| x.wrapping_sub(w << l).wrapping_sub(back);
    share(k, &Zeroizing::new(x.iter().zip(wraps).map(word).collect::<Vec<_>>()))
}

fn public(role: Role, value: u64) -> u64 {
    match role {
        Role::P0 => value,
        Role::P1 => 0,
    }
}

fn check<R: Ring, S: Ring>(x: &AShare<R>, k: u32) -> Result<()> {
    if k > x.bits() && k <= S::WIDTH {
        return Ok(());
    }
    let accepted = format!("{} to {}", x.bits() + 1, S::WIDTH);
    Err(Error::Param { what: "width to extend to", got: k.to_string(), accepted })
}

//! Equality of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x and y. Out: XOR shares of `1{x = y}`.
//!
//! # Protocol
//! `x_0 - y_0` at P0 and `y_1 - x_1` at P1 are equal or not: cut into digits, whose equality
//! thermometers tell; digits of one bit are compared locally, because `c ^ d ^ 1` is shared already.
//! A tree of ANDs joins the digits.
//!
//! # Cost
//! For `m = ceil(l / w)` digits: with `w > 1` offline `(w - 1) 2^w + 1` bits and w correlated OTs a
//! digit, online `2 l` bits and 1 round; and for `w = 1` nothing. For the tree `2 (m - 1)` correlated
//! OTs and `4 (m - 1)` bits, `ceil(log2 m)` rounds.
//!
//! # Source
//! Garay, Schoenmakers, Villegas (PKC 2007); Hou et al., "ROTL" (PoPETs 2026), section 7, for digits.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    digits::{Cut, MAX_DIGIT_BITS},
    plan::weight,
    thermometer::Thermometers,
};
use crate::{
    bill::{Bill, Objective},
    circuit::{Layers, conjunction},
    error::{Result, same},
    gates::Bits,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for a batch of comparisons.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Equality};
/// fn twice(p: &mut Party, m: Equality, x: &AShare<u32>) -> Result<()> {
///     m.eq(p, x, x)?;
///     m.eq(p, x, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Equality {
    bits: u32,
    batch: usize,
    cut: Cut,
    digits: Option<Thermometers>,
    tree: Layers,
}

impl Equality {
    /// Offline, for `batch` pairs of numbers of `bits` bits, 1 to 64, in digits of at most `digit`
    /// bits, 1 to 6.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for other widths, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, digit: u32, batch: usize) -> Result<Self> {
        let cut = Cut::new(bits, digit)?;
        let digits = match digit {
            1 => None,
            _ => Some(Thermometers::prepare(p, &cut, batch)?),
        };
        let tree = Layers::prepare(p, &conjunction(cut.len()), batch)?;
        Ok(Self { bits, batch, cut, digits, tree })
    }

    /// The width of digits that suits the objective.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless `1 <= bits <= 64`.
    pub(crate) fn best_digit(bits: u32, objective: Objective) -> Result<u32> {
        let mut best = (1, u64::MAX);
        for digit in 1..=MAX_DIGIT_BITS {
            let weight = weight(&Self::bill(bits, digit)?, objective);
            if weight < best.1 {
                best = (digit, weight);
            }
        }
        Ok(best.0)
    }

    /// What a comparison costs.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) as there.
    pub fn bill(bits: u32, digit: u32) -> Result<Bill> {
        let cut = Cut::new(bits, digit)?;
        let digits = if digit == 1 { Bill::FREE } else { Thermometers::bill(&cut) };
        Ok(digits + Layers::bill(&conjunction(cut.len()), 1))
    }

    /// Online: shares of `1{x = y}`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if numbers or widths are not those prepared for, and those
    /// of the channel.
    pub fn eq<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<Bits> {
        for z in [x, y] {
            same("numbers to compare", self.batch, z.len())?;
            same("bits of the numbers to compare", self.bits as usize, z.bits() as usize)?;
        }
        let (difference, role) = (x - y, s.role());
        let mine = difference.words().iter().map(|w| match role {
            Role::P0 => w.to_u64(),
            Role::P1 => low(w.to_u64().wrapping_neg(), self.bits),
        });
        let mine = Zeroizing::new(mine.collect::<Vec<u64>>());
        let equal: Vec<Bits> = match self.digits {
            Some(digits) => digits.orders(s, &mine)?.into_iter().filter_map(|order| order.equal).collect(),
            None => (0..self.cut.len())
                .map(|i| Bits::collect(mine.iter().map(|w| w >> i & 1)).not(role))
                .collect(),
        };
        Ok(self.tree.eval(s, equal)?.swap_remove(0))
    }
}

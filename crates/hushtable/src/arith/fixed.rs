//! Shared fixed-point numbers, whose scale travels with them.
//!
//! # Rounding
//! A number v is held as the signed integer `v 2^s`. [`encode`] rounds to the nearest integer, ties
//! away from zero. Sums, differences and products are exact; the scale of a product is the sum of the
//! scales. Only truncation rounds: the faithful one towards minus infinity, the safe one to that or
//! to one unit in the last place less, which depends on the shares.
//!
//! Operands of different scales are an error, never converted in silence.

use prim::ring::{Ring, low};

use super::{
    product::Multiplication,
    truncate::{FaithfulTruncation, Truncation},
};
use crate::{
    error::{Error, Result, same},
    session::Session,
    share::AShare,
};

/// One party's additive shares of a batch of fixed-point numbers.
#[derive(Clone, Debug)]
pub struct Fixed<R: Ring> {
    share: AShare<R>,
    scale: u32,
}

impl<R: Ring> Fixed<R> {
    /// Shares of integers mod `2^l` as numbers with `scale` bits behind the point.
    ///
    /// # Errors
    /// [`Error::Param`] unless `scale < l`.
    pub fn new(share: AShare<R>, scale: u32) -> Result<Self> {
        check_scale(share.bits(), scale)?;
        Ok(Self { share, scale })
    }

    /// Bits behind the point.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// Width of the ring.
    pub fn bits(&self) -> u32 {
        self.share.bits()
    }

    /// Number of values in the batch.
    pub fn len(&self) -> usize {
        self.share.len()
    }

    /// Whether the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.share.is_empty()
    }

    /// The shares of the integers `v 2^scale`.
    pub fn share(&self) -> &AShare<R> {
        &self.share
    }

    /// The shares alone.
    pub(crate) fn into_share(self) -> AShare<R> {
        self.share
    }

    /// Takes these behind its own. Local.
    ///
    /// # Errors
    /// [`Error::Shape`] if scales or widths differ.
    pub fn append(&mut self, other: &Self) -> Result<()> {
        same("bits behind the point", self.scale as usize, other.scale as usize)?;
        self.share.append(&other.share)
    }

    /// Shares of the sums. Local.
    ///
    /// # Errors
    /// [`Error::Shape`] if scales, widths or lengths differ.
    pub fn plus(&self, other: &Self) -> Result<Self> {
        self.check(other)?;
        Ok(Self { share: &self.share + &other.share, scale: self.scale })
    }

    /// Shares of the differences. Local.
    ///
    /// # Errors
    /// [`Error::Shape`] if scales, widths or lengths differ.
    pub fn minus(&self, other: &Self) -> Result<Self> {
        self.check(other)?;
        Ok(Self { share: &self.share - &other.share, scale: self.scale })
    }

    /// Shares of the products, exact, with the sum of the scales: 1 round. The product of the integers
    /// must fit the ring. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if widths or lengths differ, [`Error::Param`] if the sum of the scales does not
    /// fit the width, and those of the channel.
    pub fn times(&self, s: &mut Session, material: Multiplication, other: &Self) -> Result<Self> {
        let scale = self.scale + other.scale;
        check_scale(self.bits(), scale)?;
        Ok(Self { share: material.multiply(s, &self.share, &other.share)?, scale })
    }

    /// The numbers with fewer bits behind the point, by a safe truncation: rounded down, or down and
    /// one unit less. 1 round. Spends the material, whose number of bits says how many go. The integers must lie in
    /// `-2^(l-2) .. 2^(l-2)`.
    ///
    /// # Errors
    /// [`Error::Param`] if there are not as many bits behind the point, and those of [`Truncation::truncate`].
    pub fn rescale(&self, s: &mut Session, material: Truncation) -> Result<Self> {
        let scale = self.without(material.cut())?;
        Ok(Self { share: material.truncate(s, &self.share)?, scale })
    }

    /// The numbers with fewer bits behind the point, rounded down. Spends the material, whose number of
    /// bits says how many go. The integers must lie in `-2^(l-2) .. 2^(l-2)`.
    ///
    /// # Errors
    /// [`Error::Param`] if there are not as many bits behind the point, and those of
    /// [`FaithfulTruncation::truncate`].
    pub fn rescale_down(&self, s: &mut Session, material: FaithfulTruncation) -> Result<Self> {
        let scale = self.without(material.cut())?;
        Ok(Self { share: material.truncate(s, &self.share)?, scale })
    }

    /// Opens the numbers to both parties: 1 round.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn open(&self, s: &mut Session) -> Result<Vec<f64>> {
        // Public: the caller says that these are results.
        Ok(decode(&s.open(&self.share)?, self.bits(), self.scale))
    }

    fn check(&self, other: &Self) -> Result<()> {
        same("scale of the operands", self.scale as usize, other.scale as usize)?;
        same("bits of the operands", self.bits() as usize, other.bits() as usize)?;
        same("numbers of the operands", self.len(), other.len())
    }

    /// The scale without so many bits.
    fn without(&self, cut: u32) -> Result<u32> {
        self.scale.checked_sub(cut).ok_or_else(|| {
            let accepted = format!("at most {}", self.scale);
            Error::Param { what: "bits to cut off", got: cut.to_string(), accepted }
        })
    }
}

/// The integers mod `2^bits` of these numbers with `scale` bits behind the point, each rounded to the
/// nearest, ties away from zero.
///
/// # Errors
/// [`Error::Param`] with the place of a number that is not finite or does not fit, and unless
/// `scale < bits <= R::WIDTH`.
pub fn encode<R: Ring>(values: &[f64], bits: u32, scale: u32) -> Result<Vec<R>> {
    if bits > R::WIDTH {
        let accepted = format!("at most {}", R::WIDTH);
        return Err(Error::Param { what: "width of a fixed-point number", got: bits.to_string(), accepted });
    }
    check_scale(bits, scale)?;
    let half = 2f64.powi(bits as i32 - 1);
    let word = |(i, &v): (usize, &f64)| {
        let scaled = (v * 2f64.powi(scale as i32)).round();
        if !(-half..half).contains(&scaled) {
            let (least, unit) = (-half / 2f64.powi(scale as i32), 2f64.powi(-(scale as i32)));
            let accepted = format!("{least} to {}", -least - unit);
            // It may be a party's secret, and errors go into logs.
            return Err(Error::Param {
                what: "fixed-point number",
                got: format!("the one at {i}"),
                accepted,
            });
        }
        Ok(R::from_u64(low(scaled as i64 as u64, bits)))
    };
    values.iter().enumerate().map(word).collect()
}

/// The numbers of these integers mod `2^bits`; the nearest `f64` where one has too few digits.
///
/// # Panics
/// Unless `1 <= bits <= 64`.
pub fn decode<R: Ring>(words: &[R], bits: u32, scale: u32) -> Vec<f64> {
    assert!((1..=64).contains(&bits), "{bits} bits");
    let unused = 64 - bits;
    let number = |w: &R| ((w.to_u64() << unused) as i64 >> unused) as f64 / 2f64.powi(scale as i32);
    words.iter().map(number).collect()
}

fn check_scale(bits: u32, scale: u32) -> Result<()> {
    if scale < bits {
        return Ok(());
    }
    let accepted = format!("less than the width, {bits}");
    Err(Error::Param { what: "bits behind the point", got: scale.to_string(), accepted })
}

//! Digits of shared numbers in one opening.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x. Out: shares of x's digits of w bits, each mod `2^w`, the top one with what is
//! left.
//!
//! # Protocol
//! Digit i is the sum of the shares' digits and of the carry out of the `i w` bits below. Each carry is looked up in a
//! table at the sum of the lower parts, as a word mod `2^w`, all in the same round.
//!
//! # Cost
//! For each digit but the lowest a lookup by an additive one-hot vector of `2^(i w + 1)` entries in words of w bits.
//! Online `2 (i w + 1)` bits each, 1 round.
//!
//! # Source
//! fss-spec 10. Deviation: the borrow from all digits below is one entry of a table, so that no AND follows the
//! opening; that limits the bits below the top digit. [`Decomposition`](hushtable::arith::Decomposition) has no limit, and more
//! rounds.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    carry_lookup::{self, Looked, MAX_CARRY_BITS, together},
    words::{in_rounds, share, words},
};
use hushtable::{
    bill::Bill,
    error::{Error, Result, same},
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for the digits of a batch of numbers, in words `R`.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result};
/// # use hushtable_baselines::dfss::OneRoundDigits;
/// fn twice(p: &mut Party, m: OneRoundDigits<u8>, x: &AShare<u16>) -> Result<()> {
///     m.digits(p, x)?;
///     m.digits(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct OneRoundDigits<R: Ring> {
    bits: u32,
    digit: u32,
    batch: usize,
    carries: Vec<Looked<R>>,
}

impl<R: Ring> OneRoundDigits<R> {
    /// Offline, for `batch` numbers of `bits` bits in digits of `digit` bits. Words `R` are the narrowest that hold a
    /// digit.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= digit < bits <= 64` and all digits but the top one have 15 bits at most together,
    /// and for other words; those of the channel.
    pub fn prepare(p: &mut impl Source, bits: u32, digit: u32, batch: usize) -> Result<Self> {
        let carry = |below| Looked::carry(p, below, digit, batch);
        let carries = cuts(bits, digit)?.map(carry).collect::<Result<_>>()?;
        Ok(Self { bits, digit, batch, carries })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] as there.
    pub fn bill(bits: u32, digit: u32) -> Result<Bill> {
        let bill = |all: Bill, below: u32| Ok(all + carry_lookup::bill(below + 1, digit)?);
        Ok(in_rounds(cuts(bits, digit)?.try_fold(Bill::FREE, bill)?, 1))
    }

    /// Online, 1 round: shares of the digits, lowest first. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn digits<X: Ring>(self, s: &mut Session, x: &AShare<X>) -> Result<Vec<AShare<R>>> {
        let Self { bits, digit, batch, carries } = self;
        same("numbers to cut into digits", batch, x.len())?;
        same("bits of the numbers", bits as usize, x.bits() as usize)?;
        let all = words(x.words());
        let below = cuts(bits, digit)?.map(|below| all.iter().map(move |w| low(*w, below)));
        let found = together(s, carries.into_iter().zip(below).collect())?;
        let own = |at: u32| all.iter().map(move |w| w >> at);
        let mut digits = vec![share(digit, &Zeroizing::new(own(0).collect::<Vec<_>>()))];
        for (at, carry) in cuts(bits, digit)?.zip(found) {
            let sum = own(at).zip(carry.words()).map(|(w, c)| w.wrapping_add(c.to_u64()));
            let width = digit.min(bits - at);
            digits.push(share(width, &Zeroizing::new(sum.collect::<Vec<_>>())));
        }
        Ok(digits)
    }
}

/// Bits below each digit but the lowest.
fn cuts(bits: u32, digit: u32) -> Result<impl Iterator<Item = u32>> {
    let below = |digit| (bits - 1) / digit * digit;
    if (2..=64).contains(&bits) && (1..bits).contains(&digit) && below(digit) <= MAX_CARRY_BITS {
        return Ok((digit..bits).step_by(digit as usize));
    }
    let (what, got) = ("bits of a digit in one round", format!("{digit} of {bits}"));
    let accepted = format!("less than all of at most 64, and {MAX_CARRY_BITS} or less below the top digit");
    Err(Error::Param { what, got, accepted })
}

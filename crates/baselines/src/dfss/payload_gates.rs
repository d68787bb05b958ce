//! Equality and comparison of two shared numbers whose result carries a shared payload.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x and of a threshold y, and, offline, additive shares mod `2^k` of a payload b. Out:
//! additive shares mod `2^k` of `b * 1{x = y}` ([`PayloadEquality`]), or of `b * 1{x < y}` for any unsigned numbers
//! ([`PayloadComparison`]).
//!
//! # Protocol
//! *Equality*: a key of a point function with the payload b at a random position. Online the distance of `x - y` from
//! the position is opened: the key is one at `x - y`, and its value at 0 is the result.
//!
//! *Comparison*: x and y are extended by one bit, so that the difference does not wrap, in one opening; then a key of a
//! comparison with the payload b is placed at the difference, whose sign bit decides.
//!
//! # Cost
//! Equality: that of [`Dpf`] with a word of k bits; online `2 l` bits, 1 round. Comparison: two of
//! [`OneRoundExtension`] and that of [`Dcf`] for `l + 1` bits; online `6 (l + 1)` bits, 2 rounds.
//!
//! # Source
//! Xing et al., "Distributed Function Secret Sharing and Applications", Algorithms 5 and 6; fss-spec 5 and 6. Deviations:
//! the threshold comes online, so that no key depends on it; keys are placed when they are used, so that equality opens
//! `x - y` under one mask; a comparison takes one key and a bit more of ring where the paper has two keys, a correction,
//! and a millionaires' protocol with the wrong polarity (fss-errata).

use prim::ring::Ring;

use super::one_round::OneRoundExtension;
use hushtable::{
    bill::Bill,
    error::{Result, same, within},
    fss::{Below, Dcf, Dpf, End, KeyShape, Point, Unplaced},
    onehot::Cyclic,
    party::Party,
    session::Session,
    share::{AShare, Additive},
};

/// Most bits of numbers that are compared: those of an extension in one opening.
const MAX_COMPARED: u32 = 15;

/// One-time material for equalities of a batch.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result};
/// # use hushtable_baselines::dfss::PayloadEquality;
/// fn twice(p: &mut Party, m: PayloadEquality, x: &AShare<u16>, y: &AShare<u16>) -> Result<()> {
///     m.eq(p, x, y)?;
///     m.eq(p, x, y)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct PayloadEquality {
    keys: Unplaced<Point, Cyclic, Additive>,
}

impl PayloadEquality {
    /// Offline, for as many numbers of `bits` bits as there are payloads.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) unless `1 <= bits <= 24`, and those of the channel.
    pub fn prepare(p: &mut Party, bits: u32, payload: &AShare<u64>) -> Result<Self> {
        Ok(Self { keys: Dpf::<Cyclic, Additive>::prepare(p, bits, std::slice::from_ref(payload))? })
    }

    /// What a number costs, with a payload of `ring` bits.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) for widths that are not supported.
    pub fn bill(bits: u32, ring: u32) -> Result<Bill> {
        Dpf::<Cyclic, Additive>::bill(KeyShape { position: bits, bits: ring, words: 1 })
    }

    /// Online, 1 round: shares of the payload where `x = y`, of 0 elsewhere. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](hushtable::Error::Shape) if numbers or widths are not those prepared for, and those of the channel.
    pub fn eq<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<AShare<u64>> {
        let bits = self.keys.shape().position;
        check([x, y], bits, self.keys.len())?;
        let keys = self.keys.at(s, &(x - y).low_bits(bits)?)?;
        Ok(keys.eval(&vec![0; x.len()])?.remove(0))
    }
}

/// One-time material for comparisons of a batch.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result};
/// # use hushtable_baselines::dfss::PayloadComparison;
/// fn twice(p: &mut Party, m: PayloadComparison, x: &AShare<u16>, y: &AShare<u16>) -> Result<()> {
///     m.less(p, x, y)?;
///     m.less(p, x, y)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct PayloadComparison {
    extension: OneRoundExtension<u8>,
    keys: Unplaced<Below, Cyclic, Additive>,
}

impl PayloadComparison {
    /// Offline, for as many numbers of `bits` bits as there are payloads.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) unless `1 <= bits <= 15`, and those of the channel.
    pub fn prepare(p: &mut Party, bits: u32, payload: &AShare<u64>) -> Result<Self> {
        within("bits of numbers to compare", bits, 1..=MAX_COMPARED)?;
        let extension = OneRoundExtension::prepare(p, [bits, bits + 1], 2 * payload.len())?;
        let keys = Dcf::<Cyclic, Additive>::prepare(p, bits + 1, std::slice::from_ref(payload))?;
        Ok(Self { extension, keys })
    }

    /// What a number costs, with a payload of `ring` bits.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) for widths that are not supported.
    pub fn bill(bits: u32, ring: u32) -> Result<Bill> {
        within("bits of numbers to compare", bits, 1..=MAX_COMPARED)?;
        let keys = Dcf::<Cyclic, Additive>::bill(KeyShape { position: bits + 1, bits: ring, words: 1 })?;
        Ok(OneRoundExtension::<u8>::bill([bits, bits + 1])?.times(2) + keys)
    }

    /// Online, 2 rounds: shares of the payload where `x < y` as unsigned numbers, of 0 elsewhere. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](hushtable::Error::Shape) if numbers or widths are not those prepared for, and those of the channel.
    pub fn less<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<AShare<u64>> {
        let (bits, count) = (self.keys.shape().position - 1, self.keys.len());
        check([x, y], bits, count)?;
        let mut both = x.clone();
        both.append(y)?;
        let mut x: AShare<u32> = self.extension.zero(s, &both)?;
        let y = x.split_off(count);
        let keys = self.keys.at(s, &(&x - &y))?;
        // The difference is negative where its sign bit is 1.
        Ok(keys.eval(End::At, &vec![1 << bits; count])?.remove(0))
    }
}

/// `Ok(())` if both have this width and number.
fn check<R: Ring>(numbers: [&AShare<R>; 2], bits: u32, count: usize) -> Result<()> {
    for number in numbers {
        same("numbers to compare", count, number.len())?;
        same("bits of the numbers", bits as usize, number.bits() as usize)?;
    }
    Ok(())
}

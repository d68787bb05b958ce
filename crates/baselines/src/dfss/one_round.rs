//! Truncation and extension in one opening.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x. Out, for every share:
//! * *truncate-and-reduce*: shares of `floor(x / 2^f)` mod `2^(l-f)`;
//! * *extension*: shares of x mod `2^k`, x being unsigned or signed;
//! * *truncation*: shares mod `2^l` of `floor(X / 2^f)`, for a signed X with `-2^(l-2) <= X < 2^(l-2)`.
//!
//! # Protocol
//! The carry out of the low k bits of the shares is bit k of their sum, which is a number of `k + 1` bits that is shared
//! additively: an index. So it is looked up in a table by an additive one-hot vector, as words of the ring in which it
//! is needed, in one round. Then
//! * truncate-and-reduce: each party shifts its share, and the carry is added;
//! * extension: with the carry w out of all l bits, `2^l w` is subtracted; signed numbers are moved before and back
//!   after, as in [`Extension`](hushtable::arith::Extension);
//! * truncation: P0 adds `2^(l-2)`. The wrap of the shares is then the OR of their top bits, an entry of a table at the
//!   sum of these, of 2 bits, looked up at the same time; `2^(l-f)` times it and `2^(l-2-f)` are subtracted.
//!
//! # Cost
//! Lookups by additive one-hot vectors ([`Arithmetic`]): of an index of `f + 1` bits in words of `l - f`; of `l + 1` in
//! words of `k - l`; of `f + 1` bits and of 2 bits in words of l. Online twice the bits of the index, 1 round.
//!
//! # Source
//! fss-spec 7 and fss-beyond B9. Deviation: what is looked up is a bit of the sum of the shares' low parts, so that
//! nothing of the upper bits is opened and no comparison is asked for.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    carry_lookup::{self, Looked, MAX_CARRY_BITS, together},
    words::{in_rounds, share},
};
use hushtable::{
    bill::Bill,
    error::{Error, Result, same},
    lut::Table,
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for truncations by f bits into a ring of `l - f` bits, in one round.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result};
/// # use hushtable_baselines::dfss::OneRoundReduction;
/// fn twice(p: &mut Party, m: OneRoundReduction<u8>, x: &AShare<u16>) -> Result<()> {
///     m.reduce(p, x)?;
///     m.reduce(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct OneRoundReduction<R: Ring> {
    bits: u32,
    f: u32,
    carry: Looked<R>,
}

impl<R: Ring> OneRoundReduction<R> {
    /// Offline, for `batch` numbers of `bits` bits. Words `R` are the narrowest that hold `bits - f`.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= f < bits` and `f <= 15`, and for other words; those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, f: u32, batch: usize) -> Result<Self> {
        check_cut(bits, f, 1)?;
        Ok(Self { bits, f, carry: Looked::carry(p, f, bits - f, batch)? })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] as there.
    pub fn bill(bits: u32, f: u32) -> Result<Bill> {
        check_cut(bits, f, 1)?;
        carry_lookup::bill(f + 1, bits - f)
    }

    /// Online, 1 round: shares of `floor(x / 2^f)` mod `2^(l-f)`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn reduce<S: Ring>(self, s: &mut Session, x: &AShare<S>) -> Result<AShare<R>> {
        let (words, f) = (numbers(x, self.bits, self.carry.len(), 0)?, self.f);
        let carry = together(s, vec![(self.carry, words.iter().map(|w| low(*w, f)))])?.remove(0);
        let sum = words.iter().zip(carry.words()).map(|(w, c)| (w >> f).wrapping_add(c.to_u64()));
        Ok(share(self.bits - f, &Zeroizing::new(sum.collect::<Vec<_>>())))
    }
}

/// One-time material for extensions of numbers of l bits to k bits, in one round.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result};
/// # use hushtable_baselines::dfss::OneRoundExtension;
/// fn twice(p: &mut Party, m: OneRoundExtension<u8>, x: &AShare<u16>) -> Result<AShare<u32>> {
///     m.zero::<u16, u32>(p, x)?;
///     m.zero(p, x) // use of moved value: `m`
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct OneRoundExtension<R: Ring> {
    bits: [u32; 2],
    wraps: Looked<R>,
}

impl<R: Ring> OneRoundExtension<R> {
    /// Offline, for `batch` numbers, from l to k bits. Words `R` are the narrowest that hold `k - l` bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= l < k <= 64` and `l <= 15`, and for other words; those of the channel.
    pub fn prepare(p: &mut dyn Source, [l, k]: [u32; 2], batch: usize) -> Result<Self> {
        check_extension([l, k])?;
        Ok(Self { bits: [l, k], wraps: Looked::carry(p, l, k - l, batch)? })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] as there.
    pub fn bill([l, k]: [u32; 2]) -> Result<Bill> {
        check_extension([l, k])?;
        carry_lookup::bill(l + 1, k - l)
    }

    /// Online, 1 round: zero extension, for every x. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, [`Error::Param`] if `S` has too few bits,
    /// and those of the channel.
    pub fn zero<X: Ring, S: Ring>(self, s: &mut Session, x: &AShare<X>) -> Result<AShare<S>> {
        self.extend(s, x, 0)
    }

    /// Online, 1 round: sign extension, for every x. Spends the material.
    ///
    /// # Errors
    /// As [`zero`](Self::zero).
    pub fn sign<X: Ring, S: Ring>(self, s: &mut Session, x: &AShare<X>) -> Result<AShare<S>> {
        let half = 1 << (self.bits[0] - 1);
        self.extend(s, x, half)
    }

    fn extend<X: Ring, S: Ring>(self, s: &mut Session, x: &AShare<X>, shift: u64) -> Result<AShare<S>> {
        let [l, k] = self.bits;
        if k > S::WIDTH {
            let accepted = format!("at most {}", S::WIDTH);
            return Err(Error::Param { what: "width to extend to", got: k.to_string(), accepted });
        }
        let shift = s.role().share_of(shift);
        let words = numbers(x, l, self.wraps.len(), shift)?;
        let wraps = together(s, vec![(self.wraps, words.iter().copied())])?.remove(0);
        let word = |(w, wrap): (&u64, &R)| w.wrapping_sub(wrap.to_u64() << l).wrapping_sub(shift);
        Ok(share(k, &Zeroizing::new(words.iter().zip(wraps.words()).map(word).collect::<Vec<_>>())))
    }
}

/// One-time material for truncations of numbers of l bits by f bits, in one round.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result};
/// # use hushtable_baselines::dfss::OneRoundTruncation;
/// fn twice(p: &mut Party, m: OneRoundTruncation<u16>, x: &AShare<u16>) -> Result<()> {
///     m.truncate(p, x)?;
///     m.truncate(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct OneRoundTruncation<R: Ring> {
    bits: u32,
    f: u32,
    carry: Looked<R>,
    wrap: Looked<R>,
}

impl<R: Ring> OneRoundTruncation<R> {
    /// Offline, for `batch` numbers of `bits` bits. Words `R` are the narrowest that hold them.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= f <= bits - 2` and `f <= 15`, and for other words; those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, f: u32, batch: usize) -> Result<Self> {
        check_cut(bits, f, 2)?;
        let carry = Looked::carry(p, f, bits, batch)?;
        let wrap = Looked::prepare(p, Table::new(bits, [0, 1, 1, 0].map(R::from_u64).to_vec())?, batch)?;
        Ok(Self { bits, f, carry, wrap })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] as there.
    pub fn bill(bits: u32, f: u32) -> Result<Bill> {
        check_cut(bits, f, 2)?;
        Ok(in_rounds(carry_lookup::bill(f + 1, bits)? + carry_lookup::bill(2, bits)?, 1))
    }

    /// Online, 1 round: shares of `floor(X / 2^f)`, for `-2^(l-2) <= X < 2^(l-2)`; for other X the result is wrong.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn truncate(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        let (l, f, role) = (self.bits, self.f, s.role());
        let words = numbers(x, l, self.carry.len(), role.share_of(1 << (l - 2)))?;
        let parts = words.iter().map(|w| [low(*w, f), w >> (l - 1)]);
        let lows = parts.clone().map(|[low, _]| low).collect::<Vec<_>>();
        let tops = parts.map(|[_, top]| top).collect::<Vec<_>>();
        let (lows, tops) = (Zeroizing::new(lows), Zeroizing::new(tops));
        let jobs = vec![(self.carry, lows.iter().copied()), (self.wrap, tops.iter().copied())];
        let found = together(s, jobs)?;
        let back = role.share_of(1 << (l - 2 - f));
        let word = |((w, c), wrap): ((&u64, &R), &R)| {
            let shifted = (w >> f).wrapping_add(c.to_u64()).wrapping_sub(back);
            shifted.wrapping_sub(wrap.to_u64() << (l - f))
        };
        let all = words.iter().zip(found[0].words()).zip(found[1].words());
        Ok(share(l, &Zeroizing::new(all.map(word).collect::<Vec<_>>())))
    }
}

/// This party's words of the numbers, `shift` more.
fn numbers<X: Ring>(x: &AShare<X>, bits: u32, batch: usize, shift: u64) -> Result<Zeroizing<Vec<u64>>> {
    same("numbers", batch, x.len())?;
    same("bits of the numbers", bits as usize, x.bits() as usize)?;
    Ok(Zeroizing::new(x.words().iter().map(|w| low(w.to_u64().wrapping_add(shift), bits)).collect()))
}

/// `Ok(())` if so many bits stay.
fn check_cut(bits: u32, f: u32, stay: u32) -> Result<()> {
    let most = bits.min(64).saturating_sub(stay).min(MAX_CARRY_BITS);
    if bits <= 64 && (1..=most).contains(&f) {
        return Ok(());
    }
    let (got, accepted) = (format!("{f} of {bits}"), format!("1 to {most}, of at most 64"));
    Err(Error::Param { what: "bits to cut off in one round", got, accepted })
}

fn check_extension([l, k]: [u32; 2]) -> Result<()> {
    if (1..=MAX_CARRY_BITS).contains(&l) && k > l && k <= 64 {
        return Ok(());
    }
    let accepted = format!("1 to {MAX_CARRY_BITS}, to a greater one of at most 64");
    Err(Error::Param { what: "widths of an extension in one round", got: format!("{l} to {k}"), accepted })
}

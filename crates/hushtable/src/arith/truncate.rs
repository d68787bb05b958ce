//! Division of shared fixed-point numbers by a power of two.
//!
//! # Functionality
//! In: additive shares mod `2^l` of a signed X with `-2^(l-2) <= X < 2^(l-2)`. Out: shares of
//! `floor(X / 2^f)`, or of one less.
//!
//! # Protocol
//! *Safe*:
//! 1. P0 adds `2^(l-2)`, which makes the top bit of the sum `X'` 0. Hence its shares sum to
//!    `X' + 2^l w` as integers, where `w = m_0 | m_1` of their top bits: shares of w by a correlated
//!    OT, mod `2^f`;
//! 2. each party shifts its share; `2^(l-f) w` and `2^(l-2-f)` are subtracted. What is missing is the
//!    carry c of the low f bits of the shares: the result is `floor(X / 2^f) - c`.
//!
//! *Rounded*: P0 adds `2^f - 1` more, so that the result is X / 2^f rounded to a neighbour: for uniform shares it is on
//! average right.
//!
//! *Faithful*: c is compared for, converted in the round of step 1, and added.
//!
//! *Into a ring of `l - f` bits*, for every X: the wrap vanishes, and shifting is all.
//!
//! # Cost
//! Safe: one correlated OT; online `f + 1` bits, 1 round. Faithful: a comparison of f bits, and two correlated OTs
//! and `f + l + 1` bits, 1 round. Into a smaller ring: nothing, or for the faithful one a comparison of f bits and
//! the conversion of the carry to `l - f` bits.
//!
//! # Source
//! Rathee et al., "SiRNN" (S&P 2021), truncation with a known top bit; lut-spec 11.1, fss-beyond B8.
//! Local truncation: Mohassel, Zhang, "SecureML" (S&P 2017), section 4.1.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    bit_product::{BitProducts, or_and_xor},
    carry::Carry,
    plan::ComparePlan,
    product::{check_width, share},
};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    gates::B2a,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for safe truncations of numbers of l bits by f bits.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Truncation};
/// fn twice(p: &mut Party, m: Truncation, x: &AShare<u64>) -> Result<()> {
///     m.truncate(p, x)?;
///     m.truncate(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Truncation {
    bits: u32,
    f: u32,
    wraps: BitProducts,
}

impl Truncation {
    /// Offline, for `batch` numbers of `bits` bits and truncations by f.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= f <= bits - 2`, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, f: u32, batch: usize) -> Result<Self> {
        check(bits, f, 2)?;
        Ok(Self { bits, f, wraps: BitProducts::prepare(p, f, batch)? })
    }

    /// What a truncation by f bits costs.
    pub fn bill(f: u32) -> Bill {
        BitProducts::bill(f)
    }

    /// How many bits it cuts off.
    pub fn cut(&self) -> u32 {
        self.f
    }

    /// Online, 1 round: shares of `floor(X / 2^f)` or of one less, never of anything else. Spends the material.
    ///
    /// Which of the two depends on the shares, not only on X. For X outside `-2^(l-2) .. 2^(l-2)` the
    /// result is wrong.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn truncate<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        same("bits of the numbers to truncate", self.bits as usize, x.bits() as usize)?;
        self.shifted(s, x, 0)
    }

    /// Online, 1 round: shares of `X / 2^f`, rounded to a neighbour: itself where it is an integer, else up with the
    /// probability of what is cut off, over the choice of the shares. Spends the material.
    ///
    /// For X outside `-2^(l-2) - 2^f < X <= 2^(l-2) - 2^f` the result is wrong for some shares.
    ///
    /// # Errors
    /// As [`truncate`](Self::truncate).
    pub fn round<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        same("bits of the numbers to round", self.bits as usize, x.bits() as usize)?;
        let up = (1 << self.f) - 1;
        self.shifted(s, x, up)
    }

    /// Of `X + up`.
    fn shifted<R: Ring>(self, s: &mut Session, x: &AShare<R>, up: u64) -> Result<AShare<R>> {
        let shifted = Shifted::new(s.role(), x, self.f, up);
        let wraps = self.wraps.or(s, &shifted.top())?;
        Ok(shifted.finish(&wraps))
    }
}

/// Local truncation, **wrong with probability `|X| / 2^l`**: then by about `2^(l-f)`, and in a batch
/// of many numbers some are. Else the result is `floor(X / 2^f)` or one more. For X of 40 bits and
/// `l = 64` one number in `2^24` is wrong, for X of 58 bits one in 64.
///
/// # Errors
/// [`Error::Param`] unless `1 <= f < l`.
pub fn insecure_truncate_local<R: Ring>(role: Role, x: &AShare<R>, f: u32) -> Result<AShare<R>> {
    check(x.bits(), f, 1)?;
    let l = x.bits();
    let word = |w: &R| match role {
        Role::P0 => w.to_u64() >> f,
        Role::P1 => (low(w.to_u64().wrapping_neg(), l) >> f).wrapping_neg(),
    };
    Ok(share(l, &Zeroizing::new(x.words().iter().map(word).collect::<Vec<_>>())))
}

/// Shares mod `2^(l-f)` of `floor(x / 2^f)` or of one less, for every x, signed or not. Local.
///
/// # Errors
/// [`Error::Param`] unless `1 <= f < l`.
pub fn truncate_reduce<R: Ring>(x: &AShare<R>, f: u32) -> Result<AShare<R>> {
    check(x.bits(), f, 1)?;
    let words = Zeroizing::new(x.words().iter().map(|w| w.to_u64() >> f).collect::<Vec<_>>());
    Ok(share(x.bits() - f, &words))
}

/// One-time material for faithful truncations of numbers of l bits by f bits: `floor(X / 2^f)`, whatever the shares
/// are.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::FaithfulTruncation};
/// fn twice(p: &mut Party, m: FaithfulTruncation, x: &AShare<u64>) -> Result<()> {
///     m.truncate(p, x)?;
///     m.truncate(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct FaithfulTruncation {
    bits: u32,
    f: u32,
    batch: usize,
    carry: Carry,
    wraps: BitProducts,
    carries: BitProducts,
}

impl FaithfulTruncation {
    /// Offline, for `batch` numbers of `bits` bits and truncations by f.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= f <= bits - 2`, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, f: u32, plan: ComparePlan, batch: usize) -> Result<Self> {
        check(bits, f, 2)?;
        let carry = Carry::prepare(p, f, plan, batch)?;
        let wraps = BitProducts::prepare(p, f, batch)?;
        Ok(Self { bits, f, batch, carry, wraps, carries: BitProducts::prepare(p, bits - 1, batch)? })
    }

    /// What a truncation costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill(bits: u32, f: u32, plan: ComparePlan) -> Result<Bill> {
        check(bits, f, 2)?;
        Ok(Carry::bill(f, plan)? + BitProducts::bill(f).beside(BitProducts::bill(bits - 1)))
    }

    /// How many bits it cuts off.
    pub fn cut(&self) -> u32 {
        self.f
    }

    /// Online: shares of `floor(X / 2^f)`, for `-2^(l-2) <= X < 2^(l-2)`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn truncate<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        same("bits of the numbers to truncate", self.bits as usize, x.bits() as usize)?;
        same("numbers to truncate", self.batch, x.len())?;
        let shifted = Shifted::new(s.role(), x, self.f, 0);
        let carry = self.carry.of(s, &shifted.words)?;
        let carry = Zeroizing::new(carry.iter().collect::<Vec<_>>());
        let (wraps, carries) = or_and_xor(s, (self.wraps, &shifted.top()), (self.carries, &carry))?;
        Ok(&shifted.finish(&wraps) + &share(self.bits, &carries))
    }
}

/// One-time material for faithful truncations by f bits into a ring of `l - f` bits.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::FaithfulReduction};
/// fn twice(p: &mut Party, m: FaithfulReduction, x: &AShare<u64>) -> Result<()> {
///     m.reduce(p, x)?;
///     m.reduce(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct FaithfulReduction {
    bits: u32,
    f: u32,
    batch: usize,
    carry: Carry,
    convert: B2a,
}

impl FaithfulReduction {
    /// Offline, for `batch` numbers of `bits` bits and truncations by f.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= f < bits`, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, f: u32, plan: ComparePlan, batch: usize) -> Result<Self> {
        check(bits, f, 1)?;
        let carry = Carry::prepare(p, f, plan, batch)?;
        Ok(Self { bits, f, batch, carry, convert: B2a::prepare(p, bits - f, batch)? })
    }

    /// What a truncation costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths that are not supported.
    pub fn bill(bits: u32, f: u32, plan: ComparePlan) -> Result<Bill> {
        check(bits, f, 1)?;
        Ok(Carry::bill(f, plan)? + B2a::bill(bits - f))
    }

    /// Online: shares of `floor(x / 2^f)` mod `2^(l-f)`, for every x. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn reduce<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        same("bits of the numbers to truncate", self.bits as usize, x.bits() as usize)?;
        same("numbers to truncate", self.batch, x.len())?;
        let words = Zeroizing::new(x.words().iter().map(|w| w.to_u64()).collect::<Vec<_>>());
        let carry = self.carry.of(s, &words)?;
        let carry: AShare<R> = self.convert.convert(s, &carry)?;
        Ok(&truncate_reduce(x, self.f)? + &carry)
    }
}

/// Shares of `X' = X + up + 2^(l-2)`.
struct Shifted {
    role: Role,
    l: u32,
    f: u32,
    words: Zeroizing<Vec<u64>>,
}

impl Shifted {
    fn new<R: Ring>(role: Role, x: &AShare<R>, f: u32, up: u64) -> Self {
        let l = x.bits();
        let add = role.share_of(up + (1 << (l - 2)));
        let words = x.words().iter().map(|w| low(w.to_u64().wrapping_add(add), l));
        Self { role, l, f, words: Zeroizing::new(words.collect()) }
    }

    /// The top bits.
    fn top(&self) -> Zeroizing<Vec<u64>> {
        Zeroizing::new(self.words.iter().map(|w| w >> (self.l - 1) & 1).collect())
    }

    /// Step 2.
    fn finish<R: Ring>(&self, wraps: &[u64]) -> AShare<R> {
        let (l, f) = (self.l, self.f);
        let back = self.role.share_of(1 << (l - 2 - f));
        let word = |(a, w): (&u64, &u64)| (a >> f).wrapping_sub(w << (l - f)).wrapping_sub(back);
        share(l, &Zeroizing::new(self.words.iter().zip(wraps).map(word).collect::<Vec<_>>()))
    }
}

/// `Ok(())` if so many bits stay.
fn check(bits: u32, f: u32, stay: u32) -> Result<()> {
    check_width::<u64>(bits)?;
    let most = bits.saturating_sub(stay);
    if (1..=most).contains(&f) {
        return Ok(());
    }
    Err(Error::Param { what: "bits to cut off", got: f.to_string(), accepted: format!("1 to {most}") })
}

//! Shared bits as additive words.
//!
//! # Functionality
//! [`B2a`]: in XOR shares of bits, out additive shares of them mod `2^l`. [`DaBits`]: shares of
//! both kinds of uniform bits that nobody knows, with which a conversion only opens a bit.
//!
//! # Protocol
//! `b = b_0 + b_1 - 2 b_0 b_1`, and the product is needed mod `2^(l-1)`:
//! 1. *conversion*: a correlated OT from P0, whose value is `b_0`, to P1, whose bit is `b_1`;
//! 2. *random bits*: the same, with P1's random choice as `b_1`, so that nothing is corrected;
//! 3. *conversion with a random bit* `r`: open `v = b ^ r`; then `b = v + r - 2 v r`.
//!
//! # Cost
//! For l bits, l = 1 being free: 1. a correlated OT, and `l` bits in 1 round online. 2. `l - 1` bits and a
//! correlated OT, 1 message, offline. 3. 2 bits, 1 round.
//!
//! # Source
//! Demmler, Schneider, Zohner, "ABY" (NDSS 2015), section III-B; Rotaru, Wood, "MArBled circuits"
//! (INDOCRYPT 2019) for random bits in both sharings; lut-spec 10.

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::{
    Bits,
    products::{Direction, Products, multiply},
};
use crate::{
    bill::Bill,
    error::{Error, Result, same, within},
    net::Role,
    party::Party,
    session::Session,
    share::{AShare, Additive},
    source::Source,
};

/// One-time material for converting a batch of bits.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, gates::{B2a, Bits}};
/// fn twice(p: &mut Party, m: B2a, b: &Bits) -> Result<AShare<u32>> {
///     m.convert::<u32>(p, b)?;
///     m.convert(p, b) // use of moved value: `m`
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct B2a {
    bits: u32,
    count: usize,
    /// None for one bit.
    products: Option<Products>,
}

impl B2a {
    /// Offline: for `count` bits, to additive shares mod `2^bits`.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= bits <= 64`, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, count: usize) -> Result<Self> {
        check_width::<u64>(bits)?;
        let products = match bits {
            1 => None,
            _ => Some(Products::prepare(p, Direction::FromP0, count, &[bits - 1])?),
        };
        Ok(Self { bits, count, products })
    }

    /// What a bit costs.
    pub fn bill(bits: u32) -> Bill {
        if bits == 1 { Bill::FREE } else { Products::bill(Direction::FromP0, &[bits - 1]) }
    }

    /// How many bits it serves.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Online: additive shares of `b`, 1 round. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many bits, [`Error::Param`] if `R` has too few, and those of the
    /// channel.
    pub fn convert<R: Ring>(self, s: &mut Session, b: &Bits) -> Result<AShare<R>> {
        same("bits to convert", self.count, b.len())?;
        check_width::<R>(self.bits)?;
        let Some(products) = self.products else { return Ok(additive(1, b, &vec![0; b.len()])) };
        let values = Zeroizing::new(vec![b.iter().collect()]);
        let product = multiply::<Additive>(s, vec![products.chosen(b.iter(), &values)])?;
        Ok(additive(self.bits, b, &product[0][0]))
    }
}

/// One-time random bits, shared by XOR and additively.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct DaBits<R: Ring> {
    bits: Bits,
    words: AShare<R>,
}

impl<R: Ring> DaBits<R> {
    /// Offline, 1 message: `count` bits, additively mod `2^bits`.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= bits <= R::WIDTH`, and those of the channel.
    pub fn random(p: &mut Party, bits: u32, count: usize) -> Result<Self> {
        check_width::<R>(bits)?;
        let mut drawn = Bits::random(p, count);
        if bits == 1 {
            let words = additive(1, &drawn, &vec![0; count]);
            return Ok(Self { bits: drawn, words });
        }
        let products = Products::prepare(p, Direction::FromP0, count, &[bits - 1])?;
        if p.role() == Role::P1 {
            drawn = Bits::collect(products.choices());
        }
        let values = Zeroizing::new(vec![drawn.iter().collect()]);
        let product = multiply::<Additive>(p, vec![products.random(&values)])?;
        let words = additive(bits, &drawn, &product[0][0]);
        Ok(Self { bits: drawn, words })
    }

    /// What a bit costs: made, and converted with.
    pub fn bill(bits: u32) -> Bill {
        let made = if bits == 1 { Bill::FREE } else { Products::random_bill(&[bits - 1]) };
        made + Bill::opening(1)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Cuts off `m` of them, to be spent separately.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        let Some(left) = self.len().checked_sub(m) else {
            return Err(Error::Shape { what: "random bits left", want: m, got: self.len() });
        };
        Ok(Self { bits: self.bits.split_off(left), words: self.words.split_off(left) })
    }

    /// The shares of both kinds, for protocols that mask with them.
    pub fn into_shares(self) -> (Bits, AShare<R>) {
        (self.bits, self.words)
    }

    /// Online, 1 round: additive shares of `b`. Spends the random bits.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many, and those of the channel.
    pub fn convert(self, s: &mut Session, b: &Bits) -> Result<AShare<R>> {
        same("random bits for the conversion", b.len(), self.len())?;
        // Public: masked by a uniform bit that serves only here.
        let v = Bits::new(b.len(), (b ^ &self.bits).open(s)?);
        let one = role_bit(s.role());
        let word = |(v, r): (u64, &R)| {
            let r = r.to_u64();
            R::from_u64(if v == 1 { one.wrapping_sub(r) } else { r }) // v is public
        };
        Ok(AShare::new(self.words.bits(), v.iter().zip(self.words.words()).map(word).collect()))
    }
}

/// 1 at P0, 0 at P1: shares of 1.
fn role_bit(role: Role) -> u64 {
    1 - role as u64
}

/// `b_p - 2 product_p`.
fn additive<R: Ring>(bits: u32, b: &Bits, product: &[u64]) -> AShare<R> {
    let words = b.iter().zip(product).map(|(b, x)| R::from_u64(b.wrapping_sub(x << 1)));
    AShare::new(bits, words.collect())
}

fn check_width<R: Ring>(bits: u32) -> Result<()> {
    within("width of a converted bit", bits, 1..=R::WIDTH)
}

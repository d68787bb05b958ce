//! Numbers that are shared by XOR as additive shares, in a ring as large or larger.
//!
//! # Functionality
//! In: XOR shares of x of w bits, unsigned or in two's complement. Out: additive shares of x mod `2^l`, `l >= w`.
//!
//! # Protocol
//! 1. Bit i of x is `b = b_0 + b_1 - 2 b_0 b_1`, and counts `2^i`: the product is needed mod `2^(w-1-i)`, a correlated
//!    OT from P0. The sum of the bits are shares mod `2^w`.
//! 2. For `l > w`: as integers the shares sum to `x + 2^w c`. The carry c is the majority of the top bits of both shares
//!    and of the complement of x' top bit, which is shared by XOR already: one AND, no comparison.
//! 3. c becomes additive mod `2^(l-w)`, and `2^w c` is taken off.
//!
//! A signed x is moved by `2^(w-1)` before 2., which flips its top bit, and back at the end.
//!
//! # Cost
//! 1. `w - 1` correlated OTs, `(w - 1) (w + 2) / 2` bits in 1 round; none for one bit. 2. a triple and its 4 bits, 1
//!    round. 3. [`B2a`] of `l - w` bits.
//!
//! # Source
//! Demmler, Schneider, Zohner, "ABY" (NDSS 2015), section III-B, with payloads as wide as needed; Rathee et al.,
//! "SiRNN" (S&P 2021), section III-C, for the carry from a known top bit.

use prim::ring::low;
use zeroize::Zeroizing;

use crate::{
    bill::Bill,
    error::{Error, Result, same},
    gates::{B2a, Bits, Direction, Products, Triples, and, multiply},
    net::Role,
    session::Session,
    share::{AShare, Additive, BShare},
    source::Source,
};

/// One-time material for a batch of conversions.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, arith::XorToAdditive, session::Session};
/// fn twice(s: &mut Session, m: XorToAdditive, x: &BShare<u64>) -> Result<()> {
///     m.unsigned(s, x)?;
///     m.unsigned(s, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct XorToAdditive {
    bits: [u32; 2],
    count: usize,
    /// For the bits but the last, the lowest first.
    products: Vec<Products>,
    /// For the carry, where the ring is larger.
    carry: Option<(Triples, B2a)>,
}

impl XorToAdditive {
    /// Offline, for `count` numbers of w bits, to shares mod `2^l`.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= w <= l <= 64`, and those of the channel.
    pub fn prepare(p: &mut dyn Source, [w, l]: [u32; 2], count: usize) -> Result<Self> {
        check_widths([w, l])?;
        let products = (1..w).rev().map(|width| Products::prepare(p, Direction::FromP0, count, &[width]));
        let products = products.collect::<Result<_>>()?;
        let carry = match l - w {
            0 => None,
            more => Some((Triples::random(p, count)?, B2a::prepare(p, more, count)?)),
        };
        Ok(Self { bits: [w, l], count, products, carry })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= w <= l <= 64`.
    pub fn bill([w, l]: [u32; 2]) -> Result<Bill> {
        check_widths([w, l])?;
        let products = (1..w).map(|width| Products::bill(Direction::FromP0, &[width]));
        // All in one round.
        let bill = products.fold(Bill::FREE, Bill::beside);
        Ok(if l > w { bill + Triples::bill(1) + B2a::bill(l - w) } else { bill })
    }

    /// Numbers there is material for.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Online: of unsigned numbers. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many numbers of the width prepared for, and those of the channel.
    pub fn unsigned(self, s: &mut Session, x: &BShare<u64>) -> Result<AShare<u64>> {
        self.convert(s, x, false)
    }

    /// Online: of numbers in two's complement. Spends the material.
    ///
    /// # Errors
    /// As [`unsigned`](Self::unsigned).
    pub fn signed(self, s: &mut Session, x: &BShare<u64>) -> Result<AShare<u64>> {
        self.convert(s, x, true)
    }

    fn convert(self, s: &mut Session, x: &BShare<u64>, signed: bool) -> Result<AShare<u64>> {
        let ([w, l], role) = (self.bits, s.role());
        same("numbers to convert", self.count, x.len())?;
        same("bits of the numbers to convert", w as usize, x.bits() as usize)?;
        // What P0 alone does: a public constant.
        let half = if signed && role == Role::P0 { 1 << (w - 1) } else { 0 };
        let moved: Zeroizing<Vec<u64>> = Zeroizing::new(x.words().iter().map(|word| word ^ half).collect());
        let mut sums = sum_of_bits(s, self.products, w, &moved)?;
        if let Some((triples, b2a)) = self.carry {
            let carry = carry(s, triples, w, &moved, &sums)?;
            let carry = b2a.convert::<u64>(s, &carry)?;
            sums.iter_mut().zip(carry.words()).for_each(|(sum, c)| *sum = sum.wrapping_sub(c << w));
        }
        Ok(AShare::new(l, sums.iter().map(|sum| sum.wrapping_sub(half)).collect()))
    }
}

/// Step 1: shares mod `2^w` of the numbers of which `x` are shares by XOR.
fn sum_of_bits(s: &mut Session, products: Vec<Products>, w: u32, x: &[u64]) -> Result<Zeroizing<Vec<u64>>> {
    let bit = |i: u32| x.iter().map(move |word| word >> i & 1);
    let values: Vec<_> = (0..w - 1).map(|i| Zeroizing::new(vec![bit(i).collect()])).collect();
    let runs = products.into_iter().zip(0..).zip(&values);
    let runs = runs.map(|((products, i), values)| products.chosen(bit(i), values)).collect();
    let products = multiply::<Additive>(s, runs)?;
    // A share by XOR, word for word, is the sum of its bits.
    let mut sums = Zeroizing::new(x.to_vec());
    for (products, i) in products.iter().zip(1..) {
        sums.iter_mut().zip(&products[0]).for_each(|(sum, p)| *sum = sum.wrapping_sub(p << i));
    }
    sums.iter_mut().for_each(|sum| *sum = low(*sum, w));
    Ok(sums)
}

/// Step 2: shares by XOR of the carry of each sum of both parties' `sums`, of the numbers of which `x` are shares.
fn carry(s: &mut Session, triples: Triples, w: u32, x: &[u64], sums: &[u64]) -> Result<Bits> {
    let role = s.role();
    let top = |words: &[u64]| Bits::collect(words.iter().map(|word| word >> (w - 1) & 1));
    let (own, other) = (top(sums), top(x).not(role));
    // With p of P0, q of P1 and n of both the majority is `(p ^ n) (q ^ n) ^ n`.
    let mine = &own ^ &other;
    let product = match role {
        Role::P0 => and(s, triples, &mine, &other)?,
        Role::P1 => and(s, triples, &other, &mine)?,
    };
    Ok(&product ^ &other)
}

fn check_widths([w, l]: [u32; 2]) -> Result<()> {
    if w >= 1 && w <= l && l <= 64 {
        return Ok(());
    }
    let (got, accepted) = (format!("{w} to {l}"), "1 to 64, to as many or more, of at most 64".into());
    Err(Error::Param { what: "widths of a conversion", got, accepted })
}

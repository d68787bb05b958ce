//! Products of a bit of each party's, as numbers; with them the wrap of two shares and the sum of bits.
//!
//! # Functionality
//! P0 has bits `a`, P1 bits `b`. Out: additive shares of `a b` mod `2^k`. Of these follow the shares
//! of `a | b = a + b - a b`, and of `a ^ b = a + b - 2 a b` mod `2^(k+1)`.
//!
//! # Protocol
//! One correlated OT from P0 with a payload of k bits.
//!
//! # Cost
//! A correlated OT; online `k + 1` bits, 1 round for any number of batches.
//!
//! # Source
//! lut-spec 10 (B2A) and 11.1; Rathee et al., "SiRNN" (S&P 2021), section III-C.

use prim::ring::low;
use zeroize::Zeroizing;

use crate::{
    bill::Bill,
    error::{Result, same},
    gates::{Direction, Products, multiply},
    session::Session,
    share::Additive,
    source::Source,
};

/// One-time material for a batch of products mod `2^k`.
pub(super) struct BitProducts {
    k: u32,
    products: Products,
}

/// A batch of words that are wiped.
type Words = Zeroizing<Vec<u64>>;

impl BitProducts {
    /// Offline, for `count` products.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, k: u32, count: usize) -> Result<Self> {
        Ok(Self { k, products: Products::prepare(p, Direction::FromP0, count, &[k])? })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.products.len()
    }

    /// What a product costs.
    pub(super) fn bill(k: u32) -> Bill {
        Products::bill(Direction::FromP0, &[k])
    }

    /// Online: shares of `a | b` mod `2^k`, `bits` being this party's: 1 round. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are as many bits, and those of the channel.
    pub(super) fn or(self, s: &mut Session, bits: &[u64]) -> Result<Words> {
        let k = self.k;
        let products = products(s, [(self, bits)])?;
        Ok(combined(bits, &products[0], 0, k))
    }
}

/// Online: shares of `a | b` mod `2^k` of the first batch, and of `a ^ b` mod `2^(k+1)` of the second: 1 round.
/// Spends the material.
///
/// # Errors
/// As [`BitProducts::or`].
pub(super) fn or_and_xor(
    s: &mut Session,
    or: (BitProducts, &[u64]),
    xor: (BitProducts, &[u64]),
) -> Result<(Words, Words)> {
    let (first, second) = ((or.1, or.0.k), (xor.1, xor.0.k));
    let made = products(s, [or, xor])?;
    Ok((combined(first.0, &made[0], 0, first.1), combined(second.0, &made[1], 1, second.1)))
}

/// Shares of `a b` for each batch: 1 round.
fn products<const N: usize>(s: &mut Session, batches: [(BitProducts, &[u64]); N]) -> Result<Vec<Words>> {
    let values = batches.each_ref().map(|(_, bits)| Zeroizing::new(vec![bits.to_vec()]));
    let mut runs = Vec::with_capacity(N);
    for ((material, bits), values) in batches.into_iter().zip(&values) {
        same("bits to multiply", material.products.len(), bits.len())?;
        runs.push(material.products.chosen(bits.iter().copied(), values));
    }
    let shares = multiply::<Additive>(s, runs)?;
    Ok(shares.into_iter().map(|mut columns| Zeroizing::new(std::mem::take(&mut columns[0]))).collect())
}

/// `bit - product`, or twice the product.
fn combined(bits: &[u64], products: &[u64], twice: u32, k: u32) -> Words {
    let word = |(bit, product): (&u64, &u64)| low(bit.wrapping_sub(product << twice), k + twice);
    Zeroizing::new(bits.iter().zip(products).map(word).collect())
}

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
//! One correlated OT and `k + 1` bits, 1 round for any number of batches.
//!
//! # Source
//! lut-spec 10 (B2A) and 11.1; Rathee et al., "SiRNN" (S&P 2021), section III-C.

use prim::ring::low;
use zeroize::Zeroizing;

use crate::{
    error::Result,
    gates::{Products, multiply},
    net::Role,
    party::Party,
    share::Additive,
};

/// Bits of this party's, and the width k of the products.
pub(super) struct BitFactors {
    pub(super) bits: Zeroizing<Vec<u64>>,
    pub(super) k: u32,
}

/// A batch of words that are wiped.
type Words = Zeroizing<Vec<u64>>;

/// Shares of `a b` for each batch: 1 round.
///
/// # Errors
/// Those of the channel.
fn products(p: &mut Party, batches: &[&BitFactors]) -> Result<Vec<Words>> {
    let values: Vec<_> = batches.iter().map(|batch| Zeroizing::new(vec![batch.bits.to_vec()])).collect();
    let mut runs = Vec::with_capacity(batches.len());
    for (batch, values) in batches.iter().zip(&values) {
        let from_p0 = if p.role() == Role::P0 { batch.bits.len() } else { 0 };
        let (out, inc) = p.cots(from_p0, batch.bits.len() - from_p0)?;
        let choices = batch.bits.iter().copied().take(inc.len());
        runs.push(Products::chosen(out, inc, choices, &[batch.k], values));
    }
    let shares = multiply::<Additive>(p, runs)?;
    Ok(shares.into_iter().map(|mut columns| Zeroizing::new(std::mem::take(&mut columns[0]))).collect())
}

/// Shares of `a | b` mod `2^k` of the first batch, and of `a ^ b` mod `2^(k+1)` of the second: 1 round.
///
/// # Errors
/// Those of the channel.
pub(super) fn or_and_xor(p: &mut Party, or: &BitFactors, xor: &BitFactors) -> Result<(Words, Words)> {
    let mut made = products(p, &[or, xor])?.into_iter();
    let mut next = |factors: &BitFactors, twice: u32| {
        let products = made.next().expect("a product for each batch");
        combined(factors, &products, twice)
    };
    Ok((next(or, 0), next(xor, 1)))
}

/// Shares of `a | b` mod `2^k`: 1 round.
///
/// # Errors
/// Those of the channel.
pub(super) fn or(p: &mut Party, factors: &BitFactors) -> Result<Words> {
    let products = products(p, &[factors])?;
    Ok(combined(factors, &products[0], 0))
}

/// `bit - product`, or twice the product.
fn combined(factors: &BitFactors, products: &[u64], twice: u32) -> Words {
    let word = |(bit, product): (&u64, &u64)| low(bit.wrapping_sub(product << twice), factors.k + twice);
    Zeroizing::new(factors.bits.iter().zip(products).map(word).collect())
}

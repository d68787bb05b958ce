//! Selection by a shared bit.
//!
//! # Functionality
//! In: XOR shares of a bit `b`, shares of a word `x`, additive or XOR. Out: shares of `b x` of the
//! same kind: `x` where `b = 1`, else 0.
//!
//! # Protocol
//! `b x` is the sum over both parties p of `b_p x_p` and `b_{1-p} u_p`, with `u_p = x_p (1 - 2 b_p)`
//! for additive words and `u_p = x_p` for XOR shared ones: one correlated OT each way.
//!
//! # Cost
//! `2 l + 2` bits and 2 correlated OTs for a word of `l` bits, 1 round.
//!
//! # Source
//! Rathee et al., "CrypTFlow2" (CCS 2020), appendix A.3, by correlated OTs whose corrections cross
//! the payloads: lut-spec 10 in one round less.

use prim::{ct, ring::Ring};
use zeroize::Zeroizing;

use super::{Bits, Products, multiply};
use crate::{
    error::{Result, same},
    party::Party,
    share::{Kind, Share},
};

/// Shares of `b x`, for a bit and a word each: 1 round.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless there are as many bits as words, and those of the
/// channel.
pub fn mux<K: Kind, R: Ring>(p: &mut Party, b: &Bits, x: &Share<K, R>) -> Result<Share<K, R>> {
    same("bits that select", x.len(), b.len())?;
    let (out, inc) = p.cots(x.len(), x.len())?;
    let local = b.iter().zip(x.words()).map(|(b, x)| ct::bit_mask(b) & x.to_u64());
    let local = Zeroizing::new(local.collect::<Vec<u64>>());
    // x - 2 b x, or x ^ b x ^ b x = x.
    let value = |(x, bx): (&R, &u64)| K::strip(K::strip(x.to_u64(), *bx), *bx);
    let values = Zeroizing::new(vec![x.words().iter().zip(local.iter()).map(value).collect::<Vec<u64>>()]);
    let cross = multiply::<K>(p, vec![Products::chosen(out, inc, b.iter(), &[x.bits()], &values)])?;
    let words = local.iter().zip(&cross[0][0]).map(|(&l, &c)| R::from_u64(K::combine(l, c)));
    Ok(Share::new(x.bits(), words.collect()))
}

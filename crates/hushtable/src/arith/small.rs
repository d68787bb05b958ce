//! Products of shared numbers with small numbers that the parties know, one each.
//!
//! # Functionality
//! In: additive shares mod `2^l` of x; each party p knows a number `n_p` of b bits. Out: shares of
//! `x (n_0 + n_1)`, or of about `x (c - n_0) (c - n_1) / 2^f` mod `2^(l-f)` for a public `c < 2^(b+2)`.
//!
//! # Protocol
//! *Sum*: `x (n_0 + n_1)` is the sum of the local `x_p n_p` and of `x_p n_{1-p}`, Gilboa's products.
//!
//! *Product*: with `m_p = c - n_p` and the local `y_p = x_p m_p` mod `2^l`, it is
//! `y_0 m_1 + y_1 m_0`, and `y_p m_{1-p} = c y_p - y_p n_{1-p}`. Before that, each party drops the low f
//! bits of its `y_p` and adds `m_p / 2`: what is lost, `(r_0 m_1 + r_1 m_0) / 2^f` for `r_p < 2^f`, is
//! that much on average, and the error less than c.
//!
//! # Cost
//! 2b correlated OTs and `2b + b (2l - b + 1)` bits for a sum, `2b + b (2 (l - f) - b + 1)` for a
//! product: 1 round.
//!
//! # Source
//! Gilboa (CRYPTO 1999) with numbers of fewer bits than the ring; factors that are functions of the
//! parties' parts: Kelkar et al., "Secure Poisson Regression" (USENIX Security 2022).

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    gilboa::{self, Factors, Numbers},
    product::{share, words},
};
use crate::{
    error::{Error, Result, same},
    party::Party,
    share::AShare,
};

/// What each party knows about the factor of every number.
#[derive(Clone, Copy)]
pub struct Small<'a> {
    /// This party's numbers.
    pub mine: &'a [u64],
    /// Bits of a number, at most those of the ring.
    pub bits: u32,
}

/// Shares of `x (n_0 + n_1)`: 1 round.
///
/// # Errors
/// [`Error::Shape`] unless there are as many numbers as x has, [`Error::Param`] for too many bits, and
/// those of the channel.
pub fn times_sum<R: Ring>(p: &mut Party, x: &AShare<R>, n: Small) -> Result<AShare<R>> {
    n.check(x.len(), x.bits())?;
    let mine = words(x.words());
    let local = mine.iter().zip(n.mine).map(|(x, n)| x.wrapping_mul(*n));
    let mut out = Zeroizing::new(local.collect::<Vec<_>>());
    cross(p, &mine, x.bits(), n, &mut |i, share| out[i] = out[i].wrapping_add(share))?;
    Ok(share(x.bits(), &out))
}

/// Shares of about `x (c - n_0) (c - n_1) / 2^f` mod `2^(l-f)`, with an error of less than c: 1 round.
///
/// # Errors
/// As [`times_sum`], the bits of the numbers being at most `l - f`, and [`Error::Param`] unless `f < l`.
pub fn times_both<R: Ring>(p: &mut Party, x: &AShare<R>, n: Small, c: u64, f: u32) -> Result<AShare<R>> {
    if f >= x.bits() {
        let accepted = format!("less than {}", x.bits());
        return Err(Error::Param { what: "bits to drop", got: f.to_string(), accepted });
    }
    let bits = x.bits() - f;
    n.check(x.len(), bits)?;
    let factors = Zeroizing::new(n.mine.iter().map(|n| c.wrapping_sub(*n)).collect::<Vec<_>>());
    let pairs = || x.words().iter().zip(factors.iter());
    let mine = pairs().map(|(x, m)| low(x.to_u64().wrapping_mul(*m), bits + f) >> f);
    let mine = Zeroizing::new(mine.collect::<Vec<_>>());
    let half = |m: u64| if f == 0 { 0 } else { m >> 1 };
    let local = mine.iter().zip(factors.iter()).map(|(y, m)| y.wrapping_mul(c).wrapping_add(half(*m)));
    let mut out = Zeroizing::new(local.collect::<Vec<_>>());
    cross(p, &mine, bits, n, &mut |i, share| out[i] = out[i].wrapping_sub(share))?;
    Ok(share(bits, &out))
}

/// Correlated OTs that either takes, in each direction.
pub fn small_cots(bits: u32, count: usize) -> usize {
    bits as usize * count
}

impl Small<'_> {
    fn check(&self, count: usize, most: u32) -> Result<()> {
        same("small numbers", count, self.mine.len())?;
        if (1..=most).contains(&self.bits) {
            return Ok(());
        }
        let (what, got) = ("bits of a small number", self.bits.to_string());
        Err(Error::Param { what, got, accepted: format!("1 to {most}") })
    }
}

/// The products of each party's words with the other's numbers.
fn cross(p: &mut Party, mine: &[u64], bits: u32, n: Small, add: &mut dyn FnMut(usize, u64)) -> Result<()> {
    let (word, numbers) = (|i: usize, _| mine[i], Numbers::Chosen(n.mine));
    let factors = Factors { bits, number_bits: n.bits, row: 1, rows: mine.len(), word: &word, numbers };
    gilboa::multiply(p, &factors, &mut |i, _, share| add(i, share)).map(drop)
}

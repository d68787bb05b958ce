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
//! 2b correlated OTs; online `2b + b (2l - b + 1)` bits for a sum, `2b + b (2 (l - f) - b + 1)` for a
//! product: 1 round.
//!
//! # Source
//! Gilboa (CRYPTO 1999) with numbers of fewer bits than the ring; factors that are functions of the
//! parties' parts: Kelkar et al., "Secure Poisson Regression" (USENIX Security 2022).

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    gilboa::{Factors, Gilboa},
    product::{check_width, share, words},
};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for products with small numbers of b bits.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::SmallProducts};
/// fn twice(p: &mut Party, m: SmallProducts, x: &AShare<u32>, n: &[u64]) -> Result<()> {
///     m.times_sum(p, x, n)?;
///     m.times_sum(p, x, n)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct SmallProducts {
    number_bits: u32,
    count: usize,
    gilboa: Gilboa,
}

impl SmallProducts {
    /// Offline: for `count` shared numbers, with a number of `number_bits` bits of each party's for each.
    ///
    /// # Errors
    /// [`Error::Param`] unless these are 1 to 64, and those of the channel.
    pub fn prepare(p: &mut dyn Source, number_bits: u32, count: usize) -> Result<Self> {
        check(number_bits, 64)?;
        Ok(Self { number_bits, count, gilboa: Gilboa::prepare(p, number_bits, count, count)? })
    }

    /// What a product mod `2^l` costs, with numbers of b bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= b <= l <= 64`.
    pub fn bill(l: u32, b: u32) -> Result<Bill> {
        check_width::<u64>(l)?;
        check(b, l)?;
        let mixed = Gilboa::bill(l, b, 1);
        Ok(mixed.beside(mixed.swapped()))
    }

    /// Online, 1 round: shares of `x (n_0 + n_1)`, `mine` being this party's numbers, of which the low b bits count.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many numbers as prepared for, [`Error::Param`] if they have more bits
    /// than x, and those of the channel.
    pub fn times_sum<R: Ring>(self, s: &mut Session, x: &AShare<R>, mine: &[u64]) -> Result<AShare<R>> {
        self.check(x, mine, x.bits())?;
        let mine = &self.reduced(mine)[..];
        let shares = words(x.words());
        let local = shares.iter().zip(mine).map(|(x, n)| x.wrapping_mul(*n));
        let mut out = Zeroizing::new(local.collect::<Vec<_>>());
        self.cross(s, &shares, x.bits(), mine, &mut |i, share| out[i] = out[i].wrapping_add(share))?;
        Ok(share(x.bits(), &out))
    }

    /// Online, 1 round: shares of about `x (c - n_0) (c - n_1) / 2^f` mod `2^(l-f)`, with an error of less than c.
    /// Spends the material.
    ///
    /// # Errors
    /// As [`times_sum`](Self::times_sum), the bits of the numbers being at most `l - f`, and [`Error::Param`]
    /// unless `f < l`.
    pub fn times_both<R: Ring>(
        self,
        s: &mut Session,
        x: &AShare<R>,
        mine: &[u64],
        c: u64,
        f: u32,
    ) -> Result<AShare<R>> {
        if f >= x.bits() {
            let accepted = format!("less than {}", x.bits());
            return Err(Error::Param { what: "bits to drop", got: f.to_string(), accepted });
        }
        let bits = x.bits() - f;
        self.check(x, mine, bits)?;
        let mine = &self.reduced(mine)[..];
        let factors = Zeroizing::new(mine.iter().map(|n| c.wrapping_sub(*n)).collect::<Vec<_>>());
        let pairs = || x.words().iter().zip(factors.iter());
        let shares = pairs().map(|(x, m)| low(x.to_u64().wrapping_mul(*m), bits + f) >> f);
        let shares = Zeroizing::new(shares.collect::<Vec<_>>());
        let half = |m: u64| if f == 0 { 0 } else { m >> 1 };
        let local = shares.iter().zip(factors.iter()).map(|(y, m)| y.wrapping_mul(c).wrapping_add(half(*m)));
        let mut out = Zeroizing::new(local.collect::<Vec<_>>());
        self.cross(s, &shares, bits, mine, &mut |i, share| out[i] = out[i].wrapping_sub(share))?;
        Ok(share(bits, &out))
    }

    /// The bits that count, the same in what is multiplied here and in what the peer multiplies.
    fn reduced(&self, mine: &[u64]) -> Zeroizing<Vec<u64>> {
        Zeroizing::new(mine.iter().map(|&number| low(number, self.number_bits)).collect())
    }

    fn check<R: Ring>(&self, x: &AShare<R>, mine: &[u64], most: u32) -> Result<()> {
        same("numbers to multiply", self.count, x.len())?;
        same("small numbers", self.count, mine.len())?;
        check(self.number_bits, most)
    }

    /// The products of each party's words with the other's numbers.
    fn cross(
        self,
        s: &mut Session,
        mine: &[u64],
        bits: u32,
        numbers: &[u64],
        add: &mut dyn FnMut(usize, u64),
    ) -> Result<()> {
        let factors = Factors { bits, cut: 0, row: 1, word: &|i, _| mine[i], numbers: Some(numbers) };
        self.gilboa.multiply(s, &factors, &mut |i, _, share| add(i, share))
    }
}

fn check(number_bits: u32, most: u32) -> Result<()> {
    if (1..=most).contains(&number_bits) {
        return Ok(());
    }
    let (what, got) = ("bits of a small number", number_bits.to_string());
    Err(Error::Param { what, got, accepted: format!("1 to {most}") })
}

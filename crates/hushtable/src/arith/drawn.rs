//! Equality of words that one party knows with words that the other draws.
//!
//! # Functionality
//! Offline one party, the *drawer*, gets uniform words t. Online the other gives words x. Out: XOR shares of `1{x = t}`.
//!
//! # Protocol
//! `x = t` if all `x_i ^ t_i ^ 1` are 1. They are taken in pairs i, k: their product is
//! `(x_i ^ 1)(x_k ^ 1) ^ (x_i ^ 1) t_k ^ (x_k ^ 1) t_i ^ t_i t_k`, of which the first is the one party's, the last the
//! other's, and the two in the middle are products of x with [bits that are drawn](crate::gates::DrawnBits): `t_k` is the
//! one that goes with `x_i`, and the other way round. A tree of ANDs joins the pairs.
//!
//! # Cost
//! For words of l bits: l correlated OTs, online l bits of the other party's, 1 round; for the tree `l - 2` correlated OTs
//! and `2 l - 4` bits, `ceil(log2 l) - 1` rounds. [`Equality`](super::Equality) sends `l` bits more.
//!
//! # Source
//! As [`Equality`](super::Equality) with digits of 1 bit; the first ANDs by drawn bits.

use prim::Wiped;

use crate::{
    bill::Bill,
    circuit::{Layers, conjunction},
    error::{Error, Result, same},
    gates::{Bits, DrawnBits},
    net::Role,
    session::Session,
    share::BShare,
    source::Source,
};

/// One-time material for a batch of comparisons.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::DrawnEquality};
/// fn twice(p: &mut Party, m: DrawnEquality, x: &[u64]) -> Result<()> {
///     m.eq(p, Some(x))?;
///     m.eq(p, Some(x))?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct DrawnEquality {
    bits: u32,
    batch: usize,
    /// Those that go with bit 0 of all words, then those that go with bit 1, and so on.
    drawn: DrawnBits,
    tree: Layers,
}

impl DrawnEquality {
    /// Offline, for `batch` words of `bits` bits, an even number from 2 to 64, which the party `drawer` draws.
    ///
    /// # Errors
    /// [`Error::Param`] for another width, and those of the channel.
    pub fn prepare(p: &mut dyn Source, drawer: Role, bits: u32, batch: usize) -> Result<Self> {
        Self::check(bits)?;
        let drawn = DrawnBits::prepare(p, drawer, bits as usize * batch)?;
        Ok(Self { bits, batch, drawn, tree: Layers::prepare(p, &conjunction(bits as usize / 2), batch)? })
    }

    fn check(bits: u32) -> Result<()> {
        if (2..=64).contains(&bits) && bits.is_multiple_of(2) {
            return Ok(());
        }
        let (what, got) = ("width of drawn words to compare", bits.to_string());
        Err(Error::Param { what, got, accepted: "even numbers from 2 to 64".into() })
    }

    /// What a comparison costs.
    ///
    /// # Errors
    /// [`Error::Param`] as there.
    pub fn bill(drawer: Role, bits: u32) -> Result<Bill> {
        Self::check(bits)?;
        let drawn = DrawnBits::bill(drawer).times(bits as usize);
        Ok(drawn + Layers::bill(&conjunction(bits as usize / 2), 1))
    }

    /// The words, at the drawer.
    pub fn drawn(&self) -> Option<Wiped<u64>> {
        let columns = self.columns(self.drawn.drawn()?);
        let swapped: Vec<&Bits> = (0..columns.len()).map(|i| &columns[i ^ 1]).collect();
        let words = Bits::to_share::<u64>(&swapped).expect("columns of one length");
        Some(BShare::into_wide(words).into())
    }

    /// Online: shares of `1{x = t}`. The drawer gives no x. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless x has as many words as prepared for, and is the other party's; and those of the channel.
    pub fn eq(self, s: &mut Session, x: Option<&[u64]>) -> Result<Bits> {
        let drawn = self.drawn.drawn().map(|drawn| self.columns(drawn));
        let wanted = if drawn.is_some() { 0 } else { self.batch };
        same("words to compare with drawn ones", wanted, x.map_or(0, <[u64]>::len))?;
        let bits = |x: &[u64]| (0..self.bits).map(|i| Bits::collect(x.iter().map(|x| x >> i & 1))).collect();
        let x: Option<Vec<Bits>> = x.map(bits);
        let all = x.as_ref().map(|x| Bits::concat(x.iter()));
        // The two products in the middle, of bits as they are.
        let [batch, width] = [self.batch, self.bits as usize];
        let products = self.drawn.multiply(s, all.as_ref())?;
        let product = |i: usize| products.range(i * batch..(i + 1) * batch);
        let pair = |i: usize| {
            let (mut pair, own) = (&product(i) ^ &product(i + 1), x.as_ref().or(drawn.as_ref()));
            let own = own.expect("either party has one of both");
            let words = pair.words_mut().iter_mut().zip(own[i].words()).zip(own[i + 1].words());
            match drawn {
                // x_i t_k ^ t_k ^ x_k t_i ^ t_i ^ t_i t_k, by shares of `x_i t_k` and of `x_k t_i`.
                Some(_) => words.for_each(|((pair, a), b)| *pair ^= a ^ b ^ a & b),
                None => words.for_each(|((pair, a), b)| *pair ^= !a & !b),
            }
            Bits::new(batch, pair.words().to_vec())
        };
        let pairs: Vec<Bits> = (0..width).step_by(2).map(pair).collect();
        Ok(self.tree.eval(s, pairs)?.swap_remove(0))
    }

    fn columns(&self, all: &Bits) -> Vec<Bits> {
        (0..self.bits as usize).map(|i| all.range(i * self.batch..(i + 1) * self.batch)).collect()
    }
}

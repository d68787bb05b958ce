//! Selection by a shared bit.
//!
//! # Functionality
//! In: XOR shares of a bit `b`, shares of one or more words `x`, additive or XOR. Out: shares of `b x` of the
//! same kind: `x` where `b = 1`, else 0.
//!
//! # Protocol
//! `b x` is the sum over both parties p of `b_p x_p` and `b_{1-p} u_p`, with `u_p = x_p (1 - 2 b_p)`
//! for additive words and `u_p = x_p` for XOR shared ones: one correlated OT each way, whatever the number of
//! words.
//!
//! # Cost
//! 2 correlated OTs; online 2 bits and `2 l` bits for each word of `l` bits, 1 round.
//!
//! # Source
//! Rathee et al., "CrypTFlow2" (CCS 2020), appendix A.3, by correlated OTs whose corrections cross
//! the payloads: lut-spec 10 in one round less.

use prim::{ct, ring::Ring};
use zeroize::Zeroizing;

use super::{
    Bits,
    products::{Direction, Products, multiply},
};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    session::Session,
    share::{Kind, Share},
    source::Source,
};

/// One-time material for a batch of selections.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, gates::{Bits, Mux}};
/// fn twice(p: &mut Party, m: Mux, b: &Bits, x: &AShare<u32>) -> Result<()> {
///     m.select(p, b, x)?;
///     m.select(p, b, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Mux {
    widths: Vec<u32>,
    products: Products,
}

impl Mux {
    /// Offline: for `count` bits that each select words of these widths, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`] for another width, and those of the channel.
    pub fn prepare(p: &mut dyn Source, count: usize, widths: &[u32]) -> Result<Self> {
        if let Some(width) = widths.iter().find(|w| !(1..=64).contains(*w)) {
            let (what, got) = ("width of a word to select", width.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 64".into() });
        }
        let products = Products::prepare(p, Direction::Both, count, widths)?;
        Ok(Self { widths: widths.to_vec(), products })
    }

    /// What a bit costs.
    pub fn bill(widths: &[u32]) -> Bill {
        Products::bill(Direction::Both, widths)
    }

    /// Online, 1 round: shares of `b x`, for a bit and a word each. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless bits and words are those prepared for, and those of the
    /// channel.
    pub fn select<K: Kind, R: Ring>(self, s: &mut Session, b: &Bits, x: &Share<K, R>) -> Result<Share<K, R>> {
        Ok(self.select_all(s, b, &[x])?.remove(0))
    }

    /// Online, 1 round: [`select`](Self::select) of several words with the same bit.
    ///
    /// # Errors
    /// As [`select`](Self::select).
    pub fn select_all<K: Kind, R: Ring>(
        self,
        s: &mut Session,
        b: &Bits,
        columns: &[&Share<K, R>],
    ) -> Result<Vec<Share<K, R>>> {
        same("bits that select", self.products.len(), b.len())?;
        same("words that a bit selects", self.widths.len(), columns.len())?;
        let mut local = Zeroizing::new(Vec::with_capacity(columns.len()));
        let mut values = Zeroizing::new(Vec::with_capacity(columns.len()));
        for (x, &width) in columns.iter().zip(&self.widths) {
            same("words to select", b.len(), x.len())?;
            same("bits of the words to select", width as usize, x.bits() as usize)?;
            let bx = b.iter().zip(x.words()).map(|(b, x)| ct::bit_mask(b) & x.to_u64());
            let bx = bx.collect::<Vec<u64>>();
            // x - 2 b x, or x ^ b x ^ b x = x.
            let value = |(x, bx): (&R, &u64)| K::strip(K::strip(x.to_u64(), *bx), *bx);
            values.push(x.words().iter().zip(&bx).map(value).collect::<Vec<u64>>());
            local.push(bx);
        }
        let cross = multiply::<K>(s, vec![self.products.chosen(b.iter(), &values)])?;
        let sums = local.iter().zip(cross[0].iter()).zip(&self.widths).map(|((local, cross), &width)| {
            let words = local.iter().zip(cross).map(|(&l, &c)| R::from_u64(K::combine(l, c)));
            Share::new(width, words.collect())
        });
        Ok(sums.collect())
    }
}

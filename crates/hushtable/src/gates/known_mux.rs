//! Selection of one party's words by a shared bit.
//!
//! # Functionality
//! In: XOR shares of a bit b; one or more words x that one party, the owner, knows. Out: additive shares of `b x`: of x
//! where `b = 1`, else of 0.
//!
//! # Protocol
//! `b = b_p ^ b_q` with the owner's `b_p`, so `b x = b_p x + b_q (x - 2 b_p x)`: the first is the owner's, the second a
//! product of the other party's bit with a value of the owner's.
//!
//! # Cost
//! 1 correlated OT; online 1 bit and l bits for each word of l bits, 1 round: half of [`Mux`](super::Mux).
//!
//! # Source
//! As [`Mux`](super::Mux); join-spec 4.

use prim::ct;
use zeroize::Zeroizing;

use super::{
    Bits,
    products::{Direction, Products, multiply},
};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    net::Role,
    session::Session,
    share::{AShare, Additive},
    source::Source,
};

/// One-time material for a batch of selections.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, gates::{Bits, KnownMux}};
/// fn twice(p: &mut Party, m: KnownMux, b: &Bits) -> Result<()> {
///     m.select(p, b, &[])?;
///     m.select(p, b, &[])?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct KnownMux {
    owner: Role,
    widths: Vec<u32>,
    products: Products,
}

impl KnownMux {
    /// Offline: for `count` bits that each select words of the party `owner`, of these widths, 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`] for another width, and those of the channel.
    pub fn prepare(p: &mut dyn Source, owner: Role, count: usize, widths: &[u32]) -> Result<Self> {
        if let Some(width) = widths.iter().find(|w| !(1..=64).contains(*w)) {
            let (what, got) = ("width of a word to select", width.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 64".into() });
        }
        let products = Products::prepare(p, Direction::from(owner), count, widths)?;
        Ok(Self { owner, widths: widths.to_vec(), products })
    }

    /// What a bit costs.
    pub fn bill(owner: Role, widths: &[u32]) -> Bill {
        Products::bill(Direction::from(owner), widths)
    }

    /// Online, 1 round: shares of `b x`, a batch for each column of words. The other party gives no columns. Spends
    /// the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless bits and words are those prepared for, and those of the channel.
    pub fn select(self, s: &mut Session, b: &Bits, columns: &[&[u64]]) -> Result<Vec<AShare<u64>>> {
        let owns = s.role() == self.owner;
        same("bits that select", self.products.len(), b.len())?;
        same("words that a bit selects", if owns { self.widths.len() } else { 0 }, columns.len())?;
        columns.iter().try_for_each(|x| same("words to select", b.len(), x.len()))?;
        let own = |x: &&[u64]| b.iter().zip(*x).map(|(b, x)| ct::bit_mask(b) & x).collect::<Vec<u64>>();
        let local = Zeroizing::new(columns.iter().map(own).collect::<Vec<_>>());
        let value = |(x, bx): (&&[u64], &Vec<u64>)| {
            x.iter().zip(bx).map(|(x, bx)| x.wrapping_sub(bx << 1)).collect::<Vec<u64>>()
        };
        let values = Zeroizing::new(columns.iter().zip(local.iter()).map(value).collect::<Vec<_>>());
        let mut cross = multiply::<Additive>(s, vec![self.products.chosen(b.iter(), &values)])?;
        let mut cross = std::mem::take(&mut *cross[0]);
        for (cross, local) in cross.iter_mut().zip(local.iter()) {
            cross.iter_mut().zip(local).for_each(|(c, l)| *c = c.wrapping_add(*l));
        }
        Ok(cross.into_iter().zip(&self.widths).map(|(words, &bits)| AShare::new(bits, words)).collect())
    }
}

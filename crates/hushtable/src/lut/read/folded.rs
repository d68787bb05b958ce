//! Lookups whose result is only multiplied: the sign goes to the other factor, a round earlier.
//!
//! # Functionality
//! In: public tables, shares of `x`, and for each column q additive shares of a value `u_q`. Out:
//! shares of two factors whose product is `T_q[x] * u_q`.
//!
//! # Protocol
//! With `z_0 + z_1 = tau * T[x]` as in [`super::signed`], `T[x] * u = z * (tau u)`. The sign `tau`
//! is known before the index, so `tau u` is computed as there, while the index is opened.
//!
//! # Cost, a lookup
//! Offline as for additive outputs. Online `2d + 2 (l - 1)` bits a column, 1 round, and then the
//! multiplication that the result meets anyway.
//!
//! # Source
//! lut-spec 5, "Sign folding".

use prim::ring::Ring;
use zeroize::Zeroizing;

use super::Signed;
use crate::{
    error::{Result, same},
    lut::Table,
    net::Role,
    onehot::Group,
    session::Session,
    share::{AShare, Share},
};

/// The two factors of every column's product.
///
/// The first, `tau T[x]`, is not a fresh sharing: opened, it would tell the sign, which halves the
/// candidates for the index. So nothing is handed out but products, by
/// [`FoldedProducts`](crate::arith::FoldedProducts).
#[must_use = "the products are still to be computed"]
pub struct Folded<R: Ring> {
    factors: Vec<[AShare<R>; 2]>,
}

impl<G: Group> Signed<G> {
    /// Online, 1 round: the factors of `T_q[x] * u_q` mod `2^l` for every column of `l` bits of the
    /// tables, with one `u` for each, of as many bits. Spends this material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if number, length or width differ from what was prepared.
    pub fn lookup_folded<R: Ring>(
        self,
        s: &mut Session,
        tables: &[&Table<R>],
        x: &Share<G::Kind, u32>,
        u: &[&AShare<R>],
    ) -> Result<Folded<R>> {
        self.check(tables)?;
        let widths: Vec<u32> = tables.iter().flat_map(|t| t.columns().iter().map(|_| t.bits())).collect();
        same("factors of the columns", widths.len(), u.len())?;
        for (u, &width) in u.iter().zip(&widths) {
            same("values of a factor", self.len(), u.len())?;
            same("width of a factor", width as usize, u.bits() as usize)?;
        }
        let masked = self.onehot.mask(x)?;
        let words = u.iter().map(|u| Zeroizing::new(u.words().to_vec())).collect();
        let (message, multiplying) = self.sign.multiply(false, words);
        // Public: the offset is uniform and serves no other opening, since `self` is spent.
        let (m, message) =
            s.open_beside(std::slice::from_ref(&masked), message, multiplying.message_len())?;
        let mut sums = self.onehot.selected::<R, true>(&m[0], tables);
        if s.role() == Role::P1 {
            let negated = |z: &mut R| *z = R::from_u64(z.to_u64().wrapping_neg());
            sums.iter_mut().for_each(|sum| sum.iter_mut().for_each(negated)); // z_1
        }
        let z = sums.iter_mut().zip(&widths).map(|(sum, &l)| Share::new(l, std::mem::take(&mut **sum)));
        let factors = z.zip(multiplying.finish(&message)).map(|(z, u)| [z, u]).collect();
        Ok(Folded { factors })
    }
}

impl<R: Ring> Folded<R> {
    /// The factors, a pair for each column. The caller opens nothing but under masks of its own,
    /// drawn from the full range.
    pub(crate) fn factors(self) -> Vec<[AShare<R>; 2]> {
        self.factors
    }
}

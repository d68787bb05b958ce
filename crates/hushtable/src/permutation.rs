//! Arrays of one party, moved by a secret of the other: shared permutation and shared rotation; and shared items in an
//! order that neither party knows: [`shuffle`].
//!
//! Each of the first two is two functions, one for the party that holds the arrays and one for the party
//! that moves them; either role may be either. The result is shared by both, additively or by XOR.
//! Arrays stand one behind the other in a slice, as do the entries of the shares.

pub(crate) mod drawn;
mod network;
pub mod permute;
mod punctured;
pub mod rotate;
pub mod shuffle;

use prim::ring::{Ring, low};

use crate::error::{Error, Result, same};

/// What both parties know about a batch of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrays {
    /// How many.
    pub count: usize,
    /// Entries of each, 2 or more.
    pub len: usize,
    /// Width of an entry, 1 to 64 bits.
    pub bits: u32,
}

impl Arrays {
    /// `Ok(())` if words `R` hold the entries and there are at most `most` of them in an array.
    fn check<R: Ring>(&self, most: usize) -> Result<()> {
        if !(1..=R::WIDTH).contains(&self.bits) {
            let (got, accepted) = (self.bits.to_string(), format!("1 to {}", R::WIDTH));
            return Err(Error::Param { what: "width of an array's entries", got, accepted });
        }
        if !(2..=most).contains(&self.len) {
            let (got, accepted) = (self.len.to_string(), format!("2 to {most}"));
            return Err(Error::Param { what: "entries of an array", got, accepted });
        }
        Ok(())
    }

    /// `Ok(())` if `words` are the entries of these arrays.
    fn check_entries<R: Ring>(&self, words: &[R]) -> Result<()> {
        same("entries of all arrays", self.count.saturating_mul(self.len), words.len())?;
        // All are looked at before the branch: which one is too wide stays secret.
        let above = words.iter().fold(0, |all, w| all | (w.to_u64() ^ low(w.to_u64(), self.bits)));
        let (what, got) = ("entry of an array", "a word with more bits".into());
        match above {
            0 => Ok(()),
            _ => Err(Error::Param { what, got, accepted: format!("words of {} bits", self.bits) }),
        }
    }
}

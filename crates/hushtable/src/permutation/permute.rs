//! Shared permutation: one party's arrays in an order that only the other knows.
//!
//! # Functionality
//! In: an array x of n entries of `l` bits from the holder (H), a permutation pi from the mover (M).
//! Out: shares of y with `y_i = x_{pi(i)}`, the holder's random.
//!
//! # Protocol
//! 1. n punctured PRFs with n leaves, number i punctured at `pi(i)`: with `u_{i,j}` the hash of leaf
//!    j of tree i, H has all of u and M all but the `u_{i,pi(i)}`. M's choices are corrected.
//! 2. H: `r_i = sum_j u_{i,j}`, `a_j = sum_i u_{i,j}`; sends `x - a` with the trees, keeps r.
//! 3. M: `y_i = (x - a + a')_{pi(i)} - r'_i`, where `r'`, `a'` are the same sums with whatever stands
//!    in the places it does not know: for each i these cancel.
//!
//! Trees have the next power of two of leaves, of which the first n count.
//!
//! # Cost, an array
//! With `d = ceil(log2 n)`: `n d` bits from M, `128 n (d - 1) + n l` bits from H, `n d` correlated
//! OTs, 2 rounds. Each party hashes about `2 n 2^d` blocks.
//!
//! # Source
//! Chase, Ghosh, Poburinnaya, "Secret-Shared Shuffle" (Asiacrypt 2020); lut-spec 2. Deviation: half
//! trees, of which the first level is free.

use prim::{block::Block, ct, ring::Ring, words};
use zeroize::Zeroizing;

use super::{
    Arrays,
    punctured::{self, Layout},
};
use crate::{
    error::{Error, Result, same},
    party::Party,
    share::{Kind, Share},
};

/// Largest array: the trees of one make one message.
pub const MAX_LEN: usize = 1 << 12;

/// The holder's part: its arrays `x`, one behind the other, `2 <= len <= 2^12`. Shares of every
/// array in the mover's order.
///
/// # Errors
/// [`Error::Param`] for another length or width, or if an entry has more bits than the width;
/// [`Error::Shape`] unless `x` is of the length announced; those of the channel.
pub fn hold<K: Kind, R: Ring>(p: &mut Party, of: Arrays, x: &[R]) -> Result<Share<K, R>> {
    of.check::<R>(MAX_LEN)?;
    of.check_entries(x)?;
    let layout = layout(of);
    let mut r = Zeroizing::new(vec![R::default(); x.len()]);
    let mut sums = Sums::new(of.len, layout.depth);
    punctured::hold::<R>(p, layout, |trees, array, masked| {
        let at = array * of.len..(array + 1) * of.len;
        sums.columns.fill(R::default());
        for r in &mut r[at.clone()] {
            trees.leaves(&mut sums.leaves);
            *r = sums.add::<K>(trees.entry_hash());
        }
        for ((masked, x), a) in masked.iter_mut().zip(&x[at]).zip(sums.columns.iter()) {
            *masked = R::from_u64(K::strip(x.to_u64(), a.to_u64()));
        }
    })?;
    Ok(Share::new(of.bits, std::mem::take(&mut *r)))
}

/// The mover's part: a permutation of `0..len` for every array, one behind the other; entry
/// `pi(i)` goes to place i.
///
/// # Errors
/// As [`hold`]; [`Error::Param`] if some `pi` is no permutation.
pub fn permute<K: Kind, R: Ring>(p: &mut Party, of: Arrays, pi: &[u32]) -> Result<Share<K, R>> {
    of.check::<R>(MAX_LEN)?;
    same("entries of all permutations", of.count.saturating_mul(of.len), pi.len())?;
    check_permutations(pi, of.len)?;
    let layout = layout(of);
    let mut y = Zeroizing::new(vec![R::default(); pi.len()]);
    let mut sums = Sums::new(of.len, layout.depth);
    punctured::puncture::<R>(p, layout, pi, |trees, array, masked| {
        let at = array * of.len..(array + 1) * of.len;
        sums.columns.fill(R::default());
        for y in &mut y[at.clone()] {
            trees.leaves(&mut sums.leaves);
            *y = sums.add::<K>(trees.entry_hash());
        }
        for (masked, a) in masked.iter_mut().zip(sums.columns.iter()) {
            *masked = R::from_u64(K::combine(masked.to_u64(), a.to_u64()));
        }
        for (y, &from) in y[at.clone()].iter_mut().zip(&pi[at]) {
            *y = R::from_u64(K::strip(words::select(masked, from).to_u64(), y.to_u64()));
        }
    })?;
    Ok(Share::new(of.bits, std::mem::take(&mut *y)))
}

/// The sums of step 2 or 3 under way, with room for one tree.
struct Sums<R: Ring> {
    leaves: Zeroizing<Vec<Block>>,
    hashed: Zeroizing<Vec<Block>>,
    columns: Zeroizing<Vec<R>>,
}

impl<R: Ring> Sums<R> {
    fn new(len: usize, depth: usize) -> Self {
        Self {
            leaves: Zeroizing::new(vec![Block::ZERO; 1 << depth]),
            hashed: Zeroizing::new(vec![Block::ZERO; len]),
            columns: Zeroizing::new(vec![R::default(); len]),
        }
    }

    /// Adds a tree's row to the columns; the row's own sum.
    fn add<K: Kind>(&mut self, hash: &prim::hash::CcrHash) -> R {
        hash.xored(&self.leaves[..self.hashed.len()], Block::ONE, &mut self.hashed);
        let mut row = 0;
        for (column, u) in self.columns.iter_mut().zip(self.hashed.iter()) {
            let u = u.0 as u64;
            row = K::combine(row, u);
            *column = R::from_u64(K::combine(column.to_u64(), u));
        }
        R::from_u64(row)
    }
}

/// `n` trees an array.
fn layout(of: Arrays) -> Layout {
    let depth = of.len.next_power_of_two().ilog2() as usize;
    Layout { arrays: of.count, trees: of.len, depth, words: of.len, bits: of.bits, chosen: true }
}

/// `Ok(())` if each piece of `len` words has every word below `len` once. They are secret: all are
/// compared with all before the one branch.
fn check_permutations(pi: &[u32], len: usize) -> Result<()> {
    let mut missing = 0;
    for pi in pi.chunks_exact(len) {
        for place in 0..len as u32 {
            missing |= !pi.iter().fold(0, |found, &from| found | ct::eq_mask(from, place));
        }
    }
    if missing == 0 {
        return Ok(());
    }
    let (what, got) = ("permutation", "words that are no permutation".into());
    Err(Error::Param { what, got, accepted: format!("each of 0 to {} once", len - 1) })
}

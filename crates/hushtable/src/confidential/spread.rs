//! Segmented copy: each item of a run gets the words of its first one, by shared bits that say where runs begin.
//!
//! # Functionality
//! In: XOR shares of n items of one or more words, and of n bits t, the first of which is 0. Out: shares of the words of
//! item `j`, for each i the last one up to i with `t_j = 0`.
//!
//! # Protocol
//! With `F = t` and `d = 1, 2, 4, ..` below n, for all i from d on at once: `F_i` selects the words of item `i - d`
//! instead of its own, and `F_i` becomes `F_i F_{i-d}`. So `F_i` says that the last 2 d items are one run, and the words
//! are those of the first item of the run, or of the one `2 d - 1` before.
//!
//! # Cost
//! `k = ceil(log2 n)` rounds. For words of w bits in all `n k - 2^k + 1` selections ([`Mux`]), each 2 correlated OTs and
//! `2 w + 4` bits.
//!
//! # Source
//! Hillis, Steele, "Data Parallel Algorithms" (1986). confidential-beyond 2 copies from seven items at a time, in 4
//! rounds: 7/3 of these selections, and the products of bits need as many rounds as here.

use prim::Wiped;

use crate::{
    bill::Bill,
    error::{Result, same},
    gates::{Bits, Mux},
    party::Party,
    session::Session,
    share::BShare,
};

/// One-time material for a batch.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, confidential::spread::Spread, gates::Bits, session::Session};
/// fn twice(s: &mut Session, m: Spread, t: &Bits, x: Vec<BShare<u64>>) -> Result<()> {
///     m.spread(s, t, x.clone())?;
///     m.spread(s, t, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Spread {
    count: usize,
    widths: Vec<u32>,
    levels: Vec<Mux>,
}

/// How far each level copies.
fn levels(count: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |d| Some(2 * d)).take_while(move |&d| d < count)
}

/// What a bit selects.
fn selected(widths: &[u32]) -> Vec<u32> {
    widths.iter().copied().chain([1]).collect()
}

impl Spread {
    /// Offline: for `count` items of words of these widths.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another width than 1 to 64, and those of the channel.
    pub fn prepare(p: &mut Party, count: usize, widths: &[u32]) -> Result<Self> {
        let levels = levels(count).map(|d| Mux::prepare(p, count - d, &selected(widths)));
        Ok(Self { count, widths: widths.to_vec(), levels: levels.collect::<Result<_>>()? })
    }

    /// What it costs.
    pub fn bill(count: usize, widths: &[u32]) -> Bill {
        levels(count).fold(Bill::FREE, |sum, d| sum + Mux::bill(&selected(widths)).times(count - d))
    }

    /// Online: shares of the words, column by column. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless bits and words are those prepared for, and those of the channel.
    pub fn spread(self, s: &mut Session, t: &Bits, mut x: Vec<BShare<u64>>) -> Result<Vec<BShare<u64>>> {
        same("bits of runs", self.count, t.len())?;
        same("columns to spread", self.widths.len(), x.len())?;
        x.iter().try_for_each(|x| same("items to spread", self.count, x.len()))?;
        let mut runs = BShare::new(1, t.to_wide());
        for (d, mux) in levels(self.count).zip(self.levels) {
            let choose = Bits::collect(runs.words()[d..].iter().copied());
            let change = |x: &BShare<u64>| moved(x, |i| x.words()[i] ^ x.words()[i - d], d);
            let mut columns: Vec<BShare<u64>> = x.iter().map(change).collect();
            columns.push(moved(&runs, |i| runs.words()[i - d], d));
            let mut chosen = mux.select_all(s, &choose, &columns.iter().collect::<Vec<_>>())?;
            // Up to item d - 1 a run would begin before the first.
            let next = chosen.pop().expect("a column of bits");
            runs = after(&BShare::new(1, vec![0; self.count]), &next, d);
            x = x.iter().zip(&chosen).map(|(x, change)| after(x, change, d)).collect();
        }
        Ok(x)
    }
}

/// Words of a share for each item from d on.
fn moved(x: &BShare<u64>, word: impl Fn(usize) -> u64, d: usize) -> BShare<u64> {
    BShare::new(x.bits(), (d..x.len()).map(word).collect())
}

/// x, with changes from item d on.
fn after(x: &BShare<u64>, change: &BShare<u64>, d: usize) -> BShare<u64> {
    let mut words = Wiped::from(x.words().to_vec());
    words[d..].iter_mut().zip(change.words()).for_each(|(word, change)| *word ^= change);
    BShare::new(x.bits(), words.into_vec())
}

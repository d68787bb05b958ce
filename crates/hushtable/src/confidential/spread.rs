//! Segmented copy: each item of a run gets the words of its first one, by shared bits that say how far back it is.
//!
//! # Functionality
//! In: XOR shares of n items of one or more words, which stand in runs, and of the bits of runs (`confidential/runs.rs`). Out:
//! shares of the words of the first item of each one's run.
//!
//! # Protocol
//! In steps of `d = 1, r, r^2, ..` below n, for all items at once: the words of item i become the sum of its own and of
//! `P_k` times the words of the items k and `k - 1` steps before, for k from 1 to `r - 1`. As `P_k` is 1 for all k up to
//! one, these are the words of the first item of the run, or of one `r d - 1` before.
//!
//! # Cost
//! A round for each of `ceil(log_r n)` levels. For words of w bits in all a selection ([`Mux`]) for each k and each item
//! that has one k steps before: 2 correlated OTs and `2 w + 2` bits. For 4096 items there are 45057 of them in 12 levels
//! of `r = 2`, 65538 in 6 of 4, and 98308 in 4 of 8.
//!
//! # Source
//! Hillis, Steele, "Data Parallel Algorithms" (1986), with `r = 2`; confidential-beyond 2, step 5, with 8.

use prim::Wiped;

use super::runs::Reach;
use crate::{
    bill::Bill,
    error::{Result, same, within},
    gates::{Bits, Mux},
    party::Party,
    session::Session,
    share::BShare,
};

/// One-time material for a batch.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, confidential::spread::Spread, gates::Bits, session::Session};
/// fn twice(s: &mut Session, m: Spread, runs: &[Bits], x: Vec<BShare<u64>>) -> Result<()> {
///     m.spread(s, runs, x.clone())?;
///     m.spread(s, runs, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Spread {
    count: usize,
    reach: Reach,
    widths: Vec<u32>,
    levels: Vec<Mux>,
}

/// How far back the items are of which a level with steps of `step` chooses.
fn far(count: usize, reach: Reach, step: usize) -> impl Iterator<Item = usize> + Clone {
    (1..=reach.choices()).map(move |k| k * step).take_while(move |&far| far < count)
}

/// Selections of each level.
fn selections(count: usize, reach: Reach) -> impl Iterator<Item = usize> {
    reach.steps().map(move |step| far(count, reach, step).map(|far| count - far).sum())
}

impl Spread {
    /// Offline: for `count` items of words of these widths, by steps of which each has `radix`, 2, 4 or 8, of the level
    /// before.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for another radix, for another width than 1 to 64, and those of the channel.
    pub fn prepare(p: &mut Party, count: usize, widths: &[u32], radix: u32) -> Result<Self> {
        within("steps of a copy in one of the next level", radix, 2..=8)?;
        let reach = Reach::over(count, radix);
        let levels = selections(count, reach).map(|selections| Mux::prepare(p, selections, widths));
        Ok(Self { count, reach, widths: widths.to_vec(), levels: levels.collect::<Result<_>>()? })
    }

    /// What it costs.
    pub fn bill(count: usize, widths: &[u32], radix: u32) -> Bill {
        let selections = selections(count, Reach::over(count, radix));
        selections.fold(Bill::FREE, |sum, selections| sum + Mux::bill(widths).times(selections))
    }

    /// Online: shares of the words, column by column, by the bits of each level, those of one step first. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless bits and words are those prepared for, and those of the channel.
    pub fn spread(self, s: &mut Session, runs: &[Bits], mut x: Vec<BShare<u64>>) -> Result<Vec<BShare<u64>>> {
        let Self { count, reach, widths, levels } = self;
        same("bits of runs", reach.levels as usize * reach.choices(), runs.len())?;
        runs.iter().try_for_each(|run| same("bits of runs of each item", count, run.len()))?;
        same("columns to spread", widths.len(), x.len())?;
        x.iter().try_for_each(|x| same("items to spread", count, x.len()))?;
        for ((step, mux), runs) in reach.steps().zip(levels).zip(runs.chunks(reach.choices())) {
            let far = far(count, reach, step);
            let choose: Vec<Bits> =
                runs.iter().zip(far.clone()).map(|(run, far)| run.range(far..count)).collect();
            let change = |x: &BShare<u64>| {
                let words = x.words();
                let changes =
                    far.clone().flat_map(|far| (0..count - far).map(move |i| words[i] ^ words[i + step]));
                BShare::new(x.bits(), changes.collect())
            };
            let changes: Vec<BShare<u64>> = x.iter().map(change).collect();
            let chosen =
                mux.select_all(s, &Bits::concat(choose.iter()), &changes.iter().collect::<Vec<_>>())?;
            let changed = |(x, chosen): (&BShare<u64>, &BShare<u64>)| {
                let mut words = Wiped::from(x.words().to_vec());
                let mut changes = chosen.words().iter();
                far.clone()
                    .for_each(|far| words[far..].iter_mut().zip(&mut changes).for_each(|(w, c)| *w ^= c));
                BShare::new(x.bits(), words.into_vec())
            };
            x = x.iter().zip(&chosen).map(changed).collect();
        }
        Ok(x)
    }
}

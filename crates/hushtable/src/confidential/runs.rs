//! Runs of equal items as parts of a circuit: which items are equal to the one before, and how far back runs reach.
//!
//! # Functionality
//! In: wires of the bits of n items in an order in which equal ones stand together. Out: of each level of a
//! [segmented copy](super::spread) and each number of steps k in it whether the item k steps before is an equal one.
//!
//! # Protocol
//! `t_i` is the AND of the complements of `x_i ^ x_{i-1}`, and `t_0 = 0`. With `F = t` and steps of `d = 1, r, r^2, ..`:
//! `P_k = F_i F_{i-d} .. F_{i-(k-1)d}` says that the item `k d` before is of the same run, and `F` becomes `P_r`.
//!
//! ANDs join pairs, and `P_1` to `P_m` become those up to `P_2m` in one layer. By lookups eight bits are joined at a time.
//!
//! # Cost
//! For w bits: `w - 1` ANDs and up to `r - 1` for a level, in `ceil(log2 w)` layers and `log2 r` for a level; by lookups
//! `ceil(log8 w)` and, for `r = 8`, one for a level.
//!
//! # Source
//! confidential-beyond 2, steps 3 and 5.

use crate::circuit::{Builder, Wire};

/// Bits that a lookup joins.
pub(super) const JOINED: u32 = 8;

/// Steps of a copy: in each level from up to `radix - 1` steps back, each of which is as long as those of the level
/// before together. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Reach {
    /// 2, 4 or 8.
    pub radix: u32,
    pub levels: u32,
}

impl Reach {
    /// Over so many items.
    pub(super) fn over(count: usize, radix: u32) -> Self {
        let levels = (0..).find(|&levels| (radix as usize).pow(levels) >= count);
        Self { radix, levels: levels.expect("a power beyond") }
    }

    /// How long the steps of each level are.
    pub(super) fn steps(self) -> impl Iterator<Item = usize> {
        (0..self.levels).map(move |level| (self.radix as usize).pow(level))
    }

    /// Bits that choose in a level.
    pub(super) fn choices(self) -> usize {
        self.radix as usize - 1
    }
}

/// The AND of the bits up to each of the index.
pub(super) fn joined(index: u64) -> u64 {
    (0..JOINED).filter(|&k| !index & ((2 << k) - 1) == 0).map(|k| 1 << k).sum()
}

/// `P_1` to `P_{r-1}` of each level, from the bits of each item; by lookups in the table of [`joined`], if there is one.
pub(super) fn runs(b: &mut Builder, x: &[Wire], reach: Reach, table: Option<usize>) -> Vec<Wire> {
    let mut far = follows(b, x, table);
    let mut all = Vec::new();
    for (level, step) in reach.steps().enumerate() {
        let last = level + 1 == reach.levels as usize;
        let most = reach.choices() + usize::from(!last);
        let runs = match table.filter(|_| reach.radix == JOINED) {
            Some(table) => {
                let before = (0..JOINED as usize).map(|k| b.moved(far, (k * step) as isize));
                let before: Vec<Wire> = before.collect();
                b.lookup(table, &before)
            }
            None => products(b, far, step, most),
        };
        all.extend(&runs[..reach.choices()]);
        far = runs[most - 1];
    }
    all
}

/// `P_1` to `P_most`, from F.
fn products(b: &mut Builder, far: Wire, step: usize, most: usize) -> Vec<Wire> {
    let mut runs = vec![far];
    while runs.len() < most {
        let whole = runs.len();
        let more = runs[..whole.min(most - whole)].to_vec();
        let before: Vec<Wire> = more.into_iter().map(|run| b.moved(run, (whole * step) as isize)).collect();
        let groups: Vec<_> = before.chunks(2).map(|others| (runs[whole - 1], others)).collect();
        runs.extend(b.ands(&groups));
    }
    runs
}

/// Whether each item is the one before.
fn follows(b: &mut Builder, x: &[Wire], table: Option<usize>) -> Wire {
    let same = x.iter().map(|&bit| {
        let next = b.moved(bit, -1);
        let change = b.xor(&[bit, next]);
        b.not(change)
    });
    let mut same: Vec<Wire> = same.collect();
    while same.len() > 1 {
        same = match table {
            None => {
                let groups: Vec<_> = same.chunks_exact(2).map(|pair| (pair[0], &pair[1..])).collect();
                [&b.ands(&groups), same.chunks_exact(2).remainder()].concat()
            }
            Some(table) => {
                let parts: Vec<&[Wire]> = same.chunks(JOINED as usize).collect();
                // What is missing in the last part is the last bit again.
                let bit = |k: usize| parts.iter().map(|part| part[k.min(part.len() - 1)]).collect::<Vec<_>>();
                let index: Vec<Wire> = (0..JOINED as usize).map(|k| b.join(&bit(k))).collect();
                let all = b.lookup(table, &index)[JOINED as usize - 1];
                b.parted(all, &bit(0))
            }
        };
    }
    // Of the last item nothing comes of it, and before the first one there is none.
    b.moved(same[0], 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        circuit::{Layers, TruthTable},
        forms::Layered,
        gates::Bits,
        lut::Protocol,
        net::Role,
        party::{Party, run_pair},
    };
    use prim::{Block, Prg};
    use std::sync::Arc;

    /// Random runs, of all numbers of items up to 70 and some beyond: bits in each layer, and all that they say.
    #[test]
    fn runs_of_any_lengths_are_found() {
        let rng = &mut Prg::new(Block(77));
        for count in (2..70).chain([127, 128, 129, 513]) {
            let radix = [2, 4, 8][rng.below(3) as usize];
            let (by_table, width) = (rng.below(2) == 1, 1 + rng.below(20));
            let reach = Reach::over(count, radix);
            let most = 1 + rng.below(count as u32);
            let mut items = vec![0u64];
            while items.len() < count {
                let last = items[items.len() - 1];
                let next = if rng.below(most) == 0 { last ^ 1 << rng.below(width) } else { last };
                items.push(next);
            }
            let mut b = Builder::new(&[1, 2]);
            if by_table {
                b = b.reading(&[[JOINED; 2]]);
            }
            let x = b.inputs(width as usize);
            let wires = runs(&mut b, &x, reach, by_table.then_some(0));
            let net = b.finish(&wires);
            let table = Arc::new(TruthTable::tabulate(JOINED, JOINED, joined).expect("a table"));
            let party = |p: &mut Party| {
                let layers = match by_table {
                    true => {
                        Layered::netlist_with(net.clone(), std::slice::from_ref(&table), Protocol::Doubling)?
                            .prepare(p, count)?
                    }
                    false => Layers::prepare(p, &net, count)?,
                };
                let mine = u64::from(p.role() == Role::P1);
                let bit = |k: u32| Bits::collect(items.iter().map(|x| x >> k & mine));
                let found = layers.eval(p, (0..width).map(bit).collect())?;
                found.iter().map(|bit| bit.open(p)).collect::<crate::Result<Vec<_>>>()
            };
            let pair = Party::pair_seeded(count as u64).expect("a pair");
            let (found, _) = run_pair(pair, party, party).expect("an evaluation");
            let begins = |mut i: usize| {
                while i > 0 && items[i] == items[i - 1] {
                    i -= 1;
                }
                i
            };
            let mut found = found.into_iter();
            for step in reach.steps() {
                for (k, bits) in (1..radix as usize).zip(found.by_ref()) {
                    for i in 0..count {
                        let same = i >= begins(i) + k * step;
                        let what =
                            format!("{k} steps of {step} before {i} of {count}, by {radix}, {by_table}");
                        assert_eq!(bits[i / 64] >> (i % 64) & 1 == 1, same, "{what}");
                    }
                }
            }
            assert!(found.next().is_none());
        }
    }
}

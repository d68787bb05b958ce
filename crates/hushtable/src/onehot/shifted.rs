//! Rows of one-hot material, each shifted by a public amount, part by part: while a part of a table is in the cache, it
//! serves many rows, and none of them is ever whole in memory.
//!
//! The leaves below node i of a level of `k` nodes are those whose numbers are i mod k. So a part of a row has every
//! k-th run of entries, a run for a leaf, and a shift by whole runs takes parts to parts. A cyclic shift by bits of a
//! run brings a run's highest entries to the next one, which belongs to the next part.

use std::ops::Range;

use prim::{Wiped, block::Block, ct, forest::LANES, lookup, lookup::RUN, rows::Shift};

use super::rows::{Rows, Trees};
use crate::tree::half_tree::{KEPT, lanes};

/// Base-2 logarithm of the leaves of a part, where a row has more: what they and their table take stays in the cache.
const PART: u32 = 7;

/// Rows that a part of a table serves at once.
const ROWS: usize = 256;

/// Base-2 logarithm of the parts of a grown row of so many words.
fn parts(width: usize) -> u32 {
    let leaves = (width * 64 / RUN).ilog2();
    if leaves > PART { KEPT.max(leaves - PART) } else { 0 }
}

/// Bytes that rows of so many words take while they are handed out.
pub(crate) fn room(width: usize) -> usize {
    let whole = 2 * LANES * 8 * width;
    let log = parts(width);
    // A part of each row, the one before and the last one; leaves and rows of a group; nodes.
    whole.max((3 * ROWS + 2 * LANES) * ((8 * width) >> log) + ((16 * ROWS) << log))
}

impl Rows<u64> {
    /// In how many parts rows of `width` words can come.
    pub(crate) fn parts(&self, width: usize) -> usize {
        match self {
            Self::Stored(_) => 1,
            Self::Grown(..) => 1 << parts(width),
        }
    }

    /// Lets `read` have all rows of `2^d` entries, shifted by PUBLIC amounts, in these [`parts`](Self::parts) or in one:
    /// of each part its number, those of some rows, and these.
    pub(crate) fn spend_shifted(
        self,
        d: u32,
        parts: usize,
        shift: Shift,
        by: &[u32],
        mut read: impl FnMut(usize, Range<usize>, &[u64]),
    ) {
        match self {
            Self::Grown(trees, all) if parts > 1 => {
                let mut from = all.start;
                while from < all.end {
                    let to = all.end.min(from / LANES * LANES + ROWS);
                    let at = from - all.start..to - all.start;
                    Parts::new(&trees, from..to, shift, &by[at.clone()])
                        .visit(|part, rows| read(part, at.clone(), rows));
                    from = to;
                }
            }
            rows => rows.spend(ct::row_words(1 << d), |at, rows| {
                lookup::shift_rows(rows, 1 << d, shift, &by[at.clone()]);
                read(0, at, rows);
            }),
        }
    }
}

/// Rows of some groups of trees.
struct Parts<'a> {
    trees: &'a Trees<u64>,
    /// The first group.
    group: usize,
    /// Those of the trees that are wanted.
    wanted: Range<usize>,
    shift: Shift,
    /// Of all trees.
    by: Vec<u32>,
    /// Base-2 logarithm of the parts.
    log: u32,
    /// Their roots, of a group after the other.
    roots: Wiped<Block>,
    /// For the leaves of a part of a group.
    leaves: Wiped<Block>,
}

impl<'a> Parts<'a> {
    fn new(trees: &'a Trees<u64>, at: Range<usize>, shift: Shift, by: &[u32]) -> Self {
        let (group, first) = (at.start / LANES, at.start % LANES);
        let wanted = first..first + at.len();
        let count = wanted.end.next_multiple_of(LANES);
        let log = parts(trees.width);
        let mut all = vec![0; count];
        all[wanted.clone()].copy_from_slice(by);
        let mut roots = Wiped::zeros(count << log);
        for (group, roots) in (group..).zip(roots.chunks_exact_mut(LANES << log)) {
            trees.trees.unfold(group, log, roots);
        }
        let leaves = Wiped::zeros(LANES * (trees.width >> log) * 64 / RUN);
        Self { trees, group, wanted, shift, by: all, log, roots, leaves }
    }

    fn visit(mut self, mut read: impl FnMut(usize, &[u64])) {
        let words = self.trees.width >> self.log;
        let (each, last) = (LANES * words, (1 << self.log) - 1);
        let wanted = self.wanted.start * words..self.wanted.end * words;
        let mut rows = Wiped::zeros(self.by.len() * words);
        if self.shift == Shift::Xor {
            for part in 0..=last {
                for (group, rows) in rows.chunks_exact_mut(each).enumerate() {
                    let by = self.grow(part, group, rows);
                    lookup::shift_rows(rows, 64 * words, Shift::Xor, &by);
                }
                read(part, &rows[wanted.clone()]);
            }
            return;
        }
        let (mut end, mut grown) = (Wiped::zeros(rows.len()), Wiped::zeros(each));
        for (group, end) in end.chunks_exact_mut(each).enumerate() {
            let by = self.grow(last, group, end).map(|by| by - by % RUN as u32);
            lookup::shift_rows(end, 64 * words, Shift::Cyclic, &by);
        }
        // What comes into the first part is of the last one, a run before.
        let mut below = Wiped::from(end.to_vec());
        lookup::shift_rows(&mut below, 64 * words, Shift::Cyclic, &vec![RUN as u32; self.by.len()]);
        for part in 0..last {
            let groups = rows.chunks_exact_mut(each).zip(below.chunks_exact_mut(each));
            for (group, (rows, below)) in groups.enumerate() {
                let by = self.grow(part, group, &mut grown);
                lookup::shift_parts(&grown, below, rows, &by);
            }
            read(part, &rows[wanted.clone()]);
        }
        let bits: Vec<u32> = self.by.iter().map(|by| by % RUN as u32).collect();
        lookup::shift_parts(&end, &mut below, &mut rows, &bits);
        read(last, &rows[wanted]);
    }

    /// What becomes a part of the rows of a group, and by how much it is still to be shifted: cyclically by whole runs
    /// alone, then by what is left of the part before.
    fn grow(&mut self, part: usize, group: usize, rows: &mut [u64]) -> [u32; LANES] {
        let (trees, log, parts) = (self.trees, self.log, 1 << self.log);
        let words = trees.width >> log;
        let roots = &self.roots[(group * LANES) << log..];
        let mut within = [0; LANES];
        for (lane, (within, &by)) in within.iter_mut().zip(&self.by[group * LANES..]).enumerate() {
            let (runs, bits) = (by as usize / RUN, by as usize % RUN);
            let (of, runs) = match self.shift {
                Shift::Xor => (part ^ (runs % parts), runs / parts),
                Shift::Cyclic => {
                    let from = part as isize - runs as isize;
                    (from.rem_euclid(parts as isize) as usize, -from.div_euclid(parts as isize) as usize)
                }
            };
            *within = (runs * RUN % (64 * words) + bits) as u32;
            self.leaves[lane] = roots[of * LANES + lane];
        }
        let group = self.group + group;
        trees.trees.leaves_below(group, log, &mut self.leaves);
        (trees.write)(trees.key(group), lanes(&trees.words, group), &self.leaves, rows, words);
        within
    }
}

#[cfg(test)]
mod tests {
    use prim::{Prg, block::Block, ct, lookup};

    use super::*;
    use crate::{
        onehot::{Cyclic, Group, OneHot, Xor},
        party::{Party, run_pair},
    };

    /// Parts, put together, are the rows as they are grown whole and shifted.
    fn agree<G: Group>(d: u32, batch: usize, taken: usize) {
        let job = |p: &mut Party| {
            let mut all = OneHot::<G>::tree(p, d, batch)?;
            let material = all.take(taken)?;
            let width = ct::row_words(1 << d);
            let mut whole = vec![0; taken * width];
            material.visit_rows(|at, rows| whole[at.start * width..at.end * width].copy_from_slice(rows));
            let mut by = vec![0u32; taken];
            Prg::new(Block(u128::from(d))).words(d, &mut by);
            by[0] = 0;
            by[1] = (1 << d) - 1;
            lookup::shift_rows(&mut whole, 1 << d, G::SHIFT, &by);
            let parts = material.parts();
            assert!(parts > 1, "{d}");
            let mut put = vec![0; taken * width];
            material.spend_shifted(&by, parts, |part, at, rows| {
                for (row, rows) in at.clone().zip(rows.chunks_exact(rows.len() / at.len())) {
                    let runs = put[row * width..][..width].chunks_exact_mut(RUN / 64);
                    let mine = runs.skip(part).step_by(parts).zip(rows.chunks_exact(RUN / 64));
                    mine.for_each(|(put, run)| put.copy_from_slice(run));
                }
            });
            assert!(put == whole, "{} 2^{d}, {taken} of {batch}", G::NAME);
            Ok(())
        };
        run_pair(Party::pair_seeded(u64::from(d)).unwrap(), job, job).unwrap();
    }

    #[test]
    fn parts_are_parts_of_shifted_rows() {
        for (d, batch, taken) in
            [(15, 3 * ROWS / 2 + 3, 3 * ROWS / 2 - 4), (16, 70, 70), (18, 33, 30), (19, 5, 2)]
        {
            agree::<Cyclic>(d, batch, taken);
            agree::<Xor>(d, batch, taken);
        }
    }
}

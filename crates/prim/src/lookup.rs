//! Online readers of a one-hot correlation: rows of secret bits times a public table.
//!
//! Rows as in [`crate::ct`]; a batch of rows is row-major.

mod dot;
mod long;
mod parts;
mod select;
mod subsets;

use crate::ct::{row_words, swap_in_word};
use crate::simd::{Isa, Op};
use crate::{Kernel, Ring, Shift, Wiped};
pub use dot::Shifted;
pub use parts::RUN;
use parts::part_of;
use select::select;
use subsets::Subsets;

/// Fewest lookups for which tables are laid out anew.
const MANY: usize = 1024;

/// Bytes that tables of `entries` entries of so many bits take besides, laid out for many lookups.
pub fn layout_bytes(entries: usize, bits: &[u32]) -> usize {
    subsets::layout_bytes(entries, bits.iter().copied())
}

/// Tables of as many entries, read by rows of secret bits. `ADD`: for sums of entries, else for XORs.
pub struct Reader<'a, R, const ADD: bool> {
    tables: Vec<&'a [R]>,
    parts: usize,
    subsets: Option<Subsets<ADD>>,
}

/// Sums of entries.
pub type Sums<'a, R> = Reader<'a, R, true>;

/// XORs of entries.
pub type Xors<'a, R> = Reader<'a, R, false>;

impl<'a, R: Ring, const ADD: bool> Reader<'a, R, ADD> {
    /// For tables and the bits of their entries, and so many lookups.
    ///
    /// # Panics
    /// Unless all tables have as many entries, a power of two.
    pub fn new(tables: &[(u32, &'a [R])], lookups: usize) -> Self {
        Self::in_parts(tables, lookups, 1)
    }

    /// The same for rows that come in so many parts, or in one: [`parts`](Self::parts) says so. Part i has the runs of
    /// [`RUN`] entries i, i + `parts` and so on.
    ///
    /// # Panics
    /// Unless all tables have as many entries, a power of two, and `parts` is 1 or cuts them into parts of whole runs.
    pub fn in_parts(tables: &[(u32, &'a [R])], lookups: usize, parts: usize) -> Self {
        let entries = tables.first().map_or(1, |(_, table)| table.len());
        assert!(entries.is_power_of_two() && tables.iter().all(|(_, t)| t.len() == entries), "entries");
        assert!(parts == 1 || (entries / RUN).is_multiple_of(parts), "parts");
        let subsets = if lookups < MANY { None } else { Subsets::new(tables, parts) };
        // masks would take the table anew for each part
        let parts = if subsets.is_some() { parts } else { 1 };
        Self { tables: tables.iter().map(|&(_, table)| table).collect(), parts, subsets }
    }

    /// Parts of a row.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// For each table, adds to `out[b]` the sum or XOR of the entries `table[j]` of a part for which bit `j` of row `b`
    /// is 1. Bits above those of the entries mean nothing.
    ///
    /// # Panics
    /// Unless there is an `out` for each table, of as many words as there are rows of as many bits as the part has
    /// entries.
    pub fn add(&self, part: usize, rows: &[u64], out: &mut [&mut [R]]) {
        self.add_on(Kernel::active(), part, rows, out);
    }

    fn add_on(&self, kernel: Kernel, part: usize, rows: &[u64], out: &mut [&mut [R]]) {
        if !self.subsets.as_ref().is_some_and(|subsets| subsets.add(kernel, part, rows, out)) {
            let tables: Vec<_> = self.tables.iter().map(|table| part_of(table, self.parts, part)).collect();
            let tables: Vec<&[R]> = tables.iter().map(|table| &table[..]).collect();
            select::<R, ADD>(kernel, rows, &tables, out);
        }
    }
}

/// Number of ones.
pub fn popcount(row: &[u64]) -> u32 {
    Kernel::active().engine().run(Popcount { row })
}

struct Popcount<'a> {
    row: &'a [u64],
}

impl<S: Isa> Op<S> for Popcount<'_> {
    type Out = u32;

    // a plain loop, for which most sets have an instruction
    #[inline(always)]
    fn call(self, _: S) -> u32 {
        self.row.iter().map(|word| word.count_ones()).sum()
    }
}

/// Shifts a row of `n` bits by a PUBLIC amount: `out[i] = in[(i - by) mod n]` or `in[i ^ by]`.
///
/// # Panics
/// Unless `by < n` and `row` has `n` bits.
pub fn shift_row(row: &mut [u64], n: usize, group: Shift, by: u32) {
    shift_rows(row, n, group, &[by]);
}

/// [`shift_row`] for each of a batch of rows and amounts.
///
/// # Panics
/// Unless every amount is below `n` and there are as many rows of `n` bits.
pub fn shift_rows(rows: &mut [u64], n: usize, group: Shift, by: &[u32]) {
    let words = row_words(n);
    assert_eq!(rows.len(), words * by.len(), "row length");
    assert!(by.iter().all(|&by| (by as usize) < n), "shift amount");
    if words > 16 {
        let mut old = Wiped::zeros(words);
        return Kernel::active().engine().run(long::ShiftLong { group, rows, by, old: &mut old });
    }
    for (row, &by) in rows.chunks_exact_mut(words).zip(by) {
        match (group, words) {
            (Shift::Xor, 1) => xor_bits(row, by),
            (Shift::Cyclic, 1) => {
                let back = row[0].checked_shr(n as u32 - by).unwrap_or(0);
                row[0] = (row[0] << by | back) & (u64::MAX >> (64 - n));
            }
            (_, 2) => shift_short::<2>(row, group, by),
            (_, 4) => shift_short::<4>(row, group, by),
            (_, 8) => shift_short::<8>(row, group, by),
            _ => shift_short::<16>(row, group, by),
        }
    }
}

/// Shifts parts of rows up by PUBLIC amounts, cyclically by whole runs. Their other bits come into each run of `out`
/// from the same run of `below`: the parts before these, which become these, shifted by whole runs.
///
/// # Panics
/// Unless there are as many parts of whole runs in all three, and every amount is below the entries of a part.
pub fn shift_parts(rows: &[u64], below: &mut [u64], out: &mut [u64], by: &[u32]) {
    let entries = 64 * rows.len() / by.len().max(1);
    assert!(entries.is_multiple_of(RUN) && rows.len() == entries / 64 * by.len(), "row length");
    assert!(below.len() == rows.len() && out.len() == rows.len(), "row length");
    assert!(by.iter().all(|&by| (by as usize) < entries), "shift amount");
    Kernel::active().engine().run(long::ShiftParts { rows, below, out, by });
}

/// Shifts a row of `N` words, a number known to the compiler. No branch depends on `by`: although
/// public, it is random, and processors would foretell it badly.
fn shift_short<const N: usize>(row: &mut [u64], group: Shift, by: u32) {
    let row: &mut [u64; N] = row.try_into().expect("N words");
    let (words, bits) = (by as usize / 64, by % 64);
    let old = *row;
    match group {
        Shift::Cyclic => {
            for (i, word) in row.iter_mut().enumerate() {
                let (here, below) = (old[(i + N - words) % N], old[(i + 2 * N - words - 1) % N]);
                *word = here << bits | below >> 1 >> (63 - bits);
            }
        }
        Shift::Xor => {
            for (i, word) in row.iter_mut().enumerate() {
                *word = old[(i ^ words) % N];
            }
            xor_bits(row, by);
        }
    }
}

/// The low six bits of a shift in the group of XOR.
#[inline(always)]
fn xor_bits(row: &mut [u64], by: u32) {
    for step in 0..6 {
        let take = u64::from(by >> step & 1).wrapping_neg();
        for word in row.iter_mut() {
            *word = swap_in_word(*word, step, take);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::low;
    use proptest::prelude::*;

    fn bit(row: &[u64], i: usize) -> bool {
        row[i / 64] >> (i % 64) & 1 == 1
    }

    /// For `count` tables, of entries of full words and of `bits` in turn.
    fn agrees<R: Ring>(n: usize, count: usize, bits: u32, batch: usize, words: &[u64]) {
        let width = row_words(n);
        let full = if n < 64 { (1 << n) - 1 } else { u64::MAX };
        let rows: Vec<u64> = words.iter().cycle().take(batch * width).map(|w| w & full).collect();
        let columns: Vec<(u32, Vec<R>)> = (0..count as u64)
            .map(|q| {
                let bits = if q % 2 == 0 { R::WIDTH } else { bits.min(R::WIDTH) };
                let entry = |j: u64| low((q + j + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3, bits);
                (bits, (0..n as u64).map(|j| R::from_u64(entry(j))).collect())
            })
            .collect();
        let tables: Vec<(u32, &[R])> = columns.iter().map(|(bits, table)| (*bits, &table[..])).collect();
        for kernel in Kernel::supported() {
            for lookups in [0, MANY] {
                let (xors, sums) = (Xors::new(&tables, lookups), Sums::new(&tables, lookups));
                let [mut got_xors, mut got_sums] = [(); 2].map(|()| vec![vec![R::default(); batch]; count]);
                let [to_xor, to_add] =
                    [&mut got_xors, &mut got_sums].map(|out| out.iter_mut().map(|out| &mut out[..]));
                xors.add_on(kernel, 0, &rows, &mut to_xor.collect::<Vec<_>>());
                sums.add_on(kernel, 0, &rows, &mut to_add.collect::<Vec<_>>());
                for (b, (q, (bits, table))) in
                    (0..batch).flat_map(|b| (0..).zip(&tables).map(move |t| (b, t)))
                {
                    let row = &rows[b * width..][..width];
                    let chosen = || (0..n).filter(|&j| bit(row, j)).map(|j| table[j].to_u64());
                    let (xor, sum) = (chosen().fold(0, |a, x| a ^ x), chosen().fold(0, u64::wrapping_add));
                    let got: (R, R) = (got_xors[q][b], got_sums[q][b]);
                    assert_eq!(low(got.0.to_u64(), *bits), xor, "xor {kernel:?} {n} {batch} {b} {q}");
                    assert_eq!(
                        low(got.1.to_u64(), *bits),
                        low(sum, *bits),
                        "sum {kernel:?} {n} {batch} {b} {q}"
                    );
                }
            }
        }
    }

    /// Rows cut into runs, read part by part, give what whole rows do; to what was there it is added.
    fn parts_agree<R: Ring>(log: u32, bits: &[u32], batch: usize, lookups: usize) {
        let (n, mut prg) = (1 << log, crate::Prg::new(crate::Block(u128::from(log))));
        let mut rows = vec![0u64; batch * n / 64];
        prg.words(64, &mut rows);
        let columns: Vec<Vec<R>> = bits.iter().map(|&bits| words(&mut prg, bits, n)).collect();
        let tables: Vec<(u32, &[R])> = bits.iter().copied().zip(columns.iter().map(|c| &c[..])).collect();
        let old: Vec<Vec<R>> = bits.iter().map(|&bits| words(&mut prg, bits, batch)).collect();
        for parts in [2, n / RUN / 2, n / RUN] {
            let (xors, sums) =
                (Xors::in_parts(&tables, lookups, parts), Sums::in_parts(&tables, lookups, parts));
            for kernel in Kernel::supported() {
                let [mut want, mut got] = [(); 2].map(|()| [old.clone(), old.clone()]);
                let [mut xored, mut added] = got.each_mut().map(|got| views(got));
                for part in 0..xors.parts() {
                    let runs = rows.chunks_exact(RUN / 64).skip(part).step_by(xors.parts());
                    let rows: Vec<u64> = runs.flatten().copied().collect();
                    xors.add_on(kernel, part, &rows, &mut xored);
                    sums.add_on(kernel, part, &rows, &mut added);
                }
                let [mut xored, mut added] = want.each_mut().map(|want| views(want));
                select::<R, false>(Kernel::Portable, &rows, &xors.tables, &mut xored);
                select::<R, true>(Kernel::Portable, &rows, &sums.tables, &mut added);
                let cut = |out: [Vec<Vec<R>>; 2]| {
                    let cut = |(out, &bits): (Vec<R>, _)| -> Vec<u64> {
                        out.iter().map(|word| low(word.to_u64(), bits)).collect()
                    };
                    out.map(|out| out.into_iter().zip(bits).map(cut).collect::<Vec<_>>())
                };
                assert_eq!(cut(got), cut(want), "{kernel:?} 2^{log} {bits:?} {batch} {parts}");
            }
        }
    }

    fn words<R: Ring>(prg: &mut crate::Prg, bits: u32, count: usize) -> Vec<R> {
        let mut words = vec![R::default(); count];
        prg.words(bits, &mut words);
        words
    }

    fn views<R>(columns: &mut [Vec<R>]) -> Vec<&mut [R]> {
        columns.iter_mut().map(|column| &mut column[..]).collect()
    }

    #[test]
    fn rows_in_parts() {
        for batch in [1, 16, 33, 64, 300] {
            parts_agree::<u64>(12, &[64, 33, 5], batch, MANY);
            parts_agree::<u16>(10, &[16], batch, MANY);
            parts_agree::<u8>(10, &[8, 1], batch, MANY);
        }
        // masks take whole rows
        parts_agree::<u32>(10, &[32], 5, 0);
        assert_eq!(Xors::in_parts(&[(32, &[0u32; 1024][..])], 0, 4).parts(), 1);
    }

    #[test]
    fn sums_of_the_largest_entries() {
        for n in [256, 1024, 2048, 4096] {
            let table = vec![u64::MAX; n];
            let rows = vec![u64::MAX; 35 * row_words(n)];
            for kernel in Kernel::supported() {
                let mut out = [0; 35];
                Sums::new(&[(64, &table)], MANY).add_on(kernel, 0, &rows, &mut [&mut out]);
                assert_eq!(out, [(n as u64).wrapping_neg(); 35], "{kernel:?} {n}");
            }
        }
    }

    /// Shifted after the part before, parts are those of the shifted row.
    #[test]
    fn parts_are_shifted() {
        let (n, parts, mut prg) = (7 * RUN * 4, 4, crate::Prg::new(crate::Block(3)));
        let row = words::<u64>(&mut prg, 64, n / 64);
        let part = |row: &[u64], part: usize| -> Vec<u64> {
            row.chunks_exact(2).skip(part).step_by(parts).flatten().copied().collect()
        };
        let rotated = |row: &[u64], by: usize| -> Vec<u64> {
            let at = |i: usize| u64::from(bit(row, (i + 64 * row.len() - by) % (64 * row.len())));
            (0..row.len()).map(|w| (0..64).fold(0, |word, i| word | at(64 * w + i) << i)).collect()
        };
        for by in (0..n / parts).step_by(13).chain(0..RUN) {
            let (runs, bits) = (by / RUN * RUN, by % RUN);
            // shifting by whole runs of a part is shifting the row by as many times `parts`
            let (whole, shifted) = (rotated(&row, runs * parts), rotated(&row, runs * parts + bits));
            let mut below = rotated(&part(&whole, parts - 1), RUN);
            for i in 0..parts {
                let mut out = vec![0; row.len() / parts];
                shift_parts(&part(&row, i), &mut below, &mut out, &[by as u32]);
                assert_eq!(out, part(&shifted, i), "{by} {i}");
                assert_eq!(below, part(&whole, i), "{by} {i}");
            }
        }
    }

    proptest! {
        #[test]
        fn selections(
            log in 0u32..=12,
            count in 1usize..=6,
            bits in 1u32..=64,
            batch in 0usize..70,
            words in prop::collection::vec(any::<u64>(), 64),
        ) {
            agrees::<u8>(1 << log, count, bits, batch, &words);
            agrees::<u16>(1 << log, count, bits, batch, &words);
            agrees::<u32>(1 << log, count, bits, batch, &words);
            agrees::<u64>(1 << log, count, bits, batch, &words);
        }

        #[test]
        fn shifts(log in 0u32..=12, by in any::<u32>(), words in prop::collection::vec(any::<u64>(), 64)) {
            let n = 1usize << log;
            let by = by % n as u32;
            let mut row = words[..row_words(n)].to_vec();
            row[0] &= if n < 64 { (1 << n) - 1 } else { u64::MAX };
            let (mut cyclic, mut xored) = (row.clone(), row.clone());
            shift_row(&mut cyclic, n, Shift::Cyclic, by);
            shift_row(&mut xored, n, Shift::Xor, by);
            for i in 0..n {
                prop_assert_eq!(bit(&cyclic, i), bit(&row, (i + n - by as usize) % n));
                prop_assert_eq!(bit(&xored, i), bit(&row, i ^ by as usize));
            }
            prop_assert!(n >= 64 || (cyclic[0] | xored[0]) >> n == 0);
            prop_assert_eq!(popcount(&row), (0..n).filter(|&i| bit(&row, i)).count() as u32);
        }
    }
}

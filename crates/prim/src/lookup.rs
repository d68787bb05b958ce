//! Online readers of a one-hot correlation: rows of secret bits times a public table.
//!
//! Rows as in [`crate::ct`]; a batch of rows is row-major.

mod dot;
mod long;
mod select;

use crate::ct::{row_words, swap_in_word};
use crate::simd::{Isa, Op};
use crate::{Kernel, Ring, Shift, Wiped};
pub use dot::Shifted;
use select::select;

/// For each table, `out[b]` = XOR of the entries `table[j]` for which bit `j` of row `b` is 1.
///
/// # Panics
/// Unless there is an `out` for each table, all tables have as many entries, a power of two, and `rows` has
/// as many rows of that many bits as each `out` has words.
pub fn xor_select<R: Ring>(rows: &[u64], tables: &[&[R]], out: &mut [&mut [R]]) {
    select::<R, false>(Kernel::active(), rows, tables, out);
}

/// For each table, `out[b]` = sum of the entries `table[j]` for which bit `j` of row `b` is 1, mod `2^WIDTH`.
///
/// # Panics
/// Unless there is an `out` for each table, all tables have as many entries, a power of two, and `rows` has
/// as many rows of that many bits as each `out` has words.
pub fn add_select<R: Ring>(rows: &[u64], tables: &[&[R]], out: &mut [&mut [R]]) {
    select::<R, true>(Kernel::active(), rows, tables, out);
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
    use proptest::prelude::*;

    fn bit(row: &[u64], i: usize) -> bool {
        row[i / 64] >> (i % 64) & 1 == 1
    }

    /// For so many tables.
    fn agrees<R: Ring>(n: usize, count: usize, batch: usize, words: &[u64]) {
        let width = row_words(n);
        let full = if n < 64 { (1 << n) - 1 } else { u64::MAX };
        let rows: Vec<u64> = words.iter().cycle().take(batch * width).map(|w| w & full).collect();
        let entry = |q: u64, j: u64| R::from_u64((q + j + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3);
        let columns: Vec<Vec<R>> =
            (0..count as u64).map(|q| (0..n as u64).map(|j| entry(q, j)).collect()).collect();
        let tables: Vec<&[R]> = columns.iter().map(|table| &table[..]).collect();
        for kernel in Kernel::supported() {
            let [mut xors, mut sums] = [(); 2].map(|()| vec![vec![R::default(); batch]; count]);
            let [to_xor, to_add] = [&mut xors, &mut sums].map(|out| out.iter_mut().map(|out| &mut out[..]));
            select::<R, false>(kernel, &rows, &tables, &mut to_xor.collect::<Vec<_>>());
            select::<R, true>(kernel, &rows, &tables, &mut to_add.collect::<Vec<_>>());
            for (b, q) in (0..batch).flat_map(|b| (0..count).map(move |q| (b, q))) {
                let row = &rows[b * width..][..width];
                let chosen = || (0..n).filter(|&j| bit(row, j)).map(|j| tables[q][j].to_u64());
                let (xor, sum) = (chosen().fold(0, |a, x| a ^ x), chosen().fold(0, u64::wrapping_add));
                assert_eq!(xors[q][b], R::from_u64(xor), "xor {kernel:?} {n} {batch} {b} {q}");
                assert_eq!(sums[q][b], R::from_u64(sum), "sum {kernel:?} {n} {batch} {b} {q}");
            }
        }
    }

    proptest! {
        #[test]
        fn selections(
            log in 0u32..=10,
            count in 1usize..=6,
            batch in 0usize..10,
            words in prop::collection::vec(any::<u64>(), 64),
        ) {
            agrees::<u8>(1 << log, count, batch, &words);
            agrees::<u16>(1 << log, count, batch, &words);
            agrees::<u32>(1 << log, count, batch, &words);
            agrees::<u64>(1 << log, count, batch, &words);
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

//! The inner loop of the staged generator: fewer rows than entries, shifted by multiples of a step.

use super::Shift;
use crate::ct::row_words;
use crate::lookup::shift_row;
use crate::{Block, CcrHash};
use zeroize::Zeroize;

/// Overwrites `r` with the XOR of all rows `d_i` of `n` bits, and `a` with the XOR of all
/// `unshift_{i step}(d_i)`, as [`sum_rows`](super::sum_rows) does for `step = 1` and `n` leaves.
///
/// # Panics
/// Unless `n` is a power of two, `step` times the number of leaves at most `n`, and both rows have
/// `n` bits.
pub fn sum_stepped_rows(
    hash: &CcrHash,
    group: Shift,
    n: usize,
    step: usize,
    leaves: &[Block],
    r: &mut [u64],
    a: &mut [u64],
) {
    assert!(n.is_power_of_two() && step * leaves.len() <= n, "{} leaves, {n} entries", leaves.len());
    assert!(r.len() == row_words(n) && a.len() == row_words(n), "row length");
    let blocks = n.div_ceil(128);
    let mut rows = vec![Block::ZERO; leaves.len() * blocks];
    for (row, &leaf) in rows.chunks_exact_mut(blocks).zip(leaves) {
        row.iter_mut().zip(1..).for_each(|(block, i)| *block = leaf ^ Block(i));
    }
    hash.in_place(&mut rows);
    let full = if n < 64 { (1 << n) - 1 } else { u64::MAX };
    r.fill(0);
    a.fill(0);
    for (row, i) in rows.chunks_exact_mut(blocks).zip(0..) {
        let row = &mut bytemuck::cast_slice_mut::<Block, u64>(row)[..r.len()];
        row.iter_mut().for_each(|word| *word &= full);
        r.iter_mut().zip(&*row).for_each(|(r, word)| *r ^= word);
        let by = match group {
            Shift::Cyclic => (n - i * step) % n,
            Shift::Xor => i * step,
        };
        shift_row(row, n, group, by as u32);
        a.iter_mut().zip(&*row).for_each(|(a, word)| *a ^= word);
    }
    rows.zeroize();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Prg, rows::sum_rows};

    /// With step 1 it is `sum_rows`; the leaves `0, step, 2 step, ..` of that are the rows here.
    #[test]
    fn it_is_the_sum_of_rows() {
        let hash = CcrHash::new(Block(4));
        for log in 1..=9 {
            let n = 1usize << log;
            for group in [Shift::Cyclic, Shift::Xor] {
                let mut leaves = vec![Block::ZERO; n];
                Prg::new(Block(log)).blocks(&mut leaves);
                let sums = |leaves: &[Block], step| {
                    let mut out = [vec![u64::MAX; row_words(n)], vec![u64::MAX; row_words(n)]];
                    let [r, a] = &mut out;
                    sum_stepped_rows(&hash, group, n, step, leaves, r, a);
                    out
                };
                let mut all = [vec![0; row_words(n)], vec![0; row_words(n)]];
                let [r, a] = &mut all;
                sum_rows(&hash, group, &leaves, r, a);
                assert_eq!(sums(&leaves, 1), all, "{n} {group:?}");
                for step in (0..log).map(|s| 1usize << s) {
                    // Row i of those shifted by 1 each, as the sum of a single leaf at its place.
                    let few: Vec<Block> = leaves.iter().copied().step_by(step).collect();
                    let mut want = [vec![0; row_words(n)], vec![0; row_words(n)]];
                    for (i, &leaf) in few.iter().enumerate() {
                        let [r, mut a] = sums(&[leaf], 1);
                        let by = if group == Shift::Cyclic { (n - i * step) % n } else { i * step };
                        shift_row(&mut a, n, group, by as u32);
                        want[0].iter_mut().zip(r).for_each(|(w, r)| *w ^= r);
                        want[1].iter_mut().zip(a).for_each(|(w, a)| *w ^= a);
                    }
                    assert_eq!(sums(&few, step), want, "{n} {step} {group:?}");
                }
            }
        }
    }
}

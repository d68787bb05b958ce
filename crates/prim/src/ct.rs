//! Selection, placement and rotation by secret amounts, without secret branches or addresses.
//!
//! A *row* of `n` bits, `n` a power of two, is `max(1, n / 64)` words: bit `i` is bit `i % 64` of
//! word `i / 64`. Rows shorter than 64 bits use the low `n` bits of one word.

use std::hint::black_box;

/// The group in which an index is shared, and so how a row is shifted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    /// `shift_k(v)_i = v_{(i - k) mod n}`.
    Cyclic,
    /// `shift_k(v)_i = v_{i ^ k}`.
    Xor,
}

/// Words in a row of `n` bits.
///
/// # Panics
/// Unless `n` is a power of two.
#[inline]
pub fn row_words(n: usize) -> usize {
    assert!(n.is_power_of_two(), "row length must be a power of two");
    n.div_ceil(64)
}

/// All ones if `a == b`, else zero.
#[inline]
pub fn eq_mask(a: u32, b: u32) -> u64 {
    let x = u64::from(a ^ b);
    // x < 2^32, so x - 1 has its top bit set exactly for x = 0
    bit_mask(x.wrapping_sub(1) >> 63)
}

/// Writes the row that is 1 at position `at` only.
///
/// # Panics
/// Unless `row` has [`row_words`]`(n)` words. `at >= n` is a caller's mistake and gives a wrong
/// row rather than a panic, because `at` is secret.
pub fn one_hot_row(n: usize, at: u32, row: &mut [u64]) {
    assert_eq!(row.len(), row_words(n), "row length");
    let bit = one_hot_word(at & 63);
    for (word, index) in row.iter_mut().zip(0..) {
        *word = bit & eq_mask(index, at >> 6);
    }
}

/// Rotates a row of `n` bits to the right by a secret amount: `out[i] = in[(i - by) mod n]`.
///
/// # Panics
/// Unless `row` has [`row_words`]`(n)` words.
pub fn rotate_row(row: &mut [u64], n: usize, by: u32) {
    assert_eq!(row.len(), row_words(n), "row length");
    for step in 0..n.trailing_zeros() {
        let take = bit_mask(u64::from(by >> step & 1));
        match 1usize << step {
            bits if n <= 64 => {
                let full = u64::MAX >> (64 - n);
                let moved = (row[0] << bits | row[0] >> (n - bits)) & full;
                row[0] = select(take, moved, row[0]);
            }
            bits if bits < 64 => {
                let mut below = row[row.len() - 1];
                for word in row.iter_mut() {
                    let moved = *word << bits | below >> (64 - bits);
                    below = *word;
                    *word = select(take, moved, *word);
                }
            }
            bits => rotate_words(row, bits / 64, take),
        }
    }
}

/// Moves every bit of a row of `n` bits by XOR with a secret: `out[i] = in[i ^ by]`.
///
/// # Panics
/// Unless `row` has [`row_words`]`(n)` words.
pub fn xor_row(row: &mut [u64], n: usize, by: u32) {
    assert_eq!(row.len(), row_words(n), "row length");
    for step in 0..n.trailing_zeros() {
        let take = bit_mask(u64::from(by >> step & 1));
        if step < 6 {
            for word in row.iter_mut() {
                *word = swap_in_word(*word, step, take);
            }
            continue;
        }
        let half = 1 << (step - 6);
        for pair in row.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                let change = (*a ^ *b) & take;
                *a ^= change;
                *b ^= change;
            }
        }
    }
}

/// Entry `b`: `2^b` ones, as many zeros, and so on, from the lowest bit up.
pub(crate) const LOW: [u64; 6] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];

/// `out[i] = in[i ^ 2^step]` inside one word where `take` is all ones, `out = in` where it is
/// zero; `step < 6`.
#[inline(always)]
pub(crate) fn swap_in_word(x: u64, step: u32, take: u64) -> u64 {
    let by = 1 << step;
    let swap = (x ^ x >> by) & (LOW[step as usize] & take);
    x ^ swap ^ swap << by
}

/// All ones for 1, zero for 0. The barrier keeps the compiler from turning masks into branches.
#[inline]
pub fn bit_mask(bit: u64) -> u64 {
    black_box(bit).wrapping_neg()
}

#[inline]
fn select(mask: u64, yes: u64, no: u64) -> u64 {
    no ^ (mask & (yes ^ no))
}

/// `1 << at` for a secret `at < 64`, by doubling rather than by a shift count: not every
/// processor shifts in constant time.
fn one_hot_word(at: u32) -> u64 {
    (0..6).fold(1, |word, step| select(bit_mask(u64::from(at >> step & 1)), word << (1 << step), word))
}

/// Rotates by `by` words (a power of two) where `take` is all ones.
fn rotate_words(row: &mut [u64], by: usize, take: u64) {
    // each cycle `c, c + by, c + 2 by, ...` closes on itself, because `by` divides the length
    for start in 0..by {
        let mut before = row[row.len() - by + start];
        for at in (start..row.len()).step_by(by) {
            let here = row[at];
            row[at] = select(take, before, here);
            before = here;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bits(row: &[u64], n: usize) -> Vec<bool> {
        assert!(n >= 64 || row[0] >> n == 0, "unused bits must stay zero");
        (0..n).map(|i| row[i / 64] >> (i % 64) & 1 == 1).collect()
    }

    #[test]
    fn equality() {
        for (a, b) in [(0, 0), (0, 1), (1, 0), (u32::MAX, u32::MAX), (u32::MAX, 0), (1 << 31, 0), (7, 7)] {
            assert_eq!(eq_mask(a, b), if a == b { u64::MAX } else { 0 });
        }
    }

    #[test]
    fn one_hot_everywhere() {
        for log in 1..=10 {
            let n = 1 << log;
            for at in 0..n {
                let mut row = vec![u64::MAX; row_words(n)];
                one_hot_row(n, at as u32, &mut row);
                assert!(bits(&row, n).iter().enumerate().all(|(i, &b)| b == (i == at)));
            }
        }
    }

    proptest! {
        #[test]
        fn rotations_follow_their_definition(seed in prop::collection::vec(any::<u64>(), 64), log in 1u32..=12, by in any::<u32>()) {
            let n = 1usize << log;
            let by = by as usize % n;
            let mut row = seed[..row_words(n)].to_vec();
            row[0] &= if n < 64 { (1 << n) - 1 } else { u64::MAX };
            let before = bits(&row, n);
            let mut xored = row.clone();
            rotate_row(&mut row, n, by as u32);
            xor_row(&mut xored, n, by as u32);
            for i in 0..n {
                prop_assert_eq!(bits(&row, n)[i], before[(i + n - by) % n]);
                prop_assert_eq!(bits(&xored, n)[i], before[i ^ by]);
            }
        }
    }
}

//! The inner loop of the ROTL generator: rows from leaves, summed as they are and shifted back.

use crate::ct::row_words;
use crate::lookup::shift_row;
use crate::{Block, CcrHash};

/// The group in which an index is shared, and so how a row is shifted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    /// `shift_k(v)_i = v_{(i - k) mod n}`.
    Cyclic,
    /// `shift_k(v)_i = v_{i ^ k}`.
    Xor,
}

/// Overwrites `r` with the XOR of all rows `d_i`, and `a` with the XOR of all `unshift_i(d_i)`.
///
/// `d_i` is the first `n` bits of `H(leaf_i ^ 1), H(leaf_i ^ 2), ..`, where `n = leaves.len()`;
/// `unshift_i(v)_k` is `v_{(k + i) mod n}` (cyclic: a rotation to the left) or `v_{k ^ i}` (xor).
/// Rows as in [`crate::ct`].
///
/// # Panics
/// Unless `n` is a power of two in `2..=2^16` and both rows have `n` bits.
pub fn sum_rows(hash: &CcrHash, group: Shift, leaves: &[Block], r: &mut [u64], a: &mut [u64]) {
    let n = leaves.len();
    assert!((2..=1 << 16).contains(&n), "number of leaves");
    assert!(r.len() == row_words(n) && a.len() == row_words(n), "row length");
    r.fill(0);
    a.fill(0);
    let full = if n < 64 { (1 << n) - 1 } else { u64::MAX };
    let mut row = vec![Block::ZERO; n.div_ceil(128)];
    for (i, &leaf) in leaves.iter().enumerate() {
        for (block, w) in row.iter_mut().zip(1..) {
            *block = leaf ^ Block(w);
        }
        hash.in_place(&mut row);
        let words = &mut bytemuck::cast_slice_mut(&mut row)[..r.len()];
        words[0] &= full;
        add(r, words);
        shift_row(words, n, group, inverse(group, n, i));
        add(a, words);
    }
}

/// The shift that undoes a shift by `i`.
fn inverse(group: Shift, n: usize, i: usize) -> u32 {
    match group {
        Shift::Cyclic => ((n - i) % n) as u32,
        Shift::Xor => i as u32,
    }
}

fn add(sum: &mut [u64], row: &[u64]) {
    for (sum, word) in sum.iter_mut().zip(row) {
        *sum ^= word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kernel, Prg};

    fn bit(row: &[u64], i: usize) -> bool {
        row[i / 64] >> (i % 64) & 1 == 1
    }

    /// Bit by bit, straight from the definition.
    fn plain(hash: &CcrHash, group: Shift, leaves: &[Block]) -> (Vec<bool>, Vec<bool>) {
        let n = leaves.len();
        let (mut r, mut a) = (vec![false; n], vec![false; n]);
        for (i, &leaf) in leaves.iter().enumerate() {
            let blocks: Vec<Block> =
                (1..=n.div_ceil(128) as u128).map(|w| hash.one(leaf ^ Block(w))).collect();
            for k in 0..n {
                r[k] ^= blocks[k / 128].bit(k as u32 % 128);
                let from = match group {
                    Shift::Cyclic => (k + i) % n,
                    Shift::Xor => k ^ i,
                };
                a[k] ^= blocks[from / 128].bit(from as u32 % 128);
            }
        }
        (r, a)
    }

    #[test]
    fn both_sums_on_every_kernel() {
        for log in 1..=11 {
            let n = 1 << log;
            let mut leaves = vec![Block::ZERO; n];
            Prg::new(Block(log)).blocks(&mut leaves);
            leaves[n / 3] = Block::ZERO;
            for group in [Shift::Cyclic, Shift::Xor] {
                let (r, a) = plain(&CcrHash::new(Block(99)), group, &leaves);
                for kernel in Kernel::supported() {
                    let hash = CcrHash::with_kernel(Block(99), kernel);
                    let mut got_r = vec![u64::MAX; row_words(n)];
                    let mut got_a = vec![u64::MAX; row_words(n)];
                    sum_rows(&hash, group, &leaves, &mut got_r, &mut got_a);
                    assert!((0..n).all(|k| bit(&got_r, k) == r[k]), "r {kernel:?} {group:?} {n}");
                    assert!((0..n).all(|k| bit(&got_a, k) == a[k]), "a {kernel:?} {group:?} {n}");
                    assert!(n >= 64 || (got_r[0] | got_a[0]) >> n == 0, "unused bits {n}");
                }
            }
        }
    }
}

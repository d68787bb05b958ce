//! The inner loop of the ROTL generator: rows from leaves, summed as they are and shifted back.

mod stepped;
mod window;

pub use stepped::sum_stepped_rows;

pub use crate::ct::Shift;
use crate::ct::{row_words, swap_in_word};
use crate::lookup::shift_row;
use crate::{Block, CcrHash};
use zeroize::Zeroize;

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
    assert!(n.is_power_of_two() && (2..=1 << 16).contains(&n), "number of leaves");
    assert!(r.len() == row_words(n) && a.len() == row_words(n), "row length");
    if n <= 128 {
        return sum_short_rows(hash, group, leaves, r, a);
    }
    // the sum of all rows, then eight partial sums: part j is over the leaves with i mod 8 = j,
    // shifted back by i - j
    (1..=n / 128).for_each(|j| hash.note(leaves, Block(j as u128)));
    let mut sums = vec![Block::ZERO; 9 * n / 128];
    let op = Sums { hash, group, leaves, sums: &mut sums };
    if let Err(op) = hash.aes.engine.run_bytes(op) {
        op.one_leaf_at_a_time();
    }
    let (plain, parts) = bytemuck::cast_slice_mut(&mut sums).split_at_mut(n / 64);
    for step in (0..3).rev() {
        let (near, far) = parts.split_at_mut(r.len() << step);
        add_unshifted(near, far, r.len(), group, step);
    }
    r.copy_from_slice(plain);
    a.copy_from_slice(&parts[..a.len()]);
    sums.zeroize();
}

/// `sum ^= unshift_i(row)` for `i = 2^step`, `step < 6`, for each of some rows of `words` words.
#[inline]
fn add_unshifted(sums: &mut [u64], rows: &[u64], words: usize, group: Shift, step: u32) {
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum ^= match group {
            Shift::Cyclic => {
                let next = (at & !(words - 1)) | ((at + 1) & (words - 1));
                rows[at] >> (1 << step) | rows[next] << (64 - (1 << step))
            }
            Shift::Xor => swap_in_word(rows[at], step, u64::MAX),
        };
    }
}

/// `sum_rows` for rows of at most one block: halves the number of rows by shifting the later half
/// back by its distance, until one is left.
fn sum_short_rows(hash: &CcrHash, group: Shift, leaves: &[Block], r: &mut [u64], a: &mut [u64]) {
    let n = leaves.len();
    let mut rows = [Block::ZERO; 128];
    let rows = &mut rows[..n];
    hash.xored(leaves, Block::ONE, rows);
    let full = Block(u128::MAX >> (128 - n));
    let mut sum = Block::ZERO;
    for row in rows.iter_mut() {
        *row = *row & full;
        sum ^= *row;
    }
    let mut distance = n / 2;
    while distance > 0 {
        let low = LOW[distance.trailing_zeros() as usize];
        let (near, far) = rows[..2 * distance].split_at_mut(distance);
        for (near, &far) in near.iter_mut().zip(&*far) {
            let back = match group {
                Shift::Cyclic => far.0 >> distance | far.0 << (n - distance),
                Shift::Xor => (far.0 >> distance) & low | (far.0 & low) << distance,
            };
            *near ^= Block(back) & full;
        }
        distance /= 2;
    }
    r.copy_from_slice(&bytemuck::cast_slice(&[sum])[..r.len()]);
    a.copy_from_slice(&bytemuck::cast_slice(&rows[..1])[..a.len()]);
    rows.zeroize();
}

/// The sums of rows of two blocks or more.
struct Sums<'a> {
    hash: &'a CcrHash,
    group: Shift,
    leaves: &'a [Block],
    /// Nine rows, all zero at first.
    sums: &'a mut [Block],
}

impl Sums<'_> {
    /// The definition, row by row.
    fn one_leaf_at_a_time(self) {
        let n = self.leaves.len();
        let (plain, parts) = self.sums.split_at_mut(n / 128);
        let mut row = vec![Block::ZERO; n / 128];
        for (i, &leaf) in self.leaves.iter().enumerate() {
            for (block, index) in row.iter_mut().zip(1..) {
                *block = leaf ^ Block(index);
            }
            self.hash.aes.hash(&mut row);
            add(plain, &row);
            let back = i as u32 & !7;
            let by = match self.group {
                Shift::Cyclic => (n as u32 - back) % n as u32,
                Shift::Xor => back,
            };
            shift_row(bytemuck::cast_slice_mut(&mut row), n, self.group, by);
            add(&mut parts[(i % 8) * row.len()..], &row);
        }
        row.zeroize();
    }
}

fn add(sum: &mut [Block], row: &[Block]) {
    for (sum, &block) in sum.iter_mut().zip(row) {
        *sum ^= block;
    }
}

/// Entry `b`: `2^b` ones, as many zeros, and so on.
const LOW: [u128; 7] = {
    let mut table = [u128::MAX; 7];
    let mut b = 7;
    while b > 0 {
        b -= 1;
        let wider = if b == 6 { u128::MAX } else { table[b + 1] };
        table[b] = wider ^ (wider << (1 << b));
    }
    table
};

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

//! Bit planes: XOR sums of entries of a table that rows of bits choose, and rows moved by a distance.
//!
//! A table of entries of w bits is w *planes*: bit i of word `i / 64` of plane p is bit p of entry i.

use crate::simd::{Isa, Op};
use crate::{Kernel, ct::LOW, low};

/// For every row and plane, adds up the words of their AND: `sums[q * w + p] ^= XOR over i of rows[q][i] & planes[p][i]`,
/// w planes. The parity of a sum is bit p of the XOR of the entries that row q chooses. Rows and planes have `len` words
/// each and stand one behind the other. Rows may be secret.
///
/// # Panics
/// Unless the lengths fit.
pub fn add_chosen(rows: &[u64], planes: &[u64], len: usize, sums: &mut [u64]) {
    chosen_with(Kernel::active(), rows, planes, len, sums);
}

fn chosen_with(kernel: Kernel, rows: &[u64], planes: &[u64], len: usize, sums: &mut [u64]) {
    assert!(len > 0 && rows.len().is_multiple_of(len) && planes.len().is_multiple_of(len), "lengths");
    assert_eq!(sums.len(), rows.len() / len * (planes.len() / len), "sums");
    kernel.engine().run(Chosen { rows, planes, len, sums });
}

struct Chosen<'a> {
    rows: &'a [u64],
    planes: &'a [u64],
    len: usize,
    sums: &'a mut [u64],
}

/// Plain code on as many words as a vector has, compiled once more for each instruction set. So many rows and planes
/// are held at once that their sums stay in registers.
impl<S: Isa> Op<S> for Chosen<'_> {
    type Out = ();

    #[inline(always)]
    fn call(mut self, _: S) {
        match S::BLOCKS {
            4 => self.tiles::<8, 4, 5>(),
            2 => self.tiles::<4, 2, 4>(),
            _ => self.tiles::<2, 2, 4>(),
        }
    }
}

impl Chosen<'_> {
    /// `Q` rows and `P` planes at once, of `L` words at a time.
    #[inline(always)]
    fn tiles<const L: usize, const Q: usize, const P: usize>(&mut self) {
        let (len, width) = (self.len, self.planes.len() / self.len);
        let (rows, planes, sums) = (self.rows, self.planes, &mut *self.sums);
        let count = rows.len() / len;
        let mut q = 0;
        while q < count {
            let mut p = 0;
            let many = count - q >= Q;
            while p < width {
                let wide = width - p >= P;
                let (rows, planes) = (&rows[q * len..], &planes[p * len..]);
                let at = q * width + p;
                match (many, wide) {
                    (true, true) => tile::<L, Q, P>(rows, planes, len, width, &mut sums[at..]),
                    (true, false) => tile::<L, Q, 1>(rows, planes, len, width, &mut sums[at..]),
                    (false, true) => tile::<L, 1, P>(rows, planes, len, width, &mut sums[at..]),
                    (false, false) => tile::<L, 1, 1>(rows, planes, len, width, &mut sums[at..]),
                }
                p += if wide { P } else { 1 };
            }
            q += if many { Q } else { 1 };
        }
    }
}

#[inline(always)]
fn tile<const L: usize, const Q: usize, const P: usize>(
    rows: &[u64],
    planes: &[u64],
    len: usize,
    width: usize,
    sums: &mut [u64],
) {
    let rows: [&[u64]; Q] = std::array::from_fn(|q| &rows[q * len..][..len]);
    let planes: [&[u64]; P] = std::array::from_fn(|p| &planes[p * len..][..len]);
    let row_pieces: [&[[u64; L]]; Q] = std::array::from_fn(|q| rows[q].as_chunks().0);
    let plane_pieces: [&[[u64; L]]; P] = std::array::from_fn(|p| planes[p].as_chunks().0);
    let mut held = [[[0u64; L]; P]; Q];
    for i in 0..len / L {
        for p in 0..P {
            let plane = plane_pieces[p][i];
            for q in 0..Q {
                let row = row_pieces[q][i];
                for l in 0..L {
                    held[q][p][l] ^= row[l] & plane[l];
                }
            }
        }
    }
    for q in 0..Q {
        for p in 0..P {
            let mut sum = 0;
            for word in held[q][p] {
                sum ^= word;
            }
            for i in len / L * L..len {
                sum ^= rows[q][i] & planes[p][i];
            }
            sums[q * width + p] ^= sum;
        }
    }
}

/// Bit x of `out` is bit `x ^ distance` of `row`. The distance is public.
///
/// # Panics
/// Unless both are of one length, a power of two, and the distance is below their number of bits.
pub fn xor_move(row: &[u64], distance: u32, out: &mut [u64]) {
    move_with(Kernel::active(), row, distance, out);
}

fn move_with(kernel: Kernel, row: &[u64], distance: u32, out: &mut [u64]) {
    assert!(row.len() == out.len() && row.len().is_power_of_two(), "lengths");
    assert!((distance / 64) < row.len() as u32, "distance");
    kernel.engine().run(Move { row, distance, out });
}

struct Move<'a> {
    row: &'a [u64],
    distance: u32,
    out: &'a mut [u64],
}

/// As [`Chosen`].
impl<S: Isa> Op<S> for Move<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, _: S) {
        let words = (self.distance / 64) as usize;
        for (i, out) in self.out.iter_mut().enumerate() {
            *out = self.row[i ^ words];
        }
        // Which halves are swapped is public.
        for (i, lower) in LOW.into_iter().enumerate() {
            if low((self.distance >> i).into(), 1) == 1 {
                for word in self.out.iter_mut() {
                    *word = (*word & lower) << (1 << i) | *word >> (1 << i) & lower;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Prg};

    fn words(seed: u128, len: usize) -> Vec<u64> {
        let mut words = vec![0; len];
        Prg::new(Block(seed)).words(64, &mut words);
        words
    }

    #[test]
    fn entries_that_rows_choose_add_up_on_every_kernel() {
        for (len, rows, planes) in
            [(1, 1, 1), (1, 9, 21), (2, 5, 6), (7, 4, 5), (8, 3, 4), (13, 6, 11), (32, 8, 10), (256, 5, 3)]
        {
            let (r, t) = (words(1, rows * len), words(2, planes * len));
            let before = words(3, rows * planes);
            let mut want = before.clone();
            for (q, row) in r.chunks(len).enumerate() {
                for (p, plane) in t.chunks(len).enumerate() {
                    row.iter().zip(plane).for_each(|(r, t)| want[q * planes + p] ^= r & t);
                }
            }
            for kernel in Kernel::supported() {
                let mut sums = before.clone();
                chosen_with(kernel, &r, &t, len, &mut sums);
                assert_eq!(sums, want, "{kernel:?}: {rows} rows, {planes} planes of {len} words");
            }
        }
    }

    #[test]
    fn rows_move_on_every_kernel() {
        for len in [1usize, 2, 16, 64] {
            let row = words(len as u128, len);
            let bit = |words: &[u64], x: usize| words[x / 64] >> (x % 64) & 1;
            for distance in (0..64 * len).step_by(if len > 2 { 7 } else { 1 }) {
                for kernel in Kernel::supported() {
                    let mut out = vec![0; len];
                    move_with(kernel, &row, distance as u32, &mut out);
                    let right = (0..64 * len).all(|x| bit(&out, x) == bit(&row, x ^ distance));
                    assert!(right, "{kernel:?}: {len} words by {distance}");
                }
            }
        }
    }
}

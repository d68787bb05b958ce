//! Transposition of bit matrices.

use crate::simd::{Isa, Op};
use crate::{Block, Kernel, wipe::wipe};

/// `rows[r]` bit `c` = bit `r` of column `c`, where column `c` is the `rows.len() / 128` blocks
/// from `columns[c * rows.len() / 128]` on.
///
/// # Panics
/// Unless `rows.len()` is a multiple of 128 and equal to `columns.len()`.
pub fn transpose128(columns: &[Block], rows: &mut [Block]) {
    transpose(Kernel::active(), columns, rows);
}

/// Transposes squares of 64 x 64 bits in place: bit `c` of word `r` becomes bit `r` of word `c`.
pub fn transpose64(squares: &mut [[u64; 64]]) {
    Kernel::active().engine().run(Transpose64 { squares });
}

fn transpose(kernel: Kernel, columns: &[Block], rows: &mut [Block]) {
    assert_eq!(columns.len(), rows.len(), "lengths");
    assert!(rows.len().is_multiple_of(128), "rows");
    kernel.engine().run(Transpose { columns, rows });
}

/// Row `r` of four squares of 128 x 128 bits: words `2 q` and `2 q + 1` belong to square `q`.
type Row = [u64; 8];

struct Transpose<'a> {
    columns: &'a [Block],
    rows: &'a mut [Block],
}

/// Plain code on rows as long as the longest vectors, compiled once more for each instruction set.
impl<S: Isa> Op<S> for Transpose<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, _: S) {
        squares(self.columns, self.rows.len() / 128, self.rows);
    }
}

/// The first `rows.len() / 128` squares, where columns are `stride` blocks long.
#[inline(always)]
pub(crate) fn squares(columns: &[Block], stride: usize, rows: &mut [Block]) {
    if rows.is_empty() {
        return;
    }
    let mut four = [[Block::ZERO; 4]; 128];
    for (group, rows) in rows.chunks_mut(4 * 128).enumerate() {
        let squares = rows.len() / 128;
        for (row, column) in four.iter_mut().zip(columns.chunks_exact(stride)) {
            row[..squares].copy_from_slice(&column[4 * group..][..squares]);
        }
        transpose_squares(bytemuck::cast_mut(&mut four), rows);
    }
    wipe(&mut four);
}

/// Swaps ever smaller quarters of four squares, first of 64 x 64 bits, at last of single bits; the rows that belong
/// to one another are held together for several sizes.
#[inline(always)]
fn transpose_squares(four: &mut [Row; 128], rows: &mut [Block]) {
    for first in 0..8 {
        let mut held = [[0; 8]; 16];
        for (i, held) in held.iter_mut().enumerate() {
            *held = four[first + 8 * i];
        }
        swap_halves(&mut held);
        swap::<16, 4, 32>(&mut held);
        swap::<16, 2, 16>(&mut held);
        swap::<16, 1, 8>(&mut held);
        for (i, held) in held.iter().enumerate() {
            four[first + 8 * i] = *held;
        }
    }
    for (i, held) in four.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        swap::<8, 4, 4>(held);
        swap::<8, 2, 2>(held);
        swap::<8, 1, 1>(held);
        for (j, row) in held.iter().enumerate() {
            let blocks: [Block; 4] = bytemuck::cast(*row);
            for (square, &block) in rows.chunks_exact_mut(128).zip(&blocks) {
                square[8 * i + j] = block;
            }
        }
    }
}

/// The first swap: of words, between rows `i` and `i + 8` of those held.
#[inline(always)]
fn swap_halves(held: &mut [Row; 16]) {
    for i in 0..8 {
        let (a, b) = (held[i], held[i + 8]);
        held[i] = [a[0], b[0], a[2], b[2], a[4], b[4], a[6], b[6]];
        held[i + 8] = [a[1], b[1], a[3], b[3], a[5], b[5], a[7], b[7]];
    }
}

/// In squares of `2 * SIDE` bits: swaps the upper right with the lower left quarter. Rows that are `SIDE` apart are
/// `STEP` apart among those held.
#[inline(always)]
fn swap<const N: usize, const STEP: usize, const SIDE: usize>(held: &mut [Row; N]) {
    let mask = u64::MAX / ((1 << SIDE) + 1); // `SIDE` ones, as many zeros, and so on
    for i in 0..N {
        if i & STEP == 0 {
            let (mut a, mut b) = (held[i], held[i + STEP]);
            for (a, b) in a.iter_mut().zip(&mut b) {
                let swap = ((*a >> SIDE) ^ *b) & mask;
                *a ^= swap << SIDE;
                *b ^= swap;
            }
            (held[i], held[i + STEP]) = (a, b);
        }
    }
}

struct Transpose64<'a> {
    squares: &'a mut [[u64; 64]],
}

impl<S: Isa> Op<S> for Transpose64<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, _: S) {
        for square in self.squares {
            swap_quarters(square, 1, 32);
            swap_quarters(square, 1, 16);
            swap_quarters(square, 1, 8);
            swap_quarters(square, 1, 4);
            swap_quarters(square, 1, 2);
            swap_quarters(square, 1, 1);
        }
    }
}

/// In squares of `2 * side` bits: swaps the upper right with the lower left quarter. Rows are
/// `width` words long.
#[inline(always)]
fn swap_quarters(words: &mut [u64], width: usize, side: usize) {
    let mask = u64::MAX / ((1 << side) + 1); // `side` ones, as many zeros, and so on
    for rows in words.chunks_exact_mut(2 * side * width) {
        let (upper, lower) = rows.split_at_mut(side * width);
        for (a, b) in upper.iter_mut().zip(lower) {
            let swap = ((*a >> side) ^ *b) & mask;
            *a ^= swap << side;
            *b ^= swap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prg;

    #[test]
    fn every_bit_moves_to_its_place() {
        for stride in [0, 1, 2, 7, 8, 9, 17] {
            let mut columns = vec![Block::ZERO; 128 * stride];
            Prg::new(Block(stride as u128)).blocks(&mut columns);
            let mut rows = vec![Block::ONE; 128 * stride];
            transpose128(&columns, &mut rows);
            for (r, row) in rows.iter().enumerate() {
                for c in 0..128 {
                    assert_eq!(row.bit(c), columns[c as usize * stride + r / 128].bit(r as u32 % 128));
                }
            }
            for kernel in Kernel::supported() {
                let mut again = vec![Block::ONE; 128 * stride];
                transpose(kernel, &columns, &mut again);
                assert_eq!(again, rows, "{kernel:?} {stride}");
            }
        }
    }

    #[test]
    fn squares_of_one_word() {
        for count in [0, 1, 3] {
            let mut before = vec![[0; 64]; count];
            Prg::new(Block(7)).words(64, before.as_flattened_mut());
            let mut after = before.clone();
            transpose64(&mut after);
            for (before, after) in before.iter().zip(&after) {
                for (r, c) in (0..64 * 64).map(|i| (i / 64, i % 64)) {
                    assert_eq!(after[c] >> r & 1, before[r] >> c & 1);
                }
            }
            for kernel in Kernel::supported() {
                let mut again = before.clone();
                kernel.engine().run(Transpose64 { squares: &mut again });
                assert_eq!(again, after, "{kernel:?}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "rows")]
    fn partial_blocks() {
        transpose128(&[Block::ZERO; 64], &mut [Block::ZERO; 64]);
    }
}

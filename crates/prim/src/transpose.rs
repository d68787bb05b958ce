//! Transposition of bit matrices.

use crate::simd::{Isa, Op};
use crate::{Block, Kernel};

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

type Square = [[u64; 2]; 128];

struct Transpose<'a> {
    columns: &'a [Block],
    rows: &'a mut [Block],
}

/// Plain code, compiled once more for each instruction set.
impl<S: Isa> Op<S> for Transpose<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, _: S) {
        let stride = self.rows.len() / 128;
        let squares: &mut [Square] = bytemuck::cast_slice_mut(self.rows);
        // eight squares at a time, whose columns share cache lines
        for (group, squares) in squares.chunks_mut(8).enumerate() {
            for c in 0..128 {
                let column = &self.columns[c * stride + 8 * group..][..squares.len()];
                for (square, &block) in squares.iter_mut().zip(column) {
                    square[c] = bytemuck::cast(block);
                }
            }
            for square in squares {
                transpose_square(square);
            }
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

/// Swaps ever smaller quarters: first 64 x 64 bits, at last single bits.
#[inline(always)]
fn transpose_square(square: &mut Square) {
    let (upper, lower) = square.split_at_mut(64);
    for (upper, lower) in upper.iter_mut().zip(lower) {
        std::mem::swap(&mut upper[1], &mut lower[0]);
    }
    let words = square.as_flattened_mut();
    swap_quarters(words, 2, 32);
    swap_quarters(words, 2, 16);
    swap_quarters(words, 2, 8);
    swap_quarters(words, 2, 4);
    swap_quarters(words, 2, 2);
    swap_quarters(words, 2, 1);
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

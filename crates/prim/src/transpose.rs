//! Transposition of bit matrices with 128 columns.

use crate::Block;

/// `rows[r]` bit `c` = bit `r` of column `c`, where column `c` is the `rows.len() / 128` blocks
/// from `columns[c * rows.len() / 128]` on.
///
/// # Panics
/// Unless `rows.len()` is a multiple of 128 and equal to `columns.len()`.
pub fn transpose128(columns: &[Block], rows: &mut [Block]) {
    assert_eq!(columns.len(), rows.len(), "lengths");
    assert!(rows.len().is_multiple_of(128), "rows");
    let stride = rows.len() / 128;
    for (i, square) in rows.as_chunks_mut().0.iter_mut().enumerate() {
        for (c, block) in square.iter_mut().enumerate() {
            *block = columns[c * stride + i];
        }
        transpose_square(square);
    }
}

/// Swaps ever smaller quarters: first 64 x 64 bits, at last single bits.
fn transpose_square(x: &mut [Block; 128]) {
    let mut mask = u128::MAX;
    for step in [64, 32, 16, 8, 4, 2, 1] {
        mask ^= mask << step;
        for i in (0..128).filter(|i| i & step == 0) {
            let swap = ((x[i].0 >> step) ^ x[i + step].0) & mask;
            x[i].0 ^= swap << step;
            x[i + step].0 ^= swap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prg;

    #[test]
    fn every_bit_moves_to_its_place() {
        for stride in [0, 1, 2, 3, 4, 5, 8, 9] {
            let mut columns = vec![Block::ZERO; 128 * stride];
            Prg::new(Block(stride as u128)).blocks(&mut columns);
            let mut rows = vec![Block::ONE; 128 * stride];
            transpose128(&columns, &mut rows);
            for (r, row) in rows.iter().enumerate() {
                for c in 0..128 {
                    assert_eq!(row.bit(c), columns[c as usize * stride + r / 128].bit(r as u32 % 128));
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "rows")]
    fn partial_blocks() {
        transpose128(&[Block::ZERO; 64], &mut [Block::ZERO; 64]);
    }
}

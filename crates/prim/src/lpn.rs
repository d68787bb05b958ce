//! Primal LPN encoders: over F_2 here, over F_2^64 in [`FieldEncoder`]. This one: a public random matrix over F_2 with ten ones in every row.
//!
//! # The matrix
//! Rows come in groups of 32. Group `g` is made of the 80 blocks `AES_key(80 g), ..,
//! AES_key(80 g + 79)` (counters and blocks little-endian), read as 320 little-endian 32-bit
//! words; row `32 g + i` has its ones at the words `10 i .. 10 i + 10`, each reduced mod `k`, a
//! power of two. An index that occurs twice in a row cancels.

mod field;

pub use field::FieldEncoder;

use crate::aes::{Aes, Cipher};
use crate::simd::{Isa, Op, Table};
use crate::{Block, Kernel};

/// Rows that share one run of the key stream.
pub const GROUP: usize = 32;
/// Ones in a row.
pub const WEIGHT: usize = 10;
/// Blocks of key stream for a group.
const STREAM: usize = GROUP * WEIGHT / 4;

/// The matrix of a public key with `k = 2^log2_k` columns.
#[derive(Clone)]
pub struct Encoder {
    aes: Aes,
    log2_k: u32,
}

impl Encoder {
    /// The matrix of `key`, on the fastest kernel of this processor.
    ///
    /// # Panics
    /// If `log2_k > 31`.
    pub fn new(key: Block, log2_k: u32) -> Self {
        Self::with_kernel(key, log2_k, Kernel::active())
    }

    /// The matrix of `key`, on a given kernel.
    ///
    /// # Panics
    /// If `log2_k > 31`, or if this processor does not support the kernel.
    pub fn with_kernel(key: Block, log2_k: u32, kernel: Kernel) -> Self {
        assert!(log2_k <= 31, "columns");
        Self { aes: Aes::new(kernel.engine(), key), log2_k }
    }

    /// `out[i] ^=` the XOR of the table entries at the ones of row `first_row + i`.
    ///
    /// The matrix is public, so its indices may be addresses; the table is secret.
    ///
    /// # Panics
    /// Unless `table.len() == 2^log2_k` and `first_row` and `out.len()` are multiples of 32.
    pub fn encode(&self, first_row: u64, table: &[Block], out: &mut [Block]) {
        assert_eq!(table.len(), 1 << self.log2_k, "table");
        assert!(first_row.is_multiple_of(GROUP as u64), "first row");
        assert!(out.len().is_multiple_of(GROUP), "rows");
        self.aes.engine.run(Encode { keys: &self.aes.keys, group: first_row / GROUP as u64, table, out });
    }
}

struct Encode<'a> {
    keys: &'a [Block; 11],
    group: u64,
    table: &'a [Block],
    out: &'a mut [Block],
}

impl<S: Isa> Op<S> for Encode<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let cipher = Cipher::new(isa, self.keys);
        let table = Table::new(self.table);
        let mut counter = self.group * STREAM as u64;
        let mut streams = [[Block::ZERO; STREAM]; 2];
        let [now, next] = &mut streams;
        for blocks in now.chunks_exact_mut(5 * S::BLOCKS) {
            cipher.key_stream::<5>(counter, blocks);
            counter += blocks.len() as u64;
        }
        for rows in self.out.chunks_exact_mut(GROUP) {
            // two rows use five blocks; the key stream of the next group is made while the table
            // entries of this one are on their way from memory
            let words = bytemuck::cast_slice::<_, u32>(now).chunks_exact(20 * S::BLOCKS);
            let blocks = next.chunks_exact_mut(5 * S::BLOCKS);
            for ((rows, words), blocks) in rows.chunks_exact_mut(2 * S::BLOCKS).zip(words).zip(blocks) {
                cipher.key_stream::<5>(counter, blocks);
                counter += blocks.len() as u64;
                for (row, words) in rows.iter_mut().zip(words.chunks_exact(WEIGHT)) {
                    *row = words.iter().fold(*row, |sum, &word| sum ^ *table.get(word));
                }
            }
            std::mem::swap(now, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prg;
    use crate::aes::tests::encrypt;

    #[test]
    fn rows_follow_the_documented_layout_on_every_kernel() {
        for log2_k in [0, 1, 5, 10, 14] {
            let key = Block(0xabc + u128::from(log2_k));
            let mut table = vec![Block::ZERO; 1 << log2_k];
            Prg::new(Block(1)).blocks(&mut table);
            let words: Vec<u8> =
                (0..80 * 9).flat_map(|i| encrypt(Kernel::Portable, key, Block(i)).0.to_le_bytes()).collect();
            let mut start = vec![Block::ZERO; 9 * 32];
            Prg::new(Block(2)).blocks(&mut start);
            let expected: Vec<Block> = (0..9 * 32)
                .map(|row| {
                    (0..10).fold(start[row], |sum, i| {
                        let word = words[4 * (10 * row + i)..][..4].try_into().unwrap();
                        sum ^ table[u32::from_le_bytes(word) as usize % (1 << log2_k)]
                    })
                })
                .collect();
            for kernel in Kernel::supported() {
                for (from, to) in [(0, 9), (0, 0), (0, 1), (3, 5), (8, 9), (1, 9)] {
                    let (from, to) = (32 * from, 32 * to);
                    let mut out = start[from..to].to_vec();
                    Encoder::with_kernel(key, log2_k, kernel).encode(from as u64, &table, &mut out);
                    assert_eq!(out, expected[from..to], "{kernel:?} {log2_k} {from} {to}");
                }
            }
        }
    }

    #[test]
    fn late_rows_use_late_counters() {
        let table: Vec<Block> = (0..1 << 10).map(|i| Block(i * i + 1)).collect();
        let group = (1u64 << 40) + 3;
        let encoder = Encoder::new(Block(5), 10);
        let counters = (0..80).map(|i| Block(80 * u128::from(group) + i));
        let stream: Vec<Block> = counters.map(|x| encrypt(Kernel::Portable, Block(5), x)).collect();
        let first = bytemuck::cast_slice::<_, u32>(&stream)[..10]
            .iter()
            .fold(Block::ZERO, |sum, w| sum ^ table[*w as usize & 1023]);
        let mut out = [Block::ZERO; 32];
        encoder.encode(32 * group, &table, &mut out);
        assert_eq!(out[0], first);
    }
}

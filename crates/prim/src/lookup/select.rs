//! The sum or XOR of the table entries that a row of secret bits selects.

use crate::ct::{bit_mask, row_words};
use crate::simd::{ByteIsa, MAX_BLOCKS, Op};
use crate::{Block, Kernel, Ring};

/// `ADD`: the sum, else the XOR.
pub(super) fn select<R: Ring, const ADD: bool>(kernel: Kernel, rows: &[u64], table: &[R], out: &mut [R]) {
    let words = row_words(table.len());
    assert_eq!(rows.len(), out.len() * words, "rows");
    if let Err(op) = kernel.engine().run_bytes(Select::<R, ADD> { rows, words, table, out }) {
        op.entry_by_entry();
    }
}

struct Select<'a, R, const ADD: bool> {
    rows: &'a [u64],
    words: usize,
    table: &'a [R],
    out: &'a mut [R],
}

impl<R: Ring, const ADD: bool> Select<'_, R, ADD> {
    fn entry_by_entry(self) {
        for (row, out) in self.rows.chunks_exact(self.words).zip(self.out) {
            let mut sum = 0u64;
            for (&word, entries) in row.iter().zip(self.table.chunks(64)) {
                for (entry, j) in entries.iter().zip(0..) {
                    let chosen = entry.to_u64() & bit_mask(word >> j & 1);
                    sum = if ADD { sum.wrapping_add(chosen) } else { sum ^ chosen };
                }
            }
            *out = R::from_u64(sum);
        }
    }
}

impl<R: Ring, const ADD: bool> Select<'_, R, ADD> {
    /// The table as blocks, padded with zeros to the 64 entries of a word.
    fn aligned_table(&self) -> Vec<Block> {
        let mut table = vec![Block::ZERO; 64 * self.words * R::WIDTH as usize / 128];
        bytemuck::cast_slice_mut(&mut table)[..self.table.len()].copy_from_slice(self.table);
        table
    }
}

impl<S: ByteIsa, R: Ring, const ADD: bool> Op<S> for Select<'_, R, ADD> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let padded;
        let table = match bytemuck::try_cast_slice::<R, Block>(self.table) {
            Ok(table) if self.table.len() >= 64 => table,
            _ => {
                padded = self.aligned_table();
                &padded
            }
        };
        // four rows at a time, so that the table is read once for all of them
        let mut rows = self.rows.chunks_exact(4 * self.words);
        let mut out = self.out.chunks_exact_mut(4);
        for (rows, out) in (&mut rows).zip(&mut out) {
            out.copy_from_slice(&rows_at_once::<S, R, ADD, 4>(isa, rows, table));
        }
        for (row, out) in rows.remainder().chunks_exact(self.words).zip(out.into_remainder()) {
            [*out] = rows_at_once::<S, R, ADD, 1>(isa, row, table);
        }
    }
}

#[inline(always)]
fn rows_at_once<S: ByteIsa, R: Ring, const ADD: bool, const W: usize>(
    isa: S,
    rows: &[u64],
    table: &[Block],
) -> [R; W] {
    let spread = Spread::of::<R>();
    let per_word = R::WIDTH as usize / 2;
    let words = rows.len() / W;
    let mut sums = [isa.splat(Block::ZERO); W];
    for (w, entries) in table.chunks_exact(per_word).enumerate() {
        let mut bits = sums;
        for (bits, row) in bits.iter_mut().zip(rows.chunks_exact(words)) {
            *bits = isa.splat_word(row[w]);
        }
        let vectors = entries.chunks_exact(S::BLOCKS);
        let bytes = spread.bytes[..per_word].chunks_exact(S::BLOCKS);
        let masks = spread.bits[..per_word].chunks_exact(S::BLOCKS);
        for ((entries, byte), bit) in vectors.zip(bytes).zip(masks) {
            let (entries, byte, bit) = (isa.load(entries), isa.load(byte), isa.load(bit));
            for (sum, &bits) in sums.iter_mut().zip(&bits) {
                let mask = isa.has_bits::<R>(isa.permute_bytes(bits, byte), bit);
                let chosen = isa.and(mask, entries);
                *sum = if ADD { isa.add::<R>(*sum, chosen) } else { isa.xor(*sum, chosen) };
            }
        }
    }
    let mut out = [R::default(); W];
    for (out, sum) in out.iter_mut().zip(sums) {
        let mut blocks = [Block::ZERO; MAX_BLOCKS];
        isa.store(sum, &mut blocks[..S::BLOCKS]);
        *out = R::from_u64(fold::<R, ADD>(bytemuck::cast_slice(&blocks[..S::BLOCKS])));
    }
    out
}

/// The sum or XOR of all words of `R` in `words`, in its low bits.
#[inline(always)]
fn fold<R: Ring, const ADD: bool>(words: &[u64]) -> u64 {
    const EVEN_BYTES: u64 = 0x00ff_00ff_00ff_00ff;
    const EVEN_PAIRS: u64 = 0x0000_ffff_0000_ffff;
    let mut all = 0u64;
    for &word in words {
        if !ADD {
            all ^= word;
            continue;
        }
        // every word of R goes to one of twice its width, so that nothing carries into the next
        let pairs = match R::WIDTH {
            8 => (word & EVEN_BYTES) + (word >> 8 & EVEN_BYTES),
            16 => (word & EVEN_PAIRS) + (word >> 16 & EVEN_PAIRS),
            32 => (word & 0xffff_ffff) + (word >> 32),
            _ => word,
        };
        all = all.wrapping_add(pairs);
    }
    let width = if ADD { 2 * R::WIDTH } else { R::WIDTH };
    for shift in [32, 16, 8] {
        if shift >= width {
            all = if ADD { all.wrapping_add(all >> shift) } else { all ^ all >> shift };
        }
    }
    all
}

/// How 64 bits select 64 words of `R`, one after the other in memory: each byte gets a byte of
/// the bits, and the lowest byte of a word keeps one bit of it.
struct Spread {
    bytes: [Block; 32],
    bits: [Block; 32],
}

impl Spread {
    #[inline(always)]
    fn of<R: Ring>() -> &'static Spread {
        const SPREADS: [Spread; 4] = [Spread::new(1), Spread::new(2), Spread::new(4), Spread::new(8)];
        &SPREADS[R::WIDTH.trailing_zeros() as usize - 3]
    }

    /// For words of `width` bytes.
    const fn new(width: usize) -> Spread {
        let mut spread = Spread { bytes: [Block::ZERO; 32], bits: [Block::ZERO; 32] };
        let mut at = 0;
        while at < 64 * width {
            let (word, shift) = (at / width, at % 16 * 8);
            spread.bytes[at / 16].0 |= (word as u128 / 8) << shift;
            if at % width == 0 {
                spread.bits[at / 16].0 |= (1 << (word % 8)) << shift;
            }
            at += 1;
        }
        spread
    }
}

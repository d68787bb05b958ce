//! The sum or XOR of the table entries that a row of secret bits selects, added to what is there.

use std::array;

use super::parts::combine;
use crate::ct::{bit_mask, row_words};
use crate::simd::{ByteIsa, MAX_BLOCKS, Op};
use crate::{Block, Kernel, Ring};

/// Tables that are read at once: the bits of a row are spread to masks for all of them.
const TABLES: usize = 4;

/// `ADD`: the sum, else the XOR.
pub(super) fn select<R: Ring, const ADD: bool>(
    kernel: Kernel,
    rows: &[u64],
    tables: &[&[R]],
    out: &mut [&mut [R]],
) {
    assert_eq!(tables.len(), out.len(), "tables");
    for (tables, out) in tables.chunks(TABLES).zip(out.chunks_mut(TABLES)) {
        let words = row_words(tables[0].len());
        assert!(tables.iter().all(|table| table.len() == tables[0].len()), "entries");
        assert!(out.iter().all(|out| rows.len() == out.len() * words), "rows");
        if let Err(op) = kernel.engine().run_bytes(Select::<R, ADD> { rows, words, tables, out }) {
            op.entry_by_entry();
        }
    }
}

struct Select<'a, 'b, R, const ADD: bool> {
    rows: &'a [u64],
    words: usize,
    tables: &'a [&'a [R]],
    out: &'a mut [&'b mut [R]],
}

impl<R: Ring, const ADD: bool> Select<'_, '_, R, ADD> {
    fn entry_by_entry(self) {
        for (table, out) in self.tables.iter().zip(self.out) {
            for (row, out) in self.rows.chunks_exact(self.words).zip(out.iter_mut()) {
                let mut sum = out.to_u64();
                for (&word, entries) in row.iter().zip(table.chunks(64)) {
                    for (entry, j) in entries.iter().zip(0..) {
                        let chosen = entry.to_u64() & bit_mask(word >> j & 1);
                        sum = if ADD { sum.wrapping_add(chosen) } else { sum ^ chosen };
                    }
                }
                *out = R::from_u64(sum);
            }
        }
    }

    /// The table as blocks, padded with zeros to the 64 entries of a word.
    fn aligned(&self, table: &[R]) -> Vec<Block> {
        let mut blocks = vec![Block::ZERO; 64 * self.words * R::WIDTH as usize / 128];
        bytemuck::cast_slice_mut(&mut blocks)[..table.len()].copy_from_slice(table);
        blocks
    }

    /// Of `C` tables, `W` rows at a time.
    #[inline(always)]
    fn read<S: ByteIsa, const C: usize, const W: usize>(self, isa: S) {
        let padded: [Vec<Block>; C];
        let mut tables: [&[Block]; C] = [&[]; C];
        if self.tables.iter().all(|t| t.len() >= 64 && bytemuck::try_cast_slice::<R, Block>(t).is_ok()) {
            for (blocks, table) in tables.iter_mut().zip(self.tables) {
                *blocks = bytemuck::cast_slice(table);
            }
        } else {
            padded = array::from_fn(|q| self.aligned(self.tables[q]));
            for (blocks, table) in tables.iter_mut().zip(&padded) {
                *blocks = table;
            }
        }
        let (words, out) = (self.words, self.out);
        for (rows, at) in self.rows.chunks(W * words).zip((0..).step_by(W)) {
            if rows.len() == W * words {
                rows_at_once::<S, R, ADD, C, W>(isa, rows, &tables, at, out);
            } else {
                for (row, at) in rows.chunks_exact(words).zip(at..) {
                    rows_at_once::<S, R, ADD, C, 1>(isa, row, &tables, at, out);
                }
            }
        }
    }
}

impl<S: ByteIsa, R: Ring, const ADD: bool> Op<S> for Select<'_, '_, R, ADD> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        // as many rows as there are registers for
        match self.tables.len() {
            1 => self.read::<S, 1, 4>(isa),
            2 => self.read::<S, 2, 4>(isa),
            3 => self.read::<S, 3, 2>(isa),
            _ => self.read::<S, TABLES, 2>(isa),
        }
    }
}

/// To places `at` and up of `out`.
#[inline(always)]
fn rows_at_once<S: ByteIsa, R: Ring, const ADD: bool, const C: usize, const W: usize>(
    isa: S,
    rows: &[u64],
    tables: &[&[Block]; C],
    at: usize,
    out: &mut [&mut [R]],
) {
    let spread = Spread::of::<R>();
    let per_word = R::WIDTH as usize / 2;
    let words = rows.len() / W;
    let mut sums = [[isa.splat(Block::ZERO); W]; C];
    let mut bits = [isa.splat(Block::ZERO); W];
    for w in 0..words {
        for (bits, row) in bits.iter_mut().zip(rows.chunks_exact(words)) {
            *bits = isa.splat_word(row[w]);
        }
        let mut entries: [&[Block]; C] = [&[]; C];
        for (entries, table) in entries.iter_mut().zip(tables) {
            *entries = &table[w * per_word..][..per_word];
        }
        for from in (0..per_word).step_by(S::BLOCKS) {
            let place = isa.load(&spread.bytes[from..][..S::BLOCKS]);
            let bit = isa.load(&spread.bits[from..][..S::BLOCKS]);
            let first = isa.load(&entries[0][from..][..S::BLOCKS]);
            for (i, &bits) in bits.iter().enumerate() {
                let bits = if R::WIDTH == 64 { bits } else { isa.permute_bytes(bits, place) };
                let mask = isa.has_bits::<R>(bits, bit);
                for (sums, entries) in sums.iter_mut().zip(&entries) {
                    // there are registers for the entries of one table
                    let entries = if C == 1 { first } else { isa.load(&entries[from..][..S::BLOCKS]) };
                    let chosen = isa.and(mask, entries);
                    sums[i] = if ADD { isa.add::<R>(sums[i], chosen) } else { isa.xor(sums[i], chosen) };
                }
            }
        }
    }
    for (out, sums) in out.iter_mut().zip(sums) {
        let mut words = [0; W];
        for (word, sum) in words.iter_mut().zip(sums) {
            let mut blocks = [Block::ZERO; MAX_BLOCKS];
            isa.store(sum, &mut blocks[..S::BLOCKS]);
            *word = fold::<R, ADD>(bytemuck::cast_slice(&blocks[..S::BLOCKS]));
        }
        combine::<R, ADD>(&mut out[at..], words);
    }
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

/// How 64 bits select 64 words of `R`, one after the other in memory: each byte gets a byte of the bits, and the
/// lowest byte of a word keeps one bit of it. Words of 64 bits need no places: they get all bits, and keep one.
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
            let byte = if width == 8 { word / 8 } else { 0 };
            if at % width == byte {
                spread.bits[at / 16].0 |= (1 << (word % 8)) << shift;
            }
            at += 1;
        }
        spread
    }
}

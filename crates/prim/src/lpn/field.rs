//! The primal LPN encoder over F_2^64: the matrix of [`Encoder`](super::Encoder) with a random coefficient in place of
//! every one.
//!
//! # The matrix
//! Rows come in groups of 32. The places of group `g` are those of the other encoder, under the first key. Its
//! coefficients are the 160 blocks `AES_key(160 g), .., AES_key(160 g + 159)` under the second, read as 320 little-endian
//! words of 64 bits: row `32 g + i` has coefficient `10 i + j` at place `10 i + j`. A place that occurs twice in a row
//! has the sum of both coefficients.

use super::{GROUP, STREAM, WEIGHT};
use crate::aes::{Aes, Cipher};
use crate::gf64::{portable, reduce};
use crate::simd::{Op, ProductIsa, Table};
use crate::{Block, Kernel};

/// Blocks of coefficients for a group.
const COEFFICIENTS: usize = 2 * STREAM;

/// The matrix of two public keys with `k = 2^log2_k` columns.
#[derive(Clone)]
pub struct FieldEncoder {
    places: Aes,
    coefficients: Aes,
    log2_k: u32,
}

impl FieldEncoder {
    /// The matrix of the keys of places and of coefficients, on the fastest kernel of this processor.
    ///
    /// # Panics
    /// If `log2_k > 31`.
    pub fn new(places: Block, coefficients: Block, log2_k: u32) -> Self {
        Self::with_kernel(places, coefficients, log2_k, Kernel::active())
    }

    /// The same on a given kernel.
    ///
    /// # Panics
    /// If `log2_k > 31`, or if this processor does not support the kernel.
    pub fn with_kernel(places: Block, coefficients: Block, log2_k: u32, kernel: Kernel) -> Self {
        assert!(log2_k <= 31, "columns");
        let [places, coefficients] = [places, coefficients].map(|key| Aes::new(kernel.engine(), key));
        Self { places, coefficients, log2_k }
    }

    /// `out[i] +=` row `first_row + i` times the table, whose entries are pairs over the field.
    ///
    /// The matrix is public, so its places may be addresses; the table is secret.
    ///
    /// # Panics
    /// Unless `table.len() == 2^log2_k` and `first_row` and `out.len()` are multiples of 32.
    pub fn encode(&self, first_row: u64, table: &[Block], out: &mut [Block]) {
        self.run::<1>(first_row, bytemuck::cast_slice(table), out, &mut []);
    }

    /// The same of words besides, by the same rows. Each entry of the table is a pair and, in the low half of the second
    /// block, a word: they come from memory together.
    ///
    /// # Panics
    /// As [`encode`](Self::encode), and unless both outputs are as long as each other.
    pub fn encode_both(
        &self,
        first_row: u64,
        table: &[[Block; 2]],
        out: &mut [Block],
        out_words: &mut [u64],
    ) {
        assert_eq!(out_words.len(), out.len(), "rows");
        self.run::<2>(first_row, table, out, out_words);
    }

    fn run<const N: usize>(
        &self,
        first_row: u64,
        table: &[[Block; N]],
        out: &mut [Block],
        out_words: &mut [u64],
    ) {
        assert_eq!(table.len(), 1 << self.log2_k, "table");
        assert!(first_row.is_multiple_of(GROUP as u64), "first row");
        assert!(out.len().is_multiple_of(GROUP), "rows");
        let Self { places, coefficients, .. } = self;
        let group = first_row / GROUP as u64;
        let op = Encode { places, coefficients, group, table, out, out_words };
        if let Err(op) = places.engine.run_products(op) {
            op.plainly();
        }
    }
}

/// Of a table whose entries are pairs, or a pair and a word each.
struct Encode<'a, const N: usize> {
    places: &'a Aes,
    coefficients: &'a Aes,
    group: u64,
    table: &'a [[Block; N]],
    out: &'a mut [Block],
    /// Empty where there are no words.
    out_words: &'a mut [u64],
}

/// What a group's rows are made of.
#[derive(Clone, Copy)]
struct Streams {
    places: [Block; STREAM],
    coefficients: [Block; COEFFICIENTS],
}

impl Streams {
    const EMPTY: Self = Self { places: [Block::ZERO; STREAM], coefficients: [Block::ZERO; COEFFICIENTS] };
}

impl<const N: usize> Encode<'_, N> {
    /// Without carry-less products of the processor.
    fn plainly(self) {
        let table = Table::new(self.table);
        let mut streams = Streams::EMPTY;
        let mut out_words = self.out_words.chunks_exact_mut(GROUP);
        for (group, rows) in (self.group..).zip(self.out.chunks_exact_mut(GROUP)) {
            self.places.key_stream(group * STREAM as u64, &mut streams.places);
            self.coefficients.key_stream(group * COEFFICIENTS as u64, &mut streams.coefficients);
            let places = bytemuck::cast_slice::<_, u32>(&streams.places);
            let coefficients = bytemuck::cast_slice::<_, u64>(&streams.coefficients);
            let mut row_words = out_words.next();
            for (i, row) in rows.iter_mut().enumerate() {
                let mut sum = portable::Sum::default();
                let at = WEIGHT * i..WEIGHT * (i + 1);
                for (&place, &c) in places[at.clone()].iter().zip(&coefficients[at.clone()]) {
                    sum.add(c, table.get(place)[0]);
                }
                *row ^= sum.reduce();
                if let Some(row_words) = &mut row_words {
                    for (&place, &c) in places[at.clone()].iter().zip(&coefficients[at]) {
                        row_words[i] ^= portable::product(c, table.get(place)[N - 1].0 as u64);
                    }
                }
            }
        }
    }
}

impl<S: ProductIsa, const N: usize> Op<S> for Encode<'_, N> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let ciphers = (Cipher::new(isa, &self.places.keys), Cipher::new(isa, &self.coefficients.keys));
        let table = Table::new(self.table);
        let mut counter = self.group * STREAM as u64;
        let mut streams = [Streams::EMPTY; 2];
        let [mut now, mut next] = streams.each_mut();
        for part in 0..GROUP / (2 * S::BLOCKS) {
            draw(&ciphers, &mut counter, part, now);
        }
        for (g, rows) in self.out.chunks_exact_mut(GROUP).enumerate() {
            // the streams of the next group are made while the table's entries are on their way from memory
            for (part, rows) in rows.chunks_exact_mut(2 * S::BLOCKS).enumerate() {
                draw(&ciphers, &mut counter, part, next);
                for (i, row) in rows.iter_mut().enumerate() {
                    let at = 2 * S::BLOCKS * part + i;
                    let places = &bytemuck::cast_slice::<_, u32>(&now.places)[WEIGHT * at..][..WEIGHT];
                    let coefficients = &now.coefficients[WEIGHT / 2 * at..][..WEIGHT / 2];
                    let sum = if N == 1 {
                        one_row(isa.single(), table, places, coefficients)
                    } else {
                        one_row(isa.pair(), table, places, coefficients)
                    };
                    *row ^= sum[0];
                    if N == 2 {
                        self.out_words[g * GROUP + at] ^= sum[1].0 as u64;
                    }
                }
            }
            std::mem::swap(&mut now, &mut next);
        }
    }
}

/// The next parts of both streams, for `2 * BLOCKS` rows.
#[inline(always)]
fn draw<S: ProductIsa>(
    (places, coefficients): &(Cipher<S>, Cipher<S>),
    counter: &mut u64,
    part: usize,
    streams: &mut Streams,
) {
    let (at, blocks) = (5 * S::BLOCKS * part, 5 * S::BLOCKS);
    places.key_stream::<5>(*counter, &mut streams.places[at..][..blocks]);
    let (first, second) = streams.coefficients[2 * at..][..2 * blocks].split_at_mut(blocks);
    coefficients.key_stream::<5>(2 * *counter, first);
    coefficients.key_stream::<5>(2 * *counter + blocks as u64, second);
    *counter += blocks as u64;
}

/// A row times the table, with as many blocks of an entry at once as a vector holds.
#[inline(always)]
fn one_row<S: ProductIsa, const N: usize>(
    isa: S,
    table: Table<[Block; N]>,
    places: &[u32],
    coefficients: &[Block],
) -> [Block; N] {
    let mut out = [Block::ZERO; N];
    for at in (0..N).step_by(S::BLOCKS) {
        let [mut low, mut high] = [isa.splat(Block::ZERO); 2];
        for (places, &c) in places.as_chunks::<2>().0.iter().zip(coefficients) {
            let c = isa.splat(c);
            let [x, y] = places.map(|place| isa.load(&table.get(place)[at..][..S::BLOCKS]));
            low = isa.xor(low, isa.xor(isa.product::<false, false>(c, x), isa.product::<true, false>(c, y)));
            // A word alone has no upper half.
            if at == 0 {
                high =
                    isa.xor(high, isa.xor(isa.product::<false, true>(c, x), isa.product::<true, true>(c, y)));
            }
        }
        isa.store(reduce(isa, low, high), &mut out[at..][..S::BLOCKS]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Prg, gf64};

    /// Row by row from the documented layout, on every kernel, wherever a call begins and ends.
    #[test]
    fn rows_follow_the_documented_layout() {
        for log2_k in [0, 1, 5, 10, 14] {
            let keys = [Block(0xabc + u128::from(log2_k)), Block(0xdef)];
            let mut prg = Prg::new(Block(3));
            let mut table = vec![Block::ZERO; 1 << log2_k];
            prg.blocks(&mut table);
            let mut words = vec![0; 1 << log2_k];
            prg.words(64, &mut words);
            let both: Vec<_> =
                table.iter().zip(&words).map(|(&pair, &word)| [pair, Block(word.into())]).collect();
            let mut start = vec![Block::ZERO; 9 * 32];
            prg.blocks(&mut start);
            let streams = keys.map(|key| {
                let mut stream = vec![Block::ZERO; 160 * 9];
                Aes::new(Kernel::Portable.engine(), key).key_stream(0, &mut stream);
                stream
            });
            let places: &[u32] = bytemuck::cast_slice(&streams[0]);
            let coefficients: &[u64] = bytemuck::cast_slice(&streams[1]);
            let row = |row: usize| {
                let terms =
                    (10 * row..10 * row + 10).map(|i| (places[i] as usize % (1 << log2_k), coefficients[i]));
                let pairs = terms.clone().map(|(place, c)| gf64::inner(&[c], &[table[place]]));
                let pair = pairs.fold(start[row], |sum, x| sum ^ x);
                (pair, terms.fold(row as u64, |sum, (place, c)| sum ^ gf64::product(c, words[place])))
            };
            let (pairs, of_words): (Vec<_>, Vec<_>) = (0..9 * 32).map(row).unzip();
            for kernel in Kernel::supported() {
                let encoder = FieldEncoder::with_kernel(keys[0], keys[1], log2_k, kernel);
                for (from, to) in [(0, 9), (0, 0), (0, 1), (3, 5), (8, 9), (1, 9)] {
                    let (from, to) = (32 * from, 32 * to);
                    let mut out = start[from..to].to_vec();
                    encoder.encode(from as u64, &table, &mut out);
                    assert_eq!(out, pairs[from..to], "{kernel:?} {log2_k} {from} {to}");
                    let mut out = start[from..to].to_vec();
                    let mut out_words: Vec<u64> = (from as u64..to as u64).collect();
                    encoder.encode_both(from as u64, &both, &mut out, &mut out_words);
                    assert!(out == pairs[from..to] && out_words == of_words[from..to], "{kernel:?} {log2_k}");
                }
            }
        }
    }

    /// The coefficients are not ones, nor the same in a row or a column (join-spec 1).
    #[test]
    fn coefficients_are_many() {
        let mut out = [Block::ZERO; 32];
        FieldEncoder::new(Block(1), Block(2), 0).encode(0, &[Block::ONE], &mut out);
        let mut sums: Vec<u128> = out.iter().map(|x| x.0).collect();
        sums.sort_unstable();
        sums.dedup();
        assert!(sums.len() == 32 && sums.iter().all(|&x| x > 1 << 40 && x < 1 << 64));
    }
}

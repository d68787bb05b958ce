//! Strings of correlated OTs from the streams of SoftSpoken's trees: made, summed and transposed in tiles that stay
//! in the first-level cache. No stream goes to memory.
//!
//! `128 / k` groups have `2^k` streams each, the bytes `AES_seed(0), AES_seed(1), ..` (counters and blocks
//! little-endian). With `L_x` the next bits of stream `x` of group `g`, its total is `XOR_x L_x`, and its columns are
//! `XOR_{x: bit j of x} L_x`, for each bit `j < k`: number `g k + j` of 128. String `i` has bit `i` of each column.

use crate::aes::Aes;
use crate::simd::{Engine, Isa, MAX_BLOCKS, Op};
use crate::{Block, Kernel, Wiped, transpose, wipe};

/// Blocks of a column in a tile: whole vectors of every kernel.
const TILE: usize = 16;

type Keys = [Block; 11];

/// The streams of one side of a SoftSpoken OT, with `k` = 1, 2, 4 or 8. Calls take their next bits.
pub struct Streams {
    engine: Engine,
    k: u32,
    /// Round keys of one stream after the other.
    keys: Wiped<Keys>,
    next: u64,
    columns: Wiped<Block>,
}

impl Streams {
    /// The streams of these seeds, on the fastest kernel of this processor.
    ///
    /// # Panics
    /// Unless `k` is 1, 2, 4 or 8 and there are `2^k * 128 / k` seeds.
    pub fn new(k: u32, seeds: &[Block]) -> Self {
        Self::with_kernel(k, seeds, Kernel::active())
    }

    /// The streams of these seeds, on a given kernel.
    ///
    /// # Panics
    /// As [`new`](Self::new), and if this processor does not support the kernel.
    pub fn with_kernel(k: u32, seeds: &[Block], kernel: Kernel) -> Self {
        assert!([1, 2, 4, 8].contains(&k), "bits of a subfield");
        assert_eq!(seeds.len(), (128 / k as usize) << k, "seeds");
        let engine = kernel.engine();
        let mut keys = Wiped::zeros(seeds.len());
        keys.iter_mut().zip(seeds).for_each(|(keys, &seed)| *keys = Aes::new(engine, seed).keys);
        Self { engine, k, keys, next: 0, columns: Wiped::zeros(128 * TILE) }
    }

    /// Bits of the subfield.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// The next block of each stream.
    pub fn blocks(&mut self) -> Wiped<Block> {
        let (mut out, mut ahead) = (Wiped::zeros(self.keys.len()), [Block::ZERO; MAX_BLOCKS]);
        for (out, keys) in out.iter_mut().zip(self.keys.iter()) {
            self.engine.run(Blocks { keys, first: self.next, out: &mut ahead });
            *out = ahead[0];
        }
        wipe(&mut ahead);
        self.next += 1;
        out
    }

    /// The receiver's strings, with the choice bits `b`, which are the total of group 0, as lowest bits; and for every
    /// other group its total XOR `b`, one after the other.
    ///
    /// # Panics
    /// Unless there are a multiple of 128 strings and `128 / k - 1` bits of message for each.
    pub fn receive(&mut self, strings: &mut [Block], message: &mut [u8]) {
        let message = bytes_of(message, strings, self.k);
        let first = self.advance(strings);
        let Self { engine, keys, columns, .. } = self;
        match self.k {
            1 => engine.run(Receive::<1> { keys, first, columns, strings, message }),
            2 => engine.run(Receive::<2> { keys, first, columns, strings, message }),
            4 => engine.run(Receive::<4> { keys, first, columns, strings, message }),
            _ => engine.run(Receive::<8> { keys, first, columns, strings, message }),
        }
        wipe(columns);
    }

    /// The sender's strings, from the receiver's message. Stream `x` of a group is the receiver's stream `x` XOR the
    /// group's bits of `delta`; number 0, which the sender does not know, is not read. The lowest bits are 0.
    ///
    /// # Panics
    /// As [`receive`](Self::receive).
    pub fn send(&mut self, delta: Block, message: &[Block], strings: &mut [Block]) {
        let words = strings.len() / 128;
        assert!(strings.len().is_multiple_of(128), "strings");
        assert_eq!(message.len(), (128 / self.k as usize - 1) * words, "message");
        let first = self.advance(strings);
        let mut masks = Wiped::zeros(128);
        masks.iter_mut().zip(0..).for_each(|(mask, i)| *mask = Block::mask(delta.bit(i)));
        let Self { engine, keys, columns, .. } = self;
        let masks = &masks;
        match self.k {
            1 => engine.run(Send::<1> { keys, first, columns, strings, message, masks }),
            2 => engine.run(Send::<2> { keys, first, columns, strings, message, masks }),
            4 => engine.run(Send::<4> { keys, first, columns, strings, message, masks }),
            _ => engine.run(Send::<8> { keys, first, columns, strings, message, masks }),
        }
        wipe(columns);
    }

    fn advance(&mut self, strings: &[Block]) -> u64 {
        let first = self.next;
        self.next += (strings.len() / 128) as u64;
        first
    }
}

fn bytes_of<'a>(message: &'a mut [u8], strings: &[Block], k: u32) -> &'a mut [u8] {
    assert!(strings.len().is_multiple_of(128), "strings");
    assert_eq!(message.len(), (128 / k as usize - 1) * strings.len() / 8, "message");
    message
}

/// The next blocks of one stream.
struct Blocks<'a> {
    keys: &'a Keys,
    first: u64,
    out: &'a mut [Block; MAX_BLOCKS],
}

impl<S: Isa> Op<S> for Blocks<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let [v] = encrypt::<S, 1>(isa, self.keys, self.first);
        isa.store(v, &mut self.out[..S::BLOCKS]);
    }
}

struct Receive<'a, const K: usize> {
    keys: &'a [Keys],
    first: u64,
    columns: &'a mut [Block],
    strings: &'a mut [Block],
    message: &'a mut [u8],
}

impl<S: Isa, const K: usize> Op<S> for Receive<'_, K> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let words = self.strings.len() / 128;
        let (mut choices, mut total) = ([Block::ZERO; TILE], [Block::ZERO; TILE]);
        for (tile, strings) in self.strings.chunks_mut(128 * TILE).enumerate() {
            let (at, len) = (tile * TILE, strings.len() / 128);
            for (g, keys) in self.keys.chunks_exact(1 << K).enumerate() {
                let columns = &mut self.columns[g * K * TILE..][..K * TILE];
                group::<S, K>(isa, keys, self.first + at as u64, (0, len), columns, &mut total);
                if g == 0 {
                    choices = total;
                    continue;
                }
                for (total, &b) in total.iter_mut().zip(&choices) {
                    *total ^= b;
                }
                let to = &mut self.message[16 * ((g - 1) * words + at)..][..16 * len];
                to.copy_from_slice(bytemuck::cast_slice(&total[..len]));
            }
            // bit 0 of delta is 1, so column 0 would differ by the choice bit: the sender has 0 there
            self.columns[..TILE].copy_from_slice(&choices);
            transpose::squares(self.columns, TILE, strings);
        }
        wipe(&mut choices);
        wipe(&mut total);
    }
}

struct Send<'a, const K: usize> {
    keys: &'a [Keys],
    first: u64,
    columns: &'a mut [Block],
    strings: &'a mut [Block],
    message: &'a [Block],
    /// The bits of delta.
    masks: &'a [Block],
}

impl<S: Isa, const K: usize> Op<S> for Send<'_, K> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let words = self.strings.len() / 128;
        let mut total = [Block::ZERO; TILE];
        for (tile, strings) in self.strings.chunks_mut(128 * TILE).enumerate() {
            let (at, len) = (tile * TILE, strings.len() / 128);
            for (g, keys) in self.keys.chunks_exact(1 << K).enumerate() {
                let columns = &mut self.columns[g * K * TILE..][..K * TILE];
                group::<S, K>(isa, keys, self.first + at as u64, (1, len), columns, &mut total);
                if g == 0 {
                    continue; // the choice bits are this group's: nothing to correct
                }
                let corrections = &self.message[(g - 1) * words + at..][..len];
                for (column, &mask) in columns.chunks_exact_mut(TILE).zip(&self.masks[g * K..]) {
                    for (w, &c) in column.iter_mut().zip(corrections) {
                        *w ^= c & mask;
                    }
                }
            }
            self.columns[..TILE].fill(Block::ZERO);
            transpose::squares(self.columns, TILE, strings);
        }
        wipe(&mut total);
    }
}

/// The columns and the total of one group from counter `first` on, `len` blocks of each or up to the end of a vector;
/// streams below `from` count as zero.
#[inline(always)]
fn group<S: Isa, const K: usize>(
    isa: S,
    keys: &[Keys],
    first: u64,
    (from, len): (usize, usize),
    columns: &mut [Block],
    total: &mut [Block; TILE],
) {
    let mut at = 0;
    while at < len {
        // as many vectors as keep the units for AES busy, and fit in a tile
        at += if S::BLOCKS == MAX_BLOCKS || len - at <= S::BLOCKS {
            strip::<S, K, 1>(isa, keys, first, (from, at), columns, total)
        } else if S::BLOCKS == 4 {
            strip::<S, K, 4>(isa, keys, first, (from, at), columns, total)
        } else {
            strip::<S, K, 8>(isa, keys, first, (from, at), columns, total)
        };
    }
}

/// `W` vectors of each column and of the total, from place `at` of the tile on. Streams are added up as they are made,
/// pairs, then pairs of pairs: two additions a stream. Returns how many blocks.
#[inline(always)]
fn strip<S: Isa, const K: usize, const W: usize>(
    isa: S,
    keys: &[Keys],
    first: u64,
    (from, at): (usize, usize),
    columns: &mut [Block],
    total: &mut [Block; TILE],
) -> usize {
    let zero = [isa.splat(Block::ZERO); W];
    // of each level: the lower half of the pair that is under way; the sum of all upper halves
    let (mut lower, mut upper) = ([zero; K], [zero; K]);
    let mut sum = zero;
    for (x, keys) in keys.iter().enumerate() {
        sum = if x < from { zero } else { encrypt(isa, keys, first + at as u64) };
        // which streams are added is by their public number
        let full = (x.trailing_ones() as usize).min(K);
        for (lower, upper) in lower.iter().zip(&mut upper).take(full) {
            add(isa, upper, &sum);
            add(isa, &mut sum, lower);
        }
        if full < K {
            lower[full] = sum;
        }
    }
    for (upper, column) in upper.iter().zip(columns.chunks_exact_mut(TILE)) {
        store(isa, upper, &mut column[at..]);
    }
    store(isa, &sum, &mut total[at..]);
    W * S::BLOCKS
}

#[inline(always)]
fn add<S: Isa, const W: usize>(isa: S, to: &mut [S::V; W], from: &[S::V; W]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = isa.xor(*to, from);
    }
}

#[inline(always)]
fn store<S: Isa, const W: usize>(isa: S, vectors: &[S::V; W], to: &mut [Block]) {
    for (&v, to) in vectors.iter().zip(to.chunks_exact_mut(S::BLOCKS)) {
        isa.store(v, to);
    }
}

/// `AES(first), AES(first + 1), ..`, a round of all vectors after the other.
#[inline(always)]
fn encrypt<S: Isa, const W: usize>(isa: S, keys: &Keys, first: u64) -> [S::V; W] {
    let mut xs = [isa.splat(keys[0]); W];
    for (x, i) in xs.iter_mut().zip(0..) {
        *x = isa.xor(*x, isa.counters(first + i * S::BLOCKS as u64));
    }
    for key in &keys[1..10] {
        let key = isa.splat(*key);
        for x in &mut xs {
            *x = isa.hold(isa.round(*x, key));
        }
    }
    let key = isa.splat(keys[10]);
    for x in &mut xs {
        *x = isa.last_round(*x, key);
    }
    xs
}

#[cfg(test)]
mod tests;

//! Half gates: ANDs of garbled bits, many side by side.
//!
//! Of a garbled bit `v` the evaluator has the label `w ^ v * delta`, and the garbler the label `w` of zero. `delta` is the
//! garbler's secret, with bit 0 set: bit 0 of the evaluator's label is `v` masked by bit 0 of `w`. An AND takes two blocks
//! of the garbler's, the table: one of each half gate. Zahur, Rosulek, Evans, "Two Halves Make a Whole" (EUROCRYPT 2015),
//! Figure 2.
//!
//! A label is hashed as `H(label ^ tweak)`, and no two half gates under one key have the same tweak: that of a left half
//! is the AND's number with bit 64 set, that of a right half with bit 65.

use std::slice::from_ref;

use crate::aes::Cipher;
use crate::simd::{Isa, MAX_BLOCKS, Op};
use crate::{Block, CcrHash, record};

const LEFT: Block = Block(1 << 64);
const RIGHT: Block = Block(1 << 65);

/// Garbles the ANDs number `first`, `first + 1`, ..: from the labels of zero in `a` and `b` to those of the results, in
/// `a`. All left halves stand before all right ones in `tables`.
///
/// # Panics
/// Unless `b` is as long as `a`, and `tables` twice as long.
pub fn garble(hash: &CcrHash, delta: Block, first: u64, a: &mut [Block], b: &[Block], tables: &mut [Block]) {
    check(a, b, tables);
    note(hash, first, &[Block::ZERO, delta], a, b);
    let (left, right) = tables.split_at_mut(a.len());
    hash.aes.engine.run(Garble { hash, delta, first, a, b, left, right });
}

/// Evaluates the same ANDs: from the labels in `a` and `b` to those of the results, in `a`.
///
/// # Panics
/// As [`garble`].
pub fn evaluate(hash: &CcrHash, first: u64, a: &mut [Block], b: &[Block], tables: &[Block]) {
    check(a, b, tables);
    note(hash, first, &[Block::ZERO], a, b);
    let (left, right) = tables.split_at(a.len());
    hash.aes.engine.run(Evaluate { hash, first, a, b, left, right });
}

fn check(a: &[Block], b: &[Block], tables: &[Block]) {
    assert_eq!(a.len(), b.len(), "labels");
    assert_eq!(2 * a.len(), tables.len(), "tables");
}

/// Notes in the [`record`] what is hashed.
fn note(hash: &CcrHash, first: u64, offsets: &[Block], a: &[Block], b: &[Block]) {
    if cfg!(debug_assertions) {
        for ((number, a), b) in (first..).zip(a).zip(b) {
            for (label, half) in [(a, LEFT), (b, RIGHT)] {
                for &offset in offsets {
                    let tweak = offset ^ half ^ Block(number.into());
                    record::note(hash.key(), from_ref(label), tweak, false);
                }
            }
        }
    }
}

/// Bit 0 of each block in all of its bits.
#[inline(always)]
fn spread_bit_0<S: Isa>(isa: S, x: S::V) -> S::V {
    isa.spread_bit_1(isa.add_halves(x, x))
}

struct Garble<'a> {
    hash: &'a CcrHash,
    delta: Block,
    first: u64,
    a: &'a mut [Block],
    b: &'a [Block],
    left: &'a mut [Block],
    right: &'a mut [Block],
}

impl<S: Isa> Op<S> for Garble<'_> {
    type Out = ();

    #[inline(always)]
    fn call(mut self, isa: S) {
        let cipher = Cipher::new(isa, &self.hash.aes.keys);
        let (count, mut at) = (self.a.len(), 0);
        while at + 2 * S::BLOCKS <= count {
            self.vectors::<S, 2, 8>(isa, &cipher, at);
            at += 2 * S::BLOCKS;
        }
        while at + S::BLOCKS <= count {
            self.vectors::<S, 1, 4>(isa, &cipher, at);
            at += S::BLOCKS;
        }
        if at < count {
            let mut a = padded(&self.a[at..]);
            let (b, mut left, mut right) = (padded(&self.b[at..]), a, a);
            let mut last = Garble {
                first: self.first + at as u64,
                a: &mut a,
                b: &b,
                left: &mut left,
                right: &mut right,
                ..self
            };
            last.vectors::<S, 1, 4>(isa, &cipher, 0);
            let made = [(self.a, a), (self.left, left), (self.right, right)];
            made.into_iter().for_each(|(to, made)| to[at..].copy_from_slice(&made[..count - at]));
        }
    }
}

impl Garble<'_> {
    /// `V` vectors of ANDs, whose hashes are `W` vectors.
    #[inline(always)]
    fn vectors<S: Isa, const V: usize, const W: usize>(&mut self, isa: S, cipher: &Cipher<S>, at: usize) {
        let (delta, left, right) = (isa.splat(self.delta), isa.splat(LEFT), isa.splat(RIGHT));
        let (mut a, mut b, mut xs) = ([delta; V], [delta; V], [delta; W]);
        for k in 0..V {
            let at = at + k * S::BLOCKS;
            a[k] = isa.load(&self.a[at..][..S::BLOCKS]);
            b[k] = isa.load(&self.b[at..][..S::BLOCKS]);
            let number = isa.counters(self.first + at as u64);
            xs[4 * k] = isa.xor(a[k], isa.xor(number, left));
            xs[4 * k + 1] = isa.xor(xs[4 * k], delta);
            xs[4 * k + 2] = isa.xor(b[k], isa.xor(number, right));
            xs[4 * k + 3] = isa.xor(xs[4 * k + 2], delta);
        }
        let hashes = cipher.hash(xs);
        for k in 0..V {
            let at = at + k * S::BLOCKS;
            let (a0, a1, b0, b1) = (hashes[4 * k], hashes[4 * k + 1], hashes[4 * k + 2], hashes[4 * k + 3]);
            let (bit_a, bit_b) = (spread_bit_0(isa, a[k]), spread_bit_0(isa, b[k]));
            let both = isa.xor(b0, b1); // the right half of the table is this ^ a
            let table = isa.xor(isa.xor(a0, a1), isa.and(bit_b, delta));
            isa.store(table, &mut self.left[at..][..S::BLOCKS]);
            isa.store(isa.xor(both, a[k]), &mut self.right[at..][..S::BLOCKS]);
            let of_left = isa.xor(a0, isa.and(bit_a, table));
            let of_right = isa.xor(b0, isa.and(bit_b, both));
            isa.store(isa.xor(of_left, of_right), &mut self.a[at..][..S::BLOCKS]);
        }
    }
}

struct Evaluate<'a> {
    hash: &'a CcrHash,
    first: u64,
    a: &'a mut [Block],
    b: &'a [Block],
    left: &'a [Block],
    right: &'a [Block],
}

impl<S: Isa> Op<S> for Evaluate<'_> {
    type Out = ();

    #[inline(always)]
    fn call(mut self, isa: S) {
        let cipher = Cipher::new(isa, &self.hash.aes.keys);
        let (count, mut at) = (self.a.len(), 0);
        while at + 4 * S::BLOCKS <= count {
            self.vectors::<S, 4, 8>(isa, &cipher, at);
            at += 4 * S::BLOCKS;
        }
        while at + S::BLOCKS <= count {
            self.vectors::<S, 1, 2>(isa, &cipher, at);
            at += S::BLOCKS;
        }
        if at < count {
            let [mut a, b, left, right] =
                [&*self.a, self.b, self.left, self.right].map(|blocks| padded(&blocks[at..]));
            let mut last = Evaluate {
                first: self.first + at as u64,
                a: &mut a,
                b: &b,
                left: &left,
                right: &right,
                ..self
            };
            last.vectors::<S, 1, 2>(isa, &cipher, 0);
            self.a[at..].copy_from_slice(&a[..count - at]);
        }
    }
}

impl Evaluate<'_> {
    /// `V` vectors of ANDs, whose hashes are `W` vectors.
    #[inline(always)]
    fn vectors<S: Isa, const V: usize, const W: usize>(&mut self, isa: S, cipher: &Cipher<S>, at: usize) {
        let (left, right) = (isa.splat(LEFT), isa.splat(RIGHT));
        let (mut a, mut b, mut xs) = ([left; V], [left; V], [left; W]);
        for k in 0..V {
            let at = at + k * S::BLOCKS;
            a[k] = isa.load(&self.a[at..][..S::BLOCKS]);
            b[k] = isa.load(&self.b[at..][..S::BLOCKS]);
            let number = isa.counters(self.first + at as u64);
            xs[2 * k] = isa.xor(a[k], isa.xor(number, left));
            xs[2 * k + 1] = isa.xor(b[k], isa.xor(number, right));
        }
        let hashes = cipher.hash(xs);
        for k in 0..V {
            let at = at + k * S::BLOCKS;
            let of_left = isa.and(spread_bit_0(isa, a[k]), isa.load(&self.left[at..][..S::BLOCKS]));
            let of_right = isa.xor(isa.load(&self.right[at..][..S::BLOCKS]), a[k]);
            let of_right = isa.and(spread_bit_0(isa, b[k]), of_right);
            let both = isa.xor(hashes[2 * k], hashes[2 * k + 1]);
            isa.store(isa.xor(both, isa.xor(of_left, of_right)), &mut self.a[at..][..S::BLOCKS]);
        }
    }
}

/// Less than a vector, and zeros.
fn padded(blocks: &[Block]) -> [Block; MAX_BLOCKS] {
    let mut padded = [Block::ZERO; MAX_BLOCKS];
    padded[..blocks.len()].copy_from_slice(blocks);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kernel, Prg};

    fn drawn(prg: &mut Prg, count: usize) -> Vec<Block> {
        let mut blocks = vec![Block::ZERO; count];
        prg.blocks(&mut blocks);
        blocks
    }

    /// The AND of the paper's Figure 2: its table and the label of zero.
    fn by_definition(hash: &CcrHash, delta: Block, number: u64, a: Block, b: Block) -> [Block; 3] {
        let h = |label: Block, half: u32| hash.one(label ^ Block(1 << half | u128::from(number)));
        let if_bit = |label: Block, x: Block| if label.lsb() { x } else { Block::ZERO };
        let left = h(a, 64) ^ h(a ^ delta, 64) ^ if_bit(b, delta);
        let right = h(b, 65) ^ h(b ^ delta, 65) ^ a;
        [left, right, h(a, 64) ^ if_bit(a, left) ^ h(b, 65) ^ if_bit(b, right ^ a)]
    }

    #[test]
    fn every_kernel_garbles_by_the_definition_and_evaluates_to_ands() {
        for kernel in Kernel::supported() {
            let mut prg = Prg::new(Block(17));
            let hash = CcrHash::with_kernel(Block(99), kernel);
            let delta = prg.block().with_lsb(true);
            for count in (0..=20).chain([31, 32, 33, 63, 64, 65]) {
                let (a, b) = (drawn(&mut prg, count), drawn(&mut prg, count));
                let (first, mut zero, mut tables) = (1 << 33 | 5, a.clone(), vec![Block::ZERO; 2 * count]);
                garble(&hash, delta, first, &mut zero, &b, &mut tables);
                for i in 0..count {
                    let want = by_definition(&hash, delta, first + i as u64, a[i], b[i]);
                    assert!([tables[i], tables[count + i], zero[i]] == want, "{kernel:?} {count} {i}");
                }
                for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                    let label = |w: &Block, bit| *w ^ (delta & Block::mask(bit));
                    let mut made: Vec<Block> = a.iter().map(|w| label(w, x)).collect();
                    let of_b: Vec<Block> = b.iter().map(|w| label(w, y)).collect();
                    evaluate(&hash, first, &mut made, &of_b, &tables);
                    let want: Vec<Block> = zero.iter().map(|w| label(w, x && y)).collect();
                    assert!(made == want, "{kernel:?} {count}: {x} & {y}");
                }
            }
        }
    }

    /// A label of both halves, of two ANDs, and of both parties.
    #[test]
    fn what_is_hashed_is_recorded() {
        if !cfg!(debug_assertions) {
            return;
        }
        let (hash, delta) = (CcrHash::new(Block(1)), Block(0xd317a << 90 | 1));
        let (mut a, b, mut tables) = ([Block(7), Block(7)], [Block(7), Block(7)], [Block::ZERO; 4]);
        let inputs = || record::take().iter().map(|h| h.input.0).collect::<Vec<_>>();
        record::start();
        garble(&hash, delta, 0, &mut a, &b, &mut tables);
        let garbled = inputs();
        let tweaked = [1 << 64, 1 << 65].map(|half| [7 ^ half, 7 ^ half ^ delta.0]);
        let all = tweaked.iter().flatten().chain(tweaked.iter().flatten());
        let want: Vec<u128> = all.zip(0..).map(|(x, i)| x ^ (i / 4)).collect();
        assert_eq!(garbled, want);
        record::start();
        evaluate(&hash, 0, &mut [Block(7), Block(7)], &b, &tables);
        assert_eq!(inputs(), garbled.into_iter().step_by(2).collect::<Vec<_>>());
    }
}

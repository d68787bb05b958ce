//! The field `F_2[x] / (x^64 + x^4 + x^3 + x + 1)` of 2^64 elements, and blocks as pairs over it.
//!
//! Bit i of a word is the coefficient of `x^i`. A [`Block`] is an element of the vector space `V = (F_2^64)^2`, its low
//! half and its high half, on which a word acts by multiplying both. Addition is XOR. Nothing here branches on a
//! value or addresses memory by one.

pub(crate) mod portable;

use portable::TAIL;

use crate::simd::{Isa, MAX_BLOCKS, Op, ProductIsa};
use crate::{Block, Kernel, Wiped, wipe};

/// Words of the widest vector.
const MAX_WORDS: usize = 2 * MAX_BLOCKS;
/// Up to this many words are inverted by powers.
const FEW: usize = 8;

/// `xs[i] *= by[i]`.
///
/// # Panics
/// Unless both slices have the same length.
pub fn mul(xs: &mut [u64], by: &[u64]) {
    multiply(Kernel::active(), Products { out: xs, of: None, by: Factor::Each(by) });
}

/// `out[i] += a[i] * b[i]`.
///
/// # Panics
/// Unless all slices have the same length.
pub fn mul_add(out: &mut [u64], a: &[u64], b: &[u64]) {
    multiply(Kernel::active(), Products { out, of: Some(a), by: Factor::Each(b) });
}

/// `xs[i] *= by`.
pub fn scale(xs: &mut [u64], by: u64) {
    multiply(Kernel::active(), Products { out: xs, of: None, by: Factor::Same(by) });
}

/// `out[i] += a[i] * by`.
///
/// # Panics
/// Unless both slices have the same length.
pub fn scale_add(out: &mut [u64], a: &[u64], by: u64) {
    multiply(Kernel::active(), Products { out, of: Some(a), by: Factor::Same(by) });
}

/// `out[i] += a[i] * v`, both halves.
///
/// # Panics
/// Unless both slices have the same length.
pub fn scale_pair_add(out: &mut [Block], a: &[u64], v: Block) {
    pairs(Kernel::active(), PairProducts { out, a, v });
}

/// The sum of `a[i] * v[i]`, reduced once.
///
/// # Panics
/// Unless both slices have the same length.
pub fn inner(a: &[u64], v: &[Block]) -> Block {
    let mut out = [Block::ZERO];
    inner_products(a, v, &mut out);
    out[0]
}

/// For each of `out`, the sum of `a[i] * v[i]` over the next `a.len()` of `v`, reduced once.
///
/// # Panics
/// Unless `v.len()` is `a.len() * out.len()`.
pub fn inner_products(a: &[u64], v: &[Block], out: &mut [Block]) {
    inner_products_on(Kernel::active(), a, v, out);
}

/// `a * b`.
pub fn product(a: u64, b: u64) -> u64 {
    let mut x = [a];
    scale(&mut x, b);
    x[0]
}

/// Replaces every word by its inverse, and zero by zero: 3 products a word.
pub fn invert_all(xs: &mut [u64]) {
    invert_all_on(Kernel::active(), xs);
}

fn invert_all_on(kernel: Kernel, xs: &mut [u64]) {
    // A zero becomes a one for the time being, without a branch.
    let mut zeros = Wiped::zeros(xs.len());
    for (x, zero) in xs.iter_mut().zip(zeros.iter_mut()) {
        *zero = 1 ^ (*x | x.wrapping_neg()) >> 63;
        *x ^= *zero;
    }
    invert_units(kernel, xs);
    xs.iter_mut().zip(zeros.iter()).for_each(|(x, zero)| *x ^= *zero);
}

/// Of words none of which is zero: `1 / a = b * 1 / (a b)`, for the two halves of the words side by side.
fn invert_units(kernel: Kernel, xs: &mut [u64]) {
    if xs.len() <= FEW {
        return invert_few(kernel, xs);
    }
    let half = xs.len() / 2;
    let (a, rest) = xs.split_at_mut(half);
    // With an odd count the last word goes along alone.
    let mut inverses = Wiped::zeros(rest.len());
    inverses.copy_from_slice(rest);
    multiply(kernel, Products { out: &mut inverses[..half], of: None, by: Factor::Each(a) });
    invert_units(kernel, &mut inverses);
    let (b, last) = rest.split_at_mut(half);
    a.swap_with_slice(b);
    multiply(kernel, Products { out: a, of: None, by: Factor::Each(&inverses[..half]) });
    multiply(kernel, Products { out: b, of: None, by: Factor::Each(&inverses[..half]) });
    last.copy_from_slice(&inverses[half..]);
}

/// `x^(2^64 - 2)`, by Itoh and Tsujii: `x^(2^n - 1)` for n = 1, 3, 7, 15, 31, 63, then a square.
fn invert_few(kernel: Kernel, xs: &mut [u64]) {
    let times = |out: &mut [u64], by: &[u64]| {
        multiply(kernel, Products { out, of: None, by: Factor::Each(by) });
    };
    let n = xs.len();
    let (mut power, mut other) = ([0; FEW], [0; FEW]);
    power[..n].copy_from_slice(xs);
    let mut square = |power: &mut [u64; FEW]| {
        other = *power;
        times(&mut power[..n], &other[..n]);
    };
    for ones in [1, 3, 7, 15, 31] {
        let mut shorter = power;
        (0..ones).for_each(|_| square(&mut power));
        times(&mut power[..n], &shorter[..n]);
        square(&mut power);
        times(&mut power[..n], xs);
        wipe(&mut shorter);
    }
    square(&mut power);
    xs.copy_from_slice(&power[..n]);
    wipe(&mut power);
    wipe(&mut other);
}

fn multiply(kernel: Kernel, op: Products) {
    let lengths = [op.of.map(<[u64]>::len), op.by.len()];
    assert!(lengths.into_iter().flatten().all(|len| len == op.out.len()), "lengths");
    if let Err(Products { out, of, by }) = kernel.engine().run_products(op) {
        for (i, out) in out.iter_mut().enumerate() {
            match of {
                Some(a) => *out ^= portable::product(a[i], by.get(i)),
                None => *out = portable::product(*out, by.get(i)),
            }
        }
    }
}

fn pairs(kernel: Kernel, op: PairProducts) {
    assert_eq!(op.a.len(), op.out.len(), "lengths");
    if let Err(PairProducts { out, a, v }) = kernel.engine().run_products(op) {
        for (out, &a) in out.iter_mut().zip(a) {
            let mut sum = portable::Sum::default();
            sum.add(a, v);
            *out ^= sum.reduce();
        }
    }
}

fn inner_products_on(kernel: Kernel, a: &[u64], v: &[Block], out: &mut [Block]) {
    assert_eq!(v.len(), a.len() * out.len(), "lengths");
    if let Err(InnerProducts { a, v, out }) = kernel.engine().run_products(InnerProducts { a, v, out }) {
        for (i, out) in out.iter_mut().enumerate() {
            let mut sum = portable::Sum::default();
            a.iter().zip(&v[i * a.len()..]).for_each(|(&a, &v)| sum.add(a, v));
            *out = sum.reduce();
        }
    }
}

/// The second factors.
#[derive(Clone, Copy)]
enum Factor<'a> {
    Each(&'a [u64]),
    Same(u64),
}

impl Factor<'_> {
    fn len(self) -> Option<usize> {
        match self {
            Factor::Each(by) => Some(by.len()),
            Factor::Same(_) => None,
        }
    }

    fn get(self, i: usize) -> u64 {
        match self {
            Factor::Each(by) => by[i],
            Factor::Same(by) => by,
        }
    }
}

/// `out[i] += of[i] * by[i]`, or `out[i] *= by[i]`.
struct Products<'a> {
    out: &'a mut [u64],
    of: Option<&'a [u64]>,
    by: Factor<'a>,
}

impl<S: ProductIsa> Op<S> for Products<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let width = 2 * S::BLOCKS;
        let Self { out, of, by } = self;
        let whole = out.len() / width * width;
        let same = match by {
            Factor::Same(by) => isa.load_words(&[by; MAX_WORDS][..width]),
            Factor::Each(_) => isa.load_words(&[0; MAX_WORDS][..width]),
        };
        for at in (0..whole).step_by(width) {
            let by = match by {
                Factor::Each(by) => isa.load_words(&by[at..][..width]),
                Factor::Same(_) => same,
            };
            let out = &mut out[at..][..width];
            let old = isa.load_words(out);
            let new = match of {
                Some(a) => isa.xor(old, times(isa, isa.load_words(&a[at..][..width]), by)),
                None => times(isa, old, by),
            };
            isa.store_words(new, out);
        }
        if whole < out.len() {
            let by = if let Factor::Each(by) = by { padded(isa, &by[whole..]) } else { same };
            let old = padded(isa, &out[whole..]);
            let new = match of {
                Some(a) => isa.xor(old, times(isa, padded(isa, &a[whole..]), by)),
                None => times(isa, old, by),
            };
            let mut stored = [0; MAX_WORDS];
            isa.store_words(new, &mut stored[..width]);
            let rest = &mut out[whole..];
            rest.copy_from_slice(&stored[..rest.len()]);
        }
    }
}

/// Words of less than a vector, and zeros.
#[inline(always)]
fn padded<S: ProductIsa>(isa: S, words: &[u64]) -> S::V {
    let mut padded = [0; MAX_WORDS];
    padded[..words.len()].copy_from_slice(words);
    isa.load_words(&padded[..2 * S::BLOCKS])
}

/// `out[i] += a[i] * v`.
struct PairProducts<'a> {
    out: &'a mut [Block],
    a: &'a [u64],
    v: Block,
}

impl<S: ProductIsa> Op<S> for PairProducts<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let v = isa.splat(self.v);
        let width = 2 * S::BLOCKS;
        let mut wide = self.out.chunks_exact_mut(width);
        let mut words = self.a.chunks_exact(width);
        for (out, a) in (&mut wide).zip(&mut words) {
            let a = isa.load_words(a);
            let even = reduce(isa, isa.product::<false, false>(a, v), isa.product::<false, true>(a, v));
            let odd = reduce(isa, isa.product::<true, false>(a, v), isa.product::<true, true>(a, v));
            let (first, second) = isa.pairs(even, odd);
            let (low, high) = out.split_at_mut(S::BLOCKS);
            isa.store(isa.xor(isa.load(low), first), low);
            isa.store(isa.xor(isa.load(high), second), high);
        }
        let (one, v) = (isa.single(), isa.single().splat(self.v));
        for (out, &a) in wide.into_remainder().iter_mut().zip(words.remainder()) {
            let a = one.load_words(&[a, 0]);
            let product = reduce(one, one.product::<false, false>(a, v), one.product::<false, true>(a, v));
            *out ^= one.fold(product);
        }
    }
}

/// For each of `out`, the sum of `a[i] * v[i]`.
struct InnerProducts<'a> {
    a: &'a [u64],
    v: &'a [Block],
    out: &'a mut [Block],
}

impl<S: ProductIsa> Op<S> for InnerProducts<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let one = isa.single();
        for (i, out) in self.out.iter_mut().enumerate() {
            let mut sum = Sum::new(one);
            let mut words = self.a.chunks_exact(2);
            let v = &self.v[i * self.a.len()..][..self.a.len()];
            let mut blocks = v.chunks_exact(2);
            for (a, v) in (&mut words).zip(&mut blocks) {
                let a = one.load_words(a);
                sum.add::<false>(a, one.load(&v[..1]));
                sum.add::<true>(a, one.load(&v[1..]));
            }
            if let ([a], [v]) = (words.remainder(), blocks.remainder()) {
                sum.add::<false>(one.load_words(&[*a, 0]), one.load(&[*v]));
            }
            *out = sum.reduce();
        }
    }
}

/// A sum of products of a word and a pair, not reduced.
pub(crate) struct Sum<S: ProductIsa> {
    isa: S,
    /// Of the low halves of the pairs, and of the high ones.
    sums: [S::V; 2],
}

impl<S: ProductIsa> Sum<S> {
    #[inline(always)]
    pub fn new(isa: S) -> Self {
        Self { isa, sums: [isa.splat(Block::ZERO); 2] }
    }

    /// Adds the product of a half of `a`, the upper one if so, and the pair `v`.
    #[inline(always)]
    pub fn add<const UPPER: bool>(&mut self, a: S::V, v: S::V) {
        let isa = self.isa;
        self.sums[0] = isa.xor(self.sums[0], isa.product::<UPPER, false>(a, v));
        self.sums[1] = isa.xor(self.sums[1], isa.product::<UPPER, true>(a, v));
    }

    /// The sum of the blocks of the vector, reduced.
    #[inline(always)]
    pub fn reduce(self) -> Block {
        self.isa.fold(reduce(self.isa, self.sums[0], self.sums[1]))
    }
}

/// The products of words, two a block.
#[inline(always)]
fn times<S: ProductIsa>(isa: S, a: S::V, b: S::V) -> S::V {
    reduce(isa, isa.product::<false, false>(a, b), isa.product::<true, true>(a, b))
}

/// Two products of 128 bits a block: the first reduced as the low half, the second as the high one.
#[inline(always)]
pub(crate) fn reduce<S: ProductIsa>(isa: S, first: S::V, second: S::V) -> S::V {
    let tail = isa.splat(Block(u128::from(TAIL) << 64 | u128::from(TAIL)));
    let upper = isa.upper_halves(first, second);
    let (a, b) = (isa.product::<false, false>(upper, tail), isa.product::<true, true>(upper, tail));
    let upper = isa.upper_halves(a, b); // four bits of each
    let (c, d) = (isa.product::<false, false>(upper, tail), isa.product::<true, true>(upper, tail));
    let sum = isa.xor(isa.lower_halves(first, second), isa.lower_halves(a, b));
    isa.xor(sum, isa.lower_halves(c, d))
}

#[cfg(test)]
mod tests;

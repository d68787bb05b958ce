//! Negacyclic transforms of polynomials of degree below 8192, mod a prime below `2^30`, and sums of products.
//!
//! The transform of `x` are its values at the odd powers of a root psi of order 16384. So a product in
//! `Z_q[X]/(X^8192 + 1)` is one of values. Their order is the same for every kernel: part of what both parties see.
//!
//! Four stages pair numbers that are 512 or more apart. Then coefficient `512 k + r` moves to place `16 r + k`: in nine
//! further stages a vector's lanes have nothing to do with each other. Numbers are below `4 q` in between (Harvey, "Faster
//! arithmetic for number-theoretic transforms", 2014), and are multiplied by known ones after Shoup. No branch and no
//! address depends on a coefficient.

use std::array::from_fn;

use crate::simd::{Engine, Kernel, LaneIsa, Op};
use crate::wipe::Wiped;

/// Coefficients of a polynomial.
pub const DEGREE: usize = 8192;

/// The eight largest primes below `2^30` that are 1 mod 16384, the largest first.
pub const PRIMES: [u32; 8] = [
    1_073_692_673,
    1_073_643_521,
    1_073_479_681,
    1_073_430_529,
    1_073_299_457,
    1_073_233_921,
    1_073_184_769,
    1_073_135_617,
];

/// Numbers that a row holds, one of each sixteenth of the polynomial; and rows.
const ROW: usize = 16;
const ROWS: usize = DEGREE / ROW;
/// Stages of a pass over the rows, three times, and what a pass multiplies by.
const TRIPLE: usize = 8;
const FACTORS: usize = TRIPLE - 1;

/// Sums have so many products at most before they are reduced.
const TERMS: u32 = 16;

/// A number to multiply by, and `floor(number 2^32 / q)`.
type Factor = [u32; 2];

/// The transforms mod one of [`PRIMES`].
pub struct Ntt {
    q: u32,
    engine: Engine,
    forward: Factors,
    inverse: Factors,
    /// `1 / 8192`, and that times the first stage's factor.
    scale: [Factor; 2],
    /// `2^32` and 1.
    words: [Factor; 2],
}

/// What the stages multiply by.
struct Factors {
    /// Of the first four: stage by stage.
    first: [Factor; ROW - 1],
    /// Of the passes: those of a block together, each as a row of numbers and a row of quotients.
    rows: Vec<[[u32; ROW]; 2]>,
}

impl Ntt {
    /// # Panics
    /// Unless q is one of [`PRIMES`].
    pub fn new(q: u32) -> Self {
        Self::with_kernel(q, Kernel::active())
    }

    fn with_kernel(q: u32, kernel: Kernel) -> Self {
        assert!(PRIMES.contains(&q), "a pinned prime");
        let psi = root(q);
        let powers = |psi: u32| -> Vec<Factor> {
            let mut all = vec![1u32; DEGREE];
            for i in 1..DEGREE {
                all[i] = times(all[i - 1], psi, q);
            }
            (0..DEGREE).map(|i| factor(all[reversed(i)], q)).collect()
        };
        let (forward, inverse) = (powers(psi), powers(power(psi, q - 2, q)));
        let small = power(DEGREE as u32, q - 2, q);
        let scale = [factor(small, q), factor(times(small, inverse[1][0], q), q)];
        let words = [factor(((1u64 << 32) % u64::from(q)) as u32, q), factor(1, q)];
        let engine = kernel.engine();
        Self { q, engine, forward: Factors::of(&forward), inverse: Factors::of(&inverse), scale, words }
    }

    /// The prime.
    pub fn modulus(&self) -> u32 {
        self.q
    }

    /// The transform of coefficients below q.
    ///
    /// # Panics
    /// Unless both have [`DEGREE`] numbers.
    pub fn forward(&self, x: &[u32], out: &mut [u32]) {
        assert!(x.len() == DEGREE && out.len() == DEGREE, "coefficients");
        self.engine.run(Forward { ntt: self, x, out });
    }

    /// The coefficients, below q, of a transform, which is overwritten.
    ///
    /// # Panics
    /// As [`forward`](Self::forward).
    pub fn inverse(&self, x: &mut [u32], out: &mut [u32]) {
        assert!(x.len() == DEGREE && out.len() == DEGREE, "values");
        self.engine.run(Inverse { ntt: self, x, out });
    }

    /// Which odd power of psi a transform's place has the value at: `2 k + 1`.
    pub fn exponent(place: usize) -> usize {
        let index = place % ROW * ROWS + place / ROW;
        2 * reversed(index) + 1
    }
}

impl Factors {
    /// From all powers in the order of stages: stage by stage, and block by block.
    fn of(powers: &[Factor]) -> Self {
        let mut rows = Vec::with_capacity(ROWS - 1);
        for pass in 0..3 {
            for block in 0..1 << (3 * pass) {
                for (stage, part) in (0..3).flat_map(|stage| (0..1 << stage).map(move |part| (stage, part))) {
                    let blocks = 1 << (3 * pass + stage);
                    let of = |lane| powers[ROW * blocks + lane * blocks + (block << stage) + part];
                    rows.push([0, 1].map(|half| from_fn(|lane| of(lane)[half])));
                }
            }
        }
        Self { first: from_fn(|i| powers[1 + i]), rows }
    }
}

/// Vectors of a prime's multiples, and arithmetic with them.
#[derive(Clone, Copy)]
struct Arithmetic<S: LaneIsa> {
    isa: S,
    q: S::L,
    twice: S::L,
}

impl<S: LaneIsa> Arithmetic<S> {
    #[inline(always)]
    fn new(isa: S, q: u32) -> Self {
        Self { isa, q: isa.splat_lanes(q), twice: isa.splat_lanes(2 * q) }
    }

    #[inline(always)]
    fn splat(&self, factor: Factor) -> [S::L; 2] {
        factor.map(|x| self.isa.splat_lanes(x))
    }

    /// `x w` mod q, below `2 q`, whatever x is.
    #[inline(always)]
    fn times(&self, x: S::L, [w, quotient]: [S::L; 2]) -> S::L {
        let isa = self.isa;
        let whole = isa.high(isa.mul_wide(x, quotient));
        isa.sub_lanes(isa.mul_low(x, w), isa.mul_low(whole, self.q))
    }

    /// Of numbers below `4 q` those below `2 q`.
    #[inline(always)]
    fn below_twice(&self, x: S::L) -> S::L {
        self.isa.min_lanes(x, self.isa.sub_lanes(x, self.twice))
    }

    /// Of numbers below `4 q` those below q.
    #[inline(always)]
    fn below(&self, x: S::L) -> S::L {
        let x = self.below_twice(x);
        self.isa.min_lanes(x, self.isa.sub_lanes(x, self.q))
    }

    /// `x + w y` and `x - w y`, below `4 q` as x is.
    #[inline(always)]
    fn forward(&self, x: S::L, y: S::L, w: [S::L; 2]) -> [S::L; 2] {
        let (isa, x, t) = (self.isa, self.below_twice(x), self.times(y, w));
        [isa.add_lanes(x, t), isa.add_lanes(x, isa.sub_lanes(self.twice, t))]
    }

    /// `x + y`, and `x - y` below `4 q`; of x and y below `2 q`.
    #[inline(always)]
    fn ends(&self, x: S::L, y: S::L) -> [S::L; 2] {
        let isa = self.isa;
        [isa.add_lanes(x, y), isa.add_lanes(x, isa.sub_lanes(self.twice, y))]
    }

    /// `x + y` and `(x - y) w`, all below `2 q`.
    #[inline(always)]
    fn inverse(&self, x: S::L, y: S::L, w: [S::L; 2]) -> [S::L; 2] {
        let [sum, difference] = self.ends(x, y);
        [self.below_twice(sum), self.times(difference, w)]
    }

    /// All stages of so many numbers that are paired with each other.
    #[inline(always)]
    fn stages<const R: usize>(&self, v: &mut [S::L; R], w: &[[S::L; 2]]) {
        let mut blocks = 1;
        while blocks < R {
            let half = R / (2 * blocks);
            for (block, w) in w[blocks - 1..][..blocks].iter().enumerate() {
                for at in 2 * half * block..2 * half * block + half {
                    [v[at], v[at + half]] = self.forward(v[at], v[at + half], *w);
                }
            }
            blocks *= 2;
        }
    }

    /// The same backwards, down to the stage of so many blocks.
    #[inline(always)]
    fn stages_back<const R: usize>(&self, v: &mut [S::L; R], w: &[[S::L; 2]], last: usize) {
        let mut blocks = R / 2;
        while blocks >= last {
            let half = R / (2 * blocks);
            for (block, w) in w[blocks - 1..][..blocks].iter().enumerate() {
                for at in 2 * half * block..2 * half * block + half {
                    [v[at], v[at + half]] = self.inverse(v[at], v[at + half], *w);
                }
            }
            blocks /= 2;
        }
    }

    /// A pass over all rows, three stages forward or back.
    #[inline(always)]
    fn pass(
        &self,
        rows: &mut [u32],
        factors: &Factors,
        pass: usize,
        go: impl Fn(&mut [S::L; TRIPLE], &[[S::L; 2]; FACTORS]),
    ) {
        let isa = self.isa;
        let (blocks, before) = (1 << (3 * pass), [0, 1, 9][pass]);
        let stride = ROWS / blocks / TRIPLE * ROW;
        let factors = factors.rows[FACTORS * before..].chunks_exact(FACTORS);
        for (block, factors) in rows.chunks_exact_mut(TRIPLE * stride).zip(factors) {
            for lane in (0..ROW).step_by(S::LANES) {
                let w: [[S::L; 2]; FACTORS] =
                    from_fn(|i| factors[i].each_ref().map(|row| isa.load_lanes(&row[lane..][..S::LANES])));
                for at in (lane..stride).step_by(ROW) {
                    let mut v: [S::L; TRIPLE] =
                        from_fn(|k| isa.load_lanes(&block[k * stride + at..][..S::LANES]));
                    go(&mut v, &w);
                    for (k, v) in v.into_iter().enumerate() {
                        isa.store_lanes(v, &mut block[k * stride + at..][..S::LANES]);
                    }
                }
            }
        }
    }
}

struct Forward<'a> {
    ntt: &'a Ntt,
    x: &'a [u32],
    out: &'a mut [u32],
}

impl<S: LaneIsa> Op<S> for Forward<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let Self { ntt, x, out } = self;
        let z = Arithmetic::new(isa, ntt.q);
        let w = ntt.forward.first.map(|factor| z.splat(factor));
        for column in (0..ROWS).step_by(S::LANES) {
            let mut v: [S::L; ROW] = from_fn(|k| isa.load_lanes(&x[k * ROWS + column..][..S::LANES]));
            z.stages(&mut v, &w);
            for (lane, v) in (0..ROW).step_by(S::LANES).zip(v.chunks_exact_mut(S::LANES)) {
                isa.transpose(v);
                for (row, v) in (column..).zip(v) {
                    isa.store_lanes(*v, &mut out[row * ROW + lane..][..S::LANES]);
                }
            }
        }
        z.pass(out, &ntt.forward, 0, |v, w| z.stages(v, w));
        z.pass(out, &ntt.forward, 1, |v, w| z.stages(v, w));
        z.pass(out, &ntt.forward, 2, |v, w| {
            z.stages(v, w);
            *v = v.map(|x| z.below(x));
        });
    }
}

struct Inverse<'a> {
    ntt: &'a Ntt,
    x: &'a mut [u32],
    out: &'a mut [u32],
}

impl<S: LaneIsa> Op<S> for Inverse<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let Self { ntt, x, out } = self;
        let z = Arithmetic::new(isa, ntt.q);
        for pass in [2, 1, 0] {
            z.pass(x, &ntt.inverse, pass, |v, w| z.stages_back(v, w, 1));
        }
        let w = ntt.inverse.first.map(|factor| z.splat(factor));
        let scale = ntt.scale.map(|factor| z.splat(factor));
        for column in (0..ROWS).step_by(S::LANES) {
            let mut v = [z.q; ROW];
            for (lane, v) in (0..ROW).step_by(S::LANES).zip(v.chunks_exact_mut(S::LANES)) {
                for (row, v) in (column..).zip(&mut *v) {
                    *v = isa.load_lanes(&x[row * ROW + lane..][..S::LANES]);
                }
                isa.transpose(v);
            }
            z.stages_back(&mut v, &w, 2);
            for k in 0..ROW / 2 {
                let ends = z.ends(v[k], v[k + ROW / 2]);
                [v[k], v[k + ROW / 2]] = [0, 1].map(|i| z.below(z.times(ends[i], scale[i])));
            }
            for (k, v) in v.into_iter().enumerate() {
                isa.store_lanes(v, &mut out[k * ROWS + column..][..S::LANES]);
            }
        }
    }
}

/// Sums of products of transforms, value by value.
pub struct Sums {
    words: Wiped<u64>,
    terms: u32,
}

impl Default for Sums {
    fn default() -> Self {
        Self { words: Wiped::zeros(DEGREE), terms: 0 }
    }
}

impl Sums {
    /// Adds the product of two transforms.
    ///
    /// # Panics
    /// Unless both have [`DEGREE`] numbers.
    pub fn add(&mut self, ntt: &Ntt, a: &[u32], b: &[u32]) {
        assert!(a.len() == DEGREE && b.len() == DEGREE, "values");
        if self.terms == TERMS {
            let mut reduced = Wiped::zeros(DEGREE);
            self.take(ntt, &mut reduced);
            ntt.engine.run(Products { words: &mut self.words, a: &reduced, b: None });
            self.terms = 1;
        }
        ntt.engine.run(Products { words: &mut self.words, a, b: Some(b) });
        self.terms += 1;
    }

    /// The sums, below q. From here on they are zero.
    ///
    /// # Panics
    /// Unless `out` has [`DEGREE`] numbers.
    pub fn take(&mut self, ntt: &Ntt, out: &mut [u32]) {
        assert!(out.len() == DEGREE, "values");
        ntt.engine.run(Reduce { ntt, words: &self.words, out });
        self.words.fill(0);
        self.terms = 0;
    }
}

/// Adds products, or numbers.
struct Products<'a> {
    words: &'a mut [u64],
    a: &'a [u32],
    b: Option<&'a [u32]>,
}

impl<S: LaneIsa> Op<S> for Products<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let one = isa.splat_lanes(1);
        for (i, (words, a)) in
            self.words.chunks_exact_mut(S::LANES).zip(self.a.chunks_exact(S::LANES)).enumerate()
        {
            let b = self.b.map_or(one, |b| isa.load_lanes(&b[i * S::LANES..][..S::LANES]));
            let (sums, products) = (isa.load_wide(words), isa.mul_wide(isa.load_lanes(a), b));
            isa.store_wide([0, 1].map(|i| isa.add_wide(sums[i], products[i])), words);
        }
    }
}

struct Reduce<'a> {
    ntt: &'a Ntt,
    words: &'a [u64],
    out: &'a mut [u32],
}

impl<S: LaneIsa> Op<S> for Reduce<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let z = Arithmetic::new(isa, self.ntt.q);
        let [upper, lower] = self.ntt.words.map(|factor| z.splat(factor));
        let all = self.words.chunks_exact(S::LANES).zip(self.out.chunks_exact_mut(S::LANES));
        for (words, out) in all {
            let words = isa.load_wide(words);
            let sum = isa.add_lanes(z.times(isa.high(words), upper), z.times(isa.low(words), lower));
            isa.store_lanes(z.below(sum), out);
        }
    }
}

/// Bits of a number below [`DEGREE`] in the other order.
fn reversed(i: usize) -> usize {
    i.reverse_bits() >> (usize::BITS - DEGREE.trailing_zeros())
}

fn times(a: u32, b: u32, q: u32) -> u32 {
    (u64::from(a) * u64::from(b) % u64::from(q)) as u32
}

fn power(x: u32, mut exponent: u32, q: u32) -> u32 {
    let (mut square, mut all) = (x, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            all = times(all, square, q);
        }
        square = times(square, square, q);
        exponent >>= 1;
    }
    all
}

fn factor(w: u32, q: u32) -> Factor {
    [w, ((u64::from(w) << 32) / u64::from(q)) as u32]
}

/// The root of order 16384 that comes of the smallest number that gives one.
fn root(q: u32) -> u32 {
    let roots = (2..).map(|x| power(x, (q - 1) / (2 * DEGREE as u32), q));
    roots.into_iter().find(|psi| power(*psi, DEGREE as u32, q) == q - 1).expect("a prime that is 1 mod 16384")
}

#[cfg(test)]
mod tests;

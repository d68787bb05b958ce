//! The transforms, forward and back.

use std::array::from_fn;

use super::arithmetic::{Arithmetic, Factor};
use crate::simd::{Engine, Kernel, LaneIsa, Op};

/// Coefficients of a polynomial.
pub const DEGREE: usize = 8192;

/// Coefficients of a short polynomial.
pub const SHORT: usize = 64;

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

/// The transforms mod one of [`PRIMES`].
pub struct Ntt {
    pub(super) q: u32,
    pub(super) engine: Engine,
    forward: Factors,
    inverse: Factors,
    /// `1 / 8192`, and that times the first stage's factor.
    scale: [Factor; 2],
    /// `2^32` and 1.
    pub(super) words: [Factor; 2],
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

    pub(super) fn with_kernel(q: u32, kernel: Kernel) -> Self {
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

    /// The transform of the first coefficients below q, the others being zero, in half the time.
    ///
    /// # Panics
    /// Unless there are [`SHORT`] coefficients, and `out` has [`DEGREE`] numbers.
    pub fn forward_short(&self, x: &[u32], out: &mut [u32]) {
        assert!(x.len() == SHORT && out.len() == DEGREE, "coefficients");
        self.engine.run(Short { ntt: self, x, out });
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

impl<S: LaneIsa> Arithmetic<S> {
    /// A pass over all rows, three stages: forward, to numbers below q if it is the last one, or back.
    #[inline(always)]
    fn pass<const BACK: bool>(&self, rows: &mut [u32], factors: &Factors, pass: usize) {
        let (isa, last) = (self.isa, !BACK && pass == 2);
        let (blocks, before) = (1 << (3 * pass), [0, 1, 9][pass]);
        let stride = ROWS / blocks / TRIPLE * ROW;
        let factors = factors.rows[FACTORS * before..].chunks_exact(FACTORS);
        for (block, factors) in rows.chunks_exact_mut(TRIPLE * stride).zip(factors) {
            for lane in (0..ROW).step_by(S::LANES) {
                let mut w = [[self.q; 2]; FACTORS];
                for i in 0..FACTORS {
                    w[i][0] = isa.load_lanes(&factors[i][0][lane..][..S::LANES]);
                    w[i][1] = isa.load_lanes(&factors[i][1][lane..][..S::LANES]);
                }
                for at in (lane..stride).step_by(ROW) {
                    let mut v = [self.q; TRIPLE];
                    for k in 0..TRIPLE {
                        v[k] = isa.load_lanes(&block[k * stride + at..][..S::LANES]);
                    }
                    if BACK {
                        self.stages_back(&mut v, &w, 1);
                    } else {
                        self.stages(&mut v, &w);
                    }
                    for k in 0..TRIPLE {
                        let v = if last { self.below(v[k]) } else { v[k] };
                        isa.store_lanes(v, &mut block[k * stride + at..][..S::LANES]);
                    }
                }
            }
        }
    }

    /// Factors in every place.
    #[inline(always)]
    fn splat_all<const N: usize>(&self, factors: &[Factor; N]) -> [[S::L; 2]; N] {
        let mut all = [[self.q; 2]; N];
        for i in 0..N {
            all[i] = self.splat(factors[i]);
        }
        all
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
        let w = z.splat_all(&ntt.forward.first);
        for column in (0..ROWS).step_by(S::LANES) {
            let mut v = [z.q; ROW];
            for k in 0..ROW {
                v[k] = isa.load_lanes(&x[k * ROWS + column..][..S::LANES]);
            }
            z.stages(&mut v, &w);
            for (lane, v) in (0..ROW).step_by(S::LANES).zip(v.chunks_exact_mut(S::LANES)) {
                isa.transpose(v);
                for (row, v) in (column..).zip(v) {
                    isa.store_lanes(*v, &mut out[row * ROW + lane..][..S::LANES]);
                }
            }
        }
        z.pass::<false>(out, &ntt.forward, 0);
        z.pass::<false>(out, &ntt.forward, 1);
        z.pass::<false>(out, &ntt.forward, 2);
    }
}

/// The first seven stages copy numbers, where those that they are added to are zero.
struct Short<'a> {
    ntt: &'a Ntt,
    x: &'a [u32],
    out: &'a mut [u32],
}

impl<S: LaneIsa> Op<S> for Short<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let Self { ntt, x, out } = self;
        let z = Arithmetic::new(isa, ntt.q);
        for block in out.chunks_exact_mut(SHORT * ROW) {
            for (row, x) in block.chunks_exact_mut(ROW).zip(x) {
                let v = isa.splat_lanes(*x);
                row.chunks_exact_mut(S::LANES).for_each(|to| isa.store_lanes(v, to));
            }
        }
        z.pass::<false>(out, &ntt.forward, 1);
        z.pass::<false>(out, &ntt.forward, 2);
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
            z.pass::<true>(x, &ntt.inverse, pass);
        }
        let (w, scale) = (z.splat_all(&ntt.inverse.first), z.splat_all(&ntt.scale));
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
                v[k] = z.below(z.times(ends[0], scale[0]));
                v[k + ROW / 2] = z.below(z.times(ends[1], scale[1]));
            }
            for (k, v) in v.into_iter().enumerate() {
                isa.store_lanes(v, &mut out[k * ROWS + column..][..S::LANES]);
            }
        }
    }
}

/// Bits of a number below [`DEGREE`] in the other order.
fn reversed(i: usize) -> usize {
    i.reverse_bits() >> (usize::BITS - DEGREE.trailing_zeros())
}

pub(super) fn times(a: u32, b: u32, q: u32) -> u32 {
    (u64::from(a) * u64::from(b) % u64::from(q)) as u32
}

pub(super) fn power(x: u32, mut exponent: u32, q: u32) -> u32 {
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

pub(super) fn factor(w: u32, q: u32) -> Factor {
    [w, ((u64::from(w) << 32) / u64::from(q)) as u32]
}

/// The root of order 16384 that comes of the smallest number that gives one.
pub(super) fn root(q: u32) -> u32 {
    let roots = (2..).map(|x| power(x, (q - 1) / (2 * DEGREE as u32), q));
    roots.into_iter().find(|psi| power(*psi, DEGREE as u32, q) == q - 1).expect("a prime that is 1 mod 16384")
}

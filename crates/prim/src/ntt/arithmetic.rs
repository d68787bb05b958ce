//! Vectors of numbers mod a prime: lazy sums, products with known numbers, stages of a transform.

use crate::simd::LaneIsa;

/// A number to multiply by, and `floor(number 2^32 / q)`.
pub(super) type Factor = [u32; 2];

/// Vectors of a prime's multiples, and arithmetic with them.
#[derive(Clone, Copy)]
pub(super) struct Arithmetic<S: LaneIsa> {
    pub(super) isa: S,
    pub(super) q: S::L,
    twice: S::L,
}

impl<S: LaneIsa> Arithmetic<S> {
    #[inline(always)]
    pub(super) fn new(isa: S, q: u32) -> Self {
        Self { isa, q: isa.splat_lanes(q), twice: isa.splat_lanes(2 * q) }
    }

    #[inline(always)]
    pub(super) fn splat(&self, factor: Factor) -> [S::L; 2] {
        [self.isa.splat_lanes(factor[0]), self.isa.splat_lanes(factor[1])]
    }

    /// `x w` mod q, below `2 q`, whatever x is.
    #[inline(always)]
    pub(super) fn times(&self, x: S::L, [w, quotient]: [S::L; 2]) -> S::L {
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
    pub(super) fn below(&self, x: S::L) -> S::L {
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
    pub(super) fn ends(&self, x: S::L, y: S::L) -> [S::L; 2] {
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
    pub(super) fn stages<const R: usize>(&self, v: &mut [S::L; R], w: &[[S::L; 2]]) {
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
    pub(super) fn stages_back<const R: usize>(&self, v: &mut [S::L; R], w: &[[S::L; 2]], last: usize) {
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
}

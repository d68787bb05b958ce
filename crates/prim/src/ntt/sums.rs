//! Sums of products of transforms.

use super::{
    arithmetic::Arithmetic,
    transform::{DEGREE, Ntt},
};
use crate::{
    simd::{LaneIsa, Op},
    wipe::Wiped,
};

/// Sums have so many products at most before they are reduced.
const TERMS: u32 = 16;

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
            let b = match self.b {
                Some(b) => isa.load_lanes(&b[i * S::LANES..][..S::LANES]),
                None => one,
            };
            let (sums, products) = (isa.load_wide(words), isa.mul_wide(isa.load_lanes(a), b));
            isa.store_wide([isa.add_wide(sums[0], products[0]), isa.add_wide(sums[1], products[1])], words);
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
        let (upper, lower) = (z.splat(self.ntt.words[0]), z.splat(self.ntt.words[1]));
        let all = self.words.chunks_exact(S::LANES).zip(self.out.chunks_exact_mut(S::LANES));
        for (words, out) in all {
            let words = isa.load_wide(words);
            let sum = isa.add_lanes(z.times(isa.high(words), upper), z.times(isa.low(words), lower));
            isa.store_lanes(z.below(sum), out);
        }
    }
}

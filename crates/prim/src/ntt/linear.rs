//! Sums of multiples of polynomials, by known numbers.

use super::{
    arithmetic::{Arithmetic, Factor},
    transform::{Ntt, SHORT, factor},
};
use crate::simd::{LaneIsa, Op};

/// Most polynomials of a sum.
const MOST: usize = 3;

impl Ntt {
    /// The sum of polynomials, or transforms, each times a number below q, and of a number below q in every place. Their
    /// own numbers may be any of 32 bits: of residues mod another prime they are the whole numbers.
    ///
    /// # Panics
    /// For no polynomial or more than 3, unless all have as many numbers, a multiple of 64, and for a multiple not below q.
    pub fn linear(&self, terms: &[(&[u32], u32)], constant: u32, out: &mut [u32]) {
        assert!((1..=MOST).contains(&terms.len()), "terms");
        let size = out.len();
        assert!(terms.iter().all(|(x, _)| x.len() == size) && size.is_multiple_of(SHORT), "coefficients");
        assert!(terms.iter().all(|(_, by)| *by < self.q) && constant < self.q, "multiples");
        let all: [(&[u32], Factor); MOST] = std::array::from_fn(|i| {
            let (x, by) = terms[i.min(terms.len() - 1)];
            (x, factor(by, self.q))
        });
        self.engine.run(Linear { ntt: self, terms: &all[..terms.len()], constant, out });
    }
}

struct Linear<'a> {
    ntt: &'a Ntt,
    terms: &'a [(&'a [u32], Factor)],
    constant: u32,
    out: &'a mut [u32],
}

impl<S: LaneIsa> Op<S> for Linear<'_> {
    type Out = ();

    #[inline(always)]
    fn call(self, isa: S) {
        let Self { ntt, terms, constant, out } = self;
        let (z, constant) = (Arithmetic::new(isa, ntt.q), isa.splat_lanes(constant));
        let mut factors = [z.splat([0; 2]); MOST];
        factors.iter_mut().zip(terms).for_each(|(to, (_, by))| *to = z.splat(*by));
        for (i, out) in out.chunks_exact_mut(S::LANES).enumerate() {
            let mut sum = constant;
            for ((x, _), by) in terms.iter().zip(factors) {
                let x = isa.load_lanes(&x[i * S::LANES..][..S::LANES]);
                sum = z.below(isa.add_lanes(sum, z.times(x, by)));
            }
            isa.store_lanes(sum, out);
        }
    }
}

//! Polynomials by their residues.

use std::sync::Arc;

use prim::{
    Wiped,
    ntt::{DEGREE, Ntt, PRIMES, Sums},
};

use crate::{error::Result, params::Params};

/// Polynomials mod a product of primes, and what is computed with them.
#[derive(Clone)]
pub struct Ring {
    params: Params,
    /// Of the primes of q, and those of P.
    ntts: Arc<[Ntt]>,
    /// Of each prime: the inverse of the product of the others.
    inverses: Arc<[u32]>,
}

/// A polynomial: residues of its coefficients, or a transform, prime by prime. A secret, or as good as one.
pub struct Poly(pub(crate) Wiped<u32>);

/// A polynomial that one party knows, as a transform.
pub struct Plain(Poly);

impl Poly {
    pub(crate) fn zeros(limbs: usize) -> Self {
        Self(Wiped::zeros(limbs * DEGREE))
    }

    /// For which zeros are as good as any numbers.
    pub(crate) fn like(other: &Self) -> Self {
        Self(Wiped::zeros(other.0.len()))
    }

    /// Residues of each prime.
    pub(crate) fn limbs(&self) -> impl Iterator<Item = &[u32]> {
        self.0.chunks_exact(DEGREE)
    }

    pub(crate) fn limbs_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        self.0.chunks_exact_mut(DEGREE)
    }
}

impl Clone for Poly {
    fn clone(&self) -> Self {
        Self(self.0.to_vec().into())
    }
}

impl Ring {
    /// The ring of these parameters.
    pub fn new(params: Params) -> Self {
        let primes = &PRIMES[..params.limbs()];
        let inverse = |(i, &q): (usize, &u32)| {
            let others = primes.iter().enumerate().filter(|(j, _)| *j != i);
            power(others.fold(1, |all, (_, other)| all * u64::from(*other) % u64::from(q)), q - 2, q)
        };
        let inverses = primes.iter().enumerate().map(inverse).collect();
        let all = &PRIMES[..params.limbs() + params.special()];
        Self { params, ntts: all.iter().map(|q| Ntt::new(*q)).collect(), inverses }
    }

    /// The same for plaintexts mod `2^bits`.
    ///
    /// # Errors
    /// As [`Params::new`].
    pub fn of_width(&self, bits: u32) -> Result<Self> {
        Ok(Self { params: Params::new(bits, self.params.limbs())?, ..self.clone() })
    }

    /// Its parameters.
    pub fn params(&self) -> Params {
        self.params
    }

    /// The transforms of each prime of q.
    pub(crate) fn ntts(&self) -> &[Ntt] {
        &self.ntts[..self.params.limbs()]
    }

    /// Those of each prime of q and of P.
    pub(crate) fn all_ntts(&self) -> &[Ntt] {
        &self.ntts
    }

    /// Of each prime the inverse of the product of the others.
    pub(crate) fn inverses(&self) -> &[u32] {
        &self.inverses
    }

    /// Residues of coefficients, given prime by prime of q, or of these.
    pub(crate) fn residues(&self, of: impl FnMut(&Ntt, &mut [u32])) -> Poly {
        Self::residues_of(self.ntts(), of)
    }

    pub(crate) fn residues_of(ntts: &[Ntt], mut of: impl FnMut(&Ntt, &mut [u32])) -> Poly {
        let mut poly = Poly::zeros(ntts.len());
        ntts.iter().zip(poly.limbs_mut()).for_each(|(ntt, limb)| of(ntt, limb));
        poly
    }

    /// Residues of small numbers, below the primes in size: of the primes of q, or of all.
    pub(crate) fn small(&self, numbers: &[i32]) -> Poly {
        Self::small_of(self.ntts(), numbers)
    }

    pub(crate) fn small_of(ntts: &[Ntt], numbers: &[i32]) -> Poly {
        Self::residues_of(ntts, |ntt, limb| {
            limb.iter_mut().zip(numbers).for_each(|(to, x)| *to = signed(*x, ntt.modulus()));
        })
    }

    pub(crate) fn forward(&self, x: &Poly) -> Poly {
        let mut out = Poly::like(x);
        let all = self.ntts.iter().zip(x.limbs()).zip(out.limbs_mut());
        all.for_each(|((ntt, x), out)| ntt.forward(x, out));
        out
    }

    pub(crate) fn inverse(&self, mut x: Poly) -> Poly {
        let mut out = Poly::like(&x);
        self.inverse_to(&mut x, &mut out);
        out
    }

    pub(crate) fn inverse_to(&self, x: &mut Poly, out: &mut Poly) {
        let all = self.ntts.iter().zip(x.limbs_mut()).zip(out.limbs_mut());
        all.for_each(|((ntt, x), out)| ntt.inverse(x, out));
    }

    pub(crate) fn add(&self, x: &mut Poly, y: &Poly) {
        for ((ntt, x), y) in self.ntts.iter().zip(x.limbs_mut()).zip(y.limbs()) {
            let q = ntt.modulus();
            x.iter_mut().zip(y).for_each(|(x, y)| *x = below(*x + *y, q));
        }
    }

    pub(crate) fn negate(&self, x: &mut Poly) {
        for (ntt, x) in self.ntts.iter().zip(x.limbs_mut()) {
            let q = ntt.modulus();
            x.iter_mut().for_each(|x| *x = below(q - *x, q));
        }
    }

    /// The product of transforms: as many primes as the first one has.
    pub(crate) fn product(&self, x: &Poly, y: &Poly) -> Poly {
        let mut out = Poly::like(x);
        self.products_to(&mut Sums::default(), std::iter::once((x, y)), &mut out);
        out
    }

    /// The sum of products of transforms, mod as many primes as `out` has.
    pub(crate) fn products_to<'a>(
        &self,
        sums: &mut Sums,
        pairs: impl Iterator<Item = (&'a Poly, &'a Poly)> + Clone,
        out: &mut Poly,
    ) {
        for (i, (ntt, out)) in self.ntts.iter().zip(out.limbs_mut()).enumerate() {
            let at = i * DEGREE..(i + 1) * DEGREE;
            pairs.clone().for_each(|(x, y)| sums.add(ntt, &x.0[at.clone()], &y.0[at.clone()]));
            sums.take(ntt, out);
        }
    }
}

impl Plain {
    pub(crate) fn zeros(limbs: usize) -> Self {
        Self(Poly::zeros(limbs))
    }

    pub(crate) fn limbs_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        self.0.limbs_mut()
    }

    pub(crate) fn poly(&self) -> &Poly {
        &self.0
    }
}

/// Of a sum below `2 q` that below q.
#[inline(always)]
pub(crate) fn below(x: u32, q: u32) -> u32 {
    let less = x.wrapping_sub(q);
    less.wrapping_add(q & 0u32.wrapping_sub(less >> 31))
}

/// The residue of a number that is less than q in size.
#[inline(always)]
fn signed(x: i32, q: u32) -> u32 {
    (x as u32).wrapping_add(q & (x >> 31) as u32)
}

/// The residue of a word. Without a division, which may take as long as its operands want.
#[inline(always)]
pub(crate) fn word(x: u64, q: u32) -> u32 {
    let quotient = ((u128::from(x) * u128::from(u64::MAX / u64::from(q))) >> 64) as u64;
    let rest = x.wrapping_sub(quotient.wrapping_mul(q.into())); // below 2 q
    below(rest as u32, q)
}

/// `x y` mod q. Public numbers, or without a division by [`word`].
#[inline(always)]
pub(crate) fn times(x: u32, y: u32, q: u32) -> u32 {
    word(u64::from(x) * u64::from(y), q)
}

pub(crate) fn power(mut x: u64, mut exponent: u32, q: u32) -> u32 {
    let mut all = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            all = all * x % u64::from(q);
        }
        x = x * x % u64::from(q);
        exponent >>= 1;
    }
    all as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_those_of_division() {
        for q in PRIMES {
            let wide = u64::from(q);
            let ends =
                [0, 1, wide - 1, wide, wide + 1, 2 * wide - 1, 2 * wide, u64::MAX, u64::MAX - 1, 1 << 63];
            let many = (0..10_000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            for x in ends.into_iter().chain(many) {
                assert_eq!(u64::from(word(x, q)), x % wide, "{x} mod {q}");
            }
            for x in [i32::from(i16::MIN), -21, -1, 0, 1, 21] {
                assert_eq!(i64::from(signed(x, q)), i64::from(x).rem_euclid(wide as i64));
            }
        }
    }
}

//! Plaintexts in a ciphertext's modulus: `q m / 2^l` in whole numbers, from words of l bits and residues alone.
//!
//! With `rho = q m mod 2^l` the whole numbers beside `q m / 2^l` are `v / 2^l` more, for `v = -rho` and `v = 2^l - rho`. Mod
//! a prime of q, whose multiple q is, that is v times the inverse of `2^l`.

use prim::{Prg, Wiped, low, ntt::DEGREE, ntt::PRIMES};

use crate::{
    poly::{Poly, Ring, below, power, times, word},
    sample::words,
};

/// Which of the two whole numbers.
pub(crate) enum Rounding<'a> {
    /// Either, so that the mean is exact: the error of a ciphertext has to have mean zero.
    Random(&'a mut Prg),
    /// The nearer one.
    Nearest,
}

/// Of the first coefficients; the others are zero.
pub(crate) fn encode(ring: &Ring, numbers: &[u64], rounding: Rounding<'_>) -> Poly {
    let bits = ring.params().bits();
    let modulus = PRIMES[..ring.params().limbs()].iter().fold(1u64, |all, q| all.wrapping_mul((*q).into()));
    let rests = Wiped::from(numbers.iter().map(|m| low(modulus.wrapping_mul(*m), bits)).collect::<Vec<_>>());
    let ups = match rounding {
        Rounding::Random(prg) => {
            let drawn = words(prg, rests.len());
            let less = |(drawn, rest): (&u64, &u64)| {
                (u128::from(low(*drawn, bits)).wrapping_sub(u128::from(*rest)) >> 127) as u32
            };
            Wiped::from(drawn.iter().zip(rests.iter()).map(less).collect::<Vec<_>>())
        }
        Rounding::Nearest => {
            Wiped::from(rests.iter().map(|rest| (rest >> (bits - 1)) as u32).collect::<Vec<_>>())
        }
    };
    assert!(numbers.len() <= DEGREE, "coefficients");
    ring.residues(|ntt, limb| {
        let q = ntt.modulus();
        let unit = power(2, bits, q);
        let inverse = power(unit.into(), q - 2, q);
        for ((to, rest), up) in limb.iter_mut().zip(rests.iter()).zip(ups.iter()) {
            let more = unit & 0u32.wrapping_sub(*up);
            *to = times(below(more + below(q - word(*rest, q), q), q), inverse, q);
        }
    })
}

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

#[cfg(test)]
mod tests {
    use prim::Block;

    use super::*;
    use crate::Params;

    /// Both roundings by division, at ends and at random: what is sent does not show a unit of q.
    #[test]
    fn words_are_those_of_division() {
        for bits in [8, 9, 30, 37] {
            let ring = Ring::new(Params::new(bits, 3).expect("parameters"));
            let q: u128 = PRIMES[..3].iter().map(|q| u128::from(*q)).product();
            let mut prg = Prg::new(Block(bits.into()));
            let ends = [0, 1, 2, 1 << (bits - 1), (1 << (bits - 1)) - 1, u64::MAX];
            let numbers: Vec<u64> = (0..500).map(|i| low(*ends.get(i).unwrap_or(&prg.u64()), bits)).collect();
            let [nearest, random] = [Rounding::Nearest, Rounding::Random(&mut prg)]
                .map(|rounding| encode(&ring, &numbers, rounding));
            let mut ups = 0;
            for (i, m) in numbers.iter().enumerate() {
                let (product, unit) = (q * u128::from(*m), 1u128 << bits);
                let is = |poly: &Poly, whole: u128| {
                    poly.limbs().zip(PRIMES).all(|(limb, q)| u128::from(limb[i]) == whole % u128::from(q))
                };
                let (below, rest) = (product / unit, product % unit);
                assert!(is(&nearest, below + u128::from(rest >= unit / 2)), "{m} of {bits} bits");
                let up = is(&random, below + 1);
                assert!(
                    if rest == 0 { is(&random, below) } else { up || is(&random, below) },
                    "{m} of {bits} bits"
                );
                ups += u32::from(up);
            }
            assert!((200..300).contains(&ups), "{ups} of 500 are rounded up");
            assert!(
                [nearest, random]
                    .iter()
                    .all(|poly| poly.limbs().all(|limb| limb[500..].iter().all(|x| *x == 0)))
            );
        }
    }
}

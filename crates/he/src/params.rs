//! Moduli, and what noise they have room for.

use prim::ntt::{DEGREE, PRIMES};

use crate::error::{Error, Result};

/// Most bits of a modulus for 128 bits of security: ternary secret, dimension 8192, classical attacks. Security
/// Guidelines for Implementing Homomorphic Encryption (2024).
const MOST_BITS: u32 = 214;
/// Bits of each prime.
const PRIME_BITS: u32 = 30;
/// The largest error of a fresh encryption.
const ERROR: f64 = 21.0;
/// Bits by which the flooding exceeds what it covers.
const FLOODING: i32 = 40;

/// What a ciphertext consists of. Public, and the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    bits: u32,
    limbs: usize,
}

impl Params {
    /// Plaintexts mod `2^bits`, 8 to 64, and so many primes, 3 to 7.
    ///
    /// # Errors
    /// [`Error::Param`] for others: a modulus of more than 214 bits is not secure.
    pub fn new(bits: u32, limbs: usize) -> Result<Self> {
        let param =
            |what, got: String, accepted: &str| Err(Error::Param { what, got, accepted: accepted.into() });
        if !(8..=64).contains(&bits) {
            return param("bits of a plaintext", bits.to_string(), "8 to 64");
        }
        let most = (MOST_BITS / PRIME_BITS) as usize;
        if !(3..=most).contains(&limbs) {
            return param("primes of a modulus", limbs.to_string(), "3 to 7");
        }
        if PRIME_BITS * limbs as u32 <= bits + 3 + FLOODING as u32 {
            return param("primes of a modulus", limbs.to_string(), "more, for as many bits of a plaintext");
        }
        Ok(Self { bits, limbs })
    }

    /// The fewest primes with room for a product.
    ///
    /// # Errors
    /// [`Error::Param`] if none has.
    pub fn fitting(bits: u32, product: &Product) -> Result<Self> {
        let all = (3..=7).filter_map(|limbs| Self::new(bits, limbs).ok());
        all.into_iter().find(|params| params.fits(product)).ok_or_else(|| Error::Param {
            what: "product by a lattice",
            got: {
                let Product { weight_bits, terms, outputs, .. } = product;
                format!("{terms} terms of {weight_bits} bits, mod 2^{bits}, {outputs} outputs")
            },
            accepted: "fewer terms or outputs, or narrower weights".into(),
        })
    }

    /// Whether the flooding is `2^40` times the worst noise, and as much the sum of what all outputs give away.
    ///
    /// The noise before flooding is a sum of independent errors of mean zero: of the ciphertext, `terms` times an error
    /// of at most 22 (21 and the rounding of the encoding) times a weight; of the fresh encryption of zero, n products of a
    /// key's error and a number of at most 21 each, twice, and an error; the rounding of the mask; and of packing, for
    /// each of its steps twice as much as for the one before, n products of a key's error and a digit, for each digit,
    /// over P, and the rounding by P of both parts.
    pub fn fits(&self, product: &Product) -> bool {
        let [worst, variance] = self.noise(product);
        let covered = worst.max(product.outputs as f64 * variance.sqrt() / 2.0);
        f64::from(self.flooding_bits() as i32).exp2() >= covered * f64::from(FLOODING).exp2()
    }

    /// The largest noise before flooding, and its variance.
    pub(crate) fn noise(&self, product: &Product) -> [f64; 2] {
        let Product { weight_bits, terms, packed, .. } = *product;
        let (n, weight) = (DEGREE as f64, f64::from(weight_bits as i32 - 1).exp2());
        let worst = (ERROR + 1.0) * terms as f64 * weight + (ERROR * ERROR + ERROR) * n + ERROR + 1.0;
        let variance = 10.75 * terms as f64 * weight * weight + n * (10.5 * 10.5 + 7.0) + 10.5;
        let [worst_packed, variance_packed] = self.noise_of_packing(packed);
        [worst + worst_packed, variance + variance_packed]
    }

    /// The largest error that packing adds, and its variance.
    pub(crate) fn noise_of_packing(&self, packed: usize) -> [f64; 2] {
        let (n, packed, digits) = (DEGREE as f64, packed as f64, self.digits() as f64);
        let digit = self.half_digit() / self.special_product();
        let worst = digits * n * digit * ERROR + (n + 1.0) / 2.0;
        let variance = digits * n * digit.powi(2) * 10.5 + n / 6.0 + 0.25;
        [(packed - 1.0) * worst, (packed * packed - 1.0) / 3.0 * variance]
    }

    /// Primes of a digit for key switching: as many as of P, but one at least.
    pub(crate) fn digit(&self) -> usize {
        self.special().max(1)
    }

    /// Digits of a ciphertext's part.
    pub(crate) fn digits(&self) -> usize {
        self.limbs.div_ceil(self.digit())
    }

    /// Primes of P, by which key switching divides its noise: two, or as many as the modulus leaves.
    pub(crate) fn special(&self) -> usize {
        ((MOST_BITS / PRIME_BITS) as usize - self.limbs).min(2)
    }

    /// P.
    fn special_product(&self) -> f64 {
        PRIMES[self.limbs..][..self.special()].iter().map(|q| f64::from(*q)).product()
    }

    /// The largest digit, in size: half of its primes' product, and one prime more where there are two.
    fn half_digit(&self) -> f64 {
        let primes: Vec<f64> = PRIMES[..self.digit()].iter().map(|q| f64::from(*q)).collect();
        primes.iter().product::<f64>() / 2.0 + if primes.len() > 1 { primes[0] } else { 0.0 }
    }

    /// Bits of a plaintext's coefficient.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Primes of the modulus.
    pub fn limbs(&self) -> usize {
        self.limbs
    }

    /// The flooding is uniform in `-2^k..2^k`: so that four times as much is at most what a plaintext's unit stands for.
    pub(crate) fn flooding_bits(&self) -> u32 {
        PRIME_BITS * self.limbs as u32 - self.bits - 3
    }
}

/// What bears on the noise of a product. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Bits of a known number: it is below `2^(weight_bits - 1)` in size.
    pub weight_bits: u32,
    /// Of how many known numbers an output has multiples, by the shape.
    pub terms: usize,
    /// Outputs in all: of all products that are to be within the bound together.
    pub outputs: usize,
    /// How many ciphertexts are packed into one: a power of two.
    pub packed: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the specification, with packing and without: least primes by bits of plaintexts and weights.
    #[test]
    fn least_primes_are_those_of_the_page() {
        let table = [
            (8, [3, 0, 0, 3]),
            (16, [3, 4, 4, 4]),
            (24, [4, 4, 4, 4]),
            (32, [4, 4, 4, 5]),
            (37, [4, 4, 4, 5]),
            (40, [4, 4, 5, 5]),
            (48, [5, 5, 5, 6]),
            (64, [5, 5, 5, 7]),
        ];
        for (bits, limbs) in table {
            for (weight, limbs) in [8, 12, 16, bits].into_iter().zip(limbs).filter(|(_, limbs)| *limbs > 0) {
                for packed in [1, 64] {
                    let product = Product { weight_bits: weight, terms: 1024, outputs: 1 << 18, packed };
                    let found = Params::fitting(bits, &product).expect("parameters").limbs();
                    assert_eq!(found, limbs, "{bits} bits, weights of {weight}, {packed} packed");
                }
            }
        }
    }

    /// The bound is that of a product and of packing together, by the formula of the specification: there are products that fit
    /// where none are packed, and not where many are.
    #[test]
    fn packing_takes_room() {
        let mut flipped = 0;
        for (bits, limbs) in (8..=64).flat_map(|bits| (3..=7).map(move |limbs| (bits, limbs))) {
            let Ok(params) = Params::new(bits, limbs) else { continue };
            for (weight_bits, outputs) in [(1, 1), (4, 1 << 10), (bits.min(24), 1 << 20)] {
                let fits = |packed| params.fits(&Product { weight_bits, terms: 64, outputs, packed });
                let [worst, variance] = params.noise(&Product { weight_bits, terms: 64, outputs, packed: 1 });
                let [worst_packed, variance_packed] = params.noise_of_packing(4096);
                let covered =
                    (worst + worst_packed).max(outputs as f64 * (variance + variance_packed).sqrt() / 2.0);
                let flooding = f64::from((30 * limbs as u32 - bits - 3) as i32).exp2();
                assert_eq!(fits(4096), flooding >= covered * 40f64.exp2(), "{bits} bits, {limbs} primes");
                assert!(fits(1) || !fits(4096));
                flipped += usize::from(fits(1) && !fits(4096));
            }
        }
        assert!(flipped > 10, "{flipped} fit without packing only");
    }

    #[test]
    fn others_are_refused() {
        for (bits, limbs) in [(7, 4), (65, 5), (32, 2), (32, 8), (64, 3), (50, 3), (0, 0), (u32::MAX, 4)] {
            assert!(Params::new(bits, limbs).is_err(), "{bits}, {limbs}");
        }
        let product = Product { weight_bits: 64, terms: 1 << 20, outputs: 1 << 30, packed: 1 };
        assert!(Params::fitting(64, &product).is_err());
    }
}

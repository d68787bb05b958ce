//! The encryptor: its key, ciphertexts, and what comes back.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use prim::{
    Prg, Wiped, low,
    ntt::{DEGREE, PRIMES},
};

use crate::{
    ciphertext::Seeded,
    encode::{Rounding, encode},
    error::Result,
    params::Params,
    poly::{Poly, Ring, below, power, times, word},
    respond::Response,
    sample::{error, public, ternary},
};

/// Primes whose product holds the product of a response's second part and a secret.
const PRODUCT: usize = 3;

/// Who encrypts, and opens what comes back. Threads may share one.
#[derive(Clone)]
pub struct Encryptor {
    ring: Ring,
    /// The secret, as a transform.
    secret: Arc<Poly>,
    seed: [u8; 32],
    /// The number of the next ciphertext, of whatever kind: none serves twice.
    next: Arc<AtomicU64>,
}

impl Encryptor {
    /// A new key; `prg` gives what nobody else may know.
    pub fn new(params: Params, prg: &mut Prg) -> Self {
        let ring = Ring::new(params);
        let secret = ring.forward(&Ring::small_of(ring.all_ntts(), &ternary(prg)));
        let seed = *blake3::hash(&prg.block().0.to_le_bytes()).as_bytes();
        Self { ring, secret: Arc::new(secret), seed, next: Arc::default() }
    }

    /// The same key for plaintexts mod `2^bits`: of the key, only how plaintexts are encoded depends on their width.
    ///
    /// # Errors
    /// As [`Params::new`].
    pub fn of_width(&self, bits: u32) -> Result<Self> {
        Ok(Self { ring: self.ring.of_width(bits)?, ..self.clone() })
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The secret, as a transform.
    pub(crate) fn secret(&self) -> &Poly {
        &self.secret
    }

    /// What the second parts of ciphertexts come of. Public.
    pub fn seed(&self) -> &[u8; 32] {
        &self.seed
    }

    /// An encryption of zero: the public key, of which the peer needs one.
    pub fn public_key(&self, prg: &mut Prg) -> Seeded {
        self.encrypt(prg, &[])
    }

    /// A number that no ciphertext has, and an encryption of zero under it, as transforms: mod the primes of q, or of q and
    /// P.
    pub(crate) fn zero(&self, prg: &mut Prg, primes: usize) -> (u64, Poly) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let ring = &self.ring;
        let mut first = ring.forward(&Ring::small_of(&ring.all_ntts()[..primes], &error(prg)));
        let second = public(&ring.all_ntts()[..primes], &self.seed, number);
        let mut masked = ring.product(&second, &self.secret);
        ring.negate(&mut masked);
        ring.add(&mut first, &masked);
        (number, first)
    }

    /// An encryption of words mod `2^l` as coefficients, the lowest first; those that are left out are zero.
    ///
    /// # Panics
    /// For more than 8192.
    pub fn encrypt(&self, prg: &mut Prg, numbers: &[u64]) -> Seeded {
        let (number, mut first) = self.zero(prg, self.ring.params().limbs());
        let encoded = encode(&self.ring, numbers, Rounding::Random(prg));
        self.ring.add(&mut first, &self.ring.forward(&encoded));
        Seeded::new(number, first)
    }

    /// The plaintext's coefficients at these places, less the peer's mask. There is no check: what the peer made wrong comes
    /// out as wrong numbers.
    pub fn open(&self, response: &Response, places: &[usize]) -> Wiped<u64> {
        let bits = self.ring.params().bits();
        let (wide, narrow) = (bits + Response::SECOND, bits + Response::FIRST);
        let products = self.times_secret(&response.second, wide);
        let phase = |(place, first): (&usize, &u128)| {
            let phase = (first << (wide - narrow)).wrapping_add(products[*place]);
            let rounded = phase.wrapping_add(1 << (Response::SECOND - 1)) >> Response::SECOND;
            low(rounded as u64, bits)
        };
        Wiped::from(places.iter().zip(&response.first).map(phase).collect::<Vec<_>>())
    }

    /// A polynomial mod `2^bits` times the secret, mod `2^128` and exact mod `2^bits`.
    fn times_secret(&self, numbers: &[u128], bits: u32) -> Wiped<u128> {
        let mut products: Vec<Wiped<u32>> = Vec::with_capacity(PRODUCT);
        for (ntt, secret) in self.ring.ntts().iter().zip(self.secret.limbs()).take(PRODUCT) {
            let q = ntt.modulus();
            let (half, whole) = (power(2, 64, q), power(2, bits, q));
            // As signed numbers: then the product is below half of the primes' product in size.
            let residue = |x: &u128| {
                let (lower, upper) = (word(*x as u64, q), times((x >> 64) as u32, half, q));
                let less = whole & 0u32.wrapping_sub((x >> (bits - 1)) as u32 & 1);
                below(below(lower + upper, q) + below(q - less, q), q)
            };
            let residues = Wiped::from(numbers.iter().map(residue).collect::<Vec<_>>());
            let (mut values, mut product) = (Wiped::zeros(DEGREE), Wiped::zeros(DEGREE));
            ntt.forward(&residues, &mut values);
            let mut sums = prim::ntt::Sums::default();
            sums.add(ntt, &values, secret);
            sums.take(ntt, &mut values);
            ntt.inverse(&mut values, &mut product);
            products.push(product);
        }
        let primes = &PRIMES[..PRODUCT];
        let all: u128 = primes.iter().map(|q| u128::from(*q)).product();
        let parts: Vec<(u32, u128, u32)> = primes
            .iter()
            .map(|q| {
                let others = all / u128::from(*q);
                (*q, others, power((others % u128::from(*q)) as u64, q - 2, *q))
            })
            .collect();
        let mut out = Wiped::zeros(DEGREE);
        for (i, to) in out.iter_mut().enumerate() {
            let (mut sum, mut whole) = (0u128, 1u128 << 63);
            for (product, (q, others, inverse)) in products.iter().zip(&parts) {
                let part = u128::from(times(product[i], *inverse, *q));
                sum = sum.wrapping_add(part.wrapping_mul(*others));
                whole += part * u128::from(u64::MAX / u64::from(*q));
            }
            *to = sum.wrapping_sub((whole >> 64).wrapping_mul(all));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use prim::Block;

    use super::*;

    /// Second parts come of the numbers: two ciphertexts under the same one would show the difference of what is in them.
    #[test]
    fn no_number_serves_twice() {
        let mut prg = Prg::new(Block(1));
        let encryptor = Encryptor::new(Params::new(8, 4).expect("parameters"), &mut prg);
        let wide = encryptor.of_width(37).expect("parameters");
        let (clone, other) = (encryptor.clone(), wide.of_width(8).expect("parameters"));
        let encryptors = [&encryptor, &wide, &clone, &other];
        let mut numbers = Vec::new();
        for encryptor in encryptors.into_iter().chain(encryptors) {
            numbers.push(encryptor.public_key(&mut prg).number);
            numbers.push(encryptor.encrypt(&mut prg, &[1, 2]).number);
            numbers.extend(encryptor.packing_key(&mut prg, 2).numbers.iter());
        }
        let distinct: HashSet<u64> = numbers.iter().copied().collect();
        assert_eq!(distinct.len(), numbers.len());
    }
}

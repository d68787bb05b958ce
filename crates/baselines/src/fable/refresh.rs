//! What makes a response of the server show its plaintext and nothing else.
//!
//! # Functionality
//! In: a ciphertext that the server computed of the client's query and its table; the client's public key. Out: one of
//! the same plaintext, whose distribution depends on the plaintext alone, up to `2^-40` over all responses and
//! the hardness of ring learning with errors.
//!
//! # Protocol
//! 1. A fresh encryption of zero under the public key `(p_0, p_1)`: `(u p_0 + e_0, u p_1 + e_1)` is added, to *both*
//!    polynomials.
//! 2. To each coefficient of the first polynomial an integer is added that is uniform in `[-2^f, 2^f)`.
//!
//! # Source
//! FABLE 4.3, and confidential-errata E1 and E5: the authors' code leaves out step 1, so the second polynomial of a
//! response is a function of query and masked table that the client can compare with a guess; and for one of its
//! parameter sets step 2 hides 5 bits.
//!
//! # Security
//! The client knows its secret s and the query. `c_1 + u p_1 + e_1` is pseudo-random for it, as `(p_1, u p_1 + e_1)` is a
//! sample of ring learning with errors whose secret u is the server's. Given that, `c_0` is the plaintext, the noise of
//! the computation, `u e + e_0 + e_1 s` and the flooding, less `s c_1`. The flooding has `2^f` with f at least 40 bits and
//! those of all coefficients of all responses above the noise's bound, which holds for every table and query: a shift by
//! the noise changes the uniform distribution by `2^-40` in all.

use fhe::bfv::{Ciphertext, Encoding, Plaintext, PublicKey};
use fhe_math::rq::{Poly, Representation, traits::TryConvertFrom};
use fhe_traits::FheEncrypter;
use num_bigint::BigUint;
use prim::prg::Prg;
use zeroize::{Zeroize, Zeroizing};

use super::ring::{Random, Ring, fits};

/// Refreshes a response with flooding of `flood_bits` bits.
pub(super) fn refresh(
    ring: &Ring,
    response: &mut Ciphertext,
    key: &PublicKey,
    flood_bits: u32,
    rng: &mut Prg,
) {
    let zero = fits(Plaintext::zero(Encoding::poly(), &ring.par));
    let fresh = fits(key.try_encrypt(&zero, &mut Random(rng)));
    for (polynomial, fresh) in response.iter_mut().zip(fresh.iter()) {
        *polynomial += fresh;
    }
    response[0] += &flooding(ring, flood_bits, rng);
}

/// A polynomial with coefficients that are uniform in `[-2^bits, 2^bits)`.
fn flooding(ring: &Ring, bits: u32, rng: &mut Prg) -> Poly {
    let context = ring.par.context_at_level(0).expect("the first level");
    let modulus = context.modulus();
    let half = BigUint::from(1u8) << bits;
    // `bits + 1` bits less half the range, as residues.
    let len = (bits as usize + 1).div_ceil(8);
    let mut bytes = Zeroizing::new(vec![0; len]);
    let mut coefficients = Vec::with_capacity(ring.par.degree());
    for _ in 0..ring.par.degree() {
        rng.bytes(&mut bytes);
        bytes[len - 1] &= 0xff >> (8 * len - bits as usize - 1);
        coefficients.push((BigUint::from_bytes_le(&bytes) + (modulus - &half)) % modulus);
    }
    let polynomial = Poly::try_convert_from(&coefficients[..], context, false, Representation::PowerBasis);
    let mut polynomial = polynomial.expect("a coefficient for each power");
    bytes.zeroize();
    polynomial.change_representation(Representation::Ntt);
    polynomial
}

#[cfg(test)]
mod tests {
    use super::{
        super::{job::FableJob, ring::ClientKeys},
        *,
    };
    use fhe_traits::{FheDecoder, FheDecrypter, FheEncoder};
    use hushtable::{confidential::prf::Cipher, net::Role};
    use prim::block::Block;

    fn setting() -> (super::super::Sizes, Ring, ClientKeys, Prg) {
        let job = FableJob::new(Role::P0, Cipher::LowMc, 6, 8, 64).insecure_slots(256);
        let sizes = job.sizes(8).expect("sizes");
        let ring = Ring::new(&sizes);
        let mut rng = Prg::new(Block(5));
        let keys = ClientKeys::random(&ring, &mut rng);
        (sizes, ring, keys, rng)
    }

    fn encrypted(ring: &Ring, keys: &ClientKeys, rng: &mut Prg) -> (Vec<u64>, Ciphertext) {
        let values: Vec<u64> =
            (0..ring.par.degree() as u64).map(|i| (i * 77) % ring.par.plaintext()).collect();
        let plain = fits(Plaintext::try_encode(&values, Encoding::simd(), &ring.par));
        (values, fits(keys.secret.try_encrypt(&plain, &mut Random(rng))))
    }

    /// Coefficients that two ciphertexts have in common, in the polynomial with this number.
    fn common(x: &Ciphertext, y: &Ciphertext, number: usize) -> usize {
        let [x, y] = [x, y].map(|ct| ct[number].coefficients());
        x.into_iter().zip(y).filter(|(x, y)| x == y).count()
    }

    /// Errata E1: two responses of one table and query differ in both polynomials. With flooding alone, as in the
    /// authors' code, the second ones are equal.
    #[test]
    fn both_polynomials_change() {
        let (sizes, ring, keys, mut rng) = setting();
        let (_, response) = encrypted(&ring, &keys, &mut rng);
        let [mut a, mut b] = [response.clone(), response.clone()];
        refresh(&ring, &mut a, &keys.public, sizes.flood_bits, &mut rng);
        refresh(&ring, &mut b, &keys.public, sizes.flood_bits, &mut rng);
        for (x, y) in [(&a, &b), (&a, &response), (&b, &response)] {
            assert!((0..2).all(|i| common(x, y, i) <= 1), "equal coefficients");
        }
        let [mut a, mut b] = [response.clone(), response.clone()];
        a[0] += &flooding(&ring, sizes.flood_bits, &mut rng);
        b[0] += &flooding(&ring, sizes.flood_bits, &mut rng);
        assert_eq!((common(&a, &b, 0), common(&a, &b, 1)), (0, 3 * ring.par.degree()), "the mistake is seen");
    }

    /// Coefficients of the flooding fill the range, and do not leave it: the largest of 256 is below `2^f` and above
    /// `2^(f-1)`, of either sign.
    #[test]
    fn flooding_has_its_range() {
        let (_, ring, _, mut rng) = setting();
        let modulus = ring.par.context_at_level(0).expect("a level").modulus().clone();
        for bits in [40, 101, 130] {
            let mut polynomial = flooding(&ring, bits, &mut rng);
            polynomial.change_representation(Representation::PowerBasis);
            let all = Vec::<BigUint>::from(&polynomial);
            let half = &modulus >> 1;
            let (below, above): (Vec<_>, Vec<_>) = all.into_iter().partition(|c| c > &half);
            let down = below.iter().map(|c| &modulus - c).max().expect("some below zero");
            let up = above.iter().max().expect("some above").clone();
            for largest in [up, down] {
                assert!(
                    largest.bits() <= u64::from(bits) + 1 && largest.bits() >= u64::from(bits),
                    "{bits} bits"
                );
                assert!(largest <= BigUint::from(1u8) << bits, "{bits} bits");
            }
        }
    }

    /// With all the noise that a response can have, and all the flooding.
    #[test]
    fn the_worst_case_decrypts() {
        let (sizes, ring, keys, mut rng) = setting();
        let (values, response) = encrypted(&ring, &keys, &mut rng);
        let context = ring.par.context_at_level(0).expect("a level");
        for down in [false, true] {
            let mut worst = response.clone();
            let extreme = (BigUint::from(1u8) << sizes.flood_bits)
                + (BigUint::from(1u8) << (sizes.noise_bits() as u32 + 1));
            let extreme = if down { context.modulus() - extreme } else { extreme };
            let all = vec![extreme; ring.par.degree()];
            let mut added = Poly::try_convert_from(&all[..], context, false, Representation::PowerBasis)
                .expect("one each");
            added.change_representation(Representation::Ntt);
            worst[0] += &added;
            refresh(&ring, &mut worst, &keys.public, 8, &mut rng);
            fits(worst.switch_to_level(2));
            let plain = fits(keys.secret.try_decrypt(&worst));
            let found = fits(Vec::<u64>::try_decode(&plain, Encoding::simd_at_level(2)));
            assert_eq!(found, values);
        }
    }
}

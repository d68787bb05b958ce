//! The homomorphic encryption: BFV of the crate `fhe`, with all sizes of a job.

use std::sync::Arc;

use fhe::bfv::{BfvParameters, BfvParametersBuilder, Ciphertext, PublicKey, RelinearizationKey, SecretKey};
use fhe_math::{
    rns::ScalingFactor,
    rq::{Context, scaler::Scaler},
    zq::primes::generate_prime,
};
use num_bigint::BigUint;
use prim::prg::Prg;
use rand_core::{CryptoRng, RngCore};

use super::job::Sizes;

/// Parameters, and what products need.
pub(super) struct Ring {
    pub par: Arc<BfvParameters>,
    /// To a ring in which products of ciphertexts do not wrap.
    pub widen: Scaler,
    /// By t / q, back to the ring of ciphertexts.
    pub narrow: Scaler,
}

impl Ring {
    pub fn new(sizes: &Sizes) -> Self {
        let twice = 2 * sizes.slots as u64;
        let plain = generate_prime(sizes.plain_bits as usize, twice, 1 << sizes.plain_bits).expect("a prime");
        let par = BfvParametersBuilder::new()
            .set_degree(sizes.slots)
            .set_plaintext_modulus(plain)
            .set_moduli_sizes(&[sizes.limb_bits as usize; 3])
            .build_arc()
            .expect("parameters that are checked");
        let mut moduli = par.moduli().to_vec();
        // Two polynomials' product has n terms, and `code` of them are added, twice.
        let bits = 3 * sizes.limb_bits + sizes.slots.ilog2() + (2 * sizes.code).ilog2() + 2;
        let (mut left, mut below) = (bits.div_ceil(61), 1 << 62);
        while left > 0 {
            below = generate_prime(62, twice, below).expect("a prime");
            if !moduli.contains(&below) {
                moduli.push(below);
                left -= 1;
            }
        }
        let wide = Context::new_arc(&moduli, sizes.slots).expect("moduli that are checked");
        let base = par.context_at_level(0).expect("the first level");
        let widen = Scaler::new(base, &wide, ScalingFactor::one()).expect("rings of one degree");
        let factor = ScalingFactor::new(&BigUint::from(plain), base.modulus());
        let narrow = Scaler::new(&wide, base, factor).expect("rings of one degree");
        Self { par, widen, narrow }
    }
}

/// The party's randomness, as the crate asks for it.
pub(super) struct Random<'a>(pub &'a mut Prg);

impl RngCore for Random<'_> {
    fn next_u32(&mut self) -> u32 {
        self.0.u64() as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.0.u64()
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        self.0.bytes(out);
    }
}

impl CryptoRng for Random<'_> {}

/// The client's keys: the secret one, and those that the server computes with.
pub(super) struct ClientKeys {
    pub secret: SecretKey,
    pub public: PublicKey,
    pub relin: RelinearizationKey,
}

impl ClientKeys {
    pub fn random(ring: &Ring, rng: &mut Prg) -> Self {
        let rng = &mut Random(rng);
        let secret = SecretKey::random(&ring.par, rng);
        let public = PublicKey::new(&secret, rng);
        let relin = RelinearizationKey::new(&secret, rng).expect("three moduli");
        Self { secret, public, relin }
    }
}

/// The client's keys at the server.
pub(super) struct ServerKeys {
    pub public: PublicKey,
    pub relin: RelinearizationKey,
}

/// Of products and sums of plaintexts and ciphertexts that fit each other by construction.
pub(super) fn fits<T>(result: fhe::Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("ciphertexts of one ring: {error}"))
}

/// A ciphertext of two polynomials of the ring.
pub(super) fn is_fresh(ring: &Ring, ct: &Ciphertext, level: usize) -> bool {
    let context = ring.par.context_at_level(level).expect("a level");
    let ntt = fhe_math::rq::Representation::Ntt;
    ct.len() == 2 && ct.iter().all(|poly| poly.ctx() == context && *poly.representation() == ntt)
}

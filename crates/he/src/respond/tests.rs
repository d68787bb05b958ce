use super::*;
use crate::{Owner, keys::Seeded};

/// Words and weights of a case.
struct Case {
    params: Params,
    weight_bits: u32,
    prg: Prg,
}

impl Case {
    fn words(&mut self, count: usize, ends: bool) -> Vec<u64> {
        let bits = self.params.bits();
        let end = [0, 1, low(u64::MAX, bits), 1 << (bits - 1), (1 << (bits - 1)) - 1];
        (0..count)
            .map(|_| match ends {
                true => end[self.prg.below(5) as usize],
                false => low(self.prg.u64(), bits),
            })
            .collect()
    }

    fn weights(&mut self, count: usize, ends: bool) -> Vec<i64> {
        let half = 1i64.wrapping_shl(self.weight_bits - 1);
        (0..count)
            .map(|_| match ends {
                true => half.wrapping_neg(),
                false => (self.prg.u64() as i64) >> (64 - self.weight_bits),
            })
            .collect()
    }
}

/// `x w` mod `X^8192 + 1` and `2^64`.
fn product(x: &[u64], w: &[i64]) -> Vec<u64> {
    let mut out = vec![0u64; DEGREE];
    for (i, x) in x.iter().enumerate() {
        for (j, w) in w.iter().enumerate() {
            let product = x.wrapping_mul(*w as u64);
            match (i + j) / DEGREE {
                0 => out[i + j] = out[i + j].wrapping_add(product),
                _ => out[i + j - DEGREE] = out[i + j - DEGREE].wrapping_sub(product),
            }
        }
    }
    out
}

/// Sums of two products, of random numbers and of ends, by all bits of plaintexts, through bytes: both shares are the sum.
#[test]
fn shares_are_those_of_the_product() {
    for (bits, weight_bits, terms) in [
        (8, 8, 64),
        (9, 5, 100),
        (16, 12, 400),
        (32, 16, 512),
        (37, 15, 1000),
        (37, 37, 64),
        (48, 16, 300),
        (64, 16, 512),
        (64, 64, 300),
    ] {
        let params = Params::fitting(bits, weight_bits, 2 * terms, DEGREE).expect("parameters");
        let mut case = Case { params, weight_bits, prg: Prg::new(Block(bits.into())) };
        let mut owner = Owner::new(params, case.prg.block(), case.prg.block());
        let ring = owner.ring().clone();
        let sent = |seeded: Seeded, seed: &[u8; 32]| {
            let mut bytes = Vec::new();
            seeded.encode(&mut bytes);
            assert_eq!(bytes.len(), Seeded::len(params));
            Seeded::decode(&ring, seed, seeded.number, &bytes).expect("a ciphertext")
        };
        let seed = *owner.seed();
        let mut evaluator = Evaluator::new(&ring, sent(owner.public_key(), &seed), case.prg.block());
        for ends in [[false; 2], [true, false], [false, true], [true; 2]] {
            let x = [0, 1].map(|_| case.words(DEGREE, ends[0]));
            let w = [0, 1].map(|_| case.weights(terms, ends[1]));
            let encrypted = x.each_ref().map(|x| sent(owner.encrypt(x), &seed));
            let plain = w.each_ref().map(|w| ring.plain(w));
            let sum = Ciphertext::products(&ring, &[(&encrypted[0], &plain[0]), (&encrypted[1], &plain[1])]);
            let places: Vec<usize> = (0..DEGREE).filter(|_| case.prg.below(3) > 0).collect();
            let (response, mask) = evaluator.respond(&sum, &places);
            let mut bytes = Vec::new();
            response.encode(params, &mut bytes);
            let back = Response::decode(params, places.len(), &bytes).expect("a response");
            assert!(back == response);
            let opened = owner.open(&back, &places);
            let want = [0, 1].map(|i| product(&x[i], &w[i]));
            for (i, place) in places.iter().enumerate() {
                let want = low(want[0][*place].wrapping_add(want[1][*place]), bits);
                let found = low(opened[i].wrapping_add(mask[i]), bits);
                assert_eq!(
                    found, want,
                    "{bits} bits, weights of {weight_bits}, ends {ends:?}, place {place}"
                );
            }
        }
    }
}

/// The phase of a response less what it stands for: flooding as wide as said, alike for any weights.
#[test]
fn noise_is_flooded() {
    let params = Params::fitting(32, 16, 1024, 1 << 18).expect("parameters");
    let mut prg = Prg::new(Block(9));
    let mut owner = Owner::new(params, prg.block(), prg.block());
    let ring = owner.ring().clone();
    let key = owner.public_key();
    let key =
        Ciphertext { first: key_part(&key), second: crate::sample::public(&ring, owner.seed(), key.number) };
    let mut evaluator = Evaluator::new(&ring, key, prg.block());
    let flood = evaluator.flood(DEGREE);
    // By the lowest primes' residues the numbers are found again where they fit; here only their spread is looked at.
    let q = ring.ntts()[0].modulus();
    let mean =
        flood.limbs().next().expect("a limb").iter().map(|x| f64::from(*x)).sum::<f64>() / DEGREE as f64;
    assert!((mean / f64::from(q) - 0.5).abs() < 0.02, "{mean}");
}

fn key_part(key: &Seeded) -> Poly {
    let mut bytes = Vec::new();
    key.encode(&mut bytes);
    let params = Params::fitting(32, 16, 1024, 1 << 18).expect("parameters");
    Seeded::decode(&Ring::new(params), &[0; 32], key.number, &bytes).expect("a ciphertext").first
}

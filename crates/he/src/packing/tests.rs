use prim::{Block, Prg, low};

use super::*;
use crate::{Evaluator, Multiplier, Params, Product, Seeded};

fn sent(encryptor: &Encryptor, seeded: &Seeded) -> Ciphertext {
    let mut bytes = Vec::new();
    seeded.encode(&mut bytes);
    Seeded::decode(encryptor.ring(), encryptor.seed(), seeded.number, &bytes).expect("a ciphertext")
}

fn keys(encryptor: &Encryptor, prg: &mut Prg, levels: u32) -> Vec<PackingKey> {
    let key = |level| {
        let (key, mut bytes) = (encryptor.packing_key(prg, level), Vec::new());
        key.encode(&mut bytes);
        assert_eq!(bytes.len(), SeededKey::len(encryptor.ring().params()));
        PackingKey::decode(encryptor.ring(), encryptor.seed(), level, &key.numbers, &bytes).expect("a key")
    };
    (0..levels).map(key).collect()
}

/// Products of all parameters, many and few of them packed: each share of each output is right.
#[test]
fn packed_products_are_those_of_each() {
    for (bits, weight_bits, levels) in
        [(8, 8, 0), (8, 8, 3), (37, 15, 1), (37, 15, 5), (37, 37, 3), (64, 16, 4), (48, 48, 4), (64, 64, 3)]
    {
        let (count, terms) = (1 << levels, 60);
        let product = Product { weight_bits, terms, outputs: DEGREE, packed: count };
        let params = Params::fitting(bits, &product).expect("parameters");
        let mut prg = Prg::new(Block(u128::from(bits + levels)));
        let encryptor = Encryptor::new(params, &mut prg);
        let ring = encryptor.ring().clone();
        let evaluator = Evaluator::new(ring.clone(), sent(&encryptor, &encryptor.public_key(&mut prg)));
        let keys = keys(&encryptor, &mut prg, levels);
        let x: Vec<u64> = (0..DEGREE).map(|_| low(prg.u64(), bits)).collect();
        let encrypted = sent(&encryptor, &encryptor.encrypt(&mut prg, &x));
        let w: Vec<Vec<i64>> = (0..count)
            .map(|_| (0..terms).map(|_| prg.u64() as i64 >> (64 - weight_bits)).collect())
            .collect();
        let mut made = 0;
        let (mut multiplier, mut packer) =
            (Multiplier::new(&ring), Packer::new(&ring, keys.iter().collect()));
        let mut plain = multiplier.zero();
        // Twice: memory that has served is as good as new.
        let mut packed = Vec::new();
        for _ in 0..2 {
            packer.take_back(packed);
            packed = packer.pack(1, &mut |i, to| {
                made += 1;
                multiplier.plain(&w[i], count, &mut plain);
                multiplier.products(&[(&encrypted, &plain)], &mut to[0]);
            });
        }
        let [packed] = &packed[..] else { panic!("{} ciphertexts", packed.len()) };
        assert_eq!(made, 2 * count);
        let places: Vec<usize> = (0..DEGREE).collect();
        let (response, mask) = evaluator.respond(&mut prg, packed, &places);
        let opened = encryptor.open(&response, &places);
        for place in places {
            let (w, at) = (&w[place % count], place - place % count);
            let want = w.iter().enumerate().fold(0u64, |sum, (j, w)| match at.checked_sub(j) {
                Some(i) => sum.wrapping_add(x[i].wrapping_mul(*w as u64)),
                None => sum.wrapping_sub(x[at + DEGREE - j].wrapping_mul(*w as u64)),
            });
            assert_eq!(
                low(opened[place].wrapping_add(mask[place]), bits),
                low(want, bits),
                "{bits} bits, {count} packed, place {place}"
            );
        }
    }
}

/// What switching adds, without a product: as large as is said, and not much less.
#[test]
fn noise_of_packing_is_as_said() {
    for (bits, limbs, levels) in [(37, 4, 5), (37, 5, 3), (64, 6, 3)] {
        let params = Params::new(bits, limbs).expect("parameters");
        let mut prg = Prg::new(Block(u128::from(bits + levels)));
        let encryptor = Encryptor::new(params, &mut prg);
        let (ring, keys) = (encryptor.ring(), keys(&encryptor, &mut prg, levels));
        // Zeros without an error: what comes out is noise.
        let mut uniform = || {
            let second = public(ring.ntts(), &[9; 32], prg.u64());
            let mut first = ring.product(&second, encryptor.secret());
            ring.negate(&mut first);
            Ciphertext { first, second }
        };
        let packed =
            Packer::new(ring, keys.iter().collect()).pack(1, &mut |_, to| to[0] = uniform()).remove(0);
        let mut phase = ring.product(&packed.second, encryptor.secret());
        ring.add(&mut phase, &packed.first);
        let phase = ring.inverse(phase);
        let (limb, q) = (phase.limbs().next().expect("a prime"), i64::from(ring.ntts()[0].modulus()));
        let noise: Vec<f64> = limb
            .iter()
            .map(|x| i64::from(*x))
            .map(|x| if x > q / 2 { x - q } else { x })
            .map(|x| x as f64)
            .collect();
        let deviation = (noise.iter().map(|x| x * x).sum::<f64>() / DEGREE as f64).sqrt();
        let [worst, variance] = params.noise_of_packing(1 << levels);
        assert!(noise.iter().all(|x| x.abs() <= worst), "{limbs} primes");
        let part = deviation / variance.sqrt();
        assert!((0.4..1.02).contains(&part), "{limbs} primes: {deviation}, {part} of what is said");
    }
}

/// Bytes that are none.
#[test]
fn other_keys_are_refused() {
    let params = Params::new(37, 4).expect("parameters");
    let mut prg = Prg::new(Block(1));
    let encryptor = Encryptor::new(params, &mut prg);
    let (made, mut bytes) = (encryptor.packing_key(&mut prg, 1), Vec::new());
    made.encode(&mut bytes);
    let decode = |numbers: &[u64], bytes: &[u8]| {
        PackingKey::decode(encryptor.ring(), encryptor.seed(), 1, numbers, bytes)
    };
    assert!(decode(&made.numbers, &bytes).is_ok());
    assert!(decode(&made.numbers[1..], &bytes).is_err() && decode(&made.numbers, &bytes[1..]).is_err());
    bytes[100..200].fill(0xff);
    assert!(decode(&made.numbers, &bytes).is_err());
}

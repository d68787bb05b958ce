//! Known answers: what is sent, byte by byte, against vectors that `tools/lattice_vectors.py` computes without this crate.

use he::{Ciphertext, Encryptor, Evaluator, Multiplier, Packer, PackingKey, Params, Seeded, SeededKey};
use prim::{
    Block, Prg, low,
    ntt::{DEGREE, Ntt, PRIMES, SHORT},
};
use serde_json::Value;

fn vectors(kind: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("data/vectors.json")).expect("JSON");
    let cases = all[kind].as_array().expect("a list").clone();
    assert!(!cases.is_empty(), "{kind}");
    cases
}

fn number(case: &Value, name: &str) -> u64 {
    case[name].as_u64().unwrap_or_else(|| panic!("{name}: {}", case[name]))
}

fn digest(bytes: &[u8]) -> String {
    let prime = (1 << 61) - 1;
    let step = |h: u128, byte: &u8| (h * 0x0123_4567 + u128::from(*byte) + 1) % prime;
    format!("{:x}", bytes.iter().fold(1, step))
}

/// First the numbers in clear, which are easier to compare.
fn same(words: &[u64], want: &Value, what: &str) {
    let first: Vec<String> = words[..3].iter().map(|word| format!("{word:x}")).collect();
    assert_eq!(serde_json::json!(first), want["first"], "{what}: the first ones");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(digest(&bytes), want["digest"], "{what}");
}

fn words(prg: &mut Prg, count: usize) -> Vec<u64> {
    (0..count).map(|_| prg.u64()).collect()
}

#[test]
fn transforms() {
    for (case, q) in vectors("transforms").iter().zip(PRIMES) {
        assert_eq!(number(case, "prime"), u64::from(q));
        let mut prg = Prg::new(Block(number(case, "seed").into()));
        let x: Vec<u32> = words(&mut prg, DEGREE).iter().map(|word| (word % u64::from(q)) as u32).collect();
        let (ntt, mut out) = (Ntt::new(q), vec![0; DEGREE]);
        let wide = |out: &[u32]| out.iter().map(|x| u64::from(*x)).collect::<Vec<_>>();
        ntt.forward(&x, &mut out);
        same(&wide(&out), &case["values"], "transform");
        ntt.forward_short(&x[..SHORT], &mut out);
        same(&wide(&out), &case["short"], "transform of a short polynomial");
    }
}

fn received(encryptor: &Encryptor, seeded: &Seeded, want: &Value, what: &str) -> Ciphertext {
    let mut bytes = Vec::new();
    seeded.encode(&mut bytes);
    assert_eq!(digest(&bytes), *want, "{what}");
    Seeded::decode(encryptor.ring(), encryptor.seed(), seeded.number, &bytes).expect("a ciphertext")
}

fn received_key(encryptor: &Encryptor, seeded: &SeededKey, level: u32, want: &Value) -> PackingKey {
    let mut bytes = Vec::new();
    seeded.encode(&mut bytes);
    assert_eq!(digest(&bytes), *want, "packing key of level {level}");
    PackingKey::decode(encryptor.ring(), encryptor.seed(), level, &seeded.numbers, &bytes).expect("a key")
}

/// Both parties of a product, step by step.
#[test]
fn products() {
    for case in vectors("cases") {
        let [bits, weight_bits, levels] =
            ["bits", "weight_bits", "levels"].map(|name| number(&case, name) as u32);
        let params = Params::new(bits, number(&case, "limbs") as usize).expect("parameters");
        let [mut encryptors, mut evaluators, mut data] =
            [0, 1, 2].map(|i| Prg::new(Block(u128::from(number(&case, "seed")) + i)));
        let x: Vec<u64> = words(&mut data, DEGREE).iter().map(|word| low(*word, bits)).collect();
        let (count, terms) = (1 << levels, number(&case, "terms") as usize);
        let weights: Vec<Vec<i64>> = (0..count)
            .map(|_| words(&mut data, terms).iter().map(|word| *word as i64 >> (64 - weight_bits)).collect())
            .collect();

        let encryptor = Encryptor::new(params, &mut encryptors);
        let seed: String = encryptor.seed().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(seed, case["encryptor_seed"], "what public parts come of");
        let key =
            received(&encryptor, &encryptor.public_key(&mut encryptors), &case["public_key"], "public key");
        let x =
            received(&encryptor, &encryptor.encrypt(&mut encryptors, &x), &case["ciphertext"], "ciphertext");
        let keys: Vec<PackingKey> = (0..levels)
            .map(|level| {
                let want = &case["packing_keys"][level as usize];
                received_key(&encryptor, &encryptor.packing_key(&mut encryptors, level), level, want)
            })
            .collect();

        let ring = encryptor.ring();
        let mut multiplier = Multiplier::new(ring);
        let mut plain = multiplier.zero();
        let product = Packer::new(ring, keys.iter().collect()).pack(1, &mut |i, to| {
            multiplier.plain(&weights[i], count, &mut plain);
            multiplier.products(&[(&x, &plain)], &mut to[0]);
        });
        let places: Vec<usize> = (0..DEGREE).filter(|place| place % 3 != 1).collect();
        let (response, mask) =
            Evaluator::new(ring.clone(), key).respond(&mut evaluators, &product[0], &places);
        same(&mask, &case["mask"], "mask");
        let mut bytes = Vec::new();
        response.encode(params, &mut bytes);
        assert_eq!(digest(&bytes), case["response"], "response");
        same(&encryptor.open(&response, &places), &case["opened"], "what is opened");
    }
}

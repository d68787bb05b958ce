//! The retrieval from within: what the client sees of it, and the noise. The whole protocol is in the tests of this crate.

use fhe::bfv::{Ciphertext, Encoding};
use fhe_math::rq::{Poly, Representation, traits::TryConvertFrom};
use fhe_traits::{FheDecoder, FheDecrypter, FheEncrypter, Serialize};
use num_bigint::BigUint;
use prim::{Block, prg::Prg};

use super::{
    FableJob, FableTable, Sizes,
    answer::{answer, relinearised, sums},
    hashes::Hashes,
    moved::Columns,
    query::Targets,
    retrieve::extracted,
    ring::{ClientKeys, Ring, ServerKeys, fits},
    setup::Setup,
    wire,
};
use hushtable::{
    confidential::prf::Cipher,
    net::{LinkShape, Role},
    session::Session,
};

/// A ring small enough for a test.
const SLOTS: usize = 256;
const COUNT: usize = 24;

struct Setting {
    sizes: Sizes,
    ring: Ring,
    keys: ClientKeys,
    server_keys: ServerKeys,
    hashes: Hashes,
    setup: Setup,
    s: Session,
}

fn setting(job: &FableJob, seed: u64, table: &FableTable) -> Setting {
    let (mut s, _) = Session::pair_seeded(seed, LinkShape::LOOPBACK);
    let sizes = job.sizes(COUNT).expect("sizes");
    let ring = Ring::new(&sizes);
    let keys = ClientKeys::random(&ring, s.rng());
    let public = wire::written("a key", wire::public_len(&sizes), &keys.public).expect("its length");
    let relin = wire::written("a key", wire::relin_len(&sizes), &keys.relin).expect("its length");
    let server_keys = wire::read_keys(&ring, &public, &relin).expect("keys");
    let hashes = Hashes::new(&mut s, Role::P0);
    let setup = Setup::new(&mut s, (job, &sizes), COUNT, &hashes, table).expect("places");
    Setting { sizes, ring, keys, server_keys, hashes, setup, s }
}

/// The ids of words.
fn ids(job: &FableJob, sizes: &Sizes, setup: &Setup, words: &[u64]) -> Vec<Block> {
    let mut inputs = vec![0u128; words.len().next_multiple_of(64)];
    inputs.iter_mut().zip(words).for_each(|(input, &word)| *input = word.into());
    let width = inputs.len() / 64;
    let mut planes = vec![0; 64 * width];
    setup.key.add_values(&job.prf(sizes), &inputs, &mut planes).expect("sizes");
    let bit = |plane: usize, i: usize| u128::from(planes[plane * width + i / 64] >> (i % 64) & 1);
    (0..words.len()).map(|i| Block((0..64).fold(0, |id, plane| id | bit(plane, i) << plane))).collect()
}

/// What the client gets for a batch of these words, and of which buckets it asked.
fn retrieved(setting: &mut Setting, job: &FableJob, words: &[u64]) -> (Columns, Vec<u32>) {
    let Setting { sizes, ring, keys, server_keys, hashes, setup, s } = setting;
    let targets = Targets::new(sizes, hashes, &ids(job, sizes, setup, words)).expect("buckets");
    let mut query = |copy, e| targets.ciphertext((ring, keys), copy, e, s.rng());
    let queries: Vec<Vec<_>> = (0..3).map(|copy| (0..sizes.code).map(|e| query(copy, e)).collect()).collect();
    let responses: Vec<Vec<u8>> = answer((ring, server_keys), sizes, setup, &queries, s.rng())
        .iter()
        .map(|response| wire::written("a response", wire::response_len(sizes), response).expect("its length"))
        .collect();
    let rows = extracted((ring, sizes), job.value_bits, keys, &responses).expect("ciphertexts");
    (rows, targets.buckets.to_vec())
}

fn table(job: &FableJob, rng: &mut Prg) -> FableTable {
    let keys: Vec<u64> = (0..job.entries as u64).collect();
    let values: Vec<u64> = keys.iter().map(|_| prim::low(rng.u64(), job.value_bits)).collect();
    FableTable::new(job, &keys, &values).expect("a table")
}

/// A batch after deduplication: distinct keys, or one key and placeholders.
fn batch(sizes: &Sizes, alike: bool) -> Vec<u64> {
    let placeholder = |i: u64| 1 << (sizes.tagged_bits - 1) | i;
    (0..COUNT as u64).map(|i| if alike && i > 0 { placeholder(i) } else { i }).collect()
}

/// Rows that are all zero, of those that the client asked for, in several batches.
fn zeros(alike: bool, empty_is_zero: bool) -> usize {
    let job = FableJob::new(Role::P0, Cipher::LowMc, 8, 20, 256).insecure_slots(SLOTS);
    let mut rng = Prg::new(Block(90));
    let table = table(&job, &mut rng);
    let mut count = 0;
    for seed in 0..4 {
        let mut setting = setting(&job, 700 + seed, &table);
        setting.setup.empty_is_zero = empty_is_zero;
        let words = batch(&setting.sizes, alike);
        let (rows, buckets) = retrieved(&mut setting, &job, &words);
        for bucket in buckets {
            let zero = |copy: usize| {
                rows[2 * copy][bucket as usize] == 0 && rows[2 * copy + 1][bucket as usize] == 0
            };
            count += (0..3).filter(|&copy| zero(copy)).count();
        }
    }
    count
}

/// Errata E2: the client sees which places are empty if these hold no mask, and so how full the table is, or how many keys
/// of its batch are absent. With masks it sees none, whatever the batch.
#[test]
fn empty_places_do_not_show() {
    assert_eq!((zeros(false, false), zeros(true, false)), (0, 0), "rows of 29 bits under masks");
    let shown = zeros(false, true);
    assert!(shown > 20, "the attack sees {shown} empty places of {}", 4 * 3 * COUNT);
}

/// What is retrieved are the rows of the words, under the masks of their buckets: one of the three has the word, also
/// the word 0, which no empty place has.
#[test]
fn rows_are_retrieved() {
    let job = FableJob::new(Role::P0, Cipher::Aes128, 8, 30, 256).insecure_slots(SLOTS);
    let mut rng = Prg::new(Block(91));
    let table = table(&job, &mut rng);
    let mut setting = setting(&job, 710, &table);
    let words = batch(&setting.sizes, true);
    let (rows, buckets) = retrieved(&mut setting, &job, &words);
    for (&word, bucket) in words.iter().zip(buckets) {
        let unmasked =
            |column: usize| rows[column][bucket as usize] ^ setting.setup.masks[column][bucket as usize];
        let hits = (0..3).filter(|&copy| unmasked(2 * copy) == word).count();
        assert_eq!(hits, 1, "word {word:#x} in bucket {bucket}");
    }
}

/// The noise of a response before it is refreshed is below what the flooding is chosen for.
#[test]
fn noise_is_below_its_bound() {
    let job = FableJob::new(Role::P0, Cipher::LowMc, 8, 20, 256).insecure_slots(SLOTS);
    let table = table(&job, &mut Prg::new(Block(92)));
    let Setting { sizes, ring, keys, server_keys, hashes, setup, mut s } = setting(&job, 720, &table);
    let words = batch(&sizes, false);
    let targets = Targets::new(&sizes, &hashes, &ids(&job, &sizes, &setup, &words)).expect("buckets");
    let mut query = |copy, e| targets.ciphertext((&ring, &keys), copy, e, s.rng());
    let queries: Vec<Vec<_>> = (0..3).map(|copy| (0..sizes.code).map(|e| query(copy, e)).collect()).collect();
    for sum in sums((&ring, &sizes), &setup, &queries) {
        let noise = noise_bits(&ring, &keys, &relinearised((&ring, &server_keys), &sum));
        assert!(noise > 20.0 && noise < sizes.noise_bits(), "2^{noise}, at most 2^{}", sizes.noise_bits());
    }
}

/// Bits of the largest coefficient of a ciphertext's noise: of its phase less its plaintext times q / t.
fn noise_bits(ring: &Ring, keys: &ClientKeys, ct: &Ciphertext) -> f64 {
    let context = ring.par.context_at_level(0).expect("a level");
    let poly = |coefficients: &[i64]| {
        let poly = Poly::try_convert_from(coefficients, context, false, Representation::PowerBasis);
        let mut poly = poly.expect("a coefficient for each power");
        poly.change_representation(Representation::Ntt);
        poly
    };
    let mut phase = &ct[0] + &(&ct[1] * &poly(&secret(keys)));
    phase.change_representation(Representation::PowerBasis);
    let plain = fits(keys.secret.try_decrypt(ct));
    let plain = fits(Vec::<u64>::try_decode(&plain, Encoding::poly()));
    let (q, t) = (context.modulus(), BigUint::from(ring.par.plaintext()));
    let noise = Vec::<BigUint>::from(&phase).into_iter().zip(plain).map(|(phase, m)| {
        let noise: BigUint = (phase + q - (q * m + (&t >> 1)) / &t) % q;
        noise.clone().min(q - noise)
    });
    noise.max().expect("coefficients").bits() as f64
}

/// The secret key's coefficients: of its encoding, signed numbers of variable length behind a tag and a length.
fn secret(keys: &ClientKeys) -> Vec<i64> {
    let bytes = keys.secret.to_bytes();
    let start = 1 + bytes[1..].iter().position(|byte| byte < &0x80).expect("a length") + 1;
    let numbers = bytes[start..].iter().map(|&byte| {
        assert!(byte < 0x80, "small coefficients");
        i64::from(byte >> 1) ^ -i64::from(byte & 1)
    });
    numbers.collect()
}

/// What is no key or ciphertext is refused: cut short, another field, coefficients that are not reduced.
#[test]
fn other_bytes_are_refused() {
    let job = FableJob::new(Role::P0, Cipher::LowMc, 4, 4, 16).insecure_slots(SLOTS);
    let table = table(&job, &mut Prg::new(Block(93)));
    let Setting { sizes, ring, keys, mut s, .. } = setting(&job, 730, &table);
    let plain = fits(fhe::bfv::Plaintext::zero(Encoding::simd(), &ring.par));
    let ct: Ciphertext = fits(keys.secret.try_encrypt(&plain, &mut super::ring::Random(s.rng())));
    let bytes = wire::written("a query", wire::query_len(&sizes), &ct).expect("its length");
    assert!(wire::read(&ring, &bytes, 0).is_ok());
    assert!(wire::read(&ring, &bytes, 2).is_err(), "of another level");
    assert!(wire::read(&ring, &bytes[..bytes.len() - 1], 0).is_err(), "cut short");
    let mut large = bytes.clone();
    large[200..400].fill(0xff);
    assert!(wire::read(&ring, &large, 0).is_err(), "not reduced");
    let mut rng = Prg::new(Block(94));
    for _ in 0..2000 {
        let mut other = bytes.clone();
        let at = [rng.below(24) as usize, bytes.len() - 1 - rng.below(40) as usize][rng.below(2) as usize];
        other[at] = rng.u64() as u8;
        if let Ok(ct) = wire::read(&ring, &other, 0) {
            assert_eq!(ct.len(), 2);
        }
    }
    let relin = wire::written("a key", wire::relin_len(&sizes), &keys.relin).expect("its length");
    let public = wire::written("a key", wire::public_len(&sizes), &keys.public).expect("its length");
    assert!(wire::read_keys(&ring, &relin, &public).is_err(), "one for the other");
    let mut other = relin.clone();
    other[300..400].fill(0xff);
    assert!(wire::read_keys(&ring, &public, &other).is_err(), "not reduced");
}

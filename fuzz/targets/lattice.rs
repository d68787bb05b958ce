//! Ciphertexts, packing keys and responses of the lattice.

use std::sync::OnceLock;

use he::{Ciphertext, Evaluator, PackingKey, Params, Response, Ring, Seeded, SeededKey};
use prim::{
    block::Block,
    ntt::{DEGREE, PRIMES},
    pack::{packed_len, unpack},
    prg::Prg,
};

const SEED: [u8; 32] = [7; 32];

/// The first byte says which decoder gets the rest.
pub fn run(data: &[u8]) {
    match data.split_first() {
        Some((0, rest)) => ciphertext(rest),
        Some((1, rest)) => packing_key(rest),
        Some((2, rest)) => response(rest),
        _ => {}
    }
}

fn ring() -> &'static Ring {
    static RING: OnceLock<Ring> = OnceLock::new();
    RING.get_or_init(|| Ring::new(Params::new(37, 3).expect("parameters")))
}

/// Residues and nothing else are taken, and what is taken can be answered.
fn ciphertext(bytes: &[u8]) {
    let decode = || Seeded::decode(ring(), &SEED, 5, bytes).ok();
    let limbs = bytes.chunks(packed_len(DEGREE, 30)).zip(PRIMES);
    let residues = bytes.len() == Seeded::len(ring().params())
        && limbs.into_iter().all(|(bytes, prime)| {
            let mut limb = vec![0u32; DEGREE];
            unpack(bytes, 30, &mut limb);
            limb.iter().all(|x| *x < prime)
        });
    let found: Option<[Ciphertext; 2]> = decode().zip(decode()).map(|(a, b)| [a, b]);
    assert_eq!(found.is_some(), residues, "residues and nothing else");
    if let Some([key, sum]) = found {
        let (_, mask) =
            Evaluator::new(ring().clone(), key).respond(&mut Prg::new(Block(1)), &sum, &[0, 8191]);
        assert_eq!(mask.len(), 2);
    }
}

/// The level, then the key.
fn packing_key(bytes: &[u8]) {
    let Some((level, bytes)) = bytes.split_first() else { return };
    let numbers: Vec<u64> = (0..PackingKey::numbers(ring().params()) as u64).collect();
    if PackingKey::decode(ring(), &SEED, u32::from(level % 13), &numbers, bytes).is_ok() {
        assert_eq!(bytes.len(), SeededKey::len(ring().params()));
    }
}

/// Bits of a plaintext and how many places, then the response: of the right length it is any numbers, which are sent alike.
fn response(bytes: &[u8]) {
    let Some((&[bits, places], bytes)) = bytes.split_first_chunk() else { return };
    let params = Params::new(8 + u32::from(bits) % 57, 3).or_else(|_| Params::new(8, 3)).expect("parameters");
    let decoded = Response::decode(params, places.into(), bytes);
    assert_eq!(decoded.is_ok(), bytes.len() == Response::len(params, places.into()));
    if let Ok(response) = decoded {
        let mut again = Vec::new();
        response.encode(params, &mut again);
        assert_eq!(Response::decode(params, places.into(), &again), Ok(response), "as it was sent");
    }
}

/// The longest first: a mutated input is no longer.
pub fn seeds() -> Vec<Vec<u8>> {
    let params = ring().params();
    let filled = |head: &[u8], byte, len| [head, &vec![byte; len][..]].concat();
    let mut seeds =
        vec![filled(&[1, 0], 0x15, SeededKey::len(params) + 1), filled(&[1, 12], 0, SeededKey::len(params))];
    seeds.extend([0, 0x15, 0xff].map(|byte| filled(&[0], byte, Seeded::len(params))));
    for (bits, places) in [(0, 0), (0, 9), (24, 255)] {
        let params = Params::new(8 + u32::from(bits), 3).expect("parameters");
        seeds.push(filled(&[2, bits, places], 0xa5, Response::len(params, places.into())));
    }
    seeds
}

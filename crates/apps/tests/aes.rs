//! AES beside FIPS 197 and a plain model of it: keys of one party and shared ones, every way of evaluation.

use hushtable::{
    Error, Party, Result, Role,
    arith::Objective,
    operation::{Evaluate, Operation},
    run::{Ready, Reveal, Unwatched},
    run_pair,
};
use hushtable_apps::aes::{
    BLOCK, Encryption, KeySize, SLICE, bytes, circuit, counters, encrypt_shared, expand, slices, words,
};
use prim::{block::Block, prg::Prg};

/// The S-box by its definition, FIPS 197 5.1.1.
fn sbox(x: u8) -> u8 {
    let inverse = (0..=255).find(|&y| times(x, y) == 1).unwrap_or(0);
    (0..5).fold(0x63, |sum, k| sum ^ inverse.rotate_left(k))
}

fn times(a: u8, b: u8) -> u8 {
    (0..8).rev().fold(0u8, |sum, i| {
        let doubled = sum << 1 ^ if sum >> 7 == 1 { 0x1b } else { 0 };
        doubled ^ if b >> i & 1 == 1 { a } else { 0 }
    })
}

/// The round keys of a key, byte by byte.
fn plain_keys(key: &[u8]) -> Vec<u8> {
    let n = key.len() / 4;
    let mut words: Vec<[u8; 4]> = key.chunks(4).map(|word| word.try_into().unwrap()).collect();
    let mut round = 1;
    for i in n..4 * (n + 7) {
        let mut word = words[i - 1];
        if i % n == 0 {
            word.rotate_left(1);
            word = word.map(sbox);
            word[0] ^= round;
            round = times(round, 2);
        } else if n > 6 && i % n == 4 {
            word = word.map(sbox);
        }
        words.push(std::array::from_fn(|k| words[i - n][k] ^ word[k]));
    }
    words.concat()
}

/// AES of a block.
fn plain(key: &[u8], block: &[u8]) -> Vec<u8> {
    let keys = plain_keys(key);
    let add = |state: &[u8], round: usize| -> Vec<u8> {
        state.iter().zip(&keys[BLOCK * round..]).map(|(state, key)| state ^ key).collect()
    };
    let rounds = keys.len() / BLOCK - 1;
    let mut state = add(block, 0);
    for round in 1..=rounds {
        let moved: Vec<u8> = (0..BLOCK).map(|i| sbox(state[(5 * i) % BLOCK])).collect();
        let mixed = |i: usize| {
            let at = |k: usize| moved[i / 4 * 4 + (i + k) % 4];
            times(at(0), 2) ^ times(at(1), 3) ^ at(2) ^ at(3)
        };
        state = add(&if round == rounds { moved.clone() } else { (0..BLOCK).map(mixed).collect() }, round);
    }
    state
}

fn drawn(seed: u128, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    Prg::new(Block(seed)).bytes(&mut bytes);
    bytes
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn encrypted(key: &[u8], blocks: &[u8]) -> Vec<u8> {
    blocks.chunks(BLOCK).flat_map(|block| plain(key, block)).collect()
}

/// The blocks under the key of one party, by this way, in a session.
fn run(way: &dyn Operation, key: &[u8], blocks: &[u8], to: Role) -> Vec<u8> {
    let count = blocks.len() / BLOCK;
    let party = |p: &mut Party| -> Result<Option<Vec<i64>>> {
        let mine = p.role() == to;
        let keys = if mine { Vec::new() } else { expand(key)?.to_vec() };
        let blocks = if mine { words(blocks).to_vec() } else { Vec::new() };
        let encryption = Encryption::new(way, &keys, count);
        let (lanes, ready) = (std::slice::from_mut(p), vec![Ready::default()]);
        Ok(encryption.run(lanes, ready, &blocks, count, Reveal::Only(to), &Unwatched)?.values())
    };
    let (a, b) = run_pair(Party::pair_seeded(3).unwrap(), party, party).unwrap();
    let (own, other) = if to == Role::P0 { (a, b) } else { (b, a) };
    assert_eq!(other, None, "{}", way.method());
    bytes(&own.unwrap()).flatten().collect()
}

/// FIPS 197, A.1 to A.3: the last round keys; and keys by chance, against the model.
#[test]
fn keys_are_expanded() {
    let last = |key: &[u8]| {
        let words: Vec<i64> = expand(key).unwrap().iter().map(|word| *word as i64).collect();
        // The first round key has the highest words.
        bytes(&words).next().unwrap().to_vec()
    };
    for (key, want) in [
        ("2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"),
        ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "e98ba06f448c773c8ecc720401002202"),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "fe4890d1e6188d0b046df344706c631e",
        ),
    ] {
        assert_eq!(last(&hex(key)), hex(want), "{key}");
    }
    for (size, seed) in KeySize::ALL.into_iter().zip(1..) {
        let key = drawn(seed, size.bits() / 8);
        let want = plain_keys(&key);
        let keys = expand(&key).unwrap();
        let found: Vec<i64> = keys.iter().map(|word| *word as i64).collect();
        let found: Vec<[u8; BLOCK]> = bytes(&found).collect();
        assert_eq!(found.iter().rev().flatten().copied().collect::<Vec<_>>(), want);
        assert_eq!(keys.len(), size.words());
    }
}

/// FIPS 197, B and C: the model against the standard.
#[test]
fn the_model_is_aes() {
    let key = hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    let block = hex("00112233445566778899aabbccddeeff");
    for (bytes, want) in [
        (16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (32, "8ea2b7ca516745bfeafc49904b496089"),
    ] {
        assert_eq!(plain(&key[..bytes], &block), hex(want));
    }
    let (key, block) = ("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734");
    assert_eq!(plain(&hex(key), &hex(block)), hex("3925841d02dc09fbdc118597196a0b32"));
}

#[test]
fn every_way_gives_the_same() {
    let (key, blocks) = (drawn(5, 16), drawn(6, 3 * BLOCK));
    let want = encrypted(&key, &blocks);
    for to in [Role::P0, Role::P1] {
        let known = [Some(to.peer()), Some(to)];
        let usual = Evaluate::new(&circuit(KeySize::Bits128), &known, Objective::Total).unwrap();
        let all = usual.all().unwrap();
        assert_eq!(all.len(), 6, "two forms, of which one is of gates");
        for way in all {
            assert_eq!(run(&way, &key, &blocks, to), want, "{} for {to}", way.method());
        }
    }
}

#[test]
fn all_sizes_of_keys() {
    for (size, seed) in KeySize::ALL.into_iter().zip(10..) {
        let (key, blocks) = (drawn(seed, size.bits() / 8), drawn(seed + 20, 2 * BLOCK));
        let known = [Some(Role::P1), Some(Role::P0)];
        let way = Evaluate::new(&circuit(size), &known, Objective::Rounds).unwrap();
        assert_eq!(run(&way, &key, &blocks, Role::P0), encrypted(&key, &blocks), "{size:?}");
    }
}

#[test]
fn shared_keys_and_blocks() {
    for (size, seed) in KeySize::ALL.into_iter().zip(30..) {
        let (key, blocks) = (drawn(seed, size.bits() / 8), drawn(seed + 20, 5 * BLOCK));
        // The key as its words stand: the last eight bytes in the lowest one.
        let of_key: Vec<u64> =
            key.rchunks(8).map(|word| u64::from_be_bytes(word.try_into().unwrap())).collect();
        let of_blocks = words(&blocks).to_vec();
        let mut masks = vec![0u64; of_key.len() + of_blocks.len()];
        Prg::new(Block(seed + 40)).words(64, &mut masks);
        let party = |p: &mut Party| {
            let share = |words: &[u64], masks: &[u64]| -> Vec<u64> {
                let own = |(word, mask): (&u64, &u64)| if p.role() == Role::P0 { *mask } else { word ^ mask };
                words.iter().zip(masks).map(own).collect()
            };
            let (key, blocks) = (share(&of_key, &masks), share(&of_blocks, &masks[of_key.len()..]));
            encrypt_shared(p, size, &key, &blocks, Objective::Total).map(|words| words.to_vec())
        };
        let (a, b) = run_pair(Party::pair_seeded(4).unwrap(), party, party).unwrap();
        let sum: Vec<i64> = a.iter().zip(&b).map(|(a, b)| (a ^ b) as i64).collect();
        assert_eq!(bytes(&sum).flatten().collect::<Vec<_>>(), encrypted(&key, &blocks), "{size:?}");
        assert_ne!(a, sum.iter().map(|word| *word as u64).collect::<Vec<_>>(), "shares, not results");
    }
}

#[test]
fn counters_are_numbers_of_128_bits() {
    let as_bytes = |words: &[u64]| {
        let words: Vec<i64> = words.iter().map(|word| *word as i64).collect();
        bytes(&words).map(u128::from_be_bytes).collect::<Vec<_>>()
    };
    for first in [0, 0xff, u128::from(u64::MAX), u128::MAX - 1] {
        let want: Vec<u128> = (1..5).map(|i| first.wrapping_add(i)).collect();
        assert_eq!(as_bytes(&counters(first.to_be_bytes(), 1..5)), want, "{first:x}");
    }
}

#[test]
fn slices_have_all_blocks_once() {
    for blocks in [0, 1, SLICE - 1, SLICE, SLICE + 1, 3 * SLICE + 5] {
        let mut next = 0;
        for at in slices(blocks) {
            assert!(at.start == next && !at.is_empty() && at.len() <= SLICE, "{at:?} of {blocks}");
            next = at.end;
        }
        assert_eq!(next, blocks);
    }
}

#[test]
fn other_lengths_are_refused() {
    for len in [0, 15, 17, 20, 33, 64] {
        assert!(matches!(expand(&vec![0; len]), Err(Error::Param { .. })), "{len}");
    }
    let party = |p: &mut Party| {
        let refused = |p: &mut Party, key: usize, blocks: usize| {
            let (key, blocks) = (vec![0; key], vec![0; blocks]);
            let done = encrypt_shared(p, KeySize::Bits192, &key, &blocks, Objective::Total);
            assert!(matches!(done, Err(Error::Shape { .. })), "{} {}", key.len(), blocks.len());
        };
        refused(p, 2, 2);
        refused(p, 3, 1);
        Ok(())
    };
    run_pair(Party::pair_seeded(5).unwrap(), party, party).unwrap();
}

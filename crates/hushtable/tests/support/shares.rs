//! Shares of numbers for tests of gates: every pair of small ones, and ends of larger ones.
#![allow(dead_code)] // not every test uses all of it

use hushtable::{
    Role,
    share::{Kind, Share},
};
use prim::{
    block::Block,
    prg::Prg,
    ring::{Ring, low},
};

/// Words of `bits` bits.
pub fn random(bits: u32, count: usize, seed: u64) -> Vec<u64> {
    let mut words = vec![0; count];
    Prg::new(Block(seed.into())).words(bits, &mut words);
    words
}

/// A party's part of pairs of shares.
pub fn own<K: Kind, R: Ring>(role: Role, bits: u32, shares: &[[u64; 2]]) -> Share<K, R> {
    Share::new(bits, shares.iter().map(|pair| R::from_u64(pair[role as usize])).collect())
}

/// All pairs of shares of numbers of few bits, else of boundary values and random ones.
pub fn shares(bits: u32) -> Vec<[u64; 2]> {
    if bits <= 5 {
        return (0..1u64 << (2 * bits)).map(|i| [low(i, bits), i >> bits]).collect();
    }
    let top = low(u64::MAX, bits);
    let ends = [0, 1, top / 2 - 1, top / 2, top / 2 + 1, top / 4, top / 4 + 1, top - 1, top];
    let all: Vec<u64> = ends.into_iter().chain(random(bits, 40, bits.into())).collect();
    all.iter().flat_map(|&a| all.iter().map(move |&b| [a, b])).collect()
}

/// The number of a pair of additive shares.
pub fn number([a, b]: [u64; 2], bits: u32) -> u64 {
    low(a.wrapping_add(b), bits)
}

/// A residue as a signed number.
pub fn signed(x: u64, bits: u32) -> i64 {
    (x << (64 - bits)) as i64 >> (64 - bits)
}

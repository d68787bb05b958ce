//! Shares of bits and of numbers for statistics.
#![allow(dead_code)] // not every test uses all of it

use hushtable::{AShare, Party, Result, Role, gates::Bits, run_pair};
use prim::{block::Block, prg::Prg};

/// One party's shares.
pub fn bits(role: Role, bits: impl Iterator<Item = bool>, seed: u128) -> Bits {
    let mut mask = Prg::new(Block(seed));
    Bits::collect(
        bits.map(|bit| if role == Role::P0 { mask.u64() & 1 } else { mask.u64() & 1 ^ u64::from(bit) }),
    )
}

pub fn words(role: Role, width: u32, numbers: &[i64], seed: u128) -> AShare<u64> {
    let mut masks = vec![0u64; numbers.len()];
    Prg::new(Block(seed)).words(width, &mut masks);
    let share = |(n, m): (&i64, &u64)| if role == Role::P0 { *m } else { (*n as u64).wrapping_sub(*m) };
    AShare::new(width, numbers.iter().zip(&masks).map(share).collect())
}

pub fn signed(word: u64, bits: u32) -> i64 {
    (word << (64 - bits)) as i64 >> (64 - bits)
}

pub fn both<T: Send + PartialEq + std::fmt::Debug>(f: impl Fn(&mut Party) -> Result<T> + Sync) -> T {
    let (a, b) = run_pair(Party::pair_seeded(7).expect("a pair"), &f, &f).expect("an honest run");
    assert_eq!(a, b);
    a
}

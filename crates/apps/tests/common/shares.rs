//! Shares of bits and of numbers for statistics, and both parties at work on them.
#![allow(dead_code)] // not every test uses all of it

use hushtable::{
    AShare, Party, Result, Role,
    gates::Bits,
    operation::Operation,
    run::{self, Outcome, Ready, Reveal, Unwatched},
    run_pair,
};
use hushtable_apps::statistics::{Group, GroupShape};
use prim::{block::Block, prg::Prg};

/// To whom what is for P1 alone may go.
pub const FOR_P1: [(Reveal, bool); 4] = [
    (Reveal::Both, false),
    (Reveal::Only(Role::P0), false),
    (Reveal::Only(Role::P1), true),
    (Reveal::Nobody, true),
];

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

/// What an operation on one lane gives, opened to whom `reveal` says.
pub fn done(
    p: &mut Party,
    operation: &dyn Operation,
    operands: &[&[u64]],
    reveal: Reveal,
) -> Result<Vec<Outcome>> {
    let (lanes, ready) = (std::slice::from_mut(p), vec![Ready::default()]);
    Ok(run::run(operation, lanes, ready, operands, reveal, &Unwatched)?.outcomes)
}

/// The values of the only column, opened to both.
pub fn values(p: &mut Party, operation: &dyn Operation, operands: &[&[u64]]) -> Result<Vec<i64>> {
    Ok(done(p, operation, operands, Reveal::Both)?.remove(0).values().expect("both get them"))
}

/// The groups that are told of, at a party that learns them.
pub fn told(
    p: &mut Party,
    shape: &GroupShape,
    groups: &[Bits],
    columns: &[&AShare<u64>],
    reveal: Reveal,
) -> Result<Option<Vec<Group>>> {
    let members = Bits::to_share::<u64>(groups)?;
    let operands: Vec<&[u64]> =
        [members.words()].into_iter().chain(columns.iter().map(|c| c.words())).collect();
    let opened: Option<Vec<_>> =
        done(p, shape, &operands, reveal)?.into_iter().map(Outcome::values).collect();
    assert_eq!(opened.is_some(), reveal.reaches(p.role()));
    Ok(opened.map(|columns| Group::all(shape, columns)))
}

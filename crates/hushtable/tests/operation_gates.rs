//! Operations over gates of one opening: intervals of every number of few bits, tables that are secret.

use std::ops::Range;

use hushtable::{
    Party, Result, Role,
    lut::LookupJob,
    operation::{Intervals, Operation, SecretTable},
    ot::Setting,
    run::{self, Ready, Reveal, Unwatched},
    run_pair,
    share::Sharing,
};
use prim::{block::Block, prg::Prg, ring::low};

use crate::support::billed::check_parts;

fn one(interval: Range<i64>) -> Vec<Range<i64>> {
    Vec::from([interval])
}

fn masks(seed: u128, count: usize) -> Vec<u64> {
    let mut words = vec![0; count];
    Prg::new(Block(seed)).words(64, &mut words);
    words
}

/// What both open of shares of `x`.
fn opened<O: Operation>(of: impl Fn(Role) -> O + Sync, x: &[u64], index: Sharing) -> Vec<i64> {
    let masks = masks(1, x.len());
    let party = |p: &mut Party| -> Result<Vec<i64>> {
        let share = |(x, m): (&u64, &u64)| match (p.role(), index) {
            (Role::P0, _) => *m,
            (Role::P1, Sharing::Additive) => x.wrapping_sub(*m),
            (Role::P1, Sharing::Xor) => x ^ m,
        };
        let mine: Vec<u64> = x.iter().zip(&masks).map(share).collect();
        let (operation, lanes) = (of(p.role()), std::slice::from_mut(p));
        let ready = vec![Ready::default()];
        let done = run::run(&operation, lanes, ready, &[&mine], Reveal::Both, &Unwatched)?;
        Ok(done.values().expect("both get them"))
    };
    let (a, b) = run_pair(Party::pair_seeded(4).unwrap(), party, party).unwrap();
    assert_eq!(a, b);
    a
}

#[test]
fn every_number_in_its_intervals() {
    for bits in [1, 4, 9, 11] {
        let half = 1i64 << (bits - 1);
        let all =
            vec![-half..half, -half..-half / 2, 0..half, -1..1, half / 2..-half / 2, half..half, -half..0];
        let x: Vec<i64> = (-half..half).collect();
        let of = |_| Intervals::new(bits, all.clone()).unwrap();
        let got = opened(of, &x.iter().map(|x| *x as u64).collect::<Vec<_>>(), Sharing::Additive);
        let want: Vec<i64> =
            x.iter().flat_map(|x| all.iter().map(|i| i64::from(i.contains(x))).collect::<Vec<_>>()).collect();
        assert_eq!(got, want, "{bits} bits");
    }
}

#[test]
fn every_entry_of_a_secret_table() {
    for (index, output) in [
        (Sharing::Additive, Sharing::Additive),
        (Sharing::Additive, Sharing::Xor),
        (Sharing::Xor, Sharing::Additive),
        (Sharing::Xor, Sharing::Xor),
    ] {
        for (index_bits, value_bits) in [(1, 1), (3, 7), (5, 16), (6, 31), (4, 64)] {
            let n = 1usize << index_bits;
            let (entries, masks) = (masks(2, n), masks(3, n));
            let of = |role| {
                let share = |(e, m): (&u64, &u64)| match (role, output) {
                    (Role::P0, _) => *m,
                    (Role::P1, Sharing::Additive) => e.wrapping_sub(*m),
                    (Role::P1, Sharing::Xor) => e ^ m,
                };
                let mine: Vec<u64> = entries.iter().zip(&masks).map(share).collect();
                SecretTable::new(LookupJob { index, output, index_bits, value_bits }, 0, mine.into()).unwrap()
            };
            let x: Vec<u64> = (0..2 * n as u64).collect();
            let got = opened(of, &x, index);
            for (x, got) in x.iter().zip(got) {
                let want = low(entries[*x as usize % n], value_bits);
                assert_eq!(
                    low(got as u64, value_bits),
                    want,
                    "{index} {output} {index_bits} {value_bits}: {x}"
                );
            }
        }
    }
}

#[test]
fn their_bills_are_what_they_cost() {
    let intervals = Intervals::new(9, vec![0..5, -256..0]).unwrap();
    check_parts(
        "intervals",
        intervals.bill(64, &Setting::default()).unwrap(),
        0,
        |p| intervals.prepare(p, 64),
        |s, m| m.eval(s, &[&[1; 64]]).map(drop),
    );
    let (index, output) = (Sharing::Additive, Sharing::Additive);
    let job = LookupJob { index, output, index_bits: 4, value_bits: 16 };
    let table = SecretTable::new(job, 0, vec![3; 16].into()).unwrap();
    check_parts(
        "a secret table",
        table.bill(64, &Setting::default()).unwrap(),
        0,
        |p| table.prepare(p, 64),
        |s, m| m.eval(s, &[&[1; 64]]).map(drop),
    );
}

#[test]
fn what_is_refused() {
    let says = |made: Result<Intervals>, text: &str| {
        let error = made.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(text), "{error}");
    };
    says(Intervals::new(0, one(0..1)), "width of a number in intervals: 0");
    says(Intervals::new(21, one(0..1)), "width of a number in intervals: 21");
    says(Intervals::new(8, Vec::new()), "number of intervals: 0");
    says(Intervals::new(8, vec![0..1; 65]), "number of intervals: 65");
    says(Intervals::new(8, one(0..129)), "bound of an interval: 129");
    says(Intervals::new(8, one(-129..0)), "bound of an interval: -129");
    let (index, output) = (Sharing::Xor, Sharing::Xor);
    let job = |index_bits, value_bits| LookupJob { index, output, index_bits, value_bits };
    let table = |job, entries| SecretTable::new(job, 0, vec![0; entries].into());
    assert!(
        table(job(11, 8), 2048).is_err() && table(job(3, 65), 8).is_err() && table(job(3, 8), 7).is_err()
    );
    // What depends on the table is not stored.
    let error = table(job(3, 8), 8).unwrap().shape().err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("cannot be stored")));
    assert!(Intervals::new(8, one(0..1)).unwrap().shape().is_ok());
}

//! Mistakes that would break the generators by half-trees, each caught by what it would show on the
//! wire. The names A1, A2, ... are those of the scripted attacks that the rules come from.

use crate::support::pairs;
use crate::support::relay;
use crate::support::stats;

use std::collections::HashSet;

use hushtable::{
    Party, Result,
    lut::{Table, arithmetic::Arithmetic},
    net::{Connection, LinkShape},
    onehot::{Cyclic, Group, OneHot, Xor},
    session::Session,
    share::Share,
};
use pairs::{id, pair, share};
use prim::{block::Block, forest::LANES};
use relay::{Fate, relayed};

/// What both parties sent in the last `levels` messages, summed: the opened corrections, a block
/// each, message by message; and `Delta`.
fn corrections(
    seed: u64,
    levels: usize,
    f: impl Fn(&mut Party) -> Result<()> + Sync,
) -> (Vec<Vec<u128>>, u128) {
    let run = |connection: Connection| -> Block {
        let mut p = Party::seeded(connection, seed, None).expect("set-up");
        p.stock_cots(20_000, 20_000).expect("OTs");
        f(&mut p).expect("an honest run");
        p.cots(1, 1).expect("OTs in stock").0.delta()
    };
    let outcome = relayed(id(seed), run, run, |_, _, _| Fate::Pass);
    let (d0, d1) = (outcome.p0.expect("no panic at P0"), outcome.p1.expect("no panic at P1"));
    let last = |frames: &[Vec<u8>]| -> Vec<Vec<u128>> {
        let blocks = |frame: &Vec<u8>| {
            frame[8..].as_chunks::<16>().0.iter().map(|b| u128::from_le_bytes(*b)).collect()
        };
        frames[frames.len() - levels..].iter().map(blocks).collect()
    };
    let [m0, m1] = &outcome.sent;
    let add = |(a, b): (Vec<u128>, Vec<u128>)| a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
    (last(m0).into_iter().zip(last(m1)).map(add).collect(), (d0 ^ d1).0)
}

/// No two of the values, and none by itself, differ by 0 or `Delta`.
fn assert_unrelated(what: &str, values: &[u128], delta: u128) {
    let mut seen = HashSet::from([0]);
    for &value in values {
        assert!(!seen.contains(&(value ^ delta)), "{what}: two corrections differ by Delta");
        assert!(seen.insert(value), "{what}: a correction repeats");
    }
    let ones: u32 = values.iter().map(|v| v.count_ones()).sum();
    let half = f64::from(ones) / (128 * values.len()) as f64;
    assert!((0.45..0.55).contains(&half), "{what}: {half} of the bits are 1");
}

/// A1: trees with the same number under one key, in one batch or in two, would have roots whose
/// corrections differ by `Delta` or not at all. A2: so would a level that is done twice. A14: the
/// share of `s_j Delta` without the sum of hashes would open to 0 or `Delta`. A pad of the payload
/// that serves twice would show in the last message.
#[test]
fn corrections_of_half_trees_are_unrelated() {
    let (found, delta) = corrections(70, 4, |p| OneHot::<Xor>::tree(p, 10, 3 * LANES).map(drop));
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [3 * LANES; 4]);
    assert_unrelated("one batch", &found.concat(), delta);
    // The product for the lift follows the blocks of each level; so this is the xor group too.
    let (first, _) = corrections(71, 4, |p| OneHot::<Xor>::tree(p, 10, LANES).map(drop));
    let twice = |p: &mut Party| {
        drop(OneHot::<Xor>::tree(p, 10, LANES)?);
        OneHot::<Xor>::tree(p, 10, LANES).map(drop)
    };
    let (second, delta) = corrections(71, 4, twice);
    assert_unrelated("two batches", &[first, second].concat().concat(), delta);
}

/// Lanes share the Deltas, and number their trees by themselves: what keeps them apart are their
/// keys, which come from their ids.
#[test]
fn lanes_have_keys_of_their_own() {
    let (mut p0, mut p1) = pair(72, None);
    let lanes = std::thread::scope(|s| {
        let other = s.spawn(|| p1.fork(2).expect("lanes"));
        (p0.fork(2).expect("lanes"), other.join().expect("no panic"))
    });
    let ids: HashSet<[u8; 32]> = lanes.0.iter().map(|lane| lane.id()).chain([p0.id()]).collect();
    assert_eq!(ids.len(), 3, "a lane shares its id");
    assert!(lanes.0.iter().zip(&lanes.1).all(|(a, b)| a.id() == b.id()), "two ends of a lane");
}

/// Numbers are not given twice, whoever asks and however many at a time.
#[test]
fn numbers_of_trees_do_not_repeat() {
    let (mut s, _) = Session::pair_seeded(73, LinkShape::LOOPBACK);
    let mut next = 0;
    for count in [1, 32, 0, 5, 1 << 20, 1] {
        assert_eq!(s.number_trees(count), next);
        next += count as u64;
    }
}

/// Catches corrections opened without the leaves' hashes, or under pads that do not cover all words:
/// they would be entries of a short one-hot vector, times a sign.
#[test]
fn the_opened_words_of_additive_vectors_are_uniform() {
    const BATCH: usize = 1 << 11;
    // 16 words of a byte each, opened in the last message.
    let run = |connection: Connection| {
        let mut p = Party::seeded(connection, 74, None).expect("set-up");
        drop(Arithmetic::<Xor, u8>::prepare(&mut p, 6, 8, BATCH).expect("an honest run"));
    };
    let outcome = relayed(id(74), run, run, |_, _, _| Fate::Pass);
    let [m0, m1] = outcome.sent.map(|frames| frames.last().expect("a message")[8..].to_vec());
    assert_eq!(m0.len(), 16 * BATCH);
    let mut counts = [[0u64; 256]; 2];
    for (a, b) in m0.iter().zip(&m1) {
        counts[0][usize::from(a.wrapping_add(*b))] += 1;
        counts[1][usize::from(*a)] += 1;
    }
    for (what, counts) in [("sums", counts[0]), ("P0's shares", counts[1])] {
        let z = stats::uniform(&counts);
        assert!(z < 5.0, "{what} of corrections are not uniform: {z:.1} deviations");
    }
}

/// The opened index is uniform whatever the index: catches an offset that lacks a bit, of the low
/// part or of a level, or one that serves two lookups (A9).
#[test]
fn opened_indices_are_uniform() {
    const BATCH: usize = 1 << 13;
    fn opened<G: Group>(seed: u64, arithmetic: bool) -> Vec<usize> {
        let run = |connection: Connection| -> Result<()> {
            let mut p = Party::seeded(connection, seed, None)?;
            let table = Table::<u8>::tabulate(8, 8, |x| x)?;
            let x: Share<G::Kind, u32> = share(p.role(), 8, &[77; BATCH], seed);
            match arithmetic {
                true => {
                    Arithmetic::<G, u8>::prepare(&mut p, 8, 8, BATCH)?.lookup(&mut p, &table, &x).map(drop)
                }
                false => OneHot::<G>::tree(&mut p, 8, BATCH)?.lookup_xor(&mut p, &table, &x).map(drop),
            }
        };
        let outcome = relayed(id(seed), run, run, |_, _, _| Fate::Pass);
        outcome.p0.expect("no panic").expect("an honest run");
        let [m0, m1] = outcome.sent.map(|frames| frames.last().expect("a message")[8..].to_vec());
        let add =
            |(&a, &b): (&u8, &u8)| usize::from(if G::NAME == "xor" { a ^ b } else { a.wrapping_add(b) });
        m0.iter().zip(&m1).map(add).collect()
    }
    let runs = [opened::<Xor>(75, false), opened::<Cyclic>(76, false), opened::<Xor>(77, true)];
    for (i, opened) in runs.into_iter().chain([opened::<Cyclic>(78, true)]).enumerate() {
        assert_eq!(opened.len(), BATCH);
        let (mut counts, mut steps) = ([0u64; 256], [0u64; 256]);
        opened.iter().for_each(|&m| counts[m] += 1);
        opened.windows(2).for_each(|m| steps[m[0] ^ m[1]] += 1);
        for (what, counts) in [("values", counts), ("differences", steps)] {
            let z = stats::uniform(&counts);
            assert!(z < 5.0, "{what} of run {i} are not uniform: {z:.1} deviations");
        }
    }
}

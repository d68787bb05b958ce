//! Joins beside those of plain tables, what is sent for them, and what they cost.

use crate::relay;

use std::collections::HashSet;

use crate::common::{Case, cases, faults, run, set};
use crate::shares::{told, values};
use hushtable::{Error, Party, Result, Role, run::Reveal, run_pair, share::Share};
use hushtable_apps::{
    ids::Set,
    join::{Column, Join, Joined, MAX_ROWS},
    statistics::{Group, GroupShape, Matches},
};
use prim::ring::low;
use relay::Fate;

/// The other's columns: two additive ones, one narrow; and a vector of bits.
fn columns() -> Vec<Column> {
    vec![Column::additive(64), Column::bitwise(5), Column::additive(13)]
}

const OWN: [u32; 2] = [20, 64];

/// What stands in a row of the other's, and of the owner's.
fn payload(number: u32) -> [u64; 3] {
    let n = u64::from(number) + 1;
    [n.wrapping_mul(0x9e37_79b9_7f4a_7c15), 1 << (n % 5), n % 8191]
}

fn owned(number: u32) -> [u64; 2] {
    [u64::from(number) % (1 << 20), u64::MAX - u64::from(number)]
}

fn transposed<const K: usize>(rows: &[u32], of: fn(u32) -> [u64; K]) -> Vec<Vec<u64>> {
    (0..K).map(|k| rows.iter().map(|&row| of(row)[k]).collect()).collect()
}

fn joined(p: &mut Party, join: &Join, case: &Case) -> Result<Joined> {
    let rows = &case[p.role() as usize];
    let columns = if p.role() == join.owner() { transposed(rows, owned) } else { transposed(rows, payload) };
    let ids = set(rows).salted(p)?;
    let columns: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
    let out = join.prepare(p)?.run(p, &ids, &columns)?;
    p.barrier()?;
    Ok(out)
}

fn opened<K: hushtable::share::Kind>(a: &Share<K, u64>, b: &Share<K, u64>) -> Vec<u64> {
    assert_eq!(a.bits(), b.bits());
    a.words().iter().zip(b.words()).map(|(x, y)| low(K::combine(*x, *y), a.bits())).collect()
}

/// Both results, put together, are the plain join: where there is no partner everything is 0.
fn check(join: &Join, case: &Case, [a, b]: [&Joined; 2]) {
    let owner = join.owner() as usize;
    let (mine, theirs) = (&case[owner], &case[1 - owner]);
    let rows: Vec<Option<usize>> = [a, b][owner].rows().expect("the owner's").collect();
    assert!([a, b][1 - owner].rows().is_none(), "only the owner has rows");
    assert_eq!(rows.len(), join.bins());
    assert_eq!(rows.iter().flatten().collect::<HashSet<_>>().len(), mine.len());
    let matched: Vec<u64> = a.matched.iter().zip(b.matched.iter()).map(|(a, b)| a ^ b).collect();
    let additive: Vec<_> = a.additive.iter().zip(&b.additive).map(|(a, b)| opened(a, b)).collect();
    let bitwise: Vec<_> = a.bitwise.iter().zip(&b.bitwise).map(|(a, b)| opened(a, b)).collect();
    let own: Vec<_> = a.own.iter().zip(&b.own).map(|(a, b)| opened(a, b)).collect();
    assert_eq!([additive.len(), bitwise.len(), own.len()], [2, 1, 2]);
    for (bin, row) in rows.into_iter().enumerate() {
        let partner = row.map(|row| mine[row]).filter(|id| theirs.contains(id));
        let got = [additive[0][bin], bitwise[0][bin], additive[1][bin], own[0][bin], own[1][bin]];
        let [x, y, z] = partner.map_or([0; 3], payload);
        let [v, w] = partner.map_or([0; 2], owned);
        assert_eq!(matched[bin], u64::from(partner.is_some()), "bin {bin} of {case:?}");
        assert_eq!(got, [x, y, z, v, w], "bin {bin}, which matches: {}", partner.is_some());
    }
}

#[test]
fn tables_side_by_side() {
    let jobs = || {
        cases().into_iter().enumerate().map(|(i, case)| {
            let owner = if i % 2 == 0 { Role::P0 } else { Role::P1 };
            // Bounds that are met, and others.
            let sizes = [case[0].len() + i % 3, case[1].len() + i % 3];
            (Join::new(owner, sizes, &columns(), &OWN).expect("small tables"), case)
        })
    };
    let job =
        |p: &mut Party| jobs().map(|(join, case)| joined(p, &join, &case)).collect::<Result<Vec<Joined>>>();
    let (at_p0, at_p1) = run_pair(Party::pair_seeded(1).expect("a pair"), job, job).expect("an honest run");
    for ((join, case), (a, b)) in jobs().zip(at_p0.iter().zip(&at_p1)) {
        check(&join, &case, [a, b]);
    }
}

/// Only the owner's columns, only the other's, or none.
#[test]
fn without_columns() {
    let case = [(0..20).collect::<Vec<u32>>(), (10..40).collect()];
    for (columns, own) in [(vec![], vec![]), (vec![Column::additive(7)], vec![]), (vec![], vec![9])] {
        let join = Join::new(Role::P1, [20, 30], &columns, &own).expect("small tables");
        let job = |p: &mut Party| -> Result<u32> {
            let rows = &case[p.role() as usize];
            let count = if p.role() == join.owner() { own.len() } else { columns.len() };
            let (ids, word) = (set(rows).salted(p)?, vec![1; rows.len()]);
            let out = join.prepare(p)?.run(p, &ids, &vec![&word[..]; count])?;
            assert_eq!([out.additive.len(), out.own.len(), out.bitwise.len()], [columns.len(), own.len(), 0]);
            // Public: a test.
            Ok(out.matched.open(p)?.iter().map(|word| word.count_ones()).sum())
        };
        let found = run_pair(Party::pair_seeded(2).expect("a pair"), job, job).expect("an honest run");
        assert_eq!(found, (10, 10), "{columns:?} {own:?}");
    }
}

/// The join's result is what statistics take: groups of the other party's and of the owner's, a count and a sum.
#[test]
fn statistics_of_a_join() {
    let case = [(0..60).collect::<Vec<u32>>(), (30..100).collect()];
    let join = Join::new(Role::P1, [60, 70], &columns(), &[1, 13]).expect("small tables");
    // P0 is the other, P1 the owner.
    let job = |p: &mut Party| {
        let rows = &case[p.role() as usize];
        let mut columns = transposed(rows, payload);
        if p.role() == Role::P1 {
            columns = vec![rows.iter().map(|row| u64::from(row % 2)).collect(), vec![7; rows.len()]];
        }
        let ids = set(rows).salted(p)?;
        let joined = join.prepare(p)?.run(p, &ids, &columns.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        let mut groups = joined.bits(0);
        groups.push(joined.own_bit(0)?);
        assert!(joined.own_bit(1).is_err());
        let shape = GroupShape { bins: joined.bins(), groups: 6, widths: vec![13], least: 6, noise: None };
        let found = told(p, &shape, &groups, &[&joined.own[1]], Reveal::Both)?.expect("to both");
        let count = values(p, &Matches { bins: joined.bins() }, &[&joined.matched.to_wide()])?;
        Ok((found, count))
    };
    let (found, other) = run_pair(Party::pair_seeded(5).expect("a pair"), job, job).expect("an honest run");
    assert_eq!(found, other);
    assert_eq!(found.1, [30]);
    let group = |group, count| Group { group, count, sums: vec![7 * count as u64] };
    let wanted: Vec<Group> = (0..5).map(|i| group(i, 6)).chain([group(5, 15)]).collect();
    assert_eq!(found.0, wanted);
}

/// Messages after the mark, without headers.
fn transcript(seed: u64, join: &Join, case: &Case) -> [Vec<Vec<u8>>; 2] {
    let job = |p: &mut Party| {
        let rows = &case[p.role() as usize];
        let columns =
            if p.role() == join.owner() { transposed(rows, owned) } else { transposed(rows, |_| [0; 3]) };
        let (material, ids) = (join.prepare(p)?, set(rows).salted(p)?);
        p.announce("online")?;
        material.run(p, &ids, &columns.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        p.barrier()
    };
    let outcome = run(seed, job, |_, _, _| Fate::Pass);
    assert!(matches!((&outcome.p0, &outcome.p1), (Some(Ok(())), Some(Ok(())))));
    outcome.sent.each_ref().map(|frames| {
        let mark = frames.iter().position(|frame| frame[8..] == *b"online").expect("a mark");
        frames[mark + 1..].iter().map(|frame| frame[8..].to_vec()).collect()
    })
}

/// All messages are noise of the same lengths, whatever the tables are within the bounds: full and matching, or empty.
/// A store with zeros where nothing is decided, or columns that are not masked, end here.
#[test]
fn what_is_sent_tells_bounds_only() {
    let join = Join::new(Role::P0, [200, 150], &columns(), &OWN).expect("small tables");
    let numbers = |count: u32| (0..count).collect::<Vec<u32>>();
    let mut lengths = HashSet::new();
    let tables =
        [[vec![], vec![]], [numbers(200), numbers(150)], [vec![], numbers(150)], [numbers(200), vec![]]];
    for (i, case) in tables.iter().enumerate() {
        let sent = transcript(40 + i as u64, &join, case);
        lengths.insert(sent.each_ref().map(|frames| frames.iter().map(Vec::len).collect::<Vec<_>>()));
        for (who, frames) in sent.iter().enumerate() {
            let (mut counts, mut all) = ([0u64; 64], Vec::<u8>::new());
            frames.iter().filter(|frame| frame.len() > 1000).for_each(|frame| all.extend(frame));
            all.iter().for_each(|byte| counts[usize::from(*byte >> 2)] += 1);
            assert!(crate::stats::uniform(&counts) < 5.0, "case {i}: what party {who} sends");
            let first = frames.iter().find(|frame| frame.len() > 1000).expect("a store");
            let words: HashSet<&[u8]> = first.chunks_exact(8).collect();
            assert_eq!(words.len(), first.len() / 8, "case {i}: a word of party {who}'s store repeats");
        }
    }
    assert_eq!(lengths.len(), 1, "lengths tell more than bounds");
}

/// What is sent is what is billed: no placement goes along, and nothing else.
#[test]
fn bills() {
    let all = [
        (Role::P0, [16, 24], columns(), OWN.to_vec()),
        (Role::P1, [24, 16], columns(), OWN.to_vec()),
        (Role::P1, [0, 16], vec![], vec![]),
        (Role::P0, [16, 0], vec![Column::additive(8)], vec![]),
        (Role::P0, [40, 100], vec![], vec![8]),
    ];
    for (owner, sizes, columns, own) in all {
        let join = Join::new(owner, sizes, &columns, &own).expect("small tables");
        assert!(join.bins().is_multiple_of(8), "whole bytes: {}", join.bins());
        let under = Party::pair_seeded(0xb111).expect("a pair").0.setting();
        crate::billed::check_parts(
            &format!("{join:?}"),
            join.bill(&under).expect("a bill") + Set::bill(),
            0,
            |p| join.prepare(p),
            |s, m| {
                let rows = (0..sizes[s.role() as usize] as u32).collect::<Vec<_>>();
                let count = if s.role() == owner { own.len() } else { columns.len() };
                let (ids, word) = (set(&rows).salted(s)?, vec![1; rows.len()]);
                m.run(s, &ids, &vec![&word[..]; count]).map(drop)
            },
        );
    }
}

/// Longer than 10 s: a session with base OTs for each message.
#[test]
fn faults_end_it() {
    let (join, case) =
        (Join::new(Role::P0, [5, 4], &columns(), &OWN).expect("small tables"), [vec![1, 2, 3], vec![3, 4]]);
    faults(|p| joined(p, &join, &case).map(drop));
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |sizes, columns: &[Column], own: &[u32]| {
        let error = Join::new(Role::P0, sizes, columns, own).err();
        assert!(matches!(error, Some(Error::Param { .. })), "{error:?}");
    };
    refused([MAX_ROWS + 1, 1], &[], &[]);
    refused([1, MAX_ROWS + 1], &[], &[]);
    refused([1, 1], &[Column::additive(65)], &[]);
    refused([1, 1], &[Column::bitwise(0)], &[]);
    refused([1, 1], &[], &[65]);
    let join = Join::new(Role::P0, [2, 2], &[Column::additive(8)], &[8]).expect("small tables");
    let job = |p: &mut Party| {
        let ids = set(&[1, 2]).salted(p)?;
        for columns in [&[][..], &[&[1, 2, 3][..]], &[&[1, 2], &[1, 2]]] {
            let error = join.prepare(p)?.run(p, &ids, columns).err().expect("refused");
            assert!(matches!(error, Error::Shape { .. }), "{error}");
        }
        let ids = set(&[1, 2, 3]).salted(p)?;
        assert!(matches!(join.prepare(p)?.run(p, &ids, &[&[1, 2, 3]]), Err(Error::Shape { .. })));
        Ok(())
    };
    run_pair(Party::pair_seeded(3).expect("a pair"), job, job).expect("refused before anything is sent");
}

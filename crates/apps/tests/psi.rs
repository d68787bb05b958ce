//! Intersections beside those of plain sets, what is sent for them, and what they cost.

use crate::relay;

use std::collections::{BTreeSet, HashSet};

use crate::common::{Case, cases, faults, run, set};
use hushtable::{Error, Party, Result, Role, ot::Scheme, run_pair};
use hushtable_apps::{
    ids::{Rules, Set},
    psi::{Learns, MAX_IDS, Psi},
};
use relay::Fate;

const ALL: [Learns; 3] = [Learns::Both, Learns::Only(Role::P0), Learns::Only(Role::P1)];

/// This party's matches.
fn found(p: &mut Party, psi: &Psi, case: &Case) -> Result<Option<Vec<usize>>> {
    let ids = set(&case[p.role() as usize]).salted(p)?;
    let found = psi.prepare(p)?.find(p, &ids)?;
    p.barrier()?;
    Ok(found)
}

#[test]
fn what_sets_have_in_common() {
    let job = |p: &mut Party| -> Result<Vec<Option<Vec<usize>>>> {
        let cases = cases().into_iter().flat_map(|case| ALL.map(|learns| (case.clone(), learns)));
        cases
            .map(|(case, learns)| {
                // Bounds that are met, and others.
                let more = if learns == Learns::Both { 0 } else { 5 };
                let psi = Psi::new([case[0].len() + more, case[1].len() + more], learns)?;
                found(p, &psi, &case)
            })
            .collect()
    };
    let (at_p0, at_p1) = run_pair(Party::pair_seeded(1).expect("a pair"), job, job).expect("an honest run");
    let cases = cases().into_iter().flat_map(|case| ALL.map(|learns| (case.clone(), learns)));
    for ((case, learns), results) in cases.zip(at_p0.into_iter().zip(at_p1)) {
        let common: BTreeSet<u32> = case[0].iter().filter(|x| case[1].contains(x)).copied().collect();
        let results = [results.0, results.1];
        let mut orders = Vec::new();
        for (role, (rows, result)) in [Role::P0, Role::P1].into_iter().zip(case.iter().zip(results)) {
            let learned = learns == Learns::Both || learns == Learns::Only(role);
            assert_eq!(result.is_some(), learned, "{learns:?} at {role:?}");
            if let Some(found) = result {
                let numbers: Vec<u32> = found.iter().map(|&row| rows[row]).collect();
                assert_eq!(numbers.iter().copied().collect::<BTreeSet<_>>(), common, "{learns:?} {case:?}");
                assert_eq!(numbers.len(), common.len());
                orders.push(numbers);
            }
        }
        // The i-th match of one is the i-th of the other.
        assert!(orders.windows(2).all(|orders| orders[0] == orders[1]), "{learns:?}");
    }
}

/// Frames after the barrier that ends the offline phase, without headers.
fn online(sent: &[Vec<Vec<u8>>; 2]) -> [Vec<Vec<u8>>; 2] {
    sent.each_ref().map(|frames| {
        let barrier = frames.iter().position(|frame| frame[8..] == *b"online").expect("a mark");
        frames[barrier + 1..].iter().map(|frame| frame[8..].to_vec()).collect()
    })
}

fn transcript(seed: u64, psi: Psi, case: &Case) -> [Vec<Vec<u8>>; 2] {
    let job = |p: &mut Party| {
        let (material, ids) = (psi.prepare(p)?, set(&case[p.role() as usize]).salted(p)?);
        p.announce("online")?;
        material.find(p, &ids)?;
        p.barrier()
    };
    let outcome = run(seed, job, |_, _, _| Fate::Pass);
    assert!(matches!((&outcome.p0, &outcome.p1), (Some(Ok(())), Some(Ok(())))));
    online(&outcome.sent)
}

/// The receiver's message is noise, whether its set is empty or full; the sender's is a list of noise in order, whatever
/// the order of its rows; lengths depend on the bounds only. Values in the order of rows, and P without its mask, end
/// here.
#[test]
fn what_is_sent_tells_bounds_only() {
    let psi = Psi::new([300, 280], Learns::Only(Role::P0)).expect("few ids");
    let numbers = |count: u32| (0..count).collect::<Vec<u32>>();
    let mut lengths = HashSet::new();
    for (i, case) in
        [[vec![], vec![]], [numbers(300), numbers(280)], [vec![], numbers(280)], [numbers(7), vec![]]]
            .iter()
            .enumerate()
    {
        let [p0, p1] = transcript(20 + i as u64, psi, case);
        lengths.insert([&p0, &p1].map(|frames| frames.iter().map(Vec::len).collect::<Vec<_>>()));
        let columns: Vec<u8> = p0[..p0.len() - 1].concat();
        assert_eq!(columns.len(), 8 * 813);
        let mut counts = [0u64; 64];
        columns.iter().for_each(|byte| counts[usize::from(byte >> 2)] += 1);
        assert!(crate::stats::uniform(&counts) < 5.0, "case {i}");
        let words: HashSet<&[u8]> = columns.chunks(8).collect();
        assert_eq!(words.len(), 813, "a word repeats");
        let list: Vec<u64> = p1[..p1.len() - 1].concat().chunks(8).map(value).collect();
        assert_eq!(list.len(), 280);
        assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "case {i}: not in the order of the values");
        // Uniform ones in order: about half of them below the middle.
        let below = list.iter().filter(|&&v| v < 1 << 63).count();
        assert!((90..190).contains(&below), "case {i}: {below}");
    }
    assert_eq!(lengths.len(), 1, "lengths tell more than bounds");
}

fn value(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Two runs on the same sets send nothing in common.
#[test]
fn runs_have_nothing_in_common() {
    let psi = Psi::new([40, 40], Learns::Both).expect("few ids");
    let case = [(0..40).collect::<Vec<u32>>(), (0..40).collect()];
    let all = |seed| {
        let sent = transcript(seed, psi, &case).concat();
        let long = sent.into_iter().filter(|frame| frame.len() > 100).collect::<Vec<_>>();
        long.iter()
            .flat_map(|frame| frame.chunks_exact(8).map(value).collect::<Vec<_>>())
            .collect::<HashSet<u64>>()
    };
    let (first, second) = (all(30), all(31));
    assert!(first.len() > 500 && first.is_disjoint(&second));
}

#[test]
fn bills() {
    for (sizes, learns) in
        [([0, 0], ALL[0]), ([3, 72], ALL[0]), ([72, 8], ALL[0]), ([300, 8], ALL[1]), ([8, 80], ALL[2])]
    {
        let psi = Psi::new(sizes, learns).expect("few ids");
        let under = Party::pair_seeded(0xb111).expect("a pair").0.setting();
        let numbers = |count| (0..count as u32).collect::<Vec<u32>>();
        let case = [numbers(sizes[0]), numbers(sizes[1])];
        crate::billed::check(
            &format!("{psi:?}"),
            psi.bill(&under).expect("a bill") + Set::bill(),
            |p| psi.prepare(p),
            |s, m| {
                let ids = set(&case[s.role() as usize]).salted(s)?;
                m.find(s, &ids).map(drop)
            },
        );
    }
}

#[test]
fn faults_end_it() {
    let (psi, case) = (Psi::new([9, 7], Learns::Both).expect("few ids"), [vec![1, 2, 3], vec![3, 4, 1, 9]]);
    faults(|p| found(p, &psi, &case).map(drop));
}

/// Values that are not in order are the peer's error.
#[test]
fn values_out_of_order_are_refused() {
    let (psi, case) = (Psi::new([9, 7], Learns::Only(Role::P0)).expect("few ids"), [vec![1], vec![2, 3]]);
    let honest = run(91, |p| found(p, &psi, &case), |_, _, _| Fate::Pass).sent[1].len();
    let ends = run(
        91,
        |p| found(p, &psi, &case),
        |role, i, frame| {
            if (role, i) != (Role::P1, honest - 2) {
                return Fate::Pass;
            }
            let mut swapped = frame.to_vec();
            swapped[8..].reverse();
            Fate::Instead(swapped)
        },
    );
    let error = ends.p0.expect("no panic").expect_err("values out of order");
    assert!(matches!(error, Error::Peer(_)), "{error}");
}

#[test]
fn what_does_not_fit_is_refused() {
    assert!(matches!(Psi::new([MAX_IDS + 1, 0], Learns::Both), Err(Error::Param { .. })));
    let psi = Psi::new([1, 3], Learns::Both).expect("few ids");
    let job = |p: &mut Party| {
        let ids = set(&[1, 2, 3, 4]).salted(p)?;
        let error = psi.prepare(p)?.find(p, &ids).expect_err("more ids than announced");
        assert!(matches!(error, Error::Shape { .. }), "{error}");
        Ok(())
    };
    run_pair(Party::pair_seeded(3).expect("a pair"), job, job).expect("refused before anything is sent");
}

/// With the VOLEs of every extension.
#[test]
fn over_every_extension() {
    for scheme in [Scheme::Iknp, Scheme::Ferret] {
        let case = [(0..200).collect::<Vec<u32>>(), (100..400).rev().collect()];
        let psi = Psi::new([200, 300], Learns::Both).expect("few ids");
        let job = |p: &mut Party| found(p, &psi, &case);
        let (a, b) = run_pair(crate::pairs::pair(4, Some(scheme)), job, job).expect("an honest run");
        assert_eq!((a.expect("learned").len(), b.expect("learned").len()), (100, 100));
    }
}

/// Ids that differ in a letter, in a blank, in where a field ends, in a bit: none is taken for another.
#[test]
fn ids_that_are_alike() {
    let base = ["0000000000000000", "customer", "Ann Lee"];
    let mut rows: Vec<[String; 2]> = Vec::new();
    for text in base {
        for i in 0..=text.len() {
            let (head, tail) = text.split_at(i);
            rows.push([head.into(), tail.into()]);
            rows.push([format!("{head} {tail}"), String::new()]);
            rows.push([format!("{head}\u{0}"), tail.into()]);
        }
        for (i, letter) in text.char_indices() {
            for bit in 0..7 {
                let mut other = text.as_bytes().to_vec();
                other[i] = letter as u8 ^ 1 << bit;
                rows.push([String::from_utf8(other).expect("ASCII"), "x".into()]);
            }
        }
    }
    let mut seen = HashSet::new();
    rows.retain(|row| seen.insert(row.clone()));
    assert!(rows.len() > 250, "{}", rows.len());
    // Every second row is P0's, every third one P1's.
    let of = |role: Role| (0..rows.len()).filter(|i| i % (2 + role as usize) == 0).collect::<Vec<usize>>();
    let sizes = [of(Role::P0).len(), of(Role::P1).len()];
    let psi = Psi::new(sizes, Learns::Both).expect("few ids");
    let job = |p: &mut Party| -> Result<Vec<usize>> {
        let mine = of(p.role());
        let ids = Set::new(Rules::NONE, mine.iter().map(|&i| &rows[i]))?.salted(p)?;
        let found = psi.prepare(p)?.find(p, &ids)?.expect("learned");
        Ok(found.into_iter().map(|row| mine[row]).collect())
    };
    let (a, b) = run_pair(Party::pair_seeded(5).expect("a pair"), job, job).expect("an honest run");
    assert_eq!(a, b);
    assert_eq!(a.into_iter().collect::<BTreeSet<_>>(), (0..rows.len()).step_by(6).collect());
}

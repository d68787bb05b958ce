//! Intersections by circuits beside those of plain sets, and what they cost.

use std::{collections::BTreeSet, sync::Arc};

use crate::billed::check_parts;
use crate::common::cases;
use crate::shares::{FOR_P1, done, values};
use hushtable::{
    Error, Party, Result, Role,
    operation::{Engine, Operation},
    plan::Objective,
    run::Reveal,
    run_pair,
};
use hushtable_apps::{
    circuit_psi::{CircuitPsi, MAX_NUMBERS, Matching, Numbers},
    statistics::Matches,
};

type Sets = [Vec<u64>; 2];

fn psi(owner: Role, sizes: [usize; 2], bits: u32) -> CircuitPsi {
    CircuitPsi::new(owner, sizes, bits, Objective::Total).expect("few numbers")
}

fn matching(psi: &CircuitPsi, bits: u32, mine: &[u64]) -> Matching {
    Matching { psi: psi.clone(), numbers: Arc::new(Numbers::new(bits, mine.to_vec()).expect("a set")) }
}

/// What both have, as the owner learns it.
fn common(psi: &CircuitPsi, bits: u32, sets: &Sets) -> Vec<u64> {
    let party = |p: &mut Party| -> Result<Option<Vec<u64>>> {
        let mine = &sets[p.role() as usize];
        let mut given = done(p, &matching(psi, bits, mine), &[], Reveal::Only(psi.owner()))?.into_iter();
        let [matches, rows] = [(); 2].map(|()| given.next().expect("two columns"));
        Ok(matches.values().zip(rows.values()).map(|(matches, rows)| {
            let rows: Vec<u64> = rows.into_iter().map(|row| row as u64).collect();
            Matching::common(&matches, &rows).into_iter().map(|row| mine[row]).collect()
        }))
    };
    let (p0, p1) = run_pair(Party::pair_seeded(80).expect("a pair"), party, party).expect("an honest run");
    let (own, other) = if psi.owner() == Role::P0 { (p0, p1) } else { (p1, p0) };
    assert!(other.is_none(), "the other party learns something");
    own.expect("the owner learns")
}

fn plain(sets: &Sets) -> BTreeSet<u64> {
    sets[0].iter().filter(|number| sets[1].contains(number)).copied().collect()
}

fn assert_common(psi: &CircuitPsi, bits: u32, sets: &Sets, what: &str) {
    let found = common(psi, bits, sets);
    assert_eq!(found.iter().copied().collect::<BTreeSet<u64>>(), plain(sets), "{what}");
    assert_eq!(found.len(), plain(sets).len(), "{what}");
}

#[test]
fn what_sets_have_in_common() {
    for (i, case) in cases().into_iter().enumerate() {
        let mut sets = case.map(|set| set.into_iter().map(u64::from).collect::<Vec<u64>>());
        let owner = [Role::P0, Role::P1][i % 2];
        if i % 3 == 0 {
            // The ends of the domain, which are no free place.
            for set in &mut sets {
                let ends = [u64::from(u32::MAX), 0, 1 << 31].into_iter().filter(|x| !set.contains(x));
                set.extend(ends.collect::<Vec<u64>>());
            }
        }
        // Bounds that are met, and others.
        let more = i % 2 * 5;
        let psi = psi(owner, sets.each_ref().map(|set| set.len() + more), 32);
        assert_common(&psi, 32, &sets, &format!("{} and {} numbers", sets[0].len(), sets[1].len()));
    }
}

/// Narrow and wide numbers: all that there are of 1, 6 and 9 bits, and the ends of 64.
#[test]
fn numbers_of_any_width() {
    for bits in [1, 6, 9, 33, 64] {
        let most = u64::MAX >> (64 - bits);
        let all = |step: u64| (0..).step_by(step as usize).take_while(|x| *x <= most).take(600).collect();
        let mut sets: Sets = [all(1), all(3)];
        if bits > 9 {
            sets.iter_mut().for_each(|set| set.extend([most, most - 1, most / 2 + 1]));
        }
        let psi = psi(Role::P1, sets.each_ref().map(Vec::len), bits);
        assert_common(&psi, bits, &sets, &format!("{bits} bits"));
    }
}

/// Every form by every engine.
#[test]
fn all_ways() {
    let sets: Sets = [(0..40).map(|i| 3 * i).collect(), (0..30).map(|i| 5 * i).collect()];
    let usual = psi(Role::P0, [40, 30], 16);
    let ways = usual.way().all().expect("ways");
    assert!(ways.len() >= 6);
    for way in ways {
        let (form, engine) = way.way();
        let forms = usual.way().circuit().forms();
        let form = forms.iter().position(|other| other.name() == form.name()).expect("a form of it");
        let psi = usual.clone().by(form, engine).expect("a way");
        assert_common(&psi, 16, &sets, &way.method());
    }
}

/// Only the sum of the bits is opened, to both.
#[test]
fn cardinality() {
    for sets in [[(0..50).collect(), (25..90).collect()], [vec![], vec![7]], [vec![1, 2, 3], vec![3, 2, 1]]] {
        let sets: Sets = sets;
        let psi = psi(Role::P0, sets.each_ref().map(Vec::len), 32);
        let party = |p: &mut Party| -> Result<i64> {
            let matching = matching(&psi, 32, &sets[p.role() as usize]);
            let matches = done(p, &matching, &[], Reveal::Nobody)?.remove(0).into_words();
            Ok(values(p, &Matches { bins: psi.bins() }, &[&matches])?[0])
        };
        let (p0, p1) =
            run_pair(Party::pair_seeded(81).expect("a pair"), party, party).expect("an honest run");
        assert_eq!([p0, p1], [plain(&sets).len() as i64; 2]);
    }
}

#[test]
fn bits_are_opened_to_the_owner_alone() {
    let psi = psi(Role::P1, [5, 4], 32);
    for (reveal, fine) in FOR_P1 {
        let party = |p: &mut Party| -> Result<()> {
            let found = done(p, &matching(&psi, 32, &[1, 2, 3]), &[], reveal);
            assert_eq!(found.is_ok(), fine, "{reveal:?}");
            assert!(fine || matches!(found, Err(Error::Param { what: "who gets results", .. })));
            Ok(())
        };
        run_pair(Party::pair_seeded(82).expect("a pair"), party, party).expect("both end");
    }
}

/// Shares alone say nothing: about half of them are 1 whatever matches.
#[test]
fn shares_are_uniform() {
    for second in [0, 1000] {
        let psi = psi(Role::P0, [300, 300], 32);
        let party = |p: &mut Party| -> Result<usize> {
            let first = if p.role() == Role::P0 { 0 } else { second };
            let mine: Vec<u64> = (first..first + 300).collect();
            let shares = done(p, &matching(&psi, 32, &mine), &[], Reveal::Nobody)?.remove(0);
            Ok(shares.into_words().iter().filter(|word| **word == 1).count())
        };
        let ones = run_pair(Party::pair_seeded(83).expect("a pair"), party, party).expect("an honest run");
        // 813 bins: 14 is one deviation.
        assert!([ones.0, ones.1].iter().all(|ones| ones.abs_diff(813 / 2) < 75), "{ones:?}");
    }
}

/// Who owns, sizes, widths and ways are compared before anything is told.
#[test]
fn parties_that_differ_learn_nothing() {
    let usual = psi(Role::P0, [5, 4], 32);
    let others = [
        psi(Role::P1, [5, 4], 32),
        psi(Role::P0, [6, 4], 32),
        psi(Role::P0, [5, 4], 31),
        usual.clone().by(0, Engine::Garbled { ahead: false }).expect("garbled"),
    ];
    for other in others {
        let party = |psi: CircuitPsi| {
            move |p: &mut Party| -> Result<()> {
                let found = done(p, &matching(&psi, 31, &[1, 2, 3]), &[], Reveal::Nobody).map(drop);
                assert!(matches!(found, Err(Error::Handshake { .. } | Error::Ended(_))), "{found:?}");
                Ok(())
            }
        };
        let usual = usual.clone().by(0, Engine::Layers(None)).expect("triples");
        run_pair(Party::pair_seeded(84).expect("a pair"), party(usual), party(other)).expect("both end");
    }
}

#[test]
fn sets_that_are_refused() {
    let refused = |bits, numbers: &[u64]| match Numbers::new(bits, numbers.to_vec()) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{numbers:?} of {bits} bits"),
    };
    assert!(refused(32, &[5, 9, 5]).contains("the same in rows 0 and 2"));
    assert!(refused(32, &[5, 1 << 32]).contains("in row 1"));
    Numbers::new(64, vec![u64::MAX, 0]).expect("64 bits");
    let sized = |sizes, bits| CircuitPsi::new(Role::P0, sizes, bits, Objective::Total).err();
    for (sizes, bits) in [([MAX_NUMBERS + 1, 1], 32), ([1, MAX_NUMBERS + 1], 32), ([1, 1], 0), ([1, 1], 65)] {
        assert!(matches!(sized(sizes, bits), Some(Error::Param { .. })), "{sizes:?} of {bits} bits");
    }
    // More or wider ones than were agreed on end before anything is sent.
    let psi = psi(Role::P0, [2, 2], 8);
    for (bits, numbers) in [(8, vec![1, 2, 3]), (9, vec![1, 2])] {
        let party = |p: &mut Party| -> Result<()> {
            let material = matching(&psi, bits, &numbers).prepare(p, 1)?;
            assert!(matches!(material.eval(p, &[]), Err(Error::Param { what: "numbers of a set", .. })));
            Ok(())
        };
        run_pair(Party::pair_seeded(85).expect("a pair"), party, party).expect("both end");
    }
}

/// Bits, rounds and correlated OTs are those of the bills, whatever the sets; by every engine.
#[test]
fn bills() {
    let under = Party::pair_seeded(0xb111).expect("a pair").0.setting();
    let usual = psi(Role::P0, [16, 24], 20);
    assert!(usual.bins().is_multiple_of(8), "whole bytes: {}", usual.bins());
    for (form, engine) in [
        (0, Engine::Layers(None)),
        (1, Engine::Layers(None)),
        (2, Engine::Layers(None)),
        (2, Engine::Switching),
        (0, Engine::Garbled { ahead: false }),
        (0, Engine::Garbled { ahead: true }),
    ] {
        let psi = usual.clone().by(form, engine).expect("a way");
        for numbers in [(0..16).collect::<Vec<u64>>(), vec![]] {
            check_parts(
                &format!("{engine:?} of form {form}"),
                matching(&psi, 20, &[]).bill(1, &under).expect("a bill"),
                0,
                |p| matching(&psi, 20, &numbers).prepare(p, 1),
                |s, m| m.eval(s, &[]).map(drop),
            );
        }
    }
}

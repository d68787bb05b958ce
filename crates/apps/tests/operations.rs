//! Joins and intersections as operations: what they give, that parties which differ end, and what they cost.

use std::sync::Arc;

use crate::billed::check_parts;
use crate::shares::{FOR_P1, done};
use hushtable::{
    Error, Party, Result, Role,
    gates::Bits,
    operation::Operation,
    run::{Outcome, Reveal},
    run_pair,
};
use hushtable_apps::{
    ids::{Rules, Set},
    join::{Column, Join, JoinTables, Joined},
    psi::{Intersect, Learns, Psi},
};

fn set(numbers: &[u32]) -> Arc<Set> {
    Arc::new(Set::new(Rules::default(), numbers.iter().map(|n| [n.to_string()])).expect("ids"))
}

/// The owner's row of each bin.
type Rows = Vec<Option<usize>>;

const P0: [u32; 5] = [7, 1, 9, 4, 2];
const P1: [u32; 4] = [4, 8, 7, 5];

#[test]
fn intersections() {
    for learns in [Learns::Both, Learns::Only(Role::P0), Learns::Only(Role::P1)] {
        let party = |p: &mut Party| -> Result<Vec<i64>> {
            let ids = set(if p.role() == Role::P0 { &P0 } else { &P1 });
            // More may be there than are.
            let intersect = Intersect { psi: Psi::new([6, 4], learns)?, ids };
            Ok(done(p, &intersect, &[], Reveal::Nobody)?.remove(0).values().expect("a list of its own"))
        };
        let (p0, p1) = run_pair(Party::pair_seeded(71).unwrap(), party, party).unwrap();
        let common =
            |rows: &[i64], of: &[u32]| rows.iter().map(|&row| of[row as usize]).collect::<Vec<u32>>();
        let (mut p0, p1) = (common(&p0, &P0), common(&p1, &P1));
        if learns == Learns::Both {
            assert_eq!(p0, p1, "in the same order");
        }
        assert!(p0.is_empty() == (learns == Learns::Only(Role::P1)));
        assert!(p1.is_empty() == (learns == Learns::Only(Role::P0)));
        p0.extend(p1);
        p0.sort_unstable();
        p0.dedup();
        assert_eq!(p0, [4, 7], "{learns:?}");
    }
}

/// Sizes, rules and who learns are compared before anything is told.
#[test]
fn parties_that_differ_learn_nothing() {
    let dated = Rules::default().lower_case(true);
    let case = |psi: Psi, rules: Rules| (psi, rules);
    let psi = |sizes, learns| Psi::new(sizes, learns).expect("few");
    let usual = case(psi([5, 4], Learns::Both), Rules::default());
    for other in [
        case(psi([5, 4], Learns::Only(Role::P1)), Rules::default()),
        case(psi([6, 4], Learns::Both), Rules::default()),
        case(psi([5, 4], Learns::Both), dated),
    ] {
        let party = |(psi, rules): (Psi, Rules)| {
            move |p: &mut Party| -> Result<()> {
                let numbers: &[u32] = if p.role() == Role::P0 { &P0 } else { &P1 };
                let ids = Set::new(rules, numbers.iter().map(|n| [n.to_string()]))?;
                let intersect = Intersect { psi, ids: Arc::new(ids) };
                let found = done(p, &intersect, &[], Reveal::Nobody).map(drop);
                assert!(matches!(found, Err(Error::Handshake { .. } | Error::Ended(_))), "{found:?}");
                Ok(())
            }
        };
        run_pair(Party::pair_seeded(72).unwrap(), party(usual), party(other)).unwrap();
    }
}

/// What two joins, one for each owner, give: pairs of columns where ids agree, and what the bill says.
#[test]
fn joins() {
    for owner in [Role::P0, Role::P1] {
        let theirs = [Column::additive(20), Column::bitwise(3), Column::additive(64)];
        let join = Join::new(owner, [5, 4], &theirs, &[16]).expect("small");
        let value = |id: u32, column: u64| u64::from(id) * 10 + column;
        let party = |p: &mut Party| -> Result<(Rows, Vec<Vec<u64>>)> {
            let ids: &[u32] = if p.role() == Role::P0 { &P0 } else { &P1 };
            let count = if p.role() == owner { 1 } else { 3 };
            let column = |c: u64| ids.iter().map(move |&id| value(id, c) & if c == 1 { 7 } else { u64::MAX });
            let columns = (0..count).map(|c| column(c).collect::<Vec<u64>>().into()).collect();
            let tables = JoinTables { join: join.clone(), ids: set(ids), columns: Arc::new(columns) };
            let given = done(p, &tables, &[], Reveal::Nobody)?;
            let given = given.into_iter().map(Outcome::into_words).collect();
            let joined = Joined::of(&join, p.role(), given)?;
            assert_eq!(joined.rows().is_some(), p.role() == owner);
            let rows = joined.rows().map(|rows| rows.collect()).unwrap_or_default();
            let mut all = vec![Bits::new(joined.bins(), joined.matched.open(p)?).iter().collect()];
            for column in joined.additive.iter().chain(&joined.own) {
                all.push(p.open(column)?);
            }
            all.push(p.open(&joined.bitwise[0])?);
            Ok((rows, all))
        };
        let (p0, p1) = run_pair(Party::pair_seeded(73).unwrap(), party, party).unwrap();
        let (mine, other, rows) =
            if owner == Role::P0 { (&P0[..], &P1[..], p0.0) } else { (&P1[..], &P0[..], p1.0) };
        let mut seen = 0;
        for (bin, row) in rows.iter().enumerate() {
            let id = row.map(|row| mine[row]).filter(|id| other.contains(id));
            seen += usize::from(id.is_some());
            let of = |c: u64, mask: u64| id.map_or(0, |id| value(id, c) & mask);
            let want = [u64::from(id.is_some()), of(0, 0xf_ffff), of(2, u64::MAX), of(0, 0xffff), of(1, 7)];
            let got: Vec<u64> = p0.1.iter().map(|column| column[bin]).collect();
            assert_eq!(got, want, "bin {bin} of {owner}");
        }
        assert_eq!((seen, p0.1), (2, p1.1), "both common ids");
    }
}

/// What is opened bin by bin goes to the owner of the rows or to nobody: that is refused before anything is sent.
#[test]
fn joins_are_opened_to_the_owner_alone() {
    let join = Join::new(Role::P1, [5, 4], &[Column::additive(64)], &[]).expect("small");
    for (reveal, fine) in FOR_P1 {
        let party = |p: &mut Party| -> Result<()> {
            let first = p.role() == Role::P0;
            let columns = if first { vec![vec![1; 5].into()] } else { vec![] };
            let ids = set(if first { &P0 } else { &P1 });
            let tables = JoinTables { join: join.clone(), ids, columns: Arc::new(columns) };
            let found = done(p, &tables, &[], reveal);
            assert_eq!(found.is_ok(), fine, "{reveal:?}");
            assert!(fine || matches!(found, Err(Error::Param { what: "who gets results", .. })));
            Ok(())
        };
        run_pair(Party::pair_seeded(74).unwrap(), party, party).unwrap();
    }
}

/// Bits, rounds and correlated OTs are those of the bills.
#[test]
fn bills() {
    let under = Party::pair_seeded(0xb111).expect("a pair").0.setting();
    let numbers = |count: u32| (0..count).collect::<Vec<u32>>();
    let psi = Psi::new([3, 72], Learns::Both).expect("few");
    let join =
        Join::new(Role::P0, [16, 24], &[Column::additive(64), Column::bitwise(8)], &[16]).expect("small");
    assert!(join.bins().is_multiple_of(8), "whole bytes: {}", join.bins());
    let intersect = |role: Role| -> Box<dyn Operation> {
        Box::new(Intersect { psi, ids: set(&numbers([3, 72][role as usize])) })
    };
    let tables = |role: Role| -> Box<dyn Operation> {
        let (rows, count) = if role == Role::P0 { (16, 1) } else { (24, 2) };
        let columns = (0..count).map(|_| vec![1; rows as usize].into()).collect();
        Box::new(JoinTables { join: join.clone(), ids: set(&numbers(rows)), columns: Arc::new(columns) })
    };
    let cases: [&(dyn Fn(Role) -> Box<dyn Operation> + Sync); 2] = [&intersect, &tables];
    for of in cases {
        let operation = of(Role::P0);
        check_parts(
            &operation.name(),
            operation.bill(1, &under).expect("a bill"),
            0,
            |p| of(p.role()).prepare(p, 1),
            |s, m| m.eval(s, &[]).map(drop),
        );
    }
}

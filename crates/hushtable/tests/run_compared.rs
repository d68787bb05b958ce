//! Nothing runs that was not compared: parties that mean different things both get an error that names them, and no
//! result.

use std::sync::Arc;

use hushtable::{
    Error, Party, Result, Role,
    bill::Objective,
    lut::{LookupJob, Protocol},
    math::Tabulated,
    operation::{Compare, Lookup, Operation, Relation},
    run::{self, Job, Ready, Reveal, Unwatched},
    run_pair,
    share::Sharing,
};

/// What a party asks for.
struct Asked {
    operation: Box<dyn Operation>,
    reveal: Reveal,
    items: usize,
    lanes: usize,
    /// Items whose material is made ahead.
    ahead: usize,
    operands: usize,
}

impl Asked {
    fn new(operation: impl Operation + 'static) -> Self {
        Self {
            operation: Box::new(operation),
            reveal: Reveal::Both,
            items: 8,
            lanes: 1,
            ahead: 0,
            operands: 2,
        }
    }

    fn run(&self, p: &mut Party) -> Result<()> {
        let operation = self.operation.as_ref();
        let mut ready: Vec<Ready> = (0..self.lanes).map(|_| Ready::default()).collect();
        let mut lanes = p.fork(self.lanes)?;
        if self.ahead > 0 {
            ready[0].made = run::prepare(operation, &mut lanes[0], self.ahead, &Unwatched)?;
        }
        let words = vec![1; self.items];
        let operands = vec![&words[..]; self.operands];
        run::run(operation, &mut lanes, ready, &operands, self.reveal, &Unwatched).map(drop)
    }
}

/// Both parties are told of a difference, and of what each asked for.
#[track_caller]
fn refused(asked: [Asked; 2], words: [&str; 2]) {
    let party = |p: &mut Party| -> Result<Result<()>> { Ok(asked[p.role() as usize].run(p)) };
    let (p0, p1) = run_pair(Party::pair_seeded(5).unwrap(), party, party).unwrap();
    let told = [p0, p1].map(|outcome| match outcome {
        Err(Error::Handshake { ours, theirs, .. }) => [ours, theirs],
        other => panic!("{other:?}"),
    });
    for (found, want) in [(&told[0], [words[0], words[1]]), (&told[1], [words[1], words[0]])] {
        assert!(found[0].contains(want[0]) && found[1].contains(want[1]), "{found:?} instead of {want:?}");
    }
}

fn compare(relation: Relation) -> Asked {
    Asked::new(Compare::new(relation, [16, 0], [-100, 100], [-100, 100], Objective::Total).unwrap())
}

fn lookup(entries: [i64; 4], value_bits: u32, protocol: Protocol) -> Asked {
    let job = LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 2, value_bits };
    let table = Arc::new(Tabulated::integers(entries.to_vec()));
    Asked { operands: 1, ..Asked::new(Lookup { name: "tariff".into(), job, table, protocol, open: false }) }
}

#[test]
fn the_same_runs() {
    let party = |p: &mut Party| compare(Relation::Ge).run(p);
    run_pair(Party::pair_seeded(5).unwrap(), party, party).unwrap();
}

/// What is opened later is announced: who waits for the other's share learns that it is meant for somebody else.
#[test]
fn another_recipient_of_what_is_opened_later() {
    let compare = Compare::new(Relation::Ge, [16, 0], [-100, 100], [-100, 100], Objective::Total).unwrap();
    for reveals in [[Reveal::Both, Reveal::Only(Role::P1)], [Reveal::Only(Role::P0), Reveal::Both]] {
        let party = |p: &mut Party| -> Result<bool> {
            let words = [1; 8];
            let done = Job::new(&compare).on(&words).on(&words).run(p)?;
            let opened =
                done.open(&compare, p, reveals[p.role() as usize]).map(drop).and_then(|()| p.barrier());
            Ok(matches!(opened, Err(Error::Handshake { .. })))
        };
        let told = run_pair(Party::pair_seeded(5).unwrap(), party, party).unwrap();
        assert_eq!(told, (true, true), "{reveals:?}");
    }
}

/// Material is spent in the same order: pieces of two preparations are as many and alike, and fit only their own.
#[test]
fn material_in_another_order() {
    let compare = Compare::new(Relation::Ge, [16, 0], [-100, 100], [-100, 100], Objective::Total).unwrap();
    for turned in [[false, false], [true, true], [false, true], [true, false]] {
        let party = |p: &mut Party| -> Result<Result<Option<Vec<i64>>>> {
            let prepare = |p: &mut Party| run::prepare(&compare, p, 4, &Unwatched);
            let (mut made, mut second) = (prepare(p)?, prepare(p)?);
            if turned[p.role() as usize] {
                std::mem::swap(&mut made, &mut second);
            }
            made.append(&mut second);
            let (words, ready) = ([p.role() as u64; 8], Ready { made, reserved: None });
            let lanes = std::slice::from_mut(p);
            let done = run::run(&compare, lanes, vec![ready], &[&words, &words], Reveal::Both, &Unwatched);
            Ok(done.map(run::Done::values))
        };
        let (p0, p1) = run_pair(Party::pair_seeded(5).unwrap(), party, party).unwrap();
        for outcome in [p0, p1] {
            match outcome {
                Ok(values) => assert!(turned[0] == turned[1] && values == Some(vec![1; 8]), "{turned:?}"),
                Err(Error::Handshake { ours, theirs, .. }) => {
                    assert!(turned[0] != turned[1], "{turned:?}");
                    assert!(
                        ours.contains("8 ready, material ") && theirs.contains("8 ready, material "),
                        "{ours}"
                    );
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn another_relation() {
    refused([compare(Relation::Ge), compare(Relation::Lt)], ["ge, 8 items", "lt, 8 items"]);
}

#[test]
fn another_table() {
    let asked = |last| lookup([1, 2, 3, last], 16, Protocol::Doubling);
    refused([asked(4), asked(5)], ["tariff, 8 items", "tariff, 8 items"]);
}

#[test]
fn entries_of_another_width() {
    let asked = |bits| lookup([1, 2, 3, 4], bits, Protocol::Doubling);
    refused([asked(16), asked(12)], ["16 bits", "12 bits"]);
}

#[test]
fn another_protocol() {
    let asked = |protocol| lookup([1, 2, 3, 4], 16, protocol);
    refused([asked(Protocol::Doubling), asked(Protocol::SpLut)], ["by d ", "by splut "]);
}

#[test]
fn another_number_of_items() {
    let asked = |items| Asked { items, ..compare(Relation::Ge) };
    refused([asked(8), asked(9)], ["8 items", "9 items"]);
}

#[test]
fn another_receiver() {
    let asked = |reveal| Asked { reveal, ..compare(Relation::Ge) };
    let [p0, p1] = [Role::P0, Role::P1].map(Reveal::Only);
    refused([asked(Reveal::Both), asked(p0)], ["results for both", "results for the listening"]);
    refused([asked(p0), asked(p1)], ["listening", "connecting"]);
    refused([asked(Reveal::Nobody), asked(Reveal::Both)], ["results for none", "results for both"]);
}

#[test]
fn material_that_one_has_ready() {
    let asked = |ahead| Asked { ahead, ..compare(Relation::Ge) };
    refused([asked(8), asked(4)], ["ge, 8 items, prepared", "ge, 4 items, prepared"]);
    refused([asked(8), asked(0)], ["prepared", "lane 1 of 1"]);
}

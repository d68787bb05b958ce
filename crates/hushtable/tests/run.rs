//! What runs any operation: results with their sign, lanes, material that does not fit.

use std::sync::{Arc, Mutex};

use hushtable::{
    Error, Party, Result, Role,
    bill::Bill,
    chance::Chance,
    lut::{LookupJob, Protocol},
    math::Tabulated,
    operation::{Lookup, Material, Operation, Port, Select, Signature, Words, spend},
    ot::Setting,
    run::{self, Phase, Ready, Reveal, Step, Unwatched, Watch},
    run_pair,
    share::Sharing,
    source::Origin,
};

/// What both parties get, column by column, when each runs the operation on its words in so many lanes.
fn opened(operation: &dyn Operation, words: [&[&[u64]]; 2], lanes: usize) -> [Vec<i64>; 2] {
    let party = |p: &mut Party| -> Result<Vec<i64>> {
        let mut parties = p.fork(lanes)?;
        let ready = (0..lanes).map(|_| Ready::default()).collect();
        let mine = words[p.role() as usize];
        let done = run::run(operation, &mut parties, ready, mine, Reveal::Both, &Unwatched)?;
        Ok(done.outcomes.into_iter().flat_map(|column| column.values().expect("both get them")).collect())
    };
    let (p0, p1) = run_pair(Party::pair_seeded(3).unwrap(), party, party).unwrap();
    [p0, p1]
}

#[test]
fn a_result_of_one_bit_has_its_sign() {
    for output in [Sharing::Additive, Sharing::Xor] {
        let table = Tabulated::new(&[0.0, -1.0, -1.0, 0.0], 0).unwrap();
        assert_eq!(table.bits(), 1);
        let job = LookupJob { index: Sharing::Additive, output, index_bits: 2, value_bits: 1 };
        let lookup = Lookup {
            name: "sign".into(),
            job,
            table: Arc::new(table),
            protocol: Protocol::Doubling,
            open: false,
        };
        let mine: [&[&[u64]]; 2] = [&[&[0, 1, 2, 3, 3]], &[&[0; 5]]];
        for values in opened(&lookup, mine, 1) {
            assert_eq!(values, [0, -1, -1, 0, 0], "{output} output");
        }
    }
}

/// The low bits of an operand's words count.
#[test]
fn choices_of_more_than_a_bit_leave_their_neighbours_alone() {
    let numbers: &[u64] = &[5, 6, 7, 8, 9];
    let mine: [&[&[u64]]; 2] = [&[&[u64::MAX, 2, 4, 1, 6], numbers], &[&[0; 5], &[0; 5]]];
    for lanes in [1, 2, 3] {
        for values in opened(&Select { bits: 8 }, mine, lanes) {
            assert_eq!(values, [5, 0, 0, 8, 0], "{lanes} lanes");
        }
    }
}

/// Two columns: sums of rows of 3, and a number of each row; in batches of 4 rows at most. Knows how many each batch had.
/// Batches of so many rows are refused.
#[derive(Default)]
struct Triplets {
    batches: Mutex<Vec<usize>>,
    refused: usize,
}

impl Operation for Triplets {
    fn name(&self) -> String {
        "sums of rows".into()
    }

    fn method(&self) -> String {
        "locally".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn signature(&self) -> Signature {
        let (sum, number) = (Port::additive("sum", 32), Port::additive("number", 32));
        Signature { takes: vec![sum.of(3), number], gives: vec![sum, number] }
    }

    fn bill(&self, _: usize, _: &Setting) -> Result<Bill> {
        Ok(Bill::FREE)
    }

    fn chance(&self, items: usize) -> Chance {
        Chance::of("rows", items as f64, -46)
    }

    fn most(&self) -> usize {
        4
    }

    fn material(&self, _: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        self.batches.lock().unwrap().push(items);
        let refused = items == self.refused;
        Ok(spend(items, move |_, given| {
            let [x, y] = given else { panic!("two operands") };
            assert_eq!((x.len(), y.len()), (3 * items, items), "whole rows, and their numbers");
            if refused {
                return Err(Error::Param { what: "row", got: "one".into(), accepted: "others".into() });
            }
            let sums = x.chunks(3).map(|row| row.iter().sum());
            Ok(vec![Words::new(sums.collect()), Words::new(y.to_vec())])
        }))
    }
}

/// Lanes and batches are cut between rows: 22 of them, in each number of lanes.
#[test]
fn rows_are_never_cut() {
    let x: Vec<u64> = (0..66).collect();
    let y: Vec<u64> = (100..122).collect();
    let zeros = [vec![0; 66], vec![0; 22]];
    let want: Vec<i64> = (0..22).map(|row| 9 * row + 3).chain(100..122).collect();
    for lanes in [1, 2, 3, 5] {
        let sums = Triplets::default();
        for values in opened(&sums, [&[&x, &y], &[&zeros[0], &zeros[1]]], lanes) {
            assert_eq!(values, want, "{lanes} lanes");
        }
        let batches = sums.batches.into_inner().unwrap();
        assert!(batches.iter().all(|&items| items <= 4), "{batches:?}");
        assert_eq!(batches.iter().sum::<usize>(), 44, "both parties' rows");
        let bill = run::bill(&Triplets::default(), 22, lanes, Reveal::Both, &Setting::default()).unwrap();
        assert_eq!(bill.online.bits, [2 * 22 * 32; 2], "a word a row in each column");
    }
}

/// Items that chance alone could spoil too likely are refused before any material is made.
#[test]
fn too_much_chance_is_refused() {
    let sums = Triplets::default();
    let party = |p: &mut Party| {
        let (x, y) = (vec![0; 3 * 65], vec![0; 65]);
        let refused = |result: Result<()>| {
            assert!(result.is_err_and(|error| error.to_string().contains("2^-39.9 in all: rows")));
        };
        refused(
            run::run(&sums, std::slice::from_mut(p), vec![], &[&x, &y], Reveal::Both, &Unwatched).map(drop),
        );
        refused(run::shares(&sums, p, Ready::default(), &[&x, &y], &Unwatched).map(drop));
        refused(run::prepare(&sums, p, 65, &Unwatched).map(drop));
        run::prepare(&sums, p, 64, &Unwatched).map(drop)
    };
    run_pair(Party::pair_seeded(3).unwrap(), party, party).unwrap();
    assert_eq!(sums.batches.into_inner().unwrap(), [4; 32], "16 batches of each party");
}

/// Rounds of all lanes.
#[derive(Default)]
struct Rounds(Mutex<u64>);

impl Watch for Rounds {
    fn took(&self, _: Step, phase: Phase) {
        *self.0.lock().unwrap() += phase.rounds;
    }
}

/// Whoever refuses numbers does so before any result is opened: those of earlier batches, and of other lanes.
#[test]
fn nothing_is_opened_if_the_last_batch_is_refused() {
    // 22 rows: the last batch of the last lane has as many as are refused. With 3 lanes only that one refuses.
    for (lanes, refused, rounds) in [(1, 2, 0), (2, 3, 0), (3, 2, 0), (1, 5, 1), (3, 5, 1)] {
        let party = |p: &mut Party| -> Result<()> {
            let sums = Triplets { refused, ..Triplets::default() };
            let mut parties = p.fork(lanes)?;
            let ready = (0..lanes).map(|_| Ready::default()).collect();
            let operands: [&[u64]; 2] = [&[1; 66], &[1; 22]];
            let watch = Rounds::default();
            let done = run::run(&sums, &mut parties, ready, &operands, Reveal::Both, &watch);
            assert_eq!(matches!(done, Err(Error::Param { .. })), rounds == 0, "{lanes} lanes");
            let met = watch.0.into_inner().unwrap();
            assert_eq!(met, rounds * lanes as u64, "{lanes} lanes: what is opened is a round");
            Ok(())
        };
        run_pair(Party::pair_seeded(4).unwrap(), party, party).unwrap();
    }
}

/// Items of batches that began, and of those that were done.
#[derive(Default)]
struct Told([Mutex<Vec<usize>>; 2]);

impl Watch for Told {
    fn begins(&self, items: usize) {
        self.0[0].lock().unwrap().push(items);
    }

    fn done(&self, items: usize) {
        self.0[1].lock().unwrap().push(items);
    }
}

/// Who counts what the peer may come to see counts a batch before it is evaluated: one that is refused has begun.
#[test]
fn a_batch_begins_before_it_is_evaluated() {
    let party = |p: &mut Party| -> Result<()> {
        let (sums, told) = (Triplets { refused: 2, ..Triplets::default() }, Told::default());
        let operands: [&[u64]; 2] = [&[1; 66], &[1; 22]];
        let ready = vec![Ready::default()];
        let done = run::run(&sums, std::slice::from_mut(p), ready, &operands, Reveal::Both, &told);
        assert!(matches!(done, Err(Error::Param { .. })));
        let [begun, done] = told.0.map(|items| items.into_inner().unwrap());
        assert_eq!((begun, done), (vec![4, 4, 4, 4, 4, 2], vec![4; 5]));
        Ok(())
    };
    run_pair(Party::pair_seeded(4).unwrap(), party, party).unwrap();
}

#[test]
fn parts_of_rows_are_refused() {
    let party = |p: &mut Party| {
        let refused = |p: &mut Party, operands: &[&[u64]]| {
            let shares = run::shares(&Triplets::default(), p, Ready::default(), operands, &Unwatched);
            assert!(matches!(shares, Err(Error::Shape { .. })), "{:?}", shares.map(|words| words.len()));
        };
        refused(p, &[&[1; 7], &[1; 2]]);
        refused(p, &[&[1; 6], &[1; 3]]);
        refused(p, &[&[1; 6], &[1; 6]]);
        Ok(())
    };
    run_pair(Party::pair_seeded(4).unwrap(), party, party).unwrap();
}

#[test]
fn material_for_too_few_lanes_is_refused() {
    let party = |p: &mut Party| {
        let mut lanes = p.fork(2)?;
        let words: &[u64] = &[1; 8];
        let ready = vec![Ready::default()];
        let outcome =
            run::run(&Select { bits: 8 }, &mut lanes, ready, &[words, words], Reveal::Both, &Unwatched);
        assert!(matches!(outcome, Err(Error::Shape { what: "lanes' material", .. })));
        Ok(())
    };
    run_pair(Party::pair_seeded(4).unwrap(), party, party).unwrap();
}

/// It would be spent on other correlations than the peer's, or twice.
#[test]
fn material_of_another_lane_is_refused() {
    let (x, y): (&[u64], &[u64]) = (&[1; 8], &[7; 8]);
    let party = |p: &mut Party| {
        let select = Select { bits: 8 };
        let mut lanes = p.fork(2)?;
        let refused = |lane: &mut Party, made| {
            let ready = Ready { made, reserved: None };
            match run::shares(&select, lane, ready, &[x, y], &Unwatched) {
                Err(Error::Param { what: "material in a session's lane", .. }) => {}
                other => panic!("{other:?}"),
            }
        };
        // Of the session for its lane, and of a lane for another.
        let made = run::prepare(&select, p, 8, &Unwatched)?;
        refused(&mut lanes[0], made);
        let made = run::prepare(&select, &mut lanes[0], 8, &Unwatched)?;
        refused(&mut lanes[1], made);
        // Its own.
        let made = run::prepare(&select, &mut lanes[0], 8, &Unwatched)?;
        let ready = Ready { made, reserved: None };
        run::shares(&select, &mut lanes[0], ready, &[x, y], &Unwatched).map(drop)
    };
    run_pair(Party::pair_seeded(6).unwrap(), party, party).unwrap();
}

#[test]
fn shares_stay_with_their_parties_and_are_not_printed() {
    let party = |p: &mut Party| {
        let mut lanes = p.fork(2)?;
        let x: Vec<u64> = (0..10).map(|i| if p.role() == Role::P0 { i } else { 0 }).collect();
        let bits = vec![u64::from(p.role() == Role::P0); 10];
        let ready = vec![Ready::default(), Ready::default()];
        let done =
            run::run(&Select { bits: 16 }, &mut lanes, ready, &[&bits, &x], Reveal::Nobody, &Unwatched)?;
        assert_eq!(format!("{:?}", done.outcomes), "[Shares(10)]");
        Ok(done.shares().expect("nobody gets them").to_vec())
    };
    let (p0, p1) = run_pair(Party::pair_seeded(5).unwrap(), party, party).unwrap();
    let sums: Vec<u64> = p0.iter().zip(&p1).map(|(a, b)| (a + b) & 0xffff).collect();
    assert_eq!(sums, (0..10).collect::<Vec<u64>>());
}

/// Material for a lane that is not there would be thrown away, and what it reserved with it.
#[test]
fn material_for_lanes_that_are_not_there_is_refused() {
    for (lanes, given) in [(1, 2), (2, 3), (2, 1)] {
        let party = |p: &mut Party| -> Result<()> {
            let mut parties = p.fork(lanes)?;
            let ready = (0..given).map(|_| Ready::default()).collect();
            let words: [&[u64]; 2] = [&[1, 0, 1], &[5, 6, 7]];
            let select = Select { bits: 8 };
            let done = run::run(&select, &mut parties, ready, &words, Reveal::Both, &Unwatched);
            assert!(matches!(done.map(drop), Err(Error::Shape { what: "lanes' material", .. })), "{given}");
            Ok(())
        };
        run_pair(Party::pair_seeded(3).unwrap(), party, party).unwrap();
    }
}

/// Tables that no lookup has, and entries beyond 2^31, which have no sign.
#[test]
fn lookups_choose_their_protocol() {
    let under = Setting::default();
    for entries in [vec![], vec![1], vec![1, 2, 3]] {
        assert!(Lookup::new("t", Tabulated::integers(entries), 10, &under).is_err());
    }
    let entries: Vec<i64> = (0..16).map(|i| i64::from(u32::MAX - i)).collect();
    let lookup = Lookup::new("t", Tabulated::integers(entries.clone()), 3, &under).unwrap();
    let mine: [&[&[u64]]; 2] = [&[&[3, 0, 15]], &[&[0; 3]]];
    for values in opened(&lookup, mine, 1) {
        assert_eq!(values, [entries[3], entries[0], entries[15]]);
    }
}

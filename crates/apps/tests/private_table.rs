//! Sessions with a private table, both parties in this process: results against the table in the clear, bits against the
//! bill, and requests that are turned down.

use std::{collections::HashMap, sync::Mutex};

use crate::shares::FOR_P1;
use hushtable::{
    Error, Party, Result, Role,
    confidential::{
        copy::{Arriving, EncryptedCopy},
        prf::Cipher,
    },
    net::Connection,
    operation::Operation,
    ot::Setting,
    run::{self, Job, Reveal, Watch},
    run_pair,
    session::Session,
};
use hushtable_apps::{
    held_table,
    ids::{DateOrder, Rules},
    private_table::{
        Answer, Cell, Description, Field, Found, Gets, Greeting, Key, KeyKind, KeyLookup, Looked, Places,
        Reading, Request, Scale, Served, Table, Value, ValueKind, find, request, shared_bits, turn_away,
    },
};
use prim::Wiped;

const READING: Reading = Reading { order: DateOrder::YearMonthDay, rules: Rules::NONE };

/// A table at its owner, and its copy.
type At = (Served, held_table::Table);

/// Keys, and the numbers of their rows.
type Rows = Vec<(i64, i64)>;

/// A table of some keys, with a number and a text.
fn served(kind: KeyKind, places: Places, rows: &[(i64, i64)]) -> At {
    let number = ValueKind::Number { scale: Scale::Binary(4), bits: 13 };
    let values = vec![
        Value { name: "text".into(), kind: ValueKind::Text { bytes: 3 } },
        Value { name: "number".into(), kind: number },
    ];
    let key = Key::new("key".into(), kind, READING.rules);
    let mut table = Table::new(&key, &values, READING);
    for &(key, number) in rows {
        let digits = Field::Decimal { digits: (number * 625).into(), scale: 4 };
        let text = format!("{:03}", key % 1000);
        let value = |i| if i == 0 { Field::Text(&text) } else { digits };
        table.push(&Field::Whole(key.into()), value).expect("a row");
    }
    let description = Description {
        table: "t".into(),
        key,
        values,
        places,
        cipher: Cipher::LowMc,
        digest: [0; 32],
        batch: 8,
        lookups: 30,
        shares: true,
    };
    let owner = table.encrypt(description.job()).expect("a table");
    let copy = EncryptedCopy::from_bytes(description.job(), &owner.copy().to_bytes()).expect("a copy");
    (Served::new(description, owner).expect("of one form"), copy.into())
}

fn tables() -> Vec<(At, Rows)> {
    let rows: Rows = (0..40).map(|i| (i * i, 100 * i - 2000)).collect();
    let dense = served(KeyKind::Whole { least: 0, bits: 11 }, Places::Dense, &rows);
    let sparse = served(KeyKind::Whole { least: i64::MIN, bits: 64 }, Places::Sparse { rows: 50 }, &rows);
    let text = served(KeyKind::Text { bits: 96 }, Places::Sparse { rows: 40 }, &rows);
    vec![(dense, rows.clone()), (sparse, rows.clone()), (text, rows)]
}

/// What a run tells, in order: items of a batch that begins, and those that are done.
#[derive(Default)]
struct Told(Mutex<Vec<(bool, usize)>>);

impl Watch for Told {
    fn begins(&self, items: usize) {
        self.0.lock().unwrap().push((true, items));
    }

    fn done(&self, items: usize) {
        self.0.lock().unwrap().push((false, items));
    }
}

/// A session of lookups; what both parties got, the owner first.
fn session(served: &Served, keys: &[u64], gets: Gets) -> (Looked, Looked) {
    let (p0, p1) = Connection::pair();
    let lookups = (keys.len() / served.description().job().key_words()) as u64;
    let told = |watch: Told| {
        let batches = [8, 8, 3].into_iter().flat_map(|items| [(true, items), (false, items)]);
        assert_eq!(watch.0.into_inner().unwrap(), batches.collect::<Vec<_>>());
    };
    std::thread::scope(|scope| {
        let owner = scope.spawn(move || -> Result<Looked> {
            let mut s = Session::new(p0)?;
            let (request, answer) = served.settle(&mut s, |_| Answer::Yes)?;
            assert_eq!((answer, request.lookups), (Answer::Yes, lookups));
            let (mut p, watch) = (Party::start(s, None)?, Told::default());
            let looked = served.lookup(request.gets, None)?.look_up(&mut p, lookups, None, &watch)?;
            told(watch);
            Ok(looked)
        });
        let mut s = Session::new(p1).unwrap();
        let Found::Open(description) = find(&mut s).unwrap() else { panic!("a table") };
        assert_eq!(*description, *served.description());
        let mut arriving = Arriving::new(description.job(), description.digest).unwrap();
        let asked = Request { digest: description.digest, messages: 0, lookups, gets, keys: None };
        assert_eq!(request(&mut s, asked, Some(&mut arriving), |_| Ok(())).unwrap(), Answer::Yes);
        let copy = arriving.finish().unwrap();
        let (mut p, watch) = (Party::start(s, None).unwrap(), Told::default());
        let lookup = KeyLookup::new(*description, copy.into(), gets, None).unwrap();
        let looked = lookup.look_up(&mut p, lookups, Some(keys), &watch).unwrap();
        told(watch);
        let owner = owner.join().unwrap().unwrap();
        // Each batch is opened in a round of its own.
        let opening = u32::from(gets == Gets::Client);
        let batch = lookup.bill(8, &Setting::default()).unwrap().online.rounds + opening;
        assert_eq!(owner.online.rounds.max(looked.online.rounds), 3 * u64::from(batch));
        (owner, looked)
    })
}

#[test]
fn rows_and_shares_are_those_of_the_table() {
    for ((served, _), rows) in tables() {
        let truth: HashMap<i64, i64> = rows.into_iter().collect();
        let asked: Vec<i64> = (0..19).map(|i| [i * i, 2 * i, 49, 3][i as usize % 4]).collect();
        let kind = served.description().key.kind;
        let mut keys = Wiped::default();
        for &key in &asked {
            kind.append(kind.read(&Field::Whole(key.into()), READING).unwrap().unwrap(), &mut keys);
        }
        let description = served.description();
        let (none, results) = session(&served, &keys, Gets::Client);
        assert!(none.values.is_empty() && none.present.is_empty());
        let rows = results.values.chunks(description.job().row_words());
        assert_eq!((rows.len(), results.present.len()), (asked.len(), asked.len()));
        for ((key, row), here) in asked.iter().zip(rows).zip(results.present.iter().map(|&bit| bit == 1)) {
            assert_eq!(here, truth.contains_key(key), "{key}");
            let cells = [0, 1].map(|i| description.values[i].kind.read(row, description.start(i)).unwrap());
            let number = truth.get(key).copied().unwrap_or(0);
            let text = if here { format!("{:03}", key % 1000) } else { String::new() };
            assert_eq!(cells, [Cell::Text(text), Cell::Number(number, Scale::Binary(4))], "{key}");
        }
        let (mine, theirs) = session(&served, &keys, Gets::Shared(1));
        let bits = shared_bits(description.values[1].kind);
        let sum = |a: u64, b: u64, bits: u32| ((a.wrapping_add(b) << (64 - bits)) as i64) >> (64 - bits);
        for (i, key) in asked.iter().enumerate() {
            let value = sum(mine.values[i], theirs.values[i], bits);
            assert_eq!(value, truth.get(key).copied().unwrap_or(0), "{key}");
            let present = sum(mine.present[i], theirs.present[i], 16);
            assert_eq!(present, i64::from(truth.contains_key(key)), "{key}");
        }
    }
}

/// What a batch sends is what is billed.
#[test]
fn bills() {
    let under = Setting::default();
    for ((served, copy), _) in tables() {
        let description = served.description();
        let (kind, job) = (description.key.kind, description.job());
        let own = [Gets::Client, Gets::Shared(1)].map(|gets| (gets, None));
        let shared = own.map(|(gets, _)| (gets, Some(kind.bits().max(16))));
        for (gets, keys) in own.into_iter().chain(shared) {
            let owners = served.lookup(gets, keys);
            if matches!(kind, KeyKind::Text { .. }) && keys.is_some() {
                assert!(owners.is_err());
                continue;
            }
            let owners = owners.unwrap();
            let clients = KeyLookup::new(description.clone(), copy.clone(), gets, keys).unwrap();
            let lookup = |role| if role == Role::P0 { &owners } else { &clients };
            let of_batch = owners.bill(8, &under).unwrap();
            let words = vec![0; 8 * owners.signature().takes[0].words];
            crate::billed::check_parts(
                &format!("{:?}, {gets:?}, shared keys: {keys:?}", description.places),
                of_batch,
                0,
                |p| lookup(p.role()).prepare(p, 8),
                |s, batch| batch.eval(s, &[&words]).map(drop),
            );
        }
        for column in [0, 2] {
            assert!(served.lookup(Gets::Shared(column), None).is_err(), "text, and no column");
        }
        // With the rows, to the bit.
        let lookup = served.lookup(Gets::Client, None).unwrap();
        let whole = run::bill(&lookup, 8, 1, Reveal::Only(Role::P1), &under).unwrap();
        assert_eq!(description.bill(8).unwrap(), whole);
        let rows = whole.online.bits[0] - lookup.bill(8, &under).unwrap().online.bits[0];
        assert_eq!(rows, 8 * (u64::from(job.row_bits) + 1));
    }
}

/// A row is for the client alone, and so is whether it is there: anything else is refused before a message.
#[test]
fn rows_go_to_nobody_but_the_client() {
    for ((served, copy), _) in tables() {
        for (reveal, fine) in FOR_P1 {
            let party = |p: &mut Party| -> Result<()> {
                let clients = KeyLookup::new(served.description().clone(), copy.clone(), Gets::Client, None)?;
                let lookup = if p.role() == Role::P0 { served.lookup(Gets::Client, None)? } else { clients };
                let words = vec![0; 2 * lookup.signature().takes[0].words];
                let found = Job::new(&lookup).on(&words).reveal(reveal).run(p);
                assert_eq!(found.is_ok(), fine, "{reveal:?}");
                assert!(fine || matches!(found, Err(Error::Param { what: "who gets results", .. })));
                Ok(())
            };
            run_pair(Party::pair_seeded(75).unwrap(), party, party).unwrap();
        }
    }
}

/// Whatever differs in what the parties take for the table, both are told of it and nobody has rows.
#[test]
fn descriptions_that_differ_end_both() {
    let ((served, copy), _) = tables().remove(0);
    let changes: [fn(&mut Description); 5] = [
        |other| other.values.swap(0, 1),
        |other| other.key.kind = KeyKind::Whole { least: 5, bits: 11 },
        |other| other.values[1].kind = ValueKind::Number { scale: Scale::Decimal(2), bits: 13 },
        |other| other.batch = 4,
        |other| other.lookups = 20,
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let party = |p: &mut Party| -> Result<()> {
            let mut description = served.description().clone();
            if p.role() == Role::P1 {
                change(&mut description);
            }
            let lookup = if p.role() == Role::P0 {
                served.lookup(Gets::Client, None)?
            } else {
                KeyLookup::new(description, copy.clone(), Gets::Client, None)?
            };
            let found = lookup.look_up(p, 2, Some(&[0, 1]), &Told::default());
            assert!(matches!(found, Err(Error::Handshake { .. })), "change {i}");
            Ok(())
        };
        run_pair(Party::pair_seeded(76).unwrap(), party, party).unwrap();
    }
}

/// A session has as many lookups as both say, and no more than the table allows.
#[test]
fn sessions_that_differ_end_both() {
    let ((served, copy), _) = tables().remove(0);
    let look_up = |p: &mut Party, lookups: u64| {
        let clients = KeyLookup::new(served.description().clone(), copy.clone(), Gets::Client, None)?;
        let lookup = if p.role() == Role::P0 { served.lookup(Gets::Client, None)? } else { clients };
        lookup.look_up(p, lookups, None, &Told::default()).map(drop)
    };
    let party = |p: &mut Party| -> Result<()> {
        let lookups = if p.role() == Role::P0 { 16 } else { 8 };
        assert!(matches!(look_up(p, lookups), Err(Error::Handshake { .. })));
        Ok(())
    };
    run_pair(Party::pair_seeded(77).unwrap(), party, party).unwrap();
    let party = |p: &mut Party| -> Result<()> {
        assert!(matches!(look_up(p, 31), Err(Error::Param { what: "lookups of a session", .. })));
        Ok(())
    };
    run_pair(Party::pair_seeded(78).unwrap(), party, party).unwrap();
}

/// What the owner answers to a request.
fn answered(served: &Served, asked: Vec<u8>, may: Answer) -> hushtable::Result<Answer> {
    let (p0, p1) = Connection::pair();
    std::thread::scope(|scope| {
        let owner =
            scope.spawn(move || served.settle(&mut Session::new(p0)?, |_| may).map(|(_, answer)| answer));
        let mut s = Session::new(p1)?;
        find(&mut s)?;
        s.send(asked)?;
        let told = s.recv(Answer::LEN).and_then(|bytes| Answer::from_bytes(&bytes));
        let said = owner.join().expect("no panic")?;
        assert_eq!(told?, said);
        Ok(said)
    })
}

#[test]
fn requests_that_are_turned_down() {
    let ((served, _), _) = tables().swap_remove(0);
    let digest = served.description().digest;
    let asked = Request { digest, messages: 1, lookups: 30, gets: Gets::Client, keys: None };
    for (asked, may, want) in [
        (asked, Answer::Yes, Answer::Yes),
        (Request { gets: Gets::Shared(1), ..asked }, Answer::Yes, Answer::Yes),
        (asked, Answer::Later(9), Answer::Later(9)),
        (Request { digest: [0; 32], ..asked }, Answer::Yes, Answer::OtherVersion),
        (Request { lookups: 31, ..asked }, Answer::Yes, Answer::TooMany),
        (Request { lookups: 0, ..asked }, Answer::Yes, Answer::Malformed),
        (Request { messages: 2, ..asked }, Answer::Yes, Answer::Malformed),
        (Request { messages: u32::MAX, ..asked }, Answer::Yes, Answer::Malformed),
        (Request { gets: Gets::Shared(0), ..asked }, Answer::Yes, Answer::NoShares),
        (Request { gets: Gets::Shared(2), ..asked }, Answer::Yes, Answer::NoShares),
        (Request { gets: Gets::Shared(255), ..asked }, Answer::Yes, Answer::NoShares),
    ] {
        assert_eq!(answered(&served, asked.to_bytes(), may).unwrap(), want, "{asked:?}");
    }
    for garbage in [vec![], vec![1; 3], vec![0xff; Request::LEN], vec![7; 1 << 16]] {
        assert!(matches!(answered(&served, garbage, Answer::Yes), Err(Error::Peer(_) | Error::Closed)));
    }
}

#[test]
fn an_owner_without_room_says_so() {
    for (greeting, busy) in [(Greeting::Busy, true), (Greeting::Ending, false)] {
        let (p0, p1) = Connection::pair();
        turn_away(&mut Session::new(p0).unwrap(), greeting).unwrap();
        let found = find(&mut Session::new(p1).unwrap()).unwrap();
        assert!(matches!((found, busy), (Found::Busy, true) | (Found::Ending, false)));
    }
}

//! Sessions with a private table, both parties in this process: results against the table in the clear, bits against the
//! bill, and requests that are turned down.

use std::collections::HashMap;

use hushtable::{
    Error, Party,
    confidential::{
        copy::{Arriving, Held},
        prf::Cipher,
    },
    net::Connection,
    session::Session,
};
use hushtable_apps::{
    ids::{DateOrder, Rules},
    private_table::{
        AllKeys, Answer, Batch, Cell, Description, Field, Found, Gets, Greeting, Key, KeyKind, Keys, Places,
        Query, Reading, Request, Results, Scale, Served, Table, Took, Value, ValueKind, bill, find,
        look_all_up, request, shared_bits, turn_away,
    },
};

const READING: Reading = Reading { order: DateOrder::YearMonthDay, rules: Rules::NONE };

/// A table of some keys, with a number and a text.
fn served(kind: KeyKind, places: Places, rows: &[(i64, i64)]) -> Served {
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
    Served::new(description, owner).expect("of one form")
}

fn tables() -> Vec<(Served, Vec<(i64, i64)>)> {
    let rows: Vec<(i64, i64)> = (0..40).map(|i| (i * i, 100 * i - 2000)).collect();
    let dense = served(KeyKind::Whole { least: 0, bits: 11 }, Places::Dense, &rows);
    let sparse = served(KeyKind::Whole { least: i64::MIN, bits: 64 }, Places::Sparse { rows: 50 }, &rows);
    let text = served(KeyKind::Text { bits: 96 }, Places::Sparse { rows: 40 }, &rows);
    vec![(dense, rows.clone()), (sparse, rows.clone()), (text, rows)]
}

/// A session of lookups; what both parties got, the owner first.
fn session(
    served: &Served,
    keys: &[u128],
    gets: Gets,
) -> (Option<hushtable_apps::private_table::Shared>, Results) {
    let (p0, p1) = Connection::pair();
    std::thread::scope(|scope| {
        let owner = scope.spawn(move || {
            let mut s = Session::new(p0)?;
            let (request, answer) = served.settle(&mut s, |_| Answer::Yes)?;
            assert_eq!((answer, request.lookups), (Answer::Yes, keys.len() as u64));
            let mut p = Party::start(s, None)?;
            served.serve(&mut p, &request, None, &mut Took::default(), |_| {})
        });
        let mut s = Session::new(p1).unwrap();
        let Found::Open(description) = find(&mut s).unwrap() else { panic!("a table") };
        assert_eq!(*description, *served.description());
        let mut arriving = Arriving::new(description.job(), description.digest).unwrap();
        let asked =
            Request { digest: description.digest, messages: 0, lookups: keys.len() as u64, gets, keys: None };
        assert_eq!(request(&mut s, asked, Some(&mut arriving), |_| Ok(())).unwrap(), Answer::Yes);
        let copy = arriving.finish().unwrap();
        let mut p = Party::start(s, None).unwrap();
        let mut done = vec![];
        let results = look_all_up(
            &mut p,
            (&description, &copy),
            (AllKeys::Own(keys), gets),
            &mut Took::default(),
            |n| done.push(n),
        )
        .unwrap();
        assert_eq!(done, [8, 16, 19]);
        (owner.join().unwrap().unwrap(), results)
    })
}

#[test]
fn rows_and_shares_are_those_of_the_table() {
    for (served, rows) in tables() {
        let truth: HashMap<i64, i64> = rows.into_iter().collect();
        let asked: Vec<i64> = (0..19).map(|i| [i * i, 2 * i, 49, 3][i as usize % 4]).collect();
        let kind = served.description().key.kind;
        let read = |&key: &i64| kind.read(&Field::Whole(key.into()), READING).unwrap().unwrap();
        let keys: Vec<u128> = asked.iter().map(read).collect();
        let description = served.description();
        let (none, results) = session(&served, &keys, Gets::Client);
        let Results::Rows(words, present) = results else { panic!("rows") };
        assert!(none.is_none());
        for ((key, row), here) in asked.iter().zip(words.chunks(description.job().row_words())).zip(&present)
        {
            assert_eq!(*here, truth.contains_key(key), "{key}");
            let cells = [0, 1].map(|i| description.values[i].kind.read(row, description.start(i)).unwrap());
            let number = truth.get(key).copied().unwrap_or(0);
            let text = if *here { format!("{:03}", key % 1000) } else { String::new() };
            assert_eq!(cells, [Cell::Text(text), Cell::Number(number, Scale::Binary(4))], "{key}");
        }
        let (mine, results) = session(&served, &keys, Gets::Shared(1));
        let (Some(mine), Results::Shared(theirs)) = (mine, results) else { panic!("shares") };
        let bits = shared_bits(description.values[1].kind);
        let sum = |a: u64, b: u64, bits: u32| ((a.wrapping_add(b) << (64 - bits)) as i64) >> (64 - bits);
        for (i, key) in asked.iter().enumerate() {
            let value = sum(mine.values()[i], theirs.values()[i], bits);
            assert_eq!(value, truth.get(key).copied().unwrap_or(0), "{key}");
            let present = sum(mine.present()[i], theirs.present()[i], 16);
            assert_eq!(present, i64::from(truth.contains_key(key)), "{key}");
        }
    }
}

/// What a batch sends is what is billed.
#[test]
fn bills() {
    for (served, _) in tables() {
        let (description, owner) = (served.description(), served.owner());
        for (gets, name) in [(Gets::Client, "rows"), (Gets::Shared(1), "shares")] {
            let keys = [5; 8];
            crate::billed::check_parts(
                &format!("{:?}, {name}", description.places),
                bill(description, gets, None, keys.len()).unwrap(),
                0,
                |p| Batch::prepare(p, description, (gets, None), keys.len()),
                |s, batch| {
                    let held = match s.role() {
                        hushtable::Role::P0 => Held::Owner(owner),
                        hushtable::Role::P1 => Held::Copy(owner.copy()),
                    };
                    batch.look_up(s, description, &Query { held, gets, keys: Keys::Own(&keys) }).map(drop)
                },
            );
        }
    }
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
    let (served, _) = tables().swap_remove(0);
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

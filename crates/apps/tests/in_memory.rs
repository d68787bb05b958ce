//! Private tables in one call at each party.

use std::collections::BTreeMap;

use hushtable::{Error, Result, net::Connection, session::Session};
use hushtable_apps::private_table::{Answer, Cell, Column, Field, Rows, Scale, Served, rows_at};
use proptest::prelude::*;

/// Both parties' sessions, the owner's first.
fn meet(served: &Served, answer: Answer, keys: &[Field<'_>]) -> (Result<u64>, Result<Rows>) {
    let (p0, p1) = Connection::pair();
    std::thread::scope(|scope| {
        let owner = scope.spawn(move || served.host(Session::new(p0)?, |_| answer));
        let rows = Session::new(p1).and_then(|s| rows_at(s, keys));
        (owner.join().unwrap(), rows)
    })
}

/// What keys of a table are.
#[derive(Clone, Copy, Debug)]
enum Keys {
    Small,
    Large,
    Text,
    Date,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn rows_are_those_of_the_table(
        kind in prop::sample::select(vec![Keys::Small, Keys::Large, Keys::Text, Keys::Date]),
        rows in prop::collection::btree_map(0i64..2000, (-5000i64..5000, "[a-z]{0,5}"), 1..40),
        others in prop::collection::vec(0i64..2000, 1..20),
    ) {
        let number = |key: i64| if let Keys::Large = kind { key * 1_000_000_007 - 999 } else { key };
        let texts: BTreeMap<i64, String> = (0..2000).map(|key| (key, format!(" Key {key}"))).collect();
        let field = |&key: &i64| match kind {
            Keys::Text => Field::Text(&texts[&key]),
            Keys::Date => Field::Date(key),
            _ => Field::Whole(number(key).into()),
        };
        let keys: Vec<Field> = rows.keys().map(field).collect();
        let cents: Vec<Field> =
            rows.values().map(|(price, _)| Field::Decimal { digits: (*price).into(), scale: 2 }).collect();
        let names: Vec<Field> = rows.values().map(|(_, name)| Field::Text(name)).collect();
        let columns: [Column; 2] = [("price", &cents), ("name", &names)];
        let served = Served::of("prices", ("key", &keys), &columns, 100).unwrap();
        let asked: Vec<i64> = rows.keys().copied().chain(others).collect();
        let fields: Vec<Field> = asked.iter().map(field).collect();
        let (owner, found) = meet(&served, Answer::Yes, &fields);
        prop_assert_eq!(owner.unwrap(), asked.len() as u64);
        for (key, found) in asked.iter().zip(found.unwrap()) {
            let Some(cells) = found else {
                prop_assert!(!rows.contains_key(key), "{}", key);
                continue;
            };
            let (price, name) = &rows[key];
            let [Cell::Number(units, Scale::Decimal(digits)), Cell::Text(text)] = &cells[..] else {
                panic!("{cells:?}");
            };
            prop_assert_eq!(units * 10i64.pow(2 - digits), *price);
            prop_assert_eq!(text, name);
        }
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let (one, price) = ([Field::Whole(1), Field::Whole(2)], [Field::Whole(5), Field::Whole(7)]);
    let refused = |keys: &[Field], column: &[Field], want: &str| {
        let refused = Served::of("t", ("key", keys), &[("price", column)], 10).map(drop).unwrap_err();
        assert!(refused.to_string().contains(want), "{refused}");
    };
    refused(&one, &price[..1], "cells of a column");
    refused(&[Field::Whole(1), Field::Whole(1)], &price, "rows 0 and 1 of one key");
    refused(&[Field::Missing, Field::Whole(1)], &price, "row 0, column \"key\"");
    refused(&[], &[], "");
    let served = Served::of("t", ("key", &one), &[("price", &price)], 3).unwrap();
    // Of keys that the table cannot have there are no rows; what is no key is refused before it is sent.
    let (_, rows) = meet(&served, Answer::Yes, &[Field::Whole(2), Field::Whole(-1), Field::Whole(1 << 40)]);
    let rows = rows.unwrap();
    assert_eq!(rows[0], Some(vec![Cell::Number(7, Scale::Decimal(0))]));
    assert_eq!(rows[1..], [None, None]);
    let (owner, rows) = meet(&served, Answer::Yes, &[Field::Whole(2), Field::Text("secret")]);
    let refused = rows.unwrap_err().to_string();
    assert!(refused.contains("number 1: it is not a number") && !refused.contains("secret"), "{refused}");
    assert!(matches!(owner, Err(Error::Closed)), "{owner:?}");
    let (owner, rows) = meet(&served, Answer::Yes, &[Field::Whole(2); 4]);
    assert_eq!(owner.unwrap(), 0);
    assert!(rows.unwrap_err().to_string().contains("4 keys are too many for a session: up to 3"));
    let none = meet(&served, Answer::Yes, &[]).1.unwrap_err().to_string();
    assert!(none.contains("keys to look up: none"), "{none}");
    for (answer, want) in [(Answer::Later(60), "more in 60 s"), (Answer::Busy, "come again")] {
        let (owner, rows) = meet(&served, answer, &[Field::Whole(2)]);
        assert_eq!(owner.unwrap(), 0);
        assert!(rows.unwrap_err().to_string().contains(want));
    }
}

/// Long rows in fewer a batch, and more keys than a batch has.
/// Longer than 10 s: rows of 20 kB.
#[test]
fn batches_suit_the_rows() {
    let long = "x".repeat(20_000);
    let keys: Vec<Field> = (0..30).map(Field::Whole).collect();
    let texts: Vec<Field> = (0..30).map(|i| Field::Text(&long[i..])).collect();
    let served = Served::of("t", ("key", &keys), &[("text", &texts)], 5000).unwrap();
    let batch = served.description().batch as usize;
    assert!(batch < 5000);
    let asked: Vec<Field> = (0..40).map(|i| Field::Whole(i % 40)).collect();
    let (owner, rows) = meet(&served, Answer::Yes, &asked);
    assert_eq!(owner.unwrap(), 40);
    for (i, row) in rows.unwrap().into_iter().enumerate() {
        assert_eq!(row, (i < 30).then(|| vec![Cell::Text(long[i..].to_owned())]), "{i}");
    }
}

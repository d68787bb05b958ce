//! The tables as they are embedded, and what their description refuses.

use std::fs;

use super::*;

#[test]
fn every_file_is_embedded_and_adds_up() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/papers");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    files.sort();
    let mut names: Vec<std::ffi::OsString> =
        EMBEDDED.iter().map(|(name, _)| format!("{name}.toml").into()).collect();
    names.sort();
    names.push("unmeasured.toml".into());
    names.sort();
    assert_eq!(files, names);
    for table in Table::all() {
        let table = table.unwrap();
        assert!(table.rows.iter().any(|row| row.run.is_some()), "{}", table.name);
        let printed = table.rows.iter().flat_map(|row| &row.cells).filter(|cell| !cell.is_nan());
        let few = table.name == "ndss-table3" || table.name.starts_with("fable-figure");
        assert!(printed.clone().count() > 5 || few, "{}", table.name);
        assert!(printed.into_iter().all(|cell| *cell >= 0.0), "{}", table.name);
    }
}

#[test]
fn mistakes_are_seen() {
    let good = r#"title = "t"
source = "s"
machine = "m"
network = "n"
ours = "o"
[errata]
E = "because"
[run]
kind = "lut"
[[columns]]
name = "a"
unit = "bit"
[[columns]]
name = "b"
unit = "bit"
sum = [0]
[[rows]]
name = "r"
key = "k"
cells = [1.5, 1]
corrected = [nan, 1.5]
erratum = "E"
"#;
    assert!(Table::parse("t", good).is_ok());
    let mistakes = [
        ("corrected = [nan, 1.5]", "corrected = [nan, 1.4]"),
        ("corrected = [nan, 1.5]", "corrected = [1.5]"),
        ("cells = [1.5, 1]", "cells = [1.5]"),
        ("erratum = \"E\"", "erratum = \"F\""),
        ("erratum = \"E\"", ""),
        ("corrected = [nan, 1.5]", ""),
        ("unit = \"bit\"", "unit = \"mile\""),
        ("ours = \"o\"", ""),
        ("key = \"k\"", "key = \"k\"\nonly = [\"c\"]"),
        ("cells = [1.5, 1]", "cells = [1.5, \"1\"]"),
    ];
    for (right, wrong) in mistakes {
        assert!(Table::parse("t", &good.replace(right, wrong)).is_err(), "{wrong}");
    }
}

/// What two tables of one paper say about the same runs.
#[test]
fn tables_agree() {
    let [quotients, times] = ["rotl-table6", "rotl-table5"].map(|name| Table::load(name).unwrap());
    let online = |row: &str, key: &str, net: &str| {
        let row = times.rows.iter().find(|r| r.name == row && r.key == key).unwrap();
        row.cells[times.columns.iter().position(|c| c.name == format!("{net} online")).unwrap()]
    };
    let mut compared = 0;
    for row in
        quotients.rows.iter().filter(|row| ["n=4", "n=16", "n=64", "n=256"].contains(&row.key.as_str()))
    {
        for (i, column) in quotients.columns.iter().enumerate() {
            let (net, l) = column.name.split_once(' ').unwrap();
            let key = format!("{} {l}", row.key);
            let (cell, quotient) = (row.right(i), online("SP-LUT", &key, net) / online("ROTL", &key, net));
            assert!(
                (quotient - cell).abs() < 0.051_f64.min(0.03 * quotient),
                "{key} {net}: {cell}, {quotient}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 32);
    let [last, draft] = ["rotl-table3", "rotl-draft-table3"].map(|name| Table::load(name).unwrap());
    assert!(last.rows.iter().zip(&draft.rows).all(|(a, b)| a.cells == b.cells));
    let [sizes, runs] = ["rotl-table10", "rotl-table5"].map(|name| Table::load(name).unwrap());
    for row in sizes.rows.iter().filter(|row| row.name == "ROTL") {
        let other = runs.rows.iter().find(|r| r.label() == row.label()).unwrap();
        assert_eq!([2, 5, 8].map(|i| row.cells[i]), [0, 3, 6].map(|i| other.cells[i]), "{}", row.key);
    }
}

/// Every run that a table describes is one that this program knows.
#[test]
fn every_run_is_known() {
    for table in Table::all().map(Result::unwrap) {
        for (row, column) in table.rows.iter().flat_map(|row| table.columns.iter().map(move |c| (row, c))) {
            let source = table.source(row, column, Bounds { items: 7, rows: 9 }).unwrap();
            let only = row.only.is_empty() || row.only.contains(&column.name);
            assert_eq!(source.is_some(), row.run.is_some() && column.measure.is_some() && only);
            // A run says that it was cut exactly if it is not the one that the table describes.
            let whole = table.source(row, column, Bounds { items: u32::MAX, rows: u32::MAX }).unwrap();
            let runs = |s: &Source| serde_json::to_string(&(&s.work, &s.over)).unwrap();
            for (cut, whole) in source.iter().zip(&whole) {
                assert!(whole.cut.is_none());
                let label = format!("{} {}", table.name, row.label());
                assert_eq!(cut.cut.is_some(), runs(cut) != runs(whole), "{label}");
            }
            for work in source.into_iter().flat_map(|s| [Some(s.work), s.over]).flatten() {
                assert!((1..=7).contains(&work.items()));
            }
        }
    }
}

//! `apply` over the files of a hidden join, between two processes.

use std::collections::BTreeMap;

use crate::common::{Done, Site, sigmoid, to_both};

pub const BANK: &str = "--identity bank.id";
pub const TELECOM: &str = "--identity telecom.id";

/// Income and balance.
pub fn bank(i: usize) -> Option<[f64; 2]> {
    (!i.is_multiple_of(3)).then(|| [20.0 + (i * 7 % 40) as f64, (i % 5) as f64 - 2.0])
}

/// Bills and usage, which is in 0.5 to 3.5 where the bank has the row, too.
pub fn telecom(i: usize) -> Option<[f64; 2]> {
    let usage = if bank(i).is_some() { 0.5 + f64::from(i as u32 % 13) / 4.0 } else { 90.0 };
    (i % 4 != 1).then(|| [15.25 + (i * i % 47) as f64, usage])
}

/// Income, balance, bills and usage of a row in common.
pub type Row = [f64; 4];

fn row(i: usize) -> Option<Row> {
    let ([income, balance], [bills, usage]) = (bank(i)?, telecom(i)?);
    Some([income, balance, bills, usage])
}

/// Both parties' files, in different orders, and those of their join.
pub fn site() -> Site {
    let site = Site::new();
    let (mut p0, mut p1) = ("customer,income,balance\n".to_owned(), "usage,msisdn,bills\n".to_owned());
    for i in 0..60 {
        if let Some([income, balance]) = bank(59 - i) {
            p0 += &format!("k{},{income},{balance}\n", 59 - i);
        }
        if let Some([bills, usage]) = telecom(i) {
            p1 += &format!("{usage},k{i},{bills}\n");
        }
    }
    site.write("bank.csv", &p0);
    site.write("telecom.csv", &p1);
    join(&site, "");
    site
}

/// Columns of different fraction bits.
pub fn join(site: &Site, more: &str) {
    let p0 = "join --input bank.csv --id customer --columns income:100,balance:10 --output p0.json";
    let p1 = "join --input telecom.csv --id msisdn --columns bills:100,usage:100 --fraction-bits 12 --output p1.json";
    let _ = site.both(&format!("{p0} {more} {BANK}"), &format!("{p1} {more} {TELECOM}")).map(Done::ok);
}

#[track_caller]
pub fn both(site: &Site, asked: &str, p0: &str, p1: &str) -> [Done; 2] {
    let [p0, p1] = start(asked, p0, p1);
    site.both(&p0, &p1).map(Done::ok)
}

pub fn start(asked: &str, p0: &str, p1: &str) -> [String; 2] {
    let p0 = to_both(&format!("apply {asked} --joined p0.json --force {p0} {BANK}"));
    [p0, to_both(&format!("apply {asked} --joined p1.json --force {p1} {TELECOM}"))]
}

/// The cells of a result file by id, in the order of the party's file.
#[track_caller]
pub fn cells(
    site: &Site,
    name: &str,
    column: &str,
    has: fn(usize) -> Option<[f64; 2]>,
    back: bool,
) -> BTreeMap<usize, String> {
    let text = site.read(name);
    let mut lines = text.lines();
    let id = if back { "customer" } else { "msisdn" };
    assert_eq!(lines.next(), Some(format!("{id},{column}").as_str()));
    let row = |line: &str| {
        let (id, cell) = line.split_once(',').unwrap();
        (id[1..].parse().unwrap(), cell.to_owned())
    };
    let rows: Vec<(usize, String)> = lines.map(row).collect();
    let mut order: Vec<usize> = (0..60).filter(|&i| has(i).is_some()).collect();
    if back {
        order.reverse();
    }
    assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), order);
    rows.into_iter().collect()
}

/// Every cell is that of `f` within `error`, or `other` where the row is not in common.
#[track_caller]
pub fn checked(cells: &BTreeMap<usize, String>, f: fn(Row) -> f64, error: f64, other: &str) {
    for (&i, cell) in cells {
        match row(i) {
            None => assert_eq!(cell, other, "row {i}"),
            Some(row) => {
                let (got, want): (f64, f64) = (cell.parse().unwrap(), f(row));
                assert!((got - want).abs() <= error, "row {i}: {got}, not {want}");
            }
        }
    }
    assert!(cells.keys().filter(|i| row(**i).is_none()).count() > 5);
}

#[test]
fn a_function_of_a_column_of_either_party() {
    let site = site();
    let [p0, p1] = both(
        &site,
        "sigmoid --column balance --default 0.25",
        "--reveal me --output p0.csv --record p0.rec --json",
        "--reveal peer",
    );
    checked(&cells(&site, "p0.csv", "sigmoid", bank, true), |row| sigmoid(row[1]), 1e-4, "0.25");
    assert!(p1.stderr.contains("the results go to the peer") && p1.stdout.is_empty(), "{p1:?}");
    assert!(p0.stdout.starts_with("{\"kind\":\"apply\",\"function\":\"sigmoid\""), "{p0:?}");
    assert!(site.read("p0.rec").contains("p0.balance"), "{}", site.read("p0.rec"));

    // Each party of its own rows; of a column that is the peer's.
    both(&site, "tanh --column usage", "--output p0.csv", "--output p1.csv");
    checked(&cells(&site, "p0.csv", "tanh", bank, true), |row| row[3].tanh(), 1e-3, "");
    checked(&cells(&site, "p1.csv", "tanh", telecom, false), |row| row[3].tanh(), 1e-3, "");
}

#[test]
fn a_comparison_of_a_column_of_each_party() {
    let site = site();
    let asked = "ge --column income --against bills --default 0";
    both(&site, asked, "--output p0.csv", "--output p1.csv");
    let ge = |row: [f64; 4]| f64::from(u8::from(row[0] >= row[2]));
    checked(&cells(&site, "p0.csv", "ge", bank, true), ge, 0.0, "0");
    checked(&cells(&site, "p1.csv", "ge", telecom, false), ge, 0.0, "0");
    // Who listens may change; the party that owns the rows stays the same.
    let asked = "max --column p0.income --against bills --default -3.5 --force";
    let done = site.both(
        &format!("apply {asked} --joined p1.json --reveal peer {TELECOM}"),
        &format!("apply {asked} --joined p0.json --reveal me --output p0.csv {BANK}"),
    );
    let _ = done.map(Done::ok);
    checked(&cells(&site, "p0.csv", "max", bank, true), |row| row[0].max(row[2]), 0.0, "-3.5");
    both(&site, "lt --column balance --constant -0.5 --reveal p1", "", "--output p1.csv");
    let lt = |row: [f64; 4]| f64::from(u8::from(row[1] < -0.5));
    checked(&cells(&site, "p1.csv", "lt", telecom, false), lt, 0.0, "");
}

/// A column is 0 where nothing matches. If that were refused, or what rows are that do not match, both would learn
/// about these.
#[test]
fn a_domain_without_0_refuses_rows_in_common_only() {
    let site = site();
    for asked in ["ln --column usage --domain 0.25:4 --outside strict", "ln --column usage --domain 0.25:4"] {
        both(&site, asked, "--reveal me --output p0.csv", "--reveal peer");
        checked(&cells(&site, "p0.csv", "ln", bank, true), |row| row[3].ln(), 1e-3, "");
    }
    both(
        &site,
        "ln --column usage --domain 0.25:4 --strict --default -1",
        "--output p0.csv",
        "--output p1.csv",
    );
    checked(&cells(&site, "p1.csv", "ln", telecom, false), |row| row[3].ln(), 1e-3, "-1");
    // A row in common is outside.
    let [p0, p1] =
        start("ln --column usage --domain 1:4 --strict", "--reveal me --output x.csv", "--reveal peer");
    site.both(&p0, &p1).iter().for_each(|done| assert_ne!(done.code, 0, "{done:?}"));
    assert!(!site.has("x.csv"));
}

#[test]
fn what_does_not_go_together() {
    let site = site();
    let run = |asked: &str| {
        site.run(&to_both(&format!(
            "apply {asked} --joined p0.json --output x.csv --connect 127.0.0.1:9 {BANK}"
        )))
    };
    for (asked, fragment) in [
        ("sigmoid --column balance --input bank.csv", "cannot be used with"),
        ("sigmoid --column balance --reveal none", "--reveal none cannot be combined with --joined"),
        ("sigmoid --column balance --outside wrap", "for which both join again: a join settles them"),
        (
            "sigmoid --column balance --fraction-bits 8",
            "--fraction-bits 8: the join fixed 16 for these columns",
        ),
        (
            "sigmoid --column balance --no-ids",
            "--no-ids cannot be combined with --joined: a join compares no ids",
        ),
        ("sigmoid --column balance --find-difference", "--find-difference cannot be combined with --joined"),
        ("sigmoid --column balance --leave-out 3", "--leave-out cannot be combined with --joined"),
        (
            "ge --column income --against bills --bits 20",
            "fraction bits take 27 bits to compare; accepted: 20",
        ),
        ("asin --column balance --reveal me", "for which both join again: a join settles them"),
        ("sigmoid --column balance --against bills", "--against needs a comparison"),
        ("sigmoid --column balance --default 2", "--default 2: accepted: -0.00"),
        ("sigmoid", "--column NAME says which column of numbers"),
        ("sigmoid --column late", "its columns are: income, balance, bills, usage"),
        ("ge --column income", "--against NAME says which column of numbers"),
        (
            "ge --column income --against bills --default 0.5",
            "accepted: a whole number from 0 to 1, or empty",
        ),
        ("ge --column income --constant 1e15", "bits to compare; accepted: 64"),
        ("ge --column income --against bills --strict", "--strict cannot be combined with a comparison"),
    ] {
        let done = run(asked);
        assert!(done.code == 2 && done.stderr.contains(fragment), "{fragment}: {done:?}");
    }
    site.run(&format!(
        "apply sigmoid --reveal both --column x --input bank.csv --default 0 --output x.csv --connect 127.0.0.1:9 {BANK}"
    ))
    .fails_with(2, "--joined");
    let fails = |p0: &str, p1: &str, fragment: &str| {
        let done = site.both(
            &to_both(&format!("apply {p0} --joined p0.json --output x.csv {BANK}")),
            &to_both(&format!("apply {p1} --output y.csv {TELECOM}")),
        );
        done.iter().for_each(|done| done.fails_with(5, fragment));
    };
    let own = "sigmoid --column balance";
    fails(own, "sigmoid --column bills --joined p1.json", "x");
    fails(own, "tanh --column balance --joined p1.json", "operation");
    fails(own, "sigmoid --column balance --joined p1.json --default 0", "default");
    let old = site.read("p1.json");
    join(&site, "--force");
    site.write("old.json", &old);
    fails(own, "sigmoid --column balance --joined old.json", "must come from the same run of `join`");
    assert!(!site.has("x.csv") && !site.has("y.csv"));
}

#[test]
fn what_it_would_show_is_said_before() {
    let site = site();
    let words = |asked: &str| {
        let asked = to_both(&format!("explain apply {asked} --joined p0.json --listen 127.0.0.1:0 {BANK}"));
        site.run(&asked).ok().stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = words("ge --column income --against bills --reveal me");
    for fragment in [
        "the column ge, of p0.income and p1.bills",
        "this party for each of its rows that the other has too 1 if x >= y, else 0",
        "which of its rows the other has: the others' cells are empty",
        "the peer nothing: it gets no result, and does not learn which rows match, nor how many",
    ] {
        assert!(text.contains(fragment), "{fragment}: {text}");
    }
    let text = words("ln --column usage --domain 0.25:4 --strict --default 0");
    for fragment in [
        "a row that the other does not have gets 0. A row in common may get 0 too; any other result tells",
        "both learn that there is one, and nothing else; rows that are not in common play no part",
    ] {
        assert!(text.contains(fragment), "{fragment}: {text}");
    }
}

//! The options of `apply` over the rows of a hidden join: lanes, stores, lookups, formats, records.

use crate::{
    apply_joined::{BANK, Row, TELECOM, bank, both, cells, checked, join, site, start, telecom},
    common::{Done, Site, sigmoid},
};
use serde_json::Value;

/// What plain computation gives of a row in common.
type Plain = fn(Row) -> f64;

/// What `--json` says at both.
fn reports(done: [Done; 2]) -> [Value; 2] {
    done.map(|done| serde_json::from_str(done.stdout.trim_end()).unwrap_or_else(|e| panic!("{e}: {done:?}")))
}

/// Runs it with results for both, and checks those of each party's rows.
#[track_caller]
fn each(site: &Site, asked: &str, [p0, p1]: [&str; 2], f: Plain, error: f64, other: &str) -> [Value; 2] {
    let column = asked.split(' ').next().unwrap();
    let done =
        both(site, asked, &format!("--output p0.csv --json {p0}"), &format!("--output p1.csv --json {p1}"));
    checked(&cells(site, "p0.csv", column, bank, true), f, error, other);
    checked(&cells(site, "p1.csv", column, telecom, false), f, error, other);
    reports(done)
}

fn ge(row: Row) -> f64 {
    f64::from(u8::from(row[0] >= row[2]))
}

#[test]
fn lanes_give_the_same_results() {
    let site = site();
    let cases: [(&str, Plain, f64, &str); 4] = [
        ("sigmoid --column balance", |row| sigmoid(row[1]), 1e-4, ""),
        ("ge --column income --against bills --default 0", ge, 0.0, "0"),
        ("ln --column usage --domain 0.25:4 --strict --default -1", |row| row[3].ln(), 1e-3, "-1"),
        ("ln --column usage --domain 0.25:4 --strict", |row| row[3].ln(), 1e-3, ""),
    ];
    for (asked, f, error, other) in cases {
        // One asks, the other follows.
        for (report, rows) in each(&site, asked, ["--threads 2", ""], f, error, other).iter().zip([40, 45]) {
            assert_eq!((&report["threads"], &report["rows"]), (&2.into(), &rows.into()), "{report}");
        }
    }
    let [p0, p1] =
        start("sigmoid --column balance", "--threads 2 --output x.csv", "--threads 3 --output y.csv");
    site.both(&p0, &p1).iter().for_each(|done| done.fails_with(5, "threads"));
}

/// Both parties' stores.
fn prepare(site: &Site, what: &str) {
    let of = |name: &str| format!("prepare {what} --store {name}.store --identity {name}.id");
    let _ = site.both(&of("bank"), &of("telecom")).map(Done::ok);
}

const STORES: [&str; 2] = ["--store bank.store", "--store telecom.store"];

/// Each of the two joins has some 550 bins.
#[test]
fn functions_take_their_material_from_a_store() {
    let site = site();
    prepare(&site, "sigmoid --items 1500 --fraction-bits 16 --bits 32");
    let [p0, _] = start("sigmoid --column balance", "", "");
    let page = site.run(&format!("{p0} {} --listen 127.0.0.1:0 --dry-run", STORES[0])).ok().stdout;
    assert!(page.contains("rows is in the store"), "{page}");
    let run = |more: &str| {
        let asked = format!("sigmoid --column balance --threads 2 {more}");
        let [report, _] = each(&site, &asked, STORES, |row| sigmoid(row[1]), 1e-4, "");
        report["stored"].as_u64().unwrap()
    };
    let all = run("--no-offline");
    assert!((1000..1300).contains(&all), "{all}");
    // Each owner's bins take what is left, and make the rest.
    assert_eq!(run(""), 1500 - all);
    assert_eq!(run(""), 0);
}

#[test]
fn a_store_may_end_in_the_middle() {
    let site = site();
    prepare(&site, "sigmoid --items 700 --fraction-bits 16 --bits 32");
    let [p0, _] = start("sigmoid --column balance", STORES[0], "");
    site.run(&format!("{p0} --output x.csv --no-offline --listen 127.0.0.1:0"))
        .fails_with(6, "700 items are left in the store, 1110 are needed");
    let asked = "sigmoid --column balance --default 0.75";
    for report in each(&site, asked, STORES, |row| sigmoid(row[1]), 1e-4, "0.75") {
        assert_eq!(report["stored"], 700, "{report}");
    }
    // Of another shape.
    let done =
        site.run(&format!("{} {} --listen 127.0.0.1:0", start("tanh --column usage", "", "")[0], STORES[0]));
    assert!(done.code == 6 && done.stderr.contains("it holds material for"), "{done:?}");
}

#[test]
fn comparisons_take_their_material_from_a_store() {
    let site = site();
    prepare(&site, "ge --items 1300 --shared");
    let asked = "ge --column income --against bills --bits 64 --no-offline";
    for report in each(&site, asked, STORES, ge, 0.0, "") {
        assert_eq!(report["value_bits"], 16, "{report}");
        assert!(report["stored"].as_u64().unwrap() > 1000, "{report}");
    }
}

/// Whole numbers: up to 63 of the bank's, up to 7 of the telecom company's.
fn whole() -> Site {
    let site = site();
    let p0 = "join --input bank.csv --id customer --columns income:63,balance:7 --fraction-bits 0 --output p0.json --force";
    let p1 = "join --input telecom.csv --id msisdn --columns bills:100,usage:100 --fraction-bits 9 --output p1.json --force";
    let _ = site.both(&format!("{p0} {BANK}"), &format!("{p1} {TELECOM}")).map(Done::ok);
    let values = |count: i64| (0..count).map(|i| format!("{}\n", i * i - 50)).collect::<String>();
    site.write("tariff.csv", &values(128));
    site.write("small.csv", &values(16));
    site
}

#[test]
fn tables_from_a_file() {
    let site = whole();
    let look_up = |asked: &str, more: [&str; 2], f: Plain, other: &str| {
        let table = asked.split('.').next().unwrap();
        let [p0, p1] = more.map(|more| format!("--json --output {{}} {more}"));
        let (p0, p1) = (p0.replace("{}", "p0.csv"), p1.replace("{}", "p1.csv"));
        let done = both(&site, &format!("--table {asked}"), &p0, &p1);
        checked(&cells(&site, "p0.csv", table, bank, true), f, 0.0, other);
        checked(&cells(&site, "p1.csv", table, telecom, false), f, 0.0, other);
        reports(done)
    };
    let tariff: Plain = |row| (row[0] + 64.0).powi(2) - 50.0;
    let asked = "tariff.csv --column income --domain -64:64";
    look_up(asked, ["--protocol splut --threads 2", ""], tariff, "").iter().for_each(|report| {
        assert_eq!((&report["protocol"], &report["threads"]), (&"splut".into(), &2.into()))
    });
    look_up(&format!("{asked} --default -1"), [""; 2], tariff, "-1");
    // Numbers beyond the domain are taken modulo its length.
    let small: Plain = |row| (row[0] % 16.0).powi(2) - 50.0;
    look_up("small.csv --column income --outside wrap", [""; 2], small, "");
    prepare(&site, "--lookups 1200 --index-bits 7 --value-bits 15");
    for report in look_up(&format!("{asked} --no-offline"), STORES, tariff, "") {
        assert!(report["stored"].as_u64().unwrap() > 1000, "{report}");
    }
    let [p0, _] = start("--table small.csv --column income", "", "");
    site.run(&format!("{p0} --output x.csv --connect 127.0.0.1:9"))
        .fails_with(2, "or --outside wrap at both parties");
}

#[test]
fn functions_by_lookups() {
    let site = whole();
    let tanh: Plain = |row| row[3].tanh();
    let asked = "tanh --column usage --domain -8:8 --outside wrap --fraction-bits 9";
    for report in each(&site, asked, ["--protocol d", ""], tanh, 2e-3, "") {
        assert_eq!((&report["protocol"], &report["index_bits"]), (&"d".into(), &13.into()), "{report}");
    }
    let asked = "tanh --column usage --domain -128:128 --fraction-bits 8 --outside wrap";
    let [p0, _] = start(asked, "", "");
    site.run(&format!("{p0} --output x.csv --connect 127.0.0.1:9"))
        .fails_with(2, "the join fixed 9 for these columns");
    let [p0, _] = start("tanh --column balance --domain -8:8 --protocol d", "", "");
    let page = site.run(&format!("{p0} --listen 127.0.0.1:0 --dry-run")).ok().stdout;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("tanh, of p0.balance by d Who learns what"), "{page}");
    site.run(&format!("{p0} --calibration gone.json --listen 127.0.0.1:0 --dry-run"))
        .fails_with(3, "gone.json");
}

#[test]
fn records_are_signed() {
    let site = site();
    join(&site, "--force");
    let of = |name: &str| format!("--record {name}.rec --sign");
    both(
        &site,
        "sigmoid --column balance",
        &format!("--output p0.csv {}", of("p0")),
        &format!("--output p1.csv {}", of("p1")),
    );
    let [p0, p1] =
        ["p0.rec", "p1.rec"].map(|name| -> Value { serde_json::from_str(&site.read(name)).unwrap() });
    assert_eq!((&p0["unsigned"], &p0["signed"]["statement"]), (&Value::Null, &p1["signed"]["statement"]));
    assert_eq!((&p0["rows"], &p1["rows"], &p0["reveal"]), (&40.into(), &45.into(), &"P0 and P1".into()));
    assert_eq!(p0["inputs"].as_array().map(Vec::len), Some(1), "{p0}");
}

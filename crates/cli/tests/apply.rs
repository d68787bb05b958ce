//! `apply` between two processes: lookups, for every way of asking for them.

use std::collections::HashSet;

use crate::common::{Done, Site, results, rounded, sigmoid, spread, to_both};
use serde_json::Value;

const ROWS: usize = 60;
/// The rest of the command lines, with TLS.
const P0: &str = "--identity bank.id";
const P1: &str = "--identity telecom.id";

/// A site with `a.csv` and `b.csv`, and the numbers in them.
fn site(lo: f64, hi: f64) -> (Site, Vec<(f64, f64)>) {
    let site = Site::new();
    let (a, b) = (spread(ROWS, lo, hi, 1), spread(ROWS, lo, hi, 2));
    site.write_scores("a.csv", &a);
    site.write_scores("b.csv", &b);
    (site, a.into_iter().zip(b).collect())
}

/// Runs `apply` on both sides, to their success.
#[track_caller]
fn both(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    site.both(&to_both(&format!("apply {p0} {P0}")), &to_both(&format!("apply {p1} {P1}"))).map(Done::ok)
}

/// Asserts exact results: inputs rounded to `2^-fraction`, sums looked up, results rounded to `2^-output`, which what is
/// written says.
#[track_caller]
fn check(text: &str, inputs: &[(f64, f64)], f: impl Fn(f64) -> f64, fraction: i32, output: i32, name: &str) {
    let (header, rows) = results(text);
    assert_eq!(header, format!("id,{name}"));
    assert_eq!(rows.len(), inputs.len());
    for (i, ((a, b), (id, got))) in inputs.iter().zip(rows).enumerate() {
        let x = rounded(*a, fraction) + rounded(*b, fraction);
        assert_eq!((id, rounded(got, output)), (format!("c{i}"), rounded(f(x), output)), "{a} + {b}");
    }
}

#[test]
fn both_parties_get_the_results() {
    let (site, inputs) = site(-4.0, 3.99);
    let asked = "sigmoid --outside wrap --column score";
    let done = both(
        &site,
        &format!("{asked} --input a.csv --output p0.csv"),
        &format!("{asked} --input b.csv --output p1.csv"),
    );
    assert_eq!(done.map(|d| d.stdout), ["", ""]);
    check(&site.read("p0.csv"), &inputs, sigmoid, 8, 16, "sigmoid");
    assert_eq!(site.read("p0.csv"), site.read("p1.csv"));
}

/// Results of functions, tables, max and min tell numbers: who gets them is asked for. Bits of comparisons go to both.
#[test]
fn who_gets_numbers_is_asked_for() {
    let (site, _) = site(0.0, 3.0);
    site.write("t.csv", &"1\n".repeat(8));
    let run = |what: &str| {
        site.run(&format!(
            "apply {what} --column score --input a.csv --output out.csv --connect 127.0.0.1:9 --wait 1 {P0}"
        ))
    };
    for what in ["sigmoid", "identity", "max --constant 1", "min --constant 1", "--table t.csv"] {
        run(what).fails_with(2, "--reveal");
        run(&format!("{what} --reveal both")).fails_with(4, "");
    }
    run("ge --constant 1").fails_with(4, "");
}

#[test]
fn one_party_gets_the_results() {
    let (site, inputs) = site(-2.0, 1.99);
    let asked = "tanh --outside wrap --column score --reveal";
    let [p0, p1] = both(
        &site,
        &format!("{asked} p0 --input a.csv --output tanh.csv"),
        &format!("{asked} p0 --input b.csv"),
    );
    assert!(!p0.stderr.contains("go to the peer"), "{p0:?}");
    assert!(p1.stderr.contains("the results go to the peer"), "{p1:?}");
    check(&site.read("tanh.csv"), &inputs, f64::tanh, 8, 16, "tanh");

    // The listening party names a file and gets none.
    let [p0, _] = both(
        &site,
        &format!("{asked} p1 --input a.csv --output other.csv"),
        &format!("{asked} p1 --input b.csv --output p1.csv"),
    );
    assert!(p0.stderr.contains("the results go to the peer"), "{p0:?}");
    assert!(!site.has("other.csv"));
    check(&site.read("p1.csv"), &inputs, f64::tanh, 8, 16, "tanh");
}

#[test]
fn shares_go_on_to_the_next_function() {
    let (site, inputs) = site(-2.0, 1.99);
    let keep = "tanh --outside wrap --column score --reveal none --threads 2";
    both(
        &site,
        &format!("{keep} --input a.csv --output a.json"),
        &format!("{keep} --input b.csv --output b.json"),
    );
    let files @ [a, b] = &["a.json", "b.json"].map(|name| {
        #[cfg(unix)]
        assert_eq!(crate::common::mode(&site.path(name)), 0o600);
        serde_json::from_str::<Value>(&site.read(name)).unwrap()
    });
    assert_eq!(a["session"], b["session"]);
    assert_eq!(files.each_ref().map(|file| &file["role"]), ["P0", "P1"]);
    assert_eq!(files.each_ref().map(|file| &file["bits"]), [16, 16]);
    let share = |file: &Value, i: usize| file["shares"][i].as_u64().unwrap();
    for (i, (x, y)) in inputs.iter().enumerate() {
        let value = (share(a, i) + share(b, i)) as u16 as i16;
        assert_eq!(f64::from(value) / 256.0, rounded((rounded(*x, 8) + rounded(*y, 8)).tanh(), 8));
    }
    let distinct: HashSet<u64> = (0..ROWS).map(|i| share(a, i)).collect();
    assert!(distinct.len() > ROWS / 2, "shares do not repeat as values do");

    // The other party listens now.
    let exp = "exp --outside wrap";
    both(
        &site,
        &format!("{exp} --input b.json --output p0.csv"),
        &format!("{exp} --input a.json --output p1.csv"),
    );
    check(&site.read("p0.csv"), &inputs, |x| rounded(x.tanh(), 8).exp(), 8, 16, "exp");
    assert_eq!(site.read("p0.csv"), site.read("p1.csv"));
}

#[test]
fn every_function_and_precision() {
    for (name, f, half, fraction, output) in [
        ("sigmoid", sigmoid as fn(f64) -> f64, 4.0, 4, 16),
        ("exp", f64::exp, 2.0, 6, 20),
        ("identity", |x| x, 4.0, 12, 12),
        ("identity", |x| x, 4.0, 4, 0),
        ("tanh", f64::tanh, 1.0, 1, 8),
    ] {
        let step = 2f64.powi(-fraction);
        let (site, inputs) = site(-half, half - step);
        let asked = format!(
            "apply {name} --reveal both --outside wrap --column score --domain {}:{} --fraction-bits {fraction} --output-fraction-bits {output} \
             --insecure-plain-tcp",
            -2.0 * half,
            2.0 * half
        );
        let done = site.both(
            &format!("{asked} --input a.csv --output p0.csv"),
            &format!("{asked} --input b.csv --output p1.csv"),
        );
        for done in done.map(Done::ok) {
            assert!(done.stderr.contains("warning: plain TCP"), "{done:?}");
        }
        check(&site.read("p0.csv"), &inputs, f, fraction, output, name);
    }
}

#[test]
fn tables_from_files() {
    for (size, threads) in [(2, 1), (1024, 3), (2048, 2)] {
        let site = Site::new();
        let numbers = |seed| -> Vec<f64> {
            spread(ROWS, 0.0, f64::from(size / 2) - 0.001, seed).iter().map(|x| x.floor()).collect()
        };
        let (a, b) = (numbers(3), numbers(4));
        site.write_scores("a.csv", &a);
        site.write_scores("b.csv", &b);
        let value = |i: i32| f64::from(i * 37 % 1001) / 8.0 - 50.0;
        let plain: String = (0..size).map(|i| format!("{}\n", value(i))).collect();
        let indexed: String = (0..size).rev().map(|i| format!("{i},{}\n", value(i))).collect();
        site.write("tariff.csv", &plain);
        site.write("same.csv", &format!("index,value\n{indexed}"));
        let asked = format!("--column score --threads {threads} --table");
        both(
            &site,
            &format!("{asked} tariff.csv --input a.csv --output p0.csv"),
            &format!("{asked} same.csv --input b.csv --output p1.csv"),
        );
        let (header, rows) = results(&site.read("p0.csv"));
        assert_eq!(header, "id,tariff");
        for (i, (_, got)) in rows.iter().enumerate() {
            assert_eq!(*got, value((a[i] + b[i]) as i32), "row {i} of a table of {size}");
        }
        assert_eq!((String::from("id,same"), rows), results(&site.read("p1.csv")));
    }
}

#[test]
fn rows_by_position_only_and_ids_as_they_are() {
    let site = Site::new();
    site.write("a.csv", "name,score\n\"x,1\",1\n\u{e9},2\n");
    site.write("b.csv", "score,name\n0.5,\"x,1\"\n-1,\u{e9}\n");
    let asked = "identity --outside wrap --column score --no-ids";
    both(
        &site,
        &format!("{asked} --input a.csv --output p0.csv"),
        &format!("{asked} --input b.csv --output p1.csv"),
    );
    assert_eq!(site.read("p0.csv"), "identity\n1.5\n1\n");
    let asked = "identity --outside wrap --column score --id name --force";
    both(
        &site,
        &format!("{asked} --input a.csv --output p0.csv"),
        &format!("{asked} --input b.csv --output p1.csv"),
    );
    assert_eq!(site.read("p1.csv"), "name,identity\n\"x,1\",1.5\n\u{e9},1\n");
}

#[test]
fn cost_as_json_and_nothing_else_on_standard_output() {
    let (site, _) = site(-4.0, 3.9);
    let asked = "sigmoid --protocol rotl --column score --fraction-bits 4 --json --threads 2";
    let done = both(
        &site,
        &format!("{asked} --input a.csv --output p0.csv"),
        &format!("{asked} --input b.csv --output p1.csv"),
    );
    let [p0, p1] = done.map(|done| serde_json::from_str::<Value>(done.stdout.trim_end()).unwrap());
    assert_eq!([&p0["role"], &p1["role"]], ["P0", "P1"]);
    for phase in ["setup", "offline", "online"] {
        assert_eq!(p0[phase]["bytes"], p1[phase]["bytes"], "both sides count alike");
    }
    assert_eq!(p0["online"]["rounds"], 3, "index, sign, opening");
    assert_eq!(p0["rows"], ROWS);
    assert_eq!(p0["index_bits"], 8);
    assert_eq!(p0["protocol"], "rotl");
    assert!(p0["online"]["bytes"][0].as_u64().unwrap() > 0);
}

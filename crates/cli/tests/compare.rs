//! Comparisons between two processes, and results that stay shared and go on.

use crate::common::{Done, Site, results, spread, to_both};
use serde_json::Value;

const ROWS: usize = 40;
const P0: &str = "--identity bank.id";
const P1: &str = "--identity telecom.id";

/// Runs `apply` on both sides, to their success.
#[track_caller]
fn both(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    site.both(&to_both(&format!("apply {p0} {P0}")), &to_both(&format!("apply {p1} {P1}"))).map(Done::ok)
}

/// Rows whose sums of `x` and of `y` are often equal or of neighbours.
fn site() -> (Site, Vec<(f64, f64)>) {
    let site = Site::new();
    let numbers = |seed| spread(ROWS, -100.0, 100.0, seed).into_iter().map(f64::round).collect::<Vec<_>>();
    let [a, b, c, d] = [1, 2, 3, 4].map(numbers);
    let mut sums = Vec::new();
    let (mut bank, mut telecom) = ("id,x,y\n".to_owned(), "id,u,v\n".to_owned());
    for i in 0..ROWS {
        let v = if i % 3 == 0 { a[i] + b[i] - c[i] + (i % 2) as f64 } else { d[i] };
        bank += &format!("c{i},{},{}\n", a[i], c[i]);
        telecom += &format!("c{i},{},{v}\n", b[i]);
        sums.push((a[i] + b[i], c[i] + v));
    }
    site.write("bank.csv", &bank);
    site.write("telecom.csv", &telecom);
    (site, sums)
}

#[test]
fn every_comparison_of_two_sums() {
    let (site, sums) = site();
    let truth = |b: bool| f64::from(u8::from(b));
    let plain = |name: &str, x: f64, y: f64| match name {
        "ge" => truth(x >= y),
        "gt" => truth(x > y),
        "le" => truth(x <= y),
        "lt" => truth(x < y),
        "eq" => truth(x == y),
        "ne" => truth(x != y),
        "max" => x.max(y),
        _ => x.min(y),
    };
    assert!(sums.iter().filter(|(x, y)| x == y).count() > 3);
    for (i, name) in ["ge", "gt", "le", "lt", "eq", "ne", "max", "min"].into_iter().enumerate() {
        let asked = format!("{name} --force --threads {} --bits {}", 1 + i % 2, [64, 32, 24][i % 3]);
        let asked = format!("{asked} --fraction-bits {}", [16, 8, 0][i % 3]);
        both(
            &site,
            &format!("{asked} --input bank.csv --column x --against y --output p0.csv"),
            &format!("{asked} --input telecom.csv --column u --against v --output p1.csv"),
        );
        let (header, rows) = results(&site.read("p0.csv"));
        assert_eq!(header, format!("id,{name}"));
        for ((x, y), (_, got)) in sums.iter().zip(&rows) {
            assert_eq!(*got, plain(name, *x, *y), "{name} of {x} and {y}");
        }
        assert_eq!((rows.len(), site.read("p0.csv")), (ROWS, site.read("p1.csv")));
    }
}

#[test]
fn one_column_each_and_public_numbers() {
    let (site, _) = site();
    // x is the bank's alone, y the telecom company's alone.
    both(
        &site,
        "gt --input bank.csv --column x --reveal p0 --output gt.csv",
        "gt --input telecom.csv --against u --reveal p0",
    );
    let column = |file: &str, at: usize| -> Vec<f64> {
        let text = site.read(file);
        text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
    };
    let (x, u) = (column("bank.csv", 1), column("telecom.csv", 1));
    let (_, rows) = results(&site.read("gt.csv"));
    for (i, (_, got)) in rows.iter().enumerate() {
        assert_eq!(*got == 1.0, x[i] > u[i], "{} and {}", x[i], u[i]);
    }
    both(
        &site,
        "le --input bank.csv --column x --constant -12.5 --output p0.csv",
        "le --input telecom.csv --column u --constant -12.5 --output p1.csv",
    );
    for (i, (_, got)) in results(&site.read("p1.csv")).1.iter().enumerate() {
        assert_eq!(*got == 1.0, x[i] + u[i] <= -12.5, "{} + {}", x[i], u[i]);
    }
}

#[test]
fn what_nobody_gives_and_what_differs_ends_both() {
    let (site, _) = site();
    let fails = |p0: &str, p1: &str, fragment: &str| {
        let done = site.both(
            &format!("apply {p0} --input bank.csv --output p0.csv {P0}"),
            &format!("apply {p1} --input telecom.csv --output p1.csv {P1}"),
        );
        done.iter().for_each(|done| done.fails(fragment));
        assert!(!site.has("p0.csv") && !site.has("p1.csv"));
    };
    fails("ge --against y", "ge --against v", "neither party has numbers for x");
    fails("ge --column x", "ge --column u", "neither party has numbers for y");
    fails("ge --column x --constant 1", "ge --column u --constant 2", "input");
    fails("ge --column x --constant 1", "gt --column u --constant 1", "function");
    fails("ge --column x --constant 1 --bits 32", "ge --column u --constant 1", "bits");
    fails(
        "ge --column x --constant 1",
        "identity --reveal both --fraction-bits 0 --domain -256:256 --column u",
        "number of inputs",
    );
}

/// Two steps whose results stay shared, then one that shows: the larger of x and 5, whether that is at most y,
/// and the bit.
#[test]
fn shares_go_from_step_to_step() {
    let (site, sums) = site();
    both(
        &site,
        "max --input bank.csv --column x --constant 5 --reveal none --output bank1.json",
        "max --input telecom.csv --column u --constant 5 --reveal none --output telecom1.json",
    );
    both(
        &site,
        "le --input bank1.json --other bank.csv --against y --reveal none --output bank2.json",
        "le --input telecom1.json --other telecom.csv --against v --reveal none --output telecom2.json",
    );
    let files =
        ["bank2.json", "telecom2.json"].map(|name| serde_json::from_str::<Value>(&site.read(name)).unwrap());
    for file in &files {
        assert_eq!(
            (&file["bits"], &file["fraction_bits"], &file["sharing"]),
            (&16.into(), &0.into(), &"additive".into())
        );
        assert!(file["shares"].as_array().unwrap().iter().any(|share| share.as_u64().unwrap() > 1));
    }
    // The other party listens now.
    both(
        &site,
        "identity --domain 0:2 --output-fraction-bits 0 --input telecom2.json --output p0.csv",
        "identity --domain 0:2 --output-fraction-bits 0 --input bank2.json --output p1.csv",
    );
    let (_, rows) = results(&site.read("p0.csv"));
    for (i, ((x, y), (id, got))) in sums.iter().zip(rows).enumerate() {
        assert_eq!((id, got == 1.0), (format!("c{i}"), x.max(5.0) <= *y), "{x} and {y}");
    }
}

#[test]
fn halves_that_do_not_belong_together_are_refused() {
    let (site, _) = site();
    for step in ["1", "2"] {
        both(
            &site,
            &format!("max --input bank.csv --column x --constant 5 --reveal none --output bank{step}.json"),
            &format!(
                "max --input telecom.csv --column u --constant 5 --reveal none --output telecom{step}.json"
            ),
        );
    }
    for (p0, p1) in [("bank1", "telecom2"), ("bank1", "bank1")] {
        let asked = "ge --constant 1 --output out.csv --input";
        let done =
            site.both(&format!("apply {asked} {p0}.json {P0}"), &format!("apply {asked} {p1}.json {P1}"));
        done.iter().for_each(|done| done.fails("shares of max from session"));
        assert!(!site.has("out.csv"));
    }
    let numbers = site.both(
        &format!("apply ge --constant 1 --output out.csv --input bank1.json {P0}"),
        &format!("apply ge --constant 1 --output out.csv --input telecom.csv --column u {P1}"),
    );
    numbers.iter().for_each(|done| done.fails("input"));
}

/// Decimals x decimals x scales: one number of each party is equal as it is written, sums are refused where one is rounded
/// and right where none is.
#[test]
fn equal_is_never_a_question_of_rounding() {
    let mut state = 7u64;
    let mut below = |end: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % end
    };
    for round in 0..6 {
        let (decimals, bits) = ([1, 2][round % 2], [12, 16][round % 2]);
        let (site, unit) = (Site::new(), 10f64.powi(decimals));
        let rows: Vec<[u64; 4]> = (0..ROWS)
            .map(|_| [below(50), below(50), below(50), below(2)])
            .map(|[a, b, c, more]| [a + c, b, a, b + c + more])
            .collect();
        let write = |name: &str, unit: f64| {
            for (party, [x, y]) in [("bank", [0, 2]), ("telecom", [1, 3])] {
                let mut text = "id,x,y\n".to_owned();
                for (i, row) in rows.iter().enumerate() {
                    text += &format!("c{i},{},{}\n", row[x] as f64 / unit, row[y] as f64 / unit);
                }
                site.write(&format!("{party}-{name}.csv"), &text);
            }
        };
        write("decimals", unit);
        write("halves", 8.0);
        write("cents", 1.0);
        let name = ["eq", "ne"][round / 2 % 2];
        let asked = |party: &str, file: &str, what: &str| {
            format!(
                "{name} {what} --fraction-bits {bits} --input {party}-{file}.csv --output {party}-out.csv --force"
            )
        };
        let check = |equal: &dyn Fn(&[u64; 4]) -> bool| {
            for (row, (_, got)) in rows.iter().zip(results(&site.read("bank-out.csv")).1) {
                assert_eq!(got == 1.0, equal(row) == (name == "eq"), "{name} of {row:?}");
            }
        };
        let sums = "--column x --against y";
        for file in ["halves", "cents"] {
            both(&site, &asked("bank", file, sums), &asked("telecom", file, sums));
            check(&|[a, b, c, d]| a + b == c + d);
        }
        // Nothing is sent: the peer is not there.
        let refused =
            site.run(&format!("apply {} {P0} --connect 127.0.0.1:1", asked("bank", "decimals", sums)));
        refused.fails("column x: ");
        refused.fails(
            "sums that are equal as they are written may then differ, as 0.1 + 0.2 and 0.3; give whole units",
        );
        let alone = both(
            &site,
            &asked("bank", "decimals", "--column x"),
            &asked("telecom", "decimals", "--against y"),
        );
        check(&|[a, .., d]| a == d);
        alone
            .iter()
            .for_each(|done| assert!(done.stderr.contains("if these are parts of sums"), "{}", done.stderr));
    }
}

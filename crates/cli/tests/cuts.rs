//! Cuts and constants of decimals: numbers written alike are on the same side, counted in whole units of the last decimal.

use std::fmt::Write as _;

use crate::common::{Done, Random, Site, results};
use sha2::{Digest, Sha256};

const BANK: &str = "--identity bank.id";
const TELECOM: &str = "--identity telecom.id";
const ROWS: i64 = 120;

/// `n` of the last of so many decimals, as it is written.
fn written(n: i64, decimals: usize) -> String {
    let unit = 10i64.pow(decimals as u32);
    let sign = if n < 0 { "-" } else { "" };
    match decimals {
        0 => n.to_string(),
        _ => format!("{sign}{}.{:0decimals$}", n.abs() / unit, n.abs() % unit),
    }
}

/// Files whose column `x` has these numbers of the last decimal, at the bank and at the telecom.
fn files(site: &Site, columns: [&[i64]; 2], decimals: usize) {
    for (party, column) in ["bank", "telecom"].into_iter().zip(columns) {
        let mut text = "id,x\n".to_owned();
        for (i, n) in column.iter().enumerate() {
            writeln!(text, "c{i},{}", written(*n, decimals)).expect("into memory");
        }
        site.write(&format!("{party}.csv"), &text);
    }
}

fn is(relation: &str, x: i64, y: i64) -> bool {
    match relation {
        "ge" => x >= y,
        "gt" => x > y,
        "le" => x <= y,
        _ => x < y,
    }
}

const ORDERS: [&str; 4] = ["ge", "gt", "le", "lt"];

/// A column of a join between cuts that its rows lie on, its quantile, and comparisons of each row with a constant.
#[test]
fn a_column_of_a_join_is_cut_as_its_numbers_are_written() {
    let mut random = Random::new();
    for decimals in [1, 2, 3] {
        let site = Site::new();
        let column: Vec<i64> = (0..ROWS).map(|_| random.below(12) as i64 - 5).collect();
        files(&site, [&column, &column], decimals);
        let join = "join --id id --output";
        let _ = site
            .both(
                &format!("{join} p0.json --input bank.csv --columns x:100 {BANK}"),
                &format!("{join} p1.json --input telecom.csv {TELECOM}"),
            )
            .map(Done::ok);
        let cuts = [-3, 1, 3, 6];
        let list = cuts.map(|cut| written(cut, decimals)).join(",");
        let asked = format!("--count --by x:{list} --least 0 --json");
        let [done, _] = site
            .both(&format!("stats p0.json {asked} {BANK}"), &format!("stats p1.json {asked} {TELECOM}"))
            .map(Done::ok);
        let report: serde_json::Value = serde_json::from_str(done.stdout.trim_end()).expect("JSON");
        let counts: Vec<f64> = report["results"]
            .as_array()
            .expect("results")
            .iter()
            .map(|line| line["value"].as_f64().expect("a count"))
            .collect();
        let group = |n: &i64| cuts.iter().filter(|cut| *n >= **cut).count();
        let want: Vec<f64> =
            (0..5).map(|at| column.iter().filter(|n| group(n) == at).count() as f64).collect();
        assert_eq!(counts, want, "between {list}");

        let asked = format!("--quantile x:1/2:{list}");
        let [done, _] = site
            .both(&format!("stats p0.json {asked} {BANK}"), &format!("stats p1.json {asked} {TELECOM}"))
            .map(Done::ok);
        let reached = |cut: &&i64| 2 * column.iter().filter(|n| n < cut).count() as i64 >= ROWS;
        let want = cuts.iter().find(reached).map(|cut| written(*cut, decimals).parse::<f64>().unwrap());
        let shown = done.stdout.lines().last().and_then(|line| line.split_whitespace().last()).unwrap();
        assert_eq!(shown.parse::<f64>().ok(), want, "{}", done.stdout);

        let relation = ORDERS[random.below(4) as usize];
        let constant = random.below(6) as i64 - 2;
        let asked = format!("apply {relation} --column x --constant {}", written(constant, decimals));
        let _ = site
            .both(
                &format!("{asked} --joined p0.json --output rows.csv {BANK} --reveal p0"),
                &format!("{asked} --joined p1.json {TELECOM} --reveal p0"),
            )
            .map(Done::ok);
        for ((_, got), n) in results(&site.read("rows.csv")).1.into_iter().zip(&column) {
            assert_eq!(got == 1.0, is(relation, *n, constant), "{n} {relation} {constant} of 10^-{decimals}");
        }
    }
}

/// Sums of a number of each party, beside a constant and beside sums of both, alone and as a step of a job; and an exact
/// function of sums, which is decided on what it is of.
#[test]
fn sums_are_compared_as_their_numbers_are_written() {
    let mut random = Random::new();
    for decimals in [1, 2, 3] {
        let site = Site::new();
        let (constant, relation) = (random.below(20) as i64 - 9, ORDERS[random.below(4) as usize]);
        let sums: Vec<i64> = (0..ROWS).map(|_| constant + random.below(5) as i64 - 2).collect();
        let first: Vec<i64> = sums.iter().map(|_| random.below(4000) as i64 - 2000).collect();
        let second: Vec<i64> = sums.iter().zip(&first).map(|(sum, first)| sum - first).collect();
        files(&site, [&first, &second], decimals);
        let constant_text = written(constant, decimals);
        let asked = format!("apply {relation} --column x --constant {constant_text}");
        let _ = site
            .both(
                &format!("{asked} --input bank.csv --output rows.csv {BANK} --reveal p0"),
                &format!("{asked} --input telecom.csv {TELECOM} --reveal p0"),
            )
            .map(Done::ok);
        let check = |text: &str| {
            for ((_, got), n) in results(text).1.into_iter().zip(&sums) {
                let want = is(relation, *n, constant);
                assert_eq!(got == 1.0, want, "{n} {relation} {constant} of 10^-{decimals}");
            }
        };
        check(&site.read("rows.csv"));

        let x = "x = { bank = \"x\", telecom = \"x\" }";
        let job = format!(
            "hushtable-job = 1\n[parties]\nlistens = \"bank\"\nconnects = \"telecom\"\n\
             [[step]]\nname = \"f\"\noperation = \"identity\"\n{x}\nreveal = \"none\"\n\
             [[step]]\nname = \"d\"\noperation = \"{relation}\"\nx = \"f\"\ny = {constant_text}\nreveal = \"both\"\n"
        );
        site.write("job.toml", &job);
        let hash: String = Sha256::digest(&job).iter().map(|byte| format!("{byte:02x}")).collect();
        let run = |party: &str| {
            format!(
                "run job.toml --input {party}.csv --identity {party}.id --approve {hash} --output {party}.out.csv \
                "
            )
        };
        let _ = site.both(&run("bank"), &run("telecom")).map(Done::ok);
        check(&site.read("bank.out.csv"));
    }
}

//! `stats` between two processes, over files of one join: against plaintext, and everything that can be wrong.

use std::collections::BTreeMap;

use crate::common::{Done, Site};
use serde_json::Value;

pub const BANK: &str = "--identity bank.id";
pub const TELECOM: &str = "--identity telecom.id";

/// Income, region and debt of the bank's customers, bills of the telecom's.
fn bank(i: usize) -> Option<(f64, usize, f64)> {
    (!i.is_multiple_of(3)).then(|| ((i as f64 * 7.3) % 90.0, i % 5 % 3, i as f64 / 4.0 - 20.0))
}

fn telecom(i: usize) -> Option<f64> {
    (i % 4 != 1).then(|| (i * i % 23) as f64)
}

const REGIONS: [&str; 3] = ["north", "south", "east"];

/// The rows in common: income, region, debt, bills.
fn plain() -> Vec<(f64, usize, f64, f64)> {
    let row = |i| {
        let (income, region, debt) = bank(i)?;
        Some(((income * 65536.0).round() / 65536.0, region, debt, telecom(i)?))
    };
    (0..150).filter_map(row).collect()
}

/// A site with files of a join.
fn site() -> Site {
    let site = Site::new();
    let (mut p0, mut p1) = ("id,income,region,debt,name\n".to_owned(), "bills,id,name\n".to_owned());
    for i in 0..150 {
        if let Some((income, region, debt)) = bank(149 - i) {
            p0 += &format!("k{},{income},{},{debt},1\n", 149 - i, REGIONS[region]);
        }
        if let Some(bills) = telecom(i) {
            p1 += &format!("{bills},k{i},2\n");
        }
    }
    site.write("bank.csv", &p0);
    site.write("telecom.csv", &p1);
    join(&site, "p0.json", "p1.json");
    site
}

fn join(site: &Site, p0: &str, p1: &str) {
    let _ = site
        .both(
            &format!("join --input bank.csv --id id --columns income:100,region:north|south|east,debt,name --output {p0} {BANK}"),
            &format!("join --input telecom.csv --id id --columns bills:100,name --output {p1} {TELECOM}"),
        )
        .map(Done::ok);
}

#[track_caller]
fn both(site: &Site, asked: &str) -> [Done; 2] {
    site.both(&format!("stats p0.json {asked} {BANK}"), &format!("stats p1.json {asked} {TELECOM}"))
        .map(Done::ok)
}

/// Results by group and statistic; nothing where it is not shown.
#[track_caller]
pub fn results(site: &Site, asked: &str) -> BTreeMap<(String, String), Option<f64>> {
    let done = both(site, &format!("{asked} --json"));
    let all = done.each_ref().map(|done| {
        let report: Value = serde_json::from_str(done.stdout.trim_end()).unwrap();
        assert_eq!(report["kind"], "stats");
        let line = |line: &Value| {
            let text = |name: &str| line[name].as_str().unwrap().to_owned();
            ((text("group"), text("statistic")), line["value"].as_f64())
        };
        report["results"].as_array().unwrap().iter().map(line).collect::<BTreeMap<_, _>>()
    });
    assert_eq!(all[0], all[1]);
    let [all, _] = all;
    all
}

#[track_caller]
fn near(got: Option<f64>, want: f64, by: f64) {
    assert!(got.is_some_and(|got| (got - want).abs() <= by), "{got:?}, not {want}");
}

pub fn mean(of: impl Iterator<Item = f64> + Clone) -> f64 {
    of.clone().sum::<f64>() / of.count() as f64
}

#[test]
fn sums_and_means_are_those_of_plaintext() {
    let (site, rows) = (site(), plain());
    let asked = "--count --sum income,debt --mean income --mean bills --variance income,bills,debt --covariance income,bills";
    let got = results(&site, asked);
    let of = |statistic: &str| got[&("all".to_owned(), statistic.to_owned())];
    assert_eq!(of("count"), Some(rows.len() as f64));
    near(of("sum of income"), rows.iter().map(|row| row.0).sum(), 1e-3);
    near(of("sum of debt"), rows.iter().map(|row| row.2).sum(), 1e-9);
    let (income, bills) = (mean(rows.iter().map(|row| row.0)), mean(rows.iter().map(|row| row.3)));
    near(of("mean of income"), income, 1e-4);
    near(of("mean of bills"), bills, 1e-4);
    near(of("variance of income"), mean(rows.iter().map(|row| (row.0 - income).powi(2))), 0.01);
    near(of("variance of bills"), mean(rows.iter().map(|row| (row.3 - bills).powi(2))), 0.01);
    // Rounded before it is squared: its limit is a million.
    let debt = mean(rows.iter().map(|row| row.2));
    near(of("variance of debt"), mean(rows.iter().map(|row| (row.2 - debt).powi(2))), 0.5);
    near(
        of("covariance of income and bills"),
        mean(rows.iter().map(|row| (row.0 - income) * (row.3 - bills))),
        0.01,
    );

    let text = &both(&site, "--count --output all.csv --force")[0].stdout.clone();
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["all", "count", &rows.len().to_string()]);
    assert_eq!(site.read("all.csv"), format!("group,statistic,value\nall,count,{}\n", rows.len()));
}

#[test]
fn groups_that_are_too_small_are_not_shown() {
    let (site, rows) = (site(), plain());
    let sizes = [0, 1, 2].map(|region| rows.iter().filter(|row| row.1 == region).count());
    let least = sizes.iter().max().unwrap();
    assert!(sizes.iter().any(|size| size < least), "{sizes:?}");
    for least in [0, *least as u32] {
        let got = results(&site, &format!("--mean income --by region --least {least}"));
        for (region, name) in REGIONS.into_iter().enumerate() {
            let of = |statistic: &str| got[&(name.to_owned(), statistic.to_owned())];
            let members = rows.iter().filter(|row| row.1 == region);
            if (sizes[region] as u32) < least {
                assert_eq!((of("count"), of("mean of income")), (None, None));
            } else {
                assert_eq!(of("count"), Some(sizes[region] as f64));
                near(of("mean of income"), mean(members.map(|row| row.0)), 1e-4);
            }
        }
    }
    let got = results(&site, "--histogram bills:2,9,16 --least 1");
    for (name, range) in
        [("below 2", 0.0..2.0), ("2 to 9", 2.0..9.0), ("9 to 16", 9.0..16.0), ("from 16", 16.0..1e9)]
    {
        let wanted = rows.iter().filter(|row| range.contains(&row.3)).count();
        assert_eq!(got[&(name.to_owned(), "count".to_owned())], Some(wanted as f64), "{name}");
    }
    let hidden = both(&site, "--count --mean income --min income --least 1000")[0].stdout.clone();
    assert_eq!(hidden.matches("not shown, or none: fewer than 1000 rows").count(), 3, "{hidden}");
    assert!(!hidden.contains(char::is_numeric) || !hidden.contains(&rows.len().to_string()));
}

/// The numbers of `test_what_groups_of_none_look_like` in Python.
#[test]
fn what_groups_of_none_look_like() {
    let site = Site::new();
    site.write("a.csv", "id,g\n1,a\n2,b\n");
    site.write("b.csv", "id\n3\n1\n");
    let join = |input: &str, columns: &str| format!("join --input {input} --id id {columns} --output");
    let _ = site
        .both(
            &format!("{} p0.json {BANK}", join("a.csv", "--columns g:a/b")),
            &format!("{} p1.json {TELECOM}", join("b.csv", "")),
        )
        .map(Done::ok);
    for (least, a, b) in [(0, Some(1.0), Some(0.0)), (1, Some(1.0), None), (2, None, None)] {
        let got = results(&site, &format!("--count --by g --least {least}"));
        let of = |group: &str| got[&(group.to_owned(), "count".to_owned())];
        assert_eq!((of("a"), of("b")), (a, b), "at least {least}");
    }
}

#[test]
fn orders_are_those_of_plaintext() {
    let (site, rows) = (site(), plain());
    let got = results(
        &site,
        "--min debt,income --max debt --quantile income:0.5:10,20,30,40,50,60 --quantile bills:0.9:1,2",
    );
    let of = |statistic: &str| got[&("all".to_owned(), statistic.to_owned())];
    let debts = || rows.iter().map(|row| row.2);
    assert_eq!(of("smallest of debt"), debts().reduce(f64::min));
    assert_eq!(of("largest of debt"), debts().reduce(f64::max));
    near(of("smallest of income"), rows.iter().map(|row| row.0).fold(1e9, f64::min), 1e-4);
    let reached = |cut: &f64| 2 * rows.iter().filter(|row| row.0 < *cut).count() >= rows.len();
    let cuts = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0];
    assert_eq!(of("quantile 0.5 of income: below"), cuts.into_iter().find(reached));
    assert_eq!(of("quantile 0.9 of bills: below"), None);
}

/// By the extension; until now all of these were CSV.
#[test]
fn outputs_are_in_the_format_of_their_names() {
    let site = site();
    let formats: &[&str] = if cfg!(feature = "arrow") { &["parquet", "arrow"] } else { &["parquet"] };
    for (i, format) in formats.iter().enumerate() {
        let [p0, p1] =
            [("bank", "p0.json", BANK), ("telecom", "p1.json", TELECOM)].map(|(party, file, rest)| {
                format!(
                    "stats {file} --count --mean income,bills --by region --output {party}.{format} {rest}"
                )
            });
        let _ = site.both(&p0, &p1).map(Done::ok);
        let bytes = std::fs::read(site.path(&format!("bank.{format}"))).unwrap();
        assert!(bytes.starts_with([&b"PAR1"[..], b"ARROW1"][i]), "{format}");
        // Read back: a sum over the column of values, with one row for each result.
        site.write("zero.csv", &format!("id,x\n{}", "a,0\n".repeat(9)));
        let compare = "apply ge --no-ids --constant 0 --output";
        let done = site.both(
            &format!("{compare} {format}.0.csv --input bank.{format} --column value {BANK}"),
            &format!("{compare} {format}.1.csv --input zero.csv --column x {TELECOM}"),
        );
        let _ = done.map(Done::ok);
        assert_eq!(site.read(&format!("{format}.0.csv")), format!("ge\n{}", "1\n".repeat(9)));
    }
    #[cfg(not(feature = "arrow"))]
    site.run(&format!("stats p0.json --count --output x.arrow --connect 127.0.0.1:9 {BANK}"))
        .fails_with(2, "without the feature arrow");
}

#[test]
fn numbers_are_printed_without_binary_dust() {
    let site = Site::new();
    let rows = |name: &str| {
        (0..20)
            .map(|i| format!("k{i},29.{:02}\n", 32 + i % 3))
            .fold(format!("id,{name}\n"), |all, row| all + &row)
    };
    site.write("bank.csv", &rows("price"));
    site.write("telecom.csv", &rows("other"));
    let _ = site
        .both(
            &format!("join --input bank.csv --id id --columns price --output p0.json {BANK}"),
            &format!("join --input telecom.csv --id id --output p1.json {TELECOM}"),
        )
        .map(Done::ok);
    let text = both(&site, "--min price --max price --sum price --mean price")[0].stdout.clone();
    let values: Vec<&str> = text.lines().map(|line| line.split_whitespace().last().unwrap()).collect();
    // The sum is of 7 times 29.32, 7 times 29.33 and 6 times 29.34.
    assert_eq!(values, ["20", "586.59", "29.3295", "29.32", "29.34"], "{text}");
}

#[test]
fn noise_is_added() {
    let (site, rows) = (site(), plain());
    let mut counts = Vec::new();
    for _ in 0..4 {
        let got = results(&site, "--count --sum bills --noise 2 --least 0");
        let count = got[&("all".to_owned(), "count".to_owned())].unwrap();
        near(Some(count), rows.len() as f64, 60.0);
        near(got[&("all".to_owned(), "sum of bills".to_owned())], rows.iter().map(|row| row.3).sum(), 6000.0);
        counts.push(count);
    }
    assert!(counts.iter().any(|count| *count != rows.len() as f64), "{counts:?}");
    // How large it may be stands with the results.
    let said =
        |asked: &str| both(&site, asked).map(|done| done.stderr.contains("noise: in 19 of 20 runs it moves"));
    assert_eq!([said("--sum bills --noise 2"), said("--sum bills")], [[true; 2], [false; 2]]);
    // No more digits than the noise leaves: of these, none after the point.
    for (statistic, name) in [
        ("variance bills", "variance of bills"),
        ("covariance income,bills", "covariance of income and bills"),
    ] {
        let got = results(&site, &format!("--{statistic} --noise 2 --least 0"));
        let value = got[&("all".to_owned(), name.to_owned())].unwrap();
        assert_eq!(value.fract(), 0.0, "{name}");
    }
}

#[test]
fn files_of_another_join_are_refused() {
    let site = site();
    join(&site, "q0.json", "q1.json");
    let asked = |p0: &str, p1: &str| {
        site.both(&format!("stats {p0} --count {BANK}"), &format!("stats {p1} --count {TELECOM}"))
    };
    for (p0, p1) in [("p0.json", "q1.json"), ("p0.json", "p0.json")] {
        let done = asked(p0, p1);
        done.iter().for_each(|done| done.fails_with(5, "must come from the same run of `join`"));
    }
    // Who listens may change.
    let _ = asked("p1.json", "p0.json").map(Done::ok);
    let text = site.read("p0.json");
    site.write("bad.json", &text.replacen("\"rows\":100", "\"rows\":101", 1));
    for (file, fragment) in [
        ("bad.json", "checksum is wrong"),
        ("bank.csv", "not a usable file of a join"),
        ("gone.json", "gone.json"),
    ] {
        site.run(&format!("stats {file} --count --connect 127.0.0.1:9 {BANK}")).fails_with(3, fragment);
    }
}

#[test]
fn questions_that_cannot_be() {
    let site = site();
    let run = |asked: &str| site.run(&format!("stats p0.json {asked} --connect 127.0.0.1:9 {BANK}"));
    for (asked, fragment) in [
        ("", "nothing is asked"),
        (
            "--mean gone",
            "no column \"gone\" in the join; its columns are: income, region, debt, name, bills, name",
        ),
        ("--mean name", "both parties have a column \"name\": say p0.name or p1.name"),
        ("--mean region", "has groups, no numbers"),
        ("--count --by income", "\"income\" has numbers: income:10,20"),
        ("--count --by income:20,10", "no column \"income:20,10\""),
        ("--histogram income:1,1", "--histogram \"income:1,1\""),
        ("--count --by income:1,200", "the cut 200 of \"income\" is beyond its limit 100"),
        ("--median income --noise 1", "cannot be combined with --noise"),
        ("--quantile income:x", "COLUMN:Q, as income:0.5, or COLUMN:Q:CUTS"),
        ("--median region", "has groups, no numbers"),
        ("--count --by region --by region", "--by has a column twice"),
        ("--count --where income", "--where \"income\": accepted: COLUMN and"),
        ("--count --where region=west", "no label \"west\"; region has north, south, east"),
        ("--quantile income:1.5:10", "COLUMN:Q:CUTS"),
        ("--quantile income:0.99999:10", "0.99999 is the fraction 99999/100000; accepted: fractions"),
        ("--covariance income", "two columns"),
        ("--count --noise 0", "an epsilon is more than 0"),
        ("--sum income --noise 0", "an epsilon is more than 0"),
        ("--variance income --noise nan", "an epsilon is more than 0"),
        ("--count --least 2000000000", "least size"),
    ] {
        run(asked).fails_with(2, fragment);
    }
    let done = site
        .both(&format!("stats p0.json --count {BANK}"), &format!("stats p1.json --mean income {TELECOM}"));
    done.iter().for_each(|done| done.fails_with(5, "what is asked"));
    let done = site.both(
        &format!("stats p0.json --count {BANK}"),
        &format!("stats p1.json --count --least 2 {TELECOM}"),
    );
    done.iter().for_each(|done| done.fails_with(5, "least size"));
    // The same step of the column, shown as each asked for it.
    let done = site.both(
        &format!("stats p0.json --quantile income:1/2:30.0000001 {BANK}"),
        &format!("stats p1.json --quantile income:1/2:30.0000002 {TELECOM}"),
    );
    let [p0, p1] = ["of income by 30.0000001", "of income by 30.0000002"];
    for (done, [ours, theirs]) in done.iter().zip([[p0, p1], [p1, p0]]) {
        done.fails_with(5, &format!("disagree on cuts of quantiles: here {ours}, at the peer {theirs}"));
    }
    let got = results(&site, "--mean p0.name --mean p1.name");
    assert_eq!(got[&("all".to_owned(), "mean of p1.name".to_owned())], Some(2.0));
}

#[test]
fn what_it_would_show_is_said_before() {
    let site = site();
    let asked = "p0.json --variance debt --by region --listen 127.0.0.1:0";
    let explained = site.run(&format!("explain stats {asked} {BANK}")).ok().stdout;
    let text = explained.split_whitespace().collect::<Vec<_>>().join(" ");
    for fragment in [
        "the rows in common of a join of 100 and 112 ids, with the rows of P0 and of P1",
        "groups north; south; east",
        "rounding debt to multiples of",
        "10 rows; of fewer nothing is shown",
        "add up: two questions that differ in one row",
    ] {
        assert!(text.contains(fragment), "{fragment}: {text}");
    }
    assert!(!text.contains("nothing of any row"), "{text}");
    let words = |asked: &str| {
        let asked = format!("explain stats p0.json {asked} --listen 127.0.0.1:0 {BANK}");
        site.run(&asked).ok().stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = words("--sum income --mean bills --covariance debt,bills --quantile income:0.5:10,20");
    for fragment in [
        "exact sums of income, debt tell this party, whose numbers these are, which of its rows",
        "exact sums of bills tell the peer, whose numbers these are",
        "tells this party a sum of bills with weights of its own, debt; with a weight on one row, that row's number",
        "tells the peer a sum of debt with weights of its own, bills",
        "--noise does",
        "many, with many cuts, tell numbers of rows",
    ] {
        assert!(text.contains(fragment), "{fragment}: {text}");
    }
    assert!(text.contains("chance of failure none"), "{text}");
    let text = words("--sum income --noise 1");
    assert!(!text.contains("exact sums"), "{text}");
    assert!(text.contains("numbers that noise takes out of their width 2^-"), "{text}");
    assert!(!words("--count").contains("exact sums"), "{text}");
}

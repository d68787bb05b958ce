//! `score` of rows in common, between two processes: joined in one go, and over files of a join.

use std::collections::BTreeMap;

use crate::common::{Done, Site, sigmoid};

const BANK: &str = "--identity bank.id";
const TELECOM: &str = "--identity telecom.id";
const P0: &str = "--weights bank.toml";
const P1: &str = "--weights telecom.toml";
const FRESH0: &str = "--features bank.csv --join customer";
const FRESH1: &str = "--features telecom.csv --join msisdn";

fn bank(i: usize) -> Option<[f64; 2]> {
    (!i.is_multiple_of(3)).then(|| [20.0 + (i * 7 % 40) as f64, (i % 5) as f64])
}

fn telecom(i: usize) -> Option<[f64; 2]> {
    (i % 4 != 1).then(|| [(i * i % 7) as f64, f64::from(i as u32 % 11) / 10.0])
}

/// The score of a row in common.
fn score(i: usize) -> Option<f64> {
    let ([income, late], [bills, share]) = (bank(i)?, telecom(i)?);
    Some(-0.5 + 0.04 * income - 0.75 * late - 0.25 * bills + 1.25 * share + 0.125)
}

/// Both parties' files, in different orders.
fn site() -> Site {
    let site = Site::new();
    site.write("bank.toml", "intercept = -0.5\n[weights]\nincome = 0.04\nlate = -0.75\n");
    site.write("telecom.toml", "intercept = 0.125\n[weights]\nbills = -0.25\nshare = 1.25\n");
    let (mut p0, mut p1) = ("customer,late,note,income\n".to_owned(), "share,msisdn,bills\n".to_owned());
    for i in 0..60 {
        if let Some([income, late]) = bank(59 - i) {
            p0 += &format!("k{},{late},x,{income}\n", 59 - i);
        }
        if let Some([bills, share]) = telecom(i) {
            p1 += &format!("{share},k{i},{bills}\n");
        }
    }
    site.write("bank.csv", &p0);
    site.write("telecom.csv", &p1);
    site
}

fn join(site: &Site, more: &str) {
    let _ = site
        .both(
            &format!("join --input bank.csv --id customer --columns income:100,late:10 --output p0.json {more} {BANK}"),
            &format!("join --input telecom.csv --id msisdn --columns bills:10,share:1 --output p1.json {more} {TELECOM}"),
        )
        .map(Done::ok);
}

#[track_caller]
fn both(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    site.both(&format!("score {P0} {p0} {BANK}"), &format!("score {P1} {p1} {TELECOM}")).map(Done::ok)
}

/// The cells of a result file by id, whose order must be that of the party's file.
#[track_caller]
fn cells(
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
    let rows: Vec<(usize, String)> = lines
        .map(|line| {
            let (id, cell) = line.split_once(',').unwrap();
            (id[1..].parse().unwrap(), cell.to_owned())
        })
        .collect();
    let mut order: Vec<usize> = (0..60).filter(|&i| has(i).is_some()).collect();
    if back {
        order.reverse();
    }
    assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), order);
    rows.into_iter().collect()
}

/// Decisions, with cells of rows that are not in common, but for rows that rounding could move.
#[track_caller]
fn decided(cells: &BTreeMap<usize, String>, threshold: f64, other: &str) {
    let at = (threshold / (1.0 - threshold)).ln();
    let mut seen = [0; 3];
    for (&i, cell) in cells {
        let want = match score(i) {
            None => other.to_owned(),
            Some(score) if (score - at).abs() < 1e-3 => continue,
            Some(score) => u8::from(score >= at).to_string(),
        };
        assert_eq!(*cell, want, "row {i}");
        seen[score(i).map_or(2, |score| usize::from(score >= at))] += 1;
    }
    assert!(seen.iter().all(|count| *count > 3), "{seen:?}");
}

#[test]
fn joined_and_scored_in_one_go() {
    let site = site();
    let [p0, p1] = both(
        &site,
        &format!("{FRESH0} --threshold 0.6 --output p0.csv --reveal me --record p0.rec --json"),
        &format!("{FRESH1} --threshold 0.6 --reveal peer --pad-to 50"),
    );
    decided(&cells(&site, "p0.csv", "at_least_0.6", bank, true), 0.6, "");
    assert!(p1.stderr.contains("the results go to the peer") && p1.stdout.is_empty(), "{p1:?}");
    assert!(p0.stdout.starts_with("{\"kind\":\"score\",\"function\":\"at_least_0.6\""), "{p0:?}");
    assert!(site.read("p0.rec").contains("40 and 50"), "{}", site.read("p0.rec"));

    // Each gets those of its own rows; who is not in common looks like one that is below, or above.
    for default in ["0", "1"] {
        let asked = format!("--threshold 0.3 --default {default} --force");
        both(
            &site,
            &format!("{FRESH0} {asked} --output p0.csv"),
            &format!("{FRESH1} {asked} --output p1.csv"),
        );
        decided(&cells(&site, "p0.csv", "at_least_0.3", bank, true), 0.3, default);
        decided(&cells(&site, "p1.csv", "at_least_0.3", telecom, false), 0.3, default);
    }
    let asked = "--bands 0.2,0.5,0.8 --reveal p1 --force";
    both(&site, &format!("{FRESH0} {asked}"), &format!("{FRESH1} {asked} --output p1.csv"));
    for (i, cell) in cells(&site, "p1.csv", "band", telecom, false) {
        let band = |score: f64| [0.2, 0.5, 0.8].iter().filter(|t| sigmoid(score) >= **t).count().to_string();
        assert_eq!(cell, score(i).map_or(String::new(), band), "row {i}");
    }
}

#[test]
fn files_of_a_join_are_scored() {
    let site = site();
    join(&site, "");
    for (asked, threshold, other) in [("--threshold 0.6", 0.6, ""), ("--threshold 0.3 --default 1", 0.3, "1")]
    {
        both(
            &site,
            &format!("--joined p0.json {asked} --output p0.csv --force"),
            &format!("--joined p1.json {asked} --output p1.csv --force"),
        );
        decided(&cells(&site, "p0.csv", &format!("at_least_{threshold}"), bank, true), threshold, other);
        decided(&cells(&site, "p1.csv", &format!("at_least_{threshold}"), telecom, false), threshold, other);
    }
    for (input0, input1) in [("--joined p0.json", "--joined p1.json"), (FRESH0, FRESH1)] {
        let asked = "--reveal-exact --reveal both --default 0.25 --force";
        both(
            &site,
            &format!("{input0} {asked} --output p0.csv"),
            &format!("{input1} {asked} --output p1.csv"),
        );
        for (i, cell) in cells(&site, "p0.csv", "probability", bank, true) {
            let want = score(i).map_or(0.25, sigmoid);
            assert!((cell.parse::<f64>().unwrap() - want).abs() < 1e-4, "row {i}: {cell}, not {want}");
        }
    }
    // Who listens may change; the party that owns the rows stays the same.
    let done = site.both(
        &format!("score {P1} --joined p1.json --reveal peer {TELECOM}"),
        &format!("score {P0} --joined p0.json --reveal me --output swapped.csv {BANK}"),
    );
    let _ = done.map(Done::ok);
    decided(&cells(&site, "swapped.csv", "at_least_0.5", bank, true), 0.5, "");

    // Numbers and scores with which nothing is rounded away of this party's products.
    let _ = site
        .both(
            &format!("join --input bank.csv --id customer --columns income:100,late:10 --fraction-bits 0 --output p0.json --force {BANK}"),
            &format!("join --input telecom.csv --id msisdn --columns bills:10,share:1 --output p1.json --force {TELECOM}"),
        )
        .map(Done::ok);
    let asked = "--threshold 0.6 --fraction-bits 24 --force";
    both(
        &site,
        &format!("--joined p0.json {asked} --output p0.csv"),
        &format!("--joined p1.json {asked} --output p1.csv"),
    );
    decided(&cells(&site, "p0.csv", "at_least_0.6", bank, true), 0.6, "");
    decided(&cells(&site, "p1.csv", "at_least_0.6", telecom, false), 0.6, "");

    // The rows of one party.
    join(&site, "--rows p1 --force");
    both(&site, "--joined p0.json", "--joined p1.json --output p1.csv --force");
    decided(&cells(&site, "p1.csv", "at_least_0.5", telecom, false), 0.5, "");
    site.run(&format!("score {P0} --joined p0.json --reveal me --output x.csv --connect 127.0.0.1:9 {BANK}"))
        .fails_with(2, "whoever is to get results owns no rows of this join");
}

/// Lanes, and material of the decision from a store: more of it than bins, so that the second run has some of it.
#[test]
fn lanes_and_stores() {
    let site = site();
    join(&site, "");
    for (input0, input1) in [("--joined p0.json", "--joined p1.json"), (FRESH0, FRESH1)] {
        let of = |name: &str| {
            format!(
                "prepare score --threshold 0.6 --shared --items 1800 --store {name}.store --identity {name}.id"
            )
        };
        let _ = site.both(&of("bank"), &of("telecom")).map(Done::ok);
        for (threads, default, offline) in [(1, "", "--no-offline"), (2, "1", "")] {
            let asked = match default {
                "" => format!("--threshold 0.6 --threads {threads} --json --force"),
                default => format!("--threshold 0.6 --threads {threads} --default {default} --json --force"),
            };
            let done = both(
                &site,
                &format!("{input0} {asked} --output p0.csv --store bank.store {offline}"),
                &format!("{input1} {asked} --output p1.csv --store telecom.store {offline}"),
            );
            decided(&cells(&site, "p0.csv", "at_least_0.6", bank, true), 0.6, default);
            decided(&cells(&site, "p1.csv", "at_least_0.6", telecom, false), 0.6, default);
            for done in done {
                let report: serde_json::Value = serde_json::from_str(done.stdout.trim_end()).unwrap();
                assert_eq!(report["threads"], threads, "{report}");
                let stored = report["stored"].as_u64().unwrap();
                assert!(if threads == 1 { stored > 1000 } else { (1..1000).contains(&stored) }, "{report}");
            }
        }
        for name in ["bank", "telecom"] {
            site.run(&format!("store rm {name}.store --identity {name}.id")).ok();
        }
    }
}

#[test]
fn what_does_not_go_together() {
    let site = site();
    join(&site, "");
    site.write("large.toml", "[weights]\nincome = 127\nlate = 100\n");
    site.write("wide.toml", "[weights]\nincome = 128\n");
    site.write("rounds.toml", "[weights]\nincome = -127.99999999\n");
    site.write("other.toml", "[weights]\nbills = 1\n");
    let run = |asked: &str| site.run(&format!("score {asked} --output x.csv --connect 127.0.0.1:9 {BANK}"));
    for (asked, code, fragment) in [
        (format!("{P0} {FRESH0} --joined p0.json"), 2, "cannot be used with"),
        (
            format!("{P0} --features bank.csv --id customer --default 0"),
            2,
            "--default needs --joined or --join",
        ),
        (
            format!("{P0} {FRESH0} --default 2"),
            2,
            "--default 2: accepted: a whole number from 0 to 1, or empty",
        ),
        (format!("{P0} {FRESH0} --reveal none"), 2, "results are of a party's rows"),
        (
            format!("{P0} {FRESH0} --find-difference"),
            2,
            "--find-difference cannot be combined with --joined and --join",
        ),
        (format!("{P0} {FRESH0} --pad-to 5"), 2, "--pad-to 5: bank.csv has 40 ids"),
        (format!("{P0} --joined bank.csv"), 3, "not a usable file of a join"),
        ("--weights large.toml --joined p0.json --bits 28".into(), 3, "it must stay below"),
        ("--weights wide.toml --joined p0.json".into(), 3, "is outside -128 to 128; scale the column"),
        ("--weights rounds.toml --joined p0.json".into(), 3, "-127.99999999, is outside -128 to 128"),
        ("--weights other.toml --joined p0.json".into(), 3, "p0.json has no such column, only: income, late"),
        (format!("{P0} --joined p0.json --bits 50"), 2, "74 is not supported"),
    ] {
        let done = run(&asked);
        assert!(done.code == code && done.stderr.contains(fragment), "{fragment}: {done:?}");
    }
    let fails = |p0: &str, p1: &str, fragment: &str| {
        let done = site.both(
            &format!("score {P0} {p0} --output x.csv {BANK}"),
            &format!("score {P1} {p1} --output y.csv {TELECOM}"),
        );
        done.iter().for_each(|done| done.fails_with(5, fragment));
    };
    fails("--joined p0.json", FRESH1, "or both parties say --join");
    let [p0, _] = site.both(
        &format!("score {P0} {FRESH0} --peer-at-most 44 --output x.csv {BANK}"),
        &format!("score {P1} {FRESH1} --output y.csv {TELECOM}"),
    );
    p0.fails_with(5, "the peer joins up to 45 ids, and --peer-at-most is 44");
    let old = site.read("p1.json");
    join(&site, "--force");
    site.write("old.json", &old);
    fails("--joined p0.json", "--joined old.json", "must come from the same run of `join`");
    fails(FRESH0, &format!("{FRESH1} --default 0"), "default");
    fails(FRESH0, &format!("{FRESH1} --normalise lower"), "form of ids");
    fails(FRESH0, &format!("{FRESH1} --threshold 0.7"), "what is asked");
    assert!(!site.has("x.csv") && !site.has("y.csv"));
}

#[test]
fn both_can_tell_how_most_of_their_ids_look() {
    let site = site();
    let score = |p0: &str, p1: &str| {
        site.both(
            &format!("score {P0} {FRESH0} --reveal me --force --output p0.csv {p0} --identity bank.id"),
            &format!("score {P1} {FRESH1} --reveal peer {p1} --identity telecom.id"),
        )
    };
    let tell = "--tell-form";
    for done in score(tell, tell).map(Done::ok) {
        assert!(done.stderr.contains("ids look alike at both: here a99, at the peer a99"), "{done:?}");
    }
    for done in [score(tell, ""), score("", tell)].as_flattened() {
        done.fails_with(5, "no --tell-form");
        assert!(!done.stderr.contains("a99"), "{done:?}");
    }
    site.write("telecom.csv", &site.read("telecom.csv").replace(",k", ",K"));
    let [p0, p1] = score(tell, tell);
    p0.fails_with(5, "how most ids look: here a99, at the peer A99; --normalise lower at both parties would make them alike");
    p1.fails_with(5, "how most ids look: here A99, at the peer a99; --normalise lower");
    let lower = "--tell-form --normalise lower";
    let _ = score(lower, lower).map(Done::ok);
    decided(&cells(&site, "p0.csv", "at_least_0.5", bank, true), 0.5, "");
    let explained = format!("explain score {P0} {FRESH0} {tell} --listen 127.0.0.1:0 {BANK}");
    let text = site.run(&explained).ok().stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("how most ids look") && text.contains("nothing of the others: a99 (A a capital"),
        "{text}"
    );
}

#[test]
fn what_it_would_show_is_said_before() {
    let site = site();
    join(&site, "");
    let words = |asked: &str| {
        let text = site.run(&format!("explain score {P0} {asked} --listen 127.0.0.1:0 {BANK}")).ok().stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = words(&format!("{FRESH0} --threshold 0.8 --reveal me"));
    for fragment in [
        "the rows in common, by a hidden join of 40 ids here",
        "this party for each of its rows that the other has too whether the probability is at least 0.8",
        "which of its rows the other has: the others' cells are empty",
        "the peer nothing: it gets no result, and does not learn which rows match, nor how many",
    ] {
        assert!(text.contains(fragment), "{fragment}: {text}");
    }
    let text = words("--joined p0.json --threshold 0.8 --default 0");
    for fragment in [
        "the rows in common of a join of 40 and 45 ids",
        "a row that the other does not have gets 0. A row in common may get 0 too; any other result tells",
    ] {
        assert!(text.contains(fragment), "{fragment}: {text}");
    }
}

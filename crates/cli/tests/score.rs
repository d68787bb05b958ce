//! `score` between two processes, with features and weights of both, and everything that can be wrong with them.

use crate::common::{Done, Site, results, sigmoid};
use serde_json::Value;

const ROWS: usize = 30;
const P0: &str = "--features bank.csv --weights bank.toml --identity bank.id";
const P1: &str = "--features telecom.csv --weights telecom.toml --identity telecom.id";

/// Both parties' files, and the score of every row.
fn site() -> (Site, Vec<f64>) {
    let site = Site::new();
    site.write("bank.toml", "intercept = -0.5\n[weights]\nincome = 0.04\nlate = -0.75\n");
    site.write("telecom.toml", "[weights]\nbills = -0.5\n\"prepaid share\" = 1.25\n");
    let (mut bank, mut telecom) = ("id,late,note,income\n".to_owned(), "prepaid share,id,bills\n".to_owned());
    let mut scores = Vec::new();
    for i in 0..ROWS {
        let (late, income) = ((i % 5) as f64, 10.0 + 4.5 * i as f64);
        let (share, bills) = (f64::from(i as u32 % 11) / 10.0, (i * i % 7) as f64);
        bank += &format!("c{i},{late},x,{income}\n");
        telecom += &format!("{share},c{i},{bills}\n");
        scores.push(-0.5 + 0.04 * income - 0.75 * late - 0.5 * bills + 1.25 * share);
    }
    site.write("bank.csv", &bank);
    site.write("telecom.csv", &telecom);
    (site, scores)
}

#[track_caller]
fn both(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    site.both(&format!("score {p0} {P0}"), &format!("score {p1} {P1}")).map(Done::ok)
}

#[test]
fn both_get_the_probabilities() {
    let (site, scores) = site();
    for (format, ulp) in [("", 16), ("--bits 32 --fraction-bits 12 --threads 2", 12)] {
        let asked = format!("--reveal-exact --reveal both {format} --force");
        for done in both(&site, &format!("{asked} --output p0.csv"), &format!("{asked} --output p1.csv")) {
            assert!(done.stderr.contains("warning: --reveal-exact lets each party compute the other's part of the score for every row"), "{done:?}");
            assert!(done.stderr.contains("ln(p / (1 - p)) minus its own part"), "{done:?}");
        }
        let (header, rows) = results(&site.read("p0.csv"));
        assert_eq!(header, "id,probability");
        for (i, (score, (id, got))) in scores.iter().zip(&rows).enumerate() {
            assert_eq!(*id, format!("c{i}"));
            let off = (got - sigmoid(*score)).abs() * 2f64.powi(ulp);
            // With half a step for the decimals that are written.
            assert!(off <= 3.8, "{id}: {got} for {score}, {off} ulp");
        }
        assert_eq!((rows.len(), site.read("p0.csv")), (ROWS, site.read("p1.csv")));
    }
}

#[test]
fn one_party_gets_one_bit() {
    let (site, scores) = site();
    for t in [0.5, 0.8] {
        let asked = format!("--threshold {t} --reveal p1 --force --json");
        let [p0, p1] = both(&site, &format!("{asked} --output p0.csv"), &format!("{asked} --output p1.csv"));
        assert!(p0.stderr.contains("the results go to the peer") && !site.has("p0.csv"), "{p0:?}");
        let (header, rows) = results(&site.read("p1.csv"));
        assert_eq!(header, format!("id,at_least_{t}"));
        let right =
            scores.iter().zip(rows).map(|(score, (_, got))| got == f64::from(u8::from(sigmoid(*score) >= t)));
        assert_eq!(right.filter(|right| *right).count(), ROWS);
        let report: Value = serde_json::from_str(p1.stdout.trim_end()).unwrap();
        assert_eq!((&report["kind"], &report["value_bits"]), (&"score".into(), &1.into()));
        // The comparison of 40 bits, and one bit from P0: no sigmoid.
        assert!(report["online"]["bytes"][0].as_u64().unwrap() < 40 * ROWS as u64, "{report}");
    }
}

/// What is opened where nothing is asked for: a bit a row, no probability.
#[test]
fn the_default_opens_bits() {
    let (site, scores) = site();
    let [p0, p1] = both(&site, "--quiet --json --output p0.csv", "--quiet --json --output p1.csv");
    let (header, rows) = results(&site.read("p0.csv"));
    assert_eq!((header.as_str(), rows.len()), ("id,at_least_0.5", ROWS));
    for (score, (id, got)) in scores.iter().zip(rows) {
        assert_eq!(got, f64::from(u8::from(*score >= 0.0)), "{id}: {score}");
    }
    assert_eq!(site.read("p0.csv"), site.read("p1.csv"));
    for done in [p0, p1] {
        let report: Value = serde_json::from_str(done.stdout.trim_end()).unwrap();
        assert_eq!((&report["value_bits"], &report["protocol"]), (&1.into(), &"comparison".into()));
        assert!(!done.stderr.contains("the result is a decision"), "quiet: {done:?}");
    }
    let explained = site.run(&format!("explain score --connect 127.0.0.1:9 {}", P0)).ok();
    assert!(explained.stderr.contains("the result is a decision: whether the probability is at least 0.5"));
}

/// The band counts the thresholds that are reached, the number right at one included.
#[test]
fn bands_are_right_at_their_edges() {
    let (site, scores) = site();
    let asked = "--bands 0.2,0.5,0.8 --reveal p0";
    let done = both(&site, &format!("{asked} --output p0.csv"), asked);
    assert!(done.iter().all(|done| !done.stderr.contains("warning")), "{done:?}");
    let (header, rows) = results(&site.read("p0.csv"));
    assert_eq!(header, "id,band");
    for (score, (id, got)) in scores.iter().zip(rows) {
        let want = [0.2, 0.5, 0.8].iter().filter(|t| sigmoid(*score) >= **t).count();
        assert_eq!(got, want as f64, "{id}: {score}");
    }

    // Scores of -1, 0 and 1 unit: 0 is right at 0.5.
    site.write("bank.toml", "[weights]\nincome = 1\n");
    site.write("telecom.toml", "[weights]\nbills = 1\n");
    site.write("bank.csv", "id,income\na,2.5\nb,-7\nc,100\n");
    site.write("telecom.csv", "id,bills\na,-2.5000152587890625\nb,7\nc,-99.9999847412109375\n");
    for (bands, want) in [("0.2,0.5,0.8", [1.0, 2.0, 2.0]), ("0.5", [0.0, 1.0, 1.0])] {
        let asked = format!("--bands {bands} --reveal p1 --force");
        both(&site, &asked, &format!("{asked} --output p1.csv"));
        let got: Vec<f64> = results(&site.read("p1.csv")).1.into_iter().map(|(_, band)| band).collect();
        assert_eq!(got, want, "{bands}");
    }
}

/// Scores with results that stay shared, which both parties then compare with a constant: `want` of each score.
fn shared_and_compared(asked: &str, constant: &str, want: impl Fn(f64) -> bool) {
    let (site, scores) = site();
    let asked = format!("{asked} --reveal none");
    both(&site, &format!("{asked} --output p0.json"), &format!("{asked} --output p1.json"));
    assert!(!site.read("p0.json").contains("\"error\":null"), "how exact they are is stated");
    let ge = format!("apply ge --constant {constant}");
    let _ = site
        .both(
            &format!("{ge} --input p0.json --output p0.csv --identity bank.id"),
            &format!("{ge} --input p1.json --output p1.csv --identity telecom.id"),
        )
        .map(Done::ok);
    for (score, (id, got)) in scores.iter().zip(results(&site.read("p1.csv")).1) {
        assert_eq!(got == 1.0, want(*score), "{id}: {score}");
    }
}

#[test]
fn bands_that_stay_shared_go_on() {
    shared_and_compared("--bands 0.2,0.5,0.8", "2", |score| score >= 0.0);
}

#[test]
fn answers_that_stay_shared_go_on() {
    shared_and_compared("--reveal-exact --bits 32", "0.75", |score| sigmoid(score) >= 0.75);
}

/// Wrong before anything is connected: a message with file, line, name and range, and no output.
#[test]
fn wrong_files() {
    let (site, _) = site();
    let refuse = |file: &str, text: &str, fragment: &str| {
        let before = site.read(file);
        site.write(file, text);
        let done = site.run(&format!("score --output out.csv --connect 127.0.0.1:9 {P0}"));
        done.fails(fragment);
        assert!(!site.has("out.csv"), "{fragment}");
        site.write(file, &before);
    };
    let weights = |text: &str, fragment: &str| refuse("bank.toml", text, fragment);
    weights(
        "[weights]\nincome = 1\nheight = 2\n",
        "bank.toml: line 3: weight \"height\": bank.csv has no such column",
    );
    weights("[weights]\nincome = many\n", "bank.toml: line 2: ");
    weights("[weights]\nincome = \"1\"\n", "bank.toml: line 2: income: \"1\" is not a finite decimal number");
    weights("intercept = inf\n[weights]\n", "bank.toml: line 1: intercept: inf is not a finite");
    weights("slope = 1\n[weights]\n", "bank.toml: line 1: \"slope\" is not known here");
    weights("intercept = 1\n", "bank.toml: no table [weights]");
    weights(
        "[weights]\nincome = 1e6\nlate = 1\n",
        "bank.csv: 30 bad rows\n  line 2: this party's part of the score, 10000000, is outside -2097152 (included) to \
         2097152 (excluded); most of it, 10000000, is from \"income\"; use more --bits",
    );
    let features = |text: &str, fragment: &str| refuse("bank.csv", text, fragment);
    features("id,late,income\na,1,2\nb,,3\n", "bank.csv: line 3, column \"late\": \"\" is missing");
    features("id,late,income\na,1,2\nb,1\n", "bank.csv: line 3: 2 cells where the first line has 3");
    features("id,late,income\na,one,2\n", "bank.csv: line 2, column \"late\": \"one\" is not a number");
    features("id,late\na,1\n", "weight \"income\": bank.csv has no such column, only: id, late");
    features("id,late,income,late\na,1,2,3\n", "column \"late\" occurs more than once");
    features("name,late,income\na,1,2\n", "bank.csv: no column \"id\"");
    features("id,late,income\n", "bank.csv: no rows");
    for (asked, fragment) in [
        ("--threshold 1", "threshold: 1"),
        ("--threshold 0", "more than 0 and less than 1"),
        ("--threshold x", "invalid float"),
        ("--threshold 0.5 --bands 0.2,0.8", "cannot be used with"),
        ("--threshold 0.5 --reveal-exact", "cannot be used with"),
        ("--bands 0.2,0.8 --reveal-exact", "cannot be used with"),
        (
            "--reveal-exact",
            "--reveal is missing: it says who gets the results. Whoever gets the probability can compute",
        ),
        ("--bands 0.8,0.2", "numbers that increase"),
        ("--bands 0.2,1", "threshold: 1"),
        ("--bands 0.2,x", "invalid float"),
        ("--bits 16 --fraction-bits 13", "bits behind the point of a score: 13"),
        ("--fraction-bits 3", "3 is not in 4..=24"),
    ] {
        let done = site.run(&format!("score {asked} --output out.csv --connect 127.0.0.1:9 {P0}"));
        assert!(done.is_reported() && done.stderr.contains(fragment), "{fragment}: {done:?}");
    }
}

#[test]
fn what_differs_ends_both() {
    let (site, _) = site();
    let fails = |p0: &str, p1: &str, fragment: &str| {
        let done = site
            .both(&format!("score {p0} --output p0.csv {P0}"), &format!("score {p1} --output p1.csv {P1}"));
        done.iter().for_each(|done| done.fails(fragment));
        assert!(!site.has("p0.csv") && !site.has("p1.csv"));
    };
    fails("--threshold 0.5", "--threshold 0.6", "what is asked");
    fails("--threshold 0.6", "", "what is asked");
    fails("--threshold 0.5", "--bands 0.5", "what is asked");
    fails("--reveal-exact --reveal both", "", "what is asked");
    fails("--bits 48", "", "bits");
    fails("--reveal p0", "--reveal both", "reveal");
    let text = site.read("telecom.csv");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(2, 3);
    site.write("telecom.csv", &(lines.join("\n") + "\n"));
    fails("", "", "hushtable join --reveal ids");
    lines.pop();
    site.write("telecom.csv", &(lines.join("\n") + "\n"));
    fails("", "", "number of rows");
}

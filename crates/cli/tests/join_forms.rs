//! `join` of ids that only differ in form: what is the same without being asked for, what is warned of, and what both
//! can tell each other before.

use std::fs;

use crate::common::{Done, Site};

const BANK: &str = "--identity bank.id";
const TELECOM: &str = "--identity telecom.id";

fn column(site: &Site, name: &str, ids: &[&str]) {
    site.write(name, &format!("id\n{}", ids.iter().map(|id| format!("\"{id}\"\n")).collect::<String>()));
}

/// Both parties count the ids that they have in common.
#[track_caller]
fn count(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    let asked = |name: &str, more: &str| format!("join --reveal count --input {name}.csv --id id {more}");
    site.both(&format!("{} {BANK}", asked("a", p0)), &format!("{} {TELECOM}", asked("b", p1)))
}

#[track_caller]
fn common(site: &Site, p0: &str, p1: &str) -> usize {
    let [at_p0, at_p1] = count(site, p0, p1).map(Done::ok);
    assert_eq!(at_p0.stdout, at_p1.stdout);
    at_p0.stdout.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn what_nobody_sees_makes_no_difference() {
    let site = Site::new();
    column(&site, "a.csv", &["\u{c4}nne", " Jos\u{e9} ", "Bob"]);
    column(&site, "b.csv", &["A\u{308}nne", "Jose\u{301}\u{a0}", "Bob"]);
    assert_eq!(common(&site, "", ""), 3);
    assert_eq!(common(&site, "--normalise trim,nfc", ""), 3);
    assert_eq!(common(&site, "--normalise none", "--normalise none"), 1);
    // Scores of rows in common go by the same rules.
    site.write("a.csv", "id,x\n\u{c4}nne,9\n Jos\u{e9} ,9\n");
    site.write("b.csv", "id,y\nA\u{308}nne,9\nJose\u{301},9\n");
    site.write("a.toml", "[weights]\nx = 1\n");
    site.write("b.toml", "[weights]\ny = 1\n");
    let score = |name: &str, more: &str| {
        format!(
            "score --join id --features {name}.csv --weights {name}.toml --threshold 0.5 --default 0 {more}"
        )
    };
    let _ = site
        .both(
            &score("a", &format!("--reveal me --output out.csv {BANK}")),
            &score("b", &format!("--reveal peer {TELECOM}")),
        )
        .map(Done::ok);
    let ones = site.read("out.csv").lines().filter(|line| line.ends_with(",1")).count();
    assert_eq!(ones, 2, "{}", site.read("out.csv"));
}

/// How a file is read is its owner's matter; which form results is not.
#[test]
fn only_the_form_that_results_must_agree() {
    let site = Site::new();
    column(&site, "a.csv", &["01 2345678", "+49 30 1234567", "02 3456789"]);
    column(&site, "b.csv", &["+43 1 2345678", "030 1234567", "0043/2 3456789"]);
    assert_eq!(common(&site, "--normalise e164:+43", "--normalise e164:+49"), 3);
    column(&site, "a.csv", &["3.4.1970", "13.12.1985"]);
    column(&site, "b.csv", &["1970-04-03", "1985-12-13"]);
    assert_eq!(common(&site, "--normalise date:dmy", "--normalise date"), 2);
    column(&site, "b.csv", &["1970-04-03T00:00:00Z", "1985-12-13 00:00:00"]);
    assert_eq!(common(&site, "--normalise date:dmy", "--normalise date"), 2);
    // What can be read in all these ways.
    column(&site, "a.csv", &["19700403", "19851213"]);
    column(&site, "b.csv", &["19700403", "19851213"]);
    for (p0, p1) in [("e164:+43", "digits"), ("date", "trim"), ("alnum", "lower"), ("none", "trim")] {
        let done = count(&site, &format!("--normalise {p0}"), &format!("--normalise {p1}"));
        done.iter().for_each(|done| done.fails_with(5, "form of ids"));
    }
}

/// Before anything is sent: this only explains.
#[test]
fn a_party_is_warned_of_its_own_ids() {
    let site = Site::new();
    let warned = |ids: &[&str], more: &str| {
        column(&site, "a.csv", ids);
        let done = site.run(&format!(
            "explain join --reveal count --input a.csv --id id {more} --listen 127.0.0.1:0 {BANK}"
        ));
        let done = done.ok();
        let line = done.stderr.lines().find(|line| line.starts_with("warning: a.csv"));
        line.unwrap_or_default().to_owned()
    };
    let both = |rules: &str| format!("--normalise {rules} at both parties settles it");
    let code =
        "--normalise trim,nfc,e164:+CODE settles it, at each party with the code of those that have none";
    for (ids, more, advice) in [
        (&["C1", "c2"][..], "", both("trim,nfc,lower")),
        (&["A-1", "A2"], "", both("trim,nfc,alnum")),
        (&["a b", "A-b"], "", both("trim,nfc,lower,alnum")),
        (&["007", "7"], "", both("trim,nfc,zeros")),
        (&["+43 1 2345678", "01 2345678"], "", code.into()),
        (&["3.4.1970", "1970-04-04"], "", "--normalise trim,nfc,date:dmy settles it, with the order".into()),
        (&["12/31/2024", "1/2/2024"], "", "--normalise trim,nfc,date:mdy settles it".into()),
        (
            &["1/3/2024", "1/2/2024"],
            "",
            "date:dmy or --normalise trim,nfc,date:mdy (as they are written".into(),
        ),
        (&["31/12/2024", "12/31/2024"], "", "no rule reads all (see line 3)".into()),
        (&["4.9E+11", "491512345678"], "", "no rule brings back, in 1 of 2 ids (see line 2)".into()),
        (&["12.0", "13"], "", "no rule takes away, in 1 of 2 ids (see line 2)".into()),
        (&["a\u{308}", "b"], "--normalise none,trim", both("none,trim,nfc")),
    ] {
        let line = warned(ids, more);
        assert!(line.contains(&advice), "{ids:?}: {line:?}");
        assert!(line.contains("column \"id\"") && line.contains("line "), "{line}");
        assert_eq!(line.contains("--normalise"), !advice.starts_with("no rule"), "{line}");
    }
    for (ids, more) in [
        (&["C1", "C2"][..], ""),
        (&["C1", "c2"], "--normalise lower"),
        (&["A-1", "A2"], "--normalise alnum"),
        (&["007", "7"], "--normalise zeros"),
        (&["+43 1 2345678", "02 2345678"], "--normalise e164:+43"),
    ] {
        // With 7 twice there would be nothing to join.
        let ids = if ids[0] == "007" { &["007", "8"] } else { ids };
        assert_eq!(warned(ids, more), "", "{ids:?} {more}");
    }
}

/// The data of the README, without a rule: the party whose ids are typed in two ways is told.
#[test]
fn the_example_data_without_a_rule_warns() {
    let site = Site::new();
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/joining");
    for name in ["bank.csv", "telecom.csv"] {
        site.write(name, &fs::read_to_string(examples.join(name)).unwrap());
    }
    let join =
        |input: &str, id: &str, more: &str| format!("join --reveal count --input {input} --id {id} {more}");
    let both = |more: &str| {
        site.both(
            &join("bank.csv", "customer", &format!("{more} {BANK}")),
            &join("telecom.csv", "subscriber", &format!("{more} {TELECOM}")),
        )
    };
    let [bank, telecom] = both("").map(Done::ok);
    assert!(
        !bank.stderr.contains("warning") && telecom.stderr.contains("--normalise trim,nfc,lower"),
        "{telecom:?}"
    );
    let [bank, telecom] = both("--normalise lower --tell-form").map(Done::ok);
    assert_eq!((bank.stdout.as_str(), telecom.stdout.as_str()), ("663 common ids\n", "663 common ids\n"));
    assert!(!telecom.stderr.contains("warning"), "{telecom:?}");
}

#[test]
fn both_can_tell_how_most_of_their_ids_look() {
    let site = Site::new();
    let ids = |of: &dyn Fn(usize) -> String| (0..12).map(of).collect::<Vec<String>>();
    let write = |name: &str, ids: &[String]| {
        site.write(name, &format!("id\n{}", ids.iter().map(|id| format!("{id}\n")).collect::<String>()));
    };
    let capital = ids(&|i| format!("C{}", 100 + i));
    write("a.csv", &capital);
    write("b.csv", &ids(&|i| format!("c{}", 106 + i)));
    let tell = "--tell-form";
    let done = count(&site, tell, tell);
    for (done, own, other) in [(&done[0], "A999", "a999"), (&done[1], "a999", "A999")] {
        done.fails_with(5, &format!("how most ids look: here {own}, at the peer {other}"));
        done.fails_with(5, "--normalise lower at both parties would make them alike");
    }
    assert_eq!(common(&site, "--tell-form --normalise lower", "--tell-form --normalise lower"), 6);
    // One alone is told nothing.
    for (p0, p1) in [(tell, ""), ("", tell)] {
        let done = count(&site, p0, p1);
        done.iter().for_each(|done| done.fails_with(5, "no --tell-form"));
        assert!(done.iter().all(|done| !done.stderr.contains("A999") && !done.stderr.contains("a999")));
    }
    // Of another length, and of many kinds.
    write("a.csv", &ids(&|i| (1000 + i).to_string()));
    write("b.csv", &ids(&|i| (10000 + i).to_string()));
    let [p0, p1] = count(&site, tell, tell).map(Done::ok);
    assert!(p0.stderr.contains("here 9999, at the peer 99999; if one of you lost leading zeros"), "{p0:?}");
    // There are none at the longer ones.
    assert!(p0.stderr.contains("--normalise zeros") && !p1.stderr.contains("--normalise"), "{p1:?}");
    write("b.csv", &ids(&|i| "ab-".repeat(1 + i)));
    let [p0, _] = count(&site, tell, tell).map(Done::ok);
    assert!(p0.stderr.contains("here 9999, at the peer several"), "{p0:?}");
    // Said before.
    let explained =
        format!("explain join --reveal count --input a.csv --id id {tell} --listen 127.0.0.1:0 {BANK}");
    let text = site.run(&explained).ok().stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("how most ids look") && text.contains("nothing of the others: 9999 (A a capital"),
        "{text}"
    );
}

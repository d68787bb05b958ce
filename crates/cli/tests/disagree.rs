//! Parties that ask for different things: the same clear error on both sides, nothing written.

use crate::common::{Done, Site, to_both};

const FINE: &str = "sigmoid --column score --fraction-bits 4";

/// Runs `apply` with these arguments; both sides must end with exit code 5 and `fragment`, and without output.
#[track_caller]
fn refuse(site: &Site, p0: &str, p1: &str, fragment: &str) {
    let before = site.names();
    let [first, second] = site.both(
        &to_both(&format!("apply {p0} --output p0.csv --identity bank.id --timeout 600")),
        &to_both(&format!("apply {p1} --output p1.csv --identity telecom.id --timeout 600")),
    );
    for done in [first, second] {
        assert!(done.time.as_secs() < 60, "{done:?}");
        done.fails_with(5, fragment);
    }
    assert_eq!(site.names(), before);
}

#[test]
fn rows_and_ids() {
    let site = Site::new();
    site.write("a.csv", "id,score\nx,1\ny,2\nz,3\n");
    site.write("short.csv", "id,score\nx,1\ny,2\n");
    site.write("swapped.csv", "id,score\ny,1\nx,2\nz,3\n");
    site.write("joined.csv", "id,score\nxy,1\n,2\nz,3\n");
    let a = &format!("{FINE} --input a.csv");
    refuse(&site, a, &format!("{FINE} --input short.csv"), "disagree on number of rows");
    refuse(&site, a, &format!("{FINE} --input swapped.csv"), "disagree on ids");
    refuse(&site, &format!("{FINE} --input joined.csv"), a, "disagree on ids");
    refuse(&site, a, &format!("{a} --no-ids"), "disagree on ids");
    let done = site.both(
        &format!("apply {a} --reveal both --output p0.csv --identity bank.id"),
        &format!("apply {FINE} --reveal both --input swapped.csv --output p1.csv --identity telecom.id"),
    );
    for done in done {
        done.fails("`hushtable join --reveal ids` writes the common rows");
    }
}

#[test]
fn parameters() {
    let site = Site::new();
    site.write("a.csv", "id,score\nx,1\ny,0.5\nz,-1\n");
    site.write("t1.csv", "1\n2\n3\n4\n");
    site.write("t2.csv", "1\n2\n3\n5\n");
    let fine = &format!("{FINE} --input a.csv");
    for (other, fragment) in [
        ("tanh --column score --fraction-bits 4 --domain -8:8", "disagree on function"),
        ("sigmoid --column score --fraction-bits 5", "disagree on fraction bits"),
        ("sigmoid --column score --fraction-bits 4 --domain -4:4", "disagree on domain"),
        (
            "sigmoid --column score --fraction-bits 4 --output-fraction-bits 12",
            "disagree on output fraction bits",
        ),
        ("sigmoid --column score --fraction-bits 4 --reveal p1", "disagree on reveal"),
    ] {
        refuse(&site, fine, &format!("{other} --input a.csv"), fragment);
    }
    let two = format!("{fine} --threads 2");
    refuse(&site, &format!("{fine} --threads 1"), &two, "disagree on threads: here ");
    let table = |name| format!("--table {name} --column score --input a.csv --domain -2:2");
    site.write("a.csv", "id,score\nx,0\ny,0\nz,-1\n");
    refuse(&site, &table("t1.csv"), &table("t2.csv"), "disagree on table digest");
    refuse(&site, &table("t1.csv"), fine, "disagree on function");
}

/// Longer than 10 s on a small machine: ten processes, most with functions of shares of 64 bits.
#[test]
fn share_files_that_do_not_belong_together() {
    let site = Site::new();
    site.write("a.csv", "id,score\nx,1\ny,0.5\nz,-1\n");
    for name in ["1", "2"] {
        let keep = format!("apply {FINE} --input a.csv --reveal none --output");
        let done = site.both(
            &format!("{keep} bank{name}.json --identity bank.id"),
            &format!("{keep} telecom{name}.json --identity telecom.id"),
        );
        for done in done {
            done.ok();
        }
    }
    let next = |name| format!("tanh --input {name}.json");
    refuse(&site, &next("bank1"), &next("telecom2"), "disagree on input");
    refuse(&site, &next("bank1"), &next("bank1"), "disagree on input");
    refuse(&site, &next("bank1"), "tanh --column score --fraction-bits 4 --input a.csv", "disagree on input");
}

/// With --find-difference at both parties: the row, and each party's own id alone.
#[test]
fn the_row_that_differs_is_found() {
    let site = Site::new();
    let rows = |change: &dyn Fn(usize) -> String| {
        (0..100).map(|i| format!("{},1\n", change(i))).fold("id,score\n".to_owned(), |all, row| all + &row)
    };
    site.write("a.csv", &rows(&|i| format!("n{i}")));
    site.write("same.csv", &rows(&|i| format!("n{i}")));
    site.write(
        "other.csv",
        &rows(&|i| if i == 41 || i > 60 { format!("secret{i}") } else { format!("n{i}") }),
    );
    site.write("short.csv", &site.read("a.csv")[.."id,score\nn0,1\nn1,1\n".len()]);
    let party = |input: &str, own: &str| {
        format!(
            "apply {FINE} --reveal both --input {input} --find-difference --output {own}.csv --identity {own}.id"
        )
    };
    let record = |of: &str| format!("{} --record {of}.json", party("a.csv", of));
    let [p0, p1] = site.both(&record("bank"), &party("other.csv", "telecom"));
    let error = "the parties' ids differ, first in row 42: the id here stands above, the peer's is not shown";
    for (done, id) in [(&p0, "n41"), (&p1, "secret41")] {
        done.fails_with(5, error);
        assert!(done.stderr.contains(&format!("row 42 here: {id:?}\n")), "{done:?}");
    }
    assert!(!p0.stderr.contains("secret"), "{p0:?}");
    // A record has the error, and no id: these are no hexadecimal digits, of which it has many.
    let record = site.read("bank.json");
    assert!(record.contains(error) && !record.contains("n41"), "{record}");
    let [p0, p1] = site.both(&party("short.csv", "bank"), &party("a.csv", "telecom"));
    p0.fails_with(5, "first in row 3: here the rows end with row 2");
    p1.fails_with(5, "first in row 3: the id here stands above");
    assert!(p1.stderr.contains("row 3 here: \"n2\"\n"), "{p1:?}");
    let one = party("same.csv", "telecom").replace("--find-difference", "");
    for done in site.both(&party("a.csv", "bank"), &one) {
        done.fails_with(5, "disagree on search of a row that differs");
    }
    assert!(!site.has("bank.csv") && !site.has("telecom.csv"));
    let _ = site.both(&party("a.csv", "bank"), &party("same.csv", "telecom")).map(Done::ok);
    site.run(&format!("{} --no-ids --listen 127.0.0.1:0", party("a.csv", "bank"))).fails_with(2, "needs ids");
    let dry =
        site.run(&format!("{} --force --dry-run --listen 127.0.0.1:0", party("a.csv", "bank"))).ok().stdout;
    let dry = dry.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(dry.contains("the number of the first row where they do"), "{dry}");
    assert!(
        dry.contains("can test guesses of the other's against a hash that depends on no other unknown id"),
        "{dry}"
    );
}

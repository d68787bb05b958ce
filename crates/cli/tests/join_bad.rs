//! `join` between two processes: everything that can be wrong, what is said before, and how it ends.

use std::time::Duration;

use crate::common::{Done, Site};
use crate::proxy::{Fault, Proxy};
use serde_json::Value;

const BANK: &str = "--identity bank.id";
const TELECOM: &str = "--identity telecom.id";
const P0: &str = "--input bank.csv --id customer";
const P1: &str = "--input telecom.csv --id msisdn";

/// Both parties' files.
fn site() -> Site {
    let site = Site::new();
    let rows = |of: &dyn Fn(usize) -> String| (0..40).map(of).collect::<String>();
    let regions = ["north", "south", "east"];
    site.write(
        "bank.csv",
        &format!("customer,income,region\n{}", rows(&|i| format!("k{i},{i},{}\n", regions[i % 3]))),
    );
    site.write("telecom.csv", &format!("msisdn,bills\n{}", rows(&|i| format!("k{},{i}\n", 2 * i))));
    site
}

/// What is said of bad rows can be followed: this party alone leaves them out.
#[test]
fn bad_rows_of_a_join_are_left_out_here() {
    let site = site();
    let bad = site.read("bank.csv").replace("k4,4,", "k4,none,").replace("k6,6,", "k6,none,");
    site.write("bank.csv", &bad);
    let join = format!("join --columns income {P0} {BANK} --output p0.json");
    let done = site.run(&format!("{join} --bad-rows bad.csv --connect 127.0.0.1:9"));
    done.fails_with(
        3,
        "with --leave-out bad.csv here the job goes on without them. The peer needs no such list",
    );
    assert_eq!(site.read("bad.csv"), "id\nk4\nk6\n");
    let peer = format!("join {P1} {TELECOM} --output p1.json");
    let _ = site.both(&format!("{join} --leave-out bad.csv"), &peer).map(Done::ok);
    let [done, _] = site
        .both(&format!("stats p0.json --count {BANK}"), &format!("stats p1.json --count {TELECOM}"))
        .map(Done::ok);
    assert!(done.stdout.contains("18"), "{done:?}");
}

/// Decimals that the digits do not tell apart are no longer what was written.
#[test]
fn a_join_says_what_it_rounds() {
    let site = Site::new();
    site.write("bank.csv", "customer,x,y\na,0.001,0.5\nb,0.25,1\nc,0.002,0.1\n");
    let said = |more: &str| {
        let columns = "--columns x,y --output out.json --connect 127.0.0.1:9 --wait 1";
        site.run(&format!("join {P0} {columns} {more} {BANK}")).stderr
    };
    let text = said("--fraction-bits 8");
    let wanted = "bank.csv, column \"x\": 2 of 3 numbers are rounded to multiples of 2^-8 = 0.00390625; --fraction-bits 10 \
                  would keep the digits they are written with";
    assert!(text.contains(wanted) && !text.contains("column \"y\""), "{text}");
    assert!(!said("--fraction-bits 10").contains("rounded"));
}

/// Wrong before anything is connected: a message with file and lines, and no output.
#[test]
fn wrong_tables() {
    let site = Site::new();
    let run = |asked: &str| site.run(&format!("join {asked} --output out.json --connect 127.0.0.1:9 {BANK}"));
    site.write("a.csv", "id,n,g\n ,1,a\nx,none,b\ny,2,c\n\u{a0},3,a\nz,4\nw,1e9,a\n");
    let done = run("--input a.csv --id id --columns n,g:a|b");
    for fragment in [
        "a.csv: 6 bad rows",
        "line 2, column \"id\": \"\" is empty: every row needs an id",
        "line 3, column \"n\": \"none\" is not a number",
        "line 4, column \"g\": \"c\" is not one of: a, b",
        "line 5, column \"id\": \"\" is empty",
        "line 6: 2 cells where the first line has 3",
        "line 7, column \"n\": \"1e9\" is outside -1048576 to 1048576; --columns NAME:LIMIT",
    ] {
        done.fails_with(3, fragment);
    }
    let rows: String = (0..50).map(|i| format!("x{},1,a\n", i / 2)).collect();
    site.write("a.csv", &format!("id,n,g\n{rows}"));
    let done = run("--input a.csv --id id");
    done.fails_with(3, "a.csv: 25 bad rows");
    done.fails_with(3, "and 5 more like these");
    site.write("a.csv", "id,n\nx,1\n");
    site.write("t.csv", "t\n2024-12-30T00:00:00Z\n2024-12-31T10:30:00Z\n");
    for (asked, code, fragment) in [
        ("--input a.csv --id gone", 3, "no column \"gone\"; its columns are: id, n"),
        ("--input a.csv --id id --columns gone", 3, "no column \"gone\""),
        ("--input a.csv --id id --columns n,n", 2, "\"n\" twice"),
        ("--input a.csv --id id --columns n:0", 2, "the limit 0"),
        ("--input a.csv --id id --normalise upper", 2, "is not one of: trim"),
        (
            "--input a.csv --id id,n --normalise trim --normalise trim --normalise trim",
            2,
            "3 times for 2 columns",
        ),
        (
            "--input a.csv --id id --normalise e164:+43",
            3,
            "line 2, column \"id\": \"x\" is no telephone number",
        ),
        ("--input a.csv --id id --normalise date", 3, "is no date; accepted: such as 2024-12-31, 2024/12/31"),
        (
            "--input t.csv --id t --normalise date",
            3,
            "line 3, column \"t\": \"2024-12-31T10:30:00Z\" has a time of day other than midnight; accepted: days such \
             as 2024-12-31",
        ),
        ("--input a.csv --id id --duplicates all", 2, "a hidden join has a place for one partner"),
        (
            "--input a.csv --id id --reveal count --duplicates all",
            2,
            "--output cannot be combined with --reveal count",
        ),
        ("--input a.csv --id id --reveal ids --duplicates sum", 2, "is for a hidden join"),
        ("--input a.csv --id id --reveal ids --columns n", 2, "--columns is for a hidden join"),
        ("--input a.csv --id id --to me", 2, "--to needs --reveal ids"),
        ("--input a.csv --id id --rows none", 2, "--rows none"),
        ("--input a.csv --id id --reveal count --rows me", 2, "--rows is for a hidden join"),
        ("--input a.csv --id id --reveal ids --rows me", 2, "--rows is for a hidden join"),
        ("--input a.csv --id id --reveal count", 2, "--output cannot be combined with --reveal count"),
        ("--input a.csv --id id --columns p0.n", 2, "does not begin with p0. or p1."),
        ("--input a.csv --id id --pad-to 0", 2, "not a whole number"),
        ("--input a.csv --id id --output-mode 640", 2, "--output-mode is for results"),
        (
            "--input a.csv --id n --columns id:a|b",
            3,
            "a.csv: column \"id\": no row has the label \"a\", \"b\"; the labels there are: \"x\"",
        ),
        (
            "--input a.csv --id n --columns id",
            3,
            "column \"id\" has texts, and numbers are expected: \"x\". To count",
        ),
        ("--input gone.csv --id id", 3, "gone.csv"),
    ] {
        let done = run(asked);
        assert!(done.code == code && done.stderr.contains(fragment), "{fragment}: {done:?}");
    }
    site.write("a.csv", "id\nx\ny\n");
    run("--input a.csv --id id --pad-to 1").fails_with(2, "--pad-to 1: a.csv has 2 ids");
    site.write("a.csv", "id\n");
    run("--input a.csv --id id").fails_with(3, "no rows below the header");
    assert!(!site.has("out.json"));
}

/// Labels compare as values, and those that cannot be counted by are said before anything is connected.
#[test]
fn labels_of_groups() {
    let site = Site::new();
    let run = |columns: &str| {
        site.run(&format!(
            "join --input a.csv --id id --columns {columns} --output out.json --connect 127.0.0.1:9 {BANK} --dry-run"
        ))
    };
    let rows = |cells: &[&str]| {
        cells.iter().enumerate().map(|(i, cell)| format!("{i},{cell}\n")).collect::<String>()
    };
    site.write("a.csv", &format!("id,g\n{}", rows(&["1", "2.0", " 1.00", "3", "\"2 \""])));
    for columns in ["g:1|2|3", "g:1.0|02.0|3", "g:3.000|1|2.00", "g:1|2"] {
        let done = run(columns);
        match columns {
            "g:1.0|02.0|3" => {
                done.fails_with(
                    3,
                    "no row has the label \"02.0\"; the labels there are: \"1\", \"2\", \"3\"",
                );
            }
            // Every cell is one of the labels, or bad: all bad lines, and then the labels.
            "g:1|2" => {
                done.fails_with(3, "line 5, column \"g\": \"3\" is not one of: 1, 2\ncolumn \"g\" has the labels: \"1\", \"2\", \"3\"");
            }
            _ => assert!(done.code == 0, "{columns}: {done:?}"),
        }
    }
    run("g:1|1.0").fails_with(2, "the group \"1\" twice");
    let many: Vec<String> = (0..90).map(|i| format!("label {i:02}")).collect();
    site.write("a.csv", &format!("id,g\n{}", rows(&many.iter().map(String::as_str).collect::<Vec<_>>())));
    let done = run("g");
    done.fails_with(3, "column \"g\" has texts, and numbers are expected: \"label 00\", ");
    done.fails_with(3, "\"label 19\" and 70 more. To count by them");
    assert!(done.stderr.lines().count() < 4, "{done:?}");
    // Numbers that are all bad are no texts.
    site.write("a.csv", &format!("id,g\n{}", rows(&["16.1", "-16.2"])));
    run("g:10").fails_with(3, "is outside -10 to 10; --columns NAME:LIMIT sets another limit");
    // A row that swallows all others is not taken for one.
    site.write("a.csv", "id,g\na,1\nb,\"2\nc,3\n");
    run("g").fails_with(3, "line 3: a quotation mark in the row that begins here is not closed");
    // With one number it is a column of numbers.
    site.write("a.csv", &format!("id,g\n{}", rows(&["x", "1", "y"])));
    run("g").fails_with(3, "a.csv: 2 bad rows");
}

#[test]
fn what_differs_ends_both() {
    let site = site();
    for (p0, p1, fragment) in [
        ("", "--reveal count", "what is revealed"),
        ("--rows p0", "--rows p1", "owner of the rows"),
        ("--normalise lower", "--normalise trim", "form of ids"),
        ("--id customer,income", "", "columns of an id"),
        ("--reveal ids --to p0", "--reveal ids --to p1", "what is revealed"),
    ] {
        let p0 =
            format!("join {P0} {p0} --output p0.out {BANK}").replace(".csv --id customer --id", ".csv --id");
        let output = if p1.contains("count") { "" } else { "--output p1.out" };
        let done = site.both(&p0, &format!("join {P1} {p1} {output} {TELECOM}"));
        done.iter().for_each(|done| done.fails_with(5, fragment));
        assert!(!site.has("p0.out") && !site.has("p1.out"));
    }
}

/// Before anything is computed; the peer is told that it ended.
#[test]
fn a_peer_with_too_many_ids_is_refused() {
    let site = site();
    for (reveal, more) in [("none", "--output p0.out"), ("ids", "--output p0.out"), ("count", "")] {
        let asked = |own: &str| format!("join {own} --reveal {reveal}");
        let other = more.replace("p0", "p1");
        let done = |most: usize| {
            site.both(
                &format!("{} --peer-at-most {most} {more} --force {BANK}", asked(P0)),
                &format!("{} --pad-to 50 {other} --force {TELECOM}", asked(P1)),
            )
        };
        let [p0, p1] = done(49);
        p0.fails_with(5, "the peer joins up to 50 ids, and --peer-at-most is 49: nothing was computed");
        p1.fails_with(5, "the peer ended: it does not accept the size or the data of this job");
        assert!(!p1.stderr.contains("ids, and"), "{p1:?}");
        assert!(!site.has("p0.out") && !site.has("p1.out"));
        let _ = done(50).map(Done::ok);
        for name in ["p0.out", "p1.out"] {
            let _ = std::fs::remove_file(site.path(name));
        }
    }
    // Without a bound one that makes the work much larger is told.
    let p0 = format!("join {P0} --reveal count {BANK}");
    let [p0, p1] = site.both(&p0, &format!("join {P1} --reveal count --pad-to 2000 {TELECOM}")).map(Done::ok);
    assert!(p0.stderr.contains("warning: the peer joins up to 2000 ids, and this party "), "{p0:?}");
    assert!(!p1.stderr.contains("warning: the peer joins"), "{p1:?}");
}

#[test]
fn what_it_would_show_is_said_before() {
    let site = site();
    let asked = format!("{P0} --columns income,region:north|south|east --pad-to 64 --listen 127.0.0.1:0");
    let explained = site.run(&format!("explain join {asked} {BANK}")).ok().stdout;
    assert_eq!(explained, site.run(&format!("join {asked} --dry-run {BANK}")).ok().stdout);
    let text = explained.split_whitespace().collect::<Vec<_>>().join(" ");
    for fragment in [
        "hushtable join, before anything is sent",
        "40 here, with 40 ids",
        "of both: two joins, in each of which one party owns the rows",
        "both of the join itself nothing: neither which ids match, nor how many",
        "that this party has up to 64 ids, with income (up to 1048576, 16 fraction bits), region (north/south/east)",
        "this party sends about",
        "chance of failure at most 2^-40.",
        "ids without a bin 2^-43, keys without a table 2^-42, rows that seem to match 2^-41.8",
        "time about",
    ] {
        assert!(text.contains(fragment), "{fragment}: {text}");
    }
    let ids =
        site.run(&format!("explain join {P0} --reveal ids --to me --listen 127.0.0.1:0 {BANK}")).ok().stdout;
    let ids = ids.split_whitespace().collect::<Vec<_>>().join(" ");
    for fragment in
        ["this party which of its ids the other has too", "the peer nothing", "learns the other's list"]
    {
        assert!(ids.contains(fragment), "{fragment}: {ids}");
    }
    site.run(&format!("join {asked} --dry-run --record x {BANK}"))
        .fails_with(2, "--record is for a job that runs");
}

/// Nothing is overwritten, and no half file is left.
#[test]
fn outputs_and_ends() {
    let site = site();
    site.write("p0.json", "mine");
    let asked = format!("join {P0} --connect 127.0.0.1:9 {BANK}");
    site.run(&format!("{asked} --output p0.json")).fails_with(2, "is there already; --force replaces it");
    site.run(&format!("{asked} --output bank.csv --force")).fails_with(2, "is the input file");
    site.run(&asked).fails_with(2, "--output FILE says where");
    assert_eq!(site.read("p0.json"), "mine");

    // A peer that is killed in the middle: the other ends by itself, and writes nothing.
    let rows: String = (0..40000).map(|i| format!("c{i},{i}\n")).collect();
    site.write("large.csv", &format!("id,n\n{rows}"));
    // Over a link on which it takes longer than until then.
    let large = "join --input large.csv --id id --columns n --net 4:20ms";
    let mut p0 = site.listen(&format!("{large} --output large0.json --identity bank.id --timeout 600"));
    // More than the agreement takes, and far less than the join.
    let proxy = Proxy::new(&p0.address, 100_000, Fault::Tell);
    let rest = format!("{TELECOM} --timeout 600 --connect {}", proxy.address);
    let p1 = site.start(&format!("{large} --output large1.json {rest}"));
    proxy.reached();
    p0.kill();
    let done = p1.finish();
    assert!(done.code == 4 && done.time < Duration::from_secs(60), "{done:?}");
    assert!(!site.has("large0.json") && !site.has("large1.json"));
}

#[test]
fn both_sign_what_they_agreed_on() {
    let site = site();
    let _ = site
        .both(
            &format!("join {P0} --reveal count --sign --record p0.rec {BANK}"),
            &format!("join {P1} --reveal count --sign --record p1.rec {TELECOM}"),
        )
        .map(Done::ok);
    let verified = site.run("record verify p0.rec --identity telecom.id").stdout;
    let record: Value = serde_json::from_str(&site.read("p0.rec")).unwrap();
    assert!(!record["signed"].is_null(), "{verified} {record}");
}

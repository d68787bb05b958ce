//! `join` between two processes: against plaintext, with files as people have them, and everything that can be wrong.

mod common;

use std::{collections::BTreeMap, thread, time::Duration};

use common::{Done, Site};
use serde_json::Value;

const BANK: &str = "--identity bank.id --quiet";
const TELECOM: &str = "--identity telecom.id --quiet";

#[track_caller]
fn both(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    site.both(&format!("join {p0} {BANK}"), &format!("join {p1} {TELECOM}")).map(Done::ok)
}

/// What P0 has of customer i, and P1: whoever i divides.
fn bank(i: usize) -> Option<(f64, &'static str)> {
    (i % 3 != 0).then(|| (i as f64 * 1.25 - 40.0, ["north", "south", "east"][i % 5 % 3]))
}

fn telecom(i: usize) -> Option<(f64, &'static str)> {
    (i % 4 != 1).then(|| ((i * i % 23) as f64 / 8.0, ["old", "new"][i % 2]))
}

/// Both parties' files, in different orders.
fn site() -> Site {
    let site = Site::new();
    let mut rows: [Vec<String>; 2] = Default::default();
    for i in 0..60 {
        rows[0].extend(bank(i).map(|(income, region)| format!("k{i},{income},x,{region}\n")));
        rows[1].extend(telecom(i).map(|(bills, since)| format!("{bills},{since},k{i}\n")));
    }
    rows[0].sort();
    rows[1].reverse();
    site.write("bank.csv", &format!("customer,income,note,region\n{}", rows[0].concat()));
    site.write("telecom.csv", &format!("bills,since,msisdn\n{}", rows[1].concat()));
    site
}

const P0: &str = "--input bank.csv --id customer";
const P1: &str = "--input telecom.csv --id msisdn";
const P0_COLUMNS: &str = "--columns income,region:north|south|east --output p0.json";
const P1_COLUMNS: &str = "--columns bills:100,since:old|new --output p1.json";

fn words(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|word| word.as_u64().unwrap()).collect()
}

/// What two files hold of the join whose rows `owner` owns: for each of its ids that match, numbers and groups.
fn opened(site: &Site, owner: usize) -> BTreeMap<String, (f64, usize, f64, usize)> {
    let files = ["p0.json", "p1.json"].map(|name| serde_json::from_str::<Value>(&site.read(name)).unwrap());
    let role = format!("P{owner}");
    let tables = files.each_ref().map(|file| {
        file["joins"].as_array().unwrap().iter().find(|join| join["owner"] == role.as_str()).unwrap()
    });
    let part = |i: usize| tables.map(|table| words(&table["shares"][i]));
    let number = |i: usize, bin: usize| {
        let [a, b] = part(i).map(|words| words[bin]);
        a.wrapping_add(b) as i64 as f64 / 65536.0
    };
    let bit = |[a, b]: [Vec<u64>; 2], bin: usize| (a[bin / 64] ^ b[bin / 64]) >> (bin % 64) & 1;
    let group = |parts: std::ops::Range<usize>, bin: usize| {
        let set: Vec<usize> = parts.clone().filter(|&i| bit(part(i), bin) == 1).collect();
        assert!(set.len() <= 1, "{set:?}");
        set.first().map(|i| i - parts.start)
    };
    let matched = tables.map(|table| words(&table["matched"]));
    let owned = &files[owner]["owned"];
    assert!(files[0]["joins"].as_array().unwrap().len() == 2 || files[1 - owner]["owned"].is_null());
    let mut all = BTreeMap::new();
    for (bin, &row) in words(&owned["rows"]).iter().enumerate() {
        let values = (number(0, bin), group(1..4, bin), number(4, bin), group(5..7, bin));
        if bit(matched.clone(), bin) == 0 {
            assert_eq!(values, (0.0, None, 0.0, None), "bin {bin}");
            continue;
        }
        let id = owned["ids"][row as usize - 1].as_str().unwrap().to_owned();
        all.insert(id, (values.0, values.1.unwrap(), values.2, values.3.unwrap()));
    }
    all
}

fn plain() -> BTreeMap<String, (f64, usize, f64, usize)> {
    let place = |of: &str| ["north", "south", "east", "old", "new"].iter().position(|name| *name == of).unwrap();
    let row = |i: usize| {
        let ((income, region), (bills, since)) = (bank(i)?, telecom(i)?);
        Some((format!("k{i}"), (income, place(region), bills, place(since) - 3)))
    };
    (0..60).filter_map(row).collect()
}

#[test]
fn the_hidden_join_is_that_of_plaintext() {
    let site = site();
    let [p0, p1] =
        both(&site, &format!("{P0} {P0_COLUMNS} --json --record p0.rec"), &format!("{P1} {P1_COLUMNS} --pad-to 64"));
    assert_eq!((opened(&site, 0), opened(&site, 1)), (plain(), plain()));
    let report: Value = serde_json::from_str(p0.stdout.trim_end()).unwrap();
    assert_eq!((&report["kind"], &report["rows"]), (&"join".into(), &serde_json::json!([40, 64])));
    assert!(report["phases"].is_null() && report["online"]["rounds"].as_u64().unwrap() > 0, "{report}");
    assert_eq!(p1.stdout, "");
    let record: Value = serde_json::from_str(&site.read("p0.rec")).unwrap();
    assert_eq!((&record["command"], &record["outcome"]), (&"join".into(), &"done".into()));
    let parameters = record["parameters"].to_string();
    assert!(parameters.contains("up to 64 ids, with bills (up to 100, 16 fraction bits), since (old|new)"), "{parameters}");
    #[cfg(unix)]
    assert_eq!(common::mode(&site.path("p0.json")), 0o600);

    // The rows of one party: no placement at the other.
    both(
        &site,
        &format!("{P0} {P0_COLUMNS} --rows peer --force"),
        &format!("{P1} {P1_COLUMNS} --rows telecom --force"),
    );
    assert_eq!(opened(&site, 1), plain());
}

/// Both get their own common rows, all columns, in the same order.
#[test]
fn common_rows_are_in_the_same_order() {
    let site = site();
    let [p0, _] = both(
        &site,
        &format!("{P0} --reveal ids --output p0.csv --json"),
        &format!("{P1} --reveal ids --output p1.csv --pad-to 50"),
    );
    let (p0_text, p1_text) = (site.read("p0.csv"), site.read("p1.csv"));
    let rows = |text: &str, column: usize| -> Vec<String> {
        text.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().to_owned()).collect()
    };
    let (mine, theirs) = (rows(&p0_text, 0), rows(&p1_text, 2));
    assert_eq!(mine, theirs);
    let mut sorted = mine;
    sorted.sort();
    assert_eq!(sorted, plain().into_keys().collect::<Vec<_>>());
    assert!(p0_text.starts_with("customer,income,note,region\n") && p1_text.starts_with("bills,since,msisdn\n"));
    let original = site.read("telecom.csv");
    assert!(p1_text.lines().all(|line| original.lines().any(|other| other == line)), "{p1_text}");
    let report: Value = serde_json::from_str(p0.stdout.trim_end()).unwrap();
    assert_eq!(report["common"], plain().len());

    // They go on as they are.
    let _ = site
        .both(
            &format!("apply ge --input p0.csv --id customer --column income --constant 0 --output out0.csv {BANK}"),
            &format!("apply ge --input p1.csv --id msisdn --column bills --constant 0 --output out1.csv {TELECOM}"),
        )
        .map(Done::ok);
    // One of them learns.
    let [p0, p1] = both(
        &site,
        &format!("{P0} --reveal ids --to me --output p0.csv --force"),
        &format!("{P1} --reveal ids --to peer"),
    );
    assert_eq!(rows(&site.read("p0.csv"), 0).len(), plain().len());
    assert!(p1.stderr.contains("go to the peer") && p1.stdout.is_empty(), "{p1:?}");
    assert_eq!(p0.stdout.trim(), format!("{} common ids", plain().len()));
}

#[test]
fn how_many_are_common() {
    let site = site();
    let wanted = format!("{} common ids\n", plain().len());
    for (more0, more1) in [("", ""), ("--pad-to 100", ""), ("", "--pad-to 100")] {
        let count = |more: &str, own: &str| format!("{own} --reveal count {more}");
        let done = both(&site, &count(more0, P0), &count(more1, P1));
        done.iter().for_each(|done| assert_eq!(done.stdout, wanted));
    }
    // None, and all.
    site.write("other.csv", "msisdn\nz1\nz2\n");
    let done = both(&site, &format!("{P0} --reveal count"), "--input other.csv --id msisdn --reveal count");
    done.iter().for_each(|done| assert_eq!(done.stdout, "0 common ids\n"));
    let done = both(&site, &format!("{P0} --reveal count"), &format!("{P0} --reveal count"));
    done.iter().for_each(|done| assert_eq!(done.stdout, "40 common ids\n"));
}

/// CRLF and BOM, Unicode forms, blanks, leading zeros, quotes, other delimiters: what people have.
#[test]
fn files_as_people_have_them() {
    let site = Site::new();
    site.write("a.csv", "\u{feff}name;n\r\n\" A\u{308}nne \";1\r\nBOB;2\r\n007;3\r\n7;4\r\n\"Li;u\";5\r\n");
    site.write("b.csv", "x,name\n10,\u{e4}nne\n20,bob\u{a0}\n30,007\n40,li;u\n50,zoe\n");
    let rules = "--id name --normalise trim,lower,nfc --reveal ids";
    both(&site, &format!("--input a.csv {rules} --delimiter ; --output p0.csv"), &format!("--input b.csv {rules} --output p1.csv"));
    let sorted = |name: &str| {
        let text = site.read(name);
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        rows[1..].sort();
        rows
    };
    assert_eq!(sorted("p0.csv"), ["name;n", "\"li;u\";5", "007;3", "bob;2", "\u{e4}nne;1"]);
    assert_eq!(sorted("p1.csv"), ["x,name", "10,\u{e4}nne", "20,bob", "30,007", "40,li;u"]);

    // Ids of two columns, each in its form.
    site.write("a.csv", "phone,born,n\n01 234567,3.4.1970,1\n+43 1 234568,4.4.1970,2\n+43 1 234569,5.4.1970,3\n");
    site.write("b.csv", "born,phone\n1970-04-03,00431234567\n1970-04-05,+431234568\n1970-04-05,(01) 234-569\n");
    let rules = "--id phone,born --normalise trim,e164:+43 --normalise date:dmy --reveal ids --force";
    both(&site, &format!("--input a.csv {rules} --output p0.csv"), &format!("--input b.csv {rules} --output p1.csv"));
    let wanted = ["join_id,phone,born,n", "\"+431234567,1970-04-03\",+431234567,1970-04-03,1", "\"+431234569,1970-04-05\",+431234569,1970-04-05,3"];
    assert_eq!(sorted("p0.csv"), wanted);
    assert_eq!(sorted("p1.csv")[0], "join_id,born,phone");
    assert_eq!(site.read("p0.csv").lines().count(), site.read("p1.csv").lines().count());
}

#[test]
fn rows_with_the_same_id() {
    let site = Site::new();
    site.write("a.csv", "id,n,note\nx,1,p\ny,2,q\nX,4,r\nz,8,s\ny,16,t\n");
    site.write("b.csv", "id,m\ny,5\nx,6\nq,7\n");
    let p0 = "--input a.csv --id id --normalise lower";
    let p1 = "--input b.csv --id id --normalise lower";
    let refused = site.run(&format!("join {p0} --columns n --output p0.json --connect 127.0.0.1:9 {BANK}"));
    refused.fails_with(3, "a.csv: 2 bad rows\n  line 4: the id \"X\" again, as in line 2\n  line 6: the id \"y\" again, as in line 3");

    let ids = "--reveal ids --force";
    let lines = |name: &str| site.read(name).lines().map(str::to_owned).collect::<Vec<_>>();
    both(&site, &format!("{p0} {ids} --duplicates all --output p0.csv"), &format!("{p1} {ids} --output p1.csv"));
    let got = lines("p0.csv");
    assert_eq!(got.len(), 5, "{got:?}");
    for pair in [["x,1,p", "x,4,r"], ["y,2,q", "y,16,t"]] {
        let at = got.iter().position(|line| line == pair[0]).unwrap();
        assert_eq!(got[at + 1], pair[1]);
    }
    let order = |name: &str| -> Vec<String> {
        let mut ids: Vec<String> = lines(name)[1..].iter().map(|line| line.split(',').next().unwrap().to_owned()).collect();
        ids.dedup();
        ids
    };
    assert_eq!(order("p0.csv"), order("p1.csv"));
    both(&site, &format!("{p0} {ids} --duplicates first --output p0.csv"), &format!("{p1} {ids} --output p1.csv"));
    let mut got = lines("p0.csv");
    got.sort();
    assert_eq!(got, ["id,n,note", "x,1,p", "y,2,q"]);

    for (asked, sum) in [("first", 1.0 + 2.0), ("sum", 5.0 + 18.0)] {
        both(
            &site,
            &format!("{p0} --columns n --duplicates {asked} --rows p0 --output p0.json --force"),
            &format!("{p1} --columns m --rows p0 --output p1.json --force"),
        );
        let files = ["p0.json", "p1.json"].map(|name| serde_json::from_str::<Value>(&site.read(name)).unwrap());
        let total = files.iter().flat_map(|file| words(&file["joins"][0]["shares"][0])).fold(0u64, u64::wrapping_add);
        assert_eq!(total as i64 as f64 / 65536.0, sum, "{asked}");
        assert_eq!(files[0]["owned"]["ids"], serde_json::json!(["x", "y", "z"]));
    }
    let too_large = format!("join {p0} --columns n:10 --duplicates sum --output x.json --connect 127.0.0.1:9 {BANK}");
    site.run(&too_large).fails_with(3, "line 6, column \"n\": \"16\" is outside -10 to 10");
    let too_large = too_large.replace("n:10", "n:17");
    site.run(&too_large).fails_with(3, "line 3, column \"n\": the sum 18 is outside -17 to 17");
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
        "line 4, column \"g\": \"c\" is none of: a, b",
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
    for (asked, code, fragment) in [
        ("--input a.csv --id gone", 3, "no column \"gone\"; its columns are: id, n"),
        ("--input a.csv --id id --columns gone", 3, "no column \"gone\""),
        ("--input a.csv --id id --columns n,n", 2, "\"n\" twice"),
        ("--input a.csv --id id --columns n:0", 2, "the limit 0"),
        ("--input a.csv --id id --normalise upper", 2, "is none of: trim"),
        ("--input a.csv --id id,n --normalise trim --normalise trim --normalise trim", 2, "3 times for 2 columns"),
        ("--input a.csv --id id --normalise e164:+43", 3, "line 2, column \"id\": \"x\" is no telephone number"),
        ("--input a.csv --id id --normalise date", 3, "is no date"),
        ("--input a.csv --id id --duplicates all", 2, "a hidden join has a place for one partner"),
        ("--input a.csv --id id --reveal count --duplicates all", 2, "a hidden join has a place"),
        ("--input a.csv --id id --reveal ids --duplicates sum", 2, "adds up columns of a hidden join"),
        ("--input a.csv --id id --reveal ids --columns n", 2, "--columns is for a hidden join"),
        ("--input a.csv --id id --to me", 2, "--to needs --reveal ids"),
        ("--input a.csv --id id --rows none", 2, "--rows none"),
        ("--input a.csv --id id --pad-to 0", 2, "not a whole number"),
        ("--input a.csv --id id --output-mode 640", 2, "--output-mode is for results"),
        ("--input a.csv --id n --columns id:a|b", 3, "\"x\" is none of: a, b"),
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
        let p0 = format!("join {P0} {p0} --output p0.out {BANK}").replace(".csv --id customer --id", ".csv --id");
        let done = site.both(&p0, &format!("join {P1} {p1} --output p1.out {TELECOM}"));
        done.iter().for_each(|done| done.fails_with(5, fragment));
        assert!(!site.has("p0.out") && !site.has("p1.out"));
    }
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
        "both nothing: neither which ids match, nor how many",
        "that this party has up to 64 ids, with income (up to 1048576, 16 fraction bits), region (north|south|east)",
        "this party sends about",
        "at least",
    ] {
        assert!(text.contains(fragment), "{fragment}: {text}");
    }
    let ids = site.run(&format!("explain join {P0} --reveal ids --to me --listen 127.0.0.1:0 {BANK}")).ok().stdout;
    let ids = ids.split_whitespace().collect::<Vec<_>>().join(" ");
    for fragment in ["this party which of its ids the other has too", "the peer nothing", "learns the other's list"] {
        assert!(ids.contains(fragment), "{fragment}: {ids}");
    }
    site.run(&format!("join {asked} --dry-run --record x {BANK}")).fails_with(2, "--record is for a job that runs");
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
    let large = "join --input large.csv --id id --columns n";
    let mut p0 = site.listen(&format!("{large} --output large0.json --identity bank.id --timeout 20"));
    let p1 = site.start(&format!("{large} --output large1.json {TELECOM} --timeout 20 --connect {}", p0.address));
    thread::sleep(Duration::from_millis(1500));
    p0.kill();
    let done = p1.finish();
    assert!(done.code == 4 && done.time < Duration::from_secs(60), "{done:?}");
    assert!(!site.has("large0.json") && !site.has("large1.json"));
}

#[test]
fn both_sign_what_they_agreed_on() {
    let site = site();
    both(
        &site,
        &format!("{P0} --reveal count --sign --record p0.rec"),
        &format!("{P1} --reveal count --sign --record p1.rec"),
    );
    let verified = site.run("record verify p0.rec --identity telecom.id").stdout;
    let record: Value = serde_json::from_str(&site.read("p0.rec")).unwrap();
    assert!(!record["signed"].is_null(), "{verified} {record}");
}

//! `join` between two processes: against plaintext, with files as people have them, and everything that can be wrong.

use std::collections::BTreeMap;

use crate::common::{Done, Site};
use serde_json::Value;

const BANK: &str = "--identity bank.id";
const TELECOM: &str = "--identity telecom.id";

#[track_caller]
fn both(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    site.both(&format!("join {p0} {BANK}"), &format!("join {p1} {TELECOM}")).map(Done::ok)
}

/// What P0 has of customer i, and P1: whoever i divides.
fn bank(i: usize) -> Option<(f64, &'static str)> {
    (!i.is_multiple_of(3)).then(|| (i as f64 * 1.25 - 40.0, ["north", "south", "east"][i % 5 % 3]))
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
    let place =
        |of: &str| ["north", "south", "east", "old", "new"].iter().position(|name| *name == of).unwrap();
    let row = |i: usize| {
        let ((income, region), (bills, since)) = (bank(i)?, telecom(i)?);
        Some((format!("k{i}"), (income, place(region), bills, place(since) - 3)))
    };
    (0..60).filter_map(row).collect()
}

#[test]
fn the_hidden_join_is_that_of_plaintext() {
    let site = site();
    let [p0, p1] = both(
        &site,
        &format!("{P0} {P0_COLUMNS} --json --record p0.rec"),
        &format!("{P1} {P1_COLUMNS} --pad-to 64"),
    );
    assert_eq!((opened(&site, 0), opened(&site, 1)), (plain(), plain()));
    let report: Value = serde_json::from_str(p0.stdout.trim_end()).unwrap();
    assert_eq!((&report["kind"], &report["rows"]), (&"join".into(), &serde_json::json!([40, 64])));
    assert!(report["phases"].is_null() && report["online"]["rounds"].as_u64().unwrap() > 0, "{report}");
    assert_eq!(p1.stdout, "");
    let record: Value = serde_json::from_str(&site.read("p0.rec")).unwrap();
    assert_eq!((&record["command"], &record["outcome"]), (&"join".into(), &"done".into()));
    let parameters = record["parameters"].to_string();
    assert!(
        parameters.contains("up to 64 ids, with bills (up to 100, 16 fraction bits), since (old/new)"),
        "{parameters}"
    );
    #[cfg(unix)]
    assert_eq!(crate::common::mode(&site.path("p0.json")), 0o600);

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
    assert!(
        p0_text.starts_with("customer,income,note,region\n") && p1_text.starts_with("bills,since,msisdn\n")
    );
    let original = site.read("telecom.csv");
    assert!(p1_text.lines().all(|line| original.lines().any(|other| other == line)), "{p1_text}");
    let report: Value = serde_json::from_str(p0.stdout.trim_end()).unwrap();
    assert_eq!(report["common"], plain().len());

    // They go on as they are.
    let _ = site
        .both(
            &format!(
                "apply ge --input p0.csv --id customer --column income --constant 0 --output out0.csv {BANK}"
            ),
            &format!(
                "apply ge --input p1.csv --id msisdn --column bills --constant 0 --output out1.csv {TELECOM}"
            ),
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

/// With types where no cell loses a digit by them.
#[test]
fn common_rows_as_parquet() {
    let site = site();
    both(
        &site,
        &format!("{P0} --reveal ids --output p0.parquet"),
        &format!("{P1} --reveal ids --output p1.csv --pad-to 50"),
    );
    assert!(std::fs::read(site.path("p0.parquet")).unwrap().starts_with(b"PAR1"));
    let compare = "--constant 0 --output";
    let _ = site
        .both(
            &format!("apply ge --input p0.parquet --id customer --column income {compare} out0.csv {BANK}"),
            &format!("apply ge --input p1.csv --id msisdn --column bills {compare} out1.csv {TELECOM}"),
        )
        .map(Done::ok);
    assert_eq!(site.read("out0.csv").lines().count(), plain().len() + 1);
    #[cfg(not(feature = "arrow"))]
    site.run(&format!("join {P0} --reveal ids --output p0.arrow --connect 127.0.0.1:9 {BANK}"))
        .fails_with(2, "without the feature arrow");
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
    both(
        &site,
        &format!("--input a.csv {rules} --delimiter ; --output p0.csv"),
        &format!("--input b.csv {rules} --output p1.csv"),
    );
    let sorted = |name: &str| {
        let text = site.read(name);
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        rows[1..].sort();
        rows
    };
    assert_eq!(sorted("p0.csv"), ["name;n", "\"li;u\";5", "007;3", "bob;2", "\u{e4}nne;1"]);
    assert_eq!(sorted("p1.csv"), ["x,name", "10,\u{e4}nne", "20,bob", "30,007", "40,li;u"]);

    // Ids of two columns, each in its form.
    site.write(
        "a.csv",
        "phone,born,n\n01 234567,3.4.1970,1\n+43 1 234568,4.4.1970,2\n+43 1 234569,5.4.1970,3\n",
    );
    site.write(
        "b.csv",
        "born,phone\n1970-04-03,00431234567\n1970-04-05,+431234568\n1970-04-05,(01) 234-569\n",
    );
    let rules = "--id phone,born --normalise trim,e164:+43 --normalise date:dmy --reveal ids --force";
    both(
        &site,
        &format!("--input a.csv {rules} --output p0.csv"),
        &format!("--input b.csv {rules} --output p1.csv"),
    );
    let wanted = [
        "join_id,phone,born,n",
        "\"+431234567,1970-04-03\",+431234567,1970-04-03,1",
        "\"+431234569,1970-04-05\",+431234569,1970-04-05,3",
    ];
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
    both(
        &site,
        &format!("{p0} {ids} --duplicates all --output p0.csv"),
        &format!("{p1} {ids} --output p1.csv"),
    );
    let got = lines("p0.csv");
    assert_eq!(got.len(), 5, "{got:?}");
    for pair in [["x,1,p", "x,4,r"], ["y,2,q", "y,16,t"]] {
        let at = got.iter().position(|line| line == pair[0]).unwrap();
        assert_eq!(got[at + 1], pair[1]);
    }
    let order = |name: &str| -> Vec<String> {
        let mut ids: Vec<String> =
            lines(name)[1..].iter().map(|line| line.split(',').next().unwrap().to_owned()).collect();
        ids.dedup();
        ids
    };
    assert_eq!(order("p0.csv"), order("p1.csv"));
    both(
        &site,
        &format!("{p0} {ids} --duplicates first --output p0.csv"),
        &format!("{p1} {ids} --output p1.csv"),
    );
    let mut got = lines("p0.csv");
    got.sort();
    assert_eq!(got, ["id,n,note", "x,1,p", "y,2,q"]);

    for (asked, sum) in [("first", 1.0 + 2.0), ("sum", 5.0 + 18.0)] {
        both(
            &site,
            &format!("{p0} --columns n --duplicates {asked} --rows p0 --output p0.json --force"),
            &format!("{p1} --columns m --rows p0 --output p1.json --force"),
        );
        let files =
            ["p0.json", "p1.json"].map(|name| serde_json::from_str::<Value>(&site.read(name)).unwrap());
        let total =
            files.iter().flat_map(|file| words(&file["joins"][0]["shares"][0])).fold(0u64, u64::wrapping_add);
        assert_eq!(total as i64 as f64 / 65536.0, sum, "{asked}");
        assert_eq!(files[0]["owned"]["ids"], serde_json::json!(["x", "y", "z"]));
    }
    let too_large =
        format!("join {p0} --columns n:10 --duplicates sum --output x.json --connect 127.0.0.1:9 {BANK}");
    site.run(&too_large).fails_with(3, "line 6, column \"n\": \"16\" is outside -10 to 10");
    let too_large = too_large.replace("n:10", "n:17");
    site.run(&too_large).fails_with(3, "line 3, column \"n\": the sum 18 is outside -17 to 17");
}

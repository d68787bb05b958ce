//! Which protocol is chosen, and how both parties come to the same one.

use crate::common::Site;
use serde_json::Value;

fn site() -> Site {
    let site = Site::new();
    site.write_scores("a.csv", &crate::common::spread(50, -4.0, 3.9, 5));
    site
}

/// Runs a job with these choices; the protocol that both sides report.
#[track_caller]
fn settled(site: &Site, p0: &str, p1: &str) -> String {
    let job = "apply sigmoid --reveal both --outside wrap --fraction-bits 4 --column score --input a.csv --json --force";
    let done = site.both(
        &format!("{job} --output p0.csv {p0} --identity bank.id"),
        &format!("{job} --output p1.csv {p1} --identity telecom.id"),
    );
    let [p0, p1] = done.map(|done| {
        let report: Value = serde_json::from_str(&done.ok().stdout).expect("a line of JSON");
        report["protocol"].as_str().expect("a name").to_owned()
    });
    assert_eq!(p0, p1);
    p0
}

#[test]
fn both_parties_settle_on_one_protocol() {
    let site = site();
    assert_eq!(settled(&site, "--protocol rotl", "--protocol rotl"), "rotl");
    // One asks for it, the other leaves it open.
    assert_eq!(settled(&site, "--protocol d", ""), "d");
    assert_eq!(settled(&site, "", "--protocol splut"), "splut");
    // Of two choices P0's counts: few rounds and few bytes differ.
    let rounds = settled(&site, "--optimise rounds --net 1:20ms", "--optimise bytes --net 1:20ms");
    let bytes = settled(&site, "--optimise bytes --net 1:20ms", "--optimise rounds --net 1:20ms");
    assert_ne!(rounds, bytes);
    // Each pays its own prices; a party that says none goes along.
    settled(&site, "--price GB=0.2", "--price GB=0.01,core-hour=1");
    settled(&site, "", "--price GB=0.09");
    let done = site.both(
        "apply sigmoid --reveal both --column score --input a.csv --output x.csv --protocol d --identity bank.id",
        "apply sigmoid --reveal both --column score --input a.csv --output y.csv --protocol rotl --identity telecom.id",
    );
    for done in done {
        done.fails("disagree on protocol");
    }
}

/// All ways of comparing, the one that `apply` takes marked and argued for.
#[test]
fn plan_shows_ways_of_comparing() {
    let site = site();
    let table = site.run("plan --compare-bits 32 --batch 1e4 --net wan --optimise rounds").ok().stdout;
    let marked: Vec<&str> = table.lines().filter(|line| line.starts_with("* one-hot")).collect();
    assert_eq!(marked.len(), 1, "{table}");
    for text in ["thermometer in digits", "lookup in digits", "2 rounds online", "Against thermometer"] {
        assert!(table.contains(text), "{text} in:\n{table}");
    }
    let lines = site.run("plan --compare-bits 64 --batch 1e4 --net wan --json").ok().stdout;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let chosen: Vec<_> = lines.iter().filter(|line| line["chosen"] == true).collect();
    // Of those with nearly the least time; a thermometer takes a little less, and sends half as much again.
    assert_eq!(chosen.iter().map(|line| &line["protocol"]).collect::<Vec<_>>(), ["lookup in digits of 2"]);
    assert_eq!(lines[0]["chosen"], true);
    assert!(lines[0]["dollars"].as_array().is_some_and(|both| both.len() == 2));
    assert!(lines.iter().any(|line| line["online"]["rounds"] == 3), "three rounds by one-hot vectors");
    site.run("plan --compare-bits 65").fails("2..=64");
    site.run("plan --compare-bits 8 --index-bits 8").fails("cannot be used with");
}

#[test]
fn plan_marks_the_choice() {
    let site = site();
    let table = site.run("plan --index-bits 8 --value-bits 64 --batch 1e5 --net wan").ok().stdout;
    let marked: Vec<&str> = table.lines().filter(|line| line.starts_with("* ")).collect();
    assert_eq!(marked.len(), 1, "{table}");
    let lines = site.run("plan --index-bits 8 --value-bits 64 --batch 1e5 --net wan --json").ok().stdout;
    let first: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["chosen"], true);
    let name = first["protocol"].as_str().expect("a name");
    assert!(marked[0].starts_with(&format!("* {name} ")), "{table}");
    assert!(lines.lines().count() > 3);
    site.run("plan --batch 0").fails("whole number of 1 or more");
    site.run("plan --index-bits 21").fails("1..=20");
}

/// Longer than 10 s: it measures for that long.
#[test]
fn calibrations_are_read_and_checked() {
    let site = site();
    site.run("calibrate --local --output here.json").ok();
    let shown = site.run("plan --calibration here.json").ok().stdout;
    assert!(shown.contains("calibration here.json"), "{shown}");
    site.write("bad.json", "{\"machine\": 1}");
    site.run("plan --calibration bad.json").fails("bad.json: not a calibration");
    site.run("plan --calibration gone.json").fails("gone.json");
    let text = site.read("here.json");
    let zero = text.replacen("\"hash\": ", "\"hash\": -", 1);
    assert_ne!(text, zero);
    site.write("zero.json", &zero);
    site.run("plan --calibration zero.json").fails("zero.json: a figure of the machine is out of range");
}

/// Longer than 10 s: one party measures after the other.
#[test]
fn calibrate_with_a_peer() {
    let site = site();
    let [p0, p1] = site.both(
        "calibrate --output p0.json --identity bank.id --net 100:4ms",
        "calibrate --output p1.json --identity telecom.id --net 100:4ms",
    );
    p0.ok();
    p1.ok();
    let [a, b] =
        ["p0.json", "p1.json"].map(|name| serde_json::from_str::<Value>(&site.read(name)).expect("JSON"));
    assert_eq!(a, b, "both keep the slower machine's figures, and the same link");
    let [rate, rtt] = ["mbit_per_s", "rtt_ms"].map(|name| a["link"][name].as_f64().unwrap());
    // A busy machine finds the link slower than it is, and faster only by the delay, half of which is taken off the third
    // of a second that a message takes.
    assert!(rate <= 120.0 * (1.0 + rtt / 330.0) && rtt >= 3.5, "{rate} Mbit/s, {rtt} ms");
}

/// All designs for a private table, one of which is chosen; without room for a copy another one.
#[test]
fn plan_shows_designs_for_private_tables() {
    let site = site();
    let ask = "plan --table private --rows 2^20 --key-bits 20 --value-bits 20 --batch 4096 --net lan";
    let chosen = |more: &str| -> Vec<(String, bool)> {
        let lines = site.run(&format!("{ask} --json {more}")).ok().stdout;
        let of = |line: &str| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            for name in ["once", "setup", "offline", "online"] {
                assert!(line[name]["bytes"][0].is_u64() && line[name]["rounds"].is_u64(), "{line}");
            }
            assert!(line["memory_bytes"][1].is_u64() && line["disk_bytes"].is_u64());
            (line["design"].as_str().expect("a name").to_owned(), line["chosen"] == true)
        };
        lines.lines().map(of).collect()
    };
    let all = chosen("");
    assert_eq!((all.len(), all[4].0.as_str()), (5, "sp-lut"), "{all:?}");
    assert_eq!(all.iter().filter(|(_, chosen)| *chosen).count(), 1);
    assert_eq!(all[0], ("copy, lowmc-128-42-13".to_owned(), true));
    assert_eq!(chosen("--disk 1e6")[0], ("ids, aes-128".to_owned(), true));
    let table = site.run(&format!("{ask} --disk 1e6")).ok().stdout;
    for text in ["* ids, aes", "! copy, aes-128", "other mem", "disk", "! needs more disk or memory"] {
        assert!(table.contains(text), "{text} in:\n{table}");
    }
    // A small table goes over whole; the table says what serves it.
    let small = site.run("plan --table private --rows 64 --key-bits 6 --batch 10").ok().stdout;
    assert!(
        small.contains("* sp-lut") && small.contains("`hushtable serve` and `lookup` use the copy"),
        "{small}"
    );
    site.run("plan --table private --rows 2^20 --key-bits 19").fails("rows of a table");
}

//! Key-value stores, intersections and joins: what they verify, refuse and print.

use serde_json::Value;

use crate::site::{Site, names};

/// Bytes of a phase, of P0 and P1.
fn bytes(report: &Value, phase: &str) -> [u64; 2] {
    [0, 1].map(|party| report[phase]["bytes"][party].as_u64().unwrap())
}

#[test]
fn okvs_keeps_its_contract() {
    let site = Site::new();
    for (count, words, threads) in [(1, 1, 1), (3000, 2, 1), (70_000, 1, 2)] {
        let report = site.report(&format!("okvs --count {count} --words {words} --threads {threads}"));
        names(&report, &["count", "words"]);
        assert_eq!(
            [&report["kind"], &report["count"], &report["words"]],
            [&Value::from("okvs"), &count.into(), &words.into()]
        );
        assert_eq!(bytes(&report, "offline"), [0, 0], "encoding is local");
        assert_eq!(report["online"]["rounds"], 1);
    }
    // 3000 keys have 4014 columns; a frame has a header.
    let sent = bytes(&site.report("okvs --count 3000 --words 2"), "online");
    assert_eq!(sent, [16 * 4014 + 8, 0]);
}

#[test]
fn psi_keeps_its_contract() {
    let site = Site::new();
    for (options, rounds) in [
        ("--count 1", 4),
        ("--count 300 --other-count 20", 4),
        ("--count 20 --other-count 300 --learns p0", 3),
        ("--count 20 --other-count 300 --learns p1", 3),
        ("--count 2000 --threads 2", 4),
        ("--count 30000 --other-count 70000 --net 1000:1ms", 4),
    ] {
        let report = site.report(&format!("psi {options}"));
        names(&report, &["count", "learns", "other_count"]);
        assert_eq!(report["kind"], "psi");
        // One is the salt.
        let online = report["online"]["rounds"].as_u64().unwrap();
        assert!(online <= rounds, "{options}: {online} rounds");
    }
    // 1312 columns for 1000 ids of R; 9 bytes for each of the other's, and a bit.
    let report = site.report("psi --count 1000 --other-count 3000");
    let [p0, p1] = bytes(&report, "online");
    assert!((12_000..12_700).contains(&p0) && (27_000..27_100).contains(&p1), "{p0} {p1}");
}

#[test]
fn circuit_psi_keeps_its_contract() {
    let site = Site::new();
    for (options, rounds) in [
        ("--count 1", 5),
        ("--count 300 --other-count 20 --engine gmw", 5),
        ("--count 20 --other-count 300 --engine lut --bits 20", 2),
        ("--count 100 --engine splut --bits 16", 3),
        ("--count 100 --engine gc --threads 2", 2),
        ("--count 100 --engine gc-ahead", 2),
        ("--count 2000 --bits 64 --net 1000:1ms --optimise rounds", 6),
    ] {
        let report = site.report(&format!("circuit-psi {options}"));
        names(&report, &["bits", "count", "engine", "method", "optimise", "other_count"]);
        assert_eq!(report["kind"], "circuit-psi");
        let online = report["online"]["rounds"].as_u64().unwrap();
        assert!(online <= rounds, "{options}: {online} rounds");
    }
}

#[test]
fn join_keeps_its_contract() {
    let site = Site::new();
    for options in [
        "--count 1",
        "--count 200 --other-count 30",
        "--count 30 --other-count 200 --own-bits 0 --payload-bits 1",
        "--count 50 --own-bits 64 --payload-bits 0",
        "--count 50 --own-bits 0 --payload-bits 0",
        "--count 1500 --own-bits 33 --payload-bits 17 --threads 2",
        "--count 20000 --other-count 9000 --own-bits 8 --payload-bits 8 --net 1000:1ms",
    ] {
        let report = site.report(&format!("join {options}"));
        names(&report, &["count", "other_count", "own_bits", "payload_bits"]);
        assert_eq!(report["kind"], "join");
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let site = Site::new();
    site.run("okvs --count 60000000").fails("keys of a key-value store: 60000000");
    site.run("psi --count 16777217").fails("ids of a party: 16777217");
    site.run("circuit-psi --count 1048577").fails("numbers of a party: 1048577");
    site.run("circuit-psi --count 9 --bits 4").fails("numbers of 4 bits are 16");
    site.run("join --count 5 --other-count 6000001").fails("rows of a table to join: 6000001");
    for args in ["psi --count 0", "psi --learns none", "join --payload-bits 65", "okvs --words 0"] {
        assert_eq!(site.run(args).code, 2, "{args}");
    }
}

//! A party that fails by itself, or is stopped, tells its peer, which ends at once and says why.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use crate::common::{Listening, Site};

/// Long after this a party gives up by itself.
const SOON: Duration = Duration::from_secs(60);

fn site() -> Site {
    let site = Site::new();
    site.write_scores("a.csv", &crate::common::spread(300, -4.0, 3.9, 5));
    site
}

const BANK: &str = "apply sigmoid --reveal both --column score --input a.csv --output out0.csv --wait 120 --timeout 120 \
                    --identity bank.id";
const TELECOM: &str =
    "apply sigmoid --reveal both --column score --wait 120 --timeout 120 --identity telecom.id";

/// The party ends because the other did, since `start`.
#[track_caller]
fn told(done: crate::common::Done, start: Instant, why: &str) {
    done.fails_with(4, &format!("error: the peer ended: {why}"));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

const INPUT: &str = "it cannot use an input or its identity";
const ARGUMENTS: &str = "its options contradict each other, or its output file exists already";
const LOCAL: &str = "its disk, its memory or a store failed";

/// What fails at the telecom before it connects: its arguments, its exit code, what the bank is told.
const FAILURES: [(&str, i32, &str); 4] = [
    ("--input none.csv --output out1.csv", 3, INPUT),
    ("--input a.csv --output a.csv", 2, ARGUMENTS),
    ("--input a.csv --output there.csv", 2, ARGUMENTS),
    ("--input a.csv --output out1.csv --store none.store", 6, LOCAL),
];

#[test]
fn who_listens_is_told_of_a_failure_before_the_connection() {
    let site = site();
    site.write("there.csv", "");
    for (rest, code, why) in FAILURES {
        let p0: Listening = site.listen(BANK);
        let start = Instant::now();
        let p1 = site.run(&format!("{TELECOM} {rest} --connect {}", p0.address));
        assert_eq!(p1.code, code, "{p1:?}");
        told(p0.finish(), start, why);
        assert!(!site.has("out0.csv"));
    }
}

#[test]
fn who_waits_for_a_listener_is_told_of_its_failure() {
    let site = site();
    site.write("there.csv", "");
    for (rest, code, why) in FAILURES {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut p1 = site.start(&format!("{BANK} --connect {free}"));
        p1.until("connecting to ");
        let start = Instant::now();
        let p0 = site.run(&format!("{TELECOM} {rest} --listen {free}"));
        assert_eq!(p0.code, code, "{p0:?}");
        told(p1.finish(), start, why);
    }
}

#[test]
fn nobody_stays_for_a_peer_that_does_not_wait() {
    let site = site();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for address in [format!("--connect {free}"), format!("--listen {free}")] {
        let done = site.run(&format!("{TELECOM} --input none.csv --output out1.csv {address}"));
        done.fails_with(3, "none.csv");
        assert!(done.time < SOON, "{done:?}");
    }
}

/// On a link so slow that they are in the middle.
#[cfg(unix)]
#[test]
fn a_party_that_is_stopped_says_so() {
    let site = site();
    let slow = "--net 1:300";
    for (signal, code, listening) in [("INT", 130, true), ("TERM", 143, false)] {
        let p0 = site.listen(&format!("{BANK} {slow} --record 0.json --force"));
        let rest = format!("--record 1.json --force --connect {}", p0.address);
        let telecom = format!("{TELECOM} {slow} --input a.csv --output out1.csv {rest}");
        let mut p1 = site.start(&telecom);
        p1.until("the peer is bank");
        let start = Instant::now();
        let (stopped, other) = if listening {
            p0.signal(signal);
            (p0.finish(), p1.finish())
        } else {
            p1.signal(signal);
            (p1.finish(), p0.finish())
        };
        assert_eq!(stopped.code, -1, "it ends by the signal: {stopped:?}");
        told(other, start, "somebody stopped it");
        assert!(!site.has("out0.csv") && !site.has("out1.csv"));
        let (own, other) = if listening { ("0.json", "1.json") } else { ("1.json", "0.json") };
        recorded(&site, own, "interrupted", code);
        recorded(&site, other, "failed", 4);
    }
}

/// The record `name` is complete and says this outcome.
#[track_caller]
fn recorded(site: &Site, name: &str, outcome: &str, code: u8) {
    let record: serde_json::Value = serde_json::from_str(&site.read(name)).unwrap();
    assert_eq!((&record["outcome"], &record["exit_code"]), (&outcome.into(), &code.into()), "{record}");
    assert_eq!((record["ended"].as_str().unwrap().len(), &record["rows"]), (20, &300.into()), "{record}");
}

#[cfg(unix)]
#[test]
fn a_party_that_is_stopped_while_it_waits_keeps_its_record() {
    let site = site();
    let p0 = site.listen(&format!("{BANK} --record waiting.json"));
    p0.signal("INT");
    assert_eq!(p0.finish().code, -1);
    recorded(&site, "waiting.json", "interrupted", 130);
    assert_eq!(site.names(), ["a.csv", "bank.id", "telecom.id", "waiting.json"]);
}

#[test]
fn threads_are_chosen_together() {
    let site = site();
    let telecom = format!("{TELECOM} --input a.csv --output out1.csv --json --force");
    // Few rows are not worth two; who asks is followed.
    for (asked, wanted) in [("", 1), ("--threads 2", 2)] {
        let done = site.both(&format!("{BANK} --json --force {asked}"), &telecom);
        for done in done {
            let done = done.ok();
            assert!(done.stdout.contains(&format!("\"threads\":{wanted},")), "{done:?}");
        }
    }
}

//! Peers that are the wrong ones, gone, silent or talking nonsense: both sides end soon, with an error and
//! without output.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    thread,
    time::Duration,
};

use crate::common::{Done, Site, to_both};
use crate::proxy::{Fault, Proxy};

const ROWS: usize = 300;
/// The promise of the program is 10 s. The rest is for a busy machine: without the promise it is ten minutes.
const SOON: Duration = Duration::from_secs(60);

fn site() -> Site {
    let site = Site::new();
    site.write_scores("a.csv", &crate::common::spread(ROWS, -4.0, 3.9, 5));
    site
}

fn apply(output: &str, rest: &str) -> String {
    // By a protocol that sends enough for every place of a fault.
    to_both(&format!(
        "apply sigmoid --protocol splut --column score --input a.csv --timeout 600 --output {output} {rest}"
    ))
}

/// Both sides ended with an error, soon, and left nothing.
#[track_caller]
fn ended(site: &Site, done: &[Done]) {
    for done in done {
        assert!(done.is_reported(), "{done:?}");
        assert!(done.stderr.contains("error: ") && done.time < SOON, "{done:?}");
    }
    let left: Vec<String> =
        site.names().into_iter().filter(|n| n.contains("out") || n.starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn peers_that_are_not_trusted() {
    let site = site();
    site.run("identity new --name stranger --out stranger.id").ok();
    site.trust("stranger", "bank");
    site.run("identity new --name lonely --out lonely.id").ok();
    // The bank does not know the stranger; lonely knows nobody, and the bank nobody of that name.
    for (p0, p1) in [("bank", "stranger"), ("stranger", "telecom"), ("bank", "lonely")] {
        let done = site.both(
            &apply("out0.csv", &format!("--identity {p0}.id --wait 2")),
            &apply("out1.csv", &format!("--identity {p1}.id")),
        );
        assert!(done[1].stderr.contains("error: secure connection: "), "{p0} and {p1}: {done:?}");
        assert!(done[0].stderr.contains("was turned away, the wait goes on: "), "{p0} and {p1}: {done:?}");
        assert!(done[0].stderr.contains("error: no connection from the peer for 2 s"), "{done:?}");
        assert!(done.iter().all(|done| done.stderr.contains("trust")), "{p0} and {p1}: {done:?}");
        ended(&site, &done);
    }
    let done = site.run(&apply("out0.csv", "--identity lonely.id --listen 127.0.0.1:0"));
    assert!(done.stderr.contains("nobody could connect"), "{done:?}");
    ended(&site, &[done]);
}

#[test]
fn strangers_are_turned_away_and_the_job_is_done() {
    let site = site();
    site.run("identity new --name stranger --out stranger.id").ok();
    site.trust("stranger", "bank");
    let p0 = site.listen(&apply("out0.csv", "--identity bank.id --threads 2"));
    let silent: Vec<_> = (0..3).map(|_| TcpStream::connect(&p0.address).unwrap()).collect();
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 300], b""] {
        let mut peer = TcpStream::connect(&p0.address).unwrap();
        peer.write_all(bytes).unwrap();
        let _ = peer.shutdown(Shutdown::Write);
        let _ = peer.read_to_end(&mut Vec::new());
    }
    let doctor = format!("doctor --connect {}", p0.address);
    site.run(&format!("{doctor} --identity stranger.id")).fails("pin: ");
    site.run(&format!("{doctor} --insecure-plain-tcp")).fails("tls: ");
    let rest = format!("--identity telecom.id --threads 2 --connect {}", p0.address);
    let p1 = site.run(&apply("out1.csv", &rest)).ok();
    let p0 = p0.finish().ok();
    drop(silent);
    let away = p0.stderr.lines().filter(|line| line.contains(" was turned away, the wait goes on: ")).count();
    assert_eq!(away, 5, "{p0:?}");
    assert_eq!(site.read("out0.csv"), site.read("out1.csv"));
    // Each says who the other is.
    for (done, peer) in [(p0, "telecom"), (p1, "bank")] {
        let line = format!("the peer is {peer} (fingerprint {})", site.fingerprint(peer));
        assert!(done.stderr.lines().any(|l| l == line), "{line}: {done:?}");
    }
}

#[test]
fn a_job_is_for_one_of_several_peers() {
    let site = site();
    site.run("identity new --name retailer --out retailer.id").ok();
    site.trust("bank", "retailer");
    site.trust("retailer", "bank");
    let done = site.run(&apply("out0.csv", "--identity bank.id --listen 127.0.0.1:0"));
    assert!(done.stderr.contains("name the one that this is for (--peer): retailer, telecom"), "{done:?}");
    ended(&site, &[done]);

    let p0 = site.listen(&apply("out0.csv", "--identity bank.id --peer telecom"));
    let other = site.run(&apply("out2.csv", &format!("--identity retailer.id --connect {}", p0.address)));
    assert!(other.stderr.contains("does not accept our certificate"), "{other:?}");
    assert!(!site.has("out2.csv"));
    site.run(&apply("out1.csv", &format!("--identity telecom.id --connect {}", p0.address))).ok();
    let p0 = p0.finish().ok();
    assert!(p0.stderr.contains("this is retailer"), "{p0:?}");
    assert!(p0.stderr.contains("the peer is telecom "), "{p0:?}");
}

#[test]
fn results_go_to_whom_both_parties_mean() {
    let site = site();
    let ids = ["--identity bank.id", "--identity telecom.id"];
    // The bank gets them, whoever listens and whichever words say so.
    for words in [["me", "peer"], ["bank", "bank"], ["me", "bank"]] {
        for first in [0, 1] {
            let ask = |i: usize| apply(&format!("out{i}.csv"), &format!("{} --reveal {}", ids[i], words[i]));
            for done in site.both(&ask(first), &ask(1 - first)) {
                done.ok();
            }
            assert!(!site.has("out1.csv"), "{words:?}");
            std::fs::remove_file(site.path("out0.csv")).unwrap();
        }
    }
    // Both think it is theirs; or the words stand for roles, and those were swapped.
    for words in [["me", "me"], ["peer", "peer"], ["bank", "telecom"], ["me", "p1"]] {
        let done = site.both(
            &apply("out0.csv", &format!("{} --reveal {}", ids[0], words[0])),
            &apply("out1.csv", &format!("{} --reveal {}", ids[1], words[1])),
        );
        for done in &done {
            assert!(done.stderr.contains("the parties disagree on reveal: here the "), "{words:?}: {done:?}");
        }
        ended(&site, &done);
    }
    let done = site.run(&apply("out0.csv", "--identity bank.id --reveal retailer --connect 127.0.0.1:9"));
    done.fails("\"retailer\" is neither this party, \"bank\", nor the peer, \"telecom\"");
}

#[test]
fn plain_tcp_against_tls() {
    let site = site();
    let (plain, tls) = ("--insecure-plain-tcp", ["--identity bank.id", "--identity telecom.id"]);
    for (p0, p1) in [(plain, tls[1]), (tls[0], plain)] {
        let done = site.both(&apply("out0.csv", &format!("{p0} --wait 2")), &apply("out1.csv", p1));
        for done in &done {
            assert!(done.stderr.contains("TLS") && done.stderr.contains("plain TCP"), "{done:?}");
        }
        assert!(done[0].stderr.contains("was turned away"), "{done:?}");
        ended(&site, &done);
    }
}

/// The 64 bytes with which a party greets.
fn greeting(version: u16, role: u8) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..8].copy_from_slice(b"hushtabl");
    bytes[8..10].copy_from_slice(&version.to_le_bytes());
    bytes[11] = role;
    bytes[16..48].copy_from_slice(&[7; 32]);
    bytes
}

/// Longer than 10 s: some of them are waited for.
#[test]
fn peers_of_another_version_or_the_same_role_or_another_kind() {
    let site = site();
    let info = site.run("info").ok().stdout;
    let version =
        info.lines().find_map(|line| line.strip_prefix("wire version ")).unwrap().parse::<u16>().unwrap();
    for (bytes, fragment) in [
        (&greeting(version + 1, 1)[..], "disagree on wire version"),
        (&greeting(version, 0), "disagree on role"),
        (&greeting(version, 9), "disagree on role"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "not hushtable"),
        (&[0xff; 4096], "not hushtable"),
    ] {
        let p0 = site.listen(&apply("out0.csv", "--insecure-plain-tcp --wait 2"));
        let mut peer = TcpStream::connect(&p0.address).unwrap();
        peer.write_all(bytes).unwrap();
        let _ = peer.read_to_end(&mut Vec::new());
        let done = p0.finish();
        assert!(done.stderr.contains(fragment), "wanted {fragment} in {done:?}");
        ended(&site, &[done]);
    }
    for (bytes, fragment) in [
        (greeting(version + 1, 0), "disagree on wire version"),
        (greeting(version, 1), "disagree on role"),
        ([b'x'; 64], "not hushtable"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let p1 = site.start(&apply("out1.csv", &format!("--insecure-plain-tcp --connect {address}")));
        let (mut peer, _) = listener.accept().unwrap();
        peer.write_all(&bytes).unwrap();
        let _ = peer.read_to_end(&mut Vec::new());
        let done = p1.finish();
        assert!(done.stderr.contains(fragment), "wanted {fragment} in {done:?}");
        ended(&site, &[done]);
    }
}

#[test]
fn ports_that_are_in_use_or_closed() {
    let site = site();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let done = site.run(&apply("out0.csv", &format!("--identity bank.id --listen {address}")));
    assert!(done.stderr.contains(&format!("listening on {address}: ")), "{done:?}");
    ended(&site, &[done]);
    drop(taken);
    let done = site.run(&apply("out1.csv", &format!("--identity bank.id --wait 1 --connect {address}")));
    assert!(done.stderr.contains(&format!("connecting to {address}: ")), "{done:?}");
    ended(&site, &[done]);
    let done = site.run(&apply("out1.csv", "--identity bank.id --wait 1 --listen 127.0.0.1:0"));
    ended(&site, &[done]);
}

/// Runs both parties over a proxy with this fault. In the handshake it could be anybody's: both wait a little
/// longer, and P1 tries again.
fn with_fault(site: &Site, rest: [&str; 2], after: usize, fault: Fault) -> [Done; 2] {
    let name = format!("{after}-{fault:?}-{}", rest[0].len());
    let p0 = site.listen(&apply(&format!("out0-{name}.csv"), &format!("{} --wait 3", rest[0])));
    let proxy = Proxy::new(&p0.address, after, fault);
    let p1 = site.run(&apply(
        &format!("out1-{name}.csv"),
        &format!("{} --wait 3 --connect {}", rest[1], proxy.address),
    ));
    [p0.finish(), p1]
}

const TLS: [&str; 2] = ["--identity bank.id", "--identity telecom.id"];
/// Bytes from P0 after which something happens: in the greeting, the base OTs, the agreement, the lookups.
const PLACES: [usize; 8] = [1, 70, 500, 2000, 5000, 9000, 100_000, 900_000];

/// Longer than 10 s: two processes for each place of a fault.
#[test]
fn connections_that_end() {
    let site = site();
    for after in PLACES {
        ended(&site, &with_fault(&site, TLS, after, Fault::Cut));
        ended(&site, &with_fault(&site, ["--insecure-plain-tcp"; 2], after, Fault::Cut));
        // Each lane carries a third.
        let lanes = TLS.map(|identity| format!("{identity} --threads 3"));
        ended(&site, &with_fault(&site, lanes.each_ref().map(String::as_str), after / 4, Fault::Cut));
    }
}

/// Longer than 10 s: two processes for each place of a fault.
#[test]
fn garbage_on_the_way() {
    let site = site();
    for after in PLACES {
        // Over TLS nothing of it gets in. The sender may have said all it had to say before the receiver hung up.
        let [p0, p1] = with_fault(&site, TLS, after, Fault::Garbage);
        assert!((p0.code == 0 || p0.is_reported()) && p1.is_reported(), "{after}: {p0:?} {p1:?}");
        // Plain TCP protects nothing: any answer is possible, but no crash and no wait.
        for done in with_fault(&site, ["--insecure-plain-tcp"; 2], after, Fault::Garbage) {
            assert!((done.code == 0 || done.is_reported()) && done.time < SOON, "{after}: {done:?}");
        }
    }
}

/// Longer than 10 s: that is the silence which ends a session.
#[test]
fn peers_that_fall_silent() {
    let site = site();
    let site = &site;
    thread::scope(|scope| {
        for after in PLACES {
            for rest in [TLS, ["--insecure-plain-tcp"; 2]] {
                scope.spawn(move || {
                    for done in with_fault(site, rest, after, Fault::Stall) {
                        assert!(done.is_reported(), "{after}: {done:?}");
                        assert!(done.time < SOON, "{after}: {done:?}");
                    }
                });
            }
        }
    });
    ended(site, &[]);
}

/// Longer than 10 s: two processes for each moment.
#[test]
fn peers_that_are_killed() {
    let site = site();
    for after in PLACES {
        for listening in [true, false] {
            // Slow enough that the parties are still at it.
            let slow = "--net 20:1";
            let mut p0 = site.listen(&apply("out0.csv", &format!("--identity bank.id --wait 3 {slow}")));
            let proxy = Proxy::new(&p0.address, after, Fault::Tell);
            let rest = format!("--identity telecom.id --wait 3 {slow} --connect {}", proxy.address);
            let mut p1 = site.start(&apply("out1.csv", &rest));
            proxy.reached();
            if listening {
                p0.kill()
            } else {
                p1.child.kill().unwrap()
            }
            let (p0, p1) = (p0.finish(), p1.finish());
            let (killed, survivor) = if listening { (p0, p1) } else { (p1, p0) };
            assert_eq!(killed.code, -1, "{killed:?}");
            ended(&site, &[survivor]);
        }
    }
}

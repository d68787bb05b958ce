//! The doctor names the leg that fails, and leaves the waiting party waiting.

use crate::net_support;

use hushtable::Error;
use hushtable::net::{Listener, Options, Stage, connect, diagnose};
use net_support::*;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

/// What was found: the stages passed, and the one that failed.
fn examine(addr: &str, options: Options) -> (Vec<Stage>, Option<(Stage, Error)>) {
    let mut passed = Vec::new();
    for (stage, found) in diagnose(addr, options) {
        match found {
            Ok(text) => {
                assert!(!text.is_empty());
                passed.push(stage);
            }
            Err(error) => return (passed, Some((stage, error))),
        }
    }
    (passed, None)
}

/// The same against a party that waits in `accept`, and goes on waiting until `peer` comes.
fn examine_waiting(
    waiting: Options,
    options: Options,
    peer: Options,
) -> (Vec<Stage>, Option<(Stage, Error)>) {
    let mut found = None;
    turned_away(waiting, peer, |addr| found = Some(soon(|| examine(&addr.to_string(), options))));
    found.unwrap()
}

const ALL: [Stage; 6] = [Stage::Name, Stage::Tcp, Stage::Tls, Stage::Pin, Stage::Version, Stage::Parameters];

fn with(parameters: &[(&str, &str)], options: Options) -> Options {
    let parameters = parameters.iter().map(|&(n, v)| (n.into(), v.into())).collect();
    options.parameters(parameters)
}

#[test]
fn a_healthy_party_is_found_healthy_and_goes_on_waiting() {
    let folders = Folders::friends();
    let same = [("security", "128"), ("lpn", "a")];
    for tls in [true, false] {
        let (p0, p1) =
            if tls { (secure(&folders.bank), secure(&folders.telecom)) } else { (plain(), plain()) };
        let listener = Listener::bind("127.0.0.1:0", with(&same, p0)).unwrap();
        let addr = listener.local_addr().to_string();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| listener.accept().unwrap().id());
            let expected: Vec<_> = ALL.into_iter().filter(|&s| tls || s != Stage::Pin).collect();
            for _ in 0..3 {
                let (passed, failed) = examine(&addr, with(&same, p1.clone()));
                assert!(failed.is_none(), "{failed:?}");
                assert_eq!(passed, expected);
            }
            // Parameters that differ do not disturb the waiting party either.
            let (passed, failed) = examine(&addr, with(&[same[0], ("lpn", "b")], p1.clone()));
            assert_eq!(passed, expected[..expected.len() - 1]);
            let failed = failed.unwrap();
            assert_eq!(failed.0, Stage::Parameters);
            assert!(matches!(&failed.1, Error::Handshake { field, .. } if field == "lpn"), "{:?}", failed.1);

            let c = connect(&addr, p1).unwrap();
            let id = c.id();
            drop(c);
            assert_eq!(id, waiting.join().unwrap());
        });
    }
}

#[test]
fn name_and_tcp() {
    let (passed, failed) = examine("no such host:1", plain());
    assert_eq!((passed.len(), failed.unwrap().0), (0, Stage::Name));
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let (passed, failed) = soon(|| examine(&closed, plain()));
    assert_eq!((passed, failed.unwrap().0), (vec![Stage::Name], Stage::Tcp));
}

#[test]
fn tls() {
    let folders = Folders::friends();
    for (p0, p1) in [(plain(), secure(&folders.telecom)), (secure(&folders.bank), plain())] {
        let peer = if p0.identity.is_some() { secure(&folders.telecom) } else { plain() };
        let (passed, failed) = examine_waiting(p0, p1, peer);
        let failed = failed.unwrap();
        assert_eq!((&passed[..], failed.0), (&ALL[..2], Stage::Tls));
        assert!(matches!(failed.1, Error::Tls(_)), "{}", failed.1);
    }
}

#[test]
fn pin() {
    let folders = Folders::strangers();
    folders.bank_trusts_telecom();
    let before = secure(&folders.telecom);
    folders.telecom_trusts_bank();
    let (passed, failed) = examine_waiting(secure(&folders.bank), before, secure(&folders.telecom));
    assert_eq!((&passed[..], failed.as_ref().unwrap().0), (&ALL[..3], Stage::Pin));
    assert!(failed.unwrap().1.to_string().contains("is not in"), "it is we who do not trust");

    let folders = Folders::strangers();
    let retailer = folders.third("retailer");
    trust(&folders.bank, &retailer, None);
    trust(&retailer, &folders.bank, None);
    folders.telecom_trusts_bank();
    let (passed, failed) =
        examine_waiting(secure(&folders.bank), secure(&folders.telecom), secure(&retailer));
    assert_eq!((&passed[..], failed.as_ref().unwrap().0), (&ALL[..3], Stage::Pin));
    assert!(failed.unwrap().1.to_string().contains("does not accept our certificate"));
}

#[test]
fn version() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut socket = listener.accept().unwrap().0;
            let mut hello = [0; 64];
            socket.read_exact(&mut hello).unwrap();
            assert_eq!((hello[10], hello[11]), (1, 1), "a probe, from P1");
            socket.write_all(&greeting(7, 0, 0)).unwrap();
            until_closed(&mut socket);
        });
        let (passed, failed) = soon(|| examine(&addr, plain()));
        let failed = failed.unwrap();
        assert_eq!((&passed[..], failed.0), (&ALL[..3], Stage::Version));
        assert!(
            failed.1.to_string().contains(&format!("wire version: here {WIRE_VERSION}, at the peer 7")),
            "{}",
            failed.1
        );
    });
}

//! Who is at the other end: a job names its peer, and nobody else gets it.

use crate::net_support;

use hushtable::Error;
use hushtable::net::{Connection, Identity, Listener, Options, connect};
use net_support::*;
use std::path::Path;

/// The bank trusts the telecom company and the retailer; both trust the bank.
fn market() -> (Folders, std::path::PathBuf) {
    let folders = Folders::friends();
    let retailer = folders.third("retailer");
    trust(&folders.bank, &retailer, None);
    trust(&retailer, &folders.bank, None);
    (folders, retailer)
}

fn expecting(dir: &Path, peer: &str) -> Options {
    secure(dir).peer(Some(peer.into()))
}

#[test]
fn a_trusted_peer_that_is_not_expected_is_a_stranger() {
    let (folders, retailer) = market();
    for (expected, other, name) in
        [(&folders.telecom, &retailer, "telecom"), (&retailer, &folders.telecom, "retailer")]
    {
        let lines = turned_away(expecting(&folders.bank, name), secure(expected), |addr| {
            let text = tls_error(soon(|| connect(&addr.to_string(), secure(other))));
            assert!(text.contains("does not accept our certificate"), "{text}");
        });
        let known = Identity::load(other).unwrap();
        let said = format!("trusted but not the peer of this job, {name}");
        assert!(lines.len() == 1 && lines[0].contains(&said), "{lines:?}");
        assert!(lines[0].contains(known.name()), "{lines:?}");
        assert!(lines[0].contains(&known.fingerprint().to_string()), "{lines:?}");
    }

    // Likewise where the bank connects, and another one listens there.
    let lines = turned_away(secure(&retailer), expecting(&folders.bank, "retailer"), |addr| {
        let text = tls_error(soon(|| connect(&addr.to_string(), expecting(&folders.bank, "telecom"))));
        assert!(text.contains("this is retailer") && text.contains("job, telecom"), "{text}");
    });
    assert!(lines.len() == 1 && lines[0].contains("does not accept our certificate"), "{lines:?}");
}

#[test]
fn who_came_is_known_by_name_and_fingerprint_in_every_lane() {
    let folders = Folders::strangers();
    trust(&folders.bank, &folders.telecom, Some("mobile"));
    folders.telecom_trusts_bank();
    let who = |c: &Connection| (c.peer_name().to_owned(), c.peer_fingerprint());
    let run = |mut c: Connection| {
        let lanes = c.fork(2).unwrap();
        assert!(lanes.iter().all(|lane| who(lane) == who(&c)));
        who(&c)
    };
    let (p0, p1) = session(expecting(&folders.bank, "mobile"), secure(&folders.telecom), run, run);
    let fingerprint = |dir| Some(Identity::load(dir).unwrap().fingerprint());
    assert_eq!(p0, ("mobile".into(), fingerprint(&folders.telecom)));
    assert_eq!(p1, ("bank".into(), fingerprint(&folders.bank)));
}

#[test]
fn one_of_several_must_be_named() {
    let (folders, _) = market();
    let listen = |options| Listener::bind("127.0.0.1:0", options).err().expect("nobody is named");
    let call = |options| connect("127.0.0.1:9", options).err().expect("nobody is named");
    for (options, said) in [
        (secure(&folders.bank), "retailer, telecom"),
        (expecting(&folders.bank, "tele"), "does not trust \"tele\"; it trusts: retailer, telecom"),
    ] {
        for error in [listen(options.clone()), call(options.clone())] {
            assert!(matches!(&error, Error::Identity(text) if text.contains(said)), "{error}");
        }
    }
    let nobody = Folders::strangers();
    let error = listen(secure(&nobody.bank));
    assert!(matches!(&error, Error::Identity(text) if text.contains("nobody could connect")), "{error}");
    // Plain TCP could not tell.
    let plain = plain().peer(Some("telecom".into()));
    for error in [listen(plain.clone()), call(plain.clone())] {
        assert!(matches!(&error, Error::Param { what: "peer", .. }), "{error}");
    }
}

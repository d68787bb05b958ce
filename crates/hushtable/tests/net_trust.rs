//! Trust in peers: what is pinned is what was compared, under a name, until it is taken back.

use crate::net_support;

use hushtable::net::{Fingerprint, Identity, Peer};
use hushtable::{Error, Result};
use net_support::{Folders, trust};
use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use std::fs;
use std::path::Path;

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[track_caller]
fn refusal<T>(outcome: Result<T>) -> String {
    match outcome {
        Err(Error::Identity(text)) => text,
        Err(other) => panic!("another kind of error: {other}"),
        Ok(_) => panic!("this must be refused"),
    }
}

/// A certificate for a name and a time, in PEM.
fn make(name: &str, from: i32, to: i32) -> String {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().pem()
}

/// Whom the identity in `dir` trusts.
fn trusted(dir: &Path) -> Vec<Peer> {
    Identity::load(dir).unwrap().peers()
}

#[test]
fn what_is_pinned_is_what_was_compared() {
    let folders = Folders::strangers();
    let theirs = Identity::load(&folders.telecom).unwrap().fingerprint();
    let certificate = folders.telecom.join("cert.pem");
    assert_eq!(Peer::read(&certificate).unwrap(), Peer { name: "telecom".into(), fingerprint: theirs });
    for _ in 0..2 {
        // The second time changes nothing.
        let peer = trust(&folders.bank, &folders.telecom, None);
        assert_eq!(peer, Peer { name: "telecom".into(), fingerprint: theirs });
        assert_eq!(files(&folders.bank.join("trusted")), ["telecom.pem"]);
        assert_eq!(trusted(&folders.bank), [peer]);
    }
    let copy = fs::read_to_string(folders.bank.join("trusted/telecom.pem")).unwrap();
    assert_eq!(copy, fs::read_to_string(certificate).unwrap().replace('\r', ""));
}

#[test]
fn a_certificate_that_was_not_compared_is_not_pinned() {
    let folders = Folders::strangers();
    let [bank, telecom] = [&folders.bank, &folders.telecom].map(|d| Identity::load(d).unwrap().fingerprint());
    let text = refusal(Identity::trust(&folders.bank, &folders.telecom.join("cert.pem"), bank, None));
    assert!(text.contains(&bank.to_string()) && text.contains(&telecom.to_string()), "{text}");
    assert!(files(&folders.bank.join("trusted")).is_empty());
}

#[test]
fn a_file_holds_one_certificate_and_nothing_else() {
    let folders = Folders::strangers();
    let sent = folders.root.path().join("sent.pem");
    let genuine = fs::read_to_string(folders.telecom.join("cert.pem")).unwrap();
    let key = fs::read_to_string(folders.telecom.join("key.pem")).unwrap();
    let eve = make("telecom", 2001, 2500);
    let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----");
    let body = eve.trim().strip_prefix(begin).unwrap();
    let confirmed = Identity::load(&folders.telecom).unwrap().fingerprint();
    for forged in [
        // One reader finds the first block wherever it begins, another only at the start of a line.
        format!("# x {begin}{body}\n{genuine}"),
        format!("x{eve}{genuine}"),
        format!("{genuine}# {eve}"),
        format!("{eve}{genuine}"),
        format!("{genuine}{eve}"),
        format!("{genuine}{genuine}"),
        format!("{}x{genuine}", "\n".repeat(10)),
        format!("{genuine}\nremark"),
        format!("{key}{genuine}"),
        format!("{genuine}{key}"),
        genuine.replacen(end, &format!("{begin}\n{end}"), 1),
        genuine.replacen('\n', "\nProc-Type: 4,ENCRYPTED\n", 1),
        genuine.replacen('\n', &format!("\n{}\n", body.lines().nth(1).unwrap()), 1),
        format!("\u{feff}{genuine}"),
    ] {
        fs::write(&sent, &forged).unwrap();
        for outcome in [Peer::read(&sent), Identity::trust(&folders.bank, &sent, confirmed, None)] {
            let text = refusal(outcome);
            assert!(text.contains("sent.pem"), "{text}: {forged}");
        }
        // Nor does it get in by hand.
        let pin = folders.bank.join("trusted/eve.pem");
        fs::write(&pin, &forged).unwrap();
        assert!(refusal(Identity::load(&folders.bank)).contains("eve.pem"));
        fs::remove_file(pin).unwrap();
    }
    assert!(files(&folders.bank.join("trusted")).is_empty());

    // Space around it is no matter, nor how lines end.
    fs::write(&sent, format!("\r\n \n{}\n\n", genuine.replace('\n', "\r\n"))).unwrap();
    Identity::trust(&folders.bank, &sent, confirmed, None).unwrap();
    assert_eq!(trusted(&folders.bank)[0].fingerprint, confirmed);
}

#[test]
fn a_fingerprint_is_read_whole() {
    let folders = Folders::strangers();
    let fingerprint = Identity::load(&folders.bank).unwrap().fingerprint();
    let (shown, short) = (fingerprint.to_string(), fingerprint.to_string().replace(':', ""));
    for text in [shown.clone(), shown.to_lowercase(), short.clone(), short.to_lowercase()] {
        assert_eq!(text.parse::<Fingerprint>().unwrap(), fingerprint, "{text}");
    }
    let (half, odd) = (&shown[..47], shown.replacen(':', "", 1));
    for text in ["", half, &shown[1..], &odd, &shown.replace(['A', 'B'], "G"), &format!("{short}00")] {
        if text != shown {
            assert!(matches!(text.parse::<Fingerprint>(), Err(Error::Param { .. })), "{text}");
        }
    }
}

#[test]
fn peers_have_names() {
    let folders = Folders::strangers();
    let [retailer, other] = ["retailer", "other"].map(|name| folders.third(name));
    trust(&folders.bank, &folders.telecom, Some("mobile.example"));
    trust(&folders.bank, &retailer, None);
    let names = || trusted(&folders.bank).into_iter().map(|peer| peer.name).collect::<Vec<_>>();
    assert_eq!(names(), ["mobile.example", "retailer"]);

    let fingerprint = Identity::load(&other).unwrap().fingerprint();
    let as_name = |name| Identity::trust(&folders.bank, &other.join("cert.pem"), fingerprint, Some(name));
    for taken in ["retailer", "Retailer"] {
        assert!(refusal(as_name(taken)).contains("another peer is trusted as retailer"));
    }
    for odd in ["", ".", ".x", "a/b", " a", "a  b", "a\u{202e}b", "../x"] {
        assert!(matches!(as_name(odd), Err(Error::Param { what: "name of a peer", .. })), "{odd}");
    }
    as_name("shop").unwrap();
    assert!(refusal(as_name("shop2")).contains("trusted already, as shop"));

    assert!(refusal(Identity::untrust(&folders.bank, "telecom")).contains("mobile.example, retailer, shop"));
    let gone = Identity::untrust(&folders.bank, "retailer").unwrap();
    assert_eq!(gone.fingerprint, Identity::load(&retailer).unwrap().fingerprint());
    assert_eq!(names(), ["mobile.example", "shop"]);
    assert_eq!(files(&folders.bank.join("trusted")), ["mobile.example.pem", "shop.pem"]);
}

#[test]
fn a_peers_name_cannot_leave_the_folder() {
    let folders = Folders::strangers();
    let file = folders.root.path().join("evil.pem");
    for name in ["../../evil", ".hidden", "a\0b", "", &"long".repeat(60)] {
        fs::write(&file, make(name, 2001, 2500)).unwrap();
        let fingerprint = Peer::read(&file).unwrap().fingerprint;
        Identity::trust(&folders.bank, &file, fingerprint, None).unwrap();
    }
    let names = files(&folders.bank.join("trusted"));
    assert_eq!(names.len(), 5, "{names:?}");
    for name in names {
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)), "{name}");
        assert!(!name.starts_with('.') && name.len() < 64, "{name}");
    }
    assert_eq!(trusted(&folders.bank).len(), 5);
}

#[test]
fn what_cannot_be_trusted_is_said() {
    let folders = Folders::strangers();
    let file = folders.root.path().join("x.pem");
    for (bytes, problem) in [
        (make("x", 2001, 2002), "expired on"),
        (make("x", 2500, 2501), "is not valid before"),
        (fs::read_to_string(folders.bank.join("cert.pem")).unwrap(), "itself"),
    ] {
        fs::write(&file, bytes).unwrap();
        let fingerprint = Peer::read(&file).unwrap().fingerprint;
        let text = refusal(Identity::trust(&folders.bank, &file, fingerprint, None));
        assert!(text.contains("x.pem") && text.contains(problem), "{text}");
    }
    fs::copy(folders.telecom.join("key.pem"), &file).unwrap();
    assert!(refusal(Peer::read(&file)).contains("holds no certificate"));
    assert!(files(&folders.bank.join("trusted")).is_empty());
    let (none, certificate) = (folders.root.path().join("none"), folders.telecom.join("cert.pem"));
    let fingerprint = Peer::read(&certificate).unwrap().fingerprint;
    assert!(Identity::trust(&none, &certificate, fingerprint, None).is_err());
}

#[test]
fn a_rotated_identity_is_a_new_one_of_the_same_name_and_trust() {
    let folders = Folders::friends();
    let before = Identity::load(&folders.bank).unwrap();
    // An interruption left the new key beside the old certificate.
    fs::copy(folders.telecom.join("key.pem"), folders.bank.join("key.pem")).unwrap();
    assert!(Identity::load(&folders.bank).is_err());
    let after = Identity::rotate(&folders.bank).unwrap();
    assert_eq!((after.name(), after.peers()), ("bank", before.peers()));
    assert_ne!(after.fingerprint(), before.fingerprint());
    assert_eq!(files(&folders.bank), ["cert.pem", "key.pem", "trusted"]);

    // Stores would be lost.
    fs::create_dir(folders.bank.join("spent")).unwrap();
    fs::write(folders.bank.join("spent/0"), "").unwrap();
    assert!(refusal(Identity::rotate(&folders.bank)).contains("store rm"));
    assert_eq!(Identity::load(&folders.bank).unwrap().fingerprint(), after.fingerprint());
}

/// A pin that cannot be used keeps no other one: neither from being taken back, nor in the eyes of a party that goes on.
#[test]
fn a_bad_pin_keeps_no_other() {
    let folders = Folders::friends();
    let eve = folders.third("eve");
    trust(&folders.bank, &eve, None);
    let party = Identity::load(&folders.bank).unwrap();
    let pins = folders.bank.join("trusted");
    fs::write(pins.join("bad.pem"), "no certificate").unwrap();
    fs::create_dir(pins.join("folder.pem")).unwrap();
    assert!(refusal(Identity::load(&folders.bank)).contains(".pem"), "a job of two names it");
    assert!(
        refusal(Identity::untrust(&folders.bank, "bad"))
            .contains("bad.pem is no certificate that can be used")
    );
    assert_eq!(Identity::untrust(&folders.bank, "eve").unwrap().name, "eve");
    let (again, by_now) =
        (Identity::load_for_many(&folders.bank).unwrap(), party.with_pins_of_now().unwrap());
    for (identity, bad) in [again, by_now] {
        assert_eq!(identity.fingerprint(), party.fingerprint());
        let names: Vec<_> = identity.peers().into_iter().map(|peer| peer.name).collect();
        assert_eq!(names, ["telecom"]);
        let mut bad: Vec<_> = bad.iter().map(ToString::to_string).collect();
        bad.sort();
        assert!(bad.len() == 2 && bad[0].contains("bad.pem") && bad[1].contains("folder.pem"), "{bad:?}");
    }
    // Without its own files it goes on with those pins; without the folder it trusts nobody.
    fs::remove_file(folders.bank.join("key.pem")).unwrap();
    assert_eq!(party.with_pins_of_now().unwrap().0.peers().len(), 1);
    fs::remove_dir_all(pins).unwrap();
    assert!(matches!(party.with_pins_of_now(), Err(Error::Io { .. })));
}

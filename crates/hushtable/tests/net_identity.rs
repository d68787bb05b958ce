//! Identity folders: made, read, refused.

use crate::net_support;

use hushtable::net::Identity;
use hushtable::{Error, Result};
use net_support::Folders;
use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use sha2::{Digest, Sha256};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn refusal<T>(outcome: Result<T>) -> String {
    match outcome {
        Err(Error::Identity(text)) => text,
        Err(other) => panic!("another kind of error: {other}"),
        Ok(_) => panic!("this must be refused"),
    }
}

/// Key and certificate for a name and a time, in PEM.
fn make(name: &str, from: i32, to: i32) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
    let certificate = params.self_signed(&key).unwrap();
    (key.serialize_pem(), certificate.pem())
}

#[test]
fn a_new_identity_is_complete_and_private() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("bank.id");
    let made = Identity::create(&dir, "bank").unwrap();
    assert_eq!(files(&dir), ["cert.pem", "key.pem", "trusted"]);
    assert_eq!(["", "trusted", "key.pem"].map(|name| mode(&dir.join(name))), [0o700, 0o700, 0o600]);
    assert_eq!(files(root.path()), ["bank.id"], "nothing is left beside it");

    let read = Identity::load(&dir).unwrap();
    assert_eq!((read.name(), read.fingerprint()), ("bank", made.fingerprint()));
    assert_eq!(read.certificate_path(), dir.join("cert.pem"));
    let der = CertificateDer::from_pem_slice(&fs::read(dir.join("cert.pem")).unwrap()).unwrap();
    let bytes: Vec<String> = Sha256::digest(&der).iter().map(|b| format!("{b:02X}")).collect();
    assert_eq!(read.fingerprint().to_string(), bytes.join(":"));
    assert!(!format!("{read:?}").contains("key"), "{read:?}");
    assert_ne!(
        Identity::create(&root.path().join("other"), "bank").unwrap().fingerprint(),
        made.fingerprint()
    );
}

#[test]
fn nothing_is_written_over() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("x");
    fs::create_dir(&dir).unwrap();
    assert!(refusal(Identity::create(&dir, "x")).contains("exists already"));
    fs::remove_dir(&dir).unwrap();
    fs::write(&dir, "a file").unwrap();
    assert!(refusal(Identity::create(&dir, "x")).contains("exists already"));
    assert_eq!(fs::read(&dir).unwrap(), b"a file");

    let missing = root.path().join("no/such/folder");
    assert!(matches!(Identity::create(&missing, "x"), Err(Error::Io { .. })));
    assert_eq!(files(root.path()), ["x"]);
}

#[test]
fn a_name_is_plain() {
    let root = tempfile::tempdir().unwrap();
    for name in [
        "",
        " a",
        "a ",
        "a  b",
        "a/b",
        "a\\b",
        "a:b",
        "a\n",
        "a\u{1b}[2J",
        ".a",
        "..",
        &"x".repeat(65),
        // What turns text around, shows as nothing, or is a blank of another kind.
        "a\u{202e}b",
        "a\u{2066}b",
        "a\u{200f}",
        "a\u{200b}b",
        "a\u{ad}b",
        "\u{feff}a",
        "a\u{a0}b",
        "\u{3164}",
        "a\u{2028}b",
        // A letter over another.
        "teleco\u{36b}",
    ] {
        let outcome = Identity::create(&root.path().join("id"), name);
        assert!(matches!(outcome, Err(Error::Param { .. })), "{name:?}");
    }
    assert!(files(root.path()).is_empty());
    assert_eq!(Identity::create(&root.path().join("id"), &"x".repeat(64)).unwrap().name().len(), 64);
    // However accents are typed, it is one name.
    let typed = Identity::create(&root.path().join("composed"), "Su\u{308}d").unwrap();
    assert_eq!(typed.name(), "S\u{fc}d");
}

#[test]
fn a_name_is_of_any_script() {
    let folders = Folders::strangers();
    for (i, name) in
        ["Klinikum S\u{fc}d", "\u{6771}\u{4eac}", "\u{10c}esk\u{e1} po\u{161}ta", "\u{5d0}\u{5d1}"]
            .iter()
            .enumerate()
    {
        let dir = folders.bank.with_file_name(format!("clinic{i}"));
        let made = Identity::create(&dir, name).unwrap();
        assert_eq!(made.name(), *name);
        let peer =
            Identity::trust(&folders.bank, &made.certificate_path(), made.fingerprint(), None).unwrap();
        assert_eq!(peer.name, *name);
        let trusted = Identity::load(&folders.bank).unwrap().expected(Some(name)).unwrap();
        assert_eq!(trusted.unwrap().fingerprint, made.fingerprint());
    }
    // One name but for capitals would be one file on some systems.
    let again = folders.bank.with_file_name("again");
    let made = Identity::create(&again, "KLINIKUM S\u{dc}D").unwrap();
    let text = Identity::trust(&folders.bank, &made.certificate_path(), made.fingerprint(), None);
    assert!(refusal(text).contains("another peer is trusted as"));
}

#[test]
fn a_key_open_to_others_is_refused() {
    let folders = Folders::strangers();
    let key = folders.bank.join("key.pem");
    for bits in [0o640, 0o604, 0o620, 0o601] {
        fs::set_permissions(&key, fs::Permissions::from_mode(bits)).unwrap();
        let text = refusal(Identity::load(&folders.bank));
        assert!(text.contains("key.pem") && text.contains(&format!("{bits:o}")), "{text}");
    }
    fs::set_permissions(&key, fs::Permissions::from_mode(0o400)).unwrap();
    Identity::load(&folders.bank).unwrap();
}

#[test]
fn a_key_of_another_certificate_is_refused() {
    let folders = Folders::strangers();
    fs::copy(folders.telecom.join("cert.pem"), folders.bank.join("cert.pem")).unwrap();
    let text = refusal(Identity::load(&folders.bank));
    assert!(text.contains("key.pem") && text.contains("does not belong"), "{text}");
}

#[test]
fn our_own_certificate_must_be_valid_now() {
    let folders = Folders::strangers();
    for (from, to, problem) in [(2001, 2002, "expired on"), (2500, 2501, "is not valid before")] {
        let (key, certificate) = make("bank", from, to);
        fs::write(folders.bank.join("key.pem"), key).unwrap();
        fs::write(folders.bank.join("cert.pem"), certificate).unwrap();
        let text = refusal(Identity::load(&folders.bank));
        assert!(text.contains("cert.pem") && text.contains(problem), "{text}");
    }
}

#[test]
fn broken_files_are_named() {
    let cases: [(&str, &[u8]); 6] = [
        ("cert.pem", b""),
        ("cert.pem", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        ("cert.pem", &[0xFF; 200]),
        ("key.pem", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
        ("trusted/x.pem", b"not PEM"),
        ("cert.pem", &[b'\n'; 70_000]),
    ];
    for (file, bytes) in cases {
        let folders = Folders::strangers();
        fs::write(folders.bank.join(file), bytes).unwrap();
        let text = refusal(Identity::load(&folders.bank));
        assert!(text.contains(file), "{text}");
    }
    for file in ["cert.pem", "key.pem"] {
        let folders = Folders::strangers();
        fs::remove_file(folders.bank.join(file)).unwrap();
        let error = Identity::load(&folders.bank).unwrap_err();
        assert!(matches!(&error, Error::Io { what, .. } if what.contains(file)), "{error}");
    }
    let error = Identity::load(Path::new("no such folder")).unwrap_err().to_string();
    assert!(error.contains("no such folder"), "{error}");
}

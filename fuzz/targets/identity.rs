//! The files of an identity: private key, own certificate, a pinned certificate.

use std::{fs, path::PathBuf, sync::LazyLock};

use hushtable::{Error, net::Identity};
use tempfile::TempDir;

/// Folders to work in, removed when the process ends orderly.
struct Folders {
    _root: TempDir,
    own: PathBuf,
    peer: PathBuf,
    /// What the files of `own`, and the peer's certificate, are before an input spoils one. Read before any
    /// input is written: a fuzzer starts with inputs of its own.
    sound: [Vec<u8>; 3],
}

static FOLDERS: LazyLock<Folders> = LazyLock::new(|| {
    let root = tempfile::tempdir().expect("a temporary folder");
    let [own, peer] = ["own", "peer"].map(|name| root.path().join(name));
    Identity::create(&own, "own").expect("an identity");
    Identity::create(&peer, "peer").expect("an identity");
    let files = [own.join("key.pem"), own.join("cert.pem"), peer.join("cert.pem")];
    let sound = files.map(|path| fs::read(path).expect("a file of an identity"));
    Folders { _root: root, own, peer, sound }
});

/// An identity that nothing changes.
pub fn own() -> Identity {
    Identity::load(&FOLDERS.peer).expect("an identity")
}

/// The first byte says which of the three files the rest is.
pub fn run(data: &[u8]) {
    let Some((&first, content)) = data.split_first() else { return };
    let Folders { own, sound, .. } = &*FOLDERS;
    let which = usize::from(first) % 3;
    let path =
        [own.join("key.pem"), own.join("cert.pem"), own.join("trusted").join("peer.pem")][which].clone();
    fs::write(&path, content).expect("a file can be written");
    match Identity::load(own) {
        // A changed certificate may still fit the key; the peer's pin is what tells.
        Ok(identity) if which == 1 => {
            assert!(
                identity.name().bytes().all(|b| b == b' ' || b.is_ascii_graphic()),
                "{}",
                identity.name()
            );
        }
        Ok(identity) => assert_eq!(identity.name(), "own"),
        Err(Error::Identity(text)) => assert!(text.contains(&path.display().to_string()), "{text}"),
        Err(other) => panic!("{other}"),
    }
    match which {
        2 => fs::remove_file(&path).expect("the file is there"),
        _ => fs::write(&path, &sound[which]).expect("a file can be written"),
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let with = |first: u8, content: &[u8]| [&[first], content].concat();
    let [key, certificate, peer] = &FOLDERS.sound;
    let two = [&certificate[..], peer].concat();
    vec![
        with(0, key),
        with(1, certificate),
        with(2, peer),
        with(0, certificate),
        with(1, peer),
        with(1, &two),
        with(2, key),
        with(2, b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"),
        with(1, b"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"),
        with(0, b""),
    ]
}

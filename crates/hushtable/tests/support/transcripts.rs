//! Golden transcripts: what both parties send in fixed seeded runs, hashed and compared with what they sent before.
#![allow(dead_code)] // not every test uses all of it

use std::{env, fs, path::Path};

use hushtable::{Party, Result, net::Connection, ot::Scheme};

use super::{
    pairs::id,
    relay::{Fate, relayed},
};

pub const SEED: u64 = 0x57_1e;

pub type Protocol = fn(&mut Party) -> Result<()>;

/// Every frame each party sent, set-up included.
fn transcript(scheme: Option<Scheme>, protocol: Protocol) -> [Vec<Vec<u8>>; 2] {
    let run = move |connection: Connection| protocol(&mut Party::seeded(connection, SEED, scheme)?);
    let outcome = relayed(id(SEED), run, run, |_, _, _| Fate::Pass);
    outcome.p0.expect("no panic at P0").expect("an honest run");
    outcome.p1.expect("no panic at P1").expect("an honest run");
    outcome.sent
}

fn line(name: &str, sent: [&[Vec<u8>]; 2]) -> String {
    let hash = |frames: &[Vec<u8>]| {
        let mut hasher = blake3::Hasher::new();
        for frame in frames {
            hasher.update(frame);
        }
        hasher.finalize().to_hex()[..32].to_string()
    };
    let [p0, p1] = sent;
    format!("{name} p0 {} {} p1 {} {}\n", p0.len(), hash(p0), p1.len(), hash(p1))
}

/// Compares the transcripts of these protocols with those that a file holds.
pub fn compare(path: &Path, protocols: impl Iterator<Item = (&'static str, Option<Scheme>, Protocol)>) {
    let mut now = String::from("# protocol, then for each party: frames sent, hash of them. See wire.rs.\n");
    for (name, scheme, protocol) in protocols {
        let sent = transcript(scheme, protocol);
        let set_up = transcript(scheme, |_| Ok(()));
        let after = if name.starts_with("set-up") { [0, 0] } else { [set_up[0].len(), set_up[1].len()] };
        assert!(sent[0].starts_with(&set_up[0]) && sent[1].starts_with(&set_up[1]), "{name}: another set-up");
        now += &line(name, [&sent[0][after[0]..], &sent[1][after[1]..]]);
    }
    if env::var_os("UPDATE_WIRE").is_some() {
        fs::write(path, &now).expect("data/wire.txt can be written");
    }
    let before = fs::read_to_string(path).expect("data/wire.txt");
    let changed: Vec<&str> = now.lines().filter(|line| !before.lines().any(|old| old == *line)).collect();
    assert!(
        before == now,
        "the bytes on the wire changed:\n{}\nIf that is meant: UPDATE_WIRE=1, a line in the changelog under \
         \"Wire\", and another net::WIRE_VERSION.",
        changed.join("\n")
    );
}

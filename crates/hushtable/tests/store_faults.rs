//! A peer that goes wrong at one of the messages by which two parties agree on a store: an error at both, nothing
//! spent.

use std::time::{Duration, Instant};

use crate::support::stores::{JOB, Site, plan};

use hushtable::{
    Error, Party, Result, Role, lut::Protocol, onehot::Cyclic, run_pair, share::Additive, store::About,
};

/// The first message of the agreement, from the peer's hand.
fn parameters(p: &mut Party, about: &About) -> Result<()> {
    p.agree(&[
        ("store", about.name()),
        ("store's material", about.text.clone()),
        ("shape of the store's material", blake3::Hash::from(about.shape).to_hex().to_string()),
        ("number of stored items", about.planned.to_string()),
    ])
}

fn send(p: &mut Party, bytes: Vec<u8>) -> Result<()> {
    p.connection().channel().send(bytes)
}

/// The peer's part: what goes wrong.
type Play = fn(&mut Party, &About) -> Result<()>;

/// What the honest party must find.
type Found = fn(&Error) -> bool;

const CLOSED: Found = |e| matches!(e, Error::Closed | Error::Tls(_));
const PEER: Found = |e| matches!(e, Error::Peer(_));

const FAULTS: &[(&str, Play, Found)] = &[
    ("vanishes before the parameters", |_, _| Ok(()), CLOSED),
    ("sends no parameters", |p, _| send(p, vec![]), |e| matches!(e, Error::Handshake { .. })),
    ("sends unreadable parameters", |p, _| send(p, vec![0xff; 7]), PEER),
    ("sends too many parameters", |p, _| send(p, vec![0; 20 << 10]), PEER),
    ("vanishes before the cursor", parameters, CLOSED),
    ("sends no cursor", |p, about| parameters(p, about).and_then(|()| send(p, vec![])), PEER),
    ("sends half a cursor", |p, about| parameters(p, about).and_then(|()| send(p, vec![0; 15])), PEER),
    ("sends more than a cursor", |p, about| parameters(p, about).and_then(|()| send(p, vec![0; 17])), PEER),
    ("is beyond the end", |p, about| parameters(p, about).and_then(|()| send(p, vec![0xff; 16])), PEER),
];

#[test]
fn a_fault_at_every_message_of_the_agreement_is_an_error_at_both() {
    let site = Site::new();
    drop(site.make(&plan(Protocol::Rotl, JOB, 10, 10)).expect("stores"));
    for (role, (what, play, found)) in
        [Role::P0, Role::P1].into_iter().flat_map(|r| FAULTS.iter().map(move |f| (r, f)))
    {
        let start = Instant::now();
        let mut errors = [None, None];
        let [honest, faulty] = &mut errors;
        let honest = |p: &mut Party| -> Result<()> {
            *honest = site.open(p.role())?.agree(p).err();
            Ok(())
        };
        let faulty = |p: &mut Party| -> Result<()> {
            let about = site.open(p.role())?.about().clone();
            play(p, &about)?;
            if !what.starts_with("vanishes") {
                *faulty = p.barrier().and_then(|()| p.barrier()).err();
            }
            Ok(())
        };
        match role {
            Role::P0 => run_pair(site.session(Role::P0), honest, faulty).map(drop),
            Role::P1 => run_pair(site.session(Role::P0), faulty, honest).map(drop),
        }
        .unwrap_or_else(|error| panic!("{role:?}, whose peer {what}: {error}"));
        let error = errors[0].as_ref().unwrap_or_else(|| panic!("{role:?} notices no peer that {what}"));
        assert!(found(error), "{role:?}, whose peer {what}: {error:?}");
        assert!(what.starts_with("vanishes") || errors[1].is_some(), "the peer that {what} goes on");
        assert!(start.elapsed() < Duration::from_secs(60), "{what}: took {:?}", start.elapsed());
    }
    // What the peer said has used nothing up.
    site.spend::<Cyclic, Additive, u16>(&JOB, 10, 10).expect("all lookups are left");
}

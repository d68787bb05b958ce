//! A statement that both parties sign with the keys of their identities, and a record that one signs.
//!
//! # Functionality
//! In: fields, the same at both parties, and a commitment of each to what it says alone. Out, to both: the statement,
//! which begins with who they are, the session, the time and the commitments, and both signatures over it, verified.
//!
//! # Protocol
//! 1. Both send what time it is, and their commitment of 32 bytes.
//! 2. Both sign the statement: the fingerprints of P0 and P1, the session's id, the times at P0 and P1, the commitments
//!    of P0 and P1, and the fields. Both send the signature, and verify the peer's with the certificate that is pinned.
//!
//! What is signed begins as TLS 1.3 has it, but with words of its own: no signature here serves in a handshake, and
//! none of a handshake here. What one party signs alone begins with others again.
//!
//! # Cost
//! 2 rounds, 40 bytes and about 72 each way.
//!
//! # Source
//! RFC 8446, section 4.4.3, for the separation.

use super::identity::{Certificate, Identity};
use crate::error::{Error, Result};
use crate::net::channel::Channel;
use crate::net::connection::Connection;
use crate::net::fingerprint::Fingerprint;
use crate::net::role::Role;
use std::time::SystemTime;

/// What else the keys sign is a handshake: its words are others.
const CONTEXT: &[u8] = b"hushtable 2026-11 record of a job";
/// Of what one party signs.
const ALONE: &[u8] = b"hushtable 2026-11 one party's record of a job";
/// A signature by ECDSA over P-256 has at most 72.
const SIGNATURE: usize = 80;

/// Most seconds between the parties' clocks: else a time that one of them says means nothing.
const CLOCKS: u64 = 24 * 3600;

/// What both parties signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Names and values: `P0` and `P1`, the parties' fingerprints; `session`; `time at P0` and `time at P1`, in seconds
    /// since 1970; what each commits to; and the fields that were given.
    pub fields: Vec<(String, String)>,
    /// Of P0 and P1: ECDSA over P-256 with SHA-256, as ASN.1.
    pub signatures: [Vec<u8>; 2],
}

impl Signed {
    /// The fingerprint of a party.
    pub fn party(&self, role: Role) -> Option<&str> {
        self.value(role as usize, NAMES[role as usize])
    }

    /// The session's id.
    pub fn session(&self) -> Option<&str> {
        self.value(2, SESSION)
    }

    /// When a party signed, by its own clock: seconds since 1970.
    pub fn time(&self, role: Role) -> Option<u64> {
        let text = self.value(3 + role as usize, TIMES[role as usize])?;
        text.parse().ok().filter(|time: &u64| time.to_string() == text)
    }

    /// What a party commits to.
    pub fn committed(&self, role: Role) -> Option<&str> {
        self.value(5 + role as usize, COMMITTED[role as usize])
    }

    /// The fields that were given.
    pub fn given(&self) -> &[(String, String)] {
        self.fields.get(BEFORE..).unwrap_or_default()
    }

    fn value(&self, at: usize, name: &str) -> Option<&str> {
        self.fields.get(at).filter(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Checks both signatures with the certificates among these that the statement names; the certificates of P0 and
    /// P1.
    ///
    /// # Errors
    /// [`Error::Identity`] if there is none for a party, a signature is not that of the certificate, both parties are
    /// the same, or their times are more than a day apart.
    pub fn check<'a>(&self, certificates: &'a [Certificate]) -> Result<[&'a Certificate; 2]> {
        let message = message(&self.fields);
        let of = |role: Role| {
            let name = NAMES[role as usize];
            let wrong = |what: String| Err(Error::Identity(format!("the signature of {name}: {what}")));
            let Some(named) = self.party(role) else {
                return wrong("the statement does not say who that is".into());
            };
            let Some(known) = certificates.iter().find(|known| known.fingerprint().to_string() == named)
            else {
                return wrong(format!("no certificate with the fingerprint {named} is here"));
            };
            match known.has_signed(&message, &self.signatures[role as usize]) {
                true => Ok(known),
                false => wrong("it is not of this statement by this certificate's key".into()),
            }
        };
        let both = [of(Role::P0)?, of(Role::P1)?];
        if both[0].fingerprint() == both[1].fingerprint() {
            return Err(Error::Identity("P0 and P1 are one certificate: nobody else signed".into()));
        }
        let times = [Role::P0, Role::P1].map(|role| self.time(role));
        match times {
            [Some(p0), Some(p1)] if p0.abs_diff(p1) <= CLOCKS => Ok(both),
            [None, _] | [_, None] => Err(Error::Identity("it does not say when P0 and P1 signed".into())),
            _ => Err(Error::Identity(format!(
                "the clocks of P0 and P1 are more than {} hours apart: nobody knows when it was signed",
                CLOCKS / 3600
            ))),
        }
    }
}

impl Identity {
    /// This party's signature of its own record, whatever is in it.
    ///
    /// # Errors
    /// [`Error::Identity`] if it has no key of the usual kind.
    pub fn sign_record(&self, record: &[u8]) -> Result<Vec<u8>> {
        self.sign(&alone(record))
    }
}

impl Certificate {
    /// Whether its owner has signed this record of its own.
    pub fn has_signed_record(&self, record: &[u8], signature: &[u8]) -> bool {
        self.has_signed(&alone(record), signature)
    }
}

const NAMES: [&str; 2] = ["P0", "P1"];
const SESSION: &str = "session";
const TIMES: [&str; 2] = ["time at P0", "time at P1"];

/// What the commitments of P0 and P1 are called in a statement.
const COMMITTED: [&str; 2] = ["digest of what P0 alone says", "digest of what P1 alone says"];

/// How many fields a statement begins with, before those that were given.
const BEFORE: usize = 7;

impl Connection {
    /// Signs `fields` together with the peer, which must do so at the same point. What is signed begins with both
    /// certificates' fingerprints, the session, when each party says it is, and what each commits to: `own` is this
    /// party's digest of what it says alone. 2 rounds.
    ///
    /// # Errors
    /// [`Error::Identity`] without TLS, or if `identity` has no key of the usual kind; [`Error::Peer`] if the parties'
    /// clocks are more than a day apart, or the peer's signature is not that of its certificate over the same; and those
    /// of the channel.
    pub fn countersign(
        &mut self,
        identity: &Identity,
        fields: &[(String, String)],
        own: [u8; 32],
    ) -> Result<Signed> {
        let nobody = || Error::Identity("without TLS nobody can sign".into());
        let peer = self.peer_fingerprint().ok_or_else(nobody)?;
        let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
        let session = (self.role(), peer, self.id());
        countersign(self.channel(), identity, session, (fields, own), now)
    }
}

/// Signs with the peer, who does the same; `session` is this party's role, the peer and the session's id.
fn countersign(
    channel: &mut Channel,
    identity: &Identity,
    (role, peer, session): (Role, Fingerprint, [u8; 32]),
    (fields, own): (&[(String, String)], [u8; 32]),
    now: u64,
) -> Result<Signed> {
    let now = now.to_le_bytes();
    let theirs = channel.exchange([&now[..], &own].concat(), now.len() + own.len())?;
    let (at, theirs) = theirs.split_first_chunk().expect("as long as ours");
    let (times, theirs) =
        ([now, *at].map(u64::from_le_bytes), theirs.first_chunk().expect("as long as ours"));
    if times[0].abs_diff(times[1]) > CLOCKS {
        let [here, there] = times;
        let what =
            format!("the clocks are too far apart to sign: {here} s after 1970 here, {there} s at the peer");
        return Err(Error::Peer(what));
    }
    let of = |mine: String, theirs: String| match role {
        Role::P0 => [mine, theirs],
        Role::P1 => [theirs, mine],
    };
    let hex = |bytes: [u8; 32]| blake3::Hash::from(bytes).to_hex().to_string();
    let [p0, p1] = of(identity.fingerprint().to_string(), peer.to_string());
    let [at_p0, at_p1] = of(times[0].to_string(), times[1].to_string());
    let [says_p0, says_p1] = of(hex(own), hex(*theirs));
    let whole: [_; BEFORE] = [
        (NAMES[0], p0),
        (NAMES[1], p1),
        (SESSION, hex(session)),
        (TIMES[0], at_p0),
        (TIMES[1], at_p1),
        (COMMITTED[0], says_p0),
        (COMMITTED[1], says_p1),
    ];
    let whole = whole.map(|(name, value)| (name.to_owned(), value));
    let fields: Vec<_> = whole.into_iter().chain(fields.iter().cloned()).collect();
    let mine = identity.sign(&message(&fields))?;
    let theirs = channel.exchange_bounded(mine.clone(), Vec::new(), SIGNATURE)?;
    let signatures = match role {
        Role::P0 => [mine, theirs],
        Role::P1 => [theirs, mine],
    };
    let signed = Signed { fields, signatures };
    match signed.check(&identity.certificates()) {
        Ok(_) => Ok(signed),
        Err(error) => Err(Error::Peer(error.to_string())),
    }
}

/// What begins what the keys sign.
fn begun(context: &[u8]) -> Vec<u8> {
    [&[b' '; 64][..], context, &[0]].concat()
}

/// What one party signs.
fn alone(record: &[u8]) -> Vec<u8> {
    [&begun(ALONE)[..], record].concat()
}

/// What both sign.
fn message(fields: &[(String, String)]) -> Vec<u8> {
    let mut message = begun(CONTEXT);
    message.extend((fields.len() as u64).to_le_bytes());
    for text in fields.iter().flat_map(|(name, value)| [name, value]) {
        // No text passes into the next one.
        message.extend((text.len() as u64).to_le_bytes());
        message.extend(text.as_bytes());
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn fields(texts: &[(&str, &str)]) -> Vec<(String, String)> {
        texts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    /// Two identities that trust each other.
    fn identities(folder: &std::path::Path) -> [Identity; 2] {
        let [a, b] = ["a", "b"].map(|name| Identity::create(&folder.join(name), name).expect("made"));
        let trust = |own: &str, peer: &Identity| {
            let own = folder.join(own);
            Identity::trust(&own, &peer.certificate_path(), peer.fingerprint(), None).expect("trusted");
            Identity::load(&own).expect("there")
        };
        [trust("a", &b), trust("b", &a)]
    }

    /// What both parties end with, who say these fields.
    fn sign(both: &[Identity; 2], said: [&[(&str, &str)]; 2]) -> [Result<Signed>; 2] {
        sign_at(both, said, [1 << 30; 2])
    }

    /// The same by clocks that say so.
    fn sign_at(both: &[Identity; 2], said: [&[(&str, &str)]; 2], now: [u64; 2]) -> [Result<Signed>; 2] {
        let (mut c0, mut c1) = Connection::pair();
        let sign = |c: &mut Connection, mine: usize, said: &[(&str, &str)]| {
            let session = (c.role(), both[1 - mine].fingerprint(), c.id());
            countersign(c.channel(), &both[mine], session, (&fields(said), [7 + mine as u8; 32]), now[mine])
        };
        thread::scope(|scope| {
            let other = scope.spawn(|| sign(&mut c1, 1, said[1]));
            [sign(&mut c0, 0, said[0]), other.join().expect("no panic")]
        })
    }

    #[test]
    fn both_have_what_both_signed() {
        let folder = tempfile::tempdir().expect("a folder");
        let both = identities(folder.path());
        let [p0, p1] = sign(&both, [&[("rows", "3")]; 2]).map(|signed| signed.expect("signed"));
        assert_eq!(p0, p1);
        let names: Vec<&str> = p0.fields.iter().map(|(name, _)| name.as_str()).collect();
        let [committed @ .., last] = &names[BEFORE - 2..] else { panic!("fields") };
        assert_eq!(names[..BEFORE - 2], ["P0", "P1", "session", "time at P0", "time at P1"]);
        assert_eq!((committed, *last), (&COMMITTED[..], "rows"));
        assert_eq!(p0.given(), [("rows".into(), "3".into())]);
        assert_eq!(
            [Role::P0, Role::P1].map(|role| p0.committed(role).unwrap()),
            ["07", "08"].map(|byte| byte.repeat(32))
        );
        for identity in &both {
            let known = identity.certificates();
            assert_eq!(
                p0.check(&known).expect("right").map(|known| known.pinned().expect("known")),
                ["a", "b"]
            );
        }
        assert!(p0.check(&both[0].certificates()[..1]).is_err(), "a certificate that is not there");
        let known = both[0].certificates();
        for at in 0..p0.fields.len() {
            let mut wrong = p0.clone();
            wrong.fields[at].1.push('0');
            assert!(wrong.check(&known).is_err(), "another {}", p0.fields[at].0);
            let mut wrong = p0.clone();
            wrong.fields[at].0.push('0');
            assert!(wrong.check(&known).is_err(), "another name than {}", p0.fields[at].0);
        }
        // Somebody who signs for both.
        let mut own = p0.fields.clone();
        own[1].1 = own[0].1.clone();
        let signature = both[0].sign(&message(&own)).expect("signed");
        let alone = Signed { fields: own, signatures: [signature.clone(), signature] };
        let error = alone.check(&known).err().expect("one party").to_string();
        assert!(error.contains("are one certificate"), "{error}");
        for (at_p1, near) in [(-86_400, true), (86_400, true), (86_401, false), (-86_401, false)] {
            let mut own = p0.fields.clone();
            own[4].1 = p0.time(Role::P0).unwrap().strict_add_signed(at_p1).to_string();
            for text in [own[4].1.clone(), format!("+{}", own[4].1)] {
                own[4].1 = text.clone();
                let signatures = [0, 1].map(|i: usize| both[i].sign(&message(&own)).expect("signed"));
                let checked = Signed { fields: own.clone(), signatures }.check(&known).map(|_| ());
                assert_eq!(checked.is_ok(), near && !text.starts_with('+'), "{text}: {checked:?}");
            }
        }
        let mut wrong = p0.clone();
        wrong.signatures.swap(0, 1);
        assert!(wrong.check(&known).is_err(), "the signatures swapped");
        let mut shorter = p0.clone();
        shorter.fields.pop();
        assert!(shorter.check(&known).is_err() && Signed { fields: Vec::new(), ..p0 }.check(&known).is_err());
    }

    #[test]
    fn parties_that_say_different_things_sign_nothing_together() {
        let folder = tempfile::tempdir().expect("a folder");
        let both = identities(folder.path());
        for said in [[("rows", "3"), ("rows", "4")], [("rows", "3"), ("row", "s3")]] {
            for signed in sign(&both, [&said[..1], &said[1..]]) {
                assert!(matches!(signed, Err(Error::Peer(_))), "{signed:?}");
            }
        }
    }

    #[test]
    fn parties_with_clocks_far_apart_sign_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let both = identities(folder.path());
        for (now, signs) in [([0, CLOCKS], true), ([CLOCKS + 1, 0], false), ([0, u64::MAX], false)] {
            for signed in sign_at(&both, [&[("rows", "3")]; 2], now) {
                match signed {
                    Ok(_) => assert!(signs),
                    Err(error) => assert!(!signs && error.to_string().contains("clocks are too far apart")),
                }
            }
        }
    }

    /// The bytes that the key signs are those of no handshake, and no two statements have the same.
    #[test]
    fn a_signature_is_of_a_record_alone() {
        let bytes = message(&fields(&[("a", "b")]));
        let mut tls = vec![b' '; 64];
        tls.extend(b"TLS 1.3, ");
        assert!(!bytes.starts_with(&tls) && bytes.starts_with(&[b' '; 64]));
        let folder = tempfile::tempdir().expect("a folder");
        let [a, _] = identities(folder.path());
        let (own, signature) = (&a.certificates()[0], a.sign(&bytes).expect("signed"));
        // What both sign is nobody's own record, and the other way round.
        let record = a.sign_record(b"{}").expect("signed");
        assert!(own.has_signed_record(b"{}", &record) && !own.has_signed_record(b"{ }", &record));
        assert!(!own.has_signed(&bytes, &record) && !own.has_signed_record(&bytes, &signature));
        assert!(!own.has_signed_record(&bytes[64 + CONTEXT.len() + 1..], &signature));
        assert!(
            own.has_signed(&bytes, &signature)
                && !own.has_signed(&bytes[64 + CONTEXT.len() + 1..], &signature)
        );
        for (one, other) in [
            (fields(&[("a", "b")]), fields(&[("ab", "")])),
            (fields(&[("a", "b"), ("", "")]), fields(&[("a", "b")])),
        ] {
            assert_ne!(message(&one), message(&other));
        }
    }
}

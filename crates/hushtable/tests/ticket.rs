//! Tickets: lanes that are opened elsewhere, once, with the right peer.

use std::collections::HashSet;

use hushtable::{
    Error, Party, Result, Role,
    gates::{self, Bits, Triples},
    net::{Connection, LinkShape},
    ot::Scheme,
    party::Ticket,
    reference,
    session::Purpose,
};

use crate::support::pairs::{both, id, pair};

/// Both parties' tickets, as they travel.
fn tickets(seed: u64, scheme: Option<Scheme>, lanes: usize) -> [Vec<Vec<u8>>; 2] {
    let (p0, p1) = both(pair(seed, scheme), |p| {
        p.tickets(lanes)?.into_iter().map(|ticket| Ok(ticket.into_bytes()?.to_vec())).collect()
    });
    [p0, p1]
}

/// What each party's lane gives on a connection in this process.
fn lanes<T: Send>(
    connections: (Connection, Connection),
    bytes: [&[u8]; 2],
    work: impl Fn(&mut Party) -> Result<T> + Sync,
) -> (Result<T>, Result<T>) {
    let (c0, c1) = connections;
    let open = |bytes: &[u8], connection| work(&mut Ticket::from_bytes(bytes)?.open(connection)?);
    std::thread::scope(|scope| {
        let p1 = scope.spawn(|| open(bytes[1], c1));
        (open(bytes[0], c0), p1.join().expect("no panic"))
    })
}

/// A lane works: OTs are correlated, triples multiply. Its strings, and some keys.
fn work(p: &mut Party) -> Result<Lane> {
    let triples = Triples::random(p, 100)?;
    let (x, y) = (Bits::random(p, 100), Bits::random(p, 100));
    let z = gates::and(p, triples, &x, &y)?;
    let words = [x, y, z].map(|bits| bits.words().to_vec());
    let (sender, receiver) = p.cots(5000, 5000)?;
    let keys = [Role::P0, Role::P1].map(|owner| p.key(Purpose::OtPad, owner).0);
    Ok(Lane { sender, receiver, words, id: p.id(), keys, drawn: p.rng().block().0 })
}

struct Lane {
    sender: hushtable::ot::CotSender,
    receiver: hushtable::ot::CotReceiver,
    words: [Vec<u64>; 3],
    id: [u8; 32],
    keys: [u128; 2],
    drawn: u128,
}

/// Asserts what two ends of a lane have in common.
fn check(a: &Lane, b: &Lane) {
    assert_eq!((a.id, a.keys), (b.id, b.keys));
    for (s, r) in [(&a.sender, &b.receiver), (&b.sender, &a.receiver)] {
        assert!(reference::correlated(s.delta(), s.strings(), r.strings()));
    }
    for i in 0..2 {
        let [x, y, z] = [0, 1, 2].map(|k| a.words[k][i] ^ b.words[k][i]);
        assert_eq!(x & y, z);
    }
}

/// Asserts that no two of these lanes have anything in common but the Deltas.
fn distinct(lanes: &[&Lane]) {
    let all = |f: &dyn Fn(&Lane) -> Vec<u128>| {
        let values: Vec<u128> = lanes.iter().flat_map(|lane| f(lane)).collect();
        assert_eq!(values.iter().collect::<HashSet<_>>().len(), values.len());
    };
    all(&|lane| lane.keys.to_vec());
    all(&|lane| vec![lane.drawn]);
    all(&|lane| lane.sender.strings().iter().map(|q| q.0).collect());
    all(&|lane| lane.receiver.strings().iter().map(|t| t.0).collect());
    let ids: HashSet<_> = lanes.iter().map(|lane| lane.id).collect();
    assert_eq!(ids.len(), lanes.len());
    assert!(lanes.iter().all(|lane| lane.sender.delta() == lanes[0].sender.delta()), "one Delta");
}

#[test]
fn a_lane_opened_from_bytes_works_with_its_peer() {
    for scheme in [None, Some(Scheme::Iknp), Some(Scheme::Ferret)] {
        let [p0, p1] = tickets(600, scheme, 2);
        // Here too a ticket is sent: the peer of each has its own on another connection.
        let made: Vec<_> = (0..2).map(|i| lanes(Connection::pair(), [&p0[i], &p1[i]], work)).collect();
        let made: Vec<_> = made.into_iter().map(|(a, b)| (a.unwrap(), b.unwrap())).collect();
        made.iter().for_each(|(a, b)| check(a, b));
        distinct(&[&made[0].0, &made[1].0]);
        distinct(&[&made[0].1, &made[1].1]);
    }
}

/// Not even on connections of one id, which no real ones have; nor a ticket's lane and those of a fork, or the
/// session itself.
#[test]
fn no_two_tickets_share_a_key_or_an_id() {
    let ends = both(pair(601, None), |p| {
        let tickets = p.tickets(2)?;
        let mut forked = p.fork(1)?;
        let more = p.tickets(1)?;
        let numbers: Vec<u16> = tickets.iter().chain(&more).map(Ticket::lane).collect();
        assert_eq!(numbers, [0, 1, 3], "a number is never given again");
        let bytes = tickets.into_iter().chain(more).map(|ticket| Ok(ticket.into_bytes()?.to_vec()));
        let bytes: Vec<Vec<u8>> = bytes.collect::<Result<_>>()?;
        Ok((bytes, work(&mut forked[0])?, work(p)?))
    });
    let (first, second) = ends;
    let same = || Connection::pair_with(id(7), LinkShape::LOOPBACK);
    let opened = |i: usize| lanes(same(), [&first.0[i], &second.0[i]], work).0.unwrap();
    distinct(&[&opened(0), &opened(1), &opened(2), &first.1, &first.2]);
}

/// The second time the peer holds another ticket, and both see it.
#[test]
fn a_ticket_that_is_opened_twice_is_refused_at_both_parties() {
    let [p0, p1] = tickets(602, None, 2);
    let (a, b) = lanes(Connection::pair(), [&p0[0], &p1[0]], work);
    check(&a.unwrap(), &b.unwrap());
    let (a, b) = lanes(Connection::pair(), [&p0[0], &p1[1]], |_| Ok(()));
    for (error, ours, theirs) in [(a, "lane 0, ", "lane 1, "), (b, "lane 1, ", "lane 0, ")] {
        let Err(Error::Handshake { field, ours: here, theirs: there }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(field, "ticket");
        assert!(here.starts_with(ours) && there.starts_with(theirs), "{here}, {there}");
    }
    // A ticket of the same number, of another session.
    let [other, _] = tickets(603, None, 1);
    let (a, b) = lanes(Connection::pair(), [&other[0], &p1[0]], |_| Ok(()));
    for error in [a, b] {
        assert!(matches!(error, Err(Error::Handshake { field, .. }) if field == "ticket"));
    }
}

/// If both parties break the rule, the lanes still have nothing in common.
#[test]
fn a_ticket_that_both_open_twice_gives_another_lane() {
    let [p0, p1] = tickets(604, None, 1);
    let made: Vec<_> = (0..2).map(|_| lanes(Connection::pair(), [&p0[0], &p1[0]], work)).collect();
    let made: Vec<_> = made.into_iter().map(|(a, b)| (a.unwrap(), b.unwrap())).collect();
    made.iter().for_each(|(a, b)| check(a, b));
    distinct(&[&made[0].0, &made[1].0]);
    distinct(&[&made[0].1, &made[1].1]);
}

#[test]
fn a_ticket_takes_its_own_role_and_as_many_as_the_peer() {
    let [p0, p1] = tickets(605, None, 1);
    let (c0, c1) = Connection::pair();
    let (a, b) = lanes((c1, c0), [&p0[0], &p1[0]], |_| Ok(()));
    for error in [a, b] {
        assert!(
            matches!(error, Err(Error::Param { what: "role in a ticket's connection", .. })),
            "{error:?}"
        );
    }
    let (p0, p1) = pair(606, None);
    let (a, b) = std::thread::scope(|scope| {
        let p1 = scope.spawn(move || { p1 }.tickets(2).err());
        ({ p0 }.tickets(1).err(), p1.join().unwrap())
    });
    for error in [a, b] {
        assert!(matches!(error, Some(Error::Handshake { field, .. }) if field == "tickets"));
    }
}

/// From one TLS session to another, of the same identities; and not to anybody else.
#[cfg(feature = "tls")]
#[test]
fn a_ticket_of_a_tls_session_is_for_its_peer() {
    use crate::net_support::{Folders, connected, secure, session};
    use hushtable::net::Fingerprint;

    let folders = Folders::friends();
    let make = |c: Connection| -> Result<(Option<Fingerprint>, Vec<u8>)> {
        let peer = c.peer_fingerprint();
        let ticket = Party::new(c, None)?.tickets(1)?.remove(0);
        Ok((peer, ticket.into_bytes()?.to_vec()))
    };
    let (a, b) = session(secure(&folders.bank), secure(&folders.telecom), make, make);
    let (a, b) = (a.unwrap(), b.unwrap());
    assert!(a.0.is_some() && a.0 != b.0);
    let open = |bytes: &[u8], c| work(&mut Ticket::from_bytes(bytes)?.open(c)?);
    let (x, y) =
        session(secure(&folders.bank), secure(&folders.telecom), |c| open(&a.1, c), |c| open(&b.1, c));
    check(&x.unwrap(), &y.unwrap());
    // Nobody is authenticated here.
    let (x, y) = connected(|c| open(&a.1, c).err(), |c| open(&b.1, c).err());
    for error in [x, y] {
        let error = error.unwrap();
        assert!(matches!(error, Error::Identity(_)) && error.to_string().ends_with("authenticates nobody"));
    }
}

#[test]
fn damaged_bytes_are_refused() {
    let [p0, _] = tickets(607, Some(Scheme::Iknp), 1);
    let bytes = &p0[0];
    let refused = |bytes: &[u8]| Ticket::from_bytes(bytes).unwrap_err().to_string();
    assert!(refused(&bytes[..bytes.len() - 1]).contains("ends early"));
    assert!(refused(&[&bytes[..], &[0]].concat()).contains("left over"));
    let version = "of another version";
    for (at, says) in [
        (0, version),
        (7, version),
        (8, "damaged"),
        (9, "damaged"),
        (15, "damaged"),
        (55, "damaged"),
        (128, "damaged"),
    ] {
        let mut wrong = bytes.clone();
        wrong[at] ^= if at == 9 { 2 } else { 1 };
        assert!(refused(&wrong).contains(says), "byte {at}: {}", refused(&wrong));
    }
    // A price that there is not.
    let mut wrong = bytes.clone();
    wrong[64..72].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(refused(&wrong).contains("damaged"));
    let ticket = Ticket::from_bytes(bytes).unwrap();
    assert_eq!((ticket.lane(), ticket.role()), (0, Role::P0));
    assert_eq!(*ticket.into_bytes().unwrap(), *bytes, "one encoding");
}

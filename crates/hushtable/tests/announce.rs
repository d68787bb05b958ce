//! Operations that parties announce: no round if they agree, the same error at both if not. And hanging up
//! from another thread.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::net_support::connected;
use hushtable::{
    AShare, Error, Party,
    net::{Connection, wire_len},
};

/// Asserts that the error is a difference of operations, and returns here, there.
#[track_caller]
fn difference<T: std::fmt::Debug>(outcome: Result<T, Error>) -> (String, String) {
    match outcome {
        Err(Error::Handshake { field, ours, theirs }) if field == "operation" => (ours, theirs),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_operation_costs_bytes_and_no_round() {
    let work = |mut c: Connection| {
        let channel = c.channel();
        channel.announce("square of 3 values").unwrap();
        channel.announce("sum").unwrap();
        channel.exchange(vec![1; 10], 10).unwrap();
        channel.announce("end").unwrap();
        channel.cost()
    };
    let (a, b) = connected(work, work);
    let heard = wire_len(10) + wire_len(18) + wire_len(3);
    assert_eq!((a.sent, a.received, a.rounds), (heard + wire_len(3), heard, 1));
    assert_eq!(a, b);
}

#[test]
fn one_sided_messages_keep_their_rounds() {
    let (a, b) = connected(
        |mut c| {
            c.channel().announce("send there and back").unwrap();
            c.channel().send(vec![5; 4]).unwrap();
            c.channel().recv(4).unwrap();
            c.channel().cost()
        },
        |mut c| {
            c.channel().announce("send there and back").unwrap();
            let got = c.channel().recv(4).unwrap();
            c.channel().send(got).unwrap();
            c.channel().cost()
        },
    );
    assert_eq!((a.rounds, b.rounds), (2, 2));
}

#[test]
fn different_operations_end_both_at_once() {
    let start = Instant::now();
    let work = |name: &'static str| {
        move |mut c: Connection| {
            c.channel().announce(name).unwrap();
            let outcome = difference(c.channel().exchange(vec![0; 64], 64));
            assert!(matches!(c.channel().recv(1), Err(Error::Closed)), "the session is over");
            outcome
        }
    };
    let (a, b) = connected(work("sigmoid"), work("tanh"));
    assert_eq!(a, ("sigmoid".into(), "tanh".into()));
    assert_eq!(b, ("tanh".into(), "sigmoid".into()));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_party_that_ends_is_told_apart_from_one_that_goes_on() {
    let (a, _) = connected(
        |mut c| {
            c.channel().announce("open").unwrap();
            difference(c.channel().recv(8))
        },
        |mut c| c.channel().announce("end").unwrap(),
    );
    assert_eq!(a, ("open".into(), "end".into()));
    let (mut p0, mut p1) = Connection::pair();
    p1.channel().announce("end").unwrap();
    drop(p1);
    let sending = p0.channel().announce("open").and_then(|()| p0.channel().exchange(vec![1], 1));
    assert_eq!(difference(sending), ("open".into(), "end".into()), "seen when sending as well");
}

#[test]
fn what_a_peer_sent_before_it_hung_up_is_received() {
    let (mut p0, mut p1) = Connection::pair();
    p0.channel().announce("show it to the other").unwrap();
    p0.channel().send(vec![7; 3]).unwrap();
    drop(p0);
    p1.channel().announce("show it to the other").unwrap();
    assert_eq!(p1.channel().recv(3).unwrap(), [7; 3]);
    assert!(matches!(p1.channel().recv(1), Err(Error::Closed)));
}

#[test]
fn what_the_peer_announces_is_bounded_and_printable() {
    let long = "x".repeat(5000);
    let (a, b) = connected(
        |mut c| {
            c.channel().announce(&long).unwrap();
            difference(c.channel().recv(1)).1
        },
        |mut c| {
            c.channel().announce("\u{1b}[31mred\n").unwrap();
            difference(c.channel().recv(1)).1
        },
    );
    assert_eq!(a, "?[31mred?");
    assert!(b.starts_with("xxx") && b.len() == 512, "{b}");
    connected(
        |mut c| c.channel().send(vec![0; 2000]).unwrap(),
        |mut c| {
            c.channel().announce("a").unwrap();
            assert!(matches!(c.channel().recv(2000), Err(Error::Peer(_))));
        },
    );
}

#[test]
fn parties_announce_between_protocols() {
    let (p0, p1) = Party::pair_seeded(1).unwrap();
    let run = |p: &mut Party| {
        p.announce("open")?;
        let values = p.open(&AShare::<u32>::new(32, vec![3]))?;
        p.announce(if values == [6] { "right" } else { "wrong" })?;
        p.cots(100, 100).map(|(send, _)| send.len())
    };
    let (a, b) = hushtable::run_pair((p0, p1), run, run).unwrap();
    assert_eq!((a, b), (100, 100));
}

#[test]
fn another_thread_ends_a_wait() {
    let (mut p0, mut p1) = Connection::pair();
    let stop = p0.channel().hang_up();
    let start = Instant::now();
    thread::scope(|scope| {
        let waiting = [
            scope.spawn(move || p0.channel().recv(1).map(drop)),
            scope.spawn(move || p1.channel().recv(1).map(drop)),
        ];
        stop.now();
        let [own, peers] = waiting.map(|thread| thread.join().unwrap().unwrap_err());
        assert!(matches!(own, Error::Cancelled) && matches!(peers, Error::Closed), "{own}, {peers}");
    });
    assert!(start.elapsed() < Duration::from_secs(20));
}

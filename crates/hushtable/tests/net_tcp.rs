//! Sessions over TCP, and what a peer, a network or a stranger can do to them.

use crate::net_support;

use hushtable::Error;
use hushtable::net::{Connection, Cost, LinkShape, Listener, Role, connect, wire_len};
use net_support::*;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

fn refused(error: Option<Error>, field: &str, ours: &str, theirs: &str) {
    match error {
        Some(Error::Handshake { field: f, ours: o, theirs: t }) => {
            assert_eq!(f, field);
            assert!(o.starts_with(ours) && t.starts_with(theirs), "here {o}, at the peer {t}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_session_has_one_fresh_id_and_exact_costs() {
    let run = |mut c: Connection| {
        let c_role = c.role();
        c.agree(&[("table", "ab".into())]).unwrap();
        assert_eq!(c.channel().take_cost().rounds, 1);
        c.channel().exchange(vec![1; 100], 100).unwrap();
        match c_role {
            Role::P0 => c.channel().send(pattern(3 * MIB, 9)).unwrap(),
            Role::P1 => assert!(c.channel().recv(3 * MIB).unwrap() == pattern(3 * MIB, 9)),
        }
        (c.id(), c_role, c.channel().cost())
    };
    let (a, b) = session(plain(), plain(), run, run);
    assert_eq!((a.0, a.1, b.1), (b.0, Role::P0, Role::P1));
    let (small, large) = (wire_len(100), wire_len(3 * MIB));
    assert_eq!(a.2, Cost { sent: small + large, received: small, rounds: 2 });
    assert_eq!(b.2, Cost { sent: small, received: small + large, rounds: 2 });
    let (again, _) = session(plain(), plain(), run, run);
    assert_ne!(a.0, again.0, "every session has its own id");
}

#[test]
fn both_may_send_much_first() {
    let n = 64 * MIB;
    let run = |seed| {
        move |mut c: Connection| {
            assert!(c.channel().exchange(pattern(n, seed), n).unwrap() == pattern(n, seed ^ 1));
            c.channel().cost()
        }
    };
    let (a, b) = session(plain(), plain(), run(4), run(5));
    assert_eq!((a, a), (b, Cost { sent: wire_len(n), received: wire_len(n), rounds: 1 }));
}

#[test]
fn lanes_use_the_same_port() {
    let run = |mut c: Connection| {
        let mut lanes = c.fork(3).unwrap();
        let nested = lanes[2].fork(1).unwrap();
        lanes.extend(nested);
        thread::scope(|scope| {
            for (i, lane) in lanes.iter_mut().enumerate() {
                scope.spawn(move || {
                    let theirs = lane.channel().exchange(pattern(MIB, i as u64), MIB).unwrap();
                    assert!(theirs == pattern(MIB, i as u64), "lane {i}");
                });
            }
        });
        lanes.iter().map(|lane| (lane.id(), lane.role() == c.role())).collect::<Vec<_>>()
    };
    let (a, b) = session(plain(), plain(), run, run);
    assert_eq!(a, b);
    assert!(a.iter().all(|lane| lane.1));
    assert!((0..4).all(|i| (0..i).all(|j| a[i].0 != a[j].0)));
}

#[test]
fn a_lane_with_a_wrong_token_is_refused() {
    for (number, lane) in [(0, [7; 16]), (1, [0; 16])] {
        let diary = Diary::default();
        let error = against_raw(
            plain().log(diary.log()),
            |mut c| soon(|| c.fork(1)).err(),
            |mut socket, addr| {
                let fields = [&[5, 0], &b"lanes"[..], &[1, 0], b"1"].concat();
                socket.write_all(&frame(fields.len() as u32, 1, &fields)).unwrap();
                let mut hello = greeting(WIRE_VERSION, 2, 1);
                hello[13] = number;
                hello[48..].copy_from_slice(&lane);
                let mut lane = TcpStream::connect(addr).unwrap();
                lane.write_all(&hello).unwrap();
                assert!(until_closed(&mut lane).is_empty(), "a stranger learns no token");
            },
        );
        // It could be anybody; what ends the wait is that the peer has gone.
        assert!(matches!(&error, Some(Error::Closed)), "{error:?}");
        assert!(diary.lines()[0].contains("no lane of this session"), "{:?}", diary.lines());
    }
}

#[test]
fn another_wire_version_is_named_on_both_sides() {
    // Whatever follows the version may mean something else there.
    let (ours, theirs) = (WIRE_VERSION, WIRE_VERSION + 1);
    for junk in [0, 255] {
        let mut hello = greeting(theirs, junk, junk);
        hello[12] = junk;
        refused(accept_raw(plain(), &hello).err(), "wire version", &ours.to_string(), &theirs.to_string());
        refused(
            connect_to_raw(plain(), 64, &hello).err(),
            "wire version",
            &ours.to_string(),
            &theirs.to_string(),
        );
    }
}

#[test]
fn equal_roles_are_named() {
    refused(accept_raw(plain(), &greeting(WIRE_VERSION, 0, 0)).err(), "role", "P0", "P0");
    refused(connect_to_raw(plain(), 64, &greeting(WIRE_VERSION, 0, 1)).err(), "role", "P1", "P1");
    refused(accept_raw(plain(), &greeting(WIRE_VERSION, 0, 9)).err(), "role", "P0", "unknown (9)");
}

#[test]
fn something_else_than_hushtable_is_said_to_be_so() {
    for bytes in ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "hushtabX", "\0\0\0\0"] {
        let lines = turned_away(plain(), plain(), |addr| say_and_wait(addr, bytes.as_bytes()));
        assert!(lines.len() == 1 && lines[0].contains("not hushtable"), "{lines:?}");
        let error = connect_to_raw(plain(), 64, bytes.as_bytes()).err();
        assert!(matches!(&error, Some(Error::Peer(text)) if text.contains("not hushtable")), "{error:?}");
    }
    let lines = turned_away(plain(), plain(), |addr| say_and_wait(addr, &greeting(WIRE_VERSION, 77, 1)));
    assert!(lines.len() == 1 && lines[0].contains("not open here"), "{lines:?}");
}

#[test]
fn nobody_comes() {
    let options = plain().wait(Duration::from_millis(200));
    let error = soon(|| Listener::bind("127.0.0.1:0", options.clone()).unwrap().accept().err());
    assert!(matches!(&error, Some(Error::Timeout { what: "connection", .. })), "{error:?}");

    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let error = soon(|| connect(&free, options).err().unwrap()).to_string();
    assert!(error.contains(&free) && error.contains("refused"), "{error}");
}

#[test]
fn the_peer_may_come_later() {
    let addr = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    thread::scope(|scope| {
        let p1 = scope.spawn(|| connect(&addr, plain()).unwrap().id());
        thread::sleep(Duration::from_millis(100));
        let p0 = Listener::bind(&addr, plain()).unwrap().accept().unwrap();
        let id = p0.id();
        drop(p0);
        assert_eq!(id, p1.join().unwrap());
    });
}

#[test]
fn a_port_in_use_and_an_unknown_host_are_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let error = Listener::bind(&addr, plain()).err().unwrap().to_string();
    assert!(error.contains(&addr) && error.contains("in use"), "{error}");
    let error = connect("no such host:7000", plain()).err().unwrap().to_string();
    assert!(error.contains("no such host"), "{error}");
}

#[test]
fn a_shaped_link_costs_the_same_bytes() {
    let shaped = || plain().shape("1000:2ms".parse::<LinkShape>().unwrap());
    let run = |mut c: Connection| {
        let start = Instant::now();
        for _ in 0..5 {
            c.channel().exchange(vec![0; 1000], 1000).unwrap();
        }
        (c.channel().cost(), start.elapsed())
    };
    let (a, b) = session(shaped(), shaped(), run, run);
    assert_eq!(a.0, Cost { sent: 5 * 1008, received: 5 * 1008, rounds: 5 });
    assert_eq!(a.0, b.0);
    assert!(a.1 + b.1 >= Duration::from_millis(2 * 5), "{:?} {:?}", a.1, b.1);
}

//! In-process connections: messages, costs, agreement, siblings.

use crate::net_support::connected;
use hushtable::Error;
use hushtable::net::{Connection, Cost, LinkShape, Role, wire_len};
use std::thread;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

/// Bytes that differ from place to place.
fn pattern(len: usize, seed: u64) -> Vec<u8> {
    (0..len as u64).map(|i| ((i ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

#[test]
fn roles_and_ids() {
    let (a, b) = Connection::pair();
    assert_eq!((a.role(), b.role()), (Role::P0, Role::P1));
    assert_eq!(a.role().peer(), b.role());
    assert_eq!(a.id(), b.id());
    assert_ne!(a.id(), Connection::pair().0.id());
    assert_eq!(Connection::pair_with([7; 32], LinkShape::LOOPBACK).1.id(), [7; 32]);
}

#[test]
fn messages_of_every_size_arrive() {
    let sizes = [0, 1, 7, 8, 9, 16_375, 16_376, 16_384, 40_000, MIB - 1, MIB, MIB + 1, 5 * MIB + 3];
    connected(
        |mut p0| sizes.iter().for_each(|&n| p0.channel().send(pattern(n, 3)).unwrap()),
        |mut p1| {
            for n in sizes {
                assert!(p1.channel().recv(n).unwrap() == pattern(n, 3), "message of {n} bytes");
            }
            assert_eq!(p1.channel().cost().received, sizes.iter().map(|&n| wire_len(n)).sum::<u64>());
        },
    );
}

#[test]
fn framing_costs_eight_bytes_a_mebibyte() {
    for (len, frames) in [(0, 1), (1, 1), (MIB, 1), (MIB + 1, 2), (64 * MIB, 64)] {
        assert_eq!(wire_len(len), (len + 8 * frames) as u64);
    }
}

#[test]
fn rounds_are_the_longest_chain() {
    let (a, b) = connected(
        |mut p0| {
            let c = p0.channel();
            c.send(vec![1; 10]).unwrap(); // 1
            c.send(vec![2; 20]).unwrap(); // 1 as well: depends on nothing received
            c.recv(5).unwrap(); // 2
            c.exchange(vec![3; 30], 40).unwrap(); // 3
            c.exchange(vec![3; 2 * MIB], 1).unwrap(); // 4
            let clock = c.clock();
            c.recv(6).unwrap(); // 5
            c.send_after(clock, vec![4; 7]).unwrap(); // crosses the message received: 5
            let first = c.take_cost();
            c.exchange(vec![], 0).unwrap(); // 1 again
            (first, c.take_cost(), c.cost())
        },
        |mut p1| {
            let c = p1.channel();
            c.recv(10).unwrap();
            c.recv(20).unwrap();
            c.send(vec![0; 5]).unwrap();
            c.exchange(vec![0; 40], 30).unwrap();
            c.exchange(vec![0; 1], 2 * MIB).unwrap();
            c.send(vec![0; 6]).unwrap();
            c.recv(7).unwrap();
            let first = c.take_cost();
            c.exchange(vec![], 0).unwrap();
            (first, c.take_cost(), c.cost())
        },
    );
    let to_p1 = 10 + 20 + 30 + 2 * MIB as u64 + 7 + 8 * 6;
    let to_p0 = 5 + 40 + 1 + 6 + 8 * 4;
    assert_eq!(a.0, Cost { sent: to_p1, received: to_p0, rounds: 5 });
    assert_eq!(b.0, Cost { sent: to_p0, received: to_p1, rounds: 5 });
    assert_eq!([a.1, b.1], [Cost { sent: 8, received: 8, rounds: 1 }; 2]);
    assert_eq!([a.2, b.2], [Cost::default(); 2]);
}

#[test]
fn both_may_send_much_first() {
    let n = 64 * MIB;
    let run = |seed| {
        move |mut c: Connection| {
            let theirs = c.channel().exchange(pattern(n, seed), n).unwrap();
            assert!(theirs == pattern(n, seed ^ 1));
            c.channel().cost()
        }
    };
    let (a, b) = connected(run(4), run(5));
    assert_eq!(a, Cost { sent: wire_len(n), received: wire_len(n), rounds: 1 });
    assert_eq!(a, b);
}

#[test]
fn full_queues_in_both_directions_do_not_deadlock() {
    // 48 MiB each, all sent before anything is received: more than the queue takes.
    let run = |mut c: Connection| {
        (0..12).for_each(|i| c.channel().send(pattern(4 * MIB, i)).unwrap());
        (0..12).for_each(|i| assert!(c.channel().recv(4 * MIB).unwrap() == pattern(4 * MIB, i)));
    };
    connected(run, run);
}

#[test]
fn a_wrong_length_is_the_peers_error() {
    for (sent, want) in [(5, 6), (6, 5), (0, 1), (3 * MIB, 3 * MIB + 1), (MIB, 2 * MIB), (2 * MIB, MIB)] {
        connected(
            // P1 may hang up before all of it is sent.
            |mut p0| drop(p0.channel().send(vec![0; sent])),
            |mut p1| {
                let error = p1.channel().recv(want).unwrap_err();
                assert!(matches!(&error, Error::Peer(_)), "{error}");
                assert!(error.to_string().contains(&format!("expected {want} bytes, got {sent}")), "{error}");
                assert!(p1.channel().send(vec![]).is_err(), "the session is over");
                assert!(p1.channel().recv(0).is_err(), "the session is over");
            },
        );
    }
}

#[test]
fn what_was_sent_before_hanging_up_arrives() {
    let (mut p0, p1) = Connection::pair();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut p1 = p1;
            (0..20).for_each(|i| p1.channel().send(pattern(100_000, i)).unwrap());
        });
        (0..20).for_each(|i| assert!(p0.channel().recv(100_000).unwrap() == pattern(100_000, i)));
        assert!(matches!(p0.channel().recv(1), Err(Error::Closed)));
    });
}

#[test]
fn a_dropped_peer_is_closed_at_once() {
    let (mut p0, p1) = Connection::pair();
    drop(p1);
    let start = Instant::now();
    assert!(matches!(p0.channel().recv(1), Err(Error::Closed)));
    assert!(matches!(p0.channel().send(vec![1]), Err(Error::Closed)));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn flush_waits_for_the_queue() {
    connected(
        |mut p0| {
            p0.channel().send(pattern(3 * MIB, 0)).unwrap();
            p0.channel().flush().unwrap();
        },
        |mut p1| assert!(p1.channel().recv(3 * MIB).unwrap() == pattern(3 * MIB, 0)),
    );
}

fn fields(list: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    list.iter().map(|&(name, value)| (name, value.to_string())).collect()
}

#[test]
fn equal_parameters_are_agreed_in_one_round() {
    let run = |mut c: Connection| {
        c.agree(&fields(&[("security", "128"), ("table", "ab12")])).unwrap();
        c.agree(&[]).unwrap();
        c.channel().cost()
    };
    let (a, b) = connected(run, run);
    assert_eq!((a, a.rounds), (b, 2));
}

#[test]
fn a_disagreement_ends_the_session_for_good() {
    let party = |rows: &'static str| {
        move |mut p: Connection| {
            assert!(matches!(p.agree(&fields(&[("rows", rows)])), Err(Error::Handshake { .. })));
            assert!(p.agree(&fields(&[("rows", "5")])).is_err(), "a second try");
            assert!(p.channel().send(vec![1]).is_err(), "a message");
            assert!(p.fork(1).is_err(), "a lane");
        }
    };
    connected(party("5"), party("6"));
}

#[test]
fn both_sides_name_the_first_difference() {
    let base = [("security", "128"), ("table", "ab12")];
    let cases: [(&[_], &str, &str, &str); 5] = [
        (&[("security", "128"), ("table", "ab13")], "table", "ab12", "ab13"),
        (&[("security", "80"), ("table", "ab13")], "security", "128", "80"),
        (&[("security", "128")], "table", "ab12", "nothing"),
        (&[base[0], base[1], ("rows", "5")], "rows", "nothing", "5"),
        (&[("security", "128"), ("rows", "5")], "the command or its options", "table = ab12", "rows = 5"),
    ];
    for (other, field, at_p0, at_p1) in cases {
        let (a, b) = connected(
            |mut p0| p0.agree(&fields(&base)).unwrap_err(),
            |mut p1| p1.agree(&fields(other)).unwrap_err(),
        );
        for (error, mine, theirs) in [(a, at_p0, at_p1), (b, at_p1, at_p0)] {
            match error {
                Error::Handshake { field: f, ours, theirs: t } => {
                    assert_eq!((f.as_str(), ours.as_str(), t.as_str()), (field, mine, theirs));
                }
                other => panic!("{other}"),
            }
        }
    }
}

#[test]
fn the_peers_text_is_harmless_in_an_error() {
    let (_, b) = connected(
        |mut p0| p0.agree(&[("x", format!("\x1b[2J\n{}", "é".repeat(100)))]).unwrap_err(),
        |mut p1| p1.agree(&[("x", "1".into())]).unwrap_err(),
    );
    let text = b.to_string();
    assert!(text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()), "{text:?}");
    assert!(text.len() < 200, "{text:?}");
}

#[test]
fn parameters_have_limits() {
    let (mut p0, _p1) = Connection::pair();
    for bad in [vec![("x", "y".repeat(257))], vec![("x", String::new()); 65]] {
        assert!(matches!(p0.agree(&bad), Err(Error::Param { .. })));
    }
}

#[test]
fn unreadable_parameters_are_the_peers_error() {
    let too_long = 16 * 1024 + 1;
    for bytes in
        [vec![5], vec![255, 255, 1], vec![1, 0, b'x', 2, 0, b'y'], vec![0; 4 * 65], vec![0; too_long]]
    {
        connected(
            |mut p0| assert!(p0.channel().exchange(bytes.clone(), 0).unwrap().is_empty()),
            |mut p1| assert!(matches!(p1.agree(&[]), Err(Error::Peer(_)))),
        );
    }
}

#[test]
fn lanes_pair_up_in_order() {
    let run = |mut c: Connection| {
        let mut lanes = c.fork(3).unwrap();
        lanes.extend(c.fork(2).unwrap());
        let nested = lanes[0].fork(1).unwrap();
        lanes.extend(nested);
        for (i, lane) in lanes.iter_mut().enumerate() {
            assert_eq!(lane.role(), c.role());
            assert_eq!(lane.channel().exchange(vec![i as u8], 1).unwrap(), [i as u8]);
        }
        lanes.iter().map(Connection::id).collect::<Vec<_>>()
    };
    let (a, b) = connected(run, run);
    assert_eq!(a, b);
    let distinct: std::collections::HashSet<_> = a.iter().collect();
    assert_eq!(distinct.len(), 6);
}

#[test]
fn different_numbers_of_lanes_are_refused() {
    let (a, b) = connected(|mut p0| p0.fork(2).err(), |mut p1| p1.fork(3).err());
    for error in [a, b] {
        assert!(matches!(&error, Some(Error::Handshake { field, .. }) if field == "lanes"), "{error:?}");
    }
}

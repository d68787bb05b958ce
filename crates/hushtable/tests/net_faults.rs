//! What a peer, a network or a stranger can do to a session over TCP.

use crate::net_support;

use hushtable::Error;
use hushtable::net::{Connection, Listener, connect};
use net_support::*;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_second_caller_does_not_disturb_a_session() {
    let listener = Listener::bind("127.0.0.1:0", plain()).unwrap();
    let addr = listener.local_addr();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut c = connect(&addr.to_string(), plain()).unwrap();
            let mut second = TcpStream::connect(addr).unwrap();
            second.write_all(&greeting(WIRE_VERSION, 0, 1)).unwrap(); // before our lane
            let mut lanes = c.fork(1).unwrap();
            assert_eq!(lanes[0].channel().exchange(vec![1], 1).unwrap(), [2]);
            assert!(until_closed(&mut second).is_empty(), "turned away");
        });
        let mut c = listener.accept().unwrap();
        let mut lanes = c.fork(1).unwrap();
        assert_eq!(lanes[0].channel().exchange(vec![2], 1).unwrap(), [1]);
    });
}

#[test]
fn an_unfinished_greeting_times_out() {
    let lines = turned_away(plain(), plain(), |addr| say_and_wait(addr, &greeting(WIRE_VERSION, 0, 1)[..40]));
    assert!(lines.len() == 1 && lines[0].contains("no greeting"), "{lines:?}");
    let once = plain().wait(Duration::ZERO);
    let error = soon(|| connect_to_raw(once, 64, &greeting(WIRE_VERSION, 0, 0)[..3]).err());
    assert!(matches!(&error, Some(Error::Timeout { what: "greeting", .. })), "{error:?}");
}

#[test]
fn garbage_at_every_position_is_an_error() {
    let good = frame(4, 1, b"good");
    let cases: [(&str, Vec<u8>); 8] = [
        ("a huge length", frame(0xFFFF_FFFE, 1, b"")),
        ("a length one too large", frame(5, 1, b"goods")),
        ("an unknown control frame", frame(u32::MAX, 99, b"")),
        ("half a header", vec![4, 0, 0]),
        ("half a payload", frame(4, 1, b"go")),
        ("text", b"HTTP/1.1 400 Bad Request".to_vec()),
        ("a farewell", frame(u32::MAX, 2, b"")),
        ("nothing", vec![]),
    ];
    for before in 0..3 {
        for (name, bytes) in &cases {
            let error = against_raw(
                plain(),
                |mut c| {
                    (0..before).for_each(|_| assert_eq!(c.channel().recv(4).unwrap(), b"good"));
                    let error = soon(|| c.channel().recv(4).unwrap_err());
                    assert!(c.channel().recv(4).is_err() && c.channel().send(vec![1]).is_err());
                    error
                },
                |mut socket, _| {
                    socket.write_all(&good.repeat(before)).unwrap();
                    socket.write_all(&[&HEARTBEAT, &bytes[..]].concat()).unwrap();
                },
            );
            assert!(matches!(error, Error::Peer(_) | Error::Closed), "{name}: {error}");
        }
    }
}

#[test]
fn a_huge_length_is_refused_before_anything_is_allocated() {
    for announced in [0xFFFF_FFFE, 0x8000_0000, 1 << 30] {
        let error = against_raw(
            plain(),
            |mut c| c.channel().recv(10).unwrap_err(),
            |mut socket, _| socket.write_all(&frame(announced, 1, &[0; 100])).unwrap(),
        );
        assert_eq!(
            error.to_string(),
            format!("malformed message from the peer: expected 10 bytes, got {announced}")
        );
    }
}

#[test]
fn a_lying_clock_is_harmless() {
    against_raw(
        plain(),
        |mut c| {
            c.channel().recv(0).unwrap();
            c.channel().send(vec![]).unwrap();
            assert_eq!(c.channel().cost().rounds, u32::MAX);
        },
        |mut socket, _| socket.write_all(&frame(0, u32::MAX, b"")).unwrap(),
    );
}

#[test]
fn a_mute_peer_times_out() {
    let (error, elapsed) = against_raw(
        plain(),
        |mut c| {
            let start = Instant::now();
            let error = soon(|| c.channel().recv(4).unwrap_err());
            (error, start.elapsed())
        },
        |mut socket, _| drop(until_closed(&mut socket)),
    );
    assert!(matches!(&error, Error::Timeout { what: "sign of life", .. }), "{error}");
    assert!(elapsed >= Duration::from_millis(500), "{elapsed:?}");
}

#[test]
fn a_peer_that_lives_but_makes_no_progress_times_out() {
    let (error, elapsed) = session(
        plain(),
        plain().idle(Duration::from_secs(60)),
        |mut p0| {
            let start = Instant::now();
            let error = soon(|| p0.channel().recv(4).unwrap_err());
            (error, start.elapsed())
        },
        // Its writer shows that it lives; the party itself waits as well.
        |mut p1| assert!(p1.channel().recv(1).is_err()),
    )
    .0;
    assert!(matches!(&error, Error::Timeout { what: "message", .. }), "{error}");
    assert!(elapsed >= Duration::from_millis(1500), "{elapsed:?}");
}

#[test]
fn a_peer_that_computes_longer_than_the_silence_is_waited_for() {
    session(
        plain(),
        plain(),
        |mut p0| assert_eq!(p0.channel().recv(2).unwrap(), [1, 2]),
        |mut p1| {
            thread::sleep(Duration::from_millis(1000));
            p1.channel().send(vec![1, 2]).unwrap();
        },
    );
}

#[test]
fn a_peer_that_is_idle_is_waited_for_as_long_as_asked() {
    let (idle, patient) = (Duration::from_millis(1200), Duration::from_secs(60));
    let hurried = plain().timeout(idle / 4).idle(patient);
    // Its writer shows that it lives, though nobody there sends or receives.
    session(
        hurried.clone(),
        hurried,
        |mut p0| assert_eq!(p0.channel().recv(1).unwrap(), [7]),
        |mut p1| {
            thread::sleep(idle);
            p1.channel().send(vec![7]).unwrap();
        },
    );
}

/// What a party makes of a message of which a byte comes now and then, and how long it took.
fn dripped(bytes: Vec<u8>, receive: impl FnOnce(Connection) -> Error + Send) -> (Error, Duration) {
    let (done, until_done) = mpsc::channel::<()>();
    against_raw(
        plain(),
        |c| {
            let start = Instant::now();
            let error = soon(|| receive(c));
            drop(done);
            (error, start.elapsed())
        },
        move |mut socket, _| {
            for byte in bytes {
                let now = until_done.recv_timeout(Duration::from_millis(100));
                if now != Err(RecvTimeoutError::Timeout) || socket.write_all(&[byte]).is_err() {
                    return;
                }
            }
        },
    )
}

#[test]
fn bytes_that_drip_are_no_progress_for_ever() {
    // 1.5 s for a message and 1/8 ms for each byte; every byte comes well within what shows life.
    let (error, elapsed) = dripped(frame(100, 1, &[0; 100]), |mut c| c.channel().recv(100).unwrap_err());
    assert!(matches!(&error, Error::Timeout { what: "end of a message", .. }), "{error}");
    assert!(elapsed >= Duration::from_millis(1500), "{elapsed:?}");

    // Heartbeats between the frames of one message are none either.
    let rest = [frame(2 * MIB as u32, 1, &[0; MIB]), HEARTBEAT.repeat(100)].concat();
    let error = against_raw(
        plain().timeout(Duration::from_millis(300)),
        |mut c| soon(|| c.channel().recv(2 * MIB).unwrap_err()),
        move |mut socket, _| {
            socket.write_all(&rest).unwrap();
            while socket.write_all(&HEARTBEAT).is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        },
    );
    assert!(matches!(&error, Error::Timeout { what: "message", .. }), "{error}");
}

#[test]
fn a_peer_that_stops_reading_ends_the_session() {
    // With heartbeats it counts as busy until `timeout`; without, as dead after `silence`. One that never stops talking
    // leaves time to see that it does not read.
    let stuck = "reading of our messages";
    for (says, pause, what) in
        [(&[][..], 20, "sign of life"), (&HEARTBEAT[..], 20, stuck), (&HEARTBEAT[..1], 0, stuck)]
    {
        let (done, until_done) = mpsc::channel::<()>();
        let error = against_raw(
            plain(),
            |mut c| {
                let error = soon(|| {
                    let error = (0..100).find_map(|_| c.channel().send(vec![0; MIB]).err()).unwrap();
                    drop(c); // must not wait for the queue either
                    error
                });
                drop(done);
                error
            },
            move |mut socket, _| {
                let pause = Duration::from_millis(pause);
                while until_done.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    let _ = socket.write_all(says);
                }
            },
        );
        assert!(matches!(&error, Error::Timeout { what: w, .. } if *w == what), "{what}: {error}");
    }
}

#[test]
fn a_killed_peer_is_closed_at_once() {
    let error = against_raw(plain(), |mut c| c.channel().recv(4).unwrap_err(), |socket, _| drop(socket));
    // Not a timeout.
    assert!(matches!(error, Error::Closed), "{error}");
}

#[test]
fn the_last_message_survives_unread_heartbeats() {
    // P0 never reads, so P1's heartbeats lie in its socket when it hangs up: closing such a socket
    // carelessly resets the connection and takes the last message with it.
    let n = 24 * MIB;
    // Made before: without optimisation that takes longer than P1 waits.
    let last = pattern(n, 1);
    let sent = last.clone();
    session(
        plain(),
        plain(),
        |mut p0| {
            p0.channel().recv(1).unwrap();
            thread::sleep(Duration::from_millis(150));
            p0.channel().send(sent).unwrap();
        },
        |mut p1| {
            p1.channel().send(vec![0]).unwrap();
            thread::sleep(Duration::from_millis(300));
            assert!(p1.channel().recv(n).unwrap() == last);
            assert!(matches!(p1.channel().recv(1), Err(Error::Closed)));
        },
    );
}

#[test]
fn many_bytes_of_any_kind_never_panic() {
    // A fixed generator: every run sends the same garbage.
    let mut state = 0x1234_5678_9ABC_DEF0_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    for _ in 0..20 {
        let bytes: Vec<u8> = (0..20).flat_map(|_| next()).collect();
        assert_eq!(turned_away(plain(), plain(), |addr| say_and_wait(addr, &bytes)).len(), 1);
        let error = against_raw(
            plain(),
            |mut c| c.channel().recv(4).unwrap_err(),
            |mut socket, _| {
                socket.write_all(&bytes).unwrap();
                let _ = socket.read(&mut [0]);
            },
        );
        assert!(matches!(error, Error::Peer(_) | Error::Closed), "{error}");
    }
}

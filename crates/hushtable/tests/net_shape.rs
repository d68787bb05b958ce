//! The simulated network: its text forms, and the time it takes.

use hushtable::Error;
use hushtable::net::{Connection, LinkShape};
use std::thread;
use std::time::{Duration, Instant};

fn shape(mbit_per_s: f64, rtt_us: u64) -> LinkShape {
    LinkShape { mbit_per_s: Some(mbit_per_s), rtt: Duration::from_micros(rtt_us) }
}

#[test]
fn text_forms() {
    for (text, want) in [
        ("loopback", LinkShape::LOOPBACK),
        ("lan", shape(3000.0, 800)),
        ("wan", shape(100.0, 50_000)),
        ("200:10ms", shape(200.0, 10_000)),
        ("200:10", shape(200.0, 10_000)),
        ("0.5:250us", shape(0.5, 250)),
        ("1e3:1.5s", shape(1000.0, 1_500_000)),
        ("9000:0", shape(9000.0, 0)),
    ] {
        let parsed: LinkShape = text.parse().unwrap();
        assert_eq!(parsed, want, "{text}");
        assert_eq!(parsed.to_string().parse::<LinkShape>().unwrap(), want, "{parsed}");
    }
    assert_eq!([LinkShape::LAN, LinkShape::WAN].map(|s| s.to_string()), ["lan", "wan"]);
}

#[test]
fn bad_text_is_answered_with_what_is_accepted() {
    for text in [
        "",
        "LAN",
        "fast",
        "100",
        ":",
        "100:",
        ":10",
        "0:10",
        "-1:10",
        "nan:10",
        "inf:10",
        "1e9:1",
        "0.001:1",
        "100:-1",
        "100:5s",
        "100:nan",
        "100:10min",
        "100:10:10",
    ] {
        match text.parse::<LinkShape>() {
            Err(Error::Param { got, accepted, .. }) => {
                assert!(got.contains(text) && accepted.contains("200:10ms"), "{got}; {accepted}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// Time for both parties to run.
fn timed(shape: LinkShape, f: fn(&mut Connection), g: fn(&mut Connection)) -> Duration {
    let (mut p0, mut p1) = Connection::pair_with([0; 32], shape);
    thread::scope(|scope| {
        let start = Instant::now();
        scope.spawn(move || {
            g(&mut p1);
            p1 // dropped by nobody before P0 is done
        });
        f(&mut p0);
        start.elapsed()
    })
}

fn assert_about(elapsed: Duration, ms: f64) {
    let got = elapsed.as_secs_f64() * 1e3;
    // Never early; late by what a busy machine adds.
    assert!(got >= ms && got < ms * 3.0 + 500.0, "expected about {ms} ms, got {got}");
}

#[test]
fn a_round_trip_takes_its_time() {
    let ping: fn(&mut Connection) = |p0| {
        for _ in 0..10 {
            p0.channel().send(vec![0]).unwrap();
            p0.channel().recv(1).unwrap();
        }
    };
    let pong: fn(&mut Connection) = |p1| {
        for _ in 0..10 {
            p1.channel().recv(1).unwrap();
            p1.channel().send(vec![0]).unwrap();
        }
    };
    assert_about(timed(shape(1000.0, 10_000), ping, pong), 100.0);
}

#[test]
fn bytes_take_their_time() {
    // 10^6 bytes at 80 Mbit/s: 100 ms, and 1 ms to arrive.
    let send: fn(&mut Connection) = |p0| {
        p0.channel().send(vec![0; 999_992]).unwrap();
        p0.channel().recv(0).unwrap();
    };
    let recv: fn(&mut Connection) = |p1| {
        p1.channel().recv(999_992).unwrap();
        p1.channel().send(vec![]).unwrap();
    };
    assert_about(timed(shape(80.0, 2000), send, recv), 102.0);
}

#[test]
fn both_directions_flow_at_once() {
    let exchange: fn(&mut Connection) = |c| {
        c.channel().exchange(vec![0; 500_000], 500_000).unwrap();
    };
    let elapsed = timed(shape(8.0, 0), exchange, exchange);
    assert!(elapsed >= Duration::from_millis(500), "{elapsed:?}");
    assert!(elapsed < Duration::from_millis(980), "one after the other would take 1 s: {elapsed:?}");
}

#[test]
fn messages_on_the_way_do_not_wait_for_each_other() {
    // Ten messages share the delay; one after the other they would take 500 ms on one way alone.
    let send: fn(&mut Connection) = |p0| {
        (0..10).for_each(|_| p0.channel().send(vec![0; 10]).unwrap());
        p0.channel().recv(0).unwrap();
    };
    let recv: fn(&mut Connection) = |p1| {
        (0..10).for_each(|_| drop(p1.channel().recv(10).unwrap()));
        p1.channel().send(vec![]).unwrap();
    };
    let elapsed = timed(shape(1000.0, 100_000), send, recv);
    assert!(elapsed >= Duration::from_millis(100) && elapsed < Duration::from_millis(490), "{elapsed:?}");
}

#[test]
fn a_slow_link_still_shows_life() {
    // 4 kB at 0.05 Mbit/s take 640 ms, in pieces well within any patience.
    let send: fn(&mut Connection) = |p0| {
        p0.channel().send(vec![0; 4000]).unwrap();
        p0.channel().recv(0).unwrap();
    };
    let recv: fn(&mut Connection) = |p1| {
        p1.channel().recv(4000).unwrap();
        p1.channel().send(vec![]).unwrap();
    };
    assert_about(timed(shape(0.05, 0), send, recv), 642.0);
}

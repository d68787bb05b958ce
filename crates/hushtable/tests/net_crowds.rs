//! Many callers at the port of a waiting party, most of whom say nothing: the awaited peer is served all the same, in its
//! own patience, and so are its lanes.

use hushtable::Error;
use hushtable::net::{Connection, Listener, Options, connect};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::net_support::*;

/// Patience that the busiest machine does not try, so that only what is never done fails.
fn patient(options: Options) -> Options {
    let long = Duration::from_secs(60);
    let timing = options.timing.silence(long);
    options.timing(timing).timeout(long).idle(long).wait(Duration::from_secs(100))
}

/// Opens a session and a lane, with a message on each.
fn work(mut c: Connection, between: impl FnOnce()) {
    c.channel().exchange(vec![1], 1).unwrap();
    between();
    let mut lanes = c.fork(2).unwrap();
    for lane in &mut lanes {
        assert_eq!(lane.channel().exchange(vec![7], 1).unwrap(), [7]);
    }
}

#[test]
fn two_thousand_silent_callers_keep_nobody_out() {
    let folders = Folders::friends();
    let listener = Listener::bind("127.0.0.1:0", patient(secure(&folders.bank))).unwrap();
    let addr = listener.local_addr();
    // More than the backlog of the standard library holds before anybody is heard.
    let count = sockets(2000);
    let before = loiter_elsewhere(addr, count / 2, b"");
    thread::scope(|scope| {
        let peer = scope.spawn(|| {
            let c = connect(&addr.to_string(), patient(secure(&folders.telecom))).unwrap();
            let mut crowd = Vec::new();
            work(c, || crowd = loiter_elsewhere(addr, count / 2, b""));
        });
        work(listener.accept().unwrap(), || {});
        peer.join().unwrap();
    });
    drop(before);
}

/// On a slow link a peer takes long to say its first word, and longer for its greeting.
#[test]
fn two_hundred_silent_callers_keep_nobody_out_on_a_slow_link() {
    let folders = Folders::friends();
    let slow = |options: Options| patient(options).shape("1000:400".parse().unwrap());
    let listener = Listener::bind("127.0.0.1:0", slow(secure(&folders.bank))).unwrap();
    let addr = listener.local_addr();
    let _silent = loiter(addr, 200, b"");
    thread::scope(|scope| {
        let peer = scope.spawn(|| {
            // They go on coming.
            let more = scope.spawn(move || loiter(addr, 200, b""));
            let id = connect(&addr.to_string(), slow(secure(&folders.telecom))).unwrap().id();
            (id, more.join().unwrap())
        });
        let id = listener.accept().unwrap().id();
        assert_eq!(peer.join().unwrap().0, id);
    });
}

/// Callers that begin a handshake and stop hold a thread each; when their time is over they make room.
#[test]
fn callers_that_stop_half_way_make_room() {
    let folders = Folders::friends();
    let diary = Diary::default();
    let options = patient(secure(&folders.bank)).log(diary.log());
    let listener = Listener::bind("127.0.0.1:0", options).unwrap();
    let addr = listener.local_addr();
    let half = loiter(addr, 150, &[22, 3, 1, 2]);
    thread::scope(|scope| {
        let peer =
            scope.spawn(|| connect(&addr.to_string(), patient(secure(&folders.telecom))).unwrap().id());
        let id = listener.accept().unwrap().id();
        assert_eq!(peer.join().unwrap(), id);
    });
    drop(half);
    let lines = diary.lines();
    assert!(lines.iter().any(|line| line.contains("made room for later callers")), "{lines:#?}");
}

/// A trusted peer that comes again and again and greets late holds its own part of the places, not those of others.
#[test]
fn a_trusted_peer_that_never_greets_has_its_part_of_the_places() {
    let folders = Folders::friends();
    let retailer = folders.third("retailer");
    trust(&folders.bank, &retailer, None);
    trust(&retailer, &folders.bank, None);
    let diary = Diary::default();
    let options = patient(secure(&folders.bank)).log(diary.log()).guests(["telecom", "retailer"]);
    let listener = Listener::bind("127.0.0.1:0", options).unwrap();
    let addr = listener.local_addr();
    // Of the 128 places, where there are as many, an eighth is for one.
    let places = 128.min(sockets(1024) * 4 / 16) / 8;
    thread::scope(|scope| {
        let host = scope.spawn(|| {
            let mut visitors = listener.visitors().unwrap();
            let visitor = visitors.next(Duration::from_secs(100)).unwrap().expect("a visitor");
            visitor.peer_name().to_owned()
        });
        let late: Vec<_> = (0..40).map(|_| mute(&folders.telecom, addr)).collect();
        diary.until(40 - places);
        let visitor = connect(&addr.to_string(), patient(secure(&retailer))).unwrap();
        assert_eq!(host.join().unwrap(), "retailer");
        drop((visitor, late));
    });
    let lines = diary.lines();
    assert!(lines.len() == 40 - places, "{lines:#?}");
    assert!(lines.iter().all(|line| line.contains("has come too often and not greeted")), "{lines:#?}");
}

/// Carries connections over a link on which each way takes so long. As there, the first bytes come with the connection.
fn slow_way(to: SocketAddr, way: Duration) -> String {
    let outer = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = outer.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for near in outer.incoming() {
            let near = near.unwrap();
            thread::spawn(move || {
                // SYN, SYN-ACK, and the ACK with which the first bytes come.
                thread::sleep(3 * way);
                let Ok(far) = TcpStream::connect(to) else { return };
                let (from, into) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                thread::spawn(move || late(from, into, Duration::ZERO));
                late(far, near, 2 * way);
            });
        }
    });
    addr
}

/// Copies one direction, each part so much later; then its end.
fn late(mut from: TcpStream, mut to: TcpStream, later: Duration) {
    let (tell, parts) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        for (due, part) in parts {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if to.write_all(&part).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
    });
    let mut buf = [0; 4096];
    while let Ok(n @ 1..) = from.read(&mut buf) {
        if tell.send((Instant::now() + later, buf[..n].to_vec())).is_err() {
            break;
        }
    }
}

/// On a link that is slow in truth, with a round trip of 1.2 s as by two satellites, the time that each caller has suffices,
/// while others come, begin a handshake and stop.
#[test]
fn a_slow_link_of_its_own_keeps_nobody_out() {
    let folders = Folders::friends();
    let listener = Listener::bind("127.0.0.1:0", patient(secure(&folders.bank))).unwrap();
    let addr = listener.local_addr();
    let (way, over) = (slow_way(addr, Duration::from_millis(600)), AtomicBool::new(false));
    let most = sockets(300);
    let mut half = loiter(addr, most / 2, &[22, 3, 1, 2]);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if let Ok(mut socket) = TcpStream::connect(addr) {
                    let _ = socket.write_all(&[22, 3, 1, 2]);
                    half.push(socket);
                }
                half.drain(..half.len().saturating_sub(most));
                // So fast that the place of each is wanted again long before the peer's answer is here.
                thread::sleep(Duration::from_millis(5));
            }
        });
        let peer = scope.spawn(|| {
            let options = patient(secure(&folders.telecom)).wait(Duration::from_secs(30));
            let outcome = connect(&way, options).map(|c| c.id());
            over.store(true, Ordering::Relaxed);
            outcome
        });
        let here = listener.accept().unwrap();
        assert_eq!(peer.join().unwrap().unwrap(), here.id());
    });
}

/// Who comes behind many from two other addresses, all of whom begin a handshake and stop, is heard at its address's
/// turn, not when all of them have been.
#[cfg(target_os = "linux")]
#[test]
fn a_burst_from_other_addresses_keeps_nobody_waiting() {
    let folders = Folders::friends();
    let diary = Diary::default();
    let options = patient(secure(&folders.bank)).log(diary.log());
    let listener = Listener::bind("127.0.0.1:0", options).unwrap();
    let addr = listener.local_addr();
    let count = sockets(700);
    let burst = loiter_elsewhere(addr, count, &[22, 3, 1, 2]);
    thread::scope(|scope| {
        let peer =
            scope.spawn(|| connect(&addr.to_string(), patient(secure(&folders.telecom))).unwrap().id());
        let here = listener.accept().unwrap();
        // All that were heard at first have gone, or those of a second turn, if it came late.
        let gone = diary.lines().len();
        assert!(gone <= count / 2, "{gone} of {count} were heard before");
        assert_eq!(peer.join().unwrap(), here.id());
    });
    drop(burst);
}

/// Carries connections to `to`; those that `is_late` says, by their number, get each answer so much later.
fn late_answers(to: SocketAddr, is_late: fn(usize) -> bool, later: Duration) -> String {
    let outer = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = outer.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for (number, near) in outer.incoming().enumerate() {
            let near = near.unwrap();
            let Ok(far) = TcpStream::connect(to) else { return };
            let (from, into) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            thread::spawn(move || late(from, into, Duration::ZERO));
            thread::spawn(move || late(far, near, if is_late(number) { later } else { Duration::ZERO }));
        }
    });
    addr
}

/// An answer that comes when the caller has given up, and is parting, is none: it calls again.
#[test]
fn who_is_answered_too_late_comes_again() {
    let folders = Folders::friends();
    let listener = Listener::bind("127.0.0.1:0", patient(secure(&folders.bank))).unwrap();
    // The session's first call, and a lane's.
    let addr = late_answers(listener.local_addr(), |number| [0, 2].contains(&number), Duration::from_secs(3));
    let (limit, diary) = (Duration::from_secs(2), Diary::default());
    thread::scope(|scope| {
        let peer = scope.spawn(|| {
            let options = patient(secure(&folders.telecom)).log(diary.log());
            let timing = options.timing.silence(limit).linger(limit);
            work(connect(&addr, options.timing(timing)).unwrap(), || {});
        });
        work(listener.accept().unwrap(), || {});
        peer.join().unwrap();
    });
    let lines = diary.lines();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("trying again")), "{lines:?}");
}

/// Carries connections to `to` but for those that `drops` says, by their number; these end without a word, or behind the
/// first bytes of an answer.
fn doorkeeper(to: SocketAddr, drops: impl Fn(usize) -> Option<usize> + Send + 'static) -> String {
    let outer = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = outer.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for (number, near) in outer.incoming().enumerate() {
            let near = near.unwrap();
            let most = match drops(number) {
                Some(0) => continue,
                some => some.unwrap_or(usize::MAX),
            };
            let Ok(far) = TcpStream::connect(to) else { return };
            let (from, into) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            thread::spawn(move || carry(from, into, usize::MAX));
            thread::spawn(move || carry(far, near, most));
        }
    });
    addr
}

/// Copies so many bytes, then ends both directions.
fn carry(mut from: TcpStream, mut to: TcpStream, most: usize) {
    let (mut passed, mut buf) = (0, [0; 4096]);
    while let Ok(n @ 1..) = from.read(&mut buf) {
        let n = n.min(most - passed);
        passed += n;
        if to.write_all(&buf[..n]).is_err() || passed == most {
            break;
        }
    }
    let how = if most == usize::MAX { Shutdown::Write } else { Shutdown::Both };
    let _ = to.shutdown(how);
    if most < usize::MAX {
        let _ = from.shutdown(Shutdown::Both);
    }
}

#[test]
fn who_is_let_go_comes_again() {
    let folders = Folders::friends();
    let half: fn(usize) -> Option<usize> =
        |number| [Some(0), Some(0), Some(100), Some(0)].get(number).copied()?;
    let none: fn(usize) -> Option<usize> = |number| (number < 3).then_some(0);
    for (p0, p1, drops) in [(secure(&folders.bank), secure(&folders.telecom), half), (plain(), plain(), none)]
    {
        let listener = Listener::bind("127.0.0.1:0", patient(p0)).unwrap();
        let addr = doorkeeper(listener.local_addr(), drops);
        let diary = Diary::default();
        thread::scope(|scope| {
            let options = patient(p1.clone()).log(diary.log());
            let peer = scope.spawn(|| connect(&addr, options).unwrap().id());
            let id = listener.accept().unwrap().id();
            assert_eq!(peer.join().unwrap(), id);
        });
        let lines = diary.lines();
        assert!(lines.len() == 1 && lines[0].contains("does not answer, trying again"), "{lines:?}");
    }
    // Only as long as it has time.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = doorkeeper(gone.local_addr().unwrap(), |_| Some(0));
    let error = connect(&addr, patient(plain()).wait(Duration::ZERO)).err();
    assert!(matches!(error, Some(Error::Closed)), "{error:?}");
}

#[test]
fn a_lane_that_is_let_go_comes_again() {
    let listener = Listener::bind("127.0.0.1:0", patient(plain())).unwrap();
    let addr = doorkeeper(listener.local_addr(), |number| [2, 3].contains(&number).then_some(0));
    thread::scope(|scope| {
        let peer = scope.spawn(|| work(connect(&addr, patient(plain())).unwrap(), || {}));
        work(listener.accept().unwrap(), || {});
        peer.join().unwrap();
    });
}

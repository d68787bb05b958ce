//! Many callers at the port of a waiting party, most of whom say nothing: the awaited peer is served all the same, in its
//! own patience, and so are its lanes.

use hushtable::Error;
use hushtable::net::{Connection, Listener, Options, Timing, connect};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use crate::net_support::*;

/// So many sockets as asked for, or as many as the system gives this process for the purpose.
fn sockets(most: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
        let files = getrlimit(Resource::Nofile).current.or(current).unwrap_or(u64::MAX);
        // A caller takes one here and one at the party, which is in this process too, as other tests are.
        let count = most.min(usize::try_from(files / 4).unwrap_or(most));
        if count < most {
            eprintln!("{count} callers in place of {most}: this process may open {files} files (ulimit -Hn)");
        }
        count
    }
    #[cfg(not(unix))]
    most.min(200)
}

/// Callers that say something and then nothing, as long as the sockets live.
fn loiter(addr: SocketAddr, count: usize, says: &[u8]) -> Vec<TcpStream> {
    let caller = |_| {
        let mut socket = TcpStream::connect(addr).unwrap();
        let _ = socket.write_all(says);
        socket
    };
    (0..count).map(caller).collect()
}

/// Patience that the busiest machine does not try, so that only what is never done fails.
fn patient(options: Options) -> Options {
    let long = Duration::from_secs(60);
    let timing = Timing { silence: long, ..options.timing };
    Options { timing, timeout: long, idle: long, wait: Duration::from_secs(100), ..options }
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
    let before = loiter(addr, count / 2, b"");
    thread::scope(|scope| {
        let peer = scope.spawn(|| {
            let c = connect(&addr.to_string(), patient(secure(&folders.telecom))).unwrap();
            let mut crowd = Vec::new();
            work(c, || crowd = loiter(addr, count / 2, b""));
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
    let slow = |options: Options| Options { shape: "1000:400".parse().unwrap(), ..patient(options) };
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
    let options = Options { log: diary.log(), ..patient(secure(&folders.bank)) };
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
            let options = Options { log: diary.log(), ..patient(p1.clone()) };
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
    let error = connect(&addr, Options { wait: Duration::ZERO, ..patient(plain()) }).err();
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

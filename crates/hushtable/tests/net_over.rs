//! Sessions over streams that a program brings.

use std::{
    io::{ErrorKind, Read, Result as IoResult, Write},
    net::Shutdown,
    os::unix::net::UnixStream,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use hushtable::{
    Error, Party, Result, Role,
    net::{Connection, LinkShape, Options, Transport},
    operation::{Compare, Relation},
    prelude::{Job, Objective, Reveal},
};

use crate::net_support::greeting;

/// One end of a Unix socket.
struct Unix(UnixStream);

impl Transport for Unix {
    fn write(&self, a: &[u8], b: &[u8], wait: Duration) -> IoResult<usize> {
        self.0.set_write_timeout(Some(wait.max(Duration::from_micros(1))))?;
        (&self.0).write(if a.is_empty() { b } else { a })
    }

    fn flush(&self, _: Duration) -> IoResult<()> {
        Ok(())
    }

    fn read(&self, buf: &mut [u8], wait: Duration) -> IoResult<usize> {
        self.0.set_read_timeout(Some(wait.max(Duration::from_micros(1))))?;
        (&self.0).read(buf)
    }

    fn close(&self, linger: Duration) {
        let _ = self.0.shutdown(Shutdown::Write);
        let end = Instant::now() + linger;
        let mut rest = [0; 4096];
        while Instant::now() < end && self.read(&mut rest, linger).is_ok_and(|count| count > 0) {}
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

fn ends() -> [Arc<Unix>; 2] {
    let (a, b) = UnixStream::pair().unwrap();
    [a, b].map(|end| Arc::new(Unix(end)))
}

fn over(end: Arc<Unix>, role: Role, options: Options) -> Result<Connection> {
    Connection::over(end, role, "the other end", options)
}

/// What P0 says to a peer that is these bytes and then hangs up.
fn said_to(role: Role, bytes: &[u8]) -> Error {
    let [mine, theirs] = ends();
    (&theirs.0).write_all(bytes).unwrap();
    theirs.0.shutdown(Shutdown::Write).unwrap();
    over(mine, role, Options::plain()).err().expect("no session")
}

#[test]
fn jobs_run_over_a_stream_of_ones_own() {
    let [a, b] = ends();
    let party = |end: Arc<Unix>, role: Role, mine: [[u64; 3]; 2]| -> Result<Vec<i64>> {
        let connection = over(end, role, Options::plain())?;
        assert_eq!((connection.role(), connection.peer_name()), (role, "the other end"));
        let mut p = Party::new(connection, None)?;
        let ge = Compare::new(Relation::Ge, [32, 0], [0, 1000], [0, 1000], Objective::Total)?;
        let done = Job::new(&ge).on(&mine[0]).on(&mine[1]).reveal(Reveal::Both).run(&mut p)?;
        assert!(matches!(p.fork(2), Err(Error::Param { .. })), "it has no lanes");
        Ok(done.values().expect("both get them"))
    };
    let one = thread::spawn(move || party(a, Role::P0, [[5, 6, 7], [0; 3]]));
    let two = party(b, Role::P1, [[0; 3], [6, 6, 6]]).unwrap();
    assert_eq!((one.join().unwrap().unwrap(), &two[..]), (two.clone(), &[0, 1, 1][..]));
}

#[test]
fn a_peer_that_does_not_fit_is_named_at_both() {
    for role in [Role::P0, Role::P1] {
        let [a, b] = ends();
        let one = thread::spawn(move || over(a, role, Options::plain()).err());
        let two = over(b, role, Options::plain()).err();
        for error in [one.join().unwrap(), two] {
            let said = error.expect("two of one role").to_string();
            assert!(said.contains("role"), "{said}");
        }
    }
}

#[test]
fn bytes_that_are_no_greeting_end_it() {
    use hushtable::net::WIRE_VERSION;
    assert!(
        matches!(said_to(Role::P0, b"GET / HTTP/1.1\r\n\r\n"), Error::Peer(what) if what.contains("not hushtable"))
    );
    assert!(matches!(said_to(Role::P0, b"hush"), Error::Closed));
    assert!(matches!(said_to(Role::P1, b""), Error::Closed));
    let other = said_to(Role::P0, &greeting(WIRE_VERSION + 1, 0, 1));
    assert!(matches!(&other, Error::Handshake { field, .. } if field == "wire version"), "{other}");
    for intent in [1, 2, 9] {
        let error = said_to(Role::P0, &greeting(WIRE_VERSION, intent, 1));
        assert!(matches!(&error, Error::Peer(what) if what.contains("no session")), "{error}");
    }
}

#[test]
fn a_silent_stream_is_a_timeout() {
    let [mine, _theirs] = ends();
    let options = Options::plain().wait(Duration::from_millis(300));
    let error = over(mine, Role::P0, options).err().expect("nobody greets");
    assert!(matches!(error, Error::Timeout { what: "greeting", .. }), "{error}");
}

#[test]
fn what_is_for_our_own_connections_is_refused() {
    let guests = Options::plain().guests([] as [&str; 0]);
    let peer = Options::plain().peer(Some("b".into()));
    let all = [
        guests,
        peer,
        #[cfg(feature = "tls")]
        crate::net_support::secure(&crate::net_support::Folders::strangers().bank),
    ];
    for options in all {
        let error = over(ends()[0].clone(), Role::P0, options).err().expect("a refusal");
        assert!(matches!(error, Error::Param { what: "options of a stream of one's own", .. }), "{error}");
    }
}

/// A link that is simulated is what the parties plan by.
#[test]
fn a_shape_is_kept() {
    let shape = "100:4ms".parse::<LinkShape>().unwrap();
    let [a, b] = ends();
    let options = move || Options::plain().shape(shape);
    let one = thread::spawn(move || over(a, Role::P0, options()).unwrap().link());
    assert_eq!(
        (over(b, Role::P1, options()).unwrap().link(), one.join().unwrap()),
        (Some(shape), Some(shape))
    );
}

/// A write that ended for want of time is repeated.
#[test]
fn a_stream_may_say_that_it_got_nowhere() {
    struct Slow(Arc<Unix>, std::sync::atomic::AtomicU32);
    impl Transport for Slow {
        fn write(&self, a: &[u8], b: &[u8], wait: Duration) -> IoResult<usize> {
            let turn = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            match turn % 3 {
                2 => Err(ErrorKind::WouldBlock.into()),
                1 => Err(ErrorKind::TimedOut.into()),
                _ => self.0.write(&a[..a.len().min(5)], &b[..b.len().min(3)], wait),
            }
        }

        fn flush(&self, wait: Duration) -> IoResult<()> {
            self.0.flush(wait)
        }

        fn read(&self, buf: &mut [u8], wait: Duration) -> IoResult<usize> {
            let most = buf.len().min(7);
            self.0.read(&mut buf[..most], wait)
        }

        fn close(&self, linger: Duration) {
            self.0.close(linger);
        }
    }
    let [a, b] = ends();
    let one = thread::spawn(move || {
        let mut connection = over(a, Role::P0, Options::plain()).unwrap();
        connection.channel().recv(1000).unwrap()
    });
    let slow = Arc::new(Slow(b, std::sync::atomic::AtomicU32::new(0)));
    // The greeting is written whole before anything else; then the channel's own messages.
    let mut connection = Connection::over(slow, Role::P1, "a", Options::plain()).unwrap();
    connection.channel().send((0..1000u32).map(|i| i as u8).collect()).unwrap();
    connection.channel().flush().unwrap();
    assert_eq!(one.join().unwrap(), (0..1000u32).map(|i| i as u8).collect::<Vec<_>>());
}

/// Numbers of a transport that cannot be end the session: nobody waits for ever, and nothing panics.
#[test]
fn a_stream_that_counts_wrong_is_refused() {
    struct Wrong(Arc<Unix>, fn(usize) -> usize);
    impl Transport for Wrong {
        fn write(&self, a: &[u8], b: &[u8], wait: Duration) -> IoResult<usize> {
            self.0.write(a, b, wait).map(self.1)
        }

        fn flush(&self, wait: Duration) -> IoResult<()> {
            self.0.flush(wait)
        }

        fn read(&self, buf: &mut [u8], wait: Duration) -> IoResult<usize> {
            self.0.read(buf, wait).map(self.1)
        }

        fn close(&self, linger: Duration) {
            self.0.close(linger);
        }
    }
    for wrong in [|_| 0, |count| count + (1 << 20)] {
        let [mine, _theirs] = ends();
        let over = Connection::over(Arc::new(Wrong(mine, wrong)), Role::P1, "a", Options::plain());
        assert!(over.is_err());
    }
}

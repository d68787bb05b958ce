//! What the network tests share.
#![allow(dead_code)] // Each test file uses a part of it.

mod crowd;
#[cfg(feature = "tls")]
mod secure;

#[cfg(feature = "tls")]
pub use crowd::{loiter, loiter_elsewhere, sockets};
pub use hushtable::net::WIRE_VERSION;
use hushtable::net::{Connection, Listener, Log, Options, Timing, connect};
use hushtable::{Error, Result};
#[cfg(feature = "tls")]
pub use secure::*;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

pub const MIB: usize = 1 << 20;

/// Runs both ends of a connection in this process to their ends; what they return.
pub fn connected<A: Send, B: Send>(
    f: impl FnOnce(Connection) -> A + Send,
    g: impl FnOnce(Connection) -> B + Send,
) -> (A, B) {
    let (p0, p1) = Connection::pair();
    thread::scope(|scope| {
        let other = scope.spawn(move || g(p1));
        let mine = f(p0);
        (mine, other.join().expect("the other party does not panic"))
    })
}

/// Plain TCP with so little patience that failures show within a second.
pub fn plain() -> Options {
    Options::plain()
        .timeout(Duration::from_millis(1500))
        .idle(Duration::from_millis(1500))
        .wait(Duration::from_secs(20))
        .timing(
            Timing::default()
                .heartbeat(Duration::from_millis(50))
                .silence(Duration::from_millis(500))
                .linger(Duration::from_millis(500)),
        )
}

/// What a listening party says of the callers that it turned away.
#[derive(Clone, Default)]
pub struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    pub fn log(&self) -> Log {
        let lines = Arc::clone(&self.0);
        Log::new(move |line| lines.lock().unwrap().push(line.to_owned()))
    }

    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Waits until so many callers were turned away.
    pub fn until(&self, count: usize) {
        let start = Instant::now();
        while self.lines().len() < count {
            assert!(start.elapsed() < Duration::from_secs(20), "{count} lines: {:?}", self.lines());
            thread::yield_now();
        }
    }
}

/// What both parties make of each other.
pub fn meet(p0: Options, p1: Options) -> (Result<Connection>, Result<Connection>) {
    let listener = Listener::bind("127.0.0.1:0", p0).unwrap();
    let addr = listener.local_addr().to_string();
    thread::scope(|scope| {
        let other = scope.spawn(move || connect(&addr, p1));
        let mine = listener.accept();
        // Whoever failed has said so: the other must not wait for our result to be dropped.
        (mine, other.join().unwrap())
    })
}

/// A session between this crate's parties, each running its own half.
pub fn session<A: Send, B: Send>(
    p0: Options,
    p1: Options,
    f: impl FnOnce(Connection) -> A + Send,
    g: impl FnOnce(Connection) -> B + Send,
) -> (A, B) {
    let listener = Listener::bind("127.0.0.1:0", p0).unwrap();
    let addr = listener.local_addr().to_string();
    thread::scope(|scope| {
        let other = scope.spawn(move || g(connect(&addr, p1).unwrap()));
        let mine = f(listener.accept().unwrap());
        (mine, other.join().unwrap())
    })
}

/// A greeting, byte by byte.
pub fn greeting(version: u16, intent: u8, role: u8) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..8].copy_from_slice(b"hushtabl");
    bytes[8..10].copy_from_slice(&version.to_le_bytes());
    bytes[10] = intent;
    bytes[11] = role;
    bytes[16..48].fill(0xA5);
    bytes
}

/// A frame, byte by byte.
pub fn frame(len: u32, clock: u32, payload: &[u8]) -> Vec<u8> {
    [&len.to_le_bytes(), &clock.to_le_bytes(), payload].concat()
}

pub const HEARTBEAT: [u8; 8] = [255, 255, 255, 255, 1, 0, 0, 0];

/// Runs `party` as P0 against a peer that is only a socket, already past the greeting.
pub fn against_raw<T: Send>(
    options: Options,
    party: impl FnOnce(Connection) -> T + Send,
    raw: impl FnOnce(TcpStream, SocketAddr) + Send,
) -> T {
    let listener = Listener::bind("127.0.0.1:0", options).unwrap();
    let addr = listener.local_addr();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut socket = TcpStream::connect(addr).unwrap();
            socket.write_all(&greeting(WIRE_VERSION, 0, 1)).unwrap();
            socket.read_exact(&mut [0; 64]).unwrap();
            raw(socket, addr);
        });
        party(listener.accept().unwrap())
    })
}

/// What `connect` makes of a server that reads a little, answers, and waits for the end.
pub fn connect_to_raw(options: Options, read: usize, answer: &[u8]) -> Result<Connection> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    thread::scope(|scope| {
        scope.spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            socket.read_exact(&mut vec![0; read]).unwrap();
            socket.write_all(answer).unwrap();
            until_closed(&mut socket);
        });
        connect(&addr, options)
    })
}

/// What `accept` makes of a client that says `bytes` and waits for the end.
pub fn accept_raw(options: Options, bytes: &[u8]) -> Result<Connection> {
    let listener = Listener::bind("127.0.0.1:0", options).unwrap();
    let addr = listener.local_addr();
    thread::scope(|scope| {
        scope.spawn(move || say_and_wait(addr, bytes));
        listener.accept()
    })
}

/// A caller that says `bytes` and waits for the end; what it is told.
pub fn say_and_wait(addr: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut socket = TcpStream::connect(addr).unwrap();
    // The party may have hung up before all is said.
    let _ = socket.write_all(bytes);
    until_closed(&mut socket)
}

/// What a party that listens with `options` says of a stranger, which `visit` plays; it then lets in the
/// peer that connects with `peer`, as it must.
pub fn turned_away<T>(
    options: Options,
    peer: Options,
    visit: impl FnOnce(SocketAddr) -> T + Send,
) -> Vec<String> {
    let diary = Diary::default();
    let listener = Listener::bind("127.0.0.1:0", options.log(diary.log())).unwrap();
    let addr = listener.local_addr();
    let seen = diary.clone();
    thread::scope(|scope| {
        let visitors = scope.spawn(move || {
            visit(addr);
            seen.until(1);
            connect(&addr.to_string(), peer).unwrap().id()
        });
        let session = soon(|| listener.accept().unwrap());
        let id = session.id();
        drop(session);
        assert_eq!(id, visitors.join().unwrap());
    });
    diary.lines()
}

/// Reads until the other end has hung up.
pub fn until_closed(socket: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = socket.read_to_end(&mut bytes);
    bytes
}

/// Runs something that must end soon.
pub fn soon<T>(f: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = f();
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(8), "took {elapsed:?}");
    value
}

/// The text of an error that must be of one kind.
pub fn tls_error<T>(outcome: Result<T>) -> String {
    match outcome {
        Err(Error::Tls(text)) => text,
        Err(other) => panic!("not about TLS: {other}"),
        Ok(_) => panic!("this must fail"),
    }
}

/// Bytes that differ from place to place.
pub fn pattern(len: usize, seed: u64) -> Vec<u8> {
    (0..len as u64).map(|i| ((i ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

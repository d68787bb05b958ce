//! Plain TCP.

use super::shape::LinkShape;
use super::transport::{Transport, again};
use crate::error::{Error, Result};
use std::io::{self, IoSlice, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A connected socket that one thread reads and another writes.
pub(super) struct Tcp {
    socket: TcpStream,
    addr: SocketAddr,
    /// How long connecting took, at the party that did.
    trip: Option<Duration>,
    /// The time limits the socket has now, in nanoseconds, so as not to set them again.
    read_wait: AtomicU64,
    write_wait: AtomicU64,
}

impl Tcp {
    /// Takes over a connected socket.
    pub(super) fn new(socket: TcpStream) -> Result<Self> {
        let set_up = || {
            socket.set_nonblocking(false)?;
            socket.set_nodelay(true)?;
            socket.peer_addr()
        };
        let addr = set_up().map_err(Error::io("setting up the connection"))?;
        let [read_wait, write_wait] = Default::default();
        Ok(Tcp { socket, addr, trip: None, read_wait, write_wait })
    }

    /// As [`new`](Self::new), after connecting took a round `trip`.
    pub(super) fn after(socket: TcpStream, trip: Duration) -> Result<Self> {
        Ok(Tcp { trip: Some(trip), ..Self::new(socket)? })
    }

    /// What is known of the link: nothing inside a machine, which stands for two in tests.
    pub(super) fn link(&self) -> Option<LinkShape> {
        let near = self.addr.ip().to_canonical().is_loopback();
        self.trip.filter(|_| !near).map(LinkShape::of_trip)
    }

    /// The peer's address.
    pub(super) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The first byte the peer sends, left in place; `None` if it hangs up without one.
    pub(super) fn peek(&self, wait: Duration) -> io::Result<Option<u8>> {
        self.set(&self.read_wait, wait, TcpStream::set_read_timeout)?;
        let mut byte = [0];
        Ok((self.socket.peek(&mut byte)? > 0).then_some(byte[0]))
    }

    fn set(
        &self,
        now: &AtomicU64,
        wait: Duration,
        set: fn(&TcpStream, Option<Duration>) -> io::Result<()>,
    ) -> io::Result<()> {
        // Zero would mean for ever.
        let wait = wait.max(Duration::from_micros(1));
        let nanos = wait.as_nanos() as u64;
        if now.swap(nanos, Ordering::Relaxed) != nanos {
            set(&self.socket, Some(wait))?;
        }
        Ok(())
    }
}

impl Transport for Tcp {
    fn write(&self, a: &[u8], b: &[u8], wait: Duration) -> io::Result<usize> {
        self.set(&self.write_wait, wait, TcpStream::set_write_timeout)?;
        let mut socket = &self.socket;
        // One call for header and payload, so that they leave in one packet.
        if a.is_empty() {
            socket.write(b)
        } else {
            socket.write_vectored(&[IoSlice::new(a), IoSlice::new(b)])
        }
    }

    fn flush(&self, _: Duration) -> io::Result<()> {
        Ok(())
    }

    fn read(&self, buf: &mut [u8], wait: Duration) -> io::Result<usize> {
        self.set(&self.read_wait, wait, TcpStream::set_read_timeout)?;
        (&self.socket).read(buf)
    }

    fn close(&self, linger: Duration) {
        // Closing with unread bytes would reset the connection, and the peer could lose our last
        // message: say that nothing follows, and read until the peer hangs up too.
        let _ = self.socket.shutdown(Shutdown::Write);
        let deadline = Instant::now() + linger;
        let mut scratch = [0; 4096];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            match self.read(&mut scratch, left) {
                Ok(0) => break,
                Err(e) if !again(&e) => break,
                _ => {}
            }
        }
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

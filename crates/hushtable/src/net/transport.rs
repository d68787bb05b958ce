//! What carries the frames.

use crate::error::{Error, Result};
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// A stream of bytes in each direction, for [`Connection::over`](super::Connection::over). One thread reads while another
/// writes; a call that gets nowhere within `wait` ends with [`ErrorKind::WouldBlock`] or [`ErrorKind::TimedOut`], and may
/// be repeated. What one writes the other reads in order, unchanged.
pub trait Transport: Send + Sync {
    /// Takes some of `a` followed by `b` and says how many bytes, at least 1 unless both are empty.
    fn write(&self, a: &[u8], b: &[u8], wait: Duration) -> io::Result<usize>;

    /// Pushes out what `write` took. Must succeed before the bytes count as sent.
    fn flush(&self, wait: Duration) -> io::Result<()>;

    /// Reads at least one byte, or 0 when the peer has hung up.
    fn read(&self, buf: &mut [u8], wait: Duration) -> io::Result<usize>;

    /// Hangs up. Waits at most `linger` for the peer to take the last bytes.
    fn close(&self, linger: Duration);
}

/// `true` for the answer to a call that may be repeated.
pub(super) fn again(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// The typed error for a transport's failure.
pub(super) fn fault(e: io::Error) -> Error {
    match e.kind() {
        ErrorKind::UnexpectedEof
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::NotConnected => Error::Closed,
        // Bytes that TLS rejects.
        ErrorKind::InvalidData => Error::Tls(e.to_string()),
        _ => Error::io("the connection to the peer")(e),
    }
}

/// The end of a wait for several steps together.
pub(super) struct Deadline {
    end: Instant,
    limit: Duration,
}

impl Deadline {
    /// `limit` from now.
    pub(super) fn after(limit: Duration) -> Self {
        Deadline { end: Instant::now() + limit, limit }
    }

    /// The time left.
    pub(super) fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// [`Error::Timeout`] if the time is over.
    pub(super) fn check(&self, what: &'static str) -> Result<()> {
        if self.left().is_zero() {
            Err(Error::Timeout { what, seconds: self.limit.as_secs() })
        } else {
            Ok(())
        }
    }

    /// A step of a greeting, which a transport may end before its time.
    pub(super) fn patiently<T>(&self, mut step: impl FnMut(Duration) -> io::Result<T>) -> Result<T> {
        loop {
            match step(self.left()) {
                Err(e) if again(&e) && !self.left().is_zero() => {}
                done => return done.map_err(|e| self.fault(e, "greeting")),
            }
        }
    }

    /// The typed error for a step that failed, or took too long.
    pub(super) fn fault(&self, e: io::Error, what: &'static str) -> Error {
        if again(&e) { Error::Timeout { what, seconds: self.limit.as_secs() } } else { fault(e) }
    }
}

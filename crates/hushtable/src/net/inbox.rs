//! The receiving half of a connection: frames, and the patience to wait for them.

use super::frame::{HEADER, Header, PIECE};
use super::patience::Patience;
use super::transport::{Transport, again, fault};
use crate::error::{Ending, Error, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Read at once when only a header is wanted; larger payloads go straight to the caller.
const CHUNK: usize = 16 << 10;
/// Most bytes taken in while this party waits to send.
const AHEAD: usize = 32 << 20;
/// Longest time of taking in before there is a look whether the sending gets on: bytes may come for ever.
const TURN: Duration = Duration::from_secs(1);
/// Longest look for the farewell of a peer that hung up.
const FAREWELL: Duration = Duration::from_secs(1);

/// Receives frames, with deadlines.
pub(super) struct Inbox {
    transport: Arc<dyn Transport>,
    patience: Patience,
    /// Bytes read and not yet asked for: `ahead[start..end]`.
    ahead: Vec<u8>,
    start: usize,
    end: usize,
    /// The last byte of any kind, and the last that was not a heartbeat's.
    seen: Instant,
    progress: Instant,
    /// Of the message that has begun, if one has.
    begun: Option<Begun>,
    /// The peer said farewell: nothing follows.
    parted: bool,
}

/// A message of which a header is here.
#[derive(Clone, Copy)]
struct Begun {
    since: Instant,
    /// Longest wait for all of it: bytes that drip are no progress for ever.
    limit: Duration,
    /// Bytes after the last header.
    left: u32,
}

impl Inbox {
    pub(super) fn new(transport: Arc<dyn Transport>, patience: Patience) -> Self {
        let now = Instant::now();
        Inbox {
            transport,
            patience,
            ahead: vec![0; CHUNK],
            start: 0,
            end: 0,
            seen: now,
            progress: now,
            begun: None,
            parted: false,
        }
    }

    /// The header of the next frame that belongs to a message: bytes left, clock.
    pub(super) fn header(&mut self) -> Result<(u32, u32)> {
        self.seen = Instant::now();
        self.progress = self.seen;
        loop {
            if self.parted {
                return Err(Error::Closed);
            }
            let mut bytes = [0; HEADER];
            self.fill(&mut bytes, false)?;
            match Header::from_bytes(bytes) {
                Header::Data { left, clock } => {
                    let limit = self.patience.for_bytes(left as usize);
                    let begun = self.begun.get_or_insert(Begun { since: Instant::now(), limit, left });
                    begun.left = left;
                    return Ok((left, clock));
                }
                Header::Heartbeat => self.check_progress()?,
                Header::Bye(why) => {
                    self.parted = true;
                    return Err(why.map_or(Error::Closed, Error::Ended));
                }
                Header::Unknown => return Err(Error::Peer("an unknown control frame".into())),
            }
        }
    }

    /// The payload after a header.
    pub(super) fn payload(&mut self, out: &mut [u8]) -> Result<()> {
        self.progress = Instant::now();
        self.fill(out, true)?;
        if self.begun.is_some_and(|begun| begun.left as usize <= out.len()) {
            self.begun = None;
        }
        Ok(())
    }

    /// Why a peer that hung up did so, if it said: its last word, behind what is not wanted any more.
    pub(super) fn last_word(&mut self) -> Option<Ending> {
        (self.patience.timeout, self.patience.idle) = (FAREWELL, FAREWELL);
        let deadline = Instant::now() + FAREWELL;
        let mut unwanted = Vec::new();
        while Instant::now() < deadline {
            match self.header() {
                Ok((left, _)) => {
                    unwanted.resize(PIECE.min(left as usize), 0);
                    self.payload(&mut unwanted).ok()?;
                }
                Err(Error::Ended(why)) => return Some(why),
                Err(_) => return None,
            }
        }
        None
    }

    /// Reads what is there, up to bounds of size and time, while this party is stuck in sending: the peer's
    /// heartbeats tell whether it lives.
    pub(super) fn listen(&mut self) -> Result<()> {
        let begun = Instant::now();
        while self.end - self.start < AHEAD && begun.elapsed() < TURN {
            self.make_room();
            match self.transport.read(&mut self.ahead[self.end..], Duration::from_millis(1)) {
                Ok(0) => return Err(Error::Closed),
                Ok(n) => {
                    self.end += n;
                    self.seen = Instant::now();
                }
                Err(e) if again(&e) => return self.check_life(),
                Err(e) => return Err(fault(e)),
            }
        }
        Ok(())
    }

    /// Starts the wait for a sign of life that `listen` continues.
    pub(super) fn start_listening(&mut self) {
        self.seen = Instant::now();
    }

    /// Fills `out`. `progress`: the bytes are a message's.
    fn fill(&mut self, out: &mut [u8], progress: bool) -> Result<()> {
        let mut filled = 0;
        loop {
            let n = (out.len() - filled).min(self.end - self.start);
            out[filled..filled + n].copy_from_slice(&self.ahead[self.start..self.start + n]);
            self.start += n;
            filled += n;
            if filled == out.len() {
                return Ok(());
            }
            self.check_progress()?;
            // Here nothing is left ahead.
            (self.start, self.end) = (0, 0);
            if out.len() - filled >= CHUNK {
                filled += self.read(Some(&mut out[filled..]))?;
            } else {
                self.end = self.read(None)?;
            }
            if progress {
                self.progress = self.seen;
            }
        }
    }

    /// [`Error::Timeout`] if nothing shows that the peer lives.
    fn check_life(&self) -> Result<()> {
        check("sign of life", self.seen, self.patience.timing.silence)
    }

    /// [`Error::Timeout`] if the peer lives and the message does not come.
    fn check_progress(&self) -> Result<()> {
        let Some(Begun { since, limit, .. }) = self.begun else {
            return check("message", self.progress, self.patience.idle);
        };
        check("message", self.progress, self.patience.timeout)?;
        check("end of a message", since, limit)
    }

    /// Waits for some bytes and reads them into `out`, by default into `ahead`.
    fn read(&mut self, mut out: Option<&mut [u8]>) -> Result<usize> {
        if self.ahead.len() > CHUNK {
            self.ahead.truncate(CHUNK);
            self.ahead.shrink_to_fit();
        }
        let Patience { timeout, idle, timing, .. } = self.patience;
        let tick = (timing.silence.min(timeout).min(idle) / 8).max(Duration::from_millis(1));
        loop {
            let room = out.as_deref_mut().unwrap_or(&mut self.ahead[..]);
            match self.transport.read(room, tick) {
                Ok(0) => return Err(Error::Closed),
                Ok(n) => {
                    self.seen = Instant::now();
                    return Ok(n);
                }
                Err(e) if !again(&e) => return Err(fault(e)),
                Err(_) => {
                    self.check_life()?;
                    self.check_progress()?;
                }
            }
        }
    }

    /// Room for another chunk after `end`.
    fn make_room(&mut self) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.ahead.len() - self.end < CHUNK {
            self.ahead.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            let want = self.end + CHUNK.max(self.end);
            self.ahead.resize(self.ahead.len().max(want), 0);
        }
    }
}

fn check(what: &'static str, since: Instant, limit: Duration) -> Result<()> {
    if since.elapsed() < limit { Ok(()) } else { Err(Error::Timeout { what, seconds: limit.as_secs() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Timing;
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    /// A byte each millisecond, for five seconds and more.
    struct Drip(AtomicUsize);

    impl Transport for Drip {
        fn write(&self, _: &[u8], _: &[u8], _: Duration) -> io::Result<usize> {
            Err(io::ErrorKind::WouldBlock.into())
        }

        fn flush(&self, _: Duration) -> io::Result<()> {
            Ok(())
        }

        fn read(&self, _: &mut [u8], wait: Duration) -> io::Result<usize> {
            thread::park_timeout(wait);
            let more = self.0.fetch_add(1, Ordering::Relaxed) < 5000;
            if more { Ok(1) } else { Err(io::ErrorKind::ConnectionReset.into()) }
        }

        fn close(&self, _: Duration) {}
    }

    /// Bytes that never end leave time to look whether what this party sends gets on.
    #[test]
    fn who_listens_stops_after_a_time() {
        let timeout = Duration::from_secs(60);
        let patience = Patience { timeout, idle: timeout, slowest: 4e6, timing: Timing::default() };
        let mut inbox = Inbox::new(Arc::new(Drip(AtomicUsize::new(0))), patience);
        inbox.listen().unwrap();
        assert!(inbox.end > inbox.start);
    }
}

//! The sending half of a connection: a queue, and the thread that empties it.

mod parting;
mod shared;

pub(super) use parting::Parting;
pub use shared::Sent;

use super::frame::Frame;
use super::patience::Patience;
use super::shape::{LinkShape, Pace};
use super::transport::Transport;
use crate::error::{Error, Result};
use shared::{Shared, State, TICK};
use std::sync::{Arc, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A sender waits while more than this is queued.
const FULL: usize = 32 << 20;
/// Frames up to this size are written by the sender itself if the link is idle: waking the writer
/// would cost more than the write.
pub(crate) const DIRECT: usize = 32 << 10;
/// How long a direct write may take. After one that needs longer the link seems slow, and for a
/// pause everything goes through the writer, so that the sender computes while the link works. The
/// pause doubles each time.
const PROMPT: Duration = Duration::from_millis(1);
/// How long a writer may take to say that it wrote what a peer that hung up may have read.
const LAST_WORD: Duration = Duration::from_millis(500);
const PAUSES: [Duration; 2] = [Duration::from_millis(4), Duration::from_secs(1)];

/// Sends frames in order, without waiting for the peer.
pub(super) struct Outbox {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
    patience: Patience,
    direct: Option<Direct>,
}

/// Whether the sender may write itself: not on a shaped link.
struct Direct {
    from: Instant,
    pause: Duration,
}

impl Outbox {
    /// Starts the writer.
    pub(super) fn new(transport: Arc<dyn Transport>, shape: LinkShape, patience: Patience) -> Result<Self> {
        let shared = Arc::new(Shared::new(transport));
        let pace = Pace::new(shape);
        let direct = pace.is_none().then(|| Direct { from: Instant::now(), pause: PAUSES[0] });
        let for_writer = Arc::clone(&shared);
        let writer = thread::Builder::new()
            .name("hushtable-writer".into())
            .spawn(move || for_writer.work(pace, patience.timing.heartbeat))
            .map_err(Error::io("starting the writer thread"))?;
        Ok(Outbox { shared, writer: Some(writer), patience, direct })
    }

    /// Queues a frame. Waits only while [`FULL`]; `idle` is called now and then meanwhile.
    pub(super) fn post(&mut self, frame: Frame, idle: impl FnMut() -> Result<()>) -> Result<()> {
        let Some(frame) = self.write_directly(frame)? else { return Ok(()) };
        let mut state = self.drain(FULL, idle)?;
        state.queued += frame.left();
        state.queue.push_back((frame, Instant::now()));
        drop(state);
        self.shared.work.notify_one();
        Ok(())
    }

    /// Waits until everything queued has left; `idle` is called now and then meanwhile.
    pub(super) fn flush(&mut self, idle: impl FnMut() -> Result<()>) -> Result<()> {
        self.drain(0, idle).map(drop)
    }

    /// Writes `frame` if it is small and nothing is before it; hands it back if not. What the link does not take at once is
    /// queued.
    fn write_directly(&mut self, mut frame: Frame) -> Result<Option<Frame>> {
        let Some(direct) = self.direct.as_mut().filter(|_| frame.left() <= DIRECT) else {
            return Ok(Some(frame));
        };
        let start = Instant::now();
        {
            let mut state = self.shared.lock();
            state.check()?;
            if start < direct.from || !state.is_idle() {
                return Ok(Some(frame));
            }
            state.busy = true;
            state.queued += frame.left();
        }
        let outcome = self.shared.write(&mut frame, usize::MAX, PROMPT);
        let end = Instant::now();
        if end - start < PROMPT {
            direct.pause = PAUSES[0];
        } else {
            direct.from = end + direct.pause;
            direct.pause = PAUSES[1].min(direct.pause * 2);
        }
        self.shared.written_directly(frame, outcome)?;
        Ok(None)
    }

    /// The state, once at most `limit` bytes are queued.
    fn drain(&self, limit: usize, mut idle: impl FnMut() -> Result<()>) -> Result<MutexGuard<'_, State>> {
        let drained = |state: &State| state.queued <= limit && (limit > 0 || state.is_idle());
        let Patience { timeout, timing, .. } = self.patience;
        let stuck =
            |limit: Duration| Error::Timeout { what: "reading of our messages", seconds: limit.as_secs() };
        let mut state = self.shared.lock();
        let (mut written, mut since) = (self.shared.sent().bytes(), None);
        // A peer that takes a few bytes now and then is not reading either.
        let (begun, all) = (Instant::now(), self.patience.for_bytes(state.queued.saturating_sub(limit)));
        loop {
            state.check()?;
            if drained(&state) {
                return Ok(state);
            }
            let start = *since.get_or_insert_with(Instant::now);
            state = self.shared.wait(state, TICK.min(timing.silence / 4));
            if begun.elapsed() >= all && !drained(&state) {
                return Err(stuck(all));
            } else if self.shared.sent().bytes() != written {
                (written, since) = (self.shared.sent().bytes(), None);
            } else if start.elapsed() >= timeout {
                return Err(stuck(timeout));
            } else {
                drop(state);
                let heard = idle();
                state = self.shared.lock();
                // A peer may hang up once it has read everything, before the writer has said so.
                let end = Instant::now() + LAST_WORD;
                while heard.is_err() && !drained(&state) {
                    if state.failure.is_some() || Instant::now() >= end {
                        return heard.map(|()| state);
                    }
                    state = self.shared.wait(state, TICK);
                }
            }
        }
    }

    /// Leaves everything as it is. In a fork the writer never ran, and may hold the lock for ever.
    pub(super) fn abandon(&mut self) {
        std::mem::forget(self.writer.take());
    }

    /// A way to end from another thread.
    pub(super) fn parting(&self) -> Parting {
        Parting::new(&self.shared)
    }

    /// What has left.
    pub(super) fn sent(&self) -> Sent {
        self.shared.sent().clone()
    }

    /// Whether this party has said why it ends.
    pub(super) fn said_why(&self) -> bool {
        self.shared.lock().why.is_some()
    }

    /// Hangs up: at once if the connection is `dead` and there is nothing to say, else after the queue and a
    /// farewell.
    pub(super) fn hang_up(&mut self, dead: bool) {
        let Some(writer) = self.writer.take() else { return };
        let linger = if dead && !self.said_why() { Duration::ZERO } else { self.patience.timing.linger };
        self.shared.close(None);
        let said_all = self.shared.await_end(linger);
        self.shared.transport.close(if said_all { linger } else { Duration::ZERO });
        // Closing the transport ends a write under way; a writer that is stuck all the same must
        // not keep this thread.
        if self.shared.await_end(Duration::from_secs(1)) {
            let _ = writer.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Ending;
    use crate::net::Timing;
    use crate::net::frame::Header;
    use crate::net::memory::Memory;
    use std::io;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

    #[test]
    fn a_peer_that_takes_a_byte_now_and_then_does_not_read() {
        let (mine, theirs) = Memory::pair();
        let timeout = Duration::from_millis(500);
        let patience = Patience { timeout, idle: timeout, slowest: 4e6, timing: Timing::default() };
        let mut outbox = Outbox::new(Arc::new(mine), LinkShape::LOOPBACK, patience).unwrap();
        let (done, until_done) = channel::<()>();
        let start = Instant::now();
        let error = thread::scope(|scope| {
            scope.spawn(move || {
                while until_done.recv_timeout(Duration::from_millis(20)) == Err(RecvTimeoutError::Timeout)
                    && start.elapsed() < Duration::from_secs(120)
                {
                    let _ = theirs.read(&mut [0], Duration::from_millis(1));
                }
            });
            Frame::cut(vec![0; 2 << 20], 1).for_each(|frame| outbox.post(frame, || Ok(())).unwrap());
            let error = outbox.flush(|| Ok(())).unwrap_err();
            drop(done);
            let sent = outbox.sent();
            outbox.hang_up(true);
            // What nobody took has not left.
            assert!((1 << 19..2 << 20).contains(&sent.bytes()), "{}", sent.bytes());
            error
        });
        assert!(matches!(error, Error::Timeout { what: "reading of our messages", .. }), "{error}");
        // 0.5 s, and half a second for 2 MiB unless a busy machine keeps the reader from reading for 0.5 s.
        assert!((0.5..100.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
    }

    /// Takes three bytes, says so, and no more until it may; then all.
    struct Slow {
        took: Sender<()>,
        may: Mutex<Receiver<()>>,
        bytes: Mutex<Vec<u8>>,
    }

    impl Transport for Slow {
        fn write(&self, a: &[u8], b: &[u8], _: Duration) -> io::Result<usize> {
            let mut bytes = self.bytes.lock().unwrap();
            if bytes.len() == 3 && self.may.lock().unwrap().recv().is_ok() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let (most, before) = (if bytes.is_empty() { 3 } else { usize::MAX }, bytes.len());
            bytes.extend([a, b].concat().into_iter().take(most));
            let _ = self.took.send(());
            Ok(bytes.len() - before)
        }

        fn flush(&self, _: Duration) -> io::Result<()> {
            Ok(())
        }

        fn read(&self, _: &mut [u8], _: Duration) -> io::Result<usize> {
            Ok(0)
        }

        fn close(&self, _: Duration) {}
    }

    /// A farewell that another thread says while a sender writes by itself comes behind all of what it writes, and keeps
    /// nobody from the state.
    #[test]
    fn a_farewell_waits_for_who_is_writing() {
        let (took, until_it_took) = channel();
        let (go, may) = channel();
        let transport = Arc::new(Slow { took, may: Mutex::new(may), bytes: Mutex::default() });
        let long = Duration::from_secs(3600);
        let timing = Timing { heartbeat: long, ..Timing::default() };
        let patience = Patience { timeout: long, idle: long, slowest: 4e6, timing };
        let mut outbox = Outbox::new(Arc::clone(&transport) as _, LinkShape::LOOPBACK, patience).unwrap();
        let (shared, parting) = (Arc::clone(&outbox.shared), outbox.parting());
        let frame = || Frame::cut(vec![5; 100], 1).next().unwrap();
        let sender = thread::spawn(move || (outbox.post(frame(), || Ok(())), outbox));
        until_it_took.recv().unwrap();
        let (done, until_done) = channel();
        thread::spawn(move || {
            parting.end(Ending::Local);
            // Time in which the writer looks at the state and finds that it is not its turn.
            (0..3).for_each(|_| drop(shared.wait(shared.lock(), TICK)));
            go.send(()).unwrap();
            drop(go);
            let _ = done.send(shared.await_end(Duration::from_secs(5)));
        });
        assert_eq!(until_done.recv_timeout(Duration::from_secs(60)), Ok(true));
        let (posted, outbox) = sender.join().unwrap();
        posted.unwrap();
        drop(outbox);
        let frame = frame();
        let (header, payload) = frame.next(usize::MAX);
        let bye = Header::Bye(Some(Ending::Local)).to_bytes();
        assert_eq!(*transport.bytes.lock().unwrap(), [header, payload, &bye].concat());
    }
}

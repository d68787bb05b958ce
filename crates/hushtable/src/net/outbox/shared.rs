//! What is queued, and the thread that writes it.

use crate::error::{Ending, Error, Result};
use crate::net::frame::{Frame, HEADER, Header};
use crate::net::shape::Pace;
use crate::net::transport::{Transport, again, fault};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The writer looks for an end of the session this often while the link is stuck.
pub(super) const TICK: Duration = Duration::from_millis(100);
/// A dropped connection's queue gets this long altogether.
const PARTING: Duration = Duration::from_secs(6);

/// What a sender and its writer share.
pub(super) struct Shared {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) state: Mutex<State>,
    /// Something to do for the writer.
    pub(super) work: Condvar,
    /// Something done, for the sender.
    pub(super) progress: Condvar,
    written: Sent,
}

/// Bytes that have left a connection, whether it still stands or not: those that the system took, framing and heartbeats
/// included, and not what TLS adds.
#[derive(Clone, Default)]
pub struct Sent(Arc<AtomicU64>);

impl Sent {
    /// So many by now.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) queue: VecDeque<(Frame, Instant)>,
    /// Bytes taken and not yet written.
    pub(super) queued: usize,
    /// Somebody is inside `transport.write`.
    pub(super) busy: bool,
    pub(super) closing: bool,
    /// What the farewell says.
    pub(super) why: Option<Ending>,
    pub(super) ended: bool,
    pub(super) failure: Option<ErrorKind>,
}

impl State {
    /// Nothing is queued or being written.
    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty() && !self.busy
    }

    /// An error once nothing more can be sent.
    pub(super) fn check(&self) -> Result<()> {
        if self.closing {
            return Err(Error::Closed);
        }
        self.failure.map_or(Ok(()), |kind| Err(fault(kind.into())))
    }
}

/// What the writer does next.
enum LookupJob {
    Frame(Frame, Instant),
    Control(Header),
}

impl Shared {
    pub(super) fn new(transport: Arc<dyn Transport>) -> Self {
        let (state, written) = Default::default();
        Shared { transport, state, work: Condvar::new(), progress: Condvar::new(), written }
    }

    /// What has been written.
    pub(super) fn sent(&self) -> &Sent {
        &self.written
    }

    /// The state.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while the lock is held")
    }

    /// The state after some progress, or after that time.
    pub(super) fn wait<'a>(&self, state: MutexGuard<'a, State>, at_most: Duration) -> MutexGuard<'a, State> {
        self.progress.wait_timeout(state, at_most).expect("no panic while the lock is held").0
    }

    /// The writer thread.
    pub(super) fn work(&self, mut pace: Option<Pace>, heartbeat: Duration) {
        loop {
            let (outcome, last) = match self.next_job(heartbeat) {
                LookupJob::Frame(frame, sent) => (self.carry(frame, sent, &mut pace), false),
                LookupJob::Control(header) => {
                    let last = matches!(header, Header::Bye(_));
                    (self.write_all(&mut Frame::control(header), HEADER), last)
                }
            };
            let mut state = self.lock();
            state.busy = false;
            state.failure = outcome.err().map(|e| e.kind());
            state.ended = last || state.failure.is_some();
            let ended = state.ended;
            drop(state);
            self.progress.notify_all();
            if ended {
                return;
            }
        }
    }

    fn next_job(&self, heartbeat: Duration) -> LookupJob {
        let mut state = self.lock();
        loop {
            // While the sender writes by itself, this thread waits for it too, without the lock: somebody may say farewell
            // meanwhile.
            state = self
                .work
                .wait_timeout_while(state, heartbeat, |s| s.busy || s.queue.is_empty() && !s.closing)
                .expect("no panic while the lock is held")
                .0;
            if state.busy {
                continue;
            }
            state.busy = true;
            if let Some((frame, sent)) = state.queue.pop_front() {
                return LookupJob::Frame(frame, sent);
            }
            state.queued += HEADER;
            return LookupJob::Control(if state.closing {
                Header::Bye(state.why)
            } else {
                Header::Heartbeat
            });
        }
    }

    /// Writes a frame, at the pace of the link.
    fn carry(&self, mut frame: Frame, sent: Instant, pace: &mut Option<Pace>) -> io::Result<()> {
        let Some(pace) = pace else { return self.write_all(&mut frame, usize::MAX) };
        while frame.left() > 0 {
            let n = frame.left().min(pace.grain());
            pace.carry(n, sent, n == frame.left());
            self.write_all(&mut frame, n)?;
        }
        Ok(())
    }

    /// Writes the next `n` bytes of a frame, however long it takes.
    fn write_all(&self, frame: &mut Frame, n: usize) -> io::Result<()> {
        let end = frame.left().saturating_sub(n);
        loop {
            match self.write(frame, frame.left() - end, TICK) {
                Ok(()) => return Ok(()),
                Err(e) if again(&e) => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Writes the next `n` bytes of a frame, as far as the link takes them without waiting longer
    /// than `wait` at a time.
    pub(super) fn write(&self, frame: &mut Frame, n: usize, wait: Duration) -> io::Result<()> {
        let end = frame.left() - n.min(frame.left());
        while frame.left() > end {
            let (a, b) = frame.next(frame.left() - end);
            let n = self.transport.write(a, b, wait)?;
            frame.advance(n);
            let mut state = self.lock();
            self.written.0.fetch_add(n as u64, Ordering::Relaxed);
            state.queued -= n;
            drop(state);
            self.progress.notify_all();
        }
        self.transport.flush(wait)
    }

    /// What became of a frame that its sender wrote by itself. The rest of one that the link did not take is the writer's,
    /// also if somebody said farewell meanwhile: the peer would take that for bytes of the frame.
    pub(super) fn written_directly(&self, frame: Frame, outcome: io::Result<()>) -> Result<()> {
        let mut state = self.lock();
        state.busy = false;
        let outcome = match outcome {
            // It goes first: only this thread adds to the queue, and that was empty.
            Err(e) if again(&e) => {
                state.queue.push_back((frame, Instant::now()));
                Ok(())
            }
            Err(e) => {
                state.queued -= frame.left();
                state.failure = Some(e.kind());
                Err(fault(e))
            }
            Ok(()) => Ok(()),
        };
        let due = state.closing || !state.queue.is_empty();
        drop(state);
        if due {
            self.work.notify_one();
        }
        outcome
    }

    /// Lets the writer end behind what is queued, with a farewell.
    pub(super) fn close(&self, why: Option<Ending>) {
        let mut state = self.lock();
        state.why = state.why.or(why);
        state.closing = true;
        drop(state);
        self.work.notify_one();
        self.progress.notify_all();
    }

    /// Waits until the writer has ended, as long as it makes progress. `false`: it has not.
    pub(super) fn await_end(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + PARTING;
        let mut state = self.lock();
        let (mut written, mut since) = (self.written.bytes(), Instant::now());
        while !state.ended && since.elapsed() < patience && Instant::now() < deadline {
            state = self.wait(state, TICK.min(patience));
            let by_now = self.written.bytes();
            if by_now != written {
                (written, since) = (by_now, Instant::now());
            }
        }
        state.ended
    }
}

//! A connection inside one process.

use super::transport::Transport;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// A writer waits when this many bytes are unread.
const CAPACITY: usize = 1 << 20;

/// Most bytes copied while the pipe is locked, so that reader and writer work at the same time.
const PIECE: usize = 1 << 16;

/// One end of a pair of pipes.
pub(super) struct Memory {
    out: Arc<Pipe>,
    incoming: Arc<Pipe>,
}

impl Memory {
    /// Two ends, connected to each other.
    pub(super) fn pair() -> (Memory, Memory) {
        let (a, b) = (Arc::new(Pipe::default()), Arc::new(Pipe::default()));
        (Memory { out: Arc::clone(&a), incoming: Arc::clone(&b) }, Memory { out: b, incoming: a })
    }
}

impl Transport for Memory {
    fn write(&self, a: &[u8], b: &[u8], wait: Duration) -> io::Result<usize> {
        let mut pipe = self.out.when(wait, |pipe| pipe.bytes.len() < CAPACITY)?;
        if pipe.closed {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let room = PIECE.min(CAPACITY - pipe.bytes.len());
        let a = &a[..a.len().min(room)];
        let b = &b[..b.len().min(room - a.len())];
        pipe.bytes.extend(a);
        pipe.bytes.extend(b);
        self.out.changed.notify_one();
        Ok(a.len() + b.len())
    }

    fn flush(&self, _: Duration) -> io::Result<()> {
        Ok(())
    }

    fn read(&self, buf: &mut [u8], wait: Duration) -> io::Result<usize> {
        let mut pipe = self.incoming.when(wait, |pipe| !pipe.bytes.is_empty())?;
        let most = buf.len().min(PIECE);
        let n = io::Read::read(&mut pipe.bytes, &mut buf[..most])?;
        self.incoming.changed.notify_one();
        Ok(n)
    }

    fn close(&self, _: Duration) {
        for pipe in [&self.out, &self.incoming] {
            pipe.lock().closed = true;
            pipe.changed.notify_all();
        }
    }
}

/// Bytes in one direction. Its one reader and one writer never wait at the same time.
#[derive(Default)]
struct Pipe {
    state: Mutex<PipeState>,
    changed: Condvar,
}

#[derive(Default)]
struct PipeState {
    bytes: VecDeque<u8>,
    closed: bool,
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, PipeState> {
        self.state.lock().expect("no panic while the lock is held")
    }

    /// The state, as soon as it is `ready` or closed.
    fn when(
        &self,
        wait: Duration,
        ready: impl Fn(&PipeState) -> bool,
    ) -> io::Result<MutexGuard<'_, PipeState>> {
        let (state, timeout) = self
            .changed
            .wait_timeout_while(self.lock(), wait, |state| !ready(state) && !state.closed)
            .expect("no panic while the lock is held");
        if timeout.timed_out() { Err(ErrorKind::WouldBlock.into()) } else { Ok(state) }
    }
}

//! How another thread ends a session.

use super::transport::Transport;
use crate::process::Process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Whether a thread of this party hung up.
#[derive(Default)]
pub(super) struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    pub(super) fn is(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// What hangs up.
    pub(super) fn hang_up(&self, transport: Arc<dyn Transport>, process: Process) -> HangUp {
        HangUp { transport, process, cancelled: Arc::clone(&self.0) }
    }
}

/// Ends a session from another thread: what waits for the peer there ends with
/// [`Error::Cancelled`](crate::Error::Cancelled), what waits at the peer with [`Error::Closed`](crate::Error::Closed).
#[derive(Clone)]
pub struct HangUp {
    transport: Arc<dyn Transport>,
    process: Process,
    cancelled: Arc<AtomicBool>,
}

impl HangUp {
    /// Hangs up, without waiting for what is on its way. Not in a fork of the session's process.
    pub fn now(&self) {
        if self.process.is_current() {
            self.cancelled.store(true, Ordering::Relaxed);
            self.transport.close(Duration::ZERO);
        }
    }
}

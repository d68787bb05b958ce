//! The end of a connection, brought about by another thread than the one that works with it.

use super::shared::Shared;
use crate::error::Ending;
use crate::process::Process;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Ends a connection from another thread; does nothing in a fork of its process.
#[derive(Clone)]
pub(in crate::net) struct Parting(Weak<Shared>, Process);

impl Parting {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self(Arc::downgrade(shared), Process::current())
    }

    /// Says farewell behind what is queued. Nothing can be sent any more.
    pub(in crate::net) fn end(&self, why: Ending) {
        if let Some(shared) = self.shared() {
            shared.close(Some(why));
        }
    }

    /// Waits until the farewell is with the peer, at most about `limit`, and hangs up.
    pub(in crate::net) fn wait(&self, limit: Duration) {
        if let Some(shared) = self.shared() {
            let start = Instant::now();
            shared.await_end(limit);
            shared.transport.close(limit.saturating_sub(start.elapsed()));
        }
    }

    /// Whether the connection is still there.
    pub(in crate::net) fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }

    fn shared(&self) -> Option<Arc<Shared>> {
        self.0.upgrade().filter(|_| self.1.is_current())
    }
}

impl fmt::Debug for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parting")
    }
}

//! A farewell: what a party that must end tells its peer, so that nobody waits for it in vain.
//!
//! It is one of a few codes. Text could carry names of files or numbers.

use super::outbox::Parting;
use crate::error::Ending;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The way to say farewell on all connections that were made with it in their
/// [`Options`](super::Options), their lanes included; from any thread.
#[derive(Clone, Debug, Default)]
pub struct Farewell {
    state: Arc<Mutex<State>>,
    /// What is said there reaches these connections too; not the reverse.
    above: Option<Arc<Mutex<State>>>,
}

#[derive(Debug, Default)]
struct State {
    said: Option<Ending>,
    connections: Vec<Parting>,
}

impl Farewell {
    /// Ends all connections: nothing more can be sent, and behind what was sent before the peer finds `ending`.
    /// So does whoever connects from now on. What was said first counts.
    pub fn say(&self, ending: Ending) {
        let mut state = lock(&self.state);
        let ending = *state.said.get_or_insert(ending);
        state.connections.iter().for_each(|connection| connection.end(ending));
    }

    /// After [`say`](Self::say), for a process that is about to end: waits until the peers have it, at most
    /// `limit`.
    pub fn wait(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let connections = lock(&self.state).connections.clone();
        for connection in connections {
            connection.wait(deadline.saturating_duration_since(Instant::now()));
        }
    }

    /// One for a session among others: what it says ends that session only. What this one says ends that one too.
    pub(super) fn of_one(&self) -> Self {
        Farewell { state: Arc::default(), above: Some(Arc::clone(&self.state)) }
    }

    /// Takes in a connection.
    pub(super) fn add(&self, connection: &Parting) {
        for state in [Some(&self.state), self.above.as_ref()].into_iter().flatten() {
            let mut state = lock(state);
            state.connections.retain(Parting::is_open);
            if let Some(ending) = state.said {
                connection.end(ending);
            }
            state.connections.push(connection.clone());
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().expect("no panic while the lock is held")
}

//! What happens as events of the crate `tracing`, with the feature of that name.

use super::{Phase, Step, Watch};
use crate::net::Log;

/// Tells events with the target `hushtable::run` what a run does, and then another one who watches.
pub struct Traced<'a>(pub &'a dyn Watch);

impl Watch for Traced<'_> {
    fn begins(&self, items: usize) {
        self.0.begins(items);
    }

    fn done(&self, items: usize) {
        tracing::debug!(target: "hushtable::run", items, "done");
        self.0.done(items);
    }

    fn took(&self, step: Step, phase: Phase) {
        let Phase { seconds, sent, received, rounds } = phase;
        let step_name = match step {
            Step::Offline => "offline",
            Step::Online => "online",
        };
        tracing::debug!(target: "hushtable::run", phase = step_name, seconds, sent, received, rounds, "took");
        self.0.took(step, phase);
    }
}

impl Log {
    /// One whose lines are events with the target `hushtable::net`: who was turned away, and that a party calls again.
    pub fn traced() -> Self {
        Self::new(|line| tracing::info!(target: "hushtable::net", "{line}"))
    }
}

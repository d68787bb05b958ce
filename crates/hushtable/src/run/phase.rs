//! What a phase took.

use std::time::Instant;

use crate::{error::Result, net::Cost, party::Party};

/// Time, bytes and rounds of a phase at one party.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phase {
    /// Wall-clock time.
    pub seconds: f64,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// Messages that depended on one another.
    pub rounds: u64,
}

impl Phase {
    /// Runs `f` and measures it. What the session did before does not count.
    ///
    /// # Errors
    /// Those of `f`.
    pub fn of<T>(p: &mut Party, f: impl FnOnce(&mut Party) -> Result<T>) -> Result<(T, Self)> {
        let start = Instant::now();
        let (out, cost) = p.metered(f)?;
        Ok((out, Self::new(start, cost)))
    }

    /// A phase that began at `start` and cost `cost`.
    pub fn new(start: Instant, cost: Cost) -> Self {
        let Cost { sent, received, rounds } = cost;
        Self { seconds: start.elapsed().as_secs_f64(), sent, received, rounds: rounds.into() }
    }

    /// This phase and then `next`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self { seconds: self.seconds + next.seconds, rounds: self.rounds + next.rounds, ..self.sum(next) }
    }

    /// This phase and `other` at the same time.
    #[must_use]
    pub fn beside(self, other: Self) -> Self {
        let (seconds, rounds) = (self.seconds.max(other.seconds), self.rounds.max(other.rounds));
        Self { seconds, rounds, ..self.sum(other) }
    }

    fn sum(self, other: Self) -> Self {
        Self { sent: self.sent + other.sent, received: self.received + other.received, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up() {
        let a = Phase { seconds: 1.0, sent: 10, received: 20, rounds: 2 };
        let b = Phase { seconds: 3.0, sent: 1, received: 2, rounds: 1 };
        assert_eq!(a.then(b), Phase { seconds: 4.0, sent: 11, received: 22, rounds: 3 });
        assert_eq!(a.beside(b), Phase { seconds: 3.0, sent: 11, received: 22, rounds: 2 });
    }
}

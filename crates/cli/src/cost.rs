//! What a phase of a session took, and how it is printed.

use std::{fmt::Write as _, time::Instant};

use hushtable::{Error, Party, Role, net::Cost};
use serde::{Deserialize, Serialize};

/// Time, bytes and rounds of one phase at one party.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Phase {
    /// On this party's clock.
    pub seconds: f64,
    /// Bytes to the peer.
    pub sent: u64,
    /// Bytes from the peer.
    pub received: u64,
    /// As defined in `docs/notation.md`.
    pub rounds: u64,
}

/// A phase as reported: bytes are `[sent by P0, sent by P1]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// At the party that reports.
    pub seconds: f64,
    /// By who sent them.
    pub bytes: [u64; 2],
    /// As in [`Phase`].
    pub rounds: u64,
}

impl Phase {
    /// Runs `f` and measures it. What the session did before does not count.
    pub fn of<T>(p: &mut Party, f: impl FnOnce(&mut Party) -> Result<T, Error>) -> Result<(T, Self), Error> {
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
    pub fn then(self, next: Self) -> Self {
        Self { seconds: self.seconds + next.seconds, rounds: self.rounds + next.rounds, ..self.sum(next) }
    }

    /// This phase and `other` at the same time.
    pub fn beside(self, other: Self) -> Self {
        let (seconds, rounds) = (self.seconds.max(other.seconds), self.rounds.max(other.rounds));
        Self { seconds, rounds, ..self.sum(other) }
    }

    fn sum(self, other: Self) -> Self {
        Self { sent: self.sent + other.sent, received: self.received + other.received, ..self }
    }

    /// As reported by the party `role`.
    pub fn figures(self, role: Role) -> Figures {
        let bytes = match role {
            Role::P0 => [self.sent, self.received],
            Role::P1 => [self.received, self.sent],
        };
        Figures { seconds: self.seconds, bytes, rounds: self.rounds }
    }
}

/// The three phases of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Connecting, handshake, base OTs, start of the OT extension.
    pub setup: Figures,
    /// The rest that needs no input.
    pub offline: Figures,
    /// What needs the inputs.
    pub online: Figures,
}

impl Phases {
    /// A table for people, one line a phase.
    pub fn table(&self) -> String {
        let mut out =
            format!("{:10}{:>12}{:>14}{:>14}{:>9}\n", "phase", "time", "P0 sent", "P1 sent", "rounds");
        for (name, phase) in [("set-up", &self.setup), ("offline", &self.offline), ("online", &self.online)] {
            let [p0, p1] = phase.bytes.map(bytes);
            let time = time(phase.seconds);
            writeln!(out, "{name:10}{time:>12}{p0:>14}{p1:>14}{:>9}", phase.rounds).expect("text grows");
        }
        out
    }
}

/// Seconds in the unit that suits them.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.1} us", s * 1e6),
    }
}

/// Bytes in the unit that suits them; 1 kB = 1000 B.
pub fn bytes(count: u64) -> String {
    match count {
        n if n >= 1_000_000 => format!("{:.2} MB", n as f64 / 1e6),
        n if n >= 1000 => format!("{:.2} kB", n as f64 / 1e3),
        n => format!("{n} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up() {
        let a = Phase { seconds: 1.0, sent: 10, received: 20, rounds: 2 };
        let b = Phase { seconds: 3.0, sent: 1, received: 2, rounds: 1 };
        let f = a.then(b).figures(Role::P1);
        assert_eq!(f, Figures { seconds: 4.0, bytes: [22, 11], rounds: 3 });
        let f = a.beside(b).figures(Role::P0);
        assert_eq!(f, Figures { seconds: 3.0, bytes: [11, 22], rounds: 2 });
    }

    #[test]
    fn units() {
        assert_eq!([time(2.0), time(0.0123), time(4.5e-6)], ["2.00 s", "12.3 ms", "4.5 us"]);
        assert_eq!([bytes(999), bytes(1500), bytes(2_500_000)], ["999 B", "1.50 kB", "2.50 MB"]);
    }
}

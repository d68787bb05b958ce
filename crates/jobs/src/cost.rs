//! What a phase of a session took, and how it is printed.

use std::fmt::Write as _;

use hushtable::Role;
use hushtable_columns::{
    manner::is_verbose,
    units::{bytes, time},
};
use serde::{Deserialize, Serialize};

pub use hushtable::run::Phase;

/// A phase as reported: bytes are `[sent by P0, sent by P1]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// At the party that reports.
    pub seconds: f64,
    /// By who sent them.
    pub bytes: [u64; 2],
    /// As in [`Phase`].
    pub rounds: u64,
}

impl Figures {
    /// A phase as the party `role` reports it.
    pub fn of(role: Role, phase: Phase) -> Self {
        let Phase { seconds, sent, received, rounds } = phase;
        let bytes = match role {
            Role::P0 => [sent, received],
            Role::P1 => [received, sent],
        };
        Self { seconds, bytes, rounds }
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
    /// As the party `role` reports them.
    pub fn of(role: Role, setup: Phase, offline: Phase, online: Phase) -> Self {
        let [setup, offline, online] = [setup, offline, online].map(|phase| Figures::of(role, phase));
        Self { setup, offline, online }
    }

    /// Says on the terminal what they took: all together, or each if more is to be said.
    pub fn tell(&self) {
        let all = [self.setup, self.offline, self.online];
        let seconds = all.iter().map(|phase| phase.seconds).sum();
        let sent = |party: usize| bytes(all.iter().map(|phase| phase.bytes[party]).sum());
        match is_verbose() {
            true => eprint!("{}", self.table()),
            false => eprintln!("took {}; P0 sent {}, P1 {}", time(seconds), sent(0), sent(1)),
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up() {
        let a = Phase { seconds: 1.0, sent: 10, received: 20, rounds: 2 };
        let b = Phase { seconds: 3.0, sent: 1, received: 2, rounds: 1 };
        let f = Figures::of(Role::P1, a.then(b));
        assert_eq!(f, Figures { seconds: 4.0, bytes: [22, 11], rounds: 3 });
        let f = Figures::of(Role::P0, a.beside(b));
        assert_eq!(f, Figures { seconds: 3.0, bytes: [11, 22], rounds: 2 });
    }
}

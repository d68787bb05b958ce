//! What a protocol costs, exactly: its bill.
//!
//! A primitive writes its bill once, beside its Cost heading; a composite adds up those of its parts in the order
//! in which it runs them. Tests compare bills with what is measured. A bill leaves out framing, keys that a session makes once,
//! and the messages of the OT extension: it counts the correlated OTs instead.

mod effort;
mod once;
mod prices;
mod rule;
mod work;

use std::ops::Add;

pub use effort::Effort;
pub use once::Once;
pub use prices::Prices;
pub use rule::NEARLY;
pub(crate) use rule::Weight;
pub(crate) use work::Work;

use crate::{net::Role, terms::Value};

/// What a batch costs, or one item of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bill {
    /// Correlated OTs in which P0 is the sender, and in which P1 is.
    pub cots: [u64; 2],
    /// Before the inputs are there.
    pub offline: Phase,
    /// From then on.
    pub online: Phase,
    /// Bits of material that a party holds between the phases, at most.
    pub kept: u64,
}

/// What a choice makes least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Objective {
    /// Time, of all phases together.
    Total,
    /// Time from the inputs to the results, and a small share of the time before.
    Online,
    /// Bytes of all phases, both directions.
    Bytes,
    /// Rounds from the inputs to the results.
    Rounds,
    /// Dollars of both parties, at the [prices](Prices) of each.
    Money,
}

impl Objective {
    /// All of them, in the order of their numbers in messages, from 1 on.
    pub const ALL: [Self; 5] = [Self::Total, Self::Online, Self::Bytes, Self::Rounds, Self::Money];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Online => "online",
            Self::Bytes => "bytes",
            Self::Rounds => "rounds",
            Self::Money => "money",
        }
    }

    /// What a form is chosen for by counts alone, where prices are not known: bytes cost more than cores do.
    pub(crate) fn by_counts(self) -> Self {
        if self == Self::Money { Self::Bytes } else { self }
    }

    /// Its number in messages; 0 for none.
    pub(crate) fn number(objective: Option<Self>) -> u8 {
        let place = Self::ALL.iter().position(|&known| Some(known) == objective);
        place.map_or(0, |place| place as u8 + 1)
    }

    /// What such a number stands for, if it is known.
    pub(crate) fn of_number(number: u8) -> Option<Option<Self>> {
        match usize::from(number).checked_sub(1) {
            None => Some(None),
            Some(place) => Self::ALL.get(place).map(|&known| Some(known)),
        }
    }
}

impl From<Objective> for Value {
    fn from(objective: Objective) -> Self {
        objective.name().into()
    }
}

/// The messages of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Phase {
    /// Bits that P0 sends, and that P1 does. Each message is filled up to whole bytes, which is not counted.
    pub bits: [u64; 2],
    /// Messages that depend on one another.
    pub rounds: u32,
}

impl Bill {
    /// Nothing.
    pub const FREE: Self = Self {
        cots: [0; 2],
        offline: Phase { bits: [0; 2], rounds: 0 },
        online: Phase { bits: [0; 2], rounds: 0 },
        kept: 0,
    };

    /// Correlated OTs alone, P0 being the sender of the first number and P1 of the second.
    pub fn of_cots(cots: [u64; 2]) -> Self {
        Self { cots, ..Self::FREE }
    }

    /// Bits that each party sends online in one round.
    pub fn opening(bits: u64) -> Self {
        Self { online: Phase { bits: [bits; 2], rounds: 1 }, ..Self::FREE }
    }

    /// Of this and of what follows it. Rounds add up; offline, where one party alone sends in the one and in the
    /// other, it need not wait between them, and they are fewer.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        self.joined(next, |a, b| a + b)
    }

    /// Of this and of what runs in the same rounds.
    #[must_use]
    pub fn beside(self, other: Self) -> Self {
        self.joined(other, u32::max)
    }

    /// Of a batch of so many: rounds stay.
    #[must_use]
    pub fn times(self, count: usize) -> Self {
        let count = count as u64;
        let phase = |p: Phase| match count {
            0 => Phase::default(),
            _ => Phase { bits: p.bits.map(|b| count.saturating_mul(b)), rounds: p.rounds },
        };
        Self {
            cots: self.cots.map(|c| count.saturating_mul(c)),
            offline: phase(self.offline),
            online: phase(self.online),
            kept: count.saturating_mul(self.kept),
        }
    }

    /// Of so many batches, one after the other: rounds add up.
    #[must_use]
    pub fn repeated(self, times: usize) -> Self {
        let mut all = self.times(times);
        let rounds = |rounds: u32| u32::try_from(u64::from(rounds) * times as u64).unwrap_or(u32::MAX);
        all.offline.rounds = rounds(self.offline.rounds);
        all.online.rounds = rounds(self.online.rounds);
        all
    }

    /// Of a batch in which the parties' parts are exchanged in the second half, which is the smaller one.
    #[must_use]
    pub fn alternating(self, count: usize) -> Self {
        self.times(count.div_ceil(2)).beside(self.swapped().times(count / 2))
    }

    /// The same with so many bits of material.
    #[must_use]
    pub fn keeping(self, kept: u64) -> Self {
        Self { kept, ..self }
    }

    /// The same with the parties' parts exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        let [a, b] = self.cots;
        Self { cots: [b, a], offline: self.offline.swapped(), online: self.online.swapped(), ..self }
    }

    /// The same, both phases offline, with nothing kept.
    #[must_use]
    pub fn all_offline(self) -> Self {
        let bits = [0, 1].map(|p| self.offline.bits[p] + self.online.bits[p]);
        let offline = Phase { bits, rounds: self.offline.rounds + self.online.rounds };
        Self { offline, ..Self::of_cots(self.cots) }
    }

    /// Correlated OTs, `(as sender, as receiver)`, that the party `role` takes.
    pub fn cots_of(&self, role: Role) -> (usize, usize) {
        (self.cots[role as usize] as usize, self.cots[role.peer() as usize] as usize)
    }

    /// Correlated OTs of both directions.
    pub fn all_cots(&self) -> u64 {
        self.cots[0].saturating_add(self.cots[1])
    }

    /// Bytes of both parties and phases, a correlated OT counting as a bit.
    pub fn bytes(&self) -> f64 {
        (self.all_cots() as f64 + self.offline.all_bits() as f64 + self.online.all_bits() as f64) / 8.0
    }

    fn joined(self, other: Self, rounds: impl Fn(u32, u32) -> u32) -> Self {
        let both = |a: [u64; 2], b: [u64; 2]| [a[0].saturating_add(b[0]), a[1].saturating_add(b[1])];
        let phase =
            |a: Phase, b: Phase| Phase { bits: both(a.bits, b.bits), rounds: rounds(a.rounds, b.rounds) };
        Self {
            cots: both(self.cots, other.cots),
            offline: phase(self.offline, other.offline),
            online: phase(self.online, other.online),
            kept: self.kept.saturating_add(other.kept),
        }
    }
}

impl Phase {
    /// Bits of both parties.
    pub fn all_bits(&self) -> u64 {
        self.bits[0].saturating_add(self.bits[1])
    }

    fn swapped(self) -> Self {
        let [a, b] = self.bits;
        Self { bits: [b, a], ..self }
    }
}

/// What a party waits for, in the order of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Correlated OTs are drawn, in which P0 is the sender, and in which P1 is.
    Cots([u64; 2]),
    /// Rounds in which these parties send: P0, P1.
    Rounds([bool; 2], u32),
}

impl Step {
    /// Rounds in which both parties send.
    pub(crate) fn both(rounds: u32) -> Self {
        Self::Rounds([true; 2], rounds)
    }

    /// All correlated OTs of a bill, and then its offline rounds.
    pub(crate) fn of(bill: &Bill) -> Vec<Self> {
        vec![Self::Cots(bill.cots), Self::both(bill.offline.rounds)]
    }
}

/// One after the other: [`Bill::then`].
impl Add for Bill {
    type Output = Self;

    fn add(self, next: Self) -> Self {
        self.then(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bills_add_up() {
        let phase = |bits, rounds| Phase { bits, rounds };
        let a = Bill { cots: [1, 2], offline: phase([3, 4], 1), online: phase([5, 6], 2), kept: 7 };
        let b = Bill { cots: [10, 20], offline: phase([0, 0], 0), online: phase([1, 1], 3), kept: 1 };
        let sum = Bill { cots: [11, 22], offline: phase([3, 4], 1), online: phase([6, 7], 5), kept: 8 };
        assert_eq!(a + b, sum);
        assert_eq!(a.beside(b), Bill { online: phase([6, 7], 3), ..sum });
        assert_eq!(a.times(3).online, phase([15, 18], 2));
        assert_eq!((a.times(0), a.repeated(0)), (Bill::FREE, Bill::FREE));
        assert_eq!(a.repeated(3), a + a + a);
        assert_eq!((a.cots_of(Role::P0), a.cots_of(Role::P1)), ((1, 2), (2, 1)));
        assert_eq!(a.swapped().online.bits, [6, 5]);
    }
}

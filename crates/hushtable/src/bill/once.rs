//! What a session sends once.

use std::{collections::BTreeMap, fmt::Display};

use super::{Bill, Phase};

/// What is sent once and serves any number of batches, by its public terms: the keys that a session keeps. Parts that need the
/// same have it together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Once(BTreeMap<String, [u64; 2]>);

impl Once {
    /// One thing, of which P0 and P1 send so many bits.
    pub fn of(what: impl Display, bits: [u64; 2]) -> Self {
        Self(BTreeMap::from([(what.to_string(), bits)]))
    }

    /// This and what the other one has beside it.
    ///
    /// # Panics
    /// If both have the same with other bits.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (what, bits) in other.0 {
            let before = *self.0.entry(what).or_insert(bits);
            assert_eq!(before, bits, "what is sent once has one size");
        }
        self
    }

    /// What it costs, before the first batch: at least a round of each party that sends. They take turns where their keys are not
    /// made one after the other.
    pub fn bill(&self) -> Bill {
        let bits = [0, 1].map(|party| self.0.values().map(|bits| bits[party]).sum());
        let rounds = bits.iter().filter(|bits: &&u64| **bits > 0).count() as u32;
        Bill { offline: Phase { bits, rounds }, ..Bill::FREE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parts_share_counts_once() {
        let (key, other) = (Once::of("key; primes 4", [8, 0]), Once::of("key; primes 5", [16, 0]));
        let both = key.clone().and(other.clone()).and(key.clone());
        assert_eq!(both.bill().offline, Phase { bits: [24, 0], rounds: 1 });
        assert_eq!(
            both.and(Once::of("key of P1", [0, 3])).bill().offline,
            Phase { bits: [24, 3], rounds: 2 }
        );
        assert_eq!(Once::default().bill(), Bill::FREE);
    }
}

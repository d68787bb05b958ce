//! Ids of the two parties, half of the smaller set in common, in different orders. Public, for measurements only.

use std::sync::Mutex;

use apps::ids::{Rules, Set};
use clap::Args;
use hushtable::Role;
use hushtable_columns::{failure::Result, memory::fits};
use hushtable_jobs::count::batch;
use serde::{Deserialize, Serialize};

/// How many rows the parties have.
#[derive(Args, Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Rows of P0, who listens
    #[arg(long, value_name = "N", default_value = "65536", value_parser = batch)]
    count: u32,
    /// Rows of P1 [default: as --count]
    #[arg(long, value_name = "M", value_parser = batch)]
    #[serde(default)]
    other_count: Option<u32>,
}

impl Counts {
    #[cfg(test)]
    pub fn new([count, other]: [u32; 2]) -> Self {
        Self { count, other_count: Some(other) }
    }

    /// Of P0 and of P1.
    pub fn sizes(&self) -> [usize; 2] {
        [self.count, self.other_count.unwrap_or(self.count)].map(|count| count as usize)
    }

    /// Of a lane with so many rows of P0.
    pub fn part(&self, items: usize) -> [usize; 2] {
        let [count, other] = self.sizes();
        [items, (items as u64 * other as u64).div_ceil(count as u64) as usize]
    }

    /// `Ok(())` if memory is likely to hold them at both parties, at so many bytes a row.
    pub fn fit(&self, each: u64) -> Result<()> {
        fits(each * self.sizes().iter().sum::<usize>() as u64, "tables of both parties")
    }
}

/// The ids in a lane of sets of these sizes: numbers, by row.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    lane: u64,
    sizes: [usize; 2],
}

impl Numbers {
    pub fn new(lane: usize, sizes: [usize; 2]) -> Self {
        Self { lane: lane as u64, sizes }
    }

    /// Rows of a party.
    pub fn size(&self, role: Role) -> usize {
        self.sizes[role as usize]
    }

    /// How many both have.
    pub fn common(&self) -> usize {
        self.sizes[0].min(self.sizes[1]).div_ceil(2)
    }

    /// That of a row. P0 has 0, 1 and so on; P1 the last of these and more, from the largest on.
    pub fn of(&self, role: Role, row: usize) -> u64 {
        let at = match role {
            Role::P0 => row,
            Role::P1 => self.sizes[0] - self.common() + self.sizes[1] - 1 - row,
        };
        self.lane << 40 | at as u64
    }

    /// Whether the other party has this row's too.
    pub fn shared(&self, role: Role, row: usize) -> bool {
        let first = self.size(role) - self.common();
        (first..self.size(role)).contains(&row)
    }

    /// A party's, as texts of 32 digits, in one form and hashed.
    pub fn set(&self, role: Role) -> Result<Set> {
        let text = |row| [format!("{:032}", self.of(role, row))];
        Ok(Set::new(Rules::default(), (0..self.size(role)).map(text))?)
    }
}

/// Ids that are used once, and gone then: they take as much memory as what follows.
pub struct Taken(Mutex<Option<Set>>);

impl Taken {
    pub fn new(set: Set) -> Self {
        Self(Mutex::new(Some(set)))
    }

    /// # Panics
    /// The second time.
    pub fn take(&self) -> Set {
        self.0.lock().expect("no panic while the lock is held").take().expect("ids that are used once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn half_of_the_smaller_set_is_common() {
        for sizes in [[1, 1], [7, 7], [3, 20], [20, 3]] {
            let numbers = Numbers::new(2, sizes);
            let all = |role: Role| (0..sizes[role as usize]).map(move |row| (row, numbers.of(role, row)));
            let [a, b] = [Role::P0, Role::P1].map(|r| all(r).map(|(_, n)| n).collect::<HashSet<u64>>());
            assert_eq!(
                (a.len(), b.len(), a.intersection(&b).count()),
                (sizes[0], sizes[1], numbers.common())
            );
            for (role, other) in [(Role::P0, &b), (Role::P1, &a)] {
                assert!(
                    all(role).all(|(row, n)| numbers.shared(role, row) == other.contains(&n)),
                    "{sizes:?}"
                );
            }
            assert_eq!(numbers.set(Role::P1).unwrap().len(), sizes[1]);
        }
    }

    #[test]
    fn lanes_have_their_parts() {
        let counts = Counts::new([1000, 10]);
        assert_eq!((counts.sizes(), counts.part(1000), counts.part(500)), ([1000, 10], [1000, 10], [500, 5]));
        assert_eq!(Counts { count: 5, other_count: None }.sizes(), [5, 5]);
    }
}

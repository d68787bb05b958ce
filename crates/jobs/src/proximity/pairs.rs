//! Every row of this party with every one of the peer.

use std::sync::Arc;

use crate::{count::some, job::Labels};
use hushtable::Role;
use hushtable_columns::{
    Ids,
    failure::{Failure, Result},
};
use prim::wipe::Wiped;

/// The most pairs of a job: what a result file of a few hundred megabytes, or a gigabyte sent, is enough for.
const MOST_PAIRS: usize = 1 << 20;

/// The pairs of two lists, those of P0's first row first. Their lengths are public.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    role: Role,
    /// Of P0 and of P1.
    rows: [usize; 2],
}

impl Pairs {
    /// Of this party's `own` rows and the peer's.
    pub fn new(role: Role, own: usize, others: usize) -> Result<Self> {
        let rows = match role {
            Role::P0 => [own, others],
            Role::P1 => [others, own],
        };
        let all = own.saturating_mul(others);
        if all > MOST_PAIRS {
            return Err(Failure::new(format!(
                "--all-pairs {others}: {} here with {others} of the peer's make {all} pairs; accepted: at most \
                 {MOST_PAIRS}. Cut a list in several",
                some(own, "row")
            )));
        }
        Ok(Self { role, rows })
    }

    /// This party's and the peer's row of each pair.
    fn each(&self) -> impl Iterator<Item = [usize; 2]> {
        let [p0, p1] = self.rows;
        let role = self.role;
        (0..p0).flat_map(move |i| (0..p1).map(move |j| if role == Role::P0 { [i, j] } else { [j, i] }))
    }

    /// A column of this party's, pair by pair.
    pub fn of(&self, words: &[u64]) -> Wiped<u64> {
        let mut all = Wiped::zeros(self.rows[0] * self.rows[1]);
        all.iter_mut().zip(self.each()).for_each(|(to, [own, _])| *to = words[own]);
        all
    }

    /// What names the pairs here.
    pub fn labels(&self, ids: &Ids) -> Labels {
        let mut all = Ids::default();
        self.each().for_each(|[own, _]| all.push(ids.get(own).unwrap_or_default()));
        let peer_rows = self.each().map(|[_, other]| (other + 1) as f64).collect();
        Labels { ids: Arc::new(all), peer_rows, rows: self.rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parties_have_the_pairs_in_one_order() {
        let (a, b) = ([10, 11, 12], [20, 21]);
        let p0 = Pairs::new(Role::P0, 3, 2).unwrap();
        let p1 = Pairs::new(Role::P1, 2, 3).unwrap();
        let pairs: Vec<_> = p0.of(&a).iter().copied().zip(p1.of(&b).iter().copied()).collect();
        assert_eq!(pairs, [(10, 20), (10, 21), (11, 20), (11, 21), (12, 20), (12, 21)]);
        let labels = p1.labels(&["x", "y"].iter().collect());
        assert_eq!(labels.pairing(), p0.labels(&["a", "b", "c"].iter().collect()).pairing());
        assert_eq!(labels.ids.iter().collect::<Vec<_>>(), ["x", "y", "x", "y", "x", "y"]);
        assert_eq!(labels.peer_rows, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
    }

    #[test]
    fn too_many_pairs_are_refused() {
        assert!(Pairs::new(Role::P0, 1024, 1024).is_ok());
        let error = Pairs::new(Role::P1, 1025, 1024).unwrap_err().to_string();
        assert!(error.contains("1049600 pairs; accepted: at most 1048576"), "{error}");
        assert!(Pairs::new(Role::P0, usize::MAX, 2).is_err());
    }
}

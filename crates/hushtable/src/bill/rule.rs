//! The rule by which all is chosen: of the ways that take nearly the least time, the one that sends the fewest bytes.
//!
//! Predictions of time are not exacter than that, and those of bytes are; and bytes cost more than cores do.

use super::Objective;

/// Nearly the least time is up to so many times as much.
pub const NEARLY: f64 = 1.15;

/// What is looked at of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weight {
    /// What is to be least.
    pub(crate) value: f64,
    /// Bytes of both parties.
    pub(crate) bytes: f64,
}

impl Objective {
    /// The place of the way to take: with the fewest bytes of those with nearly the least time, where that is to be least, and
    /// else of those with the least. Of equals the one of the least value, and then the first.
    pub(crate) fn take(self, ways: &[Weight]) -> Option<usize> {
        let least = ways.iter().map(|way| way.value).fold(f64::INFINITY, f64::min);
        self.take_near(ways, least)
    }

    /// The same where the least of all is `least`, of a way that may not be among these. If none is near, the least of these.
    pub(crate) fn take_near(self, ways: &[Weight], least: f64) -> Option<usize> {
        let most = if self.is_of_time() { NEARLY * least } else { least };
        let order = |a: &Weight, b: &Weight| a.value.total_cmp(&b.value);
        let all = || ways.iter().enumerate();
        let near = all().filter(|(_, way)| way.value <= most);
        let fewest = near.min_by(|(_, a), (_, b)| a.bytes.total_cmp(&b.bytes).then(order(a, b)));
        fewest.or_else(|| all().min_by(|(_, a), (_, b)| order(a, b))).map(|(place, _)| place)
    }

    /// Whether it is a time: predicted, so that what is nearly as much may be less.
    pub fn is_of_time(self) -> bool {
        matches!(self, Self::Total | Self::Online)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weights(of: &[(f64, f64)]) -> Vec<Weight> {
        of.iter().map(|&(value, bytes)| Weight { value, bytes }).collect()
    }

    #[test]
    fn the_fewest_bytes_of_what_is_nearly_as_fast() {
        let total = |of: &[(f64, f64)]| Objective::Total.take(&weights(of));
        assert_eq!(total(&[]), None);
        assert_eq!(total(&[(1.0, 232.0), (1.14, 64.0), (1.16, 1.0)]), Some(1));
        assert_eq!(total(&[(1.16, 1.0), (1.0, 232.0)]), Some(1));
        assert_eq!(
            total(&[(1.1, 5.0), (1.0, 5.0), (1.0, 5.0)]),
            Some(1),
            "of equals the least, then the first"
        );
        for exact in [Objective::Bytes, Objective::Rounds, Objective::Money] {
            assert_eq!(exact.take(&weights(&[(1.01, 1.0), (1.0, 232.0)])), Some(1), "{exact:?}");
        }
        assert_eq!(Objective::Online.take_near(&weights(&[(3.0, 1.0), (2.0, 5.0)]), 1.0), Some(1));
    }

    proptest! {
        /// Whatever is offered, in whatever order.
        #[test]
        fn any_offers(ways in prop::collection::vec((0.1..10f64, 0u32..8), 1..12), turn in 0usize..12) {
            let ways: Vec<_> = ways.into_iter().map(|(value, bytes)| (value, f64::from(bytes))).collect();
            let taken = ways[Objective::Total.take(&weights(&ways)).expect("a way")];
            let least = ways.iter().map(|way| way.0).fold(f64::INFINITY, f64::min);
            prop_assert!(taken.0 <= NEARLY * least);
            for other in ways.iter().filter(|way| way.0 <= NEARLY * least) {
                prop_assert!((taken.1, taken.0) <= (other.1, other.0), "{taken:?}, not {other:?}");
            }
            let mut turned = ways.clone();
            turned.rotate_left(turn % ways.len());
            prop_assert_eq!(turned[Objective::Total.take(&weights(&turned)).expect("a way")], taken);
        }
    }
}

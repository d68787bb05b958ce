//! How likely a job goes wrong by chance alone: random hashing that finds no place, words that happen to be equal.
//!
//! It is counted as a [`Bill`](crate::bill::Bill) is: each part says its own, from the parameters that it uses, and what
//! is made of parts adds them up (a union bound). The sum of all that a job does is at most [`MOST`], whatever its
//! size: what would have more is refused by [`Chance::check`].

use std::{fmt, iter::Sum, ops::Add};

use crate::error::{Error, Result};

/// The most that a job may have: `2^-40`.
pub const MOST: f64 = 1.0 / (1u64 << 40) as f64;

/// A bound on the probability that something goes wrong, part by part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chance(Vec<(&'static str, f64)>);

impl Chance {
    /// Nothing is left to chance.
    pub const NONE: Self = Self(Vec::new());

    /// That one of `count` events happens, each with probability `2^log2`.
    pub fn of(what: &'static str, count: f64, log2: i32) -> Self {
        if count > 0.0 { Self(vec![(what, count * 2f64.powi(log2))]) } else { Self::NONE }
    }

    /// What can go wrong, and with which probability at most.
    pub fn parts(&self) -> &[(&'static str, f64)] {
        &self.0
    }

    /// Of all parts together.
    pub fn sum(&self) -> f64 {
        self.0.iter().map(|(_, part)| part).sum()
    }

    /// `Ok(())` if that is at most [`MOST`].
    ///
    /// # Errors
    /// [`Error::Param`] with all parts.
    pub fn check(&self) -> Result<()> {
        self.check_or(|| "fewer rows, or fewer at once, have less".into())
    }

    /// The same, with an error that says what would do.
    ///
    /// # Errors
    /// [`Error::Param`] with all parts.
    pub fn check_or(&self, what_would_do: impl FnOnce() -> String) -> Result<()> {
        match self.sum() <= MOST {
            true => Ok(()),
            false => Err(Error::Param {
                what: "probability that chance alone spoils the job",
                got: self.to_string(),
                accepted: format!("2^-40 in all; {}", what_would_do()),
            }),
        }
    }
}

/// The most, up to `limit`, that `chance` of it has no more than [`MOST`] of. It must not have less of more.
pub fn most(limit: u64, chance: impl Fn(u64) -> Chance) -> u64 {
    let (mut enough, mut above) = (0, limit.saturating_add(1));
    while above - enough > 1 {
        let middle = enough + (above - enough) / 2;
        match chance(middle).sum() <= MOST {
            true => enough = middle,
            false => above = middle,
        }
    }
    enough
}

impl Add for Chance {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        for (what, more) in other.0 {
            match self.0.iter_mut().find(|(known, _)| *known == what) {
                Some((_, part)) => *part += more,
                None => self.0.push((what, more)),
            }
        }
        self
    }
}

impl Sum for Chance {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::NONE, Self::add)
    }
}

/// As powers of two, rounded up.
impl fmt::Display for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let power = |p: f64| format!("2^{}", (p.log2() * 10.0).ceil() / 10.0);
        match self.0.as_slice() {
            [] => f.write_str("none"),
            parts => {
                let parts: Vec<String> =
                    parts.iter().map(|(what, part)| format!("{what} {}", power(*part))).collect();
                write!(f, "at most {} in all: {}", power(self.sum()), parts.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        let (bins, tags) = (Chance::of("no bin", 1.0, -44), Chance::of("equal words", 6.0, -64));
        let all = bins.clone() + tags.clone() + bins.clone() + Chance::NONE;
        assert_eq!(all.parts(), [("no bin", 2f64.powi(-43)), ("equal words", 6.0 * 2f64.powi(-64))]);
        assert_eq!(all.sum(), 2f64.powi(-43) + 6.0 * 2f64.powi(-64));
        assert_eq!(all.to_string(), "at most 2^-42.9 in all: no bin 2^-43, equal words 2^-61.4");
        assert_eq!((Chance::NONE.to_string(), Chance::NONE.sum()), ("none".into(), 0.0));
        assert_eq!(Chance::of("nothing", 0.0, -1), Chance::NONE);
        Chance::of("just", 16.0, -44).check().expect("as much as there may be");
        let error = (Chance::of("just", 16.0, -44) + tags).check().expect_err("more").to_string();
        assert!(error.contains("2^-39.9 in all: just 2^-40, equal words 2^-61.4"), "{error}");
        let error =
            Chance::of("one", 1.0, -39).check_or(|| "half of it".into()).expect_err("more").to_string();
        assert!(error.ends_with("accepted: 2^-40 in all; half of it"), "{error}");
    }

    #[test]
    fn the_most_that_has_little_enough() {
        let of = |count: u64| Chance::of("each", count as f64, -50);
        assert_eq!(
            [0, 1, 1023, 1024, 1025, u64::MAX].map(|limit| most(limit, of)),
            [0, 1, 1023, 1024, 1024, 1024]
        );
        assert_eq!(most(9, |_| Chance::of("all", 1.0, -39)), 0);
    }
}

//! What the kinds of benchmark have in common.

use std::{fmt, path::Path};

use hushtable::{Party, Role, net::LinkShape, ot};
use hushtable_columns::failure::Result;
use hushtable_jobs::choice::Optimise;

use crate::lanes::Lanes;

/// One kind of work, with its parameters. `Display` is the report's title.
pub trait Benchmark: fmt::Display {
    /// Lookups, comparisons, truncations, values, OTs or triples.
    fn items(&self) -> usize;

    /// What an item is.
    fn unit(&self) -> &'static str;

    /// Chooses what is left open, refuses what cannot be measured, and makes what `runs` runs over `link` need.
    /// Comes before the processes start.
    fn prepare(&mut self, link: &LinkShape, runs: usize) -> Result<()>;

    /// Correlated OTs, as sender and receiver, for `items` of these; set-up prepares for so many.
    fn cots(&self, role: Role, items: usize) -> (usize, usize);

    /// At a party, before lanes part: makes what a session keeps for `items` of these in each lane. Measured by itself.
    fn set_up(&self, _: &mut Party, _items: usize) -> hushtable::Result<()> {
        Ok(())
    }

    /// At a party: measures, then hands over or verifies.
    fn run(&self, lanes: Lanes) -> Result<()>;

    /// How the session's correlated OTs are made, where the work says so and not `--ot`.
    fn scheme(&self) -> Option<ot::Scheme> {
        None
    }

    /// The folder with stores of material.
    fn store(&self) -> Option<&Path> {
        None
    }

    /// The name of the lookup protocol, or of the method of a function.
    fn protocol(&self) -> Option<String> {
        None
    }

    /// Whether it stands only beside the papers' figures: then it is measured only by a program with the feature
    /// `baselines`.
    fn is_baseline(&self) -> bool {
        false
    }

    /// Whether a thread of it computes on all processors there are.
    fn every_processor(&self) -> bool {
        false
    }

    /// Changes to the protocol that `--protocol auto` takes, or the method of a function. Whether there is such a
    /// choice.
    fn plan(&mut self, _link: &LinkShape, _optimise: Optimise) -> Result<bool> {
        Ok(false)
    }
}

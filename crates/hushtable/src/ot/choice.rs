//! Which extension makes a session's correlated OTs: by [the rule](crate::bill::NEARLY), the one with the fewest bytes of
//! those with nearly the least predicted time for their count, over the link that the session has; or that with the
//! fewest bytes of all, or the least money.
//!
//! A prediction for `count` OTs of a direction is a line, of time and of bytes: what comes before the first one, and what
//! each takes. Each takes the time of its work or of its bits on the link, whichever is longer, because they overlap.
//! Before the first one of Ferret come its seeds, made by the extension below it, a round trip, and what its start takes
//! besides. What is taken changes at three counts, [`Limits::ends`]: a set that would be too slow for more OTs is not
//! begun. Only rates, link, prices and counts are looked at, and all are public.
//!
//! The program's plan predicts by the same lines, at the rates of its machine.

use std::fmt;

use super::{
    params::{LpnSet, SETS},
    scheme::Scheme,
};
use crate::{
    bill::{Objective, Prices, Weight},
    net::LinkShape,
};

/// The `k` of the subfields of `2^k` that SoftSpoken is run over; 1 is IKNP.
pub const SUBFIELDS: [u32; 4] = [1, 2, 4, 8];
/// The subfield where an extension is asked for that has no other.
const USUAL: u32 = 4;
/// Up to this many OTs Ferret takes set S where Ferret is asked for.
const SMALL_SET: u64 = 1 << 18;

/// How fast a pair of machines makes correlated OTs, by each extension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Nanoseconds an OT of SoftSpoken over each of [`SUBFIELDS`].
    pub soft: [f64; 4],
    /// Nanoseconds an OT of Ferret with set S, M and L.
    pub ferret: [f64; 3],
    /// Seconds that starting these sets takes besides making their seeds.
    pub start: [f64; 3],
}

/// Seconds, and bytes of the party that sends.
#[derive(Clone, Copy, Debug, Default)]
struct Took {
    seconds: f64,
    bytes: f64,
}

/// Before the first OT, and for each.
#[derive(Clone, Copy, Debug)]
struct Line {
    before: Took,
    each: Took,
}

/// What is to be least, at the prices of P0 and of P1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Aim {
    pub(crate) objective: Objective,
    pub(crate) prices: [Prices; 2],
}

impl Aim {
    /// Of a direction: who sends is not known, so it is each party half of the time. Others than bytes and money are times.
    fn weight(&self, took: Took) -> Weight {
        let Took { seconds, bytes } = took;
        let value = match self.objective {
            Objective::Bytes => bytes,
            Objective::Money => self.prices.iter().map(|prices| prices.of(bytes / 2.0, seconds)).sum(),
            _ => seconds,
        };
        Weight { value, bytes }
    }

    fn take(&self, all: &[Took]) -> usize {
        let weights: Vec<_> = all.iter().map(|took| self.weight(*took)).collect();
        self.rule().take(&weights).expect("there are some")
    }

    fn rule(&self) -> Objective {
        match self.objective {
            exact @ (Objective::Bytes | Objective::Money) => exact,
            _ => Objective::Total,
        }
    }
}

/// Which extension makes how many OTs of a direction. The same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// SoftSpoken's subfields have `2^k` elements.
    pub k: u32,
    /// Set M starts from SoftSpoken where set S does not run yet, and else from set S.
    pub direct: bool,
    /// Up to the first of these counts SoftSpoken makes them, up to the second Ferret with set S, up to the third
    /// with set M, above with set L. Ascending.
    pub ends: [u64; 3],
}

impl Limits {
    /// What suits this link where no extension is asked for, else what is asked for.
    pub fn new(asked: Option<Scheme>, link: &LinkShape, rates: &Rates) -> Self {
        let aim = Aim { objective: Objective::Total, prices: [Prices::USUAL; 2] };
        Self::aimed(asked, link, rates, &aim)
    }

    /// The same where this is to be least.
    pub(crate) fn aimed(asked: Option<Scheme>, link: &LinkShape, rates: &Rates, aim: &Aim) -> Self {
        let usual = |ends| Self { k: USUAL, direct: false, ends };
        match asked {
            None => Self::best(link, rates, aim),
            Some(Scheme::Ferret) => usual([0, SMALL_SET, u64::MAX]),
            Some(Scheme::FerretLarge) => usual([0; 3]),
            Some(Scheme::Iknp) => Self { k: 1, ..usual([u64::MAX; 3]) },
            Some(Scheme::SoftSpoken2) => Self { k: 2, ..usual([u64::MAX; 3]) },
            Some(Scheme::SoftSpoken4) => usual([u64::MAX; 3]),
            Some(Scheme::SoftSpoken8) => Self { k: 8, ..usual([u64::MAX; 3]) },
        }
    }

    /// The place in [`SETS`] of the set that makes the OTs of a direction, so many from the session's beginning on;
    /// `None`: SoftSpoken makes them.
    pub fn level(&self, count: usize) -> Option<usize> {
        (0..SETS.len()).rev().find(|&level| count as u64 > self.ends[level])
    }

    /// Whether a set that is started on the way to `target` is left out.
    pub(crate) fn skips(&self, level: usize, target: usize) -> bool {
        self.direct && level == 0 && target > 0
    }

    /// What the rule takes for every count.
    fn best(link: &LinkShape, rates: &Rates, aim: &Aim) -> Self {
        let soft = aim.take(&[0, 1, 2, 3].map(|place| rates.soft(place, link)));
        let all = (0..SUBFIELDS.len()).flat_map(|soft| [false, true].map(|direct| (soft, direct)));
        let all: Vec<_> = all.map(|(soft, direct)| rates.lines(soft, direct, link)).collect();
        let ladder = |direct: bool| all[2 * soft + usize::from(direct)];
        let direct = aim.take(&[false, true].map(|direct| ladder(direct)[2].before)) == 1;
        let weights = |lines: &[Line; 4], count: u64| lines.map(|line| aim.weight(line.at(count as f64)));
        let taken = |count: u64| {
            let least = all.iter().flat_map(|lines| weights(lines, count)).map(|way| way.value);
            let least = least.fold(f64::INFINITY, f64::min);
            aim.rule().take_near(&weights(&ladder(direct), count), least).expect("four ways")
        };
        let mut ends = [0, 1, 2].map(|level| last(|count| taken(count) <= level));
        // A rounded number might be less.
        let mut least = 0;
        for (end, set) in ends.iter_mut().zip(SETS) {
            least = least.max(set.seeds() as u64).max(*end);
            *end = least;
        }
        Self { k: SUBFIELDS[soft], direct, ends }
    }

    /// Whether predictions can come to these: never a set for fewer OTs than its seeds. What the peer asks for is
    /// held to it, so that its numbers make no party work more than the job's own counts do.
    pub(super) fn are_sane(&self) -> bool {
        let seeds = SETS.iter().zip(self.ends).all(|(set, end)| end >= set.seeds() as u64);
        self.are_limits() && seeds
    }

    /// Whether these are limits at all.
    pub(super) fn are_limits(&self) -> bool {
        SUBFIELDS.contains(&self.k) && self.ends.is_sorted()
    }
}

/// In a line, as parties compare it.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { k, direct, ends: [soft, small, large] } = self;
        let from = if *direct { "SoftSpoken" } else { "S" };
        write!(f, "SoftSpoken-{k} up to {soft}, S up to {small}, M (from {from}) up to {large}, then L")
    }
}

impl Rates {
    /// The medians of four runs of `hushtable calibrate --local`, which measures those of a machine: two cores of an
    /// AMD EPYC with vectors of 512 bits, shared by both parties and others.
    pub const REFERENCE: Self =
        Self { soft: [19.8, 15.1, 12.0, 49.6], ferret: [23.4, 21.1, 44.7], start: [0.2e-3, 1.4e-3, 4.9e-3] };

    /// Nanoseconds an OT of SoftSpoken over subfields of `2^k`, one of [`SUBFIELDS`].
    pub(crate) fn soft_ns(&self, k: u32) -> f64 {
        self.soft[SUBFIELDS.iter().position(|&known| known == k).expect("a subfield in use")]
    }

    /// An OT of SoftSpoken over a subfield, by its place in [`SUBFIELDS`].
    fn soft(&self, place: usize, link: &LinkShape) -> Took {
        each(self.soft[place], soft_bits(SUBFIELDS[place]), link)
    }

    /// SoftSpoken over a subfield, and Ferret with each set from it; M without S before it if `direct`.
    fn lines(&self, soft: usize, direct: bool, link: &LinkShape) -> [Line; 4] {
        let trip = link.rtt.as_secs_f64();
        let soft = Line { before: Took::default(), each: self.soft(soft, link) };
        let started = |below: Line, level: usize, wait: f64| {
            let set = SETS[level];
            let Took { seconds, bytes } = below.at(set.seeds() as f64);
            let before = Took { seconds: seconds + wait + self.start[level], bytes };
            Line { before, each: each(self.ferret[level], ferret_bits(set), link) }
        };
        let small = started(soft, 0, trip);
        let large = if direct { started(soft, 1, trip) } else { started(small, 1, 0.0) };
        [soft, small, large, started(large, 2, 0.0)]
    }
}

impl Line {
    /// Of so many.
    fn at(&self, count: f64) -> Took {
        let Self { before, each } = self;
        Took { seconds: before.seconds + count * each.seconds, bytes: before.bytes + count * each.bytes }
    }
}

/// Bits an OT of SoftSpoken over subfields of `2^k`.
pub(crate) fn soft_bits(k: u32) -> f64 {
    f64::from(128 / k - 1)
}

/// Bits an OT of Ferret.
pub(crate) fn ferret_bits(set: &LpnSet) -> f64 {
    (set.t * (set.depth as usize - 1) * 128) as f64 / set.usable() as f64
}

/// An item of so many nanoseconds and bits: work and sending overlap.
fn each(ns: f64, bits: f64, link: &LinkShape) -> Took {
    let seconds = (ns * 1e-9).max(link.mbit_per_s.map_or(0.0, |rate| bits / (rate * 1e6)));
    Took { seconds, bytes: bits / 8.0 }
}

/// No session makes more OTs.
const MOST: u64 = 1 << 48;

/// The last count for which this holds, as for all before it.
fn last(holds: impl Fn(u64) -> bool) -> u64 {
    if holds(MOST) {
        return u64::MAX;
    }
    let (mut holding, mut not) = (0, MOST);
    while not - holding > 1 {
        let middle = (holding + not) / 2;
        *(if holds(middle) { &mut holding } else { &mut not }) = middle;
    }
    holding
}

#[cfg(test)]
mod tests;

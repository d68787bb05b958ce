//! Which extension makes a session's correlated OTs: the one with the least predicted time for their count, over the
//! link that the session has.
//!
//! A prediction for `count` OTs of a direction is a line: what comes before the first one, and what each takes. Each
//! takes the time of its work or of its bits on the link, whichever is longer, because they overlap. Before the first
//! one of Ferret come its seeds, made by the extension below it, a round trip, and what its start takes besides. The
//! least of the lines changes at three counts, [`Limits::ends`]. Only rates, link and counts are looked at, and all
//! are public.
//!
//! The program's plan predicts by the same lines, at the rates of its machine.

use std::fmt;

use super::{
    params::{LpnSet, SETS},
    scheme::Scheme,
};
use crate::net::LinkShape;

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

/// Seconds before the first OT, and for each.
#[derive(Clone, Copy, Debug)]
struct Line {
    before: f64,
    each: f64,
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
        let usual = |ends| Self { k: USUAL, direct: false, ends };
        match asked {
            None => Self::best(link, rates),
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

    /// The least predicted time for every count.
    fn best(link: &LinkShape, rates: &Rates) -> Self {
        let least = |a: &usize, b: &usize| rates.soft(*a, link).total_cmp(&rates.soft(*b, link));
        let soft = (0..SUBFIELDS.len()).min_by(least).expect("there are some");
        let [by_steps, direct] = [false, true].map(|direct| rates.lines(soft, direct, link));
        let direct = direct[2].before < by_steps[2].before;
        let mut ends = ends(rates.lines(soft, direct, link));
        // No line crosses one below it earlier; a rounded number might.
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

    /// Seconds an OT of SoftSpoken over a subfield, by its place in [`SUBFIELDS`].
    fn soft(&self, place: usize, link: &LinkShape) -> f64 {
        each(self.soft[place], soft_bits(SUBFIELDS[place]), link)
    }

    /// SoftSpoken over a subfield, and Ferret with each set from it; M without S before it if `direct`.
    fn lines(&self, soft: usize, direct: bool, link: &LinkShape) -> [Line; 4] {
        let trip = link.rtt.as_secs_f64();
        let soft = Line { before: 0.0, each: self.soft(soft, link) };
        let started = |below: Line, level: usize, wait: f64| {
            let set = SETS[level];
            let before = below.before + set.seeds() as f64 * below.each + wait + self.start[level];
            Line { before, each: each(self.ferret[level], ferret_bits(set), link) }
        };
        let small = started(soft, 0, trip);
        let large = if direct { started(soft, 1, trip) } else { started(small, 1, 0.0) };
        [soft, small, large, started(large, 2, 0.0)]
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

/// Seconds that an item of so many nanoseconds and bits takes: work and sending overlap.
fn each(ns: f64, bits: f64, link: &LinkShape) -> f64 {
    (ns * 1e-9).max(link.mbit_per_s.map_or(0.0, |rate| bits / (rate * 1e6)))
}

/// Up to which counts each of the lines but the last is the lowest or one before it is: those that are never the lowest
/// end where the one before them does. Later lines begin higher.
fn ends(lines: [Line; 4]) -> [u64; 3] {
    let mut ends = [u64::MAX; 3];
    let mut now = 0;
    while now < 3 {
        let meets = |&later: &usize| lines[later].each < lines[now].each;
        let at =
            |later: usize| (lines[later].before - lines[now].before) / (lines[now].each - lines[later].each);
        let next = (now + 1..4).filter(meets).min_by(|&a, &b| at(a).total_cmp(&at(b)));
        let Some(next) = next else { break };
        ends[now..next].fill(at(next).max(0.0) as u64);
        now = next;
    }
    ends
}

#[cfg(test)]
mod tests;

//! The two ways of evaluating a function, and how accurate they are.

use super::{angle::Angle, direct::Direct};
use crate::math::{
    functions::{
        Accuracy, Method,
        target::{MOST_LOOKED_AT, Target},
    },
    splines::{proof::allowance, spline::Spline},
};
use crate::{bill::Bill, error::Result};

/// Every number of a domain that is no larger is looked at; of a larger one only where nothing is known of the function.
const LOOKED_AT: u64 = 1 << 17;

/// The same for a first look, and for a mean.
const FEW: u64 = 1 << 11;

/// A function as tables. Public.
pub(super) enum Form {
    Direct(Direct),
    Spline(Spline),
    Angle(Angle),
}

impl Form {
    pub(super) fn method(&self) -> Method {
        match self {
            Self::Direct(_) => Method::Direct,
            Self::Spline(spline) => spline.method(),
            Self::Angle(_) => Method::Angle,
        }
    }

    /// Rows of the table that is read, if one is.
    pub(super) fn entries(&self) -> usize {
        self.table().map_or(0, |(index_bits, ..)| 1 << index_bits)
    }

    /// Index bits, value bits and columns of the table that is read.
    pub(super) fn table(&self) -> Option<(u32, u32, usize)> {
        match self {
            Self::Direct(direct) => Some(direct.table()),
            Self::Spline(spline) => Some(spline.table()),
            Self::Angle(_) => None,
        }
    }

    /// What a number costs.
    pub(super) fn bill(&self) -> Result<Bill> {
        match self {
            Self::Direct(direct) => direct.bill(1),
            Self::Spline(spline) => spline.bill(),
            Self::Angle(angle) => Ok(angle.bill()),
        }
    }

    /// All of it as numbers, for a digest.
    pub(super) fn words(&self) -> Vec<u64> {
        match self {
            Self::Direct(direct) => [vec![0], direct.words()].concat(),
            Self::Spline(spline) => [vec![1], spline.words()].concat(),
            Self::Angle(angle) => [vec![2], angle.words()].concat(),
        }
    }

    /// The least and the greatest result at `lo + x`, for a number inside: which it is depends on the shares.
    pub(super) fn results(&self, x: u64) -> Results {
        self.results_at(x as i64)
    }

    /// The same, and for a number beside the domain that has a piece.
    pub(super) fn results_at(&self, x: i64) -> Results {
        match self {
            Self::Direct(direct) => Results::one(direct.result(x as u64)),
            Self::Spline(spline) => Results::of(spline.pieces().results(x)),
            Self::Angle(angle) => Results::of(angle.results().into_iter()),
        }
    }

    /// How far the results lie from the function: for a spline at all numbers of a region around the domain, by proof
    /// where there are many. Not known where there are many, and no proof.
    pub(super) fn accuracy(&self, target: &Target, region: [i64; 2]) -> Accuracy {
        let spline = match self {
            Self::Angle(angle) => {
                let [max_ulp, mean_ulp] = angle.error();
                return Accuracy { max_ulp, mean_ulp, step: 0 };
            }
            Self::Direct(_) => None,
            Self::Spline(spline) => Some(spline),
        };
        let all = all(target);
        let proven = target.is_known() && spline.is_some() && !all;
        let step = if all { 1 } else { step(target, FEW) };
        let (mut max_ulp, mut sum, mut count) = (0f64, 0f64, 0f64);
        for (_, errors) in self.errors(target, step) {
            max_ulp = max_ulp.max(errors[0]).max(errors[1]);
            sum += (errors[0] + errors[1]) / 2.0;
            count += 1.0;
        }
        if !all && !proven {
            return Accuracy { max_ulp: f64::INFINITY, mean_ulp: sum / count, step };
        }
        if let Some(spline) = spline {
            let pieces = spline.pieces();
            let last = target.grid.count as i64 - 1;
            // Of a small domain all numbers were looked at, with all shares: what is left is beside it.
            let parts = if all { vec![[region[0], -1], [last + 1, region[1]]] } else { vec![region] };
            let worst = parts.into_iter().filter(|part| part[0] <= part[1]);
            max_ulp = worst.map(|part| pieces.worst(target, part, None)).fold(max_ulp, f64::max);
        }
        Accuracy { max_ulp, mean_ulp: sum / count, step: if proven { 0 } else { step } }
    }

    /// Whether no result lies further from the function than `limit`, in units in the last place, at the numbers of a
    /// region around the domain.
    pub(super) fn accurate(&self, target: &Target, region: [i64; 2], limit: f64) -> bool {
        let exceeds = |(_, errors): &(u64, [f64; 2])| errors[0].max(errors[1]) > limit;
        if exceeds(&self.at(target, target.hard.get())) {
            return false;
        }
        let within = |seen| {
            let found = self.errors(target, step(target, seen)).find(exceeds);
            found.inspect(|(x, ..)| target.hard.set(*x)).is_none()
        };
        let last = target.grid.count as i64 - 1;
        match self {
            Self::Spline(spline) => {
                let proven = |part: [i64; 2]| {
                    part[0] > part[1] || spline.pieces().worst(target, part, Some(limit)) <= limit
                };
                match (all(target), target.is_known()) {
                    (true, _) => {
                        let beside = [[region[0], -1], [last + 1, region[1]]];
                        within(FEW) && within(target.grid.count) && beside.into_iter().all(proven)
                    }
                    (false, true) => within(FEW / 8) && proven(region),
                    (false, false) => false,
                }
            }
            _ => within(FEW) && within(LOOKED_AT),
        }
    }

    /// Every so many numbers and the last, with the errors of the least and the greatest result.
    fn errors(&self, target: &Target, step: u64) -> impl Iterator<Item = (u64, [f64; 2])> {
        let last = target.grid.count - 1;
        (0..last).step_by(step as usize).chain([last]).map(move |x| self.at(target, x))
    }

    /// With what the value in floating point may be off, unless it is held.
    fn at(&self, target: &Target, x: u64) -> (u64, [f64; 2]) {
        let value = target.inside(x as f64) * target.unit();
        let Results { least, greatest } = self.results(x);
        let off = allowance(value.abs());
        let off = if off == 0.0 || target.is_held(x) { 0.0 } else { off };
        (x, [least, greatest].map(|y| (y as f64 - value).abs() + off))
    }
}

/// Whether all numbers of a domain are looked at.
fn all(target: &Target) -> bool {
    target.grid.count <= if target.is_known() { LOOKED_AT } else { MOST_LOOKED_AT }
}

/// Every how many numbers of a domain one is looked at; odd, so as to meet all places of a piece.
fn step(target: &Target, most: u64) -> u64 {
    match target.grid.count.div_ceil(most) {
        1 => 1,
        step => step | 1,
    }
}

/// The least and the greatest of several results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Results {
    pub(super) least: i64,
    pub(super) greatest: i64,
}

impl Results {
    fn of(results: impl Iterator<Item = i64>) -> Self {
        let all = Self { least: i64::MAX, greatest: i64::MIN };
        results.fold(all, |all, y| all.with(Self::one(y)))
    }

    pub(super) fn one(y: i64) -> Self {
        Self { least: y, greatest: y }
    }

    /// Of both.
    pub(super) fn with(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest) }
    }
}

//! What both parties know of an evaluation.

use super::{
    check::Check,
    form::Form,
    guard::{Guard, Instead},
    range::Ends,
};
use crate::{
    bill::Bill,
    error::{Error, Result},
    math::functions::{
        Accuracy, Bounds, Function, Options, Outside,
        target::{Edge, Grid, Target, check_fraction},
    },
};

/// What both parties know.
pub(super) struct Program {
    pub(super) name: String,
    pub(super) named: Option<Function>,
    pub(super) bits: u32,
    pub(super) grid: Grid,
    pub(super) fraction_out: u32,
    pub(super) form: Form,
    pub(super) check: Option<Check>,
    pub(super) guard: Option<Guard>,
    pub(super) instead: [Instead; 2],
    /// Beyond which ends the number itself is the result, and with how many bits more behind the point.
    pub(super) numbers: [Option<u32>; 2],
    pub(super) ends: Ends,
    pub(super) accuracy: Accuracy,
    pub(super) jumps: [f64; 2],
    pub(super) bill: Bill,
}

/// `Ok(())` for a ring that is served, and bits behind the point that it has.
pub(super) fn check_format(bits: u32, fraction: u32, options: &Options) -> Result<()> {
    if !(8..=64).contains(&bits) {
        let (what, got) = ("width of the ring", bits.to_string());
        return Err(Error::Param { what, got, accepted: "8 to 64".into() });
    }
    check_fraction(bits, fraction)?;
    check_fraction(bits, options.fraction_out.unwrap_or(fraction))
}

impl Program {
    /// Whether numbers anywhere in the ring are told apart by a comparison of their own.
    pub(super) fn is_whole(&self) -> bool {
        self.guard.is_some_and(|guard| guard.is_whole())
    }

    /// Where numbers are treated as the options say.
    pub(super) fn reach(&self) -> Bounds {
        if self.ends.outside == Outside::Wrap && !self.ends.repeat() {
            return self.grid.bounds;
        }
        let half = 1i128 << (self.bits - 1);
        let [lo, hi] = self.guard.map_or([-half, half], |guard| guard.reach(self.bits));
        // What is refused need not be told apart.
        let lo = if self.ends.refused[0] { -half } else { lo };
        let hi = if self.ends.refused[1] { half } else { hi };
        // The number itself must fit the results.
        let [held_lo, held_hi] = self.numbers.map(|more| half >> more.unwrap_or(0));
        let (lo, hi) = (lo.max(-held_lo), hi.min(held_hi));
        // Numbers of fewer digits are to lie inside.
        let (mut first, mut end) = (lo as f64, hi as f64);
        if (first as i128) < lo {
            first = first.next_up();
        }
        if end as i128 > hi {
            end = end.next_down();
        }
        let unit = 2f64.powi(self.grid.fraction as i32);
        Bounds { lo: first / unit, hi: end / unit }
    }
}

/// The greatest value that a ring holds, or the next below it in floating point.
pub(super) fn greatest(bits: u32, fraction: u32) -> f64 {
    let half = 2f64.powi(bits as i32 - 1);
    (half - 1.0).min(half.next_down()) / 2f64.powi(fraction as i32)
}

/// Beyond which ends, where numbers are replaced there, the number itself is the result, and with how many bits more
/// behind the point.
pub(super) fn numbers(target: &Target, ends: &Ends) -> [Option<u32>; 2] {
    let more = target.fraction.saturating_sub(target.grid.fraction);
    [0, 1].map(|i| (ends.replaced[i] && target.edges[i] == Edge::Number).then_some(more))
}

/// What stands for results outside, where `replaced`.
pub(super) fn instead(target: &Target, bits: u32, replaced: bool) -> Result<[Instead; 2]> {
    if !replaced {
        return Ok([Instead::Constant(0); 2]);
    }
    let ends = [-1, target.grid.count as i64];
    let of = |i: usize| match target.edges[i] {
        Edge::Constant(_) => Ok(Instead::Constant(target.rounded(ends[i], bits)?)),
        Edge::Number => match target.fraction.checked_sub(target.grid.fraction) {
            Some(more) => Ok(Instead::Number(more)),
            None => {
                let (what, got) = ("bits behind the point of the results", target.fraction.to_string());
                let accepted = format!("at least {}, as the numbers have, to saturate", target.grid.fraction);
                Err(Error::Param { what, got, accepted })
            }
        },
    };
    Ok([of(0)?, of(1)?])
}

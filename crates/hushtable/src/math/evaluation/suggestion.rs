//! What would do in the place of a format in which a function is refused.

use std::fmt;

use super::Evaluation;
use crate::{
    error::Error,
    math::functions::{Bounds, Function, Method, Options, Outside, Tail},
};

/// Formats that would do in the place of one that is refused, each by itself. Empty where none was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Suggestion {
    /// Where all numbers are to lie, in the same ring.
    pub range: Option<Bounds>,
    /// So many bits behind the point, or fewer.
    pub fraction: Option<u32>,
    /// So wide a ring.
    pub bits: Option<u32>,
    /// That this is said of numbers outside, in the same format.
    pub outside: Option<Outside>,
}

/// The largest end of a range that is suggested, and the smallest, as powers of two.
const LARGEST: i32 = 20;
const SMALLEST: i32 = -4;

/// Where the numbers of a function of positive ones may lie, the smaller intervals first.
const POSITIVE: [[f64; 2]; 5] = [[1.0, 2.0], [0.5, 2.0], [0.25, 4.0], [0.25, 16.0], [0.25, 64.0]];

impl Suggestion {
    /// For a function that is refused with these options, where the method is left open; else none. It takes as long as
    /// planning the function some twenty times.
    pub fn find(function: Function, [bits, fraction]: [u32; 2], options: &Options) -> Self {
        let known_format = (8..=64).contains(&bits) && fraction < bits;
        if options.method != Method::Auto || !known_format {
            return Self::default();
        }
        let whole = Bounds::whole(bits, fraction);
        let serves = |bits: u32, fraction: u32, range: Option<Bounds>| {
            // Numbers of a suggested range are all accepted.
            let outside = if range.is_some() { Outside::Usual } else { options.outside };
            // Those of any ring, if they are those of this one.
            let all = options.range.map(|_| Bounds::whole(bits, fraction));
            let options = Options { range: range.or(all), outside, ..*options };
            Evaluation::attempt(function, bits, fraction, &options).is_ok_and(|made| {
                let card = made.card();
                options.range.is_none_or(|range| card.reach.contains(range))
                    && (range.is_none() || !card.gathered)
            })
        };
        let range = match options.domain {
            Some(_) => None,
            None => {
                let mut ranges = candidates(function);
                ranges.retain(|range| holds([bits, fraction], *range));
                ranges
                    .retain(|range| options.range.is_none_or(|than| than.contains(*range) && than != *range));
                last(&ranges, |range| serves(bits, fraction, Some(*range)))
            }
        };
        let known = options.range.filter(|range| *range != whole);
        // No format has values where there are none.
        let open = options.outside == Outside::Usual && known.is_some() && function.undefined().is_some();
        let none = function.tails() == [Tail::End; 2];
        let outside = open.then_some(if none { Outside::Strict } else { Outside::Saturate });
        let outside = outside.filter(|&outside| {
            Evaluation::attempt(function, bits, fraction, &Options { outside, ..*options }).is_ok()
        });
        // Fewer digits and wider rings neither, with the same numbers.
        let valued =
            options.range.is_none_or(|range| function.check_defined("domain", range, fraction).is_ok());
        let (wanted, fractions) = (fraction, (0..fraction).collect::<Vec<_>>());
        let fits = |fraction: u32| valued && known.is_none_or(|range| holds([bits, fraction], range));
        let fraction = last(&fractions, |&fraction| fits(fraction) && serves(bits, fraction, known));
        let wider: Vec<u32> = (bits + 1..=64).rev().collect();
        let bits = last(&wider, |&bits| valued && serves(bits, wanted, known));
        Self { range, fraction, bits, outside }
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { range, fraction, bits, outside } = self;
        let parts = [
            range.map(|Bounds { lo, hi }| format!("numbers in {lo} <= x < {hi}")),
            fraction.map(|fraction| format!("at most {fraction} bits behind the point")),
            bits.map(|bits| format!("a ring of {bits} bits or more")),
            outside.map(|outside| format!("{outside}, said for numbers outside")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(", or "))
    }
}

/// The last of some that serve, where those before it do, too.
fn last<T: Copy>(all: &[T], serves: impl Fn(&T) -> bool) -> Option<T> {
    let served = all.partition_point(serves);
    served.checked_sub(1).map(|at| all[at])
}

/// Ranges of numbers, the smaller ones first.
fn candidates(function: Function) -> Vec<Bounds> {
    use Function::{Ln, Log10, Reciprocal, Rsqrt, Sqrt};
    match function {
        Ln | Log10 | Reciprocal | Rsqrt | Sqrt => POSITIVE.map(|[lo, hi]| Bounds { lo, hi }).to_vec(),
        _ => {
            let ends = (SMALLEST..=LARGEST).map(|power| 2f64.powi(power));
            ends.map(|end| Bounds { lo: -end, hi: end }).collect()
        }
    }
}

/// Whether a ring has the numbers of a range, and both ends are steps of it.
fn holds(format: [u32; 2], range: Bounds) -> bool {
    let steps = 2f64.powi(format[1] as i32);
    Bounds::whole(format[0], format[1]).contains(range)
        && [range.lo, range.hi].iter().all(|end| (end * steps).fract() == 0.0)
}

impl Evaluation {
    /// An error with what would do instead, if that is known.
    pub(super) fn explained(error: Error, function: Function, format: [u32; 2], options: &Options) -> Error {
        let (why, found) = match &error {
            Error::Param { what, got, .. } => {
                (format!("{what}: {got}"), Suggestion::find(function, format, options))
            }
            _ => return error,
        };
        if found == Suggestion::default() {
            return error;
        }
        let got = format!("{function} in {} bits with {} behind the point ({why})", format[0], format[1]);
        Error::Param { what: "function", got, accepted: found.to_string() }
    }
}

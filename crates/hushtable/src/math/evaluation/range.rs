//! What becomes of numbers beyond either end of a domain, and what results can be.

use super::form::{Form, Results};
use crate::error::{Error, Result};
use crate::math::functions::{Bounds, Options, Outside, Tail, target::Grid};

/// Both ends of a domain. Public.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// What becomes of numbers outside, after what the options and the function's tails say.
    pub(super) outside: Outside,
    /// Whether there are numbers below that are refused, and above.
    pub(super) refused: [bool; 2],
    /// Whether there are numbers below for which something stands, and above.
    pub(super) replaced: [bool; 2],
    tails: [Tail; 2],
}

impl Ends {
    /// There are no numbers beyond, as the caller promises.
    pub(super) fn none() -> Self {
        Self { outside: Outside::Wrap, refused: [false; 2], replaced: [false; 2], tails: [Tail::End; 2] }
    }

    /// For numbers of the options' range.
    ///
    /// # Errors
    /// [`Error::Param`] if all numbers are beyond one end, and refused there.
    pub(super) fn new(grid: &Grid, tails: [Tail; 2], options: &Options) -> Result<Self> {
        let (domain, range) = (grid.bounds, options.range);
        let [below, above] = range.map_or([true; 2], |range| [range.lo < domain.lo, range.hi > domain.hi]);
        let outside = if below || above { options.outside.of(tails) } else { Outside::Wrap };
        let refused = [below && outside.refuses(tails[0]), above && outside.refuses(tails[1])];
        if let Some(range) = range
            && (refused[0] && range.hi <= domain.lo || refused[1] && range.lo >= domain.hi)
        {
            let got = format!("numbers that lie in {range}");
            return Err(Error::Param {
                what: "range",
                got,
                accepted: format!("some of the domain {domain}"),
            });
        }
        let outside = match outside {
            Outside::Usual if refused == [false; 2] => Outside::Saturate,
            other => other,
        };
        let stands = !matches!(outside, Outside::Wrap | Outside::Strict);
        let replaced = [below && stands && !refused[0], above && stands && !refused[1]];
        Ok(Self { outside, refused, replaced, tails })
    }

    /// The same where numbers of a range beyond `valued` are refused, and what stands for others holds nearer to the domain.
    pub(super) fn refusing(self, valued: Bounds, range: Bounds) -> Self {
        let refused = [range.lo < valued.lo, range.hi > valued.hi];
        Self { refused, outside: Outside::Usual, ..self }
    }

    /// Whether the function repeats beyond them.
    pub(super) fn repeat(&self) -> bool {
        self.tails == [Tail::Period; 2] && self.outside == Outside::Wrap
    }

    /// The least and the greatest result for the numbers of `range`, at a scale of `2^fraction` in a ring of `bits`
    /// bits: those of all numbers inside and of what stands for others, such as `constants`.
    pub(super) fn results(
        &self,
        form: &Form,
        grid: &Grid,
        range: Bounds,
        [fraction, bits]: [u32; 2],
        constants: impl Iterator<Item = i64>,
    ) -> [i64; 2] {
        let saturates = matches!(self.outside, Outside::Saturate | Outside::Usual);
        let [least, greatest] = match form {
            Form::Angle(angle) => return angle.results(),
            Form::Spline(spline) => spline.pieces().fitted(),
            Form::Direct(_) => {
                let all = (0..grid.count).map(|x| form.results(x));
                let Results { least, greatest } = all.reduce(Results::with).expect("two numbers or more");
                [least, greatest]
            }
        };
        // Numbers near the domain may be evaluated as those inside.
        let margin = if self.replaced != [false; 2] && matches!(form, Form::Spline(_)) { 4.0 } else { 0.0 };
        let [mut least, mut greatest] = [least as f64 - margin, greatest as f64 + margin];
        for value in constants {
            (least, greatest) = (least.min(value as f64), greatest.max(value as f64));
        }
        if saturates {
            let beyond = [range.lo < grid.bounds.lo, range.hi > grid.bounds.hi];
            for (i, end) in [range.lo, range.hi].into_iter().enumerate().filter(|(i, _)| beyond[*i]) {
                let value = match self.tails[i] {
                    Tail::Limit(value) => value,
                    Tail::Number => end,
                    Tail::End | Tail::Period => continue,
                };
                least = least.min((value * 2f64.powi(fraction as i32)).floor());
                greatest = greatest.max((value * 2f64.powi(fraction as i32)).ceil());
            }
        }
        let end = 2f64.powi(bits as i32 - 1);
        [least.floor(), greatest.ceil()].map(|value| value.clamp(-end, end - 1.0) as i64)
    }
}

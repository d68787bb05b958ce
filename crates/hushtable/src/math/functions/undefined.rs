//! Where functions have no value, and what comes out there.

use std::f64::consts::PI;

use super::{Bounds, Card, Function, Outside};
use crate::error::{Error, Result};

/// By so many steps around a pole results are held at what the ring has.
const HELD: f64 = 2.0;

/// By so many steps, and so much, numbers may be beyond what they are to be at most, because they were rounded.
const ROUNDED: [f64; 2] = [4.0, 1.0 / 16.0];

impl Function {
    /// Where it has no value, in words; `None` if it has one everywhere.
    pub fn undefined(self) -> Option<&'static str> {
        self.values().map(|[without, _]| without)
    }

    /// Where it has no value, and where it has one.
    fn values(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Ln | Self::Log10 | Self::Rsqrt => Some(["at 0 and below", "numbers above 0"]),
            Self::Sqrt => Some(["below 0", "numbers from 0 on"]),
            Self::Reciprocal => Some(["at 0", "numbers above 0, or below 0"]),
            Self::Asin | Self::Acos => Some(["below -1 and above 1", "numbers from -1 to 1"]),
            Self::Tan | Self::TanPi | Self::Tan2Pi => Some(["at its poles", "numbers"]),
            _ => None,
        }
    }

    /// Whether it has a value from `first` to `last`, or only roundings by `slack` are beyond an end at which it has
    /// one. Poles within do not count: values there are held.
    fn is_defined(self, [first, last]: [f64; 2], slack: f64) -> bool {
        match self {
            Self::Ln | Self::Log10 | Self::Rsqrt => first > 0.0,
            Self::Sqrt => first >= -slack,
            Self::Reciprocal => first > 0.0 || last < 0.0,
            Self::Asin | Self::Acos => first >= -1.0 - slack && last <= 1.0 + slack,
            _ => true,
        }
    }

    /// For a function that saturates, at -1 and 1, where its values end: those numbers with `fraction` bits behind the point,
    /// and the next that roundings bring there.
    pub(in crate::math) fn valued(self, fraction: u32) -> Option<Bounds> {
        let step = 2f64.powi(-(fraction as i32));
        let end = 1.0 + (slack(step) / step).floor() * step;
        matches!(self, Self::Asin | Self::Acos).then_some(Bounds { lo: -end, hi: end + step })
    }

    /// How far its poles are from each other, if it has any; one is half of that from 0.
    fn between_poles(self) -> Option<f64> {
        match self {
            Self::Tan => Some(PI),
            Self::TanPi => Some(1.0),
            Self::Tan2Pi => Some(0.5),
            _ => None,
        }
    }

    /// Whether it has a pole between both.
    fn has_pole(self, [first, last]: [f64; 2]) -> bool {
        let Some(period) = self.between_poles() else { return false };
        let before = |x: f64| (x / period + 0.5).floor();
        before(first) != before(last) || (first / period + 0.5).fract() == 0.0
    }

    /// The greatest size of its values at numbers with `fraction` bits behind the point within bounds, but for those so near
    /// to a pole that they are held; 0 for a function without poles.
    pub(in crate::math) fn largest_beside_poles(self, Bounds { lo, hi }: Bounds, fraction: u32) -> f64 {
        let Some(period) = self.between_poles() else { return 0.0 };
        let step = 2f64.powi(-(fraction as i32));
        // Poles that are steps themselves have none between two and three steps away.
        let gap = if self == Self::Tan { HELD } else { HELD + 1.0 } * step;
        // Half a period away from a pole it is 0.
        let beside = |distance: f64| {
            if 2.0 * distance < period { (PI * distance / period).tan().recip() } else { 0.0 }
        };
        let ends = [lo, hi - step].map(|end| {
            let turns = end / period - 0.5;
            let distance = (turns - turns.round()).abs() * period;
            if distance > HELD * step * (1.0 + 1e-9) { beside(distance) } else { 0.0 }
        });
        let reaches = [gap, -gap].into_iter().any(|by| self.has_pole([lo + by, hi - step + by]));
        ends.into_iter().fold(if reaches { beside(gap) } else { 0.0 }, f64::max)
    }

    /// `Ok(())` if it has a value at all numbers with `fraction` bits behind the point within the bounds of a domain, or
    /// of a range in which numbers are known to lie.
    ///
    /// # Errors
    /// [`Error::Param`] otherwise.
    pub(in crate::math) fn check_defined(
        self,
        what: &'static str,
        Bounds { lo, hi }: Bounds,
        fraction: u32,
    ) -> Result<()> {
        let step = 2f64.powi(-(fraction as i32));
        let slack = if what == "range" { slack(step) } else { 0.0 };
        match self.values() {
            Some([without, with]) if !self.is_defined([lo, hi - step], slack) => {
                let got = format!("{lo}:{hi} of {self}, which has no value {without}");
                Err(Error::Param { what, got, accepted: with.into() })
            }
            _ => Ok(()),
        }
    }
}

/// How far roundings bring a number with steps of this size.
fn slack(step: f64) -> f64 {
    (ROUNDED[0] * step).min(ROUNDED[1])
}

impl Card {
    /// Where the function has no value and what comes out there; `None` if it has one everywhere.
    pub fn undefined(&self) -> Option<String> {
        let function = self.named?;
        let undefined = function.undefined()?;
        let numbers = [self.domain.lo, self.domain.hi - 2f64.powi(-(self.scale as i32))];
        let arc = matches!(function, Function::Asin | Function::Acos);
        let out = match self.outside {
            _ if function.has_pole(numbers) => "the greatest or the least number of the ring",
            _ if arc
                && self.refused == [false; 2]
                && (self.outside == Outside::Saturate || !function.is_defined(numbers, 0.0)) =>
            {
                "the value at the nearer of both"
            }
            Outside::Wrap => "not allowed, not checked",
            Outside::Saturate | Outside::Clamp => "the value at the nearer end of the domain",
            Outside::Strict | Outside::Usual if arc => "refused, but for roundings of up to 4 steps",
            Outside::Strict | Outside::Usual => "refused",
        };
        Some(format!("{undefined}: {out}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at which floating point gives no number are those that are said to have no value.
    #[test]
    fn what_has_no_value_is_said() {
        for function in Function::ALL {
            for i in -200..=200 {
                let x = f64::from(i) / 8.0;
                let has_one = match function {
                    Function::Asin | Function::Acos => x.abs() <= 1.0,
                    _ => function.eval(x).is_finite() || function.has_poles(),
                };
                assert_eq!(function.is_defined([x, x], 0.0), has_one, "{function}({x})");
                assert!(has_one || function.undefined().is_some(), "{function}({x})");
                let pole = function.has_poles() && function.eval(x).is_infinite();
                assert_eq!(function.has_pole([x, x]), pole, "{function}({x})");
            }
        }
        assert!(Function::Tan.has_pole([1.0, 2.0]) && !Function::Tan.has_pole([-1.5, 1.5]));
        assert!(Function::Tan2Pi.has_pole([-0.25, 0.0]) && !Function::Tan2Pi.has_pole([-0.2, 0.2]));
        assert!(!Function::Reciprocal.is_defined([-1.0, 1.0], 0.0));
    }
}

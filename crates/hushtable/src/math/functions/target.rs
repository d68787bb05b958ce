//! A function on a grid of fixed-point numbers, continued beyond its domain.

use std::cell::Cell;

use super::{Bounds, Function, Outside, Tail};
use crate::error::{Error, Result};

/// Most bits behind the point, of numbers and of results.
const MAX_FRACTION_BITS: u32 = 40;

/// Most numbers of a domain, as a power of two.
const MAX_DOMAIN_BITS: u32 = 40;

/// Largest end of a domain in steps, as a power of two.
const MAX_SIZE_BITS: i32 = 52;

/// How many numbers of a domain are looked at to see whether a function that is known is finite there.
const LOOKED_AT: u64 = 1 << 16;

/// How many numbers of a domain are looked at where nothing is known of the function.
pub(in crate::math) const MOST_LOOKED_AT: u64 = 1 << 24;

/// The numbers `lo, lo + 1, ..., lo + count - 1`, times `2^-fraction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::math) struct Grid {
    pub(in crate::math) bounds: Bounds,
    pub(in crate::math) fraction: u32,
    pub(in crate::math) lo: i64,
    pub(in crate::math) count: u64,
}

impl Grid {
    /// The numbers of `bounds` in a ring of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless both ends are multiples of `2^-fraction`, 2 to 2^40 steps apart, and in the ring.
    pub(in crate::math) fn new(bounds: Bounds, bits: u32, fraction: u32) -> Result<Self> {
        check_fraction(bits, fraction)?;
        let refuse = |accepted: String| {
            let got = format!("{bounds} with {fraction} fraction bits");
            Err(Error::Param { what: "domain", got, accepted })
        };
        let scale = 2f64.powi(fraction as i32);
        let (lo, hi) = (bounds.lo * scale, bounds.hi * scale);
        if !(lo.is_finite() && hi.is_finite() && lo < hi) {
            return refuse("two numbers, the first less than the second".into());
        }
        if lo.fract() != 0.0 || hi.fract() != 0.0 {
            return refuse(format!("ends that are multiples of 2^-{fraction}"));
        }
        if !(2.0..=2f64.powi(MAX_DOMAIN_BITS as i32)).contains(&(hi - lo)) {
            return refuse(format!("2 to 2^{MAX_DOMAIN_BITS} numbers"));
        }
        // Beyond, they are not exact in floating point.
        if lo.abs().max(hi.abs()) > 2f64.powi(MAX_SIZE_BITS) {
            return refuse(format!("ends of at most 2^{MAX_SIZE_BITS} steps of 2^-{fraction}"));
        }
        let half = 2f64.powi(bits as i32 - 1);
        if lo < -half || hi > half {
            return refuse(format!(
                "what a ring of {bits} bits holds, {} to {}",
                -half / scale,
                half / scale
            ));
        }
        Ok(Self { bounds, fraction, lo: lo as i64, count: (hi - lo) as u64 })
    }

    /// The numbers of half of a ring of `bits` bits, around 0.
    pub(in crate::math) fn half(bits: u32, fraction: u32) -> Self {
        let (lo, count) = (-1i64 << (bits - 2), 1u64 << (bits - 1));
        let end = 2f64.powi(bits as i32 - 2 - fraction as i32);
        Self { bounds: Bounds { lo: -end, hi: end }, fraction, lo, count }
    }

    /// All of it as numbers, for a digest; the bounds follow from the rest.
    pub(in crate::math) fn words(&self) -> Vec<u64> {
        let Self { bounds: _, fraction, lo, count } = *self;
        vec![fraction.into(), lo as u64, count]
    }

    /// Bits of an index into it.
    pub(in crate::math) fn bits(&self) -> u32 {
        self.count.next_power_of_two().trailing_zeros()
    }

    /// The number `lo + x`, x whole or not.
    pub(in crate::math) fn number(&self, x: f64) -> f64 {
        (self.lo as f64 + x) / 2f64.powi(self.fraction as i32)
    }
}

/// `Ok(())` for bits behind the point that a ring has, and no more than are exact here.
pub(in crate::math) fn check_fraction(bits: u32, fraction: u32) -> Result<()> {
    if fraction < bits && fraction <= MAX_FRACTION_BITS {
        return Ok(());
    }
    let accepted = format!("0 to {}", MAX_FRACTION_BITS.min(bits - 1));
    Err(Error::Param { what: "bits behind the point", got: fraction.to_string(), accepted })
}

/// What a function is beyond an end of its domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::math) enum Edge {
    Constant(f64),
    /// The number itself.
    Number,
}

/// Where a number lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::math) enum Place {
    Below,
    Inside,
    Above,
}

/// A function, and what is known of it.
#[derive(Clone, Copy)]
pub(in crate::math) struct Known<'a> {
    pub(in crate::math) values: &'a dyn Fn(f64) -> f64,
    /// Which it is, if it has a name: then its slopes are known, and its values outside the domain.
    pub(in crate::math) name: Option<Function>,
    /// Whether results are to be the function's outside the domain, too, as nobody asked for this one.
    pub(in crate::math) everywhere: bool,
}

/// A function and its grid.
pub(in crate::math) struct Target<'a> {
    known: Known<'a>,
    pub(in crate::math) grid: Grid,
    pub(in crate::math) edges: [Edge; 2],
    /// Bits behind the point of a value.
    pub(in crate::math) fraction: u32,
    /// What values are at least and at most, where the number itself stands for the function.
    held: [f64; 2],
    /// Whether it repeats beyond the grid.
    pub(in crate::math) repeats: bool,
    /// The first and the last number, from the grid's first, whose result is to be right or what stands for it.
    pub(in crate::math) places: [i64; 2],
    /// A number at which an approximation was not good enough: the next one is first tried there.
    pub(in crate::math) hard: Cell<u64>,
}

impl<'a> Target<'a> {
    /// For results with `fraction` bits behind the point in a ring of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] for a number of the grid at which the function is not finite.
    pub(in crate::math) fn new(
        known: Known<'a>,
        grid: Grid,
        tails: [Tail; 2],
        [fraction, bits]: [u32; 2],
        outside: Outside,
    ) -> Result<Self> {
        // Results may be a unit or two off, and are not to wrap then.
        let half = 2f64.powi(bits as i32 - 1);
        let repeats = tails == [Tail::Period; 2] && outside == Outside::Wrap;
        let held = [2.0 - half, half - 3.0].map(|value| value / 2f64.powi(fraction as i32));
        let places = [0, grid.count as i64 - 1];
        let (edges, hard) = ([Edge::Number; 2], Cell::new(0));
        let mut target = Self { known, grid, edges, fraction, held, repeats, places, hard };
        target.check()?;
        let ends = [0, grid.count - 1].map(|x| target.inside(x as f64));
        let saturates = matches!(outside, Outside::Saturate | Outside::Usual);
        for (i, tail) in tails.into_iter().enumerate() {
            target.edges[i] = match tail {
                Tail::Limit(value) if saturates => Edge::Constant(value),
                Tail::Number if saturates => Edge::Number,
                _ => Edge::Constant(ends[i]),
            };
        }
        Ok(target)
    }

    fn check(&self) -> Result<()> {
        let step = self.grid.count.div_ceil(if self.is_known() { LOOKED_AT } else { MOST_LOOKED_AT });
        // Many a function has its only pole at 0.
        let zero = self.grid.lo.wrapping_neg() as u64;
        let ends = [self.grid.count - 1, zero].into_iter().filter(|&x| x < self.grid.count);
        let mut looked_at = (0..self.grid.count).step_by(step as usize).chain(ends);
        match looked_at.find(|&x| !self.inside(x as f64).is_finite()) {
            None => Ok(()),
            Some(x) => {
                let got = format!("{} at {}", self.inside(x as f64), self.grid.number(x as f64));
                Err(Error::Param { what: "value of the function", got, accepted: "finite ones".into() })
            }
        }
    }

    /// The function at `lo + x`.
    pub(in crate::math) fn inside(&self, x: f64) -> f64 {
        (self.known.values)(self.grid.number(x))
    }

    /// The function itself at `lo + x`, also outside the domain if it is known there.
    pub(in crate::math) fn truth(&self, x: f64) -> f64 {
        match self.known.name {
            Some(_) => self.inside(x),
            None => self.at(self.place(x.floor() as i64), x),
        }
    }

    /// The same with numbers beyond an end, as far as those of a range in a ring of `bits` bits.
    pub(in crate::math) fn reaching(mut self, beyond: [bool; 2], range: Option<Bounds>, bits: u32) -> Self {
        let (half, steps) = (1i128 << (bits - 1), 2f64.powi(self.grid.fraction as i32));
        let known =
            range.map(|range| [range.lo * steps, range.hi * steps].map(|end| end.clamp(-1e30, 1e30) as i128));
        let [lo, end] = known.map_or([-half, half], |[lo, end]| [lo.max(-half), end.min(half)]);
        let [first, last] =
            [lo, end - 1].map(|x| (x - i128::from(self.grid.lo)).clamp(i64::MIN.into(), i64::MAX.into()));
        let [inside_first, inside_last] = self.inside_places();
        self.places = [
            if beyond[0] { inside_first.min(first as i64) } else { inside_first },
            if beyond[1] { inside_last.max(last as i64) } else { inside_last },
        ];
        self
    }

    /// The first and the last number of the grid, from the first.
    pub(in crate::math) fn inside_places(&self) -> [i64; 2] {
        [0, self.grid.count as i64 - 1]
    }

    /// Whether results are to be the function's wherever numbers lie.
    pub(in crate::math) fn everywhere(&self) -> bool {
        self.known.everywhere && self.known.name.is_some()
    }

    /// Whether the function is known between the numbers that are looked at.
    pub(in crate::math) fn is_known(&self) -> bool {
        self.known.name.is_some()
    }

    /// Which it is, if it has a name.
    pub(in crate::math) fn named(&self) -> Option<Function> {
        self.known.name
    }

    /// Whether the value at `lo + x` is held there, near a pole: then it is exact.
    pub(in crate::math) fn is_held(&self, x: u64) -> bool {
        let number = self.grid.number(x as f64);
        self.known.name.is_some_and(|function| function.eval(number) != self.inside(x as f64))
    }

    /// Units in the last place of a value of 1.
    pub(in crate::math) fn unit(&self) -> f64 {
        2f64.powi(self.fraction as i32)
    }

    /// What the derivative of an order is at most between `lo + x` for these x, in units in the last place and by the
    /// numbers' steps; `None` if that is not known.
    pub(in crate::math) fn slope(&self, order: u32, ends: [f64; 2]) -> Option<f64> {
        let function = self.known.name?;
        let numbers = ends.map(|x| self.grid.number(x));
        // Where values are held the function is not what it is named.
        let held = function.has_poles()
            && ends.iter().any(|&x| self.inside(x) != function.eval(self.grid.number(x)));
        let steps = 2f64.powi(-((self.grid.fraction * order) as i32));
        let slope = function.derivative(order, numbers) * steps * self.unit();
        (!held && slope.is_finite()).then_some(slope)
    }

    /// How far values between `lo + x` for these x may be beyond those at both ends, in units in the last place; `None`
    /// if that is not known.
    pub(in crate::math) fn wander(&self, ends: [f64; 2]) -> Option<f64> {
        let function = self.known.name?;
        if function.is_monotone(ends.map(|x| self.grid.number(x))) {
            return Some(0.0);
        }
        Some(self.slope(1, ends)? * (ends[1] - ends[0]) / 2.0)
    }

    /// How far results are from the function beyond the ends at which they are what stands for it, in units in the last
    /// place: it comes nearer to that, the farther numbers are outside, or from where it is farthest on.
    ///
    /// # Errors
    /// As [`rounded`](Self::rounded).
    pub(in crate::math) fn beyond(&self, bits: u32) -> Result<f64> {
        let (mut worst, [first, last]) = (0f64, self.inside_places());
        let outside = [(-1, self.places[0] < first), (last + 1, self.places[1] > last)];
        for (x, _) in outside.into_iter().filter(|(_, outside)| *outside) {
            let stands = self.rounded(x, bits)? as f64;
            worst = worst.max((stands - self.truth(x as f64) * self.unit()).abs());
            // Far out.
            if let Edge::Constant(value) = self.edges[usize::from(x > first)] {
                worst = worst.max((stands - value * self.unit()).abs());
            }
            let (farthest, most) = self.known.name.map_or((0.0, 0.0), Function::farthest);
            if self.grid.number(x as f64).abs() < farthest {
                worst = worst.max(most * self.unit());
            }
        }
        Ok(worst)
    }

    /// The continued function at `lo + x`.
    pub(in crate::math) fn at(&self, place: Place, x: f64) -> f64 {
        let edge = match place {
            Place::Inside => return self.inside(x),
            Place::Below => self.edges[0],
            Place::Above => self.edges[1],
        };
        match edge {
            Edge::Constant(value) => value,
            // Finer results hold fewer numbers than there are.
            Edge::Number => self.grid.number(x).clamp(self.held[0], self.held[1]),
        }
    }

    /// How far what stands for the function beyond either end lies from its value there, in units in the last place.
    pub(in crate::math) fn jumps(&self) -> [f64; 2] {
        let ends = [(0, Place::Below), (self.grid.count - 1, Place::Above)];
        let jump = |(x, place): (u64, Place)| (self.at(place, x as f64) - self.inside(x as f64)).abs();
        ends.map(|end| jump(end) * 2f64.powi(self.fraction as i32))
    }

    /// Where `lo + x` lies.
    pub(in crate::math) fn place(&self, x: i64) -> Place {
        match x {
            ..0 => Place::Below,
            x if x as u64 >= self.grid.count => Place::Above,
            _ => Place::Inside,
        }
    }

    /// The continued function at `lo + x`, times its scale, rounded to nearest.
    ///
    /// # Errors
    /// [`Error::Param`] for a value that `bits` bits do not hold.
    pub(in crate::math) fn rounded(&self, x: i64, bits: u32) -> Result<i64> {
        let (scale, half) = (2f64.powi(self.fraction as i32), 2f64.powi(bits as i32 - 1));
        let value = match (self.place(x), self.edges) {
            // Nothing is off here: only what the ring does not hold is held.
            (Place::Below, [Edge::Number, _]) | (Place::Above, [_, Edge::Number]) => {
                self.grid.number(x as f64).clamp(-half / scale, (half - 1.0) / scale)
            }
            (place, _) => self.at(place, x as f64),
        };
        let scaled = (value * scale).round();
        if (-half..half).contains(&scaled) {
            return Ok(scaled as i64);
        }
        let at = self.grid.number(x as f64);
        let got = format!("{value} at {at} with {} fraction bits", self.fraction);
        Err(Error::Param { what: "value of the function", got, accepted: format!("values of {bits} bits") })
    }
}

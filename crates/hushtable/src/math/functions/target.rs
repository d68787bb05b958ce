//! A function on a grid of fixed-point numbers, continued beyond its domain.

use super::{Bounds, Function, Outside, Tail};
use crate::error::{Error, Result};

/// Most bits behind the point, of numbers and of results.
const MAX_FRACTION_BITS: u32 = 40;

/// Most numbers of a domain, as a power of two.
const MAX_DOMAIN_BITS: u32 = 40;

/// How many numbers of a domain are looked at to see whether the function is finite there.
const LOOKED_AT: u64 = 1 << 16;

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

/// A function and its grid.
pub(in crate::math) struct Target<'a> {
    function: &'a dyn Fn(f64) -> f64,
    pub(in crate::math) grid: Grid,
    pub(in crate::math) edges: [Edge; 2],
    /// Bits behind the point of a value.
    pub(in crate::math) fraction: u32,
    /// What values are at least and at most, where the number itself stands for the function.
    held: [f64; 2],
    /// Whether it repeats beyond the grid.
    pub(in crate::math) repeats: bool,
}

impl<'a> Target<'a> {
    /// For results with `fraction` bits behind the point in a ring of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] for a number of the grid at which the function is not finite.
    pub(in crate::math) fn new(
        function: &'a dyn Fn(f64) -> f64,
        grid: Grid,
        tails: [Tail; 2],
        [fraction, bits]: [u32; 2],
        outside: Outside,
    ) -> Result<Self> {
        // Results may be a unit or two off, and are not to wrap then.
        let half = 2f64.powi(bits as i32 - 1);
        let repeats = tails == [Tail::Period; 2] && outside == Outside::Wrap;
        let held = [2.0 - half, half - 3.0].map(|value| value / 2f64.powi(fraction as i32));
        let mut target = Self { function, grid, edges: [Edge::Number; 2], fraction, held, repeats };
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
        let step = self.grid.count.div_ceil(LOOKED_AT);
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
        (self.function)(self.grid.number(x))
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

/// Where numbers of a known range are best evaluated: in all of it if that is within the usual domain; else beyond an
/// end where the function tends to nothing, there the range's end.
pub(in crate::math) fn known_domain(function: Function, usual: Bounds, range: Bounds) -> Bounds {
    if usual.contains(range) {
        return range;
    }
    let end = |tail, known, usual| if tail == Tail::End { known } else { usual };
    let [below, above] = function.tails();
    Bounds { lo: end(below, range.lo, usual.lo), hi: end(above, range.hi, usual.hi) }
}

/// The function's own domain, or what suits a ring: an end that lies outside is moved in, and while the value at
/// the upper end does not fit, so is that. `moved_out`: an end at which it is a unit or more from what it tends to
/// there is moved out before.
pub(in crate::math) fn usual_domain(
    function: Function,
    [bits, fraction, fraction_out]: [u32; 3],
    moved_out: bool,
) -> Bounds {
    if function.tails() == [Tail::Period; 2] {
        return function.domain();
    }
    let Bounds { mut lo, mut hi } = function.domain();
    let most = |fraction: u32| 2f64.powi(bits as i32 - 1 - fraction as i32);
    let unit = 2f64.powi(-(fraction_out as i32));
    for (end, tail) in [&mut lo, &mut hi].into_iter().zip(function.tails()).filter(|_| moved_out) {
        let gap = |x: f64| match tail {
            Tail::Limit(value) => (function.eval(x) - value).abs(),
            Tail::Number => (function.eval(x) - x).abs(),
            Tail::End | Tail::Period => 0.0,
        };
        while gap(*end) >= unit {
            *end *= 2.0;
        }
    }
    let too_large = |hi: f64| function.eval(hi) >= most(fraction_out) + unit / 4.0;
    while hi > 0.0 && too_large(hi) {
        hi = if hi > 1.0 { hi / 2.0 } else { 0.0 };
    }
    lo = lo.max(-most(fraction));
    while hi > most(fraction) {
        hi = if lo > 0.0 { lo + (hi - lo) / 2.0 } else { hi / 2.0 };
    }
    Bounds { lo, hi }
}

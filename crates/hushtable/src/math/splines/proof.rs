//! What polynomials with whole coefficients are off from a function at most, by proof.
//!
//! Between two numbers a function is near the polynomial through some of its values, by as much as its next derivative
//! allows; what this and the given polynomial differ by is a polynomial too, whose extrema are known. Over an interval
//! where that is not enough, the values at the ends bound a function that rises or falls. Else the interval is halved,
//! down to single numbers: so the search looks most closely where the function bends.

use super::poly::{Poly, extent};
use crate::math::functions::target::Target;

/// Intervals of so many numbers are looked at number by number.
const FEW: i64 = 6;

/// How much more than the largest error seen is proven, in units in the last place and of its size.
pub(in crate::math) const SHARP: f64 = 0.02;

/// Most intervals that are looked at; what is left then counts with its bound, which may be large.
const MOST: u32 = 1 << 15;

/// How far values in floating point may be off, of their size: eight of their roundings.
const ROUNDING: f64 = 1.0 / (1u64 << 50) as f64;

/// Errors below this are not counted, in units in the last place.
const NOTHING: f64 = 1.0 / (1u64 << 20) as f64;

/// A search for the largest error.
pub(in crate::math) struct Search<'a> {
    target: &'a Target<'a>,
    /// An error beyond it ends the search, one below need not be known.
    limit: Option<f64>,
    /// The largest seen.
    seen: f64,
    /// What none exceeds.
    proven: f64,
    /// The largest value met.
    largest: f64,
    left: u32,
}

/// What may be off in floating point for a value of this size, in the units of both.
pub(in crate::math) fn allowance(value: f64) -> f64 {
    let off = value * ROUNDING;
    if off < NOTHING { 0.0 } else { off }
}

impl<'a> Search<'a> {
    /// For whether errors are below a limit; without one, for the largest.
    pub(super) fn new(target: &'a Target<'a>, limit: Option<f64>) -> Self {
        Self { target, limit, seen: 0.0, proven: 0.0, largest: 0.0, left: MOST }
    }

    /// What no error exceeds.
    pub(super) fn proven(&self) -> f64 {
        self.proven.max(self.seen) + allowance(self.largest)
    }

    /// Whether an error beyond the limit was met.
    pub(super) fn failed(&self) -> bool {
        self.limit.is_some_and(|limit| self.proven() > limit)
    }

    /// What is good enough for an interval.
    fn enough(&self) -> f64 {
        self.limit.unwrap_or((self.seen + SHARP * self.seen.max(1.0)).max(self.proven))
    }

    /// Takes the numbers `first + u` for `from <= u <= to`, at which the polynomial stands for the function.
    pub(super) fn take(&mut self, poly: &Poly, first: i64, [from, to]: [i64; 2]) {
        let mut intervals = vec![[from, to]];
        while let Some([a, b]) = intervals.pop() {
            if b - a <= FEW {
                (a..=b).for_each(|u| self.see(poly, first, u));
            } else {
                [a, a + (b - a) / 2, b].into_iter().for_each(|u| self.see(poly, first, u));
                if self.failed() {
                    return;
                }
                let mut bound = self.by_values(poly, first, [a, b]);
                if bound.is_none_or(|bound| bound > self.enough()) {
                    let near = self.by_slope(poly, first, [a, b]);
                    bound = [bound, near].into_iter().flatten().reduce(f64::min);
                }
                let bound = bound.unwrap_or(f64::INFINITY);
                if bound <= self.enough() || self.left == 0 {
                    self.proven = self.proven.max(bound);
                } else {
                    self.left -= 1;
                    let middle = a + (b - a) / 2;
                    intervals.extend([[middle + 1, b], [a, middle]]);
                }
            }
            if self.failed() {
                return;
            }
        }
    }

    /// At one number.
    fn see(&mut self, poly: &Poly, first: i64, u: i64) {
        let value = self.target.truth((first + u) as f64);
        self.largest = self.largest.max((value * self.target.unit()).abs());
        self.seen = self.seen.max(poly.error(u, value * self.target.unit()).abs());
    }

    /// By the values of a function that rises or falls, or does not change much, and the extrema of the polynomial.
    fn by_values(&self, poly: &Poly, first: i64, [a, b]: [i64; 2]) -> Option<f64> {
        let (ends, unit) = ([(first + a) as f64, (first + b) as f64], self.target.unit());
        let values = ends.map(|x| self.target.truth(x) * unit);
        let between = self.target.wander(ends)?;
        let (least, most) = (values[0].min(values[1]) - between, values[0].max(values[1]) + between);
        let [low, high] = poly.range([a, b]);
        Some((high - least).max(most - low)).filter(|bound| bound.is_finite())
    }

    /// By the polynomial of the same degree through the function's values at Chebyshev's nodes.
    fn by_slope(&self, poly: &Poly, first: i64, [a, b]: [i64; 2]) -> Option<f64> {
        let (degree, unit) = (poly.degree(), self.target.unit());
        let (middle, half) = ((first + a) as f64 + (b - a) as f64 / 2.0, (b - a) as f64 / 2.0);
        let slope = self.target.slope(degree as u32 + 1, [middle - half, middle + half])?;
        let factorial: f64 = (1..=degree + 1).map(|k| k as f64).product();
        let rest = slope * half.powi(degree as i32 + 1) / (factorial * 2f64.powi(degree as i32));
        if rest.is_nan() || rest > self.enough() {
            return None;
        }
        let mut near = chebyshev(degree, |t| self.target.truth(middle + half * t) * unit);
        let given = poly.around([a, b]);
        near.iter_mut().zip(given).for_each(|(near, given)| *near = given - *near);
        let [least, most] = extent(near);
        Some(rest + most.max(-least)).filter(|bound| bound.is_finite())
    }
}

/// The polynomial of a degree, 1 to 3, through a function's values at Chebyshev's nodes of -1 to 1.
fn chebyshev(degree: usize, f: impl Fn(f64) -> f64) -> [f64; 4] {
    let count = degree + 1;
    let angle = |k: usize| std::f64::consts::PI * (k as f64 + 0.5) / count as f64;
    let mut c = [0f64; 4];
    for k in 0..count {
        let value = f(libm::cos(angle(k)));
        for (j, c) in c.iter_mut().enumerate().take(count) {
            let weight = if j == 0 { 1.0 } else { 2.0 * libm::cos(j as f64 * angle(k)) };
            *c += value * weight / count as f64;
        }
    }
    [c[0] - c[2], c[1] - 3.0 * c[3], 2.0 * c[2], 4.0 * c[3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_met_again() {
        let f = |t: f64| 3.0 - 2.0 * t + 0.5 * t * t - 7.0 * t * t * t;
        for (found, want) in chebyshev(3, f).into_iter().zip([3.0, -2.0, 0.5, -7.0]) {
            assert!((found - want).abs() < 1e-12, "{found}, not {want}");
        }
        let [a, b, c, d] = chebyshev(1, |t| 2.0 * t - 1.0);
        assert!((a + 1.0).abs() < 1e-12 && (b - 2.0).abs() < 1e-12 && c == 0.0 && d == 0.0);
    }
}

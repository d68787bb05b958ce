//! How fast functions change: bounds of their derivatives over intervals, by which errors between numbers are proven.

use std::f64::consts::{FRAC_1_SQRT_2, LN_10, PI};

use super::Function;

/// What covers the roundings of a bound.
const MARGIN: f64 = 1.0 + 1e-9;

/// `1 / sqrt(2 pi)`, the normal density at 0.
const DENSITY: f64 = 0.398_942_280_401_432_7;

/// The largest `|tanh'|` to `|tanh''''|` anywhere, and by what power of the slope at a place each is bounded there.
const TANH: [[f64; 2]; 4] = [[1.0, 1.0], [0.77, 2.0], [2.0, 4.0], [4.09, 16.0]];

impl Function {
    /// What the derivative of an order, 1 to 4, is at most in size between `a` and `b`. Infinite if that is not known.
    pub(in crate::math) fn derivative(self, order: u32, [a, b]: [f64; 2]) -> f64 {
        let largest = a.abs().max(b.abs());
        let least = if a <= 0.0 && b >= 0.0 { 0.0 } else { a.abs().min(b.abs()) };
        let k = order as usize;
        let bound = match self {
            Self::Sigmoid => sigmoid(k, least),
            Self::Tanh => tanh(k, least),
            Self::Softplus if k == 1 => below_sigmoid(b),
            Self::Softplus => sigmoid(k - 1, least),
            Self::Silu => {
                let below = if k == 1 { below_sigmoid(b) } else { sigmoid(k - 1, least) };
                largest * sigmoid(k, least) + order as f64 * below
            }
            Self::Exp => libm::exp(b),
            Self::Ln => [1.0, 1.0, 2.0, 6.0][k - 1] * positive(a, -(order as i32)),
            Self::Log10 => Self::Ln.derivative(order, [a, b]) / LN_10,
            Self::Sqrt => [0.5, 0.25, 0.375, 0.9375][k - 1] * positive(a, 1 - order as i32) / a.sqrt(),
            Self::Rsqrt => [0.5, 0.75, 1.875, 6.5625][k - 1] * positive(a, -(order as i32)) / a.sqrt(),
            Self::Reciprocal => [1.0, 2.0, 6.0, 24.0][k - 1] * positive(least, -1 - order as i32),
            Self::Erf => erf(k, least, largest),
            Self::Gelu => gelu(k, least, largest, b),
            Self::Identity => [1.0, 0.0, 0.0, 0.0][k - 1],
            Self::Sin | Self::Cos => 1.0,
            Self::SinPi | Self::CosPi => PI.powi(order as i32),
            Self::Sin2Pi | Self::Cos2Pi => (2.0 * PI).powi(order as i32),
            Self::Tan => tan(self, k, [a, b], 1.0),
            Self::TanPi => tan(self, k, [a, b], PI),
            Self::Tan2Pi => tan(self, k, [a, b], 2.0 * PI),
            Self::Asin | Self::Acos => asin(k, least, largest),
            Self::Atan => atan(k, least, largest),
        };
        if bound.is_nan() { f64::INFINITY } else { bound * MARGIN }
    }

    /// Whether it only rises or only falls between `a` and `b`.
    pub(in crate::math) fn is_monotone(self, [a, b]: [f64; 2]) -> bool {
        match self {
            Self::Gelu | Self::Silu => a >= 0.0,
            Self::Sin | Self::Cos | Self::SinPi | Self::CosPi | Self::Sin2Pi | Self::Cos2Pi => false,
            Self::Tan | Self::TanPi | Self::Tan2Pi => self.derivative(1, [a, b]).is_finite(),
            Self::Reciprocal => a > 0.0 || b < 0.0,
            _ => true,
        }
    }
}

/// `x^power` for a positive x, else infinite.
fn positive(x: f64, power: i32) -> f64 {
    if x > 0.0 { x.powi(power) } else { f64::INFINITY }
}

/// What the sigmoid is at most up to x.
fn below_sigmoid(x: f64) -> f64 {
    Function::Sigmoid.eval(x)
}

/// At `|x| >= least`, where the slope is `1 / cosh^2 x <= 4 e^(-2 |x|)`. With `y = tanh x` and the slope s the
/// derivatives are `s`, `-2 y s`, `-2 s (1 - 3 y^2)` and `8 y s (2 - 3 y^2)`.
fn tanh(k: usize, least: f64) -> f64 {
    let [anywhere, of_slope] = TANH[k - 1];
    anywhere.min(of_slope * 4.0 * libm::exp(-2.0 * least))
}

/// `(1 + tanh(x / 2)) / 2`.
fn sigmoid(k: usize, least: f64) -> f64 {
    tanh(k, least / 2.0) / 2f64.powi(k as i32 + 1)
}

/// With `g = 2 e^(-x^2) / sqrt pi`: `g`, `-2 x g`, `(4 x^2 - 2) g`, `(12 x - 8 x^3) g`.
fn erf(k: usize, least: f64, x: f64) -> f64 {
    let g = std::f64::consts::FRAC_2_SQRT_PI * libm::exp(-least * least);
    let factor = [1.0, 2.0 * x, (4.0 * x * x - 2.0).max(2.0), 8.0 * x * x * x + 12.0 * x][k - 1];
    (factor * g).min([2.0, 0.97, 2.26, 4.41][k - 1])
}

/// With the normal distribution function P and its density p: `P + x p`, `(2 - x^2) p`, `(x^3 - 4 x) p` and
/// `(7 x^2 - x^4 - 4) p`.
fn gelu(k: usize, least: f64, x: f64, greatest: f64) -> f64 {
    let p = DENSITY * libm::exp(-least * least / 2.0);
    match k {
        1 => (0.5 * libm::erfc(-greatest * FRAC_1_SQRT_2) + x * p).min(1.13),
        2 => ((x * x - 2.0).max(2.0) * p).min(0.8),
        3 => ((x * x * x + 4.0 * x) * p).min(0.8),
        _ => ((x * x + 7.0) * x * x + 4.0) * p,
    }
}

/// In `units` a turn over `2 pi`: with `y = tan x` polynomials of it that grow with its size.
fn tan(function: Function, k: usize, [a, b]: [f64; 2], units: f64) -> f64 {
    // Whether both lie between the same poles.
    let between = |x: f64| (x * units / PI + 0.5).floor();
    if between(a) != between(b) {
        return f64::INFINITY;
    }
    let y = function.eval(a).abs().max(function.eval(b).abs());
    let s = 1.0 + y * y;
    let own = [s, 2.0 * y * s, 2.0 * s * (1.0 + 3.0 * y * y), 8.0 * y * s * (2.0 + 3.0 * y * y)][k - 1];
    own * units.powi(k as i32)
}

/// With `r = 1 - x^2`: `r^(-1/2)`, `x r^(-3/2)`, `(1 + 2 x^2) r^(-5/2)`, `3 x (3 + 2 x^2) r^(-7/2)`; constant beyond 1.
fn asin(k: usize, least: f64, x: f64) -> f64 {
    if least >= 1.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let r = (1.0 - x) * (1.0 + x);
    [1.0, x, 1.0 + 2.0 * x * x, 3.0 * x * (3.0 + 2.0 * x * x)][k - 1] * r.powi(-(k as i32)) * r.sqrt()
}

/// With `d = 1 + x^2`: `1 / d`, `-2 x / d^2`, `(6 x^2 - 2) / d^3`, `24 x (1 - x^2) / d^4`.
fn atan(k: usize, least: f64, x: f64) -> f64 {
    let d = 1.0 + least * least;
    match k {
        1 => 1.0 / d,
        2 => (2.0 * x / (d * d)).min(0.65),
        3 => ((6.0 * x * x - 2.0).max(2.0) / (d * d * d)).min(2.0),
        _ => (24.0 * x * (x * x - 1.0).max(1.0) / (d * d * d * d)).min(4.68),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where each function is tried.
    fn places(function: Function) -> Vec<f64> {
        let all = (-4000..4000).map(|i| f64::from(i) * 0.0037 + 0.0011);
        let served = |x: &f64| match function {
            Function::Ln | Function::Log10 | Function::Sqrt | Function::Rsqrt => *x > 0.2,
            Function::Reciprocal => x.abs() > 0.2,
            Function::Asin | Function::Acos => x.abs() < 0.95,
            Function::Tan | Function::TanPi | Function::Tan2Pi => x.abs() < 0.2,
            _ => true,
        };
        all.filter(served).collect()
    }

    /// Differences of values are no larger than derivatives are said to be: at every order, over short and long
    /// intervals.
    #[test]
    fn differences_are_within_the_bounds() {
        for function in Function::ALL {
            for x in places(function) {
                for (order, signs) in [
                    (1u32, &[-1.0, 1.0][..]),
                    (2, &[1.0, -2.0, 1.0]),
                    (3, &[-1.0, 3.0, -3.0, 1.0]),
                    (4, &[1.0, -4.0, 6.0, -4.0, 1.0]),
                ] {
                    let h = 2f64.powi(-6);
                    let values = signs.iter().enumerate().map(|(i, s)| s * function.eval(x + h * i as f64));
                    let sizes: f64 = (0..=order).map(|i| function.eval(x + h * f64::from(i)).abs()).sum();
                    let found = values.sum::<f64>().abs() / h.powi(order as i32);
                    let noise = 16.0 * sizes * f64::EPSILON / h.powi(order as i32);
                    for more in [0.0, 0.05] {
                        let interval = [x - more, x + h * f64::from(order) + more];
                        let bound = function.derivative(order, interval);
                        assert!(
                            found <= bound + noise,
                            "{function}, order {order} at {x}: {found}, not {bound}"
                        );
                        // Nor smaller than in a part of the interval.
                        let part = function.derivative(order, [x, x]);
                        assert!(bound >= part * 0.999, "{function}, order {order} at {x}: {bound}, {part}");
                    }
                }
            }
        }
    }

    #[test]
    fn intervals_with_a_pole_have_no_bound() {
        for (function, interval) in [
            (Function::Tan, [1.5, 1.6]),
            (Function::TanPi, [-0.6, -0.4]),
            (Function::Tan2Pi, [0.0, 0.5]),
            (Function::Ln, [-1.0, 1.0]),
            (Function::Sqrt, [0.0, 1.0]),
            (Function::Reciprocal, [-1.0, 1.0]),
            (Function::Asin, [0.5, 1.0]),
        ] {
            assert!((1..=4).all(|order| function.derivative(order, interval).is_infinite()), "{function}");
        }
        assert_eq!(Function::Acos.derivative(2, [1.0, 5.0]), 0.0);
        assert!(Function::Sigmoid.derivative(3, [40.0, 1e9]) < 1e-16);
    }
}

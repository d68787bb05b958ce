//! The functions that are known by name.

use std::{
    f64::consts::{FRAC_PI_2, PI},
    fmt,
    str::FromStr,
};

use super::Bounds;
use crate::error::{Error, Result};

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Function {
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// Hyperbolic tangent.
    Tanh,
    /// `e^x`
    Exp,
    /// Natural logarithm.
    Ln,
    /// Logarithm to base 10.
    Log10,
    /// Square root.
    Sqrt,
    /// `1 / sqrt(x)`
    Rsqrt,
    /// `1 / x`
    Reciprocal,
    /// `x` times the normal distribution function at `x`.
    Gelu,
    /// `x / (1 + e^-x)`
    Silu,
    /// `ln(1 + e^x)`
    Softplus,
    /// Error function.
    Erf,
    /// `x` itself.
    Identity,
    /// Sine of x radians.
    Sin,
    /// Cosine of x radians.
    Cos,
    /// Tangent of x radians.
    Tan,
    /// Sine of x half turns: `sin(pi x)`.
    SinPi,
    /// Cosine of x half turns.
    CosPi,
    /// Tangent of x half turns.
    TanPi,
    /// Sine of x turns: `sin(2 pi x)`.
    Sin2Pi,
    /// Cosine of x turns.
    Cos2Pi,
    /// Tangent of x turns.
    Tan2Pi,
    /// Arc sine, in radians; the value at the nearer end for a number beyond -1 or 1.
    Asin,
    /// Arc cosine, in radians; as the arc sine beyond -1 and 1.
    Acos,
    /// Arc tangent, in radians.
    Atan,
}

/// What a function tends to beyond an end of its domain: the value that saturation gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tail {
    /// A limit.
    Limit(f64),
    /// The number itself.
    Number,
    /// The function again: it repeats, and the domain is a whole period.
    Period,
    /// Nothing in particular: its value at the end of the domain.
    End,
}

impl Function {
    /// All of them.
    pub const ALL: [Self; 25] = [
        Self::Sigmoid,
        Self::Tanh,
        Self::Exp,
        Self::Ln,
        Self::Log10,
        Self::Sqrt,
        Self::Rsqrt,
        Self::Reciprocal,
        Self::Gelu,
        Self::Silu,
        Self::Softplus,
        Self::Erf,
        Self::Identity,
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::SinPi,
        Self::CosPi,
        Self::TanPi,
        Self::Sin2Pi,
        Self::Cos2Pi,
        Self::Tan2Pi,
        Self::Asin,
        Self::Acos,
        Self::Atan,
    ];

    /// The name on a command line and of a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sigmoid => "sigmoid",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
            Self::Ln => "ln",
            Self::Log10 => "log10",
            Self::Sqrt => "sqrt",
            Self::Rsqrt => "rsqrt",
            Self::Reciprocal => "reciprocal",
            Self::Gelu => "gelu",
            Self::Silu => "silu",
            Self::Softplus => "softplus",
            Self::Erf => "erf",
            Self::Identity => "identity",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::SinPi => "sinpi",
            Self::CosPi => "cospi",
            Self::TanPi => "tanpi",
            Self::Sin2Pi => "sin2pi",
            Self::Cos2Pi => "cos2pi",
            Self::Tan2Pi => "tan2pi",
            Self::Asin => "asin",
            Self::Acos => "acos",
            Self::Atan => "atan",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Sigmoid => "1 / (1 + e^-x)",
            Self::Tanh => "hyperbolic tangent",
            Self::Exp => "e^x",
            Self::Ln => "natural logarithm, of numbers above 0",
            Self::Log10 => "logarithm to base 10, of numbers above 0",
            Self::Sqrt => "square root, of numbers from 0 on",
            Self::Rsqrt => "1 / sqrt(x), of numbers above 0",
            Self::Reciprocal => "1 / x, of numbers but 0",
            Self::Gelu => "x times the normal distribution function at x",
            Self::Silu => "x / (1 + e^-x)",
            Self::Softplus => "ln(1 + e^x)",
            Self::Erf => "error function",
            Self::Identity => "x itself",
            Self::Sin => "sine of x radians",
            Self::Cos => "cosine of x radians",
            Self::Tan => "tangent of x radians, at a pole what the ring holds",
            Self::SinPi => "sine of x half turns, sin(pi x)",
            Self::CosPi => "cosine of x half turns, cos(pi x)",
            Self::TanPi => "tangent of x half turns, tan(pi x), at a pole what the ring holds",
            Self::Sin2Pi => "sine of x turns, sin(2 pi x)",
            Self::Cos2Pi => "cosine of x turns, cos(2 pi x)",
            Self::Tan2Pi => "tangent of x turns, tan(2 pi x), at a pole what the ring holds",
            Self::Asin => "arc sine, in radians, of numbers from -1 to 1",
            Self::Acos => "arc cosine, in radians, of numbers from -1 to 1",
            Self::Atan => "arc tangent, in radians",
        }
    }

    /// The function in floating point, the same on every machine.
    pub fn eval(self, x: f64) -> f64 {
        match self {
            Self::Sigmoid => sigmoid(x),
            Self::Tanh => libm::tanh(x),
            Self::Exp => libm::exp(x),
            Self::Ln => libm::log(x),
            Self::Log10 => libm::log10(x),
            Self::Sqrt => x.sqrt(),
            Self::Rsqrt => 1.0 / x.sqrt(),
            Self::Reciprocal => 1.0 / x,
            Self::Gelu => 0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2),
            Self::Silu => x * sigmoid(x),
            Self::Softplus => x.max(0.0) + libm::log1p(libm::exp(-x.abs())),
            Self::Erf => libm::erf(x),
            Self::Identity => x,
            Self::Sin => libm::sin(x),
            Self::Cos => libm::cos(x),
            Self::Tan => libm::tan(x),
            Self::SinPi => sin_half_turns(x),
            Self::CosPi => sin_half_turns(x.rem_euclid(2.0) + 0.5),
            Self::TanPi => tan_half_turns(x),
            Self::Sin2Pi => sin_half_turns(2.0 * x),
            Self::Cos2Pi => sin_half_turns((2.0 * x).rem_euclid(2.0) + 0.5),
            Self::Tan2Pi => tan_half_turns(2.0 * x),
            Self::Asin => libm::asin(x.clamp(-1.0, 1.0)),
            Self::Acos => libm::acos(x.clamp(-1.0, 1.0)),
            Self::Atan => libm::atan(x),
        }
    }

    /// Whether it has poles: values that a ring does not hold are the greatest and the least that it does.
    pub fn has_poles(self) -> bool {
        matches!(self, Self::Tan | Self::TanPi | Self::Tan2Pi)
    }

    /// The sine or cosine that it is: whether it is the cosine, and how many of its units are a turn, if that is
    /// a power of two.
    pub(in crate::math) fn wave(self) -> Option<(bool, Option<u32>)> {
        Some(match self {
            Self::Sin => (false, None),
            Self::Cos => (true, None),
            Self::SinPi => (false, Some(2)),
            Self::CosPi => (true, Some(2)),
            Self::Sin2Pi => (false, Some(1)),
            Self::Cos2Pi => (true, Some(1)),
            _ => return None,
        })
    }

    /// The domain of a table unless another is asked for. An [`Evaluation`](crate::math::Evaluation) of fine results
    /// may
    /// take a larger one.
    pub fn domain(self) -> Bounds {
        let (lo, hi) = match self {
            Self::Tanh | Self::Erf => (-4.0, 4.0),
            Self::Silu | Self::Softplus => (-16.0, 16.0),
            Self::Ln | Self::Log10 | Self::Sqrt | Self::Rsqrt | Self::Reciprocal => (0.25, 16.25),
            Self::Sigmoid | Self::Exp | Self::Gelu | Self::Identity | Self::Atan => (-8.0, 8.0),
            Self::Sin | Self::Cos => (-4.0, 4.0),
            Self::SinPi | Self::CosPi | Self::Tan | Self::Asin | Self::Acos => (-1.0, 1.0),
            Self::TanPi | Self::Sin2Pi | Self::Cos2Pi => (-0.5, 0.5),
            Self::Tan2Pi => (-0.25, 0.25),
        };
        Bounds { lo, hi }
    }

    /// What it tends to below and above a domain: a function that repeats does so over whole periods only.
    pub(in crate::math) fn tails_over(self, domain: Bounds) -> [Tail; 2] {
        let period = self.domain().hi - self.domain().lo;
        let whole = domain.hi - domain.lo == period;
        self.tails().map(|tail| if tail == Tail::Period && !whole { Tail::End } else { tail })
    }

    /// At which size of numbers it is farthest from what it tends to, and how far, if that is not 0.
    pub(in crate::math) fn farthest(self) -> (f64, f64) {
        match self {
            Self::Gelu => (0.76, 0.1701),
            Self::Silu => (1.28, 0.2785),
            _ => (0.0, 0.0),
        }
    }

    /// What it tends to far from 0, but too slowly to be near it at the ends of its domain.
    pub(in crate::math) fn far(self) -> Option<[f64; 2]> {
        (self == Self::Atan).then_some([-FRAC_PI_2, FRAC_PI_2])
    }

    /// What it tends to below and above its domain.
    pub fn tails(self) -> [Tail; 2] {
        match self {
            Self::Sigmoid => [Tail::Limit(0.0), Tail::Limit(1.0)],
            Self::Tanh | Self::Erf => [Tail::Limit(-1.0), Tail::Limit(1.0)],
            Self::Exp => [Tail::Limit(0.0), Tail::End],
            Self::Gelu | Self::Silu | Self::Softplus => [Tail::Limit(0.0), Tail::Number],
            Self::Ln | Self::Log10 | Self::Sqrt | Self::Rsqrt | Self::Reciprocal => [Tail::End; 2],
            Self::Sin | Self::Cos | Self::Tan | Self::Atan => [Tail::End; 2],
            Self::SinPi | Self::CosPi | Self::TanPi => [Tail::Period; 2],
            Self::Sin2Pi | Self::Cos2Pi | Self::Tan2Pi => [Tail::Period; 2],
            Self::Asin => [Tail::Limit(-FRAC_PI_2), Tail::Limit(FRAC_PI_2)],
            Self::Acos => [Tail::Limit(PI), Tail::Limit(0.0)],
            Self::Identity => [Tail::Number; 2],
        }
    }
}

/// `sin(pi x)`, exact at the quarters.
fn sin_half_turns(x: f64) -> f64 {
    let left = x - 2.0 * (x / 2.0).round();
    let near = if left.abs() > 0.5 { left.signum() - left } else { left };
    libm::sin(PI * near)
}

/// `tan(pi x)`, infinite at the poles; next to them by how far they are, which is exact.
fn tan_half_turns(x: f64) -> f64 {
    let left = x - x.round();
    let near = 0.5 - left.abs();
    match near {
        0.0 => f64::INFINITY,
        0.25.. => libm::tan(PI * left),
        _ => (1.0 / libm::tan(PI * near)).copysign(left),
    }
}

/// Without cancellation at either end.
fn sigmoid(x: f64) -> f64 {
    let e = libm::exp(-x.abs());
    if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Function {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|function| function.name() == name);
        known.ok_or_else(|| {
            let accepted = Self::ALL.map(Self::name).join(", ");
            Error::Param { what: "function", got: name.into(), accepted }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_back() {
        for function in Function::ALL {
            assert_eq!(function.name().parse::<Function>().unwrap(), function);
        }
        let error = "cosine".parse::<Function>().unwrap_err().to_string();
        assert!(error.contains("cosine") && error.contains("sigmoid, tanh"), "{error}");
    }

    /// Digits from tables of these functions.
    #[test]
    fn values_are_accurate() {
        let known = [
            (Function::Sigmoid, -30.0, 9.357622968839299e-14),
            (Function::Sigmoid, 1.0, 0.7310585786300049),
            (Function::Tanh, 0.5, 0.46211715726000975),
            (Function::Exp, 1.0, std::f64::consts::E),
            (Function::Ln, 10.0, std::f64::consts::LN_10),
            (Function::Log10, 0.25, -0.6020599913279624),
            (Function::Sqrt, 2.0, std::f64::consts::SQRT_2),
            (Function::Rsqrt, 0.25, 2.0),
            (Function::Reciprocal, 0.25, 4.0),
            (Function::Gelu, 1.0, 0.8413447460685429),
            (Function::Gelu, -5.0, -1.4332578593959731e-6),
            (Function::Silu, 1.0, 0.7310585786300049),
            (Function::Softplus, 0.0, std::f64::consts::LN_2),
            (Function::Softplus, -40.0, 4.248354255291589e-18),
            (Function::Erf, 0.5, 0.5204998778130465),
            (Function::Erf, 2.0, 0.9953222650189527),
            (Function::Identity, 0.3, 0.3),
            (Function::Sin, 1.0, 0.8414709848078965),
            (Function::Cos, 1.0, 0.5403023058681398),
            (Function::Tan, 1.0, 1.5574077246549023),
            (Function::SinPi, 0.75, std::f64::consts::FRAC_1_SQRT_2),
            (Function::SinPi, -1.0, 0.0),
            (Function::CosPi, 1.0, -1.0),
            (Function::CosPi, -2.5, 0.0),
            (Function::TanPi, -0.25, -1.0),
            (Function::TanPi, 1.5, f64::INFINITY),
            (Function::TanPi, 0.5 - 2f64.powi(-24), 5340353.71544081),
            (Function::TanPi, -7.5 + 2f64.powi(-36), -21874088818.445812),
            (Function::Tan2Pi, 0.25 + 2f64.powi(-25), -5340353.71544081),
            (Function::Sin2Pi, 0.25, 1.0),
            (Function::Cos2Pi, 0.125, std::f64::consts::FRAC_1_SQRT_2),
            (Function::Tan2Pi, 0.625, 1.0),
            (Function::Asin, 0.5, std::f64::consts::FRAC_PI_6),
            (Function::Acos, 1.25, 0.0),
            (Function::Atan, 1.0, std::f64::consts::FRAC_PI_4),
        ];
        for (function, x, want) in known {
            let got = function.eval(x);
            if want.is_infinite() {
                assert_eq!(got, want, "{function}({x})");
                continue;
            }
            assert!((got - want).abs() <= 4e-13 * want.abs(), "{function}({x}): {got}, not {want}");
            if x.abs() < 3.0 {
                assert!((got - want).abs() <= 1e-15, "{function}({x}): {got}, not {want}");
            }
        }
        assert!(Function::ALL.iter().all(|f| known.iter().any(|(g, ..)| f == g)), "one is missing");
    }
}

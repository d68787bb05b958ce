//! How a function is to be evaluated.

use std::fmt;

use super::{Bounds, Tail};
use crate::arith::Objective;

/// What is to be made of a function. Public, the same at both parties.
///
/// ```
/// use hushtable::math::{Bounds, Method, Options};
///
/// let options = Options::default().domain(Bounds { lo: -8.0, hi: 8.0 }).method(Method::Direct);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Where it is evaluated; by default the function's own domain, as much of it as the ring holds, or a larger
    /// one at whose ends the function is less than a unit of a result from what it saturates to. If
    /// [`range`](Self::range) is known: that, where a method serves all of it.
    pub domain: Option<Bounds>,
    /// Where all numbers are known to lie. What cannot occur is not looked for, and numbers that can only lie where
    /// they are refused are refused at once.
    pub range: Option<Bounds>,
    /// How.
    pub method: Method,
    /// What becomes of numbers outside.
    pub outside: Outside,
    /// Bits behind the point of the results; by default as many as the numbers have.
    pub fraction_out: Option<u32>,
    /// What is to be small, where there is a choice.
    pub objective: Objective,
    /// The largest error allowed, in units in the last place of a result. By default 1 for domains of
    /// at most `2^16` numbers and 3 for larger ones, where a method is chosen; what it gives, where a
    /// method is asked for.
    pub max_ulp: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            domain: None,
            range: None,
            method: Method::Auto,
            outside: Outside::Usual,
            fraction_out: None,
            objective: Objective::Total,
            max_ulp: None,
        }
    }
}

impl Options {
    /// Where it is evaluated.
    #[must_use]
    pub fn domain(self, domain: impl Into<Option<Bounds>>) -> Self {
        Self { domain: domain.into(), ..self }
    }

    /// Where all numbers lie.
    #[must_use]
    pub fn range(self, range: impl Into<Option<Bounds>>) -> Self {
        Self { range: range.into(), ..self }
    }

    /// How.
    #[must_use]
    pub fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// What becomes of numbers outside.
    #[must_use]
    pub fn outside(self, outside: Outside) -> Self {
        Self { outside, ..self }
    }

    /// Bits behind the point of the results.
    #[must_use]
    pub fn fraction_out(self, fraction_out: impl Into<Option<u32>>) -> Self {
        Self { fraction_out: fraction_out.into(), ..self }
    }

    /// What is to be small.
    #[must_use]
    pub fn objective(self, objective: Objective) -> Self {
        Self { objective, ..self }
    }

    /// The largest error allowed.
    #[must_use]
    pub fn max_ulp(self, max_ulp: impl Into<Option<f64>>) -> Self {
        Self { max_ulp: max_ulp.into(), ..self }
    }
}

/// How a function is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The cheapest that is accurate enough.
    Auto,
    /// A table of all its values.
    Direct,
    /// A sine or cosine by angle addition.
    Angle,
    /// Polynomials over pieces of equal length.
    Spline {
        /// 1 to 3.
        degree: u32,
        /// Over the domain: a power of two, 2 to 2^12.
        pieces: u32,
    },
}

/// What becomes of numbers outside the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outside {
    /// [`Saturate`](Self::Saturate) beyond an end where the function has a limit or tends to the number itself,
    /// [`Strict`](Self::Strict) beyond one where it has neither, and where it has no value at all. A function that repeats is
    /// right everywhere.
    Usual,
    /// The function's limit, see [`Function::tails`](crate::math::Function::tails).
    Saturate,
    /// Its value at the nearer end of the domain.
    Clamp,
    /// The caller promises that there are none. The result for others is that of some number inside, or
    /// meaningless.
    Wrap,
    /// An error at both parties, who learn that there are some and nothing more.
    Strict,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Direct => f.write_str("table"),
            Self::Angle => f.write_str("angle addition"),
            Self::Spline { degree, pieces } => write!(f, "spline of degree {degree}, {pieces} pieces"),
        }
    }
}

impl Outside {
    /// What it comes to for a function with these tails. `Usual` is left where the ends differ.
    pub(in crate::math) fn of(self, tails: [Tail; 2]) -> Self {
        match (self, tails.map(|tail| tail == Tail::End)) {
            (Self::Usual, _) if tails == [Tail::Period; 2] => Self::Wrap,
            (Self::Usual, [false, false]) => Self::Saturate,
            (Self::Usual, [true, true]) => Self::Strict,
            _ => self,
        }
    }

    /// Whether numbers beyond an end with this tail are refused.
    pub(in crate::math) fn refuses(self, tail: Tail) -> bool {
        self == Self::Strict || self == Self::Usual && tail == Tail::End
    }

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usual => "usual",
            Self::Saturate => "saturate",
            Self::Clamp => "clamp",
            Self::Wrap => "wrap",
            Self::Strict => "strict",
        }
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

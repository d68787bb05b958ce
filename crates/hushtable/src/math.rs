//! Functions of fixed-point numbers, by name, and the public tables that hold their values.
//!
//! A number is an integer times `2^-fraction_bits`. A [`Domain`] is an interval of such numbers with `2^k`
//! of them, a [`Tabulated`] holds one value for each, and a lookup at `x - lo mod 2^k` is the function.

mod domain;
mod tabulated;

use std::{fmt, str::FromStr};

use crate::error::{Error, Result};

pub use domain::{Bounds, Domain, MAX_INDEX_BITS};
pub use tabulated::{MAX_VALUE_BITS, Tabulated, exact_fraction_bits};

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// Hyperbolic tangent.
    Tanh,
    /// `e^x`
    Exp,
    /// `x` itself.
    Identity,
}

impl Function {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sigmoid, Self::Tanh, Self::Exp, Self::Identity];

    /// The name on a command line and of a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sigmoid => "sigmoid",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
            Self::Identity => "identity",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Sigmoid => "1 / (1 + e^-x)",
            Self::Tanh => "hyperbolic tangent",
            Self::Exp => "e^x",
            Self::Identity => "x itself",
        }
    }

    /// The function in floating point.
    pub fn eval(self, x: f64) -> f64 {
        match self {
            Self::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            Self::Tanh => x.tanh(),
            Self::Exp => x.exp(),
            Self::Identity => x,
        }
    }

    /// The domain unless another is asked for.
    pub fn domain(self) -> Bounds {
        match self {
            Self::Tanh => Bounds { lo: -4.0, hi: 4.0 },
            _ => Bounds { lo: -8.0, hi: 8.0 },
        }
    }
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
}

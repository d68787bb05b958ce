//! Functions of numbers of any size, evaluated as the library's cards say.

use std::f64::consts::{LOG10_E, PI};

use crate::decision::about;
use hushtable::{
    Error,
    arith::Objective,
    math::{Bounds, Card, Evaluation, Function, Method, Options, Outside, Suggestion},
};
use hushtable_columns::{
    Format,
    failure::{Failure, Result},
    numbers::Operand,
};

/// The narrowest ring that is tried unless one is asked for.
pub const NARROW: u32 = 32;
/// The widest.
pub const WIDE: u32 = 64;

/// What is asked of the function, besides its name.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Width of the ring.
    pub bits: Option<u32>,
    pub fraction_bits: u32,
    pub digits: Digits,
    pub domain: Option<Bounds>,
    pub method: Method,
    pub outside: Outside,
    pub objective: Objective,
}

/// Bits after the point of the results.
#[derive(Clone, Copy, Debug)]
pub enum Digits {
    /// So many.
    Of(u32),
    /// As many as results that stay shared may need for what comes later, and `least` if no more fit.
    Most { least: u32 },
}

/// Digits that are tried for results that stay shared, the best first.
const FINE: [u32; 4] = [24, 22, 20, 16];

/// The function in a ring as asked for, else in the narrower one if it serves; in the wide one if its results are to be
/// fine.
pub fn evaluation(function: Function, wanted: Wanted) -> Result<Evaluation> {
    let bits = wanted.bits.unwrap_or(WIDE);
    let made = match (wanted.bits, digits(function, &wanted)) {
        (None, Digits::Of(_)) => {
            attempt(function, NARROW, &wanted).or_else(|_| attempt(function, WIDE, &wanted))
        }
        _ => attempt(function, bits, &wanted),
    };
    let least = match digits(function, &wanted) {
        Digits::Of(digits) | Digits::Most { least: digits } => digits,
    };
    made.map_err(|error| refused(error, function, [bits, wanted.fraction_bits], &options(&wanted, least)))
}

/// The function in a ring of `bits` bits, whatever the ring that is asked for. Its error does not say what would do.
pub fn attempt(function: Function, bits: u32, wanted: &Wanted) -> hushtable::Result<Evaluation> {
    let of = |digits| Evaluation::attempt(function, bits, wanted.fraction_bits, &options(wanted, digits));
    match digits(function, wanted) {
        Digits::Of(digits) => of(digits),
        Digits::Most { least } => {
            let finer = FINE.into_iter().filter(|digits| *digits > least);
            finer.into_iter().find_map(|digits| of(digits).ok()).map_or_else(|| of(least), Ok)
        }
    }
}

/// Those that are asked for; what is exact as it is needs no more.
fn digits(function: Function, wanted: &Wanted) -> Digits {
    match (wanted.digits, function) {
        (Digits::Most { least }, Function::Identity) => Digits::Of(least),
        (digits, _) => digits,
    }
}

fn options(wanted: &Wanted, digits: u32) -> Options {
    let &Wanted { domain, method, outside, objective, .. } = wanted;
    let fraction_out = Some(digits);
    Options::default()
        .domain(domain)
        .method(method)
        .outside(outside)
        .fraction_out(fraction_out)
        .objective(objective)
}

/// An error with the options that would do instead.
fn refused(error: Error, function: Function, [bits, fraction_bits]: [u32; 2], options: &Options) -> Failure {
    let Error::Param { what, got, .. } = &error else { return error.into() };
    let found = Suggestion::find(function, [bits, fraction_bits], options);
    // A domain, beyond whose ends something stands for the function, or half of it.
    let serves = |domain: &Bounds| {
        let options = (*options).domain(*domain);
        Evaluation::attempt(function, bits, fraction_bits, &options).is_ok()
    };
    let halves =
        |range: Bounds| [1.0, 0.5, 0.25].map(|part| Bounds { lo: range.lo * part, hi: range.hi * part });
    let domain = found.range.and_then(|range| halves(range).into_iter().find(serves));
    let parts = [
        domain.map(|domain| format!("--domain {domain}")),
        found.fraction.map(|fraction| format!("--fraction-bits {fraction}")),
        found.bits.map(|bits| format!("--bits {bits}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return error.into();
    }
    Failure::new(format!(
        "{function} in {bits} bits with {fraction_bits} after the point is not supported ({what}: {got}); accepted: {}",
        parts.join(", or ")
    ))
}

/// How the numbers are held.
pub fn format(card: &Card) -> Format {
    Format { bits: card.ring, fraction_bits: card.scale }
}

/// How far results lie from what they stand for that are `own` off the function of x: what x is off besides, read or
/// shared, as far as the function is steep over `domain`. Nothing where that is not known.
pub fn carried(function: Option<Function>, own: f64, x: &Operand, domain: Bounds) -> Option<f64> {
    match x.error? {
        0.0 => Some(own),
        error => Some(own + error * steepest(function?, domain)?),
    }
}

/// How far results of a function of x lie from the exact ones.
pub fn exactness(function: &str, error: f64, x: &Operand, shared: bool) -> String {
    let of = match x.error {
        Some(0.0) => String::new(),
        Some(error) if shared => format!("; x is exact to {}", about(error)),
        Some(error) => format!("; x is the sum of numbers that are rounded to multiples of {error}"),
        None => "; it is not known how exact x is".into(),
    };
    format!("a result lies within {} of {function}(x){of}", about(error))
}

/// The steepest slope of a function over a domain, where there is one; beyond it results are constant, refused, or as steep.
fn steepest(function: Function, Bounds { lo, hi }: Bounds) -> Option<f64> {
    let positive = lo > 0.0;
    Some(match function {
        Function::Exp => hi.exp(),
        Function::Ln if positive => 1.0 / lo,
        Function::Log10 if positive => LOG10_E / lo,
        Function::Sqrt if positive => 0.5 / lo.sqrt(),
        Function::Rsqrt if positive => 0.5 / (lo * lo.sqrt()),
        Function::Reciprocal if positive || hi < 0.0 => 1.0 / lo.abs().min(hi.abs()).powi(2),
        Function::Sigmoid => 0.25,
        Function::Tanh | Function::Softplus | Function::Identity | Function::Atan => 1.0,
        Function::Sin | Function::Cos => 1.0,
        Function::Gelu | Function::Silu | Function::Erf => 1.13,
        Function::SinPi | Function::CosPi => PI,
        Function::Sin2Pi | Function::Cos2Pi => 2.0 * PI,
        _ => return None,
    })
}

/// The least and the greatest number that is treated as the card says, times `2^fraction_bits`.
pub fn reach(card: &Card) -> [i64; 2] {
    let scale = 2f64.powi(card.scale as i32);
    [(card.reach.lo * scale) as i64, ((card.reach.hi * scale) as i128 - 1) as i64]
}

#[cfg(test)]
mod tests {
    use hushtable::Role;

    use super::*;

    #[test]
    fn what_a_step_before_left_is_carried_on() {
        let of = |error, function| {
            let x = Operand { error, ..Operand::word(0, 1, Role::P0, String::new()) };
            carried(function, 0.5, &x, Bounds { lo: -1.0, hi: 1.0 })
        };
        assert_eq!(of(Some(2.0), Some(Function::Sigmoid)), Some(1.0));
        assert_eq!(of(Some(0.0), Some(Function::Tan)), Some(0.5));
        assert_eq!(of(Some(2.0), Some(Function::Exp)), Some(0.5 + 2.0 * 1f64.exp()));
        for (error, function) in
            [(None, Some(Function::Sigmoid)), (Some(2.0), Some(Function::Tan)), (Some(2.0), None)]
        {
            assert_eq!(of(error, function), None, "{function:?}");
        }
    }

    /// None is steeper than is said.
    #[test]
    fn slopes_are_bounds() {
        for function in Function::ALL {
            for [lo, hi] in [[-8000, 8000], [250, 8000], [1, 900], [-3000, -100], [-2000, 30]] {
                let domain = Bounds { lo: f64::from(lo) / 1000.0, hi: f64::from(hi) / 1000.0 };
                let Some(most) = steepest(function, domain) else { continue };
                for i in lo..hi {
                    let [a, b] = [i, i + 1].map(|i| function.eval(f64::from(i) / 1000.0));
                    assert!((b - a).abs() <= most / 1000.0 + 1e-12, "{function} at {i} / 1000");
                }
            }
        }
    }
}

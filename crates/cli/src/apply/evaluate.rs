//! Functions of numbers of any size, evaluated as the library's cards say.

use hushtable::{
    arith::Objective,
    math::{Bounds, Card, Evaluation, Function, Method, Options, Outside},
};

use super::input::Format;
use crate::failure::Result;

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

/// What is tried for results that stay shared, the best first: a decision by them is then off by 2^-23 at most.
const FINE: [u32; 4] = [24, 22, 20, 16];

/// The function in a ring as asked for, else in the narrower one if it serves; in the wide one if its results are to be
/// fine.
pub fn evaluation(function: Function, wanted: Wanted) -> Result<Evaluation> {
    let Wanted { bits, fraction_bits, digits, domain, method, outside, objective } = wanted;
    let digits = match (digits, function) {
        // Exact as it is.
        (Digits::Most { least }, Function::Identity) => Digits::Of(least),
        (digits, _) => digits,
    };
    let of = |bits, fraction_out| {
        let fraction_out = Some(fraction_out);
        let options = Options { domain, method, outside, fraction_out, objective, ..Options::default() };
        Evaluation::new(function, bits, fraction_bits, &options)
    };
    Ok(match (digits, bits) {
        (Digits::Of(digits), Some(bits)) => of(bits, digits)?,
        (Digits::Of(digits), None) => of(NARROW, digits).or_else(|_| of(WIDE, digits))?,
        (Digits::Most { least }, bits) => {
            let bits = bits.unwrap_or(WIDE);
            let finer = FINE.into_iter().filter(|digits| *digits > least);
            match finer.into_iter().find_map(|digits| of(bits, digits).ok()) {
                Some(fine) => fine,
                None => of(bits, least)?,
            }
        }
    })
}

/// How the numbers are held.
pub fn format(card: &Card) -> Format {
    Format { bits: card.ring, fraction_bits: card.scale }
}

/// The least and the greatest number that is treated as the card says, times `2^fraction_bits`.
pub fn reach(card: &Card) -> [i64; 2] {
    let scale = 2f64.powi(card.scale as i32);
    [(card.reach.lo * scale) as i64, ((card.reach.hi * scale) as i128 - 1) as i64]
}

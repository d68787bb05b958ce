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
    pub output_fraction_bits: u32,
    pub domain: Option<Bounds>,
    pub method: Method,
    pub outside: Outside,
    pub objective: Objective,
}

/// The function in a ring as asked for, else in the narrower one if it serves.
pub fn evaluation(function: Function, wanted: Wanted) -> Result<Evaluation> {
    let Wanted { bits, fraction_bits, output_fraction_bits, domain, method, outside, objective } = wanted;
    let fraction_out = Some(output_fraction_bits);
    let options = Options { domain, method, outside, fraction_out, objective, ..Options::default() };
    let of = |bits| Evaluation::new(function, bits, fraction_bits, &options);
    Ok(match bits {
        Some(bits) => of(bits)?,
        None => of(NARROW).or_else(|_| of(WIDE))?,
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

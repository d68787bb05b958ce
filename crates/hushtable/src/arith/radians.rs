//! Angles in radians as shares of turns.
//!
//! # Functionality
//! In: additive shares mod `2^l` of a signed X with `-2^(l-2) <= X < 2^(l-2)`, which stands for `X / 2^f` radians.
//! Out: shares mod `2^d` of `X / (2^f 2 pi)` turns, times `2^d`, off by at most `2 + 3 2^(d-64)` units.
//!
//! # Protocol
//! The period is irrational, so shares do not reduce by themselves: `2^l` is no whole number of turns.
//! 1. P0 adds `2^(l-2)`, as in a [safe truncation](super::Truncation), so that the wrap of the shares is the OR w of
//!    their top bits: shares of w mod `2^d` by a correlated OT.
//! 2. Each party turns its share into turns mod 1, rounded. The turns of `2^l` are taken from it w times, and P0 takes
//!    those of `2^(l-2)`: four roundings of half a unit.
//!
//! # Cost
//! A correlated OT; online `d + 1` bits, 1 round.
//!
//! # Source
//! Rathee et al., "SiRNN" (S&P 2021), for the wrap with a known top bit; Payne, Hanek, "Radian reduction for
//! trigonometric functions" (SIGNUM 1983), for the turns of a number.

use prim::{
    angle::turns_of_radians,
    ring::{Ring, low},
};
use zeroize::Zeroizing;

use super::{bit_product::BitProducts, product::share};
use crate::{
    bill::Bill,
    error::{Result, same, within},
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for a batch of angles.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Radians {
    turn_bits: u32,
    wraps: BitProducts,
}

impl Radians {
    /// Offline, for `batch` angles of which a turn is `2^turn_bits`.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless a turn has 1 to 60 bits, and those of the channel.
    pub fn prepare(p: &mut dyn Source, turn_bits: u32, batch: usize) -> Result<Self> {
        within("bits of a turn", turn_bits, 1..=60)?;
        Ok(Self { turn_bits, wraps: BitProducts::prepare(p, turn_bits, batch)? })
    }

    /// What an angle costs.
    pub fn bill(turn_bits: u32) -> Bill {
        BitProducts::bill(turn_bits)
    }

    /// Online, 1 round: shares of the turns of numbers with `fraction` bits behind the point. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are as many as prepared for,
    /// [`Error::Param`](crate::Error::Param) for numbers of less than 2 bits or more than 63 behind the point, and
    /// those of the channel.
    pub fn turns<R: Ring>(self, s: &mut Session, x: &AShare<R>, fraction: u32) -> Result<AShare<u64>> {
        same("angles", self.wraps.len(), x.len())?;
        within("bits of a number", x.bits(), 2..=64)?;
        within("bits behind the point", fraction, 0..=63)?;
        let (role, l, d) = (s.role(), x.bits(), self.turn_bits);
        let added = if role == Role::P0 { 1 << (l - 2) } else { 0 };
        let moved = x.words().iter().map(|w| low(w.to_u64().wrapping_add(added), l));
        let moved = Zeroizing::new(moved.collect::<Vec<u64>>());
        let top = Zeroizing::new(moved.iter().map(|w| w >> (l - 1)).collect::<Vec<u64>>());
        let wraps = self.wraps.or(s, &top)?;
        let turns = |x: u64| rounded(turns_of_radians(x, fraction), d);
        let whole = rounded(turns_of_radians(1 << (l - 1), fraction).wrapping_mul(2), d);
        let taken = if role == Role::P0 { turns(added) } else { 0 };
        let word =
            |(x, wrap): (&u64, &u64)| turns(*x).wrapping_sub(taken).wrapping_sub(wrap.wrapping_mul(whole));
        let words = Zeroizing::new(moved.iter().zip(wraps.iter()).map(word).collect::<Vec<_>>());
        Ok(share(d, &words))
    }
}

/// Turns times `2^64` as turns times `2^d`, to nearest.
fn rounded(turns: u64, d: u32) -> u64 {
    if d == 64 { turns } else { (turns >> (63 - d)).wrapping_add(1) >> 1 }
}

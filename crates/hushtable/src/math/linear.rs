//! Linear functions of shares, and scales of numbers inside a protocol.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use crate::{
    arith::{multiply, truncate, truncate_reduce},
    error::Result,
    net::Role,
    party::Party,
    share::AShare,
};

/// This party's share of a public number.
pub(super) fn public(role: Role, value: u64) -> u64 {
    match role {
        Role::P0 => value,
        Role::P1 => 0,
    }
}

/// Shares of `f(x)` for a linear f without a constant.
pub(super) fn map<R: Ring, S: Ring>(x: &AShare<R>, bits: u32, f: impl Fn(u64) -> u64) -> AShare<S> {
    let words = Zeroizing::new(x.words().iter().map(|w| low(f(w.to_u64()), bits)).collect::<Vec<_>>());
    AShare::new(bits, words.iter().map(|&w| S::from_u64(w)).collect())
}

/// Shares of `x + c` for a public c.
pub(super) fn plus<R: Ring>(role: Role, x: &AShare<R>, c: u64) -> AShare<R> {
    let c = public(role, c);
    map(x, x.bits(), |w| w.wrapping_add(c))
}

/// Shares of `c - x` for a public c.
pub(super) fn from<R: Ring>(role: Role, c: u64, x: &AShare<R>) -> AShare<R> {
    let c = public(role, c);
    map(x, x.bits(), |w| c.wrapping_sub(w))
}

/// The same numbers with `to` instead of `scale` bits behind the point, to the nearest unit or one
/// beside it: a safe truncation, to which half a unit was added for its own rounding and as much for
/// that of the shares. 1 round, or none where bits are added. They must lie in `-2^(l-2) .. 2^(l-2)`.
///
/// # Errors
/// Those of [`truncate`].
pub(super) fn rescale(p: &mut Party, x: &AShare<u64>, scale: i32, to: u32) -> Result<AShare<u64>> {
    let cut = scale - to as i32;
    match cut {
        ..=0 => Ok(map(x, x.bits(), |w| w << -cut)),
        _ => {
            let cut = cut as u32;
            let moved = plus(p.role(), x, 1 << cut);
            truncate(p, &moved, cut)
        }
    }
}

/// The products of x and y, with `to` instead of the `scale` bits that they have behind the point.
///
/// # Errors
/// As [`multiply`] and [`rescale`].
pub(super) fn rescale_product(
    p: &mut Party,
    x: &AShare<u64>,
    y: &AShare<u64>,
    scale: i32,
    to: u32,
) -> Result<AShare<u64>> {
    let product = multiply(p, x, y)?;
    rescale(p, &product, scale, to)
}

/// Shares mod `2^(l-f)` of `x / 2^f`, to the nearest unit or one beside it. Local.
///
/// # Errors
/// Those of [`truncate_reduce`].
pub(super) fn cut(role: Role, x: &AShare<u64>, f: u32) -> Result<AShare<u64>> {
    truncate_reduce(&plus(role, x, 1 << f), f)
}

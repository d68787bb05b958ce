//! Shares of fixed-point numbers.

use hushtable::{
    AShare, Result, Role,
    arith::{Fixed, fixed},
    math::Function,
};
use prim::{block::Block, prg::Prg};

/// This party's shares of numbers, each rounded.
pub fn shared(role: Role, values: &[f64], bits: u32, scale: u32, seed: u64) -> Result<Fixed<u64>> {
    let mut masks = vec![0u64; values.len()];
    Prg::new(Block(u128::from(seed) + 1)).words(bits, &mut masks);
    let masks = AShare::new(bits, masks);
    let share = match role {
        Role::P0 => masks,
        Role::P1 => AShare::new(bits, fixed::encode(values, bits, scale)?).minus(&masks),
    };
    Fixed::new(share, scale)
}

/// A function, at its poles within what a ring holds.
pub fn held(function: Function, bits: u32, fraction: u32) -> impl Fn(f64) -> f64 {
    let power = |bits: u32| 2f64.powi(bits as i32);
    let most = (power(bits - 1) - 1.0).min(power(bits - 1).next_down()) / power(fraction);
    move |x| if function.has_poles() { function.eval(x).clamp(-most, most) } else { function.eval(x) }
}

/// Shares of the same numbers of all kinds: uniform ones, and such as are no masks: one party's all 0, or all ones.
pub fn of_all_kinds(role: Role, x: &[f64], bits: u32, scale: u32) -> Result<Vec<Fixed<u64>>> {
    let numbers: Vec<u64> = fixed::encode(x, bits, scale)?;
    let trivial = |at: Role, own: u64| {
        let word = |x: &u64| if role == at { own } else { x.wrapping_sub(own) };
        Fixed::new(AShare::new(bits, numbers.iter().map(word).collect()), scale)
    };
    let none = [trivial(Role::P0, 0)?, trivial(Role::P1, 0)?, trivial(Role::P1, u64::MAX)?];
    Ok([shared(role, x, bits, scale, 11)?].into_iter().chain(none).collect())
}

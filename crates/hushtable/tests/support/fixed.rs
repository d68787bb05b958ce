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

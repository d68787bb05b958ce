//! Shares of fixed-point numbers.

use hushtable::{
    AShare, Result, Role,
    arith::{Fixed, fixed},
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

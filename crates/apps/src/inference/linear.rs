//! Linear layers whose weights one party knows, and the other rearrangements of shared numbers.

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{Fixed, Shape, SmallMatrix, fixed, shared_times_small, truncate},
};
use zeroize::Zeroizing;

use super::{BlockShape, Layer};

/// Shares of `x W + b`, to the nearest unit or one beside it. 2 rounds.
pub(super) fn layer(
    p: &mut Party,
    shape: &BlockShape,
    of: Shape,
    x: &Fixed<u64>,
    weights: Option<&Layer>,
    owner: Role,
) -> Result<Fixed<u64>> {
    let (bits, scale) = (shape.bits, shape.scale);
    let numbers = weights.map_or(Ok(Vec::new()), |w| integers(&w.weights, shape.weight_bits(), scale))?;
    let numbers = Zeroizing::new(numbers);
    let b = SmallMatrix { owner, numbers: &numbers, bits: shape.weight_bits() };
    let product = shared_times_small(p, of, x.share(), b)?;
    let product = match weights {
        Some(w) => {
            let bias: Vec<u64> = fixed::encode(&w.bias, bits, 2 * scale)?;
            product.plus_public(&bias.repeat(of.rows))?
        }
        None => product,
    };
    rounded(p, &product, 2 * scale, scale)
}

/// The numbers with fewer bits behind the point, to the nearest unit or one beside it. 1 round.
pub(super) fn rounded(p: &mut Party, x: &AShare<u64>, scale: u32, to: u32) -> Result<Fixed<u64>> {
    let cut = scale - to;
    let unit = match p.role() {
        Role::P0 => 1 << cut,
        Role::P1 => 0,
    };
    let moved = x.plus_public(&vec![unit; x.len()])?;
    Fixed::new(truncate(p, &moved, cut)?, to)
}

/// The numbers at these places. Local.
pub(super) fn gathered(x: &Fixed<u64>, places: impl Iterator<Item = usize>) -> Result<Fixed<u64>> {
    let words = x.share().words();
    Fixed::new(AShare::new(x.bits(), places.map(|i| words[i]).collect()), x.scale())
}

/// Signed integers of `bits` bits; an error does not show them.
pub(super) fn integers(values: &[f64], bits: u32, scale: u32) -> Result<Vec<i64>> {
    let unit = 2f64.powi(scale as i32);
    let half = 2f64.powi(bits as i32 - 1);
    let integer = |v: &f64| {
        let scaled = (v * unit).round();
        if (-half..half).contains(&scaled) {
            return Ok(scaled as i64);
        }
        let accepted = format!("less than {} without its sign", half / unit);
        Err(Error::Param { what: "weight", got: "one that does not fit".into(), accepted })
    };
    values.iter().map(integer).collect()
}

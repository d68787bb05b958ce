//! Linear layers whose weights one party knows, and the other rearrangements of shared numbers.

use hushtable::{
    AShare, Error, Result, Role,
    arith::{
        Fixed, MatrixJob, MatrixProduct, MatrixShape, SmallMatrixJob, SmallMatrixProduct, Truncation, fixed,
    },
    bill::Bill,
    session::Session,
    source::Source,
};
use zeroize::Zeroizing;

use super::{BlockShape, Layer};

/// One-time material for a linear layer.
pub(super) struct Linear {
    shape: BlockShape,
    of: MatrixShape,
    product: SmallMatrixProduct,
    rounding: Truncation,
}

impl Linear {
    /// Offline.
    pub(super) fn prepare(
        p: &mut dyn Source,
        shape: &BlockShape,
        of: MatrixShape,
        owner: Role,
    ) -> Result<Self> {
        let product = SmallMatrixProduct::prepare(p, Self::job(shape, of, owner))?;
        let rounding = Truncation::prepare(p, shape.bits, shape.scale, of.out())?;
        Ok(Self { shape: *shape, of, product, rounding })
    }

    /// What it costs.
    pub(super) fn bill(shape: &BlockShape, of: MatrixShape, owner: Role) -> Bill {
        Self::job(shape, of, owner).bill() + Truncation::bill(shape.scale).times(of.out())
    }

    /// Online, 2 rounds: shares of `x W + b`, to the nearest unit or one beside it. Spends the material.
    pub(super) fn apply(
        self,
        s: &mut Session,
        x: &Fixed<u64>,
        weights: Option<&Layer>,
    ) -> Result<Fixed<u64>> {
        let Self { shape, of, product, rounding } = self;
        let (bits, scale) = (shape.bits, shape.scale);
        let numbers = weights.map_or(Ok(Vec::new()), |w| integers(&w.weights, shape.weight_bits(), scale))?;
        let numbers = Zeroizing::new(numbers);
        let product = product.multiply(s, x.share(), &numbers)?;
        let product = match weights {
            Some(w) => {
                let bias: Vec<u64> = fixed::encode(&w.bias, bits, 2 * scale)?;
                product.plus_public(&bias.repeat(of.rows))?
            }
            None => product,
        };
        rounded(s, rounding, &product, scale)
    }

    fn job(shape: &BlockShape, of: MatrixShape, owner: Role) -> SmallMatrixJob {
        SmallMatrixJob { shape: of, bits: shape.bits, number_bits: shape.weight_bits(), owner }
    }
}

/// One-time material for products of shared matrices.
pub(super) struct Products {
    product: MatrixProduct,
    rounding: Truncation,
}

impl Products {
    /// Offline.
    pub(super) fn prepare(p: &mut dyn Source, shape: &BlockShape, of: MatrixShape) -> Result<Self> {
        let product = MatrixProduct::prepare(p, MatrixJob::shared(of, shape.bits))?;
        Ok(Self { product, rounding: Truncation::prepare(p, shape.bits, shape.scale, of.out())? })
    }

    /// What they cost.
    pub(super) fn bill(shape: &BlockShape, of: MatrixShape) -> Bill {
        MatrixJob::shared(of, shape.bits).bill() + Truncation::bill(shape.scale).times(of.out())
    }

    /// Online, 2 rounds: shares of the products, rounded. Spends the material.
    pub(super) fn multiply(self, s: &mut Session, a: &Fixed<u64>, b: &Fixed<u64>) -> Result<Fixed<u64>> {
        let product = self.product.multiply(s, a.share(), b.share())?;
        rounded(s, self.rounding, &product, a.scale())
    }
}

/// The numbers with fewer bits behind the point, to the nearest unit or one beside it. 1 round.
fn rounded(s: &mut Session, rounding: Truncation, x: &AShare<u64>, to: u32) -> Result<Fixed<u64>> {
    let unit = match s.role() {
        Role::P0 => 1 << rounding.cut(),
        Role::P1 => 0,
    };
    let moved = x.plus_public(&vec![unit; x.len()])?;
    Fixed::new(rounding.truncate(s, &moved)?, to)
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

//! Linear layers whose weights one party knows, and the other rearrangements of shared numbers.

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{self, Fixed, LayerJob, LinearJob, MatrixShape, Objective, Truncation, fixed},
    bill::Bill,
    operation::{self, Material, Operation},
    ot::Setting,
    session::Session,
};
use zeroize::Zeroizing;

use super::{BlockShape, Layer};

/// One-time material for a linear layer.
pub(super) struct Linear {
    shape: BlockShape,
    layer: arith::Layer,
}

impl Linear {
    /// Offline, with the weights at their owner.
    pub(super) fn prepare(
        p: &mut Party,
        shape: &BlockShape,
        of: MatrixShape,
        owner: Role,
        weights: Option<&Layer>,
    ) -> Result<Self> {
        let (bits, scale) = (shape.weight_bits(), shape.scale);
        let numbers = weights.map_or(Ok(Zeroizing::default()), |w| integers(&w.weights, bits, scale))?;
        Ok(Self {
            shape: *shape,
            layer: arith::Layer::prepare(p, &Self::job(shape, of, owner)?, 1, &numbers)?,
        })
    }

    /// What it costs, without keys that the session keeps.
    pub(super) fn bill(shape: &BlockShape, of: MatrixShape, owner: Role) -> Result<Bill> {
        Self::job(shape, of, owner)?.bill(1)
    }

    /// Online, 2 rounds: shares of `x W + b`, rounded to a neighbour. Spends the material.
    pub(super) fn apply(
        self,
        s: &mut Session,
        x: &Fixed<u64>,
        weights: Option<&Layer>,
    ) -> Result<Fixed<u64>> {
        let (bits, scale) = (self.shape.bits, self.shape.scale);
        let offsets: Vec<u64> =
            weights.map_or(Ok(Vec::new()), |w| fixed::encode(&w.bias, bits, 2 * scale))?;
        let offsets = Zeroizing::new(offsets);
        Fixed::new(self.layer.apply(s, x.share(), &offsets)?, scale)
    }

    fn job(shape: &BlockShape, of: MatrixShape, owner: Role) -> Result<LayerJob> {
        let map = LinearJob { shape: of.into(), bits: shape.bits, number_bits: shape.weight_bits(), owner };
        LayerJob::new(map, shape.scale)
    }
}

/// One-time material for products of shared matrices.
pub(super) struct Products {
    product: Box<dyn Material>,
    rounding: Truncation,
}

impl Products {
    /// Offline.
    pub(super) fn prepare(p: &mut Party, shape: &BlockShape, of: MatrixShape) -> Result<Self> {
        let product = Self::operation(shape, of).prepare(p, of.batch)?;
        Ok(Self { product, rounding: Truncation::prepare(p, shape.bits, shape.scale, of.out())? })
    }

    /// What they cost, without keys that the session keeps.
    pub(super) fn bill(shape: &BlockShape, of: MatrixShape) -> Result<Bill> {
        let product = Self::operation(shape, of).bill(of.batch, &Setting::default())?;
        Ok(product + Truncation::bill(shape.scale).times(of.out()))
    }

    /// Online, 2 rounds: shares of the products, rounded. Spends the material.
    pub(super) fn multiply(self, s: &mut Session, a: &Fixed<u64>, b: &Fixed<u64>) -> Result<Fixed<u64>> {
        let mut words = self.product.eval(s, &[a.share().words(), b.share().words()])?;
        let product = AShare::new(a.bits(), std::mem::take(&mut *words[0]));
        rounded(s, self.rounding, &product, a.scale())
    }

    fn operation(shape: &BlockShape, of: MatrixShape) -> operation::Products {
        operation::Products { shape: of, bits: shape.bits, objective: Objective::Total }
    }
}

/// The numbers with fewer bits behind the point, rounded to a neighbour. 1 round.
fn rounded(s: &mut Session, rounding: Truncation, x: &AShare<u64>, to: u32) -> Result<Fixed<u64>> {
    let unit = match s.role() {
        Role::P0 => (1 << rounding.cut()) - 1,
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
pub(super) fn integers(values: &[f64], bits: u32, scale: u32) -> Result<Zeroizing<Vec<i64>>> {
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
    // Never grows, so that no part of it is left behind.
    let mut all = Zeroizing::new(Vec::with_capacity(values.len()));
    for value in values {
        all.push(integer(value)?);
    }
    Ok(all)
}

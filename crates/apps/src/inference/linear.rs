//! Linear layers whose weights one party knows, and the other rearrangements of shared numbers.

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{
        self, Fixed, LatticeTriplesJob, LayerJob, LinearJob, MatrixShape, ProductTriples, Truncation, fixed,
    },
    bill::Effort,
    operation::{self, Material, Operation},
    ot::Setting,
    session::Session,
};
use zeroize::Zeroizing;

use super::{BlockShape, LinearWeights};

/// One-time material for a linear layer.
pub(super) struct Linear {
    scale: u32,
    layer: arith::Layer,
    /// At the owner.
    offsets: Zeroizing<Vec<u64>>,
}

impl Linear {
    /// Offline, with the weights at their owner, for each of so many parts of a text. `names` are those of a weight and of a
    /// bias.
    pub(super) fn prepare(
        p: &mut Party,
        (shape, parts): (&BlockShape, usize),
        of: MatrixShape,
        owner: Role,
        (weights, names): (Option<&LinearWeights>, [&'static str; 2]),
    ) -> Result<Vec<Self>> {
        let (BlockShape { bits, scale, .. }, weight_bits) = (*shape, shape.weight_bits());
        let (mut numbers, mut offsets) = (Zeroizing::default(), Zeroizing::default());
        if let Some(layer) = weights {
            small(&layer.bias, shape.largest, names[1])?;
            numbers = integers(&layer.weights, of.columns, [weight_bits, scale], names[0])?;
            let encoded = fixed::encode(&layer.bias, bits, 2 * scale).map_err(|e| named(e, names[1]))?;
            offsets = Zeroizing::new(encoded);
        }
        let layers = arith::Layer::prepare_each(p, &Self::job(shape, parts, of, owner)?, parts, &numbers)?;
        Ok(layers.into_iter().map(|layer| Self { scale, layer, offsets: offsets.clone() }).collect())
    }

    /// What so many take.
    pub(super) fn effort(shape: &BlockShape, parts: usize, of: MatrixShape, owner: Role) -> Result<Effort> {
        Self::job(shape, parts, of, owner)?.effort_of_each(parts)
    }

    /// Makes the keys that the session keeps.
    pub(super) fn set_up(
        p: &mut Party,
        (shape, parts): (&BlockShape, usize),
        of: MatrixShape,
        owner: Role,
    ) -> Result<()> {
        Self::job(shape, parts, of, owner)?.set_up(p, parts)
    }

    /// Online, 2 rounds: shares of `x W + b`, rounded to a neighbour. Spends the material.
    pub(super) fn apply(self, s: &mut Session, x: &Fixed<u64>) -> Result<Fixed<u64>> {
        Fixed::new(self.layer.apply(s, x.share(), &self.offsets)?, self.scale)
    }

    fn job(shape: &BlockShape, parts: usize, of: MatrixShape, owner: Role) -> Result<LayerJob> {
        let map = LinearJob { shape: of.into(), bits: shape.bits, number_bits: shape.weight_bits(), owner };
        LayerJob::of(map, shape.scale, parts, shape.objective)
    }
}

/// One-time material for products of shared matrices.
pub(super) struct Products {
    product: Product,
    rounding: Truncation,
}

enum Product {
    /// Of all heads together.
    Triples(ProductTriples<u64>),
    Operation(Box<dyn Material>),
}

impl Products {
    /// Offline.
    pub(super) fn prepare(p: &mut Party, shape: &BlockShape, of: MatrixShape) -> Result<Self> {
        let product = match Self::by_lattice(shape, of) {
            Some(job) => Product::Triples(ProductTriples::by_lattice(p, &job)?),
            None => Product::Operation(Self::operation(shape, of).prepare(p, of.batch)?),
        };
        Ok(Self { product, rounding: Truncation::prepare(p, shape.bits, shape.scale, of.out())? })
    }

    /// What they take.
    pub(super) fn effort(shape: &BlockShape, of: MatrixShape, under: &Setting) -> Result<Effort> {
        let product = match Self::by_lattice(shape, of) {
            Some(job) => job.effort(),
            None => Self::operation(shape, of).effort(of.batch, under)?,
        };
        Ok(product.then(Effort::implied(Truncation::bill(shape.scale).times(of.out()))))
    }

    /// Makes the keys that the session keeps.
    pub(super) fn set_up(p: &mut Party, shape: &BlockShape, of: MatrixShape) -> Result<()> {
        match Self::by_lattice(shape, of) {
            Some(job) => job.set_up(p),
            None => Self::operation(shape, of).set_up(p, of.batch),
        }
    }

    /// Online, 2 rounds: shares of the products, rounded. Spends the material.
    pub(super) fn multiply(self, s: &mut Session, a: &Fixed<u64>, b: &Fixed<u64>) -> Result<Fixed<u64>> {
        let product = match self.product {
            Product::Triples(product) => product.multiply(s, a.share(), b.share())?,
            Product::Operation(product) => {
                let mut words = product.eval(s, &[a.share().words(), b.share().words()])?;
                AShare::new(a.bits(), std::mem::take(&mut *words[0]))
            }
        };
        Fixed::new(self.rounding.round(s, &product)?, a.scale())
    }

    /// The products of all heads together by a lattice, if that suits.
    fn by_lattice(shape: &BlockShape, of: MatrixShape) -> Option<LatticeTriplesJob> {
        ProductTriples::<u64>::suiting_lattice(shape.bits, of, shape.objective)
    }

    fn operation(shape: &BlockShape, of: MatrixShape) -> operation::Products {
        operation::Products { shape: of, bits: shape.bits, objective: shape.objective }
    }
}

/// The numbers at these places. Local.
pub(super) fn gathered(x: &Fixed<u64>, places: impl Iterator<Item = usize>) -> Result<Fixed<u64>> {
    let words = x.share().words();
    Fixed::new(AShare::new(x.bits(), places.map(|i| words[i]).collect()), x.scale())
}

/// Signed integers of `bits` bits, of a matrix with so many columns; an error shows where one does not fit, and not which.
fn integers(
    values: &[f64],
    columns: usize,
    [bits, scale]: [u32; 2],
    what: &'static str,
) -> Result<Zeroizing<Vec<i64>>> {
    let unit = 2f64.powi(scale as i32);
    let half = 2f64.powi(bits as i32 - 1);
    // Never grows, so that no part of it is left behind.
    let mut all = Zeroizing::new(Vec::with_capacity(values.len()));
    for (i, value) in values.iter().enumerate() {
        let scaled = (value * unit).round();
        if !(-half..half).contains(&scaled) {
            let got = format!("the one in row {}, column {}", i / columns, i % columns);
            return Err(Error::Param {
                what,
                got,
                accepted: format!("{} to {}", -half / unit, (half - 1.0) / unit),
            });
        }
        all.push(scaled as i64);
    }
    Ok(all)
}

/// `Ok(())` if no number is beyond the largest one, which leaves sums with it their room; an error shows where one is.
fn small(values: &[f64], largest: f64, what: &'static str) -> Result<()> {
    match values.iter().position(|value| !(-largest..=largest).contains(value)) {
        None => Ok(()),
        Some(i) => {
            let accepted = format!("{} to {largest}", -largest);
            Err(Error::Param { what, got: format!("the one at {i}"), accepted })
        }
    }
}

/// An error of a number with its name.
fn named(error: Error, what: &'static str) -> Error {
    match error {
        Error::Param { got, accepted, .. } => Error::Param { what, got, accepted },
        other => other,
    }
}

//! Layer norm of rows of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of rows of d numbers with F bits behind the point; gains and offsets,
//! one of each for a column, public or known to one party. Out: shares of
//! `g_i (x_i - mean) / sqrt(variance + epsilon) + b_i` of each row, with F bits behind the point, g and b rounded to as many.
//!
//! The error is at most `1 + |g| / 4 + |g| / (4 s)` units in the last place, s being the root, and
//! `2e-5 + 2^(-2F) / s^2` of the result without the offset.
//!
//! # Protocol
//! In a ring of w bits, to which x is extended; what there is once for each row, in a larger one:
//! 1. The mean, with `F + 3` bits behind the point, is the sum of a row times the public `1/d`, truncated;
//!    `c_i = x_i - mean`.
//! 2. d times the variance: the sum of the squares of the `c_i` with F bits behind the point. It is too
//!    large by d times the square of the mean's error, which is a unit and a quarter at most.
//! 3. `sqrt(d) / sqrt(..)` of it, plus `d epsilon` (`math::root`).
//! 4. Its products with the `c_i` are truncated.
//! 5. Those with the gains, local for public ones, are truncated after the offsets are added.
//!
//! Where one party knows the gains, steps 2, 4 and 5 are by lattices, each where that takes fewer bytes.
//!
//! # Outside the bounds
//! A row whose variance, with epsilon, or whose numbers are beyond the bounds gives numbers without
//! meaning. A gain or offset beyond its bound ends both parties, who learn whose it is and no more.
//!
//! # Cost, a number
//! A bounded extension, a square and a product with one number for the row in w bits, two truncations;
//! for private gains a product with one number for the column, in one direction. Of 128 rows of 768 numbers with private
//! gains it is 135 bytes and the keys by lattices, and with public ones 381 by OTs, at 37 bits, 12 of them behind the point.
//!
//! # Source
//! Ba, Kiros, Hinton, "Layer Normalization" (2016); lut-spec 11.5 for the normalisation.

mod rings;

use prim::ring::Ring;

use super::{
    affine::{Affine, Scaling, ScalingJob},
    root::Root,
};
use crate::{
    arith::{Fixed, Gram, GramJob, RowMultiples, RowMultiplesJob},
    bill::{Bill, Effort, Objective, Once, Work},
    error::{Error, Result, same},
    math::{
        functions::TensorCard,
        linear::{self, Rescaling, Widening},
    },
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
    source::Source,
    terms::Terms,
};

/// Bits behind the point, beside F, of the numbers less their mean, and of those over the root.
const MEAN: u32 = 3;
const MORE: u32 = 5;

/// Widths of the rings in which steps are done.
struct Rings {
    /// Of the numbers; of their squares; of their products with the root; of those with the gains, and results.
    numbers: u32,
    squares: u32,
    product: u32,
    gains: u32,
    /// Of what there is once for each row.
    rows: u32,
}

/// The steps that may be by lattices.
struct Steps {
    squares: GramJob,
    product: RowMultiplesJob,
    scaling: ScalingJob,
}

/// What the rows of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormJob {
    /// Rows.
    pub rows: usize,
    /// Numbers in a row, d.
    pub len: usize,
    /// Width of a number, l.
    pub bits: u32,
    /// Bits behind the point, F.
    pub scale: u32,
    /// The greatest `|x|`.
    pub largest: f64,
    /// The least and the greatest variance with epsilon, at most `2^15` apart.
    pub variance: [f64; 2],
    /// What is added to the variance.
    pub epsilon: f64,
    /// The greatest gain or offset, without its sign.
    pub gain: f64,
    /// Who knows the gains and offsets; `None` if they are public.
    pub gains_known_to: Option<Role>,
    /// What lattices are to take least of: bytes, or whatever else time and bytes together.
    pub objective: Objective,
}

/// One-time material for a batch of rows.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::Fixed, math::Norm};
/// fn twice(p: &mut Party, m: Norm, x: &Fixed<u64>) -> Result<()> {
///     m.eval(p, x)?;
///     m.eval(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Norm {
    job: NormJob,
    /// Of the numbers; of the sums of rows, and of those of squares.
    widening: Widening,
    row_widening: [Widening; 2],
    mean: [Rescaling; 2],
    squares: Gram,
    root: Root,
    product: RowMultiples,
    /// After the product with the root, and after the gains.
    rescalings: [Rescaling; 2],
    scaling: Scaling,
}

impl NormJob {
    /// What rows have in common, however many there are.
    pub(crate) fn terms(&self) -> Terms {
        Terms::of("layer norm")
            .with("numbers of a row", self.len)
            .with("bits", self.bits)
            .with("fraction bits", self.scale)
            .with("largest", self.largest)
            .with("variance", &self.variance[..])
            .with("epsilon", self.epsilon)
            .with("largest gain", self.gain)
            .with("gains known to", self.gains_known_to)
            .with("objective", self.objective)
    }

    /// Width of the largest ring in which steps are done: the overflow of none of them fits it.
    ///
    /// # Errors
    /// [`Error::Param`] for bounds that are not supported, and for a ring of more than 64 bits, with the
    /// bits needed.
    pub fn ring(&self) -> Result<u32> {
        self.rings().map(|rings| rings.rows)
    }

    /// What all rows cost, without keys of lattices that the session keeps.
    ///
    /// # Errors
    /// As [`ring`](Self::ring).
    pub fn bill(&self) -> Result<Bill> {
        self.effort().map(|effort| effort.bill())
    }

    fn bill_of(&self, w: &Rings, steps: &Steps) -> Result<Bill> {
        let numbers = self.rows * self.len;
        let [fine, coarse, scaled, last] = self.rescalings().map(|(scale, to)| Rescaling::bill(scale, to));
        let widened = |from| Ok::<_, Error>(Widening::bill([from, w.rows])?.times(self.rows));
        let (sums, squares) = (widened(w.numbers)?, widened(w.squares)?);
        let first =
            Widening::bill([self.bits, w.numbers])?.times(numbers) + sums + (fine + coarse).times(self.rows);
        let root = steps.squares.bill() + squares + self.root(w.rows).bill()?.times(self.rows);
        let scaled = steps.product.bill() + scaled.times(numbers);
        Ok(first + root + scaled + steps.scaling.bill() + last.times(numbers))
    }

    /// The keys of lattices that the session keeps.
    ///
    /// # Errors
    /// As [`ring`](Self::ring).
    pub fn keys(&self) -> Result<Once> {
        self.effort().map(|effort| effort.once.0)
    }

    /// Makes the keys of lattices that the session keeps, where it has none.
    ///
    /// # Errors
    /// As [`ring`](Self::ring), and those of the channel.
    pub fn set_up(&self, p: &mut Party) -> Result<()> {
        let Steps { squares, product, scaling } = self.steps(&self.rings()?)?;
        squares.set_up(p)?;
        product.set_up(p)?;
        scaling.set_up(p)
    }

    /// What all rows take, the keys once.
    ///
    /// # Errors
    /// As [`ring`](Self::ring).
    pub fn effort(&self) -> Result<Effort> {
        let rings = self.rings()?;
        let steps = self.steps(&rings)?;
        let implied = Effort::implied(self.bill_of(&rings, &steps)?);
        let Steps { squares, product, scaling } = steps;
        let [offline, online] = Work::of_batch(&implied.bill);
        let work = [offline + squares.work() + product.work() + scaling.work(), online];
        let memory = [implied.memory, squares.memory(), product.memory(), scaling.memory()];
        let memory = [0, 1].map(|party| memory.iter().map(|memory| memory[party]).sum());
        let keys = squares.keys().and(product.keys()).and(scaling.keys());
        Ok(implied.after(keys, Work::default()).working(work).remembering(memory))
    }

    /// Bits behind the point of what is rescaled, and to what: the mean, twice, the product with the root, and the
    /// results.
    fn rescalings(&self) -> [(i32, u32); 4] {
        let (f, mean, more) = (self.scale, self.scale + MEAN, self.scale + MORE);
        let fine = ((f + self.mean_digits()) as i32, mean);
        let scaled = ((mean + self.root_scale()) as i32, more);
        [fine, (mean as i32, f), scaled, ((more + f) as i32, f)]
    }

    /// Steps 2, 4 and 5: each search for tiles is made once.
    fn steps(&self, rings: &Rings) -> Result<Steps> {
        let (sides, known_to) = ([self.rows, self.len], (self.gains_known_to, self.objective));
        Ok(Steps {
            squares: self.squares(rings)?,
            product: RowMultiplesJob::new(sides, rings.product, self.by_lattices()),
            scaling: ScalingJob::new(sides, rings.gains, self.scale, known_to, self.gain),
        })
    }

    /// Step 2.
    fn squares(&self, rings: &Rings) -> Result<GramJob> {
        let rows = [self.rows, 1, self.len];
        match self.by_lattices() {
            Some(objective) => GramJob::suiting(rows, rings.squares, objective),
            None => GramJob::by_ots(rows, rings.squares),
        }
    }

    /// Material for public gains is stored row by row, whatever is together then: lattices are for all rows at once.
    fn by_lattices(&self) -> Option<Objective> {
        self.gains_known_to.map(|_| self.objective)
    }

    /// What is known of it.
    ///
    /// # Errors
    /// As [`ring`](Self::ring).
    pub fn card(&self) -> Result<TensorCard> {
        let (largest, [low, high]) = (self.largest, self.variance);
        Ok(TensorCard {
            function: "layer norm of each row",
            shape: [self.rows, self.len],
            ring: self.bits,
            scale: self.scale,
            max_ulp: "1 + |g|/4 (1 + 1/s), for gain g, rounded, and deviation s, and 2e-5 + (unit/s)^2 of the result"
                .into(),
            outside: format!(
                "numbers beyond {largest} and variances outside {low} to {high} are not allowed, not checked"
            ),
            bill: self.bill()?,
        })
    }
}

impl Norm {
    /// Offline, for the rows of the job, with the gains and offsets of their columns.
    ///
    /// # Errors
    /// As [`NormJob::ring`], [`Error::Shape`] unless there are as many gains and offsets as columns, and those of the
    /// channel.
    pub fn prepare(p: &mut dyn Source, job: NormJob, affine: &Affine) -> Result<Self> {
        let w = job.rings()?;
        p.announce(&job.terms().with("rows", job.rows).to_string())?;
        let (rows, numbers) = (job.rows, job.rows * job.len);
        let [fine, coarse, scaled, last] = job.rescalings();
        let mut rescaling = |ring, (scale, to), count| Rescaling::prepare(p, ring, scale, to, count);
        let mean = [rescaling(w.rows, fine, rows)?, rescaling(w.rows, coarse, rows)?];
        let rescalings = [rescaling(w.product, scaled, numbers)?, rescaling(w.gains, last, numbers)?];
        let widening = Widening::prepare(p, [job.bits, w.numbers], numbers)?;
        let mut widened = |from| Widening::prepare(p, [from, w.rows], rows);
        let row_widening = [widened(w.numbers)?, widened(w.squares)?];
        let steps = job.steps(&w)?;
        let squares = Gram::prepare(p, &steps.squares)?;
        let root = Root::prepare(p, job.root(w.rows), rows)?;
        let product = RowMultiples::prepare(p, steps.product)?;
        let scaling = Scaling::prepare(p, steps.scaling, affine)?;
        Ok(Self { job, widening, row_widening, mean, squares, root, product, rescalings, scaling })
    }

    /// Online: shares of the norm of each row; the rows stand one behind the other. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless numbers, widths and scales are those prepared for,
    /// [`Error::Param`] for a gain above the bound, at both parties whoever knows it, and unless who knows the gains is the
    /// one prepared for, [`Error::Handshake`] for public gains that differ, and those of the channel.
    pub fn eval<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<Fixed<R>> {
        let (job, affine) = (self.job, self.scaling.affine().clone());
        same("numbers of a layer norm, rows times numbers in a row", job.rows * job.len, x.len())?;
        same("bits of the numbers of a layer norm", job.bits as usize, x.bits() as usize)?;
        same("scale of the numbers of a layer norm", job.scale as usize, x.scale() as usize)?;
        affine.agree(s, job.gains_known_to, job.len, job.gain)?;
        let out = self.rows(s, x).map_err(|error| affine.explain(job.gain, error))?;
        Fixed::new(out.low_bits(job.bits)?, job.scale)
    }

    /// The steps.
    fn rows<R: Ring>(self, s: &mut Session, x: &Fixed<R>) -> Result<AShare<u64>> {
        let (job, role, w) = (self.job, s.role(), self.job.rings()?);
        let x: AShare<u64> = self.widening.sign(s, x.share())?;
        let [sums, squares] = self.row_widening;
        let sums = sums.sign(s, &linear::row_sums(&x, job.len))?;
        let (centred, coarse) = job.centred(s, self.mean, &x, &sums)?;
        let added = self.squares.multiply(s, &coarse.low_bits::<u64>(w.squares)?)?;
        let variance = squares.zero(s, &added)?;
        let epsilon = job.epsilon * job.len as f64 * 2f64.powi(2 * job.scale as i32);
        let root = self.root.eval(s, &linear::plus(role, &variance, epsilon.round() as u64))?;
        let (centred, root) = (centred.low_bits(w.product)?, root.low_bits(w.product)?);
        let scaled = self.product.multiply(s, &centred, &root)?;
        let [after_root, last] = self.rescalings;
        let scaled = after_root.run(s, &scaled)?.low_bits(w.gains)?;
        let out = self.scaling.apply(s, &scaled, job.scale + MORE)?;
        last.run(s, &out)
    }
}

impl NormJob {
    /// Step 1: the numbers less their mean, with `F + 3` and with F bits behind the point.
    fn centred(
        &self,
        s: &mut Session,
        [fine, coarse]: [Rescaling; 2],
        x: &AShare<u64>,
        sums: &AShare<u64>,
    ) -> Result<(AShare<u64>, AShare<u64>)> {
        let digits = self.mean_digits();
        let part = (2f64.powi(digits as i32) / self.len as f64).round() as u64;
        let scaled: AShare<u64> = linear::map(sums, sums.bits(), |s| s.wrapping_mul(part));
        let fine = fine.run(s, &scaled)?;
        let coarse = coarse.run(s, &fine)?.low_bits(x.bits())?;
        let fine = fine.low_bits(x.bits())?;
        let finer: AShare<u64> = linear::map(x, x.bits(), |x| x << MEAN);
        Ok((&finer - &linear::repeated(&fine, self.len), x - &linear::repeated(&coarse, self.len)))
    }
}

//! Products, truncations, comparisons and selections: words of `uint64`, whatever their width.

use std::ops::Range;

use hushtable::{
    AShare, Error, Party, Role,
    arith::{
        self, CompareJob, Comparison, Domain, Factor, FaithfulTruncation, Fixed, Objective, Plan,
        ProductTriples, Shape,
    },
    gates::{self, Bits},
    math::{self, Affine, Norm, NormJob, Softmax, SoftmaxJob},
};
use pyo3::prelude::*;

use crate::{error::raise, function::Evaluation, party, rehearsal};

/// One batch of an operation, whose material, if any, is there.
pub type Ready = Box<dyn FnOnce(&mut Party, &[u64], &[u64]) -> Result<Vec<u64>, Error> + Send>;

/// Numbers whose material is in memory at the same time.
const BATCH: usize = 1 << 16;
/// Bits of one-hot vectors that are.
const BATCH_BITS: usize = 1 << 29;

/// What is computed of two arrays of words, or of one and an empty one: public, the same at both parties.
#[pyclass(module = "hushtable._hushtable", frozen)]
#[derive(Clone)]
pub struct Operation {
    bits: u32,
    what: What,
}

#[derive(Clone)]
enum What {
    Multiply,
    Matrix(Shape),
    Truncate(u32),
    Less(CompareJob),
    Select,
    Evaluate(math::Evaluation),
    Softmax(SoftmaxJob),
    /// With whose gains they are, if they are private.
    LayerNorm(NormJob, Affine, Option<Role>),
}

#[pymethods]
impl Operation {
    /// `x_i y_i`.
    #[staticmethod]
    fn multiply(bits: u32) -> Self {
        Self { bits, what: What::Multiply }
    }

    /// Matrix products: `rows x inner` times `inner x columns`.
    #[staticmethod]
    fn matrix_product(bits: u32, batch: usize, rows: usize, inner: usize, columns: usize) -> Self {
        Self { bits, what: What::Matrix(Shape { batch, rows, inner, columns }) }
    }

    /// `floor(x_i / 2^fraction)`, for `-2^(bits-2) <= x < 2^(bits-2)`.
    #[staticmethod]
    fn truncate(bits: u32, fraction: u32) -> Self {
        Self { bits, what: What::Truncate(fraction) }
    }

    /// XOR shares of the bits `x_i < y_i`. `domain`: `"near"`, `"signed"` or `"unsigned"`.
    #[staticmethod]
    fn less(py: Python<'_>, bits: u32, domain: &str) -> PyResult<Self> {
        let domain = match domain {
            "near" => Domain::Near,
            "signed" => Domain::Signed,
            _ => Domain::Unsigned,
        };
        let job = CompareJob::new(bits, domain, Objective::Total).map_err(|e| raise(py, &e))?;
        Ok(Self { bits, what: What::Less(job) })
    }

    /// `y_i` where the bit `x_i`, shared by XOR, is 1, else 0.
    #[staticmethod]
    fn select(bits: u32) -> Self {
        Self { bits, what: What::Select }
    }

    /// A function of `x_i`.
    #[staticmethod]
    fn evaluate(evaluation: &Evaluation) -> Self {
        Self { bits: evaluation.inner.bits(), what: What::Evaluate(evaluation.inner.clone()) }
    }

    /// Softmax of each row.
    #[staticmethod]
    fn softmax(py: Python<'_>, bits: u32, fraction: u32, rows: usize, len: usize) -> PyResult<Self> {
        let job = SoftmaxJob { rows, len, bits, scale: fraction, objective: Objective::Total };
        job.check().map_err(|e| raise(py, &e))?;
        Ok(Self { bits, what: What::Softmax(job) })
    }

    /// Layer norm of each row; the bounds are those of the library's `NormJob`. Gains and offsets are public, or
    /// known to `owner` only: then `role`, this party's, says whether they are its own, or for their number only.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn layer_norm(
        py: Python<'_>,
        bits: u32,
        fraction: u32,
        rows: usize,
        gains: Vec<f64>,
        offsets: Vec<f64>,
        owner: Option<u8>,
        role: u8,
        gain: f64,
        largest: f64,
        variance: [f64; 2],
        epsilon: f64,
    ) -> PyResult<Self> {
        let len = gains.len();
        let job = NormJob { rows, len, bits, scale: fraction, largest, variance, epsilon, gain };
        job.ring().map_err(|e| raise(py, &e))?;
        let (owner, role) = (owner.map(party::role), party::role(role));
        Ok(Self::norm(job, gains, offsets, owner, role))
    }

    /// What is known of a function of a tensor.
    #[getter]
    fn card(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let card = match &self.what {
            What::Softmax(job) => job.card(),
            What::LayerNorm(job, _, owner) => job.card(owner.is_some()),
            _ => return Ok(None),
        };
        card.map(|card| Some(card.to_string())).map_err(|e| raise(py, &e))
    }
}

impl Operation {
    /// Material for a batch, and what spends it. `ahead`: before there are inputs; else what takes the
    /// least in all.
    pub fn ready(&self, p: &mut Party, batch: usize, ahead: bool) -> Result<Ready, Error> {
        let bits = self.bits;
        let share = move |words: &[u64]| AShare::new(bits, words.to_vec());
        Ok(match self.what.clone() {
            What::Multiply | What::Matrix(_) if ahead => {
                let triples = ProductTriples::<u64>::random(p, bits, self.shape(batch))?;
                Box::new(move |p, x, y| Ok(triples.multiply(p, &share(x), &share(y))?.words().to_vec()))
            }
            What::Multiply => {
                Box::new(move |p, x, y| Ok(arith::multiply(p, &share(x), &share(y))?.words().to_vec()))
            }
            What::Matrix(shape) => Box::new(move |p, x, y| {
                let (x, y) = (share(x), share(y));
                let product = arith::matrix_product(p, shape, Factor::shared(&x), Factor::shared(&y))?;
                Ok(product.words().to_vec())
            }),
            What::Truncate(fraction) => {
                let plan = Plan::best(fraction, Objective::Total)?;
                let material = FaithfulTruncation::prepare(p, fraction, plan, batch)?;
                Box::new(move |p, x, _| Ok(material.truncate(p, &share(x))?.words().to_vec()))
            }
            What::Less(job) => {
                let material = Comparison::prepare(p, job, batch)?;
                Box::new(move |p, x, y| Ok(material.less(p, &share(x), &share(y))?.iter().collect()))
            }
            What::Select => Box::new(move |p, x, y| {
                let choices = Bits::collect(x.iter().copied());
                Ok(gates::mux(p, &choices, &share(y))?.words().to_vec())
            }),
            What::Evaluate(evaluation) => {
                let (scale, material) = (evaluation.scale(), evaluation.prepare(p, batch)?);
                Box::new(move |p, x, _| Ok(words(material.eval(p, &Fixed::new(share(x), scale)?)?)))
            }
            What::Softmax(job) => {
                let material = Softmax::prepare(p, job)?;
                Box::new(move |p, x, _| Ok(words(material.eval(p, &Fixed::new(share(x), job.scale)?)?)))
            }
            What::LayerNorm(job, affine, _) => {
                let material = Norm::prepare(p, job)?;
                Box::new(move |p, x, _| {
                    Ok(words(material.eval(p, &Fixed::new(share(x), job.scale)?, &affine)?))
                })
            }
        })
    }

    /// Layer norm with these gains: public, this party's, or, for their number only, its peer's.
    fn norm(job: NormJob, gains: Vec<f64>, offsets: Vec<f64>, owner: Option<Role>, role: Role) -> Self {
        let affine = match owner {
            None => Affine::public(gains, offsets),
            Some(owner) if owner == role => Affine::own(role, gains, offsets),
            Some(_) => Affine::of_peer(role, job.len),
        };
        Self { bits: job.bits, what: What::LayerNorm(job, affine, owner) }
    }

    /// Words on the left that an operation of rows takes.
    pub fn inputs(&self) -> usize {
        match self.what {
            What::Softmax(SoftmaxJob { rows, len, .. }) => rows * len,
            What::LayerNorm(NormJob { rows, len, .. }, ..) => rows * len,
            _ => 0,
        }
    }

    fn shape(&self, batch: usize) -> Shape {
        if let What::Matrix(shape) = self.what { shape } else { Shape::numbers(batch) }
    }

    /// Correlated OTs, as sender and as receiver, that `count` of it with material take online, where that of
    /// its batches took `made`.
    pub fn online_cots(
        &self,
        role: Role,
        count: usize,
        made: (usize, usize),
    ) -> Result<(usize, usize), Error> {
        Ok(match (&self.what, role) {
            (What::Truncate(_), Role::P0) => (2 * count, 0),
            (What::Truncate(_), Role::P1) => (0, 2 * count),
            (What::Select, _) => (count, count),
            (What::Evaluate(evaluation), role) => {
                let (send, recv) = evaluation.cots(role, count)?;
                (send.saturating_sub(made.0), recv.saturating_sub(made.1))
            }
            (&What::Softmax(job), role) => rehearsal::online_cots(role, job.rows, |_, rows| {
                let job = SoftmaxJob { rows, ..job };
                Self { bits: self.bits, what: What::Softmax(job) }
            })?,
            (&What::LayerNorm(job, _, owner), role) => {
                rehearsal::online_cots(role, job.rows, |role, rows| {
                    let none = vec![0.0; job.len];
                    Self::norm(NormJob { rows, ..job }, none.clone(), none, owner, role)
                })?
            }
            _ => (0, 0),
        })
    }

    /// The batches of inputs with `len` words.
    pub fn batches(&self, len: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let batch = match &self.what {
            What::Evaluate(evaluation) => (BATCH_BITS / evaluation.card().entries.max(1)).clamp(1, BATCH),
            _ if self.is_whole() => len.max(1),
            _ => BATCH,
        };
        (0..len).step_by(batch).map(move |from| from..len.min(from + batch))
    }

    /// Whether it cannot be cut into batches.
    pub fn is_whole(&self) -> bool {
        matches!(self.what, What::Matrix(_) | What::Softmax(_) | What::LayerNorm(..))
    }
}

fn words(y: Fixed<u64>) -> Vec<u64> {
    y.share().words().to_vec()
}

//! Products, truncations, comparisons and selections: words of `uint64`, whatever their width.

use std::{ops::Range, sync::Mutex};

use hushtable::{
    AShare, Error, Party, Role,
    arith::{
        self, CompareJob, Comparison, Domain, Factor, FaithfulTruncation, Fixed, Objective, Plan,
        ProductTriples, Shape,
    },
    gates::{self, Bits},
    math::{self, Affine, Norm, NormJob, Softmax, SoftmaxJob},
};
use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use crate::{
    error::{raise, spent},
    function::Evaluation,
    party::{self, Progress, Steps},
    words::array,
};

type Array<'py> = PyReadonlyArrayDyn<'py, u64>;
/// One batch of an operation, whose material, if any, is there.
type Ready = Box<dyn FnOnce(&mut Party, &[u64], &[u64]) -> Result<Vec<u64>, Error> + Send>;

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
    LayerNorm(NormJob, Affine),
}

#[pymethods]
impl Operation {
    /// `x_i y_i`.
    #[staticmethod]
    fn multiply(bits: u32) -> Self {
        Self { bits, what: What::Multiply }
    }

    /// A matrix product: `rows x inner` times `inner x columns`.
    #[staticmethod]
    fn matrix_product(bits: u32, rows: usize, inner: usize, columns: usize) -> Self {
        Self { bits, what: What::Matrix(Shape { batch: 1, rows, inner, columns }) }
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

    /// Layer norm of each row, with public gains and offsets; the bounds are those of the library's `NormJob`.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn layer_norm(
        py: Python<'_>,
        bits: u32,
        fraction: u32,
        rows: usize,
        gains: Vec<f64>,
        offsets: Vec<f64>,
        largest: f64,
        variance: [f64; 2],
        epsilon: f64,
    ) -> PyResult<Self> {
        let gain = gains.iter().chain(&offsets).fold(1.0, |most: f64, v| most.max(v.abs()));
        let len = gains.len();
        let job = NormJob { rows, len, bits, scale: fraction, largest, variance, epsilon, gain };
        job.ring().map_err(|e| raise(py, &e))?;
        Ok(Self { bits, what: What::LayerNorm(job, Affine::public(gains, offsets)) })
    }
}

impl Operation {
    /// Material for a batch, and what spends it. `ahead`: before there are inputs; else what takes the
    /// least in all.
    fn ready(&self, p: &mut Party, batch: usize, ahead: bool) -> Result<Ready, Error> {
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
            What::LayerNorm(job, affine) => {
                let material = Norm::prepare(p, job)?;
                Box::new(move |p, x, _| {
                    Ok(words(material.eval(p, &Fixed::new(share(x), job.scale)?, &affine)?))
                })
            }
        })
    }

    fn shape(&self, batch: usize) -> Shape {
        if let What::Matrix(shape) = self.what { shape } else { Shape::numbers(batch) }
    }

    /// Correlated OTs, sent and received, that `count` of it take online; with those of its material if
    /// that is what the library tells.
    fn online_cots(&self, role: Role, count: usize) -> Result<(usize, usize), Error> {
        Ok(match (&self.what, role) {
            (What::Truncate(_), Role::P0) => (2 * count, 0),
            (What::Truncate(_), Role::P1) => (0, 2 * count),
            (What::Select, _) => (count, count),
            (What::Evaluate(evaluation), role) => evaluation.cots(role, count)?,
            _ => (0, 0),
        })
    }

    /// The batches of inputs with `len` words.
    fn batches(&self, len: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let batch = match &self.what {
            What::Evaluate(evaluation) => (BATCH_BITS / evaluation.card().entries.max(1)).clamp(1, BATCH),
            _ if self.is_whole() => len.max(1),
            _ => BATCH,
        };
        (0..len).step_by(batch).map(move |from| from..len.min(from + batch))
    }
}

impl Operation {
    /// Whether it cannot be cut into batches.
    fn is_whole(&self) -> bool {
        matches!(self.what, What::Matrix(_) | What::Softmax(_) | What::LayerNorm(..))
    }
}

fn words(y: Fixed<u64>) -> Vec<u64> {
    y.share().words().to_vec()
}

/// One-time material for one call of an operation, batch by batch.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct OperationMaterial {
    operation: Operation,
    batches: Mutex<Option<Vec<Ready>>>,
}

/// Words of shares of what `operation` computes, in the shape `out`.
#[pyfunction]
pub fn run<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    operation: &Operation,
    x: Array<'py>,
    y: Array<'py>,
    out: Vec<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<u64>>> {
    let (a, b, operation) = (x.as_slice()?.to_vec(), y.as_slice()?.to_vec(), operation.clone());
    let found = p.call(py, name, move |steps, progress| {
        batch_by_batch(progress, &operation, (&a, &b), |count, a, b| {
            let ready = steps.phase("offline", |p| operation.ready(p, count, false))?;
            steps.phase("online", |p| ready(p, a, b))
        })
    })?;
    array(py, found, &out)
}

/// Material for one call with `count` words on the left, and the correlated OTs that it takes online.
#[pyfunction]
pub fn prepare_operation(
    py: Python<'_>,
    p: &party::Party,
    name: &str,
    operation: &Operation,
    count: usize,
) -> PyResult<OperationMaterial> {
    let (operation, role, prepared) = (operation.clone(), p.role(), operation.clone());
    let batches = p.call(py, name, move |steps, progress| {
        progress.begin(count);
        let (send, recv) = operation.online_cots(role, count)?;
        let stock = |steps: &mut Steps<'_>| match (send, recv) {
            (0, 0) => Ok(()),
            _ => steps.phase("offline", |p| p.stock_cots(send, recv)),
        };
        // Material takes from the stock what is its own; other stock is for later.
        let first = matches!(operation.what, What::Evaluate(_));
        if first {
            stock(steps)?;
        }
        let mut made = Vec::new();
        for range in operation.batches(count) {
            made.push(steps.phase("offline", |p| operation.ready(p, range.len(), true))?);
            progress.add(range.len());
        }
        if !first {
            stock(steps)?;
        }
        Ok(made)
    })?;
    Ok(OperationMaterial { operation: prepared, batches: Mutex::new(Some(batches)) })
}

/// [`run`] with material that was prepared, which it spends.
#[pyfunction]
pub fn spend_operation<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    material: &OperationMaterial,
    x: Array<'py>,
    y: Array<'py>,
    out: Vec<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<u64>>> {
    let taken = material.batches.lock().expect("no panic while the lock is held").take();
    let mut batches = taken.ok_or_else(|| spent(py, "material of an operation"))?.into_iter();
    let (a, b, operation) = (x.as_slice()?.to_vec(), y.as_slice()?.to_vec(), material.operation.clone());
    let found = p.call(py, name, move |steps, progress| {
        batch_by_batch(progress, &operation, (&a, &b), |_, a, b| {
            let ready = batches.next().ok_or(Error::Shape { what: "batches prepared", want: 1, got: 0 })?;
            steps.phase("online", |p| ready(p, a, b))
        })
    })?;
    array(py, found, &out)
}

/// The results of all batches, one after the other. `batch` gets its number of words on the left.
fn batch_by_batch(
    progress: &Progress,
    operation: &Operation,
    (x, y): (&[u64], &[u64]),
    mut batch: impl FnMut(usize, &[u64], &[u64]) -> Result<Vec<u64>, Error>,
) -> Result<Vec<u64>, Error> {
    progress.begin(x.len());
    let mut out = Vec::with_capacity(x.len());
    for range in operation.batches(x.len()) {
        let right = if operation.is_whole() || y.is_empty() { y } else { &y[range.clone()] };
        out.extend(batch(range.len(), &x[range.clone()], right)?);
        progress.add(range.len());
    }
    Ok(out)
}

//! Products, truncations, comparisons and selections: words of `uint64`, whatever their width.

use std::{ops::Range, sync::Mutex};

use hushtable::{
    AShare, Error, Party, Role,
    arith::{
        self, CompareJob, Comparison, Domain, Factor, FaithfulTruncation, Objective, Plan, ProductTriples,
        Shape,
    },
    gates::{self, Bits},
};
use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use crate::{
    error::{raise, spent},
    party::{self, Progress},
    words::array,
};

type Array<'py> = PyReadonlyArrayDyn<'py, u64>;
/// One batch of an operation, whose material, if any, is there.
type Ready = Box<dyn FnOnce(&mut Party, &[u64], &[u64]) -> Result<Vec<u64>, Error> + Send>;

/// Numbers whose material is in memory at the same time.
const BATCH: usize = 1 << 16;

/// What is computed of two arrays of words, or of one and an empty one: public, the same at both parties.
#[pyclass(module = "hushtable._hushtable", frozen)]
#[derive(Clone, Copy)]
pub struct Operation {
    bits: u32,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Multiply,
    Matrix(Shape),
    Truncate(u32),
    Less(CompareJob),
    Select,
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
}

impl Operation {
    /// Material for a batch, and what spends it. `ahead`: before there are inputs; else what takes the
    /// least in all.
    fn ready(self, p: &mut Party, batch: usize, ahead: bool) -> Result<Ready, Error> {
        let bits = self.bits;
        let share = move |words: &[u64]| AShare::new(bits, words.to_vec());
        Ok(match self.what {
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
        })
    }

    fn shape(self, batch: usize) -> Shape {
        if let What::Matrix(shape) = self.what { shape } else { Shape::numbers(batch) }
    }

    /// Correlated OTs, sent and received, that `count` of it take online.
    fn online_cots(self, role: Role, count: usize) -> (usize, usize) {
        match (self.what, role) {
            (What::Truncate(_), Role::P0) => (2 * count, 0),
            (What::Truncate(_), Role::P1) => (0, 2 * count),
            (What::Select, _) => (count, count),
            _ => (0, 0),
        }
    }

    /// The batches of inputs with `len` words: a matrix product is one.
    fn batches(self, len: usize) -> impl Iterator<Item = Range<usize>> {
        let batch = if let What::Matrix(_) = self.what { len.max(1) } else { BATCH };
        (0..len).step_by(batch).map(move |from| from..len.min(from + batch))
    }
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
    let (a, b, operation) = (x.as_slice()?.to_vec(), y.as_slice()?.to_vec(), *operation);
    let found = p.call(py, name, move |steps, progress| {
        batch_by_batch(progress, operation, (&a, &b), |range, a, b| {
            let ready = steps.phase("offline", |p| operation.ready(p, range, false))?;
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
    let (operation, role) = (*operation, p.role());
    let batches = p.call(py, name, move |steps, progress| {
        progress.begin(count);
        let mut made = Vec::new();
        for range in operation.batches(count) {
            made.push(steps.phase("offline", |p| operation.ready(p, range.len(), true))?);
            progress.add(range.len());
        }
        let (send, recv) = operation.online_cots(role, count);
        if send + recv > 0 {
            steps.phase("offline", |p| p.stock_cots(send, recv))?;
        }
        Ok(made)
    })?;
    Ok(OperationMaterial { operation, batches: Mutex::new(Some(batches)) })
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
    let (a, b, operation) = (x.as_slice()?.to_vec(), y.as_slice()?.to_vec(), material.operation);
    let found = p.call(py, name, move |steps, progress| {
        batch_by_batch(progress, operation, (&a, &b), |_, a, b| {
            let ready = batches.next().ok_or(Error::Shape { what: "batches prepared", want: 1, got: 0 })?;
            steps.phase("online", |p| ready(p, a, b))
        })
    })?;
    array(py, found, &out)
}

/// The results of all batches, one after the other. `batch` gets its number of words on the left.
fn batch_by_batch(
    progress: &Progress,
    operation: Operation,
    (x, y): (&[u64], &[u64]),
    mut batch: impl FnMut(usize, &[u64], &[u64]) -> Result<Vec<u64>, Error>,
) -> Result<Vec<u64>, Error> {
    progress.begin(x.len());
    let mut out = Vec::with_capacity(x.len());
    for range in operation.batches(x.len()) {
        let whole = matches!(operation.what, What::Matrix(_));
        let right = if whole || y.is_empty() { y } else { &y[range.clone()] };
        out.extend(batch(range.len(), &x[range.clone()], right)?);
        progress.add(range.len());
    }
    Ok(out)
}

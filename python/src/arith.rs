//! Products, truncations, comparisons and selections: words of `uint64`, whatever their width.

use std::ops::Range;

use hushtable::{
    AShare, Error,
    arith::{self, CompareJob, Comparison, Domain, Factor, FaithfulTruncation, Objective, Plan, Shape},
    gates::{self, Bits},
};
use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::{
    party::{Party, Progress, Steps},
    words::array,
};

type Array<'py> = PyReadonlyArrayDyn<'py, u64>;
type Made<'py> = PyResult<Bound<'py, PyArrayDyn<u64>>>;

/// Numbers whose material is in memory at the same time.
const BATCH: usize = 1 << 16;

/// Shares of `x_i y_i`.
#[pyfunction]
pub fn multiply<'py>(
    py: Python<'py>,
    p: &Party,
    operation: &str,
    x: Array<'py>,
    y: Array<'py>,
    bits: u32,
) -> Made<'py> {
    let (a, b) = (x.as_slice()?.to_vec(), y.as_slice()?.to_vec());
    let product = p.call(py, operation, move |steps, progress| {
        let (a, b) = (AShare::new(bits, a), AShare::new(bits, b));
        batches(steps, progress, a.len(), |steps, range| {
            let (a, b) = (part(&a, &range), part(&b, &range));
            Ok(steps.phase("online", |p| arith::multiply(p, &a, &b))?.words().to_vec())
        })
    })?;
    array(py, product, x.shape())
}

/// Shares of a matrix product: `rows x inner` times `inner x columns`.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub fn matrix_product<'py>(
    py: Python<'py>,
    p: &Party,
    operation: &str,
    x: Array<'py>,
    y: Array<'py>,
    bits: u32,
    shape: (usize, usize, usize),
) -> Made<'py> {
    let (a, b) = (x.as_slice()?.to_vec(), y.as_slice()?.to_vec());
    let (rows, inner, columns) = shape;
    let product = p.call(py, operation, move |steps, _| {
        let (a, b) = (AShare::new(bits, a), AShare::new(bits, b));
        let shape = Shape { batch: 1, rows, inner, columns };
        let product = steps
            .phase("online", |p| arith::matrix_product(p, shape, Factor::shared(&a), Factor::shared(&b)))?;
        Ok(product.words().to_vec())
    })?;
    array(py, product, &[rows, columns])
}

/// Shares of `floor(x / 2^fraction)`, for `-2^(bits-2) <= x < 2^(bits-2)`.
#[pyfunction]
pub fn truncate<'py>(
    py: Python<'py>,
    p: &Party,
    operation: &str,
    x: Array<'py>,
    bits: u32,
    fraction: u32,
) -> Made<'py> {
    let a = x.as_slice()?.to_vec();
    let truncated = p.call(py, operation, move |steps, progress| {
        let a = AShare::new(bits, a);
        let plan = Plan::best(fraction, Objective::Total)?;
        batches(steps, progress, a.len(), |steps, range| {
            let (a, batch) = (part(&a, &range), range.len());
            let material =
                steps.phase("offline", |p| FaithfulTruncation::prepare(p, fraction, plan, batch))?;
            Ok(steps.phase("online", |p| material.truncate(p, &a))?.words().to_vec())
        })
    })?;
    array(py, truncated, x.shape())
}

/// XOR shares of the bits `x_i < y_i`. `domain`: `"near"`, `"signed"` or `"unsigned"`.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub fn less<'py>(
    py: Python<'py>,
    p: &Party,
    operation: &str,
    x: Array<'py>,
    y: Array<'py>,
    bits: u32,
    domain: &str,
) -> Made<'py> {
    let (a, b) = (x.as_slice()?.to_vec(), y.as_slice()?.to_vec());
    let domain = match domain {
        "near" => Domain::Near,
        "signed" => Domain::Signed,
        _ => Domain::Unsigned,
    };
    let found = p.call(py, operation, move |steps, progress| {
        let (a, b) = (AShare::new(bits, a), AShare::new(bits, b));
        let job = CompareJob::new(bits, domain, Objective::Total)?;
        batches(steps, progress, a.len(), |steps, range| {
            let (a, b, batch) = (part(&a, &range), part(&b, &range), range.len());
            let material = steps.phase("offline", |p| Comparison::prepare(p, job, batch))?;
            Ok(steps.phase("online", |p| material.less(p, &a, &b))?.iter().collect())
        })
    })?;
    array(py, found, x.shape())
}

/// Additive shares of `b_i x_i`, of a bit shared by XOR and a number each.
#[pyfunction]
pub fn select<'py>(
    py: Python<'py>,
    p: &Party,
    operation: &str,
    b: Array<'py>,
    x: Array<'py>,
    bits: u32,
) -> Made<'py> {
    let (choices, a) = (Bits::collect(b.as_slice()?.iter().copied()), x.as_slice()?.to_vec());
    let selected = p.call(py, operation, move |steps, progress| {
        let a = AShare::new(bits, a);
        batches(steps, progress, a.len(), |steps, range| {
            let (a, choices) = (part(&a, &range), choices.range(range));
            Ok(steps.phase("online", |p| gates::mux(p, &choices, &a))?.words().to_vec())
        })
    })?;
    array(py, selected, x.shape())
}

/// The results of all batches, one after the other.
fn batches(
    steps: &mut Steps<'_>,
    progress: &Progress,
    len: usize,
    mut batch: impl FnMut(&mut Steps<'_>, Range<usize>) -> Result<Vec<u64>, Error>,
) -> Result<Vec<u64>, Error> {
    progress.begin(len);
    let mut out = Vec::with_capacity(len);
    for from in (0..len).step_by(BATCH) {
        let range = from..len.min(from + BATCH);
        out.extend(batch(steps, range.clone())?);
        progress.add(range.len());
    }
    Ok(out)
}

fn part(x: &AShare<u64>, range: &Range<usize>) -> AShare<u64> {
    AShare::new(x.bits(), x.words()[range.clone()].to_vec())
}

//! Operations run: with material made on the way, or ahead.

use std::sync::Mutex;

use hushtable::{Error, party::SetAside};
use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use crate::{
    arith::{Operation, Ready},
    error::spent,
    party::{self, Progress},
    words::array,
};

type Array<'py> = PyReadonlyArrayDyn<'py, u64>;

/// One-time material for one call of an operation.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct OperationMaterial(Mutex<Option<Prepared>>);

/// What its batches spend, one after the other, and what they take online besides.
struct Prepared {
    batches: Vec<Ready>,
    aside: SetAside,
}

/// Words of shares of what `operation` computes, in the shape `out`; with `material`, which it spends, online only.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub fn run<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    operation: &Operation,
    x: Array<'py>,
    y: Array<'py>,
    out: Vec<usize>,
    material: Option<&OperationMaterial>,
) -> PyResult<Bound<'py, PyArrayDyn<u64>>> {
    let prepared = material.map(|material| material.take(py)).transpose()?;
    let (a, b, operation) = (x.as_slice()?.to_vec(), y.as_slice()?.to_vec(), operation.clone());
    let found = p.call(py, name, move |steps, progress| {
        let Some(Prepared { batches, aside }) = prepared else {
            return batch_by_batch(progress, &operation, (&a, &b), |count, a, b| {
                let ready = steps.phase("offline", |p| operation.ready(p, count, false))?;
                steps.phase("online", |p| ready(p, a, b))
            });
        };
        let (mut batches, mut aside) = (batches.into_iter(), Some(aside));
        batch_by_batch(progress, &operation, (&a, &b), |_, a, b| {
            let ready = batches.next().ok_or(Error::Shape { what: "batches prepared", want: 1, got: 0 })?;
            steps.phase("online", |p| {
                aside.take().map_or(Ok(()), |aside| p.restore(aside))?;
                ready(p, a, b)
            })
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
    let (operation, role) = (operation.clone(), p.role());
    let prepared = p.call(py, name, move |steps, progress| {
        progress.begin(count);
        let mut batches = Vec::new();
        let (mut send, mut recv) = (0, 0);
        for range in operation.batches(count) {
            batches.push(steps.phase("offline", |p| {
                let before = p.cots_taken();
                let ready = operation.ready(p, range.len(), true)?;
                let after = p.cots_taken();
                let made = (after.0 - before.0, after.1 - before.1);
                let online = operation.online_cots(role, range.len(), made)?;
                (send, recv) = (send + online.0, recv + online.1);
                Ok(ready)
            })?);
            progress.add(range.len());
        }
        let aside = steps.phase("offline", |p| p.set_aside(send, recv))?;
        Ok(Prepared { batches, aside })
    })?;
    Ok(OperationMaterial(Mutex::new(Some(prepared))))
}

impl OperationMaterial {
    /// What it holds, once.
    fn take(&self, py: Python<'_>) -> PyResult<Prepared> {
        let taken = self.0.lock().expect("no panic while the lock is held").take();
        taken.ok_or_else(|| spent(py, "material of an operation"))
    }
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

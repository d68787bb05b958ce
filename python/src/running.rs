//! Operations run: with material made on the way, or ahead.

use std::sync::{Arc, Mutex};

use hushtable::{
    Error,
    error::same,
    operation::{self, Operation as Operated, Words},
    run::{self as runner, Outcome, Ready, Reveal},
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use prim::Wiped;
use pyo3::prelude::*;

use crate::{
    error::{raise, spent},
    operation::Operation,
    party::{self, Progress, Steps},
};

pub type Array<'py> = PyReadonlyArrayDyn<'py, u64>;

/// One-time material for one call of an operation.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Material {
    operation: Arc<dyn operation::Operation>,
    items: usize,
    ready: Mutex<Option<Ready>>,
}

impl Material {
    /// Made by `operation` for a call with `items` items.
    pub fn new(operation: Arc<dyn operation::Operation>, items: usize, ready: Ready) -> Self {
        Self { operation, items, ready: Mutex::new(Some(ready)) }
    }

    /// What it holds, once, for as many items as it was made for, and the operation that made it.
    pub fn take(&self, py: Python<'_>, items: usize) -> PyResult<(Arc<dyn operation::Operation>, Ready)> {
        hushtable::error::same("items prepared", self.items, items).map_err(|e| raise(py, &e))?;
        let taken = self.ready.lock().expect("no panic while the lock is held").take();
        Ok((Arc::clone(&self.operation), taken.ok_or_else(|| spent(py, "material of an operation"))?))
    }
}

/// Words of shares of what `operation` computes, column by column; with `material`, which it spends, online only.
#[pyfunction]
pub fn run<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    operation: &Operation,
    operands: Vec<Array<'py>>,
    material: Option<&Material>,
) -> PyResult<Vec<Bound<'py, PyArray1<u64>>>> {
    let operands = given(&operands)?;
    let items = items(operation.now.as_ref(), p, &operands).map_err(|e| raise(py, &e))?;
    let taken = material.map(|material| material.take(py, items)).transpose()?;
    let missing = if taken.is_some() { 0 } else { items };
    p.chance.add(py, &operation.now.chance(missing))?;
    let (operation, ready) = match taken {
        Some(taken) => taken,
        None => (suiting(py, p, &operation.now, items)?, Ready::default()),
    };
    let found = p.call(py, &announced(name, operation.as_ref()), move |steps, progress| {
        let operands: Vec<&[u64]> = operands.iter().map(|words| &words[..]).collect();
        progress.begin(items);
        set_up(steps, operation.as_ref(), missing)?;
        steps.run(progress, |p, watch| runner::shares(operation.as_ref(), p, ready, &operands, watch))
    })?;
    Ok(arrays(py, found))
}

/// The one column that there is.
pub fn only(columns: Result<Vec<Words>, Error>) -> Result<Words, Error> {
    let mut columns = columns?;
    same("columns of results", 1, columns.len())?;
    Ok(columns.remove(0))
}

/// An array of each column, which it takes over.
pub fn arrays(py: Python<'_>, columns: Vec<Words>) -> Vec<Bound<'_, PyArray1<u64>>> {
    columns.into_iter().map(|mut column| std::mem::take(&mut *column).into_pyarray(py)).collect()
}

/// How many items these operands are.
pub fn items(operation: &dyn Operated, p: &party::Party, operands: &[Wiped<u64>]) -> Result<usize, Error> {
    let operands: Vec<&[u64]> = operands.iter().map(|words| &words[..]).collect();
    operation.signature().items(p.role(), &operands)
}

/// The columns that an operation on one item gives, opened to whom `reveal` says.
pub fn outcomes(
    steps: &mut Steps<'_>,
    progress: &Progress,
    operation: &dyn Operated,
    operands: &[&[u64]],
    reveal: Reveal,
) -> Result<Vec<Outcome>, Error> {
    progress.begin(1);
    set_up(steps, operation, 1)?;
    steps.run(progress, |p, watch| {
        let (lanes, ready) = (std::slice::from_mut(p), vec![Ready::default()]);
        Ok(runner::run(operation, lanes, ready, operands, reveal, watch)?.outcomes)
    })
}

/// Copies of the operands, which are wiped.
pub fn given(operands: &[Array<'_>]) -> PyResult<Vec<Wiped<u64>>> {
    operands.iter().map(|operand| Ok(operand.as_slice()?.to_vec().into())).collect()
}

/// Material for one call with `count` items.
#[pyfunction]
pub fn prepare_operation(
    py: Python<'_>,
    p: &party::Party,
    name: &str,
    operation: &Operation,
    count: usize,
) -> PyResult<Material> {
    let operation = suiting(py, p, &operation.ahead, count)?;
    p.chance.add(py, &operation.chance(count))?;
    let ready = prepare(py, p, name, Arc::clone(&operation), count)?;
    Ok(Material::new(operation, count, ready))
}

/// The operation by what suits `items` of it over the link.
pub fn suiting(
    py: Python<'_>,
    p: &party::Party,
    operation: &Arc<dyn operation::Operation>,
    items: usize,
) -> PyResult<Arc<dyn operation::Operation>> {
    let other = operation::choose(operation.as_ref(), items, &p.setting()).map_err(|e| raise(py, &e))?;
    Ok(other.map_or_else(|| Arc::clone(operation), Arc::from))
}

/// Makes what `count` items take.
pub fn prepare(
    py: Python<'_>,
    p: &party::Party,
    name: &str,
    operation: Arc<dyn operation::Operation>,
    count: usize,
) -> PyResult<Ready> {
    p.call(py, &announced(name, operation.as_ref()), move |steps, progress| {
        progress.begin(count);
        set_up(steps, operation.as_ref(), count)?;
        let made = steps.run(progress, |p, watch| runner::prepare(operation.as_ref(), p, count, watch))?;
        Ok::<_, Error>(Ready { made, reserved: None })
    })
}

/// What the parties compare: the name of a call, and how it is done, which each party chose for itself.
pub fn announced(name: &str, operation: &dyn operation::Operation) -> String {
    format!("{name}, by {}", operation.method())
}

/// The part of the set-up that suits `missing` items, which are made next.
pub fn set_up(
    steps: &mut Steps<'_>,
    operation: &dyn operation::Operation,
    missing: usize,
) -> Result<(), Error> {
    if missing == 0 {
        return Ok(());
    }
    steps.phase("setup", |p| runner::set_up(operation, p, missing))
}

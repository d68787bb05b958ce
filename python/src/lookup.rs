//! Lookups: batches that fit memory, with material made on the way or before.

use std::sync::Arc;

use hushtable::{
    lut::{LookupJob, Protocol},
    math::Tabulated,
    operation::{self, Operation},
    run::{self, Ready},
};
use prim::Wiped;
use pyo3::prelude::*;

use crate::{
    error::raise,
    operation::kept,
    party,
    running::{Material, announced, only, prepare, set_up, suiting},
    table::Table,
    words::{Words, sharing},
};

/// What is looked up: public, the same at both parties.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Lookup {
    pub job: LookupJob,
    table: Arc<Tabulated>,
    /// `None`: the planner's choice, by the number of lookups.
    protocol: Option<Protocol>,
}

#[pymethods]
impl Lookup {
    /// Lookups in `table`, with results of `bits` bits. `protocol` has a name, or is `"auto"`.
    #[new]
    fn new(
        py: Python<'_>,
        table: &Table,
        index_kind: &str,
        bits: u32,
        kind: &str,
        protocol: &str,
    ) -> PyResult<Self> {
        let (index, output) = (sharing(index_kind)?, sharing(kind)?);
        let index_bits = table.inner.entries().len().ilog2();
        let job = LookupJob { index, output, index_bits, value_bits: bits };
        let protocol = match protocol {
            "auto" => Ok(None),
            name => name.parse::<Protocol>().and_then(|p| p.check(&job).map(|()| Some(p))),
        };
        let protocol = protocol.map_err(|e| raise(py, &e))?;
        Ok(Self { job, table: Arc::clone(&table.inner), protocol })
    }

    /// As of an operation: see `Operation.stored`.
    #[pyo3(name = "stored")]
    fn stored_bytes(&self, py: Python<'_>, items: u64) -> PyResult<Option<([u8; 32], u64)>> {
        kept(py, Some(self.to_store()), items)
    }

    /// Width of the results.
    #[getter]
    fn bits(&self) -> u32 {
        self.job.value_bits
    }
}

impl Lookup {
    /// With the protocol for `count` of them: unless one was asked for, the one that suits the link.
    fn chosen(&self, py: Python<'_>, p: &party::Party, count: usize) -> PyResult<Arc<dyn Operation>> {
        suiting(py, p, &self.open(), count)
    }

    /// With the protocol that was asked for, or the choice among all.
    pub fn open(&self) -> Arc<dyn Operation> {
        let lookup = self.by(self.protocol.unwrap_or(Protocol::SpLut));
        Arc::new(operation::Lookup { open: self.protocol.is_none(), ..lookup })
    }

    /// For which material goes to a store.
    pub fn to_store(&self) -> Arc<dyn Operation> {
        Arc::new(self.stored(Some(Protocol::to_store(&self.job))))
    }

    /// With the protocol of a store of lookups, unless another was asked for.
    pub fn stored(&self, protocol: Option<Protocol>) -> operation::Lookup {
        self.by(self.protocol.or(protocol).unwrap_or(Protocol::Doubling))
    }

    fn by(&self, protocol: Protocol) -> operation::Lookup {
        let name = "lookup".into();
        operation::Lookup { name, job: self.job, table: Arc::clone(&self.table), protocol, open: false }
    }
}

/// Shares of the table's entries at the shared `index` (`uint32`): with `material`, which it spends, online
/// only; else offline and online.
#[pyfunction]
pub fn look_up<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    lookup: &Lookup,
    index: &Bound<'py, PyAny>,
    material: Option<&Material>,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, shape) = indices(index)?;
    let (operation, ready, missing): (Arc<dyn Operation>, _, _) = match material {
        Some(material) => {
            let (operation, ready) = material.take(py, x.len())?;
            (operation, ready, 0)
        }
        None => (lookup.chosen(py, p, x.len())?, Ready::default(), x.len()),
    };
    let found = p.call(py, &announced(name, operation.as_ref()), move |steps, progress| {
        progress.begin(x.len());
        set_up(steps, operation.as_ref(), missing)?;
        steps.run(progress, |p, watch| only(run::shares(operation.as_ref(), p, ready, &[&x], watch)))
    })?;
    Words::narrow(found, lookup.job.value_bits).into_array(py, &shape)
}

/// Material for `count` such lookups.
#[pyfunction]
pub fn prepare_lookup(
    py: Python<'_>,
    p: &party::Party,
    name: &str,
    lookup: &Lookup,
    count: usize,
) -> PyResult<Material> {
    let operation = lookup.chosen(py, p, count)?;
    let ready = prepare(py, p, name, Arc::clone(&operation), count)?;
    Ok(Material::new(operation, count, ready))
}

/// The lookup protocols: `(name, about)`.
#[pyfunction]
pub fn protocols() -> Vec<(&'static str, &'static str)> {
    Protocol::ALL.map(|p| (p.name(), p.about())).into()
}

/// The words and the shape of an index.
pub fn indices(array: &Bound<'_, PyAny>) -> PyResult<(Wiped<u64>, Vec<usize>)> {
    match Words::of(array)? {
        (Words::U32(x), shape) => Ok((x.iter().map(|&x| x.into()).collect::<Vec<u64>>().into(), shape)),
        _ => Err(pyo3::exceptions::PyTypeError::new_err("an index is an array of uint32")),
    }
}

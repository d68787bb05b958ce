//! Lookups: batches that fit memory, with material made on the way or before.

use std::sync::{Arc, Mutex};

use hushtable::{
    Error, Party, Role,
    lut::{self, Job, Protocol},
    math::Tabulated,
    net::Shape,
    onehot::{Cyclic, Group, Xor},
    plan::{self, Machine, Objective},
    share::{Additive, Bitwise, Kind, Share, Sharing},
};
use pyo3::prelude::*;

use crate::{
    error::{raise, spent},
    party::{self, Progress, Steps},
    table::Table,
    words::{Word, Words, sharing},
};

/// A batch's material: spent by its indices.
type Spend = Box<dyn FnOnce(&mut Party, Vec<u32>) -> Result<Words, Error> + Send>;

/// What is looked up: public, the same at both parties.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Lookup {
    job: Job,
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
        let job = Job { index, output, index_bits, value_bits: bits };
        let protocol = match protocol {
            "auto" => Ok(None),
            name => name.parse::<Protocol>().and_then(|p| p.check(&job).map(|()| Some(p))),
        };
        let protocol = protocol.map_err(|e| raise(py, &e))?;
        Ok(Self { job, table: Arc::clone(&table.inner), protocol })
    }

    /// Width of the results.
    #[getter]
    fn bits(&self) -> u32 {
        self.job.value_bits
    }
}

impl Lookup {
    /// With the protocol for `count` of them.
    fn chosen(&self, count: usize) -> Result<Chosen, Error> {
        let protocol = match self.protocol {
            Some(protocol) => protocol,
            // The same at both parties without asking: predicted for a local network.
            None => {
                plan::choose(&self.job, count.max(1), &Shape::LAN, &Machine::REFERENCE, Objective::Total)?
            }
        };
        Ok(Chosen { protocol, job: self.job, table: Arc::clone(&self.table) })
    }

    /// With the protocol of a store, unless another was asked for.
    pub fn stored(&self, protocol: Protocol) -> Chosen {
        Chosen { protocol: self.protocol.unwrap_or(protocol), job: self.job, table: Arc::clone(&self.table) }
    }
}

/// Shares of the table's entries at the shared `index` (`uint32`): offline and online.
#[pyfunction]
pub fn look_up<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    lookup: &Lookup,
    index: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, shape) = indices(index)?;
    let chosen = lookup.chosen(x.len()).map_err(|e| raise(py, &e))?;
    let role = p.role();
    let found = p.call(py, name, move |steps, progress| {
        progress.begin(x.len());
        chosen.set_up(steps, role, x.len())?;
        chosen.run(steps, x, progress)
    })?;
    found.into_array(py, &shape)
}

/// Material for `count` such lookups.
#[pyfunction]
pub fn prepare_lookup(
    py: Python<'_>,
    p: &party::Party,
    name: &str,
    lookup: &Lookup,
    count: usize,
) -> PyResult<LookupMaterial> {
    let chosen = lookup.chosen(count).map_err(|e| raise(py, &e))?;
    let (role, prepared) = (p.role(), chosen.clone());
    let batches = p.call(py, name, move |steps, progress| {
        progress.begin(count);
        chosen.set_up(steps, role, count)?;
        chosen.prepare(steps, count, progress)
    })?;
    Ok(LookupMaterial { lookup: prepared, count, batches: Mutex::new(Some(batches)) })
}

/// Looks up with material that was prepared, and spends it.
#[pyfunction]
pub fn spend_lookup<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    material: &LookupMaterial,
    index: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, shape) = indices(index)?;
    hushtable::error::same("lookups prepared", material.count, x.len()).map_err(|e| raise(py, &e))?;
    let taken = material.batches.lock().expect("no panic while the lock is held").take();
    let batches = taken.ok_or_else(|| spent(py, "material for lookups"))?;
    let lookup = material.lookup.clone();
    let found = p.call(py, name, move |steps, progress| {
        progress.begin(x.len());
        lookup.spend(steps, batches, x, progress)
    })?;
    found.into_array(py, &shape)
}

/// One-time material for the lookups of one call, batch by batch.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct LookupMaterial {
    lookup: Chosen,
    count: usize,
    batches: Mutex<Option<Vec<(usize, Spend)>>>,
}

/// The lookup protocols: `(name, about)`.
#[pyfunction]
pub fn protocols() -> Vec<(&'static str, &'static str)> {
    Protocol::ALL.map(|p| (p.name(), p.about())).into()
}

/// The words and the shape of an index.
pub fn indices(array: &Bound<'_, PyAny>) -> PyResult<(Vec<u32>, Vec<usize>)> {
    match Words::of(array)? {
        (Words::U32(x), shape) => Ok((x, shape)),
        _ => Err(pyo3::exceptions::PyTypeError::new_err("an index is an array of uint32")),
    }
}

/// Lookups with a protocol.
#[derive(Clone)]
pub struct Chosen {
    pub protocol: Protocol,
    pub job: Job,
    pub table: Arc<Tabulated>,
}

impl Chosen {
    /// Starts the OT extension that suits `rows` lookups.
    pub fn set_up(&self, steps: &mut Steps<'_>, role: Role, rows: usize) -> Result<(), Error> {
        let batches = self.protocol.batches(&self.job, rows);
        let (send, recv) = batches
            .map(|batch| self.protocol.cots(&self.job, role, batch))
            .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        steps.phase("setup", |p| p.prepare_ot(send, recv))
    }

    /// Material for `rows` lookups.
    pub fn prepare(
        &self,
        steps: &mut Steps<'_>,
        rows: usize,
        progress: &Progress,
    ) -> Result<Vec<(usize, Spend)>, Error> {
        let mut out = Vec::new();
        for batch in self.protocol.batches(&self.job, rows) {
            out.push((batch, steps.phase("offline", |p| self.batch(p, batch))?));
            progress.add(batch);
        }
        Ok(out)
    }

    /// Looks up all indices; makes the material of each batch before it.
    pub fn run(&self, steps: &mut Steps<'_>, mut x: Vec<u32>, progress: &Progress) -> Result<Words, Error> {
        let mut out = self.no_words();
        for batch in self.protocol.batches(&self.job, x.len()) {
            let rest = x.split_off(batch);
            let spend = steps.phase("offline", |p| self.batch(p, batch))?;
            out.append(steps.phase("online", |p| spend(p, x))?);
            x = rest;
            progress.add(batch);
        }
        Ok(out)
    }

    /// Looks up all indices with this material.
    pub fn spend(
        &self,
        steps: &mut Steps<'_>,
        batches: Vec<(usize, Spend)>,
        mut x: Vec<u32>,
        progress: &Progress,
    ) -> Result<Words, Error> {
        let mut out = self.no_words();
        for (batch, spend) in batches {
            let rest = x.split_off(batch);
            out.append(steps.phase("online", |p| spend(p, x))?);
            x = rest;
            progress.add(batch);
        }
        Ok(out)
    }

    /// No results, of their width.
    pub fn no_words(&self) -> Words {
        match self.job.value_bits {
            ..=8 => u8::batch(Vec::new()),
            9..=16 => u16::batch(Vec::new()),
            17..=32 => u32::batch(Vec::new()),
            _ => u64::batch(Vec::new()),
        }
    }

    fn batch(&self, p: &mut Party, count: usize) -> Result<Spend, Error> {
        match self.job.value_bits {
            ..=8 => self.batch_in::<u8>(p, count),
            9..=16 => self.batch_in::<u16>(p, count),
            17..=32 => self.batch_in::<u32>(p, count),
            _ => self.batch_in::<u64>(p, count),
        }
    }

    fn batch_in<R: Word>(&self, p: &mut Party, count: usize) -> Result<Spend, Error> {
        match (self.job.index, self.job.output) {
            (Sharing::Additive, Sharing::Additive) => self.batch_of::<Cyclic, Additive, R>(p, count),
            (Sharing::Additive, Sharing::Xor) => self.batch_of::<Cyclic, Bitwise, R>(p, count),
            (Sharing::Xor, Sharing::Additive) => self.batch_of::<Xor, Additive, R>(p, count),
            (Sharing::Xor, Sharing::Xor) => self.batch_of::<Xor, Bitwise, R>(p, count),
        }
    }

    fn batch_of<G: Group, K: Kind, R: Word>(&self, p: &mut Party, count: usize) -> Result<Spend, Error> {
        let index_bits = self.job.index_bits;
        let table = self.entries::<R>()?;
        let material = self.protocol.prepare::<G, K, R>(p, &table, count)?;
        Ok(Box::new(move |p, x| {
            let y = material.lookup(p, &table, &Share::<G::Kind, u32>::new(index_bits, x))?;
            Ok(R::batch(y.words().to_vec()))
        }))
    }

    /// The table in words of the results.
    pub fn entries<R: Word>(&self) -> Result<lut::Table<R>, Error> {
        let value_bits = self.job.value_bits;
        let mask = u64::MAX >> (64 - value_bits);
        let entries = self.table.entries().iter().map(|&e| R::from_u64(e as u64 & mask));
        lut::Table::<R>::new(value_bits, entries.collect())
    }
}

//! Lookups: batches that fit memory, with material made on the way or before.

use std::sync::{Arc, Mutex};

use hushtable::{
    Error, Party, Role,
    lut::{Job, Protocol, Table},
    math::Tabulated,
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share, Sharing},
};
use pyo3::{prelude::*, types::PyTuple};

use crate::{
    error::spent,
    party::{Progress, Steps},
    words::{Word, Words},
};

/// A batch's material: spent by its indices.
type Spend = Box<dyn FnOnce(&mut Party, Vec<u32>) -> Result<Words, Error> + Send>;

/// What is looked up: public, the same at both parties.
#[derive(Clone)]
pub struct Lookup {
    pub protocol: Protocol,
    pub job: Job,
    pub table: Arc<Tabulated>,
}

/// One-time material for the lookups of one call, batch by batch.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Material {
    pub lookup: Lookup,
    pub count: usize,
    batches: Mutex<Option<Vec<(usize, Spend)>>>,
}

#[pymethods]
impl Material {
    /// Number of lookups it serves, index bits, value bits, digest of the table: what a call must agree with.
    fn serves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Job { index_bits, value_bits, .. } = self.lookup.job;
        (self.count, index_bits, value_bits, self.lookup.table.digest().to_hex().to_string())
            .into_pyobject(py)
    }

    fn __repr__(&self) -> String {
        let state = if self.batches.lock().is_ok_and(|b| b.is_some()) { "" } else { ", spent" };
        format!("Material({} lookups in {} entries{state})", self.count, self.lookup.table.entries().len())
    }
}

impl Material {
    /// The batches, once.
    pub fn take(&self, py: Python<'_>) -> PyResult<Vec<(usize, Spend)>> {
        let mut batches = self.batches.lock().expect("no panic while the lock is held");
        batches.take().ok_or_else(|| spent(py, "material for lookups"))
    }

    pub fn new(lookup: Lookup, count: usize, batches: Vec<(usize, Spend)>) -> Self {
        Self { lookup, count, batches: Mutex::new(Some(batches)) }
    }
}

/// The lookup protocols: `(name, about)`.
#[pyfunction]
pub fn protocols() -> Vec<(&'static str, &'static str)> {
    Protocol::ALL.map(|p| (p.name(), p.about())).into()
}

impl Lookup {
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

    fn no_words(&self) -> Words {
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
        let Job { index_bits, value_bits, .. } = self.job;
        let mask = u64::MAX >> (64 - value_bits);
        let entries = self.table.entries().iter().map(|&e| R::from_u64(e as u64 & mask));
        let table = Table::<R>::new(value_bits, entries.collect())?;
        let material = self.protocol.prepare::<G, K, R>(p, &table, count)?;
        Ok(Box::new(move |p, x| {
            let y = material.lookup(p, &table, &Share::<G::Kind, u32>::new(index_bits, x))?;
            Ok(R::batch(y.words().to_vec()))
        }))
    }
}

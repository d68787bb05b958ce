//! Lookups: batches that fit memory, with material made on the way or before.

use std::sync::{Arc, Mutex};

use hushtable::{
    Error, Party, Role,
    lut::{self, Job, Prepared, Protocol},
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
/// Material for so many lookups.
pub type Ready = (usize, Spend);

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

/// Shares of the table's entries at the shared `index` (`uint32`): with `material`, which it spends, online
/// only; else offline and online.
#[pyfunction]
pub fn look_up<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    lookup: &Lookup,
    index: &Bound<'py, PyAny>,
    material: Option<&LookupMaterial>,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, shape) = indices(index)?;
    let prepared = material.map(|material| material.take(py, x.len())).transpose()?;
    let (chosen, batches) = match prepared {
        Some(prepared) => prepared,
        None => (lookup.chosen(x.len()).map_err(|e| raise(py, &e))?, Vec::new()),
    };
    let (role, missing) = (p.role(), if material.is_none() { x.len() } else { 0 });
    let mut batches = batches.into_iter();
    let found = p.call(py, name, move |steps, progress| {
        progress.begin(x.len());
        chosen.set_up(steps, role, missing)?;
        chosen.run(steps, x, progress, |_| Ok(batches.next()))
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

/// One-time material for the lookups of one call, batch by batch.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct LookupMaterial {
    lookup: Chosen,
    count: usize,
    batches: Mutex<Option<Vec<Ready>>>,
}

impl LookupMaterial {
    /// What it holds, once, for as many lookups as it was made for.
    fn take(&self, py: Python<'_>, count: usize) -> PyResult<(Chosen, Vec<Ready>)> {
        hushtable::error::same("lookups prepared", self.count, count).map_err(|e| raise(py, &e))?;
        let taken = self.batches.lock().expect("no panic while the lock is held").take();
        let batches = taken.ok_or_else(|| spent(py, "material for lookups"))?;
        Ok((self.lookup.clone(), batches))
    }
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
    /// Starts the OT extension that suits `rows` lookups, if there are any.
    pub fn set_up(&self, steps: &mut Steps<'_>, role: Role, rows: usize) -> Result<(), Error> {
        if rows == 0 {
            return Ok(());
        }
        let batches = self.protocol.batches(&self.job, rows);
        let (send, recv) = batches
            .map(|batch| self.protocol.cots(&self.job, role, batch))
            .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        steps.phase("setup", |p| p.prepare_ot(send, recv))
    }

    /// Material for `rows` lookups.
    fn prepare(&self, steps: &mut Steps<'_>, rows: usize, progress: &Progress) -> Result<Vec<Ready>, Error> {
        let mut out = Vec::new();
        for batch in self.protocol.batches(&self.job, rows) {
            out.push(self.batch(steps, batch)?);
            progress.add(batch);
        }
        Ok(out)
    }

    /// Looks up all indices: the first ones with what is `ready`, of the others makes the material of each batch
    /// before it.
    pub fn run(
        &self,
        steps: &mut Steps<'_>,
        mut x: Vec<u32>,
        progress: &Progress,
        mut ready: impl FnMut(&mut Steps<'_>) -> Result<Option<Ready>, Error>,
    ) -> Result<Words, Error> {
        let mut out = self.no_words();
        let mut spend = |steps: &mut Steps<'_>, x: &mut Vec<u32>, (count, spend): Ready| {
            let rest = x.split_off(count);
            let now = std::mem::replace(x, rest);
            out.append(steps.phase("online", |p| spend(p, now))?);
            progress.add(count);
            Ok(())
        };
        while let Some(material) = ready(steps)? {
            spend(steps, &mut x, material)?;
        }
        for batch in self.protocol.batches(&self.job, x.len()) {
            let material = self.batch(steps, batch)?;
            spend(steps, &mut x, material)?;
        }
        Ok(out)
    }

    /// No results, of their width.
    fn no_words(&self) -> Words {
        match self.job.value_bits {
            ..=8 => u8::batch(Vec::new()),
            9..=16 => u16::batch(Vec::new()),
            17..=32 => u32::batch(Vec::new()),
            _ => u64::batch(Vec::new()),
        }
    }

    fn batch(&self, steps: &mut Steps<'_>, count: usize) -> Result<Ready, Error> {
        steps.phase("offline", |p| self.typed(Make { p, chosen: self, count }))
    }

    /// Calls `f` with the job's types.
    pub fn typed<F: Typed>(&self, f: F) -> F::Out {
        match self.job.value_bits {
            ..=8 => self.with_words::<F, u8>(f),
            9..=16 => self.with_words::<F, u16>(f),
            17..=32 => self.with_words::<F, u32>(f),
            _ => self.with_words::<F, u64>(f),
        }
    }

    fn with_words<F: Typed, R: Word>(&self, f: F) -> F::Out {
        match (self.job.index, self.job.output) {
            (Sharing::Additive, Sharing::Additive) => f.call::<Cyclic, Additive, R>(),
            (Sharing::Additive, Sharing::Xor) => f.call::<Cyclic, Bitwise, R>(),
            (Sharing::Xor, Sharing::Additive) => f.call::<Xor, Additive, R>(),
            (Sharing::Xor, Sharing::Xor) => f.call::<Xor, Bitwise, R>(),
        }
    }

    /// Material as it is spent by indices.
    pub fn ready<G: Group, K: Kind, R: Word>(
        &self,
        count: usize,
        material: Prepared<G, K, R>,
    ) -> Result<Ready, Error> {
        let (index_bits, table) = (self.job.index_bits, self.entries::<R>()?);
        let spend: Spend = Box::new(move |p, x| {
            let y = material.lookup(p, &table, &Share::<G::Kind, u32>::new(index_bits, x))?;
            Ok(R::batch(y.words().to_vec()))
        });
        Ok((count, spend))
    }

    /// The table in words of the results.
    fn entries<R: Word>(&self) -> Result<lut::Table<R>, Error> {
        let value_bits = self.job.value_bits;
        let mask = u64::MAX >> (64 - value_bits);
        let entries = self.table.entries().iter().map(|&e| R::from_u64(e as u64 & mask));
        lut::Table::<R>::new(value_bits, entries.collect())
    }
}

/// What is done with the types of a job: the group of the index, kind and words of the results.
pub trait Typed {
    type Out;
    fn call<G: Group, K: Kind, R: Word>(self) -> Self::Out;
}

/// Makes material for a batch.
struct Make<'a> {
    p: &'a mut Party,
    chosen: &'a Chosen,
    count: usize,
}

impl Typed for Make<'_> {
    type Out = Result<Ready, Error>;
    fn call<G: Group, K: Kind, R: Word>(self) -> Self::Out {
        let table = self.chosen.entries::<R>()?;
        let material = self.chosen.protocol.prepare::<G, K, R>(self.p, &table, self.count)?;
        self.chosen.ready(self.count, material)
    }
}

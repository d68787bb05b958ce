//! Material on disk.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use hushtable::{
    Error,
    lut::{LookupJob, Protocol},
    net::Identity,
    operation,
    run::{self, Ready},
    store::{self, Contents, Reserved},
};
use numpy::PyArray1;
use prim::Wiped;
use pyo3::prelude::*;

use crate::{
    error::{raise, refused},
    interrupt::interruptible,
    lookup::{Lookup, indices},
    operation::Operation,
    party::{self, Steps},
    running::{self, Array, announced, arrays, given, only, set_up},
    words::{Words, sharing},
};

/// An open store, and the session in which its cursor was agreed on; nothing once it is closed.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Store {
    inner: Arc<Mutex<Option<Open>>>,
}

struct Open {
    store: store::Store,
    agreed: Option<[u8; 32]>,
}

#[pymethods]
impl Store {
    /// Opens the store in the folder `dir`, made with this identity.
    #[new]
    fn new(py: Python<'_>, dir: PathBuf, identity: PathBuf) -> PyResult<Self> {
        let open = move || store::Store::open(&dir, &Identity::load(&identity)?);
        Ok(Self::of(interruptible(py, || (), open)?, None))
    }

    /// Makes a store in the new folder `dir` with the peer, who makes his half at the same time.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn make(
        py: Python<'_>,
        p: &party::Party,
        name: &str,
        dir: PathBuf,
        identity: PathBuf,
        index_bits: u32,
        index_kind: &str,
        bits: u32,
        kind: &str,
        protocol: &str,
        lookups: u64,
    ) -> PyResult<Self> {
        let job =
            LookupJob { index: sharing(index_kind)?, output: sharing(kind)?, index_bits, value_bits: bits };
        let protocol = match protocol {
            "auto" => Ok(Protocol::to_store(&job)),
            name => name.parse::<Protocol>(),
        };
        let lookup = protocol.and_then(|protocol| operation::Lookup::blank(protocol, job));
        let lookup = Arc::new(lookup.map_err(|e| raise(py, &e))?);
        Self::made(py, p, name, dir, identity, lookup, lookups)
    }

    /// Makes a store for `items` items of an operation: numbers, rows, products of matrices.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn make_for(
        py: Python<'_>,
        p: &party::Party,
        name: &str,
        dir: PathBuf,
        identity: PathBuf,
        operation: &Operation,
        items: u64,
    ) -> PyResult<Self> {
        let way = py.detach(|| operation.to_store(items as usize));
        let way = way.map_err(|failure| refused(py, &failure, &[]))?;
        Self::made(py, p, name, dir, identity, way, items)
    }

    /// Makes a store for so many of these lookups.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn make_lookups(
        py: Python<'_>,
        p: &party::Party,
        name: &str,
        dir: PathBuf,
        identity: PathBuf,
        lookup: &Lookup,
        items: u64,
    ) -> PyResult<Self> {
        Self::made(py, p, name, dir, identity, lookup.to_store(), items)
    }

    /// Whether the operation can spend it.
    fn serves(&self, py: Python<'_>, operation: &Operation) -> PyResult<bool> {
        self.open(py, |open| Ok(operation.served(&open.store).is_some()))
    }

    /// Items that are left: lookups, numbers, rows.
    #[getter]
    fn left(&self, py: Python<'_>) -> PyResult<u64> {
        self.open(py, |open| Ok(open.store.left()))
    }

    /// Protocol, or nothing where it holds no lookups; what it is for, who the peer is, items planned.
    #[getter]
    fn about(&self, py: Python<'_>) -> PyResult<(String, String, String, u64)> {
        self.open(py, |open| {
            let about = open.store.about();
            let name = about.lookups.map_or(String::new(), |(protocol, _)| protocol.name().to_owned());
            Ok((name, about.text.clone(), about.peer_name.clone(), about.planned))
        })
    }

    /// Moves both parties to the same cursor, in this session.
    fn agree(&self, py: Python<'_>, p: &party::Party, name: &str) -> PyResult<()> {
        let inner = Arc::clone(&self.inner);
        p.call(py, name, move |steps, _| agree(steps, opened(&mut *lock(&inner)?)?))
    }

    /// Lets go of the store, so that it can be opened again.
    fn close(&self, py: Python<'_>) {
        let inner = Arc::clone(&self.inner);
        py.detach(move || drop(inner.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }

    /// Whether it is closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        py.detach(|| self.inner.lock().is_ok_and(|open| open.is_none()))
    }

    /// Checks everything that is left; how many items were meant to be there and are not.
    fn verify(&self, py: Python<'_>) -> PyResult<u64> {
        self.open(py, |open| open.store.verify())
    }
}

impl Store {
    fn of(store: store::Store, agreed: Option<[u8; 32]>) -> Self {
        Self { inner: Arc::new(Mutex::new(Some(Open { store, agreed }))) }
    }

    fn made(
        py: Python<'_>,
        p: &party::Party,
        name: &str,
        dir: PathBuf,
        identity: PathBuf,
        operation: Arc<dyn operation::Operation>,
        items: u64,
    ) -> PyResult<Self> {
        let made = p.call(py, &announced(name, operation.as_ref()), move |steps, progress| {
            let identity = Identity::load(&identity)?;
            let plan = Contents::new(operation.as_ref(), items)?;
            progress.begin(items as usize);
            let mut before = 0;
            steps.phase("offline", |p| {
                store::Store::make(p, &dir, &identity, &plan, |made| {
                    progress.add((made - before) as usize);
                    before = made;
                })
            })
        })?;
        Ok(Self::of(made, None))
    }

    /// Without the interpreter lock: who has the store may wait for a peer that waits for the interpreter.
    fn open<T: Send>(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&mut Open) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        py.detach(|| f(opened(&mut *lock(&self.inner)?)?)).map_err(|e| raise(py, &e))
    }
}

/// The store, unless a panic left it in the middle of something.
fn lock(store: &Mutex<Option<Open>>) -> Result<MutexGuard<'_, Option<Open>>, Error> {
    store.lock().map_err(|_| Error::Store("this store failed earlier: open it again".into()))
}

/// The store, unless it is closed.
fn opened(store: &mut Option<Open>) -> Result<&mut Open, Error> {
    store.as_mut().ok_or_else(|| Error::Store("this store is closed: open it again".into()))
}

/// To be called in the child after a fork: what was made before is refused there.
#[pyfunction]
pub fn forked() {
    hushtable::process::forked();
}

/// [`look_up`](crate::lookup::look_up) with material of `store`; the rest is made at once, or is an error if
/// `no_offline`.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub fn look_up_stored<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    lookup: &Lookup,
    index: &Bound<'py, PyAny>,
    store: &Store,
    no_offline: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, shape) = indices(index)?;
    let kept = store.open(py, |open| Ok(open.store.about().lookups.map(|(protocol, _)| protocol)))?;
    let chosen = Arc::new(lookup.stored(kept));
    let found =
        only(Ok(spend(py, p, name, chosen, vec![x], store, no_offline)?)).map_err(|e| raise(py, &e))?;
    Words::narrow(found, lookup.job.value_bits).into_array(py, &shape)
}

/// [`run`](crate::running::run) with material of `store`; the rest is made at once, or is an error if `no_offline`.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub fn run_stored<'py>(
    py: Python<'py>,
    p: &party::Party,
    name: &str,
    operation: &Operation,
    operands: Vec<Array<'py>>,
    store: &Store,
    no_offline: bool,
) -> PyResult<Vec<Bound<'py, PyArray1<u64>>>> {
    let operands = given(&operands)?;
    let way = store.open(py, |open| Ok(operation.served(&open.store)))?;
    let way = way.unwrap_or_else(|| Arc::clone(&operation.ahead));
    Ok(arrays(py, spend(py, p, name, way, operands, store, no_offline)?))
}

/// Shares of the results of these operands, with what the store has of the material.
fn spend(
    py: Python<'_>,
    p: &party::Party,
    name: &str,
    operation: Arc<dyn operation::Operation>,
    operands: Vec<Wiped<u64>>,
    store: &Store,
    no_offline: bool,
) -> PyResult<Vec<operation::Words>> {
    let inner = Arc::clone(&store.inner);
    let items = store.open(py, |open| {
        let items = running::items(operation.as_ref(), p, &operands)?;
        open.store.fits(operation.as_ref())?;
        enough(&open.store, items, no_offline)?;
        Ok(items)
    })?;
    p.chance.add(py, &operation.chance(items))?;
    let name = format!("{}, from a store", announced(name, operation.as_ref()));
    p.call(py, &name, move |steps, progress| {
        progress.begin(items);
        let reserved = reserve(steps, opened(&mut *lock(&inner)?)?, items, no_offline)?;
        set_up(steps, operation.as_ref(), items - reserved.len())?;
        let ready = Ready { reserved: Some(reserved), ..Ready::default() };
        let operands: Vec<&[u64]> = operands.iter().map(|words| &words[..]).collect();
        steps.run(progress, |p, watch| run::shares(operation.as_ref(), p, ready, &operands, watch))
    })
}

fn enough(store: &store::Store, needed: usize, no_offline: bool) -> Result<(), Error> {
    let left = store.left();
    if !no_offline || left >= needed as u64 {
        return Ok(());
    }
    Err(Error::Store(format!(
        "{left} items are left in the store, {needed} are needed, and none may be made now"
    )))
}

/// What the store has of `needed` items, once both parties are at the same cursor.
fn reserve(
    steps: &mut Steps<'_>,
    open: &mut Open,
    needed: usize,
    no_offline: bool,
) -> Result<Reserved, Error> {
    agree(steps, open)?;
    enough(&open.store, needed, no_offline)?;
    let there = open.store.left().min(needed as u64) as usize;
    open.store.reserve(there)
}

/// Moves both parties to the same cursor, once a session.
fn agree(steps: &mut Steps<'_>, open: &mut Open) -> Result<(), Error> {
    steps.phase("offline", |p| {
        if open.agreed != Some(p.id()) {
            open.store.agree(p)?;
            open.agreed = Some(p.id());
        }
        Ok(())
    })
}

/// A tag of these bytes that nobody makes without the identity, and which says nothing of them.
#[pyfunction]
pub fn tag(py: Python<'_>, identity: PathBuf, bytes: &[u8]) -> PyResult<[u8; 32]> {
    Ok(interruptible(py, || (), move || Identity::load(&identity))?.tag(bytes))
}

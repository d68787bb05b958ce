//! Material on disk.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard},
};

use hushtable::{
    Error,
    lut::{LookupJob, Protocol},
    net::Identity,
    operation,
    run::{self, Ready},
    store::{self, Contents, Reserved},
};
use pyo3::prelude::*;

use crate::{
    error::raise,
    interrupt::interruptible,
    lookup::{Lookup, indices},
    party::{self, Steps},
    running::{announced, set_up},
    words::{Words, sharing},
};

/// An open store, and the session in which its cursor was agreed on.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Store {
    inner: Arc<Mutex<Open>>,
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
            // As the program's `prepare`.
            "auto" => Ok(if index_bits <= 8 { Protocol::Doubling } else { Protocol::Tree }),
            name => name.parse::<Protocol>(),
        };
        let protocol = protocol.map_err(|e| raise(py, &e))?;
        let made = p.call(py, &format!("{name}, by {protocol}"), move |steps, progress| {
            let identity = Identity::load(&identity)?;
            let lookup = operation::Lookup::blank(protocol, job)?;
            let plan = Contents::new(&lookup, lookups)?;
            progress.begin(lookups as usize);
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

    /// Lookups that are left, or items of what else it holds.
    #[getter]
    fn left(&self, py: Python<'_>) -> PyResult<u64> {
        self.open(|open| Ok(open.store.left())).map_err(|e| raise(py, &e))
    }

    /// Protocol, or nothing where it holds no lookups; what it is for, who the peer is, items planned.
    #[getter]
    fn about(&self, py: Python<'_>) -> PyResult<(String, String, String, u64)> {
        let about = self.open(|open| {
            let about = open.store.about();
            let name = about.lookups.map_or(String::new(), |(protocol, _)| protocol.name().to_owned());
            Ok((name, about.text.clone(), about.peer_name.clone(), about.planned))
        });
        about.map_err(|e| raise(py, &e))
    }

    /// Checks everything that is left; how many lookups were meant to be there and are not.
    fn verify(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.open(|open| open.store.verify())).map_err(|e| raise(py, &e))
    }
}

impl Store {
    fn of(store: store::Store, agreed: Option<[u8; 32]>) -> Self {
        Self { inner: Arc::new(Mutex::new(Open { store, agreed })) }
    }

    fn open<T>(&self, f: impl FnOnce(&mut Open) -> Result<T, Error>) -> Result<T, Error> {
        f(&mut *lock(&self.inner)?)
    }
}

/// The store, unless a panic left it in the middle of something.
fn lock(store: &Mutex<Open>) -> Result<MutexGuard<'_, Open>, Error> {
    store.lock().map_err(|_| Error::Store("this store failed earlier: open it again".into()))
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
    let inner = Arc::clone(&store.inner);
    let chosen = store.open(|open| {
        let chosen = lookup.stored(open.store.about().lookups.map(|(protocol, _)| protocol));
        open.store.fits(&chosen)?;
        enough(&open.store, x.len(), no_offline)?;
        Ok(chosen)
    });
    let chosen = chosen.map_err(|e| raise(py, &e))?;
    let mut found = p.call(py, &announced(name, &chosen), move |steps, progress| {
        progress.begin(x.len());
        let reserved = reserve(steps, &mut *lock(&inner)?, x.len(), no_offline)?;
        set_up(steps, &chosen, x.len() - reserved.len())?;
        let ready = Ready { reserved: Some(reserved), ..Ready::default() };
        steps.run(progress, |p, watch| run::shares(&chosen, p, ready, &[&x], watch))
    })?;
    Words::narrow(std::mem::take(&mut *found), lookup.job.value_bits).into_array(py, &shape)
}

fn enough(store: &store::Store, needed: usize, no_offline: bool) -> Result<(), Error> {
    let left = store.left();
    if !no_offline || left >= needed as u64 {
        return Ok(());
    }
    Err(Error::Store(format!(
        "{left} lookups are left in the store, {needed} are needed, and none may be made now"
    )))
}

/// What the store has of `needed` lookups, once both parties are at the same cursor.
fn reserve(
    steps: &mut Steps<'_>,
    open: &mut Open,
    needed: usize,
    no_offline: bool,
) -> Result<Reserved, Error> {
    steps.phase("offline", |p| {
        if open.agreed != Some(p.id()) {
            open.store.agree(p)?;
            open.agreed = Some(p.id());
        }
        enough(&open.store, needed, no_offline)?;
        let there = open.store.left().min(needed as u64) as usize;
        open.store.reserve(there)
    })
}

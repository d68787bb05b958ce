//! One end of a session, as Python holds it.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use hushtable::{
    Error, Role,
    net::{Cost, HangUp},
    share::{Additive, Bitwise, Kind, Share, Sharing},
};
use pyo3::prelude::*;

use crate::{
    codec::View,
    interrupt::interruptible,
    words::{Word, Words, sharing},
};

/// What a step of a call took: operation, phase, start and duration in seconds, bytes sent and received,
/// rounds.
type Record = (String, &'static str, f64, f64, u64, u64, u32);

/// A party of the library, with what its calls cost.
#[pyclass(module = "hushtable._hushtable", frozen, weakref)]
pub struct Party {
    inner: Arc<Mutex<Option<hushtable::Party>>>,
    hang_up: HangUp,
    role: Role,
    id: [u8; 32],
    peer: String,
    start: Instant,
    records: Arc<Mutex<Vec<Record>>>,
    progress: Arc<Progress>,
}

/// How far a call has come.
#[derive(Default)]
pub struct Progress {
    done: AtomicUsize,
    all: AtomicUsize,
}

impl Progress {
    /// `count` more are done.
    pub fn add(&self, count: usize) {
        self.done.fetch_add(count, Ordering::Relaxed);
    }

    /// A call with `all` things to do begins.
    pub fn begin(&self, all: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
    }
}

/// The steps of one call: each is measured.
pub struct Steps<'a> {
    p: &'a mut hushtable::Party,
    operation: &'a str,
    start: Instant,
    records: &'a Mutex<Vec<Record>>,
}

impl Steps<'_> {
    /// Runs and measures a step.
    pub fn phase<T>(
        &mut self,
        phase: &'static str,
        f: impl FnOnce(&mut hushtable::Party) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let from = Instant::now();
        let outcome = f(self.p);
        let Cost { sent, received, rounds } = self.p.take_cost();
        let (begin, took) = ((from - self.start).as_secs_f64(), from.elapsed().as_secs_f64());
        let record = (self.operation.to_owned(), phase, begin, took, sent, received, rounds);
        self.records.lock().expect("no panic while the lock is held").push(record);
        outcome
    }
}

impl Party {
    /// Wraps a party whose set-up began at `start`.
    pub fn new(mut p: hushtable::Party, start: Instant) -> Self {
        let (role, id) = (p.role(), p.id());
        let Cost { sent, received, rounds } = p.take_cost();
        let took = start.elapsed().as_secs_f64();
        let record = ("connect".to_owned(), "setup", 0.0, took, sent, received, rounds);
        let peer = p.connection().peer_name().to_owned();
        let hang_up = p.connection().channel().hang_up();
        Self {
            inner: Arc::new(Mutex::new(Some(p))),
            hang_up,
            role,
            id,
            peer,
            start,
            records: Arc::new(Mutex::new(vec![record])),
            progress: Arc::default(),
        }
    }

    /// Which party this is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Runs an operation without the interpreter lock, announced to the peer. An error ends the session.
    pub fn call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        operation: &str,
        work: impl FnOnce(&mut Steps<'_>, &Progress) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let inner = Arc::clone(&self.inner);
        let (start, records, progress) = (self.start, Arc::clone(&self.records), Arc::clone(&self.progress));
        let announced = operation.to_owned();
        interruptible(
            py,
            || self.hang_up.now(),
            move || {
                let mut guard = inner.lock().expect("no panic in a protocol");
                let p = guard.as_mut().ok_or(Error::Closed)?;
                let operation = announced.split('(').next().unwrap_or_default();
                let outcome = p
                    .announce(&announced)
                    .and_then(|()| work(&mut Steps { p, operation, start, records: &records }, &progress));
                if outcome.is_err() {
                    *guard = None; // hangs up, so that the peer ends too
                }
                outcome
            },
        )
    }
}

#[pymethods]
impl Party {
    /// 0 or 1.
    #[getter(role)]
    fn number(&self) -> u8 {
        self.role as u8
    }

    /// The session id both parties contributed to.
    #[getter]
    fn id(&self) -> Vec<u8> {
        self.id.to_vec()
    }

    /// Who the peer is, for people.
    #[getter]
    fn peer(&self) -> &str {
        &self.peer
    }

    /// `(done, all)` of the call that runs.
    fn progress(&self) -> (usize, usize) {
        (self.progress.done.load(Ordering::Relaxed), self.progress.all.load(Ordering::Relaxed))
    }

    /// What every step took.
    fn records(&self) -> Vec<Record> {
        self.records.lock().expect("no panic while the lock is held").clone()
    }

    /// Tells the peer what this party does, without waiting; for what needs no message.
    fn announce(&self, py: Python<'_>, operation: &str) -> PyResult<()> {
        self.call(py, operation, |_, _| Ok(()))
    }

    /// Compares named values with the peer's.
    fn agree(&self, py: Python<'_>, fields: Vec<(String, String)>) -> PyResult<()> {
        self.call(py, "agree", move |steps, _| {
            let fields: Vec<_> = fields.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
            steps.phase("online", |p| p.agree(&fields))
        })
    }

    /// Waits until the peer is at the same point.
    fn barrier(&self, py: Python<'_>) -> PyResult<()> {
        self.call(py, "barrier", |steps, _| steps.phase("online", hushtable::Party::barrier))
    }

    /// Opens shares to both parties, or to the party `to` only; who gets nothing gets `None`. The values are
    /// numbers as `decode` makes them, or words without `view`, which is `fraction` and `lo`.
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn open<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        words: &Bound<'py, PyAny>,
        bits: u32,
        kind: &str,
        to: Option<u8>,
        view: Option<(u32, i64)>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (kind, to) = (sharing(kind)?, to.map(role));
        let (words, shape) = Words::of(words)?;
        let opened = self.call(py, operation, move |steps, _| {
            steps.phase("online", |p| match words {
                Words::U8(w) => open(p, kind, bits, w, to),
                Words::U16(w) => open(p, kind, bits, w, to),
                Words::U32(w) => open(p, kind, bits, w, to),
                Words::U64(w) => open(p, kind, bits, w, to),
            })
        })?;
        let array = |opened: Words| match view {
            Some((fraction, lo)) => View { bits, fraction, lo }.numbers(py, &opened, &shape),
            None => opened.into_array(py, &shape),
        };
        opened.map(array).transpose()
    }

    /// Ends the session from any thread: what waits for the peer raises.
    fn hang_up(&self) {
        self.hang_up.now();
    }

    /// Ends the session. If `regular`, a peer that goes on is told so.
    fn close(&self, py: Python<'_>, regular: bool) {
        let inner = Arc::clone(&self.inner);
        py.detach(move || {
            let taken = inner.lock().map(|mut guard| guard.take());
            if let Ok(Some(mut p)) = taken {
                if regular {
                    let _ = p.announce("end of the session");
                }
                drop(p);
            }
        });
    }
}

impl Drop for Party {
    fn drop(&mut self) {
        // Hanging up may wait for the peer; whoever collects garbage must not.
        let inner = Arc::clone(&self.inner);
        std::thread::spawn(move || drop(inner.lock().map(|mut guard| guard.take())));
    }
}

fn role(number: u8) -> Role {
    if number == 0 { Role::P0 } else { Role::P1 }
}

fn open<R: Word>(
    p: &mut hushtable::Party,
    kind: Sharing,
    bits: u32,
    words: Vec<R>,
    to: Option<Role>,
) -> Result<Option<Words>, Error> {
    match kind {
        Sharing::Additive => open_as::<Additive, R>(p, bits, words, to),
        Sharing::Xor => open_as::<Bitwise, R>(p, bits, words, to),
    }
}

fn open_as<K: Kind, R: Word>(
    p: &mut hushtable::Party,
    bits: u32,
    words: Vec<R>,
    to: Option<Role>,
) -> Result<Option<Words>, Error> {
    let share = Share::<K, R>::new(bits, words);
    // Public to whom the caller names: opening is what the Python program asks for.
    let opened = match to {
        None => Some(p.open(&share)?),
        Some(to) => p.reveal(&share, to)?,
    };
    Ok(opened.map(R::batch))
}

//! One end of a session, as Python holds it.

mod methods;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::ThreadId,
    time::Instant,
};

use hushtable::{
    Error, Role,
    error::Ending,
    net::{Cost, HangUp},
    ot::Setting,
    run::{Phase, Step, Watch},
};
use pyo3::{exceptions::PyException, prelude::*};

use crate::{
    error::{crowded, failed, over},
    interrupt::{interruptible, interruptible_on_borrowed},
    tally::Tally,
};

/// What a step of a call took: operation, phase, start and duration in seconds, bytes sent and received,
/// rounds.
type Record = (String, &'static str, f64, f64, u64, u64, u32);

/// A party of the library, with what its calls cost.
#[pyclass(module = "hushtable._hushtable", frozen, weakref)]
pub struct Party {
    inner: Arc<Mutex<Option<hushtable::Party>>>,
    /// Whether a call ended by a panic.
    failed: Arc<AtomicBool>,
    /// The thread whose call runs.
    busy: Arc<Mutex<Option<ThreadId>>>,
    /// Whether two threads called at once.
    crowded: AtomicBool,
    /// Why there is no session any more.
    over: Arc<Mutex<Option<String>>>,
    hang_up: HangUp,
    role: Role,
    setting: Setting,
    id: [u8; 32],
    peer: String,
    peer_fingerprint: Option<String>,
    start: Instant,
    records: Arc<Mutex<Vec<Record>>>,
    progress: Arc<Progress>,
    /// What calls left to chance.
    pub chance: Tally,
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

    /// Runs what measures its steps itself.
    pub fn run<T>(
        &mut self,
        progress: &Progress,
        f: impl FnOnce(&mut hushtable::Party, &dyn Watch) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let pending = self.p.take_cost();
        let Self { operation, start, records, .. } = *self;
        let recorder = Recorder { operation, start, records, progress, pending: Mutex::new(Some(pending)) };
        f(self.p, &recorder)
    }
}

/// Records the steps of a run.
struct Recorder<'a> {
    operation: &'a str,
    start: Instant,
    records: &'a Mutex<Vec<Record>>,
    progress: &'a Progress,
    /// What was sent before the first step, which counts with it.
    pending: Mutex<Option<Cost>>,
}

impl Watch for Recorder<'_> {
    fn done(&self, items: usize) {
        self.progress.add(items);
    }

    fn took(&self, step: Step, phase: Phase) {
        let name = if step == Step::Offline { "offline" } else { "online" };
        let Phase { seconds, mut sent, mut received, rounds } = phase;
        if sent + received == 0 && seconds == 0.0 {
            return; // material was there
        }
        if let Some(pending) = self.pending.lock().expect("no panic while the lock is held").take() {
            (sent, received) = (sent + pending.sent, received + pending.received);
        }
        let begin = self.start.elapsed().as_secs_f64() - seconds;
        let record = (self.operation.to_owned(), name, begin, seconds, sent, received, rounds as u32);
        self.records.lock().expect("no panic while the lock is held").push(record);
    }
}

impl Party {
    /// Wraps a party whose set-up began at `start`.
    pub fn new(mut p: hushtable::Party, start: Instant) -> Self {
        let (role, id, setting) = (p.role(), p.id(), p.setting());
        let Cost { sent, received, rounds } = p.take_cost();
        let took = start.elapsed().as_secs_f64();
        let record = ("connect".to_owned(), "setup", 0.0, took, sent, received, rounds);
        let peer = p.connection().peer_name().to_owned();
        let peer_fingerprint = p.connection().peer_fingerprint().map(|f| f.to_string());
        let hang_up = p.connection().channel().hang_up();
        Self {
            inner: Arc::new(Mutex::new(Some(p))),
            failed: Arc::default(),
            busy: Arc::default(),
            crowded: AtomicBool::default(),
            over: Arc::default(),
            hang_up,
            role,
            setting,
            id,
            peer,
            peer_fingerprint,
            start,
            records: Arc::new(Mutex::new(vec![record])),
            progress: Arc::default(),
            chance: Tally::default(),
        }
    }

    /// What both parties came to when they met.
    pub fn setting(&self) -> Setting {
        self.setting
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
        let task = self.task(py, operation.to_owned(), work)?;
        let outcome = interruptible(py, || self.hang_up.now(), task);
        outcome.map_err(|e| self.or_crowded(py, e))
    }

    /// [`call`](Self::call) with work on what is borrowed.
    pub fn call_on_borrowed<T: Send>(
        &self,
        py: Python<'_>,
        operation: &str,
        work: impl FnOnce(&mut Steps<'_>, &Progress) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let task = self.task(py, operation.to_owned(), work)?;
        let outcome = interruptible_on_borrowed(py, || self.hang_up.now(), task);
        outcome.map_err(|e| self.or_crowded(py, e))
    }

    /// Marks this thread as the one whose call runs. Both parties do the same in the same order, which two threads at once
    /// do not have: a second one ends the session.
    fn enter(&self, py: Python<'_>) -> PyResult<()> {
        let this = std::thread::current().id();
        let mut busy = self.busy.lock().expect("no panic while the lock is held");
        if busy.is_some_and(|other| other != this) {
            self.crowded.store(true, Ordering::Relaxed);
            self.hang_up.now();
        }
        if self.crowded.load(Ordering::Relaxed) {
            return Err(crowded(py));
        }
        *busy = Some(this);
        Ok(())
    }

    /// What to raise for an error: why the session ended, if two threads used it.
    fn or_crowded(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let ordinary = error.is_instance_of::<PyException>(py);
        if ordinary && self.crowded.load(Ordering::Relaxed) { crowded(py) } else { error }
    }

    fn task<T, W: FnOnce(&mut Steps<'_>, &Progress) -> Result<T, Error> + Send>(
        &self,
        py: Python<'_>,
        announced: String,
        work: W,
    ) -> PyResult<impl FnOnce() -> Result<T, Error> + Send + use<T, W>> {
        if self.failed.load(Ordering::Relaxed) {
            return Err(failed(py));
        }
        let ended = said(&self.over).clone();
        if let Some(why) = ended.filter(|_| !self.crowded.load(Ordering::Relaxed)) {
            return Err(over(py, &why));
        }
        self.enter(py)?;
        let busy = Arc::clone(&self.busy);
        let (inner, panicked) = (Arc::clone(&self.inner), Arc::clone(&self.failed));
        let (start, records, progress) = (self.start, Arc::clone(&self.records), Arc::clone(&self.progress));
        let over = Arc::clone(&self.over);
        Ok(move || {
            let mut guard = inner.lock().expect("no panic while the lock is held");
            let operation = announced.split('(').next().unwrap_or_default();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let p = guard.as_mut().ok_or(Error::Closed)?;
                p.announce(&announced)?;
                work(&mut Steps { p, operation, start, records: &records }, &progress)
            }));
            panicked.store(outcome.is_err(), Ordering::Relaxed);
            match &outcome {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    said(&over).get_or_insert_with(|| error.to_string());
                    end(&mut guard, Ending::of(error));
                }
                Err(_) => end(&mut guard, None),
            }
            drop(guard);
            *busy.lock().expect("no panic while the lock is held") = None;
            outcome.unwrap_or_else(|panic| resume_unwind(panic))
        })
    }
}

impl Drop for Party {
    fn drop(&mut self) {
        // Hanging up may wait for the peer; whoever collects garbage must not.
        let inner = Arc::clone(&self.inner);
        std::thread::spawn(move || drop(inner.lock().map(|mut guard| guard.take())));
    }
}

fn said(over: &Mutex<Option<String>>) -> MutexGuard<'_, Option<String>> {
    over.lock().expect("no panic while the lock is held")
}

/// Hangs up, so that the peer ends too, and tells it why.
fn end(p: &mut Option<hushtable::Party>, why: Option<Ending>) {
    if let (Some(mut p), Some(why)) = (p.take(), why) {
        p.connection().channel().end(why);
    }
}

/// The party with this number.
pub fn role(number: u8) -> Role {
    if number == 0 { Role::P0 } else { Role::P1 }
}

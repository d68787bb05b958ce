//! What Python asks of a party.

use std::sync::{Arc, atomic::Ordering};

use hushtable::error::Ending;
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;

use super::{Party, Record, end, role, said};
use crate::{codec::View, opening::Opening, words::sharing};

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

    /// The fingerprint of its certificate; `None` without TLS.
    #[getter]
    fn peer_fingerprint(&self) -> Option<&str> {
        self.peer_fingerprint.as_deref()
    }

    /// How likely chance alone spoiled a call so far, at most.
    #[getter]
    fn chance(&self) -> f64 {
        self.chance.sum()
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
        self.call(py, "barrier", |steps, _| steps.phase("online", |p| p.barrier()))
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
        view: Option<(u32, i128)>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let opening = Opening { operation, kind: sharing(kind)?, bits, to: to.map(role) };
        let view = view.map(|(fraction, lo)| View { bits, fraction, lo });
        if let Ok(words) = words.extract::<PyReadonlyArrayDyn<'py, u8>>() {
            return self.open_words(py, &opening, &words, view);
        }
        if let Ok(words) = words.extract::<PyReadonlyArrayDyn<'py, u16>>() {
            return self.open_words(py, &opening, &words, view);
        }
        if let Ok(words) = words.extract::<PyReadonlyArrayDyn<'py, u32>>() {
            return self.open_words(py, &opening, &words, view);
        }
        self.open_words(py, &opening, &words.extract::<PyReadonlyArrayDyn<'py, u64>>()?, view)
    }

    /// Ends the session from any thread: what waits for the peer raises.
    fn hang_up(&self) {
        self.hang_up.now();
    }

    /// Ends the session: what this party was asked for does not fit together, which the peer is told.
    fn fail(&self, py: Python<'_>) {
        said(&self.over).get_or_insert_with(|| "what this party was asked for does not fit together".into());
        let inner = Arc::clone(&self.inner);
        py.detach(move || {
            if let Ok(mut guard) = inner.lock() {
                end(&mut guard, Some(Ending::Arguments));
            }
        });
    }

    /// Ends the session. A peer that goes on is told so; if not `regular`, that this party was stopped.
    fn close(&self, py: Python<'_>, regular: bool) {
        said(&self.over).get_or_insert_with(|| "it was closed here".into());
        let inner = Arc::clone(&self.inner);
        py.detach(move || {
            let taken = inner.lock().map(|mut guard| guard.take());
            if let Ok(Some(mut p)) = taken {
                match regular {
                    true => drop(p.announce("end of the session")),
                    false => end(&mut Some(p), Some(Ending::Interrupted)),
                }
            }
        });
    }
}

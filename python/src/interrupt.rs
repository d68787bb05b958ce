//! Work without the interpreter lock that an interrupt ends.

use std::{
    panic::resume_unwind,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use hushtable::Error;
use pyo3::prelude::*;

use crate::error::raise;

/// How often a waiting call looks for an interrupt.
const TICK: Duration = Duration::from_millis(50);

/// Runs `work` in a thread of its own and waits for it without the interpreter lock. On an interrupt calls
/// `stop`, which makes the work end soon, and returns at once.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    stop: impl FnOnce(),
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let (done, mut waiting) = channel();
    let worker = thread::spawn(move || {
        let outcome = work();
        let _ = done.send(());
        outcome
    });
    loop {
        let waiting = &mut waiting;
        match py.detach(move || waiting.recv_timeout(TICK)) {
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    stop();
                    return Err(interrupt);
                }
            }
            // The worker is done, or gone by a panic.
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let outcome = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
    outcome.map_err(|e| raise(py, &e))
}

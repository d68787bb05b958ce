//! Work without the interpreter lock that an interrupt ends.

use std::{
    panic::resume_unwind,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
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
    let (done, waiting) = channel();
    let worker = thread::spawn(move || {
        let outcome = work();
        let _ = done.send(());
        outcome
    });
    wait(py, waiting, stop)?;
    worker.join().unwrap_or_else(|panic| resume_unwind(panic)).map_err(|e| raise(py, &e))
}

/// [`interruptible`] with work on what is borrowed: after an interrupt it waits for the work to end.
pub fn interruptible_on_borrowed<T: Send>(
    py: Python<'_>,
    stop: impl FnOnce(),
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (done, waiting) = channel();
    thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let outcome = work();
            let _ = done.send(());
            outcome
        });
        let waited = wait(py, waiting, stop);
        let outcome = py.detach(|| worker.join()).unwrap_or_else(|panic| resume_unwind(panic));
        waited.and(outcome.map_err(|e| raise(py, &e)))
    })
}

/// Waits until the worker is done, or gone by a panic; or for an interrupt.
fn wait(py: Python<'_>, mut done: Receiver<()>, stop: impl FnOnce()) -> PyResult<()> {
    loop {
        let done = &mut done;
        match py.detach(move || done.recv_timeout(TICK)) {
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    stop();
                    return Err(interrupt);
                }
            }
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

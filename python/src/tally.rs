//! What the calls of a session leave to chance, added up.

use std::sync::Mutex;

use hushtable::chance::Chance;
use pyo3::prelude::*;

use crate::error::raise;

/// Each call has no more than a job may have.
#[derive(Default)]
pub struct Tally(Mutex<f64>);

impl Tally {
    /// Such a call comes next.
    pub fn add(&self, py: Python<'_>, next: &Chance) -> PyResult<()> {
        next.check().map_err(|e| raise(py, &e))?;
        *self.0.lock().expect("no panic while the lock is held") += next.sum();
        Ok(())
    }

    /// Of all calls so far.
    pub fn sum(&self) -> f64 {
        *self.0.lock().expect("no panic while the lock is held")
    }
}

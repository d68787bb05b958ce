//! What the calls of a session leave to chance, added up.

use std::sync::Mutex;

use hushtable::chance::Chance;
use pyo3::prelude::*;

use crate::error::raise;

/// No more than a job may have: the calls of a session are one job.
#[derive(Default)]
pub struct Tally(Mutex<Chance>);

impl Tally {
    /// `Ok(())` if a call that leaves so much may come next.
    pub fn check(&self, py: Python<'_>, next: &Chance) -> PyResult<()> {
        self.with(py, next).map(drop)
    }

    /// Such a call comes next.
    pub fn add(&self, py: Python<'_>, next: &Chance) -> PyResult<()> {
        let all = self.with(py, next)?;
        *self.0.lock().expect("no panic while the lock is held") = all;
        Ok(())
    }

    /// Of all calls so far.
    pub fn sum(&self) -> f64 {
        self.0.lock().expect("no panic while the lock is held").sum()
    }

    fn with(&self, py: Python<'_>, next: &Chance) -> PyResult<Chance> {
        let before = self.0.lock().expect("no panic while the lock is held");
        before.and(next).map_err(|e| raise(py, &e))
    }
}

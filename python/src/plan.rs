//! Predictions of what lookups take.

use hushtable::{
    lut::{LookupJob, Protocol},
    net::LinkShape,
    plan::{self, Machine, Objective, Wanted},
};
use pyo3::prelude::*;

use crate::{error::raise, words::sharing};

/// Seconds, bytes that P0 and P1 send, rounds.
type Estimate = (f64, f64, f64, u32);
/// A way, set-up, offline, online, bytes of memory at a party.
pub type Prediction = (String, Estimate, Estimate, Estimate, u64);

/// What is to be least, by its name.
pub fn objective(name: &str) -> Objective {
    match name {
        "online" => Objective::Online,
        "bytes" => Objective::Bytes,
        "rounds" => Objective::Rounds,
        _ => Objective::Total,
    }
}

/// A prediction of a way of this name.
pub fn row<W>(name: String, p: &plan::Prediction<W>) -> Prediction {
    let estimate = |e: plan::Estimate| (e.seconds, e.bytes[0], e.bytes[1], e.rounds);
    (name, estimate(p.setup), estimate(p.offline), estimate(p.online), p.memory[0])
}

/// What each protocol that serves `count` lookups takes, the best first. `objective`: `"total"`, `"online"` or
/// `"bytes"`. `machine`: the figures of a calibration in the order of the library's `Machine`.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub fn predict(
    py: Python<'_>,
    index_bits: u32,
    index_kind: &str,
    bits: u32,
    kind: &str,
    count: usize,
    net: &str,
    objective: &str,
    machine: Option<[f64; Machine::NAMES.len()]>,
) -> PyResult<Vec<Prediction>> {
    let job = LookupJob { index: sharing(index_kind)?, output: sharing(kind)?, index_bits, value_bits: bits };
    let machine = machine.map_or(Machine::REFERENCE, Machine::from);
    let all = net.parse::<LinkShape>().and_then(|link| {
        Ok(plan::rank(Protocol::ways(&job, count)?, &Wanted::new(self::objective(objective), link, machine)))
    });
    Ok(all.map_err(|e| raise(py, &e))?.iter().map(|p| row(p.way.name().into(), p)).collect())
}

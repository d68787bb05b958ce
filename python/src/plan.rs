//! Predictions of what lookups take.

use hushtable::{
    Error,
    bill::Effort,
    lut::{LookupJob, Protocol},
    net::LinkShape,
    operation,
    ot::Setting,
    plan::{self, Machine, Objective, Wanted},
};
use pyo3::prelude::*;

use crate::{error::raise, lookup::Lookup, operation::Operation, private::PrivateForm, words::sharing};

/// Seconds, bytes that P0 and P1 send, rounds.
type Estimate = (f64, f64, f64, u32);
/// A way, set-up, offline, online, bytes of memory at a party.
pub type Prediction = (String, Estimate, Estimate, Estimate, u64);

/// What is to be least, by its name.
pub fn objective(name: &str) -> Objective {
    Objective::ALL.into_iter().find(|known| known.name() == name).unwrap_or(Objective::Total)
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

/// What is done in a layer: an operation, a lookup, or rows of a private table: bits, fraction, rows of a sum.
#[derive(FromPyObject)]
pub enum Step<'py> {
    Operation(PyRef<'py, Operation>),
    Lookup(PyRef<'py, Lookup>),
    Rows(PyRef<'py, PrivateForm>, u32, u32, u32),
}

/// What a layer takes: seconds, bytes of both parties, rounds; bytes of memory of a batch, at the party that needs more.
type Layer = (f64, f64, u32, u64);

/// What layers, each with steps and their items, take one after the other in a session over the link `net`. What is sent once,
/// beside what connecting takes, is counted where it is needed first.
#[pyfunction]
pub fn predict_layers(
    py: Python<'_>,
    layers: Vec<Vec<(Step<'_>, usize)>>,
    net: &str,
    optimise: Option<&str>,
) -> PyResult<Vec<Layer>> {
    // As in a session over it: what is not simulated is not known.
    let link = net.parse::<LinkShape>().map_err(|e| raise(py, &e))?.simulated().unwrap_or(LinkShape::USUAL);
    let asked = optimise.map(objective);
    let under = Setting::over(link).objective(asked);
    let wanted = Wanted::new(Objective::Total, link, Machine::REFERENCE.objective(asked));
    // With what a session takes to begin, and without.
    let taken = |effort: &Effort| {
        let predicted = plan::rank([((), effort.clone())], &wanted).remove(0);
        let sum = |estimates: &[plan::Estimate]| {
            estimates.iter().fold((0.0, 0.0, 0), |(seconds, bytes, rounds), e| {
                (seconds + e.seconds, bytes + e.bytes[0] + e.bytes[1], rounds + e.rounds)
            })
        };
        let (phases, begin) = ([predicted.offline, predicted.online], [predicted.once, predicted.setup]);
        (sum(&[&begin[..], &phases[..]].concat()), sum(&phases))
    };
    let all = |effort: &Effort| taken(effort).0;
    let mut so_far = Effort::none();
    let mut before = all(&so_far);
    let mut found = Vec::with_capacity(layers.len());
    for steps in &layers {
        let mut memory = 0;
        let mut own = Effort::none();
        for (step, items) in steps {
            let (effort, batch) = step.effort(*items, &under).map_err(|e| raise(py, &e))?;
            memory = memory.max(batch);
            own = own.then(effort.clone());
            so_far = so_far.then(effort);
        }
        let (now, own) = (all(&so_far), taken(&own).1);
        // Many OTs at once may go by a cheaper extension than those of this layer do, which are made alone.
        let now = (now.0.max(before.0 + own.0), now.1.max(before.1 + own.1), now.2.max(before.2));
        found.push((now.0 - before.0, now.1 - before.1, now.2 - before.2, memory));
        before = now;
    }
    Ok(found)
}

impl Step<'_> {
    /// Of so many items, batch by batch; and the memory of a batch.
    fn effort(&self, items: usize, under: &Setting) -> Result<(Effort, u64), Error> {
        let now = match self {
            Self::Rows(form, bits, fraction, bag) => {
                let effort = form.effort(*bits, *fraction, *bag, items)?;
                let memory = effort.memory[0].max(effort.memory[1]).min(under.memory);
                return Ok((effort, memory));
            }
            Self::Operation(operation) => operation.now.clone(),
            Self::Lookup(lookup) => lookup.open(),
        };
        let chosen = operation::choose(now.as_ref(), items, under)?.map_or(now, Into::into);
        let batch = operation::batch(chosen.as_ref(), items, under)?.max(1);
        let mut all = Effort::none();
        let mut left = items;
        while left > 0 {
            let effort = chosen.effort(batch.min(left), under)?;
            left -= batch.min(left);
            all = all.then(effort);
        }
        let [p0, p1] = chosen.effort(batch.min(items), under)?.memory;
        Ok((all, p0.max(p1)))
    }
}

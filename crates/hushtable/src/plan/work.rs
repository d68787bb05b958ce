//! Local work of each protocol, without that of the correlated OTs: a linear model of seven terms,
//! fitted to measurements on [`Machine::REFERENCE`] by `tools/fit_plan.py`.

use super::Machine;
use crate::lut::{Job, Protocol};

/// Nanoseconds a lookup: constant, and for each of [`features`].
type Terms = [f64; 7];

/// Seconds offline and online.
pub fn seconds(protocol: Protocol, job: &Job, batch: usize, machine: &Machine) -> [f64; 2] {
    let speed = machine.hash / Machine::REFERENCE.hash;
    terms(protocol).map(|terms| {
        let ns: f64 = terms.iter().zip(features(job)).map(|(term, feature)| term * feature).sum();
        ns * 1e-9 * batch as f64 * speed
    })
}

/// With n entries: 1, index bits, n, bytes of the table, and what grows faster: `n^1.5`, `n^2`, and n times the
/// table, in 128ths.
fn features(job: &Job) -> Terms {
    let n = (1u64 << job.index_bits) as f64;
    let bytes = n * f64::from(job.value_bits.next_power_of_two().max(8)) / 8.0;
    [1.0, job.index_bits.into(), n, bytes, n * n.sqrt() / 128.0, n * n / 128.0, n * bytes / 128.0]
}

/// Offline and online.
fn terms(protocol: Protocol) -> [Terms; 2] {
    const READ: Terms = [30.0, 2.0, 0.05, 0.03, 0.0, 0.0, 0.0];
    match protocol {
        Protocol::SpLut => [[20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [60.0, 5.0, 2.0, 0.5, 0.0, 0.0, 0.0]],
        Protocol::SpLutKk13 => [[250.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [40.0, 0.0, 2.0, 0.5, 0.0, 0.0, 0.0]],
        Protocol::Rotl => [[300.0, 20.0, 1.0, 0.0, 0.0, 1.0, 0.0], READ],
        Protocol::Doubling => [[100.0, 60.0, 1.0, 0.0, 0.0, 0.0, 0.0], READ],
        Protocol::Tree => [[100.0, 60.0, 0.05, 0.0, 0.0, 0.0, 0.0], READ],
        Protocol::Balanced => [[100.0, 50.0, 1.0, 0.0, 0.0, 0.0, 0.0], READ],
        Protocol::Flute | Protocol::FlutePlus => [[50.0, 0.0, 15.0, 0.0, 0.0, 0.0, 0.0], READ],
        Protocol::OpLut => [[100.0, 0.0, 2.0, 0.0, 0.0, 0.0, 20.0], READ],
        Protocol::Ottt => [[0.0, 0.0, 500.0, 50.0, 0.0, 0.0, 0.0], READ],
        Protocol::Staged => [[300.0, 100.0, 1.0, 0.0, 1.0, 0.0, 0.0], READ],
        Protocol::Arithmetic => [[200.0, 60.0, 0.1, 0.1, 0.0, 0.0, 0.0], READ],
    }
}

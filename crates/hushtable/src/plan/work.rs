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
#[rustfmt::skip]
fn terms(protocol: Protocol) -> [Terms; 2] {
    match protocol {
        Protocol::SpLut => [[0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 72.0, 1.23, 1.01, 0.0, 0.029, 0.0]],
        Protocol::SpLutKk13 => [[161.0, 14.1, 0.0, 0.0, 0.0, 0.0, 0.0], [8.5, 27.7, 2.28, 1.22, 0.0, 0.0, 0.02]],
        Protocol::Rotl => [[0.0, 164.0, 1.36, 0.30, 0.0, 2.23, 0.0], [38.3, 0.5, 0.012, 0.039, 0.10, 0.0, 0.0]],
        Protocol::Doubling => [[0.0, 142.0, 0.0, 0.0, 2.16, 0.016, 0.0], [36.3, 1.1, 0.034, 0.023, 0.0, 0.0, 0.0]],
        Protocol::Tree => [[0.0, 116.0, 0.085, 0.0, 0.0, 0.0, 0.0], [31.8, 0.0, 0.039, 0.023, 0.0, 0.0, 0.0]],
        Protocol::Staged => [[214.0, 158.0, 2.76, 0.032, 0.0, 0.0, 0.0], [32.4, 0.1, 0.028, 0.022, 0.0, 0.0, 0.0]],
        Protocol::Arithmetic => [[0.0, 237.0, 0.37, 0.25, 0.0, 0.0, 0.0], [6.4, 0.0, 0.74, 0.15, 0.0, 0.0, 0.0]],
        Protocol::Balanced => [[0.0, 122.0, 2.18, 0.0, 0.0, 0.0, 0.0], [20.4, 2.2, 0.0, 0.017, 0.023, 0.0, 0.0]],
        Protocol::FlutePlus => [[0.0, 2.1, 28.9, 0.0, 0.0, 0.0, 0.0], [24.6, 1.7, 0.0, 0.018, 0.0, 0.0, 0.0]],
        Protocol::Flute => [[0.0, 0.0, 17.5, 0.0, 220.0, 0.0, 0.0], [66.6, 0.0, 0.0, 0.056, 0.0, 0.0, 0.0]],
        Protocol::OpLut => [[181.0, 0.0, 0.0, 1.74, 514.0, 108.0, 133.0], [7.0, 0.0, 0.0, 0.28, 1.60, 0.0, 0.025]],
        Protocol::Ottt => [[0.0, 0.0, 0.0, 0.0, 0.0, 2405.0, 126.0], [4.6, 3.5, 0.0, 0.08, 0.0, 0.0, 0.0]],
    }
}

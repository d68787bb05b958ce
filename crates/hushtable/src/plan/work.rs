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
        Protocol::SpLut => [[6.24, 0.0, 0.00245, 0.000559, 0.0, 0.000142, 0.0], [19.9, 54.9, 1.88, 0.653, 0.243, 0.0, 0.015]],
        Protocol::SpLutKk13 => [[120.0, 3.03, 0.0, 0.0, 0.0, 0.000662, 0.000082], [67.9, 17.4, 2.08, 0.669, 0.0, 0.0231, 0.00471]],
        Protocol::Rotl => [[92.4, 79.6, 3.47, 0.0, 0.0, 1.44, 0.0], [41.0, 0.0, 0.0216, 0.025, 0.0, 0.0, 0.0]],
        Protocol::Doubling => [[52.3, 42.2, 0.796, 0.0, 0.0, 0.00123, 0.0], [33.5, 0.904, 0.0143, 0.0246, 0.0, 0.0, 0.0]],
        Protocol::Tree => [[52.1, 71.3, 0.0585, 0.00001, 0.0, 0.0, 0.0], [16.1, 6.54, 0.0359, 0.025, 0.0, 0.0, 0.0]],
        Protocol::Staged => [[214.0, 147.0, 4.12, 0.0, 0.0, 0.0, 0.0], [39.3, 0.0, 0.0305, 0.0244, 0.0, 0.0, 0.0]],
        Protocol::Arithmetic => [[52.4, 166.0, 0.31, 0.0988, 0.0, 0.0, 0.01], [38.6, 0.0, 0.567, 0.193, 0.186, 0.0, 0.000196]],
        Protocol::Balanced => [[0.0, 95.3, 1.83, 0.0293, 0.0, 0.0, 0.0], [36.2, 0.237, 0.0184, 0.0253, 0.0, 0.0, 0.0]],
        Protocol::FlutePlus => [[29.1, 38.5, 4.58, 0.0, 0.0, 0.0, 0.0], [41.6, 0.0666, 0.0, 0.0219, 0.0459, 0.00346, 0.0]],
        Protocol::Flute => [[0.0, 0.0, 9.6, 0.0, 88.0, 0.0, 0.0], [66.6, 0.0, 0.0, 0.0362, 0.0, 0.0, 0.0]],
        Protocol::OpLut => [[95.0, 66.7, 0.0, 0.0, 0.0, 259.0, 89.6], [12.4, 0.0, 0.263, 0.126, 0.0, 0.0362, 0.0]],
        Protocol::Ottt => [[0.0, 0.0, 0.0, 0.0, 2720.0, 274.0, 170.0], [5.96, 1.53, 0.0, 0.063, 0.0, 0.0, 0.0]],
    }
}

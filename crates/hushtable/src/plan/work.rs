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
        Protocol::SpLut => [[22.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [2.67, 69.4, 1.31, 0.764, 0.57, 0.0, 0.00422]],
        Protocol::SpLutKk13 => [[44.1, 19.5, 0.0, 0.0, 0.0, 0.0, 0.0], [36.6, 8.47, 1.91, 1.12, 0.0, 0.0, 0.00374]],
        Protocol::Rotl => [[0.0, 132.0, 0.0, 0.0, 0.0, 2.08, 0.0], [25.9, 0.0, 0.0, 0.0206, 0.0, 0.00447, 0.0]],
        Protocol::Doubling => [[74.7, 91.8, 0.824, 0.0317, 0.556, 0.0, 0.0], [26.6, 0.0, 0.0103, 0.0259, 0.0245, 0.0, 0.0]],
        Protocol::Tree => [[0.0, 120.0, 0.0455, 0.0129, 0.0, 0.0, 0.0], [0.0, 4.78, 0.0413, 0.0253, 0.0, 0.0, 0.0]],
        Protocol::Staged => [[254.0, 163.0, 4.67, 0.00824, 0.577, 0.0, 0.0], [31.7, 0.0, 0.0123, 0.0216, 0.0832, 0.0, 0.0]],
        Protocol::Arithmetic => [[139.0, 286.0, 0.0645, 0.275, 0.0, 0.0, 0.00179], [37.0, 0.0, 0.585, 0.227, 0.0, 0.0, 0.000933]],
        Protocol::Balanced => [[0.0, 170.0, 2.92, 0.061, 0.0, 0.0, 0.0], [32.5, 0.0, 0.0, 0.0198, 0.0283, 0.000243, 0.000214]],
        Protocol::FlutePlus => [[1.58, 35.4, 21.4, 0.0, 0.0, 0.706, 0.0], [24.4, 0.0, 0.0, 0.0172, 0.0, 0.000805, 0.0]],
        Protocol::Flute => [[0.0, 0.0, 15.1, 0.0, 139.0, 0.0, 0.0], [66.6, 0.0, 0.0, 0.0362, 0.0, 0.0, 0.0]],
        Protocol::OpLut => [[0.0, 63.0, 15.5, 0.71, 0.0, 141.0, 194.0], [6.42, 1.4, 0.0, 0.4, 0.0, 0.0, 0.243]],
        Protocol::Ottt => [[0.0, 0.0, 0.0, 0.0, 2720.0, 274.0, 170.0], [5.96, 1.53, 0.0, 0.063, 0.0, 0.0, 0.0]],
    }
}

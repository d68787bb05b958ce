//! Local work of each protocol, without that of the correlated OTs: a linear model of eight terms,
//! fitted to measurements on [`Machine::REFERENCE`] by `tools/fit_plan.py`.

use super::Machine;
use crate::lut::{Job, Protocol};

/// Nanoseconds a lookup: constant, and for each of [`features`].
type Terms = [f64; 8];

/// Seconds offline and online.
pub fn seconds(protocol: Protocol, job: &Job, batch: usize, machine: &Machine) -> [f64; 2] {
    let speed = machine.hash / Machine::REFERENCE.hash;
    let all = |terms: Terms| {
        let ns: f64 = terms.iter().zip(features(job)).map(|(term, feature)| term * feature).sum();
        ns * 1e-9 * batch as f64 * speed
    };
    [first(protocol) + all(offline(protocol)), all(online(protocol))]
}

/// Seconds offline that the first use of a protocol's code and memory takes: what runs of a single lookup took
/// beyond the terms.
fn first(protocol: Protocol) -> f64 {
    use Protocol::*;
    match protocol {
        SpLut => 0.0,
        Rotl | Doubling | Tree | Staged | OpLut => 0.2e-3,
        Balanced | Arithmetic => 0.4e-3,
        FlutePlus | Flute | Ottt => 0.6e-3,
        SpLutKk13 => 0.7e-3,
    }
}

/// With n entries: 1, d, n, bytes of the table, what grows faster: `n^1.5`, `n^2`, and n times the
/// table, in 128ths, and bytes of an entry.
fn features(job: &Job) -> Terms {
    let n = (1u64 << job.index_bits) as f64;
    let entry = f64::from(job.value_bits.next_power_of_two().max(8)) / 8.0;
    let bytes = n * entry;
    [1.0, job.index_bits.into(), n, bytes, n * n.sqrt() / 128.0, n * n / 128.0, n * bytes / 128.0, entry]
}

#[rustfmt::skip]
fn offline(protocol: Protocol) -> Terms {
    use Protocol::*;
    match protocol {
        SpLut => [6.24, 0.0, 0.00245, 0.000559, 0.0, 0.000142, 0.0, 0.0],
        SpLutKk13 => [95.0, 2.0, 0.0, 0.0, 0.0, 0.000662, 0.000082, 0.0],
        Rotl => [92.4, 79.6, 3.47, 0.0, 0.0, 1.44, 0.0, 0.0],
        Doubling => [52.3, 42.2, 0.796, 0.0, 0.0, 0.00123, 0.0, 0.0],
        Tree => [52.1, 71.3, 0.0585, 0.00001, 0.0, 0.0, 0.0, 0.0],
        Staged => [214.0, 147.0, 4.12, 0.0, 0.0, 0.0, 0.0, 0.0],
        Arithmetic => [52.4, 166.0, 0.31, 0.0988, 0.0, 0.0, 0.01, 0.0],
        Balanced => [0.0, 95.3, 1.83, 0.0293, 0.0, 0.0, 0.0, 0.0],
        FlutePlus => [29.1, 38.5, 4.58, 0.0, 0.0, 0.0, 0.0, 0.0],
        Flute => [0.0, 0.0, 9.6, 0.0, 88.0, 0.0, 0.0, 0.0],
        OpLut => [95.0, 66.7, 0.0, 0.0, 0.0, 259.0, 89.6, 0.0],
        Ottt => [0.0, 0.0, 0.0, 0.0, 2720.0, 274.0, 170.0, 0.0],
    }
}

#[rustfmt::skip]
fn online(protocol: Protocol) -> Terms {
    use Protocol::*;
    match protocol {
        // Stored rows of one form, read by the same code.
        Rotl | Doubling | Staged | Balanced | FlutePlus => [31.6, 0.419, 0.0498, 0.00976, 0.0, 0.0, 0.0, 3.77],
        SpLut => [19.9, 54.9, 1.88, 0.653, 0.243, 0.0, 0.015, 0.0],
        SpLutKk13 => [67.9, 17.4, 2.08, 0.669, 0.0, 0.0231, 0.00471, 0.0],
        Tree => [81.9, 0.0, 0.0508, 0.0102, 0.0, 0.0, 0.0, 4.37],
        Arithmetic => [38.6, 0.0, 0.567, 0.193, 0.186, 0.0, 0.000196, 0.0],
        Flute => [76.2, 0.0, 0.0, 0.0118, 0.0, 0.0184, 0.000646, 6.8],
        OpLut => [12.4, 0.0, 0.263, 0.126, 0.0, 0.0362, 0.0, 0.0],
        Ottt => [5.96, 1.53, 0.0, 0.063, 0.0, 0.0, 0.0, 0.0],
    }
}

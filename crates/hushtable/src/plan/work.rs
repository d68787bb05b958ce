//! Local work of each protocol, without that of the correlated OTs: a linear model of four terms,
//! fitted to measurements on [`Machine::REFERENCE`] by `tools/fit_plan.py`.

use super::Machine;
use crate::lut::{Job, Protocol};

/// Nanoseconds a lookup: constant, for each index bit, for each byte of the table, for each block
/// hashed or of similar work ([`blocks`]).
type Terms = [f64; 4];

/// Seconds offline and online.
pub fn seconds(protocol: Protocol, job: &Job, batch: usize, machine: &Machine) -> [f64; 2] {
    let bytes = (job.value_bits.next_power_of_two().max(8) / 8) as f64 * (1u64 << job.index_bits) as f64;
    let blocks = blocks(protocol, job);
    let speed = machine.hash / Machine::REFERENCE.hash;
    [0, 1].map(|phase| {
        let terms = terms(protocol)[phase];
        let features = [1.0, f64::from(job.index_bits), bytes, blocks[phase]];
        let ns: f64 = terms.iter().zip(features).map(|(term, feature)| term * feature).sum();
        ns * 1e-9 * batch as f64 * speed
    })
}

/// Blocks through the hash at a party, about, offline and online.
fn blocks(protocol: Protocol, job: &Job) -> [f64; 2] {
    let n = (1u64 << job.index_bits) as f64;
    match protocol {
        Protocol::SpLut => [0.0, 2.0 * n],
        Protocol::Rotl => [n * (1.0 + (n / 128.0).ceil()), 0.0],
        Protocol::Doubling | Protocol::Tree => [n / 64.0, 0.0],
        // Rows of outer products, and their words.
        Protocol::Balanced => [5.0 * n.sqrt() + n / 40.0, 0.0],
        Protocol::FlutePlus => [3.0 * (n - f64::from(job.index_bits) - 1.0), 0.0],
        Protocol::Arithmetic => [n * f64::from(job.value_bits.next_power_of_two().max(8)) / 32.0, 0.0],
    }
}

/// Offline and online.
fn terms(protocol: Protocol) -> [Terms; 2] {
    const READ: Terms = [20.0, 1.0, 0.03, 0.0];
    match protocol {
        Protocol::SpLut => [[20.0, 0.0, 0.0, 0.0], [60.0, 5.0, 0.5, 1.0]],
        Protocol::Rotl => [[300.0, 20.0, 0.0, 1.0], READ],
        Protocol::Doubling => [[100.0, 60.0, 0.0, 40.0], READ],
        Protocol::Tree => [[100.0, 60.0, 0.0, 1.0], READ],
        Protocol::Balanced => [[100.0, 0.0, 0.0, 25.0], READ],
        Protocol::FlutePlus => [[50.0, 0.0, 0.0, 5.0], READ],
        Protocol::Arithmetic => [[200.0, 60.0, 0.0, 1.0], READ],
    }
}

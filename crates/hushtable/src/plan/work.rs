//! Local work of each protocol, without that of the correlated OTs: a linear model of eight terms,
//! fitted to measurements on [`Machine::REFERENCE`] by `tools/fit_plan.py`. Each protocol's terms stand in its spec.

use super::machine::Machine;
use crate::{
    bill::LocalWork,
    lut::{LookupJob, Protocol},
};

/// Nanoseconds a lookup: constant, and for each of [`features`].
type Terms = [f64; 8];

/// Seconds offline and online.
pub fn seconds(protocol: Protocol, job: &LookupJob, batch: usize, machine: &Machine) -> [f64; 2] {
    let speed = machine.hash / Machine::REFERENCE.hash;
    let all = |terms: Terms| {
        let ns: f64 = terms.iter().zip(features(job)).map(|(term, feature)| term * feature).sum();
        ns * 1e-9 * batch as f64 * speed
    };
    let LocalWork { first, offline, online } = protocol.facts().work;
    [first + all(offline), all(online)]
}

/// With n entries: 1, d, n, bytes of the table, what grows faster: `n^1.5`, `n^2`, and n times the
/// table, in 128ths, and bytes of an entry.
fn features(job: &LookupJob) -> Terms {
    let n = (1u64 << job.index_bits) as f64;
    let entry = f64::from(job.value_bits.next_power_of_two().max(8)) / 8.0;
    let bytes = n * entry;
    [1.0, job.index_bits.into(), n, bytes, n * n.sqrt() / 128.0, n * n / 128.0, n * bytes / 128.0, entry]
}

//! The prediction for each protocol, and the choice.

use super::{clock::Clock, machine::Machine, ot, rounds};
use crate::{
    bill::{Bill, Objective, Phase, Step, Work},
    error::{Error, Result},
    lut::{LookupJob, Protocol},
    net::LinkShape,
};

/// The share of the time before the inputs that counts where time online is to be least.
///
/// Protocols that read their rows by the same code take the same time online, and others may be closer together
/// than predictions are to measurements, while before they differ by factors: without a share, seconds of
/// preparation would be accepted for less than a prediction is worth. With this one, what is lost online is saved
/// 64 times over before.
pub const BEFORE: f64 = 1.0 / 64.0;

/// The prediction for one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Wall time.
    pub seconds: f64,
    /// Sent by P0 and by P1, framing included, TLS records not.
    pub bytes: [f64; 2],
    /// Longest chain of dependent messages.
    pub rounds: u32,
}

/// The prediction for one protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// Which one.
    pub protocol: Protocol,
    /// Connecting, base OTs, start of the OT extension.
    pub setup: Estimate,
    /// The rest that needs no input.
    pub offline: Estimate,
    /// What needs the inputs.
    pub online: Estimate,
    /// Bytes of memory at a party for the whole batch at once; programs may cut it into pieces.
    pub memory: u64,
}

impl Prediction {
    /// What `objective` minimises: seconds, those before the inputs in part if time online counts, bytes, or rounds.
    /// Of equals [`plan`] takes those with the least total time first.
    pub fn value(&self, objective: Objective) -> f64 {
        let phases = [self.setup, self.offline, self.online];
        let before = self.setup.seconds + self.offline.seconds;
        match objective {
            Objective::Total => before + self.online.seconds,
            Objective::Online => BEFORE * before + self.online.seconds,
            Objective::Rounds => f64::from(self.online.rounds),
            Objective::Bytes => phases.iter().map(|phase| phase.bytes[0] + phase.bytes[1]).sum(),
        }
    }
}

/// Predictions for every protocol that serves the job, the best first.
///
/// # Errors
/// [`Error::Param`] for an empty batch, or if no protocol serves the job.
pub fn plan(
    job: &LookupJob,
    batch: usize,
    link: &LinkShape,
    machine: &Machine,
    objective: Objective,
) -> Result<Vec<Prediction>> {
    if batch == 0 {
        return Err(Error::Param { what: "lookups", got: "0".into(), accepted: "1 and more".into() });
    }
    // A tree over 7 bits and fewer is doubling.
    let same = |protocol| protocol == Protocol::Tree && job.index_bits <= 7;
    let serving = Protocol::ALL.into_iter().filter(|&p| p.check(job).is_ok() && !same(p));
    let mut all: Vec<_> = serving.map(|protocol| predict(protocol, job, batch, link, machine)).collect();
    if all.is_empty() {
        return Protocol::SpLut.check(job).map(|()| all);
    }
    // Of equals the one with the least total time.
    let key = |p: &Prediction| (p.value(objective), p.value(Objective::Total));
    all.sort_by(|a, b| key(a).partial_cmp(&key(b)).expect("finite predictions"));
    Ok(all)
}

/// The protocol to use: the first of [`plan`].
///
/// # Errors
/// As [`plan`].
pub fn choose(
    job: &LookupJob,
    batch: usize,
    link: &LinkShape,
    machine: &Machine,
    objective: Objective,
) -> Result<Protocol> {
    Ok(plan(job, batch, link, machine, objective)?[0].protocol)
}

/// Bits of a message's header, and how many bytes one message has about at most.
const HEADER: f64 = 64.0;
const MESSAGE: f64 = 1e6;

/// Bytes of these bits in messages.
fn packed(bits: u64, rounds: u32) -> f64 {
    let bytes = (bits as f64 / 8.0).ceil();
    if rounds == 0 { 0.0 } else { bytes + HEADER / 8.0 * f64::from(rounds).max((bytes / MESSAGE).ceil()) }
}

/// Set-up, offline and online phase of a job with this bill, at least: messages and correlated OTs, without the local
/// work between them.
pub fn least(bill: &Bill, link: &LinkShape, machine: &Machine) -> [Estimate; 3] {
    estimates(bill, &Step::of(bill), [0.0; 2], link, machine)
}

/// The same with the local work that the bill implies.
pub(crate) fn implied(bill: &Bill, link: &LinkShape, machine: &Machine) -> [Estimate; 3] {
    let work = Work::of_batch(bill).map(|work| machine.seconds(work, 1));
    estimates(bill, &Step::of(bill), work, link, machine)
}

/// The prediction for one protocol, which must serve the job.
fn predict(
    protocol: Protocol,
    job: &LookupJob,
    batch: usize,
    link: &LinkShape,
    machine: &Machine,
) -> Prediction {
    let (bill, steps) = (protocol.bill_of(job, batch), protocol.steps(job, batch));
    let work = protocol.work(job).map(|work| machine.seconds(work, batch));
    let [setup, offline, online] = estimates(&bill, &steps, work, link, machine);
    let memory = (protocol.memory(job) * batch + protocol.room(job)) as u64;
    Prediction { protocol, setup, offline, online, memory }
}

/// Set-up, offline and online phase, with so many seconds of local work offline and online.
fn estimates(
    bill: &Bill,
    steps: &[Step],
    work: [f64; 2],
    link: &LinkShape,
    machine: &Machine,
) -> [Estimate; 3] {
    let limits = machine.setting(*link).limits;
    let ot = ot::cost(bill.cots, &limits, &machine.ots);
    let (offline, online) = (bill.offline, bill.online);
    let bytes = |phase: &Phase| phase.bits.map(|bits| packed(bits, phase.rounds));
    let work =
        [work[0] + machine.handling(offline.all_bits()), work[1] + machine.handling(online.all_bits())];
    let phase = |seconds: f64, bytes: [f64; 2], rounds: u32, waits: u32| {
        let rate = link.mbit_per_s.map_or(f64::INFINITY, |mbit| mbit * 1e6 / 8.0);
        let sending = bytes[0].max(bytes[1]) / rate;
        let waiting = f64::from(rounds) * machine.round + f64::from(waits) * link.rtt.as_secs_f64() / 2.0;
        // Work and sending overlap: messages go out in pieces as they are made.
        Estimate { seconds: seconds.max(sending) + waiting, bytes, rounds }
    };
    let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
    let making = rounds::offline(steps, bill.cots, &limits);
    let ready = ot.started.after(&making);
    let done = ready.after(&rounds::online(online.rounds));
    let rounds_offline = Clock([0; 2]).after(&making).since(Clock([0; 2]));
    [
        phase(machine.start + ot.start, ot.setup_bytes, ot.start_rounds, ot.start_waits),
        phase(work[0] + ot.seconds, add(bytes(&offline), ot.bytes), rounds_offline, ready.since(ot.started)),
        phase(work[1], bytes(&online), online.rounds, done.since(ready)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::Sharing;

    /// A protocol that counts nothing is predicted by its bill alone, without a fit.
    #[test]
    fn what_a_bill_implies_is_near_what_protocols_count() {
        let (machine, batch) = (Machine::REFERENCE, 100_000);
        for protocol in Protocol::ALL {
            for (index, index_bits) in [(Sharing::Additive, 4), (Sharing::Additive, 8), (Sharing::Xor, 8)] {
                let job = LookupJob { index, output: index, index_bits, value_bits: 16 };
                if protocol.check(&job).is_err() {
                    continue;
                }
                let (bill, steps) = (protocol.bill_of(&job, batch), protocol.steps(&job, batch));
                let total = |work: [Work; 2]| -> f64 {
                    let work = work.map(|work| machine.seconds(work, batch));
                    estimates(&bill, &steps, work, &LinkShape::LOOPBACK, &machine)
                        .iter()
                        .map(|e| e.seconds)
                        .sum()
                };
                let implied = Work::implied(|batch| protocol.bill_of(&job, batch));
                let ratio = total(implied) / total(protocol.work(&job));
                assert!((0.25..3.0).contains(&ratio), "{protocol}, {job}: {ratio}");
            }
        }
    }
}

//! The prediction for each way of doing something, and the choice.

use std::time::Duration;

use super::{clock::Clock, machine::Machine, ot, rounds};
use crate::{
    bill::{Bill, Effort, Objective, Phase, Prices, Weight, Work},
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

/// The prediction for one way of doing something.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction<T> {
    /// Which one.
    pub way: T,
    /// Once, for all batches.
    pub once: Estimate,
    /// Connecting, base OTs, start of the OT extension.
    pub setup: Estimate,
    /// The rest that needs no input.
    pub offline: Estimate,
    /// What needs the inputs.
    pub online: Estimate,
    /// Bytes of memory at P0 and at P1 for the whole batch at once; programs may cut it into pieces.
    pub memory: [u64; 2],
    /// Bytes that a party keeps on its disk between batches.
    pub disk: u64,
    /// Whether there is room for it.
    pub fits: bool,
    /// How many batches share what is done once.
    batches: u32,
    /// What P0 and P1 pay.
    prices: [Prices; 2],
}

impl<T> Prediction<T> {
    fn of(way: T, effort: &Effort, wanted: &Wanted) -> Self {
        let Wanted { link, machine, batches, room, .. } = wanted;
        let (once, encrypting) = &effort.once;
        let [_, mut sent, _] = estimates(&Effort::implied(once.bill()), link, machine);
        sent.seconds += machine.seconds(*encrypting);
        let [setup, offline, online] = estimates(effort, link, machine);
        let Effort { memory, disk, .. } = *effort;
        let fits = disk <= room.disk && (0..2).all(|party| memory[party] <= room.memory[party]);
        let (batches, prices) = (*batches, machine.prices);
        Self { way, once: sent, setup, offline, online, memory, disk, fits, batches, prices }
    }

    /// What P0 and P1 pay for one batch with its part of what is done once, in dollars.
    pub fn dollars(&self) -> [f64; 2] {
        let (phases, seconds) = ([self.setup, self.offline, self.online], self.value(Objective::Total));
        let part = 1.0 / f64::from(self.batches.max(1));
        let sent = |party: usize| {
            part * self.once.bytes[party] + phases.iter().map(|phase| phase.bytes[party]).sum::<f64>()
        };
        [0, 1].map(|party| self.prices[party].of(sent(party), seconds))
    }

    fn weight(&self, objective: Objective) -> Weight {
        Weight { value: self.value(objective), bytes: self.value(Objective::Bytes) }
    }

    /// What `objective` minimises, of one batch with its part of what is done once: seconds, those before the inputs in
    /// part if time online counts, bytes, rounds, or dollars. Of equals [`rank`] takes those with the least total time first.
    pub fn value(&self, objective: Objective) -> f64 {
        let part = 1.0 / f64::from(self.batches.max(1));
        let before = part * self.once.seconds + self.setup.seconds + self.offline.seconds;
        let bytes = |phase: &Estimate| phase.bytes[0] + phase.bytes[1];
        match objective {
            Objective::Total => before + self.online.seconds,
            Objective::Online => BEFORE * before + self.online.seconds,
            Objective::Rounds => f64::from(self.online.rounds),
            Objective::Money => self.dollars().iter().sum(),
            Objective::Bytes => {
                part * bytes(&self.once) + bytes(&self.setup) + bytes(&self.offline) + bytes(&self.online)
            }
        }
    }
}

/// What the parties have room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes on the disk of the party that keeps something there.
    pub disk: u64,
    /// Bytes in memory of P0 and of P1.
    pub memory: [u64; 2],
}

impl Room {
    /// No bound.
    pub const ENOUGH: Self = Self { disk: u64::MAX, memory: [u64::MAX; 2] };
}

/// What a choice is made for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Wanted {
    /// What to minimise.
    pub objective: Objective,
    /// The link.
    pub link: LinkShape,
    /// How fast the machines are.
    pub machine: Machine,
    /// How many batches share what is done once.
    pub batches: u32,
    /// What the parties have room for.
    pub room: Room,
}

impl Wanted {
    /// One batch, with as much room as it needs.
    pub fn new(objective: Objective, link: LinkShape, machine: Machine) -> Self {
        Self { objective, link, machine, batches: 1, room: Room::ENOUGH }
    }

    /// So many batches.
    #[must_use]
    pub fn batches(self, batches: u32) -> Self {
        Self { batches, ..self }
    }

    /// Within this room.
    #[must_use]
    pub fn room(self, room: Room) -> Self {
        Self { room, ..self }
    }
}

/// Predictions for all these ways: first the one to take by [the rule](crate::bill::NEARLY), then those with room, and of
/// them the best first.
pub fn rank<T>(ways: impl IntoIterator<Item = (T, Effort)>, wanted: &Wanted) -> Vec<Prediction<T>> {
    let of = |(way, effort): (T, Effort)| Prediction::of(way, &effort, wanted);
    let mut all: Vec<_> = ways.into_iter().map(of).collect();
    // Of equals the one with the least total time.
    let key = |p: &Prediction<T>| (!p.fits, p.value(wanted.objective), p.value(Objective::Total));
    all.sort_by(|a, b| key(a).partial_cmp(&key(b)).expect("finite predictions"));
    let fit = all.iter().take_while(|p| p.fits == all[0].fits);
    let weights: Vec<_> = fit.map(|p| p.weight(wanted.objective)).collect();
    if let (Some(taken), true) = (wanted.objective.take(&weights), wanted.objective.is_of_time()) {
        all[..=taken].rotate_right(1);
    }
    all
}

/// The way to take: the first of [`rank`]; `None` if there is no way.
///
/// Where local work is implied by bills, the first way given is the usual one, which counts make the best for the
/// objective. Over a link without a rate it is taken: these counts are what was measured inside a machine. So it is where
/// rounds are to be least, or bytes.
pub fn choose<T>(ways: Vec<(T, Effort)>, wanted: &Wanted) -> Option<T> {
    let Wanted { objective, link, .. } = wanted;
    let counted = ways.iter().all(|(_, effort)| effort.counted);
    let predicted = objective.is_of_time() || *objective == Objective::Money;
    let comparable = counted || predicted && link.mbit_per_s.is_some();
    if !comparable {
        return ways.into_iter().next().map(|(usual, _)| usual);
    }
    rank(ways, wanted).into_iter().next().map(|prediction| prediction.way)
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
    estimates(&Effort::implied(*bill).working([Work::default(); 2]), link, machine)
}

/// Seconds of a batch, after set-up, in which the parties wait for each other.
pub(crate) fn waiting(effort: &Effort, link: &LinkShape, machine: &Machine) -> f64 {
    let seconds = |link: &LinkShape, machine: &Machine| -> f64 {
        estimates(effort, link, machine)[1..].iter().map(|phase| phase.seconds).sum()
    };
    let at_once = LinkShape { rtt: Duration::ZERO, ..*link };
    seconds(link, machine) - seconds(&at_once, &Machine { round: 0.0, ..*machine })
}

/// Set-up, offline and online phase.
fn estimates(effort: &Effort, link: &LinkShape, machine: &Machine) -> [Estimate; 3] {
    let Effort { bill, steps, work, .. } = effort;
    let work = work.map(|work| machine.seconds(work));
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
    use crate::{
        lut::{LookupJob, Protocol},
        share::Sharing,
    };

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
                let total = |effort: &Effort| -> f64 {
                    estimates(effort, &LinkShape::LOOPBACK, &machine).iter().map(|e| e.seconds).sum()
                };
                let counted = protocol.effort_of(&job, batch);
                let work =
                    Work::implied(|batch| protocol.bill_of(&job, batch)).map(|work| work * batch as f64);
                let ratio = total(&counted.clone().working(work)) / total(&counted);
                assert!((0.25..3.0).contains(&ratio), "{protocol}, {job}: {ratio}");
            }
        }
    }
}

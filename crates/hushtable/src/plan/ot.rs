//! What the correlated OTs of a job cost: the decisions of [`crate::ot::Ot`], in figures.

use super::clock::{Clock, Senders};
use crate::ot::{
    Limits, Rates,
    choice::{ferret_bits, soft_bits},
    params::{LpnSet, SETS},
};

/// Bytes that connecting and agreement take each party, and what P0's and P1's points take besides.
const AGREEMENT: f64 = 0.2e3;
const POINTS: [f64; 2] = [4.1e3, 0.1e3];
/// Rounds of set-up, and how often they wait for the link: connecting waits without a message that counts.
const SETUP_ROUNDS: u32 = 5;
const SETUP_WAITS: u32 = 8;

/// OTs that SoftSpoken makes at a time. Set-up makes and takes as many where P0 sends.
const UNIT: usize = 128;

/// Both directions together.
#[derive(Clone, Copy)]
pub(super) struct OtCost {
    /// At set-up: what the extension needs to start.
    pub start: f64,
    /// Bytes of all of set-up: [from P0, from P1].
    pub setup_bytes: [f64; 2],
    pub start_rounds: u32,
    /// Delays of the link while connecting and starting.
    pub start_waits: u32,
    /// When each party is done with that: who waited last.
    pub started: Clock,
    /// Offline: the OTs themselves.
    pub seconds: f64,
    pub bytes: [f64; 2],
}

/// Of so many in which P0 is the sender, and in which P1 is.
pub(super) fn cost(counts: [u64; 2], limits: &Limits, rates: &Rates) -> OtCost {
    let mut all = OtCost {
        start: 0.0,
        setup_bytes: setup_bytes(limits.k),
        start_rounds: SETUP_ROUNDS,
        start_waits: SETUP_WAITS,
        started: Clock([0, 1]),
        seconds: 0.0,
        bytes: [0.0; 2],
    };
    for (sender, count) in counts.into_iter().enumerate() {
        let one = direction(count as usize, limits, rates);
        all.start = all.start.max(one.start); // side by side
        all.seconds += one.seconds;
        all.start_rounds = all.start_rounds.max(SETUP_ROUNDS + one.start_rounds);
        // Seeds there, the first extension back; the next set's follows at once.
        all.start_waits = all.start_waits.max(SETUP_WAITS + 2 * one.start_rounds.min(1));
        if one.start_rounds > 0 {
            all.started = Clock([1, 0]);
        }
        // SoftSpoken's messages come from the receiver, Ferret's from the sender.
        let receiver = 1 - sender;
        all.setup_bytes[receiver] += one.soft_start;
        all.setup_bytes[sender] += one.ferret_start;
        all.bytes[receiver] += one.soft;
        all.bytes[sender] += one.ferret;
    }
    all
}

/// Bytes that P0 and P1 send for connecting, base OTs, the trees of SoftSpoken and its first message.
fn setup_bytes(k: u32) -> [f64; 2] {
    let trees = f64::from(128 / k * 2 * (k - 1) * 16);
    let first = soft_bits(k) / 8.0 * UNIT as f64;
    [AGREEMENT + POINTS[0] + trees, AGREEMENT + POINTS[1] + trees + first]
}

/// The stock of each direction while a job takes its correlated OTs, first that in which P0 sends.
pub(super) struct Stock([Supply; 2]);

struct Supply {
    left: usize,
    /// Made at a time, at least.
    unit: usize,
    /// Ferret's messages come from the sender, SoftSpoken's from the receiver.
    ferret: bool,
}

impl Stock {
    /// For a job of so many in which P0 is the sender, and in which P1 is.
    pub(super) fn new(counts: [u64; 2], limits: &Limits) -> Self {
        let supply = |count: u64| match limits.level(count as usize) {
            None => Supply { left: 0, unit: UNIT, ferret: false },
            Some(level) => Supply { left: 0, unit: 1 << SETS[level].depth, ferret: true },
        };
        Self(counts.map(supply))
    }

    /// Takes some; who sends what the stock lacks, if it does.
    pub(super) fn take(&mut self, counts: [u64; 2]) -> Option<Senders> {
        let mut senders = [false; 2];
        for (sender, (supply, count)) in self.0.iter_mut().zip(counts.map(|c| c as usize)).enumerate() {
            let missing = count.saturating_sub(supply.left);
            if missing > 0 {
                senders[if supply.ferret { sender } else { 1 - sender }] = true;
            }
            supply.left += missing.next_multiple_of(supply.unit);
            supply.left -= count;
        }
        senders.contains(&true).then_some(senders)
    }
}

#[derive(Default)]
struct Direction {
    start: f64,
    soft_start: f64,
    ferret_start: f64,
    start_rounds: u32,
    seconds: f64,
    soft: f64,
    ferret: f64,
}

/// What makes OTs of a direction: nanoseconds and bytes of each, and how many a message has at least.
#[derive(Clone, Copy)]
struct Maker {
    ns: f64,
    bytes: f64,
    unit: usize,
}

fn direction(count: usize, limits: &Limits, rates: &Rates) -> Direction {
    let ferret = |level: usize| {
        let set: &LpnSet = SETS[level];
        Maker { ns: rates.ferret[level], bytes: ferret_bits(set) / 8.0, unit: 1 }
    };
    let mut maker = Maker { ns: rates.soft_ns(limits.k), bytes: soft_bits(limits.k) / 8.0, unit: UNIT };
    let made = |maker: &Maker, want: usize| {
        let made = want.next_multiple_of(maker.unit) as f64;
        (made * maker.ns * 1e-9, made * maker.bytes)
    };
    let mut all = Direction::default();
    let target = limits.level(count);
    for level in target.into_iter().flat_map(|target| (0..=target).filter(move |&l| !limits.skips(l, target)))
    {
        let (seconds, bytes) = made(&maker, SETS[level].seeds());
        all.start += seconds + rates.start[level];
        *(if all.start_rounds == 0 { &mut all.soft_start } else { &mut all.ferret_start }) += bytes;
        all.start_rounds += 1;
        maker = ferret(level);
    }
    let (seconds, bytes) = made(&maker, count);
    all.seconds = seconds;
    *(if target.is_none() { &mut all.soft } else { &mut all.ferret }) += bytes;
    all
}

#[cfg(test)]
mod tests;

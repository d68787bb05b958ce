//! What the correlated OTs of a job cost: the decisions of [`crate::ot::Ot`], in figures.

use super::{
    clock::{Clock, Senders},
    machine::Machine,
};
use crate::ot::{
    params::{LpnSet, M, S},
    source::{MEDIUM, SMALL},
};

/// Bytes that connecting, agreement and base OTs take: [from P0, from P1].
pub const SETUP_BYTES: [f64; 2] = [7.4e3, 3.9e3];
/// Their rounds, and how often they wait for the link: connecting waits without a message that counts.
const SETUP_ROUNDS: u32 = 6;
const SETUP_WAITS: u32 = 9;

/// OTs that SoftSpoken makes at a time, and their bytes.
const PIECE: usize = 128;
const PIECE_BYTES: f64 = 31.0 * 128.0 / 8.0;

/// Both directions together.
#[derive(Clone, Copy)]
pub struct OtCost {
    /// At set-up: what the extension needs to start.
    pub start: f64,
    pub start_bytes: [f64; 2],
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
pub fn cost(counts: [u64; 2], machine: &Machine) -> OtCost {
    let mut all = OtCost {
        start: 0.0,
        start_bytes: [0.0; 2],
        start_rounds: SETUP_ROUNDS,
        start_waits: SETUP_WAITS,
        started: Clock([0, 1]),
        seconds: 0.0,
        bytes: [0.0; 2],
    };
    for (sender, count) in counts.into_iter().enumerate() {
        let one = direction(count as usize, machine);
        all.start = all.start.max(one.start); // side by side
        all.seconds += one.seconds;
        all.start_rounds = all.start_rounds.max(SETUP_ROUNDS + one.start_rounds);
        // Seeds there, the first extension back; set M's follows at once.
        all.start_waits = all.start_waits.max(SETUP_WAITS + 2 * one.start_rounds.min(1));
        if one.start_rounds > 0 {
            all.started = Clock([1, 0]);
        }
        // SoftSpoken's messages come from the receiver, Ferret's from the sender.
        let receiver = 1 - sender;
        all.start_bytes[receiver] += one.soft_start;
        all.start_bytes[sender] += one.ferret_start;
        all.bytes[receiver] += one.soft;
        all.bytes[sender] += one.ferret;
    }
    all
}

/// The stock of each direction while a job takes its correlated OTs, first that in which P0 sends.
pub struct Stock([Supply; 2]);

struct Supply {
    left: usize,
    /// Made at a time, at least.
    unit: usize,
    /// Ferret's messages come from the sender, SoftSpoken's from the receiver.
    ferret: bool,
}

impl Stock {
    /// For a job of so many in which P0 is the sender, and in which P1 is.
    pub fn new(counts: [u64; 2]) -> Self {
        let supply = |count: u64| {
            let count = count as usize;
            let ferret = |set: &LpnSet| Supply { left: 0, unit: 1 << set.depth, ferret: true };
            if count <= SMALL {
                Supply { left: 0, unit: PIECE, ferret: false }
            } else {
                ferret(if count <= MEDIUM { &S } else { &M })
            }
        };
        Self(counts.map(supply))
    }

    /// Takes some; who sends what the stock lacks, if it does.
    pub fn take(&mut self, counts: [u64; 2]) -> Option<Senders> {
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

fn direction(count: usize, machine: &Machine) -> Direction {
    if count <= SMALL {
        let pieces = count.div_ceil(PIECE);
        let seconds = (pieces * PIECE) as f64 * machine.soft_ot * 1e-9;
        return Direction { seconds, soft: pieces as f64 * PIECE_BYTES, ..Direction::default() };
    }
    let seeds = S.seeds().div_ceil(PIECE);
    let soft_start = seeds as f64 * PIECE_BYTES;
    let bits = |set: &LpnSet| (set.t * (set.depth as usize - 1) * 128) as f64 / set.usable() as f64;
    let ns = 1e-9 * count as f64;
    if count <= MEDIUM {
        let (start, ferret) = (machine.small_start, count as f64 * bits(&S) / 8.0);
        let seconds = ns * machine.small_ot;
        return Direction { start, soft_start, start_rounds: 1, seconds, ferret, ..Direction::default() };
    }
    Direction {
        start: machine.small_start + machine.large_start,
        soft_start,
        ferret_start: M.seeds() as f64 * bits(&S) / 8.0,
        start_rounds: 2,
        seconds: ns * machine.large_ot,
        ferret: count as f64 * bits(&M) / 8.0,
        ..Direction::default()
    }
}

//! What the correlated OTs of a job cost: the decisions of [`crate::ot::Ot`], in figures.

use super::Machine;
use crate::ot::{
    params::{M, S},
    source::{MEDIUM, SMALL},
};

/// Bytes that connecting, agreement and base OTs take: [from P0, from P1].
pub const SETUP_BYTES: [f64; 2] = [11e3, 39e3];
/// Their rounds, and how often they wait for the link: connecting waits without a message that counts.
const SETUP_ROUNDS: u32 = 6;
const SETUP_WAITS: u32 = 9;

/// OTs of a message of SoftSpoken, and its bytes.
const PIECE: usize = 8192;
const PIECE_BYTES: f64 = 31.0 * 8192.0 / 8.0;

/// Both directions together.
#[derive(Clone, Copy, Default)]
pub struct OtCost {
    /// At set-up: what the extension needs to start.
    pub start: f64,
    pub start_bytes: [f64; 2],
    pub start_rounds: u32,
    /// Delays of the link while connecting and starting.
    pub start_waits: u32,
    /// Offline: the OTs themselves.
    pub seconds: f64,
    pub bytes: [f64; 2],
    pub rounds: u32,
}

/// `counts` are P0's, as sender and as receiver.
pub fn cost(counts: (usize, usize), machine: &Machine) -> OtCost {
    // Set-up leaves a piece in stock where P0 sends.
    let directions = [(counts.0, PIECE - 128), (counts.1, 0)];
    let mut all = OtCost { start_rounds: SETUP_ROUNDS, start_waits: SETUP_WAITS, ..OtCost::default() };
    for (sender, (count, stock)) in directions.into_iter().enumerate() {
        let one = direction(count, stock, machine);
        all.start += one.start;
        all.seconds += one.seconds;
        all.start_rounds = all.start_rounds.max(SETUP_ROUNDS + one.start_rounds);
        // Seeds there, the first extension back; set M's follows at once.
        all.start_waits = all.start_waits.max(SETUP_WAITS + 2 * one.start_rounds.min(1));
        all.rounds = all.rounds.max(one.rounds);
        // SoftSpoken's messages come from the receiver, Ferret's from the sender.
        let receiver = 1 - sender;
        all.start_bytes[receiver] += one.soft_start;
        all.start_bytes[sender] += one.ferret_start;
        all.bytes[receiver] += one.soft;
        all.bytes[sender] += one.ferret;
    }
    all
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
    rounds: u32,
}

fn direction(count: usize, stock: usize, machine: &Machine) -> Direction {
    if count <= SMALL {
        let pieces = count.saturating_sub(stock).div_ceil(PIECE);
        let seconds = (pieces * PIECE) as f64 * machine.soft_ot * 1e-9;
        let (soft, rounds) = (pieces as f64 * PIECE_BYTES, u32::from(pieces > 0));
        return Direction { seconds, soft, rounds, ..Direction::default() };
    }
    let seeds = (S.seeds() - stock).div_ceil(PIECE);
    let soft_start = seeds as f64 * PIECE_BYTES;
    let bits = |set: &crate::ot::params::LpnSet| {
        (set.t * (set.depth as usize - 1) * 128) as f64 / set.usable() as f64
    };
    let ns = 1e-9 * count as f64;
    if count <= MEDIUM {
        let (start, ferret) = (machine.small_start, count as f64 * bits(&S) / 8.0);
        let seconds = ns * machine.small_ot;
        return Direction {
            start,
            soft_start,
            start_rounds: 1,
            seconds,
            ferret,
            rounds: 2,
            ..Direction::default()
        };
    }
    Direction {
        start: machine.small_start + machine.large_start,
        soft_start,
        ferret_start: M.seeds() as f64 * bits(&S) / 8.0,
        start_rounds: 2,
        seconds: ns * machine.large_ot,
        ferret: count as f64 * bits(&M) / 8.0,
        rounds: 2,
        ..Direction::default()
    }
}

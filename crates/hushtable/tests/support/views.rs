//! What a party sees of a protocol whose other party has a secret, and whether it tells the secret.
#![allow(dead_code)] // not every test uses all of it

use std::ops::Range;

use hushtable::{
    Party, Result, Role,
    lut::Table,
    net::Connection,
    onehot::{Group, OneHot},
    share::Share,
};
use prim::pack::unpack;

use super::{
    pairs::id,
    relay::{Fate, Outcome, relayed},
    stats,
};

/// Lookups of a run.
pub const BATCH: usize = 1 << 15;
/// Standard deviations by which chi-square may be off. The seeds are fixed: this fails for a
/// change of the code only.
pub const BOUND: f64 = 5.0;

/// How material is made.
pub type Generator<G> = fn(&mut Party, usize) -> Result<OneHot<G>>;

/// The words that one party sent after the barrier, frame by frame, in the widths given.
pub struct Sent<'a>(pub &'a [Vec<u8>]);

impl Sent<'_> {
    pub fn of(outcome: &[Vec<Vec<u8>>; 2], role: Role) -> Sent<'_> {
        let frames = &outcome[role as usize];
        let barrier = frames.iter().rposition(|frame| frame.len() == 9).expect("a barrier");
        Sent(&frames[barrier + 1..])
    }

    /// Frame `at`, counted from the last one, as `count` words of `bits` bits.
    pub fn words(&self, from_last: usize, bits: u32, count: usize) -> Vec<u32> {
        let mut words = vec![0; count];
        unpack(&self.0[self.0.len() - 1 - from_last][8..], bits, &mut words);
        words
    }

    /// Columns of bits in some of the frames, which carry the lookups in pieces from the last to the first.
    pub fn columns(&self, frames: Range<usize>, columns: usize) -> Vec<Vec<u32>> {
        let mut out = vec![Vec::new(); columns];
        for frame in self.0[frames].iter().rev() {
            let mut bits = vec![0; 8 * frame[8..].len()];
            unpack(&frame[8..], 1, &mut bits);
            let pieces = bits.chunks(bits.len() / columns);
            out.iter_mut().zip(pieces).for_each(|(out, piece)| out.extend(piece));
        }
        out
    }
}

/// Runs `protocol` at both parties, `owner` with the index share `secret` in every lookup and the other with
/// 0, behind a barrier after which no OTs are made.
pub fn run<G: Group, T: Send>(
    seed: u64,
    (owner, secret): (Role, u32),
    protocol: impl Fn(&mut Party, &Share<G::Kind, u32>) -> Result<T> + Sync,
) -> Outcome<T, T> {
    let party = |connection: Connection| -> T {
        let mut p = Party::seeded(connection, seed, None).expect("set-up");
        p.stock_cots(1 << 17, 1 << 17).expect("OTs");
        p.barrier().expect("a barrier");
        let mine = if p.role() == owner { secret } else { 0 };
        protocol(&mut p, &Share::new(2, vec![mine; BATCH])).expect("an honest run")
    };
    relayed(id(seed), party, party, |_, _, _| Fate::Pass)
}

/// The viewer's share of the four entries of the selected vectors, as a number: with its own message it
/// tells its part of the one-hot vector.
pub fn rows<G: Group>(seed: u64, (owner, secret): (Role, u32), generator: Generator<G>) -> Vec<usize> {
    let units = (0..4).map(|j| (0..4).map(|i| u8::from(i == j)).collect()).collect();
    let units = Table::vector(1, units).expect("a table");
    let read = |p: &mut Party, x: &Share<G::Kind, u32>| {
        let columns = generator(p, BATCH)?.open_index(p, x)?.read_xor(&units)?;
        let row = |i: usize| columns.iter().rev().fold(0, |row, c| row << 1 | usize::from(c.words()[i]));
        Ok((0..BATCH).map(row).collect::<Vec<_>>())
    };
    let outcome = run::<G, _>(seed, (owner, secret), read);
    let (e0, e1) = (outcome.p0.expect("no panic at P0"), outcome.p1.expect("no panic at P1"));
    assert!(e0.iter().zip(&e1).all(|(a, b)| a ^ b == 1 << secret), "shares of another vector");
    if owner == Role::P0 { e1 } else { e0 }
}

/// The number of a joint value, from its parts and how many values each has.
pub fn cell(parts: &[(u32, u32)]) -> usize {
    parts.iter().fold(0, |cell, &(x, n)| cell * n as usize + x as usize)
}

/// One histogram per view and half of the batch.
pub fn histograms(views: &[(usize, Vec<usize>)]) -> Vec<Vec<u64>> {
    let count = |cells: usize, view: &[usize]| {
        let mut counts = vec![0u64; cells];
        view.iter().for_each(|&cell| counts[cell] += 1);
        counts
    };
    views
        .iter()
        .flat_map(|(cells, view)| [count(*cells, &view[..BATCH / 2]), count(*cells, &view[BATCH / 2..])])
        .collect()
}

/// Compares what `views` gives for every secret with what it gives for secret 0.
pub fn assert_independent(what: &str, secrets: u32, views: impl Fn(u32) -> Vec<Vec<u64>>) {
    let base = views(0);
    for secret in 1..secrets {
        for (i, (a, b)) in base.iter().zip(views(secret)).enumerate() {
            let z = stats::homogeneous(a, &b);
            assert!(z < BOUND, "{what}: view {i} tells secret {secret} from 0 ({z:.1} deviations)");
        }
    }
}

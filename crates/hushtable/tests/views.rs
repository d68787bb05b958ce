//! What a party sees has the same distribution whatever the other party's share is, and nothing
//! masked repeats between sessions.
//!
//! A view is taken apart into all the values it consists of, for tables of 3 or 4 entries, and the
//! frequencies of their *joint* values are compared between secrets: a relation between any of
//! them that depends on the secret shows, however it is hidden from each value by itself.

use crate::support::pairs;
use crate::support::relay;
use crate::support::stats;

use hushtable::{
    Party, Result, Role,
    lut::{Table, splut::SpLut},
    net::Connection,
    onehot::{Cyclic, Group, OneHot, Xor},
    share::Share,
};
use pairs::{id, pair, share};
use prim::pack::unpack;
use relay::{Fate, Outcome, relayed};

/// Lookups of a run.
const BATCH: usize = 1 << 15;
/// Standard deviations by which chi-square may be off. The seeds are fixed: this fails for a
/// change of the code only.
const BOUND: f64 = 5.0;

/// How material is made.
type Generator<G> = fn(&mut Party, usize) -> Result<OneHot<G>>;

/// The words that one party sent after the barrier, frame by frame, in the widths given.
struct Sent<'a>(&'a [Vec<u8>]);

impl Sent<'_> {
    fn of(outcome: &[Vec<Vec<u8>>; 2], role: Role) -> Sent<'_> {
        let frames = &outcome[role as usize];
        let barrier = frames.iter().rposition(|frame| frame.len() == 9).expect("a barrier");
        Sent(&frames[barrier + 1..])
    }

    /// Frame `at`, counted from the last one, as `count` words of `bits` bits.
    fn words(&self, from_last: usize, bits: u32, count: usize) -> Vec<u32> {
        let mut words = vec![0; count];
        unpack(&self.0[self.0.len() - 1 - from_last][8..], bits, &mut words);
        words
    }

    /// Bits in the first frames, which carry the lookups in pieces from the last to the first.
    fn bits_from_the_back(&self, frames: std::ops::Range<usize>) -> Vec<u32> {
        let pieces = frames.rev().map(|i| {
            let payload = &self.0[i][8..];
            let mut bits = vec![0; 8 * payload.len()];
            unpack(payload, 1, &mut bits);
            bits
        });
        pieces.flatten().collect()
    }
}

/// Runs `protocol` at both parties, P0 with the index share `secret` in every lookup and P1 with
/// 0, behind a barrier after which no OTs are made.
fn run<G: Group, T: Send>(
    seed: u64,
    secret: u32,
    protocol: impl Fn(&mut Party, &Share<G::Kind, u32>) -> Result<T> + Sync,
) -> Outcome<T, T> {
    let party = |connection: Connection| -> T {
        let mut p = Party::seeded(connection, seed, None).expect("set-up");
        p.stock_cots(1 << 17, 1 << 17).expect("OTs");
        p.barrier().expect("a barrier");
        let mine = if p.role() == Role::P0 { secret } else { 0 };
        protocol(&mut p, &Share::new(2, vec![mine; BATCH])).expect("an honest run")
    };
    relayed(id(seed), party, party, |_, _, _| Fate::Pass)
}

/// P1's share of the four entries of the selected vectors, as a number: with its own message it
/// tells `B_1`.
fn rows<G: Group>(seed: u64, secret: u32, generator: Generator<G>) -> Vec<usize> {
    let units = (0..4).map(|j| (0..4).map(|i| u8::from(i == j)).collect()).collect();
    let units = Table::vector(1, units).expect("a table");
    let read = |p: &mut Party, x: &Share<G::Kind, u32>| {
        let columns = generator(p, BATCH)?.open_index(p, x)?.read_xor(&units)?;
        let row = |i: usize| columns.iter().rev().fold(0, |row, c| row << 1 | usize::from(c.words()[i]));
        Ok((0..BATCH).map(row).collect::<Vec<_>>())
    };
    let outcome = run::<G, _>(seed, secret, read);
    let (e0, e1) = (outcome.p0.expect("no panic at P0"), outcome.p1.expect("no panic at P1"));
    assert!(e0.iter().zip(&e1).all(|(a, b)| a ^ b == 1 << secret), "shares of another vector");
    e1
}

/// One histogram per view and half of the batch.
fn histograms(views: &[(usize, Vec<usize>)]) -> Vec<Vec<u64>> {
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
fn assert_independent(what: &str, secrets: u32, views: impl Fn(u32) -> Vec<Vec<u64>>) {
    let base = views(0);
    for secret in 1..secrets {
        for (i, (a, b)) in base.iter().zip(views(secret)).enumerate() {
            let z = stats::homogeneous(a, &b);
            assert!(z < BOUND, "{what}: view {i} tells secret {secret} from 0 ({z:.1} deviations)");
        }
    }
}

/// P1's view of a lookup with additive output: its own offset and row, the opened index, P0's
/// sign correction and masked payload, its own output.
///
/// Catches sign bits sent unmasked or under a choice bit that served the offset too (A7: the joint
/// view counts candidates), `z` opened (A5), an index masked twice by one offset.
fn lookup_views<G: Group>(seed: u64, secret: u32, generator: Generator<G>) -> Vec<Vec<u64>> {
    let table = Table::<u8>::new(2, vec![1, 3, 0, 2]).expect("a table");
    let outcome = run::<G, _>(seed, secret, |p, x| {
        let y = generator(p, BATCH)?.signed(p, &[2])?.lookup(p, &table, x)?;
        Ok(y.words().iter().map(|&y| u32::from(y)).collect::<Vec<_>>())
    });
    let (y0, y) = (outcome.p0.expect("no panic at P0"), outcome.p1.expect("no panic at P1"));
    let entry = u32::from(table.columns()[0][secret as usize]);
    assert!(y0.iter().zip(&y).all(|(a, b)| (a + b) % 4 == entry), "wrong outputs: not the protocol's view");
    let (p0, p1) = (Sent::of(&outcome.sent, Role::P0), Sent::of(&outcome.sent, Role::P1));
    let (d0, m0, pay0) = (p0.words(2, 1, BATCH), p0.words(1, 2, BATCH), p0.words(0, 1, BATCH));
    let m1 = p1.words(1, 2, BATCH);
    let e1 = rows(seed, secret, generator);
    let cell = |parts: &[(u32, u32)]| parts.iter().fold(0, |cell, &(x, n)| cell * n as usize + x as usize);
    let row = |i: usize| (e1[i] as u32, 16);
    let offline = |i: usize| cell(&[(m0[i], 4), (m1[i], 4), row(i), (d0[i], 2)]);
    let online = |i: usize| cell(&[(m0[i], 4), row(i), (d0[i], 2), (pay0[i], 2), (y[i], 4)]);
    let all = |f: &dyn Fn(usize) -> usize| (0..BATCH).map(f).collect::<Vec<_>>();
    histograms(&[(512, all(&offline)), (1024, all(&online))])
}

#[test]
fn a_lookup_by_rotl_shows_nothing_of_the_index() {
    assert_independent("cyclic", 4, |x| lookup_views::<Cyclic>(60, x, |p, m| OneHot::rotl(p, 2, m)));
    assert_independent("xor", 4, |x| lookup_views::<Xor>(61, x, |p, m| OneHot::rotl(p, 2, m)));
}

#[test]
fn a_lookup_by_doubling_shows_nothing_of_the_index() {
    assert_independent("cyclic", 4, |x| lookup_views::<Cyclic>(62, x, |p, m| OneHot::doubling(p, 2, m)));
    assert_independent("xor", 4, |x| lookup_views::<Xor>(63, x, |p, m| OneHot::doubling(p, 2, m)));
}

/// P1's view of the doubling itself, with its own row and both parts of the opened index. `levels`:
/// how many bits P0 sends for each lookup. Catches a level's pad that serves twice (A15).
fn doubling_views<G: Group>(seed: u64, secret: u32, levels: usize) -> Vec<Vec<u64>> {
    let generator: Generator<G> = |p, m| OneHot::doubling(p, 2, m);
    let outcome = run::<G, _>(seed, secret, |p, x| generator(p, BATCH)?.open_index(p, x).map(drop));
    let (p0, p1) = (Sent::of(&outcome.sent, Role::P0), Sent::of(&outcome.sent, Role::P1));
    let (m0, m1) = (p0.words(0, 2, BATCH), p1.words(0, 2, BATCH));
    let e1 = rows(seed, secret, generator);
    let pieces = (p0.0.len() - 1) / levels;
    let sent: Vec<Vec<u32>> =
        (0..levels).map(|l| p0.bits_from_the_back(l * pieces..(l + 1) * pieces)).collect();
    let cell = |i: usize| {
        let bits = sent.iter().fold(0, |bits, level| bits << 1 | level[i] as usize);
        ((bits << 4 | e1[i]) << 2 | m0[i] as usize) << 2 | m1[i] as usize
    };
    histograms(&[(256 << levels, (0..BATCH).map(cell).collect())])
}

#[test]
fn doubling_shows_nothing_of_the_offset() {
    assert_independent("cyclic", 4, |x| doubling_views::<Cyclic>(64, x, 2));
    assert_independent("xor", 4, |x| doubling_views::<Xor>(65, x, 1));
}

/// P1's view of SP-LUT on three entries: as receiver in the first half the masked entries, its own
/// message and output; as sender in the second half the corrections of the choice and `u`.
#[test]
fn splut_shows_nothing_of_the_index() {
    let table = Table::<u8>::new(2, vec![1, 3, 2]).expect("a table");
    assert_independent("SP-LUT", 3, |secret| {
        let outcome = run::<Cyclic, _>(66, secret, |p, x| {
            let y = SpLut::<Cyclic>::prepare(p, 3, BATCH)?.lookup_mod(p, &table, x.words())?;
            Ok(y.words().iter().map(|&y| usize::from(y)).collect::<Vec<_>>())
        });
        let (y0, y) = (outcome.p0.expect("no panic at P0"), outcome.p1.expect("no panic at P1"));
        let entry = usize::from(table.columns()[0][secret as usize]);
        assert!(y0.iter().zip(&y).all(|(a, b)| (a + b) % 4 == entry), "wrong outputs");
        let (p0, p1) = (Sent::of(&outcome.sent, Role::P0), Sent::of(&outcome.sent, Role::P1));
        const HALF: usize = BATCH / 2;
        let (v, own_u) = (p0.words(0, 2, 2 * HALF), p1.words(1, 2, HALF));
        let (flips, u) = (p0.words(2, 2, HALF), p0.words(1, 2, HALF));
        assert!(u.iter().chain(&own_u).all(|&u| u < 3), "reduced before it is sent");
        let receiver = |i: usize| {
            let entries = v[2 * i] as usize * 4 + v[2 * i + 1] as usize;
            (entries * 3 + own_u[i] as usize) * 4 + y[i]
        };
        let sender = |i: usize| (flips[i] as usize * 3 + u[i] as usize) * 4 + y[HALF + i];
        let view: Vec<usize> = (0..HALF).map(receiver).chain((0..HALF).map(sender)).collect();
        histograms(&[(192, view)])
    });
}

/// S8: with other randomness every message is another, at the same session id and inputs, and
/// about half of its bits.
#[test]
fn every_masked_message_differs_between_runs() {
    let run = |connection: Connection| -> Result<()> {
        let mut p = Party::new(connection, None)?;
        let table = Table::<u16>::tabulate(6, 16, |x| x)?;
        let x = share(p.role(), 6, &[9; 300], 1);
        let bits = share(p.role(), 6, &[9; 300], 1);
        let y = OneHot::<Cyclic>::rotl(&mut p, 6, 300)?.signed(&mut p, &[16])?.lookup(&mut p, &table, &x)?;
        p.open(&y)?;
        OneHot::<Xor>::doubling(&mut p, 6, 300)?.lookup_xor(&mut p, &table, &bits)?;
        SpLut::<Cyclic>::prepare(&mut p, 64, 300)?.lookup(&mut p, &table, &x)?;
        p.prepare_ot(40_000, 40_000)?;
        p.cots(40_000, 40_000).map(drop)
    };
    let transcript = || {
        let outcome = relayed(id(67), run, run, |_, _, _| Fate::Pass);
        outcome.p0.expect("no panic").expect("an honest run");
        outcome.p1.expect("no panic").expect("an honest run");
        outcome.sent
    };
    for (first, second) in transcript().iter().zip(transcript()) {
        assert_eq!(first.len(), second.len());
        // The first message compares parameters.
        for (i, (a, b)) in first.iter().zip(&second).enumerate().skip(1) {
            let bits = 8 * (a.len() - 8);
            let differ: u32 = a[8..].iter().zip(&b[8..]).map(|(a, b)| (a ^ b).count_ones()).sum();
            let half = f64::from(differ) / bits as f64;
            assert!(bits >= 128 && (0.2..0.8).contains(&half), "message {i}, of {bits} bits: {half} differ");
        }
    }
}

/// S8: shares of the same input, and each party's share of the same output, are uniform.
#[test]
fn shares_of_fixed_values_are_uniform() {
    let table = Table::<u8>::tabulate(5, 8, |x| (x + 1).wrapping_mul(0x9e37_79b9) >> 16).expect("a table");
    const COUNT: usize = 1 << 13;
    let outputs = |p: &mut Party| -> Result<Vec<Vec<u8>>> {
        let (x, bits) = (share(p.role(), 5, &[11; COUNT], 2), share(p.role(), 5, &[11; COUNT], 2));
        let rotl = OneHot::<Cyclic>::rotl(p, 5, COUNT)?.lookup_xor(p, &table, &x)?;
        let signed = OneHot::<Xor>::rotl(p, 5, COUNT)?.signed(p, &[8])?.lookup(p, &table, &bits)?;
        let splut = SpLut::<Cyclic>::prepare(p, 32, COUNT)?.lookup(p, &table, &x)?;
        let splut_xor = SpLut::<Xor>::prepare(p, 32, COUNT)?.lookup_xor(p, &table, &bits)?;
        let mut shares = vec![rotl.words().to_vec(), signed.words().to_vec()];
        shares.extend([splut.words().to_vec(), splut_xor.words().to_vec()]);
        Ok(shares)
    };
    let (p0, p1) = pairs::both(pair(68, None), outputs);
    for (who, shares) in [("P0", p0), ("P1", p1)] {
        for (i, share) in shares.iter().enumerate() {
            let mut counts = [0u64; 256];
            share.iter().for_each(|&y| counts[usize::from(y)] += 1);
            let z = stats::uniform(&counts);
            assert!(z < BOUND, "{who}'s shares of output {i} are not uniform: {z:.1} deviations");
        }
    }
}

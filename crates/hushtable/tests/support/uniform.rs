//! Whether what a protocol sends online is uniform: `arith_views` says what this catches.
#![allow(dead_code)] // not every test uses all of it

use std::panic::{AssertUnwindSafe, catch_unwind};

use hushtable::{Party, Result, net::Connection};

use super::{
    pairs::id,
    relay::{Fate, relayed},
    stats,
};

/// Standard deviations by which chi-square may be off. The seeds are fixed: this fails for a change of the
/// code only.
pub const BOUND: f64 = 5.5;

/// Runs a protocol twice in a session with so many correlated OTs each way in stock, for several shares; seeds
/// are this one and the next two. `protocol` has a barrier and runs with shares that are all the number given;
/// what it sends behind the barrier must be uniform.
pub fn assert_uniform(
    name: &str,
    seed: u64,
    stock: usize,
    protocol: impl Fn(&mut Party, u64) -> Result<()> + Sync,
) {
    for (k, shares) in [[0, 0], [1, u64::MAX], [0x5555_5555_5555, 0x1234_5678]].into_iter().enumerate() {
        let seed = seed + k as u64;
        let party = |connection: Connection| -> Result<()> {
            let mut p = Party::seeded(connection, seed, None)?;
            p.stock_cots(stock, stock)?;
            let mine = shares[p.role() as usize];
            protocol(&mut p, mine)?;
            protocol(&mut p, mine)
        };
        let outcome = relayed(id(seed), party, party, |_, _, _| Fate::Pass);
        outcome.p0.expect("no panic at P0").expect("an honest run");
        outcome.p1.expect("no panic at P1").expect("an honest run");
        let [p0, p1] = outcome.sent.each_ref().map(|frames| sent_online(frames));
        assert!(p0[1].len() + p1[1].len() >= 2000, "{name}: {} and {} bytes", p0[1].len(), p1[1].len());
        let (z, what) = worst([[&p0[0], &p0[1]], [&p1[0], &p1[1]]]);
        assert!(z < BOUND, "{name} with shares {shares:x?}, seed {seed}: {what}, {z:.1} deviations");
    }
}

/// Whether [`assert_uniform`] finds a mistake that was made on purpose.
pub fn seen(seed: u64, stock: usize, protocol: impl Fn(&mut Party, u64) -> Result<()> + Sync) -> bool {
    let run = AssertUnwindSafe(|| assert_uniform("a mistake", seed, stock, &protocol));
    catch_unwind(run).is_err_and(|panic| {
        let what = panic.downcast_ref::<String>().expect("a message");
        assert!(what.ends_with("deviations"), "{what}");
        true
    })
}

/// What a party sent after each of the last two barriers.
fn sent_online(frames: &[Vec<u8>]) -> [Vec<u8>; 2] {
    let barriers: Vec<usize> = (0..frames.len()).filter(|&i| frames[i].len() == 9).collect();
    let [.., first, second] = barriers[..] else { panic!("two barriers") };
    let bytes = |frames: &[Vec<u8>]| {
        // What is announced is public text.
        let is_text = |m: &[u8]| m.len() >= 8 && m.iter().all(|b| (0x20..0x7f).contains(b));
        frames.iter().map(|frame| &frame[8..]).filter(|m| !is_text(m)).flatten().copied().collect::<Vec<u8>>()
    };
    // Behind the first online phase comes the second preparation, which sends nothing that is not uniform.
    [bytes(&frames[first + 1..second]), bytes(&frames[second + 1..])]
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// How far from uniform the bytes are; short messages tell nothing.
fn deviation(bytes: &[u8]) -> f64 {
    let mut counts = [0u64; 256];
    bytes.iter().for_each(|&b| counts[usize::from(b)] += 1);
    if bytes.len() < 256 * 5 { 0.0 } else { stats::uniform(&counts) }
}

/// The largest deviation of what both parties sent, of neighbours, of both parties and of both runs; and
/// what it is of.
pub fn worst(runs: [[&[u8]; 2]; 2]) -> (f64, String) {
    let mut found = vec![];
    for (who, both) in ["P0", "P1"].into_iter().zip(&runs) {
        for (i, bytes) in both.iter().enumerate() {
            found.push((deviation(bytes), format!("bytes of {who}, run {i}")));
            for lag in [1, 2, 3, 4, 5, 8, 16, 32, 64, 512, 1024, bytes.len() / 2, bytes.len() / 4] {
                let related = xor(bytes, bytes.get(lag.max(1)..).unwrap_or_default());
                found.push((deviation(&related), format!("bytes of {who} that are {lag} apart")));
            }
        }
        found.push((deviation(&xor(both[0], both[1])), format!("both runs of {who}")));
    }
    for (a, b) in runs[0].iter().zip(runs[1]) {
        found.push((deviation(&xor(a, b)), "bytes of both parties".into()));
    }
    found.into_iter().fold((0.0, String::new()), |worst, next| if next.0 > worst.0 { next } else { worst })
}

//! Joint views of comparisons and truncations of few bits: whatever the other party's share is, all messages and the
//! own output together are distributed alike.

use crate::support::{
    pairs::id,
    relay::{Fate, relayed},
    stats,
};

use hushtable::{
    AShare, Party, Result,
    arith::{ComparePlan, DigitMethod, Millionaires, Truncation},
    net::Connection,
};
use prim::{pack::unpack, ring::low};

/// What a party sent after the barrier, as words.
fn words(frames: &[Vec<u8>], bits: u32, count: usize) -> Vec<usize> {
    let mut words = vec![0u32; count];
    let barrier = frames.iter().rposition(|frame| frame.len() == 9).expect("a barrier");
    let message: Vec<u8> = frames[barrier + 1..].iter().flat_map(|frame| frame[8..].to_vec()).collect();
    unpack(&message, bits, &mut words);
    words.into_iter().map(|w| w as usize).collect()
}

/// Both parties' *joint* views, all messages of the protocol and the own output, against those for other
/// secrets: whatever relation there is of output and messages, it is the same.
fn views(
    seed: u64,
    shares: [u64; 2],
    widths: [u32; 2],
    run: impl Fn(&mut Party, u64) -> Result<Vec<u64>> + Sync,
) -> [Vec<u64>; 2] {
    const ITEMS: usize = 1 << 13;
    let party = |connection: Connection| -> Result<Vec<u64>> {
        let mut p = Party::seeded(connection, seed, None)?;
        p.stock_cots(1 << 16, 1 << 16)?;
        let mine = shares[p.role() as usize];
        run(&mut p, mine)
    };
    let outcome = relayed(id(seed), party, party, |_, _, _| Fate::Pass);
    let outputs = [outcome.p0, outcome.p1].map(|out| out.expect("no panic").expect("an honest run"));
    let sent = [0, 1].map(|i| words(&outcome.sent[i], widths[i], ITEMS));
    outputs.map(|own| {
        let cells = 16 << (widths[0] + widths[1]);
        let mut counts = vec![0; cells];
        for (i, own) in own.iter().enumerate() {
            counts[(((sent[0][i] << widths[1]) | sent[1][i]) << 4) | *own as usize & 15] += 1;
        }
        counts
    })
}

fn assert_alike(what: &str, seed: u64, at: usize, views: impl Fn(u64, u64) -> [Vec<u64>; 2]) {
    // The other party's share is what must not show.
    let base = views(seed, 0);
    for secret in 1..4 {
        let z = stats::homogeneous(&base[at], &views(seed, secret)[at]);
        assert!(z < 5.0, "{what}: the view of P{at} tells {secret} from 0 ({z:.1} deviations)");
    }
}

#[test]
fn views_of_a_comparison_and_of_a_truncation_are_alike() {
    for at in [0, 1] {
        let shares = |secret: u64| if at == 0 { [2, secret] } else { [secret, 2] };
        assert_alike("comparison of 2 bits", 600, at, |seed, secret| {
            views(seed, shares(secret), [2, 2], |p, mine| {
                let plan = ComparePlan { method: DigitMethod::Thermometer, digit: 2 };
                let material = Millionaires::prepare(p, 2, plan, 1 << 13)?;
                p.barrier()?;
                Ok(material.less(p, &vec![mine; 1 << 13])?.iter().collect())
            })
        });
        assert_alike("truncation of 4 bits", 601, at, |seed, secret| {
            views(seed, shares(4 * secret + 1), [2, 1], |p, mine| {
                let material = Truncation::prepare(p, 4, 2, 1 << 13)?;
                p.barrier()?;
                Ok(material
                    .truncate(p, &AShare::<u64>::new(4, vec![low(mine, 4); 1 << 13]))?
                    .words()
                    .to_vec())
            })
        });
    }
}

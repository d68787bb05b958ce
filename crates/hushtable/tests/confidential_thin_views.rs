//! What lookups by ids show: nothing of the keys, nor of the table.

use crate::confidential_thin::{job, shares, table};
use crate::support::{
    pairs::{both, id, pair},
    relay::{Fate, relayed},
    stats,
    uniform::BOUND,
};

use hushtable::{
    Party, Result,
    confidential::{
        copy::Keys,
        order,
        thin::{Pace, ThinJob, ThinLookups},
    },
    net::Connection,
};

/// In as few rounds as can be.
pub const FEW: Pace = Pace { lookups: true, radix: 8, order: order::Pace { phases: 1, compare: 2 } };

/// What a batch of three keys shows, many times over: how often each order, and at the party without the table the ids.
fn seen(keys: [u128; 3], rows: u64, position: bool, pace: Pace) -> (Vec<u64>, Vec<Vec<u64>>) {
    const TIMES: usize = 300;
    let job = ThinJob { pace, ..job(Keys::All { bits: 2 }, 5) };
    let table = table(&job, &[0, 1, 2, 3], rows);
    let (owner, other) = both(pair(7, None), |p| {
        let mut all = Vec::new();
        for _ in 0..TIMES {
            let table = (p.role() == job.table.owner).then_some(&table);
            let mut material = ThinLookups::prepare(p, job, table, 3)?;
            if position {
                material = material.insecure_ties_by_position();
            }
            let x = shares(p.role(), &job, &keys);
            let (_, seen) = material.eval_seen(p, &x)?;
            all.push((seen.order, seen.ids));
        }
        Ok(all)
    });
    let mut counts = [0; 9];
    for ((order, none), (same, _)) in owner.iter().zip(&other) {
        assert!(order == same && none.is_empty());
        counts[(3 * order[0] + order[1]) as usize] += 1;
    }
    let orders = [1, 2, 3, 5, 6, 7].map(|i| counts[i]).to_vec();
    assert_eq!(orders.iter().sum::<u64>(), TIMES as u64);
    (orders, other.into_iter().map(|(_, ids)| ids).collect())
}

/// The order that is opened is uniform, and the ids are different, whichever keys are equal; and two tables show the same.
/// Longer than 10 s: orders are counted over many batches.
#[test]
fn equal_keys_are_hidden() {
    let all = [([0, 1, 2], 7), ([1, 1, 2], 8), ([2, 3, 2], 8), ([3, 3, 3], 9)];
    for ((keys, rows), pace) in all.into_iter().flat_map(|keys| [Pace::USUAL, FEW].map(|pace| (keys, pace))) {
        let (orders, ids) = seen(keys, rows, false, pace);
        let z = stats::uniform(&orders);
        assert!(z < BOUND, "the orders of {keys:?} are {orders:?} ({z:.1})");
        let mut bytes = vec![0u64; 16];
        for batch in &ids {
            let mut once = batch.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), 3, "{keys:?} has ids {batch:x?}");
            batch.iter().for_each(|id| bytes[(id >> 60) as usize] += 1);
        }
        let z = stats::uniform(&bytes);
        assert!(z < BOUND, "ids of {keys:?} ({z:.1})");
        // A key of the function serves one batch.
        let mut all: Vec<u64> = ids.into_iter().flatten().collect();
        let len = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), len, "ids of several batches");
    }
}

/// The mistake put back: with the public position in place of the secret index equal keys keep their order.
#[test]
fn ties_broken_by_position_are_seen() {
    let distinct = seen([0, 1, 2], 7, true, FEW).0;
    assert!(stats::uniform(&distinct) < BOUND, "{distinct:?}");
    for keys in [[1, 1, 2], [3, 3, 3]] {
        let orders = seen(keys, 7, true, FEW).0;
        assert!(stats::uniform(&orders) > 2.0 * BOUND, "the orders of {keys:?} are {orders:?}");
    }
}

/// All that the party without the table gets from the owner, in two runs that differ in the table and in the keys alone:
/// stores and openings are as uniform in the one as in the other.
#[test]
fn two_tables_show_the_same() {
    let view = |keys: Vec<u128>, x: [u128; 8], sparse: bool| -> Vec<u64> {
        let of =
            if sparse { Keys::Sparse { bits: 8, rows: 128, lookups: 8 } } else { Keys::Dense { bits: 8 } };
        let job = job(of, 19);
        let table = table(&job, &keys, 8);
        let run = |connection: Connection| -> Result<()> {
            let p = &mut Party::seeded(connection, 8, None)?;
            for _ in 0..8 {
                let table = (p.role() == job.table.owner).then_some(&table);
                let material = ThinLookups::prepare(p, job, table, 8)?;
                let x = shares(p.role(), &job, &x);
                material.eval(p, &x).map(drop)?;
            }
            Ok(())
        };
        let outcome = relayed(id(8), run, run, |_, _, _| Fate::Pass);
        outcome.p0.expect("no panic").expect("an honest run");
        outcome.p1.expect("no panic").expect("an honest run");
        let frames = &outcome.sent[0];
        let len = 8 + job.store_bits(8).expect("a job").div_ceil(8) as usize;
        let stores: Vec<u8> =
            frames.iter().filter(|frame| frame.len() == len).flat_map(|frame| frame[8..].to_vec()).collect();
        assert!(stores.len() > 6000, "{} bytes", stores.len());
        let mut counts = vec![0; 256];
        stores.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        assert!(stats::uniform(&counts) < BOUND, "a store of {} keys", keys.len());
        counts
    };
    for sparse in [false, true] {
        let full = view((0..128).collect(), [0, 1, 2, 3, 4, 5, 6, 7], sparse);
        let one = view(vec![255], [255; 8], sparse);
        let z = stats::homogeneous(&full, &one);
        assert!(z < BOUND, "sparse: {sparse}, {z:.1}");
    }
}

/// What the party without the table reads at the ids of keys is uniform, also the bits that no row has: else they would
/// tell which keys are there.
#[test]
fn what_is_read_does_not_tell_which_keys_are_there() {
    let job = ThinJob { distinct: true, ..job(Keys::Sparse { bits: 10, rows: 1000, lookups: 500 }, 19) };
    let keys: Vec<u128> = (0..500).collect();
    let table = table(&job, &keys, 10);
    for x in [keys.clone(), (500..1000).collect()] {
        let (_, read) = both(pair(5700, None), |p| {
            let table = (p.role() == job.table.owner).then_some(&table);
            let shares = shares(p.role(), &job, &x);
            Ok(ThinLookups::prepare(p, job, table, x.len())?.eval_seen(p, &shares)?.1.stored)
        });
        assert_eq!(read.len(), 2, "words of 73 bits");
        for shift in [0, 7, 32, 60] {
            let mut counts = [0u64; 16];
            read.iter()
                .flat_map(|words| words.iter())
                .for_each(|word| counts[(word >> shift & 15) as usize] += 1);
            let z = stats::uniform(&counts);
            assert!(z < BOUND, "bits from {shift} on at keys from {} on ({z:.1})", x[0]);
        }
    }
}

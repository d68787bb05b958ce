//! What FABLE's client is shown: ids that tell nothing of the keys.

use crate::support::{
    pairs::{both, pair, share_words},
    stats,
    uniform::BOUND,
};

use hushtable::confidential::prf::Cipher;
use hushtable_baselines::fable::{Fable, FableJob, FableTable, Rounds};

/// Lookups of a batch: as many as 256 slots serve.
const COUNT: usize = 56;

/// What the client is shown of a batch of these keys, and how many bytes both send; with repetitions, if they stay.
fn seen(keys: &[u64], repeated: bool, rounds: Rounds) -> (Vec<u64>, [u64; 2]) {
    let job = FableJob::new(hushtable::Role::P0, Cipher::LowMc, 8, 5, 128).insecure_slots(256);
    let job = job.with_rounds(rounds);
    let present: Vec<u64> = (0..128).collect();
    let table = FableTable::new(&job, &present, &[7; 128]).expect("a table");
    let (server, client) = both(pair(1540, None), |p| {
        let owned = (p.role() == job.owner).then_some(&table);
        let material = Fable::prepare(p, job, COUNT, owned)?;
        p.barrier()?;
        let x = share_words(p.role(), 8, keys, 7);
        let (ids, cost) = p.metered(|p| match repeated {
            true => material.insecure_ids_of_repeated(p, &x),
            false => material.eval_seen(p, &x).map(|(_, ids)| ids),
        })?;
        Ok((ids, [cost.sent, cost.received]))
    });
    assert!(server.0.is_none(), "only the client sees ids");
    (client.0.expect("ids of the client"), client.1)
}

/// How often each value of four bits stands in words, at each of their 16 places.
fn nibbles(ids: &[u64]) -> Vec<u64> {
    let mut counts = vec![0; 16];
    ids.iter().for_each(|id| (0..16).for_each(|place| counts[(id >> (4 * place) & 15) as usize] += 1));
    counts
}

fn different(ids: &[u64]) -> usize {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

/// The ids of a batch are all different and uniform, whether its keys are different, all alike, in pairs or absent, and as
/// many bytes go over. The server is sent ciphertexts and shares alone.
#[test]
fn a_batch_shows_nothing_of_its_keys() {
    let distinct: Vec<u64> = (0..COUNT as u64).collect();
    let pairs = distinct.iter().map(|key| key / 2).collect();
    let absent = distinct.iter().map(|key| 128 + key).collect();
    let others = [("alike", vec![3; COUNT]), ("in pairs", pairs), ("absent", absent)];
    for (rounds, others) in [(Rounds::MANY, &others[..]), (Rounds::FEW, &others[..1])] {
        let (ids, bytes) = seen(&distinct, false, rounds);
        let first = nibbles(&ids);
        assert_eq!(different(&ids), COUNT);
        for (what, keys) in others {
            let (ids, sent) = seen(keys, false, rounds);
            assert_eq!(sent, bytes, "bytes tell keys that are {what}");
            assert_eq!(different(&ids), COUNT, "keys {what}");
            let counts = nibbles(&ids);
            let (z, other) = (stats::uniform(&counts), stats::homogeneous(&counts, &first));
            assert!(z < BOUND && other < BOUND, "ids of keys that are {what}: {z:.1}, {other:.1}");
        }
        assert!(stats::uniform(&first) < BOUND, "{first:?}");
    }
}

/// The mistake put back: without the deduplication equal keys have equal ids.
#[test]
fn repeated_keys_would_be_seen() {
    let distinct: Vec<u64> = (0..COUNT as u64).collect();
    let (ids, _) = seen(&distinct, true, Rounds::MANY);
    assert_eq!(different(&ids), COUNT);
    let (ids, _) = seen(&[3; COUNT], true, Rounds::FEW);
    let z = stats::uniform(&nibbles(&ids));
    assert!(different(&ids) == 1 && z > 2.0 * BOUND, "{} ids, {z:.1}", different(&ids));
}

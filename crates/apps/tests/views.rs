//! Every message of an intersection and of a join: whatever the sets are, within their bounds, it has the same length and
//! the same distribution. A leak that is put in on purpose is seen.

use std::sync::Arc;

use crate::common::{Case, run, set};
use crate::relay::Fate;
use hushtable::{
    Party, Result, Role,
    arith::DrawnEquality,
    cuckoo::{self, Placement},
    gates::DrawnMux,
    okvs::{self, Size},
    operation::{Engine, Operation},
    oprf::{Oprf, OprfJob},
    plan::Objective,
};
use hushtable_apps::{
    circuit_psi::{CircuitPsi, Matching, Numbers},
    join::{Column, Join, Joined},
    psi::{Learns, Psi},
};
use prim::block::Block;

/// Runs of each case.
const RUNS: u64 = 12;

/// Bounds of both sets.
const SIZES: [usize; 2] = [24, 16];

/// Frames after the barrier that ends the offline phase, without headers.
fn online(seed: u64, job: impl Fn(&mut Party) -> Result<()> + Sync) -> [Vec<Vec<u8>>; 2] {
    let outcome = run(seed, job, |_, _, _| Fate::Pass);
    assert!(matches!((&outcome.p0, &outcome.p1), (Some(Ok(())), Some(Ok(())))));
    outcome.sent.each_ref().map(|frames| {
        let mark = frames.iter().position(|frame| frame[8..] == *b"online").expect("a mark");
        frames[mark + 1..].iter().map(|frame| frame[8..].to_vec()).collect()
    })
}

/// How often each half of a byte has each value, by message, over all runs of a case; and the messages' lengths.
#[derive(Default)]
struct View {
    counts: Vec<[u64; 32]>,
    lengths: Vec<usize>,
}

fn views(case: &Case, seed: u64, job: impl Fn(&mut Party, &Case) -> Result<()> + Sync) -> [View; 2] {
    let mut all = [View::default(), View::default()];
    for run in 0..RUNS {
        for (view, frames) in all.iter_mut().zip(online(seed + run, |p| job(p, case))) {
            let lengths: Vec<usize> = frames.iter().map(Vec::len).collect();
            assert!(run == 0 || lengths == view.lengths, "lengths differ from run to run");
            view.lengths = lengths;
            view.counts.resize(frames.len(), [0; 32]);
            for (counts, frame) in view.counts.iter_mut().zip(&frames) {
                for byte in frame {
                    counts[usize::from(byte >> 4)] += 1;
                    counts[16 + usize::from(byte & 15)] += 1;
                }
            }
        }
    }
    all
}

/// Sets of `n` and `m` numbers, of which the first `common` are the same.
fn sets(n: u32, m: u32, common: u32) -> Case {
    [(0..n).collect(), (0..m).map(|i| if i < common { i } else { 1000 + i }).collect()]
}

/// Of equal size and all in common or nothing; and of other sizes within the bounds.
fn cases() -> [Case; 4] {
    let [n, m] = SIZES.map(|size| size as u32);
    [sets(n, m, m), sets(n, m, 0), sets(0, m, 0), sets(n, 1, 1)]
}

/// The largest difference of the first case from the others, in deviations, over all messages of a party but those that
/// only say what is run.
fn difference(job: impl Fn(&mut Party, &Case) -> Result<()> + Sync) -> [f64; 2] {
    let all: Vec<[View; 2]> =
        cases().iter().zip(0..).map(|(case, i)| views(case, 3000 + 100 * i, &job)).collect();
    [0, 1].map(|party| {
        let first = &all[0][party];
        let others = all[1..].iter().map(|views| &views[party]);
        let of = |other: &View| {
            assert_eq!(first.lengths, other.lengths, "lengths tell more than bounds");
            let pairs = first.counts.iter().zip(&other.counts);
            let same = |(a, b): &(&[u64; 32], &[u64; 32])| a == b;
            let z = |(a, b): (&[u64; 32], &[u64; 32])| crate::stats::homogeneous(a, b);
            pairs.filter(|pair| !same(pair)).map(z).fold(0.0, f64::max)
        };
        others.map(of).fold(0.0, f64::max)
    })
}

#[test]
fn intersections() {
    for learner in [Role::P0, Role::P1] {
        let psi = Psi::new(SIZES, Learns::Only(learner)).expect("few ids");
        let found = difference(|p, case| {
            let (material, ids) = (psi.prepare(p)?, set(&case[p.role() as usize]).salted(p)?);
            p.announce("online")?;
            material.find(p, &ids)?;
            p.barrier()
        });
        assert!(found.iter().all(|&z| z < 5.5), "{learner:?} learns: {found:?}");
    }
}

/// Of the bins' circuits evaluated by products and triples: whatever matches, and however full the bins are.
#[test]
fn intersections_by_circuits() {
    for owner in [Role::P0, Role::P1] {
        let psi = CircuitPsi::new(owner, SIZES, 32, Objective::Total)
            .and_then(|psi| psi.by(1, Engine::Layers(None)));
        let psi = psi.expect("small sets");
        let found = difference(|p, case| {
            let numbers: Vec<u64> = case[p.role() as usize].iter().map(|&number| number.into()).collect();
            let numbers = Arc::new(Numbers::new(32, numbers)?);
            let material = Matching { psi: psi.clone(), numbers }.prepare(p, 1)?;
            p.announce("online")?;
            material.eval(p, &[])?;
            p.barrier()
        });
        assert!(found.iter().all(|&z| z < 5.5), "rows of {owner:?}: {found:?}");
    }
}

/// If both learn, all is the same but the bits that say what is common, which come last.
#[test]
fn intersections_for_both() {
    let psi = Psi::new(SIZES, Learns::Both).expect("few ids");
    let job = |case: Case| {
        move |p: &mut Party| {
            let (material, ids) = (psi.prepare(p)?, set(&case[p.role() as usize]).salted(p)?);
            p.announce("online")?;
            material.find(p, &ids)?;
            p.barrier()
        }
    };
    let [all, none] = [16, 0].map(|common| online(77, job(sets(24, 16, common))));
    let lengths =
        |sent: &[Vec<Vec<u8>>; 2]| sent.each_ref().map(|of| of.iter().map(Vec::len).collect::<Vec<_>>());
    assert_eq!(lengths(&all), lengths(&none));
    // P1 has fewer ids: it receives, and says which of P0's values it has.
    let said = |sent: &[Vec<Vec<u8>>; 2]| {
        let bits = &sent[1][sent[1].len() - 2];
        assert_eq!(bits.len(), 3);
        bits.iter().map(|byte| byte.count_ones()).sum::<u32>()
    };
    assert_eq!((said(&all), said(&none)), (16, 0));
}

fn joined(p: &mut Party, join: &Join, case: &Case) -> Result<Joined> {
    let rows = &case[p.role() as usize];
    let material = join.prepare(p)?;
    let ids = set(rows).salted(p)?;
    let words: Vec<u64> = rows.iter().map(|&row| row.into()).collect();
    let columns: &[&[u64]] = if p.role() == join.owner() { &[&words] } else { &[&words, &words] };
    p.announce("online")?;
    material.run(p, &ids, columns)
}

/// Longer than 10 s: messages are counted over many runs.
#[test]
fn joins() {
    for owner in [Role::P0, Role::P1] {
        let columns = [Column::additive(20), Column::bitwise(3)];
        let join = Join::new(owner, SIZES, &columns, &[13]).expect("small tables");
        let found = difference(|p, case| {
            joined(p, &join, case)?;
            p.barrier()
        });
        assert!(found.iter().all(|&z| z < 5.5), "rows of {owner:?}: {found:?}");
        // The other party learns the bins that match: that must show.
        let leaked = difference(|p, case| {
            let out = joined(p, &join, case)?;
            let mine: Vec<u8> = out.matched.words().iter().flat_map(|word| word.to_le_bytes()).collect();
            let theirs = p.exchange(mine.clone(), mine.len())?;
            if p.role() == owner {
                p.send(mine.iter().zip(&theirs).map(|(a, b)| a ^ b).collect())?;
            } else {
                p.recv(mine.len())?;
            }
            p.barrier()
        });
        assert!(leaked[owner as usize] > 20.0, "rows of {owner:?}: a leak is not seen: {leaked:?}");
    }
}

/// What the owner decodes of the hint: targets and columns of rows that match are noise, other noise in each bin. An owner
/// that could tell a target from noise would see which rows match.
#[test]
fn what_is_decoded_is_noise() {
    const ROWS: usize = 200;
    // A column that leaves bits of its word free.
    let join = Join::new(Role::P0, [ROWS; 2], &[Column::additive(20)], &[]).expect("small tables");
    let numbers: Vec<u32> = (0..ROWS as u32).collect();
    let decoded = std::sync::Mutex::new(vec![]);
    let curious = |p: &mut Party| -> Result<()> {
        let job = OprfJob { receiver: Role::P0, keys: ROWS, inputs: 3 * ROWS, blocks: 1 };
        let function = Oprf::prepare(p, job)?;
        let bits = (42 + join.bins().next_power_of_two().ilog2()).next_multiple_of(2);
        let _equality = DrawnEquality::prepare(p, Role::P1, bits, join.bins())?;
        let _mux = DrawnMux::prepare(p, Role::P0, join.bins(), [&[20], &[]])?;
        let ids = set(&numbers).salted(p)?;
        let bins = cuckoo::Hashing::new(p, Role::P0).bins(join.bins(), ids.blocks());
        let placed = Placement::new(join.bins(), &bins)?;
        let key = |(bin, row): (usize, Option<usize>)| {
            row.map(|row| Block(ids.blocks()[row].0 ^ (bin / (join.bins() / 3)) as u128))
        };
        let keys: Vec<Block> = placed.items().enumerate().filter_map(key).collect();
        let values = function.eval(p, &keys)?;
        let (with, size) = (okvs::Hashing::new(p, Role::P1), Size::of(3 * ROWS)?);
        let mut hint = vec![0u64; 2 * size.columns()];
        p.connection().channel().recv_into(bytemuck::cast_slice_mut(&mut hint))?;
        let words = okvs::decode(&with, size, &hint, 2, &keys)?;
        let masks = bytemuck::cast_slice::<Block, u64>(&values);
        *decoded.lock().expect("no panic") =
            words.iter().zip(masks).map(|(word, mask)| word ^ mask).collect();
        Ok(())
    };
    let honest = |p: &mut Party| {
        let material = join.prepare(p)?;
        let ids = set(&numbers).salted(p)?;
        material.run(p, &ids, &[&[7; ROWS]]).map(drop)
    };
    run(88, |p| if p.role() == Role::P0 { curious(p) } else { honest(p) }, |_, _, _| Fate::Pass)
        .p0
        .expect("no panic")
        .expect("the honest party's hint");
    let decoded = decoded.into_inner().expect("no panic");
    assert_eq!(decoded.len(), 2 * ROWS);
    assert_eq!(decoded.iter().collect::<std::collections::HashSet<_>>().len(), 2 * ROWS, "words repeat");
    for part in 0..2 {
        let mut counts = [0u64; 256];
        let words = decoded.iter().skip(part).step_by(2);
        words.flat_map(|word| word.to_le_bytes()).for_each(|byte| counts[usize::from(byte)] += 1);
        assert!(crate::stats::uniform(&counts) < 5.0, "{}", ["targets", "columns"][part]);
    }
}

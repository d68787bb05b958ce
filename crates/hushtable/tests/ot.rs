//! Correlated OTs of every scheme: right, uniform, never the same twice, in step at both parties.

use crate::support::pairs;
use crate::support::stats;

use std::collections::HashSet;

use hushtable::{
    Party, Result, Role,
    ot::{CotReceiver, CotSender, Scheme, params},
    reference,
};
use pairs::{both, pair};
use prim::{block::Block, prg::Prg};

type Cots = (CotSender, CotReceiver);

/// Checks both directions of what the parties took.
fn check(at_p0: &Cots, at_p1: &Cots, what: &str) {
    for ((sender, _), (_, receiver), who) in [(at_p0, at_p1, "P0"), (at_p1, at_p0, "P1")] {
        let right = reference::correlated(sender.delta(), sender.strings(), receiver.strings());
        assert!(right, "{what}, {who} sends");
    }
}

/// All of `takes`, at both parties, in turn: P0 sends the first number, P1 the second.
fn take_all(pair: (Party, Party), takes: &[(usize, usize)]) -> Vec<(Cots, Cots)> {
    let take = |p: &mut Party| -> Result<Vec<Cots>> {
        let counts = takes.iter().map(|&(a, b)| if p.role() == Role::P0 { (a, b) } else { (b, a) });
        counts.collect::<Vec<_>>().into_iter().map(|(send, recv)| p.cots(send, recv)).collect()
    };
    let (p0, p1) = hushtable::run_pair(pair, take, take).expect("an honest run");
    p0.into_iter().zip(p1).collect()
}

/// No string of a sender occurs twice, and no string of a receiver.
fn assert_distinct<'a>(batches: impl IntoIterator<Item = &'a [Block]>, what: &str) {
    let mut seen = HashSet::new();
    for x in batches.into_iter().flatten() {
        assert!(seen.insert(x.0), "{what}: a string occurs twice");
    }
}

/// Choice bits and every bit of the strings are fair, and bytes uniform. The lowest bit of `q` is
/// zero and that of `t` is the choice.
fn assert_uniform(sender: &CotSender, receiver: &CotReceiver, what: &str) {
    let count = receiver.len() as u64;
    for (strings, first) in [(sender.strings(), 1), (receiver.strings(), 0)] {
        for bit in first..128 {
            let ones = strings.iter().filter(|x| x.bit(bit)).count() as u64;
            let z = stats::uniform(&[ones, count - ones]);
            assert!(z < 25.0, "{what}: bit {bit} is 1 in {ones} of {count}");
        }
        let mut bytes = [0u64; 256];
        for x in strings {
            x.0.to_le_bytes()[1..].iter().for_each(|&b| bytes[b as usize] += 1);
        }
        assert!(stats::uniform(&bytes) < 6.0, "{what}: bytes are not uniform");
    }
    // Choice bits of neighbours are independent.
    let mut pairs = [0u64; 4];
    for t in receiver.strings().chunks_exact(2) {
        pairs[usize::from(t[0].lsb()) * 2 + usize::from(t[1].lsb())] += 1;
    }
    assert!(stats::uniform(&pairs) < 6.0, "{what}: pairs of choice bits {pairs:?}");
}

fn check_scheme(seed: u64, scheme: Scheme, takes: &[(usize, usize)]) {
    let what = format!("{scheme:?}");
    let taken = take_all(pair(seed, Some(scheme)), takes);
    let (delta_0, delta_1) = (taken[0].0.0.delta(), taken[0].1.0.delta());
    assert!(delta_0 != delta_1, "{what}: independent Deltas");
    assert!(delta_0.bit(0) && delta_1.bit(0), "{what}: bit 0 of both Deltas is 1");
    assert!(delta_0.bit(1) && !delta_1.bit(1), "{what}: bit 1 is P0's alone");
    for ((p0, p1), &(a, b)) in taken.iter().zip(takes) {
        assert_eq!((p0.0.len(), p0.1.len(), p1.0.len(), p1.1.len()), (a, b, b, a), "{what}");
        assert!(p0.0.delta() == delta_0 && p1.0.delta() == delta_1, "{what}: Deltas never change");
        check(p0, p1, &what);
    }
    assert_distinct(taken.iter().flat_map(|(p0, p1)| [p0.0.strings(), p1.0.strings()]), &what);
    assert_distinct(taken.iter().flat_map(|(p0, p1)| [p0.1.strings(), p1.1.strings()]), &what);
    let large = taken.iter().filter(|(p0, _)| p0.0.len() > 5000 && p0.1.len() > 5000);
    for (p0, p1) in large {
        assert_uniform(&p0.0, &p1.1, &what);
        assert_uniform(&p1.0, &p0.1, &what);
    }
}

#[test]
fn iknp() {
    check_scheme(20, Scheme::Iknp, &[(1, 0), (0, 1), (8191, 8192), (8193, 20_001)]);
}

#[test]
fn softspoken() {
    check_scheme(21, Scheme::SoftSpoken4, &[(1, 0), (0, 1), (8191, 8192), (50_000, 20_001)]);
    check_scheme(31, Scheme::SoftSpoken2, &[(1, 0), (126, 129), (1, 1), (8193, 20_001)]);
    check_scheme(32, Scheme::SoftSpoken8, &[(0, 1), (129, 126), (1, 1), (6001, 9000)]);
}

/// One extension of set S has 101 632 to use: the second take crosses into the next, whose seeds
/// are the first one's own. The third starts set M.
#[test]
fn ferret_from_set_s_to_m() {
    assert_eq!(params::S.usable(), 101_632);
    check_scheme(22, Scheme::Ferret, &[(90_001, 70_003), (40_000, 150_000), (5, 7), (400_000, 300_000)]);
}

#[test]
fn ferret_with_set_l() {
    check_scheme(30, Scheme::FerretLarge, &[(70_000, 40_000), (1, 100)]);
}

#[test]
fn choice_by_count() {
    let taken = take_all(pair(23, None), &[(3, 1), (40_000, 9), (9, 270_000), (270_000, 40_000)]);
    taken.iter().for_each(|(p0, p1)| check(p0, p1, "by count"));
}

/// Seeds are spent on the extension and never handed out: of what SoftSpoken makes, a session with
/// Ferret hands out all but the 23 216 seeds of set S.
#[test]
fn seeds_are_never_handed_out() {
    let made = params::S.seeds().next_multiple_of(128);
    let soft = take_all(pair(24, Some(Scheme::SoftSpoken4)), &[(made, made)]);
    let ferret = take_all(pair(24, Some(Scheme::Ferret)), &[(100_000, 100_000)]);
    let sent = |cots: &[(Cots, Cots)]| -> [HashSet<u128>; 2] {
        let strings = |c: &Cots| c.0.strings().iter().map(|q| q.0).collect();
        [strings(&cots[0].0), strings(&cots[0].1)]
    };
    for (soft, ferret) in sent(&soft).iter().zip(&sent(&ferret)) {
        let left = soft.intersection(ferret).count();
        assert_eq!(left, soft.len() - params::S.seeds());
    }
}

#[test]
fn lanes_share_the_deltas_and_nothing_else() {
    lanes(25, None, 0);
}

/// From seeds of the running one, each of its own.
#[test]
fn lanes_go_on_with_a_running_ferret() {
    lanes(31, Some(Scheme::Ferret), 40_000);
}

fn lanes(seed: u64, scheme: Option<Scheme>, prepared: usize) {
    let (p0, p1) = both(pair(seed, scheme), |p| {
        p.prepare_ot(prepared, prepared)?;
        let mut lanes = p.fork(3)?;
        lanes.extend(p.fork(1)?);
        let mut taken = vec![p.cots(6000, 6000)?];
        for lane in &mut lanes {
            taken.push(lane.cots(6000, 6000)?);
        }
        taken.push(p.cots(6000, 6000)?);
        let ids: Vec<[u8; 32]> = lanes.iter().map(|lane| lane.id()).collect();
        Ok((taken, ids))
    });
    for (p0, p1) in p0.0.iter().zip(&p1.0) {
        check(p0, p1, "a lane");
        assert!(p0.0.delta() != p1.0.delta());
        assert_uniform(&p0.0, &p1.1, "a lane");
    }
    let first = p0.0[0].0.delta();
    assert!(p0.0.iter().all(|c| c.0.delta() == first), "one Delta for all lanes");
    assert_distinct(p0.0.iter().chain(&p1.0).map(|c| c.0.strings()), "lanes");
    assert_distinct(p0.0.iter().chain(&p1.0).map(|c| c.1.strings()), "lanes");
    assert_eq!(p0.1, p1.1, "both parties' lanes pair up");
    let ids: HashSet<[u8; 32]> = p0.1.into_iter().collect();
    assert_eq!(ids.len(), 4, "each lane has its own session id, and so its own keys");
}

/// Both stocks stay in step however the takes are cut, for every scheme.
#[test]
fn any_sequence_of_takes_stays_in_step() {
    let mut rng = Prg::new(Block(26));
    for scheme in
        [None, Some(Scheme::Iknp), Some(Scheme::SoftSpoken4), Some(Scheme::SoftSpoken2), Some(Scheme::Ferret)]
    {
        // Sizes from all magnitudes, zero among them.
        let mut size = || (rng.u64() >> (50 + rng.u64() % 14)) as usize;
        let takes: Vec<(usize, usize)> = (0..60).map(|_| (size(), size())).collect();
        let taken = take_all(pair(26, scheme), &takes);
        for ((p0, p1), take) in taken.iter().zip(&takes) {
            check(p0, p1, &format!("{scheme:?}, {take:?} in {takes:?}"));
        }
        assert_distinct(taken.iter().flat_map(|(p0, p1)| [p0.0.strings(), p1.0.strings()]), "takes");
    }
}

/// Cutting a batch into pieces hands every string out once.
#[test]
fn pieces_of_a_batch_are_the_batch() {
    let taken = take_all(pair(27, None), &[(1000, 1000)]);
    let ((mut sender, _), (_, mut receiver)) = taken.into_iter().next().expect("one take");
    let all: HashSet<u128> = sender.strings().iter().map(|q| q.0).collect();
    let mut pieces = Vec::new();
    for size in [0, 1, 499, 300, 200] {
        let (q, t) = (sender.take(size).unwrap(), receiver.take(size).unwrap());
        assert!(reference::correlated(q.delta(), q.strings(), t.strings()));
        pieces.extend(q.strings().iter().map(|q| q.0));
    }
    assert!(sender.is_empty() && receiver.is_empty());
    assert_eq!(pieces.len(), 1000);
    assert_eq!(pieces.into_iter().collect::<HashSet<_>>(), all);
}

/// Another session, another everything.
#[test]
fn sessions_do_not_repeat() {
    let take = |seed| take_all(pair(seed, None), &[(100, 100)]);
    let (a, b, again) = (take(28), take(29), take(28));
    let strings = |c: &[(Cots, Cots)]| c[0].0.0.strings().to_vec();
    assert!(strings(&a) == strings(&again), "a seed gives one session");
    assert_distinct([&strings(&a)[..], &strings(&b)[..]], "two sessions");
    assert!(a[0].0.0.delta() != b[0].0.0.delta() && a[0].1.0.delta() != b[0].1.0.delta());
}

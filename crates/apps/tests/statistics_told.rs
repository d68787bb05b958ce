//! What statistics tell: of groups that are large enough, with noise, and only if both parties ask for the same.

use crate::common::faults;
use crate::shares::{bits, both, signed, told, values, words};
use crate::statistics::cut;
use hushtable::{
    AShare, Error, Party, Result, Role,
    gates::Bits,
    operation::Operation,
    run::{self, Outcome, Ready, Reveal, Unwatched},
    run_pair,
};
use hushtable_apps::statistics::{End, Extreme, Group, GroupNoise, GroupShape, Laplace, Matches, Quantile};

/// One party's shares of three groups of 2, 5 and no members of 8 bins, with 10, 11, 12 .. in a column.
fn three_groups(role: Role) -> (Vec<Bits>, AShare<u64>) {
    let sizes = [0..2, 2..7, 7..7];
    let members = (0..).zip(sizes).map(|(i, of)| bits(role, (0..8).map(|bin| of.contains(&bin)), 30 + i));
    (members.collect(), words(role, 30, &(10..18).collect::<Vec<i64>>(), 40))
}

fn three(least: u32, noise: Option<GroupNoise>) -> GroupShape {
    GroupShape { bins: 8, groups: 3, widths: vec![30], least, noise }
}

fn three_told(p: &mut Party, shape: &GroupShape) -> Result<Vec<Group>> {
    let (groups, column) = three_groups(p.role());
    Ok(told(p, shape, &groups, &[&column], Reveal::Both)?.expect("to both"))
}

/// Counts and sums get noise of both parties, another number each; and a count below 0 is one.
#[test]
fn groups_with_noise() {
    let laplace = |eps, of| Laplace::new(eps, of).expect("a rate");
    let noise = GroupNoise { counts: laplace(0.01, 1.0), sums: vec![laplace(0.01, 20.0)] };
    let exact = both(|p| three_told(p, &three(0, None)));
    assert_eq!(exact.iter().map(|g| (g.count, g.sums[0])).collect::<Vec<_>>(), [(2, 21), (5, 70), (0, 0)]);
    let (mut counts, mut sums) = (vec![], vec![]);
    for seed in 50..58 {
        let job = |p: &mut Party| three_told(p, &three(0, Some(noise.clone())));
        let (found, other) = run_pair(Party::pair_seeded(seed).expect("a pair"), job, job).expect("a run");
        assert_eq!(found, other);
        for (noisy, exact) in found.iter().zip(&exact) {
            counts.push(noisy.count - exact.count);
            sums.push(signed(noisy.sums[0], 30) - exact.sums[0] as i64);
        }
    }
    // Of standard deviation 200 and 4000.
    assert!(counts.iter().any(|x| *x < -10) && counts.iter().all(|x| x.abs() < 5000), "{counts:?}");
    assert!(sums.iter().filter(|x| x.abs() > 100).count() > 16, "{sums:?}");
    assert!(sums.iter().all(|x| x.abs() < 100_000), "{sums:?}");
    // With a threshold that none but noise reaches.
    let noisy = both(|p| three_told(p, &three(1000, Some(noise.clone()))));
    assert!(noisy.iter().all(|group| group.count >= 1000), "{noisy:?}");
}

/// The noise that is opened is that of both parties, and as large as the largest value of each column asks for: its
/// variance is, over many groups. Noise of one party alone would have half of it, and that for a sensitivity of 1 almost
/// nothing.
#[test]
fn noise_is_that_of_both_parties_and_of_the_largest_value() {
    let laplace = |eps, of| Laplace::new(eps, of).expect("a rate");
    let noise = GroupNoise { counts: laplace(0.05, 1.0), sums: vec![laplace(0.1, 20.0), laplace(0.02, 1.0)] };
    let (groups, first) = (64, 900u64);
    let shape = GroupShape { bins: 1, groups, widths: vec![30, 40], least: 0, noise: Some(noise.clone()) };
    let runs = if std::env::var_os("LONG").is_some() { 200u64 } else { 12 };
    for to in [Reveal::Both, Reveal::Only(Role::P0), Reveal::Only(Role::P1)] {
        let mut squares = [0.0; 3];
        for seed in first..first + runs {
            let job = |p: &mut Party| {
                let none: Vec<Bits> =
                    (0..groups).map(|_| bits(p.role(), [false].into_iter(), seed.into())).collect();
                let columns = [30, 40].map(|width| words(p.role(), width, &[0], seed.into()));
                told(p, &shape, &none, &columns.each_ref(), to)
            };
            let (p0, p1) = run_pair(Party::pair_seeded(seed).expect("a pair"), job, job).expect("a run");
            for group in p0.or(p1).expect("one of them") {
                let found = [group.count, signed(group.sums[0], 30), signed(group.sums[1], 40)];
                squares.iter_mut().zip(found).for_each(|(sum, x)| *sum += (x as f64).powi(2));
            }
        }
        let samples = (groups as u64 * runs) as f64;
        for (of, sum) in [&noise.counts, &noise.sums[0], &noise.sums[1]].into_iter().zip(squares) {
            // A sum of two has a kurtosis of 4.5, so this estimate a deviation of 7 % in the short run.
            let share = sum / samples / (2.0 * of.variance());
            assert!(
                (0.7..1.3).contains(&share),
                "{share} of the noise of both, {of:?}, to {to:?}, seeds from {first}"
            );
        }
    }
}

/// Each party's share changes by noise of its own: the other could take off what it knows.
#[test]
fn both_parties_add() {
    let laplace = Laplace::new(0.01, 1.0).expect("a rate");
    let shares = both(|p| {
        let mine = AShare::<u64>::new(40, vec![0; 64]);
        let noisy = laplace.add(p, &mine);
        let first = p.role() == Role::P0;
        let changed = noisy.words().iter().filter(|word| **word != 0).count() as u64;
        p.open(&AShare::<u64>::new(40, if first { vec![changed, 0] } else { vec![0, changed] }))
    });
    assert!(shares.iter().all(|&changed| changed > 48), "{shares:?} of 64 numbers, at P0 and P1");
}

/// What is sent by opening is the same for a group of none and for one of less than the least size.
#[test]
fn small_groups_open_like_empty_ones() {
    let cost = |members: usize| {
        both(|p| {
            let shape = GroupShape { bins: 8, groups: 1, widths: vec![30], least: 4, noise: None };
            let group = bits(p.role(), (0..8).map(|bin| bin < members), 30);
            let column = words(p.role(), 30, &[3; 8], 40);
            let operands: &[&[u64]] = &[&group.to_wide(), column.words()];
            let shares = run::shares(&shape, p, Ready::default(), operands, &Unwatched)?;
            let gives = shape.signature().gives;
            let (opened, cost) = p.metered(|p| Reveal::Both.open(p, &gives, shares))?;
            let opened: Vec<Vec<i64>> = opened.into_iter().filter_map(Outcome::values).collect();
            assert!(members >= 4 || opened[1..].iter().all(Vec::is_empty), "{opened:?}");
            assert_eq!(Group::all(&shape, opened).len(), usize::from(members >= 4));
            Ok((cost.sent, cost.received, cost.rounds))
        })
    };
    let empty = cost(0);
    (1..4).for_each(|members| assert_eq!(cost(members), empty, "{members} members"));
    let four = cost(4);
    assert!(four.0 > empty.0 && four.2 == empty.2 + 1, "{four:?} of a group that is opened, {empty:?}");
}

/// A least size, noise, cuts or a share that the peer does not have: both parties end, and nothing is opened.
#[test]
fn other_questions_than_the_peer_s_are_refused() {
    let ends = |at_p0: &(dyn Fn(&mut Party) -> Result<()> + Sync),
                at_p1: &(dyn Fn(&mut Party) -> Result<()> + Sync)| {
        let said = std::sync::Mutex::new(Vec::new());
        let job = |p: &mut Party| {
            p.stock_cots(2000, 2000)?; // so that nothing of the peer's is waited for offline
            let end = if p.role() == Role::P0 { at_p0(p) } else { at_p1(p) };
            said.lock().expect("no panic").push(end);
            Ok(())
        };
        run_pair(Party::pair_seeded(60).expect("a pair"), job, job).expect("both end");
        for end in said.into_inner().expect("no panic") {
            assert!(matches!(end, Err(Error::Handshake { .. })), "{end:?}");
        }
    };
    let noise = |eps| {
        let laplace = || Laplace::new(eps, 1.0).expect("a rate");
        Some(GroupNoise { counts: laplace(), sums: vec![laplace()] })
    };
    for (ours, theirs) in [
        (three(4, None), three(3, None)),
        (three(4, None), three(0, None)),
        (three(0, None), three(0, noise(1.0))),
        (three(4, noise(1.0)), three(4, noise(2.0))),
    ] {
        ends(&|p| three_told(p, &ours).map(drop), &|p| three_told(p, &theirs).map(drop));
    }
    let quantile = Quantile { bins: 8, bits: 16, cuts: vec![1, 2], share: (1, 2), least: 2 };
    for other in [
        Quantile { least: 3, ..quantile.clone() },
        Quantile { least: 0, ..quantile.clone() },
        Quantile { cuts: vec![1, 3], ..quantile.clone() },
        Quantile { share: (1, 3), ..quantile.clone() },
    ] {
        let find = |p: &mut Party, quantile: &Quantile| {
            let (bits, column) = (Bits::new(8, vec![0]), AShare::<u64>::new(16, vec![0; 8]));
            cut(p, quantile, &bits, &column).map(drop)
        };
        ends(&|p| find(p, &quantile), &|p| find(p, &other));
    }
}

/// A quantile of fewer numbers than the least size looks like that of none.
#[test]
fn quantiles_of_enough_numbers() {
    let quantile = Quantile { bins: 8, bits: 16, cuts: vec![-5, 5, 15], share: (1, 2), least: 4 };
    let found = |matches: usize| {
        both(|p| {
            let matched = bits(p.role(), (0..8).map(|bin| bin < matches), 30);
            let numbers: Vec<i64> = (0..8).map(|bin| if bin < matches { 7 } else { 0 }).collect();
            let column = words(p.role(), 16, &numbers, 40);
            let (found, cost) = p.metered(|p| cut(p, &quantile, &matched, &column))?;
            Ok((found, cost.sent + cost.received, cost.rounds))
        })
    };
    let none = found(0);
    assert_eq!(none.0, None);
    (1..4).for_each(|matches| assert_eq!(found(matches), none, "{matches} matches"));
    (4..9).for_each(|matches| assert_eq!(found(matches).0, Some(15), "{matches} matches"));
}

/// A stream that ends, garbage and wrong lengths at each message: an error, or wrong values, and never a panic.
/// Longer than 10 s: a session with base OTs for each message.
#[test]
fn faults_end_it() {
    faults(|p| three_told(p, &three(2, None)).and_then(|_| p.barrier()));
    let quantile = Quantile { bins: 8, bits: 16, cuts: vec![-5, 5], share: (1, 2), least: 2 };
    faults(|p| {
        let (bits, column) = (Bits::new(8, vec![0]), AShare::<u64>::new(16, vec![0; 8]));
        cut(p, &quantile, &bits, &column)?;
        p.barrier()
    });
    faults(|p| {
        let none: &[&[u64]] = &[&[0; 8], &[0; 8]];
        values(p, &Extreme { end: End::Greatest, bits: 16, bins: 8 }, none)?;
        values(p, &Matches { bins: 8 }, &none[..1])?;
        p.barrier()
    });
}

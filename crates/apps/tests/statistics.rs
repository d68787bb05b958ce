//! Statistics of shared columns beside those of plain ones, what is opened, and what they cost.

use crate::billed::check_parts;
use crate::shares::{bits, both, done, signed, told, values, words};
use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{CompareDomain, CompareJob, Objective, VectorMaximum},
    gates::{B2a, Bits},
    net::LinkShape,
    operation::{Multiply, Operation},
    ot::Setting,
    run::{self, Job, Outcome, Ready, Reveal, Unwatched},
    run_pair,
    session::Session,
};
use hushtable_apps::statistics::{
    CutGroups, End, Extreme, Group, GroupNoise, GroupShape, Laplace, MAX_LEAST, Matches, Moments, Quantile,
};
use prim::{block::Block, prg::Prg};

const BINS: usize = 64;

/// Matches and signed numbers.
struct Data {
    matched: Vec<bool>,
    numbers: Vec<i64>,
}

fn data(seed: u128, matches: u64) -> Data {
    let mut words = vec![0u64; 2 * BINS];
    Prg::new(Block(seed)).words(64, &mut words);
    let matched: Vec<bool> = words[..BINS].iter().map(|w| w % 8 < matches).collect();
    let masked = |i: usize, w: &u64| if matched[i] { (w % 2001) as i64 - 1000 } else { 0 };
    let numbers = words[BINS..].iter().enumerate().map(|(i, w)| masked(i, w)).collect();
    Data { numbers, matched }
}

#[test]
fn counts_sums_and_moments() {
    for matches in [0, 1, 4, 8] {
        let data = data(1, matches);
        let n = data.matched.iter().filter(|m| **m).count() as i64;
        let found = both(|p| {
            let matched = bits(p.role(), data.matched.iter().copied(), 2);
            let x = words(p.role(), 40, &data.numbers, 3);
            let count = values(p, &Matches { bins: BINS }, &[&matched.to_wide()])?;
            let multiply = Multiply { bits: 40, objective: Objective::Total };
            let squares = &[x.words(), x.words()];
            let squares = run::shares(&multiply, p, Ready::default(), squares, &Unwatched)?.remove(0);
            let squares = AShare::new(40, squares.to_vec());
            let shape = GroupShape { bins: BINS, groups: 1, widths: vec![40; 2], least: 0, noise: None };
            let all = told(p, &shape, &[matched], &[&x, &squares], Reveal::Both)?.expect("to both").remove(0);
            Ok((count, all.count, signed(all.sums[0], 40), signed(all.sums[1], 40)))
        });
        let plain: Vec<i64> =
            data.numbers.iter().zip(&data.matched).filter(|(_, m)| **m).map(|(x, _)| *x).collect();
        let (total, squares) = (plain.iter().sum::<i64>(), plain.iter().map(|x| x * x).sum::<i64>());
        assert_eq!(found, (vec![n], n, total, squares));
        let moments = Moments::of(n as u64, [total; 2], squares);
        assert_eq!(moments.is_some(), n > 0);
        if let Some(Moments { means, covariance }) = moments {
            let mean = total as f64 / n as f64;
            let variance = plain.iter().map(|x| (*x as f64 - mean).powi(2)).sum::<f64>() / n as f64;
            assert!(
                (means[1] - mean).abs() < 1e-9 && (covariance - variance).abs() < 1e-6 * variance.max(1.0)
            );
        }
    }
}

/// At random points, and where cuts bend: a number that is a cut, and one below.
#[test]
fn groups_between_cuts() {
    let mut rng = Prg::new(Block(0x9c));
    for _ in 0..20 {
        let width = 8 + rng.below(50);
        let limit = 1i64 << (width - 3);
        let any = |rng: &mut Prg| (rng.below(1 << 31) as i64) % (2 * limit) - limit;
        let mut cuts: Vec<i64> = (0..1 + rng.below(9)).map(|_| any(&mut rng)).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut numbers: Vec<i64> = cuts.iter().flat_map(|&cut| [cut, cut - 1]).collect();
        numbers.extend((0..30).map(|_| any(&mut rng)));
        let matched: Vec<bool> = numbers.iter().map(|_| rng.below(4) > 0).collect();
        let groups = CutGroups::new(width, cuts.clone()).expect("few cuts");
        let lanes = 1 + rng.below(3) as usize;
        let found = both(|p| {
            let matches: Vec<u64> = bits(p.role(), matched.iter().copied(), 3).iter().collect();
            let x = words(p.role(), width, &numbers, 4);
            let mut lanes = p.fork(lanes)?;
            let job = Job::new(&groups).on(&matches).on(x.words()).reveal(Reveal::Both);
            Ok(job.run_in(&mut lanes)?.values().expect("both get them"))
        });
        for ((x, matched), found) in numbers.iter().zip(&matched).zip(found) {
            let group = cuts.iter().filter(|cut| x >= cut).count();
            let bits = found as u64 & ((2 << cuts.len()) - 1);
            assert_eq!(bits, if *matched { 1 << group } else { 0 }, "{x} of {cuts:?}");
        }
    }
}

/// Of a group that is too small neither count nor sum is opened, to either party.
#[test]
fn groups_that_are_large_enough() {
    let mut rng = Prg::new(Block(0x9d));
    for least in [0, 1, 2, 3, 9] {
        for to in [Reveal::Both, Reveal::Only(Role::P0), Reveal::Only(Role::P1)] {
            let of: Vec<usize> = (0..40).map(|_| (rng.below(8) * rng.below(8) / 8) as usize).collect();
            let numbers: Vec<i64> = (0..40).map(|_| rng.below(2000) as i64 - 1000).collect();
            let shape = GroupShape { bins: 40, groups: 6, widths: vec![24, 16], least, noise: None };
            let party = |p: &mut Party| -> Result<Vec<Outcome>> {
                let first = p.role() == Role::P0;
                let members: Vec<u64> = of
                    .iter()
                    .enumerate()
                    .map(|(i, g)| if first { i as u64 } else { i as u64 ^ (1 << g) })
                    .collect();
                let [x, y] = [24, 16].map(|width| words(p.role(), width, &numbers, 5));
                done(p, &shape, &[&members, x.words(), y.words()], to)
            };
            let (p0, p1) = run_pair(Party::pair_seeded(75).unwrap(), party, party).unwrap();
            let want: Vec<Group> = (0..6)
                .map(|group| {
                    let rows: Vec<usize> = (0..40).filter(|&i| of[i] == group).collect();
                    let sum: i64 = rows.iter().map(|&i| numbers[i]).sum();
                    let sums = vec![sum as u64 & 0xff_ffff, sum as u64 & 0xffff];
                    Group { group, count: rows.len() as i64, sums }
                })
                .filter(|group| group.count >= i64::from(least))
                .collect();
            for (role, outcomes) in [(Role::P0, p0), (Role::P1, p1)] {
                let values: Option<Vec<Vec<i64>>> = outcomes.into_iter().map(Outcome::values).collect();
                assert_eq!(values.is_some(), to.reaches(role));
                let Some(values) = values else { continue };
                // The columns have no more than what may be told.
                let told = want.len().max(if least < 2 { 6 } else { 0 });
                assert!(values.iter().skip(usize::from(least > 1)).all(|column| column.len() == told));
                assert_eq!(Group::all(&shape, values), want, "least {least}, {to:?}");
            }
        }
    }
}

/// The cut that both parties see.
pub fn cut(p: &mut Party, quantile: &Quantile, matched: &Bits, column: &AShare<u64>) -> Result<Option<i64>> {
    Ok(quantile.cut(&values(p, quantile, &[&matched.to_wide(), column.words()])?))
}

#[test]
fn ends_and_quantiles() {
    for (seed, matches) in [(8, 0), (9, 1), (10, 5), (11, 8)] {
        let data = data(seed, matches);
        let mut plain: Vec<i64> =
            data.numbers.iter().zip(&data.matched).filter(|(_, m)| **m).map(|(x, _)| *x).collect();
        plain.sort_unstable();
        let ends = both(|p| {
            let matched = bits(p.role(), data.matched.iter().copied(), 2);
            let x = words(p.role(), 16, &data.numbers, 3);
            let mut found = Vec::new();
            for end in [End::Least, End::Greatest] {
                let asked = Extreme { end, bits: 16, bins: BINS };
                found.extend(values(p, &asked, &[&matched.to_wide(), x.words()])?);
            }
            Ok(found)
        });
        let none = [1 << 14, -(1 << 14)];
        assert_eq!(ends, [plain.first().unwrap_or(&none[0]), plain.last().unwrap_or(&none[1])].map(|x| *x));
        for share in [(1, 2), (1, 10), (9, 10), (1, 1)] {
            let cuts = (-4..=4).map(|i| 200 * i + 7).collect();
            let quantile = Quantile { bins: BINS, bits: 16, cuts, share, least: 0 };
            let found = both(|p| {
                let matched = bits(p.role(), data.matched.iter().copied(), 2);
                let x = words(p.role(), 16, &data.numbers, 3);
                cut(p, &quantile, &matched, &x)
            });
            let reached = |cut: &i64| {
                let below = plain.iter().filter(|x| **x < *cut).count();
                below * share.1 as usize >= plain.len() * share.0 as usize
            };
            assert_eq!(found, quantile.cuts.iter().copied().find(reached), "{share:?}");
        }
    }
}

/// Noise has the mean and the variance of its distribution, and both parties add one.
#[test]
fn noise() {
    let (mut s, _peer) = Session::pair_seeded(12, LinkShape::LOOPBACK);
    for (eps, sensitivity) in [(1.0, 1.0), (0.1, 2.0), (3.0, 1.0)] {
        let laplace = Laplace::new(eps, sensitivity).expect("a rate");
        let samples: Vec<f64> = (0..20_000).map(|_| laplace.sample(&mut s) as f64).collect();
        let mean = samples.iter().sum::<f64>() / 2e4;
        let variance = samples.iter().map(|x| x * x).sum::<f64>() / 2e4;
        let q = (-eps / sensitivity).exp();
        let wanted = 2.0 * q / (1.0 - q).powi(2);
        assert!((variance / wanted - 1.0).abs() < 0.1, "{variance} against {wanted}");
        assert!(mean.abs() < 5.0 * (wanted / 2e4).sqrt());
        let zeros = samples.iter().filter(|x| **x == 0.0).count() as f64 / 2e4;
        assert!((zeros - (1.0 - q) / (1.0 + q)).abs() < 0.02, "{zeros}");
    }
    let noisy = run_pair(
        Party::pair_seeded(13).expect("a pair"),
        |p| {
            let laplace = Laplace::new(0.01, 1.0)?;
            let mine = laplace.add(p, &AShare::<u64>::new(32, vec![1000; 50]));
            Ok((p.open(&mine)?, mine.words().to_vec()))
        },
        |p| {
            let laplace = Laplace::new(0.01, 1.0)?;
            let mine = laplace.add(p, &AShare::<u64>::new(32, vec![0; 50]));
            Ok((p.open(&mine)?, mine.words().to_vec()))
        },
    );
    let ((opened, first), (_, second)) = noisy.expect("an honest run");
    assert!(
        first.iter().any(|w| *w != 1000)
            && second.iter().any(|w| *w != 0)
            && opened.iter().any(|w| *w != 1000)
    );
    assert!(
        Laplace::new(0.0, 1.0).is_err()
            && Laplace::new(1.0, 0.0).is_err()
            && Laplace::new(f64::NAN, 1.0).is_err()
    );
}

#[test]
fn bills() {
    let check = |operation: &dyn Operation, filled: u64| {
        check_parts(
            &format!("{}, {:?}", operation.name(), operation.fields()),
            operation.bill(1, &Setting::default()).expect("a bill"),
            filled,
            |p| operation.prepare(p, 1),
            |s, m| {
                let takes = operation.signature().takes;
                let words: Vec<Vec<u64>> = takes.iter().map(|port| vec![1; port.words]).collect();
                m.eval(s, &words.iter().map(Vec::as_slice).collect::<Vec<_>>()).map(drop)
            },
        );
    };
    check(&Matches { bins: BINS }, 0);
    for least in [0, 2] {
        check(&GroupShape { bins: BINS, groups: 8, widths: vec![30, 16], least, noise: None }, 0);
    }
    // Levels of fewer than 8 pairs fill up bytes: the parts' own tests have them to the bit.
    let extreme = Extreme { end: End::Least, bits: 16, bins: BINS };
    let maximum = CompareJob::new(16, CompareDomain::Near, Objective::Total).expect("a job");
    assert_eq!(
        extreme.bill(1, &Setting::default()).expect("a bill"),
        B2a::bill(16).times(BINS) + VectorMaximum::bill(&maximum, BINS, false).expect("a bill")
    );
    // 8 comparisons of counts fill bytes, but not ANDs of 7 cuts.
    for (least, cuts, filled) in [(0, 0..8, 0), (2, 1..8, 2)] {
        check(&Quantile { bins: BINS, bits: 16, cuts: cuts.collect(), share: (1, 2), least }, filled);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let job = |p: &mut Party| {
        let shape = |groups, least| GroupShape { bins: 3, groups, widths: vec![8], least, noise: None };
        let laplace = || Laplace::new(1.0, 1.0).expect("a rate");
        for shape in [
            shape(0, 0),
            shape(65, 0),
            shape(1, MAX_LEAST + 1),
            shape(1, (1 << 31) + 1),
            shape(1, u32::MAX),
            GroupShape { bins: 0, ..shape(1, 0) },
            // Counts with noise, sums without.
            GroupShape { noise: Some(GroupNoise { counts: laplace(), sums: vec![] }), ..shape(1, 0) },
        ] {
            assert!(matches!(shape.check(), Err(Error::Param { .. })), "{shape:?}");
            assert!(matches!(shape.prepare(p, 1), Err(Error::Param { .. })));
        }
        let range = shape(1, MAX_LEAST + 1).check().expect_err("refused").to_string();
        assert!(range.contains("accepted: 0 to 1073741824"), "{range}");
        for (cuts, share, least) in [
            (vec![], (1, 2), 0),
            (vec![2, 1], (1, 2), 0),
            (vec![1 << 14], (1, 2), 0),
            (vec![-(1 << 14)], (1, 2), 0),
            (vec![1], (0, 1), 0),
            (vec![1], (3, 2), 0),
            (vec![1], (1, 2), MAX_LEAST + 1),
        ] {
            let quantile = Quantile { bins: 3, bits: 16, cuts, share, least };
            assert!(matches!(quantile.prepare(p, 1), Err(Error::Param { .. })), "{quantile:?}");
        }
        for (bits, bins) in [(3, 3), (65, 3), (16, 0)] {
            let extreme = Extreme { end: End::Least, bits, bins };
            assert!(matches!(extreme.prepare(p, 1), Err(Error::Param { .. })), "{extreme:?}");
        }
        Ok(())
    };
    run_pair(Party::pair_seeded(14).expect("a pair"), job, job).expect("refused before anything is sent");
}

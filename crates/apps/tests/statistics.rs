//! Statistics of shared columns beside those of plain ones, what is opened, and what they cost.

use crate::billed::check_parts;
use crate::shares::{bits, both, signed, words};
use hushtable::{
    AShare, Error, Party, Result,
    arith::{CompareDomain, CompareJob, Objective, VectorMaximum},
    gates::{B2a, Bits},
    net::LinkShape,
    run::{Job, Reveal},
    run_pair,
    session::Session,
};
use hushtable_apps::statistics::{
    Count, End, Extremes, Group, GroupNoise, GroupShape, Groups, Laplace, MAX_LEAST, Moments, ProductSum,
    Quantile, QuantileOf, sum,
};
use prim::{block::Block, prg::Prg, ring::low};

const BINS: usize = 64;

/// Matches, signed numbers and group numbers.
struct Data {
    matched: Vec<bool>,
    numbers: Vec<i64>,
    groups: Vec<usize>,
}

fn data(seed: u128, matches: u64) -> Data {
    let mut words = vec![0u64; 3 * BINS];
    Prg::new(Block(seed)).words(64, &mut words);
    let matched: Vec<bool> = words[..BINS].iter().map(|w| w % 8 < matches).collect();
    let masked = |i: usize, w: &u64| if matched[i] { (w % 2001) as i64 - 1000 } else { 0 };
    let numbers = words[BINS..2 * BINS].iter().enumerate().map(|(i, w)| masked(i, w)).collect();
    Data { numbers, groups: words[2 * BINS..].iter().map(|w| (w % 5) as usize % 4).collect(), matched }
}

#[test]
fn counts_sums_and_moments() {
    for matches in [0, 1, 4, 8] {
        let data = data(1, matches);
        let (n, got) = (
            data.matched.iter().filter(|m| **m).count() as u64,
            both(|p| {
                let matched = bits(p.role(), data.matched.iter().copied(), 2);
                let x = words(p.role(), 40, &data.numbers, 3);
                let count = Count::prepare(p, BINS)?.count(p, &matched)?;
                let squares = ProductSum::prepare(p, 40, BINS)?.sum(p, &x, &x)?;
                Ok([p.open(&count)?[0], p.open(&sum(&x))?[0], p.open(&squares)?[0]])
            }),
        );
        let plain: Vec<i64> =
            data.numbers.iter().zip(&data.matched).filter(|(_, m)| **m).map(|(x, _)| *x).collect();
        let (total, squares) = (plain.iter().sum::<i64>(), plain.iter().map(|x| x * x).sum::<i64>());
        assert_eq!([got[0] as i64, signed(got[1], 40), signed(got[2], 40)], [n as i64, total, squares]);
        let moments = Moments::of(n, [total; 2], squares);
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

/// Small groups are left out as empty ones are; large ones come with count and sum.
#[test]
fn groups_that_are_large_enough() {
    let data = data(5, 6);
    let plain = |least: i64| {
        let group = |group| {
            let members = (0..BINS).filter(|&i| data.matched[i] && data.groups[i] == group);
            let numbers: Vec<i64> = members.map(|i| data.numbers[i]).collect();
            Group {
                group,
                count: numbers.len() as i64,
                sums: vec![low(numbers.iter().sum::<i64>() as u64, 30)],
            }
        };
        (0..5).map(group).filter(|g| g.count >= least).collect::<Vec<_>>()
    };
    for least in [0, 1, 2, 12, 64] {
        let shape = GroupShape { bins: BINS, groups: 5, widths: vec![30], least, noise: None };
        let found = both(|p| {
            let role = p.role();
            let member = |group| {
                let bit = data.groups.iter().zip(&data.matched).map(move |(g, m)| *m && *g == group);
                bits(role, bit, 10 + group as u128)
            };
            let groups: Vec<Bits> = (0..5).map(member).collect();
            let x = words(role, 30, &data.numbers, 6);
            Groups::prepare(p, shape.clone())?.add_up(p, &groups, &[&x])?.open(p)
        });
        assert_eq!(found, plain(least.into()), "at least {least}");
    }
    assert_eq!(plain(0).len(), 5);
    assert!(plain(12).len() < plain(2).len() && !plain(12).is_empty(), "a least size that separates them");
}

/// The cut that both parties see.
pub fn cut(p: &mut Party, quantile: &Quantile, matched: &Bits, column: &AShare<u64>) -> Result<Option<i64>> {
    let asked = QuantileOf { quantile: quantile.clone(), bins: matched.len() };
    let matched: Vec<u64> = matched.iter().collect();
    let done = Job::new(&asked).on(&matched).on(column.words()).reveal(Reveal::Both).run(p)?;
    Ok(quantile.cut(&done.values().expect("both get them")))
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
                let share = Extremes::prepare(p, 16, BINS)?.find(p, end, &matched, &x)?;
                found.push(signed(p.open(&share)?[0], 16));
            }
            Ok(found)
        });
        let none = [1 << 14, -(1 << 14)];
        assert_eq!(ends, [plain.first().unwrap_or(&none[0]), plain.last().unwrap_or(&none[1])].map(|x| *x));
        for share in [(1, 2), (1, 10), (9, 10), (1, 1)] {
            let quantile =
                Quantile { bits: 16, cuts: (-4..=4).map(|i| 200 * i + 7).collect(), share, least: 0 };
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
            let mine = laplace.add(p, &AShare::<u64>::new(32, vec![1000; 50]))?;
            Ok((p.open(&mine)?, mine.words().to_vec()))
        },
        |p| {
            let laplace = Laplace::new(0.01, 1.0)?;
            let mine = laplace.add(p, &AShare::<u64>::new(32, vec![0; 50]))?;
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
    let (zeros, none) = (|bits| AShare::<u64>::new(bits, vec![0; BINS]), || Bits::new(BINS, vec![0]));
    check_parts(
        "count",
        Count::bill(BINS),
        0,
        |p| Count::prepare(p, BINS),
        |s, m| m.count(s, &none()).map(drop),
    );
    check_parts(
        "sum of products",
        ProductSum::bill(40, BINS),
        0,
        |p| ProductSum::prepare(p, 40, BINS),
        |s, m| m.sum(s, &zeros(40), &zeros(40)).map(drop),
    );
    for least in [0, 2] {
        let shape = GroupShape { bins: BINS, groups: 8, widths: vec![30, 16], least, noise: None };
        let mut bill = shape.bill().expect("a bill");
        if least > 1 {
            // All groups are empty: none is opened.
            bill.online.bits = bill.online.bits.map(|bits| bits - 8 * (32 + 30 + 16));
            bill.online.rounds -= 1;
        }
        check_parts(
            &format!("groups of at least {least}"),
            bill,
            0,
            |p| Groups::prepare(p, shape.clone()),
            |s, m| {
                let groups: Vec<Bits> = (0..8).map(|_| none()).collect();
                m.add_up(s, &groups, &[&zeros(30), &zeros(16)])?.open(s).map(drop)
            },
        );
    }
    // Levels of fewer than 8 pairs fill up bytes: the parts' own tests have them to the bit.
    let extreme = Extremes::bill(16, BINS).expect("a bill");
    let maximum = CompareJob::new(16, CompareDomain::Near, Objective::Total).expect("a job");
    assert_eq!(
        extreme,
        B2a::bill(16).times(BINS) + VectorMaximum::bill(&maximum, BINS, false).expect("a bill")
    );
    // 8 comparisons of counts fill bytes, but not ANDs of 7 cuts.
    for (least, cuts, filled) in [(0, 0..8, 0), (2, 1..8, 2)] {
        let quantile = Quantile { bits: 16, cuts: cuts.collect(), share: (1, 2), least };
        check_parts(
            &format!("a quantile of at least {least}"),
            quantile.bill(BINS).expect("a bill"),
            filled,
            |p| quantile.prepare(p, BINS),
            |s, m| m.reached(s, &none(), &zeros(16)).map(drop),
        );
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
            assert!(matches!(shape.bill(), Err(Error::Param { .. })), "{shape:?}");
            assert!(matches!(Groups::prepare(p, shape), Err(Error::Param { .. })));
        }
        let range = shape(1, MAX_LEAST + 1).bill().expect_err("refused").to_string();
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
            let quantile = Quantile { bits: 16, cuts, share, least };
            assert!(matches!(quantile.prepare(p, 3), Err(Error::Param { .. })), "{quantile:?}");
        }
        assert!(matches!(Extremes::prepare(p, 3, 3), Err(Error::Param { .. })));
        Ok(())
    };
    run_pair(Party::pair_seeded(14).expect("a pair"), job, job).expect("refused before anything is sent");
}

//! Noise: how an epsilon is shared out, and that no width is left.

use crate::shares::both;
use hushtable::{AShare, Error, chance::MOST, operation::Operation};
use hushtable_apps::statistics::{GroupNoise, GroupShape, Laplace};
use prim::{Block, Prg};

/// Counts and columns have equal parts of epsilon, which add up to it; each column's is for its largest value. Zeros take
/// no part.
#[test]
fn an_epsilon_is_shared_out() {
    let seed = 0x5917;
    let mut rng = Prg::new(Block(seed));
    for run in 0..2000 {
        let eps = 0.1 + f64::from(rng.below(1000)) / 200.0;
        let reach: Vec<f64> = (0..rng.below(6)).map(|_| f64::from(rng.below(4) * rng.below(1000))).collect();
        let noise = GroupNoise::split(eps, &reach).expect("a rate of 2^-20 or more");
        let telling = || noise.sums.iter().zip(&reach).filter(|(_, reach)| **reach > 0.0);
        let all = noise.counts.epsilon() + telling().map(|(noise, _)| noise.epsilon()).sum::<f64>();
        let says = format!("{noise:?} for {eps} and {reach:?}, run {run} of seed {seed}");
        assert!((all / eps - 1.0).abs() < 1e-12 && noise.sums.len() == reach.len(), "{says}");
        assert!(noise.counts.sensitivity() >= 1.0, "{says}");
        assert!(telling().all(|(noise, reach)| noise.sensitivity() >= *reach), "{says}");
        assert!(telling().all(|(sum, _)| sum.epsilon() == noise.counts.epsilon()), "{says}");
    }
    for eps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = GroupNoise::split(eps, &[1.0]).expect_err("no epsilon").to_string();
        assert!(error.contains("an epsilon of more than 0"), "{error}");
    }
}

/// The probability that the noise of both is far from 0 is that of all pairs of numbers, added up.
#[test]
fn noise_goes_as_far_as_is_stated() {
    for rate in [2.0, 0.7, 0.1, 0.02] {
        let laplace = Laplace::new(rate * 8.0, 8.0).expect("a rate");
        let most = (40.0 / rate) as i64;
        let p = |k: i64| (-rate * k.abs() as f64).exp() * (rate / 2.0).tanh();
        let sum = |z: i64| (-most..=most).map(|k| p(k) * p(z - k)).sum::<f64>();
        for distance in [1, 2, 5, (5.0 / rate) as i64] {
            let want = 1.0 - (1 - distance..distance).map(sum).sum::<f64>();
            let got = laplace.beyond(distance as f64);
            assert!((got - want).abs() < 1e-9, "rate {rate}: {got} for {want} beyond {distance}");
        }
    }
}

/// As often as is stated, by numbers that parties draw.
#[test]
fn noise_goes_as_far_as_often() {
    const NUMBERS: usize = 20_000;
    let laplace = Laplace::new(0.5, 20.0).expect("a rate");
    let opened = both(|p| {
        let noisy = laplace.add(p, &AShare::<u64>::new(40, vec![0; NUMBERS]));
        p.open(&noisy)
    });
    for distance in [1, 50, 100, 200, 300] {
        let beyond = |word: &&u64| ((**word << 24) as i64 >> 24).abs() >= distance;
        let (found, p) = (opened.iter().filter(beyond).count() as f64, laplace.beyond(distance as f64));
        let (mean, deviation) = (NUMBERS as f64 * p, (NUMBERS as f64 * p * (1.0 - p)).sqrt());
        assert!((found - mean).abs() < 5.0 * deviation + 1.0, "{found} beyond {distance}, {mean} expected");
    }
}

/// A width that noise might leave is refused before any work, with the width that would do; that is enough.
#[test]
fn noise_that_might_leave_a_width_is_refused() {
    let shape = |width: u32, bins: usize, groups: usize, noise: &GroupNoise| GroupShape {
        bins,
        groups,
        widths: vec![1, width],
        least: 10,
        noise: Some(noise.clone()),
    };
    let seed = 0x100;
    let mut rng = Prg::new(Block(seed));
    let mut refused = 0;
    for run in 0..2000 {
        let (bins, groups) = (1 + rng.below(5000) as usize, 1 + rng.below(64) as usize);
        let (eps, reach) = (0.01 + f64::from(rng.below(100)) / 50.0, f64::from(1 + rng.below(2000)));
        let noise = GroupNoise::split(eps, &[0.0, reach]).expect("a rate");
        let says =
            format!("{bins} bins, {groups} groups, epsilon {eps}, up to {reach}: {run} of seed {seed}");
        // The narrowest of which the sum itself takes a part only.
        let exact = (bins as f64 * reach).log2().floor() as u32 + 2;
        let Err(error) = shape(exact, bins, groups, &noise).check() else { continue };
        assert!(matches!(error, Error::Param { what: "width of a sum with noise", .. }), "{error}: {says}");
        let text = error.to_string();
        let bits: u32 = text.split("accepted: ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let wide = shape(bits, bins, groups, &noise);
        wide.check().unwrap_or_else(|e| panic!("{e}: {says}"));
        assert!(wide.chance(1).sum() <= MOST, "{says}");
        // As far as the noise is below 2^-40 in all groups, and no further.
        let room = |bits: u32| 2f64.powi(bits as i32 - 1) - bins as f64 * reach;
        let leaves = |bits: u32| groups as f64 * noise.sums[1].beyond(room(bits).max(1.0));
        assert!(leaves(bits) <= MOST && leaves(bits - 1) > MOST / 8.0, "{bits} bits: {says}");
        refused += 1;
    }
    assert!(refused > 100, "{refused}");
    let none = GroupShape { noise: None, ..shape(20, 5, 1, &GroupNoise::split(1.0, &[0.0, 1.0]).unwrap()) };
    assert_eq!(none.chance(1).parts(), []);
    let large = GroupNoise::split(1.0, &[0.0, 2f64.powi(19)]).expect("a rate");
    let error = shape(40, 1 << 30, 64, &large).check().expect_err("2^49").to_string();
    assert!(error.contains("accepted: 51 bits or more, or a larger epsilon"), "{error}");
}

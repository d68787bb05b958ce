//! Functions of shared numbers: every number of small rings and samples of large ones, beside the integers that
//! the card's accuracy was found with; ends of domains, what lies outside, and the cost.

use crate::support::pairs;

use hushtable::{
    AShare, Party, Role,
    arith::Fixed,
    math::{Bounds, Evaluation, Function, Method, Options, Outside},
};
use pairs::{both, pair};
use prim::{block::Block, prg::Prg};

/// One party's shares of integers, the masks drawn.
fn shares(role: Role, bits: u32, values: &[i64], seed: u64) -> AShare<u64> {
    let mut masks = vec![0; values.len()];
    Prg::new(Block(seed.into())).words(bits, &mut masks);
    let word = |(&v, &m): (&i64, &u64)| if role == Role::P0 { m } else { (v as u64).wrapping_sub(m) };
    AShare::new(bits, values.iter().zip(&masks).map(word).collect())
}

/// What the protocol gives for these numbers, times the scale of the results.
fn results(evaluation: &Evaluation, values: &[i64], seed: u64) -> Vec<f64> {
    let run = |p: &mut Party| {
        let x = Fixed::new(shares(p.role(), evaluation.bits(), values, seed), evaluation.scale())?;
        let material = evaluation.prepare(p, values.len())?;
        assert_eq!(material.len(), values.len());
        material.eval(p, &x)?.open(p)
    };
    let (p0, p1) = both(pair(seed, None), run);
    assert_eq!(p0, p1);
    let scale = 2f64.powi(evaluation.scale_out() as i32);
    p0.iter().map(|y| y * scale).collect()
}

fn scaled(value: f64, fraction: u32) -> f64 {
    value * 2f64.powi(fraction as i32)
}

/// The largest error of the protocol inside the domain, which must not be above the card's.
fn worst(evaluation: &Evaluation, f: impl Fn(f64) -> f64, values: &[i64], seed: u64) -> f64 {
    let card = evaluation.card();
    let unit = scaled(1.0, evaluation.scale());
    let inside = |v: &i64| (card.domain.lo..card.domain.hi).contains(&(*v as f64 / unit));
    let values: Vec<i64> = values.iter().copied().filter(inside).collect();
    assert!(!values.is_empty());
    let got = results(evaluation, &values, seed);
    let error = |(v, y): (&i64, &f64)| (y - scaled(f(*v as f64 / unit), evaluation.scale_out())).abs();
    let worst = values.iter().zip(&got).map(error).fold(0.0, f64::max);
    let most = if card.accuracy.step == 1 { card.max_ulp() } else { card.max_ulp() + 0.05 };
    assert!(worst <= most, "{worst} ulp\n{card}");
    worst
}

fn options(method: Method, outside: Outside) -> Options {
    Options { method, outside, ..Options::default() }
}

/// Numbers of the domain: both ends, and some drawn.
fn sample(evaluation: &Evaluation, count: usize, seed: u64) -> Vec<i64> {
    let unit = scaled(1.0, evaluation.scale());
    let Bounds { lo, hi } = evaluation.card().domain;
    let (lo, count_all) = ((lo * unit) as i64, ((hi - lo) * unit) as u64);
    let mut drawn = vec![0; count];
    Prg::new(Block(seed.into())).words(64, &mut drawn);
    let drawn = drawn.into_iter().map(|w| lo + (w % count_all) as i64);
    drawn
        .chain((0..count_all as i64).take(300).flat_map(|i| [lo + i, lo + count_all as i64 - 1 - i]))
        .collect()
}

#[test]
fn every_number_of_a_ring_of_10_bits() {
    let all: Vec<i64> = (-512..512).collect();
    let methods = [Method::Auto, Method::Direct, Method::Spline { degree: 2, pieces: 16 }];
    for function in [Function::Sigmoid, Function::Tanh, Function::Erf, Function::Log10] {
        for method in methods {
            let evaluation = Evaluation::new(function, 10, 6, &options(method, Outside::Saturate)).unwrap();
            let card = evaluation.card();
            worst(&evaluation, |x| function.eval(x), &all, 1);
            let most = if method == Method::Auto { 1.0 } else { 3.0 };
            assert!(card.max_ulp() <= most, "{card}");
        }
    }
}

#[test]
fn sixteen_bits() {
    for function in Function::ALL {
        let evaluation = Evaluation::new(function, 16, 12, &Options::default()).unwrap();
        println!("{}\n", evaluation.card());
        let values = sample(&evaluation, 1000, 2);
        worst(&evaluation, |x| function.eval(x), &values, 2);
        assert!(evaluation.card().max_ulp() <= 1.0 && evaluation.card().accuracy.step == 1);
    }
}

#[test]
fn wide_rings() {
    for (bits, fraction) in [(32, 12), (64, 16), (37, 12)] {
        for function in Function::ALL {
            let start = std::time::Instant::now();
            let evaluation = Evaluation::new(function, bits, fraction, &Options::default()).unwrap();
            println!("{}\n{:?}\n", evaluation.card(), start.elapsed());
            let values = sample(&evaluation, 1000, 2);
            worst(&evaluation, |x| function.eval(x), &values, 2);
            assert!(evaluation.card().max_ulp() <= 3.0);
        }
    }
}

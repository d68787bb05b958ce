//! Functions in formats where they bend in a small part of what the numbers may be: each is refused before any work, or
//! as good as its card at the places where it bends.

use crate::support::{
    fixed::shared,
    pairs::{both, pair},
};

use hushtable::{
    Party,
    math::{Bounds, Evaluation, Function, Options},
};

/// All numbers of a ring: what a share holds of which nothing else is known.
fn whole(bits: u32, fraction: u32) -> Bounds {
    let half = 2f64.powi(bits as i32 - 1 - fraction as i32);
    Bounds { lo: -half, hi: half }
}

/// How it was refused, or nothing: then the protocol is as good as the card at these numbers.
fn right_or_refused(
    function: Function,
    [bits, fraction]: [u32; 2],
    range: Option<Bounds>,
    x: &[f64],
) -> Option<String> {
    let evaluation = match Evaluation::new(function, bits, fraction, &Options::default().range(range)) {
        Ok(evaluation) => evaluation,
        Err(error) => return Some(error.to_string()),
    };
    let (card, unit) = (evaluation.card(), 2f64.powi(fraction as i32));
    let x: Vec<f64> = x.iter().map(|x| (x * unit).round() / unit).collect();
    if let Some(range) = range
        && !card.reach.contains(range)
    {
        return Some(format!("numbers are to lie in {}", card.reach));
    }
    let x: Vec<f64> = x.into_iter().filter(|x| (card.reach.lo..card.reach.hi).contains(x)).collect();
    // What has no limit is refused at both parties, which is not what this looks at.
    let Bounds { lo, hi } = card.domain;
    let refused = |x: &f64| card.refused[0] && *x < lo || card.refused[1] && *x >= hi;
    let x: Vec<f64> = x.into_iter().filter(|x| !refused(x)).collect();
    let run = |p: &mut Party| {
        let shares = shared(p.role(), &x, bits, fraction, 5)?;
        evaluation.prepare(p, x.len())?.eval(p, &shares)?.open(p)
    };
    let (y, _) = both(pair(90, None), run);
    for (x, y) in x.iter().zip(&y) {
        let error = (y - function.eval(*x)).abs() * unit;
        let (most, text) = (card.max_ulp() + 1e-6, card.to_string());
        assert!(error <= most, "{function}({x}) in {bits} bits is {y}, {error} units off\n{text}");
    }
    None
}

/// What was found to be a step function.
#[test]
fn wide_formats_are_no_step_functions() {
    let near = [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0];
    let arc = [-1.0, -0.75, 0.0, 0.5, 1.0];
    let mut cases: Vec<(Function, u32, u32, &[f64])> = vec![
        (Function::Tanh, 40, 16, &near),
        (Function::Sigmoid, 40, 4, &near),
        (Function::Acos, 40, 10, &arc),
        (Function::Asin, 24, 2, &arc),
        (Function::Asin, 40, 10, &arc),
    ];
    for bits in 34..=40 {
        for fraction in [2, 4, 8, 12] {
            cases.push((Function::Tanh, bits, fraction, &near));
            cases.push((Function::Erf, bits, fraction, &near));
        }
    }
    for bits in [20, 24, 28, 32] {
        for fraction in [2, 4] {
            for function in [Function::Asin, Function::Acos] {
                cases.push((function, bits, fraction, &arc));
            }
            for function in
                [Function::Tanh, Function::Erf, Function::Atan, Function::Gelu, Function::Softplus]
            {
                cases.push((function, bits, fraction, &near));
            }
        }
    }
    for (function, bits, fraction, x) in cases {
        right_or_refused(function, [bits, fraction], Some(whole(bits, fraction)), x);
    }
}

/// What saturated inside its domain, or did not fit the width.
/// Longer than 10 s: plans of wide formats are searched for.
#[test]
fn results_fit_and_do_not_saturate_early() {
    for (function, bits, fraction, x) in [
        (Function::Softplus, 9, 8, &[-0.9, -0.5, -0.1, 0.0, 0.1, 0.5, 0.9][..]),
        (Function::Gelu, 8, 3, &[13.5, -13.5, 0.75, 7.0]),
        (Function::Gelu, 8, 2, &[13.5, 30.0]),
        (Function::Tanh, 32, 24, &[3.5, 4.0, -4.0, 4.5, 6.0]),
        (Function::Tanh, 40, 24, &[3.5, 4.0, -4.0, 4.5, 6.0]),
    ] {
        for range in [None, Some(whole(bits, fraction))] {
            right_or_refused(function, [bits, fraction], range, x);
        }
    }
}

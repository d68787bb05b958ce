//! Sines, cosines and tangents: tables over whole periods, angle addition at any precision beside its proven bound,
//! radians wherever they lie.

use crate::support::{
    pairs::{both, pair},
    shares::random,
};

use hushtable::{
    AShare, Error, Party, Role,
    arith::{AngleJob, Angles, Fixed, Objective},
    math::{Bounds, Evaluation, Function, Method, Options, Outside},
};
use prim::ring::low;

/// One party's shares of integers; the peer's are `masks`.
fn split(role: Role, bits: u32, values: &[u64], masks: &[u64]) -> AShare<u64> {
    let word = |(&v, &m): (&u64, &u64)| if role == Role::P0 { m } else { v.wrapping_sub(m) };
    AShare::new(bits, values.iter().zip(masks).map(word).map(|w| low(w, bits)).collect())
}

/// Results of an evaluation at integers, as integers.
fn results(evaluation: &Evaluation, values: &[i64], seed: u64) -> Vec<f64> {
    let bits = evaluation.bits();
    let values: Vec<u64> = values.iter().map(|&v| v as u64).collect();
    let mut masks = random(bits, values.len(), seed);
    masks[0] = 0; // a share that says nothing
    let run = |p: &mut Party| {
        let x = Fixed::new(split(p.role(), bits, &values, &masks), evaluation.scale())?;
        evaluation.prepare(p, values.len())?.eval(p, &x)?.open(p)
    };
    let (p0, p1) = both(pair(seed, None), run);
    assert_eq!(p0, p1);
    p0.iter().map(|y| y * 2f64.powi(evaluation.scale_out() as i32)).collect()
}

fn with(method: Method) -> Options {
    Options::default().method(method)
}

const TURNS: [Function; 6] =
    [Function::SinPi, Function::CosPi, Function::TanPi, Function::Sin2Pi, Function::Cos2Pi, Function::Tan2Pi];

/// Every number of a period, and numbers far outside it at both ends of the ring.
#[test]
fn tables_over_a_period_are_correctly_rounded_everywhere() {
    for function in TURNS {
        let evaluation = Evaluation::new(function, 16, 9, &Options::default()).unwrap();
        let card = evaluation.card();
        assert!(card.method == Method::Direct && card.repeats && card.refused == [false; 2], "{card}");
        assert_eq!(card.reach, Bounds { lo: -64.0, hi: 64.0 });
        let values: Vec<i64> = (-600..600).chain(32_768 - 600..32_768).chain(-32_768..-32_000).collect();
        let got = results(&evaluation, &values, 1);
        for (v, y) in values.iter().zip(got) {
            let want = (function.eval(*v as f64 / 512.0) * 512.0).round().clamp(-32_767.0, 32_767.0);
            assert_eq!(y, want, "{function} of {v} / 512");
        }
    }
    // The poles saturate.
    let tan = Evaluation::new(Function::TanPi, 16, 9, &Options::default()).unwrap();
    assert_eq!(results(&tan, &[256, -256, 255, 257], 2)[..2], [32_767.0; 2]);
}

/// Results that the ring does not hold were the greatest that it does: of numbers far from any pole, too.
#[test]
fn tangents_are_held_beside_poles_only() {
    let between = |end: f64| Options::default().range(Bounds { lo: -end, hi: end });
    for (function, [bits, fraction], options, x) in [
        (Function::Tan, [16, 14], between(1.25), 1.2),
        (Function::TanPi, [12, 11], Options::default(), 0.3),
        (Function::Tan2Pi, [16, 14], Options::default(), 0.2),
        (Function::TanPi, [12, 11], between(0.3125), 0.3),
    ] {
        let refused = Evaluation::new(function, bits, fraction, &options).err().expect("refused").to_string();
        let Some((_, rest)) = refused.split_once("a ring of ") else { panic!("{refused}") };
        let bits = rest.split(' ').next().unwrap().parse().unwrap();
        let made = Evaluation::new(function, bits, fraction, &options).unwrap();
        let steps = (x * f64::from(1 << fraction)).round();
        let want = function.eval(steps / f64::from(1 << fraction)) * f64::from(1 << fraction);
        let most = made.card().max_ulp() + 1e-5;
        for y in made.outcomes(steps as i64).expect("inside") {
            assert!((y as f64 - want).abs() <= most, "{function}({x}) in {bits} bits: {y}, not {want}");
        }
    }
    assert!(Evaluation::new(Function::Tan, 16, 8, &Options::default()).is_ok());
}

/// Far beyond what floating point holds, numbers have the results of those in the first turn.
#[test]
fn outcomes_repeat_with_the_turn() {
    let turns = [(Function::Sin2Pi, 1), (Function::Cos2Pi, 1), (Function::SinPi, 2), (Function::CosPi, 2)];
    for (function, turn) in turns {
        let wave = Evaluation::new(function, 61, 23, &Options::default()).unwrap();
        for (i, x) in random(59, 200, 5).into_iter().enumerate() {
            let x = if i % 2 == 0 { x as i64 } else { -(x as i64) };
            assert_eq!(wave.outcomes(x), wave.outcomes(x.rem_euclid(turn << 23)), "{function} of {x}");
        }
    }
}

/// Every number, whatever the first share is, and the bound.
#[test]
fn angle_addition_at_every_angle_of_a_small_turn() {
    let job = AngleJob::new(8, 12, 10).unwrap();
    let values: Vec<u64> = (0..256 * 8).map(|i| i % 256).collect();
    let masks: Vec<u64> = (0..256 * 8).map(|i| i / 256 * 37).collect();
    let run = |p: &mut Party| {
        let material = Angles::prepare(p, job, values.len())?;
        assert_eq!(material.len(), values.len());
        let x = split(p.role(), 8, &values, &masks);
        let [sin, cos] = material.sin_cos(p, &x)?;
        Ok([p.open(&sin)?, p.open(&cos)?])
    };
    let ([sin, cos], _) = both(pair(3, None), run);
    for (i, x) in values.iter().enumerate() {
        let angle = *x as f64 / 256.0 * std::f64::consts::TAU;
        for (got, want) in [(sin[i], angle.sin()), (cos[i], angle.cos())] {
            let got = ((got << 52) as i64 >> 52) as f64;
            assert!((got - want * 1024.0).abs() <= job.error(), "{x}: {got}");
        }
    }
}

/// Formats of all sizes, angles at the quarters, and where a mask's cosine is 1.
#[test]
fn angle_addition_keeps_its_bound_at_any_precision() {
    for (turn_bits, bits, fraction) in
        [(1, 8, 0), (3, 8, 6), (10, 16, 9), (32, 32, 30), (40, 46, 44), (64, 64, 44), (24, 64, 20)]
    {
        let job = AngleJob::new(turn_bits, bits, fraction).unwrap();
        let mut values = random(turn_bits, 500, 4);
        values.extend([0, 1, 2, 3].map(|q: u64| if turn_bits < 2 { q & 1 } else { q << (turn_bits - 2) }));
        values.push(low(u64::MAX, turn_bits));
        let masks = random(turn_bits, values.len(), 5);
        let run = |p: &mut Party| {
            let x = split(p.role(), turn_bits, &values, &masks);
            let sin = Angles::prepare(p, job, values.len())?.sin(p, &x)?;
            let cos = Angles::prepare(p, job, values.len())?.cos(p, &x)?;
            Ok([p.open(&sin)?, p.open(&cos)?])
        };
        let ([sin, cos], _) = both(pair(6, None), run);
        let unit = 2f64.powi(fraction as i32);
        for (i, &x) in values.iter().enumerate() {
            let half_turns = x as f64 / 2f64.powi(turn_bits as i32 - 1);
            for (got, f) in [(sin[i], Function::SinPi), (cos[i], Function::CosPi)] {
                let got = ((got << (64 - bits)) as i64 >> (64 - bits)) as f64;
                let error = (got - f.eval(half_turns) * unit).abs();
                // What floating point does not tell is left to the proof.
                assert!(error <= job.error() + unit * 2f64.powi(-51), "{job:?} {f} {x}: {error}");
            }
        }
        assert!((1.0..1.3).contains(&job.error()), "{}", job.error());
    }
}

/// By the evaluation: periods in the ring, radians to the ends of their reach.
#[test]
fn sines_and_cosines_of_large_numbers() {
    let all = [Function::Sin, Function::Cos, Function::SinPi, Function::Cos2Pi];
    for (bits, fraction, fraction_out) in [(32, 12, 16), (64, 30, 40), (20, 10, 12), (40, 0, 20)] {
        for function in all {
            let options = with(Method::Angle).fraction_out(fraction_out);
            let Ok(evaluation) = Evaluation::new(function, bits, fraction, &options) else {
                // A whole number of turns, and nothing between.
                assert!(fraction == 0 && function == Function::Cos2Pi, "{function} {bits} {fraction}");
                continue;
            };
            let card = evaluation.card();
            let half = 1i64 << (bits - 2);
            // Floating point is to hold the numbers, and to know their sines.
            let shift = (bits - 1).saturating_sub(45);
            let mut values: Vec<i64> =
                random(bits - 1, 300, 7).iter().map(|&v| (v as i64 - half) >> shift).collect();
            values.extend([0, 1, -1]);
            if bits < 46 {
                values.extend([-half, half - 1]);
            }
            let got = results(&evaluation, &values, 8);
            let unit = 2f64.powi(fraction_out as i32);
            for (v, y) in values.iter().zip(got) {
                let x = *v as f64 / 2f64.powi(fraction as i32);
                let error = (y - function.eval(x) * unit).abs();
                assert!(error <= card.max_ulp() + unit * 2f64.powi(-50), "{function}({x}): {error}\n{card}");
            }
        }
    }
}

#[test]
fn what_is_chosen() {
    let chosen = |function, bits, fraction, options: Options| {
        Evaluation::new(function, bits, fraction, &options).unwrap().card()
    };
    // A table is right to half a unit; where less will do, fewer bytes.
    let bytes = Options::default().objective(Objective::Bytes);
    assert_eq!(chosen(Function::SinPi, 16, 9, bytes).method, Method::Direct);
    let card = chosen(Function::SinPi, 16, 9, bytes.max_ulp(1.3));
    assert!(card.method == Method::Angle && card.accuracy.step == 0 && card.max_ulp() < 1.3, "{card}");
    assert!(card.to_string().contains("by proof") && card.to_string().contains("repeats"), "{card}");
    // No table is as large.
    let card = chosen(Function::CosPi, 32, 24, Options::default());
    assert!(card.method == Method::Angle && card.rounds() == 1, "{card}");
    // Radians: half of the ring, in one round more; or a domain, checked.
    let card = chosen(Function::Sin, 32, 12, Options::default());
    assert_eq!((card.method, card.rounds()), (Method::Angle, 2));
    assert_eq!(card.domain, Bounds { lo: -262_144.0, hi: 262_144.0 });
    let domain = Some(Bounds { lo: -4.0, hi: 4.0 });
    let card = chosen(Function::Sin, 32, 12, Options::default().domain(domain));
    assert!(card.method != Method::Angle && card.outside == Outside::Strict, "{card}");
    // Half a period does not repeat.
    let domain = Some(Bounds { lo: 0.0, hi: 1.0 });
    let card = chosen(Function::SinPi, 16, 9, Options::default().domain(domain));
    assert!(!card.repeats && card.outside == Outside::Strict, "{card}");
    for (function, bits, fraction) in
        [(Function::TanPi, 32, 12), (Function::Exp, 32, 12), (Function::Sin, 16, 15)]
    {
        let error =
            Evaluation::new(function, bits, fraction, &with(Method::Angle)).err().map(|e| e.to_string());
        assert!(error.is_some_and(|e| e.contains("accepted")), "{function}");
    }
    for (turn_bits, bits, fraction) in [(0, 16, 8), (65, 16, 8), (10, 16, 15), (10, 65, 8), (10, 64, 45)] {
        let error = AngleJob::new(turn_bits, bits, fraction);
        assert!(matches!(error, Err(Error::Param { .. })), "{turn_bits} {bits} {fraction}");
    }
}

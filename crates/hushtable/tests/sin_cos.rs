//! Sines with their cosines at one opened position, and tables in one round: every number where the domain allows it,
//! else the bound.

use crate::support::{
    billed::{check, check_parts},
    pairs::{both, pair},
    shares::random,
};

use hushtable::{
    AShare, Error, Party, Role,
    arith::{Fixed, Objective},
    math::{Bounds, Evaluation, Function, Method, Options, SinCos},
};
use prim::ring::low;

/// A multiple of 8: all messages are whole bytes.
const N: usize = 64;

const PAIRS: [(Function, Function); 3] = [
    (Function::Sin, Function::Cos),
    (Function::SinPi, Function::CosPi),
    (Function::Sin2Pi, Function::Cos2Pi),
];

fn fixed(role: Role, bits: u32, scale: u32, values: &[i64], seed: u64) -> Fixed<u64> {
    let masks = random(bits, values.len(), seed);
    let word = |(v, m): (&i64, &u64)| if role == Role::P0 { *m } else { (*v as u64).wrapping_sub(*m) };
    let words = values.iter().zip(&masks).map(word).map(|w| low(w, bits)).collect();
    Fixed::new(AShare::new(bits, words), scale).expect("a scale")
}

/// Both results at integers, as integers.
fn sin_cos(of: &SinCos, values: &[i64], seed: u64) -> [Vec<f64>; 2] {
    let run = |p: &mut Party| {
        let x = fixed(p.role(), of.bits(), of.scale(), values, seed);
        let [sin, cos] = of.prepare(p, values.len())?.eval(p, &x)?;
        Ok([sin.open(p)?, cos.open(p)?])
    };
    let (p0, p1) = both(pair(seed, None), run);
    assert_eq!(p0, p1);
    let unit = 2f64.powi(of.scale_out() as i32);
    p0.map(|y| y.iter().map(|y| y * unit).collect())
}

fn with(method: Method) -> Options {
    Options::default().method(method)
}

/// Every number of a period, and numbers outside it.
#[test]
fn tables_give_both_correctly_rounded() {
    for objective in [Objective::Total, Objective::Rounds] {
        for (sine, cosine) in &PAIRS[1..] {
            let options = with(Method::Direct).objective(objective);
            let of = SinCos::new(*sine, 16, 9, &options).unwrap();
            let card = of.card();
            assert!(card.repeats && card.max_ulp() <= 0.5 && card.accuracy.step == 1, "{card}");
            assert_eq!(card.rounds(), if objective == Objective::Rounds { 1 } else { 2 });
            let values: Vec<i64> = (-600..600).chain(32_768 - 100..32_768).chain(-32_768..-32_600).collect();
            let found = sin_cos(&of, &values, 1);
            for (f, found) in [sine, cosine].into_iter().zip(&found) {
                for (v, y) in values.iter().zip(found) {
                    assert_eq!(*y, (f.eval(*v as f64 / 512.0) * 512.0).round(), "{f} of {v} / 512");
                }
            }
        }
    }
}

/// Every number of a period of 2^10, and numbers far outside.
#[test]
fn angle_addition_gives_both_within_its_bound() {
    for (sine, cosine) in PAIRS {
        for (bits, fraction, fraction_out) in [(16, 8, 9), (40, 20, 24)] {
            let options = with(Method::Angle).fraction_out(fraction_out);
            let of = SinCos::new(sine, bits, fraction, &options).unwrap();
            let card = of.card();
            let half = if sine == Function::Sin { 1i64 << (bits - 2) } else { 1 << (bits - 1) };
            let values: Vec<i64> = (-512..512).chain(half - 50..half).chain(-half..50 - half).collect();
            let found = sin_cos(&of, &values, 2);
            let unit = 2f64.powi(fraction_out as i32);
            for (f, found) in [sine, cosine].into_iter().zip(&found) {
                for (v, y) in values.iter().zip(found) {
                    let error = (y - f.eval(*v as f64 / 2f64.powi(fraction as i32)) * unit).abs();
                    assert!(error <= card.max_ulp() + unit * 2f64.powi(-45), "{f} of {v}: {error}\n{card}");
                }
            }
        }
    }
}

#[test]
fn what_is_chosen_and_refused() {
    let card =
        |sine, bits, fraction, options: &Options| SinCos::new(sine, bits, fraction, options).unwrap().card();
    assert_eq!(card(Function::SinPi, 16, 9, &Options::default()).method, Method::Direct);
    assert_eq!(card(Function::SinPi, 32, 24, &Options::default()).method, Method::Angle);
    assert_eq!(card(Function::Sin, 16, 9, &Options::default()).method, Method::Angle);
    // One opening serves both: the second one costs less than the first, or nothing.
    let alone = |options: &Options| Evaluation::new(Function::SinPi, 16, 9, options).unwrap().card().bytes();
    for (method, objective, more) in [
        (Method::Direct, Objective::Total, 1.3),
        (Method::Direct, Objective::Rounds, 1.0),
        (Method::Angle, Objective::Total, 1.0),
    ] {
        let options = with(method).objective(objective);
        let [both, one] = [card(Function::SinPi, 16, 9, &options).bytes(), alone(&options)];
        assert!(both <= more * one, "{method}: {both} and {one} bytes");
    }
    let param = |sine, options: Options| {
        let made = SinCos::new(sine, 16, 9, &options).map(drop);
        assert!(matches!(made, Err(Error::Param { .. })), "{made:?}");
    };
    param(Function::CosPi, Options::default());
    param(Function::Tan, Options::default());
    param(Function::Sin, with(Method::Direct));
    param(Function::SinPi, with(Method::Spline { degree: 2, pieces: 8 }));
    param(Function::SinPi, Options::default().domain(Bounds { lo: -1.0, hi: 1.0 }));
    param(Function::SinPi, Options::default().max_ulp(0.1));
    let of = |o: &Options| SinCos::new(Function::SinPi, 16, 9, o).unwrap().digest();
    let direct = of(&with(Method::Direct));
    assert_ne!(direct, of(&with(Method::Angle)));
    assert_ne!(direct, of(&with(Method::Direct).objective(Objective::Rounds)));
    assert_ne!(direct, SinCos::new(Function::Sin2Pi, 16, 9, &with(Method::Direct)).unwrap().digest());
}

/// One-round tables of other functions: every number.
#[test]
fn tables_in_one_round() {
    for (function, bits, fraction) in [
        (Function::Sigmoid, 16, 7),
        (Function::SinPi, 16, 9),
        (Function::Tanh, 24, 8),
        (Function::Exp, 40, 6),
    ] {
        let options = with(Method::Direct).objective(Objective::Rounds);
        let options = options.outside(hushtable::math::Outside::Wrap);
        let evaluation = Evaluation::new(function, bits, fraction, &options).unwrap();
        let card = evaluation.card();
        assert!(card.rounds() == 1 && card.max_ulp() <= 0.5, "{card}");
        let unit = 2f64.powi(fraction as i32);
        let values: Vec<i64> = ((card.domain.lo * unit) as i64..(card.domain.hi * unit) as i64).collect();
        let run = |p: &mut Party| {
            let x = fixed(p.role(), bits, fraction, &values, 9);
            evaluation.prepare(p, values.len())?.eval(p, &x)?.open(p)
        };
        let (found, _) = both(pair(31, None), run);
        for (v, y) in values.iter().zip(found) {
            assert_eq!(y * unit, (function.eval(*v as f64 / unit) * unit).round(), "{function} of {v}");
        }
    }
}

#[test]
fn bills_are_what_they_cost() {
    let one =
        |bits: u32, scale: u32| Fixed::new(AShare::<u64>::new(bits, vec![1; N]), scale).expect("a scale");
    for (sine, bits, fraction, method, objective) in [
        (Function::SinPi, 16, 9, Method::Direct, Objective::Total),
        (Function::SinPi, 16, 9, Method::Direct, Objective::Rounds),
        (Function::Sin2Pi, 33, 20, Method::Angle, Objective::Total),
        (Function::Sin, 32, 12, Method::Angle, Objective::Total),
    ] {
        let of = SinCos::new(sine, bits, fraction, &with(method).objective(objective)).unwrap();
        let what = format!("{sine} and its cosine, {method}, {objective:?}");
        let prepare = |p: &mut Party| of.prepare(p, N);
        check_parts(&what, of.bill().times(N), 0, prepare, |s, m| m.eval(s, &one(bits, fraction)).map(drop));
    }
    let options = with(Method::Direct).objective(Objective::Rounds);
    let of = Evaluation::new(Function::SinPi, 16, 9, &options).unwrap();
    let prepare = |p: &mut Party| of.prepare(p, N);
    check("a sine in one round", of.bill(N), prepare, |s, m| m.eval(s, &one(16, 9)).map(drop));
}

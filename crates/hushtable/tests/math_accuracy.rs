//! How far results may be off, where a sample does not tell: cards over whole domains, every function by every
//! method; long rows of softmax; gains that parties disagree on.

use crate::support::{
    fixed::shared,
    pairs::{both, pair},
};

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{Fixed, Objective, SmallProducts},
    math::{
        Affine, Evaluation, Function, Method, Norm, NormJob, Options, Outside, Softmax, SoftmaxJob, Tail,
    },
};
use prim::{block::Block, prg::Prg, ring::low};

/// The spline of a degree with the fewest pieces that is right to three units.
fn spline(function: Function, bits: u32, fraction: u32, degree: u32) -> Evaluation {
    let with = |pieces| {
        let method = Method::Spline { degree, pieces };
        let options = Options::default().method(method).max_ulp(3.0).outside(Outside::Wrap);
        Evaluation::new(function, bits, fraction, &options)
    };
    let made = (3..=12).find_map(|n| with(1 << n).ok());
    made.unwrap_or_else(|| panic!("{function} of degree {degree} in {bits} bits: {:?}", with(4096).err()))
}

/// All numbers of the domain, and all carries that their shares may have.
#[test]
fn tables_of_16_bits_are_right_to_half_a_unit() {
    let options = Options::default().method(Method::Direct);
    for function in Function::ALL {
        for fraction in [8, 12] {
            // Those a step from a pole do not fit 3 digits before the point.
            let far =
                [Function::Tan, Function::TanPi, Function::Tan2Pi].contains(&function) && fraction == 12;
            let made = Evaluation::new(function, 16, fraction, &options);
            if far {
                assert!(made.is_err(), "{function}");
                continue;
            }
            let card = made.unwrap().card();
            assert!(card.accuracy.step == 1 && card.max_ulp() <= 0.5, "{card}");
        }
    }
}

/// Those that polynomials serve: without poles, without infinite slopes, and not for numbers that wrap.
fn smooth() -> impl Iterator<Item = Function> {
    let steep = [Function::Asin, Function::Acos];
    let serves = move |f: &Function| !f.has_poles() && !steep.contains(f) && f.tails() != [Tail::Period; 2];
    Function::ALL.into_iter().filter(serves)
}

/// The same for splines; and the protocol at every fifth number of the domain.
#[test]
fn splines_of_16_bits_are_right_to_three_units() {
    let run = |p: &mut Party| {
        p.stock_cots(1 << 18, 1 << 18)?;
        for function in smooth() {
            for degree in 1..=3 {
                // Where results are as large as numbers, they want more bits.
                let fraction = if function.tails()[1] == Tail::Number { 10 } else { 12 };
                let evaluation = spline(function, 16, fraction, degree);
                let card = evaluation.card();
                assert!(card.accuracy.step == 1 && card.max_ulp() <= 3.0, "{card}");
                if degree != 2 {
                    continue;
                }
                let unit = 2f64.powi(fraction as i32);
                let (lo, hi) = ((card.domain.lo * unit) as i64, (card.domain.hi * unit) as i64);
                let x: Vec<f64> = (lo..hi).step_by(5).map(|v| v as f64 / unit).collect();
                let shares = shared(p.role(), &x, 16, fraction, 3)?;
                let y = evaluation.prepare(p, x.len())?.eval(p, &shares)?.open(p)?;
                for (x, y) in x.iter().zip(&y) {
                    let error = (y - function.eval(*x)).abs() * unit;
                    assert!(error <= card.max_ulp(), "{function}({x}) is {error} units off\n{card}");
                }
            }
        }
        Ok(())
    };
    both(pair(80, None), run);
}

/// A dense grid of every domain: what the card looks at, some 2^17 numbers and both ends.
#[test]
fn splines_of_wide_rings_are_right_to_three_units() {
    for (bits, fraction) in [(32, 12), (64, 16)] {
        for function in smooth() {
            for degree in [2, 3] {
                let card = spline(function, bits, fraction, degree).card();
                assert!(card.max_ulp() <= 3.0 && card.accuracy.step < 1 << 12, "{card}");
            }
        }
    }
}

/// Where a larger table costs less than longer places in its pieces, it is taken.
#[test]
fn more_pieces_than_accuracy_wants() {
    for function in [Function::Exp, Function::Gelu, Function::Reciprocal] {
        let with = |method| {
            let max_ulp = Some(3.0);
            let (objective, outside) = (Objective::Bytes, Outside::Saturate);
            let options =
                Options::default().method(method).max_ulp(max_ulp).objective(objective).outside(outside);
            Evaluation::new(function, 24, 20, &options).unwrap().card()
        };
        let chosen = with(Method::Auto);
        let Method::Spline { degree, pieces } = chosen.method else { panic!("{chosen}") };
        for pieces in [pieces / 4, pieces / 2] {
            let fewer = with(Method::Spline { degree, pieces });
            assert!(fewer.bytes() > chosen.bytes(), "{fewer}\n{chosen}");
        }
    }
}

#[test]
fn softmax_of_the_longest_rows() {
    const LEN: usize = 1 << 14;
    let mut words = vec![0u64; LEN];
    Prg::new(Block(3)).words(12, &mut words);
    let random = words.iter().map(|&w| w as f64 / 512.0 - 4.0);
    // All but a few are nothing beside the largest; and all alike, where each is a unit.
    let few = (0..LEN).map(|i| if i % 4000 == 7 { 3.0 } else { -9.0 });
    let x: Vec<f64> = random.chain(few).chain(vec![1.0; LEN]).collect();
    let run = |p: &mut Party| {
        let job = SoftmaxJob { rows: 3, ..SoftmaxJob::new(LEN, 37, 14) };
        let shares = shared(p.role(), &x, 37, 14, 5)?;
        let y = Softmax::prepare(p, job)?.eval(p, &shares)?.open(p)?;
        for (row, (x, y)) in x.chunks(LEN).zip(y.chunks(LEN)).enumerate() {
            let exps: Vec<f64> = x.iter().map(|x| (x - 4.0).exp()).collect();
            let sum: f64 = exps.iter().sum();
            for (e, y) in exps.iter().zip(y) {
                let ulps = (y - e / sum).abs() * 2f64.powi(14);
                assert!(ulps <= 2.0, "row {row}: {y}, not {}, {ulps} units off", e / sum);
            }
        }
        Ok(())
    };
    both(pair(81, None), run);
    let long = SoftmaxJob { rows: 1, ..SoftmaxJob::new(LEN + 1, 37, 12) };
    assert!(long.check().expect_err("too long").to_string().contains("1 to 16384"));
}

/// `x (n_0 + n_1)` exactly, and `x (c - n_0) (c - n_1) / 2^f` to less than c: every x of 8 bits, every pair
/// of numbers, in several splits.
#[test]
fn products_with_small_numbers_of_both_parties() {
    const BITS: u32 = 2;
    let all: Vec<[u64; 3]> = (0..16u64 << 10).map(|i| [i >> 4 & 255, i >> 2 & 3, i & 3]).collect();
    let run = |p: &mut Party| {
        p.stock_cots(1 << 18, 1 << 18)?;
        let role = p.role() as usize;
        let x: Vec<f64> = all.iter().map(|x| x[0] as i8 as f64).collect();
        let x = shared(p.role(), &x, 8, 0, 7)?;
        let mine: Vec<u64> = all.iter().map(|x| x[1 + role]).collect();
        let material = |p: &mut Party| SmallProducts::prepare(p, BITS, all.len());
        let sums = material(p)?.times_sum(p, x.share(), &mine)?;
        for (y, [x, a, b]) in p.open(&sums)?.iter().zip(&all) {
            assert_eq!(*y, low(x * (a + b), 8), "{x} ({a} + {b})");
        }
        for (c, f) in [(4u64, 0), (5, 2), (7, 3), (15, 4)] {
            let product = material(p)?.times_both(p, x.share(), &mine, c, f)?;
            assert_eq!(product.bits(), 8 - f);
            for (y, [x, a, b]) in p.open(&product)?.iter().zip(&all) {
                let exact = low(x * (c - a) * (c - b), 8) as f64 / 2f64.powi(f as i32);
                let around = 2f64.powi(8 - f as i32);
                let error = (*y as f64 - exact + 1.5 * around) % around - 0.5 * around;
                assert!(
                    error.abs() < if f == 0 { 0.5 } else { c as f64 },
                    "{x} {a} {b}, c {c}, f {f}: {error}"
                );
            }
        }
        for bits in [0, 65] {
            assert!(matches!(SmallProducts::prepare(p, bits, all.len()), Err(Error::Param { .. })));
        }
        let wide = SmallProducts::prepare(p, 9, all.len())?;
        assert!(matches!(wide.times_sum(p, x.share(), &mine), Err(Error::Param { .. })));
        assert!(matches!(material(p)?.times_sum(p, x.share(), &mine[1..]), Err(Error::Shape { .. })));
        assert!(matches!(material(p)?.times_both(p, x.share(), &mine, 4, 8), Err(Error::Param { .. })));
        Ok(())
    };
    both(pair(82, None), run);
}

/// What the norm of a row comes to, at each party, prepared for gains that this one knows and with these: the
/// error's text, or nothing.
fn normed(
    known_to: impl Fn(Role) -> Option<Role> + Sync,
    gains: impl Fn(Role) -> Affine + Sync,
) -> [Option<String>; 2] {
    let run = |p: &mut Party| -> Result<Option<String>> {
        let role = p.role();
        let job = NormJob {
            rows: 2,
            len: 3,
            bits: 37,
            scale: 12,
            largest: 8.0,
            variance: [0.25, 4.0],
            epsilon: 0.25,
            gain: 2.0,
            gains_known_to: known_to(role),
            objective: Objective::Total,
        };
        let x = Fixed::new(AShare::<u64>::new(37, vec![4444; 6]), 12)?;
        let done = Norm::prepare(p, job, &gains(role)).and_then(|material| material.eval(p, &x));
        Ok(done.err().map(|error| error.to_string()))
    };
    let (p0, p1) = both(pair(83, None), run);
    [p0, p1]
}

#[test]
fn gains_that_one_party_alone_sees_to_be_wrong_end_both() {
    let fine = || vec![1.0; 3];
    for role in [Role::P0, Role::P1] {
        for wrong in [vec![1.0, 2.5, 1.0], vec![f64::NAN; 3], vec![-1e9, 0.0, 0.0]] {
            let own = |at: Role| match at == role {
                true => Affine::own(role, wrong.clone(), fine()),
                false => Affine::of_peer(at, 3),
            };
            let [p0, p1] = normed(|_| Some(role), own);
            let text = p0.expect("an error at P0");
            assert_eq!(Some(&text), p1.as_ref(), "the same at both");
            assert!(text.contains(&format!("one of {role:?}'s")) && text.contains("-2 to 2"), "{text}");
            assert!(!text.contains("2.5"), "{text}");
        }
        let own = |at| if at == role { Affine::own(role, fine(), fine()) } else { Affine::of_peer(at, 3) };
        assert_eq!(normed(|_| Some(role), own), [None, None]);
    }
    let texts = normed(|_| None, |_| Affine::public(fine(), vec![0.0, 3.0, 0.0]));
    assert!(texts.iter().flatten().all(|text| text.contains("3 is not supported")), "{texts:?}");
    // Each has gains of its own where the other has none.
    let own = |role| Affine::own(role, fine(), fine());
    let texts = normed(Some, own);
    assert!(texts.iter().all(|text| text.as_ref().is_some_and(|t| t.contains("P0"))), "{texts:?}");
    // Neither was prepared for.
    let texts = normed(|_| None, own);
    assert!(texts.iter().flatten().count() == 2, "{texts:?}");
    for (text, role) in texts.iter().flatten().zip(["P0", "P1"]) {
        assert!(text.contains(role) && text.contains("both parties, as prepared for"), "{text}");
    }
}

#[test]
fn public_gains_that_differ_end_both() {
    let differing = |role| {
        let last = if role == Role::P0 { 1.0 } else { 1.0 + f64::EPSILON };
        Affine::public(vec![1.0, 1.0, last], vec![0.0; 3])
    };
    for text in normed(|_| None, differing) {
        let text = text.expect("they differ");
        assert!(text.contains("disagree on operation") && text.contains("gains and offsets"), "{text}");
    }
    assert_eq!(normed(|_| None, |_| Affine::public(vec![1.0; 3], vec![0.0; 3])), [None, None]);
}

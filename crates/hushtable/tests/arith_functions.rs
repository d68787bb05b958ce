//! Functions made of comparisons: every number of 8 bits, and bounds of larger widths.

use crate::support::pairs;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{
        Absolute, Clamp, CompareDomain, CompareJob, ComparePlan, Comparison, Decomposition, DigitMethod,
        Equality, FaithfulTruncation, Fixed, Maximum, Multiplication, Objective, Relu, Truncation,
        VectorMaximum, below, carry_free_split, equal_to, fixed, inside,
    },
    gates::Bits,
    net::{Cost, wire_len},
    onehot::{Cyclic, OneHot},
};
use pairs::{both, pair};
use prim::{
    block::Block,
    prg::Prg,
    ring::{Ring, low},
};

/// The least and the greatest numbers of `narrow` bits, in a ring of `bits`.
fn ends(narrow: u32, bits: u32) -> impl Iterator<Item = u64> {
    let half = 1i64 << (narrow - 1);
    [-half, 1 - half, -1, 0, 1, half - 1].into_iter().map(move |x| low(x as u64, bits))
}

fn signed(x: u64, bits: u32) -> i64 {
    ((x << (64 - bits)) as i64) >> (64 - bits)
}

/// One party's shares, of masks that include the bounds.
fn shared<R: Ring>(role: Role, bits: u32, values: &[u64], seed: u64) -> AShare<R> {
    let mut masks = vec![0u64; values.len()];
    Prg::new(Block(u128::from(seed) + 1)).words(bits, &mut masks);
    let top = low(u64::MAX, bits);
    masks
        .iter_mut()
        .step_by(7)
        .zip([0, 1, top, top / 2, top / 2 + 1].iter().cycle())
        .for_each(|(m, b)| *m = *b);
    let mine = values.iter().zip(&masks).map(|(x, m)| match role {
        Role::P0 => R::from_u64(*m),
        Role::P1 => R::from_u64(x.wrapping_sub(*m)),
    });
    AShare::new(bits, mine.collect())
}

fn opened<R: Ring>(p: &mut Party, x: &AShare<R>) -> Result<Vec<u64>> {
    Ok(p.open(x)?.iter().map(|w| w.to_u64()).collect())
}

/// All numbers of 8 bits, or bounds and random ones.
fn numbers(bits: u32) -> Vec<u64> {
    if bits == 8 {
        return (0..256).collect();
    }
    let top = low(u64::MAX, bits);
    let mut numbers = vec![0u64; 100];
    Prg::new(Block(bits.into())).words(bits, &mut numbers);
    numbers.extend([
        0,
        1,
        2,
        top,
        top - 1,
        top / 2,
        top / 2 + 1,
        (top / 2).saturating_sub(1),
        top / 4,
        top - top / 4,
    ]);
    numbers
}

fn of_one<R: Ring>(p: &mut Party, bits: u32) -> Result<()> {
    let xs = numbers(bits);
    let (n, half) = (xs.len(), 1i64 << (bits - 2));
    let x = shared::<R>(p.role(), bits, &xs, 1);
    let job = CompareJob::new(bits, CompareDomain::Near, Objective::Total)?;
    let number = |x: &u64| signed(*x, bits);
    let got = Relu::prepare(p, job, n)?.relu(p, &x)?;
    let want: Vec<u64> = xs.iter().map(|x| number(x).max(0) as u64).collect();
    assert_eq!(opened(p, &got)?, want, "relu, {bits} bits");
    // In a smaller ring that holds the numbers: all of it, and both ends.
    for narrow in [2, bits / 2, bits - 1].into_iter().filter(|narrow| (2..bits).contains(narrow)) {
        let fit: Vec<u64> = xs
            .iter()
            .map(|x| low((number(x) >> (bits - narrow)) as u64, bits))
            .chain(ends(narrow, bits))
            .collect();
        let x = shared::<R>(p.role(), bits, &fit, 3);
        let job = CompareJob::new(narrow, CompareDomain::Near, Objective::Bytes)?;
        let got = Relu::within(p, job, bits, fit.len())?.relu(p, &x)?;
        let want: Vec<u64> = fit.iter().map(|x| number(x).max(0) as u64).collect();
        assert_eq!(opened(p, &got)?, want, "relu, {narrow} of {bits} bits");
    }
    let got = Absolute::prepare(p, job, n)?.abs(p, &x)?;
    let want: Vec<u64> = xs.iter().map(|x| low(number(x).wrapping_abs() as u64, bits)).collect();
    assert_eq!(opened(p, &got)?, want, "abs, {bits} bits");
    for (domain, least, most) in [
        (CompareDomain::Signed, -half - 1, half),
        (CompareDomain::Near, -3, 5),
        (CompareDomain::Signed, -1, -1),
    ] {
        // Near material is for numbers whose distance from the bounds fits.
        let near: Vec<u64> = match domain {
            CompareDomain::Near => xs.iter().map(|x| low((number(x) >> 1) as u64, bits)).collect(),
            _ => xs.clone(),
        };
        let x = shared::<R>(p.role(), bits, &near, 2);
        let job = CompareJob::new(bits, domain, Objective::Total)?;
        let bound = |b: i64| R::from_u64(low(b as u64, bits));
        let got = Clamp::prepare(p, job, n)?.clamp(p, &x, bound(least), bound(most))?;
        let want: Vec<u64> = near.iter().map(|x| low(number(x).clamp(least, most) as u64, bits)).collect();
        assert_eq!(opened(p, &got)?, want, "clamp to {least}..={most}, {bits} bits");
    }
    Ok(())
}

#[test]
fn of_one_number() {
    both(pair(1, None), |p| {
        of_one::<u8>(p, 8)?;
        of_one::<u16>(p, 16)?;
        of_one::<u64>(p, 33)?;
        of_one::<u64>(p, 64)
    });
}

#[test]
fn maxima_of_two_numbers_and_of_vectors() {
    both(pair(2, None), |p| {
        let (xs, ys): (Vec<u64>, Vec<u64>) = (0..1 << 16).map(|i| (i >> 8, i & 255)).unzip();
        let (x, y) = (shared::<u8>(p.role(), 8, &xs, 3), shared::<u8>(p.role(), 8, &ys, 4));
        for domain in [CompareDomain::Signed, CompareDomain::Unsigned] {
            let job = CompareJob::new(8, domain, Objective::Total)?;
            let order = |x: u64| if domain == CompareDomain::Signed { signed(x, 8) } else { x as i64 };
            let got = Maximum::prepare(p, job, xs.len())?.max(p, &x, &y)?;
            let larger = |(&x, &y): (&u64, &u64)| if order(x) >= order(y) { x } else { y };
            assert_eq!(opened(p, &got)?, xs.iter().zip(&ys).map(larger).collect::<Vec<_>>());
            for len in [1usize, 2, 3, 5, 8, 13] {
                // Few values, so that several are the largest.
                let values: Vec<u64> =
                    xs.iter().zip(&ys).take(40 * len).map(|(x, y)| (x * 7 + y * 129) & 0x83).collect();
                let x = shared::<u8>(p.role(), 8, &values, len as u64);
                let only = VectorMaximum::prepare(p, job, 40, len)?.max(p, &x)?;
                let (got, index) = VectorMaximum::with_index(p, job, 40, len)?.argmax(p, &x)?;
                let (only, got, index) = (opened(p, &only)?, opened(p, &got)?, opened(p, &index)?);
                for (i, v) in values.chunks(len).enumerate() {
                    let best = v.iter().copied().max_by_key(|&x| order(x)).expect("a number");
                    let first = v.iter().position(|&x| x == best).expect("it is there");
                    assert_eq!((only[i], got[i], index[i]), (best, best, first as u64), "{v:?}");
                }
            }
        }
        Ok(())
    });
}

fn bits_of(opened: &[u64], len: usize) -> Vec<bool> {
    (0..len).map(|i| opened[i / 64] >> (i % 64) & 1 == 1).collect()
}

#[test]
fn equality_of_every_pair_of_shares_of_8_bits_and_of_bounds() {
    both(pair(3, None), |p| {
        let mine = (0..1u64 << 16).map(|i| if p.role() == Role::P0 { i >> 8 } else { i & 255 } as u8);
        let (x, y) = (AShare::<u8>::new(8, mine.collect()), shared::<u8>(p.role(), 8, &vec![77; 1 << 16], 5));
        let want: Vec<bool> = (0..1u64 << 16).map(|i| ((i >> 8) + i) as u8 == 77).collect();
        for digit in 1..=6 {
            let equal = Equality::prepare(p, 8, digit, x.len())?.eq(p, &x, &y)?;
            assert_eq!(bits_of(&equal.open(p)?, x.len()), want, "digits of {digit}");
        }
        for (bits, digit) in [(1, 4), (2, 1), (13, 3), (32, 1), (33, 4), (64, 1), (64, 6)] {
            let xs = numbers(bits);
            let ys: Vec<u64> = xs
                .iter()
                .zip(0..)
                .map(|(x, i)| match i % 3 {
                    0 => *x,
                    1 => x ^ 1 << (i % bits),
                    _ => xs[0],
                })
                .collect();
            let (x, y) = (shared::<u64>(p.role(), bits, &xs, 6), shared::<u64>(p.role(), bits, &ys, 7));
            let equal = Equality::prepare(p, bits, digit, xs.len())?.eq(p, &x, &y)?;
            let want: Vec<bool> = xs.iter().zip(&ys).map(|(x, y)| x == y).collect();
            assert_eq!(bits_of(&equal.open(p)?, xs.len()), want, "{bits} bits, digits of {digit}");
        }
        let few = Equality::prepare(p, 8, 4, 3)?;
        assert!(matches!(few.eq(p, &y, &y), Err(Error::Shape { .. })));
        assert!(matches!(Equality::prepare(p, 65, 4, 3), Err(Error::Param { .. })));
        Ok(())
    });
}

#[test]
fn comparisons_with_public_numbers_read_one_one_hot() {
    both(pair(4, None), |p| {
        let xs: Vec<u64> = (0..128).map(|i| i % 64).collect();
        let x = shared::<u32>(p.role(), 6, &xs, 8);
        let at = OneHot::<Cyclic>::doubling(p, 6, 128)?.open_index(p, &x)?;
        p.take_cost();
        let mut check = |bits: Vec<Bits>, want: &dyn Fn(usize, u64) -> bool| -> Result<()> {
            for (k, bits) in bits.iter().enumerate() {
                let want: Vec<bool> = xs.iter().map(|&x| want(k, x)).collect();
                assert_eq!(bits_of(&bits.open(p)?, xs.len()), want, "number {k}");
            }
            Ok(())
        };
        let bounds: Vec<u64> = (0..=64).collect();
        let (lower, values) = (below(&at, 6, &bounds)?, equal_to(&at, 6, &bounds[..64])?);
        assert_eq!((lower.len(), values.len()), (65, 64));
        check(lower, &|k, x| x < bounds[k])?;
        check(values, &|k, x| x == bounds[k])?;
        let intervals = [0..64, 3..17, 16..17, 63..64, 5..5, 0..1];
        check(inside(&at, 6, &intervals)?, &|k, x| intervals[k].contains(&x))?;
        assert!(matches!(below(&at, 6, &[65]), Err(Error::Param { .. })));
        assert!(matches!(below(&at, 7, &[65]), Err(Error::Shape { .. })));
        assert!(below(&at, 6, &[])?.is_empty());
        Ok(())
    });
}

#[test]
fn digits_of_every_pair_of_shares_of_8_bits_and_of_bounds() {
    both(pair(5, None), |p| {
        let mine = (0..1u64 << 16).map(|i| if p.role() == Role::P0 { i >> 8 } else { i & 255 });
        let all = AShare::<u64>::new(8, mine.collect());
        let values: Vec<u64> = (0..1u64 << 16).map(|i| ((i >> 8) + i) & 255).collect();
        let mut cases = vec![(8, values, all)];
        for bits in [1, 5, 13, 31, 64] {
            let values = numbers(bits.max(2)).iter().map(|&x| low(x, bits)).collect::<Vec<_>>();
            let x = shared::<u64>(p.role(), bits, &values, 9);
            cases.push((bits, values, x));
        }
        for ((bits, values, x), digit) in
            cases.iter().flat_map(|case| (1..=6).map(move |digit| (case, digit)))
        {
            let digits = Decomposition::prepare(p, *bits, digit, values.len())?.digits(p, x)?;
            assert_eq!(digits.len() as u32, bits.div_ceil(digit));
            for (i, share) in (0..).zip(&digits) {
                let width = digit.min(bits - i * digit);
                let want: Vec<u64> = values.iter().map(|x| low(x >> (i * digit), width)).collect();
                assert_eq!(
                    (share.bits(), opened(p, share)?),
                    (width, want),
                    "digit {i} of {digit} bits, {bits}"
                );
            }
        }
        // Without a carry, at every place.
        let (_, values, all) = &cases[0];
        for (t, k) in (1..8).flat_map(|t| (1..=8 - t).map(move |k| (t, k))) {
            let (upper, lower) = carry_free_split::<u64, u16>(all, t, k, 12)?;
            let (upper, lower) = (opened(p, &upper)?, opened(p, &lower)?);
            for ((x, i), u) in values.iter().zip(upper).zip(lower) {
                assert!(u < 2 << t, "the lower part is small");
                assert_eq!(low((i << t) + u, t + k), low(*x, t + k), "{t} {k}");
            }
        }
        for (t, k, bits) in [(0, 3, 5), (3, 0, 5), (5, 4, 9), (3, 3, 3), (3, 3, 17)] {
            assert!(matches!(carry_free_split::<u64, u16>(all, t, k, bits), Err(Error::Param { .. })));
        }
        Ok(())
    });
}

#[test]
fn fixed_point_numbers_keep_their_scale() {
    both(pair(6, None), |p| {
        let values = [0.0, 1.5, -2.25, 100.0625, -0.1, 3.0];
        let words = fixed::encode::<u64>(&values, 40, 12)?;
        assert_eq!(fixed::encode::<u8>(&[0.25, -0.25, 0.24, -0.76], 8, 1)?, [1, 255, 0, 254]);
        let share = shared::<u64>(p.role(), 40, &words, 10);
        let x = Fixed::new(share.clone(), 12)?;
        assert_eq!((x.scale(), x.bits(), x.len()), (12, 40, 6));
        let near = |got: &[f64], want: &dyn Fn(f64) -> f64, down: f64| {
            for (got, v) in got.iter().zip(values) {
                let error = got - want(v);
                assert!((-down..=0.001).contains(&error), "{got} for {v}");
            }
        };
        near(&x.open(p)?, &|v| v, 0.001);
        near(&x.plus(&x)?.open(p)?, &|v| 2.0 * v, 0.001);
        near(&x.minus(&x)?.open(p)?, &|_| 0.0, 0.0);
        let squares = Multiplication::prepare(p, 40, 6)?;
        let product = x.times(p, squares, &x)?;
        assert_eq!(product.scale(), 24);
        near(&product.open(p)?, &|v| v * v, 0.001);
        let cut = Truncation::prepare(p, 40, 12, 6)?;
        let safe = product.rescale(p, cut)?;
        assert_eq!(safe.scale(), 12);
        let exact: Vec<f64> = product.open(p)?.iter().map(|v| (v * 4096.0).floor() / 4096.0).collect();
        for (got, want) in safe.open(p)?.iter().zip(&exact) {
            assert!([0.0, -1.0 / 4096.0].contains(&(got - want)), "{got} {want}");
        }
        let plan = ComparePlan { method: DigitMethod::Thermometer, digit: 4 };
        let material = FaithfulTruncation::prepare(p, 40, 12, plan, 6)?;
        assert_eq!(product.rescale_down(p, material)?.open(p)?, exact);
        assert!(matches!(x.plus(&product), Err(Error::Shape { .. })), "mixed scales");
        assert!(matches!(x.minus(&product), Err(Error::Shape { .. })), "mixed scales");
        let far = Truncation::prepare(p, 40, 13, 6)?;
        assert!(matches!(x.rescale(p, far), Err(Error::Param { .. })));
        let squares = Multiplication::prepare(p, 40, 6)?;
        assert!(
            matches!(product.times(p, squares, &product), Err(Error::Param { .. })),
            "48 bits behind the point of 40"
        );
        assert!(Fixed::new(share, 40).is_err());
        for bad in [f64::NAN, f64::INFINITY, 2f64.powi(27), -2f64.powi(27) - 1.0] {
            match fixed::encode::<u64>(&[1.0, bad], 40, 12) {
                Err(Error::Param { got, accepted, .. }) => {
                    // The place, and not the number.
                    assert_eq!(
                        (got.as_str(), accepted.as_str()),
                        ("the one at 1", "-134217728 to 134217727.99975586")
                    );
                }
                other => panic!("{bad}: {other:?}"),
            }
        }
        assert!(fixed::encode::<u64>(&[-2f64.powi(27)], 40, 12).is_ok());
        Ok(())
    });
}

/// Selecting costs 1 bit and the word each way, after the comparison.
#[test]
fn functions_cost_what_is_documented() {
    let (bits, n) = (20, 1000);
    let plan = ComparePlan { method: DigitMethod::Thermometer, digit: 4 };
    let job = CompareJob { bits, domain: CompareDomain::Near, plan };
    let run = |p: &mut Party| -> Result<[Cost; 4]> {
        let x = AShare::<u32>::new(bits, vec![3; n]);
        p.stock_cots(80 * n, 80 * n)?;
        let negative = Comparison::prepare(p, job, n)?;
        let (relu, absolute) = (Relu::prepare(p, job, n)?, Absolute::prepare(p, job, n)?);
        let equality = Equality::prepare(p, bits, 1, n)?;
        Ok([
            p.metered(|p| negative.negative(p, &x))?.1,
            p.metered(|p| relu.relu(p, &x))?.1,
            p.metered(|p| absolute.abs(p, &x))?.1,
            p.metered(|p| equality.eq(p, &x, &x))?.1,
        ])
    };
    let (at_p0, at_p1) = both(pair(7, None), run);
    assert_eq!(at_p0, at_p1);
    let bytes = |bits: usize| (n * bits).div_ceil(8);
    // 19 bits in digits of 4, 4, 4, 4 and 3: pairs with 1, 2; 1; 1 ANDs.
    let pair = |opened: usize| wire_len(opened * n.div_ceil(8));
    let sign = wire_len([4, 4, 4, 4, 3].map(bytes).iter().sum()) + 3 * pair(2) + pair(3);
    let selected = |bits: usize| sign + wire_len(bytes(1) + bytes(bits));
    let cost = |sent, rounds| Cost { sent, received: sent, rounds };
    assert_eq!(at_p0[..3], [cost(sign, 4), cost(selected(20), 5), cost(selected(19), 5)]);
    // 20 bits: pairs of all items of a level in one message: 10, 5, 2, 1 and 1 of them.
    let level = |pairs: usize| wire_len(2 * (pairs * n).div_ceil(8));
    assert_eq!(at_p0[3], cost([10, 5, 2, 1, 1].map(level).iter().sum(), 5));
}

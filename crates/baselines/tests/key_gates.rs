//! Gates by keys and by additive one-hot vectors, in one opening: every share of small numbers against plain functions,
//! boundary values at larger widths, bills, what is refused.

use crate::support::{
    billed::{check, check_parts},
    pairs::{both, pair},
    shares::{number, own, random, shares, signed},
};

use std::ops::Range;

use hushtable::{
    AShare, Error, Party, Result,
    bill::Phase,
    source::{self, Origin, Shape, Window},
};
use hushtable_baselines::dfss::{
    AdditiveContainment, OneRoundDigits, Piecewise, PiecewiseJob, SecretPiecewise,
};
use prim::ring::{Ring, low};

fn contain(
    p: &mut Party,
    [bits, ring]: [u32; 2],
    intervals: &[Range<u64>],
    shares: &[[u64; 2]],
) -> Result<()> {
    let x = own::<_, u32>(p.role(), bits, shares);
    let found = AdditiveContainment::prepare(p, bits, ring, shares.len())?.inside(p, &x, intervals)?;
    for (interval, found) in intervals.iter().zip(&found) {
        for (pair, got) in shares.iter().zip(p.open(found)?) {
            let want = u64::from(interval.contains(&number(*pair, bits)));
            assert_eq!(got, want, "{pair:?} of {bits} bits in {interval:?} mod 2^{ring}");
        }
    }
    Ok(())
}

/// Every interval of few bits at every share; bounds of words and of the whole above.
#[test]
fn intervals() {
    both(pair(300, None), |p| {
        for bits in 1..=3 {
            let n = 1u64 << bits;
            let all: Vec<_> = (0..=n).flat_map(|a| (0..=n).map(move |b| a..b)).collect();
            for ring in [1, 2, 9, 64] {
                contain(p, [bits, ring], &all, &shares(bits))?;
            }
        }
        for (bits, ring) in [(4, 7), (6, 16), (8, 33), (10, 7), (16, 16), (20, 64)] {
            let n = 1u64 << bits;
            let cuts = [0, 1, 5, n / 2 - 1, n / 2, n - 1, n].map(|cut| cut.min(n));
            let all: Vec<_> = cuts.iter().flat_map(|&a| cuts.iter().map(move |&b| a..b)).collect();
            contain(p, [bits, ring], &all, &shares(bits)[..60])?;
        }
        Ok(())
    });
}

/// Every pair of numbers of few bits that are near enough, and the sign of every number.
#[test]
fn orders_and_signs() {
    both(pair(301, None), |p| {
        for (bits, ring) in [(1, 3), (2, 1), (3, 8), (4, 64), (5, 16)] {
            let shares = shares(bits);
            let x = own::<_, u16>(p.role(), bits, &shares);
            let sign = AdditiveContainment::prepare(p, bits, ring, shares.len())?.negative(p, &x)?;
            for (pair, sign) in shares.iter().zip(p.open(&sign)?) {
                assert_eq!(sign == 1, signed(number(*pair, bits), bits) < 0, "{pair:?} of {bits} bits");
            }
            // Both numbers as one party's: their difference is shared anyhow.
            let x = own::<_, u16>(p.role(), bits, &shares.iter().map(|s| [s[0], 0]).collect::<Vec<_>>());
            let y = own::<_, u16>(p.role(), bits, &shares.iter().map(|s| [0, s[1]]).collect::<Vec<_>>());
            let less = AdditiveContainment::prepare(p, bits, ring, shares.len())?.less(p, &x, &y)?;
            let half = 1i64 << (bits - 1);
            for ([x, y], less) in shares.iter().zip(p.open(&less)?) {
                let plain = [*x as i64, *y as i64];
                for [x, y] in [plain, [signed(*x, bits), signed(*y, bits)]] {
                    assert!(
                        !(-half..half).contains(&(x - y)) || (less == 1) == (x < y),
                        "{x} < {y} of {bits} bits"
                    );
                }
            }
        }
        Ok(())
    });
}

/// Coefficients of pieces, some negative.
fn coefficients(job: PiecewiseJob, pieces: usize) -> Vec<Vec<u64>> {
    let words = random(job.ring, pieces * (job.degree as usize + 1), 7);
    words.chunks(job.degree as usize + 1).map(<[u64]>::to_vec).collect()
}

/// The plain twin.
fn value(job: PiecewiseJob, cuts: &[u64], coefficients: &[Vec<u64>], x: u64) -> u64 {
    let piece = cuts.iter().filter(|&&q| q <= x).count();
    let horner = |sum: u64, a: &u64| sum.wrapping_mul(x).wrapping_add(*a);
    low(coefficients[piece].iter().rev().fold(0, horner), job.ring)
}

fn piecewise(p: &mut Party, job: PiecewiseJob, cuts: &[u64], shares: &[[u64; 2]]) -> Result<()> {
    let x = own::<_, u32>(p.role(), job.bits, shares);
    let plain = coefficients(job, cuts.len() + 1);
    let y = Piecewise::prepare(p, job, shares.len())?.eval(p, &x, cuts, &plain)?;
    for (pair, y) in shares.iter().zip(p.open(&y)?) {
        let x = number(*pair, job.bits);
        assert_eq!(y, value(job, cuts, &plain, x), "{job:?}, {cuts:?}, {pair:?}");
    }
    Ok(())
}

#[test]
fn polynomials_of_pieces() {
    both(pair(302, None), |p| {
        for bits in 1..=4 {
            let n = 1u64 << bits;
            let every: Vec<u64> = (1..n).collect();
            for degree in 0..=3 {
                for ring in [bits, 13, 64] {
                    let job = PiecewiseJob { bits, ring, degree };
                    for cuts in [&[][..], &[1], &[n - 1], &[1, n / 2 + 1], &every] {
                        let ascend = cuts.windows(2).all(|pair| pair[0] < pair[1]);
                        if ascend && cuts.iter().all(|&q| q < n) {
                            piecewise(p, job, cuts, &shares(bits))?;
                        }
                    }
                }
            }
        }
        for (bits, ring, degree) in [(7, 20, 3), (9, 40, 2), (16, 34, 2), (20, 64, 1)] {
            let n = 1u64 << bits;
            let job = PiecewiseJob { bits, ring, degree };
            piecewise(p, job, &[1, 5, n / 4, n / 2, n - 3], &shares(bits)[..100])?;
        }
        Ok(())
    });
}

/// A fitted function: the truncated result is the rounded value or next to it.
#[test]
fn a_spline_in_one_round() {
    both(pair(303, None), |p| {
        // x^2 / 2^8 + 3 for x < 100, and 42 from there on, with 8 bits to take off.
        let job = PiecewiseJob { bits: 8, ring: 24, degree: 2 };
        let shares = shares(8);
        let x = own::<_, u32>(p.role(), 8, &shares);
        let pieces = [vec![3 << 8, 0, 1], vec![42 << 8, 0, 0]];
        let y = Piecewise::prepare(p, job, shares.len())?.eval(p, &x, &[100], &pieces)?;
        let y = hushtable::arith::truncate_reduce(&y, 8)?;
        for (pair, y) in shares.iter().zip(p.open(&y)?) {
            let x = number(*pair, 8);
            let floor = if x < 100 { x * x / 256 + 3 } else { 42 };
            assert!(y == floor || y + 1 == floor, "{y} for {floor} at {x}");
        }
        Ok(())
    });
}

#[test]
fn secret_coefficients() {
    both(pair(304, None), |p| {
        for (bits, ring, degree) in [(1, 1, 0), (2, 9, 1), (3, 16, 2), (3, 64, 3), (9, 20, 2)] {
            let job = PiecewiseJob { bits, ring, degree };
            let n = 1u64 << bits;
            let cuts = [1, n - 1];
            let cuts = if n > 2 { &cuts[..] } else { &cuts[..1] };
            let shares = &shares(bits)[..if bits > 5 { 50 } else { 1 << (2 * bits) }];
            let columns = (cuts.len() + 1) * (degree as usize + 1);
            // Every number has polynomials of its own.
            let all = random(ring, columns * shares.len(), 11);
            let masks = random(ring, columns * shares.len(), 12);
            let column = |c: usize| -> Vec<[u64; 2]> {
                let at = c * shares.len()..(c + 1) * shares.len();
                all[at.clone()]
                    .iter()
                    .zip(&masks[at])
                    .map(|(a, r)| [*r, low(a.wrapping_sub(*r), ring)])
                    .collect()
            };
            let given: Vec<AShare<u64>> = (0..columns).map(|c| own(p.role(), ring, &column(c))).collect();
            let x = own::<_, u32>(p.role(), bits, shares);
            let material = SecretPiecewise::prepare(p, job, cuts.len() + 1, shares.len())?;
            let y = material.eval(p, &x, cuts, &given)?;
            for (i, (pair, y)) in shares.iter().zip(p.open(&y)?).enumerate() {
                let own: Vec<u64> = (0..columns).map(|c| all[c * shares.len() + i]).collect();
                let pieces: Vec<Vec<u64>> = own.chunks(degree as usize + 1).map(<[u64]>::to_vec).collect();
                assert_eq!(y, value(job, cuts, &pieces, number(*pair, bits)), "{job:?}, {pair:?}");
            }
        }
        Ok(())
    });
}

fn digits<R: Ring>(p: &mut Party, bits: u32, digit: u32) -> Result<()> {
    let shares = shares(bits);
    let x = own::<_, u64>(p.role(), bits, &shares);
    let found = OneRoundDigits::<R>::prepare(p, bits, digit, shares.len())?.digits(p, &x)?;
    assert_eq!(found.len(), bits.div_ceil(digit) as usize);
    for (at, found) in (0..bits).step_by(digit as usize).zip(found) {
        let width = digit.min(bits - at);
        assert_eq!(found.bits(), width);
        for (pair, got) in shares.iter().zip(p.open(&found)?) {
            let want = low(number(*pair, bits) >> at, width);
            assert_eq!(got.to_u64(), want, "{pair:?} of {bits} bits, digit of {digit} at {at}");
        }
    }
    Ok(())
}

#[test]
fn digits_in_one_opening() {
    both(pair(305, None), |p| {
        for bits in 2..=5 {
            (1..bits).try_for_each(|digit| digits::<u8>(p, bits, digit))?;
        }
        digits::<u8>(p, 8, 4)?;
        digits::<u8>(p, 16, 4)?;
        digits::<u8>(p, 16, 8)?;
        digits::<u16>(p, 16, 13)?;
        digits::<u16>(p, 20, 15)
    });
}

/// A multiple of 8: all messages are whole bytes.
const N: usize = 64;

fn ones(bits: u32) -> AShare<u64> {
    AShare::new(bits, vec![1; N])
}

#[test]
fn bills_are_what_they_cost() {
    for (bits, ring) in [(1, 1), (3, 9), (8, 16), (10, 7), (12, 64)] {
        check(
            &format!("intervals of {bits} bits mod 2^{ring}"),
            AdditiveContainment::bill(bits, ring).expect("a bill").times(N),
            |p| AdditiveContainment::prepare(p, bits, ring, N),
            |s, m| m.inside(s, &ones(bits), &[0..1, 1..2]).map(drop),
        );
    }
    for (bits, ring, degree) in [(1, 1, 0), (3, 9, 1), (8, 16, 2), (10, 40, 3)] {
        let job = PiecewiseJob { bits, ring, degree };
        check_parts(
            &format!("{job:?}"),
            job.bill().expect("a bill").times(N),
            0,
            |p| Piecewise::prepare(p, job, N),
            |s, m| m.powers(s, &ones(bits), &[1]).map(drop),
        );
        check_parts(
            &format!("{job:?} with secret coefficients"),
            SecretPiecewise::bill(&job, 2).expect("a bill").times(N),
            0,
            |p| SecretPiecewise::prepare(p, job, 2, N),
            |s, m| {
                let all = vec![ones(ring); 2 * (degree as usize + 1)];
                m.eval(s, &ones(bits), &[1], &all).map(drop)
            },
        );
    }
    for (bits, digit) in [(2, 1), (8, 4), (9, 4), (16, 5), (16, 8)] {
        check_parts(
            &format!("digits of {digit} of {bits} bits"),
            OneRoundDigits::<u8>::bill(bits, digit).expect("a bill").times(N),
            0,
            |p| OneRoundDigits::<u8>::prepare(p, bits, digit, N),
            |s, m| m.digits(s, &ones(bits)).map(drop),
        );
    }
}

/// What is written down gives the results when it is read, in pieces, and its size is that of its shape.
#[test]
fn material_that_was_bytes() {
    const ITEMS: usize = 24;
    let job = PiecewiseJob { bits: 10, ring: 30, degree: 2 };
    let given = &shares(10)[..ITEMS];
    let make = |from: &mut Origin<'_>, items: usize| {
        Ok((AdditiveContainment::prepare(from, 10, 16, items)?, Piecewise::prepare(from, job, items)?))
    };
    let shape = Shape::of("keys".into(), |from, items| make(from, items).map(drop)).expect("a shape");
    both(pair(307, None), |p| {
        let bytes = source::written(p, 0, |from| make(from, ITEMS))?;
        assert_eq!(bytes.len(), shape.bytes(ITEMS));
        let (role, mut before) = (p.role(), 0);
        for wanted in [5, 1, 8, 10] {
            let window = Window { items: ITEMS, before, wanted };
            let (keys, pieces) = source::read(&bytes, role, window, |from| make(from, wanted))?;
            let part = &given[before..before + wanted];
            before += wanted;
            let x = own::<_, u32>(role, 10, part);
            let below = keys.below(p, &x, &[300])?.remove(0);
            let plain = coefficients(job, 2);
            let y = pieces.eval(p, &x, &[77], &plain)?;
            let (below, y) = (p.open(&below)?, p.open(&y)?);
            for (pair, (below, y)) in part.iter().zip(below.into_iter().zip(y)) {
                let x = number(*pair, 10);
                assert_eq!((below, y), (u64::from(x < 300), value(job, &[77], &plain, x)), "{pair:?}");
            }
        }
        Ok(())
    });
}

#[test]
fn costs() {
    let online = |bits: u64| Phase { bits: [bits; 2], rounds: 1 };
    let contained = AdditiveContainment::bill(16, 16).unwrap();
    assert_eq!(contained.online, online(16));
    assert!(contained.bytes() < 642.0, "{} bytes", contained.bytes());
    let digits = OneRoundDigits::<u8>::bill(16, 8).unwrap();
    assert_eq!(digits.online, online(9));
    let spline = PiecewiseJob { bits: 16, ring: 34, degree: 2 };
    assert_eq!(spline.bill().unwrap().online, online(16));
    assert_eq!(SecretPiecewise::bill(&spline, 4).unwrap().online.rounds, 2);
}

#[test]
fn refused() {
    both(pair(306, None), |p| {
        let param = |e: Result<()>| assert!(matches!(e, Err(Error::Param { .. })), "{e:?}");
        let shape = |e: Result<()>| assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
        for (bits, ring) in [(0, 8), (25, 8), (8, 0), (8, 65)] {
            param(AdditiveContainment::prepare(p, bits, ring, 1).map(drop));
            param(AdditiveContainment::bill(bits, ring).map(drop));
        }
        param(AdditiveContainment::prepare(p, 8, 8, 1 << 16).map(drop));
        let x = AShare::<u16>::new(5, vec![0; 3]);
        param(AdditiveContainment::prepare(p, 5, 8, 3)?.below(p, &x, &[33]).map(drop));
        shape(AdditiveContainment::prepare(p, 5, 8, 2)?.below(p, &x, &[3]).map(drop));
        shape(AdditiveContainment::prepare(p, 6, 8, 3)?.below(p, &x, &[3]).map(drop));
        for (bits, ring, degree) in [(0, 8, 1), (25, 30, 1), (8, 7, 1), (8, 65, 1), (8, 16, 4)] {
            let job = PiecewiseJob { bits, ring, degree };
            param(Piecewise::prepare(p, job, 1).map(drop));
            param(SecretPiecewise::bill(&job, 1).map(drop));
        }
        let job = PiecewiseJob { bits: 5, ring: 8, degree: 1 };
        for cuts in [&[0][..], &[32], &[7, 7], &[9, 3], &[1, u64::MAX]] {
            param(Piecewise::prepare(p, job, 3)?.powers(p, &x, cuts).map(drop));
        }
        shape(Piecewise::prepare(p, job, 2)?.powers(p, &x, &[3]).map(drop));
        shape(Piecewise::prepare(p, job, 3)?.eval(p, &x, &[3], &[vec![1, 2]]).map(drop));
        shape(Piecewise::prepare(p, job, 3)?.eval(p, &x, &[3], &[vec![1, 2], vec![1]]).map(drop));
        param(SecretPiecewise::prepare(p, job, 0, 3).map(drop));
        param(SecretPiecewise::prepare(p, job, 33, 3).map(drop));
        shape(SecretPiecewise::prepare(p, job, 1, 3)?.eval(p, &x, &[], &[]).map(drop));
        for (bits, digit) in [(1, 1), (5, 0), (5, 5), (65, 60), (32, 8), (17, 16)] {
            param(OneRoundDigits::<u8>::prepare(p, bits, digit, 1).map(drop));
            param(OneRoundDigits::<u8>::bill(bits, digit).map(drop));
        }
        param(OneRoundDigits::<u16>::prepare(p, 8, 4, 1).map(drop));
        shape(OneRoundDigits::<u8>::prepare(p, 5, 3, 2)?.digits(p, &x).map(drop));
        Ok(())
    });
}

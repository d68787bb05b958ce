//! Truncation, extension and intervals in one opening: every share of small numbers, boundary values at larger widths,
//! costs.

use crate::support::{
    pairs::{both, pair},
    shares::{number, own, shares, signed},
};

use std::ops::Range;

use hushtable::{
    AShare, Error, Party, Result,
    arith::{Containment, OneRoundExtension, OneRoundReduction, OneRoundTruncation},
    bill::Phase,
};
use prim::ring::Ring;

fn reduce<R: Ring>(p: &mut Party, bits: u32, f: u32) -> Result<()> {
    let shares = shares(bits);
    let x = own::<_, u64>(p.role(), bits, &shares);
    let y = OneRoundReduction::<R>::prepare(p, bits, f, shares.len())?.reduce(p, &x)?;
    assert_eq!(y.bits(), bits - f);
    for (pair, y) in shares.iter().zip(p.open(&y)?) {
        assert_eq!(y.to_u64(), number(*pair, bits) >> f, "{pair:?} of {bits} bits by {f}");
    }
    Ok(())
}

#[test]
fn truncate_and_reduce() {
    both(pair(90, None), |p| {
        for bits in 2..=5 {
            (1..bits).try_for_each(|f| reduce::<u8>(p, bits, f))?;
        }
        reduce::<u8>(p, 16, 9)?;
        reduce::<u8>(p, 16, 8)?;
        reduce::<u16>(p, 12, 1)?;
        reduce::<u32>(p, 32, 7)?;
        reduce::<u64>(p, 64, 12)
    });
}

fn truncate<R: Ring>(p: &mut Party, bits: u32, f: u32) -> Result<()> {
    let quarter = 1i64 << (bits - 2);
    let inside = |pair: &[u64; 2]| (-quarter..quarter).contains(&signed(number(*pair, bits), bits));
    let shares: Vec<[u64; 2]> = shares(bits).into_iter().filter(inside).collect();
    let x = own::<_, R>(p.role(), bits, &shares);
    let y = OneRoundTruncation::<R>::prepare(p, bits, f, shares.len())?.truncate(p, &x)?;
    for (pair, y) in shares.iter().zip(p.open(&y)?) {
        let want = signed(number(*pair, bits), bits) >> f;
        assert_eq!(signed(y.to_u64(), bits), want, "{pair:?} of {bits} bits by {f}");
    }
    Ok(())
}

#[test]
fn truncation_of_signed_numbers() {
    both(pair(91, None), |p| {
        for bits in 3..=5 {
            (1..=bits - 2).try_for_each(|f| truncate::<u8>(p, bits, f))?;
        }
        truncate::<u8>(p, 8, 3)?;
        truncate::<u16>(p, 16, 9)?;
        truncate::<u32>(p, 20, 4)?;
        truncate::<u64>(p, 64, 11)
    });
}

fn extend<R: Ring>(p: &mut Party, [l, k]: [u32; 2]) -> Result<()> {
    let shares = shares(l);
    let x = own::<_, u16>(p.role(), l, &shares);
    let zero: AShare<u64> = OneRoundExtension::<R>::prepare(p, [l, k], shares.len())?.zero(p, &x)?;
    let sign: AShare<u64> = OneRoundExtension::<R>::prepare(p, [l, k], shares.len())?.sign(p, &x)?;
    let (zero, sign) = (p.open(&zero)?, p.open(&sign)?);
    for (pair, (zero, sign)) in shares.iter().zip(zero.into_iter().zip(sign)) {
        assert_eq!(zero, number(*pair, l), "{pair:?} from {l} to {k} bits");
        assert_eq!(signed(sign, k), signed(number(*pair, l), l), "{pair:?} from {l} to {k} bits");
    }
    Ok(())
}

#[test]
fn extensions() {
    both(pair(92, None), |p| {
        for l in 1..=5 {
            extend::<u8>(p, [l, l + 1])?;
            extend::<u8>(p, [l, l + 8])?;
            extend::<u64>(p, [l, 64])?;
        }
        extend::<u16>(p, [9, 20])?;
        extend::<u32>(p, [12, 37])
    });
}

fn contain(p: &mut Party, bits: u32, intervals: &[Range<u64>], shares: &[[u64; 2]]) -> Result<()> {
    let x = own::<_, u32>(p.role(), bits, shares);
    let found = Containment::prepare(p, bits, shares.len())?.inside(p, &x, intervals)?;
    for (interval, found) in intervals.iter().zip(&found) {
        let opened = found.open(p)?;
        for (i, pair) in shares.iter().enumerate() {
            let got = opened[i / 64] >> (i % 64) & 1 == 1;
            assert_eq!(
                got,
                interval.contains(&number(*pair, bits)),
                "{pair:?} of {bits} bits in {interval:?}"
            );
        }
    }
    Ok(())
}

/// Every interval of few bits at every share; bounds of words and of the whole above.
#[test]
fn intervals() {
    both(pair(93, None), |p| {
        for bits in 1..=4 {
            let n = 1u64 << bits;
            let all: Vec<_> = (0..=n).flat_map(|a| (0..=n).map(move |b| a..b)).collect();
            contain(p, bits, &all, &shares(bits))?;
        }
        for bits in [6, 7, 8, 9, 10, 12, 16] {
            let n = 1u64 << bits;
            let cuts = [0, 1, 5, 63, 64, 65, n / 2 - 1, n / 2, n - 1, n].map(|cut| cut.min(n));
            let all: Vec<_> = cuts.iter().flat_map(|&a| cuts.iter().map(move |&b| a..b)).collect();
            contain(p, bits, &all, &shares(bits)[..300])?;
        }
        Ok(())
    });
}

#[test]
fn thresholds_and_values() {
    both(pair(94, None), |p| {
        let shares = shares(5);
        let x = own::<_, u16>(p.role(), 5, &shares);
        let below = Containment::prepare(p, 5, shares.len())?.below(p, &x, &[0, 7, 31, 32])?;
        let equal = Containment::prepare(p, 5, shares.len())?.equal_to(p, &x, &[0, 7, 31])?;
        let opened = below.iter().chain(&equal).map(|bits| bits.open(p)).collect::<Result<Vec<_>>>()?;
        for (i, pair) in shares.iter().enumerate() {
            let x = number(*pair, 5);
            let want = [false, x < 7, x < 31, true, x == 0, x == 7, x == 31];
            let got: Vec<bool> = opened.iter().map(|words| words[i / 64] >> (i % 64) & 1 == 1).collect();
            assert_eq!(got, want, "{x}");
        }
        Ok(())
    });
}

#[test]
fn costs() {
    let online = |bits: u64| Phase { bits: [bits; 2], rounds: 1 };
    let reduced = OneRoundReduction::<u8>::bill(16, 9).unwrap();
    assert_eq!(reduced.online, online(10));
    assert!(reduced.bytes() < 280.0, "{} bytes", reduced.bytes());
    assert_eq!(OneRoundTruncation::<u16>::bill(16, 9).unwrap().online, online(12));
    assert_eq!(OneRoundExtension::<u8>::bill([12, 16]).unwrap().online, online(13));
    let contained = Containment::bill(16).unwrap();
    assert_eq!(contained.online, online(16));
    assert!(contained.bytes() < 400.0, "{} bytes", contained.bytes());
}

#[test]
fn refused() {
    both(pair(95, None), |p| {
        for (bits, f) in [(1, 1), (16, 0), (16, 16), (32, 16), (65, 9)] {
            assert!(OneRoundReduction::<u64>::prepare(p, bits, f, 1).is_err(), "{bits} {f}");
            assert!(
                OneRoundReduction::<u64>::bill(bits, f).is_err()
                    && OneRoundTruncation::<u64>::bill(bits, f).is_err()
            );
        }
        for widths in [[0, 4], [4, 4], [16, 20], [4, 65]] {
            assert!(OneRoundExtension::<u64>::prepare(p, widths, 1).is_err(), "{widths:?}");
            assert!(OneRoundExtension::<u64>::bill(widths).is_err());
        }
        let wide = OneRoundReduction::<u16>::prepare(p, 16, 9, 1);
        assert!(matches!(wide, Err(Error::Param { what: "words for a carry", .. })));
        for bits in [0, 21] {
            assert!(Containment::prepare(p, bits, 1).is_err() && Containment::bill(bits).is_err());
        }
        let x = AShare::<u16>::new(5, vec![0; 3]);
        let made = Containment::prepare(p, 5, 3)?;
        assert!(matches!(made.below(p, &x, &[33]), Err(Error::Param { .. })));
        let made = Containment::prepare(p, 5, 2)?;
        assert!(matches!(made.below(p, &x, &[3]), Err(Error::Shape { .. })));
        let made = OneRoundReduction::<u8>::prepare(p, 5, 3, 2)?;
        assert!(matches!(made.reduce(p, &x), Err(Error::Shape { .. })));
        Ok(())
    });
}

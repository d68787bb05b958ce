//! Truncation and extension in one opening: every share of small numbers, boundary values at larger widths,
//! costs.

use crate::support::{
    pairs::{both, pair},
    shares::{number, own, shares, signed},
};

use hushtable::{AShare, Error, Party, Result, bill::Phase};
use hushtable_baselines::dfss::{OneRoundExtension, OneRoundReduction, OneRoundTruncation};
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

#[test]
fn costs() {
    let online = |bits: u64| Phase { bits: [bits; 2], rounds: 1 };
    let reduced = OneRoundReduction::<u8>::bill(16, 9).unwrap();
    assert_eq!(reduced.online, online(10));
    assert!(reduced.bytes() < 280.0, "{} bytes", reduced.bytes());
    assert_eq!(OneRoundTruncation::<u16>::bill(16, 9).unwrap().online, online(12));
    assert_eq!(OneRoundExtension::<u8>::bill([12, 16]).unwrap().online, online(13));
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
        let x = AShare::<u16>::new(5, vec![0; 3]);
        let made = OneRoundReduction::<u8>::prepare(p, 5, 3, 2)?;
        assert!(matches!(made.reduce(p, &x), Err(Error::Shape { .. })));
        Ok(())
    });
}

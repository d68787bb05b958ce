//! Intervals in one opening: every share of small numbers, boundary values at larger widths, costs.

use crate::support::{
    pairs::{both, pair},
    shares::{number, own, shares},
};

use std::ops::Range;

use hushtable::{AShare, Error, Party, Result, arith::Containment, bill::Phase};

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
    let contained = Containment::bill(16).unwrap();
    assert_eq!(contained.online, Phase { bits: [16; 2], rounds: 1 });
    assert!(contained.bytes() < 400.0, "{} bytes", contained.bytes());
}

#[test]
fn refused() {
    both(pair(95, None), |p| {
        for bits in [0, 21] {
            assert!(Containment::prepare(p, bits, 1).is_err() && Containment::bill(bits).is_err());
        }
        let x = AShare::<u16>::new(5, vec![0; 3]);
        let made = Containment::prepare(p, 5, 3)?;
        assert!(matches!(made.below(p, &x, &[33]), Err(Error::Param { .. })));
        let made = Containment::prepare(p, 5, 2)?;
        assert!(matches!(made.below(p, &x, &[3]), Err(Error::Shape { .. })));
        Ok(())
    });
}

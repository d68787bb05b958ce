//! Numbers shared by XOR as additive ones: every small one, ends of larger ones, what it costs and what is refused.

use crate::support::{
    billed::check,
    pairs::{both, pair},
    shares::{own, shares, signed},
};

use hushtable::{BShare, Error, arith::XorToAdditive};
use prim::ring::low;

/// Widths of the numbers and of the ring.
const WIDTHS: [[u32; 2]; 15] = [
    [1, 1],
    [1, 2],
    [1, 64],
    [2, 2],
    [2, 3],
    [3, 8],
    [4, 5],
    [5, 64],
    [8, 8],
    [8, 32],
    [16, 17],
    [30, 64],
    [32, 64],
    [63, 64],
    [64, 64],
];

#[test]
fn every_share_of_a_small_number_and_ends_of_larger_ones() {
    for (i, [w, l]) in WIDTHS.into_iter().enumerate() {
        let pairs = shares(w);
        let numbers: Vec<u64> = pairs.iter().map(|[a, b]| a ^ b).collect();
        both(pair(1300 + i as u64, None), |p| {
            let x: BShare<u64> = own(p.role(), w, &pairs);
            let material = XorToAdditive::prepare(p, [w, l], x.len())?;
            assert_eq!((material.len(), material.is_empty()), (x.len(), false));
            let y = material.unsigned(p, &x)?;
            assert_eq!((y.bits(), p.open(&y)?), (l, numbers.clone()), "unsigned, {w} to {l}");
            let y = XorToAdditive::prepare(p, [w, l], x.len())?.signed(p, &x)?;
            let want: Vec<u64> = numbers.iter().map(|&x| low(signed(x, w) as u64, l)).collect();
            assert_eq!(p.open(&y)?, want, "signed, {w} to {l}");
            Ok(())
        });
    }
}

#[test]
fn bills_are_met() {
    const N: usize = 64;
    for [w, l] in WIDTHS {
        for sign in [false, true] {
            check(
                &format!("{w} to {l} bits, signed: {sign}"),
                XorToAdditive::bill([w, l]).expect("a bill").times(N),
                |p| XorToAdditive::prepare(p, [w, l], N),
                |s, m| {
                    let x = BShare::new(w, vec![1; N]);
                    if sign { m.signed(s, &x) } else { m.unsigned(s, &x) }.map(drop)
                },
            );
        }
    }
    // What the page says: of 8 bits to 64, and with 5 times as many bits from 5 bits on at most.
    let bill = XorToAdditive::bill([8, 64]).expect("a bill");
    assert_eq!((bill.all_cots(), bill.online.all_bits(), bill.online.rounds), (10, 35 + 4 + 56, 3));
}

#[test]
fn what_does_not_fit_is_refused() {
    both(pair(1320, None), |p| {
        for widths in [[0, 1], [2, 1], [1, 65], [65, 65], [u32::MAX, u32::MAX]] {
            let refused =
                |error: Error| assert!(error.to_string().contains("widths of a conversion"), "{error}");
            refused(XorToAdditive::prepare(p, widths, 3).map(drop).expect_err("such widths"));
            refused(XorToAdditive::bill(widths).expect_err("such widths"));
        }
        let material = XorToAdditive::prepare(p, [8, 20], 3)?;
        let few = material.signed(p, &BShare::new(8, vec![1; 2]));
        assert!(matches!(few, Err(Error::Shape { want: 3, got: 2, .. })));
        let material = XorToAdditive::prepare(p, [8, 20], 3)?;
        let narrow = material.signed(p, &BShare::new(7, vec![1; 3]));
        assert!(matches!(narrow, Err(Error::Shape { want: 8, got: 7, .. })));
        assert!(XorToAdditive::prepare(p, [8, 20], 0)?.is_empty());
        Ok(())
    });
}

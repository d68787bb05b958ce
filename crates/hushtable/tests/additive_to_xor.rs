//! Additive shares as XOR shares of bits: every small number, ends of larger ones, what it costs and what is refused.

use crate::support::{
    billed::check,
    pairs::{both, pair},
    shares::{own, shares},
};

use hushtable::{AShare, Error, arith::AdditiveToXor};
use prim::{Prg, block::Block, ring::low};

#[test]
fn every_share_of_a_small_number_and_ends_of_larger_ones() {
    for bits in 1..=64 {
        // Of few bits all; else also random ones, whose carries go any way.
        let mut pairs = shares(bits);
        let mut prg = Prg::new(Block(bits.into()));
        pairs.extend((0..200).map(|_| [0, 1].map(|_| low(prg.block().0 as u64, bits))));
        let want: Vec<u64> = pairs.iter().map(|[a, b]| low(a.wrapping_add(*b), bits)).collect();
        both(pair(2900 + u64::from(bits), None), |p| {
            let x: AShare<u64> = own(p.role(), bits, &pairs);
            let material = AdditiveToXor::prepare(p, bits, x.len())?;
            assert_eq!((material.len(), material.is_empty()), (x.len(), false));
            let y = material.bits(p, &x)?;
            assert_eq!((y.bits(), p.open(&y)?), (bits, want.clone()), "{bits} bits");
            Ok(())
        });
    }
}

#[test]
fn bills_are_met() {
    const N: usize = 64;
    for bits in [1, 2, 3, 4, 5, 8, 13, 32, 33, 64] {
        check(
            &format!("{bits} bits"),
            AdditiveToXor::bill(bits).expect("a bill").times(N),
            |p| AdditiveToXor::prepare(p, bits, N),
            |s, m| m.bits(s, &AShare::<u64>::new(bits, vec![1; N])).map(drop),
        );
    }
    // What the page says: of 4 bits three products, and of the tree's two pairs both begin at bit 0.
    let bill = AdditiveToXor::bill(4).expect("a bill");
    assert_eq!((bill.online.all_bits(), bill.online.rounds), (3 * 2 + 2 * 4, 3));
}

#[test]
fn what_does_not_fit_is_refused() {
    both(pair(2980, None), |p| {
        for bits in [0, 65, u32::MAX] {
            let refused =
                |error: Error| assert!(error.to_string().contains("width of a conversion"), "{error}");
            refused(AdditiveToXor::prepare(p, bits, 3).map(drop).expect_err("such a width"));
            refused(AdditiveToXor::bill(bits).expect_err("such a width"));
        }
        let few = AdditiveToXor::prepare(p, 8, 3)?.bits(p, &AShare::<u32>::new(8, vec![1; 2]));
        assert!(matches!(few, Err(Error::Shape { want: 3, got: 2, .. })));
        let narrow = AdditiveToXor::prepare(p, 8, 3)?.bits(p, &AShare::<u32>::new(7, vec![1; 3]));
        assert!(matches!(narrow, Err(Error::Shape { want: 8, got: 7, .. })));
        assert!(AdditiveToXor::prepare(p, 8, 0)?.is_empty());
        Ok(())
    });
}

//! Sizes that are not served are refused before anything is sent, at the ends of what a caller can ask for.

use crate::support::pairs::{both, pair};

use hushtable::{
    Error, Result, Role,
    lut::Table,
    onehot::{Cyclic, Xor},
};
use hushtable_baselines::ndss::{Chain, Merged, code_cots, triples_from_codes};

fn refused<T>(found: Result<T>) {
    let error = found.err().expect("refused");
    assert!(matches!(error, Error::Param { .. } | Error::Shape { .. }), "{error}");
}

#[test]
fn sizes_that_are_not_served() {
    both(pair(97, None), |p| {
        p.take_cost();
        let odd = Table::<u8>::new(8, vec![1; 12])?;
        let merged = |n, places: &[u32]| Merged::new::<u8>(n, &[(&odd, places)]);
        refused(merged(0, &[]));
        refused(merged(99, &[0]));
        refused(merged(4, &[0, 1, 2, 9]));
        refused(Chain::<Cyclic>::prepare(p, &[], 1));
        for n in [0, 21, 31, 32, 33, 63, 64, 65, u32::MAX] {
            refused(Chain::<Xor>::prepare(p, &[3, n], 1));
        }
        for t in [0, 5, 16, u32::MAX] {
            refused(triples_from_codes(p, 3, t));
            refused(code_cots(Role::P0, 3, t));
        }
        assert_eq!(p.take_cost().sent, 0);
        Ok(())
    });
}

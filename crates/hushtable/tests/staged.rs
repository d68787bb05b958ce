//! The staged generator: the lookup is right for every index, the cost is the documented one.

use crate::support::{
    onehot::{cots_of, right_at},
    pairs,
};

use hushtable::{
    Error, Role,
    lut::Protocol,
    net::{Cost, wire_len},
    onehot::{Cyclic, OneHot, Xor},
};
use pairs::{both, pair};

#[test]
fn every_index_of_small_tables() {
    both(pair(85, None), |p| {
        for n in 1..=9 {
            let xs: Vec<u32> = (0..4 << n).map(|i| i % (1 << n)).collect();
            right_at::<Cyclic>(p, n, &xs, OneHot::staged)?;
            right_at::<Xor>(p, n, &xs, OneHot::staged)?;
        }
        Ok(())
    });
}

#[test]
fn some_indices_of_large_tables() {
    both(pair(86, None), |p| {
        for (n, batch) in [(7, 0), (10, 1), (12, 9), (14, 4), (16, 3)] {
            let xs: Vec<u32> = (0..batch).map(|i| ((i + 1) * 0x0019_660d) >> 3 & ((1 << n) - 1)).collect();
            right_at::<Cyclic>(p, n, &xs, OneHot::staged)?;
            right_at::<Xor>(p, n, &xs, OneHot::staged)?;
        }
        assert!(matches!(OneHot::<Xor>::staged(p, 17, 1), Err(Error::Param { .. })));
        assert!(matches!(OneHot::<Xor>::staged(p, 0, 1), Err(Error::Param { .. })));
        Ok(())
    });
}

/// `128 (d - k) + k n` bits a lookup from the holder, P0 for the first half, nothing back.
#[test]
fn the_cost_is_the_documented_one() {
    both(pair(87, None), |p| {
        for (d, k, batch) in [(2, 2, 1), (8, 2, 1), (8, 2, 1201), (12, 3, 20), (16, 4, 7)] {
            let (send, recv) = cots_of::<Xor>(Protocol::Staged, p.role(), d, batch);
            p.stock_cots(send, recv)?;
            let (_, cost) = p.metered(|p| OneHot::<Xor>::staged(p, d, batch).map(drop))?;
            let bits = 128 * (d as usize - k) + (k << d);
            let piece = ((8usize << 19) / bits).clamp(1, 512);
            let wire = |lookups: usize| -> u64 {
                let pieces = (0..lookups).step_by(piece).map(|from| piece.min(lookups - from));
                pieces.map(|count| wire_len((bits * count).div_ceil(8))).sum()
            };
            let (p0, p1) = (wire(batch.div_ceil(2)), wire(batch / 2));
            let (sent, received) = match p.role() {
                Role::P0 => (p0, p1),
                Role::P1 => (p1, p0),
            };
            assert_eq!(cost, Cost { sent, received, rounds: 1 }, "d {d}, batch {batch}");
        }
        Ok(())
    });
}

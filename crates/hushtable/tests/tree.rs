//! The tree generator: the lookup is right for every index, the cost is the documented one.

use crate::support::{
    onehot::{cots_of, right_at},
    pairs,
};

use hushtable::{
    Error, Party, Result, Role,
    lut::{Protocol, Table, arithmetic::Arithmetic},
    net::{Cost, wire_len},
    onehot::{Cyclic, Group, OneHot, Xor},
    reference,
};
use pairs::{both, pair, share};

#[test]
fn every_index_of_small_tables() {
    both(pair(80, None), |p| {
        for n in [1, 2, 6, 7, 8, 9, 10] {
            let xs: Vec<u32> = (0..1 << n).collect();
            right_at::<Cyclic>(p, n, &xs, OneHot::tree)?;
            right_at::<Xor>(p, n, &xs, OneHot::tree)?;
        }
        Ok(())
    });
}

/// Batches that do not fill a group of trees, and trees higher than the levels kept.
#[test]
fn some_indices_of_large_tables() {
    both(pair(81, None), |p| {
        for (n, batch) in
            [(8, 1), (11, 31), (12, 33), (13, 100), (14, 3), (15, 2), (16, 40), (18, 5), (20, 2)]
        {
            let xs: Vec<u32> = (0..batch).map(|i| ((i + 1) * 0x0019_660d) >> 3 & ((1 << n) - 1)).collect();
            right_at::<Cyclic>(p, n, &xs, OneHot::tree)?;
            right_at::<Xor>(p, n, &xs, OneHot::tree)?;
        }
        Ok(())
    });
}

/// More than a message, and an empty batch.
#[test]
fn long_and_empty_batches() {
    both(pair(82, None), |p| {
        let xs: Vec<u32> = (0..9001).map(|i| i % 256).collect();
        right_at::<Cyclic>(p, 8, &xs, OneHot::tree)?;
        right_at::<Xor>(p, 9, &[], OneHot::tree)
    });
}

/// Nodes and leaves have a key for each 2^20 lookups.
#[test]
fn more_lookups_than_a_key_serves() {
    both(pair(86, None), |p| {
        let xs = |n: u32| (0..(1 << 20) + 40u32).map(|i| i.wrapping_mul(37) >> 3 & ((1 << n) - 1)).collect();
        let (indices, table): (Vec<u32>, _) = (xs(8), Table::<u8>::tabulate(8, 8, |x| x * 7)?);
        let x = share(p.role(), 8, &indices, 3);
        let y = OneHot::<Xor>::tree(p, 8, indices.len())?.lookup_xor(p, &table, &x)?;
        assert!(p.open(&y)? == reference::lookup(&table.columns()[0], &indices));
        let (indices, table): (Vec<u32>, _) = (xs(2), Table::<u64>::tabulate(2, 64, |x| x * 77)?);
        let x = share(p.role(), 2, &indices, 4);
        let y = Arithmetic::<Xor, u64>::prepare(p, 2, 64, indices.len())?.lookup(p, &table, &x)?;
        assert!(p.open(&y)? == reference::lookup(&table.columns()[0], &indices));
        Ok(())
    });
}

/// Pieces of one batch share their trees; they begin and end anywhere in a group of these.
#[test]
fn pieces_of_a_batch() {
    both(pair(85, None), |p| {
        let (table, wide) =
            (Table::<u8>::tabulate(9, 8, |x| x * 7)?, Table::<u16>::tabulate(9, 16, |x| x * 77)?);
        let xs: Vec<u32> = (0..150).map(|i| i * 37 % 512).collect();
        let mut bits = OneHot::<Xor>::tree(p, 9, xs.len())?;
        let mut words = Arithmetic::<Cyclic, u16>::prepare(p, 9, 16, xs.len())?;
        for piece in [0..70, 70..71, 71..130, 130..130, 130..150] {
            let xs = &xs[piece.clone()];
            let x = share(p.role(), 9, xs, 3);
            let at = bits.take(xs.len())?.open_index(p, &x)?.read_xor(&table)?.remove(0);
            assert_eq!(p.open(&at)?, reference::lookup(&table.columns()[0], xs), "{piece:?}");
            let x = share(p.role(), 9, xs, 4);
            let y = words.take(xs.len())?.lookup(p, &wide, &x)?;
            assert_eq!(p.open(&y)?, reference::lookup(&wide.columns()[0], xs), "{piece:?}");
        }
        assert!(bits.is_empty() && words.is_empty());
        Ok(())
    });
}

#[test]
fn other_index_bits_are_refused() {
    both(pair(83, None), |p| {
        for n in [0, 21, 64] {
            assert!(matches!(OneHot::<Xor>::tree(p, n, 1), Err(Error::Param { .. })), "{n}");
        }
        assert!(matches!(OneHot::<Xor>::rotl(p, 17, 1), Err(Error::Param { .. })));
        assert!(matches!(OneHot::<Xor>::doubling(p, 17, 1), Err(Error::Param { .. })));
        Ok(())
    });
}

/// What a message of `batch` words of `bits` bits takes.
fn bytes(batch: usize, bits: usize) -> usize {
    (batch * bits).div_ceil(8)
}

/// `2 (128 - 7 - 1) + 256 h + 256` bits, and `n (n - 1) / 2` more from P0 with the lift, in one round
/// a level and one for the leaves; `2 (n - 1)` correlated OTs, one more with the lift.
#[test]
fn the_cost_is_the_documented_one() {
    fn check<G: Group>(p: &mut Party, n: u32, batch: usize, lift: usize) -> Result<()> {
        let (send, recv) = cots_of::<G>(Protocol::Tree, p.role(), n, batch);
        assert_eq!(send + recv, (2 * (n as usize - 1) + lift) * batch);
        p.stock_cots(send, recv)?;
        let (_, cost) = p.metered(|p| OneHot::<G>::tree(p, n, batch).map(drop))?;
        // Pieces of 2^12 lookups; in each the product of a level, then words of up to 64 entries.
        let pieces = || (0..batch.div_ceil(4096)).map(|i| (batch - 4096 * i).min(4096));
        let product = |level: u32, count| bytes(count, lift * (n - level - 1) as usize);
        let entries = |level: u32, count| -> usize {
            let m = (1usize << level) - 1;
            (0..m.div_ceil(64)).map(|w| bytes(count, (m - 64 * w).min(64))).sum()
        };
        let doubling = |level, count, lifted: bool| {
            let len = entries(level, count) + if lifted { product(level, count) } else { 0 };
            if len > 0 { wire_len(len) } else { 0 }
        };
        let tree = |level, count, lifted: bool| {
            wire_len(16 * count + if lifted { product(level, count) } else { 0 })
        };
        let from = |lifted: bool| -> u64 {
            let all = pieces().map(|count| {
                let low: u64 = (0..7).map(|level| doubling(level, count, lifted)).sum();
                let high: u64 = (7..n).map(|level| tree(level, count, lifted)).sum();
                low + high + wire_len(16 * count)
            });
            all.sum()
        };
        let (from_p0, from_p1) = (from(true), from(false));
        let (sent, received) = match p.role() {
            Role::P0 => (from_p0, from_p1),
            Role::P1 => (from_p1, from_p0),
        };
        let what = format!("n {n}, batch {batch}, {}", G::NAME);
        assert_eq!(cost, Cost { sent, received, rounds: n + lift as u32 }, "{what}");
        // The formula, with batches that fill whole bytes.
        if batch.is_multiple_of(8) {
            let n = n as usize;
            let bits = 2 * (128 - 7 - 1) + 256 * (n - 7) + 256 + lift * n * (n - 1) / 2;
            let frames = pieces().count() * 2 * (n + 1) - pieces().count() * if lift == 1 { 1 } else { 2 };
            let payload = (from_p0 + from_p1) as usize - frames * wire_len(0) as usize;
            assert_eq!(8 * payload, bits * batch, "{what}");
        }
        Ok(())
    }
    both(pair(84, None), |p| {
        for (n, batch) in [(8, 1), (8, 40), (12, 5000), (16, 32), (20, 8)] {
            check::<Xor>(p, n, batch, 0)?;
            check::<Cyclic>(p, n, batch, 1)?;
        }
        Ok(())
    });
}

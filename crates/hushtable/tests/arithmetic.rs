//! Additive one-hot vectors: the lookup is right for every index, the cost is the documented one.

use crate::support::onehot;
use crate::support::pairs;

use hushtable::{
    Error, Party, Result, Role,
    lut::{Protocol, Table, arithmetic::Arithmetic},
    net::{Cost, wire_len},
    onehot::{Cyclic, Group, Xor},
    reference,
    share::{Share, Sharing},
};
use pairs::{both, pair, share};
use prim::ring::Ring;

fn table<R: Ring>(n: u32, bits: u32, salt: u64) -> Table<R> {
    Table::tabulate(n, bits, |x| (x + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7).unwrap()
}

fn right_at<G: Group, R: Ring>(p: &mut Party, n: u32, bits: u32, xs: &[u32]) -> Result<()> {
    let tables = [table::<R>(n, bits, 1), table(n, bits, 99)];
    for seed in 0..2 {
        let x: Share<G::Kind, u32> = share(p.role(), n, xs, seed);
        let what = format!("n {n}, {bits} bits, {}", G::NAME);
        let y = Arithmetic::<G, R>::prepare(p, n, bits, xs.len())?.lookup(p, &tables[0], &x)?;
        assert_eq!(p.open(&y)?, reference::lookup(&tables[0].columns()[0], xs), "{what}");
        let material = Arithmetic::<G, R>::prepare(p, n, bits, xs.len())?;
        let y = material.lookup_all(p, &[&tables[0], &tables[1]], &x)?;
        assert_eq!(p.open(&y[1])?, reference::lookup(&tables[1].columns()[0], xs), "{what}");
    }
    Ok(())
}

fn small<R: Ring>(p: &mut Party, bits: u32) -> Result<()> {
    for n in 1..=6 {
        let xs: Vec<u32> = (0..2 << n).map(|i| i % (1 << n)).collect();
        right_at::<Cyclic, R>(p, n, bits, &xs)?;
        right_at::<Xor, R>(p, n, bits, &xs)?;
    }
    Ok(())
}

#[test]
fn every_index_of_small_tables() {
    both(pair(90, None), |p| {
        [1, 5, 8].into_iter().try_for_each(|bits| small::<u8>(p, bits))?;
        [9, 16].into_iter().try_for_each(|bits| small::<u16>(p, bits))?;
        [2, 32].into_iter().try_for_each(|bits| small::<u32>(p, bits))?;
        [1, 37, 64].into_iter().try_for_each(|bits| small::<u64>(p, bits))
    });
}

#[test]
fn some_indices_of_large_tables() {
    both(pair(91, None), |p| {
        for (n, batch) in [(8, 5000), (10, 33), (12, 31), (14, 2)] {
            let xs: Vec<u32> =
                (0..batch).map(|i: u32| (i + 1).wrapping_mul(0x0019_660d) >> 3 & ((1 << n) - 1)).collect();
            right_at::<Cyclic, u64>(p, n, 64, &xs)?;
            right_at::<Xor, u16>(p, n, 13, &xs)?;
        }
        right_at::<Cyclic, u8>(p, 8, 8, &[])
    });
}

#[test]
fn material_is_cut_and_checked() {
    both(pair(92, None), |p| {
        let mut material = Arithmetic::<Xor, u32>::prepare(p, 6, 20, 10)?;
        let last = material.take(3)?;
        assert_eq!((material.len(), last.len()), (7, 3));
        assert!(material.take(8).is_err());
        let x = share(p.role(), 6, &[5, 6, 7], 3);
        let table = table::<u32>(6, 20, 4);
        let y = last.lookup(p, &table, &x)?;
        assert_eq!(p.open(&y)?, table.columns()[0][5..8]);
        assert_eq!(format!("{material:?}"), "Arithmetic<xor>(7 x 64 entries of 20 bits)");
        let x = share(p.role(), 6, &[5; 7], 3);
        assert!(matches!(material.lookup(p, &self::table(6, 21, 4), &x), Err(Error::Shape { .. })));
        assert!(matches!(Arithmetic::<Xor, u32>::prepare(p, 21, 20, 1), Err(Error::Param { .. })));
        assert!(matches!(Arithmetic::<Xor, u32>::prepare(p, 6, 33, 1), Err(Error::Param { .. })));
        assert!(matches!(Arithmetic::<Xor, u32>::prepare(p, 0, 3, 1), Err(Error::Param { .. })));
        Ok(())
    });
}

/// For `k = 2^e` words in a block of `l` bits each, offline `256 (d - e) + 4 k l - 2 k + 2 + (k - 1) l +
/// 2 (k - e - 1)` bits, `d (d - 1) / 2` more with the lift; online `2 d`.
#[test]
fn the_cost_is_the_documented_one() {
    fn check<G: Group, R: Ring>(p: &mut Party, n: u32, l: u32, lift: u32) -> Result<()> {
        const BATCH: usize = 64; // whole bytes of everything, one message each
        let k = (128 / R::WIDTH).min(1 << n);
        let d = k.ilog2();
        let job = onehot::job::<G>(Sharing::Additive, n, l);
        let (send, recv) = Protocol::Arithmetic.bill(&job, BATCH)?.cots_of(p.role());
        assert_eq!((send + recv) / BATCH, (2 * (n - 1) + k + 1 + lift) as usize);
        p.stock_cots(send, recv)?;
        let (material, cost) = p.metered(|p| Arithmetic::<G, R>::prepare(p, n, l, BATCH))?;
        let bytes = |bits: u32| bits as usize * BATCH / 8;
        let product = |level| lift * (n - level - 1);
        let from = |p0: u32| -> u64 {
            let entries = |level| bytes((1u32 << level) - 1 + p0 * product(level));
            let doubling: u64 = (0..d).map(entries).filter(|&b| b > 0).map(wire_len).sum();
            let tree: u64 = (d..n).map(|level| wire_len(bytes(128 + p0 * product(level)))).sum();
            let conversions = wire_len(bytes((k - 1) * if p0 == 1 { l - 1 } else { 1 }));
            let signs = wire_len(bytes(1 + k * (l - 1)));
            doubling + tree + conversions + signs + wire_len(bytes(k * l))
        };
        let own = |p0: u64, p1: u64| match p.role() {
            Role::P0 => (p0, p1),
            Role::P1 => (p1, p0),
        };
        let what = format!("n {n}, l {l}, {} lanes, {}", k, G::NAME);
        let (sent, received) = own(from(1), from(0));
        assert_eq!(cost, Cost { sent, received, rounds: n + 2 + lift }, "{what}");
        // The formula: all payload, without the headers of messages.
        let headers = |p0: u32| -> u64 {
            let doubling = (0..d).filter(|&level| level > 0 || p0 * product(0) > 0).count() as u64;
            (doubling + u64::from(n - d) + 3) * wire_len(0)
        };
        let bits = 8 * (from(0) + from(1) - headers(0) - headers(1)) / BATCH as u64;
        let formula = 256 * (n - d) + 4 * k * l - 2 * k + 2 + (k - 1) * l + 2 * (k - d - 1);
        assert_eq!(bits, u64::from(formula + lift * n * (n - 1) / 2), "{what}");

        let x: Share<G::Kind, u32> = share(p.role(), n, &[1; BATCH], 9);
        let (_, cost) = p.metered(|p| material.lookup(p, &table::<R>(n, l, 1), &x))?;
        let message = wire_len(bytes(n));
        assert_eq!(cost, Cost { sent: message, received: message, rounds: 1 }, "{what}");
        Ok(())
    }
    both(pair(93, None), |p| {
        for n in [5, 8, 10] {
            check::<Cyclic, u64>(p, n, 64, 1)?;
            check::<Xor, u64>(p, n, 64, 0)?;
            check::<Xor, u32>(p, n, 32, 0)?;
            check::<Cyclic, u16>(p, n, 16, 1)?;
            check::<Cyclic, u8>(p, n, 8, 1)?;
        }
        check::<Xor, u8>(p, 3, 8, 0)?;
        check::<Xor, u64>(p, 7, 40, 0)
    });
}

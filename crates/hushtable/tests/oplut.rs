//! OP-LUT: every index, both groups and outputs, any length; the cost; what must not show.

use crate::support::pairs;
use crate::support::relay;
use crate::support::stats;

use hushtable::{
    Error, Party, Result, Role,
    lut::{Table, oplut::OpLut},
    net::{Connection, Cost, wire_len},
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share},
};
use pairs::{both, id, pair, share};
use prim::{Ring, pack::unpack, ring::low};
use relay::{Fate, relayed};

fn table<R: Ring>(n: usize, bits: u32) -> Table<R> {
    let entry = |x: u64| R::from_u64(low((x + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17), bits));
    Table::new(bits, (0..n as u64).map(entry).collect()).expect("a table")
}

/// Which 1-of-n OTs.
#[derive(Clone, Copy, Debug)]
enum Source {
    Silent,
    Code,
}

fn prepare<G: Group, K: Kind, R: Ring>(
    p: &mut Party,
    source: Source,
    table: &Table<R>,
    batch: usize,
) -> Result<OpLut<G, K, R>> {
    match source {
        Source::Silent => OpLut::prepare(p, table, batch),
        Source::Code => OpLut::prepare_kk13(p, table, batch),
    }
}

/// Every index with every share of P0, for small tables.
fn check<G: Group, K: Kind, R: Ring>(p: &mut Party, source: Source, k: u32, bits: u32) -> Result<()> {
    let table = table::<R>(1 << k, bits);
    let pairs = (0..1u32 << k).flat_map(|x| (0..1u32 << k).map(move |mask| (x, mask)));
    let (xs, masks): (Vec<u32>, Vec<u32>) = if k < 4 {
        pairs.chain([(1, 0)]).unzip() // an odd batch: halves of different size
    } else {
        (0..(1u32 << k) + 1).map(|i| (i % (1 << k), i.wrapping_mul(77) % (1 << k))).unzip()
    };
    let masks = Share::<G::Kind, u32>::new(k, masks);
    let x = match p.role() {
        Role::P0 => masks,
        Role::P1 => Share::new(k, xs.clone()).minus(&masks),
    };
    let y = prepare::<G, K, R>(p, source, &table, xs.len())?.lookup(p, &x)?;
    let want: Vec<R> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
    assert_eq!(p.open(&y)?, want, "{source:?}, 2^{k} entries of {bits} bits, {}", G::NAME);
    Ok(())
}

#[test]
fn every_index_of_every_width() {
    fn groups<K: Kind, R: Ring>(p: &mut Party, k: u32, bits: u32) -> Result<()> {
        for source in [Source::Silent, Source::Code] {
            check::<Cyclic, K, R>(p, source, k, bits)?;
            check::<Xor, K, R>(p, source, k, bits)?;
        }
        Ok(())
    }
    both(pair(1, None), |p| {
        for k in 1..=5 {
            for bits in [1, 2, 3, 8] {
                groups::<Additive, u8>(p, k, bits)?;
                groups::<Bitwise, u8>(p, k, bits)?;
            }
            groups::<Additive, u16>(p, k, 16)?;
            groups::<Bitwise, u32>(p, k, 32)?;
            groups::<Additive, u64>(p, k, 64)?;
        }
        groups::<Additive, u32>(p, 8, 19)
    });
}

#[test]
fn any_length() {
    both(pair(2, None), |p| {
        for n in 2..=20usize {
            let table = table::<u16>(n, 11);
            let xs: Vec<u32> = (0..(n * n) as u32).map(|i| i % n as u32).collect();
            let mask = |i: usize| (i / n % n) as u32;
            let mine: Vec<u32> = match p.role() {
                Role::P0 => (0..xs.len()).map(mask).collect(),
                Role::P1 => xs.iter().enumerate().map(|(i, x)| (x + n as u32 - mask(i)) % n as u32).collect(),
            };
            let want: Vec<u16> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
            for source in [Source::Silent, Source::Code] {
                let m = prepare::<Cyclic, Additive, u16>(p, source, &table, xs.len())?;
                let y = m.lookup_mod(p, &mine)?;
                assert_eq!(p.open(&y)?, want, "{n} entries");
                let m = prepare::<Cyclic, Bitwise, u16>(p, source, &table, xs.len())?;
                let y = m.lookup_mod(p, &mine)?;
                assert_eq!(p.open(&y)?, want, "{n} entries");
            }
        }
        Ok(())
    });
}

/// Offline `n (n - 1) l` bits, from P0 for the first half; online `d` bits each way.
#[test]
fn the_cost_is_the_documented_one() {
    both(pair(3, None), |p| {
        for (n, l, batch) in [(2usize, 1u32, 1usize), (16, 8, 1001), (12, 5, 37), (256, 64, 3)] {
            let table = table::<u64>(n, l);
            let d = n.next_power_of_two().ilog2() as usize;
            let (send, recv) = OpLut::<Cyclic, Additive, u64>::cots(p.role(), n, batch);
            p.stock_cots(send, recv)?;
            let (material, cost) =
                p.metered(|p| OpLut::<Cyclic, Additive, u64>::prepare(p, &table, batch))?;
            let each = n * (n - 1) * l as usize;
            let piece = ((1 << 21) / each).max(1);
            let sends = |lookups: usize| -> u64 {
                let full = wire_len((piece * each).div_ceil(8)) * (lookups / piece) as u64;
                let rest = lookups % piece;
                full + if rest > 0 { wire_len((rest * each).div_ceil(8)) } else { 0 }
            };
            let chosen =
                |lookups: usize| if n.is_power_of_two() { 0 } else { wire_len((lookups * d).div_ceil(8)) };
            let halves = [batch.div_ceil(2), batch / 2];
            let by = |sender: usize| sends(halves[sender]) + chosen(halves[1 - sender]);
            let me = p.role() as usize;
            let rounds = if n.is_power_of_two() { 1 } else { 2 };
            assert_eq!(cost, Cost { sent: by(me), received: by(1 - me), rounds }, "{n} x {l}, batch {batch}");

            let index = wire_len((batch * d).div_ceil(8));
            let (_, cost) = p.metered(|p| material.lookup_mod(p, &vec![0; batch]))?;
            assert_eq!(cost, Cost { sent: index, received: index, rounds: 1 }, "{n} x {l}, online");
        }
        Ok(())
    });
}

#[test]
fn unfit_jobs_are_refused() {
    both(pair(4, None), |p| {
        let refused = |r: Result<()>| matches!(r, Err(Error::Param { .. }));
        let large = table::<u64>(512, 64);
        assert!(refused(OpLut::<Xor, Bitwise, u64>::prepare(p, &large, 1).map(drop)));
        assert!(refused(OpLut::<Xor, Bitwise, u64>::prepare(p, &table(12, 8), 1).map(drop)));
        let m = OpLut::<Cyclic, Additive, u64>::prepare(p, &table(12, 8), 1)?;
        assert!(refused(m.lookup_mod(p, &[12]).map(drop)));
        let m = OpLut::<Cyclic, Additive, u64>::prepare(p, &table(12, 8), 1)?;
        let x: Share<Additive, u32> = share(p.role(), 4, &[1], 1);
        assert!(refused(m.lookup(p, &x).map(drop)));
        let m = OpLut::<Cyclic, Additive, u64>::prepare(p, &table(16, 8), 2)?;
        assert!(matches!(m.lookup(p, &x), Err(Error::Shape { .. })));
        Ok(())
    });
}

/// What is opened is uniform and so is every masked entry, for a constant table and index: catches
/// an offset that repeats, a pad that serves two rows or two entries, and rows sent unmasked.
#[test]
fn messages_are_uniform() {
    const BATCH: usize = 4096;
    let run = |connection: Connection| -> Result<()> {
        let mut p = Party::seeded(connection, 5, None)?;
        let table = Table::<u8>::new(8, vec![0; 8])?;
        let (send, recv) = OpLut::<Xor, Bitwise, u8>::cots(p.role(), 8, BATCH);
        p.stock_cots(send, recv)?;
        let x: Share<Bitwise, u32> = Share::new(3, vec![0; BATCH]);
        OpLut::<Xor, Bitwise, u8>::prepare(&mut p, &table, BATCH)?.lookup(&mut p, &x).map(drop)
    };
    let outcome = relayed(id(5), run, run, |_, _, _| Fate::Pass);
    outcome.p0.expect("no panic").expect("an honest run");
    outcome.p1.expect("no panic").expect("an honest run");
    for sent in &outcome.sent {
        let (index, rows) = (&sent[sent.len() - 1][8..], &sent[sent.len() - 2][8..]);
        let mut opened = vec![0u32; BATCH];
        unpack(index, 3, &mut opened);
        let mut counts = [0; 8];
        opened.iter().for_each(|&m| counts[m as usize] += 1);
        assert!(stats::uniform(&counts) < 5.0, "offsets {counts:?}");
        // The differences of neighbours in a row, of rows, and of lookups.
        for distance in [1, 2, 8, 16, 56] {
            let mut bytes = [0; 256];
            rows.iter().zip(&rows[distance..]).for_each(|(a, b)| bytes[usize::from(a ^ b)] += 1);
            assert!(stats::uniform(&bytes) < 6.0, "entries {distance} apart");
        }
    }
}

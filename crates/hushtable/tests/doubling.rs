//! The doubling generator: the lookup is right for every index, the cost is the documented one.

use crate::support::onehot::cots_of;

use hushtable::{
    Party, Result, Role,
    lut::{Protocol, Table},
    net::{Cost, wire_len},
    onehot::{Cyclic, Group, OneHot, Xor},
    run_pair,
    share::{Kind, Share},
};
use prim::{block::Block, prg::Prg};

fn share<K: Kind>(role: Role, bits: u32, values: &[u32]) -> Share<K, u32> {
    let mut masks = vec![0u32; values.len()];
    Prg::new(Block(99)).words(bits, &mut masks);
    match role {
        Role::P0 => Share::new(bits, masks),
        Role::P1 => Share::<K, u32>::new(bits, values.to_vec()).minus(&Share::new(bits, masks)),
    }
}

fn every_index<G: Group>(p: &mut Party, n: u32) -> Result<()> {
    let table = Table::<u32>::tabulate(n, 29, |x| (x + 1).wrapping_mul(0x9e37_79b9)).unwrap();
    let xs: Vec<u32> = (0..4 << n).map(|i| i % (1 << n)).collect();
    let want: Vec<u32> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
    let x: Share<G::Kind, u32> = share(p.role(), n, &xs);
    let xor = OneHot::<G>::doubling(p, n, xs.len())?.lookup_xor(p, &table, &x)?;
    assert_eq!(p.open(&xor)?, want, "n {n}, {}, XOR output", G::NAME);
    let add = OneHot::<G>::doubling(p, n, xs.len())?.signed(p, &[29])?.lookup(p, &table, &x)?;
    assert_eq!(p.open(&add)?, want, "n {n}, {}, additive output", G::NAME);
    Ok(())
}

#[test]
fn every_index_of_every_width() {
    let run = |p: &mut Party| {
        (1..=9).try_for_each(|n| {
            every_index::<Cyclic>(p, n)?;
            every_index::<Xor>(p, n)
        })
    };
    run_pair(Party::pair_seeded(1).unwrap(), run, run).unwrap();
}

/// `2 (n - d - 1)` bits, and `d (d - 1) / 2` more from P0 with the lift, in one message a level.
#[test]
fn the_cost_is_the_documented_one() {
    let sizes = [(2, 1), (4, 8), (8, 1000), (9, 64)];
    let measure = |p: &mut Party, n: u32, batch: usize, lift: bool| -> Result<Cost> {
        let (send, recv) = match lift {
            true => cots_of::<Cyclic>(Protocol::Doubling, p.role(), n, batch),
            false => cots_of::<Xor>(Protocol::Doubling, p.role(), n, batch),
        };
        p.stock_cots(send, recv)?;
        let (_, cost) = p.metered(|p| match lift {
            true => OneHot::<Cyclic>::doubling(p, n, batch).map(drop),
            false => OneHot::<Xor>::doubling(p, n, batch).map(drop),
        })?;
        Ok(cost)
    };
    let run = |p: &mut Party| {
        let runs = sizes.iter().flat_map(|&(n, batch)| [(n, batch, false), (n, batch, true)]);
        runs.map(|(n, batch, lift)| measure(p, n, batch, lift)).collect::<Result<Vec<Cost>>>()
    };
    let (at_p0, at_p1) = run_pair(Party::pair_seeded(2).unwrap(), run, run).unwrap();
    let runs = sizes.iter().flat_map(|&(n, batch)| [(n, batch, 0), (n, batch, 1)]);
    for ((n, batch, lift), (p0, p1)) in runs.zip(at_p0.iter().zip(&at_p1)) {
        let bytes = |bits: u32| (bits as usize * batch).div_ceil(8);
        // The entries of a level travel as words of up to 64 bits, each word's column by itself.
        let entries = |level: u32| -> usize {
            let m = (1u32 << level) - 1;
            (0..m.div_ceil(64)).map(|w| bytes((m - 64 * w).min(64))).sum()
        };
        let from_p1: u64 = (1..n).map(|level| wire_len(entries(level))).sum();
        let from_p0: u64 =
            (1 - lift..n).map(|level| wire_len(entries(level) + lift as usize * bytes(n - level - 1))).sum();
        assert_eq!((p0.sent, p0.received), (from_p0, from_p1), "n {n}, batch {batch}, lift {lift}");
        assert_eq!((p1.sent, p1.received), (from_p1, from_p0), "n {n}, batch {batch}, lift {lift}");
        assert_eq!(p0.rounds.max(p1.rounds), n - 1 + lift, "n {n}, batch {batch}, lift {lift}");
    }
}

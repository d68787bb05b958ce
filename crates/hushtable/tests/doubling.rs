//! The doubling generator: the lookup is right for every index, the cost is the documented one.

use hushtable::{
    Party, Result, Role,
    lut::Table,
    net::wire_len,
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
    let measure = |p: &mut Party, n: u32, batch: usize, lift: bool| -> Result<()> {
        let (send, recv) = match lift {
            true => OneHot::<Cyclic>::doubling_cots(p.role(), n, batch),
            false => OneHot::<Xor>::doubling_cots(p.role(), n, batch),
        };
        p.stock_cots(send, recv)?;
        let (_, cost) = p.metered(|p| {
            if lift {
                OneHot::<Cyclic>::doubling(p, n, batch).map(drop)
            } else {
                OneHot::<Xor>::doubling(p, n, batch).map(drop)
            }
        })?;
        let bytes = |bits: u32| (bits as usize * batch).div_ceil(8);
        // The entries of a level travel as words of up to 64 bits, each word's column by itself.
        let entries = |level: u32| -> usize {
            let m = (1u32 << level) - 1;
            (0..m.div_ceil(64)).map(|w| bytes((m - 64 * w).min(64))).sum()
        };
        let from_p0 = |level: u32| entries(level) + if lift { bytes(n - level - 1) } else { 0 };
        let first = u32::from(!lift); // without the lift level 0 sends nothing
        let total = |f: &dyn Fn(u32) -> usize| (first..n).map(|level| wire_len(f(level))).sum::<u64>();
        let (p0, p1) = (total(&from_p0), total(&entries));
        let want = if p.role() == Role::P0 { (p0, p1) } else { (p1, p0) };
        assert_eq!(
            (cost.sent, cost.received, cost.rounds),
            (want.0, want.1, n - first),
            "n {n}, batch {batch}"
        );
        Ok(())
    };
    let run = |p: &mut Party| {
        for (n, batch) in [(2, 1), (4, 8), (8, 1000), (9, 64)] {
            measure(p, n, batch, false)?;
            measure(p, n, batch, true)?;
        }
        Ok(())
    };
    run_pair(Party::pair_seeded(2).unwrap(), run, run).unwrap();
}

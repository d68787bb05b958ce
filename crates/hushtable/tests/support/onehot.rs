//! What every generator of one-hot vectors is tested for.
#![allow(dead_code)] // not every test uses all of it

use hushtable::{
    Error, Party, Result, Role,
    lut::{LookupJob, Protocol, Table},
    onehot::{Group, OneHot},
    reference,
    share::{Kind, Share, Sharing},
};

use super::pairs::share;

/// A generator: index bits and batch.
pub type Generator<G> = fn(&mut Party, u32, usize) -> Result<OneHot<G>>;

/// A lookup in a table of `2^n` entries of so many bits.
pub fn job<G: Group>(output: Sharing, n: u32, value_bits: u32) -> LookupJob {
    LookupJob { index: <G::Kind as Kind>::SHARING, output, index_bits: n, value_bits }
}

/// Correlated OTs, as sender and as receiver, of the protocol's vectors alone.
pub fn cots_of<G: Group>(protocol: Protocol, role: Role, n: u32, batch: usize) -> (usize, usize) {
    protocol.bill(&job::<G>(Sharing::Xor, n, 1), batch).expect("a bill").cots_of(role)
}

/// The indices `xs` of a table of `2^n` words of 29 bits, in two sharings, with XOR and with additive output.
pub fn right_at<G: Group>(p: &mut Party, n: u32, xs: &[u32], generator: Generator<G>) -> Result<()> {
    let table = Table::<u32>::tabulate(n, 29, |x| (x + 1).wrapping_mul(0x9e37_79b9) >> 3)?;
    let want = reference::lookup(&table.columns()[0], xs);
    for seed in 0..2 {
        let x: Share<G::Kind, u32> = share(p.role(), n, xs, seed);
        let xor = generator(p, n, xs.len())?.lookup_xor(p, &table, &x)?;
        assert_eq!(p.open(&xor)?, want, "n {n}, {}, XOR output", G::NAME);
        let add = generator(p, n, xs.len())?.signed(p, &[29])?.lookup(p, &table, &x)?;
        assert_eq!(p.open(&add)?, want, "n {n}, {}, additive output", G::NAME);
    }
    Ok(())
}

/// Every index of tables of `2^n` entries, four times with different shares, with XOR and with
/// additive output.
pub fn every_index<G: Group>(p: &mut Party, n: u32, generator: Generator<G>) -> Result<()> {
    let table = Table::<u32>::tabulate(n, 29, |x| (x + 1).wrapping_mul(0x9e37_79b9))?;
    let xs: Vec<u32> = (0..4 << n).map(|i| i % (1 << n)).collect();
    let want: Vec<u32> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
    let x: Share<G::Kind, u32> = share(p.role(), n, &xs, u64::from(n));
    let xor = generator(p, n, xs.len())?.lookup_xor(p, &table, &x)?;
    assert_eq!(p.open(&xor)?, want, "n {n}, {}, XOR output", G::NAME);
    let add = generator(p, n, xs.len())?.signed(p, &[29])?.lookup(p, &table, &x)?;
    assert_eq!(p.open(&add)?, want, "n {n}, {}, additive output", G::NAME);
    Ok(())
}

/// Random indices of larger tables, in a batch of no round size.
pub fn some_indices<G: Group>(p: &mut Party, n: u32, batch: usize, generator: Generator<G>) -> Result<()> {
    let table = Table::<u64>::tabulate(n, 64, |x| (x + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))?;
    let xs: Vec<u32> = (0..batch as u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> (32 - n)).collect();
    let want: Vec<u64> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
    let x: Share<G::Kind, u32> = share(p.role(), n, &xs, 5);
    let xor = generator(p, n, batch)?.lookup_xor(p, &table, &x)?;
    assert_eq!(p.open(&xor)?, want, "n {n}, {}, {batch} lookups", G::NAME);
    Ok(())
}

/// Widths outside `1..=max` are refused, at once.
pub fn refuses<G: Group>(p: &mut Party, max: u32, generator: Generator<G>) {
    for n in [0, max + 1, 40] {
        assert!(matches!(generator(p, n, 1), Err(Error::Param { what: "index bits", .. })), "{n}");
    }
}

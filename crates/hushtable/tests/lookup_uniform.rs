//! What lookups send, offline and online, is uniform whatever the shares of the index are: `arith_views` says
//! how it is looked at and what that catches. Here everything behind the base OTs counts, so that a generator
//! that draws no offset, or sends a row without a pad, is seen as well.

use crate::support::uniform::assert_uniform;

use hushtable::{
    BShare, Party, Result,
    lut::{
        LookupJob, Protocol, Table,
        flute::{Inputs, Lut},
    },
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share},
};

/// Lookups of a run: a multiple of 64, so that no message ends in bits that mean nothing.
const BATCH: usize = 1 << 11;

/// Correlated OTs each way that are there before a run.
const STOCK: usize = 1 << 17;

/// The protocols that serve such tables; how many they are.
fn uniform<G: Group, K: Kind>(seed: u64, n: u32) -> usize {
    let table =
        Table::<u16>::tabulate(n, 8, |x| (x + 3).wrapping_mul(0x9e37_79b9) >> 7 & 255).expect("a table");
    let job = LookupJob::of::<G, K, u16>(&table).expect("a job");
    let serve: Vec<_> = Protocol::ALL.into_iter().filter(|protocol| protocol.check(&job).is_ok()).collect();
    for (protocol, seed) in serve.iter().zip((seed..).step_by(10)) {
        let name = format!("{protocol} for {job}");
        assert_uniform(&name, seed, STOCK, |p, x| {
            p.barrier()?;
            let material = protocol.prepare::<G, K, u16>(p, &table, BATCH)?;
            material.lookup(p, &table, &Share::new(n, vec![x as u32; BATCH])).map(drop)
        });
    }
    serve.len()
}

/// Longer than 10 s: thousands of lookups by every protocol, four times, so that a small bias is seen.
#[test]
fn what_lookups_send_is_uniform() {
    let served = uniform::<Cyclic, Additive>(10_000, 4)
        + uniform::<Xor, Bitwise>(10_200, 4)
        + uniform::<Cyclic, Bitwise>(10_400, 3)
        + uniform::<Xor, Additive>(10_600, 3);
    assert!(served >= 40, "{served} kinds of lookups");
}

/// Two tables that share a wire, and a third at an output and an input.
#[test]
fn what_tables_at_masked_wires_send_is_uniform() {
    fn tables(p: &mut Party, x: u64) -> Result<()> {
        p.barrier()?;
        let inputs = Inputs::draw(p, 4, BATCH)?;
        let mut luts = Lut::prepare_all(p, inputs.masks(), &[(0b0111, 2), (0b1100, 2)])?;
        let (second, first) = (luts.remove(1), luts.remove(0));
        let joined = first.output().join(&inputs.masks().select(0b0001)?)?;
        let third = Lut::prepare(p, &joined, 8)?;
        let wires = inputs.mask(p, &BShare::<u64>::new(4, vec![x & 15; BATCH]))?;
        let (two, three) =
            (Table::<u8>::tabulate(2, 2, |x| x ^ 2)?, Table::<u8>::tabulate(3, 2, |x| x >> 1)?);
        let y = Lut::lookup_all(p, vec![(first, &three, &wires), (second, &two, &wires)])?;
        let at = y[0].join(&wires.select(0b0001)?)?;
        third.lookup(p, &Table::<u8>::tabulate(3, 8, |x| x * 31)?, &at).map(drop)
    }
    assert_uniform("tables at masked wires", 10_800, STOCK, tables);
}

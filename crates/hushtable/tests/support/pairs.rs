//! Both parties of a test, and what they share.
#![allow(dead_code)] // not every test uses all of it

use std::thread;

use hushtable::{
    Party, Result, Role,
    net::{Connection, LinkShape},
    ot::Scheme,
    share::{Kind, Share},
};
use prim::{block::Block, prg::Prg};

/// Both parties with a given OT extension, deterministic.
pub fn pair(seed: u64, scheme: Option<Scheme>) -> (Party, Party) {
    let (c0, c1) = Connection::pair_with(id(seed), LinkShape::LOOPBACK);
    thread::scope(|scope| {
        let p1 = scope.spawn(|| Party::seeded(c1, seed, scheme).expect("set-up of P1"));
        (Party::seeded(c0, seed, scheme).expect("set-up of P0"), p1.join().expect("no panic"))
    })
}

/// A session id for a seed.
pub fn id(seed: u64) -> [u8; 32] {
    let mut id = [0; 32];
    id[..8].copy_from_slice(&seed.to_le_bytes());
    id
}

/// One party's shares of `values`, the masks drawn from `seed`.
pub fn share<K: Kind>(role: Role, bits: u32, values: &[u32], seed: u64) -> Share<K, u32> {
    let mut masks = vec![0u32; values.len()];
    Prg::new(Block(u128::from(seed) << 64 | 1)).words(bits, &mut masks);
    let masks = Share::new(bits, masks);
    match role {
        Role::P0 => masks,
        Role::P1 => Share::<K, u32>::new(bits, values.to_vec()).minus(&masks),
    }
}

/// In words of 64 bits.
pub fn wide<K: Kind>(x: Share<K, u32>) -> Share<K, u64> {
    Share::new(x.bits(), x.words().iter().map(|&word| word.into()).collect())
}

/// This party's shares of `values` of up to 64 bits.
pub fn words<K: Kind>(role: Role, bits: u32, values: Vec<u64>) -> Share<K, u64> {
    let mask = |i: usize| (i as u64 + 7).wrapping_mul(0xd134_2543_de82_ef95);
    let own = (0..values.len()).map(|i| match role {
        Role::P0 => mask(i),
        Role::P1 => K::strip(values[i], mask(i)),
    });
    Share::new(bits, own.collect())
}

/// Runs the same function at both parties; their results, P0's first.
pub fn both<T: Send>(
    pair: (Party, Party),
    f: impl Fn(&mut Party) -> Result<T> + Send + Sync + Copy,
) -> (T, T) {
    hushtable::run_pair(pair, f, f).expect("an honest run")
}

//! Every lookup protocol over real OTs: exhaustive for small tables, both groups, both outputs.

use hushtable::{
    Party, Result, Role,
    lut::{Table, splut::SpLut},
    net::wire_len,
    onehot::{Cyclic, Group, OneHot, Xor},
    reference, run_pair,
    share::{Kind, Share},
};
use prim::{
    block::Block,
    prg::Prg,
    ring::{Ring, low},
};

/// Shares of `values` for one party: masks from a seed both tests' parties know.
fn share<K: Kind>(role: Role, bits: u32, values: &[u32], seed: u64) -> Share<K, u32> {
    let mut masks = vec![0u32; values.len()];
    Prg::new(Block(seed.into())).words(bits, &mut masks);
    match role {
        Role::P0 => Share::new(bits, masks),
        Role::P1 => Share::<K, u32>::new(bits, values.to_vec()).minus(&Share::new(bits, masks)),
    }
}

/// Runs the same function at both parties and returns what P0 opened.
fn both<T: Send + PartialEq + std::fmt::Debug>(
    seed: u64,
    f: impl Fn(&mut Party) -> Result<T> + Send + Sync + Copy,
) -> T {
    let (a, b) = run_pair(Party::pair_seeded(seed).unwrap(), f, f).unwrap();
    assert_eq!(a, b, "what both parties opened");
    a
}

fn entries<R: Ring>(n: usize, bits: u32) -> Vec<R> {
    (0..n as u64)
        .map(|x| R::from_u64(low((x + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17), bits)))
        .collect()
}

/// Every index of a small table three times, some of a large one: an odd batch, so that the halves
/// of the parties differ.
fn indices(n: u32) -> Vec<u32> {
    (0..(3 << n.min(7)) + 1).map(|i| i * 37 % (1 << n)).collect()
}

fn rotl_all<G: Group, R: Ring>(n: u32, bits: u32) {
    let table = Table::new(bits, entries::<R>(1 << n, bits)).unwrap();
    let xs = indices(n);
    let want: Vec<R> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
    let seed = u64::from(n * 64 + bits);
    let (xor, add) = both(seed, |p| {
        let x: Share<G::Kind, u32> = share(p.role(), n, &xs, seed);
        let xor = OneHot::<G>::rotl(p, n, xs.len())?.lookup_xor(p, &table, &x)?;
        let add = OneHot::<G>::rotl(p, n, xs.len())?.signed(p, &[bits])?.lookup(p, &table, &x)?;
        Ok((p.open(&xor)?, p.open(&add)?))
    });
    assert_eq!((xor, add), (want.clone(), want), "n {n}, {bits} bits, {}", G::NAME);
}

fn splut_all<G: Group, R: Ring>(n: u32, bits: u32) {
    let table = Table::new(bits, entries::<R>(1 << n, bits)).unwrap();
    let xs = indices(n);
    let want: Vec<R> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
    let seed = u64::from(n * 64 + bits) + 10_000;
    let (xor, add) = both(seed, |p| {
        let x: Share<G::Kind, u32> = share(p.role(), n, &xs, seed);
        let xor = SpLut::<G>::prepare(p, 1 << n, xs.len())?.lookup_xor(p, &table, &x)?;
        let add = SpLut::<G>::prepare(p, 1 << n, xs.len())?.lookup(p, &table, &x)?;
        Ok((p.open(&xor)?, p.open(&add)?))
    });
    assert_eq!((xor, add), (want.clone(), want), "n {n}, {bits} bits, {}", G::NAME);
}

#[test]
fn rotl_is_right_for_every_index_width_and_group() {
    fn widths<G: Group>(n: u32) {
        [1, 2, 3, 8].into_iter().for_each(|bits| rotl_all::<G, u8>(n, bits));
        rotl_all::<G, u16>(n, 16);
        rotl_all::<G, u32>(n, 32);
        rotl_all::<G, u64>(n, 64);
    }
    (1..=5).for_each(widths::<Cyclic>);
    (1..=5).for_each(widths::<Xor>);
}

#[test]
fn rotl_is_right_for_larger_tables() {
    for n in 6..=11 {
        rotl_all::<Cyclic, u64>(n, 64);
        rotl_all::<Xor, u64>(n, 37);
        rotl_all::<Cyclic, u8>(n, 8);
    }
}

#[test]
fn splut_is_right_for_every_index_width_and_group() {
    fn widths<G: Group>(n: u32) {
        [1, 2, 3, 8].into_iter().for_each(|bits| splut_all::<G, u8>(n, bits));
        splut_all::<G, u16>(n, 16);
        splut_all::<G, u32>(n, 32);
        splut_all::<G, u64>(n, 64);
    }
    (1..=5).for_each(widths::<Cyclic>);
    (1..=5).for_each(widths::<Xor>);
    splut_all::<Cyclic, u64>(9, 64);
    splut_all::<Xor, u32>(12, 19);
}

#[test]
fn splut_is_right_for_any_length() {
    for n in 2..=33usize {
        let table = Table::new(11, entries::<u16>(n, 11)).unwrap();
        let xs: Vec<u32> = (0..2 * n as u32 + 1).map(|i| i % n as u32).collect();
        let want: Vec<u16> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
        let (xor, add) = both(n as u64, |p| {
            let mut rng = Prg::new(Block(77));
            let split = |x: u32, mask: u32| match p.role() {
                Role::P0 => mask,
                Role::P1 => (x + n as u32 - mask) % n as u32,
            };
            let mine: Vec<u32> = xs.iter().map(|&x| split(x, (rng.u64() % n as u64) as u32)).collect();
            let xor = SpLut::<Cyclic>::prepare(p, n, xs.len())?.lookup_mod_xor(p, &table, &mine)?;
            let add = SpLut::<Cyclic>::prepare(p, n, xs.len())?.lookup_mod(p, &table, &mine)?;
            Ok((p.open(&xor)?, p.open(&add)?))
        });
        assert_eq!((xor, add), (want.clone(), want), "{n} entries");
    }
}

/// Every column by one OT: `d + (n - 1) (sum of widths)` bits, additive and XOR, both groups.
#[test]
fn splut_looks_up_whole_vectors() {
    fn check<G: Group>(p: &mut Party, columns: usize, l: u32) -> Result<()> {
        let column = |c: u64| {
            (0..16u64).map(|i| (i + 16 * c + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - l)).collect()
        };
        let table = Table::<u64>::vector(l, (0..columns as u64).map(column).collect())?;
        let xs: Vec<u32> = (0..49).map(|i| i % 16).collect();
        let want: Vec<Vec<u64>> = table.columns().iter().map(|c| reference::lookup(c, &xs)).collect();
        let x: Share<G::Kind, u32> = share(p.role(), 4, &xs, 8);
        let bytes = |count: usize, bits: usize| wire_len((count * bits).div_ceil(8));
        let (sends, asks) = if p.role() == Role::P0 { (25, 24) } else { (24, 25) };
        let sent = bytes(asks, 4) + bytes(sends, 15 * columns * l as usize);

        let material = SpLut::<G>::prepare(p, 16, xs.len())?;
        let (y, cost) = p.metered(|p| material.lookup_all(p, &table, &x))?;
        assert_eq!((cost.sent, cost.rounds), (sent, 2), "{columns} x {l}, {}", G::NAME);
        let opened = y.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
        assert_eq!(opened, want, "additive, {columns} x {l}, {}", G::NAME);
        let y = SpLut::<G>::prepare(p, 16, xs.len())?.lookup_xor_all(p, &table, &x)?;
        let opened = y.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
        assert_eq!(opened, want, "XOR, {columns} x {l}, {}", G::NAME);
        Ok(())
    }
    both(36, |p| {
        for (columns, l) in [(1, 13), (2, 64), (3, 42), (128, 1), (5, 7)] {
            check::<Cyclic>(p, columns, l)?;
            check::<Xor>(p, columns, l)?;
        }
        let wide = Table::<u64>::vector(43, vec![vec![1; 16]; 3])?;
        let refused = SpLut::<Xor>::prepare(p, 16, 1)?.lookup_all(p, &wide, &Share::new(4, vec![1]));
        let want = "bits of all columns of the table: 129 is not supported; accepted: at most 128";
        assert_eq!(refused.expect_err("too wide").to_string(), want);
        Ok(())
    });
}

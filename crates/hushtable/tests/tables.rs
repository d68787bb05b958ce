//! Several tables at one index, tables of several columns, and material cut into pieces.

use hushtable::{
    AShare, BShare, Error, Party, Result, Role,
    lut::Table,
    onehot::{Cyclic, OneHot, Xor},
    run_pair,
};

/// P0 holds a fixed word of every index, P1 what completes it.
fn additive(role: Role, n: u32, xs: &[u32]) -> AShare<u32> {
    let mask = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9);
    let word = |(i, &x): (usize, &u32)| match role {
        Role::P0 => mask(i),
        Role::P1 => x.wrapping_sub(mask(i)),
    };
    AShare::new(n, xs.iter().enumerate().map(word).collect())
}

fn xor(role: Role, n: u32, xs: &[u32]) -> BShare<u32> {
    let mask = |i: usize| (i as u32).wrapping_mul(0x85eb_ca6b) >> 3;
    let word = |(i, &x): (usize, &u32)| match role {
        Role::P0 => mask(i),
        Role::P1 => x ^ mask(i),
    };
    BShare::new(n, xs.iter().enumerate().map(word).collect())
}

fn run<T: Send + PartialEq + std::fmt::Debug>(f: impl Fn(&mut Party) -> Result<T> + Sync) -> T {
    let (a, b) = run_pair(Party::pair_seeded(5).unwrap(), &f, &f).unwrap();
    assert_eq!(a, b, "what both parties opened");
    a
}

#[test]
fn every_column_of_several_tables_at_one_index() {
    let n = 6;
    let column = |k: u64| -> Vec<u64> { (0..64).map(|i| (i * 37 + k * 101) % (1 << 20)).collect() };
    let spline = Table::vector(20, vec![column(1), column(2), column(3), column(4)]).unwrap();
    let single = Table::new(64, (0..64).map(|i: u64| i.wrapping_mul(u64::MAX / 7)).collect()).unwrap();
    let bit = Table::new(1, (0..64).map(|i: u64| (i * i / 3) & 1).collect()).unwrap();
    let tables = [&spline, &single, &bit];
    let xs: Vec<u32> = (0..64).chain([5, 5, 63]).collect();
    let want: Vec<Vec<u64>> = tables
        .iter()
        .flat_map(|t| t.columns())
        .map(|column| xs.iter().map(|&x| column[x as usize]).collect())
        .collect();
    let (sums, xors) = run(|p| {
        let widths = [20, 20, 20, 20, 64, 1];
        let x = additive(p.role(), n, &xs);
        let y = OneHot::<Cyclic>::rotl(p, n, xs.len())?.signed(p, &widths)?.lookup_all(p, &tables, &x)?;
        let sums = y.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
        let x = xor(p.role(), n, &xs);
        let y = OneHot::<Xor>::rotl(p, n, xs.len())?.lookup_xor_all(p, &tables, &x)?;
        let xors = y.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
        Ok((sums, xors))
    });
    assert_eq!(sums, want, "additive outputs");
    assert_eq!(xors, want, "XOR outputs");
}

#[test]
fn one_opening_serves_tables_of_different_words() {
    let small = Table::<u8>::tabulate(4, 5, |x| x * 3).unwrap();
    let large = Table::<u64>::tabulate(4, 64, |x| x.wrapping_mul(u64::MAX / 5)).unwrap();
    let xs: Vec<u32> = (0..16).collect();
    let (a, b) = run(|p| {
        let x = additive(p.role(), 4, &xs);
        let at = OneHot::<Cyclic>::rotl(p, 4, xs.len())?.open_index(p, &x)?;
        let (a, b) = (at.read_xor(&small)?.remove(0), at.read_xor(&large)?.remove(0));
        Ok((p.open(&a)?, p.open(&b)?))
    });
    assert_eq!((&a, &b), (&small.columns()[0], &large.columns()[0]));
}

#[test]
fn outputs_of_one_bit_need_no_sign() {
    let table = Table::<u8>::tabulate(3, 1, |x| (x >> 1) ^ x).unwrap();
    let xs: Vec<u32> = (0..8).collect();
    let opened = run(|p| {
        let x = additive(p.role(), 3, &xs);
        let material = OneHot::<Cyclic>::rotl(p, 3, xs.len())?;
        let (material, offline) = p.metered(|p| material.signed(p, &[1]))?;
        assert_eq!((offline.sent, offline.rounds), (0, 0), "nothing to prepare");
        let (y, online) = p.metered(|p| material.lookup(p, &table, &x))?;
        assert_eq!(online.rounds, 1, "no multiplexer");
        p.open(&y)
    });
    assert_eq!(opened, table.columns()[0]);
}

#[test]
fn pieces_of_a_batch_serve_in_any_order() {
    let table = Table::<u16>::tabulate(5, 16, |x| x * x + 1).unwrap();
    let opened = run(|p| {
        let mut rest = OneHot::<Cyclic>::rotl(p, 5, 7)?;
        let last = rest.take(3)?;
        assert!(matches!(rest.take(5), Err(Error::Shape { want: 5, got: 4, .. })));
        let x = additive(p.role(), 5, &[1, 2, 31]);
        let a = last.lookup_xor(p, &table, &x)?;
        let x = additive(p.role(), 5, &[0, 9, 30, 17]);
        let b = rest.lookup_xor(p, &table, &x)?;
        Ok([p.open(&a)?, p.open(&b)?].concat())
    });
    assert_eq!(opened, [1, 2, 31, 0, 9, 30, 17].map(|x: u16| x * x + 1));
}

//! Equality in two rounds, and lookups in tables that are shared: every share of small numbers, boundary values at
//! all widths, both groups.

use crate::support::{
    pairs::{both, pair},
    shares::{own, random},
};

use hushtable::{
    AShare, Error, Party, Result,
    arith::{CompareDomain, CompareJob, Comparison, HammingEquality, Objective},
    bill::Phase,
    gates::Bits,
    lut::{MAX_SHARED_BITS, SharedTables},
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share},
};
use prim::ring::{Ring, low};

/// Compares numbers of which the shares are given, x's and y's.
fn equal(p: &mut Party, bits: u32, shares: &[[u64; 4]]) -> Result<()> {
    let of = |at: usize| shares.iter().map(|s| [s[at], s[at + 1]]).collect::<Vec<_>>();
    let (x, y) = (own::<_, u64>(p.role(), bits, &of(0)), own(p.role(), bits, &of(2)));
    let opened = HammingEquality::prepare(p, bits, shares.len())?.eq(p, &x, &y)?.open(p)?;
    for (i, [x0, x1, y0, y1]) in shares.iter().enumerate() {
        let want = low(x0.wrapping_add(*x1), bits) == low(y0.wrapping_add(*y1), bits);
        assert_eq!(opened[i / 64] >> (i % 64) & 1 == 1, want, "{:?} of {bits} bits", shares[i]);
    }
    Ok(())
}

#[test]
fn equality_of_all_shares_of_small_numbers() {
    both(pair(70, None), |p| {
        for bits in 1..=4 {
            let digit = |i: u64, at: u32| low(i >> (at * bits), bits);
            let all = (0..1u64 << (4 * bits)).map(|i| [0, 1, 2, 3].map(|at| digit(i, at)));
            equal(p, bits, &all.collect::<Vec<_>>())?;
        }
        Ok(())
    });
}

#[test]
fn equality_at_every_width() {
    both(pair(71, None), |p| {
        for bits in 1..=64 {
            let masks = random(bits, 2 * (bits as usize + 4), bits.into());
            let x = random(bits, 1, 99 + u64::from(bits))[0];
            let others =
                (0..bits).map(|k| x ^ 1 << k).chain([x, x, low(!x, bits), low(x.wrapping_add(1), bits)]);
            let shares = others
                .zip(masks.chunks_exact(2))
                .map(|(y, r)| [r[0], low(x.wrapping_sub(r[0]), bits), r[1], low(y.wrapping_sub(r[1]), bits)]);
            equal(p, bits, &shares.collect::<Vec<_>>())?;
        }
        Ok(())
    });
}

/// 32 bits take 51 bytes, correlated OTs included, whatever they are.
#[test]
fn equality_costs_what_is_documented() {
    for (bits, k) in [(1, 1), (2, 2), (3, 2), (4, 3), (31, 5), (32, 6), (63, 6), (64, 7)] {
        let bill = HammingEquality::bill(bits).unwrap();
        let (l, vector) = (u64::from(bits), (1 << k) - k - 1);
        assert_eq!(bill.offline.bits, [l * (k - 1) + vector + k * (k - 1) / 2, vector], "{bits} bits");
        let free = u64::from(k > 1);
        assert_eq!(bill.cots, [(l + 1) * free + k - 1, k - 1], "{bits} bits");
        assert_eq!(bill.online, Phase { bits: [l + k; 2], rounds: 2 }, "{bits} bits");
    }
    assert!(HammingEquality::bill(32).unwrap().bytes() < 52.0);
}

/// The threshold is shared, like the number: its sign is that of the difference.
#[test]
fn thresholds_that_are_secret() {
    both(pair(72, None), |p| {
        for (bits, objective) in [(5, Objective::Rounds), (17, Objective::Online), (33, Objective::Rounds)] {
            let half = 1 << (bits - 1);
            let numbers: Vec<[u64; 2]> =
                random(bits - 2, 300, 5).chunks_exact(2).map(|c| [c[0], c[1]]).collect();
            let near =
                [[0, 0], [0, 1], [1, 0], [half - 1, half - 1], [half - 2, half - 1], [half - 1, half - 2]];
            let pairs: Vec<[u64; 2]> = numbers.into_iter().chain(near).collect();
            let masks = random(bits, pairs.len(), 6);
            let shares = |at: usize| {
                let of = pairs.iter().zip(&masks).map(|(x, &r)| [r, low(x[at].wrapping_sub(r), bits)]);
                of.collect::<Vec<_>>()
            };
            let (x, alpha) =
                (own::<Additive, u64>(p.role(), bits, &shares(0)), own(p.role(), bits, &shares(1)));
            let job = CompareJob::new(bits, CompareDomain::Near, objective)?;
            let sign: Bits = Comparison::prepare(p, job, pairs.len())?.negative(p, &(&x - &alpha))?;
            let opened = sign.open(p)?;
            for (i, [x, alpha]) in pairs.iter().enumerate() {
                assert_eq!(opened[i / 64] >> (i % 64) & 1 == 1, x < alpha, "{x} < {alpha} of {bits} bits");
            }
        }
        Ok(())
    });
}

/// Reads a table whose entries are `f`'s at every index, the index and the table shared by masks.
fn read<G: Group, K: Kind, R: Ring>(p: &mut Party, d: u32, l: u32, each: bool) -> Result<()> {
    let n = 1usize << d;
    let count = match d {
        ..5 => n * n,
        5..8 => 64,
        _ => 5,
    };
    let tables = if each { count } else { 1 };
    let entries = random(l, n * tables, 8);
    let masks = random(l, n * tables, 9);
    let split = |(x, r): (&u64, &u64)| [*r, K::strip(*x, *r)];
    let table: Share<K, R> = own(p.role(), l, &entries.iter().zip(&masks).map(split).collect::<Vec<_>>());
    // Every index in every share, where there are few.
    let index = |i: usize| [(i / n % n) as u64, low(K::strip((i % n) as u64, 0).wrapping_mul(37), d)];
    let indices: Vec<[u64; 2]> = (0..count).map(index).collect();
    let x = own::<G::Kind, u32>(p.role(), d, &indices);
    let material = SharedTables::<G, K, R>::prepare(p, d, &table, count)?;
    let y = material.lookup(p, &x)?;
    let y = p.open(&y)?;
    for (i, ([a, b], y)) in indices.iter().zip(y).enumerate() {
        let at = low(<G::Kind as Kind>::combine(*a, *b), d) as usize;
        let from = if each { i * n } else { 0 };
        assert_eq!(y.to_u64(), entries[from + at], "entry {at} of 2^{d}, {l} bits, {}", G::NAME);
    }
    Ok(())
}

#[test]
fn shared_tables_of_every_length() {
    both(pair(73, None), |p| {
        for d in 1..=6 {
            read::<Cyclic, Additive, u16>(p, d, 13, false)?;
            read::<Cyclic, Bitwise, u8>(p, d, 1 + d, true)?;
            read::<Xor, Additive, u64>(p, d, 64, true)?;
            read::<Xor, Bitwise, u32>(p, d, 2, false)?;
        }
        for l in [1, 2, 3, 8, 16, 32, 63, 64] {
            read::<Cyclic, Additive, u64>(p, 3, l, true)?;
        }
        read::<Cyclic, Additive, u16>(p, 8, 16, false)?;
        read::<Xor, Bitwise, u16>(p, MAX_SHARED_BITS, 9, false)
    });
}

#[test]
fn refused() {
    both(pair(74, None), |p| {
        for d in [0, MAX_SHARED_BITS + 1, 64] {
            let table = AShare::<u16>::new(9, vec![0; 4]);
            let made = SharedTables::<Cyclic, Additive, u16>::prepare(p, d, &table, 4);
            assert!(matches!(made, Err(Error::Param { what: "index bits of a shared table", .. })), "{d}");
            assert!(SharedTables::<Cyclic, Additive, u16>::bill(d, 9).is_err());
        }
        let table = AShare::<u16>::new(9, vec![0; 12]);
        let made = SharedTables::<Cyclic, Additive, u16>::prepare(p, 2, &table, 4);
        assert!(matches!(made, Err(Error::Shape { .. })));
        let table = AShare::<u16>::new(9, vec![0; 4]);
        let material = SharedTables::<Cyclic, Additive, u16>::prepare(p, 2, &table, 4)?;
        assert_eq!(format!("{material:?}"), "SharedTables<cyclic>(4 x 4 entries of 9 bits)");
        assert!(material.lookup(p, &AShare::<u32>::new(2, vec![0; 3])).is_err());
        for bits in [0, 65] {
            assert!(HammingEquality::prepare(p, bits, 1).is_err() && HammingEquality::bill(bits).is_err());
        }
        let (few, x) = (HammingEquality::prepare(p, 8, 3)?, AShare::<u32>::new(8, vec![0; 4]));
        assert!(matches!(few.eq(p, &x, &x), Err(Error::Shape { .. })));
        Ok(())
    });
}

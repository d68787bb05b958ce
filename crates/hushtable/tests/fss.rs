//! Keys of functions: every position and every point while the domain is small, against the functions themselves.

use crate::support::pairs;

use std::ops::Range;

use hushtable::{
    Error, Party, Result, Role,
    fss::{Dcf, Dpf, End, MAX_KEYS, PIECE_BITS},
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share},
};
use pairs::{both, pair, share, words};
use prim::ring::low;

/// The payload of key `key`, word `word`, level `level`.
fn payload(key: usize, word: u32, level: u32, bits: u32) -> u64 {
    low(
        (key as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(word << 8 | level) << 40 ^ 0x5a,
        bits,
    )
}

fn columns<K: Kind>(role: Role, batch: usize, bits: u32, count: u32, level: u32) -> Vec<Share<K, u64>> {
    let column = |word| words(role, bits, (0..batch).map(|key| payload(key, word, level, bits)).collect());
    (0..count).map(column).collect()
}

/// Combines the values of both parties.
fn value<K: Kind>(bits: u32, (a, b): (u64, u64)) -> u64 {
    low(K::combine(a, b), bits)
}

/// What a party finds at all points by each of the ways to evaluate: by point, key and word.
type Found = Vec<Vec<u64>>;

/// Values at all points by single points, and by a range of all and of some.
fn evaluated<K: Kind>(
    points: u32,
    batch: usize,
    count: usize,
    eval: impl Fn(&[u32]) -> Result<Vec<Share<K, u64>>>,
    range: impl Fn(Range<u32>, &mut dyn FnMut(usize, u32, &[u64])) -> Result<()>,
) -> Result<Found> {
    let at = |key: usize, point: usize, word: usize| (key * points as usize + point) * count + word;
    let mut single = vec![0; batch * points as usize * count];
    for point in 0..points {
        for (word, column) in eval(&vec![point; batch])?.iter().enumerate() {
            column.words().iter().enumerate().for_each(|(key, &x)| single[at(key, point as usize, word)] = x);
        }
    }
    let mut all = vec![0; single.len()];
    range(0..points, &mut |key, first, found| {
        all[at(key, first as usize, 0)..][..found.len()].copy_from_slice(found);
    })?;
    // Of a part of the points the same values, and no others.
    let part = points / 3..points - points / 4;
    let mut some = all.clone();
    for key in 0..batch {
        some[at(key, part.start as usize, 0)..at(key, part.end as usize, 0)].fill(0);
    }
    range(part, &mut |key, first, found| {
        some[at(key, first as usize, 0)..][..found.len()].iter_mut().zip(found).for_each(|(s, f)| *s += f);
    })?;
    Ok(vec![single, all, some])
}

/// Every position of `d` bits with payloads of `count` words of `bits` bits, at every point.
fn exhaustive<G: Group, K: Kind>(d: u32, bits: u32, count: u32) {
    let n = 1u32 << d;
    let positions: Vec<u32> = (0..n).collect();
    let run = |p: &mut Party| -> Result<[Found; 3]> {
        let x = share::<G::Kind>(p.role(), d, &positions, 3);
        let beta = columns::<K>(p.role(), n as usize, bits, count, 0);
        let dpf = Dpf::<G, K>::new(p, &x, &beta)?;
        let dcf = Dcf::<G, K>::new(p, &x, &beta)?;
        let (batch, words) = (n as usize, count as usize);
        let point = evaluated::<K>(n, batch, words, |x| dpf.eval(x), |r, f| dpf.eval_range(r, f))?;
        let of = |end| {
            let range = |r, f: &mut dyn FnMut(usize, u32, &[u64])| dcf.eval_range(end, r, f);
            evaluated::<K>(n, batch, words, |x| dcf.eval(end, x), range)
        };
        Ok([point, of(End::Before)?, of(End::At)?])
    };
    let (a, b) = both(pair(0xf55 + u64::from(d), None), run);
    let holds: [fn(u32, u32) -> bool; 3] = [|x, a| x == a, |x, a| x < a, |x, a| x <= a];
    for (function, holds) in holds.into_iter().enumerate() {
        for (way, (a, b)) in a[function].iter().zip(&b[function]).enumerate() {
            let mut values = a.iter().zip(b).map(|(&a, &b)| value::<K>(bits, (a, b)));
            for key in 0..n {
                for x in 0..n {
                    for word in 0..count {
                        let want = if holds(x, key) { payload(key as usize, word, 0, bits) } else { 0 };
                        let found = values.next().expect("a value");
                        assert_eq!(
                            found, want,
                            "{function}, way {way}, {d} bits, {bits} x {count}: {x} {key}"
                        );
                    }
                }
            }
        }
    }
}

fn groups_and_kinds(d: u32, bits: u32, count: u32) {
    exhaustive::<Xor, Bitwise>(d, bits, count);
    exhaustive::<Xor, Additive>(d, bits, count);
    exhaustive::<Cyclic, Bitwise>(d, bits, count);
    exhaustive::<Cyclic, Additive>(d, bits, count);
}

#[test]
fn every_position_at_every_point() {
    for d in 1..=5 {
        groups_and_kinds(d, 13, 1);
    }
    groups_and_kinds(7, 32, 1);
    groups_and_kinds(8, 64, 1);
    groups_and_kinds(8, 1, 1);
}

#[test]
fn payloads_of_every_width() {
    for bits in [1, 2, 8, 16, 32, 63, 64] {
        groups_and_kinds(4, bits, 1);
    }
    for (bits, count) in [(1, 16), (9, 3), (64, 2), (33, 5)] {
        groups_and_kinds(3, bits, count);
    }
}

/// All values of keys with the bit 1, by points and as rows.
fn bits_of<G: Group>(d: u32, positions: &[u32], points: &[u32]) {
    let run = |p: &mut Party| -> Result<[Vec<u64>; 4]> {
        let x = share::<G::Kind>(p.role(), d, positions, 5);
        let dpf = Dpf::<G, Bitwise>::prepare_bit(p, d, positions.len())?.at(p, &x)?;
        let dcf = Dcf::<G, Bitwise>::prepare_bit(p, d, positions.len())?.at(p, &x)?;
        let (mut rows, mut single) = (Vec::new(), [vec![], vec![], vec![]]);
        dpf.eval_bits(|key, row| {
            assert_eq!(key, rows.len() / (1usize << d).div_ceil(64), "in order");
            rows.extend_from_slice(row);
        })?;
        for &point in points {
            let at = vec![point; positions.len()];
            let found = [dpf.eval(&at)?, dcf.eval(End::Before, &at)?, dcf.eval(End::At, &at)?];
            single.iter_mut().zip(&found).for_each(|(s, f)| s.extend_from_slice(f[0].words()));
        }
        let [a, b, c] = single;
        Ok([rows, a, b, c])
    };
    let (a, b) = both(pair(0xb17 + u64::from(d), None), run);
    let found = |way: usize| -> Vec<u64> { a[way].iter().zip(&b[way]).map(|(a, b)| a ^ b).collect() };
    for (row, &position) in found(0).chunks_exact((1usize << d).div_ceil(64)).zip(positions) {
        for (i, &word) in row.iter().enumerate() {
            let want = if i == position as usize / 64 { 1u64 << (position % 64) } else { 0 };
            assert_eq!(word, want, "{d} bits, position {position}");
        }
    }
    let holds: [fn(u32, u32) -> bool; 3] = [|x, a| x == a, |x, a| x < a, |x, a| x <= a];
    for (way, holds) in (1..).zip(holds) {
        let mut values = found(way).into_iter();
        for &x in points {
            for &position in positions {
                let want = u64::from(holds(x, position));
                assert_eq!(values.next(), Some(want), "{way}, {d} bits: {x}, {position}");
            }
        }
    }
}

#[test]
fn the_bit_1_everywhere() {
    for d in 1..=8 {
        let all: Vec<u32> = (0..1 << d).collect();
        bits_of::<Xor>(d, &all, &all);
        bits_of::<Cyclic>(d, &all, &all);
    }
    let all: Vec<u32> = (0..1 << 9).collect();
    bits_of::<Xor>(9, &all, &[0, 1, 127, 128, 200, 510, 511]);
    bits_of::<Cyclic>(9, &all, &[0, 1, 127, 128, 200, 510, 511]);
}

/// Few positions of many bits.
/// Piece by piece, as all at once.
#[test]
fn pieces_are_the_whole() {
    for (d, count) in [(3, 2), (6, 40), (8, 33), (11, 5), (14, 3), (15, 34)] {
        let positions: Vec<u32> = (0..count).map(|i: u32| i.wrapping_mul(0x9e37_79b9) >> (32 - d)).collect();
        both(pair(0xb2f + u64::from(d), None), |p| {
            let x = share::<Bitwise>(p.role(), d, &positions, 5);
            let keys = Dpf::<Xor, Bitwise>::prepare_bit(p, d, positions.len())?.at(p, &x)?;
            let mut whole = Vec::new();
            keys.eval_bits(|_, row| whole.push(row.to_vec()))?;
            let pieces = 1u32 << d.saturating_sub(PIECE_BITS);
            let mut rows = vec![Vec::new(); positions.len()];
            for piece in 0..pieces {
                keys.eval_piece(piece, |keys, bits| {
                    let words = bits.chunks_exact(bits.len() / keys.len());
                    rows[keys].iter_mut().zip(words).for_each(|(row, words)| row.extend_from_slice(words));
                })?;
            }
            assert_eq!(rows, whole, "{d} bits");
            assert!(matches!(keys.eval_piece(pieces, |_, _| {}), Err(Error::Param { .. })));
            Ok(())
        });
    }
}

#[test]
fn large_domains() {
    for d in [12, 16, 17, 24] {
        let last = (1u32 << d) - 1;
        let positions = [0, 1, last / 3, last - 1, last];
        let points = [0, 1, 2, last / 3 - 1, last / 3, last / 3 + 1, last - 1, last];
        bits_of::<Xor>(d, &positions, &points);
        bits_of::<Cyclic>(d, &positions, &points);
        some::<Cyclic, Additive>(d, 64, &positions, &points);
        some::<Xor, Bitwise>(d, 5, &positions, &points);
    }
}

/// Some positions at some points, and at a short range around each of them.
fn some<G: Group, K: Kind>(d: u32, bits: u32, positions: &[u32], points: &[u32]) {
    let d = d.min(17); // trees of all leaves
    let cut = |x: &[u32]| x.iter().map(|x| x & ((1 << d) - 1)).collect::<Vec<_>>();
    let (positions, points) = (cut(positions), cut(points));
    let (positions, points) = (&positions, &points);
    let around = |x: u32| x.saturating_sub(300)..(x + 300).min(1 << d);
    let run = |p: &mut Party| -> Result<Vec<(u32, usize, u32, u64)>> {
        let x = share::<G::Kind>(p.role(), d, positions, 5);
        let beta = columns::<K>(p.role(), positions.len(), bits, 1, 0);
        let (dpf, dcf) = (Dpf::<G, K>::new(p, &x, &beta)?, Dcf::<G, K>::new(p, &x, &beta)?);
        let mut found = Vec::new();
        for &point in points {
            let at = vec![point; positions.len()];
            for (way, values) in [(0, dpf.eval(&at)?), (1, dcf.eval(End::Before, &at)?)] {
                found.extend(values[0].words().iter().enumerate().map(|(key, &x)| (way, key, point, x)));
            }
            dpf.eval_range(around(point), |key, first, x| {
                found.extend((first..).zip(x).map(|(at, &x)| (0, key, at, x)));
            })?;
            dcf.eval_range(End::Before, around(point), |key, first, x| {
                found.extend((first..).zip(x).map(|(at, &x)| (1, key, at, x)));
            })?;
        }
        Ok(found)
    };
    let (a, b) = both(pair(0x1a6e + u64::from(d), None), run);
    for (&(way, key, x, a), &(_, _, _, b)) in a.iter().zip(&b) {
        let holds = if way == 0 { x == positions[key] } else { x < positions[key] };
        let want = if holds { payload(key, 0, 0, bits) } else { 0 };
        assert_eq!(value::<K>(bits, (a, b)), want, "way {way}, {d} bits: {x}, {}", positions[key]);
    }
}

/// Every pair of shares of every position.
#[test]
fn every_split_of_a_position() {
    fn splits<G: Group>(d: u32) {
        let n = 1u32 << d;
        let own = |role: Role, i: u32| if role == Role::P0 { i / n } else { i % n };
        let run = |p: &mut Party| -> Result<Vec<u64>> {
            let x = Share::<G::Kind, u32>::new(d, (0..n * n).map(|i| own(p.role(), i)).collect());
            let one = words::<Additive>(p.role(), 16, vec![1; (n * n) as usize]);
            let dpf = Dpf::<G, Additive>::new(p, &x, std::slice::from_ref(&one))?;
            let dcf = Dcf::<G, Additive>::new(p, &x, &[one])?;
            let mut all = Vec::new();
            for point in 0..n {
                let at = vec![point; (n * n) as usize];
                all.extend_from_slice(dpf.eval(&at)?[0].words());
                all.extend_from_slice(dcf.eval(End::Before, &at)?[0].words());
            }
            Ok(all)
        };
        let (a, b) = both(pair(0x5b11, None), run);
        let mut values = a.iter().zip(&b).map(|(&a, &b)| value::<Additive>(16, (a, b)));
        for point in 0..n {
            for less in [false, true] {
                for i in 0..n * n {
                    let alpha = <G::Kind as Kind>::combine((i / n).into(), (i % n).into()) as u32 & (n - 1);
                    let want = u64::from(if less { point < alpha } else { point == alpha });
                    assert_eq!(values.next(), Some(want), "{d} bits, {point}, {} and {}", i / n, i % n);
                }
            }
        }
    }
    for d in 1..=5 {
        splits::<Cyclic>(d);
        splits::<Xor>(d);
    }
}

#[test]
fn bad_input_is_refused() {
    let run = |p: &mut Party| -> Result<()> {
        let one = |count| [words::<Additive>(p.role(), 8, vec![1; count])];
        let beta = (one(3), one(4), one(0));
        let param =
            |what: &str, e: Error| assert!(matches!(&e, Error::Param { what: w, .. } if *w == what), "{e}");
        param("bits of a key's position", Dpf::<Xor, Additive>::prepare(p, 25, &beta.0).unwrap_err());
        param("bits of a key's position", Dcf::<Xor, Bitwise>::prepare_bit(p, 0, 3).unwrap_err());
        param("words of a key's payload", Dpf::<Xor, Additive>::prepare(p, 9, &[]).unwrap_err());
        param("keys made at once", Dpf::<Xor, Additive>::prepare(p, 9, &beta.2).unwrap_err());
        param("keys made at once", Dpf::<Xor, Bitwise>::prepare_bit(p, 9, MAX_KEYS + 1).unwrap_err());
        let uneven = [beta.0[0].clone(), beta.1[0].clone()];
        assert!(matches!(Dpf::<Xor, Additive>::prepare(p, 9, &uneven), Err(Error::Shape { .. })));
        let keys = Dpf::<Xor, Additive>::prepare(p, 9, &beta.0)?;
        let keys = keys.at(p, &Share::new(9, vec![1, 2, 3]))?;
        assert!(matches!(keys.eval(&[1, 2]), Err(Error::Shape { .. })));
        param("point of a function", keys.eval(&[1, 2, 512]).unwrap_err());
        param("point of a function", keys.eval_range(3..513, |_, _, _| ()).unwrap_err());
        let few = Dpf::<Xor, Bitwise>::prepare_bit(p, 9, 3)?.at(p, &Share::new(9, vec![1, 2]));
        assert!(matches!(few, Err(Error::Shape { .. })));
        let narrow = Dpf::<Xor, Bitwise>::prepare_bit(p, 9, 3)?.at(p, &Share::new(8, vec![1, 2, 3]));
        assert!(matches!(narrow, Err(Error::Shape { .. })));
        Ok(())
    };
    both(pair(0xbad, None), run);
}

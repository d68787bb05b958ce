//! Comparison: every pair of small numbers, boundary values at all widths, and the cost.

#[path = "support/pairs.rs"]
mod pairs;

use hushtable::{
    Error, Party, Result, Role,
    arith::Millionaires,
    net::{Cost, wire_len},
};
use pairs::{both, pair};
use prim::{block::Block, prg::Prg, ring::low};

fn random(bits: u32, count: usize, seed: u64) -> Vec<u64> {
    let mut words = vec![0; count];
    Prg::new(Block(seed.into())).words(bits, &mut words);
    words
}

/// Pairs whose order is decided at every place: random ones, equal ones, neighbours and bounds.
fn numbers(bits: u32) -> Vec<(u64, u64)> {
    let top = low(u64::MAX, bits);
    let mut pairs = Vec::new();
    for x in random(bits, 40, bits.into()) {
        pairs.extend([(x, x), (x, x ^ 1), (x, x ^ 1 << (bits - 1)), (x, 0), (x, top), (0, x), (top, x)]);
        pairs.extend(random(bits, 5, x).into_iter().map(|y| (x, y)));
        pairs.extend((0..bits).map(|k| (x, x ^ 1 << k)));
    }
    for x in [0, 1, top / 2, top / 2 + 1, top - 1, top] {
        pairs.extend([0, 1, top / 2, top / 2 + 1, top - 1, top].map(|y| (x, low(y, bits))));
    }
    pairs.into_iter().map(|(x, y)| (low(x, bits), low(y, bits))).collect()
}

fn mine(role: Role, pairs: &[(u64, u64)]) -> Vec<u64> {
    pairs.iter().map(|&(x, y)| if role == Role::P0 { x } else { y }).collect()
}

/// Compares and checks every result.
fn compare(p: &mut Party, bits: u32, digit: u32, pairs: &[(u64, u64)]) -> Result<()> {
    let less = Millionaires::prepare(p, bits, digit, pairs.len())?.less(p, &mine(p.role(), pairs))?;
    let opened = less.open(p)?;
    for (i, (x, y)) in pairs.iter().enumerate() {
        let got = opened[i / 64] >> (i % 64) & 1 == 1;
        assert_eq!(got, x < y, "{x} < {y}, {bits} bits in digits of {digit}");
    }
    Ok(())
}

#[test]
fn every_pair_of_numbers_of_8_bits() {
    let pairs: Vec<(u64, u64)> = (0..1 << 16).map(|i| (i >> 8, i & 255)).collect();
    both(pair(1, None), |p| (1..=6).try_for_each(|digit| compare(p, 8, digit, &pairs)));
}

#[test]
fn every_width() {
    both(pair(2, None), |p| {
        (1..=64).try_for_each(|bits| compare(p, bits, 1 + bits % 6, &numbers(bits)))?;
        [16, 31, 32, 63, 64]
            .iter()
            .try_for_each(|&bits| (1..=6).try_for_each(|digit| compare(p, bits, digit, &numbers(bits))))
    });
}

/// Wire bytes of `count` items in messages of at most `piece`, of which `each(items)` are the bytes.
fn in_pieces(count: usize, piece: usize, each: impl Fn(usize) -> usize) -> u64 {
    (0..count).step_by(piece).map(|from| wire_len(each(piece.min(count - from)))).sum()
}

/// Digits of widths that differ by one at most, lowest first.
fn widths(bits: u32, digit: u32) -> Vec<u32> {
    let count = bits.div_ceil(digit);
    (0..count).map(|i| (bits + count - 1 - i) / count).collect()
}

/// Per digit `(w - 1) 2^w + 1` bits from P0 and P1 in turn, then `2L` bits, and 6 or 4 for a pair.
#[test]
fn the_cost_is_the_documented_one() {
    let jobs = [(31, 4, 5000), (63, 4, 100), (8, 1, 64), (64, 6, 33), (5, 6, 20_000), (31, 2, 1)];
    let measure = |p: &mut Party, (bits, digit, batch): (u32, u32, usize)| -> Result<[Cost; 2]> {
        let (send, recv) = Millionaires::cots(p.role(), bits, digit, batch)?;
        p.stock_cots(send, recv)?;
        let (material, offline) = p.metered(|p| Millionaires::prepare(p, bits, digit, batch))?;
        let (_, online) = p.metered(|p| material.less(p, &vec![1; batch]))?;
        Ok([offline, online])
    };
    let run = |p: &mut Party| jobs.iter().map(|&job| measure(p, job)).collect::<Result<Vec<_>>>();
    let (at_p0, at_p1) = both(pair(3, None), run);
    for ((&(bits, digit, batch), at_p0), at_p1) in jobs.iter().zip(&at_p0).zip(&at_p1) {
        let widths = widths(bits, digit);
        let packed = |count: usize, bits: u32| (count * bits as usize).div_ceil(8);
        let thermometer = |&w: &u32| {
            assert_eq!((0..w).map(|k| (1 << w) - (1 << k)).sum::<u32>(), ((w - 1) << w) + 1);
            in_pieces(batch, 1 << 12, |n| (0..w).map(|k| packed(n, (1 << w) - (1 << k))).sum())
        };
        let offline = |from: usize| widths.iter().skip(from).step_by(2).map(thermometer).sum::<u64>();
        let made = u32::from(batch > 0);
        let [p0, p1] = [offline(0), offline(1)];
        assert_eq!(at_p0[0], Cost { sent: p0, received: p1, rounds: made }, "{bits} {digit} {batch}");
        assert_eq!(at_p1[0], Cost { sent: p1, received: p0, rounds: made }, "{bits} {digit} {batch}");
        let m = widths.len();
        let levels = m.next_power_of_two().trailing_zeros() as u64;
        let digits = in_pieces(batch, 1 << 14, |n| widths.iter().map(|&w| packed(n, w)).sum());
        let pair = |opened: usize| wire_len(opened * batch.div_ceil(8));
        let tree = levels * pair(2) + (m as u64 - 1 - levels) * pair(3);
        let (sent, rounds) = (digits + tree, 1 + levels as u32);
        assert_eq!(at_p0[1], Cost { sent, received: sent, rounds }, "{bits} {digit} {batch}");
        assert_eq!(at_p1[1], at_p0[1]);
    }
}

#[test]
fn refused() {
    both(pair(4, None), |p| {
        for (bits, digit) in [(0, 4), (65, 4), (8, 0), (8, 7)] {
            assert!(matches!(Millionaires::prepare(p, bits, digit, 1), Err(Error::Param { .. })));
            assert!(matches!(Millionaires::cots(Role::P0, bits, digit, 1), Err(Error::Param { .. })));
        }
        let few = Millionaires::prepare(p, 8, 4, 3)?;
        assert!(matches!(few.less(p, &[1; 4]), Err(Error::Shape { .. })));
        compare(p, 7, 3, &[])
    });
}

//! Equality and comparison with a shared payload: every pair of small numbers at every share, bills, what is sent, refusals.

use crate::support::{
    billed::{check, check_parts},
    pairs::{both, pair},
    uniform::assert_uniform,
};

use hushtable::{AShare, Error, Party, Result, Role};
use hushtable_baselines::dfss::{PayloadComparison, PayloadEquality};
use prim::{block::Block, prg::Prg, ring::low};

/// This party's shares of these words.
fn share(role: Role, bits: u32, words: &[u64], seed: u128) -> AShare<u64> {
    let mut masks = vec![0u64; words.len()];
    Prg::new(Block(seed)).words(bits, &mut masks);
    if role == Role::P1 {
        masks.iter_mut().zip(words).for_each(|(mask, word)| *mask = low(word.wrapping_sub(*mask), bits));
    }
    AShare::new(bits, masks)
}

/// What both gates give for these pairs, payloads `3 i + 1` mod `2^ring`.
fn gates(p: &mut Party, bits: u32, ring: u32, pairs: &[[u64; 2]], seed: u128) -> Result<[Vec<u64>; 2]> {
    let payload: Vec<u64> = (0..pairs.len() as u64).map(|i| low(3 * i + 1, ring)).collect();
    let payload = share(p.role(), ring, &payload, seed + 1);
    let [x, y] = [0, 1].map(|i| {
        let words: Vec<u64> = pairs.iter().map(|pair| pair[i]).collect();
        share(p.role(), bits, &words, seed + 2 + i as u128)
    });
    let equal = PayloadEquality::prepare(p, bits, &payload)?.eq(p, &x, &y)?;
    let less = PayloadComparison::prepare(p, bits, &payload)?.less(p, &x, &y)?;
    Ok([p.open(&equal)?, p.open(&less)?])
}

/// Every pair of numbers of up to three bits; random ones and the ends above. No pair is too far apart.
#[test]
fn every_pair() {
    both(pair(1800, None), |p| {
        let mut rng = Prg::new(Block(1801));
        for (bits, ring) in [(1, 1), (2, 9), (3, 64), (8, 16), (12, 33), (15, 64)] {
            let top = low(u64::MAX, bits);
            let mut pairs: Vec<[u64; 2]> = if bits <= 3 {
                (0..=top).flat_map(|x| (0..=top).map(move |y| [x, y])).collect()
            } else {
                vec![[0, 0], [0, top], [top, 0], [top, top], [top / 2, top / 2 + 1], [top / 2 + 1, top / 2]]
            };
            pairs.extend((0..20).map(|_| [low(rng.u64(), bits), low(rng.u64(), bits)]));
            for seed in 0..if bits <= 3 { 8 } else { 1 } {
                let found = gates(p, bits, ring, &pairs, 1802 + 10 * seed)?;
                for (i, &[x, y]) in pairs.iter().enumerate() {
                    let payload = low(3 * i as u64 + 1, ring);
                    let want = [x == y, x < y].map(|holds| if holds { payload } else { 0 });
                    let got = [found[0][i], found[1][i]];
                    assert_eq!(got, want, "{x} and {y} of {bits} bits mod 2^{ring}, shares {seed}");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn bills_are_met() {
    const N: usize = 64;
    for (bits, ring) in [(1, 8), (4, 9), (9, 16), (12, 64)] {
        let payload = |p: &Party| share(p.role(), ring, &[5; N], 1);
        let x = || AShare::new(bits, vec![1u64; N]);
        check(
            &format!("equality of {bits} bits mod 2^{ring}"),
            PayloadEquality::bill(bits, ring).expect("a bill").times(N),
            |p| {
                let payload = payload(p);
                PayloadEquality::prepare(p, bits, &payload)
            },
            |s, m| m.eq(s, &x(), &x()).map(drop),
        );
        check_parts(
            &format!("comparison of {bits} bits mod 2^{ring}"),
            PayloadComparison::bill(bits, ring).expect("a bill").times(N),
            0,
            |p| {
                let payload = payload(p);
                PayloadComparison::prepare(p, bits, &payload)
            },
            |s, m| m.less(s, &x(), &x()).map(drop),
        );
    }
}

/// Whatever the shares of numbers and payload are.
#[test]
fn what_gates_send_is_uniform() {
    const N: usize = 4096;
    let word = |bits, x| AShare::new(bits, vec![low(x, bits); N]);
    assert_uniform("equality with a payload", 1830, 1 << 17, |p, x| {
        let material = PayloadEquality::prepare(p, 8, &word(16, x))?;
        p.barrier()?;
        material.eq(p, &word(8, x), &word(8, 3)).map(drop)
    });
    assert_uniform("comparison with a payload", 1840, 1 << 17, |p, x| {
        let material = PayloadComparison::prepare(p, 8, &word(16, x))?;
        p.barrier()?;
        material.less(p, &word(8, x), &word(8, 3)).map(drop)
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    for bits in [0, 25] {
        assert!(matches!(PayloadEquality::bill(bits, 8), Err(Error::Param { .. })), "{bits}");
    }
    for bits in [0, 16] {
        assert!(matches!(PayloadComparison::bill(bits, 8), Err(Error::Param { .. })), "{bits}");
    }
    both(pair(1850, None), |p| {
        let payload = share(p.role(), 8, &[5; 3], 1);
        let number = |bits, count| AShare::new(bits, vec![1u64; count]);
        assert!(matches!(PayloadComparison::prepare(p, 16, &payload), Err(Error::Param { .. })));
        for (x, y) in [((5, 3), (5, 2)), ((5, 3), (4, 3)), ((4, 3), (5, 3)), ((5, 2), (5, 3))] {
            let [x, y] = [x, y].map(|(bits, count)| number(bits, count));
            let equal = PayloadEquality::prepare(p, 5, &payload)?.eq(p, &x, &y);
            let less = PayloadComparison::prepare(p, 5, &payload)?.less(p, &x, &y);
            assert!([equal, less].iter().all(|found| matches!(found, Err(Error::Shape { .. }))));
        }
        Ok(())
    });
}

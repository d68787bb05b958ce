//! Numbers by their ranks, and groups by two columns, beside plain ones; and what they cost.

use crate::billed::check_parts;
use crate::shares::{both, done, words};
use hushtable::{
    BShare, Error, Party, Result, Role,
    gates::Bits,
    operation::{Operation, ToXor, Words},
    ot::Setting,
    run::{Outcome, Reveal},
};
use hushtable_apps::statistics::{Crossed, MAX_LEAST, OrderDigit};
use prim::{block::Block, prg::Prg};

/// This party's words, which stay shared.
fn kept(p: &mut Party, operation: &dyn Operation, operands: &[&[u64]]) -> Result<Vec<Words>> {
    Ok(done(p, operation, operands, Reveal::Nobody)?.into_iter().map(Outcome::into_words).collect())
}

/// XOR shares of words.
fn shared(role: Role, words: &[u64], seed: u128) -> Vec<u64> {
    let mut rng = Prg::new(Block(seed));
    words.iter().map(|word| rng.u64() ^ if role == Role::P0 { 0 } else { *word }).collect()
}

/// The numbers with these ranks among those whose bit of a search is 1.
fn found(members: &[u64], numbers: &[i64], width: u32, ranks: &[i64]) -> Vec<u64> {
    let of = OrderDigit { bins: numbers.len(), searches: ranks.len() };
    both(|p| {
        let x = words(p.role(), width, numbers, 11);
        let x = kept(p, &ToXor { bits: width, fraction: 0 }, &[x.words()])?.remove(0);
        let digits = Bits::from_share(&BShare::<u64>::new(width, x.to_vec()));
        let mut candidates = Words::new(shared(p.role(), members, 12));
        let mut rank = Words::new(words(p.role(), of.rank_bits(), ranks, 13).words().to_vec());
        let mut all = Vec::new();
        for digit in digits.iter().rev() {
            let mut step = kept(p, &of, &[&candidates, &digit.to_wide(), &rank])?.into_iter();
            let mut next = || step.next().expect("three columns");
            (candidates, rank) = (next(), next());
            all.push(Bits::collect(next().iter().copied()));
        }
        all.reverse();
        let opened: Vec<Vec<u64>> = all.iter().map(|bits| bits.open(p)).collect::<Result<_>>()?;
        let bit = |words: &[u64], i: usize| words[i / 64] >> (i % 64) & 1;
        let number = |i: usize| opened.iter().enumerate().map(|(at, words)| bit(words, i) << at).sum::<u64>();
        Ok((0..ranks.len()).map(number).collect::<Vec<u64>>())
    })
}

/// Random groups of random sizes, with many numbers alike; the first and the last rank of each, and some between.
#[test]
fn numbers_by_their_ranks() {
    let mut rng = Prg::new(Block(0x6f));
    for round in 0..24 {
        let bins = 1 + rng.below([40, 200, 3][round % 3]) as usize;
        let width = 1 + rng.below([6, 20, 60][round / 8 % 3]);
        let groups = 1 + rng.below(5) as usize;
        let any = |rng: &mut Prg| (rng.u64() >> (64 - width) >> rng.below(3)) as i64;
        let numbers: Vec<i64> = (0..bins).map(|_| any(&mut rng)).collect();
        let of: Vec<usize> = (0..bins).map(|_| rng.below(groups as u32 + 1) as usize).collect();
        let sorted = |group: usize| {
            let members = numbers.iter().zip(&of).filter(|(_, of)| **of == group);
            let mut members: Vec<i64> = members.map(|(x, _)| *x).collect();
            members.sort_unstable();
            members
        };
        let mut asked: Vec<(usize, i64)> = Vec::new();
        for group in 0..groups {
            let last = sorted(group).len() as i64 - 1;
            if last >= 0 {
                asked.extend([(group, 0), (group, last), (group, rng.below(last as u32 + 1).into())]);
            }
        }
        // An empty group beside.
        asked.push((groups + 1, 0));
        let bit = |of: usize| asked.iter().enumerate().map(|(i, (g, _))| u64::from(of == *g) << i).sum();
        let members: Vec<u64> = of.iter().map(|&of| bit(of)).collect();
        let ranks: Vec<i64> = asked.iter().map(|(_, rank)| *rank).collect();
        let got = found(&members, &numbers, width, &ranks);
        for (got, (group, rank)) in got.iter().zip(&asked) {
            let want = sorted(*group).get(*rank as usize).map_or(u64::MAX >> (64 - width), |x| *x as u64);
            assert_eq!(*got, want, "round {round}: rank {rank} of group {group}, {width} bits");
        }
    }
}

/// More bins than a word of the selection has bits, and not a multiple of them.
#[test]
fn a_search_over_many_bins() {
    let bins = 5001;
    let numbers: Vec<i64> = (0..bins).map(|i| i * 7919 % bins).collect();
    let members: Vec<u64> = numbers.iter().map(|x| u64::from(x % 2 == 0) | 2).collect();
    assert_eq!(found(&members, &numbers, 13, &[1250, 1250]), [2500, 1250]);
}

#[test]
fn what_cannot_be_searched() {
    for (bins, searches) in [(0, 1), (1, 0), (1, 65), (MAX_LEAST as usize + 1, 1)] {
        assert!(
            matches!(OrderDigit { bins, searches }.check(), Err(Error::Param { .. })),
            "{bins} {searches}"
        );
    }
    for widths in [[0, 1], [1, 0], [9, 8], [65, 1]] {
        assert!(matches!(Crossed::new(widths), Err(Error::Param { .. })), "{widths:?}");
    }
}

/// The narrowest and the widest, and random ones between, of random words.
#[test]
fn groups_by_two_columns() {
    let mut rng = Prg::new(Block(0xcc));
    let random = |_| {
        let first = 1 + rng.below(64);
        [first, 1 + rng.below(64 / first)]
    };
    let random: Vec<[u32; 2]> = (0..12).map(random).collect();
    for widths in [[1, 1], [8, 8], [1, 64], [64, 1], [5, 12]].into_iter().chain(random) {
        let of = Crossed::new(widths).expect("few");
        let any = |rng: &mut Prg, width: u32| rng.u64() >> (64 - width);
        let given: Vec<[u64; 2]> =
            (0..70).map(|_| [any(&mut rng, widths[0]), any(&mut rng, widths[1])]).collect();
        let got = both(|p| {
            let words = |i: usize| {
                let words: Vec<u64> = given.iter().map(|pair| pair[i]).collect();
                let mask = u64::MAX >> (64 - widths[i]);
                shared(p.role(), &words, 20 + i as u128).iter().map(|word| word & mask).collect::<Vec<u64>>()
            };
            let (first, second) = (words(0), words(1));
            let opened = done(p, &of, &[&first, &second], Reveal::Both)?.remove(0);
            Ok(opened.values().expect("both get them"))
        });
        let bits = u64::MAX >> (64 - of.bits());
        for (got, [a, b]) in got.iter().zip(&given) {
            let rows = (0..widths[0]).filter(|i| a >> i & 1 == 1);
            let want = rows.map(|i| b << (i * widths[1])).fold(0, |all, row| all | row);
            assert_eq!(*got as u64 & bits, want, "{widths:?}: {a:b} {b:b}");
        }
    }
}

#[test]
fn they_cost_what_the_bill_says() {
    let check = |of: &dyn Operation, items: usize, filled: u64| {
        check_parts(
            &format!("{}, {:?}", of.name(), of.fields()),
            of.bill(items, &Setting::default()).expect("a bill"),
            filled,
            |p| of.prepare(p, items),
            |s, m| {
                let takes = of.signature().takes;
                let words: Vec<Vec<u64>> = takes.iter().map(|port| vec![1; items * port.words]).collect();
                m.eval(s, &words.iter().map(Vec::as_slice).collect::<Vec<_>>()).map(drop)
            },
        );
    };
    // Multiples of 8 fill their bytes.
    for (bins, searches) in [(64, 8), (128, 16)] {
        check(&OrderDigit { bins, searches }, 1, 0);
    }
    for widths in [[1, 5], [5, 1], [4, 6]] {
        check(&Crossed::new(widths).expect("few"), 16, 0);
    }
}

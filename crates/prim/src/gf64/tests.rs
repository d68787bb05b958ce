use super::*;
use crate::Prg;

/// Bit by bit, from the definition.
fn plain(a: u64, b: u64) -> u64 {
    (0..64).rev().fold(0u64, |sum, i| {
        let doubled = sum << 1 ^ if sum >> 63 == 1 { TAIL } else { 0 };
        doubled ^ if b >> i & 1 == 1 { a } else { 0 }
    })
}

fn plain_pair(a: u64, v: Block) -> Block {
    Block(u128::from(plain(a, (v.0 >> 64) as u64)) << 64 | u128::from(plain(a, v.0 as u64)))
}

fn draw(seed: u128, len: usize) -> Vec<u64> {
    let mut words = vec![0; len];
    Prg::new(Block(seed)).words(64, &mut words);
    words
}

/// Words at which carries, holes and folds are at their limits.
const EDGES: [u64; 12] = [
    0,
    1,
    2,
    TAIL,
    1 << 63,
    1 << 60,
    0xf << 60,
    u64::MAX,
    u64::MAX - 1,
    0x1111_1111_1111_1111,
    0x8888_8888_8888_8888,
    0x5555_5555_5555_5555,
];

#[test]
fn products_are_those_of_the_definition() {
    for kernel in Kernel::supported() {
        for a in EDGES.into_iter().chain(draw(1, 20)) {
            for b in EDGES.into_iter().chain(draw(2, 20)) {
                let mut x = [a];
                multiply(kernel, Products { out: &mut x, of: None, by: Factor::Same(b) });
                assert_eq!(x[0], plain(a, b), "{kernel:?} {a:#x} {b:#x}");
            }
        }
    }
    assert_eq!(product(1 << 63, 2), TAIL);
}

/// At all lengths around those of vectors, in place and added, by words and by one word.
#[test]
fn slices_of_every_length() {
    for kernel in Kernel::supported() {
        for n in (0..40).chain([64, 100]) {
            let [a, b, before] = [3, 4, 5].map(|seed| draw(seed, n));
            for by in [Factor::Each(&b), Factor::Same(77 << 50)] {
                let want: Vec<u64> = (0..n).map(|i| plain(a[i], by.get(i))).collect();
                let mut out = a.clone();
                multiply(kernel, Products { out: &mut out, of: None, by });
                assert_eq!(out, want, "{kernel:?} {n}");
                let mut out = before.clone();
                multiply(kernel, Products { out: &mut out, of: Some(&a), by });
                let want: Vec<u64> = want.iter().zip(&before).map(|(x, y)| x ^ y).collect();
                assert_eq!(out, want, "{kernel:?} {n}");
            }
            let (v, mut pairs_out) = (Block(0xabcd << 100 | 77), vec![Block(5); n]);
            pairs(kernel, PairProducts { out: &mut pairs_out, a: &a, v });
            for (out, &a) in pairs_out.iter().zip(&a) {
                assert_eq!(*out, Block(5) ^ plain_pair(a, v), "{kernel:?} {n}");
            }
            let mut blocks = vec![Block::ZERO; 3 * n];
            Prg::new(Block(9)).blocks(&mut blocks);
            let mut sums = [Block::ONE; 3];
            inner_products_on(kernel, &a, &blocks, &mut sums);
            for (i, sum) in sums.into_iter().enumerate() {
                let terms = a.iter().zip(&blocks[i * n..]);
                let want = terms.fold(Block::ZERO, |sum, (&a, &v)| sum ^ plain_pair(a, v));
                assert_eq!(sum, want, "{kernel:?} {n}");
            }
        }
    }
}

#[test]
fn inverses() {
    for kernel in Kernel::supported() {
        for n in (0..70).chain([1000]) {
            let mut xs = draw(6, n);
            xs.iter_mut().zip(EDGES).for_each(|(x, edge)| *x = edge);
            if let Some(last) = xs.last_mut().filter(|_| n > 20) {
                *last = 0;
            }
            let before = xs.clone();
            invert_all_on(kernel, &mut xs);
            for (x, before) in xs.into_iter().zip(before) {
                assert_eq!(plain(x, before), u64::from(before != 0), "{kernel:?} {n} {before:#x}");
                assert!(before != 0 || x == 0);
            }
        }
    }
}

/// The field axioms, on random words.
#[test]
fn products_are_a_field() {
    let [a, b, c] = [7, 8, 9].map(|seed| draw(seed, 50));
    for ((&a, &b), &c) in a.iter().zip(&b).zip(&c) {
        assert_eq!(product(a, b), product(b, a));
        assert_eq!(product(product(a, b), c), product(a, product(b, c)));
        assert_eq!(product(a, b ^ c), product(a, b) ^ product(a, c));
    }
    // x^64 + x^4 + x^3 + x + 1 is irreducible: x^(2^64) = x and x^(2^32) - x has an inverse.
    let squared = |times: u32| (0..times).fold(2, |x, _| product(x, x));
    assert_eq!(squared(64), 2);
    let mut difference = [squared(32) ^ 2];
    invert_all(&mut difference);
    assert_eq!(product(difference[0], squared(32) ^ 2), 1);
}

#[test]
#[should_panic(expected = "lengths")]
fn slices_of_different_lengths() {
    mul_add(&mut [0; 3], &[0; 3], &[0; 2]);
}

//! What every functionality computes, on plaintexts: the twins that tests compare protocols with.

use prim::{block::Block, rows::Shift};

/// The entries of one column at the indices `x`, each reduced modulo the column's length.
pub fn lookup<T: Copy>(column: &[T], x: &[u32]) -> Vec<T> {
    x.iter().map(|&x| column[x as usize % column.len()]).collect()
}

/// The vector of `n` bits that is 1 at position `at` only.
pub fn one_hot(n: usize, at: u32) -> Vec<bool> {
    (0..n).map(|i| i == at as usize).collect()
}

/// `shift_by(v)`: entry `i` is `v[i - by mod n]` in the cyclic group, `v[i ^ by]` in the xor group.
pub fn shift<T: Copy>(group: Shift, v: &[T], by: u32) -> Vec<T> {
    let (n, by) = (v.len(), by as usize);
    let from = |i| match group {
        Shift::Cyclic => (i + n - by % n) % n,
        Shift::Xor => i ^ by,
    };
    (0..n).map(|i| v[from(i)]).collect()
}

/// Entry `i` is `v[pi[i]]`.
pub fn permute<T: Copy>(v: &[T], pi: &[u32]) -> Vec<T> {
    pi.iter().map(|&from| v[from as usize]).collect()
}

/// The sum of two elements of the index group of `n` elements.
pub fn add(group: Shift, n: u32, a: u32, b: u32) -> u32 {
    match group {
        Shift::Cyclic => (a + b) % n,
        Shift::Xor => a ^ b,
    }
}

/// Whether `q` and `t` are correlated by `delta`: `t = q ^ b * delta`, `b` being the lowest bit of
/// `t` and the lowest bit of `q` zero.
pub fn correlated(delta: Block, q: &[Block], t: &[Block]) -> bool {
    let pair = |(&q, &t): (&Block, &Block)| !q.lsb() && t == if t.lsb() { q ^ delta } else { q };
    q.len() == t.len() && q.iter().zip(t).all(pair)
}

/// The sign with which two XOR shares of a one-hot vector, read as integers, sum its table: 1 if
/// the first share has the 1 of the position, -1 if the second has it.
pub fn sign(first: &[bool], second: &[bool]) -> i64 {
    let ones = |share: &[bool]| share.iter().filter(|&&bit| bit).count() as i64;
    ones(first) - ones(second)
}

/// The product of every subset of the bits: entry `Q` is the AND of the bits `j` of which bit `j` of
/// `Q` is set, and entry 0 is 1.
pub fn subset_products(bits: &[bool]) -> Vec<bool> {
    (0..1usize << bits.len()).map(|q| bits.iter().enumerate().all(|(j, &b)| b || q >> j & 1 == 0)).collect()
}

/// The superset (Moebius) transform: entry `i` becomes the sum of all entries whose index has the
/// bits of `i`. Of the products of a number's bits it makes the one-hot vector at that number.
pub fn superset_sums(v: &[bool]) -> Vec<bool> {
    let mut v = v.to_vec();
    for j in 0..v.len().ilog2() {
        for i in (0..v.len()).filter(|i| i >> j & 1 == 0) {
            v[i] ^= v[i | 1 << j];
        }
    }
    v
}

/// Step 2 of FLUTE+ in the form of the ROTL paper, section 6: from entry `i` as the product over the
/// bits that `i` lacks, `s_i ^= s_{i - 2^j}` where `i` has bit j. As printed it is `s_{i + 2^j}`, which
/// lies outside. Of the products of a number's bits it makes the one-hot vector at the *complement*
/// of that number.
pub fn flute_plus_of_the_paper(products: &[bool]) -> Vec<bool> {
    let mut s: Vec<bool> = products.iter().rev().copied().collect();
    for j in 0..s.len().ilog2() {
        for i in (0..s.len()).filter(|i| i >> j & 1 == 1) {
            s[i] ^= s[i - (1 << j)];
        }
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_transforms_of_flute_plus_agree() {
        for d in 1..=7 {
            for at in 0..1u32 << d {
                let bits: Vec<bool> = (0..d).map(|j| at >> j & 1 == 1).collect();
                let products = subset_products(&bits);
                assert!(products[0] && products.iter().filter(|&&p| p).count() == 1 << at.count_ones());
                assert_eq!(superset_sums(&products), one_hot(1 << d, at));
                assert_eq!(flute_plus_of_the_paper(&products), one_hot(1 << d, (1 << d) - 1 - at));
            }
        }
    }

    #[test]
    fn by_hand() {
        assert_eq!(lookup(&[10, 11, 12], &[0, 2, 4]), [10, 12, 11]);
        assert_eq!(one_hot(4, 2), [false, false, true, false]);
        assert_eq!(shift(Shift::Cyclic, &[0, 1, 2, 3], 1), [3, 0, 1, 2]);
        assert_eq!(shift(Shift::Xor, &[0, 1, 2, 3], 1), [1, 0, 3, 2]);
        assert_eq!(permute(&[10, 11, 12], &[2, 0, 1]), [12, 10, 11]);
        assert_eq!((add(Shift::Cyclic, 5, 3, 4), add(Shift::Xor, 8, 3, 6)), (2, 5));
        let (delta, q) = (Block(0b101), Block(0b110));
        assert!(correlated(delta, &[q, q], &[q, q ^ delta]));
        assert!(!correlated(delta, &[q], &[q ^ Block(0b111)]) && !correlated(delta, &[q], &[]));
        assert!(!correlated(delta, &[q ^ Block::ONE], &[q ^ Block::ONE]));
        assert_eq!(sign(&[true, true, false], &[false, true, false]), 1);
        assert_eq!(sign(&[false], &[true]), -1);
    }
}

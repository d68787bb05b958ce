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

#[cfg(test)]
mod tests {
    use super::*;

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

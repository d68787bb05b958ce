//! Binary linear codes with minimum distance 128, for 1-of-N OT extension.
//!
//! For N = 2^k codewords:
//!
//! | k | code | length |
//! |---|---|---|
//! | 1 to 8 | simplex code `[2^k - 1, k, 2^(k-1)]`, each position `2^(8-k)` times | 128, 192, 224, 240, 248, 252, 254, 255 |
//! | 9 | Reed-Muller code RM(1, 8) | 256 |
//! | 10 to 13 | construction X, tail `j = k - 9` | 264, 268, 270, 271 |
//!
//! The repetition and the parity check code are the simplex codes of k = 1 and 2. *Construction X*:
//! the extended BCH code `[256, 13, 120]` is that of the functions `a + Tr(b x) + Tr(c x^17)` on
//! GF(256), with RM(1, 8) as its words with `c = 0`. Words of j dimensions of `c` get the tail
//! `[8, 1, 8]`, `[12, 2, 8]`, `[14, 3, 8]` or `[15, 4, 8]`, a simplex code again, so that those of
//! weight 120 reach 128.
//!
//! All are brought into systematic form: the first k bits of the codeword of `v` are `v`.
//!
//! # Source
//! Kolesnikov and Kumaresan, "Improved OT Extension for Transferring Short Secrets" (CRYPTO 2013);
//! the lengths of Dessouky et al. (NDSS 2017), Table I, reached as lut-spec 9.1 describes.

use crate::error::{Error, Result};

/// Largest k: 2^13 codewords.
pub const MAX_INDEX_BITS: u32 = 13;

/// A systematic `[len, k]` code of minimum distance 128.
pub struct Code {
    index_bits: u32,
    /// Bit i of the codeword of `v` is the parity of `v & columns[i]`.
    columns: Vec<u16>,
}

impl Code {
    /// The code of `2^k` words, `1 <= k <= 13`.
    ///
    /// # Errors
    /// [`Error::Param`] for another k.
    pub fn new(k: u32) -> Result<Self> {
        let columns = match k {
            1..=8 => simplex(k).repeat(1 << (8 - k)),
            9..=MAX_INDEX_BITS => construction_x(k - 9),
            _ => {
                let accepted = format!("1 to {MAX_INDEX_BITS}");
                return Err(Error::Param { what: "index bits of a code", got: k.to_string(), accepted });
            }
        };
        Ok(Self { index_bits: k, columns: systematic(columns, k) })
    }

    /// k.
    pub fn index_bits(&self) -> u32 {
        self.index_bits
    }

    /// Bits of a codeword.
    #[expect(clippy::len_without_is_empty, reason = "no code is empty")]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// For each bit of the codeword of `v`, which bits of `v` it is the sum of.
    pub fn columns(&self) -> &[u16] {
        &self.columns
    }

    /// The codeword of `v`, bit by bit.
    pub fn word(&self, v: u32) -> impl Iterator<Item = bool> {
        self.columns.iter().map(move |&column| (v & u32::from(column)).count_ones() & 1 == 1)
    }
}

/// Every vector of k bits but zero.
fn simplex(k: u32) -> Vec<u16> {
    (1..1 << k).collect()
}

/// RM(1, 8) for `j = 0`; else j dimensions of the BCH code on top, with their tail.
fn construction_x(j: u32) -> Vec<u16> {
    // The functions 1, the bits of x, which are those Tr(b x), and j of the bits of x^17 in a basis
    // of GF(16).
    let value = |x: u16| 1 | x << 1 | (norm(x) & ((1 << j) - 1)) << 9;
    let tail = simplex(j).repeat(1 << (4 - j));
    (0..256).map(value).chain(tail.into_iter().map(|t| t << 9)).collect()
}

/// `x^17`, an element of GF(16), in 4 bits.
fn norm(x: u16) -> u16 {
    let power = (0..4).fold(x, |y, _| multiply(y, y));
    let y = multiply(power, x);
    // Bits 0, 1, 2 and 4 tell the elements of GF(16) apart.
    y & 7 | y >> 1 & 8
}

/// Product in GF(256), modulo `x^8 + x^4 + x^3 + x^2 + 1`.
fn multiply(a: u16, b: u16) -> u16 {
    let product = (0..8).fold(0u32, |sum, i| sum ^ ((u32::from(a) << i) * u32::from(b >> i & 1)));
    let reduce = |x: u32, i: u32| x ^ ((0x11d << i) * (x >> (8 + i) & 1));
    (0..7).rev().fold(product, reduce) as u16
}

/// Row-reduces and moves the pivots to the front: `columns[i] = 2^i` for i < k.
fn systematic(mut columns: Vec<u16>, k: u32) -> Vec<u16> {
    let mut pivots = Vec::new();
    for at in 0..columns.len() {
        let row = pivots.len() as u32;
        if row == k || columns[at] >> row == 0 {
            continue;
        }
        let other = row + (columns[at] >> row).trailing_zeros();
        for column in &mut columns {
            let swap = (*column >> row ^ *column >> other) & 1;
            *column ^= swap << row ^ swap << other;
        }
        let rest = columns[at] & !(1 << row);
        columns.iter_mut().for_each(|column| *column ^= rest * (*column >> row & 1));
        pivots.push(at);
    }
    let (front, back): (Vec<usize>, Vec<usize>) = (0..columns.len()).partition(|at| pivots.contains(at));
    front.into_iter().chain(back).map(|at| columns[at]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Known answers, from a model written independently (lut-spec 9.1): weight, number of words.
    const WEIGHTS: [&[(usize, usize)]; 13] = [
        &[(128, 1)],
        &[(128, 3)],
        &[(128, 7)],
        &[(128, 15)],
        &[(128, 31)],
        &[(128, 63)],
        &[(128, 127)],
        &[(128, 255)],
        &[(128, 510), (256, 1)],
        &[(128, 766), (144, 256), (256, 1)],
        &[(128, 1278), (144, 768), (256, 1)],
        &[(128, 2302), (144, 1792), (256, 1)],
        &[(128, 4350), (144, 3840), (256, 1)],
    ];
    const LENGTHS: [usize; 13] = [128, 192, 224, 240, 248, 252, 254, 255, 256, 264, 268, 270, 271];

    #[test]
    fn lengths_and_weights_of_all_words() {
        for (k, (weights, len)) in (1..=MAX_INDEX_BITS).zip(WEIGHTS.iter().zip(LENGTHS)) {
            let code = Code::new(k).unwrap();
            assert_eq!((code.len(), code.index_bits()), (len, k));
            let mut found = BTreeMap::new();
            for v in 1..1u32 << k {
                *found.entry(code.word(v).filter(|&bit| bit).count()).or_insert(0) += 1;
            }
            assert_eq!(found, weights.iter().copied().collect(), "k = {k}");
        }
    }

    #[test]
    fn the_first_bits_of_a_word_are_its_number() {
        for k in 1..=MAX_INDEX_BITS {
            let code = Code::new(k).unwrap();
            for v in 0..1u32 << k {
                assert!(code.word(v).take(k as usize).enumerate().all(|(i, bit)| bit == (v >> i & 1 == 1)));
            }
        }
    }

    #[test]
    fn the_field_is_one() {
        for x in 1..256 {
            let power = (0..254).fold(1, |y, _| multiply(y, x));
            assert_eq!(multiply(power, x), 1, "the inverse of {x}");
        }
        assert_eq!(multiply(2, 0x80), 0x1d);
        let norms: std::collections::HashSet<u16> = (0..256).map(norm).collect();
        assert_eq!(norms.len(), 16);
    }
}

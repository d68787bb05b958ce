//! Products of shared numbers in one round.
//!
//! # Functionality
//! In: additive shares mod `2^l`, or numbers that one party knows each. Out: additive shares of the
//! products mod `2^l`.
//!
//! # Protocol
//! `x y = x_0 y_0 + x_1 y_1 + x_0 y_1 + x_1 y_0`: the first two are local, the others products of
//! numbers that the parties know, by Gilboa's protocol in both directions at once. Of `x^2`, the
//! mixed term is `2 x_0 x_1`, one product mod `2^(l-1)`. A sum of products sums its shares.
//!
//! # Cost, a product
//! * of numbers the parties know: l correlated OTs, `l + l (l + 1) / 2` bits, and for rows of k
//!   words `l + k l (l + 1) / 2`;
//! * of shared numbers: twice that;
//! * squares: as of numbers the parties know, for `l - 1` bits.
//!
//! 1 round in any number.
//!
//! # Source
//! Gilboa (CRYPTO 1999); Demmler, Schneider, Zohner, "ABY" (NDSS 2015), section III-A.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::gilboa::{self, Factors, Numbers};
use crate::{
    error::{Error, Result, same},
    lut::read::Folded,
    net::Role,
    party::Party,
    share::AShare,
};

/// Shares of the products of this party's `rows`, of `row` words each, with the numbers that the
/// peer gives to [`multiply_numbers`]: row by row. 1 round.
///
/// # Errors
/// [`Error::Param`] for a width that `R` does not have, [`Error::Shape`] unless the words make whole
/// rows, and those of the channel.
pub fn multiply_rows<R: Ring>(p: &mut Party, bits: u32, rows: &[R], row: usize) -> Result<AShare<R>> {
    check_width::<R>(bits)?;
    let count = whole_rows(rows.len(), row)?;
    let word = |i: usize, k: usize| rows[i * row + k].to_u64();
    let factors =
        Factors { bits, number_bits: bits, row, rows: count, word: &word, numbers: Numbers::Chosen(&[]) };
    products(p, &factors, count)
}

/// Shares of the products of this party's `numbers` with the rows, of `row` words each, that the
/// peer gives to [`multiply_rows`]: row by row. 1 round.
///
/// # Errors
/// [`Error::Param`] for a width that `R` does not have, and those of the channel.
pub fn multiply_numbers<R: Ring>(p: &mut Party, bits: u32, numbers: &[R], row: usize) -> Result<AShare<R>> {
    check_width::<R>(bits)?;
    let numbers = words(numbers);
    let factors = Factors {
        bits,
        number_bits: bits,
        row,
        rows: 0,
        word: &|_, _| 0,
        numbers: Numbers::Chosen(&numbers),
    };
    products(p, &factors, numbers.len())
}

/// Shares of `x_i y_i`: 1 round.
///
/// # Errors
/// [`Error::Shape`] if widths or lengths differ, and those of the channel.
pub fn multiply<R: Ring>(p: &mut Party, x: &AShare<R>, y: &AShare<R>) -> Result<AShare<R>> {
    sums_of_products(p, x, y, 1)
}

/// Shares of `x_i^2`: 1 round.
///
/// # Errors
/// Those of the channel.
pub fn square<R: Ring>(p: &mut Party, x: &AShare<R>) -> Result<AShare<R>> {
    let local = x.words().iter().map(|x| x.to_u64().wrapping_mul(x.to_u64()));
    let mut out = Zeroizing::new(local.collect::<Vec<u64>>());
    if x.bits() > 1 {
        let mine = words(x.words());
        let word = |i: usize, _| mine[i];
        let (bits, row) = (x.bits() - 1, 1);
        let factors = match p.role() {
            Role::P0 => Factors {
                bits,
                number_bits: bits,
                row,
                rows: x.len(),
                word: &word,
                numbers: Numbers::Chosen(&[]),
            },
            Role::P1 => Factors {
                bits,
                number_bits: bits,
                row,
                rows: 0,
                word: &word,
                numbers: Numbers::Chosen(&mine),
            },
        };
        gilboa::multiply(p, &factors, &mut |i, _, share| out[i] = out[i].wrapping_add(share << 1))?;
    }
    Ok(share(x.bits(), &out))
}

/// Shares of the inner products of pieces of `len` numbers: `x_0 y_0 + ... + x_{len-1} y_{len-1}`,
/// and so on. 1 round.
///
/// # Errors
/// [`Error::Shape`] if widths or lengths differ or the numbers do not make whole pieces, and those
/// of the channel.
pub fn inner_products<R: Ring>(p: &mut Party, x: &AShare<R>, y: &AShare<R>, len: usize) -> Result<AShare<R>> {
    sums_of_products(p, x, y, len)
}

impl<R: Ring> Folded<R> {
    /// Shares of the products, a batch for each column: 1 round for every width that columns have.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn products(self, p: &mut Party) -> Result<Vec<AShare<R>>> {
        let factors = self.factors();
        let mut out: Vec<Option<AShare<R>>> = factors.iter().map(|_| None).collect();
        let mut widths: Vec<u32> = factors.iter().map(|[z, _]| z.bits()).collect();
        widths.sort_unstable();
        widths.dedup();
        for width in widths {
            let of_width: Vec<usize> =
                (0..factors.len()).filter(|&q| factors[q][0].bits() == width).collect();
            let mut sides = [0, 1].map(|_| AShare::new(width, Vec::new()));
            for &q in &of_width {
                sides.iter_mut().zip(&factors[q]).try_for_each(|(side, factor)| side.append(factor))?;
            }
            let mut products = multiply(p, &sides[0], &sides[1])?;
            for &q in of_width.iter().rev() {
                out[q] = Some(products.split_off(products.len() - factors[q][0].len()));
            }
        }
        Ok(out.into_iter().map(|column| column.expect("every column has a width")).collect())
    }
}

fn sums_of_products<R: Ring>(p: &mut Party, x: &AShare<R>, y: &AShare<R>, len: usize) -> Result<AShare<R>> {
    same("bits of the factors", x.bits() as usize, y.bits() as usize)?;
    same("factors", x.len(), y.len())?;
    let mut out = Zeroizing::new(vec![0u64; whole_rows(x.len(), len)?]);
    let mut add = |i: usize, share: u64| out[i / len] = out[i / len].wrapping_add(share);
    let pairs = x.words().iter().zip(y.words()).enumerate();
    pairs.for_each(|(i, (x, y))| add(i, x.to_u64().wrapping_mul(y.to_u64())));
    let (word, numbers) = (|i: usize, _| x.words()[i].to_u64(), words(y.words()));
    let numbers = Numbers::Chosen(&numbers);
    let bits = x.bits();
    let factors = Factors { bits, number_bits: bits, row: 1, rows: x.len(), word: &word, numbers };
    gilboa::multiply(p, &factors, &mut |i, _, share| add(i, share))?;
    Ok(share(x.bits(), &out))
}

/// All products, as they are.
fn products<R: Ring>(p: &mut Party, factors: &Factors, count: usize) -> Result<AShare<R>> {
    let row = factors.row;
    let mut out = Zeroizing::new(vec![0u64; count * row]);
    let mut add = |i: usize, k: usize, share| out[i * row + k] = out[i * row + k].wrapping_add(share);
    gilboa::multiply(p, factors, &mut add)?;
    Ok(share(factors.bits, &out))
}

/// How many rows of `row` words `len` words make.
fn whole_rows(len: usize, row: usize) -> Result<usize> {
    if row == 0 {
        return Err(Error::Param { what: "words in a row", got: "0".into(), accepted: "1 and more".into() });
    }
    same("words of whole rows", len.next_multiple_of(row), len)?;
    Ok(len / row)
}

pub(super) fn share<R: Ring>(bits: u32, words: &[u64]) -> AShare<R> {
    AShare::new(bits, words.iter().map(|&w| R::from_u64(low(w, bits))).collect())
}

pub(super) fn words<R: Ring>(words: &[R]) -> Zeroizing<Vec<u64>> {
    Zeroizing::new(words.iter().map(|w| w.to_u64()).collect())
}

pub(super) fn check_width<R: Ring>(bits: u32) -> Result<()> {
    if (1..=R::WIDTH).contains(&bits) {
        return Ok(());
    }
    let accepted = format!("1 to {}", R::WIDTH);
    Err(Error::Param { what: "width of a number", got: bits.to_string(), accepted })
}

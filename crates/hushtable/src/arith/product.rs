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
//! * of numbers the parties know: l correlated OTs; online `l + l (l + 1) / 2` bits, and for rows of k
//!   words `l + k l (l + 1) / 2`;
//! * of shared numbers: twice that;
//! * squares: as of numbers the parties know, for `l - 1` bits;
//! * of folded lookups: as of shared numbers, for each column.
//!
//! 1 round in any number; folded lookups take one for each width that columns have.
//!
//! # Source
//! Gilboa (CRYPTO 1999); Demmler, Schneider, Zohner, "ABY" (NDSS 2015), section III-A.

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::gilboa::{Factors, Gilboa};
use crate::{
    bill::Bill,
    error::{Error, Result, same, within},
    lut::read::Folded,
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// One-time material for products of rows that one party knows with numbers that the other knows.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, arith::KnownProducts};
/// fn twice(p: &mut Party, m: KnownProducts, x: &[u32]) -> Result<()> {
///     m.with_numbers(p, x)?;
///     m.with_numbers(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct KnownProducts {
    bits: u32,
    row: usize,
    rows_at: Role,
    count: usize,
    gilboa: Gilboa,
}

impl KnownProducts {
    /// Offline: for `count` numbers of `bits` bits, each with a row of `row` words, which `rows_at` knows.
    ///
    /// # Errors
    /// [`Error::Param`] for widths other than 1 to 64 and for empty rows, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, rows_at: Role, count: usize, row: usize) -> Result<Self> {
        check_width::<u64>(bits)?;
        whole_rows(0, row)?;
        let (rows, numbers) = if rows_at == p.role() { (count, 0) } else { (0, count) };
        Ok(Self { bits, row, rows_at, count, gilboa: Gilboa::prepare(p, bits, rows, numbers)? })
    }

    /// What a number with its row costs.
    pub fn bill(bits: u32, rows_at: Role, row: usize) -> Bill {
        let bill = Gilboa::bill(bits, bits, row);
        if rows_at == Role::P0 { bill } else { bill.swapped() }
    }

    /// Online, 1 round, at the party with the rows: shares of the products, row by row. Spends the material.
    ///
    /// # Errors
    /// [`Error::Param`] at the other party and for a word that is too short, [`Error::Shape`] unless there are as
    /// many words as prepared for, and those of the channel.
    pub fn with_rows<R: Ring>(self, s: &mut Session, rows: &[R]) -> Result<AShare<R>> {
        self.check::<R>(s, true)?;
        same("words of the rows", self.count * self.row, rows.len())?;
        let row = self.row;
        self.run(s, &|i, k| rows[i * row + k].to_u64(), &[])
    }

    /// Online, 1 round, at the party with the numbers: as [`with_rows`](Self::with_rows).
    ///
    /// # Errors
    /// As [`with_rows`](Self::with_rows), the other way round.
    pub fn with_numbers<R: Ring>(self, s: &mut Session, numbers: &[R]) -> Result<AShare<R>> {
        self.check::<R>(s, false)?;
        same("numbers to multiply", self.count, numbers.len())?;
        self.run(s, &|_, _| 0, &words(numbers))
    }

    fn check<R: Ring>(&self, s: &Session, rows: bool) -> Result<()> {
        check_width::<R>(self.bits)?;
        if rows == (self.rows_at == s.role()) {
            return Ok(());
        }
        let (what, got) = ("party with the rows", format!("{:?}", s.role()));
        Err(Error::Param { what, got, accepted: format!("{:?}, as prepared for", self.rows_at) })
    }

    fn run<R: Ring>(
        self,
        s: &mut Session,
        word: &dyn Fn(usize, usize) -> u64,
        numbers: &[u64],
    ) -> Result<AShare<R>> {
        let (bits, row) = (self.bits, self.row);
        let mut out = Zeroizing::new(vec![0u64; self.count * row]);
        let factors = Factors { bits, cut: 0, row, word, numbers: Some(numbers) };
        let add = &mut |i: usize, k: usize, share| out[i * row + k] = out[i * row + k].wrapping_add(share);
        self.gilboa.multiply(s, &factors, add)?;
        Ok(share(bits, &out))
    }
}

/// One-time material for products of shared numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Multiplication};
/// fn twice(p: &mut Party, m: Multiplication, x: &AShare<u32>) -> Result<()> {
///     m.multiply(p, x, x)?;
///     m.multiply(p, x, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Multiplication {
    bits: u32,
    count: usize,
    gilboa: Gilboa,
}

impl Multiplication {
    /// Offline: for `count` products of numbers of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] for widths other than 1 to 64, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, count: usize) -> Result<Self> {
        check_width::<u64>(bits)?;
        Ok(Self { bits, count, gilboa: Gilboa::prepare(p, bits, count, count)? })
    }

    /// What a product costs.
    pub fn bill(bits: u32) -> Bill {
        let mixed = Gilboa::bill(bits, bits, 1);
        mixed.beside(mixed.swapped())
    }

    /// Online, 1 round: shares of `x_i y_i`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn multiply<R: Ring>(self, s: &mut Session, x: &AShare<R>, y: &AShare<R>) -> Result<AShare<R>> {
        self.inner_products(s, x, y, 1)
    }

    /// Online, 1 round: shares of the inner products of pieces of `len` numbers, `x_0 y_0 + ... +
    /// x_{len-1} y_{len-1}` and so on. Spends the material.
    ///
    /// # Errors
    /// As [`multiply`](Self::multiply), and if the numbers do not make whole pieces.
    pub fn inner_products<R: Ring>(
        self,
        s: &mut Session,
        x: &AShare<R>,
        y: &AShare<R>,
        len: usize,
    ) -> Result<AShare<R>> {
        let bits = self.bits;
        for z in [x, y] {
            same("bits of the factors", bits as usize, z.bits() as usize)?;
            same("factors", self.count, z.len())?;
        }
        let mut out = Zeroizing::new(vec![0u64; whole_rows(x.len(), len)?]);
        let mut add = |i: usize, share: u64| out[i / len] = out[i / len].wrapping_add(share);
        let pairs = x.words().iter().zip(y.words()).enumerate();
        pairs.for_each(|(i, (x, y))| add(i, x.to_u64().wrapping_mul(y.to_u64())));
        let (word, numbers) = (|i: usize, _| x.words()[i].to_u64(), words(y.words()));
        let factors = Factors { bits, cut: 0, row: 1, word: &word, numbers: Some(&numbers) };
        self.gilboa.multiply(s, &factors, &mut |i, _, share| add(i, share))?;
        Ok(share(bits, &out))
    }
}

/// One-time material for squares of shared numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Squares};
/// fn twice(p: &mut Party, m: Squares, x: &AShare<u32>) -> Result<()> {
///     m.square(p, x)?;
///     m.square(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Squares {
    bits: u32,
    count: usize,
    /// None for numbers of one bit.
    gilboa: Option<Gilboa>,
}

impl Squares {
    /// Offline: for `count` numbers of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] for widths other than 1 to 64, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, count: usize) -> Result<Self> {
        check_width::<u64>(bits)?;
        let (rows, numbers) = if p.role() == Role::P0 { (count, 0) } else { (0, count) };
        let gilboa = if bits == 1 { None } else { Some(Gilboa::prepare(p, bits - 1, rows, numbers)?) };
        Ok(Self { bits, count, gilboa })
    }

    /// What a square costs.
    ///
    /// # Errors
    /// [`Error::Param`] for widths other than 1 to 64.
    pub fn bill(bits: u32) -> Result<Bill> {
        check_width::<u64>(bits)?;
        Ok(if bits == 1 { Bill::FREE } else { Gilboa::bill(bits - 1, bits - 1, 1) })
    }

    /// Online, 1 round: shares of `x_i^2`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub fn square<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<R>> {
        same("bits of the numbers to square", self.bits as usize, x.bits() as usize)?;
        same("numbers to square", self.count, x.len())?;
        let local = x.words().iter().map(|x| x.to_u64().wrapping_mul(x.to_u64()));
        let mut out = Zeroizing::new(local.collect::<Vec<u64>>());
        if let Some(gilboa) = self.gilboa {
            let mine = words(x.words());
            let numbers: &[u64] = if s.role() == Role::P0 { &[] } else { &mine };
            let word = |i: usize, _| mine[i];
            let factors =
                Factors { bits: self.bits - 1, cut: 0, row: 1, word: &word, numbers: Some(numbers) };
            gilboa.multiply(s, &factors, &mut |i, _, share| out[i] = out[i].wrapping_add(share << 1))?;
        }
        Ok(share(x.bits(), &out))
    }
}

/// One-time material for the products of [`Folded`] lookups.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct FoldedProducts {
    widths: Vec<u32>,
    /// One for each width.
    products: Vec<Multiplication>,
}

impl FoldedProducts {
    /// Offline: for `batch` lookups with columns of these widths.
    ///
    /// # Errors
    /// As [`Multiplication::prepare`].
    pub fn prepare(p: &mut dyn Source, widths: &[u32], batch: usize) -> Result<Self> {
        widths.iter().try_for_each(|&w| check_width::<u64>(w))?;
        let count = |w: u32| batch * widths.iter().filter(|&&v| v == w).count();
        let products = distinct(widths).into_iter().map(|w| Multiplication::prepare(p, w, count(w)));
        Ok(Self { products: products.collect::<Result<_>>()?, widths: widths.to_vec() })
    }

    /// What the products of a lookup cost, with columns of these widths.
    ///
    /// # Errors
    /// [`Error::Param`] for widths other than 1 to 64.
    pub fn bill(widths: &[u32]) -> Result<Bill> {
        widths.iter().try_for_each(|&w| check_width::<u64>(w))?;
        let count = |w: u32| widths.iter().filter(|&&v| v == w).count();
        let of_width = |w: u32| Multiplication::bill(w).times(count(w));
        Ok(distinct(widths).into_iter().map(of_width).fold(Bill::FREE, Bill::then))
    }

    /// Online: shares of the products, a batch for each column: 1 round for every width that columns have. Spends
    /// the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if columns or widths are not those prepared for, and those of the channel.
    pub fn multiply<R: Ring>(self, s: &mut Session, folded: Folded<R>) -> Result<Vec<AShare<R>>> {
        let factors = folded.factors();
        same("columns of a folded lookup", self.widths.len(), factors.len())?;
        for (width, [z, _]) in self.widths.iter().zip(&factors) {
            same("bits of a folded column", *width as usize, z.bits() as usize)?;
        }
        let mut out: Vec<Option<AShare<R>>> = factors.iter().map(|_| None).collect();
        for material in self.products {
            let width = material.bits;
            let of_width = (0..factors.len()).filter(|&q| self.widths[q] == width).collect::<Vec<_>>();
            let mut sides = [0, 1].map(|_| AShare::new(width, Vec::new()));
            for &q in &of_width {
                sides.iter_mut().zip(&factors[q]).try_for_each(|(side, factor)| side.append(factor))?;
            }
            let mut products = material.multiply(s, &sides[0], &sides[1])?;
            for &q in of_width.iter().rev() {
                out[q] = Some(products.split_off(products.len() - factors[q][0].len()));
            }
        }
        Ok(out.into_iter().map(|column| column.expect("every column has a width")).collect())
    }
}

/// The widths that there are, each once.
fn distinct(widths: &[u32]) -> Vec<u32> {
    let mut widths = widths.to_vec();
    widths.sort_unstable();
    widths.dedup();
    widths
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
    within("width of a number", bits, 1..=R::WIDTH)
}

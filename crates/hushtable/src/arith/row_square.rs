//! Sums of the squares of rows of shared numbers.
//!
//! # Functionality
//! In: additive shares mod `2^l` of rows of numbers. Out: shares mod `2^l` of the sum of the squares of each row.
//!
//! # Protocol
//! By OTs, the squares are added up. By a lattice, *offline*: each party draws its shares U of as many numbers; of the sum of
//! the squares of a row the mixed term is `2 <U_0, U_1>`. P0 encrypts some rows as a matrix, P1 multiplies it by its own
//! ones, transposed, and the diagonal of the product is what they want; they drop the rest of their shares. *Online*:
//! 1. open `E = C - U`;
//! 2. the sum is that of `E^2 + 2 E U + U^2`, that of `E^2` at P0.
//!
//! # Cost
//! By OTs a square for each number. By a lattice, offline a product for each block of rows, without the keys; online `2 l`
//! bits for each number, 1 round.
//!
//! # Source
//! Beaver (CRYPTO 1991); each number is opened once, where a product of two factors would open two.

use prim::{
    Wiped,
    ring::{low, signed},
};
use zeroize::Zeroizing;

use super::{
    lattice::{Cross, Side, cheapest_block, part},
    linear::LinearShape,
    matrix::MatrixShape,
    product::{Squares, share},
};
use crate::{
    bill::{Bill, Objective, Once, Work},
    codec::{Reader, Writer},
    error::{Error, Result, same},
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
    source::{Atom, Source},
    terms::Terms,
};

/// What the rows of a batch have in common. Public.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSquaresJob {
    rows: usize,
    len: usize,
    bits: u32,
    lattice: Option<Lattice>,
}

/// How many rows make a matrix, and its products.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    block: usize,
    cross: Cross,
}

/// One-time material for a batch of rows.
#[must_use = "one-time material that is not used was generated for nothing"]
pub(crate) struct RowSquares {
    job: RowSquaresJob,
    made: Made,
}

enum Made {
    Ots(Squares),
    Lattice(Masks),
}

/// Random rows and the sums of their squares, shared.
struct Masks {
    len: usize,
    bits: u32,
    /// U.
    rows: Wiped<u64>,
    sums: Zeroizing<Vec<u64>>,
}

impl RowSquaresJob {
    /// Of rows of `len` numbers of `bits` bits; by a lattice for an objective, where that is allowed and takes fewer bytes, keys
    /// for this batch counted.
    ///
    /// # Errors
    /// As [`Squares::bill`].
    pub(crate) fn new([rows, len]: [usize; 2], bits: u32, lattices: Option<Objective>) -> Result<Self> {
        let ots = Self { rows, len, bits, lattice: None };
        let bill = ots.bill()?;
        let of = |block, objective| {
            let lattice = Lattice::new([rows, len], bits, block, objective)?;
            let job = Self { lattice: Some(lattice), ..ots };
            Ok((lattice.cross.price(), [job.bill()?, job.keys().bill()], job))
        };
        let least = |objective| cheapest_block(rows, &bill, |block| of(block, objective));
        Ok(lattices.and_then(least).unwrap_or(ots))
    }

    /// What all rows cost, without keys that the session keeps.
    ///
    /// # Errors
    /// As [`Squares::bill`].
    pub(crate) fn bill(&self) -> Result<Bill> {
        let numbers = self.rows * self.len;
        let Some(lattice) = &self.lattice else { return Ok(Squares::bill(self.bits)?.times(numbers)) };
        let opened = u64::from(self.bits) * numbers as u64;
        Ok((lattice.cross.bill() + Bill::opening(opened)).keeping(64 * (numbers + self.rows) as u64))
    }

    /// The keys that the session keeps.
    pub(crate) fn keys(&self) -> Once {
        self.lattice.map_or(Once::default(), |lattice| lattice.cross.keys())
    }

    /// Makes the keys that the session keeps, where it has none.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn set_up(&self, p: &mut Party) -> Result<()> {
        self.lattice.map_or(Ok(()), |lattice| lattice.cross.ready(p).map(drop))
    }

    /// Bytes of ciphertexts and keys at P0 and at P1, which answers.
    pub(crate) fn memory(&self) -> [u64; 2] {
        [0, self.lattice.map_or(0, |lattice| lattice.cross.memory())]
    }

    /// The work of the lattice, offline.
    pub(crate) fn work(&self) -> Work {
        self.lattice.map_or(Work::default(), |lattice| lattice.cross.work())
    }
}

impl Lattice {
    /// Of so many rows, in blocks.
    fn new([rows, len]: [usize; 2], bits: u32, block: usize, objective: Objective) -> Result<Self> {
        let shape = MatrixShape { batch: rows.div_ceil(block), rows: block, inner: len, columns: block };
        let products = LinearShape::from(shape).products()?;
        // Both sides are as long, so that it is all the same which one is encrypted.
        let cross = Cross::new(products, [bits, bits], &[Side::Left], Role::P0, objective)?;
        Ok(Self { block, cross })
    }

    /// This party's shares of the mixed terms of the rows `u`.
    fn mixed(&self, p: &mut Party, u: &[u64], [rows, len]: [usize; 2], bits: u32) -> Result<Wiped<u64>> {
        let Self { block, cross } = self;
        let (role, all) = (p.role(), rows.div_ceil(*block));
        // The last block is filled up with rows of zeros. P0 has the left matrices, P1 the right ones, transposed.
        let mut padded = Wiped::zeros(all * block * len);
        padded[..u.len()].copy_from_slice(u);
        if role == Role::P1 {
            for matrix in padded.chunks_exact_mut(block * len) {
                let given = Wiped::from(matrix.to_vec());
                (0..matrix.len()).for_each(|i| matrix[i] = given[i % block * len + i / block]);
            }
        }
        let mut products = Wiped::zeros(cross.outputs());
        let each = block * len;
        let known: Zeroizing<Vec<i64>> = Zeroizing::new(padded.iter().map(|x| signed(*x, bits)).collect());
        let (encrypted, known) = (|i| part(&padded, i, each), |i| part(&known, i, each));
        Cross::multiply(std::slice::from_ref(cross), p, &encrypted, &known, &mut products)?;
        let diagonal = |row: usize| products[row / block * block * block + row % block * (block + 1)];
        Ok(Wiped::from((0..rows).map(diagonal).collect::<Vec<u64>>()))
    }
}

impl RowSquares {
    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn prepare(p: &mut dyn Source, job: RowSquaresJob) -> Result<Self> {
        let RowSquaresJob { rows, len, bits, lattice } = job;
        let Some(lattice) = lattice else {
            return Ok(Self { job, made: Made::Ots(Squares::prepare(p, bits, rows * len)?) });
        };
        let masks = p.atom((bits, len), rows, |p| {
            let mut u = Wiped::zeros(rows * len);
            p.rng().words(bits, &mut u);
            let mixed = lattice.mixed(p, &u, [rows, len], bits)?;
            let sums = u.chunks_exact(len).zip(mixed.iter());
            let sums = sums.map(|(u, mixed)| low(squares(u).wrapping_add(mixed << 1), bits));
            Ok(Masks { len, bits, sums: Zeroizing::new(sums.collect()), rows: u })
        })?;
        Ok(Self { job, made: Made::Lattice(masks) })
    }

    /// Online, 1 round: shares of the sum of each row's squares. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless numbers and width are those prepared for, and those of the channel.
    pub(crate) fn sum(self, s: &mut Session, x: &AShare<u64>) -> Result<AShare<u64>> {
        let Self { job: RowSquaresJob { rows, len, bits, .. }, made } = self;
        same("numbers of rows", rows * len, x.len())?;
        same("bits of the numbers of rows", bits as usize, x.bits() as usize)?;
        let sums: Zeroizing<Vec<u64>> = Zeroizing::new(match made {
            Made::Ots(made) => {
                let squares = made.square(s, x)?;
                squares.words().chunks_exact(len).map(added).collect()
            }
            Made::Lattice(Masks { rows: u, sums, .. }) => {
                let masked = x.words().iter().zip(u.iter()).map(|(x, u)| low(x.wrapping_sub(*u), bits));
                // Public: U is uniform and masks nothing else.
                let e = s.open(&AShare::<u64>::new(bits, masked.collect()))?;
                let role = s.role();
                let rows = e.chunks_exact(len).zip(u.chunks_exact(len)).zip(sums.iter());
                let of = |((e, u), sum): ((&[u64], &[u64]), &u64)| {
                    let own = if role == Role::P0 { squares(e) } else { 0 };
                    let twice =
                        e.iter().zip(u).fold(0u64, |sum, (e, u)| sum.wrapping_add(e.wrapping_mul(*u)));
                    sum.wrapping_add(own).wrapping_add(twice << 1)
                };
                rows.map(of).collect()
            }
        });
        Ok(share(bits, &sums))
    }
}

/// By width and length of a row.
impl Atom for Masks {
    type Form = (u32, usize);

    fn terms(&(bits, len): &Self::Form) -> Terms {
        Terms::of("sums of squares of random rows").with("bits", bits).with("numbers of a row", len)
    }

    fn encode(&self, to: &mut Writer) {
        to.words(&self.rows, self.bits);
        to.words(&self.sums, self.bits);
    }

    fn decode(from: &mut Reader<'_>, _role: Role, &(bits, len): &Self::Form, count: usize) -> Result<Self> {
        let rows = Wiped::from(from.words(count.saturating_mul(len), bits)?);
        Ok(Self { len, bits, rows, sums: Zeroizing::new(from.words(count, bits)?) })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let Some(left) = self.sums.len().checked_sub(count) else {
            return Err(Error::Shape { what: "rows left", want: count, got: self.sums.len() });
        };
        let sums = Zeroizing::new(self.sums.split_off(left));
        Ok(Self { rows: self.rows.split_off(left * self.len), sums, ..*self })
    }
}

fn added(row: &[u64]) -> u64 {
    row.iter().fold(0, |sum, x| sum.wrapping_add(*x))
}

fn squares(row: &[u64]) -> u64 {
    row.iter().fold(0, |sum, x| sum.wrapping_add(x.wrapping_mul(*x)))
}

#[cfg(test)]
mod tests;

//! Rows of shared numbers times one shared number each.
//!
//! # Functionality
//! In: additive shares mod `2^l` of rows of numbers, and of a number for each row. Out: shares mod `2^l` of the products.
//!
//! # Protocol
//! By OTs, Gilboa's products of a number with its row. By a lattice, products of matrices: some rows make the right one, and
//! their numbers the diagonal of the left one.
//!
//! # Cost
//! By OTs, for rows of k numbers, `2 l` correlated OTs and `2 l + k l (l + 1)` bits online a row; 1 round. By a lattice as
//! [`ProductTriples`] of blocks of rows.
//!
//! # Source
//! As [`MatrixProduct`] and [`ProductTriples`].

use prim::Wiped;

use super::{
    beaver::ProductTriples,
    lattice::cheapest_block,
    lattice_triples::LatticeTriplesJob,
    matrix::{MatrixJob, MatrixProduct, MatrixShape},
};
use crate::{
    bill::{Bill, Objective, Once, Work},
    error::{Result, same},
    party::Party,
    session::Session,
    share::AShare,
    source::Source,
};

/// What the rows of a batch have in common. Public.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowMultiplesJob {
    rows: usize,
    len: usize,
    bits: u32,
    /// Products of matrices of so many rows, by a lattice.
    lattice: Option<LatticeTriplesJob>,
}

/// One-time material for a batch of rows.
#[must_use = "one-time material that is not used was generated for nothing"]
pub(crate) struct RowMultiples {
    job: RowMultiplesJob,
    made: Made,
}

enum Made {
    Ots(MatrixProduct),
    Lattice(ProductTriples<u64>),
}

impl RowMultiplesJob {
    /// Of rows of `len` numbers of `bits` bits; by a lattice for an objective, where that is allowed and takes fewer bytes, keys
    /// for this batch counted.
    pub(crate) fn new([rows, len]: [usize; 2], bits: u32, lattices: Option<Objective>) -> Self {
        let ots = Self { rows, len, bits, lattice: None };
        let of = |block, objective| {
            let job = LatticeTriplesJob::new(bits, ots.blocks(block), objective)?;
            Ok((job.price(), [job.bill(), job.keys().bill()], job))
        };
        let bill = ots.bill();
        let least = |objective| cheapest_block(rows, Some(&bill), |block| of(block, objective));
        Self { lattice: lattices.and_then(least), ..ots }
    }

    /// What all rows cost, without keys that the session keeps.
    pub(crate) fn bill(&self) -> Bill {
        self.lattice.map_or_else(|| self.ots().bill(), |lattice| lattice.bill())
    }

    /// The keys that the session keeps.
    pub(crate) fn keys(&self) -> Once {
        self.lattice.map_or(Once::default(), |lattice| lattice.keys())
    }

    /// Makes the keys that the session keeps, where it has none.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn set_up(&self, p: &mut Party) -> Result<()> {
        self.lattice.map_or(Ok(()), |lattice| lattice.set_up(p))
    }

    /// Bytes of ciphertexts, keys and matrices at P0 and at P1.
    pub(crate) fn memory(&self) -> [u64; 2] {
        self.lattice.map_or([0; 2], |lattice| lattice.effort().memory)
    }

    /// The work of the lattice, offline.
    pub(crate) fn work(&self) -> Work {
        self.lattice.map_or(Work::default(), |lattice| lattice.work())
    }

    fn ots(&self) -> MatrixJob {
        let shape = MatrixShape { batch: self.rows, rows: self.len, inner: 1, columns: 1 };
        MatrixJob::shared(shape, self.bits)
    }

    fn blocks(&self, block: usize) -> MatrixShape {
        MatrixShape { batch: self.rows.div_ceil(block), rows: block, inner: block, columns: self.len }
    }
}

impl RowMultiples {
    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn prepare(p: &mut dyn Source, job: RowMultiplesJob) -> Result<Self> {
        let made = match &job.lattice {
            None => Made::Ots(MatrixProduct::prepare(p, job.ots())?),
            Some(lattice) => Made::Lattice(ProductTriples::by_lattice(p, lattice)?),
        };
        Ok(Self { job, made })
    }

    /// Online, 1 round: shares of the products, row by row. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless numbers and widths are those prepared for, and those of the channel.
    pub(crate) fn multiply(self, s: &mut Session, x: &AShare<u64>, y: &AShare<u64>) -> Result<AShare<u64>> {
        let RowMultiplesJob { rows, len, bits, .. } = self.job;
        same("numbers of rows", rows * len, x.len())?;
        same("numbers for rows", rows, y.len())?;
        same("bits of the numbers of rows", bits as usize, x.bits() as usize)?;
        same("bits of the numbers for rows", bits as usize, y.bits() as usize)?;
        let made = match self.made {
            Made::Ots(made) => return made.multiply(s, x, y),
            Made::Lattice(made) => made,
        };
        // The last block is filled up with zeros.
        let shape = made.shape();
        let (block, mut diagonals) = (shape.rows, Wiped::zeros(shape.left()));
        y.words().iter().enumerate().for_each(|(i, y)| diagonals[i * block + i % block] = *y);
        let mut padded = Wiped::zeros(shape.right());
        padded[..x.len()].copy_from_slice(x.words());
        let [left, right] = [diagonals, padded].map(|words| AShare::new(bits, words.to_vec()));
        let mut products = made.multiply(s, &left, &right)?;
        drop(products.split_off(rows * len));
        Ok(products)
    }
}

#[cfg(test)]
mod tests;

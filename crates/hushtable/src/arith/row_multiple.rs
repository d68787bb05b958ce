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
    matrix::{MatrixJob, MatrixProduct, MatrixShape},
};
use crate::{
    bill::{Bill, Once, Work},
    error::{Result, same},
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
    /// How many rows make a matrix, by a lattice.
    block: Option<usize>,
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
    /// Of rows of `len` numbers of `bits` bits; by a lattice, where that is allowed and takes fewer bytes, keys for this batch
    /// counted.
    pub(crate) fn new([rows, len]: [usize; 2], bits: u32, lattices: bool) -> Self {
        let ots = Self { rows, len, bits, block: None };
        let of = |block| {
            let price = ProductTriples::<u64>::lattice_price(bits, ots.blocks(block))?;
            Ok((price, ots.by_lattice(block)?, block))
        };
        let block = if lattices { cheapest_block(rows, &ots.ots().bill(), of) } else { None };
        Self { block, ..ots }
    }

    /// What all rows cost, without keys that the session keeps.
    ///
    /// # Errors
    /// None for a job that was made.
    pub(crate) fn bill(&self) -> Result<Bill> {
        self.block.map_or_else(|| Ok(self.ots().bill()), |block| Ok(self.by_lattice(block)?[0]))
    }

    /// The keys that the session keeps.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub(crate) fn keys(&self) -> Result<Once> {
        let of = |block| ProductTriples::<u64>::lattice_keys(self.bits, self.blocks(block));
        self.block.map_or(Ok(Once::default()), of)
    }

    /// Bytes of ciphertexts, keys and matrices at P0 and at P1.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub(crate) fn memory(&self) -> Result<[u64; 2]> {
        let of = |block| ProductTriples::<u64>::lattice_effort(self.bits, self.blocks(block));
        self.block.map_or(Ok([0; 2]), |block| Ok(of(block)?.memory))
    }

    /// The work of the lattice, offline.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    pub(crate) fn work(&self) -> Result<Work> {
        let of = |block| ProductTriples::<u64>::lattice_work(self.bits, self.blocks(block));
        self.block.map_or(Ok(Work::default()), of)
    }

    fn ots(&self) -> MatrixJob {
        let shape = MatrixShape { batch: self.rows, rows: self.len, inner: 1, columns: 1 };
        MatrixJob::shared(shape, self.bits)
    }

    fn by_lattice(&self, block: usize) -> Result<[Bill; 2]> {
        ProductTriples::<u64>::lattice_bill(self.bits, self.blocks(block))
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
        let made = match job.block {
            None => Made::Ots(MatrixProduct::prepare(p, job.ots())?),
            Some(block) => Made::Lattice(ProductTriples::by_lattice(p, job.bits, job.blocks(block))?),
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

//! Counts, sums, and sums of products.

use hushtable::{
    AShare, Result,
    arith::Multiplication,
    bill::Bill,
    gates::{B2a, Bits},
    session::Session,
    source::Source,
};

/// Bits of a count.
pub(super) const COUNT: u32 = 32;

/// The sum of a column. Local.
pub fn sum(column: &AShare<u64>) -> AShare<u64> {
    let sum = column.words().iter().fold(0u64, |sum, word| sum.wrapping_add(*word));
    AShare::new(column.bits(), vec![sum])
}

/// One-time material for a count of bits.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Count(B2a);

impl Count {
    /// Offline, for so many bins.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(p: &mut dyn Source, bins: usize) -> Result<Self> {
        Ok(Self(B2a::prepare(p, COUNT, bins)?))
    }

    /// What it costs.
    pub fn bill(bins: usize) -> Bill {
        B2a::bill(COUNT).times(bins)
    }

    /// Online, 1 round: a share of how many bits are 1, of 32 bits. Spends the material.
    ///
    /// # Errors
    /// `Error::Shape` unless there are as many bits as prepared for, and those of the channel.
    pub fn count(self, s: &mut Session, matched: &Bits) -> Result<AShare<u64>> {
        Ok(sum(&self.0.convert::<u64>(s, matched)?))
    }
}

/// One-time material for the sum of the products of two columns.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct ProductSum {
    bins: usize,
    products: Multiplication,
}

impl ProductSum {
    /// Offline, for columns of `bits` bits, with room for the sum.
    ///
    /// # Errors
    /// `Error::Param` for widths other than 1 to 64, and those of the channel.
    pub fn prepare(p: &mut dyn Source, bits: u32, bins: usize) -> Result<Self> {
        Ok(Self { bins, products: Multiplication::prepare(p, bits, bins)? })
    }

    /// What it costs.
    pub fn bill(bits: u32, bins: usize) -> Bill {
        Multiplication::bill(bits).times(bins)
    }

    /// Online, 1 round: a share of the sum of `x_i y_i`. Spends the material.
    ///
    /// # Errors
    /// `Error::Shape` if columns or widths are not those prepared for, and those of the channel.
    pub fn sum(self, s: &mut Session, x: &AShare<u64>, y: &AShare<u64>) -> Result<AShare<u64>> {
        self.products.inner_products(s, x, y, self.bins)
    }
}

/// What follows from opened sums of two columns, or of one taken twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Of both columns.
    pub means: [f64; 2],
    /// Of the rows there are, not of those they were drawn from; of one column its variance.
    pub covariance: f64,
}

impl Moments {
    /// From the count, the sums and the sum of products. `None` if nothing matches.
    pub fn of(count: u64, sums: [i64; 2], products: i64) -> Option<Self> {
        let n = (count > 0).then_some(count as f64)?;
        // In whole numbers, so that nothing gets lost in the difference.
        let difference = i128::from(count) * i128::from(products) - i128::from(sums[0]) * i128::from(sums[1]);
        Some(Self { means: sums.map(|sum| sum as f64 / n), covariance: difference as f64 / (n * n) })
    }
}

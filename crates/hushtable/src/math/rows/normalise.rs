//! Positive numbers brought to `[1, 2.25)` by a power of two.
//!
//! # Functionality
//! In: additive shares mod `2^w` of x, a number with s bits behind the point and
//! `2^lo <= x < 2^(lo+k)`, for public lo and k. Out: shares of `z = x / 2^j` with 20 bits behind the
//! point, `1 <= z < 2.25`, and of a public function of j, `lo <= j < lo + k`.
//!
//! # Protocol
//! 1. Each party shifts its share: shares of `v = floor(x / 2^(lo-2))` or of one less, of `k + 2` bits.
//! 2. One lookup at v reads `2^(k-1-j)` and the function of j, j being the octave of v, or `lo` for
//!    v = 3. As v is one too small at most, `2^j <= x < 2^(j+1) + 2^(lo-2)`.
//! 3. The product with x, truncated.
//!
//! # Cost, a number
//! A one-hot vector of `2^(k+2)` entries; its reading with outputs of w bits, one for z and one for the
//! function; a product of w bits and a truncation: 4 rounds.
//!
//! # Source
//! lut-spec 11.5 step 5, with one lookup in the place of a thermometer of comparisons.

use prim::ring::low;

use crate::{
    arith::truncate_reduce,
    bill::Bill,
    error::{Error, Result, same},
    lut::{
        Table,
        read::{Signed, Vectors},
    },
    math::linear::RescaledProduct,
    onehot::{Cyclic, OneHot},
    session::Session,
    share::AShare,
    source::Source,
};

/// Bits behind the point of a normalised number.
pub(super) const Z: u32 = 20;

/// Bits of x below its octave that the lookup sees.
const GUARD: u32 = 2;

/// Which numbers: `2^lo <= x < 2^(lo + octaves)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Octaves {
    /// Base-2 logarithm of the least number.
    pub lo: i32,
    /// Base-2 logarithm of the greatest one over the least, 1 to 16.
    pub count: u32,
}

/// One-time material for a batch.
pub(super) struct Normalise {
    octaves: Octaves,
    scale: u32,
    table: Table<u64>,
    material: Signed<Cyclic>,
    product: RescaledProduct,
}

impl Normalise {
    /// Offline, for `batch` numbers with `scale` bits behind the point, shared mod `2^w`; `of(j)` is the
    /// function, of `w - 1` bits.
    ///
    /// # Errors
    /// [`Error::Param`] for octaves or scales that are not supported, and those of the channel.
    pub(super) fn prepare(
        p: &mut dyn Source,
        octaves: Octaves,
        scale: u32,
        w: u32,
        of: impl Fn(i32) -> u64,
        batch: usize,
    ) -> Result<Self> {
        octaves.check(scale, w)?;
        let k = octaves.count;
        let octave = |v: u64| v.max(1 << GUARD).ilog2() - GUARD;
        let column =
            |f: &dyn Fn(u32) -> u64| (0..1u64 << (k + GUARD)).map(|v| low(f(octave(v)), w)).collect();
        let powers = column(&|j| 1 << (k - 1 - j));
        let table = Table::vector(w, vec![powers, column(&|j| of(octaves.lo + j as i32))])?;
        let material = Signed::prepare(p, Vectors::Tree, k + GUARD, &[w, w], batch)?;
        let product = RescaledProduct::prepare(p, w, octaves.product_scale(scale), Z, batch)?;
        Ok(Self { octaves, scale, table, material, product })
    }

    /// Online: z and the function of the octave. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or widths are not those prepared for, and those of the channel.
    pub(super) fn run(self, s: &mut Session, x: &AShare<u64>) -> Result<(AShare<u64>, AShare<u64>)> {
        let (w, Octaves { lo, count }) = (self.table.bits(), self.octaves);
        same("bits of the numbers to normalise", w as usize, x.bits() as usize)?;
        let shift = (self.scale as i32 + lo) as u32 - GUARD;
        let v = x.low_bits::<u64>(shift + count + GUARD)?;
        let v = if shift == 0 { v } else { truncate_reduce(&v, shift)? };
        let v = v.low_bits::<u32>(count + GUARD)?;
        let mut columns = self.material.lookup_all(s, &[&self.table], &v)?.into_iter();
        let (Some(power), Some(function)) = (columns.next(), columns.next()) else {
            unreachable!("a table of two columns")
        };
        Ok((self.product.multiply(s, x, &power)?, function))
    }
}

impl Octaves {
    /// The octaves of the numbers of `[low, high]`.
    ///
    /// # Errors
    /// [`Error::Param`] unless `0 < low <= high` and there are 16 octaves at most.
    pub(super) fn of(low: f64, high: f64) -> Result<Self> {
        let got = || format!("{low} to {high}");
        if !(low > 0.0 && low <= high && high.is_finite()) {
            return Err(Error::Param {
                what: "positive numbers",
                got: got(),
                accepted: "0 < low <= high".into(),
            });
        }
        let (lo, hi) = (libm::log2(low).floor() as i32, libm::log2(high).floor() as i32 + 1);
        let count = (hi - lo) as u32;
        if count > MAX_OCTAVES {
            let accepted = format!("at most {MAX_OCTAVES} powers of two");
            return Err(Error::Param { what: "positive numbers", got: got(), accepted });
        }
        Ok(Self { lo, count })
    }

    /// Bits of the ring in which numbers with `scale` bits behind the point are normalised.
    ///
    /// # Errors
    /// [`Error::Param`] if the least of these numbers are too few units.
    pub(super) fn ring(&self, scale: u32) -> Result<u32> {
        if (scale as i32) + self.lo < GUARD as i32 {
            let got = format!("2^{} with {scale} bits behind the point", self.lo);
            let accepted = format!("at least {} units, by more bits behind the point", 1 << GUARD);
            return Err(Error::Param { what: "least number", got, accepted });
        }
        Ok((scale as i32 + self.lo + self.count as i32 + 3) as u32)
    }

    /// What normalising costs, with the function of the octave.
    ///
    /// # Errors
    /// [`Error::Param`] unless w is 1 to 64.
    pub(super) fn bill(&self, scale: u32, w: u32) -> Result<Bill> {
        let index = self.count + GUARD;
        let read = OneHot::<Cyclic>::tree_bill(index) + Signed::<Cyclic>::bill(index, &[w, w])?;
        Ok(read + RescaledProduct::bill(w, self.product_scale(scale), Z))
    }

    /// Bits behind the point of the product of a number with its octave's factor.
    fn product_scale(&self, scale: u32) -> i32 {
        scale as i32 + self.lo + self.count as i32 - 1
    }

    fn check(&self, scale: u32, w: u32) -> Result<()> {
        let refuse = |what, got: String, accepted| Err(Error::Param { what, got, accepted });
        if !(1..=MAX_OCTAVES).contains(&self.count) {
            return refuse("octaves", self.count.to_string(), format!("1 to {MAX_OCTAVES}"));
        }
        match self.ring(scale)? {
            needed if needed > w => refuse("bits of the ring", w.to_string(), format!("at least {needed}")),
            _ => Ok(()),
        }
    }
}

/// Most octaves: the table has `2^18` entries then.
const MAX_OCTAVES: u32 = 16;

//! Public tables of signed fixed-point values.

use super::{Bounds, Domain, Function};
use crate::error::{Error, Result};

/// The widest value: a wider one is not exact as a `f64`.
pub const MAX_VALUE_BITS: u32 = 53;

/// Most fraction bits of a value.
const MAX_FRACTION_BITS: u32 = 52;

/// A table of signed integers at scale `2^fraction_bits`.
#[derive(Debug)]
pub struct Tabulated {
    entries: Vec<i64>,
    fraction_bits: u32,
}

impl Tabulated {
    /// `function` at every point of `domain`, rounded to nearest.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Param`] for a domain with numbers at which it has no value.
    pub fn function(function: Function, domain: &Domain, fraction_bits: u32) -> Result<Self> {
        let bounds = Bounds { lo: domain.value(0), hi: domain.value(1 << domain.index_bits()) };
        function.check_defined("domain", bounds, domain.fraction_bits())?;
        let values = (0..1 << domain.index_bits()).map(|i| function.eval(domain.value(i)));
        Self::new(&values.collect::<Vec<_>>(), fraction_bits)
    }

    /// Values rounded to nearest at scale `2^fraction_bits`, ties away from zero.
    ///
    /// # Errors
    /// [`Error::Param`] if a value is not finite or does not fit [`MAX_VALUE_BITS`].
    pub fn new(values: &[f64], fraction_bits: u32) -> Result<Self> {
        if fraction_bits > MAX_FRACTION_BITS {
            let accepted = format!("0 to {MAX_FRACTION_BITS}");
            return Err(Error::Param { what: "fraction bits", got: fraction_bits.to_string(), accepted });
        }
        let scale = (1u64 << fraction_bits) as f64;
        let limit = 2f64.powi(MAX_VALUE_BITS as i32 - 1);
        let entry = |(i, v): (usize, &f64)| {
            let scaled = (v * scale).round();
            if scaled >= -limit && scaled < limit {
                Ok(scaled as i64)
            } else {
                Err(wide(i, *v, fraction_bits))
            }
        };
        let entries = values.iter().enumerate().map(entry).collect::<Result<_>>()?;
        Ok(Self { entries, fraction_bits })
    }

    /// Integers, as they are; those wider than [`MAX_VALUE_BITS`] are not exact as a `f64`.
    pub fn integers(entries: Vec<i64>) -> Self {
        Self { entries, fraction_bits: 0 }
    }

    /// The values times `2^fraction_bits`.
    pub fn entries(&self) -> &[i64] {
        &self.entries
    }

    /// Binary digits after the point.
    pub fn fraction_bits(&self) -> u32 {
        self.fraction_bits
    }

    /// Bits that hold every entry in two's complement.
    pub fn bits(&self) -> u32 {
        let needed = |&e: &i64| 64 - (e ^ (e >> 63)).leading_zeros() + 1;
        self.entries.iter().map(needed).max().unwrap_or(1)
    }

    /// The least and the greatest entry.
    pub fn range(&self) -> [i64; 2] {
        let (min, max) = (self.entries.iter().min(), self.entries.iter().max());
        [min.copied().unwrap_or(0), max.copied().unwrap_or(0)]
    }

    /// What both parties compare: scale and every entry.
    pub fn digest(&self) -> crate::terms::Digest {
        let mut hash = blake3::Hasher::new();
        hash.update(&self.fraction_bits.to_le_bytes());
        for entry in &self.entries {
            hash.update(&entry.to_le_bytes());
        }
        hash.finalize()
    }
}

/// The fewest fraction bits, at most 16, that hold every value exactly; 16 if none does.
pub fn exact_fraction_bits(values: &[f64]) -> u32 {
    let exact = |f: &u32| values.iter().all(|v| (v * f64::from(1u32 << f)).fract() == 0.0);
    (0..=16).find(exact).unwrap_or(16)
}

fn wide(i: usize, value: f64, fraction_bits: u32) -> Error {
    let got = format!("{value} at index {i} with {fraction_bits} fraction bits");
    Error::Param { what: "value of a table", got, accepted: format!("values of {MAX_VALUE_BITS} bits") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: &[f64], fraction_bits: u32) -> Tabulated {
        Tabulated::new(values, fraction_bits).unwrap()
    }

    #[test]
    fn widths_are_twos_complement() {
        let bits = |values: &[f64]| table(values, 0).bits();
        assert_eq!(bits(&[0.0, 0.0]), 1);
        assert_eq!(bits(&[0.0, -1.0]), 1);
        assert_eq!(bits(&[1.0, 0.0]), 2);
        assert_eq!(bits(&[127.0, -128.0]), 8);
        assert_eq!(bits(&[128.0, 0.0]), 9);
        assert_eq!(bits(&[-129.0, 0.0]), 9);
        assert_eq!(bits(&[2f64.powi(52) - 1.0, -(2f64.powi(52))]), 53);
        for wide in [2f64.powi(52), -(2f64.powi(52)) - 1.0, 1e300, f64::NAN, f64::INFINITY] {
            let error = Tabulated::new(&[0.0, wide], 0).unwrap_err().to_string();
            assert!(error.contains("at index 1") && error.contains("53 bits"), "{error}");
        }
    }

    #[test]
    fn entries_are_rounded_values() {
        let domain = Domain::new(Function::Sigmoid.domain(), 8).unwrap();
        let t = Tabulated::function(Function::Sigmoid, &domain, 16).unwrap();
        assert_eq!((t.entries().len(), t.bits()), (4096, 17));
        assert_eq!(t.entries()[2048], 1 << 15);
        for (i, &e) in t.entries().iter().enumerate() {
            let error = (e as f64 / 65536.0 - Function::Sigmoid.eval(domain.value(i))).abs();
            assert!(error <= 0.5 / 65536.0, "entry {i}: {error}");
        }
        assert_eq!(t.range(), [22, 65514]);
    }

    #[test]
    fn digest_covers_scale_and_entries() {
        let base = table(&[1.0, 2.0], 3).digest();
        assert_eq!(base, table(&[1.0, 2.0], 3).digest());
        assert_ne!(base, table(&[1.0, 2.125], 3).digest());
        assert_ne!(base, table(&[2.0, 4.0], 2).digest(), "same integers, other scale");
    }

    #[test]
    fn fraction_bits_of_exact_values() {
        assert_eq!(exact_fraction_bits(&[1.0, -3.0]), 0);
        assert_eq!(exact_fraction_bits(&[1.0, 0.375]), 3);
        assert_eq!(exact_fraction_bits(&[0.1]), 16);
    }
}

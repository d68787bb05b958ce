//! The functions by name, and public tables of fixed-point values.

use clap::ValueEnum;

use super::fixed::{Bounds, Domain};
use crate::failure::{Failure, Result};

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Function {
    /// 1 / (1 + e^-x), default domain -8:8
    Sigmoid,
    /// Hyperbolic tangent, default domain -4:4
    Tanh,
    /// e^x, default domain -8:8
    Exp,
    /// x itself, default domain -8:8
    Identity,
}

impl Function {
    /// The name on the command line and of the result column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sigmoid => "sigmoid",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
            Self::Identity => "identity",
        }
    }

    /// The function in floating point.
    pub fn eval(self, x: f64) -> f64 {
        match self {
            Self::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            Self::Tanh => x.tanh(),
            Self::Exp => x.exp(),
            Self::Identity => x,
        }
    }

    /// The domain unless another is asked for.
    pub fn domain(self) -> Bounds {
        match self {
            Self::Tanh => Bounds { lo: -4.0, hi: 4.0 },
            _ => Bounds { lo: -8.0, hi: 8.0 },
        }
    }
}

/// A table of `2^n` signed integers at scale `2^fraction_bits`.
#[derive(Debug)]
pub struct Tabulated {
    entries: Vec<i64>,
    fraction_bits: u32,
}

/// Numbers wider than this are not exact in the output file.
const MAX_VALUE_BITS: u32 = 53;

impl Tabulated {
    /// `function` at every point of `domain`, rounded to nearest.
    pub fn function(function: Function, domain: &Domain, fraction_bits: u32) -> Result<Self> {
        let values = (0..1 << domain.index_bits()).map(|i| function.eval(domain.value(i)));
        Self::new(&values.collect::<Vec<_>>(), fraction_bits)
    }

    /// Values rounded to nearest at scale `2^fraction_bits`, ties away from zero.
    pub fn new(values: &[f64], fraction_bits: u32) -> Result<Self> {
        let scale = (1u64 << fraction_bits) as f64;
        let entries = values.iter().map(|v| (v * scale).round() as i64).collect();
        let table = Self { entries, fraction_bits };
        if table.bits() > MAX_VALUE_BITS {
            return Err(Failure::new(format!(
                "the table's values do not fit {MAX_VALUE_BITS} bits with {fraction_bits} output fraction bits: use a \
                 smaller --output-fraction-bits or --domain"
            )));
        }
        Ok(table)
    }

    pub fn entries(&self) -> &[i64] {
        &self.entries
    }

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
    pub fn digest(&self) -> blake3::Hash {
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
        let wide = Tabulated::new(&[2f64.powi(52), 0.0], 0).unwrap_err().to_string();
        assert!(wide.contains("do not fit 53 bits"), "{wide}");
        assert!(Tabulated::new(&[1e300, 0.0], 0).is_err());
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

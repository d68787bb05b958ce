//! Fixed-point numbers in a public domain, and the table index they stand for.

use std::{fmt, str::FromStr};

use crate::error::{Error, Result};

/// The largest table index, in bits.
pub const MAX_INDEX_BITS: u32 = 16;

/// Most fraction bits of an index.
const MAX_FRACTION_BITS: u32 = 31;

/// Powers of ten are exact in floating point up to this one.
const MOST_DECIMALS: i32 = 22;

/// The half-open interval `[lo, hi)`, written `lo:hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least number.
    pub lo: f64,
    /// What all numbers are below.
    pub hi: f64,
}

impl Bounds {
    /// All numbers of a ring of `bits` bits with `fraction` bits behind the point.
    pub(in crate::math) fn whole(bits: u32, fraction: u32) -> Self {
        let half = 2f64.powi(bits as i32 - 1 - fraction as i32);
        Self { lo: -half, hi: half }
    }

    /// Whether all of `other` lies in it.
    pub fn contains(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }
}

impl FromStr for Bounds {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (lo, hi) = text.split_once(':').ok_or("expected lo:hi, for example -8:8")?;
        let number = |s: &str| s.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        match (number(lo), number(hi)) {
            (Some(lo), Some(hi)) if lo < hi => Ok(Self { lo, hi }),
            (Some(_), Some(_)) => Err("the first number must be less than the second".into()),
            _ => Err("expected two numbers, for example -8:8".into()),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.lo, self.hi)
    }
}

/// The half-open interval `[lo, hi)` of multiples of `2^-fraction_bits`; there are `2^index_bits` of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    bounds: Bounds,
    fraction_bits: u32,
    index_bits: u32,
}

impl Domain {
    /// The domain `bounds`, whose number of points must be a power of two.
    ///
    /// # Errors
    /// [`Error::Param`] unless there are 2 to `2^16` points, a power of two, and both ends are multiples of
    /// `2^-fraction_bits` and below `2^40` steps in size.
    pub fn new(bounds: Bounds, fraction_bits: u32) -> Result<Self> {
        if fraction_bits > MAX_FRACTION_BITS {
            let accepted = format!("0 to {MAX_FRACTION_BITS}");
            return Err(Error::Param { what: "fraction bits", got: fraction_bits.to_string(), accepted });
        }
        let scale = f64::from(1u32 << fraction_bits);
        let (lo, points) = (bounds.lo * scale, (bounds.hi - bounds.lo) * scale);
        let index_bits = points.log2();
        let fits = points.fract() == 0.0
            && index_bits.fract() == 0.0
            && (1.0..=f64::from(MAX_INDEX_BITS)).contains(&index_bits);
        if !fits {
            let got = format!("{bounds} with {fraction_bits} fraction bits, {points} points");
            let accepted = "a power of two of points from 2 to 65536".into();
            return Err(Error::Param { what: "domain", got, accepted });
        }
        if lo.fract() != 0.0 || lo.abs() > 2f64.powi(40) {
            let accepted = format!(
                "ends that are multiples of 2^-{fraction_bits} and below 2^{} in size",
                40 - fraction_bits
            );
            return Err(Error::Param { what: "domain", got: bounds.to_string(), accepted });
        }
        Ok(Self { bounds, fraction_bits, index_bits: index_bits as u32 })
    }

    /// Binary digits after the point.
    pub fn fraction_bits(&self) -> u32 {
        self.fraction_bits
    }

    /// Base-2 logarithm of the number of points.
    pub fn index_bits(&self) -> u32 {
        self.index_bits
    }

    /// The number that index `i` stands for.
    pub fn value(&self, i: usize) -> f64 {
        (self.lo() + i as i64) as f64 / self.scale()
    }

    /// The least number, times `2^fraction_bits`.
    pub fn lo(&self) -> i64 {
        (self.bounds.lo * self.scale()) as i64
    }

    /// Whether `[lo, hi)` contains all integers of `range`, both ends included, at this domain's scale.
    pub fn contains(&self, range: [i64; 2]) -> bool {
        range[0] >= self.lo() && range[1] < self.lo() + (1 << self.index_bits)
    }

    /// One party's number as an integer at scale `2^fraction_bits`, rounded to nearest, ties away from
    /// zero. `None` outside this party's half of the domain, `[lo/2, hi/2)`: within it, the sum of
    /// both parties' numbers lies in `[lo, hi)`.
    pub fn encode(&self, value: f64) -> Option<i64> {
        let scaled = (value * self.scale()).round();
        let twice = 2.0 * scaled;
        let (lo, hi) = (self.bounds.lo * self.scale(), self.bounds.hi * self.scale());
        (twice >= lo && twice < hi).then_some(scaled as i64)
    }

    /// What [`encode`](Self::encode) accepts, in words.
    pub fn half(&self) -> String {
        let Bounds { lo, hi } = self.bounds;
        format!("{} (included) to {} (excluded), this party's half of the domain {self}", lo / 2.0, hi / 2.0)
    }

    /// Shares of the table index `x - lo mod 2^index_bits` from shares of `x`; exactly one party subtracts.
    pub fn index_share(&self, x: u64, subtracts: bool) -> u16 {
        let lo = if subtracts { self.lo() as u64 } else { 0 };
        let index = x.wrapping_sub(lo) & ((1 << self.index_bits) - 1);
        index as u16
    }

    fn scale(&self) -> f64 {
        f64::from(1u32 << self.fraction_bits)
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bounds.fmt(f)
    }
}

/// Binary digits behind the point that numbers need: to be held exactly, if at most 16 do that; else to tell apart
/// decimals of as many digits as the one that is written with most.
pub fn fraction_bits(values: &[f64]) -> u32 {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let exact = |&bits: &u32| finite().all(|value| (value * f64::from(1 << bits)).fract() == 0.0);
    // The shortest decimals that are read back as the same number; without a text, which nobody would wipe.
    let decimals = |value: f64| {
        let same = |&digits: &i32| (value * 10f64.powi(digits)).round() / 10f64.powi(digits) == value;
        (0..MOST_DECIMALS).find(same).unwrap_or(MOST_DECIMALS)
    };
    (0..=16).find(exact).unwrap_or_else(|| {
        let most = finite().map(decimals).max().unwrap_or(0);
        (f64::from(most) * std::f64::consts::LOG2_10).ceil() as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_fraction_bits_as_numbers_need() {
        for (values, bits) in [
            (&[][..], 0),
            (&[3.0, -7.0, 1e300], 0),
            (&[0.5, -0.125, f64::NAN], 3),
            (&[1.5, 0.1], 4),
            (&[12.345, 7.0], 10),
            (&[0.0000152587890625], 16),
        ] {
            assert_eq!(fraction_bits(values), bits, "{values:?}");
        }
        // Rounded to so many, decimals come back as they were.
        for digits in 1..=6 {
            let unit = 10f64.powi(digits);
            let scale = 2f64.powi(fraction_bits(&[1.0 / unit]) as i32);
            let all = (0..1000).map(|i| f64::from(i * 997) / unit);
            all.for_each(|x| {
                assert_eq!(((x * scale).round() / scale * unit).round(), (x * unit).round(), "{x}")
            });
        }
    }

    fn domain(text: &str, fraction_bits: u32) -> Result<Domain> {
        Domain::new(text.parse().unwrap(), fraction_bits)
    }

    #[test]
    fn every_pair_of_halves_meets_its_index() {
        let d = domain("-4:4", 2).unwrap();
        assert_eq!(d.index_bits(), 5);
        let own: Vec<i64> = (-100..100).filter_map(|i| d.encode(f64::from(i) / 4.0)).collect();
        assert_eq!((own[0], own[own.len() - 1], own.len()), (-8, 7, 16));
        for &a in &own {
            for &b in &own {
                let i = (d.index_share(a as u64, true) + d.index_share(b as u64, false)) % 32;
                assert_eq!(d.value(i.into()), (a + b) as f64 / 4.0);
            }
        }
    }

    #[test]
    fn rounds_to_nearest_before_the_range_check() {
        let d = domain("-8:8", 8).unwrap();
        assert_eq!(d.encode(0.001953125), Some(1), "half a step away from zero");
        assert_eq!(d.encode(-0.0019), Some(0));
        assert_eq!(d.encode(3.998), Some(1023));
        assert_eq!(d.encode(3.9981), None, "rounds to 4");
        assert_eq!(d.encode(-4.0019), Some(-1024));
        assert_eq!(d.encode(-4.002), None);
        assert_eq!(d.encode(f64::NAN), None);
        assert_eq!(d.encode(1e300), None);
    }

    #[test]
    fn odd_ends_and_wide_scales() {
        let d = domain("-0.25:0.25", 2).unwrap();
        assert_eq!(
            (d.index_bits(), d.encode(0.0), d.encode(-0.25), d.encode(0.25)),
            (1, Some(0), None, None)
        );
        let d = domain("0:65536", 0).unwrap();
        assert_eq!((d.index_bits(), d.encode(32767.0), d.encode(32768.0)), (16, Some(32767), None));
        assert!(d.contains([0, 65535]) && !d.contains([0, 65536]) && !d.contains([-1, 0]));
    }

    #[test]
    fn refusals_name_what_was_given() {
        let says = |text: &str, f: u32| domain(text, f).unwrap_err().to_string();
        assert!(says("-5:5", 8).contains("-5:5 with 8 fraction bits, 2560 points"), "{}", says("-5:5", 8));
        assert!(says("-8:8", 13).contains("from 2 to 65536"), "{}", says("-8:8", 13));
        assert!(says("0.3:4.3", 8).contains("multiples of 2^-8"), "{}", says("0.3:4.3", 8));
        assert!(says("0:1", 32).contains("fraction bits: 32"), "{}", says("0:1", 32));
        for bad in ["8:-8", "1:1", "a:b", "3", "nan:1", "0:inf"] {
            assert!(bad.parse::<Bounds>().is_err(), "{bad}");
        }
    }
}

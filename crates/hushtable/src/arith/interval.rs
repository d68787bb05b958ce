//! Comparison of a shared number of few bits with public ones.
//!
//! # Functionality
//! In: an opened one-hot vector at x, of n bits. Out: XOR shares of `1{x < t}`, `1{x = v}` or
//! `1{a <= x < b}`, for any number of public t, v or a and b.
//!
//! # Protocol
//! Each is an entry of a public table of bits at x, which the one-hot vector reads. Local.
//!
//! # Cost
//! None, beside the opening of the index.
//!
//! # Source
//! fss-beyond B0.

use std::ops::Range;

use crate::{
    error::{Error, Result},
    gates::Bits,
    lut::{Table, read::Position},
};

/// Widest index that is compared: that of the largest table.
const MAX_BITS: u32 = 20;

/// Shares of `1{x < t}` for each threshold, `x` being the index of `bits` bits that was opened.
///
/// # Errors
/// [`Error::Param`] if a threshold is above `2^bits`, [`Error::Shape`] if the index has other bits.
pub fn below(at: &Position, bits: u32, thresholds: &[u64]) -> Result<Vec<Bits>> {
    inside(at, bits, &thresholds.iter().map(|&t| 0..t).collect::<Vec<_>>())
}

/// Shares of `1{x = v}` for each value.
///
/// # Errors
/// [`Error::Param`] if a value is not below `2^bits`, [`Error::Shape`] if the index has other bits.
pub fn equal_to(at: &Position, bits: u32, values: &[u64]) -> Result<Vec<Bits>> {
    let next = |&v: &u64| v..v.saturating_add(1);
    inside(at, bits, &values.iter().map(next).collect::<Vec<_>>())
}

/// Shares of `1{a <= x < b}` for each interval `a..b`; one with `a >= b` is empty.
///
/// # Errors
/// [`Error::Param`] if a bound is above `2^bits`, [`Error::Shape`] if the index has other bits.
pub fn inside(at: &Position, bits: u32, intervals: &[Range<u64>]) -> Result<Vec<Bits>> {
    if intervals.is_empty() {
        return Ok(Vec::new());
    }
    if bits > MAX_BITS {
        let accepted = format!("at most {MAX_BITS}");
        return Err(Error::Param { what: "bits of an opened index", got: bits.to_string(), accepted });
    }
    let entries = 1u64 << bits;
    if let Some(bound) = intervals.iter().flat_map(|i| [i.start, i.end]).find(|&bound| bound > entries) {
        let accepted = format!("0 to {entries}");
        return Err(Error::Param { what: "bound of an interval", got: bound.to_string(), accepted });
    }
    let column = |i: &Range<u64>| (0..entries).map(|x| u8::from(i.contains(&x))).collect();
    let table = Table::vector(1, intervals.iter().map(column).collect())?;
    Ok(at.read_xor(&table)?.iter().flat_map(Bits::from_share).collect())
}

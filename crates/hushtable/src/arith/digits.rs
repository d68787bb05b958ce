//! Numbers cut into digits.

use std::ops::Range;

use zeroize::Zeroizing;

use crate::error::{Result, within};

/// Largest width of a digit.
pub(super) const MAX_DIGIT_BITS: u32 = 6;

/// How numbers are cut into digits, lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    widths: Vec<u32>,
}

impl Cut {
    /// As few digits of at most `digit` bits as numbers of `bits` bits need; their widths differ by
    /// one at most.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless numbers have 1 to 64 bits and digits 1 to 6.
    pub(super) fn new(bits: u32, digit: u32) -> Result<Self> {
        Self::wide(bits, digit, MAX_DIGIT_BITS)
    }

    /// The same in digits of at most `digit` bits, 1 to `most`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn wide(bits: u32, digit: u32, most: u32) -> Result<Self> {
        check(bits, digit, most)?;
        let count = bits.div_ceil(digit);
        Ok(Self { widths: (0..count).map(|i| bits / count + u32::from(i < bits % count)).collect() })
    }

    /// Digits of `digit` bits from the lowest on; the top one has what is left.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn full(bits: u32, digit: u32) -> Result<Self> {
        check(bits, digit, MAX_DIGIT_BITS)?;
        Ok(Self { widths: (0..bits).step_by(digit as usize).map(|from| digit.min(bits - from)).collect() })
    }

    /// All digits but the top one.
    pub(super) fn below_top(&self) -> Self {
        Self { widths: self.widths[..self.widths.len() - 1].to_vec() }
    }

    /// The widths, lowest first.
    pub(super) fn widths(&self) -> &[u32] {
        &self.widths
    }

    /// Number of digits.
    pub(super) fn len(&self) -> usize {
        self.widths.len()
    }

    /// The lowest bit of digit `i`.
    pub(super) fn place(&self, i: usize) -> u32 {
        self.widths[..i].iter().sum()
    }

    /// Digit `i` of some numbers.
    pub(super) fn digit(&self, numbers: &[u64], i: usize, at: &Range<usize>) -> Zeroizing<Vec<u8>> {
        let shift = self.place(i);
        let mask = (1u64 << self.widths[i]) - 1;
        Zeroizing::new(numbers[at.clone()].iter().map(|x| (x >> shift & mask) as u8).collect())
    }
}

fn check(bits: u32, digit: u32, most: u32) -> Result<()> {
    within("width of a number", bits, 1..=64)?;
    within("width of a digit", digit, 1..=most)
}

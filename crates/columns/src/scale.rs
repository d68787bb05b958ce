//! How numbers are held.

use crate::rounding::Rounding;

/// How numbers are held: integers mod `2^bits`, times `2^-fraction_bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub bits: u32,
    pub fraction_bits: u32,
}

impl Format {
    pub(crate) fn scale(self) -> f64 {
        2f64.powi(self.fraction_bits as i32)
    }

    /// How far sums of two rounded numbers may lie from those of the numbers themselves.
    pub fn rounding(self) -> f64 {
        1.0 / self.scale()
    }

    /// The range of a sum of two numbers that [`encode`](Self::encode) accepts.
    pub fn range(self) -> [i64; 2] {
        let end = 1i64 << (self.bits - 2);
        [-end, end - 1]
    }

    /// One party's number as an integer, rounded to nearest, ties away from zero; so small that the sum of
    /// both parties' leaves the top bit free.
    pub fn encode(self, value: f64) -> std::result::Result<u64, String> {
        self.encode_within(value, self.range(), Rounding::Nearest)
    }

    /// The same, for sums in `range`, rounded in any way.
    pub(crate) fn encode_within(
        self,
        value: f64,
        range: [i64; 2],
        rounding: Rounding,
    ) -> std::result::Result<u64, String> {
        let scaled = rounding.whole(value * self.scale());
        let [from, to] = [range[0] as f64 / 2.0, (range[1] as f64 + 1.0) / 2.0];
        if (from..to).contains(&scaled) {
            return Ok(scaled as i64 as u64);
        }
        let [from, to] = [from, to].map(|end| end / self.scale());
        let why = if range == self.range() { "" } else { ", with results as fine as asked for" };
        Err(format!(
            "is outside {from} (included) to {to} (excluded), the range that {} bits with {} after the point leave \
             each party{why}",
            self.bits, self.fraction_bits
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_accepted_numbers_leave_the_top_bit_free() {
        let format = Format { bits: 16, fraction_bits: 4 };
        let accepted: Vec<i64> = (-10_000..10_000)
            .filter_map(|i| format.encode(f64::from(i) / 16.0).ok().map(|w| w as i64))
            .collect();
        assert_eq!([accepted[0], *accepted.last().unwrap()], [-(1 << 13), (1 << 13) - 1]);
        assert_eq!(format.range(), [2 * accepted[0], 2 * accepted.last().unwrap() + 1]);
        let error = format.encode(512.0).unwrap_err();
        assert!(error.contains("-512 (included) to 512 (excluded)"), "{error}");
        assert_eq!(format.encode(-0.03126), Ok(-1i64 as u64));
        let widest = Format { bits: 64, fraction_bits: 16 };
        assert!(widest.encode(2f64.powi(44)).is_ok() && widest.encode(2f64.powi(45)).is_err());
    }
}

//! How many digits of a statistic are printed: those that the rounding of its numbers leaves, and none of the rest that
//! comes from binary digits.

/// Numbers with no more bits after the point are printed as they are.
const EXACT: u32 = 8;

/// How exact a number is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Digits {
    All,
    /// It may be off by so much.
    Error(f64),
}

impl Digits {
    /// Of one number that was rounded to so many bits after the point.
    pub fn of_number(fraction_bits: u32) -> Self {
        Self::of_sum(fraction_bits as i32, 1.0)
    }

    /// Of a sum of so many: their errors cancel in part, and are less than this at nearly all times.
    pub fn of_sum(fraction_bits: i32, count: f64) -> Self {
        match fraction_bits <= EXACT as i32 && fraction_bits >= 0 {
            true => Self::All,
            false => Self::Error(count.min(4.0 * count.sqrt()) * 2f64.powi(-1 - fraction_bits)),
        }
    }

    /// With noise of that size besides.
    pub fn with(self, noise: f64) -> Self {
        match self {
            _ if noise == 0.0 => self,
            Self::All => Self::Error(noise),
            Self::Error(error) => Self::Error(error + noise),
        }
    }

    /// Of a mean: the errors of its numbers may all be alike.
    pub fn of_mean(fraction_bits: i32) -> Self {
        Self::of_sum(fraction_bits, 1.0)
    }

    /// The number with the decimals that are sure, of which the last may be off by one.
    pub fn shown(self, value: f64) -> f64 {
        let Self::Error(error) = self else { return value };
        let decimals = (-(2.0 * error).log10()).floor().clamp(0.0, 15.0) as usize;
        format!("{value:.decimals$}").parse().unwrap_or(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_come_back() {
        let binary = |x: f64| (x * 65536.0).round() / 65536.0;
        assert_eq!(binary(29.32), 29.32000732421875);
        let mut state = 1u64;
        for _ in 0..10_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let cents = (state >> 40) as f64 - 8e6;
            assert_eq!(Digits::of_number(16).shown(binary(cents / 100.0)), cents / 100.0);
        }
        let sum: f64 = (0..400).map(|_| binary(29.32)).sum();
        assert_eq!(Digits::of_sum(16, 400.0).shown(sum), 11728.0);
        assert_eq!(Digits::of_mean(16).shown(sum / 400.0), 29.32);
    }

    #[test]
    fn what_is_exact_is_not_changed() {
        assert_eq!(Digits::of_number(8).shown(0.00390625), 0.00390625);
        assert_eq!(Digits::of_sum(0, 1e9).shown(123456789.0), 123456789.0);
        assert_eq!(Digits::of_mean(8).shown(1.0 / 3.0), 1.0 / 3.0);
        assert_eq!(Digits::of_sum(0, 10.0).with(25.0).shown(123.4), 123.0);
    }
}

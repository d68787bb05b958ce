//! How many digits of a result are shown: those that its numbers have, and none of the rest that comes from binary digits.

/// Numbers with no more bits after the point are shown as they are.
const EXACT: u32 = 8;

/// How exact a number is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Digits {
    All,
    /// A multiple of `2^-n`: the shortest decimal that is nearer to it than to any other.
    Multiple(i32),
    /// It may be off by so much.
    Error(f64),
}

impl Digits {
    /// Of one number with so many bits after the point.
    pub fn of_number(fraction_bits: u32) -> Self {
        if fraction_bits <= EXACT { Self::All } else { Self::Multiple(fraction_bits as i32) }
    }

    /// Of a sum of so many with these bits after the point, of which the last `cut` were rounded away. Errors may all be
    /// alike, as those of equal prices are.
    pub fn of_sum(fraction_bits: u32, cut: u32, count: f64) -> Self {
        match Self::step(fraction_bits, cut) {
            0.0 => Self::All,
            step => Self::Error(count * step / 2.0),
        }
    }

    /// Between numbers with these bits after the point, of which the last `cut` were rounded away; 0 for numbers that are
    /// shown as they are.
    pub fn step(fraction_bits: u32, cut: u32) -> f64 {
        match cut == 0 && fraction_bits <= EXACT {
            true => 0.0,
            false => 2f64.powi(cut as i32 - fraction_bits as i32),
        }
    }

    /// With noise of that size besides.
    pub fn with(self, noise: f64) -> Self {
        match self {
            _ if noise == 0.0 => self,
            Self::All => Self::Error(noise),
            Self::Multiple(bits) => Self::Error(half(bits) + noise),
            Self::Error(error) => Self::Error(error + noise),
        }
    }

    /// Of a mean: the errors of its numbers may all be alike.
    pub fn of_mean(fraction_bits: u32, cut: u32) -> Self {
        Self::of_sum(fraction_bits, cut, 1.0)
    }

    /// The number with the decimals that say it, or of one that may be off with those that are sure, of which the last
    /// may be off by one.
    pub fn shown(self, value: f64) -> f64 {
        let to = |decimals: i32| {
            let scale = 10f64.powi(decimals);
            // Of whole numbers that are exact: the decimal itself.
            Some(value * scale)
                .filter(|scaled| scaled.abs() < 2f64.powi(53))
                .map(|scaled| scaled.round() / scale + 0.0)
        };
        let found = match self {
            Self::All => None,
            _ if !value.is_finite() || value.fract() == 0.0 => None,
            Self::Multiple(bits) => {
                (0..=15).map_while(to).find(|decimal| (decimal - value).abs() < half(bits))
            }
            Self::Error(error) => to((-(2.0 * error).log10()).floor().clamp(0.0, 15.0) as i32),
        };
        found.unwrap_or(value)
    }
}

/// Half a step of `2^-bits`.
fn half(bits: i32) -> f64 {
    2f64.powi(-1 - bits)
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
        assert_eq!(Digits::of_sum(16, 0, 400.0).shown(sum), 11728.0);
        assert_eq!(Digits::of_mean(16, 0).shown(sum / 400.0), 29.32);
    }

    /// What is shown is read as the same multiple, and no shorter decimal is.
    #[test]
    fn the_shortest_decimal_says_the_multiple() {
        let mut state = 7u64;
        for round in 0..100_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let bits = 9 + (round % 24) as u32;
            // With no more digits than a floating-point number has.
            let word = (state >> 24) as i64 >> (round % 40) as u32;
            let word = if round % 2 == 0 { word } else { -word };
            let scale = 2f64.powi(bits as i32);
            let shown = Digits::of_number(bits).shown(word as f64 / scale);
            assert_eq!((shown * scale).round() as i64, word, "{word} of 2^-{bits}: {shown}");
            let text = format!("{shown}");
            if let Some((_, decimals)) = text.split_once('.') {
                let less = decimals.len() - 1;
                let shorter: f64 = format!("{:.less$}", word as f64 / scale).parse().unwrap();
                assert_ne!(
                    (shorter * scale).round() as i64,
                    word,
                    "{word} of 2^-{bits}: {shown}, not {shorter}"
                );
            }
        }
        let of = |bits: i32, value: f64| {
            Digits::of_number(bits as u32).shown((value * 2f64.powi(bits)).round() / 2f64.powi(bits))
        };
        assert_eq!([of(16, 0.3), of(24, -0.3), of(32, 0.1 + 0.2)], [0.3, -0.3, 0.3]);
        assert_eq!(of(16, 1.0 / 3.0).to_string(), "0.33333");
        assert!(Digits::of_number(16).shown(f64::NAN).is_nan());
    }

    #[test]
    fn what_is_exact_is_not_changed() {
        assert_eq!(Digits::of_number(8).shown(0.00390625), 0.00390625);
        assert_eq!(Digits::of_sum(0, 0, 1e9).shown(123456789.0), 123456789.0);
        assert_eq!(Digits::of_mean(8, 0).shown(1.0 / 3.0), 1.0 / 3.0);
        assert_eq!(Digits::of_sum(0, 0, 10.0).with(25.0).shown(123.4), 123.0);
        // Bits that were rounded away leave fewer digits, however few are left.
        assert_eq!(Digits::of_mean(16, 9).shown(2.123456), 2.12);
    }
}

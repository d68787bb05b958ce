//! Values of ports as people write them.

use crate::{
    error::{Error, Result},
    port::Kind,
};

/// Bits of the widest number in decimal digits.
const DECIMAL: u32 = 128;

impl Kind {
    /// The words of 64 bits, lowest first, of a value as it is written: numbers in decimal digits up to 128 bits, or as
    /// `0x` and hexadecimal digits; bits in as many hexadecimal digits as they have; floating-point numbers as usual, with
    /// `inf` and `nan`, rounded to nearest.
    ///
    /// # Errors
    /// [`Error::Circuit`] for what is no such value, with what would be.
    ///
    /// ```
    /// # use logic::Kind;
    /// assert_eq!(Kind::Signed(8).parse_value("-1")?, [0xff]);
    /// assert_eq!(Kind::Bits(8).parse_value("0f")?, [0x0f]);
    /// assert!(Kind::Unsigned(8).parse_value("256").is_err());
    /// # Ok::<(), logic::Error>(())
    /// ```
    pub fn parse_value(self, text: &str) -> Result<Vec<u64>> {
        let words = match self {
            Self::Bits(bits) => {
                let digits = text.strip_prefix("0x").unwrap_or(text);
                hexadecimal(digits, bits).filter(|_| digits.len() == bits.div_ceil(4) as usize)
            }
            Self::Float32 => {
                let number = |text: &str| text.parse::<f32>().ok().filter(|x| x.is_finite() || is_word(text));
                float(text, |text| number(text).map(|x| u64::from(x.to_bits())), 32)
            }
            Self::Float64 => {
                let number = |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite() || is_word(text));
                float(text, |text| number(text).map(f64::to_bits), 64)
            }
            Self::Unsigned(1) if matches!(text, "true" | "false") => Some(vec![u64::from(text == "true")]),
            Self::Unsigned(bits) | Self::Signed(bits) => match text.strip_prefix("0x") {
                Some(digits) => hexadecimal(digits, bits),
                None => self.decimal(text),
            },
        };
        words.ok_or_else(|| Error::Circuit(format!("{text:?} is not {}", self.accepted())))
    }

    /// A value as [`parse_value`](Self::parse_value) takes it.
    ///
    /// # Panics
    /// Unless there are as many words as it has.
    pub fn print_value(self, words: &[u64]) -> String {
        let bits = self.bits();
        assert_eq!(words.len(), bits.div_ceil(64) as usize, "words of a value");
        let low = |at: usize| words.get(at).copied().unwrap_or(0);
        let number = u128::from(low(1)) << 64 | u128::from(low(0));
        let unused = DECIMAL.saturating_sub(bits);
        match self {
            Self::Float32 => f32::from_bits(low(0) as u32).to_string(),
            Self::Float64 => f64::from_bits(low(0)).to_string(),
            Self::Unsigned(..=DECIMAL) => (number << unused >> unused).to_string(),
            Self::Signed(..=DECIMAL) => ((number << unused) as i128 >> unused).to_string(),
            _ => {
                let prefix = if matches!(self, Self::Bits(_)) { "" } else { "0x" };
                let digit = |at: u32| words[at as usize / 16] >> (4 * (at % 16)) & 15;
                let digit = |at| digit(at) & if bits - 4 * at < 4 { (1 << (bits - 4 * at)) - 1 } else { 15 };
                let digits =
                    (0..bits.div_ceil(4)).rev().map(|at| char::from(b"0123456789abcdef"[digit(at) as usize]));
                prefix.chars().chain(digits).collect()
            }
        }
    }

    /// What its values are, in words.
    pub fn accepted(self) -> String {
        match self {
            Self::Bits(bits) => format!("{bits} bits: {} hexadecimal digits", bits.div_ceil(4)),
            Self::Unsigned(1) => "0, 1, false or true".into(),
            Self::Unsigned(bits @ ..DECIMAL) => format!("a number from 0 to {}", (1u128 << bits) - 1),
            Self::Unsigned(DECIMAL) => format!("a number from 0 to {}", u128::MAX),
            Self::Signed(bits @ ..=DECIMAL) => {
                let least = i128::MIN >> (DECIMAL - bits);
                format!("a number from {least} to {}", !least)
            }
            Self::Unsigned(bits) | Self::Signed(bits) => {
                format!("a number of {bits} bits: 0x and hexadecimal digits")
            }
            Self::Float32 | Self::Float64 => format!("a floating-point number of {} bits", self.bits()),
        }
    }

    fn decimal(self, text: &str) -> Option<Vec<u64>> {
        let bits = self.bits();
        if bits > DECIMAL {
            return None;
        }
        let number = match self {
            Self::Signed(_) => {
                let least = i128::MIN >> (DECIMAL - bits);
                let number: i128 = text.parse().ok()?;
                let mask = u128::MAX >> (DECIMAL - bits);
                (least..=!least).contains(&number).then_some(number as u128 & mask)?
            }
            _ => text.parse::<u128>().ok().filter(|number| *number <= u128::MAX >> (DECIMAL - bits))?,
        };
        let words = [number as u64, (number >> 64) as u64];
        Some(words[..bits.div_ceil(64) as usize].to_vec())
    }
}

/// The words of hexadecimal digits, the last one lowest, of at most so many bits.
fn hexadecimal(digits: &str, bits: u32) -> Option<Vec<u64>> {
    let mut words = vec![0u64; bits.div_ceil(64) as usize];
    if digits.is_empty() {
        return None;
    }
    for (at, digit) in digits.bytes().rev().enumerate() {
        let digit = u64::from(char::from(digit).to_digit(16)?);
        let left = bits.saturating_sub(4 * at as u32);
        if left < 4 && digit >> left != 0 {
            return None;
        }
        if digit != 0 {
            words[at / 16] |= digit << (4 * (at % 16));
        }
    }
    Some(words)
}

/// Whether a number is written without digits: `inf`. With digits one of that size is too large.
fn is_word(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_digit())
}

/// A number, or its bits.
fn float(text: &str, parse: impl Fn(&str) -> Option<u64>, bits: u32) -> Option<Vec<u64>> {
    match text.strip_prefix("0x") {
        Some(digits) => hexadecimal(digits, bits),
        None => parse(text).map(|word| vec![word]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_a_format_are_refused() {
        for (kind, large, fits) in
            [(Kind::Float32, "3.5e38", "3.4e38"), (Kind::Float64, "1.8e308", "1.7e308")]
        {
            for text in [large, "-1e999"] {
                assert!(kind.parse_value(text).is_err(), "{kind}: {text}");
            }
            for text in [fits, "inf", "-inf", "nan", "1e-999", "infinity"] {
                assert!(kind.parse_value(text).is_ok(), "{kind}: {text}");
            }
        }
    }

    #[test]
    fn values_are_read_as_they_are_printed() {
        let mut word = 0x1234_5678_9abc_def0u64;
        let mut next = || {
            word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            word ^ word >> 29
        };
        let mut kinds = vec![Kind::Float32, Kind::Float64];
        for bits in (1..=70).chain([127, 128, 129, 200, 512]) {
            kinds.extend([Kind::Bits(bits), Kind::Unsigned(bits), Kind::Signed(bits)]);
        }
        for kind in kinds {
            for _ in 0..50 {
                let mut words: Vec<u64> = (0..kind.bits().div_ceil(64)).map(|_| next()).collect();
                if !kind.bits().is_multiple_of(64) {
                    *words.last_mut().unwrap() &= u64::MAX >> (64 - kind.bits() % 64);
                }
                let text = kind.print_value(&words);
                if text != "NaN" {
                    assert_eq!(kind.parse_value(&text).unwrap(), words, "{kind} {text}");
                }
            }
        }
    }

    #[test]
    fn ends_of_ranges() {
        let right = |kind: Kind, text: &str, word: u64| assert_eq!(kind.parse_value(text).unwrap()[0], word);
        right(Kind::Signed(8), "-128", 0x80);
        right(Kind::Signed(8), "127", 0x7f);
        right(Kind::Unsigned(64), "18446744073709551615", u64::MAX);
        right(Kind::Float32, "1e-45", 1);
        right(Kind::Float32, "-inf", 0xff80_0000);
        right(Kind::Float32, "0x7fc00000", 0x7fc0_0000);
        right(Kind::Bits(3), "7", 7);
        let wrong = [
            (Kind::Signed(8), "128"),
            (Kind::Signed(8), "-129"),
            (Kind::Signed(1), "1"),
            (Kind::Unsigned(8), "-1"),
            (Kind::Unsigned(8), "0x100"),
            (Kind::Unsigned(8), "1.0"),
            (Kind::Unsigned(8), ""),
            (Kind::Unsigned(8), "0x"),
            (Kind::Unsigned(129), "1"),
            (Kind::Bits(8), "f"),
            (Kind::Bits(8), "0ff"),
            (Kind::Bits(3), "8"),
            (Kind::Float32, "one"),
        ];
        for (kind, text) in wrong {
            assert!(kind.parse_value(text).is_err(), "{kind} {text}");
        }
    }
}

//! The columns of values, and rows as bits.

use serde::{Deserialize, Serialize};

use super::{
    date::{DAYS, date_of},
    field::{Field, MOST_DIGITS},
};
use crate::ids::DateOrder;

/// A column of values. Public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// Its name at the owner.
    pub name: String,
    /// What its cells are.
    pub kind: ValueKind,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ValueKind {
    /// Numbers: whole multiples of a unit, in two's complement of so many bits, 2 to 64.
    Number {
        /// The unit.
        scale: Scale,
        /// Bits of a number.
        bits: u32,
    },
    /// Text of up to so many bytes, without white space around it.
    Text {
        /// Most bytes.
        bytes: u32,
    },
    /// A date.
    Date,
}

/// The unit of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Scale {
    /// `10^-n`: numbers with n digits behind the point, exactly; 0 for whole ones.
    Decimal(u32),
    /// `2^-n`: numbers are rounded to that.
    Binary(u32),
}

/// A value as it was looked up.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A whole multiple of the unit.
    Number(i64, Scale),
    /// Text.
    Text(String),
    /// Days since 1970-01-01.
    Date(i64),
}

/// Bits of a date.
const DATE_BITS: u32 = 23;

/// Most bytes of a text.
const MOST_BYTES: u32 = 1 << 15;

impl ValueKind {
    /// Bits of a value.
    pub fn bits(self) -> u32 {
        match self {
            Self::Number { bits, .. } => bits,
            Self::Text { bytes } => 8 * bytes,
            Self::Date => DATE_BITS,
        }
    }

    /// `Ok(())` if there are such values.
    pub fn check(self) -> Result<(), String> {
        let fine = match self {
            Self::Number { scale: Scale::Decimal(digits), bits } => {
                digits <= MOST_DIGITS && (2..=64).contains(&bits)
            }
            Self::Number { scale: Scale::Binary(fraction), bits } => {
                fraction <= 32 && (2..=64).contains(&bits)
            }
            Self::Text { bytes } => (1..=MOST_BYTES).contains(&bytes),
            Self::Date => true,
        };
        if fine { Ok(()) } else { Err(format!("values {self:?}")) }
    }

    /// Writes a cell to `row` from bit `at` on, where there are zeros.
    ///
    /// # Errors
    /// Why there is no such value, to be read after "it".
    pub fn write(
        self,
        field: &Field<'_>,
        order: DateOrder,
        row: &mut [u64],
        at: usize,
    ) -> Result<(), String> {
        match self {
            Self::Number { scale, bits } => put(row, at, scale.read(field, bits)? as u64, bits),
            Self::Date => {
                let days = field.days(order)?;
                if !(DAYS[0]..=DAYS[1]).contains(&days) {
                    return Err("is no date of the years 1 to 9999".into());
                }
                put(row, at, days as u64, DATE_BITS);
            }
            Self::Text { bytes } => {
                let text = field.text()?;
                if text.len() > bytes as usize {
                    return Err(format!("has {} bytes; accepted: up to {bytes}", text.len()));
                }
                if text.contains('\0') {
                    return Err("has a character 0".into());
                }
                text.bytes().enumerate().for_each(|(i, byte)| put(row, at + 8 * i, byte.into(), 8));
            }
        }
        Ok(())
    }

    /// The value at bit `at` of `row`.
    ///
    /// # Errors
    /// Why there is none: a row that no owner of the same program has written.
    pub fn read(self, row: &[u64], at: usize) -> Result<Cell, String> {
        Ok(match self {
            Self::Number { scale, bits } => Cell::Number(signed(get(row, at, bits), bits), scale),
            Self::Date => {
                let days = signed(get(row, at, DATE_BITS), DATE_BITS);
                let known = (DAYS[0]..=DAYS[1]).contains(&days);
                known.then_some(Cell::Date(days)).ok_or("a date beyond the year 9999")?
            }
            Self::Text { bytes } => {
                let mut text: Vec<u8> = (0..bytes as usize).map(|i| get(row, at + 8 * i, 8) as u8).collect();
                text.truncate(text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1));
                Cell::Text(String::from_utf8(text).map_err(|_| "text that is not UTF-8")?)
            }
        })
    }

    /// What it is, in words.
    pub fn words(self) -> String {
        match self {
            Self::Number { scale: Scale::Decimal(0), bits } => format!("whole numbers of {bits} bits"),
            Self::Number { scale: Scale::Decimal(digits), bits } => {
                format!("numbers of {bits} bits with {digits} digits behind the point")
            }
            Self::Number { scale: Scale::Binary(fraction), bits } => {
                format!("multiples of 2^-{fraction} of {bits} bits")
            }
            Self::Text { bytes } => format!("text of up to {bytes} bytes"),
            Self::Date => "dates".into(),
        }
    }
}

impl Scale {
    /// How many units a cell has.
    fn read(self, field: &Field<'_>, bits: u32) -> Result<i64, String> {
        let (digits, behind) = field.decimal()?;
        let units = match self {
            Self::Decimal(scale) if behind > scale => {
                let accepted = if scale == 0 { "whole numbers".into() } else { format!("up to {scale}") };
                return Err(format!("has {behind} digits behind the point; accepted: {accepted}"));
            }
            Self::Decimal(scale) => digits.checked_mul(10i128.pow(scale - behind)),
            Self::Binary(fraction) => digits.checked_mul(1 << fraction).map(|units| {
                let unit = 10i128.pow(behind);
                // Nearest, ties away from zero.
                let (units, rest) = (units / unit, units % unit);
                units + i128::from(2 * rest.abs() >= unit) * digits.signum()
            }),
        };
        let most = i64::MAX >> (64 - bits);
        let units = units.and_then(|units| i64::try_from(units).ok());
        units.filter(|units| (!most..=most).contains(units)).ok_or_else(|| {
            let [least, most] = [!most, most].map(|units| Cell::Number(units, self).to_string());
            format!("is outside {least} to {most}, what {bits} bits hold")
        })
    }

    /// Units in one.
    pub fn unit(self) -> f64 {
        match self {
            Self::Decimal(digits) => 10f64.powi(-(digits as i32)),
            Self::Binary(fraction) => 2f64.powi(-(fraction as i32)),
        }
    }
}

/// As it is written in a file.
impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number, Scale::Decimal(0)) => write!(f, "{number}"),
            Self::Number(number, Scale::Decimal(digits)) => {
                let (sign, unit) = (if *number < 0 { "-" } else { "" }, 10u64.pow(*digits));
                let number = number.unsigned_abs();
                write!(f, "{sign}{}.{:02$}", number / unit, number % unit, *digits as usize)
            }
            Self::Number(number, Scale::Binary(bits)) => {
                let (sign, units) = (if *number < 0 { "-" } else { "" }, number.unsigned_abs());
                let (whole, rest) = (units >> bits, units & ((1 << bits) - 1));
                if rest == 0 {
                    return write!(f, "{sign}{whole}");
                }
                let digits = format!("{:01$}", u128::from(rest) * 5u128.pow(*bits), *bits as usize);
                write!(f, "{sign}{whole}.{}", digits.trim_end_matches('0'))
            }
            Self::Text(text) => f.write_str(text),
            Self::Date(days) => f.write_str(&date_of(*days)),
        }
    }
}

/// Writes the low bits of a word where there are zeros.
fn put(row: &mut [u64], at: usize, word: u64, bits: u32) {
    let (i, shift, word) = (at / 64, at % 64, prim::low(word, bits));
    row[i] |= word << shift;
    if shift + bits as usize > 64 {
        row[i + 1] |= word >> (64 - shift);
    }
}

/// So many bits of a row, 1 to 64.
fn get(row: &[u64], at: usize, bits: u32) -> u64 {
    let (i, shift) = (at / 64, at % 64);
    let above = if shift + bits as usize > 64 { row[i + 1] << (64 - shift) } else { 0 };
    prim::low(row[i] >> shift | above, bits)
}

/// A number in two's complement.
fn signed(word: u64, bits: u32) -> i64 {
    ((word << (64 - bits)) as i64) >> (64 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const YMD: DateOrder = DateOrder::YearMonthDay;

    fn round(kind: ValueKind, text: &str, at: usize) -> Result<String, String> {
        let mut row = vec![0; (at + kind.bits() as usize).div_ceil(64)];
        kind.write(&Field::Text(text), YMD, &mut row, at)?;
        kind.read(&row, at).map(|cell| cell.to_string())
    }

    #[test]
    fn values_come_back() {
        let number = |scale, bits| ValueKind::Number { scale, bits };
        for (kind, text, want) in [
            (number(Scale::Decimal(2), 20), "12.5", "12.50"),
            (number(Scale::Decimal(2), 20), "-0.01", "-0.01"),
            (number(Scale::Decimal(2), 20), "5242.87", "5242.87"),
            (number(Scale::Decimal(2), 20), "-5242.88", "-5242.88"),
            (number(Scale::Decimal(0), 64), "-9223372036854775808", "-9223372036854775808"),
            (number(Scale::Decimal(18), 64), "9.223372036854775807", "9.223372036854775807"),
            (number(Scale::Binary(8), 24), "0.1", "0.1015625"),
            (number(Scale::Binary(1), 24), "-0.25", "-0.5"),
            (number(Scale::Binary(1), 60), "-101696880002693705", "-101696880002693705"),
            (number(Scale::Binary(1), 60), "101696880002693705.5", "101696880002693705.5"),
            (number(Scale::Binary(32), 64), "0.0000000002", "0.00000000023283064365386962890625"),
            (number(Scale::Binary(0), 64), "-9223372036854775808", "-9223372036854775808"),
            (ValueKind::Text { bytes: 9 }, "caf\u{e9} bar", "caf\u{e9} bar"),
            (ValueKind::Text { bytes: 3 }, "", ""),
            (ValueKind::Date, "2024-02-29", "2024-02-29"),
            (ValueKind::Date, "0001-01-01", "0001-01-01"),
        ] {
            kind.check().unwrap();
            for at in [0, 1, 41, 63, 64, 100] {
                assert_eq!(round(kind, text, at).as_deref(), Ok(want), "{kind:?} at {at}");
            }
        }
    }

    #[test]
    fn values_that_cannot_be() {
        let number = |scale, bits| ValueKind::Number { scale, bits };
        for (kind, text, want) in [
            (number(Scale::Decimal(2), 20), "5242.88", "outside -5242.88 to 5242.87"),
            (number(Scale::Decimal(2), 20), "0.125", "3 digits behind the point; accepted: up to 2"),
            (number(Scale::Decimal(0), 20), "0.5", "accepted: whole numbers"),
            (number(Scale::Decimal(18), 64), "10", "outside"),
            (number(Scale::Binary(32), 64), "2147483648", "outside"),
            (number(Scale::Decimal(0), 20), "x", "is not a number"),
            (number(Scale::Decimal(0), 20), "", "is missing"),
            (ValueKind::Text { bytes: 3 }, "four", "has 4 bytes; accepted: up to 3"),
            (ValueKind::Text { bytes: 3 }, "a\0b", "character 0"),
            (ValueKind::Date, "2023-02-30", "no such day"),
        ] {
            let got = round(kind, text, 5).unwrap_err();
            assert!(got.contains(want), "{text}: {got}");
        }
        assert!(ValueKind::Text { bytes: 2 }.read(&[0xffff], 0).is_err());
        assert!(ValueKind::Date.read(&[0x3f_ffff], 0).is_err());
        assert!(
            number(Scale::Decimal(19), 20).check().is_err() && number(Scale::Decimal(0), 1).check().is_err()
        );
        assert!(
            number(Scale::Binary(33), 20).check().is_err() && ValueKind::Text { bytes: 0 }.check().is_err()
        );
    }
}

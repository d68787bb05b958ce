//! What stands in a cell of a file, whatever its format.

use zeroize::Zeroizing;

use super::date::days_of;
use crate::ids::DateOrder;

/// What stands in a cell.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Field<'a> {
    /// Text, as it is written; numbers in it have a point.
    Text(&'a str),
    /// The same where numbers have a comma.
    Comma(&'a str),
    /// A whole number.
    Whole(i128),
    /// A floating-point number.
    Float(f64),
    /// `digits / 10^scale`.
    Decimal {
        /// The number without its point.
        digits: i128,
        /// Digits behind the point.
        scale: i32,
    },
    /// Days since 1970-01-01.
    Date(i64),
    /// Nothing.
    Missing,
}

/// Most digits behind a point.
pub const MOST_DIGITS: u32 = 18;

impl Field<'_> {
    /// The exact number, as digits and how many of them stand behind the point, no trailing zeros among these.
    pub fn decimal(&self) -> Result<(i128, u32), String> {
        const NONE: &str = "is not a number";
        let (digits, scale) = match *self {
            Self::Whole(number) => (number, 0),
            Self::Decimal { digits, scale } => (digits, scale),
            Self::Float(number) if number.is_finite() => {
                return read(&Zeroizing::new(number.to_string())).ok_or_else(|| NONE.into());
            }
            Self::Text(text) | Self::Comma(text) if text.trim().is_empty() => {
                return Err("is missing: every row needs a number there".into());
            }
            Self::Text(text) => return read(text.trim()).ok_or_else(|| NONE.into()),
            Self::Comma(text) if text.contains('.') => return Err(NONE.into()),
            Self::Comma(text) => {
                let text = Zeroizing::new(text.trim().replacen(',', ".", 1));
                return read(&text).ok_or_else(|| NONE.into());
            }
            Self::Missing => return Err("is missing: every row needs a number there".into()),
            Self::Float(_) | Self::Date(_) => return Err(NONE.into()),
        };
        shortened(digits, scale).ok_or_else(|| "has too many digits".into())
    }

    /// The whole number.
    pub fn whole(&self) -> Result<i128, String> {
        match self.decimal()? {
            (number, 0) => Ok(number),
            _ => Err("is not a whole number".into()),
        }
    }

    /// Days since 1970-01-01.
    pub fn days(&self, order: DateOrder) -> Result<i64, String> {
        match self {
            Self::Date(days) => Ok(*days),
            Self::Text(text) | Self::Comma(text) => days_of(text, order),
            Self::Missing => Err("is missing: every row needs a date there".into()),
            _ => Err("is not a date".into()),
        }
    }

    /// Its text without white space around it: of whole numbers their digits, of dates the year first.
    pub fn text(&self) -> Result<Zeroizing<String>, String> {
        self.written().map(|text| Zeroizing::new(text.trim().to_owned()))
    }

    /// The same with it.
    pub fn written(&self) -> Result<Zeroizing<String>, String> {
        Ok(Zeroizing::new(match self {
            Self::Text(text) | Self::Comma(text) => (*text).to_owned(),
            Self::Whole(number) => number.to_string(),
            Self::Decimal { digits, scale: 0 } => digits.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Decimal { digits, scale } => format!("{digits}e{}", -i64::from(*scale)),
            Self::Date(days) => super::date::date_of(*days),
            Self::Missing => String::new(),
        }))
    }
}

/// `-12.50` and the like, and `1e-3`, exactly.
fn read(text: &str) -> Option<(i128, u32)> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, number) = match number.as_bytes().first()? {
        b'-' => (true, &number[1..]),
        b'+' => (false, &number[1..]),
        _ => (false, number),
    };
    let (before, behind) = number.split_once('.').unwrap_or((number, ""));
    if before.is_empty() && behind.is_empty() {
        return None;
    }
    let mut digits = 0i128;
    for byte in before.bytes().chain(behind.bytes()) {
        let digit = byte.is_ascii_digit().then(|| i128::from(byte - b'0'))?;
        digits = digits.checked_mul(10)?.checked_add(digit)?;
    }
    let scale = i32::try_from(behind.len()).ok()?.checked_sub(exponent)?;
    shortened(if negative { -digits } else { digits }, scale)
}

/// With as few digits behind the point as there are.
fn shortened(mut digits: i128, mut scale: i32) -> Option<(i128, u32)> {
    if digits == 0 {
        return Some((0, 0));
    }
    while scale > 0 && digits % 10 == 0 {
        (digits, scale) = (digits / 10, scale - 1);
    }
    if !(-38..=MOST_DIGITS as i32).contains(&scale) {
        return None;
    }
    for _ in scale..0 {
        digits = digits.checked_mul(10)?;
    }
    Some((digits, scale.max(0) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        for (text, want) in [
            ("12.50", Some((125, 1))),
            ("-0.001", Some((-1, 3))),
            ("+7", Some((7, 0))),
            (".5", Some((5, 1))),
            ("3.", Some((3, 0))),
            ("1e3", Some((1000, 0))),
            ("25E-2", Some((25, 2))),
            ("0e9", Some((0, 0))),
            ("170141183460469231731687303715884105727", Some((i128::MAX, 0))),
            ("170141183460469231731687303715884105728", None),
            ("1e-19", None),
            ("1e2147483647", None),
            ("1e39", None),
            ("", None),
            (".", None),
            ("-", None),
            ("1,5", None),
            ("0x1", None),
            ("nan", None),
        ] {
            assert_eq!(read(text), want, "{text:?}");
        }
        assert_eq!(Field::Float(0.1).decimal(), Ok((1, 1)));
        assert_eq!(Field::Decimal { digits: 1200, scale: 3 }.decimal(), Ok((12, 1)));
        assert_eq!(Field::Decimal { digits: 12, scale: -2 }.whole(), Ok(1200));
        assert!(Field::Text("1.5").whole().is_err() && Field::Float(f64::NAN).decimal().is_err());
        assert_eq!(Field::Comma("-1,50").decimal(), Ok((-15, 1)));
        assert!(Field::Comma("1.5").decimal().is_err() && Field::Comma("1,5,0").decimal().is_err());
        assert!(Field::Text(" ").decimal().unwrap_err().contains("missing"));
    }
}

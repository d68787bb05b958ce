//! A cell, whatever the format of its file.

use std::borrow::Cow;

use apps::{
    label,
    private_table::{self, Field},
};
use zeroize::Zeroizing;

use crate::dialect::{Dialect, INEXACT, is_exact};

/// What stands in a row of a column.
#[cfg_attr(not(any(feature = "parquet", feature = "arrow")), allow(dead_code, reason = "CSV has text"))]
pub enum Cell<'a> {
    Text(&'a str),
    Whole(i128),
    Float(f64),
    /// `digits / 10^scale`
    Decimal {
        digits: i128,
        scale: i32,
    },
    /// Days since 1970-01-01.
    Date(i64),
    Null,
    /// Bytes that are no text.
    Garbled,
}

const GARBLED: &str = "is not UTF-8 text";

impl<'a> Cell<'a> {
    /// The number, or what is wrong with it.
    pub fn number(&self, dialect: &Dialect) -> Result<f64, String> {
        match self {
            Self::Text(text) => dialect.number(text.trim()),
            Self::Whole(number) if !is_exact(*number) => Err(INEXACT.into()),
            Self::Whole(number) => Ok(*number as f64),
            Self::Float(number) if number.is_finite() => Ok(*number),
            Self::Float(_) => Err("is not a number".into()),
            // As the same digits in CSV are read.
            Self::Decimal { digits, scale } => {
                let text = Zeroizing::new(format!("{digits}e{}", -i64::from(*scale)));
                text.parse().map_err(|_| "is not a number".to_owned())
            }
            Self::Date(_) => Err("is a date, not a number".into()),
            Self::Null => Err("is missing: every row needs a number there".into()),
            Self::Garbled => Err(GARBLED.into()),
        }
    }

    /// Whether nothing stands in it, or what stands for nothing.
    pub fn is_missing(&self, dialect: &Dialect) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => dialect.is_missing(text.trim()),
            _ => false,
        }
    }

    /// The name of a row, or why it is none.
    pub fn id(&self) -> Result<Cow<'_, str>, String> {
        match self {
            Self::Text(text) => Ok(text.trim().into()),
            other => other.name(),
        }
    }

    /// The same with white space around it.
    pub fn name(&self) -> Result<Cow<'_, str>, String> {
        match self {
            Self::Text(text) => Ok((*text).into()),
            Self::Whole(number) => Ok(number.to_string().into()),
            Self::Decimal { digits, scale: 0 } => Ok(digits.to_string().into()),
            Self::Date(days) => Ok(private_table::date_of(*days).into()),
            Self::Float(_) | Self::Decimal { .. } => Err("is no id: ids are text or whole numbers".into()),
            Self::Null => Err("is missing: every row needs an id".into()),
            Self::Garbled => Err(GARBLED.into()),
        }
    }

    /// As text, so that it can be written again; nothing for what is missing.
    pub fn text(&self) -> Result<Cow<'_, str>, String> {
        match self {
            Self::Null => Ok("".into()),
            Self::Float(number) => Ok(number.to_string().into()),
            Self::Decimal { digits, scale } if *scale != 0 => {
                Ok(format!("{digits}e{}", -i64::from(*scale)).into())
            }
            other => other.name(),
        }
    }

    /// The label that it is, in the form in which labels are equal; nothing where it is missing or blank.
    pub fn label(&self, dialect: &Dialect) -> Result<Zeroizing<String>, String> {
        if let (Self::Text(text), ',') = (self, dialect.decimal) {
            let point = Zeroizing::new(text.trim().replacen(',', ".", 1));
            if label::is_number(&point) {
                return Ok(label::form(&point));
            }
        }
        self.text().map(|text| label::form(&text))
    }

    /// As private tables read it, or what is wrong with it.
    pub fn field(self, dialect: &Dialect) -> Result<Field<'a>, String> {
        Ok(match self {
            Self::Text(text) if dialect.na.iter().any(|na| na.trim() == text.trim()) => Field::Missing,
            Self::Text(text) if dialect.decimal == ',' => Field::Comma(text),
            Self::Text(text) => Field::Text(text),
            Self::Whole(number) => Field::Whole(number),
            Self::Float(number) => Field::Float(number),
            Self::Decimal { digits, scale } => Field::Decimal { digits, scale },
            Self::Date(days) => Field::Date(days),
            Self::Null => Field::Missing,
            Self::Garbled => return Err(GARBLED.into()),
        })
    }

    /// As a complaint shows it.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => quoted(text.trim()),
            Self::Whole(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Date(days) => private_table::date_of(*days),
            Self::Decimal { digits, scale: 0 } => digits.to_string(),
            Self::Decimal { digits, scale } => format!("{digits}e{}", -i64::from(*scale)),
            Self::Null => "null".into(),
            Self::Garbled => "text".into(),
        }
    }
}

/// How many characters a complaint shows of a text.
const CHARACTERS: usize = 60;

/// The beginning of a text: one may be as long as the file.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}...", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_what_their_digits_are() {
        let dialect = Dialect { decimal: ',', ..Dialect::default() };
        for (digits, scale, want) in [
            (12345, 2, 123.45),
            (-1, 3, -0.001),
            (3, 0, 3.0),
            (3, -2, 300.0),
            (1, 38, 1e-38),
            (i128::MAX, 0, 2f64.powi(127)),
        ] {
            assert_eq!(Cell::Decimal { digits, scale }.number(&dialect), Ok(want), "{digits} {scale}");
        }
        assert_eq!(Cell::Decimal { digits: 7, scale: 0 }.id().unwrap(), "7");
        assert!(Cell::Decimal { digits: 7, scale: 1 }.id().is_err());
    }

    #[test]
    fn what_is_no_number_and_no_id() {
        let dialect = Dialect::default();
        for (cell, number, id) in [
            (Cell::Null, "missing", "missing"),
            (Cell::Garbled, "UTF-8", "UTF-8"),
            (Cell::Float(f64::NAN), "not a number", "ids are text"),
            (Cell::Float(f64::INFINITY), "not a number", "ids are text"),
            (Cell::Text(" x "), "not a number", ""),
        ] {
            assert!(cell.number(&dialect).unwrap_err().contains(number));
            assert!(id.is_empty() || cell.id().unwrap_err().contains(id));
        }
        assert_eq!(Cell::Text(" 1.5 ").number(&dialect), Ok(1.5));
        assert_eq!(Cell::Text(" x ").id().unwrap(), "x");
        assert_eq!(Cell::Whole(-3).id().unwrap(), "-3");
    }
}

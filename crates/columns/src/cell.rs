//! A cell, whatever the format of its file.

use std::{
    borrow::Cow,
    fmt::{self, Write},
};

use apps::{
    label,
    private_table::{self, Field},
};
use zeroize::Zeroizing;

use crate::{
    dialect::{Dialect, MISSING},
    notation::{INEXACT, digits, is_exact},
    standing::Standing,
};

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
    Time(Time),
    Flag(bool),
    Null,
    /// Bytes that are no text.
    Garbled,
}

/// A point in time: a day, and nanoseconds within it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    pub day: i64,
    pub nanoseconds: u64,
    /// Whether it is one everywhere, and not by the clocks of an unnamed place.
    pub utc: bool,
}

impl Time {
    /// That so many units of a second, as many as `per_second`, after 1970 began.
    pub fn of(units: i64, per_second: i64, utc: bool) -> Self {
        let per_day = 86_400 * i128::from(per_second);
        let (day, rest) = (i128::from(units).div_euclid(per_day), i128::from(units).rem_euclid(per_day));
        Self { day: day as i64, nanoseconds: (rest * (1_000_000_000 / i128::from(per_second))) as u64, utc }
    }
}

/// As ISO 8601 has it. At midnight it is its day, as rules for ids and tables of dates have it.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&private_table::date_of(self.day))?;
        let (seconds, rest) = (self.nanoseconds / 1_000_000_000, self.nanoseconds % 1_000_000_000);
        if self.nanoseconds > 0 {
            write!(f, "T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
            if rest > 0 {
                write!(f, ".{}", format!("{rest:09}").trim_end_matches('0'))?;
            }
            f.write_str(if self.utc { "Z" } else { "" })?;
        }
        Ok(())
    }
}

const GARBLED: &str = "is not UTF-8 text";

impl<'a> Cell<'a> {
    /// The number, or what is wrong with it.
    pub fn number(&self, dialect: &Dialect) -> Result<f64, String> {
        if self.is_missing(dialect) {
            return Err(MISSING.into());
        }
        match self {
            Self::Text(text) => dialect.number(text.trim()),
            Self::Whole(number) if !is_exact(*number) => Err(INEXACT.into()),
            Self::Whole(number) => Ok(*number as f64),
            Self::Float(number) if number.is_finite() => Ok(*number),
            Self::Float(_) => Err("is not a number".into()),
            Self::Flag(flag) => Ok(f64::from(u8::from(*flag))),
            // As the same digits in CSV are read.
            Self::Decimal { .. } => self.decimal().ok_or_else(|| "is not a number".to_owned()),
            Self::Date(_) => Err("is a date, not a number".into()),
            Self::Time(_) => Err("is a time, not a number".into()),
            Self::Null => Err(MISSING.into()),
            Self::Garbled => Err(GARBLED.into()),
        }
    }

    /// The number of a decimal one.
    fn decimal(&self) -> Option<f64> {
        let Self::Decimal { digits, scale } = self else { return None };
        // Room for all of it: what grows leaves copies behind.
        let mut text = Zeroizing::new(String::with_capacity(64));
        write!(text, "{digits}e{}", -i64::from(*scale)).ok()?;
        text.parse().ok()
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
            Self::Time(time) => Ok(time.to_string().into()),
            Self::Float(_) | Self::Decimal { .. } | Self::Flag(_) => {
                Err("is no id: ids are text or whole numbers".into())
            }
            Self::Null => Err("is missing: every row needs an id".into()),
            Self::Garbled => Err(GARBLED.into()),
        }
    }

    /// As text, so that it can be written again; nothing for what is missing.
    pub fn text(&self) -> Result<Cow<'_, str>, String> {
        match self {
            Self::Null => Ok("".into()),
            Self::Float(number) => Ok(number.to_string().into()),
            Self::Flag(flag) => Ok(if *flag { "true" } else { "false" }.into()),
            Self::Decimal { digits, scale } if *scale != 0 => Ok(plainly(*digits, *scale).into()),
            other => other.name(),
        }
    }

    /// The label that it is, in the form in which labels are equal; nothing where it is missing or blank.
    pub fn label(&self, dialect: &Dialect) -> Result<Zeroizing<String>, String> {
        if let Self::Text(text) = self {
            let plain = dialect.notation().plain(text.trim()).filter(|plain| label::is_number(plain));
            return Ok(label::form(plain.as_deref().unwrap_or(text)));
        }
        self.text().map(|text| label::form(&text))
    }

    /// The cell in this column, or if it is missing what stands for it.
    pub fn or_standing<'c>(self, dialect: &'c Dialect, column: &str) -> Cell<'c>
    where
        'a: 'c,
    {
        if dialect.na_as.is_empty() || !self.is_missing(dialect) {
            return self;
        }
        match Standing::of(&dialect.na_as, column) {
            None => self,
            // It has a point, however the file's numbers are written.
            Some(value) => match (label::is_number(value), value.parse(), value.parse()) {
                (true, Ok(whole), _) => Cell::Whole(whole),
                (true, _, Ok(number)) => Cell::Float(number),
                _ => Cell::Text(value),
            },
        }
    }

    /// Whether nothing stands there, or what stands for nothing.
    pub fn is_missing(&self, dialect: &Dialect) -> bool {
        let named = |is: &dyn Fn(f64) -> bool| dialect.na.iter().any(|na| na.trim().parse().is_ok_and(is));
        match self {
            Self::Null => true,
            Self::Text(text) => dialect.is_missing(text.trim()),
            Self::Float(number) => number.is_nan() || named(&|na| na == *number),
            Self::Whole(number) => named(&|na| na == *number as f64),
            Self::Decimal { .. } => self.decimal().is_some_and(|number| named(&|na| na == number)),
            _ => false,
        }
    }

    /// As private tables read it, or what is wrong with it.
    pub fn field(self, dialect: &Dialect) -> Result<Field<'a>, String> {
        Ok(match self {
            Self::Text(text) if !text.trim().is_empty() && dialect.is_missing(text.trim()) => Field::Missing,
            Self::Text(text) => {
                match dialect.doubtful.then(|| dialect.notation().doubt(text.trim())).flatten() {
                    Some(doubt) => return Err(doubt),
                    None => written(text, dialect),
                }
            }
            other if other.is_missing(dialect) => Field::Missing,
            Self::Whole(number) => Field::Whole(number),
            Self::Float(number) => Field::Float(number),
            Self::Decimal { digits, scale } => Field::Decimal { digits, scale },
            Self::Date(days) => Field::Date(days),
            Self::Flag(flag) => Field::Whole(flag.into()),
            Self::Time(time) if time.nanoseconds == 0 => Field::Date(time.day),
            Self::Time(_) => return Err("is a time of a day; accepted: times at midnight, as dates".into()),
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
            Self::Time(time) => time.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Decimal { digits, scale: 0 } => digits.to_string(),
            Self::Decimal { digits, scale } => plainly(*digits, *scale),
            Self::Null => "null".into(),
            Self::Garbled => "text".into(),
        }
    }
}

/// A text as private tables read it: with what stands between thousands it is the number that it is.
pub fn written<'t>(text: &'t str, dialect: &Dialect) -> Field<'t> {
    let notation = dialect.notation();
    let grouped = || {
        notation.thousands?;
        let plain = notation.plain(text.trim())?;
        (!text.contains(&*plain)).then(|| digits(&plain))?
    };
    match grouped() {
        Some((digits, scale)) => Field::Decimal { digits, scale },
        None if notation.decimal == ',' => Field::Comma(text),
        None => Field::Text(text),
    }
}

/// `digits / 10^scale`, as people write it.
fn plainly(digits: i128, scale: i32) -> String {
    let Some(behind) = usize::try_from(scale).ok().filter(|behind| *behind <= 38) else {
        return format!("{digits}e{}", -i64::from(scale));
    };
    let (sign, all) = (
        if digits < 0 { "-" } else { "" },
        Zeroizing::new(format!("{:0>1$}", digits.unsigned_abs(), behind + 1)),
    );
    let (whole, rest) = all.split_at(all.len() - behind);
    format!("{sign}{whole}.{rest}")
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
    use prim::{Block, Prg};

    use super::*;

    #[test]
    fn decimals_are_what_their_digits_are() {
        let dialect = Dialect { decimal: Some(','), ..Dialect::default() };
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

    /// A number that stands for nothing does so in every type that a file can have.
    #[test]
    fn what_stands_for_nothing_is_missing_in_every_type() {
        let mut prg = Prg::new(Block(83));
        for _ in 0..2000 {
            let (digits, scale) = (prg.u64() as i64 % 100_000, prg.below(6));
            let same = format!("{digits}e-{scale}").parse::<f64>().unwrap();
            let na = if prg.below(2) == 0 { same.to_string() } else { format!("{same:.6}") };
            let dialect = Dialect { na: vec!["-".into(), na], ..Dialect::default() };
            let decimal = |digits: i64| Cell::Decimal { digits: digits.into(), scale: scale as i32 };
            assert!(decimal(digits).is_missing(&dialect), "{digits} {scale}");
            assert!(!decimal(digits + 1).is_missing(&dialect), "{digits} {scale}");
            let longer = Cell::Decimal { digits: i128::from(digits) * 1000, scale: scale as i32 + 3 };
            assert!(longer.is_missing(&dialect) && Cell::Float(same).is_missing(&dialect));
            assert_eq!(Cell::Whole(digits.into()).is_missing(&dialect), same == digits as f64);
            assert_eq!(decimal(digits).number(&dialect), Err(MISSING.into()));
            assert!(matches!(decimal(digits).field(&dialect), Ok(Field::Missing)));
        }
    }

    #[test]
    fn what_is_no_number_and_no_id() {
        let dialect = Dialect::default();
        for (cell, number, id) in [
            (Cell::Null, "missing", "missing"),
            (Cell::Garbled, "UTF-8", "UTF-8"),
            (Cell::Float(f64::NAN), "missing", "ids are text"),
            (Cell::Flag(true), "", "ids are text"),
            (Cell::Time(Time::of(-1, 1, false)), "is a time", ""),
            (Cell::Float(f64::INFINITY), "not a number", "ids are text"),
            (Cell::Text(" x "), "not a number", ""),
        ] {
            assert!(number.is_empty() || cell.number(&dialect).unwrap_err().contains(number));
            assert!(id.is_empty() || cell.id().unwrap_err().contains(id));
        }
        assert_eq!(Cell::Text(" 1.5 ").number(&dialect), Ok(1.5));
        assert_eq!(Cell::Text(" x ").id().unwrap(), "x");
        assert_eq!(Cell::Whole(-3).id().unwrap(), "-3");
    }
}

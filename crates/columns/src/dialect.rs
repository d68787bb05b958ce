//! How a party's files of columns are written: the arguments that say so, and the numbers that follow from them.

use std::path::{Path, PathBuf};

use clap::Args;
use zeroize::Zeroizing;

use crate::{encoding::Encoding, format::FileFormat};

/// How this party's files of numbers are written, and which of their rows are left out.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Files of numbers")]
pub struct Dialect {
    /// The format of this party's numbers [default: by the file's extension]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<FileFormat>,
    /// CSV: what separates cells: one character, or tab. Results and tables have commas
    #[arg(long, value_name = "CHAR", default_value = ",", value_parser = delimiter)]
    pub delimiter: u8,
    /// The decimal sign of numbers: . or ,
    #[arg(long, value_name = "CHAR", default_value = ".", value_parser = decimal)]
    pub decimal: char,
    /// A text that stands for a missing value, as an empty one does; may be given more than once
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub na: Vec<String>,
    /// CSV: the encoding of the text
    #[arg(long, value_enum, default_value = "auto")]
    pub encoding: Encoding,
    /// If rows are bad, write the ids of all of them to this file: one column, id; the format by the extension
    ///
    /// Nothing is computed then. Where rows are matched by position, both parties leave these rows out with --leave-out,
    /// and whoever gets the file sees which. In a join only this party leaves them out.
    #[arg(long, value_name = "FILE")]
    pub bad_rows: Option<PathBuf>,
    /// Leave out the rows whose ids are in the column id of this file; may be given more than once
    ///
    /// Where rows are matched by position the peer must leave out the same ones: a hash of the ids that remain is
    /// compared before any work. In a join only this party leaves them out.
    #[arg(long, value_name = "FILE")]
    pub leave_out: Vec<PathBuf>,
}

/// As standard CSV has it.
impl Default for Dialect {
    fn default() -> Self {
        Self {
            format: None,
            delimiter: b',',
            decimal: '.',
            na: Vec::new(),
            encoding: Encoding::Auto,
            bad_rows: None,
            leave_out: Vec::new(),
        }
    }
}

impl Dialect {
    /// The files that are read.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.leave_out.iter().map(PathBuf::as_path)
    }

    /// Whether a cell is empty, or a text that stands for that.
    pub fn is_missing(&self, cell: &str) -> bool {
        cell.is_empty() || self.na.iter().any(|na| na.trim() == cell)
    }

    /// The number in a cell.
    pub fn number(&self, cell: &str) -> Result<f64, String> {
        if self.is_missing(cell) {
            return Err("is missing: every row needs a number there".into());
        }
        if cell.parse::<i128>().is_ok_and(|whole| !is_exact(whole)) {
            return Err(INEXACT.into());
        }
        parse(cell, self.decimal).ok_or_else(|| {
            let other = if self.decimal == '.' { ',' } else { '.' };
            match parse(cell, other) {
                Some(number) => format!("is not a number; --decimal {other} would read {number}"),
                None => "is not a number".into(),
            }
        })
    }
}

/// Whether a floating-point number is this whole number.
pub fn is_exact(whole: i128) -> bool {
    whole as f64 as i128 == whole
}

/// What is wrong with a whole number that no floating-point number is.
pub const INEXACT: &str = "has more digits than are read exactly; accepted: whole numbers up to 2^53";

/// The finite number in a cell. Nothing groups digits: 1.234 and 1,234 would mean different numbers to different
/// people.
fn parse(cell: &str, decimal: char) -> Option<f64> {
    let number = match decimal {
        '.' => cell.parse::<f64>(),
        _ if cell.contains('.') => return None,
        _ => Zeroizing::new(cell.replacen(decimal, ".", 1)).parse(),
    };
    number.ok().filter(|v| v.is_finite())
}

/// A character that is part of no number and quotes nothing.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        &[c] if c == b'\t' || c == b' ' || c.is_ascii_punctuation() && !b"\"'+-.".contains(&c) => Ok(c),
        _ => Err("accepted: one of , ; | : or another ASCII sign that is no part of a number and no quote, \
                  or tab"
            .into()),
    }
}

fn decimal(text: &str) -> Result<char, String> {
    match text {
        "." => Ok('.'),
        "," => Ok(','),
        _ => Err("accepted: . or ,".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let comma = Dialect { decimal: ',', na: vec!["NA".into(), " -999 ".into()], ..Dialect::default() };
        for (cell, want) in
            [("1,5", 1.5), ("-0,25e1", -2.5), ("7", 7.0), (",5", 0.5), ("+3,", 3.0), ("-999,0", -999.0)]
        {
            assert_eq!(comma.number(cell), Ok(want), "{cell}");
        }
        for (cell, want) in [
            ("1.5", "is not a number; --decimal . would read 1.5"),
            ("1.234,5", "is not a number"),
            ("1,234,5", "is not a number"),
            ("-inf", "is not a number"),
            ("", "is missing"),
            ("NA", "is missing"),
            ("-999", "is missing"),
            ("na", "is not a number"),
        ] {
            let got = comma.number(cell).unwrap_err();
            assert!(got.starts_with(want), "{cell}: {got}");
        }
        let point = Dialect::default();
        assert_eq!(point.number("-999"), Ok(-999.0));
        assert_eq!(point.number("-9007199254740992"), Ok(-9007199254740992.0));
        assert!(point.number("9007199254740993").unwrap_err().contains("up to 2^53"));
        assert_eq!(point.number("1,5"), Err("is not a number; --decimal , would read 1.5".into()));
        assert_eq!(point.number("1,234,5"), Err("is not a number".into()));
        assert_eq!(point.number("1.234,5"), Err("is not a number".into()));
    }

    #[test]
    fn delimiters() {
        for (text, want) in
            [("tab", b'\t'), ("\t", b'\t'), ("\\t", b'\t'), (";", b';'), ("|", b'|'), (" ", b' ')]
        {
            assert_eq!(delimiter(text), Ok(want), "{text:?}");
        }
        for text in ["", "ab", ";;", "\"", "'", "\n", "\r", "\0", "x", "1", ".", "-", "+", "\u{a7}"] {
            assert!(delimiter(text).is_err(), "{text:?}");
        }
    }
}

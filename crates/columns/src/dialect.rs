//! How a party's files of columns are written: the arguments that say so, and the numbers that follow from them.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::{
    encoding::Encoding,
    failure::Failure,
    format::FileFormat,
    named,
    notation::{Notation, Thousands},
    standing::Standing,
};

/// How this party's files of numbers are written, and which of their rows are left out.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Files of numbers")]
pub struct Dialect {
    /// The format of this party's numbers [default: by the file's extension]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<FileFormat>,
    /// CSV: what separates cells: one character, or tab [default: , ; tab or |, whichever alone fits the first lines]
    ///
    /// Results have the same.
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// The decimal sign of numbers: . or , [default: .]
    ///
    /// It is never guessed: in a file that is separated by ; a number such as 1.100 is an error until this says what it
    /// means. Results have the same.
    #[arg(long, value_name = "CHAR", value_parser = decimal)]
    pub decimal: Option<char>,
    /// What stands between groups of three digits: . , ' _ or space (those that do not break, too) [default: nothing]
    #[arg(long, value_name = "CHAR")]
    pub thousands: Option<Thousands>,
    /// A text that stands for a missing value, as an empty one does; may be given more than once
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub na: Vec<String>,
    /// What a missing value counts as, at this party alone: a number or a label, for all columns or for each
    ///
    /// Such as 0 or income=0,region=none. Without it a row that lacks a value is an error.
    #[arg(long, value_name = "[COLUMN=]VALUE,...", allow_hyphen_values = true)]
    pub na_as: Vec<Standing>,
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
    /// Whether ; separates cells, and nobody said what is decimal: a point may stand between thousands.
    #[arg(skip)]
    pub doubtful: bool,
}

/// As standard CSV has it.
impl Default for Dialect {
    fn default() -> Self {
        Self {
            format: None,
            delimiter: None,
            decimal: None,
            thousands: None,
            na: Vec::new(),
            na_as: Vec::new(),
            encoding: Encoding::Auto,
            bad_rows: None,
            leave_out: Vec::new(),
            doubtful: false,
        }
    }
}

/// What is wrong with a cell in which a number is wanted.
pub const MISSING: &str = "is missing: every row needs a number there; --na-as says what stands for it";

impl Dialect {
    /// The files that are read.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.leave_out.iter().map(PathBuf::as_path)
    }

    /// The same for a file in which cells are separated so.
    pub fn separated(&self, delimiter: u8) -> Self {
        let doubtful = delimiter == b';' && self.decimal.is_none() && self.thousands.is_none();
        Self { delimiter: Some(delimiter), doubtful, ..self.clone() }
    }

    /// How numbers are written.
    pub fn notation(&self) -> Notation {
        Notation { decimal: self.decimal.unwrap_or('.'), thousands: self.thousands }
    }

    /// Whether a text stands for a missing value.
    pub fn is_missing(&self, cell: &str) -> bool {
        cell.is_empty() || self.na.iter().any(|na| na.trim() == cell)
    }

    /// The number in a cell.
    pub fn number(&self, cell: &str) -> Result<f64, String> {
        if self.is_missing(cell) {
            return Err(MISSING.into());
        }
        self.notation().number(cell, self.doubtful)
    }

    /// An error for a column of `--na-as` that none of these is.
    pub fn check_standing(&self, columns: &[String]) -> Result<(), Failure> {
        match Standing::columns(&self.na_as).find(|name| !columns.iter().any(|column| column == name)) {
            None => Ok(()),
            Some(name) => {
                let columns: Vec<_> = columns.iter().map(|column| named::written(column)).collect();
                Err(Failure::new(format!("--na-as: no column {name:?}; there are: {}", columns.join(", "))))
            }
        }
    }

    /// An error if something is to stand for missing cells where that is not for these arguments to say.
    pub fn no_standing(&self, why: &str) -> Result<(), Failure> {
        match self.na_as.is_empty() {
            true => Ok(()),
            false => Err(Failure::new(format!("--na-as: {why}"))),
        }
    }
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
    fn missing_cells_are_no_numbers() {
        let dialect = Dialect {
            decimal: Some(','),
            na: vec!["NA".into(), " -999 ".into()],
            na_as: vec!["a=1".parse().unwrap()],
            ..Dialect::default()
        };
        for cell in ["", "NA", "-999"] {
            assert_eq!(dialect.number(cell), Err(MISSING.into()), "{cell}");
        }
        assert_eq!(dialect.number("-999,0"), Ok(-999.0));
        assert!(dialect.number("na").unwrap_err().starts_with("is not a number"));
        let columns = ["b", "a"].map(str::to_owned);
        dialect.check_standing(&columns).unwrap();
        let refused = dialect.check_standing(&columns[..1]).unwrap_err().to_string();
        assert!(refused.contains("no column \"a\"; there are: b"), "{refused}");
    }

    /// Who says what separates cells said nothing of numbers.
    #[test]
    fn doubt_ends_where_it_is_said_what_is_decimal() {
        let none = Dialect::default();
        let decimal = Dialect { decimal: Some('.'), ..Dialect::default() };
        let told = Dialect { delimiter: Some(b';'), ..Dialect::default() };
        for (dialect, delimiter, doubtful) in
            [(&none, b';', true), (&told, b';', true), (&none, b',', false), (&decimal, b';', false)]
        {
            assert_eq!(dialect.separated(delimiter).number("1.100").is_err(), doubtful);
        }
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

//! This party's columns in files, or its shares: opened, and read as what is computed takes them.

use std::{path::Path, sync::Arc};

use crate::{accuracy::How, apply::question::Files, count::some};
use hushtable::math::Domain;
use hushtable_columns::{
    Format, Ids, Rounding, Style,
    failure::{Failure, Result},
    numbers::{Operand, Rows, Source},
};

/// Files that were opened.
pub struct Columns<'a> {
    files: &'a Files<'a>,
    x: Source<'a>,
    /// If it is in a file of its own.
    y: Option<Source<'a>>,
    /// Of shares, the finest if both are shares: those of others are made as fine.
    pub format: Option<Format>,
    /// The least and the greatest value of x, times `2^fraction_bits`, if it is shares.
    pub range: Option<[i64; 2]>,
}

impl<'a> Columns<'a> {
    /// Opens the files.
    ///
    /// # Errors
    /// Those of reading; one if another format is asked for than that of shares.
    pub fn open(files: &'a Files<'a>, how: &How) -> Result<Self> {
        let open = |path: &'a Path| match files.earlier.iter().find(|earlier| earlier.path == path) {
            Some(earlier) => Ok(Source::earlier(path, earlier.shares.clone())),
            None => Source::open(path, files.csv),
        };
        let (x, y) = (open(files.input)?, files.other.map(open).transpose()?);
        let headers = [Some(&x), y.as_ref()].into_iter().flatten().map(Source::header);
        let header = headers.collect::<Result<Vec<_>>>()?.concat();
        // Shares have no columns, and no cell is missing.
        if !header.is_empty() {
            files.csv.check_standing(&header)?;
        }
        let shares = [Some(&x), y.as_ref()].into_iter().flatten().filter_map(|of| Some((of, of.format()?)));
        let finest = shares.reduce(|a, b| if b.1.fraction_bits > a.1.fraction_bits { b } else { a });
        if let Some((source, has)) = finest {
            let asked =
                [("--bits", how.bits, has.bits), ("--fraction-bits", how.fraction_bits, has.fraction_bits)];
            let other = asked.into_iter().find(|(_, asked, has)| asked.is_some_and(|asked| asked != *has));
            if let Some((option, _, has)) = other {
                return Err(source.says(&format!("shares with {option} {has}; leave it out")));
            }
        }
        let format = finest.map(|(_, format)| format);
        let range = x.shares.as_ref().map(|file| file.range);
        Ok(Self { files, x, y, format, range })
    }

    /// A complaint about the file with x.
    pub fn says(&self, what: &str) -> Failure {
        self.x.says(what)
    }

    /// How results are written.
    pub fn style(&self) -> Style {
        self.x.style(self.files.id)
    }

    /// Whether this party has numbers of x, and of y.
    pub fn gives(&self) -> [bool; 2] {
        let [x, y] = self.files.columns.map(|column| column.is_some());
        [x || self.x.shares.is_some(), y || self.y.as_ref().is_some_and(|y| y.shares.is_some())]
    }

    /// This party's numbers as indices.
    pub fn indices(&self, domain: &Domain) -> Result<Rows> {
        self.x.indices(self.files.columns[0], self.files.id, domain)
    }

    /// This party's parts of sums within a reach.
    pub fn numbers(&self, format: Format, reach: [i64; 2]) -> Result<Rows> {
        self.x.numbers_within(self.files.columns[0], self.files.id, format, reach, Rounding::Nearest)
    }

    /// This party's parts of x, and of y if that is no public number.
    pub fn pair(&self, format: Format, rounding: Rounding, public: bool) -> Result<(Rows, Option<Operand>)> {
        let Files { columns: [column, against], id, .. } = *self.files;
        let of = |source: &Source<'_>, column, rounding| match column {
            None if source.shares.is_none() => source.nothing(id, format, rounding),
            column => source.numbers(column, id, format, rounding),
        };
        let (ids, x) = of(&self.x, column, rounding)?;
        if public {
            return Ok(((ids, x), None));
        }
        if self.y.is_none() && self.x.shares.is_some() {
            let what = "shares of x: --constant C or --other FILE says what they are compared with";
            return Err(self.says(what));
        }
        let source = self.y.as_ref().unwrap_or(&self.x);
        let (others, y) = of(source, against, rounding.other_way())?;
        same_rows([self.x.path, source.path], [&ids, &others], [&x, &y])?;
        Ok(((ids, x), Some(y)))
    }
}

/// An error that names the first row in which two operands' names differ.
fn same_rows([path, other]: [&Path; 2], ids: [&Option<Arc<Ids>>; 2], [x, y]: [&Operand; 2]) -> Result<()> {
    let (path, other) = (path.display(), other.display());
    if x.words.len() != y.words.len() {
        let (rows, others) = (x.words.len(), y.words.len());
        return Err(Failure::input(format!("{other}: {}; {path} has {rows}", some(others, "row"))));
    }
    let [Some(ids), Some(others)] = ids else { return Ok(()) };
    match ids.iter().zip(others.iter()).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(at) => Err(Failure::input(format!(
            "{other}: row {} has an id other than in {path}: sort both files by id",
            at + 1
        ))),
    }
}

//! This party's keys, from their file.

use std::path::Path;

use apps::{ids::DateOrder, private_table::{Description, Field}};
use prim::Wiped;

use crate::{
    columns::{Bad, Cell, ColumnFile, Dialect, Ids, LeftOut},
    failure::{Failure, Result},
};

/// Keys as they are written, in the order of the file. Wiped when they are dropped.
pub struct Keys<'a> {
    path: &'a Path,
    column: &'a str,
    dialect: &'a Dialect,
    /// What the places of rows are called.
    place: &'static str,
    pub texts: Ids,
    places: Vec<u64>,
}

impl<'a> Keys<'a> {
    /// The column of the file at `path`. One error names all bad rows.
    pub fn read(path: &'a Path, column: &'a str, dialect: &'a Dialect) -> Result<Self> {
        let file = ColumnFile::open(path, dialect)?;
        let (mut texts, mut places) = (Ids::default(), Vec::new());
        let (mut bad, mut left_out) = (Bad::new(file.place()), LeftOut::read(dialect, Some(column))?);
        file.each_row(&[column], |at, row| {
            let row = match row {
                Ok(row) => row,
                Err(what) => return bad.row(at, &what, None),
            };
            let text = row(0).field(dialect).and_then(|field| match field {
                Field::Missing => Err("is missing: every row needs a key".to_owned()),
                field => field.text(),
            });
            match text {
                Ok(text) if text.is_empty() => {
                    bad.cell(at, column, &Cell::shown(&row(0)), "is missing: every row needs a key", None);
                }
                Ok(text) if left_out.takes(Some(&text)) => {}
                Ok(text) => {
                    texts.push(&text);
                    places.push(at);
                }
                Err(what) => bad.cell(at, column, &Cell::shown(&row(0)), &what, None),
            }
        })?;
        left_out.check(path)?;
        bad.check(path, dialect)?;
        if texts.is_empty() {
            return Err(file.says("no rows below the header: there is nothing to look up"));
        }
        Ok(Self { path, column, dialect, place: file.place(), texts, places })
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// About how many bytes their results take, without text of the table.
    pub fn bytes(&self) -> u64 {
        (self.texts.bytes() + 32 * self.len()) as u64
    }

    /// As the table has them, and for each whether it can be there at all; in place of one that cannot a key that can
    /// is looked up, so that the number stays the same. `strict`: all must be able to.
    pub fn encode(
        &self,
        description: &Description,
        order: DateOrder,
        strict: bool,
    ) -> Result<(Wiped<u128>, Vec<bool>)> {
        let kind = description.key.kind;
        let mut keys = Wiped::from(Vec::with_capacity(self.len()));
        let (mut known, mut bad) = (Vec::with_capacity(self.len()), Bad::new(self.place));
        for (text, &place) in self.texts.iter().zip(&self.places) {
            let field = if self.dialect.decimal == ',' { Field::Comma(text) } else { Field::Text(text) };
            let read = kind.read(&field, order);
            let shown = || crate::columns::quoted(text);
            match &read {
                Ok(None) if strict => {
                    let what = format!("cannot be in the table, whose keys are {}", kind.words());
                    bad.cell(place, self.column, &shown(), &what, Some(text));
                }
                Err(what) => {
                    let what = format!("{what}; keys of the table are {}", kind.words());
                    bad.cell(place, self.column, &shown(), &what, Some(text));
                }
                _ => {}
            }
            let key = read.unwrap_or(None);
            known.push(key.is_some());
            keys.extend_from_slice(&[key.unwrap_or(0)]);
        }
        bad.check(self.path, self.dialect)?;
        Ok((keys, known))
    }

    /// A complaint about the file.
    pub fn says(&self, what: &str) -> Failure {
        Failure::input(format!("{}: {what}", self.path.display()))
    }
}

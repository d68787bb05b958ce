//! Rows that are bad: one error names all of them.

use std::path::Path;

use crate::{
    dialect::Dialect,
    failure::{Failure, Result},
    format::FileFormat,
    ids::Ids,
    output::{Output, PRIVATE},
    style::Style,
    units::some,
    write::write,
};

/// How many complaints an error shows.
const SHOWN: usize = 20;

/// Complaints about the rows of a file, in their order.
pub struct Bad {
    /// What the places of rows are called.
    place: &'static str,
    shown: Vec<String>,
    complaints: usize,
    rows: usize,
    /// The place of the first complaint, and its column.
    first: Option<(u64, Option<String>)>,
    /// Where the last bad row stands.
    last: Option<u64>,
    ids: Ids,
    notes: Vec<String>,
    /// Whether rows are matched by ids, whatever the other party leaves out.
    joined: bool,
}

impl Bad {
    pub fn new(place: &'static str) -> Self {
        Self {
            place,
            shown: Vec::new(),
            complaints: 0,
            rows: 0,
            first: None,
            last: None,
            ids: Ids::default(),
            notes: Vec::new(),
            joined: false,
        }
    }

    /// The same where rows are matched by ids: each party leaves out what it likes.
    pub fn joined(self) -> Self {
        Self { joined: true, ..self }
    }

    /// Says more to what is bad, if anything is.
    pub fn note(&mut self, what: String) {
        self.notes.push(what);
    }

    /// A cell of the row `id` is bad.
    pub fn cell(&mut self, at: u64, column: &str, cell: &str, what: &str, id: Option<&str>) {
        let place = self.place;
        self.first.get_or_insert_with(|| (at, Some(column.to_owned())));
        self.complain(at, id, || format!("{place} {at}, column {column:?}: {cell} {what}"));
    }

    /// The row `id` is bad as a whole; without an id if it may have lost that too.
    pub fn row(&mut self, at: u64, what: &str, id: Option<&str>) {
        let place = self.place;
        self.first.get_or_insert((at, None));
        self.complain(at, id, || format!("{place} {at}: {what}"));
    }

    fn complain(&mut self, at: u64, id: Option<&str>, what: impl FnOnce() -> String) {
        if self.shown.len() < SHOWN {
            self.shown.push(what());
        }
        self.complaints += 1;
        if self.last.replace(at) != Some(at) {
            self.rows += 1;
            id.into_iter().for_each(|id| self.ids.push(id));
        }
    }

    /// How many rows are bad, and where the first is: nothing of what stands in them, for a log.
    pub fn count(&self) -> Option<String> {
        let (at, column) = self.first.as_ref()?;
        let column = column.as_ref().map_or(String::new(), |column| format!(", column {column:?}"));
        let rows =
            if self.rows == 1 { "1 bad row, in" } else { &format!("{} bad rows, the first in", self.rows) };
        Some(format!("{rows} {} {at}{column}", self.place))
    }

    /// An error if anything is bad. The ids are then where `dialect` wants them.
    pub fn check(self, path: &Path, dialect: &Dialect) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut text = path.display().to_string();
        match &self.shown[..] {
            [one] => text += &format!(": {one}"),
            all => {
                text += &format!(": {} bad {}", self.rows, if self.rows == 1 { "row" } else { "rows" });
                text.extend(all.iter().map(|what| format!("\n  {what}")));
            }
        }
        if self.hidden() > 0 {
            text += &format!("\n  and {} more like these", self.hidden());
        }
        text.extend(self.notes.iter().map(|note| format!("\n{note}")));
        text += &self.list(dialect);
        Err(Failure::input(text))
    }

    /// How many complaints are not shown.
    fn hidden(&self) -> usize {
        self.complaints - self.shown.len()
    }

    /// Writes the ids; what is to be said about that.
    fn list(&self, dialect: &Dialect) -> String {
        let Some(path) = &dialect.bad_rows else {
            return if self.hidden() > 0 { "\n--bad-rows FILE writes the ids of all" } else { "" }.to_owned();
        };
        let others = match self.rows - self.ids.len() {
            0 => String::new(),
            n => format!("\n{n} without id, or with too few or too many cells, must be mended"),
        };
        if self.ids.is_empty() {
            return others;
        }
        let reserved = FileFormat::of_output(path)
            .and_then(|format| Ok((format, Output::reserve(path, &[], PRIVATE, false)?)));
        let (path, rows) = (path.display(), some(self.ids.len(), "row"));
        match reserved.and_then(|(format, output)| {
            output.write(|to| write(to, (format, &Style::default()), Some(&self.ids), &[]))
        }) {
            Ok(()) if self.joined => format!(
                "\nwrote the ids of {rows} to {path}; with --leave-out {path} here the job goes on without them. The peer \
                 needs no such list: it would learn these ids{others}"
            ),
            Ok(()) => format!(
                "\nwrote the ids of {rows} to {path}; with --leave-out {path} at both parties the job goes on without \
                 them, since rows are matched by position; the peer sees which ids these are{others}"
            ),
            Err(failure) => format!("\ntheir ids are not written: {failure}"),
        }
    }
}

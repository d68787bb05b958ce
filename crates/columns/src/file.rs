//! Files of columns, CSV or another format, and one party's numbers in them.

use std::{collections::HashMap, fmt, path::Path};

use bytemuck::Pod;
use prim::wipe::Wiped;
use zeroize::Zeroizing;

#[cfg(feature = "arrow")]
use crate::arrow::Arrow;
#[cfg(feature = "parquet")]
use crate::parquet::Parquet;
use crate::{
    bad::Bad,
    bytes::read,
    cell::{Cell, quoted},
    csv::Csv,
    dialect::Dialect,
    failure::{Failure, Result},
    format::FileFormat,
    ids::Ids,
    memory::fits,
    named,
    rows::{Row, Rows},
    style::Style,
    terminal::within_a_line,
};

/// A file of columns.
pub struct ColumnFile<'a> {
    path: &'a Path,
    dialect: Dialect,
    /// Whether rows are matched by ids, whatever the other party leaves out.
    joined: bool,
    rows: Box<dyn Rows + 'a>,
    /// Bytes of it.
    size: u64,
}

/// A party's rows. Numbers and names are wiped when they are dropped.
pub struct Columns<T: Pod> {
    /// What names the rows.
    pub ids: Option<Ids>,
    /// For each column what its cells were read as.
    pub values: Vec<Wiped<T>>,
    /// Where each row stands, counted from 1.
    pub places: Vec<u64>,
}

/// Prints the shape only: rows are a party's own.
impl<T: Pod> fmt::Debug for Columns<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Columns({} of {} rows)", self.values.len(), self.places.len())
    }
}

impl<'a> ColumnFile<'a> {
    pub fn open(path: &'a Path, dialect: &Dialect) -> Result<Self> {
        Self::of(path, read(path)?, dialect)
    }

    /// The file at `path`, which holds `bytes`.
    pub fn of(path: &'a Path, bytes: Wiped<u8>, dialect: &Dialect) -> Result<Self> {
        let (size, format) = (bytes.len() as u64, dialect.format.unwrap_or(FileFormat::of(path)));
        format.check(path)?;
        dialect.notation().check().map_err(Failure::new)?;
        type Opened<'a> = std::result::Result<(Box<dyn Rows + 'a>, Dialect), String>;
        let opened: Opened<'a> = match format {
            FileFormat::Csv => Csv::of(bytes, dialect).map(|rows| {
                let separated = dialect.separated(rows.delimiter);
                (Box::new(rows) as _, separated)
            }),
            #[cfg(feature = "parquet")]
            FileFormat::Parquet => Parquet::of(bytes).map(|rows| (Box::new(rows) as _, dialect.clone())),
            #[cfg(feature = "arrow")]
            FileFormat::Arrow => Arrow::of(bytes).map(|rows| (Box::new(rows) as _, dialect.clone())),
            #[cfg(not(all(feature = "parquet", feature = "arrow")))]
            _ => unreachable!("it was checked"),
        };
        let (rows, dialect) = opened.map_err(|what| Failure::input(format!("{}: {what}", path.display())))?;
        Ok(Self { path, dialect, joined: false, rows, size })
    }

    /// The same where rows are matched by ids: each party leaves out what it likes.
    pub fn joined(self) -> Self {
        Self { joined: true, ..self }
    }

    /// How it is written, with what was found of that.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// How results of its rows are written, without the name of ids.
    pub fn style(&self) -> Style {
        // Of text.
        let text = self.rows.place() == "line";
        let Dialect { delimiter, decimal, .. } = &self.dialect;
        let sign = delimiter.filter(|_| text).map_or(',', char::from);
        Style { delimiter: sign, decimal: decimal.filter(|_| text).unwrap_or('.'), ..Style::default() }
    }

    /// The names of the columns.
    pub fn header(&self) -> Result<Vec<String>> {
        self.rows.names().map_err(|what| self.says(&what))
    }

    /// An error for a column of `--na-as` that it does not have.
    pub fn check_standing(&self) -> Result<()> {
        self.dialect.check_standing(&self.header()?)
    }

    /// The numbers in `columns`, each as `encode` gives it or with its complaint, and the names in `id`. One error
    /// names all bad rows.
    pub fn read<T: Pod>(
        &self,
        columns: &[&str],
        id: Option<&str>,
        encode: impl Fn(f64) -> std::result::Result<T, String>,
    ) -> Result<Columns<T>> {
        self.read_each(columns, id, |_, number| encode(number))
    }

    /// The same, where `encode` is told the place of the column among `columns`.
    pub fn read_each<T: Pod>(
        &self,
        columns: &[&str],
        id: Option<&str>,
        encode: impl Fn(usize, f64) -> std::result::Result<T, String>,
    ) -> Result<Columns<T>> {
        self.read_named(columns, id.as_slice(), encode)
    }

    /// The same, where the columns `ids` name a row together.
    pub fn read_named<T: Pod>(
        &self,
        columns: &[&str],
        ids: &[&str],
        encode: impl Fn(usize, f64) -> std::result::Result<T, String>,
    ) -> Result<Columns<T>> {
        let header = self.header()?;
        let wanted = columns.iter().chain(ids).map(|name| self.find(&header, name));
        let (wanted, id) = (wanted.collect::<Result<Vec<_>>>()?, ids.first().copied());
        let (mut left_out, mut bad) = (LeftOut::read(&self.dialect, id)?, self.bad());
        let values = columns.iter().map(|_| Wiped::zeros(0)).collect();
        let mut memory = self.memory(columns.len() * size_of::<T>() + size_of::<u64>(), id.is_some())?;
        let mut out = Columns { ids: id.map(|_| Ids::default()), values, places: Vec::new() };
        let mut see = |at: u64, row: std::result::Result<Row<'_>, String>| {
            let row = match row {
                Ok(row) => row,
                Err(what) => return bad.row(at, &what, None),
            };
            let named: Vec<Cell<'_>> = (columns.len()..columns.len() + ids.len()).map(row).collect();
            let name = match named_by(&named) {
                Ok(name) => name,
                Err((i, what)) => return bad.cell(at, ids[i], &named[i].shown(), &what, None),
            };
            if left_out.takes(name.as_ref().map(|name| name.as_str()))
                || !memory.takes(name.as_ref().map(|name| name.as_str()))
            {
                return;
            }
            for (i, (values, column)) in out.values.iter_mut().zip(columns).enumerate() {
                let cell = row(i).or_standing(&self.dialect, column);
                match cell.number(&self.dialect).and_then(|number| encode(i, number)) {
                    Ok(value) => values.extend_from_slice(&[value]),
                    Err(what) => {
                        bad.cell(at, column, &cell.shown(), &what, name.as_ref().map(|name| name.as_str()))
                    }
                }
            }
            if let (Some(ids), Some(name)) = (&mut out.ids, name) {
                ids.push(&name);
            }
            out.places.push(at);
        };
        self.rows.each(&wanted, &mut see).map_err(|what| self.says(&what))?;
        memory.check()?;
        left_out.check(self.path)?;
        bad.check(self.path, &self.dialect)?;
        if out.places.is_empty() {
            return Err(self.says("no rows below the header"));
        }
        if let Some(rows) = out.ids.as_ref().filter(|_| !self.joined).and_then(Ids::twice) {
            let ([first, second], place) = (rows.map(|row| out.places[row]), self.rows.place());
            eprintln!(
                "warning: {}: {place}s {first} and {second} have the same id; rows are matched by their order",
                self.path.display()
            );
        }
        Ok(out)
    }

    /// A word for each row of `read`, as `of` gives it from the row's numbers or with its complaint.
    pub fn each<W: Pod>(
        &self,
        read: &Columns<f64>,
        of: impl Fn(&[f64]) -> std::result::Result<W, String>,
    ) -> Result<Wiped<W>> {
        let mut bad = self.bad();
        let (mut row, mut out) = (Wiped::zeros(read.values.len()), Wiped::zeros(0));
        for (i, &place) in read.places.iter().enumerate() {
            row.iter_mut().zip(&read.values).for_each(|(to, column)| *to = column[i]);
            match of(&row) {
                Ok(value) => out.extend_from_slice(&[value]),
                Err(what) => bad.row(place, &what, read.ids.as_ref().and_then(|ids| ids.get(i))),
            }
        }
        bad.check(self.path, &self.dialect)?;
        Ok(out)
    }

    /// Shows every row to `see`: where it stands, and its cells in these columns, or why it has none.
    pub fn each_row(
        &self,
        columns: &[&str],
        mut see: impl FnMut(u64, std::result::Result<Row<'_>, String>),
    ) -> Result<()> {
        let header = self.header()?;
        let wanted = columns.iter().map(|name| self.find(&header, name)).collect::<Result<Vec<_>>>()?;
        let mut memory = self.memory((1 + columns.len()) * size_of::<u64>(), false)?;
        // Texts beyond the bytes of the file: a few can stand for many.
        let mut own = self.size;
        let mut counted = |at: u64, row: std::result::Result<Row<'_>, String>| {
            for i in 0..columns.len() {
                if memory.refused.is_some() {
                    return;
                }
                let Ok(Cell::Text(text)) = row.as_ref().map(|row| row(i)) else { continue };
                own = own.saturating_sub(text.len() as u64);
                if own == 0 && !memory.takes(Some(text)) {
                    return;
                }
            }
            see(at, row);
        };
        self.rows.each(&wanted, &mut counted).map_err(|what| self.says(&what))?;
        memory.check()
    }

    /// What may help where no column has this name.
    pub fn hint(&self, header: &[String], name: &str) -> String {
        self.rows.hint(header, name)
    }

    /// What the places of rows are called.
    pub fn place(&self) -> &'static str {
        self.rows.place()
    }

    /// For rows of so many bytes, and the names of all, if they have names. An error if it does not hold them.
    fn memory(&self, row: usize, named: bool) -> Result<Memory> {
        let memory = Memory { what: format!("{}: its rows", self.path.display()), ..Memory::default() };
        let row = row as u64 + if named { END } else { 0 };
        fits(self.rows.rows().unwrap_or(0).saturating_mul(GROWS * row), &memory.what)?;
        Ok(memory)
    }

    fn bad(&self) -> Bad {
        let bad = Bad::new(self.rows.place());
        if self.joined { bad.joined() } else { bad }
    }

    fn find(&self, header: &[String], name: &str) -> Result<usize> {
        let mut at = header.iter().enumerate().filter(|(_, cell)| *cell == name.trim()).map(|(i, _)| i);
        match (at.next(), at.next()) {
            (Some(i), None) => Ok(i),
            (Some(_), Some(_)) => Err(self.says(&format!("column {name:?} occurs more than once"))),
            _ => {
                let columns: Vec<_> =
                    header.iter().map(|name| within_a_line(&named::written(name)).into_owned()).collect();
                let (columns, hint) = (columns.join(", "), self.hint(header, name));
                Err(self.says(&format!("no column {name:?}; its columns are: {columns}{hint}")))
            }
        }
    }

    /// A complaint about the file.
    pub fn says(&self, what: &str) -> Failure {
        Failure::input(format!("{}: {what}", self.path.display()))
    }
}

/// The name of a row that has these cells in the columns of ids; the place of one that is no name, and why.
fn named_by(cells: &[Cell<'_>]) -> std::result::Result<Option<Zeroizing<String>>, (usize, String)> {
    let mut all: Option<Zeroizing<String>> = None;
    for (i, cell) in cells.iter().enumerate() {
        let name = cell.id().map_err(|what| (i, what))?;
        match &mut all {
            None => all = Some(Zeroizing::new(name.into_owned())),
            // Room for all of it: what grows leaves copies behind.
            Some(before) => all = Some(Zeroizing::new([before.as_str(), &name].join(","))),
        }
    }
    Ok(all)
}

/// The ids of rows to leave out, and whether there was such a row.
pub struct LeftOut(HashMap<String, bool>);

impl LeftOut {
    /// What the files in `dialect` name. Without a column `id` of ids nothing can be left out: the peer could not check
    /// that the rows which remain belong together.
    pub fn read(dialect: &Dialect, id: Option<&str>) -> Result<Self> {
        let used =
            [("--leave-out", !dialect.leave_out.is_empty()), ("--bad-rows", dialect.bad_rows.is_some())];
        if let (None, Some((option, _))) = (id, used.into_iter().find(|(_, used)| *used)) {
            return Err(Failure::new(format!(
                "{option} needs ids: by position alone nobody sees whether the rows that remain belong together"
            )));
        }
        let (mut ids, standard) = (HashMap::new(), Dialect::default());
        for path in &dialect.leave_out {
            let read = ColumnFile::open(path, &standard)?.read::<u8>(&[], Some("id"), |_| Ok(0))?;
            ids.extend(read.ids.iter().flat_map(Ids::iter).map(|id| (id.to_owned(), false)));
        }
        Ok(Self(ids))
    }

    /// Whether the row `id` is left out.
    pub fn takes(&mut self, id: Option<&str>) -> bool {
        let found = id.and_then(|id| self.0.get_mut(id));
        found.map(|found| *found = true).is_some()
    }

    /// An error if an id is that of no row in the file at `path`: the list is for other files.
    pub fn check(&self, path: &Path) -> Result<()> {
        let missing = self.0.iter().filter(|(_, found)| !**found).map(|(id, _)| id);
        let count = missing.clone().count();
        missing.min().map_or(Ok(()), |id| {
            let (path, id) = (path.display(), quoted(id));
            Err(Failure::input(format!(
                "{path}: no row has the id {id} of --leave-out, one of {count} not found"
            )))
        })
    }
}

/// While a list grows, its memory is there twice, and the new one is twice as large.
const GROWS: u64 = 3;

/// Bytes for the end of a name.
const END: u64 = 8;

/// The memory of names: a few bytes of a file can stand for many long ones.
#[derive(Default)]
struct Memory {
    what: String,
    taken: u64,
    checked: u64,
    refused: Option<Failure>,
}

impl Memory {
    /// Whether there is memory for one more.
    fn takes(&mut self, name: Option<&str>) -> bool {
        // So much more at least, before it is looked at again.
        const STEP: u64 = 1 << 26;
        self.taken += name.map_or(0, |name| name.len() as u64 + END);
        if self.taken > self.checked && self.refused.is_none() {
            self.checked = 2 * self.checked + STEP;
            // What is taken is no longer free.
            self.refused = fits(GROWS * self.checked - self.taken, &self.what).err();
        }
        self.refused.is_none()
    }

    fn check(self) -> Result<()> {
        self.refused.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod messy_tests;
#[cfg(test)]
mod tests;

//! Files of columns, CSV or another format, and one party's numbers in them.

#[cfg(feature = "arrow")]
mod arrow;
mod bad;
mod cell;
mod csv;
mod dialect;
mod encoding;
mod format;
#[cfg(any(feature = "parquet", feature = "arrow"))]
mod guard;
mod ids;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_pages;
#[cfg(feature = "parquet")]
mod parquet_series;
mod series;
mod write;

use std::{
    fmt,
    fs::File,
    io::{ErrorKind, Read},
    path::Path,
};

use bytemuck::Pod;
use prim::wipe::Wiped;

use self::csv::Csv;
pub use self::{
    bad::{Bad, LeftOut},
    cell::{Cell, quoted},
    csv::line,
    dialect::Dialect,
    encoding::Encoding,
    format::FileFormat,
    ids::Ids,
    series::{Series, write_series},
    write::write,
};
use crate::{
    count::fits,
    failure::{Failure, Result},
    terminal::within_a_line,
};

/// A file of columns.
pub struct ColumnFile<'a> {
    path: &'a Path,
    dialect: &'a Dialect,
    rows: Box<dyn Rows + 'a>,
    /// Bytes of it.
    size: u64,
}

/// What a format has to say of a file.
trait Rows {
    /// The names of the columns.
    fn names(&self) -> std::result::Result<Vec<String>, String>;

    /// Shows every row to `see`: where it stands, counted from 1, and its cells in the columns `wanted`, or why it has
    /// none.
    fn each(&self, wanted: &[usize], see: &mut See<'_>) -> std::result::Result<(), String>;

    /// How many rows there are, if the format says so: a few bytes can stand for many.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// What the places of rows are called.
    fn place(&self) -> &'static str {
        "row"
    }

    /// What may help if there is no column `name`.
    fn hint(&self, _names: &[String], _name: &str) -> String {
        String::new()
    }
}

/// The cells of a row, by their place among those that are wanted.
pub type Row<'r> = &'r dyn Fn(usize) -> Cell<'r>;
/// Who looks at rows.
type See<'s> = dyn FnMut(u64, std::result::Result<Row<'_>, String>) + 's;

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
    pub fn open(path: &'a Path, dialect: &'a Dialect) -> Result<Self> {
        Self::of(path, read(path)?, dialect)
    }

    /// The file at `path`, which holds `bytes`.
    pub fn of(path: &'a Path, bytes: Wiped<u8>, dialect: &'a Dialect) -> Result<Self> {
        let (size, format) = (bytes.len() as u64, dialect.format.unwrap_or(FileFormat::of(path)));
        format.check(path)?;
        let rows: std::result::Result<Box<dyn Rows + 'a>, String> = match format {
            FileFormat::Csv => Csv::of(bytes, dialect).map(|rows| Box::new(rows) as _),
            #[cfg(feature = "parquet")]
            FileFormat::Parquet => parquet::Parquet::of(bytes).map(|rows| Box::new(rows) as _),
            #[cfg(feature = "arrow")]
            FileFormat::Arrow => arrow::Arrow::of(bytes).map(|rows| Box::new(rows) as _),
            #[cfg(not(all(feature = "parquet", feature = "arrow")))]
            _ => unreachable!("it was checked"),
        };
        let rows = rows.map_err(|what| Failure::input(format!("{}: {what}", path.display())))?;
        Ok(Self { path, dialect, rows, size })
    }

    /// The names of the columns.
    pub fn header(&self) -> Result<Vec<String>> {
        self.rows.names().map_err(|what| self.says(&what))
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
        let header = self.header()?;
        let wanted = columns.iter().copied().chain(id).map(|name| self.find(&header, name));
        let wanted = wanted.collect::<Result<Vec<_>>>()?;
        let (mut left_out, mut bad) = (LeftOut::read(self.dialect, id)?, Bad::new(self.rows.place()));
        let values = columns.iter().map(|_| Wiped::zeros(0)).collect();
        let mut memory = self.memory(columns.len() * size_of::<T>() + size_of::<u64>(), id.is_some())?;
        let mut out = Columns { ids: id.map(|_| Ids::default()), values, places: Vec::new() };
        let mut see = |at: u64, row: std::result::Result<Row<'_>, String>| {
            let row = match row {
                Ok(row) => row,
                Err(what) => return bad.row(at, &what, None),
            };
            let named = id.map(|_| row(columns.len()));
            let name = match named.as_ref().map(Cell::id).transpose() {
                Ok(name) => name,
                Err(what) => {
                    let shown = named.as_ref().map(Cell::shown);
                    return bad.cell(at, id.unwrap_or_default(), &shown.unwrap_or_default(), &what, None);
                }
            };
            if left_out.takes(name.as_deref()) || !memory.takes(name.as_deref()) {
                return;
            }
            for (i, (values, column)) in out.values.iter_mut().zip(columns).enumerate() {
                let cell = row(i);
                match cell.number(self.dialect).and_then(|number| encode(i, number)) {
                    Ok(value) => values.extend_from_slice(&[value]),
                    Err(what) => bad.cell(at, column, &cell.shown(), &what, name.as_deref()),
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
        bad.check(self.path, self.dialect)?;
        if out.places.is_empty() {
            return Err(self.says("no rows below the header"));
        }
        if let Some(rows) = out.ids.as_ref().and_then(Ids::twice) {
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
        let mut bad = Bad::new(self.rows.place());
        let (mut row, mut out) = (Wiped::zeros(read.values.len()), Wiped::zeros(0));
        for (i, &place) in read.places.iter().enumerate() {
            row.iter_mut().zip(&read.values).for_each(|(to, column)| *to = column[i]);
            match of(&row) {
                Ok(value) => out.extend_from_slice(&[value]),
                Err(what) => bad.row(place, &what, read.ids.as_ref().and_then(|ids| ids.get(i))),
            }
        }
        bad.check(self.path, self.dialect)?;
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

    fn find(&self, header: &[String], name: &str) -> Result<usize> {
        let mut at = header.iter().enumerate().filter(|(_, cell)| *cell == name).map(|(i, _)| i);
        match (at.next(), at.next()) {
            (Some(i), None) => Ok(i),
            (Some(_), Some(_)) => Err(self.says(&format!("column {name:?} occurs more than once"))),
            _ => {
                let columns: Vec<_> = header.iter().map(|name| within_a_line(name)).collect();
                let (columns, hint) = (columns.join(", "), self.rows.hint(header, name));
                Err(self.says(&format!("no column {name:?}; its columns are: {columns}{hint}")))
            }
        }
    }

    /// A complaint about the file.
    pub fn says(&self, what: &str) -> Failure {
        Failure::input(format!("{}: {what}", self.path.display()))
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

/// What is read at once.
const PIECE: usize = 1 << 16;

/// The bytes of a file. All memory that held some of them is wiped.
pub fn read(path: &Path) -> Result<Wiped<u8>> {
    let mut file = File::open(path).map_err(Failure::file(path))?;
    let size = file.metadata().map_or(0, |file| file.len());
    let mut bytes = Wiped::default();
    // Only a hint: a pipe has no size.
    bytes.reserve(usize::try_from(size).unwrap_or(0).min(1 << 40) + PIECE);
    loop {
        let start = bytes.len();
        let got = file.read(bytes.extend_zeros(PIECE));
        bytes.truncate(start + got.as_ref().map_or(0, |&got| got));
        match got {
            Ok(0) => return Ok(bytes),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::file(path)(error)),
        }
    }
}

#[cfg(test)]
mod tests;

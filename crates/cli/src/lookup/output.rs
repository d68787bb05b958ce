//! Results, in their files.

use std::io;

use crate::lookup::{arguments::Lookup, keys::Keys};
use apps::private_table::{Cell, Description, Looked, Scale, ValueKind};
use hushtable_columns::{
    self as columns, FileFormat, Series, Style,
    failure::{Cause, Failure, Result},
    output::{Output, Writer, write_both},
    shares::ShareFile,
};
use hushtable_jobs::digits::Digits;

/// The column that says whether a key is there.
const PRESENT: &str = "present";

/// Writes rows, of which `known` says whether their keys can be in the table at all.
pub fn rows(
    args: &Lookup,
    keys: &Keys<'_>,
    output: Output,
    description: &Description,
    (looked, known): (&Looked, &[bool]),
) -> Result<()> {
    let present: Vec<bool> =
        looked.present.iter().zip(known).map(|(&here, known)| here == 1 && *known).collect();
    let table = Table::of(args, keys, description, &looked.values, &present)?;
    let format = FileFormat::of(output.path());
    output.write(|to| match format {
        FileFormat::Csv => table.csv(to, keys),
        _ => columns::write_series(to, format, &table.series(keys)),
    })
}

/// Writes shares of values, and those of presence where they have a file.
pub fn shares([values, here]: [ShareFile; 2], output: Output, present: Option<Output>) -> Result<()> {
    match present {
        None => output.write(|to| values.write(to)),
        Some(present) => write_both((output, |to| values.write(to)), (present, |to| here.write(to))),
    }
}

/// Rows to write: names of columns, and their cells; none where a key is absent.
struct Table<'a> {
    key: &'a str,
    names: Vec<&'a str>,
    kinds: Vec<ValueKind>,
    cells: Vec<Vec<Option<Cell>>>,
    present: &'a [bool],
}

impl<'a> Table<'a> {
    fn of(
        args: &'a Lookup,
        keys: &'a Keys<'_>,
        description: &'a Description,
        words: &[u64],
        present: &'a [bool],
    ) -> Result<Self> {
        let wanted: Vec<usize> = match args.values().as_slice() {
            [] => (0..description.values.len()).collect(),
            names => names.iter().filter_map(|name| description.column(name)).collect(),
        };
        let row_words = description.job().row_words();
        let column = |&i: &usize| {
            let (kind, start) = (description.values[i].kind, description.start(i));
            let cell = |(row, here): (&[u64], &bool)| match here {
                true => kind.read(row, start).map(Some),
                false => Ok(None),
            };
            words.chunks_exact(row_words).zip(present).map(cell).collect::<std::result::Result<Vec<_>, _>>()
        };
        let cells = wanted.iter().map(column).collect::<std::result::Result<Vec<_>, _>>();
        let cells = cells.map_err(|what| Failure::Reported(Cause::Peer, format!("the table has {what}")))?;
        if keys.len() != present.len() {
            return Err(keys.says("not as many results as keys"));
        }
        let value = |&i: &usize| &description.values[i];
        Ok(Self {
            key: keys.name(),
            names: wanted.iter().map(|i| value(i).name.as_str()).collect(),
            kinds: wanted.iter().map(|i| value(i).kind).collect(),
            cells,
            present,
        })
    }

    /// Names that differ: a column of the table may be called as the key or as what is added.
    fn header(&self) -> Vec<String> {
        let mut header = vec![self.key.to_owned()];
        for name in self.names.iter().copied().chain([PRESENT]) {
            let mut name = name.to_owned();
            while header.contains(&name) {
                name = format!("{name}_");
            }
            header.push(name);
        }
        header
    }

    fn csv(&self, to: &mut Writer<'_>, keys: &Keys<'_>) -> io::Result<()> {
        let mut to = csv::WriterBuilder::new().delimiter(keys.style.separator()).from_writer(to);
        to.write_record(self.header())?;
        for (row, key) in keys.texts.iter().enumerate() {
            to.write_field(key.trim())?;
            for column in &self.cells {
                to.write_field(
                    column[row].as_ref().map(|cell| shown(cell, &keys.style)).unwrap_or_default(),
                )?;
            }
            to.write_field(if self.present[row] { "1" } else { "0" })?;
            to.write_record(None::<&[u8]>)?;
        }
        to.flush()
    }

    fn series(&self, keys: &Keys<'_>) -> Vec<(String, Series)> {
        let texts = Series::Text(keys.texts.iter().map(|key| Some(key.trim().to_owned())).collect());
        let columns = self.cells.iter().zip(&self.kinds).map(|(cells, kind)| series(cells, *kind));
        let present = Series::Whole(self.present.iter().map(|&here| Some(here.into())).collect());
        let all = [texts].into_iter().chain(columns).chain([present]);
        self.header().into_iter().zip(all).collect()
    }
}

/// A cell as text of this style has it.
fn shown(cell: &Cell, style: &Style) -> String {
    match (cell, style.decimal) {
        (Cell::Number(..), ',') => text(cell).replace('.', ","),
        _ => text(cell),
    }
}

/// A cell as it is written.
fn text(cell: &Cell) -> String {
    match cell {
        // As many digits as a floating-point number has; of more all.
        Cell::Number(units, Scale::Binary(bits)) if units.unsigned_abs() < 1 << 53 => {
            let number = *units as f64 / 2f64.powi(*bits as i32);
            Digits::of_number(*bits).shown(number).to_string()
        }
        other => other.to_string(),
    }
}

/// A column as a file with types has it: whole numbers, the nearest floating-point numbers, dates, text.
fn series(cells: &[Option<Cell>], kind: ValueKind) -> Series {
    match kind {
        ValueKind::Date => {
            let day =
                |cell: &Cell| if let Cell::Date(days) = cell { i32::try_from(*days).ok() } else { None };
            Series::Date(cells.iter().map(|cell| day(cell.as_ref()?)).collect())
        }
        ValueKind::Text { .. } => {
            Series::Text(cells.iter().map(|cell| Some(cell.as_ref()?.to_string())).collect())
        }
        ValueKind::Number { scale: Scale::Decimal(0) | Scale::Binary(0), .. } => {
            let units = |cell: &Cell| if let Cell::Number(units, _) = cell { Some(*units) } else { None };
            Series::Whole(cells.iter().map(|cell| units(cell.as_ref()?)).collect())
        }
        ValueKind::Number { .. } => {
            Series::Number(cells.iter().map(|cell| text(cell.as_ref()?).parse().ok()).collect())
        }
    }
}

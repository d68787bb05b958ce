//! A party's rows: their ids in one form, each once, and the columns to join.

use std::{
    hash::{BuildHasher, Hash, Hasher, RandomState},
    path::Path,
};

use crate::{
    count::some,
    join::{asked::Duplicates, column::Column, forms::hint, labels::Seen},
};
use apps::ids::{Looks, Rules, Set, Shape};
use hushtable_columns::{
    Bad, Cell, ColumnFile, Ids, LeftOut, Row, Style,
    failure::{Failure, Result},
    quoted,
};
use prim::wipe::Wiped;
use zeroize::Zeroizing;

/// What is read.
pub struct Reading<'a> {
    /// The columns of the id, and the rules of each.
    pub ids: &'a [String],
    pub rules: &'a [Rules],
    pub columns: &'a [Column],
    pub duplicates: Duplicates,
    /// Whether rows are kept with all of their columns.
    pub whole: bool,
    /// What the peer is told in place of the number of ids.
    pub pad_to: Option<usize>,
    /// As many ids are accepted.
    pub most: usize,
}

impl Reading<'_> {
    fn bound(&self, ids: usize, path: &Path) -> Result<usize> {
        let refused = match self.pad_to.unwrap_or(ids) {
            bound if bound < ids => format!("--pad-to {bound}: {} has {}", path.display(), some(ids, "id")),
            bound if bound > self.most => {
                format!("{} here; accepted: at most {}", some(bound, "id"), self.most)
            }
            bound => return Ok(bound),
        };
        Err(Failure::new(refused))
    }
}

/// A party's rows. What is kept of them is wiped.
pub struct Rows {
    /// What names the row of each id in the file.
    pub names: Ids,
    /// The fields of each id in their form, one after the other.
    forms: Ids,
    width: usize,
    /// What was read of each column.
    pub values: Vec<Wiped<f64>>,
    /// Whole rows as lines of CSV, their header first.
    pub lines: Ids,
    /// The id of each whole row.
    pub id_of: Wiped<u64>,
    /// The columns of ids, and that of all together.
    pub id_names: Vec<String>,
    /// How results of these rows are written.
    pub style: Style,
    /// As many ids the peer is told.
    pub bound: usize,
    /// Rows in the file.
    read: usize,
    /// What another party might write otherwise in its ids, and what is rounded of numbers.
    hints: Vec<String>,
}

impl Rows {
    /// Of the file at `path`. One error names all bad rows.
    pub fn read(file: &ColumnFile<'_>, path: &Path, what: &Reading<'_>) -> Result<Self> {
        let (all, dialect) = (file.header()?, file.dialect());
        file.check_standing()?;
        let mut wanted: Vec<&str> = what.ids.iter().map(String::as_str).collect();
        wanted.extend(what.columns.iter().map(|column| column.name.as_str()));
        let fixed = wanted.len();
        if what.whole {
            wanted.extend(all.iter().map(String::as_str));
        }
        let mut looks: Vec<Looks> = what.rules.iter().map(|rules| Looks::new(*rules)).collect();
        let (mut left_out, mut bad) = (LeftOut::read(dialect, Some(""))?, Bad::new(file.place()).joined());
        let mut taken = Taken::new(what.columns.len());
        let mut seen: Vec<Seen> = what.columns.iter().map(Seen::new).collect();
        let mut lines = Lines::new(file.style().separator(), &all, what.ids);
        file.each_row(&wanted, |at, row| {
            let row = match row {
                Ok(row) => row,
                Err(complaint) => return bad.row(at, &complaint, None),
            };
            let Some((name, forms)) = id(at, row, what, &mut bad) else { return };
            if left_out.takes(Some(&name)) {
                return;
            }
            for (i, column) in what.columns.iter().enumerate() {
                let cell = row(what.ids.len() + i).or_standing(dialect, &column.name);
                let read = column.read(&cell, dialect);
                seen[i].cell(&cell, dialect, &read);
                match read {
                    Ok(value) => taken.values[i].extend_from_slice(&[value]),
                    Err(complaint) => bad.cell(at, &column.name, &cell.shown(), &complaint, Some(&name)),
                }
            }
            if what.whole {
                let cell = |i: usize| row(fixed + i);
                if let Err((column, complaint)) = lines.push(&cell, &forms) {
                    bad.cell(at, &all[column], &cell(column).shown(), &complaint, Some(&name));
                }
            }
            looks.iter_mut().zip(&forms).for_each(|(looks, form)| looks.see(form));
            forms.iter().for_each(|form| taken.forms.push(form));
            taken.names.push(&name);
            taken.places.push(at);
        })?;
        left_out.check(path)?;
        for (column, seen) in what.columns.iter().zip(&seen) {
            seen.check(column, file)?;
            seen.note(column, &mut bad);
        }
        // Only what is whole can be compared.
        let first = taken.first(what.ids.len());
        if what.duplicates == Duplicates::Refuse {
            for (row, &of) in first.iter().enumerate().filter(|(row, of)| **of != *row as u64) {
                let (place, other) = (file.place(), taken.places[of as usize]);
                let what = format!(
                    "the id {} again, as in {place} {other}",
                    quoted(taken.names.get(row).unwrap_or_default())
                );
                bad.row(taken.places[row], &what, taken.names.get(row));
            }
        }
        bad.check(path, dialect)?;
        if taken.places.is_empty() {
            return Err(file.says("no rows below the header"));
        }
        let place = |row: usize| format!("{} {}", file.place(), taken.places[row]);
        let ids = what.ids.iter().zip(&looks).filter_map(|(column, looks)| hint(column, looks, &place));
        let rounded =
            what.columns.iter().zip(&taken.values).filter_map(|(column, values)| column.rounds(values));
        let hints = ids.chain(rounded).collect();
        let rows = taken.finish(file, path, what, &first, lines.text)?;
        Ok(Rows { hints, ..rows })
    }

    /// Says what another party might write otherwise in its ids, as a join that finds too little says nothing; and which
    /// numbers are rounded.
    pub fn warn(&self, path: &Path) {
        for hint in &self.hints {
            eprintln!("warning: {}, {hint}", path.display());
        }
    }

    /// How most ids look, of each column of the id.
    pub fn shapes(&self) -> Vec<Shape> {
        let forms = |column| (0..self.ids()).filter_map(move |row| self.forms.get(row * self.width + column));
        (0..self.width).map(|column| Shape::of(forms(column))).collect()
    }

    /// Rows of the file that count.
    pub fn counted(&self) -> usize {
        self.read
    }

    /// How many ids there are.
    pub fn ids(&self) -> usize {
        self.forms.len() / self.width
    }

    /// The set of ids.
    pub fn set(&self) -> Result<Set> {
        let fields = |row: usize| {
            let fields =
                (row * self.width..(row + 1) * self.width).map(|i| self.forms.get(i).unwrap_or_default());
            fields.collect::<Vec<&str>>()
        };
        // They have their form.
        Ok(Set::new(Rules::NONE, (0..self.ids()).map(fields))?)
    }
}

type Forms = Vec<Zeroizing<String>>;

/// The id of a row, as text and in its form; nothing if it is bad.
fn id(at: u64, row: Row<'_>, what: &Reading<'_>, bad: &mut Bad) -> Option<(Zeroizing<String>, Forms)> {
    let (mut name, mut forms) = (Zeroizing::new(String::new()), Vec::with_capacity(what.ids.len()));
    for (i, (column, rules)) in what.ids.iter().zip(what.rules).enumerate() {
        let cell: Cell<'_> = row(i);
        let text = cell.name().and_then(|text| {
            let form = rules.form(&text).map_err(str::to_owned)?;
            let empty = form.trim().is_empty().then(|| "is empty: every row needs an id".to_owned());
            empty.map_or(Ok((text, form)), Err)
        });
        match text {
            Ok((text, form)) => {
                // Made anew: what grows leaves copies behind.
                let all = [name.as_str(), if i > 0 { "," } else { "" }, text.trim()].concat();
                name = Zeroizing::new(all);
                forms.push(form);
            }
            Err(complaint) => {
                bad.cell(at, column, &cell.shown(), &complaint, None);
                return None;
            }
        }
    }
    Some((name, forms))
}

/// Rows as they are read.
struct Taken {
    names: Ids,
    forms: Ids,
    values: Vec<Wiped<f64>>,
    places: Vec<u64>,
}

impl Taken {
    fn new(columns: usize) -> Self {
        let values = (0..columns).map(|_| Wiped::zeros(0)).collect();
        Self { names: Ids::default(), forms: Ids::default(), values, places: Vec::new() }
    }

    /// For each row the first one with its id.
    fn first(&self, width: usize) -> Wiped<u64> {
        let keys = RandomState::new();
        let fields = |row: u64| (0..width).map(move |i| self.forms.get(row as usize * width + i));
        let hashed = |row: u64| {
            let mut hasher = keys.build_hasher();
            fields(row).for_each(|field| field.hash(&mut hasher));
            [hasher.finish(), row]
        };
        let rows = self.places.len() as u64;
        let mut order = Wiped::from((0..rows).map(hashed).collect::<Vec<[u64; 2]>>());
        order.sort_unstable();
        let mut first = Wiped::from((0..rows).collect::<Vec<u64>>());
        for pair in order.windows(2) {
            let [[hash, row], [next_hash, next]] = [pair[0], pair[1]];
            if hash == next_hash && fields(row).eq(fields(next)) {
                first[next as usize] = first[row as usize];
            }
        }
        first
    }

    /// With each id once.
    fn finish(
        self,
        file: &ColumnFile<'_>,
        path: &Path,
        what: &Reading<'_>,
        first: &[u64],
        lines: Ids,
    ) -> Result<Rows> {
        let Self { names, forms, mut values, places } = self;
        let (width, read) = (what.ids.len(), places.len());
        let mut id_of: Wiped<u64> = Wiped::zeros(read);
        let mut ids = 0;
        for row in 0..read {
            let own = first[row] == row as u64;
            id_of[row] = if own { ids } else { id_of[first[row] as usize] };
            ids += u64::from(own);
        }
        let bound = what.bound(ids as usize, path)?;
        if what.duplicates == Duplicates::Sum {
            let mut bad = Bad::new(file.place()).joined();
            for (column, values) in what.columns.iter().zip(&mut values) {
                (0..read).filter(|&row| first[row] != row as u64).for_each(|row| {
                    let of = first[row] as usize;
                    values[of] = together(values[of], values[row]);
                });
                for row in (0..read).filter(|&row| first[row] == row as u64) {
                    if let Err(complaint) = column.limited(values[row]) {
                        let shown = format!("the sum {}", values[row]);
                        bad.cell(places[row], &column.name, &shown, &complaint, names.get(row));
                    }
                }
            }
            bad.check(path, file.dialect())?;
        }
        let kept = || (0..read).filter(|&row| first[row] == row as u64);
        let own = |values: &Wiped<f64>| {
            // Room for all of them: what grows leaves copies behind.
            let mut own = Wiped::zeros(ids as usize);
            own.iter_mut().zip(kept()).for_each(|(value, row)| *value = values[row]);
            own
        };
        let values = values.iter().map(own).collect();
        let (names, forms, lines, id_of) = if ids as usize == read {
            (names, forms, lines, id_of)
        } else {
            let fields = kept().flat_map(|row| (row * width..(row + 1) * width).filter_map(|i| forms.get(i)));
            let own = || std::iter::once(0).chain(kept().map(|row| row + 1));
            let (lines, id_of) = match what.duplicates {
                Duplicates::All => (lines, id_of),
                _ => (
                    own().filter_map(|row| lines.get(row)).collect(),
                    Wiped::from((0..ids).collect::<Vec<u64>>()),
                ),
            };
            (kept().filter_map(|row| names.get(row)).collect(), fields.collect(), lines, id_of)
        };
        let id_names = what.ids.iter().cloned().chain([TOGETHER.to_owned()]).collect();
        let (style, hints) = (file.style().of_ids(what.ids, TOGETHER), Vec::new());
        Ok(Rows { names, forms, width, values, lines, id_of, id_names, style, bound, read, hints })
    }
}

/// The sum of what is there of two cells.
fn together(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => a + b,
    }
}

/// Whole rows as lines of CSV, ids in their form.
struct Lines {
    delimiter: u8,
    /// Which columns are ids, and where.
    ids: Vec<Option<usize>>,
    text: Ids,
}

/// The column of ids of several fields together.
pub const TOGETHER: &str = "join_id";

impl Lines {
    fn new(delimiter: u8, header: &[String], ids: &[String]) -> Self {
        let place = |name: &String| ids.iter().position(|id| id == name);
        let mut lines = Self { delimiter, ids: header.iter().map(place).collect(), text: Ids::default() };
        let together = (ids.len() > 1).then_some(TOGETHER);
        lines.line(together.into_iter().chain(header.iter().map(String::as_str)));
        lines
    }

    /// A row; the column that cannot be written, and why.
    fn push<'c>(
        &mut self,
        cell: &dyn Fn(usize) -> Cell<'c>,
        forms: &[Zeroizing<String>],
    ) -> std::result::Result<(), (usize, String)> {
        let mut cells: Forms = Vec::with_capacity(self.ids.len() + 1);
        if forms.len() > 1 {
            let forms: Vec<&str> = forms.iter().map(|form| form.as_str()).collect();
            cells.push(Zeroizing::new(forms.join(",")));
        }
        for (i, id) in self.ids.iter().enumerate() {
            match id {
                Some(id) => cells.push(forms[*id].clone()),
                None => {
                    let text = cell(i).text().map_err(|what| (i, what))?.into_owned();
                    cells.push(Zeroizing::new(text));
                }
            }
        }
        self.line(cells.iter().map(|cell| cell.as_str()));
        Ok(())
    }

    fn line<'c>(&mut self, cells: impl Iterator<Item = &'c str> + Clone) {
        let delimiter = char::from(self.delimiter);
        // Room for all of it, if each character is a quote.
        let room = cells.clone().map(|cell| 2 * cell.len() + 3).sum::<usize>() + 3;
        let (mut line, mut first) = (Zeroizing::new(String::with_capacity(room)), true);
        for cell in cells {
            if !std::mem::take(&mut first) {
                line.push(delimiter);
            }
            if !cell.contains([delimiter, '"', '\r', '\n']) {
                line.push_str(cell);
                continue;
            }
            line.push('"');
            for c in cell.chars() {
                line.push_str(if c == '"' { "\"" } else { "" });
                line.push(c);
            }
            line.push('"');
        }
        // A row of one empty cell would be no row.
        let end = if line.is_empty() { "\"\"\n" } else { "\n" };
        line.push_str(end);
        self.text.push(&line);
    }
}

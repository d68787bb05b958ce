//! The table, from its file.

use std::fs::File;

use crate::serve::{arguments::Serve, spec::ValueSpec};
use apps::{
    ids::Looks,
    private_table::{
        Description, Field, Key, Kind, Reading, Scale, Survey, Table, Value, days_of, name_shows,
    },
};
use hushtable_columns::{
    Bad, Cell, ColumnFile, Dialect, Ids, LeftOut, Row,
    failure::{Failure, Result},
    named::List,
    quoted,
};
use hushtable_jobs::join::forms::hint;

/// A table that was read, and what of it is public but for the digest of its copy.
pub struct Loaded {
    pub description: Description,
    pub table: Table,
}

/// Why a table cannot be served.
pub struct Refused {
    /// With the cells and keys that are bad: for whoever starts this program.
    pub failure: Failure,
    /// How many rows are bad, and where: all that the log of a program that stays may have.
    pub count: Option<String>,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self { failure, count: None }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        refused.failure
    }
}

impl Refused {
    /// A line for the log.
    pub fn line(self, args: &Serve) -> String {
        let table = args.table.display();
        // Other complaints may have cells in them too.
        match (self.count, File::open(&args.table)) {
            (_, Err(error)) => format!("{table}: {error}"),
            (Some(count), Ok(_)) => format!("{table}: {count}; `hushtable explain serve` shows them"),
            (None, Ok(_)) => format!("{table} cannot be served; `hushtable explain serve` shows why"),
        }
    }
}

/// What was read.
type Read<T> = std::result::Result<T, Refused>;

/// Reads the table. One error names all bad rows.
pub fn load(args: &Serve) -> Read<Loaded> {
    let file = ColumnFile::open(&args.table, &args.csv)?;
    let mut wanted = vec![args.key.name.as_str()];
    let specs = List::all(&args.value);
    wanted.extend(specs.iter().map(|value| value.name.as_str()));
    args.csv.no_standing("is not for a table that is served: write there what stands for a missing cell")?;
    let survey = survey(&file, &wanted)?;
    let says = |column: &str, what: String| file.says(&format!("column {column:?}: {what}"));
    let value = |(i, spec): (usize, &ValueSpec)| {
        let kind = survey.value(i, spec.limits).map_err(|what| says(&spec.name, what))?;
        Ok(Value { name: spec.name.clone(), kind })
    };
    let values = specs.into_iter().enumerate().map(value).collect::<Result<Vec<Value>>>()?;
    let range = args.key_range.as_deref().map(|text| range(args, text)).transpose()?;
    let asked = (args.pad_to, args.prf.into());
    let (kind, places) = survey
        .key(args.key.kind, (range, args.hash_bits), &values, asked)
        .map_err(|what| says(&args.key.name, what))?;
    let key = Key::new(args.key.name.clone(), kind, args.normalise.unwrap_or_default());
    if key.form.is_none() && args.normalise.is_some() {
        let what = format!("keys are {}; --normalise is for text: --key {}:text", kind.words(), key.name);
        return Err(says(&key.name, what).into());
    }
    let table = rows(&file, args, &wanted, (&key, &values))?;
    let description = Description {
        table: name(args)?,
        key,
        values,
        places,
        cipher: args.prf.into(),
        digest: [0; 32],
        batch: args.limits.batch,
        // More could never be granted, and the client would come again for ever.
        lookups: args.limits.lookups_per_hour.unwrap_or(usize::MAX).min(args.limits.lookups_at_most) as u64,
        shares: args.shares.is_some(),
    };
    description.check().map_err(|what| Failure::new(format!("{}: {what}", args.table.display())))?;
    Ok(Loaded { description, table })
}

/// What the table is called.
fn name(args: &Serve) -> Result<String> {
    let stem = || args.table.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = args.name.clone().or_else(stem).unwrap_or_default();
    match name_shows(&name) {
        true => Ok(name),
        false => {
            Err(Failure::new(format!("--name: {name:?} cannot be shown; letters, digits and signs can")))
        }
    }
}

/// The cells of a row as they are read; of a cell that cannot be, why.
fn fields<'r>(
    row: Row<'r>,
    columns: usize,
    dialect: &Dialect,
) -> Vec<std::result::Result<Field<'r>, String>> {
    (0..columns).map(|i| row(i).field(dialect)).collect()
}

/// The first look.
fn survey(file: &ColumnFile<'_>, wanted: &[&str]) -> Result<Survey> {
    let dialect = file.dialect();
    let mut survey = Survey::new(wanted.len() - 1);
    let mut left_out = LeftOut::read(dialect, Some(wanted[0]))?;
    file.each_row(wanted, |_, row| {
        let Ok(row) = row else { return };
        if row(0).id().is_ok_and(|name| left_out.takes(Some(&name))) {
            return;
        }
        let fields = fields(row, wanted.len(), dialect);
        let field = |i: usize| fields[i].as_ref().copied().unwrap_or(Field::Missing);
        survey.see(&field(0), |i| field(i + 1));
    })?;
    Ok(survey)
}

/// The second look, at rows of a form that is known.
fn rows(
    file: &ColumnFile<'_>,
    args: &Serve,
    wanted: &[&str],
    (key, values): (&Key, &[Value]),
) -> Read<Table> {
    let reading = Reading { order: args.dates.into(), rules: args.normalise.unwrap_or_default() };
    let (mut table, mut looks) = (Table::new(key, values, reading), Looks::new(reading.rules));
    let mut left_out = LeftOut::read(&args.csv, Some(wanted[0]))?;
    let (mut bad, mut places, mut names) = (Bad::new(file.place()), Vec::new(), Ids::default());
    let mut whole = true;
    file.each_row(wanted, |at, row| {
        let row = match row {
            Ok(row) => row,
            Err(what) => {
                whole = false;
                return bad.row(at, &what, None);
            }
        };
        let name = row(0).field(file.dialect()).and_then(|field| field.text());
        let name = name.unwrap_or_default();
        if left_out.takes(Some(&name)) {
            return;
        }
        let fields = fields(row, wanted.len(), file.dialect());
        let mut complain = |i: usize, what: &str| {
            whole = false;
            bad.cell(at, wanted[i], &Cell::shown(&row(i)), what, Some(&name));
        };
        let unreadable = fields.iter().enumerate().filter_map(|(i, field)| Some((i, field.as_ref().err()?)));
        unreadable.for_each(|(i, what)| complain(i, what));
        let field = |i: usize| fields[i].as_ref().copied().unwrap_or(Field::Text(""));
        if let Err(complaints) = table.push(&field(0), |i| field(i + 1)) {
            for (column, what) in complaints {
                let i = column.map_or(0, |column| column + 1);
                if fields[i].is_ok() {
                    complain(i, &what);
                }
            }
        }
        let form = field(0).written().ok().and_then(|text| reading.rules.form(&text).ok());
        looks.see(&form.unwrap_or_default());
        names.push(&name);
        places.push(at);
    })?;
    left_out.check(&args.table)?;
    if whole {
        name_twice(&table, (&names, &places), file.place(), &mut bad);
    }
    check(bad, args)?;
    if table.is_empty() {
        return Err(file.says("no rows below the header: a table needs at least one").into());
    }
    let place = |row: usize| format!("{} {}", file.place(), places[row]);
    // Without cells: a program that stays says it again when it reads the table again.
    if let Some(hint) = key.form.as_ref().and_then(|_| hint(&key.name, &looks, &place)) {
        eprintln!("warning: {}, {hint}", args.table.display());
    }
    Ok(table)
}

fn check(bad: Bad, args: &Serve) -> Read<()> {
    let count = bad.count();
    bad.check(&args.table, &args.csv).map_err(|failure| Refused { failure, count })
}

/// Complains of rows whose key stands in another one before them.
fn name_twice(table: &Table, (names, places): (&Ids, &[u64]), place: &str, bad: &mut Bad) {
    for [first, row] in table.twice() {
        let other = places[first];
        let (name, before) = (names.get(row).unwrap_or_default(), names.get(first).unwrap_or_default());
        let what = match name == before {
            true => format!("the key {} again, as in {place} {other}", quoted(name)),
            false => format!("the key {} is the same as {} in {place} {other}", quoted(name), quoted(before)),
        };
        bad.row(places[row], &what, Some(name));
    }
}

/// `--key-range`.
fn range(args: &Serve, text: &str) -> Result<[i64; 2]> {
    let wrong = |what: &str| Failure::new(format!("--key-range {text:?}: {what}"));
    let (least, most) = text.split_once(':').ok_or_else(|| wrong("LEAST:MOST, such as 0:99999"))?;
    let end = |text: &str| match args.key.kind {
        Some(Kind::Date) => days_of(text, args.dates.into()).map_err(|what| wrong(&format!("{text} {what}"))),
        Some(Kind::Text) => Err(wrong("text has no range")),
        Some(Kind::Number(Scale::Decimal(0))) | None => match text.trim().parse() {
            Ok(number) => Ok(number),
            Err(_) if args.key.kind.is_none() => Err(wrong(&format!(
                "{text} is not a whole number; for dates say --key {}:date",
                args.key.name
            ))),
            Err(_) => Err(wrong(&format!("{text} is not a whole number"))),
        },
        Some(Kind::Number(_)) => Err(wrong("keys are whole numbers")),
    };
    let range = [end(least)?, end(most)?];
    if range[0] > range[1] { Err(wrong("the first is the least")) } else { Ok(range) }
}

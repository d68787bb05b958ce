//! Comma-separated text, and one party's columns in it.

use std::{fmt, path::Path};

use csv::{ErrorKind, Position, Reader, ReaderBuilder, StringRecord, Trim};

use crate::failure::{Failure, Result};

/// A party's rows.
#[derive(PartialEq)]
pub struct Columns<T> {
    /// What names the rows.
    pub ids: Option<Vec<String>>,
    /// For each column what its cells were read as.
    pub values: Vec<Vec<T>>,
    /// Where each row stands, counted from 1.
    pub lines: Vec<u64>,
}

/// Prints the shape only: rows are a party's own.
impl<T> fmt::Debug for Columns<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Columns({} of {} rows)", self.values.len(), self.lines.len())
    }
}

/// A reader of comma-separated cells, spaces around them removed.
pub fn reader(text: &[u8], headers: bool) -> Reader<&[u8]> {
    ReaderBuilder::new().has_headers(headers).trim(Trim::All).from_reader(text)
}

/// The line in `text` of the record that the reader found at `position`, counted from 1. The reader's own
/// count is that of the first empty line before the record.
pub fn line(text: &[u8], position: Option<&Position>) -> u64 {
    position.map_or(0, |p| {
        let rest = text.get(p.byte() as usize..).unwrap_or_default();
        let empty = rest.iter().take_while(|b| b"\r\n".contains(b)).filter(|&&b| b == b'\n').count();
        p.line() + empty as u64
    })
}

/// The names of the columns of `text`, which came from `path`.
pub fn header(path: &Path, text: &[u8]) -> Result<Vec<String>> {
    let mut reader = reader(text, true);
    let header = reader.headers().map_err(|e| failure(path, text, &e))?;
    Ok(header.iter().map(str::to_owned).collect())
}

/// The numbers in `columns`, each as `encode` gives it or with its complaint, and the names in `id`.
/// `path` is where `text` came from.
pub fn read<T>(
    path: &Path,
    text: &[u8],
    columns: &[&str],
    id: Option<&str>,
    encode: impl Fn(f64) -> std::result::Result<T, String>,
) -> Result<Columns<T>> {
    let mut reader = reader(text, true);
    let header = reader.headers().map_err(|e| failure(path, text, &e))?.clone();
    let at = columns.iter().map(|column| find(path, &header, column)).collect::<Result<Vec<_>>>()?;
    let id_at = id.map(|id| find(path, &header, id)).transpose()?;
    let values = columns.iter().map(|_| Vec::new()).collect();
    let mut out = Columns { ids: id_at.map(|_| Vec::new()), values, lines: Vec::new() };
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| failure(path, text, &e))? {
        let line = line(text, record.position());
        for ((values, column), &at) in out.values.iter_mut().zip(columns).zip(&at) {
            let value = number(&record[at]).and_then(&encode).map_err(|what| {
                let path = path.display();
                Failure::input(format!("{path}: line {line}, column {column:?}: {:?} {what}", &record[at]))
            })?;
            values.push(value);
        }
        if let (Some(ids), Some(at)) = (&mut out.ids, id_at) {
            ids.push(record[at].to_owned());
        }
        out.lines.push(line);
    }
    if out.lines.is_empty() {
        return Err(Failure::input(format!("{}: no rows below the header", path.display())));
    }
    Ok(out)
}

fn number(cell: &str) -> std::result::Result<f64, String> {
    if cell.is_empty() {
        return Err("is missing: every row needs a number there".into());
    }
    cell.parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(|| "is not a number".into())
}

fn find(path: &Path, header: &StringRecord, name: &str) -> Result<usize> {
    let mut at = header.iter().enumerate().filter(|(_, cell)| *cell == name).map(|(i, _)| i);
    match (at.next(), at.next()) {
        (Some(i), None) => Ok(i),
        (Some(_), Some(_)) => {
            Err(Failure::input(format!("{}: column {name:?} occurs more than once", path.display())))
        }
        _ => {
            let columns = header.iter().collect::<Vec<_>>().join(", ");
            Err(Failure::input(format!("{}: no column {name:?}; its columns are: {columns}", path.display())))
        }
    }
}

/// What the CSV reader complains about, with file and line.
pub fn failure(path: &Path, text: &[u8], error: &csv::Error) -> Failure {
    let path = path.display();
    let at = format!("line {}: ", line(text, error.position()));
    Failure::input(match error.kind() {
        ErrorKind::Utf8 { .. } => format!("{path}: {at}not UTF-8 text"),
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{path}: {at}{len} cells where the first line has {expected_len}")
        }
        _ => format!("{path}: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below 4, as 256ths.
    fn parse(text: &[u8]) -> std::result::Result<Columns<i64>, String> {
        let encode = |v: f64| if v < 4.0 { Ok((v * 256.0) as i64) } else { Err("is not below 4".to_owned()) };
        read(Path::new("in.csv"), text, &["score"], Some("id"), encode).map_err(|e| e.to_string())
    }

    #[test]
    fn finds_its_columns() {
        let ids = Some(vec!["a".to_owned(), "b,c".to_owned()]);
        for (text, lines) in [
            ("id,score\na,1\n\"b,c\",-1.5\n", [2, 3]),
            ("score , x, id\r\n 1.0,,a\r\n-1.5e0,7,\"b,c\"", [2, 3]),
            ("\u{feff}id,score\n\na,+1\n\n\"b,c\",-1.5\n\n", [3, 5]),
        ] {
            let want = Columns { ids: ids.clone(), values: vec![vec![256, -384]], lines: lines.into() };
            assert_eq!(parse(text.as_bytes()), Ok(want), "{text:?}");
        }
    }

    #[test]
    fn complaints_name_line_column_and_value() {
        for (text, want) in [
            ("", "in.csv: no column \"score\""),
            ("id;score\na;1\n", "no column \"score\"; its columns are: id;score"),
            ("name,score\na,1\n", "no column \"id\"; its columns are: name, score"),
            ("id,score,score\na,1,2\n", "column \"score\" occurs more than once"),
            ("id,score\n", "no rows below the header"),
            ("id,score\na,1\nb,x1\n", "line 3, column \"score\": \"x1\" is not a number"),
            ("id,score\na,\n", "line 2, column \"score\": \"\" is missing"),
            ("id,score\na,nan\n", "\"nan\" is not a number"),
            ("id,score\na,-inf\n", "\"-inf\" is not a number"),
            ("id,score\na,1\n\nb,4\n", "line 4, column \"score\": \"4\" is not below 4"),
            ("id,score\na,1,2\n", "line 2: 3 cells where the first line has 2"),
        ] {
            let got = parse(text.as_bytes()).unwrap_err();
            assert!(got.contains(want), "{text:?}: {got}");
        }
        let got = parse(b"id,score\na,1\n\xff,2\n").unwrap_err();
        assert!(got.contains("line 3: not UTF-8 text"), "{got}");
    }
}

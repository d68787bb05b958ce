//! Comma-separated text, and one party's column in it.

use std::path::Path;

use csv::{ErrorKind, Position, Reader, ReaderBuilder, StringRecord, Trim};
use hushtable::math::Domain;

use crate::failure::{Failure, Result};

/// A party's rows: fixed-point integers, and what names them.
#[derive(Debug, PartialEq)]
pub struct Column {
    pub ids: Option<Vec<String>>,
    pub values: Vec<i64>,
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

/// The numbers in `column` and the names in `id`, each number within this party's half of `domain`.
/// `path` is where `text` came from.
pub fn read(path: &Path, text: &[u8], column: &str, id: Option<&str>, domain: &Domain) -> Result<Column> {
    let mut reader = reader(text, true);
    let header = reader.headers().map_err(|e| failure(path, text, &e))?.clone();
    let value_at = find(path, &header, column)?;
    let id_at = id.map(|id| find(path, &header, id)).transpose()?;
    let mut out = Column { ids: id_at.map(|_| Vec::new()), values: Vec::new() };
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| failure(path, text, &e))? {
        let value = encode(&record[value_at], domain).map_err(|what| {
            let line = line(text, record.position());
            Failure::new(format!(
                "{}: line {line}, column {column:?}: {:?} {what}",
                path.display(),
                &record[value_at]
            ))
        })?;
        out.values.push(value);
        if let (Some(ids), Some(at)) = (&mut out.ids, id_at) {
            ids.push(record[at].to_owned());
        }
    }
    if out.values.is_empty() {
        return Err(Failure::new(format!("{}: no rows below the header", path.display())));
    }
    Ok(out)
}

fn encode(cell: &str, domain: &Domain) -> std::result::Result<i64, String> {
    let number = cell.parse::<f64>().ok().filter(|v| v.is_finite()).ok_or("is not a number")?;
    domain.encode(number).ok_or_else(|| {
        format!(
            "is outside {} (after rounding to a multiple of 2^-{})",
            domain.half(),
            domain.fraction_bits()
        )
    })
}

fn find(path: &Path, header: &StringRecord, name: &str) -> Result<usize> {
    let mut at = header.iter().enumerate().filter(|(_, cell)| *cell == name).map(|(i, _)| i);
    match (at.next(), at.next()) {
        (Some(i), None) => Ok(i),
        (Some(_), Some(_)) => {
            Err(Failure::new(format!("{}: column {name:?} occurs more than once", path.display())))
        }
        _ => {
            let columns = header.iter().collect::<Vec<_>>().join(", ");
            Err(Failure::new(format!("{}: no column {name:?}; its columns are: {columns}", path.display())))
        }
    }
}

/// What the CSV reader complains about, with file and line.
pub fn failure(path: &Path, text: &[u8], error: &csv::Error) -> Failure {
    let path = path.display();
    let at = format!("line {}: ", line(text, error.position()));
    Failure::new(match error.kind() {
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

    fn parse(text: &[u8]) -> std::result::Result<Column, String> {
        let domain = Domain::new("-8:8".parse().unwrap(), 8).unwrap();
        read(Path::new("in.csv"), text, "score", Some("id"), &domain).map_err(|e| e.to_string())
    }

    #[test]
    fn finds_its_columns() {
        let ids = Some(vec!["a".to_owned(), "b,c".to_owned()]);
        let want = Ok(Column { ids, values: vec![256, -384] });
        for text in [
            "id,score\na,1\n\"b,c\",-1.5\n",
            "score , x, id\r\n 1.0,,a\r\n-1.5e0,7,\"b,c\"",
            "\u{feff}id,score\n\na,+1\n\n\"b,c\",-1.5\n\n",
        ] {
            assert_eq!(parse(text.as_bytes()), want, "{text:?}");
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
            ("id,score\na,\n", "line 2, column \"score\": \"\" is not a number"),
            ("id,score\na,nan\n", "\"nan\" is not a number"),
            ("id,score\na,-inf\n", "\"-inf\" is not a number"),
            (
                "id,score\na,1\n\nb,4\n",
                "line 4, column \"score\": \"4\" is outside -4 (included) to 4 (excluded)",
            ),
            (
                "id,score\na,-4.1\n",
                "this party's half of the domain -8:8 (after rounding to a multiple of 2^-8)",
            ),
            ("id,score\na,1,2\n", "line 2: 3 cells where the first line has 2"),
        ] {
            let got = parse(text.as_bytes()).unwrap_err();
            assert!(got.contains(want), "{text:?}: {got}");
        }
        let got = parse(b"id,score\na,1\n\xff,2\n").unwrap_err();
        assert!(got.contains("line 3: not UTF-8 text"), "{got}");
    }
}

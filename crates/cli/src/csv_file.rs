//! CSV files as people have them, and one party's columns in them.

mod dialect;
mod encoding;
mod rows;

use std::{fmt, fs, path::Path};

use csv::{ErrorKind, Position, Reader, ReaderBuilder, StringRecord};

use self::rows::{Bad, LeftOut};
pub use self::{dialect::Dialect, encoding::Encoding};
use crate::failure::{Failure, Result};

/// A file of cells, and how it is written.
pub struct CsvFile<'a> {
    path: &'a Path,
    text: Vec<u8>,
    dialect: &'a Dialect,
}

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

impl<'a> CsvFile<'a> {
    pub fn open(path: &'a Path, dialect: &'a Dialect) -> Result<Self> {
        Self::of(path, fs::read(path).map_err(Failure::file(path))?, dialect)
    }

    /// The file at `path`, which holds `text`.
    pub fn of(path: &'a Path, text: Vec<u8>, dialect: &'a Dialect) -> Result<Self> {
        let text = dialect.encoding.decode(text);
        let text = text.map_err(|what| Failure::input(format!("{}: {what}", path.display())))?;
        Ok(Self { path, text, dialect })
    }

    /// The names of the columns.
    pub fn header(&self) -> Result<Vec<String>> {
        self.names(&mut self.reader())
    }

    /// The numbers in `columns`, each as `encode` gives it or with its complaint, and the names in `id`. One error
    /// names all bad rows.
    pub fn read<T>(
        &self,
        columns: &[&str],
        id: Option<&str>,
        encode: impl Fn(f64) -> std::result::Result<T, String>,
    ) -> Result<Columns<T>> {
        let mut reader = self.reader();
        let header = self.names(&mut reader)?;
        let at = columns.iter().map(|column| self.find(&header, column)).collect::<Result<Vec<_>>>()?;
        let id_at = id.map(|id| self.find(&header, id)).transpose()?;
        let (mut left_out, mut bad) = (LeftOut::read(self.dialect, id)?, Bad::default());
        let values = columns.iter().map(|_| Vec::new()).collect();
        let mut out = Columns { ids: id_at.map(|_| Vec::new()), values, lines: Vec::new() };
        let mut record = StringRecord::new();
        while self.next(&mut reader, &mut record, &mut bad)? {
            let id = id_at.map(|at| record[at].trim());
            if left_out.takes(id) {
                continue;
            }
            let line = line(&self.text, record.position());
            for ((values, column), &at) in out.values.iter_mut().zip(columns).zip(&at) {
                let cell = record[at].trim();
                match self.dialect.number(cell).and_then(&encode) {
                    Ok(value) => values.push(value),
                    Err(what) => bad.cell(line, column, cell, &what, id),
                }
            }
            if let (Some(ids), Some(id)) = (&mut out.ids, id) {
                ids.push(id.to_owned());
            }
            out.lines.push(line);
        }
        left_out.check(self.path)?;
        bad.check(self.path, self.dialect)?;
        if out.lines.is_empty() {
            return Err(self.says("no rows below the header"));
        }
        Ok(out)
    }

    /// A value for each row of `read`, as `of` gives it from the row's numbers or with its complaint.
    pub fn each<W>(
        &self,
        read: &Columns<f64>,
        of: impl Fn(&[f64]) -> std::result::Result<W, String>,
    ) -> Result<Vec<W>> {
        let (mut bad, mut row, mut out) = (Bad::default(), Vec::new(), Vec::new());
        for (i, &line) in read.lines.iter().enumerate() {
            row.clear();
            row.extend(read.values.iter().map(|column| column[i]));
            match of(&row) {
                Ok(value) => out.push(value),
                Err(what) => bad.row(line, &what, read.ids.as_ref().map(|ids| ids[i].as_str())),
            }
        }
        bad.check(self.path, self.dialect)?;
        Ok(out)
    }

    /// The next record with as many cells as the first line has; `bad` hears of the others.
    fn next(&self, reader: &mut Reader<&[u8]>, record: &mut StringRecord, bad: &mut Bad) -> Result<bool> {
        loop {
            let error = match reader.read_record(record) {
                Ok(more) => return Ok(more),
                Err(error) => error,
            };
            let ErrorKind::UnequalLengths { expected_len, len, pos } = error.kind() else {
                return Err(self.failure(&error));
            };
            bad.row(line(&self.text, pos.as_ref()), &unequal(*expected_len, *len), None);
        }
    }

    fn reader(&self) -> Reader<&[u8]> {
        ReaderBuilder::new().delimiter(self.dialect.delimiter).from_reader(&self.text)
    }

    fn names(&self, reader: &mut Reader<&[u8]>) -> Result<Vec<String>> {
        let header = reader.headers().map_err(|e| self.failure(&e))?;
        Ok(header.iter().map(|cell| cell.trim().to_owned()).collect())
    }

    fn find(&self, header: &[String], name: &str) -> Result<usize> {
        let mut at = header.iter().enumerate().filter(|(_, cell)| *cell == name).map(|(i, _)| i);
        match (at.next(), at.next()) {
            (Some(i), None) => Ok(i),
            (Some(_), Some(_)) => Err(self.says(&format!("column {name:?} occurs more than once"))),
            _ => {
                let others = [(b',', ","), (b';', ";"), (b'\t', "tab"), (b'|', "|")];
                let among =
                    |by: u8| header.iter().any(|c| c.split(char::from(by)).any(|part| part.trim() == name));
                let other = others.into_iter().find(|&(by, _)| by != self.dialect.delimiter && among(by));
                let hint =
                    other.map_or(String::new(), |(_, by)| format!("; --delimiter '{by}' separates it"));
                let columns = header.join(", ");
                Err(self.says(&format!("no column {name:?}; its columns are: {columns}{hint}")))
            }
        }
    }

    fn failure(&self, error: &csv::Error) -> Failure {
        failure(self.path, &self.text, error).worded(|text| match error.kind() {
            ErrorKind::Utf8 { .. } => {
                format!("{text}; --encoding windows-1252 reads what older Windows programs write")
            }
            _ => text.to_owned(),
        })
    }

    fn says(&self, what: &str) -> Failure {
        Failure::input(format!("{}: {what}", self.path.display()))
    }
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

/// What the CSV reader complains about, with file and line.
pub fn failure(path: &Path, text: &[u8], error: &csv::Error) -> Failure {
    let path = path.display();
    let at = format!("line {}: ", line(text, error.position()));
    Failure::input(match error.kind() {
        ErrorKind::Utf8 { .. } => format!("{path}: {at}not UTF-8 text"),
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{path}: {at}{}", unequal(*expected_len, *len))
        }
        _ => format!("{path}: {error}"),
    })
}

fn unequal(first: u64, this: u64) -> String {
    format!("{this} cells where the first line has {first}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below 4, as 256ths.
    fn parse(text: &[u8]) -> std::result::Result<Columns<i64>, String> {
        parse_as(text, &Dialect::default())
    }

    fn parse_as(text: &[u8], dialect: &Dialect) -> std::result::Result<Columns<i64>, String> {
        let encode = |v: f64| if v < 4.0 { Ok((v * 256.0) as i64) } else { Err("is not below 4".to_owned()) };
        let file = CsvFile::of(Path::new("in.csv"), text.to_vec(), dialect).map_err(|e| e.to_string())?;
        file.read(&["score"], Some("id"), encode).map_err(|e| e.to_string())
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
    fn reads_as_told() {
        let table = |text: &str, dialect: &Dialect| parse_as(text.as_bytes(), dialect);
        let want = Columns {
            ids: Some(vec!["a;b".into(), "c".into()]),
            values: vec![vec![384, -64]],
            lines: vec![2, 4],
        };
        let semicolons = Dialect { delimiter: b';', decimal: ',', ..Dialect::default() };
        assert_eq!(table("id;score\n\"a;b\";1,5\n\nc;-,25\n", &semicolons), Ok(want));
        let want = Columns { ids: Some(vec!["M\u{fc}ller".into()]), values: vec![vec![256]], lines: vec![2] };
        let tabs = Dialect { delimiter: b'\t', encoding: Encoding::Windows1252, ..Dialect::default() };
        assert_eq!(parse_as(b"score\tid\r\n1\tM\xfcller\r\n", &tabs), Ok(want));
        // Commas within quotes are decimal, also where commas separate.
        let quoted = Dialect { decimal: ',', ..Dialect::default() };
        let want = Columns { ids: Some(vec!["a".into()]), values: vec![vec![384]], lines: vec![2] };
        assert_eq!(table("id,score\na,\"1,5\"\n", &quoted), Ok(want));
        for (text, dialect, want) in [
            ("id;score\na;1\n", &Dialect::default(), "its columns are: id;score; --delimiter ';' separates"),
            ("id,score\na,1\n", &semicolons, "--delimiter ',' separates"),
            ("id\tscore\na\t1\n", &semicolons, "--delimiter 'tab' separates"),
            (
                "id,score\na,\"1,5\"\n",
                &Dialect::default(),
                "\"1,5\" is not a number; --decimal , would read 1.5",
            ),
            ("id,score\na,1,5\n", &quoted, "line 2: 3 cells where the first line has 2"),
        ] {
            let got = table(text, dialect).unwrap_err();
            assert!(got.contains(want), "{text:?}: {got}");
        }
    }

    #[test]
    fn all_bad_rows_at_once() {
        let text = "id,score\na,x\nb,1\n\nc,\nd,1,2\ne,4\n";
        assert_eq!(
            parse(text.as_bytes()).unwrap_err(),
            "in.csv: 4 bad rows\n  line 2, column \"score\": \"x\" is not a number\n  \
             line 5, column \"score\": \"\" is missing: every row needs a number there\n  \
             line 6: 3 cells where the first line has 2\n  line 7, column \"score\": \"4\" is not below 4"
        );
        let many = "id,score\n".to_owned() + &"a,x\n".repeat(1000);
        let got = parse(many.as_bytes()).unwrap_err();
        assert!(got.starts_with("in.csv: 1000 bad rows\n  line 2,"), "{got}");
        assert!(got.contains("\n  line 21,") && !got.contains("line 22"), "{got}");
        assert!(got.ends_with("\n  and 980 more like these\n--bad-rows FILE writes the ids of all"), "{got}");
        let two = CsvFile {
            path: Path::new("f.csv"),
            text: b"id,p,q\na,x,y\n".to_vec(),
            dialect: &Dialect::default(),
        };
        let got = two.read(&["p", "q"], None, Ok).unwrap_err().to_string();
        assert!(
            got.starts_with("f.csv: 1 bad row\n  line 2, column \"p\"") && got.contains("column \"q\""),
            "{got}"
        );
        let long = format!("id,score\na,{}\n", "\u{fc}".repeat(1000));
        assert!(parse(long.as_bytes()).unwrap_err().len() < 200);
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

//! A public table from a CSV file: one value a line, or index and value.

use std::path::Path;

use csv::{ErrorKind, Position, Reader, ReaderBuilder, StringRecord, Trim};
use hushtable::math::MAX_INDEX_BITS;

use crate::{
    bytes,
    encoding::Encoding,
    failure::{Failure, Result},
    records,
    units::some,
};

/// The values of `path` in the order of their index: `2^k` of them, `1 <= k <= 16`.
///
/// The first line is a header if its last cell is not a number.
pub fn read(path: &Path) -> Result<Vec<f64>> {
    let text = Encoding::Auto.decode(bytes::read(path)?);
    parse(path, &text.map_err(|what| Failure::input(format!("{}: {what}", path.display())))?)
}

/// As [`read`], of the `text` of the file.
pub fn parse(path: &Path, text: &[u8]) -> Result<Vec<f64>> {
    let mut values = Vec::new();
    let mut indexed = Vec::new();
    let mut header = false;
    for (row, record) in reader(text).into_records().enumerate() {
        let record = record.map_err(|e| failure(path, text, &e))?;
        let at = Place { path, line: line(text, record.position()) };
        if row == 0 && record.iter().next_back().is_some_and(|cell| cell.parse::<f64>().is_err()) {
            header = true;
            continue;
        }
        if values.len() == 1 << MAX_INDEX_BITS {
            return Err(at.says("more than 65536 values"));
        }
        if record.len() == 2 {
            indexed.push((at.index(&record)?, at.line));
        }
        values.push(at.value(&record)?);
    }
    if values.len() < 2 || !values.len().is_power_of_two() {
        let hint = if header { " (the first line was taken as the header)" } else { "" };
        return Err(Failure::input(format!(
            "{}: {} values{hint}; the number of values must be a power of two from 2 to 65536",
            path.display(),
            values.len()
        )));
    }
    if indexed.is_empty() { Ok(values) } else { sort(path, &values, &indexed) }
}

fn reader(text: &[u8]) -> Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).trim(Trim::All).from_reader(text)
}

/// The line of a record, counted from 1.
fn line(text: &[u8], position: Option<&Position>) -> u64 {
    position.map_or(0, |p| records::line(text, p.byte() as usize, p.line()))
}

/// What the CSV reader complains about, with file and line.
fn failure(path: &Path, text: &[u8], error: &csv::Error) -> Failure {
    let path = path.display();
    let at = format!("line {}: ", line(text, error.position()));
    Failure::input(match error.kind() {
        ErrorKind::Utf8 { .. } => format!("{path}: {at}not UTF-8 text"),
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{path}: {at}{} where the first line has {expected_len}", some(*len as usize, "cell"))
        }
        _ => format!("{path}: {error}"),
    })
}

/// Puts each value at its index; every index must occur exactly once.
fn sort(path: &Path, values: &[f64], indexed: &[(usize, u64)]) -> Result<Vec<f64>> {
    let mut sorted = vec![None; values.len()];
    for (value, &(index, line)) in values.iter().zip(indexed) {
        let at = Place { path, line };
        let Some(slot) = sorted.get_mut(index) else {
            return Err(at.says(&format!("index {index} is outside 0 to {}", values.len() - 1)));
        };
        if let Some((_, first)) = slot.replace((*value, line)) {
            return Err(at.says(&format!("index {index} occurs again, first in line {first}")));
        }
    }
    Ok(sorted.into_iter().flatten().map(|(value, _)| value).collect())
}

/// Where in the file a complaint belongs.
struct Place<'a> {
    path: &'a Path,
    line: u64,
}

impl Place<'_> {
    fn says(&self, what: &str) -> Failure {
        Failure::input(format!("{}: line {}: {what}", self.path.display(), self.line))
    }

    fn index(&self, record: &StringRecord) -> Result<usize> {
        record[0].parse().map_err(|_| self.says(&format!("index {:?} is not a whole number", &record[0])))
    }

    fn value(&self, record: &StringRecord) -> Result<f64> {
        let cell = match record.len() {
            1 => &record[0],
            2 => &record[1],
            n => return Err(self.says(&format!("{}; expected value, or index,value", some(n, "column")))),
        };
        let value = cell.parse().ok().filter(|v: &f64| v.is_finite());
        value.ok_or_else(|| self.says(&format!("value {cell:?} is not a number")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> std::result::Result<Vec<f64>, String> {
        crate::table_file::parse(Path::new("t.csv"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn values_with_and_without_index_and_header() {
        let want = Ok(vec![1.0, 2.5, -3.0, 4e2]);
        for text in [
            "1\n2.5\n-3\n4e2\n",
            "value\n1\n2.5\n-3\n4e2",
            "index,value\r\n0,1\r\n1,2.5\r\n2,-3\r\n3,4e2\r\n",
            "3,4e2\n 1 , 2.5 \n\n2,-3\n0,1\n",
            "\u{feff}value\n1\n2.5\n-3\n4e2\n",
        ] {
            assert_eq!(parse(text), want, "{text:?}");
        }
    }

    #[test]
    fn complaints_name_the_line() {
        for (text, want) in [
            ("", "0 values"),
            ("1\n2\n3\n", "3 values"),
            ("value\n1\n2\n3\n", "3 values (the first line was taken as the header)"),
            ("1\nx\n", "line 2: value \"x\" is not a number"),
            ("1\nNaN\n", "line 2: value \"NaN\" is not a number"),
            ("\r\n\n0,1\n\n0,2\n", "line 5: index 0 occurs again, first in line 3"),
            ("0,1\n0,2\n", "line 2: index 0 occurs again, first in line 1"),
            ("0,1\n2,2\n", "line 2: index 2 is outside 0 to 1"),
            ("i,v\n0,1\n-1,2\n", "line 3: index \"-1\" is not a whole number"),
            ("0,1\n0.5,2\n", "line 2: index \"0.5\" is not a whole number"),
            ("1,2,3\n4,5,6\n", "line 1: 3 columns"),
            ("0,1\n1\n", "line 2: 1 cell where the first line has 2"),
        ] {
            let got = parse(text).unwrap_err();
            assert!(got.contains(want), "{text:?}: {got}");
        }
        let long = "1\n".repeat((1 << 16) + 1);
        assert!(parse(&long).unwrap_err().contains("line 65537: more than 65536 values"));
    }
}

//! Columns of CSV text.

use prim::wipe::Wiped;

use crate::{
    cell::Cell,
    dialect::Dialect,
    records::{Records, not_utf8},
    rows::{Row, Rows, See},
    sniff,
    units::some,
};

/// The text, and what separates its cells.
pub struct Csv {
    text: Wiped<u8>,
    pub delimiter: u8,
}

impl Csv {
    pub fn of(bytes: Wiped<u8>, dialect: &Dialect) -> Result<Self, String> {
        let other = [(&b"PAR1"[..], "parquet"), (b"ARROW1\0", "arrow")];
        if let Some((_, format)) = other.iter().find(|(start, _)| bytes.starts_with(start)) {
            return Err(format!("not text; --format {format} reads what begins like this"));
        }
        let text = dialect.encoding.decode(bytes)?;
        let delimiter = dialect.delimiter.map_or_else(|| sniff::delimiter(&text), Ok)?;
        Ok(Self { text, delimiter })
    }
}

impl Rows for Csv {
    fn names(&self) -> Result<Vec<String>, String> {
        let mut records = Records::of(&self.text, self.delimiter);
        records.next()?;
        let names = (0..records.cells()).map(|i| records.cell(i).map(|cell| cell.trim().to_owned()));
        names.collect::<Option<_>>().ok_or_else(|| not_utf8(1))
    }

    fn each(&self, wanted: &[usize], see: &mut See<'_>) -> Result<(), String> {
        let mut records = Records::of(&self.text, self.delimiter);
        records.next()?;
        let expected = records.cells();
        while let Some(line) = records.next()? {
            let cell = |i: usize| records.cell(wanted[i]).map_or(Cell::Garbled, Cell::Text);
            let row: Row<'_> = &cell;
            see(
                line,
                if records.cells() == expected { Ok(row) } else { Err(unequal(expected, records.cells())) },
            );
        }
        Ok(())
    }

    fn place(&self) -> &'static str {
        "line"
    }

    fn hint(&self, names: &[String], name: &str) -> String {
        let among = |by: u8| names.iter().any(|c| c.split(char::from(by)).any(|part| part.trim() == name));
        let other = sniff::CANDIDATES.into_iter().find(|&(by, _)| by != self.delimiter && among(by));
        other.map_or(String::new(), |(_, by)| format!("; --delimiter '{by}' separates it"))
    }
}

fn unequal(first: usize, this: usize) -> String {
    format!("{} where the first line has {first}", some(this, "cell"))
}

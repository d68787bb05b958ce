//! What separates the cells of a CSV file where nobody says it.

use crate::records::Records;

/// What may, as it is shown.
pub const CANDIDATES: [(u8, &str); 4] = [(b',', ","), (b';', ";"), (b'\t', "tab"), (b'|', "|")];

/// So much of a file is looked at.
const BYTES: usize = 1 << 18;
const ROWS: usize = 100;

/// The sign by which the header has several cells, and the first rows as many. In a file of one column it makes no
/// difference.
///
/// # Errors
/// Two that fit alike.
pub fn delimiter(text: &[u8]) -> Result<u8, String> {
    let fits: Vec<(u8, &str, Fit)> =
        CANDIDATES.iter().map(|&(by, name)| (by, name, Fit::of(text, by))).collect();
    let several = || fits.iter().filter(|(.., fit)| fit.cells > 1);
    let Some(most) = several().map(|(.., fit)| fit.share()).max() else {
        // One column: such a sign in a row is a part of its cell.
        let alone = fits.iter().find(|(.., fit)| fit.cells == 1 && fit.alike == fit.rows);
        return Ok(alone.map_or(b',', |(by, ..)| *by));
    };
    let best: Vec<_> = several().filter(|(.., fit)| fit.share() == most).collect();
    match best[..] {
        [(by, ..)] => Ok(*by),
        _ => {
            let cells = |(_, name, fit): &&(u8, &str, Fit)| format!("'{name}' into {} columns", fit.cells);
            let all: Vec<String> = best.iter().map(cells).collect();
            Err(format!(
                "its first lines can be separated by {}: --delimiter says which it is",
                all.join(", or by ")
            ))
        }
    }
}

/// How a sign fits.
struct Fit {
    /// Of the header.
    cells: usize,
    /// Rows that were looked at, and those with as many cells as the header.
    rows: usize,
    alike: usize,
}

impl Fit {
    fn of(text: &[u8], by: u8) -> Self {
        let part = &text[..text.len().min(BYTES)];
        let mut records = Records::of(part, by);
        let mut fit = Self { cells: 0, rows: 0, alike: 0 };
        // What is no text is said when it is read.
        while fit.rows < ROWS && records.next().is_ok_and(|line| line.is_some()) {
            // The last one may go on.
            let cut = part.len() < text.len() && records.at_end();
            match fit.cells {
                0 => fit.cells = records.cells(),
                cells if !cut => {
                    fit.rows += 1;
                    fit.alike += usize::from(records.cells() == cells);
                }
                _ => {}
            }
        }
        fit
    }

    /// Of the rows those that fit, in hundredths; of none all do.
    fn share(&self) -> usize {
        (100 * self.alike).checked_div(self.rows).unwrap_or(100)
    }
}

#[cfg(test)]
mod tests {
    use prim::{Block, Prg};

    use super::*;

    #[test]
    fn what_fits_alone_is_taken() {
        for (text, want) in [
            ("id,score\na,1\n", b','),
            ("id;score\na;1,5\nb;2,25\n", b';'),
            ("id\tscore\na, b\t1\n", b'\t'),
            ("id|score\na|1\n", b'|'),
            ("\u{feff}id;score\r\na;1\r\n", b';'),
            ("\"a,b\";c\n1;2\n", b';'),
            ("name, first;income\nAnn;5\n", b';'),
            // Rows that are bad say so by themselves.
            ("id,score\na\nb,1,2\n", b','),
            ("id,score\n", b','),
            ("id\n1,5\n2,5\n", b';'),
            ("id\na\nb\n", b','),
            ("", b','),
            ("id;\"a\nb,c\"\n1;2\n", b';'),
        ] {
            assert_eq!(delimiter(text.as_bytes()), Ok(want), "{text:?}");
        }
        for (text, want) in [
            ("a,b;c\n1,2;3\n", "',' into 2 columns, or by ';' into 2 columns"),
            ("a,b;c\n", "--delimiter says which"),
            ("id,x;y\nq,1;2\nr,3;4\n", "its first lines can be separated by"),
        ] {
            let got = delimiter(text.as_bytes()).unwrap_err();
            assert!(got.contains(want), "{text:?}: {got}");
        }
    }

    /// Tables of random cells, in which other signs stand too, as another crate writes them: the sign that it was told is
    /// found, or two are named, that one among them.
    #[test]
    fn tables_are_separated_as_they_were_written() {
        const CHARS: [char; 12] = ['a', '1', '.', ',', ';', '\t', '|', '"', '\n', ' ', '\u{fc}', '0'];
        let mut prg = Prg::new(Block(61));
        let mut draw = |below: usize| prg.below(below as u32) as usize;
        let (mut found, mut refused) = (0, 0);
        for _ in 0..4000 {
            let (by, name) = CANDIDATES[draw(4)];
            let (columns, rows) = (2 + draw(4), 1 + draw(8));
            // Of a few kinds of signs only, as people's cells are.
            let signs = 1 + draw(CHARS.len());
            let mut to = csv::WriterBuilder::new().delimiter(by).from_writer(Vec::new());
            for row in 0..=rows {
                let cells: Vec<String> = (0..columns)
                    .map(|i| match (row, draw(4)) {
                        (0, 1..) => format!("c{i}"),
                        _ => (0..1 + draw(5)).map(|_| CHARS[draw(signs)]).collect(),
                    })
                    .collect();
                to.write_record(&cells).unwrap();
            }
            let text = to.into_inner().unwrap();
            match delimiter(&text) {
                Ok(sign) => {
                    assert_eq!(sign, by, "{:?}", String::from_utf8_lossy(&text));
                    found += 1;
                }
                Err(what) => {
                    assert!(what.contains(&format!("'{name}'")), "{what}");
                    refused += 1;
                }
            }
        }
        assert!(found > 3000 && refused > 10, "{found} found, {refused} refused");
    }
}

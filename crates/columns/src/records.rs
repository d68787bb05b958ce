//! CSV text, cut into records.

use prim::wipe::Wiped;

/// The records of a text, one after another. The crate `csv` would do, but it leaves what it reads in memory that
/// nobody wipes.
pub struct Records<'a> {
    core: csv_core::Reader,
    text: &'a [u8],
    /// Where the next record begins.
    at: usize,
    /// The cells of the last one, side by side, and where each ends.
    cells: Wiped<u8>,
    ends: Vec<usize>,
    count: usize,
}

impl<'a> Records<'a> {
    pub fn of(text: &'a [u8], delimiter: u8) -> Self {
        let core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        Self { core, text, at: 0, cells: Wiped::zeros(1 << 10), ends: vec![0; 1 << 5], count: 0 }
    }

    /// Reads a record; the line in which it begins, counted from 1.
    pub fn next(&mut self) -> Result<Option<u64>, String> {
        use csv_core::ReadRecordResult::{End, InputEmpty, OutputEndsFull, OutputFull, Record};
        let text = &self.text[self.at..];
        let line = line(self.text, self.at, self.core.line());
        let (mut filled, mut ended) = (0, 0);
        // Behind the text the end of a line ends a record, unless a cell is open, which a mark would close.
        let inputs: [&[u8]; 3] = if text.is_empty() { [text; 3] } else { [text, b"\n", b"\"\n"] };
        for (i, mut input) in inputs.into_iter().enumerate() {
            while !input.is_empty() {
                let (cells, ends) = (&mut self.cells[filled..], &mut self.ends[ended..]);
                let (result, read, wrote, cut) = self.core.read_record(input, cells, ends);
                (input, filled, ended) = (&input[read..], filled + wrote, ended + cut);
                self.at += if i == 0 { read } else { 0 };
                match result {
                    InputEmpty | End => {}
                    OutputFull => _ = self.cells.extend_zeros(filled),
                    OutputEndsFull => self.ends.resize(2 * ended, 0),
                    Record if i == 2 => return Err(not_closed(line)),
                    Record => {
                        self.count = ended;
                        let text =
                            self.cells[..filled].is_ascii() || (0..ended).all(|i| self.cell(i).is_some());
                        return if text { Ok(Some(line)) } else { Err(not_utf8(line)) };
                    }
                }
            }
        }
        self.count = 0;
        Ok(None)
    }

    /// Whether nothing is left behind the last record.
    pub fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// How many cells the record has.
    pub fn cells(&self) -> usize {
        self.count
    }

    /// One of them, if it is text.
    pub fn cell(&self, i: usize) -> Option<&str> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        str::from_utf8(&self.cells[start..self.ends[i]]).ok()
    }
}

/// The line of the record that a reader found at the byte `at`, where it had counted up to `line`: that of the first
/// empty line before the record.
pub fn line(text: &[u8], at: usize, line: u64) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    let empty = rest.iter().take_while(|b| b"\r\n".contains(b)).filter(|&&b| b == b'\n').count();
    line + empty as u64
}

/// What is said of what is no text.
pub fn not_utf8(line: u64) -> String {
    format!("line {line}: not UTF-8 text; --encoding windows-1252 reads what older Windows programs write")
}

fn not_closed(line: u64) -> String {
    format!(
        "line {line}: a quotation mark in the row that begins here is not closed up to the end of the file"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(text: &str) -> Result<usize, String> {
        let mut records = Records::of(text.as_bytes(), b',');
        let mut count = 0;
        while records.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// All texts of up to seven of some signs: a mark that opens a cell and is not closed is seen, and nothing else is.
    #[test]
    fn marks_that_are_not_closed_are_seen() {
        const SIGNS: [char; 4] = ['a', ',', '"', '\n'];
        for length in 0..=7u32 {
            for number in 0..4usize.pow(length) {
                let text: String = (0..length).map(|i| SIGNS[number >> (2 * i) & 3]).collect();
                // Marks count at the beginning of a cell; in it, two stand for one, and one ends what is quoted.
                let (mut open, mut begins, mut signs) = (false, true, text.chars().peekable());
                while let Some(sign) = signs.next() {
                    match (sign, open) {
                        ('"', true) if signs.peek() == Some(&'"') => _ = signs.next(),
                        ('"', true) => (open, begins) = (false, false),
                        ('"', false) if begins => open = true,
                        (',' | '\n', false) => begins = true,
                        _ => begins = false,
                    }
                }
                assert_eq!(last(&text).is_err(), open, "{text:?}: {:?}", last(&text));
            }
        }
        let error = last("id,x\na,1\n\nb,\"2\nc,3\n").unwrap_err();
        assert!(error.starts_with("line 4: a quotation mark"), "{error}");
    }
}

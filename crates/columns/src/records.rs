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
        let line = line(self.text, self.at, self.core.line());
        let (mut filled, mut ended) = (0, 0);
        loop {
            let (cells, ends) = (&mut self.cells[filled..], &mut self.ends[ended..]);
            let (result, read, wrote, cut) = self.core.read_record(&self.text[self.at..], cells, ends);
            (self.at, filled, ended) = (self.at + read, filled + wrote, ended + cut);
            match result {
                InputEmpty => {}
                OutputFull => _ = self.cells.extend_zeros(filled),
                OutputEndsFull => self.ends.resize(2 * ended, 0),
                End => {
                    self.count = 0;
                    return Ok(None);
                }
                Record => {
                    self.count = ended;
                    let text = self.cells[..filled].is_ascii() || (0..ended).all(|i| self.cell(i).is_some());
                    return if text { Ok(Some(line)) } else { Err(not_utf8(line)) };
                }
            }
        }
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

/// What is said of it.
pub fn not_utf8(line: u64) -> String {
    format!("line {line}: not UTF-8 text; --encoding windows-1252 reads what older Windows programs write")
}

//! The files that numbers come from: columns, and shares of earlier results.

use std::{cell::RefCell, path::Path, sync::Arc};

use hushtable::{
    Role,
    math::{self, Domain},
};
use prim::wipe::Wiped;

use crate::{
    bytes::read,
    dialect::Dialect,
    failure::{Failure, Result},
    file::{ColumnFile, Columns},
    ids::Ids,
    rounding::Rounding,
    scale::Format,
    shares::ShareFile,
    style::Style,
};

/// A file that was read.
pub struct Source<'a> {
    pub path: &'a Path,
    /// None of a share file.
    columns: Option<ColumnFile<'a>>,
    /// If it is a share file.
    pub shares: Option<Arc<ShareFile>>,
}

/// This party's addends or shares of a batch of numbers.
pub struct Operand {
    pub words: Wiped<u64>,
    /// The least and the greatest value of the numbers, times `2^fraction_bits`.
    pub range: [i64; 2],
    /// What the parties compare about them: at P0, at P1.
    pub pairing: [String; 2],
    /// How far a number may lie from what it stands for, where that is known.
    pub error: Option<f64>,
}

/// What names the rows of an operand, and the operand.
pub type Rows = (Option<Arc<Ids>>, Operand);

impl<'a> Source<'a> {
    pub fn open(path: &'a Path, dialect: &'a Dialect) -> Result<Self> {
        Self::of(path, read(path)?, dialect)
    }

    /// The file at `path`, which holds `bytes`.
    pub fn of(path: &'a Path, bytes: Wiped<u8>, dialect: &'a Dialect) -> Result<Self> {
        let Some(shares) = ShareFile::read(path, &bytes)? else {
            return Ok(Self { path, columns: Some(ColumnFile::of(path, bytes, dialect)?), shares: None });
        };
        let source = Self { path, columns: None, shares: Some(shares.into()) };
        if !dialect.leave_out.is_empty() {
            return Err(source.says("--leave-out is for files of columns; all rows of a share file are used"));
        }
        Ok(source)
    }

    /// Results of an earlier step, in place of a file.
    pub fn earlier(path: &'a Path, shares: Arc<ShareFile>) -> Self {
        Self { path, columns: None, shares: Some(shares) }
    }

    /// How results of its rows are written, if they are named by the column `id`.
    pub fn style(&self, id: Option<&str>) -> Style {
        match (&self.columns, &self.shares) {
            (Some(file), _) => file.style().of_ids(id.as_slice(), ""),
            (None, Some(shares)) => shares.style.clone().unwrap_or_default(),
            (None, None) => Style::default(),
        }
    }

    /// The names of its columns; none of shares.
    pub fn header(&self) -> Result<Vec<String>> {
        self.columns.as_ref().map_or(Ok(Vec::new()), ColumnFile::header)
    }

    /// The format that the file says its numbers have.
    pub fn format(&self) -> Option<Format> {
        self.shares.as_ref().map(|file| Format { bits: file.bits, fraction_bits: file.fraction_bits })
    }

    /// A column as table indices, each number within this party's half of `domain`; or all shares, whose
    /// range the domain must hold.
    pub fn indices(&self, column: Option<&str>, id: Option<&str>, domain: &Domain) -> Result<Rows> {
        let Some(file) = self.shared(column)? else {
            let encode = |number| match domain.encode(number) {
                Some(value) => Ok(value as u64),
                None => {
                    let rounded = match domain.fraction_bits() {
                        0 => "a whole number".to_owned(),
                        bits => format!("a multiple of 2^-{bits} = {}", 2f64.powi(-(bits as i32))),
                    };
                    Err(format!("is outside {}, rounded to {rounded}", domain.half()))
                }
            };
            let range = [domain.lo(), domain.lo() + (1 << domain.index_bits()) - 1];
            return self.column(column, id, range, (domain.fraction_bits(), Rounding::Nearest), encode);
        };
        if !domain.contains(file.range) {
            let scale = 2f64.powi(file.fraction_bits as i32);
            let [least, greatest] = file.range.map(|v| v as f64 / scale);
            return Err(self.says(&format!(
                "shares of values from {least} to {greatest}, which domain {domain} does not hold; give a larger \
                 --domain here or a smaller one where the shares are made"
            )));
        }
        Ok(self.all_shares(file, id))
    }

    /// A column in `format`, or all shares.
    pub fn numbers(
        &self,
        column: Option<&str>,
        id: Option<&str>,
        format: Format,
        rounding: Rounding,
    ) -> Result<Rows> {
        self.numbers_within(column, id, format, format.range(), rounding)
    }

    /// A column in `format` of parts of sums in `reach`, or all shares, whatever their range.
    pub fn numbers_within(
        &self,
        column: Option<&str>,
        id: Option<&str>,
        format: Format,
        reach: [i64; 2],
        rounding: Rounding,
    ) -> Result<Rows> {
        let [least, most] = format.range();
        let range = [least.max(reach[0]), most.min(reach[1])];
        match self.shared(column)? {
            None => self.column(column, id, range, (format.fraction_bits, rounding), |number| {
                format.encode_within(number, range, rounding)
            }),
            Some(file) if self.format() == Some(format) => Ok(self.all_shares(file, id)),
            Some(file) if file.bits == format.bits && file.fraction_bits < format.fraction_bits => {
                self.finer(file, id, format)
            }
            Some(file) => Err(self.says(&format!(
                "shares of {} bits with {} after the point; {} bits with {} are wanted",
                file.bits, file.fraction_bits, format.bits, format.fraction_bits
            ))),
        }
    }

    /// Zeros where the peer alone has the numbers, with the names of the rows.
    pub fn nothing(&self, id: Option<&str>, format: Format, rounding: Rounding) -> Result<Rows> {
        let rows = self.read::<u64>(&[], id, |_| Ok(0))?;
        let words = Wiped::zeros(rows.places.len());
        let (range, error) = (format.range(), Some(rounding.of_sums() * format.rounding()));
        Ok((rows.ids.map(Arc::new), Operand { words, range, pairing: numbers(), error }))
    }

    /// All shares, of numbers with more digits after the point.
    fn finer(&self, file: &ShareFile, id: Option<&str>, format: Format) -> Result<Rows> {
        let more = format.fraction_bits - file.fraction_bits;
        let [least, most] = format.range();
        let range = file.range.map(|end| i128::from(end) << more);
        if range[0] < i128::from(least) || range[1] > i128::from(most) {
            return Err(self.says(&format!(
                "shares with {} bits after the point, of numbers too large for the {} that are wanted: make them with a \
                 smaller range, or the others with fewer --output-fraction-bits",
                file.fraction_bits, format.fraction_bits
            )));
        }
        let (ids, x) = self.all_shares(file, id);
        let mask = u64::MAX >> (64 - format.bits);
        let words = x.words.iter().map(|word| (word << more) & mask).collect::<Vec<_>>();
        Ok((ids, Operand { words: words.into(), range: range.map(|end| end as i64), ..x }))
    }

    /// The share file; it has no columns.
    fn shared(&self, column: Option<&str>) -> Result<Option<&ShareFile>> {
        match (&self.shares, column) {
            (Some(_), Some(_)) => Err(self.says("a share file has no columns; leave the column's name out")),
            (shares, _) => Ok(shares.as_deref()),
        }
    }

    fn column(
        &self,
        column: Option<&str>,
        id: Option<&str>,
        range: [i64; 2],
        (fraction_bits, rounding): (u32, Rounding),
        encode: impl Fn(f64) -> std::result::Result<u64, String>,
    ) -> Result<Rows> {
        let Some(column) = column else {
            return Err(self.says("--column NAME says which column holds the numbers"));
        };
        let rounded = RefCell::new(Rounded::none());
        let scale = 2f64.powi(fraction_bits as i32);
        let mut read = self.read(&[column], id, |number| {
            rounded.borrow_mut().see(number, scale);
            encode(number)
        })?;
        let words = read.values.pop().expect("one column");
        if let Some(note) =
            rounded.into_inner().note(words.len(), (fraction_bits, rounding), " at both parties")
        {
            let note = match rounding {
                Rounding::Equal { sums: true } => {
                    return Err(self.says(&format!("column {column}: {note}; {APART}; {EXACT}")));
                }
                Rounding::Equal { sums: false } => {
                    format!("{note}; if these are parts of sums, {APART}: {EXACT}")
                }
                _ => note,
            };
            eprintln!("{}, column {column}: {note}", self.path.display());
        }
        let error = Some(rounding.of_sums() / scale);
        Ok((read.ids.map(Arc::new), Operand { words, range, pairing: numbers(), error }))
    }

    fn read<T: bytemuck::Pod>(
        &self,
        columns: &[&str],
        id: Option<&str>,
        encode: impl Fn(f64) -> std::result::Result<T, String>,
    ) -> Result<Columns<T>> {
        let file = self.columns.as_ref().ok_or_else(|| self.says("a share file has no columns"))?;
        file.read(columns, id, encode)
    }

    fn all_shares(&self, file: &ShareFile, id: Option<&str>) -> Rows {
        let pairing = [Role::P0, Role::P1].map(|role| file.pairing(role));
        let ids = file.ids.clone().filter(|_| id.is_some());
        let words = file.shares.to_vec().into();
        (ids, Operand { words, range: file.range, pairing, error: file.error })
    }

    /// A complaint about the file.
    pub fn says(&self, what: &str) -> Failure {
        Failure::input(format!("{}: {what}", self.path.display()))
    }
}

/// What the user should know of numbers that are rounded to multiples of `2^-fraction_bits`, where these do not tell their
/// decimals apart.
pub fn rounded(numbers: impl Iterator<Item = f64>, fraction_bits: u32) -> Option<String> {
    let mut rounded = Rounded::none();
    let count = numbers.map(|number| rounded.see(number, 2f64.powi(fraction_bits as i32))).count();
    let note = rounded.note(count, (fraction_bits, Rounding::Nearest), "")?;
    (rounded.wanted() > fraction_bits).then_some(note)
}

impl Operand {
    /// This party's share of a public word, which both call `name`.
    pub fn word(word: i64, rows: usize, role: Role, name: String) -> Self {
        let mine = match role {
            Role::P0 => word as u64,
            Role::P1 => 0,
        };
        let pairing = [name.clone(), name];
        Self { words: vec![mine; rows].into(), range: [word; 2], pairing, error: Some(0.0) }
    }
}

/// Numbers with more digits than are kept.
struct Rounded {
    count: usize,
    /// The first of them.
    first: Wiped<f64>,
}

/// Most digits that can be asked for.
const MOST_BITS: u32 = 32;

/// What rounding does to eq and ne, and what they take.
const APART: &str = "sums that are equal as they are written may then differ, as 0.1 + 0.2 and 0.3";
const EXACT: &str = "give whole units, such as cents, or ask by ge and le, which both say yes of equal sums";

/// Numbers that are looked at to say how many digits would do.
const LOOKED_AT: usize = 1000;

impl Rounded {
    fn none() -> Self {
        Self { count: 0, first: Wiped::zeros(0) }
    }

    fn see(&mut self, number: f64, scale: f64) {
        if (number * scale).fract() != 0.0 {
            self.count += 1;
            if self.first.len() < LOOKED_AT {
                self.first.extend_from_slice(&[number]);
            }
        }
    }

    /// Digits that the first of them need.
    fn wanted(&self) -> u32 {
        math::fraction_bits(&self.first)
    }

    /// Digits with which the first of them are not rounded.
    fn exact(&self) -> u32 {
        let held =
            |bits: &u32| self.first.iter().all(|number| (number * 2f64.powi(*bits as i32)).fract() == 0.0);
        (0..=MOST_BITS).find(held).unwrap_or(u32::MAX)
    }

    /// What the user should know, of so many numbers. `at`: where more digits are asked for. Sums of numbers that were not
    /// rounded to nearest need two digits more, so that they are no step of the decimals apart.
    fn note(&self, of: usize, (fraction_bits, rounding): (u32, Rounding), at: &str) -> Option<String> {
        if self.count == 0 {
            return None;
        }
        let wanted = match rounding {
            Rounding::Nearest | Rounding::Equal { sums: false } => self.wanted(),
            Rounding::Up | Rounding::Down => self.wanted() + 2,
            Rounding::Equal { sums: true } => self.exact(),
        };
        let (count, step) = (self.count, 2f64.powi(-(fraction_bits as i32)));
        let more = if wanted > fraction_bits && wanted <= MOST_BITS {
            format!("; --fraction-bits {wanted}{at} would keep the digits they are written with")
        } else {
            String::new()
        };
        Some(format!("{count} of {of} numbers are rounded to multiples of 2^-{fraction_bits} = {step}{more}"))
    }
}

/// What the parties compare about numbers that each has in the clear.
fn numbers() -> [String; 2] {
    ["numbers", "numbers"].map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_is_said() {
        let note = |numbers: &[f64]| {
            let mut rounded = Rounded::none();
            numbers.iter().for_each(|&number| rounded.see(number, 256.0));
            rounded.note(numbers.len(), (8, Rounding::Nearest), "")
        };
        assert_eq!(note(&[1.0, -0.5, 3.00390625]), None);
        let text = note(&[1.0, 0.12, -7.125, 0.333]).expect("a note");
        assert!(text.starts_with("2 of 4 numbers are rounded to multiples of 2^-8 = 0.00390625"), "{text}");
        assert!(text.contains("--fraction-bits 10 "), "{text}");
        assert!(!note(&[0.012345678901]).expect("a note").contains("--fraction-bits"), "37 are too many");
        // 2 decimals are told apart by 7 bits.
        assert!(!note(&[0.12]).expect("a note").contains("--fraction-bits"));
        // What is to be equal is not rounded by these.
        let equal = |number: f64| {
            let mut rounded = Rounded::none();
            rounded.see(number, 256.0);
            rounded.note(1, (8, Rounding::Equal { sums: true }), "").expect("a note")
        };
        assert!(equal(0.0009765625).contains("--fraction-bits 10 "));
        assert!(!equal(0.333).contains("--fraction-bits"));
    }
}

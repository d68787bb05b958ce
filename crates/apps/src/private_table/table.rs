//! A table as it is read: what its columns are, and its rows as bits.

use std::cmp::Ordering;

use hushtable::{
    Error, Result,
    confidential::{
        copy::{CopyJob, Lookups, Owner},
        prf::Cipher,
    },
};
use prim::Wiped;

use super::{Field, Key, KeyKind, Places, Reading, Scale, Value, ValueKind, date::DAYS, description::job};

/// Lookups for which the choice of places is made.
pub(super) const BATCH: usize = 1 << 12;

/// Most bits of a key with a place for each that there could be.
const DENSE_BITS: u32 = 24;

/// What is known of a column before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// What its cells are.
    pub kind: Option<Kind>,
    /// Bits of its numbers or bytes of its text.
    pub width: Option<u32>,
}

/// What the cells of a column are, without their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers.
    Number(Scale),
    /// Text.
    Text,
    /// Dates.
    Date,
}

/// What a column has been seen to hold.
#[derive(Clone, Copy)]
struct Seen {
    numbers: bool,
    /// Whole numbers in the form in which they would be written again.
    plain: bool,
    dates: bool,
    digits: u32,
    /// Without their points.
    least: i128,
    most: i128,
    /// Bytes of the longest text.
    bytes: u32,
}

/// A first look at all rows, from which the form of a table follows where it is not given.
pub struct Survey {
    key: Seen,
    values: Vec<Seen>,
    /// The largest sizes of numbers, by the digits behind their points.
    sizes: Vec<[i128; 19]>,
    rows: usize,
}

impl Seen {
    const NOTHING: Self = Self {
        numbers: true,
        plain: true,
        dates: true,
        digits: 0,
        least: i128::MAX,
        most: i128::MIN,
        bytes: 0,
    };

    /// Takes a cell in. Of what is missing or bad the second look will tell.
    fn see(&mut self, field: &Field<'_>) -> Option<(i128, u32)> {
        let text = field.text().unwrap_or_default();
        self.bytes = self.bytes.max(u32::try_from(text.len()).unwrap_or(u32::MAX));
        self.dates &= matches!(field, Field::Date(_) | Field::Missing);
        let number = field.decimal().ok();
        // Empty cells say nothing of what the others are.
        self.numbers &= number.is_some() || text.is_empty();
        let (number, digits) = number?;
        self.plain &= digits == 0 && *text == number.to_string();
        self.digits = self.digits.max(digits);
        self.least = self.least.min(number);
        self.most = self.most.max(number);
        Some((number, digits))
    }
}

impl Survey {
    /// Of a table with so many columns of values.
    pub fn new(values: usize) -> Self {
        Self {
            key: Seen::NOTHING,
            values: vec![Seen::NOTHING; values],
            sizes: vec![[0; 19]; values],
            rows: 0,
        }
    }

    /// Looks at a row.
    pub fn see<'f>(&mut self, key: &Field<'f>, value: impl Fn(usize) -> Field<'f>) {
        self.rows += 1;
        self.key.see(key);
        for (i, seen) in self.values.iter_mut().enumerate() {
            if let Some((number, digits)) = seen.see(&value(i)) {
                let size = &mut self.sizes[i][digits as usize];
                *size = (*size).max(number.saturating_abs());
            }
        }
    }

    /// What a column of values is.
    ///
    /// # Errors
    /// What does not fit.
    pub fn value(&self, column: usize, limits: Limits) -> std::result::Result<ValueKind, String> {
        let seen = &self.values[column];
        let kind = limits.kind.unwrap_or(match () {
            () if self.rows > 0 && seen.dates && seen.bytes > 0 => Kind::Date,
            () if seen.numbers && seen.most >= seen.least => Kind::Number(Scale::Decimal(seen.digits)),
            () => Kind::Text,
        });
        let found = match kind {
            Kind::Date => ValueKind::Date,
            Kind::Text => ValueKind::Text { bytes: limits.width.unwrap_or(seen.bytes.max(1)) },
            Kind::Number(scale) => {
                let bits = limits.width.or_else(|| self.width(column, scale));
                let bits = bits.ok_or("numbers that 64 bits do not hold")?;
                ValueKind::Number { scale, bits }
            }
        };
        found.check().map(|()| found)
    }

    /// Bits that hold all numbers of a column, if any do.
    fn width(&self, column: usize, scale: Scale) -> Option<u32> {
        let units = |(digits, &size): (usize, &i128)| {
            let digits = digits as u32;
            match scale {
                // Those with more digits the second look names.
                Scale::Decimal(scale) => size.checked_mul(10i128.pow(scale.saturating_sub(digits))),
                Scale::Binary(fraction) => Some((size.checked_mul(1 << fraction)? / 10i128.pow(digits)) + 1),
            }
        };
        let largest = self.sizes[column].iter().enumerate().map(units);
        let largest = largest.collect::<Option<Vec<i128>>>()?.into_iter().max()?;
        // The sign, and the least number of all, which has no positive one.
        let bits = 128 - largest.leading_zeros() + 1;
        (bits <= 64).then_some(bits.max(2))
    }

    /// What keys are, and where rows stand, no more than `pad` of them if that is given: in whatever takes fewer bytes
    /// for a copy and 4096 lookups.
    ///
    /// # Errors
    /// What does not fit.
    pub fn key(
        &self,
        wanted: Option<Kind>,
        (range, hash_bits): (Option<[i64; 2]>, u32),
        values: &[Value],
        (pad, cipher): (Option<u32>, Cipher),
    ) -> std::result::Result<(KeyKind, Places), String> {
        let seen = &self.key;
        let kind = wanted.unwrap_or(match () {
            () if self.rows > 0 && seen.dates && seen.bytes > 0 => Kind::Date,
            () if seen.numbers
                && seen.plain
                && i64::try_from(seen.least).is_ok()
                && i64::try_from(seen.most).is_ok() =>
            {
                Kind::Number(Scale::Decimal(0))
            }
            () => Kind::Text,
        });
        let rows = pad.unwrap_or(0).max(u32::try_from(self.rows).unwrap_or(u32::MAX));
        let sparse = Places::Sparse { rows };
        let bits_of =
            |range: [i64; 2]| (128 - (i128::from(range[1]) - i128::from(range[0])).leading_zeros()).max(1);
        let (dense, other) = match (kind, range) {
            (Kind::Text, None) => (None, KeyKind::Text { bits: hash_bits }),
            (Kind::Text, Some(_)) => return Err("text has no range".into()),
            (Kind::Date, range) => {
                let [least, most] = range.unwrap_or(DAYS);
                let kind = KeyKind::Date { least, bits: bits_of([least, most]) };
                (Some(kind), kind)
            }
            (Kind::Number(_), Some(range)) => {
                let kind = KeyKind::Whole { least: range[0], bits: bits_of(range) };
                (Some(kind), kind)
            }
            (Kind::Number(_), None) => {
                let most =
                    i64::try_from(seen.most).ok().filter(|&most| seen.least >= 0 && most < 1 << DENSE_BITS);
                let dense = most.map(|most| KeyKind::Whole { least: 0, bits: bits_of([0, most]) });
                (dense, KeyKind::Whole { least: i64::MIN, bits: 64 })
            }
        };
        let bytes = |kind: KeyKind, places| bytes(&job(kind, values, (places, BATCH as u64), cipher));
        match dense.filter(|kind| kind.bits() <= DENSE_BITS) {
            Some(kind) if bytes(kind, Places::Dense) <= bytes(other, sparse) => Ok((kind, Places::Dense)),
            _ => Ok((other, sparse)),
        }
    }
}

/// Bytes of a copy and of a batch of lookups in it; none if there is no such copy.
fn bytes(job: &CopyJob) -> f64 {
    let Ok(bill) = Lookups::bill(job, BATCH.min(job.most()).max(1)) else { return f64::INFINITY };
    let sent = bill.offline.bits.iter().chain(&bill.online.bits).sum::<u64>() as f64;
    (job.copy_bits() as f64 + sent) / 8.0
}

/// A table's rows as bits. Wiped when it is dropped.
pub struct Table {
    key: KeyKind,
    values: Vec<ValueKind>,
    reading: Reading,
    keys: Wiped<u128>,
    rows: Wiped<u64>,
    row_words: usize,
}

impl Table {
    /// Without rows yet, of this form; read in this way.
    pub fn new(key: &Key, values: &[Value], reading: Reading) -> Self {
        let values: Vec<ValueKind> = values.iter().map(|value| value.kind).collect();
        let bits: usize = values.iter().map(|kind| kind.bits() as usize).sum();
        let (keys, rows) = (Wiped::default(), Wiped::default());
        Self { key: key.kind, values, reading, keys, rows, row_words: bits.div_ceil(64) }
    }

    /// Takes a row in, whether all of it can be or not.
    ///
    /// # Errors
    /// For each bad cell its column of values, or none for the key, and why, to be read after "it".
    pub fn push<'f>(
        &mut self,
        key: &Field<'f>,
        value: impl Fn(usize) -> Field<'f>,
    ) -> std::result::Result<(), Vec<(Option<usize>, String)>> {
        let mut bad = Vec::new();
        let key = match self.key.read(key, self.reading) {
            Ok(Some(key)) => key,
            Ok(None) => {
                bad.push((None, format!("is outside the keys of this table, {}", self.key.words())));
                0
            }
            Err(what) => {
                bad.push((None, what));
                0
            }
        };
        self.keys.extend_from_slice(&[key]);
        let (row, mut at) = (self.rows.extend_zeros(self.row_words), 0);
        for (i, kind) in self.values.iter().enumerate() {
            if let Err(what) = kind.write(&value(i), self.reading.order, row, at) {
                bad.push((Some(i), what));
            }
            at += kind.bits() as usize;
        }
        if bad.is_empty() { Ok(()) } else { Err(bad) }
    }

    /// Rows so far.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Rows whose key another has before them, each with the first one that has it.
    pub fn twice(&self) -> Vec<[usize; 2]> {
        let mut order = Wiped::from((0..self.len() as u64).collect::<Vec<u64>>());
        let key = |row: u64| self.keys[row as usize];
        // In place: a stable one would make a copy.
        order.sort_unstable_by(|&a, &b| match key(a).cmp(&key(b)) {
            Ordering::Equal => a.cmp(&b),
            other => other,
        });
        let (mut twice, mut first) = (Vec::new(), order.first().copied().unwrap_or(0));
        for pair in order.windows(2) {
            if key(pair[0]) == key(pair[1]) {
                twice.push([first as usize, pair[1] as usize]);
            } else {
                first = pair[1];
            }
        }
        twice.sort_unstable_by_key(|rows| rows[1]);
        twice
    }

    /// Tells it from tables with other rows, also with the same ones in another order. Secret: guesses of the whole
    /// table can be compared with it.
    pub fn digest(&self) -> hushtable::Digest {
        let mut hash = blake3::Hasher::new();
        hash.update(bytemuck::cast_slice(&self.keys)).update(bytemuck::cast_slice(&self.rows));
        hash.finalize()
    }

    /// A version of it under a key of its own.
    ///
    /// # Errors
    /// Those of [`Owner::encrypt`].
    pub fn encrypt(&self, job: CopyJob) -> Result<Owner> {
        Owner::encrypt(job, &self.keys, &self.rows)
    }

    /// The version of this [secret](Owner::secret), if it is this table that the secret was made for.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn restore(&self, job: CopyJob, secret: &[u8]) -> Result<Option<Owner>> {
        match Owner::restore(job, &self.keys, &self.rows, secret) {
            Err(Error::Store(_)) => Ok(None),
            restored => restored.map(Some),
        }
    }
}

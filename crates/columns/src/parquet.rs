//! Columns of Parquet files. Of what is read the file itself is wiped, and the numbers; pages that were compressed and
//! dictionaries are in memory of the crate's.

use std::sync::Arc;

use bytes::Bytes;
use parquet::{
    basic::{Compression, ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical},
    column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader},
    data_type::{ByteArray, ByteArrayType, DataType, DoubleType},
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        reader::{FileReader, RowGroupReader, SerializedFileReader},
        writer::SerializedFileWriter,
    },
    schema::types::{ColumnDescriptor, Type},
};
use prim::wipe::Wiped;

use crate::{
    cell::{Cell, Time},
    guard::guarded,
    ids::Ids,
    memory::fits,
    output::Writer,
    parquet_pages::{self as pages, Bounded},
    rows::{Row, Rows, See},
    series::rows,
};

/// Rows that are read at once.
const BATCH: usize = 1 << 13;
/// Bytes of texts that are read at once, where they can be longer than what stands in the file.
const TOGETHER: u64 = 1 << 28;
/// Rows of a row group that is written.
const GROUP: usize = 1 << 20;

pub struct Parquet {
    bytes: Bytes,
    file: SerializedFileReader<Bytes>,
}

/// So that the crate's references to the bytes wipe them with the last one.
struct Shared(Wiped<u8>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Parquet {
    pub fn of(bytes: Wiped<u8>) -> Result<Self, String> {
        let bytes = Bytes::from_owner(Shared(bytes));
        let file = guarded(|| SerializedFileReader::new(bytes.clone()).map_err(damaged))?;
        Ok(Self { bytes, file })
    }

    /// The values of the column at `place` in a group of rows, and how many of them are read at once.
    fn chunk(&self, group: &dyn RowGroupReader, place: usize) -> Result<(Box<dyn Chunk>, usize), String> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        let name = schema.root_schema().get_fields()[place].name();
        let mut leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == place);
        let plain = |leaf: &usize| {
            let column = schema.column(*leaf);
            column.path().parts().len() == 1 && column.max_rep_level() == 0
        };
        let leaf = leaves.next().filter(plain).ok_or_else(|| format!("column {name:?} is nested"))?;
        let codec = group.metadata().column(leaf).compression_codec();
        if pages::most(codec).is_none() {
            return Err(format!(
                "column {name:?} is compressed with {codec}; accepted: no compression, SNAPPY, ZSTD, GZIP and LZ4_RAW, as \
                 in pandas' to_parquet(compression=\"zstd\")"
            ));
        }
        let column = schema.column(leaf);
        let values = Values::of(&column).ok_or_else(|| {
            let kind = column
                .logical_type_ref()
                .map_or(column.physical_type().to_string(), |kind| format!("{kind:?}"));
            format!(
                "column {name:?} holds {kind}; accepted: whole and floating-point numbers, decimals, booleans, dates, \
                 timestamps, text"
            )
        })?;
        let needs = guarded(|| Ok(pages::needs(&self.bytes, group.metadata().column(leaf))))?;
        let needs = needs.ok_or_else(|| damaged("a page claims to hold more than its bytes can encode"))?;
        fits(3 * needs.bytes, &format!("column {name:?}")).map_err(|failure| failure.to_string())?;
        let reader = guarded(|| {
            let pages = group.get_column_page_reader(leaf).map_err(damaged)?;
            let pages = Bounded::of(pages, column.max_def_level() > 0);
            Ok(get_column_reader(column, Box::new(pages)))
        })?;
        let most = (TOGETHER / needs.longest.max(1)).clamp(1, BATCH as u64) as usize;
        Ok((opened(reader, values), most))
    }
}

impl Rows for Parquet {
    fn names(&self) -> Result<Vec<String>, String> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        Ok(schema.root_schema().get_fields().iter().map(|field| field.name().trim().to_owned()).collect())
    }

    fn rows(&self) -> Option<u64> {
        let groups = self.file.metadata().row_groups().iter();
        Some(
            groups
                .map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX))
                .fold(0, u64::saturating_add),
        )
    }

    fn each(&self, wanted: &[usize], see: &mut See<'_>) -> Result<(), String> {
        let mut at = 0;
        for group in 0..self.file.num_row_groups() {
            let group = guarded(|| self.file.get_row_group(group).map_err(damaged))?;
            let rows = usize::try_from(group.metadata().num_rows()).map_err(|_| damaged("rows"))?;
            let chunks = wanted.iter().map(|&place| self.chunk(group.as_ref(), place));
            let mut chunks = chunks.collect::<Result<Vec<_>, _>>()?;
            let most = chunks.iter().map(|(_, most)| *most).min().unwrap_or(BATCH);
            if chunks.is_empty() {
                // Rows are where values are: their number alone says nothing.
                let mut any = (0..self.names()?.len()).map(|place| self.chunk(group.as_ref(), place));
                chunks.push(any.find_map(Result::ok).ok_or_else(|| damaged("no column that can be read"))?);
            }
            for start in (0..rows).step_by(most) {
                let count = most.min(rows - start);
                for (chunk, _) in &mut chunks {
                    if chunk.next(count)? != count {
                        return Err(damaged("a column ends early"));
                    }
                }
                for i in 0..count {
                    let cell = |column: usize| chunks[column].0.cell(i);
                    let row: Row<'_> = &cell;
                    at += 1;
                    see(at, Ok(row));
                }
            }
        }
        Ok(())
    }
}

/// What the values of a column are.
#[derive(Clone, Copy)]
enum Values {
    Signed,
    Unsigned,
    Float,
    Decimal(i32),
    Date,
    /// Units after 1970 began, so many a second.
    Time {
        per_second: i64,
        utc: bool,
    },
    /// A day and a time of 96 bits, as older programs write it; and booleans, which tell what they are.
    Other,
    Text,
}

impl Values {
    /// Of columns that are read.
    fn of(column: &ColumnDescriptor) -> Option<Self> {
        use ConvertedType as Converted;
        let decimal = (column.type_precision() <= 38).then(|| Self::Decimal(column.type_scale()));
        let whole = matches!(column.physical_type(), Physical::INT32 | Physical::INT64);
        match (column.physical_type(), column.logical_type_ref(), column.converted_type()) {
            (Physical::FLOAT | Physical::DOUBLE, None, _) => Some(Self::Float),
            (Physical::BOOLEAN | Physical::INT96, None, Converted::NONE) => Some(Self::Other),
            (Physical::BOOLEAN | Physical::INT96, ..) => None,
            (Physical::INT64, Some(LogicalType::Timestamp(kind)), _) => {
                let per_second = match kind.unit {
                    TimeUnit::MILLIS => 1000,
                    TimeUnit::MICROS => 1_000_000,
                    TimeUnit::NANOS => 1_000_000_000,
                };
                Some(Self::Time { per_second, utc: kind.is_adjusted_to_u_t_c })
            }
            (Physical::INT64, None, Converted::TIMESTAMP_MILLIS) => {
                Some(Self::Time { per_second: 1000, utc: true })
            }
            (Physical::INT64, None, Converted::TIMESTAMP_MICROS) => {
                Some(Self::Time { per_second: 1_000_000, utc: true })
            }
            (Physical::INT32, Some(LogicalType::Date), _) | (Physical::INT32, None, Converted::DATE) => {
                Some(Self::Date)
            }
            (_, Some(LogicalType::Decimal(_)), _) | (_, None, Converted::DECIMAL) => decimal,
            (_, Some(LogicalType::Integer(kind)), _) if whole => {
                Some(if kind.is_signed { Self::Signed } else { Self::Unsigned })
            }
            (_, None, Converted::UINT_8 | Converted::UINT_16 | Converted::UINT_32 | Converted::UINT_64)
                if whole =>
            {
                Some(Self::Unsigned)
            }
            (
                _,
                None,
                Converted::NONE
                | Converted::INT_8
                | Converted::INT_16
                | Converted::INT_32
                | Converted::INT_64,
            ) if whole => Some(Self::Signed),
            (Physical::BYTE_ARRAY, Some(LogicalType::String | LogicalType::Enum), _)
            | (Physical::BYTE_ARRAY, None, Converted::NONE | Converted::UTF8 | Converted::ENUM) => {
                Some(Self::Text)
            }
            _ => None,
        }
    }
}

/// The values of a column in a group of rows, some at a time.
trait Chunk {
    /// Goes on to the next rows, so many at most; how many there are.
    fn next(&mut self, most: usize) -> Result<usize, String>;
    /// The cell in one of them.
    fn cell(&self, row: usize) -> Cell<'_>;
}

fn opened(reader: ColumnReader, values: Values) -> Box<dyn Chunk> {
    match reader {
        ColumnReader::Int32ColumnReader(reader) => typed(reader, move |&v| match values {
            Values::Unsigned => Cell::Whole((v as u32).into()),
            _ => whole(v.into(), values),
        }),
        ColumnReader::Int64ColumnReader(reader) => typed(reader, move |&v| match values {
            Values::Unsigned => Cell::Whole((v as u64).into()),
            Values::Time { per_second, utc } => Cell::Time(Time::of(v, per_second, utc)),
            _ => whole(v.into(), values),
        }),
        ColumnReader::FloatColumnReader(reader) => typed(reader, |&v| Cell::Float(v.into())),
        ColumnReader::DoubleColumnReader(reader) => typed(reader, |&v| Cell::Float(v)),
        ColumnReader::ByteArrayColumnReader(reader) => typed(reader, move |v| bytes(v.data(), values)),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            typed(reader, move |v| bytes(v.data(), values))
        }
        ColumnReader::BoolColumnReader(reader) => typed(reader, |&flag| Cell::Flag(flag)),
        ColumnReader::Int96ColumnReader(reader) => typed(reader, |v| julian(v.data())),
    }
}

/// Nanoseconds of a day, their low half first, and the day as astronomers count it.
fn julian<'a>(data: &[u32]) -> Cell<'a> {
    const OF_1970: i64 = 2_440_588;
    let [low, high, day] = *data else { return Cell::Garbled };
    let nanoseconds = u64::from(low) | u64::from(high) << 32;
    match nanoseconds < 86_400_000_000_000 {
        true => Cell::Time(Time { day: i64::from(day) - OF_1970, nanoseconds, utc: false }),
        false => Cell::Garbled,
    }
}

fn whole<'a>(number: i128, values: Values) -> Cell<'a> {
    match values {
        Values::Decimal(scale) => Cell::Decimal { digits: number, scale },
        Values::Date => Cell::Date(i64::try_from(number).unwrap_or(i64::MAX)),
        _ => Cell::Whole(number),
    }
}

/// Text, or the digits of a decimal, the highest byte first.
fn bytes(data: &[u8], values: Values) -> Cell<'_> {
    let Values::Decimal(scale) = values else {
        return str::from_utf8(data).map_or(Cell::Garbled, Cell::Text);
    };
    let sign = if data.first().is_some_and(|&first| first >= 0x80) { 0xff } else { 0 };
    let (rest, low) = data.split_at(data.len().saturating_sub(16));
    if rest.iter().any(|&byte| byte != sign) {
        return Cell::Garbled;
    }
    let mut digits = [sign; 16];
    digits[16 - low.len()..].copy_from_slice(low);
    Cell::Decimal { digits: i128::from_be_bytes(digits), scale }
}

/// Of values of one type, which `cell` shows.
struct Typed<T: DataType, F> {
    reader: ColumnReaderImpl<T>,
    cell: F,
    values: Vec<T::T>,
    levels: Vec<i16>,
    /// Where the value of each row is, if it has one.
    at: Vec<Option<usize>>,
}

fn typed<T: DataType, F: Fn(&T::T) -> Cell<'_> + 'static>(
    reader: ColumnReaderImpl<T>,
    cell: F,
) -> Box<dyn Chunk> {
    let values = Vec::with_capacity(BATCH);
    Box::new(Typed { reader, cell, values, levels: Vec::with_capacity(BATCH), at: Vec::with_capacity(BATCH) })
}

impl<T: DataType, F> Typed<T, F> {
    fn wipe(&mut self) {
        self.values.fill(T::T::default());
        std::hint::black_box(&mut self.values);
        self.values.clear();
    }
}

impl<T: DataType, F: Fn(&T::T) -> Cell<'_>> Chunk for Typed<T, F> {
    fn next(&mut self, most: usize) -> Result<usize, String> {
        self.wipe();
        self.levels.clear();
        let (rows, values, _) = guarded(|| {
            let read = self.reader.read_records(most, Some(&mut self.levels), None, &mut self.values);
            read.map_err(damaged)
        })?;
        let (mut next, levels) = (0, &self.levels);
        self.at.clear();
        self.at.extend((0..rows).map(|row| {
            let there = levels.get(row).is_none_or(|&level| level > 0);
            next += usize::from(there);
            there.then(|| next - 1)
        }));
        if next == values && values == self.values.len() { Ok(rows) } else { Err(damaged("nulls")) }
    }

    fn cell(&self, row: usize) -> Cell<'_> {
        self.at[row].map_or(Cell::Null, |at| (self.cell)(&self.values[at]))
    }
}

impl<T: DataType, F> Drop for Typed<T, F> {
    fn drop(&mut self) {
        self.wipe();
    }
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("not a Parquet file that can be read: {error}")
}

/// Writes the names of rows as text, and a column of floating-point numbers.
pub fn write(
    to: &mut Writer<'_>,
    ids: Option<(&str, &Ids)>,
    numbers: &[(&str, &[f64])],
) -> Result<(), ParquetError> {
    let field = |name: &str, physical, logical| {
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
        field.with_logical_type(logical).build().map(Arc::new)
    };
    let id = ids.map(|(name, _)| field(name, Physical::BYTE_ARRAY, Some(LogicalType::String)));
    let numbered = numbers.iter().map(|(column, _)| field(column, Physical::DOUBLE, None));
    let ids = ids.map(|(_, ids)| ids);
    let fields = id.into_iter().chain(numbered).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(to, schema, Arc::new(properties))?;
    let rows = rows(ids, numbers);
    for start in (0..rows).step_by(GROUP) {
        let group = start..rows.min(start + GROUP);
        let mut writer = file.next_row_group()?;
        if let Some(ids) = ids {
            let ids: Vec<ByteArray> =
                group.clone().filter_map(|row| ids.get(row)).map(ByteArray::from).collect();
            let mut column = writer.next_column()?.expect("the ids are a column");
            column.typed::<ByteArrayType>().write_batch(&ids, None, None)?;
            column.close()?;
        }
        for (_, numbers) in numbers {
            let mut column = writer.next_column()?.expect("the numbers are a column");
            column.typed::<DoubleType>().write_batch(&numbers[group.clone()], None, None)?;
            column.close()?;
        }
        writer.close()?;
    }
    file.close().map(drop)
}

#[cfg(test)]
#[path = "parquet/tests.rs"]
mod tests;

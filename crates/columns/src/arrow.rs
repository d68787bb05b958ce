//! Columns of Arrow files. Of what is read the file itself is wiped; arrays are in memory of the crate's.

use std::{io::Cursor, sync::Arc};

use arrow_array::{
    Array, ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    cast::AsArray,
    types::{
        ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type,
        Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
        TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
    },
};
use arrow_ipc::{reader::FileReader, root_as_footer, root_as_message, writer::FileWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use prim::wipe::Wiped;

use crate::{
    cell::{Cell, Time},
    guard::guarded,
    ids::Ids,
    memory::fits,
    output::Writer,
    rows::{Row, Rows, See},
    series::{Series, rows},
};

/// Rows of a batch that is written.
const BATCH: usize = 1 << 16;

pub struct Arrow {
    bytes: Wiped<u8>,
    sizes: Sizes,
}

impl Arrow {
    pub fn of(bytes: Wiped<u8>) -> Result<Self, String> {
        if !bytes.starts_with(b"ARROW1") {
            return Err("not an Arrow file; streams and version 1 of Feather are not read".into());
        }
        match lengths(&bytes) {
            Some(sizes) => Ok(Self { bytes, sizes }),
            None => Err(damaged("its lengths do not fit")),
        }
    }

    fn reader(&self, columns: Option<Vec<usize>>) -> Result<FileReader<Cursor<&[u8]>>, String> {
        guarded(|| FileReader::try_new(Cursor::new(&self.bytes[..]), columns).map_err(damaged))
    }
}

impl Rows for Arrow {
    fn names(&self) -> Result<Vec<String>, String> {
        let schema = self.reader(None)?.schema();
        Ok(schema.fields().iter().map(|field| field.name().trim().to_owned()).collect())
    }

    fn rows(&self) -> Option<u64> {
        Some(self.sizes.rows)
    }

    fn each(&self, wanted: &[usize], see: &mut See<'_>) -> Result<(), String> {
        fits(3 * self.sizes.decoded, "a batch of its rows").map_err(|failure| failure.to_string())?;
        let mut places = wanted.to_vec();
        if wanted.is_empty() {
            places = (0..self.names()?.len()).collect();
        }
        places.sort_unstable();
        places.dedup();
        let column = |place: &usize| places.binary_search(place).expect("one of them");
        let mut at = 0;
        let mut reader = self.reader(Some(places.clone()))?;
        while let Some(batch) = guarded(|| reader.next().transpose().map_err(damaged))? {
            let schema = batch.schema_ref();
            let cells = wanted.iter().map(column).map(|i| {
                let refused = |kind: &DataType| {
                    format!(
                        "column {:?} holds {kind}; accepted: whole and floating-point numbers, decimals, booleans, dates, timestamps, text",
                        schema.field(i).name()
                    )
                };
                cells(batch.column(i).as_ref()).map_err(|kind| refused(&kind))
            });
            let cells = cells.collect::<Result<Vec<_>, _>>()?;
            if cells.is_empty() && !batch.columns().iter().any(|column| self::cells(column.as_ref()).is_ok())
            {
                // Rows are where values are: their number alone says nothing.
                return Err(damaged("no column that can be read"));
            }
            for i in 0..batch.num_rows() {
                let cell = |column: usize| cells[column](i);
                let row: Row<'_> = &cell;
                at += 1;
                see(at, Ok(row));
            }
        }
        Ok(())
    }
}

/// The cells of a column, by their rows.
type Cells<'a> = Box<dyn Fn(usize) -> Cell<'a> + 'a>;

/// The cells of `array`, or what it holds that is not read.
fn cells(array: &dyn Array) -> Result<Cells<'_>, DataType> {
    let refused = || array.data_type().clone();
    Ok(match array.data_type() {
        DataType::Int8 => typed::<Int8Type>(array, |v| Cell::Whole(v.into())),
        DataType::Int16 => typed::<Int16Type>(array, |v| Cell::Whole(v.into())),
        DataType::Int32 => typed::<Int32Type>(array, |v| Cell::Whole(v.into())),
        DataType::Int64 => typed::<Int64Type>(array, |v| Cell::Whole(v.into())),
        DataType::UInt8 => typed::<UInt8Type>(array, |v| Cell::Whole(v.into())),
        DataType::UInt16 => typed::<UInt16Type>(array, |v| Cell::Whole(v.into())),
        DataType::UInt32 => typed::<UInt32Type>(array, |v| Cell::Whole(v.into())),
        DataType::UInt64 => typed::<UInt64Type>(array, |v| Cell::Whole(v.into())),
        DataType::Float32 => typed::<Float32Type>(array, |v| Cell::Float(v.into())),
        DataType::Float64 => typed::<Float64Type>(array, Cell::Float),
        DataType::Date32 => typed::<Date32Type>(array, |v| Cell::Date(v.into())),
        DataType::Date64 => typed::<Date64Type>(array, |v| Cell::Time(Time::of(v, 1000, false))),
        DataType::Timestamp(unit, zone) => {
            let (unit, utc) = (*unit, zone.is_some());
            let time = move |v, per_second| Cell::Time(Time::of(v, per_second, utc));
            match unit {
                TimeUnit::Second => typed::<TimestampSecondType>(array, move |v| time(v, 1)),
                TimeUnit::Millisecond => typed::<TimestampMillisecondType>(array, move |v| time(v, 1000)),
                TimeUnit::Microsecond => {
                    typed::<TimestampMicrosecondType>(array, move |v| time(v, 1_000_000))
                }
                TimeUnit::Nanosecond => {
                    typed::<TimestampNanosecondType>(array, move |v| time(v, 1_000_000_000))
                }
            }
        }
        DataType::Boolean => {
            let flags = array.as_boolean();
            Box::new(move |i| if flags.is_null(i) { Cell::Null } else { Cell::Flag(flags.value(i)) })
        }
        DataType::Decimal128(_, scale) => {
            let scale = i32::from(*scale);
            typed::<Decimal128Type>(array, move |digits| Cell::Decimal { digits, scale })
        }
        DataType::Utf8 => text(array, array.as_string::<i32>(), |array, i| array.value(i)),
        DataType::LargeUtf8 => text(array, array.as_string::<i64>(), |array, i| array.value(i)),
        DataType::Utf8View => text(array, array.as_string_view(), |array, i| array.value(i)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary_opt().ok_or_else(refused)?;
            let values = cells(dictionary.values().as_ref())?;
            if dictionary.values().is_empty() {
                return Ok(Box::new(|_| Cell::Null));
            }
            let keys = dictionary.normalized_keys();
            Box::new(move |i| if array.is_null(i) { Cell::Null } else { values(keys[i]) })
        }
        _ => return Err(refused()),
    })
}

fn typed<'a, T: ArrowPrimitiveType>(
    array: &'a dyn Array,
    cell: impl Fn(T::Native) -> Cell<'a> + 'a,
) -> Cells<'a> {
    let values = array.as_primitive::<T>();
    Box::new(move |i| if values.is_null(i) { Cell::Null } else { cell(values.value(i)) })
}

fn text<'a, A>(array: &'a dyn Array, texts: &'a A, value: fn(&'a A, usize) -> &'a str) -> Cells<'a> {
    Box::new(move |i| if array.is_null(i) { Cell::Null } else { Cell::Text(value(texts, i)) })
}

/// How large the file says to be.
#[derive(Clone, Copy, Default)]
struct Sizes {
    rows: u64,
    /// Bytes of its dictionaries and of the largest batch.
    decoded: u64,
}

/// Nothing if a part of the file is not where it should be, or says to be longer than its bytes can become: the crate
/// would allocate what it says.
fn lengths(bytes: &[u8]) -> Option<Sizes> {
    /// So many bytes can LZ4 make of one.
    const MOST: u64 = 256;
    let size = |number: i64| usize::try_from(number).ok();
    let (front, tail) = bytes.split_last_chunk::<10>()?;
    let footer = u32::from_le_bytes(*tail.first_chunk()?) as usize;
    let footer = root_as_footer(&front[front.len().checked_sub(footer)?..]).ok()?;
    let (mut sizes, mut dictionaries, mut largest) = (Sizes::default(), 0u64, 0u64);
    for block in footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten() {
        let (_, block_bytes) = bytes.split_at_checked(size(block.offset())?)?;
        let (head, body) = block_bytes.split_at_checked(size(block.metaDataLength().into())?)?;
        let body = body.get(..size(block.bodyLength())?)?;
        // Old files have no mark before the length.
        let message = head.get(if head.starts_with(&[0xff; 4]) { 8 } else { 4 }..)?;
        let message = root_as_message(message).ok()?;
        let rows = message.header_as_record_batch();
        let batch = rows.or_else(|| message.header_as_dictionary_batch()?.data())?;
        let mut decoded = body.len() as u64;
        for buffer in batch.buffers().into_iter().flatten().filter(|_| batch.compression().is_some()) {
            let (_, data) = body.split_at_checked(size(buffer.offset())?)?;
            let data = data.get(..size(buffer.length())?)?;
            let stated = data.first_chunk().map_or(0, |stated| i64::from_le_bytes(*stated).max(0));
            if stated as u64 > MOST * data.len() as u64 {
                return None;
            }
            decoded = decoded.saturating_add(stated as u64);
        }
        match rows {
            None => dictionaries = dictionaries.saturating_add(decoded),
            Some(batch) => {
                sizes.rows = sizes.rows.saturating_add(u64::try_from(batch.length()).ok()?);
                largest = largest.max(decoded);
            }
        }
    }
    sizes.decoded = dictionaries.saturating_add(largest);
    Some(sizes)
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("not an Arrow file that can be read: {error}")
}

/// Writes the names of rows as text, and a column of floating-point numbers.
pub fn write(
    to: &mut Writer<'_>,
    ids: Option<(&str, &Ids)>,
    numbers: &[(&str, &[f64])],
) -> Result<(), ArrowError> {
    let id = ids.map(|(name, _)| Field::new(name, DataType::Utf8, false));
    let ids = ids.map(|(_, ids)| ids);
    let numbered = numbers.iter().map(|(column, _)| Field::new(*column, DataType::Float64, false));
    let schema = Arc::new(Schema::new(id.into_iter().chain(numbered).collect::<Vec<_>>()));
    let mut file = FileWriter::try_new(to, &schema)?;
    let rows = rows(ids, numbers);
    for start in (0..rows).step_by(BATCH) {
        let batch = start..rows.min(start + BATCH);
        let names = |ids: &Ids| StringArray::from_iter_values(batch.clone().filter_map(|row| ids.get(row)));
        let ids = ids.map(|ids| Arc::new(names(ids)) as ArrayRef);
        let numbers = numbers.iter().map(|(_, numbers)| {
            Arc::new(Float64Array::from_iter_values(numbers[batch.clone()].iter().copied())) as ArrayRef
        });
        file.write(&RecordBatch::try_new(schema.clone(), ids.into_iter().chain(numbers).collect())?)?;
    }
    file.finish()
}

/// Writes columns of one length, in which cells may be missing.
pub fn write_series(to: &mut Writer<'_>, columns: &[(String, Series)]) -> Result<(), ArrowError> {
    let array = |series: &Series| -> ArrayRef {
        match series {
            Series::Text(cells) => Arc::new(cells.iter().map(Option::as_deref).collect::<StringArray>()),
            Series::Whole(cells) => Arc::new(cells.iter().copied().collect::<Int64Array>()),
            Series::Number(cells) => Arc::new(cells.iter().copied().collect::<Float64Array>()),
            Series::Date(cells) => Arc::new(cells.iter().copied().collect::<Date32Array>()),
        }
    };
    let arrays: Vec<ArrayRef> = columns.iter().map(|(_, series)| array(series)).collect();
    let fields = columns.iter().zip(&arrays);
    let fields = fields.map(|((name, _), array)| Field::new(name, array.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let mut file = FileWriter::try_new(to, &schema)?;
    file.write(&RecordBatch::try_new(schema, arrays)?)?;
    file.finish()
}

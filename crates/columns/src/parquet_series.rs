//! Parquet files of columns of several types, in which cells may be missing.

use std::sync::Arc;

use parquet::{
    basic::{Compression, LogicalType, Repetition, Type as Physical},
    data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::types::Type,
};

use crate::{output::Writer, series::Series};

/// Writes columns of one length.
pub fn write(to: &mut Writer<'_>, columns: &[(String, Series)]) -> Result<(), ParquetError> {
    let field = |(name, series): &(String, Series)| {
        let (physical, logical) = match series {
            Series::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Series::Whole(_) => (Physical::INT64, None),
            Series::Number(_) => (Physical::DOUBLE, None),
            Series::Date(_) => (Physical::INT32, Some(LogicalType::Date)),
        };
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        field.with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(to, schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for (_, series) in columns {
        let mut column = group.next_column()?.expect("a column of the schema");
        match series {
            Series::Text(cells) => {
                put::<ByteArrayType, _>(&mut column, cells, |text| ByteArray::from(text.as_str()))?
            }
            Series::Whole(cells) => put::<Int64Type, _>(&mut column, cells, |number| *number)?,
            Series::Number(cells) => put::<DoubleType, _>(&mut column, cells, |number| *number)?,
            Series::Date(cells) => put::<Int32Type, _>(&mut column, cells, |days| *days)?,
        }
        column.close()?;
    }
    group.close()?;
    file.close().map(drop)
}

/// Writes cells, each as `of` gives it.
fn put<T: DataType, C>(
    column: &mut SerializedColumnWriter<'_>,
    cells: &[Option<C>],
    of: impl Fn(&C) -> T::T,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
    let values: Vec<T::T> = cells.iter().flatten().map(of).collect();
    column.typed::<T>().write_batch(&values, Some(&levels), None).map(drop)
}

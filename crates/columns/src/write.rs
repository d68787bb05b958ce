//! Files of results: names of rows, and columns.

use std::io;

use crate::{
    format::FileFormat,
    ids::Ids,
    output::Writer,
    series::{Series, rows},
};

/// Writes the names of rows, as the column `id` where there are any, and columns of numbers; in CSV the cell of no
/// number is empty.
pub fn write(
    to: &mut Writer<'_>,
    format: FileFormat,
    ids: Option<&Ids>,
    numbers: &[(&str, &[f64])],
) -> io::Result<()> {
    match format {
        FileFormat::Csv => csv(to, ids, numbers),
        #[cfg(feature = "parquet")]
        FileFormat::Parquet => crate::parquet::write(to, ids, numbers).map_err(io::Error::other),
        #[cfg(feature = "arrow")]
        FileFormat::Arrow => crate::arrow::write(to, ids, numbers).map_err(io::Error::other),
        #[cfg(not(all(feature = "parquet", feature = "arrow")))]
        _ => unreachable!("it was checked"),
    }
}

/// Writes columns of one length, in a format that has types.
pub fn write_series(to: &mut Writer<'_>, format: FileFormat, columns: &[(String, Series)]) -> io::Result<()> {
    match format {
        FileFormat::Csv => Err(io::Error::other("text has no types")),
        #[cfg(feature = "parquet")]
        FileFormat::Parquet => crate::parquet_series::write(to, columns).map_err(io::Error::other),
        #[cfg(feature = "arrow")]
        FileFormat::Arrow => crate::arrow::write_series(to, columns).map_err(io::Error::other),
        #[cfg(not(all(feature = "parquet", feature = "arrow")))]
        _ => {
            let _ = (to, columns);
            unreachable!("it was checked")
        }
    }
}

fn csv(to: &mut Writer<'_>, ids: Option<&Ids>, numbers: &[(&str, &[f64])]) -> io::Result<()> {
    let mut to = csv::Writer::from_writer(to);
    to.write_record(ids.map(|_| "id").into_iter().chain(numbers.iter().map(|(column, _)| *column)))?;
    for row in 0..rows(ids, numbers) {
        if let Some(ids) = ids {
            to.write_field(ids.get(row).unwrap_or_default())?;
        }
        for (_, numbers) in numbers {
            let number = numbers[row];
            to.write_field(if number.is_nan() { String::new() } else { number.to_string() })?;
        }
        to.write_record(None::<&[u8]>)?;
    }
    to.flush()
}

//! Files of results: names of rows, and columns.

use std::io;

use crate::{
    format::FileFormat,
    ids::Ids,
    output::Writer,
    series::{Series, rows},
    style::Style,
};

/// Writes the names of rows, where there are any, and columns of numbers; in CSV the cell of no number is empty.
pub fn write(
    to: &mut Writer<'_>,
    (format, style): (FileFormat, &Style),
    ids: Option<&Ids>,
    numbers: &[(&str, &[f64])],
) -> io::Result<()> {
    let id = style.id_beside(numbers.iter().map(|(column, _)| *column));
    let ids = ids.map(|ids| (id.as_str(), ids));
    match format {
        FileFormat::Csv => csv(to, style, ids, numbers),
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

fn csv(
    to: &mut Writer<'_>,
    style: &Style,
    ids: Option<(&str, &Ids)>,
    numbers: &[(&str, &[f64])],
) -> io::Result<()> {
    let mut to = csv::WriterBuilder::new().delimiter(style.separator()).from_writer(to);
    let names = ids.map(|(name, _)| name).into_iter().chain(numbers.iter().map(|(column, _)| *column));
    to.write_record(names)?;
    for row in 0..rows(ids.map(|(_, ids)| ids), numbers) {
        if let Some((_, ids)) = ids {
            to.write_field(ids.get(row).unwrap_or_default())?;
        }
        for (_, numbers) in numbers {
            to.write_field(style.number(numbers[row]))?;
        }
        to.write_record(None::<&[u8]>)?;
    }
    to.flush()
}

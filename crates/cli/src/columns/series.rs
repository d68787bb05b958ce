//! Files of columns of several types, in which cells may be missing.

use std::io;

use super::FileFormat;
use crate::apply::output::Writer;

/// A column.
pub enum Series {
    Text(Vec<Option<String>>),
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    /// Days since 1970-01-01.
    Date(Vec<Option<i32>>),
}

/// Writes columns of one length, in a format that has types.
pub fn write_series(to: &mut Writer<'_>, format: FileFormat, columns: &[(String, Series)]) -> io::Result<()> {
    match format {
        FileFormat::Csv => Err(io::Error::other("text has no types")),
        #[cfg(feature = "parquet")]
        FileFormat::Parquet => super::parquet_series::write(to, columns).map_err(io::Error::other),
        #[cfg(feature = "arrow")]
        FileFormat::Arrow => super::arrow::write_series(to, columns).map_err(io::Error::other),
        #[cfg(not(all(feature = "parquet", feature = "arrow")))]
        _ => unreachable!("it was checked"),
    }
}

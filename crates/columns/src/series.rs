//! Columns of several types, in which cells may be missing.

use crate::ids::Ids;

/// A column.
pub enum Series {
    Text(Vec<Option<String>>),
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    /// Days since 1970-01-01.
    Date(Vec<Option<i32>>),
}

/// The rows of a file with these names and columns of numbers, which are all as long.
pub fn rows(ids: Option<&Ids>, numbers: &[(&str, &[f64])]) -> usize {
    ids.map_or(0, Ids::len).max(numbers.first().map_or(0, |(_, numbers)| numbers.len()))
}

//! What a format has to say of a file: the names of its columns, and its rows.

use crate::cell::Cell;

/// What a format has to say of a file.
pub trait Rows {
    /// The names of the columns.
    fn names(&self) -> std::result::Result<Vec<String>, String>;

    /// Shows every row to `see`: where it stands, counted from 1, and its cells in the columns `wanted`, or why it has
    /// none.
    fn each(&self, wanted: &[usize], see: &mut See<'_>) -> std::result::Result<(), String>;

    /// How many rows there are, if the format says so: a few bytes can stand for many.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// What the places of rows are called.
    fn place(&self) -> &'static str {
        "row"
    }

    /// What may help if there is no column `name`.
    fn hint(&self, _names: &[String], _name: &str) -> String {
        String::new()
    }
}

/// The cells of a row, by their place among those that are wanted.
pub type Row<'r> = &'r dyn Fn(usize) -> Cell<'r>;
/// Who looks at rows.
pub type See<'s> = dyn FnMut(u64, std::result::Result<Row<'_>, String>) + 's;

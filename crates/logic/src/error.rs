//! What is wrong with a circuit, or with a file that should hold one.

/// A circuit that cannot be, or a file that does not hold one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A line of a file, from 1, and what is wrong there.
    #[error("line {line}: {what}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// What is wrong with a circuit as a whole.
    #[error("{0}")]
    Circuit(String),
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of a circuit as a whole.
    pub(crate) fn of<T>(what: impl Into<String>) -> Result<T> {
        Err(Self::Circuit(what.into()))
    }
}

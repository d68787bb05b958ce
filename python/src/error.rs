//! The library's errors as the package's exceptions, with the same text.

use std::{fs::File, path::PathBuf};

use hushtable::Error;
use hushtable_columns::failure::{Cause, Failure};
use pyo3::{prelude::*, types::PyDict};

/// The exception for `error`.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let fields = PyDict::new(py);
    if let Error::Handshake { field, ours, theirs } = error {
        for (name, value) in [("field", field), ("ours", ours), ("theirs", theirs)] {
            if let Err(e) = fields.set_item(name, value) {
                return e;
            }
        }
    }
    exception(py, class(error), &error.to_string(), &fields)
}

/// The exception of this class.
pub fn named(py: Python<'_>, class: &str, text: &str) -> PyErr {
    exception(py, class, text, &PyDict::new(py))
}

/// The exception for what the program would end with: one of `files` that is not there, one that is wrong, or an argument.
pub fn refused(py: Python<'_>, failure: &Failure, files: &[PathBuf]) -> PyErr {
    let unread = files.iter().any(|file| File::open(file).is_err());
    let class = match failure {
        Failure::Reported(Cause::Input, _) if unread => "IoError",
        Failure::Reported(Cause::Local, _) => "IoError",
        _ => "ParamError",
    };
    named(py, class, &failure.to_string())
}

/// The exception for material that is used again.
pub fn spent(py: Python<'_>, what: &str) -> PyErr {
    let text = format!("{what} is spent: one-time material serves one call");
    named(py, "SpentError", &text)
}

/// The exception for a call of a party in which an earlier one ended by a panic.
pub fn failed(py: Python<'_>) -> PyErr {
    let text = "this party failed earlier, by a defect of the library: close it";
    named(py, "HushtableError", text)
}

/// The exception for a call of a party whose session ended before.
pub fn over(py: Python<'_>, why: &str) -> PyErr {
    named(py, "PeerError", &format!("this session is over: {why}"))
}

/// The exception for a call of a party that two threads used at once.
pub fn crowded(py: Python<'_>) -> PyErr {
    let text = "two threads used this session at once, which ended it: both parties do the same in the same order, so a \
                session serves one thread at a time; make one for each thread";
    named(py, "HushtableError", text)
}

/// The name of the exception's class.
fn class(error: &Error) -> &'static str {
    match error {
        Error::Closed | Error::Cancelled | Error::Ended(_) | Error::Timeout { .. } | Error::Peer(_) => {
            "PeerError"
        }
        Error::Handshake { .. } | Error::Tls(_) => "HandshakeError",
        Error::Identity(_) => "IdentityError",
        Error::Io { .. } => "IoError",
        Error::Shape { .. } => "ShapeError",
        Error::Param { .. } => "ParamError",
        Error::Store(_) => "StoreError",
        Error::Forked { .. } => "ForkedError",
        _ => "HushtableError",
    }
}

fn exception(py: Python<'_>, class: &str, text: &str, fields: &Bound<'_, PyDict>) -> PyErr {
    let made = py.import("hushtable.errors").and_then(|errors| {
        let made = errors.getattr(class)?.call1((text,))?;
        for (name, value) in fields.iter() {
            made.setattr(name.cast::<pyo3::types::PyString>()?, value)?;
        }
        Ok(made)
    });
    made.map_or_else(|e| e, PyErr::from_value)
}

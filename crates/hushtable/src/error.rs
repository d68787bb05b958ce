//! The one error type.

use std::io;

/// Everything that can go wrong at a public boundary: what came from the peer, the disk or the
/// caller. A bug in this library is a panic, never one of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The peer hung up (or its process ended) in the middle of a protocol.
    #[error("the peer closed the connection")]
    Closed,
    /// Nothing arrived from the peer for too long.
    #[error("no {what} from the peer for {seconds} s")]
    Timeout {
        /// What was awaited.
        what: &'static str,
        /// For how long.
        seconds: u64,
    },
    /// The peer sent something this protocol does not allow.
    #[error("malformed message from the peer: {0}")]
    Peer(String),
    /// The parties disagree on something both must know before they start.
    #[error("the parties disagree on {field}: here {ours}, at the peer {theirs}")]
    Handshake {
        /// Which parameter.
        field: String,
        /// This party's value.
        ours: String,
        /// The peer's value.
        theirs: String,
    },
    /// Authentication or encryption of the connection failed.
    #[error("secure connection: {0}")]
    Tls(String),
    /// The identity folder is unusable.
    #[error("identity: {0}")]
    Identity(String),
    /// Correlations on disk that cannot be used: damaged, foreign, restored, or too few.
    #[error("{0}")]
    Store(String),
    /// Something of another process, which this one inherited by a fork.
    #[error(
        "{what} of process {owner} cannot be used in process {here}, a fork of it: make or open one there"
    )]
    Forked {
        /// What was to be used.
        what: &'static str,
        /// Whose it is.
        owner: u32,
        /// This process.
        here: u32,
    },
    /// The operating system refused.
    #[error("{what}: {source}")]
    Io {
        /// What was attempted, on what.
        what: String,
        /// Its answer.
        source: io::Error,
    },
    /// The caller's arguments do not fit together.
    #[error("{what}: expected {want}, got {got}")]
    Shape {
        /// What was measured.
        what: &'static str,
        /// What it should be.
        want: usize,
        /// What it is.
        got: usize,
    },
    /// A parameter is outside what is supported.
    #[error("{what}: {got} is not supported; accepted: {accepted}")]
    Param {
        /// Which parameter.
        what: &'static str,
        /// The value given.
        got: String,
        /// The accepted values.
        accepted: String,
    },
}

/// Result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// `Ok(())` if `want == got`, else [`Error::Shape`].
pub fn same(what: &'static str, want: usize, got: usize) -> Result<()> {
    if want == got { Ok(()) } else { Err(Error::Shape { what, want, got }) }
}

impl Error {
    /// For `map_err` on an I/O result: says what was attempted.
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        let what = what.into();
        move |source| Error::Io { what, source }
    }
}

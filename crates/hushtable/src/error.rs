//! The one error type.

use std::fmt;
use std::io;
use std::ops::RangeInclusive;

/// Everything that can go wrong at a public boundary: what came from the peer, the disk or the
/// caller. A bug in this library is a panic, never one of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The peer hung up (or its process ended) in the middle of a protocol.
    #[error("the peer closed the connection")]
    Closed,
    /// Another thread of this party [hung up](crate::net::HangUp).
    #[error("this party hung up")]
    Cancelled,
    /// The peer ended, and said why.
    #[error("the peer ended: {0}")]
    Ended(Ending),
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
    /// Random hashing came out as it does with negligible probability, unless its inputs are not distinct. Another try
    /// would tell the peer about the inputs.
    #[error(
        "{0} failed, which has a probability of less than 2^-40 for distinct ids; do not try again with these"
    )]
    Chance(&'static str),
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

/// Why a party ends. The numbers go over the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum Ending {
    /// What it was asked for does not fit together; also an output that is there already.
    Arguments = 1,
    /// An input or an identity cannot be used.
    Input = 2,
    /// Its disk, its memory or a store fails.
    Local = 3,
    /// Somebody stopped it.
    Interrupted = 4,
    /// It does not accept the peer's size or data.
    Refused = 5,
}

impl Ending {
    const ALL: [Self; 5] = [Self::Arguments, Self::Input, Self::Local, Self::Interrupted, Self::Refused];

    /// The ending with this number.
    pub(crate) fn of_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&ending| ending as u32 == code)
    }

    /// What is told the peer of an error; nothing where it comes from the peer or both parties see it.
    pub fn of(error: &Error) -> Option<Self> {
        match error {
            Error::Shape { .. } | Error::Param { .. } => Some(Self::Arguments),
            Error::Identity(_) => Some(Self::Input),
            Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => Some(Self::Input),
            Error::Io { .. } | Error::Store(_) => Some(Self::Local),
            _ => None,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Arguments => "its options contradict each other, or its output file exists already",
            Self::Input => "it cannot use an input or its identity",
            Self::Local => "its disk, its memory or a store failed",
            Self::Interrupted => "somebody stopped it",
            Self::Refused => "it does not accept the size or the data of this job",
        })
    }
}

/// Result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// `Ok(())` for a number that is accepted, else [`Error::Param`].
pub fn within(what: &'static str, got: u32, accepted: RangeInclusive<u32>) -> Result<()> {
    if accepted.contains(&got) {
        return Ok(());
    }
    let accepted = format!("{} to {}", accepted.start(), accepted.end());
    Err(Error::Param { what, got: got.to_string(), accepted })
}

/// `Ok(())` if `want == got`, else [`Error::Shape`].
pub fn same(what: &'static str, want: usize, got: usize) -> Result<()> {
    if want == got { Ok(()) } else { Err(Error::Shape { what, want, got }) }
}

impl Error {
    /// What a lattice refuses; what it cannot read came from the peer.
    pub(crate) fn of_lattice(error: he::Error) -> Self {
        match error {
            he::Error::Param { what, got, accepted } => Self::Param { what, got, accepted },
            other => Self::Peer(other.to_string()),
        }
    }

    /// For `map_err` on an I/O result: says what was attempted.
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        let what = what.into();
        move |source| Error::Io { what, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use io::ErrorKind;

    #[test]
    fn endings_have_their_numbers_for_ever() {
        for (i, ending) in Ending::ALL.into_iter().enumerate() {
            assert_eq!(ending as u32, i as u32 + 1);
            assert_eq!(Ending::of_code(i as u32 + 1), Some(ending));
        }
        for code in [0, 6, 0x101, u32::MAX] {
            assert_eq!(Ending::of_code(code), None);
        }
    }

    #[test]
    fn what_the_peer_causes_is_not_told_it() {
        let io = |kind: ErrorKind| Error::io("something")(kind.into());
        for (error, wanted) in [
            (Error::Closed, None),
            (Error::Peer("x".into()), None),
            (Error::Timeout { what: "message", seconds: 1 }, None),
            (Error::Ended(Ending::Local), None),
            (Error::Store("damaged".into()), Some(Ending::Local)),
            (Error::Shape { what: "x", want: 1, got: 2 }, Some(Ending::Arguments)),
            (Error::Identity("gone".into()), Some(Ending::Input)),
            (io(ErrorKind::NotFound), Some(Ending::Input)),
            (io(ErrorKind::StorageFull), Some(Ending::Local)),
        ] {
            assert_eq!(Ending::of(&error), wanted, "{error}");
        }
    }
}

//! Why a subcommand did not succeed, and the exit code for it.

use std::{fmt, io, path::Path, process::ExitCode};

use hushtable::{Error, error::Ending};

/// What `--help` says of exit codes. Ctrl-C ends a process by its signal, which shells show as 130.
pub const EXIT_CODES: &str = "\
Exit codes: 0 success; 1 a result failed its verification; 2 the arguments; 3 an input file or an identity; \
4 the peer or the network; 5 the parties disagree, or the peer's data or size are refused; 6 this machine: disk, memory or a store; 130 Ctrl-C.";

/// The ways to fail.
#[derive(Debug)]
pub enum Failure {
    /// Something that the user can mend: exit code by its cause.
    Reported(Cause, String),
    /// What the peer has, its size or its data, is refused here: exit code 5, and the peer is told so.
    Refused(String),
    /// A result differs from what plaintext gives: exit code 1.
    Check(String),
}

/// What must change before the command can succeed. The numbers are exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// The arguments; also what no other cause fits.
    Arguments = 2,
    /// A file that was to be read: absent, unreadable or wrong.
    Input = 3,
    /// The peer or the network.
    Peer = 4,
    /// The parties were asked for different things.
    Disagreement = 5,
    /// This machine: its disk, its memory, a store.
    Local = 6,
}

/// What the library says where a function refuses shared numbers.
const OUTSIDE: &str = "a number outside the domain";

/// How the message of a failed check begins.
pub const CHECK_FAILED: &str = "check failed: ";

/// Result of everything in this program.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// The arguments are the cause, or nothing else.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Reported(Cause::Arguments, message.into())
    }

    /// A file that was to be read is the cause.
    pub fn input(message: impl Into<String>) -> Self {
        Self::Reported(Cause::Input, message.into())
    }

    /// This machine is the cause.
    pub fn local(message: impl Into<String>) -> Self {
        Self::Reported(Cause::Local, message.into())
    }

    /// For `map_err` on reading a file: names the file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::input(format!("{path}: {}", plain(&error)))
    }

    /// For `map_err` on writing a file: names the file.
    pub fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::local(format!("{path}: {}", plain(&error)))
    }

    /// For `map_err` on printing results.
    pub fn stdout(error: io::Error) -> Self {
        Self::local(format!("standard output: {error}"))
    }

    /// What a process that ended with `code` complained about.
    pub fn of_process(code: i32, message: impl Into<String>) -> Self {
        let cause = [Cause::Input, Cause::Peer, Cause::Disagreement, Cause::Local];
        let cause = cause.into_iter().find(|&cause| cause as i32 == code);
        match code {
            1 => Self::Check(message.into()),
            _ => Self::Reported(cause.unwrap_or(Cause::Arguments), message.into()),
        }
    }

    /// The same, once the peer is there and the arguments were found to fit: what fits no other cause is then due to
    /// what both have together.
    #[must_use]
    pub fn of_both(self) -> Self {
        match self {
            Self::Reported(Cause::Arguments, text) => Self::Refused(text),
            other => other,
        }
    }

    /// The same with other words.
    pub fn worded(self, words: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Reported(cause, text) => Self::Reported(cause, words(&text)),
            Self::Refused(text) => Self::Refused(words(&text)),
            Self::Check(text) => Self::Check(words(&text)),
        }
    }

    /// What the peer is told of it; nothing where the peer is the cause or sees the same.
    pub fn ending(&self) -> Option<Ending> {
        match self {
            Self::Reported(Cause::Arguments, _) => Some(Ending::Arguments),
            Self::Refused(_) => Some(Ending::Refused),
            Self::Reported(Cause::Input, _) => Some(Ending::Input),
            Self::Reported(Cause::Local, _) => Some(Ending::Local),
            Self::Reported(Cause::Peer | Cause::Disagreement, _) | Self::Check(_) => None,
        }
    }

    /// What the process ends with.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }

    /// The same as a number.
    pub fn code(&self) -> u8 {
        match self {
            Self::Reported(cause, _) => *cause as u8,
            Self::Refused(_) => Cause::Disagreement as u8,
            Self::Check(_) => 1,
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
            Self::Reported(_, text) | Self::Refused(text) => f.write_str(text),
            Self::Check(text) => write!(f, "{CHECK_FAILED}{text}"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let cause = match &error {
            Error::Ended(Ending::Refused) => Cause::Disagreement,
            Error::Closed
            | Error::Cancelled
            | Error::Ended(_)
            | Error::Timeout { .. }
            | Error::Peer(_)
            | Error::Tls(_) => Cause::Peer,
            Error::Handshake { .. } => Cause::Disagreement,
            Error::Identity(_) => Cause::Input,
            Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => Cause::Input,
            Error::Io { source, .. } if of_network(source) => Cause::Peer,
            Error::Io { .. } | Error::Store(_) => Cause::Local,
            Error::Param { what: "input", got, accepted } if got == OUTSIDE => {
                let domain = accepted.split(" for every number").next().unwrap_or_default();
                return Self::Reported(
                    Cause::Disagreement,
                    format!(
                        "at least one number, known only as shares, is outside the domain {domain}; no result \
                         was opened. A larger --domain, or --outside clamp, takes it"
                    ),
                );
            }
            _ => Cause::Arguments,
        };
        Self::Reported(cause, error.to_string())
    }
}

/// Whether only a connection fails so. Of what the system refuses, only the look-up of a name has no number.
fn of_network(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    let of_name = error.raw_os_error().is_none() && error.kind() != Kind::UnexpectedEof;
    let of_connection = matches!(
        error.kind(),
        Kind::ConnectionRefused
            | Kind::ConnectionReset
            | Kind::ConnectionAborted
            | Kind::NotConnected
            | Kind::BrokenPipe
            | Kind::TimedOut
            | Kind::HostUnreachable
            | Kind::NetworkUnreachable
            | Kind::NetworkDown
            | Kind::AddrInUse
            | Kind::AddrNotAvailable
    );
    of_name || of_connection
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_of_errors() {
        use io::ErrorKind::{ConnectionRefused, NotFound, UnexpectedEof};
        let io = |kind: io::ErrorKind| Error::io("something")(kind.into());
        let other = |error| Error::io("something")(error);
        let handshake = Error::Handshake { field: "x".into(), ours: "1".into(), theirs: "2".into() };
        for (error, wanted) in [
            (Error::Closed, Cause::Peer),
            (Error::Cancelled, Cause::Peer),
            (Error::Ended(Ending::Input), Cause::Peer),
            (Error::Ended(Ending::Refused), Cause::Disagreement),
            (Error::Timeout { what: "message", seconds: 1 }, Cause::Peer),
            (io(ConnectionRefused), Cause::Peer),
            (other(io::Error::other("no such name")), Cause::Peer),
            (io(NotFound), Cause::Input),
            (io(UnexpectedEof), Cause::Local),
            // A number that no kind is known for.
            (other(io::Error::from_raw_os_error(122)), Cause::Local),
            (Error::Store("damaged".into()), Cause::Local),
            (handshake, Cause::Disagreement),
            (Error::Identity("gone".into()), Cause::Input),
            (Error::Shape { what: "x", want: 1, got: 2 }, Cause::Arguments),
        ] {
            let text = error.to_string();
            let failure = Failure::from(error).worded(|text| format!("{text}, then"));
            let Failure::Reported(cause, said) = failure else { panic!("{text}") };
            assert_eq!((cause, said), (wanted, format!("{text}, then")));
        }
    }

    #[test]
    fn codes_come_back_from_processes() {
        for cause in [Cause::Arguments, Cause::Input, Cause::Peer, Cause::Disagreement, Cause::Local] {
            let failure = Failure::of_process(cause as i32, "x");
            assert!(matches!(failure, Failure::Reported(found, _) if found == cause), "{cause:?}");
        }
        assert!(matches!(Failure::of_process(1, "x"), Failure::Check(_)));
        assert!(matches!(Failure::of_process(101, "x"), Failure::Reported(Cause::Arguments, _)));
    }
}

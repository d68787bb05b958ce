//! What owner and client say to each other before lookups: messages of known lengths.

use hushtable::{Error, Result};

/// How the greeting begins: the protocol and its version.
const MAGIC: &[u8; 8] = b"hushtbl1";

/// What the owner says first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greeting {
    /// A description of so many bytes follows.
    Open(u32),
    /// Too many sessions are under way. Come again.
    Busy,
    /// It is about to end.
    Ending,
}

/// Who gets results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gets {
    /// The client, the values.
    Client,
    /// Both, shares of the column of this place, and of whether keys are present.
    Shared(u8),
}

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The digest of the copy that it means.
    pub digest: [u8; 32],
    /// Messages of that copy that it has.
    pub messages: u32,
    /// How many keys it looks up.
    pub lookups: u64,
    /// Who gets results.
    pub gets: Gets,
    /// What names the shares of the keys that both hold; nothing if the keys are the client's own.
    pub keys: Option<[u8; 32]>,
}

/// What the owner says to that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What the client lacks of the copy follows, then lookups.
    Yes,
    /// There is another version by now.
    OtherVersion,
    /// More keys than a session may have.
    TooMany,
    /// More keys than this client may have now; in so many seconds, one at least, it may have more.
    Later(u32),
    /// What is left is held for sessions under way. Come again.
    Busy,
    /// It keeps no shares, or not of that column.
    NoShares,
    /// It has no shares of these keys.
    NoKeys,
    /// It keeps as many shares as it may.
    NoRoom,
    /// No keys, or more messages than there are.
    Malformed,
}

impl Greeting {
    /// Bytes of a greeting.
    pub const LEN: usize = 16;

    /// As it is sent.
    pub fn to_bytes(self) -> Vec<u8> {
        let (kind, len) = match self {
            Self::Open(len) => (0u32, len),
            Self::Busy => (1, 0),
            Self::Ending => (2, 0),
        };
        [&MAGIC[..], &kind.to_le_bytes(), &len.to_le_bytes()].concat()
    }

    /// What [`to_bytes`](Self::to_bytes) made.
    ///
    /// # Errors
    /// [`Error::Peer`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = Parts(bytes);
        if from.take::<8>()? != *MAGIC {
            return Err(Error::Peer("it serves no table, or another version of this program does".into()));
        }
        match (u32::from_le_bytes(from.take()?), u32::from_le_bytes(from.take()?)) {
            (0, len) => Ok(Self::Open(len)),
            (1, _) => Ok(Self::Busy),
            (2, _) => Ok(Self::Ending),
            (kind, _) => Err(Error::Peer(format!("a greeting {kind}"))),
        }
    }
}

impl Request {
    /// Bytes of a request.
    pub const LEN: usize = 32 + 4 + 8 + 2 + 1 + 32;

    /// As it is sent.
    pub fn to_bytes(self) -> Vec<u8> {
        let gets = match self.gets {
            Gets::Client => [0, 0],
            Gets::Shared(column) => [1, column],
        };
        let (shared, keys) = self.keys.map_or((0, [0; 32]), |keys| (1, keys));
        let (messages, lookups) = (self.messages.to_le_bytes(), self.lookups.to_le_bytes());
        [&self.digest[..], &messages, &lookups, &gets, &[shared], &keys].concat()
    }

    /// What [`to_bytes`](Self::to_bytes) made.
    ///
    /// # Errors
    /// [`Error::Peer`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = Parts(bytes);
        Ok(Self {
            digest: from.take()?,
            messages: u32::from_le_bytes(from.take()?),
            lookups: u64::from_le_bytes(from.take()?),
            gets: match from.take()? {
                [0, 0] => Gets::Client,
                [1, column] => Gets::Shared(column),
                _ => return Err(Error::Peer("who gets results".into())),
            },
            keys: match (from.take()?, from.take()?) {
                ([0], keys) if keys == [0; 32] => None,
                ([1], keys) => Some(keys),
                _ => return Err(Error::Peer("whose the keys are".into())),
            },
        })
    }
}

impl Answer {
    /// Bytes of an answer.
    pub const LEN: usize = 8;

    /// As it is sent.
    pub fn to_bytes(self) -> Vec<u8> {
        let (kind, seconds) = match self {
            Self::Yes => (0u32, 0u32),
            Self::OtherVersion => (1, 0),
            Self::TooMany => (2, 0),
            Self::Busy => (3, 0),
            Self::Later(seconds) => (3, seconds),
            Self::NoShares => (4, 0),
            Self::Malformed => (5, 0),
            Self::NoKeys => (6, 0),
            Self::NoRoom => (7, 0),
        };
        [kind.to_le_bytes(), seconds.to_le_bytes()].concat()
    }

    /// What [`to_bytes`](Self::to_bytes) made.
    ///
    /// # Errors
    /// [`Error::Peer`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = Parts(bytes);
        Ok(match (u32::from_le_bytes(from.take()?), u32::from_le_bytes(from.take()?)) {
            (0, _) => Self::Yes,
            (1, _) => Self::OtherVersion,
            (2, _) => Self::TooMany,
            (3, 0) => Self::Busy,
            (3, seconds) => Self::Later(seconds),
            (4, _) => Self::NoShares,
            (5, _) => Self::Malformed,
            (6, _) => Self::NoKeys,
            (7, _) => Self::NoRoom,
            (kind, _) => return Err(Error::Peer(format!("an answer {kind}"))),
        })
    }
}

/// Bytes that are taken from the front.
struct Parts<'a>(&'a [u8]);

impl Parts<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (part, rest) =
            self.0.split_first_chunk().ok_or_else(|| Error::Peer("a message that ends early".into()))?;
        self.0 = rest;
        Ok(*part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back() {
        for greeting in [Greeting::Open(1234), Greeting::Busy, Greeting::Ending] {
            let bytes = greeting.to_bytes();
            assert_eq!((bytes.len(), Greeting::from_bytes(&bytes).unwrap()), (Greeting::LEN, greeting));
        }
        for (gets, keys) in [(Gets::Client, None), (Gets::Shared(7), Some([3; 32]))] {
            let request = Request { digest: [9; 32], messages: 5, lookups: 1 << 40, gets, keys };
            let bytes = request.to_bytes();
            assert_eq!((bytes.len(), Request::from_bytes(&bytes).unwrap()), (Request::LEN, request));
        }
        use Answer::*;
        for answer in [Yes, OtherVersion, TooMany, Later(60), Busy, NoShares, NoKeys, NoRoom, Malformed] {
            let bytes = answer.to_bytes();
            assert_eq!((bytes.len(), Answer::from_bytes(&bytes).unwrap()), (Answer::LEN, answer));
        }
    }

    #[test]
    fn garbage_is_an_error() {
        for len in 0..Request::LEN {
            let bytes = vec![0xa5; len];
            assert!(Greeting::from_bytes(&bytes).is_err() && Request::from_bytes(&bytes).is_err());
            assert!(Answer::from_bytes(&bytes).is_err());
        }
        assert!(Request::from_bytes(&[0xff; Request::LEN]).is_err());
        let mut other = Greeting::Busy.to_bytes();
        other[7] = b'2';
        assert!(Greeting::from_bytes(&other).unwrap_err().to_string().contains("another version"));
    }
}

//! What each party is about to do, compared without waiting for it.
//!
//! A party announces an operation and goes on; the peer's announcement is read and compared before the
//! next message is. So parties that do different things both see it at their next wait, and parties that
//! do the same pay no round.

use std::{borrow::Cow, collections::VecDeque};

use super::text::ascii;
use crate::error::Error;

/// Longest announcement, in bytes.
pub(super) const LIMIT: usize = 512;

/// This party's announcements for which the peer's have not been read.
#[derive(Default)]
pub(super) struct Announced(VecDeque<String>);

impl Announced {
    /// Remembers `operation`; the message that announces it.
    pub(super) fn push(&mut self, operation: &str) -> Vec<u8> {
        let message = message(operation).into_owned();
        self.0.push_back(message.clone());
        message.into_bytes()
    }

    /// The oldest one.
    pub(super) fn next(&mut self) -> Option<String> {
        self.0.pop_front()
    }
}

/// What announces an operation: its text, or the beginning and a hash of one that is longer than [`LIMIT`].
pub(crate) fn message(operation: &str) -> Cow<'_, str> {
    if operation.len() <= LIMIT {
        return Cow::Borrowed(operation);
    }
    let hash = format!("... [{}]", &blake3::hash(operation.as_bytes()).to_hex()[..32]);
    let begin = &operation[..operation.floor_char_boundary(LIMIT - hash.len())];
    Cow::Owned(format!("{begin}{hash}"))
}

/// What to tell if the peer announced something else.
pub(super) fn compare(ours: &str, theirs: &[u8]) -> Option<Error> {
    (ours.as_bytes() != theirs).then(|| Error::Handshake {
        field: "operation".into(),
        ours: ours.to_owned(),
        theirs: ascii(theirs),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_announcements_that_differ_at_the_end_differ() {
        for length in [0, 1, 510, 511, 512, 2000] {
            for letter in ["x", "\u{e5}"] {
                let text = letter.repeat(length / letter.len());
                let [one, other] = ["1", "2"].map(|end| format!("{text}{end}"));
                let messages = [&one, &other].map(|text| message(text));
                assert!(messages[0].len() <= LIMIT, "{length}");
                assert_ne!(messages[0], messages[1], "{length}");
                assert_eq!(messages[0] == one, one.len() <= LIMIT, "{length}");
            }
        }
    }
}

//! What each party is about to do, compared without waiting for it.
//!
//! A party announces an operation and goes on; the peer's announcement is read and compared before the
//! next message is. So parties that do different things both see it at their next wait, and parties that
//! do the same pay no round.

use std::collections::VecDeque;

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
        let end = operation.floor_char_boundary(LIMIT);
        self.0.push_back(operation[..end].to_owned());
        operation.as_bytes()[..end].to_vec()
    }

    /// The oldest one.
    pub(super) fn next(&mut self) -> Option<String> {
        self.0.pop_front()
    }
}

/// What to tell if the peer announced something else.
pub(super) fn compare(ours: &str, theirs: &[u8]) -> Option<Error> {
    (ours.as_bytes() != theirs).then(|| Error::Handshake {
        field: "operation".into(),
        ours: ours.to_owned(),
        theirs: ascii(theirs),
    })
}

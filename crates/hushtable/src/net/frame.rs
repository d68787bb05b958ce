//! Framing: a message of `n` bytes travels as `max(1, ceil(n / 2^20))` frames, each an 8-byte
//! header (two little-endian words) and at most 2^20 bytes of payload.
//!
//! The first word counts the bytes of the message from this frame on, so that the first header
//! already shows a wrong length; the second is the sender's clock.

use crate::error::Ending;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a header.
pub(super) const HEADER: usize = 8;
/// Most payload bytes in one frame.
pub(super) const PIECE: usize = 1 << 20;
/// In place of a length: not part of a message; the clock field says what it is.
const CONTROL: u32 = u32::MAX;
const HEARTBEAT: u32 = 1;
const BYE: u32 = 2;
/// Where a farewell says why: the number of an [`Ending`] in the second byte, or 0.
const WHY: u32 = 8;

/// Bytes on the wire for a message of `len` bytes: its own and 8 for each started MiB.
pub fn wire_len(len: usize) -> u64 {
    (len + HEADER * len.div_ceil(PIECE).max(1)) as u64
}

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Header {
    /// `left` bytes of the message are still to come, this frame's included.
    Data { left: u32, clock: u32 },
    /// The sender's process lives.
    Heartbeat,
    /// The sender hung up; nothing follows. It may say why.
    Bye(Option<Ending>),
    /// Nothing this version knows.
    Unknown,
}

impl Header {
    pub(super) fn to_bytes(&self) -> [u8; HEADER] {
        let (left, clock) = match *self {
            Header::Data { left, clock } => (left, clock),
            Header::Heartbeat => (CONTROL, HEARTBEAT),
            Header::Bye(why) => (CONTROL, BYE | why.map_or(0, |why| why as u32) << WHY),
            Header::Unknown => (CONTROL, 0),
        };
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&left.to_le_bytes());
        bytes[4..].copy_from_slice(&clock.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: [u8; HEADER]) -> Self {
        let [a, b, c, d, e, f, g, h] = bytes;
        let (left, clock) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        match (left, clock) {
            (CONTROL, HEARTBEAT) => Header::Heartbeat,
            (CONTROL, BYE) => Header::Bye(None),
            (CONTROL, bye) if bye & ((1 << WHY) - 1) == BYE => {
                Ending::of_code(bye >> WHY).map_or(Header::Unknown, |why| Header::Bye(Some(why)))
            }
            (CONTROL, _) => Header::Unknown,
            (left, clock) => Header::Data { left, clock },
        }
    }
}

/// What a header announces when `left` bytes are still to come.
pub(super) fn announced(left: usize) -> u32 {
    u32::try_from(left).unwrap_or(CONTROL).min(CONTROL - 1)
}

/// A frame on its way out: a header, and a range of a message shared with its other frames.
pub(super) struct Frame {
    header: [u8; HEADER],
    message: Arc<Vec<u8>>,
    payload: Range<usize>,
    sent: usize,
}

impl Frame {
    /// A frame without payload.
    pub(super) fn control(header: Header) -> Self {
        Frame { header: header.to_bytes(), message: Arc::default(), payload: 0..0, sent: 0 }
    }

    /// The frames of `message`, all with the same clock.
    pub(super) fn cut(message: Vec<u8>, clock: u32) -> impl Iterator<Item = Frame> {
        let message = Arc::new(message);
        (0..message.len().max(1)).step_by(PIECE).map(move |start| {
            let end = message.len().min(start + PIECE);
            let left = announced(message.len() - start);
            let header = Header::Data { left, clock }.to_bytes();
            Frame { header, message: Arc::clone(&message), payload: start..end, sent: 0 }
        })
    }

    /// Bytes not yet handed to the transport.
    pub(super) fn left(&self) -> usize {
        HEADER + self.payload.len() - self.sent
    }

    /// The next at most `limit` bytes of header and payload.
    pub(super) fn next(&self, limit: usize) -> (&[u8], &[u8]) {
        let header = &self.header[self.sent.min(HEADER)..];
        let header = &header[..header.len().min(limit)];
        let payload = &self.message[self.payload.clone()][self.sent.saturating_sub(HEADER)..];
        (header, &payload[..payload.len().min(limit - header.len())])
    }

    /// Marks `n` more bytes as handed over.
    pub(super) fn advance(&mut self, n: usize) {
        self.sent += n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn farewells_are_read_strictly() {
        let read = |clock: u32| {
            let mut bytes = [0xff; HEADER];
            bytes[4..].copy_from_slice(&clock.to_le_bytes());
            Header::from_bytes(bytes)
        };
        for why in [None, Some(Ending::Arguments), Some(Ending::Refused)] {
            assert_eq!(Header::from_bytes(Header::Bye(why).to_bytes()), Header::Bye(why));
        }
        assert_eq!(read(0x0302), Header::Bye(Some(Ending::Local)));
        for clock in [0, 3, 0x0602, 0x0001_0002, 0x0101_0302, 0x0301, u32::MAX] {
            assert_eq!(read(clock), Header::Unknown, "{clock:x}");
        }
    }
}

//! A peer's text, made harmless.

/// Longest text of the peer that gets into an error.
const SHOWN: usize = 80;

/// Text that is safe to show: printable ASCII, not too long.
pub(super) fn printable(bytes: &[u8]) -> String {
    let mut text = ascii(&bytes[..bytes.len().min(SHOWN)]);
    if bytes.len() > SHOWN {
        text.push_str("..");
    }
    text
}

/// The bytes as printable ASCII.
pub(super) fn ascii(bytes: &[u8]) -> String {
    let show = |&b: &u8| if b == b' ' || b.is_ascii_graphic() { char::from(b) } else { '?' };
    bytes.iter().map(show).collect()
}

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

/// Whether a name shows as what it is, and can be a file's: letters and digits of any script, `-`, `_`, `.` and single
/// blanks between them. What cannot be seen, or turns the direction of text, is none of these.
pub(super) fn is_name(name: &str) -> bool {
    /// Letters that show as nothing.
    const UNSEEN: [char; 6] = ['\u{115f}', '\u{1160}', '\u{17b4}', '\u{17b5}', '\u{3164}', '\u{ffa0}'];
    // Small letters over others, which no name has: accents are part of their letters.
    let stacked =
        |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}');
    let letter = |c: char| c.is_alphanumeric() && !UNSEEN.contains(&c) && !stacked(c);
    let shows = |c: char| letter(c) || "-_. ".contains(c);
    (1..=64).contains(&name.len())
        && name.chars().all(shows)
        && !name.starts_with('.')
        && name.trim() == name
        && !name.contains("  ")
}

/// The bytes as printable ASCII.
pub(super) fn ascii(bytes: &[u8]) -> String {
    let show = |&b: &u8| if b == b' ' || b.is_ascii_graphic() { char::from(b) } else { '?' };
    bytes.iter().map(show).collect()
}

//! Names of identities and peers.

use crate::error::{Error, Result};

/// The name, if it is one that can be shown and be a file's.
pub(super) fn check_name<'a>(what: &'static str, name: &'a str) -> Result<&'a str> {
    if is_name(name) {
        return Ok(name);
    }
    Err(Error::Param {
        what,
        got: format!("{name:?}"),
        accepted: "1 to 64 bytes of letters and digits, composed (NFC), '-', '_', '.' (not first) and single blanks \
                   between them"
            .into(),
    })
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

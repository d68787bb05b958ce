//! Names of identities and peers.

use crate::error::{Error, Result};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark, is_nfc};

/// Characters of a name at most, and its bytes: with an ending it is the name of a file.
const CHARACTERS: usize = 64;
const BYTES: usize = 192;

/// Marks over and under a letter, one behind the other: scripts of India and its neighbours have as many.
const MARKS: usize = 4;

/// A name as identities have it: letters and their accents are one character (Unicode's NFC), however they were typed.
pub fn composed_name(name: &str) -> String {
    name.nfc().collect()
}

/// The name, composed, if it is one that can be shown and be a file's.
pub(super) fn check_name(what: &'static str, name: &str) -> Result<String> {
    let composed = composed_name(name);
    if is_name(&composed) {
        return Ok(composed);
    }
    Err(Error::Param {
        what,
        got: format!("{name:?}"),
        accepted: "1 to 64 letters and digits of any script (192 bytes at most), '-', '_', '.' (not first) and single \
                   blanks between them"
            .into(),
    })
}

/// Whether a name shows as what it is, and can be a file's: letters of any script with their marks, composed, digits, `-`,
/// `_`, `.` and single blanks between them. What cannot be seen, or turns the direction of text, is none of these.
pub(super) fn is_name(name: &str) -> bool {
    let shows = |c: char| letter(c) || mark(c) || "-_. ".contains(c);
    name.len() <= BYTES
        && (1..=CHARACTERS).contains(&name.chars().count())
        && name.chars().all(shows)
        && is_nfc(name)
        && !name.starts_with('.')
        && name.trim() == name
        && !name.contains("  ")
        && marks_have_letters(name)
}

fn letter(c: char) -> bool {
    c.is_alphanumeric() && !is_combining_mark(c) && !unseen(c) && !matches!(c, '\u{1ab0}'..='\u{1aff}')
}

/// A mark of a script's letters: none of symbols, and no small letter over another.
fn mark(c: char) -> bool {
    let other = matches!(c, '\u{363}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{488}'..='\u{489}' | '\u{a670}'..='\u{a672}' | '\u{fe20}'..='\u{fe2f}');
    is_combining_mark(c) && !unseen(c) && !other
}

/// Letters and marks that show as nothing.
fn unseen(c: char) -> bool {
    matches!(c, '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether marks stand behind letters, a few at most.
fn marks_have_letters(name: &str) -> bool {
    let mut room = 0;
    name.chars().all(|c| {
        let fine = !mark(c) || room > 0;
        room = if mark(c) {
            room - usize::from(room > 0)
        } else if letter(c) {
            MARKS
        } else {
            0
        };
        fine
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_organisations_have_them() {
        for name in [
            "bank",
            "b",
            "Klinikum S\u{fc}d",
            "mobile.example",
            "a-b_c 2",
            "\u{41e}\u{410}\u{41e} \u{420}\u{416}\u{414}",
            "\u{6771}\u{4eac}\u{9280}\u{884c}",
            "\u{5d1}\u{5e0}\u{5e7} \u{5dc}\u{5d0}\u{5d5}\u{5de}\u{5d9}",
            "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}",
            "\u{e17}\u{e35}\u{e48}",
            "\u{1ecd}l\u{1ecd}\u{301}run",
            "\u{f56}\u{f66}\u{f92}\u{fb2}\u{f74}\u{f56}\u{f66}",
            "\u{d55c}\u{ad6d}",
        ] {
            assert_eq!(check_name("name", name).ok().as_deref(), Some(name), "{name:?}");
        }
        // However it was typed.
        assert_eq!(check_name("name", "Klinikum Su\u{308}d").unwrap(), "Klinikum S\u{fc}d");
        assert_eq!(check_name("name", "\u{1112}\u{1161}\u{11ab}").unwrap(), "\u{d55c}");
        assert!(
            is_name(&"\u{6771}".repeat(64)) && !is_name(&"\u{6771}".repeat(65)) && !is_name(&"a".repeat(65))
        );
        assert!(!is_name(&"\u{1d49c}".repeat(49)), "more bytes than a file's name may have");
    }

    #[test]
    fn what_cannot_be_seen_or_turns_is_refused() {
        let refused = |name: &str| check_name("name", name).err().map(|e| e.to_string()).unwrap_or_default();
        for c in '\0'..=char::MAX {
            let fine = is_name(&format!("a{c}b"));
            let invisible = c.is_control()
                || unseen(c)
                || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
                    | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3000}' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{feff}'
                    | '\u{e0000}'..='\u{e0fff}' | '\u{fff0}'..='\u{fffb}');
            let sign = c.is_ascii() && !c.is_ascii_alphanumeric() && !"-_. ".contains(c);
            assert!(!fine || !(invisible || sign), "{c:?}");
            // What composes is no character of a name.
            assert!(!fine || composed_name(&c.to_string()) == c.to_string(), "{c:?}");
        }
        for name in [
            "",
            " ",
            " a",
            "a ",
            "a  b",
            ".a",
            "..",
            "a/b",
            "a\\b",
            "a\nb",
            "a\u{202e}b",
            "a\u{200b}b",
            "\u{301}a",
            "a,b",
            "a:b",
            "a \u{301}b",
            "\u{3164}",
            "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        ] {
            let said = refused(name);
            assert!(said.contains("letters and digits of any script"), "{name:?}: {said}");
        }
    }
}

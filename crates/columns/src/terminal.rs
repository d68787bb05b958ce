//! What this program writes to its terminal: the only door.
//!
//! Names, texts and complaints may come from a peer or a file. A character that moves the cursor, turns the direction
//! of writing or cannot be seen would let them look like something else, so each is written as an escape. The macros
//! here stand in for those of the standard library in all crates of the program, as a function could be forgotten; the
//! test below reads the sources for other ways to the terminal.

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use serde::Serialize;

use crate::{
    failure::{Failure, Result},
    manner,
};

#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => { $crate::terminal::note(&format!($($text)*)) };
}

#[macro_export]
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::terminal::note(&(format!($($text)*) + "\n")) };
}

/// Writes to standard output.
pub fn print(text: &str) -> Result<()> {
    io::stdout().write_all(harmless(text).as_bytes()).map_err(Failure::stdout)
}

/// Writes a line of JSON to standard output.
pub fn json(data: &impl Serialize) -> Result<()> {
    print(&json_line(data))
}

/// A line of JSON. What is escaped in it stays JSON of the same data.
pub fn json_line(data: &impl Serialize) -> String {
    let text = serde_json::to_string(data).expect("plain data");
    let escape = |c: char, to: &mut String| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(to, "\\u{unit:04x}").expect("text grows");
        }
    };
    replaced(&text, false, escape).into_owned() + "\n"
}

/// Writes to standard error, unless this process is to be quiet.
pub fn note(text: &str) {
    if !manner::is_quiet() {
        complain(text);
    }
}

/// The same if more is to be said than what everybody needs.
pub fn detail(text: &str) {
    if manner::is_verbose() {
        complain(text);
    }
}

/// Writes an error, or what the caller cannot do without, to standard error. Nobody is told where that fails.
pub fn complain(text: &str) {
    if IN_PLACE.load(Ordering::Relaxed) {
        // What is drawn there is drawn again below.
        let _ = io::stderr().write_all(b"\r\x1b[K");
    }
    let _ = io::stderr().write_all(harmless(text).as_bytes());
}

/// Whether something is drawn again and again in the terminal's last line.
static IN_PLACE: AtomicBool = AtomicBool::new(false);

/// From now on something is, or nothing any longer.
pub fn draws_in_place(draws: bool) {
    IN_PLACE.store(draws, Ordering::Relaxed);
}

/// Standard error, for questions.
pub struct Screen;

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(harmless(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Text of several lines with an escape for each character that does not show.
pub fn harmless(text: &str) -> Cow<'_, str> {
    replaced(text, true, |c, to| write!(to, "{}", c.escape_unicode()).expect("text grows"))
}

/// The same for a text within a line: it begins no other one.
pub fn within_a_line(text: &str) -> Cow<'_, str> {
    replaced(text, false, |c, to| write!(to, "{}", c.escape_unicode()).expect("text grows"))
}

fn replaced(text: &str, lines: bool, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let plain = |c: char| shows(c) || (lines && c == '\n');
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| if plain(c) { out.push(c) } else { escape(c, &mut out) });
    Cow::Owned(out)
}

/// Whether a character shows where it stands: neither a control character, nor one of formatting, such as the direction
/// of writing, nor one that cannot be seen. Spaces do.
pub fn shows(c: char) -> bool {
    // After a letter: accents are escaped only where a text begins with them.
    let escaped = || format!("a{c}").escape_debug().to_string();
    let blank = c.is_whitespace() && !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}');
    c.is_ascii_graphic() || blank || (!c.is_control() && !ignorable(c) && !escaped().starts_with("a\\u{"))
}

/// Unicode's Default_Ignorable_Code_Point, and the blank pattern of Braille.
fn ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    #[test]
    fn nothing_that_hides_or_turns_gets_through() {
        for c in '\0'..=char::MAX {
            let shown = harmless(c.encode_utf8(&mut [0; 4])).into_owned();
            let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}');
            let hides =
                matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\u{3164}');
            if turns || hides || (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{2029}') {
                assert_eq!(shown, format!("\\u{{{:x}}}", u32::from(c)));
            }
            assert!(shown.chars().all(|c| c == '\n' || shows(c)), "{shown:?}");
            assert!(!within_a_line(&format!("a{c}")).contains('\n'));
            if c.is_alphanumeric() && !ignorable(c) {
                assert_eq!(shown, c.to_string());
            }
        }
        for text in [
            "a\nb  \"c\" 'd' \\ {e}",
            "M\u{fc}ller, na\u{69}\u{308}ve",
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{6536}\u{5165}",
            "",
        ] {
            assert!(matches!(harmless(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
        assert_eq!(within_a_line("a\u{1b}[2J\nyes"), "a\\u{1b}[2J\\u{a}yes");
    }

    #[test]
    fn json_stays_json() {
        let text = "a\u{202e}b\u{e0041}\"\n";
        let line = json_line(&text);
        assert!(line.trim_end().chars().all(shows), "{line:?}");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }

    /// Each place that prints goes through here: by macros that are those above, or by these functions.
    #[test]
    fn there_is_no_other_way_to_the_terminal() {
        fn sources(folder: &Path, see: &mut dyn FnMut(&Path, &str)) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => sources(&path, see),
                    false => see(&path, &fs::read_to_string(&path).unwrap()),
                }
            }
        }
        let (crates, mut seen) = (Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), 0);
        let mut look = |path: &Path, text: &str| {
            seen += 1;
            if path.ends_with("terminal.rs") {
                return;
            }
            for (at, line) in text.lines().enumerate() {
                let line = line.replace("stdout().is_terminal()", "").replace("stderr().is_terminal()", "");
                let ways =
                    ["stdout()", "stderr()", "std::print", "std::eprint", " println!", " print!", "dbg!"];
                for way in ways {
                    assert!(!line.contains(way), "{}:{}: {way}: use the terminal", path.display(), at + 1);
                }
            }
        };
        ["cli", "columns", "jobs"].iter().for_each(|name| sources(&crates.join(name).join("src"), &mut look));
        assert!(seen > 100, "{seen} files");
    }
}

//! Telephone numbers as people write them.

use zeroize::Zeroizing;

/// What stands between the digits of telephone numbers.
const SEPARATORS: &str = " \u{a0}\u{202f}-\u{2010}\u{2011}./()";

/// Writes a telephone number with its country code.
pub(super) fn write(text: &str, code: u16, to: &mut String) -> Result<(), &'static str> {
    if text.is_empty() {
        return Ok(());
    }
    // As in +43 (0) 1 234: the 0 is for callers from inside.
    let (before, after) = text.split_once("(0)").unwrap_or((text, ""));
    let mut digits = Zeroizing::new(String::with_capacity(text.len()));
    let plus = before.starts_with('+');
    for c in before.strip_prefix('+').unwrap_or(before).chars().chain(after.chars()) {
        match c {
            '0'..='9' => digits.push(c),
            _ if SEPARATORS.contains(c) => {}
            _ => return Err("is no telephone number: digits, with a + before and signs between them"),
        }
    }
    to.push('+');
    match (plus, digits.strip_prefix("00")) {
        (true, _) => to.push_str(&digits),
        (false, Some(international)) => to.push_str(international),
        (false, None) => {
            to.push_str(&code.to_string());
            to.push_str(if code == 39 { &digits } else { digits.strip_prefix('0').unwrap_or(&digits) });
        }
    }
    // Country and number: fifteen digits at most; none begins with 0.
    match to.len() {
        8..=16 if !to.starts_with("+0") => Ok(()),
        _ => Err("is no telephone number: 7 to 15 digits with the country code"),
    }
}

/// Whether this is a telephone number, with a country code or without one, of at least seven digits.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    // Room for all of it: what grows leaves copies behind.
    let mut room = Zeroizing::new(String::with_capacity(text.len() + 16));
    // The shortest code leaves room for the longest number.
    digits >= 7 && write(text.trim(), 1, &mut room).is_ok()
}

/// Whether this begins as telephone numbers do that have a country code, or the zero in place of it.
pub(super) fn is_complete(text: &str) -> bool {
    text.trim_start_matches('(').starts_with(['+', '0'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Rules;

    #[test]
    fn telephone_numbers() {
        let of = |code, text: &str| {
            Rules { phone: Some(code), ..Rules::default() }.form(text).map(|form| form.to_string())
        };
        for text in ["+43 1 234567", "0043 1 234567", "01/23 45-67", "+43 (0) 1 234567", "+43(0)1234567"] {
            assert_eq!(of(43, text), Ok("+431234567".into()), "{text}");
            assert!(is_number(text), "{text}");
        }
        assert_eq!(of(47, "22 12 34 56"), Ok("+4722123456".into()));
        assert_eq!(of(39, "06 698 12345"), Ok("+390669812345".into()));
        assert_eq!(of(43, ""), Ok(String::new()));
        for text in [
            "+43 1 234567 ext 5",
            "call me",
            "12",
            "1234",
            "+43 1234 5678 9012 345",
            "0000 123456",
            "++0431234567",
        ] {
            assert!(of(43, text).is_err(), "{text}: {:?}", of(43, text));
            assert!(!is_number(text), "{text}");
        }
        assert!(
            is_complete("01 23") && is_complete("(01) 23") && is_complete("+1") && !is_complete("(1) 02")
        );
        assert!(is_number("1234567") && !is_number("123456"));
        assert!(is_number("12345678901234") && !is_number("1234567890123456"));
        assert!(is_number("0043 (0) 1234567890123") && is_number("\t+43 1 234567"));
    }
}

//! The encodings that CSV files have: UTF-8, UTF-16 and what older Windows programs write. A crate for all encodings
//! would bring the tables of thousands of letters for the 27 that are missing here.

use clap::ValueEnum;
use prim::wipe::Wiped;

/// How text stands for characters. A byte-order mark says more than any name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// UTF-8, or UTF-16 if the text begins like that
    Auto,
    /// One byte a letter, for Western Europe; Latin-1 is the larger part of it
    #[value(name = "windows-1252", aliases = ["cp1252", "latin-1", "latin1", "iso-8859-1"])]
    Windows1252,
}

/// The characters of the bytes 0x80 to 0x9f. The five that stand for nothing are control characters, as in
/// browsers.
const UPPER: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

impl Encoding {
    /// `text` as UTF-8, which is checked where it is read if nothing had to be done.
    pub fn decode(self, text: Wiped<u8>) -> Result<Wiped<u8>, String> {
        match (&text[..], self) {
            ([0xff, 0xfe, rest @ ..], _) => utf16(rest, u16::from_le_bytes),
            ([0xfe, 0xff, rest @ ..], _) => utf16(rest, u16::from_be_bytes),
            ([0xef, 0xbb, 0xbf, ..], _) => Ok(text),
            // No mark, but text begins with a letter or a quote: half of it is zero.
            ([1..=255, 0, ..], _) => utf16(&text, u16::from_le_bytes),
            ([0, 1..=255, ..], _) => utf16(&text, u16::from_be_bytes),
            (_, Self::Auto) => Ok(text),
            (_, Self::Windows1252) => Ok(windows_1252(&text)),
        }
    }
}

/// So many bytes may a character of 16 bits, or of a byte, become.
const MOST: usize = 3;

fn utf16(text: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Wiped<u8>, String> {
    let (pairs, rest) = text.as_chunks::<2>();
    let mut out = Wiped::default();
    out.reserve(MOST * pairs.len());
    let bad =
        |out: &[u8]| format!("line {}: not UTF-16 text", 1 + out.iter().filter(|&&b| b == b'\n').count());
    for character in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        let character = character.map_err(|_| bad(&out))?;
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    if rest.is_empty() { Ok(out) } else { Err(bad(&out)) }
}

fn windows_1252(text: &[u8]) -> Wiped<u8> {
    let upper: Vec<char> = UPPER.chars().collect();
    let mut out = Wiped::default();
    out.reserve(MOST * text.len());
    for &byte in text {
        let character = match byte {
            0x80..0xa0 => upper[usize::from(byte - 0x80)],
            _ => char::from(byte),
        };
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "id,größe\nM\u{fc}ller \u{1f600},1\n";

    fn decode(encoding: Encoding, text: &[u8]) -> Result<Vec<u8>, String> {
        encoding.decode(text.to_vec().into()).map(Wiped::into_vec)
    }

    fn bytes(unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        TEXT.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn utf16_with_and_without_mark() {
        for encoding in [Encoding::Auto, Encoding::Windows1252] {
            for (unit, mark) in
                [(u16::to_le_bytes as fn(u16) -> [u8; 2], [0xff, 0xfe]), (u16::to_be_bytes, [0xfe, 0xff])]
            {
                let plain = bytes(unit);
                let marked = [&mark[..], &plain].concat();
                for text in [plain, marked] {
                    assert_eq!(decode(encoding, &text), Ok(TEXT.as_bytes().to_vec()));
                }
            }
        }
        let cut = [&bytes(u16::to_le_bytes)[..], b"x"].concat();
        assert_eq!(decode(Encoding::Auto, &cut), Err("line 3: not UTF-16 text".into()));
        let half = b"i\0d\0\n\0\x00\xd8x\0".to_vec();
        assert_eq!(decode(Encoding::Auto, &half), Err("line 2: not UTF-16 text".into()));
    }

    #[test]
    fn single_bytes_are_letters_only_when_told() {
        let text = b"id,gr\xf6\xdfe \x80\x9f\n".to_vec();
        assert_eq!(decode(Encoding::Auto, &text), Ok(text.clone()));
        assert_eq!(decode(Encoding::Windows1252, &text), Ok("id,größe €Ÿ\n".as_bytes().to_vec()));
        let all: Vec<u8> = (1..=255).collect();
        let decoded = String::from_utf8(decode(Encoding::Windows1252, &all).unwrap()).unwrap();
        let mut letters: Vec<char> = decoded.chars().collect();
        assert_eq!((letters.len(), letters[0x7f], letters[0x9f]), (255, '€', '\u{a0}'));
        letters.sort();
        letters.dedup();
        assert_eq!(letters.len(), 255);
        // A mark says what the text is, whatever was told.
        let marked = "\u{feff}id,größe\n".as_bytes().to_vec();
        assert_eq!(decode(Encoding::Windows1252, &marked), Ok(marked));
    }
}

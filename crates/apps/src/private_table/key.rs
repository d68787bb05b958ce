//! The column of keys, and keys as bits.

use prim::Wiped;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::{date::DAYS, field::Field};
use crate::ids::{DateOrder, Rules};

/// Longest name of a table or a column, in bytes.
pub(super) const NAME: usize = 200;

/// The column of keys. Public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Its name at the owner.
    pub name: String,
    /// What keys are.
    pub kind: KeyKind,
    /// The form into which both parties bring texts, as [`Rules::normal_form`] names it; of other keys none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

/// How a party reads its own file.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// How dates are written.
    pub order: DateOrder,
    /// What brings texts into the form that keys have.
    pub rules: Rules,
}

impl Key {
    /// Of texts in the form that these rules give.
    pub fn new(name: String, kind: KeyKind, rules: Rules) -> Self {
        let form = matches!(kind, KeyKind::Text { .. }).then(|| rules.normal_form());
        Self { name, kind, form }
    }

    /// `Ok(())` if there are such keys.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn check(&self) -> Result<(), String> {
        let texts = matches!(self.kind, KeyKind::Text { .. });
        match &self.form {
            Some(form) if texts && name_shows(form) => self.kind.check(),
            None if !texts => self.kind.check(),
            form => Err(format!("keys {:?} in the form {form:?}", self.kind)),
        }
    }

    /// What keys are, in words.
    pub fn words(&self) -> String {
        match &self.form {
            Some(form) => format!("{}, in the form {form}", self.kind.words()),
            None => self.kind.words(),
        }
    }
}

/// What keys are, and what of each is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum KeyKind {
    /// Whole numbers from `least` on: so many bits of what is above it, 1 to 64.
    Whole {
        /// The least number that has a key.
        least: i64,
        /// Bits of a key.
        bits: u32,
    },
    /// Text in one form, hashed by BLAKE3 to 64 or 96 bits.
    Text {
        /// Bits of the hash.
        bits: u32,
    },
    /// Dates, as days since `least`, which is so many days after 1970-01-01.
    Date {
        /// The first day that has a key.
        least: i64,
        /// Bits of a key.
        bits: u32,
    },
}

impl KeyKind {
    /// Bits of a key.
    pub fn bits(self) -> u32 {
        match self {
            Self::Whole { bits, .. } | Self::Text { bits } | Self::Date { bits, .. } => bits,
        }
    }

    /// `Ok(())` if there are such keys.
    pub fn check(self) -> Result<(), String> {
        let fine = match self {
            Self::Whole { bits, .. } => (1..=64).contains(&bits),
            Self::Text { bits } => bits == 64 || bits == 96,
            Self::Date { least, bits } => (1..=22).contains(&bits) && (DAYS[0]..=DAYS[1]).contains(&least),
        };
        if fine { Ok(()) } else { Err(format!("keys {self:?}")) }
    }

    /// Appends a key as lookups take it: words of 64 bits, lowest first.
    pub fn append(self, key: u128, to: &mut Wiped<u64>) {
        let words = [key as u64, (key >> 64) as u64];
        to.extend_from_slice(&words[..self.bits().div_ceil(64) as usize]);
    }

    /// The key in a cell of a file; `Ok(None)` for one that no row can have.
    ///
    /// # Errors
    /// Why it is none, to be read after "it".
    pub fn read(self, field: &Field<'_>, reading: Reading) -> Result<Option<u128>, String> {
        const MISSING: &str = "is missing: every row needs a key";
        let number = match self {
            Self::Text { bits } => {
                let form = reading.rules.form(&field.written()?)?;
                return if form.trim().is_empty() {
                    Err(MISSING.into())
                } else {
                    Ok(Some(hashed(&form, bits)))
                };
            }
            Self::Whole { least, .. } => {
                let number =
                    field.whole().map_err(|what| what.replace("needs a number there", "needs a key"))?;
                number.checked_sub(least.into())
            }
            Self::Date { least, .. } => Some(i128::from(field.days(reading.order)?) - i128::from(least)),
        };
        Ok(number.and_then(|number| u128::try_from(number).ok()).filter(|key| key >> self.bits() == 0))
    }

    /// What keys are, in words.
    pub fn words(self) -> String {
        match self {
            Self::Whole { least, bits } => {
                let most = i128::from(least) + (1i128 << bits) - 1;
                format!("whole numbers from {least} to {most}")
            }
            Self::Text { bits } => format!("text, hashed to {bits} bits"),
            Self::Date { least, bits } => {
                let most = (least + (1 << bits) - 1).min(DAYS[1]);
                format!("dates from {} to {}", super::date_of(least), super::date_of(most))
            }
        }
    }

    /// The probability that two of so many different texts, or one of another party's and one of these, have the same
    /// hash, as a power of two that it is below: of the first for all together, of the second for each lookup. Nothing
    /// where keys are not hashed.
    pub fn collisions(self, rows: u64) -> Option<[i32; 2]> {
        let Self::Text { bits } = self else { return None };
        let log = 64 - rows.max(2).saturating_sub(1).leading_zeros() as i32;
        Some([2 * log - 1 - bits as i32, log - bits as i32])
    }
}

/// The first bits of a text's hash.
fn hashed(text: &str, bits: u32) -> u128 {
    let mut hash = blake3::Hasher::new_derive_key("hushtable 2026 text as the key of a table");
    hash.update(text.as_bytes());
    let mut bytes = Zeroizing::new([0; 16]);
    hash.finalize_xof().fill(&mut *bytes);
    u128::from_le_bytes(*bytes) & (u128::MAX >> (128 - bits))
}

/// Whether a name can be shown at a terminal: what came from a peer must not move its cursor.
pub fn name_shows(name: &str) -> bool {
    let plain = |c: char| c == ' ' || c.is_alphanumeric() || c.is_ascii_graphic();
    (1..=NAME).contains(&name.len()) && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const YMD: Reading = Reading { order: DateOrder::YearMonthDay, rules: Rules::NONE };
    const PLAIN: Rules = Rules { trim: true, nfc: true, ..Rules::NONE };

    #[test]
    fn keys_of_each_kind() {
        let whole = KeyKind::Whole { least: -10, bits: 5 };
        for (text, want) in
            [("-10", Some(0)), ("21", Some(31)), ("22", None), ("-11", None), ("007", Some(17))]
        {
            assert_eq!(whole.read(&Field::Text(text), YMD), Ok(want), "{text}");
        }
        let wide = KeyKind::Whole { least: i64::MIN, bits: 64 };
        assert_eq!(wide.read(&Field::Whole(i64::MAX.into()), YMD), Ok(Some(u64::MAX.into())));
        assert_eq!(wide.read(&Field::Whole(i128::MAX), YMD), Ok(None));
        assert_eq!(wide.words(), format!("whole numbers from {} to {}", i64::MIN, i64::MAX));
        for bad in [Field::Text("x"), Field::Text("1.5"), Field::Text(""), Field::Missing, Field::Float(0.5)]
        {
            assert!(whole.read(&bad, YMD).is_err());
        }
        let date = KeyKind::Date { least: 0, bits: 15 };
        assert_eq!(date.read(&Field::Text("1970-02-01"), YMD), Ok(Some(31)));
        assert_eq!(date.read(&Field::Date(31), YMD), Ok(Some(31)));
        assert_eq!(
            date.read(&Field::Text("1.2.1970"), Reading { order: DateOrder::DayMonthYear, ..YMD }),
            Ok(Some(31))
        );
        assert_eq!(date.read(&Field::Text("1969-12-31"), YMD), Ok(None));
        assert!(date.read(&Field::Whole(31), YMD).is_err());
    }

    #[test]
    fn texts_are_hashed() {
        let [short, long] = [64, 96].map(|bits| KeyKind::Text { bits });
        let plain = Reading { rules: PLAIN, ..YMD };
        let read = |kind: KeyKind, text| kind.read(&Field::Text(text), plain).unwrap().unwrap();
        assert_eq!(read(long, " a-1 "), read(long, "a-1"));
        assert_ne!(read(long, "a-1"), read(long, "a-2"));
        assert_eq!(read(short, "a-1"), read(long, "a-1") & u128::from(u64::MAX));
        assert!(read(long, "a-1") >> 96 == 0);
        assert_eq!(long.read(&Field::Whole(7), YMD).unwrap(), Some(read(long, "7")));
        assert!(long.read(&Field::Text("  "), YMD).is_err());
        // In one form; as it stands only without rules.
        let by = |rules: &str, text| {
            long.read(&Field::Text(text), Reading { rules: rules.parse().unwrap(), ..YMD })
                .map(Option::unwrap)
        };
        assert_eq!(by("lower,alnum", "A-1"), by("trim", "a1"));
        assert_eq!(by("trim", "a\u{308}"), by("none", "\u{e4}"));
        assert_ne!(by("none", " a1"), by("none", "a1"));
        assert!(by("digits", "abc").unwrap_err().contains("missing") && by("e164:+43", "x").is_err());
        let key =
            |kind, form: Option<&str>| Key { name: "k".into(), kind, form: form.map(str::to_owned) }.check();
        let whole = KeyKind::Whole { least: 0, bits: 8 };
        assert!(key(long, Some("trim,nfc")).is_ok() && key(whole, None).is_ok());
        assert!(
            key(long, None).is_err()
                && key(whole, Some("none")).is_err()
                && key(long, Some("\u{1b}")).is_err()
        );
        // Pairs of 2^20, over 2^96; and one against them.
        assert_eq!(long.collisions(1 << 20), Some([-57, -76]));
        assert_eq!(short.collisions(1000), Some([-45, -54]));
        assert_eq!(KeyKind::Whole { least: 0, bits: 8 }.collisions(5), None);
    }
}

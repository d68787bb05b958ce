//! How numbers are written: with which decimal sign, and which sign between thousands. Neither is guessed.

use std::{ops::Deref, str::FromStr};

use zeroize::Zeroizing;

/// What stands between groups of three digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thousands {
    Point,
    Comma,
    /// ' or the typographic one.
    Apostrophe,
    /// A space, or one that does not break: plain, narrow or thin.
    Space,
    Underscore,
}

impl Thousands {
    const ALL: [Self; 5] = [Self::Point, Self::Comma, Self::Apostrophe, Self::Space, Self::Underscore];

    fn signs(self) -> &'static [char] {
        match self {
            Self::Point => &['.'],
            Self::Comma => &[','],
            Self::Apostrophe => &['\'', '\u{2019}'],
            Self::Space => &[' ', '\u{a0}', '\u{202f}', '\u{2009}'],
            Self::Underscore => &['_'],
        }
    }

    /// As the command line has it.
    fn word(self) -> &'static str {
        match self {
            Self::Point => ".",
            Self::Comma => ",",
            Self::Apostrophe => "\"'\"",
            Self::Space => "space",
            Self::Underscore => "_",
        }
    }
}

impl FromStr for Thousands {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut chars = text.chars();
        let sign = chars.next().filter(|_| chars.as_str().is_empty());
        let all = || Self::ALL.into_iter();
        let found = all().find(|thousands| sign.is_some_and(|sign| thousands.signs().contains(&sign)));
        found
            .or(Some(Self::Space).filter(|_| text == "space"))
            .ok_or_else(|| "accepted: . , ' _ or space".into())
    }
}

/// A cell with a point where it has a decimal sign, and nothing between thousands. Wiped if it was made.
pub enum Plain<'c> {
    Same(&'c str),
    Made(Zeroizing<String>),
}

impl Deref for Plain<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Same(cell) => cell,
            Self::Made(text) => text,
        }
    }
}

/// Whether a floating-point number is this whole number.
pub fn is_exact(whole: i128) -> bool {
    whole as f64 as i128 == whole
}

/// What is wrong with a whole number that no floating-point number is.
pub const INEXACT: &str = "has more digits than are read exactly; accepted: whole numbers up to 2^53";

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notation {
    pub decimal: char,
    pub thousands: Option<Thousands>,
}

impl Notation {
    /// An error if both signs are one.
    pub fn check(self) -> Result<(), String> {
        match self.thousands.filter(|thousands| thousands.signs().contains(&self.decimal)) {
            None => Ok(()),
            Some(thousands) => {
                let other = if self.decimal == '.' { ',' } else { '.' };
                let (decimal, thousands) = (self.decimal, thousands.word());
                Err(format!(
                    "--thousands {thousands} and --decimal {decimal} are the same sign; --decimal {other} says that {other} is decimal"
                ))
            }
        }
    }

    /// The number in a cell without blanks around it, or what is wrong with it. `doubtful`: that the decimal sign is a
    /// point was not said, and the file is written as where it is a comma.
    pub fn number(self, cell: &str, doubtful: bool) -> Result<f64, String> {
        let plain = self.plain(cell);
        if plain.as_ref().is_some_and(|plain| plain.parse::<i128>().is_ok_and(|whole| !is_exact(whole))) {
            return Err(INEXACT.into());
        }
        let number = plain.and_then(|plain| parse(&plain));
        match doubtful.then(|| self.doubt(cell)).flatten() {
            Some(doubt) => Err(doubt),
            None => number.ok_or_else(|| format!("is not a number{}", self.others(cell))),
        }
    }

    /// What a cell may be meant as where a point may stand between thousands, if that is not clear.
    pub fn doubt(self, cell: &str) -> Option<String> {
        let grouped = Self { decimal: ',', thousands: Some(Thousands::Point) };
        let other = grouped.read(cell).filter(|_| cell.contains('.'))?;
        let one = self.read(cell)?;
        Some(format!(
            "may be {one} or {other}, in a file that ; separates: --decimal . or --decimal , --thousands . says which"
        ))
    }

    fn read(self, cell: &str) -> Option<f64> {
        parse(&self.plain(cell)?)
    }

    /// The cell as it is read; nothing where groups are not what they should be.
    pub fn plain(self, cell: &str) -> Option<Plain<'_>> {
        let size = cell.strip_prefix(['-', '+']).unwrap_or(cell);
        let whole = &size[..size.find([self.decimal, 'e', 'E']).unwrap_or(size.len())];
        let sign = self.thousands.and_then(|thousands| whole.chars().find(|c| thousands.signs().contains(c)));
        // A point that is not decimal is none of a number.
        if self.decimal != '.' && sign != Some('.') && cell.contains('.') {
            return None;
        }
        let Some(sign) = sign else {
            return Some(match cell.split_once(self.decimal).filter(|_| self.decimal != '.') {
                None => Plain::Same(cell),
                Some((whole, behind)) => Plain::Made(Zeroizing::new([whole, ".", behind].concat())),
            });
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let mut groups = whole.split(sign);
        let first =
            groups.next().filter(|first| digits(first) && first.len() <= 3 && !first.starts_with('0'))?;
        let behind = &size[whole.len()..];
        let fraction = behind.strip_prefix(self.decimal).unwrap_or(behind);
        if !(behind.is_empty() || digits(fraction)) {
            return None;
        }
        let mut plain = Zeroizing::new(String::with_capacity(cell.len() + 1));
        plain.push_str(&cell[..cell.len() - size.len()]);
        plain.push_str(first);
        for group in groups {
            if !digits(group) || group.len() != 3 {
                return None;
            }
            plain.push_str(group);
        }
        if !behind.is_empty() {
            plain.push('.');
            plain.push_str(fraction);
        }
        Some(Plain::Made(plain))
    }

    /// How else the cell would be a number: each way that the cell can be meant, none of which is more likely.
    fn others(self, cell: &str) -> String {
        let thousands = Thousands::ALL.into_iter().map(Some);
        let ways =
            [self.decimal, if self.decimal == '.' { ',' } else { '.' }].into_iter().flat_map(|decimal| {
                [None].into_iter().chain(thousands.clone()).map(move |thousands| Self { decimal, thousands })
            });
        let reads = ways.filter(|way| way.check().is_ok()).filter_map(|way| {
            // What it does not have says nothing.
            let grouped = way.thousands.is_none_or(|thousands| cell.contains(thousands.signs()));
            let number = way.read(cell).filter(|_| grouped)?;
            let decimal = (way.decimal != self.decimal).then(|| format!("--decimal {}", way.decimal));
            let thousands = way.thousands.map(|thousands| format!("--thousands {}", thousands.word()));
            let options: Vec<String> = decimal.into_iter().chain(thousands).collect();
            (!options.is_empty()).then(|| format!("{} would read {number}", options.join(" ")))
        });
        let reads: Vec<String> = reads.collect();
        if reads.is_empty() { String::new() } else { format!("; {}", reads.join(", ")) }
    }
}

/// The finite number in a cell with a decimal point.
fn parse(plain: &str) -> Option<f64> {
    plain.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// The digits of a number that is written plainly, and how many of them are behind the point.
pub fn digits(plain: &str) -> Option<(i128, i32)> {
    let (whole, behind) = plain.split_once('.').unwrap_or((plain, ""));
    let digits = Zeroizing::new([whole, behind].concat());
    Some((digits.parse().ok()?, i32::try_from(behind.len()).ok()?))
}

#[cfg(test)]
mod tests {
    use prim::{Block, Prg};

    use super::*;

    const POINT: Notation = Notation { decimal: '.', thousands: None };
    const COMMA: Notation = Notation { decimal: ',', thousands: None };

    fn of(decimal: char, thousands: Option<Thousands>) -> Notation {
        Notation { decimal, thousands }
    }

    #[test]
    fn numbers_as_people_write_them() {
        use Thousands::{Apostrophe, Comma, Point, Space, Underscore};
        for (notation, cell, want) in [
            (COMMA, "1,5", 1.5),
            (COMMA, "-0,25e1", -2.5),
            (COMMA, ",5", 0.5),
            (COMMA, "+3,", 3.0),
            (POINT, "-999", -999.0),
            (POINT, "-9007199254740992", -9007199254740992.0),
            (of(',', Some(Point)), "1.100", 1100.0),
            (of(',', Some(Point)), "-1.234.567,25", -1234567.25),
            (of(',', Some(Point)), "1234,5", 1234.5),
            (of('.', Some(Comma)), "+12,345.5", 12345.5),
            (of('.', Some(Apostrophe)), "1\u{2019}234", 1234.0),
            (of('.', Some(Apostrophe)), "1'234", 1234.0),
            (of(',', Some(Space)), "12\u{202f}345,75", 12345.75),
            (of(',', Some(Space)), "12\u{a0}345", 12345.0),
            (of('.', Some(Underscore)), "1_000_000", 1e6),
        ] {
            assert_eq!(notation.number(cell, false), Ok(want), "{cell}");
        }
        for cell in ["9007199254740993", "9.007.199.254.740.993"] {
            let got = of(',', Some(Point)).number(cell, false).unwrap_err();
            assert!(got.contains("up to 2^53"), "{got}");
        }
        for cell in [
            "1.10",
            "1.1000",
            ".100",
            "1..000",
            "1.000.",
            "0.100",
            "01.000",
            "1234.567",
            "1.000.00",
            "1.000e3",
            "1,000.5",
            "1.000,5,0",
            "-.100",
            "1.000,",
            "1.0a0",
            "--1.000",
        ] {
            let got = of(',', Some(Point)).number(cell, false);
            assert!(got.is_err(), "{cell}: {got:?}");
        }
        assert!(of('.', Some(Space)).number("1\u{a0}234 567", false).is_err(), "two kinds of blanks");
    }

    /// Each way in which a cell may be meant is named, and none is taken.
    #[test]
    fn what_is_no_number_may_be_meant_in_several_ways() {
        use Thousands::{Comma, Point, Space};
        for (notation, cell, want) in [
            (POINT, "1,5", "; --decimal , would read 1.5"),
            (POINT, "1,100", "; --thousands , would read 1100, --decimal , would read 1.1"),
            (POINT, "1,234,567", "; --thousands , would read 1234567"),
            (POINT, "1.234,5", "; --decimal , --thousands . would read 1234.5"),
            (POINT, "1 234.5", "; --thousands space would read 1234.5"),
            (
                POINT,
                "1'234",
                "; --thousands \"'\" would read 1234, --decimal , --thousands \"'\" would read 1234",
            ),
            (COMMA, "1.100", "; --thousands . would read 1100, --decimal . would read 1.1"),
            (COMMA, "1.5", "; --decimal . would read 1.5"),
            (COMMA, "1.234,5", "; --thousands . would read 1234.5"),
            (of(',', Some(Point)), "1.10", "; --decimal . would read 1.1"),
            (of('.', Some(Comma)), "1,10", "; --decimal , would read 1.1"),
            (of(',', Some(Space)), "x", ""),
            (POINT, "-inf", ""),
            (POINT, "12.34.56", ""),
        ] {
            assert_eq!(notation.number(cell, false), Err(format!("is not a number{want}")), "{cell}");
        }
        let doubtful = |cell: &str| POINT.number(cell, true);
        let both = "may be 1.1 or 1100, in a file that ; separates: --decimal . or --decimal , --thousands . says which";
        assert_eq!(doubtful("1.100"), Err(both.into()));
        assert_eq!(
            (doubtful("0.125"), doubtful("1.5"), doubtful("1100"), doubtful("1.1000")),
            (Ok(0.125), Ok(1.5), Ok(1100.0), Ok(1.1))
        );
        assert!(doubtful("1.100.000").unwrap_err().contains("--decimal , --thousands . would read 1100000"));
        assert_eq!(COMMA.check(), Ok(()));
        assert!(of('.', Some(Point)).check().unwrap_err().contains("--decimal ,"));
    }

    /// Numbers written in every notation are read as they were, and in no other notation as another number without
    /// that being said.
    #[test]
    fn numbers_come_back_as_written() {
        let mut prg = Prg::new(Block(59));
        let mut draw = |below: u64| prg.u64() % below;
        for _ in 0..20_000 {
            let (most, places) = (10u64.pow(1 + draw(12) as u32), draw(4) as usize);
            let (whole, fraction) = (draw(most), draw(10u64.pow(places as u32)));
            let decimal = if draw(2) == 0 { '.' } else { ',' };
            let thousands = Thousands::ALL[draw(5) as usize];
            let notation = of(decimal, Some(thousands));
            if notation.check().is_err() {
                continue;
            }
            let signs = thousands.signs();
            let sign = signs[draw(signs.len() as u64) as usize];
            let minus = if draw(2) == 0 { "-" } else { "" };
            let plain = whole.to_string();
            let mut grouped = String::new();
            for (i, digit) in plain.chars().enumerate() {
                if i > 0 && (plain.len() - i) % 3 == 0 {
                    grouped.push(sign);
                }
                grouped.push(digit);
            }
            let behind = if places > 0 { format!("{fraction:0places$}") } else { String::new() };
            let point = if places > 0 { decimal.to_string() } else { String::new() };
            let want: f64 = format!("{minus}{plain}.{behind}").parse().unwrap();
            for written in [&grouped, &plain] {
                let cell = format!("{minus}{written}{point}{behind}");
                assert_eq!(notation.number(&cell, false), Ok(want), "{cell}");
                let (digits, scale) = digits(&notation.plain(&cell).unwrap()).unwrap();
                assert_eq!(format!("{digits}e-{scale}").parse::<f64>().unwrap(), want, "{cell}");
            }
            // One sign too many or too few between digits is no number.
            let cell = format!("{minus}{grouped}{point}{behind}");
            if let Some(at) = cell.find(sign) {
                let mut other = cell.clone();
                other.insert(at, '5');
                let moved =
                    format!("{}{}{}", &cell[..at + sign.len_utf8()], '5', &cell[at + sign.len_utf8()..]);
                // A first group may be longer by one.
                let first = at - minus.len() < 3;
                assert!(notation.number(&moved, false).is_err(), "{moved}");
                assert_eq!(notation.number(&other, false).is_ok(), first, "{other}");
            }
        }
    }
}

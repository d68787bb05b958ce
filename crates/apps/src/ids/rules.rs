//! Rules that bring a field of an id into one form.

use std::{fmt, str::FromStr};

use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use super::{
    day::{self, DateOrder},
    phone,
};

/// How the fields of ids are brought into one form. Public. What is asked for is done in the order of these rules. The
/// form that results is the same at both parties ([`Rules::normal_form`]); how a party reads its own file is its own
/// matter, such as the country of telephone numbers without a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Rules {
    /// White space before and after a field is left out.
    pub trim: bool,
    /// Letters become small ones.
    pub lower_case: bool,
    /// Unicode's form NFC: a letter and its accent are one character, however they were typed.
    pub nfc: bool,
    /// Only letters and digits are kept: blanks, hyphens, dots and the like are left out.
    pub alphanumeric: bool,
    /// Only the digits 0 to 9 are kept, as of telephone numbers.
    pub digits_only: bool,
    /// Zeros before the first other character are left out.
    pub no_leading_zeros: bool,
    /// Telephone numbers become `+` and digits (E.164); those without a country code have this one. A national 0 before
    /// them is left out, but in Italy (39), where it is part of the number.
    pub phone: Option<u16>,
    /// Dates become year-month-day, and so do timestamps at midnight.
    pub date: Option<DateOrder>,
}

/// White space around a field is left out, and letters and their accents are one character: what nobody sees makes no
/// difference.
impl Default for Rules {
    fn default() -> Self {
        Self { trim: true, nfc: true, ..Self::NONE }
    }
}

impl Rules {
    /// Fields as they are.
    pub const NONE: Self = Self {
        trim: false,
        lower_case: false,
        nfc: false,
        alphanumeric: false,
        digits_only: false,
        no_leading_zeros: false,
        phone: None,
        date: None,
    };

    /// White space around a field is left out, or not.
    #[must_use]
    pub fn trim(self, trim: bool) -> Self {
        Self { trim, ..self }
    }

    /// Letters become small ones, or not.
    #[must_use]
    pub fn lower_case(self, lower_case: bool) -> Self {
        Self { lower_case, ..self }
    }

    /// Unicode's form NFC, or as typed.
    #[must_use]
    pub fn nfc(self, nfc: bool) -> Self {
        Self { nfc, ..self }
    }

    /// Only letters and digits are kept, or all.
    #[must_use]
    pub fn alphanumeric(self, alphanumeric: bool) -> Self {
        Self { alphanumeric, ..self }
    }

    /// Only digits are kept, or all.
    #[must_use]
    pub fn digits_only(self, digits_only: bool) -> Self {
        Self { digits_only, ..self }
    }

    /// Zeros at the beginning are left out, or not.
    #[must_use]
    pub fn no_leading_zeros(self, no_leading_zeros: bool) -> Self {
        Self { no_leading_zeros, ..self }
    }

    /// Telephone numbers, with this country code where there is none.
    #[must_use]
    pub fn phone(self, phone: impl Into<Option<u16>>) -> Self {
        Self { phone: phone.into(), ..self }
    }

    /// Dates, written in this order.
    #[must_use]
    pub fn date(self, date: impl Into<Option<DateOrder>>) -> Self {
        Self { date: date.into(), ..self }
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("form of ids", self.normal_form())]
    }

    /// The form that fields get, as both parties name it: rules that differ only in how a file is read have the same.
    pub fn normal_form(&self) -> String {
        // What others leave out anyway, or do themselves, makes no difference.
        let (typed, kept) =
            (self.phone.is_some() || self.date.is_some(), self.alphanumeric || self.digits_only);
        let text = !typed && !self.digits_only;
        let names = [
            (self.trim && !kept && (self.no_leading_zeros || !typed), "trim"),
            (self.nfc && text, "nfc"),
            (self.lower_case && text, "lower"),
            (self.alphanumeric && !self.digits_only, "alnum"),
            (self.digits_only, "digits"),
            (self.no_leading_zeros, "zeros"),
            (self.phone.is_some(), "telephone numbers"),
            (self.date.is_some(), "dates"),
        ];
        let names: Vec<_> = names.into_iter().filter(|(asked, _)| *asked).map(|(_, name)| name).collect();
        if names.is_empty() { "none".into() } else { names.join(",") }
    }

    /// A field in its form.
    ///
    /// # Errors
    /// What is wrong with a telephone number or a date, to be read after "it".
    pub fn form(&self, field: &str) -> Result<Zeroizing<String>, &'static str> {
        let field = if self.trim { field.trim() } else { field };
        // ASCII stays as long, and is NFC already.
        let ascii = field.is_ascii();
        // Room for all of it: what grows leaves copies behind.
        let room = || Zeroizing::new(String::with_capacity(if ascii { 1 } else { 3 } * field.len() + 16));
        let mut form = room();
        if self.lower_case && !ascii {
            form.extend(field.chars().flat_map(char::to_lowercase));
        } else {
            form.push_str(field);
            if self.lower_case {
                form.make_ascii_lowercase();
            }
        }
        if self.nfc && !ascii {
            let before = std::mem::replace(&mut form, room());
            form.extend(before.nfc());
        }
        if self.alphanumeric {
            form.retain(char::is_alphanumeric);
        }
        if self.digits_only {
            form.retain(|c| c.is_ascii_digit());
        }
        if self.no_leading_zeros {
            let zeros = form.bytes().take_while(|&b| b == b'0').count();
            // Of nothing but zeros one is left.
            let drop = zeros.min(form.len().saturating_sub(1));
            form.drain(..drop);
        }
        if let Some(code) = self.phone {
            let before = std::mem::replace(&mut form, room());
            phone::write(before.trim(), code, &mut form)?;
        }
        if let Some(order) = self.date {
            let before = std::mem::replace(&mut form, room());
            day::write(before.trim(), order, &mut form)?;
        }
        Ok(form)
    }
}

/// As they are read; every rule is named.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [
            (!(self.trim && self.nfc), "none"),
            (self.trim, "trim"),
            (self.nfc, "nfc"),
            (self.lower_case, "lower"),
            (self.alphanumeric, "alnum"),
            (self.digits_only, "digits"),
            (self.no_leading_zeros, "zeros"),
        ];
        let mut all: Vec<String> =
            named.into_iter().filter(|(asked, _)| *asked).map(|(_, name)| name.to_owned()).collect();
        all.extend(self.phone.map(|code| format!("e164:+{code}")));
        all.extend(self.date.map(|order| {
            let order = match order {
                DateOrder::DayMonthYear => "dmy",
                DateOrder::MonthDayYear => "mdy",
                DateOrder::YearMonthDay => "ymd",
            };
            format!("date:{order}")
        }));
        f.write_str(&all.join(","))
    }
}

/// Rules by their names, separated by commas: `lower`, `alnum`, `digits`, `zeros`, `e164:+47`, `date:dmy` and its like.
/// `trim` and `nfc` need not be named. They are left out if `none` stands first.
impl FromStr for Rules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut rules = Rules::default();
        for (i, rule) in text.split(',').map(str::trim).enumerate() {
            match rule.split_once(':').unwrap_or((rule, "")) {
                ("none", "") if i == 0 => rules = Rules::NONE,
                ("none", "") => return Err("none stands first: it leaves out trim and nfc".into()),
                ("trim", "") => rules.trim = true,
                ("lower", "") => rules.lower_case = true,
                ("nfc", "") => rules.nfc = true,
                ("alnum", "") => rules.alphanumeric = true,
                ("digits", "") => rules.digits_only = true,
                ("zeros", "") => rules.no_leading_zeros = true,
                ("e164", code) => {
                    let code = code.strip_prefix('+').and_then(|code| code.parse().ok());
                    let code = code.filter(|code| (1..=999).contains(code));
                    rules.phone =
                        Some(code.ok_or("e164 has a country code for numbers without one: e164:+47")?);
                }
                ("date", "ymd" | "") => rules.date = Some(DateOrder::YearMonthDay),
                ("date", "dmy") => rules.date = Some(DateOrder::DayMonthYear),
                ("date", "mdy") => rules.date = Some(DateOrder::MonthDayYear),
                _ => {
                    return Err(format!(
                        "{rule:?} is not one of: trim, nfc, lower, alnum, digits, zeros, e164:+CODE, date, date:dmy, \
                         date:mdy, date:ymd, none"
                    ));
                }
            }
        }
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use prim::{Block, Prg};

    use super::*;

    fn form(rules: Rules, field: &str) -> Result<String, &'static str> {
        rules.form(field).map(|form| form.to_string())
    }

    #[test]
    fn letters() {
        let all = Rules { lower_case: true, ..Rules::default() };
        assert_eq!(form(all, " \tA\u{308}nne@X.org "), Ok("\u{e4}nne@x.org".into()));
        assert_eq!(form(all, "\u{c4}NNE@x.org"), Ok("\u{e4}nne@x.org".into()));
        assert_eq!(form(Rules::default(), "\u{a0}A\u{308} "), Ok("\u{c4}".into()));
        assert_eq!(form(Rules::NONE, " A\u{308} "), Ok(" A\u{308} ".into()));
        let digits = Rules { digits_only: true, ..Rules::default() };
        assert_eq!(form(digits, "+43 (1) 234-5"), Ok("4312345".into()));
        let plain = Rules { alphanumeric: true, ..Rules::default() };
        assert_eq!(form(plain, " AB-12\u{a0}3/4.\u{200b}\u{e9}_"), Ok("AB1234\u{e9}".into()));
        let zeros = Rules { no_leading_zeros: true, ..Rules::default() };
        for (text, wanted) in [("007", "7"), ("0", "0"), ("000", "0"), ("", ""), ("0a0", "a0"), ("70", "70")]
        {
            assert_eq!(form(zeros, text), Ok(wanted.into()));
        }
    }

    /// Text of ASCII alone, which takes a shorter way, gets the form that it gets beside another letter.
    #[test]
    fn ascii_has_the_form_that_other_text_has() {
        let mut prg = Prg::new(Block(97));
        for _ in 0..20_000 {
            let mut flip = || prg.below(2) == 0;
            let rules = Rules {
                trim: flip(),
                lower_case: flip(),
                nfc: flip(),
                alphanumeric: flip(),
                digits_only: flip(),
                ..Rules::NONE
            };
            let length = prg.below(12);
            let text: String = (0..length).map(|_| char::from(prg.below(128) as u8)).collect();
            let text = text.trim_end();
            let behind = if rules.digits_only { "" } else { "\u{e9}" };
            let want = form(rules, &format!("{text}\u{e9}")).unwrap();
            assert_eq!(form(rules, text).unwrap() + behind, want, "{text:?} by {rules}");
            // Zeros that something follows.
            let zeros = Rules { no_leading_zeros: true, ..rules };
            let want = form(zeros, &format!("00{text}7\u{e9}")).unwrap();
            assert_eq!(form(zeros, &format!("00{text}7")).unwrap() + behind, want, "{text:?} by {zeros}");
        }
    }

    /// What two parties compare says whether equal ids get equal forms, whatever the rest of the rules.
    #[test]
    fn equal_normal_forms_are_equal_ways_to_write() {
        let of = |text: &str| text.parse::<Rules>().unwrap().normal_form();
        for (text, wanted) in [
            ("trim", "trim,nfc"),
            ("lower", "trim,nfc,lower"),
            ("none,lower,trim", "trim,lower"),
            ("none", "none"),
            ("none,zeros", "zeros"),
            ("trim,alnum,lower", "nfc,lower,alnum"),
            ("lower,digits", "digits"),
            ("digits,zeros", "digits,zeros"),
            ("e164:+43", "telephone numbers"),
            ("trim,e164:+49", "telephone numbers"),
            ("date", "dates"),
            ("date:dmy", "dates"),
            ("zeros,e164:+43", "trim,zeros,telephone numbers"),
            ("lower,digits,e164:+43", "digits,telephone numbers"),
            ("alnum,date", "alnum,dates"),
        ] {
            assert_eq!(of(text), wanted, "{text}");
        }
        assert_eq!("".parse::<Rules>().ok(), None);
        for text in [
            "trim,nfc",
            "none,nfc,alnum",
            "trim,nfc,lower,digits,zeros",
            "none",
            "trim,nfc,e164:+47,date:mdy",
        ] {
            assert_eq!(text.parse::<Rules>().unwrap().to_string(), text);
        }
        assert!("trim,none".parse::<Rules>().unwrap_err().contains("stands first"));
        assert_eq!("trim,nfc".parse(), Ok(Rules::default()));
        assert_eq!("none".parse(), Ok(Rules::NONE));
    }

    /// Rules that are named alike bring every text into the same form, where they have one for it.
    #[test]
    fn what_is_compared_is_what_is_done() {
        let texts = [
            " A\u{308}-7",
            "\u{c4}7",
            "007",
            " 007",
            "0",
            "a.b",
            "0043 1 234567",
            " 0043 1 234567",
            "+43 1 234567",
            "01 234567",
            "(0)1 2345678",
            "0012345678",
            "3.4.1970",
            " 03.04.1970",
            "19700403",
            "00701231",
            "0970-01-31",
            "1970-04-03T00:00:00Z",
            "",
        ];
        let mut known = std::collections::HashMap::new();
        for bits in 0..1u32 << 8 {
            let has = |bit: u32| bits >> bit & 1 == 1;
            let rules = Rules {
                trim: has(0),
                lower_case: has(1),
                nfc: has(2),
                alphanumeric: has(3),
                digits_only: has(4),
                no_leading_zeros: has(5),
                phone: has(6).then_some(43),
                date: has(7).then_some(DateOrder::DayMonthYear),
            };
            for text in texts {
                let Ok(form) = form(rules, text) else { continue };
                let first = known.entry((rules.normal_form(), text)).or_insert((rules, form.clone()));
                assert_eq!(first.1, form, "{:?} by {} and by {rules}", text, first.0);
            }
        }
        assert!(known.len() > 500, "{}", known.len());
    }
}

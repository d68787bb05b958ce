//! Columns as they are written on the command line.

use std::str::FromStr;

use apps::private_table::{Kind, Limits, Scale};
use hushtable_columns::named::cut;

/// `--key`.
#[derive(Clone, Debug, PartialEq)]
pub struct KeySpec {
    pub name: String,
    /// `None`: as it is found.
    pub kind: Option<Kind>,
}

/// One of `--value`.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSpec {
    pub name: String,
    pub limits: Limits,
}

impl FromStr for KeySpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, kind) = match cut(text, ':')? {
            Some((name, "int")) => (name, Some(Kind::Number(Scale::Decimal(0)))),
            Some((name, "text")) => (name, Some(Kind::Text)),
            Some((name, "date")) => (name, Some(Kind::Date)),
            _ => (text, None),
        };
        Ok(Self { name: named(name)?, kind })
    }
}

impl FromStr for ValueSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((name, kind)) = cut(text, ':')?.and_then(|(name, last)| Some((name, kind(last)?))) {
            return Ok(Self { name: named(name)?, limits: Limits { kind: Some(kind?), width: None } });
        }
        let split = || {
            let (rest, width) = cut(text, ':').ok()??;
            let (name, last) = cut(rest, ':').ok()??;
            Some((name, kind(last)?, width.parse::<u32>()))
        };
        match split() {
            Some((_, _, Err(_))) => Err(format!("{text:?}: a width is a number of bits, or bytes of text")),
            Some((_, Ok(Kind::Date), Ok(_))) => Err(format!("{text:?}: dates have no width")),
            Some((name, kind, Ok(width))) => {
                Ok(Self { name: named(name)?, limits: Limits { kind: Some(kind?), width: Some(width) } })
            }
            None => Ok(Self { name: named(text)?, limits: Limits::default() }),
        }
    }
}

fn named(name: &str) -> Result<String, String> {
    let name = hushtable_columns::named::name(name)?;
    match apps::private_table::name_shows(&name) {
        true => Ok(name),
        false => Err(format!("the name {name:?}; accepted: 1 to 200 bytes without control characters")),
    }
}

/// A kind by its name, if it is one; an error if its number is none.
fn kind(text: &str) -> Option<Result<Kind, String>> {
    let digits = |from: &str, most: u32| {
        let digits = text.strip_prefix(from)?;
        let digits = digits.parse::<u32>().ok().filter(|digits| *digits <= most);
        Some(digits.ok_or_else(|| format!("{text:?}: {from} has 0 to {most} digits, as {from}2")))
    };
    match text {
        "int" => Some(Ok(Kind::Number(Scale::Decimal(0)))),
        "text" => Some(Ok(Kind::Text)),
        "date" => Some(Ok(Kind::Date)),
        _ => {
            let decimal = digits("decimal", 18).map(|n| n.map(|n| Kind::Number(Scale::Decimal(n))));
            decimal.or_else(|| Some(digits("fixed", 32)?.map(|n| Kind::Number(Scale::Binary(n)))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_as_they_are_written() {
        let value = |text: &str| text.parse::<ValueSpec>();
        let number = |scale| Some(Kind::Number(scale));
        for (text, name, kind, width) in [
            ("price", "price", None, None),
            ("a:b", "a:b", None, None),
            ("a:5", "a:5", None, None),
            ("price:decimal2", "price", number(Scale::Decimal(2)), None),
            ("price:decimal2:32", "price", number(Scale::Decimal(2)), Some(32)),
            ("x:y:fixed16:40", "x:y", number(Scale::Binary(16)), Some(40)),
            ("tier:int:4", "tier", number(Scale::Decimal(0)), Some(4)),
            ("tier:text:8", "tier", Some(Kind::Text), Some(8)),
            ("\"a,b:int\"", "a,b:int", None, None),
            ("\"x:y\":fixed16:40", "x:y", number(Scale::Binary(16)), Some(40)),
            ("day:date", "day", Some(Kind::Date), None),
        ] {
            let want = ValueSpec { name: name.into(), limits: Limits { kind, width } };
            assert_eq!(value(text), Ok(want), "{text}");
        }
        for text in ["", ":int", "a:decimal19", "a:fixed33", "a:int:x", "a:date:5", "a:decimal:5", "a\u{7}"] {
            assert!(value(text).is_err(), "{text}");
        }
        let key = |text: &str| text.parse::<KeySpec>().unwrap();
        assert_eq!(key("sku:text"), KeySpec { name: "sku".into(), kind: Some(Kind::Text) });
        assert_eq!(key("a:b"), KeySpec { name: "a:b".into(), kind: None });
    }
}

//! Columns to join, and rules for ids, as they are written on the command line.

use std::fmt;

use apps::{ids::Rules, join, label};
use hushtable_columns::{Cell, Dialect, failure::Failure, named, numbers::rounded, terminal::shows};
use prim::wipe::Wiped;
use serde::{Deserialize, Serialize};

/// Bits behind the point unless others are asked for.
pub const FRACTION_BITS: u32 = 16;

/// Bits of the words that hold numbers and their sums.
pub const BITS: u32 = 64;

/// The size of numbers unless another limit is given.
const LIMIT: f64 = 1048576.0;

/// Bits of the largest number, without its sign: with these the sum over the largest join fits [`BITS`].
const MOST: i32 = 38;

/// Most groups of a column.
const GROUPS: usize = 64;

/// Longest name of a column or a group.
const NAME: usize = 200;

/// The place of a group where there is none.
const NONE: u64 = u64::MAX;

/// A column that is joined. Public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
    /// Whether cells may be missing. Which are is shared: of numbers as a bit that says that one is there, of groups as
    /// none of their bits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// What is in a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Kind {
    /// Numbers up to `limit` in size, multiples of `2^-fraction_bits`.
    Number { limit: f64, fraction_bits: u32 },
    /// One of these labels, in the form in which they are equal.
    Groups(Vec<String>),
}

impl Column {
    /// Columns as they are written, in lists separated by commas, none of them twice.
    pub fn all(texts: &[String], fraction_bits: u32) -> Result<Vec<Self>, String> {
        let all = named::pieces(texts).map_err(|what| format!("--columns {what}"))?;
        let all = all.into_iter().map(|text| Self::parse(text, fraction_bits));
        let all: Vec<Self> = all.collect::<Result<_, _>>()?;
        match (1..all.len()).find(|&i| all[..i].iter().any(|column| column.name == all[i].name)) {
            Some(twice) => Err(format!("--columns: {:?} twice", all[twice].name)),
            None => Ok(all),
        }
    }

    /// Says of those with these names that their cells may be missing.
    pub fn let_miss(all: &mut [Self], names: &[String]) -> Result<(), String> {
        names.iter().try_for_each(|name| {
            let found = all.iter_mut().find(|column| column.name == name.trim());
            let none = || format!("--missing {name:?}: no such column in --columns");
            found.map(|column| column.optional = true).ok_or_else(none)
        })
    }

    /// `NAME`, `NAME:LIMIT` or `NAME:a/b/c`, names and labels with signs in quotes. Where a `|` stands, it separates the
    /// labels, which may have a `/` then.
    pub fn parse(text: &str, fraction_bits: u32) -> Result<Self, String> {
        let column = Self::parts_of(text, fraction_bits).and_then(|column| column.check().map(|()| column));
        column.map_err(|what| format!("--columns {text:?}: {what}"))
    }

    fn parts_of(text: &str, fraction_bits: u32) -> Result<Self, String> {
        let number = |limit| Kind::Number { limit, fraction_bits };
        let Some((name, behind)) = named::cut(text, ':')? else {
            return Ok(Self { name: named::name(text)?, kind: number(LIMIT), optional: false });
        };
        let sign = if named::has(behind, '|')? { '|' } else { '/' };
        let labels = named::split(behind, sign)?;
        let kind = match &labels[..] {
            [limit] => number(limit.trim().parse().map_err(|_| {
                "after the colon comes a limit, such as 500, or labels, such as a/b/c; a name with a colon stands in quotes"
            })?),
            labels => {
                let labels = labels.iter().map(|label| Ok(label::form(&named::name(label)?).to_string()));
                Kind::Groups(labels.collect::<Result<_, String>>()?)
            }
        };
        Ok(Self { name: named::name(name)?, kind, optional: false })
    }

    /// Everything the rest of the program relies on; the peer's are hostile.
    pub fn check(&self) -> Result<(), String> {
        let fine = |text: &str| !text.is_empty() && text.len() <= NAME && text.chars().all(shows);
        if !fine(&self.name) {
            return Err(format!("a name has 1 to {NAME} bytes and no control or invisible characters"));
        }
        if ["p0.", "p1."].iter().any(|party| self.name.starts_with(party)) {
            return Err("a name does not begin with p0. or p1., which say whose column is meant".into());
        }
        match &self.kind {
            Kind::Number { limit, fraction_bits } => {
                let most = 2f64.powi(MOST - (*fraction_bits).min(32) as i32);
                if *fraction_bits > 32 || !(*limit > 0.0 && *limit <= most) {
                    return Err(format!(
                        "the limit {limit} with {fraction_bits} fraction bits; accepted: more than 0, up to {most}"
                    ));
                }
            }
            Kind::Groups(groups) => {
                if !(2..=GROUPS).contains(&groups.len()) || !groups.iter().all(|group| fine(group)) {
                    return Err(format!("2 to {GROUPS} groups, each of 1 to {NAME} bytes"));
                }
                if let Some(i) = (1..groups.len()).find(|&i| groups[..i].contains(&groups[i])) {
                    return Err(format!("the group {:?} twice", groups[i]));
                }
            }
        }
        Ok(())
    }

    /// The groups, unless it has numbers.
    pub fn groups(&self) -> Option<&[String]> {
        match &self.kind {
            Kind::Groups(groups) => Some(groups),
            Kind::Number { .. } => None,
        }
    }

    /// The vectors of shares that it has in a file: of words or of bits.
    pub fn parts(&self) -> Vec<Held> {
        match (self.groups(), self.optional) {
            (Some(groups), _) => vec![Held::Bits; groups.len()],
            (None, false) => vec![Held::Words],
            (None, true) => vec![Held::Words, Held::Bits],
        }
    }

    /// As columns of the party that does not own the rows.
    pub fn of_other(&self) -> Vec<join::Column> {
        match self.groups() {
            Some(groups) => vec![join::Column::bitwise(groups.len() as u32)],
            None => self.parts().into_iter().map(|part| part.of_other()).collect(),
        }
    }

    /// Widths as columns of the owner.
    pub fn of_owner(&self) -> Vec<u32> {
        self.parts().into_iter().map(|part| if part == Held::Words { BITS } else { 1 }).collect()
    }

    /// What a cell is read as: a number, or the place of a group; none of both where it is missing and may be.
    pub fn read(&self, cell: &Cell<'_>, dialect: &Dialect) -> Result<f64, String> {
        if self.optional && cell.is_missing(dialect) {
            return Ok(f64::NAN);
        }
        let Some(groups) = self.groups() else {
            return cell.number(dialect).and_then(|number| self.limited(number));
        };
        let label = cell.label(dialect)?;
        let at = groups.iter().position(|group| *label == **group);
        at.map(|at| at as f64).ok_or_else(|| format!("is not one of: {}", groups.join(", ")))
    }

    /// A number that is not too large.
    pub fn limited(&self, number: f64) -> Result<f64, String> {
        match self.kind {
            Kind::Number { limit, .. } if number.abs() > limit || number.is_nan() && !self.optional => {
                Err(format!("is outside -{limit} to {limit}; --columns NAME:LIMIT sets another limit"))
            }
            _ => Ok(number),
        }
    }

    /// What is to be said of numbers that its digits do not tell apart.
    pub fn rounds(&self, values: &[f64]) -> Option<String> {
        let Kind::Number { fraction_bits, .. } = self.kind else { return None };
        let there = values.iter().copied().filter(|x| !x.is_nan());
        rounded(there, fraction_bits).map(|note| format!("column {:?}: {note}", self.name))
    }

    /// What was read of all rows, as the join takes it of the owner of the rows or of the other party.
    pub fn words(&self, read: &[f64], owns: bool) -> Vec<Wiped<u64>> {
        let each = |of: &dyn Fn(f64) -> u64| Wiped::from(read.iter().map(|&x| of(x)).collect::<Vec<u64>>());
        match self.groups() {
            None if self.optional => vec![each(&|x| self.word(x)), each(&|x| u64::from(!x.is_nan()))],
            None => vec![each(&|x| self.word(x))],
            // A bit for each group.
            Some(_) if !owns => vec![each(&|x| 1u64.checked_shl(self.word(x) as u32).unwrap_or(0))],
            Some(groups) => {
                (0..groups.len() as u64).map(|of| each(&|x| u64::from(self.word(x) == of))).collect()
            }
        }
    }

    /// The word of what was read.
    fn word(&self, value: f64) -> u64 {
        match self.kind {
            Kind::Number { fraction_bits, .. } => {
                (value * 2f64.powi(fraction_bits as i32)).round() as i64 as u64
            }
            Kind::Groups(_) if value.is_nan() => NONE,
            Kind::Groups(_) => value as u64,
        }
    }
}

/// How a part of a column is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Additive words.
    Words,
    /// Bits by XOR.
    Bits,
}

impl Held {
    fn of_other(self) -> join::Column {
        match self {
            Self::Words => join::Column::additive(BITS),
            Self::Bits => join::Column::bitwise(1),
        }
    }
}

/// In the same words at both parties.
impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = named::written(&self.name);
        let missing = if self.optional { ", may be missing" } else { "" };
        match &self.kind {
            Kind::Number { limit, fraction_bits } => {
                write!(f, "{name} (up to {limit}, {fraction_bits} fraction bits{missing})")
            }
            Kind::Groups(groups) => {
                let groups: Vec<_> = groups.iter().map(|group| named::written(group)).collect();
                write!(f, "{name} ({}{missing})", groups.join("/"))
            }
        }
    }
}

/// The columns of an id, `NAME,...`.
pub fn ids(texts: &[String], option: &str) -> Result<Vec<String>, Failure> {
    named::names(texts).map_err(|what| Failure::new(format!("{option} {what}")))
}

/// Rules for ids, separated by commas.
pub fn rules(text: &str) -> Result<Rules, String> {
    text.parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_as_they_are_written() {
        let parse = |text: &str| Column::parse(text, 16);
        let number = |limit| Kind::Number { limit, fraction_bits: 16 };
        assert_eq!(
            parse("income"),
            Ok(Column { name: "income".into(), kind: number(LIMIT), optional: false })
        );
        assert_eq!(
            parse("a:b:500").unwrap(),
            Column { name: "a:b".into(), kind: number(500.0), optional: false }
        );
        let region = parse("region:north/ south").unwrap();
        assert_eq!(region.groups().unwrap(), ["north", "south"]);
        assert_eq!(
            (parse("region:north| south").as_ref(), region.to_string()),
            (Ok(&region), "region (north/south)".into())
        );
        let known = parse("known:yes|n/a").unwrap();
        assert_eq!((known.groups().unwrap().len(), known.to_string()), (2, "known (yes/\"n/a\")".into()));
        assert_eq!((region.parts(), region.of_owner()), (vec![Held::Bits; 2], vec![1, 1]));
        let quoted = parse("\"a,b:c\":\"x,y\"/\"say \"\"no\"\"\"/z").unwrap();
        assert_eq!(
            (quoted.name.as_str(), quoted.groups().unwrap()),
            ("a,b:c", &["x,y", "say \"no\"", "z"].map(str::to_owned)[..])
        );
        assert_eq!(
            (parse("\"a:5\"").unwrap().name.as_str(), parse("\"a:5\"").unwrap().kind),
            ("a:5", number(LIMIT))
        );
        let lists = ["a,\"b,c\":5".to_owned(), "region:\"n,o\"/s".to_owned()];
        let all = Column::all(&lists, 16).unwrap();
        assert_eq!(all.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["a", "b,c", "region"]);
        assert!(Column::all(&["a,\"a\"".to_owned()], 16).unwrap_err().contains("twice"));
        for text in [
            "\"a", "\"a\"b", "", ":5", "a:b", "a:0", "a:-1", "a:1e9", "a:nan", "r:a|", "r:a/a", "r:/a",
            "a\u{7}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(Column::parse("a", 32).is_err(), "the usual limit is too large");
        assert!(Column::parse("a:64", 32).is_ok());
        assert_eq!(parse("a").unwrap().word(-1.5), (-98304i64) as u64);
    }

    /// A cell that is missing is 0, and its bit says so; of groups none is set.
    #[test]
    fn what_is_missing() {
        let words = |column: &Column, read: &[f64], owns| {
            column.words(read, owns).iter().map(|words| words.to_vec()).collect::<Vec<_>>()
        };
        let mut all = [Column::parse("a", 1).unwrap(), Column::parse("r:n/s", 1).unwrap()];
        Column::let_miss(&mut all, &["r".into(), " a".into()]).unwrap();
        let [number, region] = &all;
        for owns in [false, true] {
            assert_eq!(words(number, &[1.5, f64::NAN, 0.0], owns), [[3, 0, 0], [1, 0, 1]]);
        }
        assert_eq!(words(region, &[1.0, f64::NAN, 0.0], false), [[2, 0, 1]]);
        assert_eq!(words(region, &[1.0, f64::NAN, 0.0], true), [[0, 0, 1], [1, 0, 0]]);
        assert_eq!((number.parts(), number.of_owner()), (vec![Held::Words, Held::Bits], vec![64, 1]));
        let dialect = Dialect { na: vec!["?".into()], ..Dialect::default() };
        for cell in [Cell::Text(" "), Cell::Text("?"), Cell::Null] {
            assert!(all.iter().all(|column| column.read(&cell, &dialect).unwrap().is_nan()));
        }
        assert!(
            number.read(&Cell::Text("x"), &dialect).is_err()
                && region.read(&Cell::Text("x"), &dialect).is_err()
        );
        assert!(number.to_string().contains("may be missing"));
        assert!(Column::let_miss(&mut all, &["b".into()]).unwrap_err().contains("no such column"));
    }
}

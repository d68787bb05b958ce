//! What stands for missing cells: `--na-as`.

use std::str::FromStr;

use crate::named;

/// A value for the missing cells of a column, or of all columns that have none of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing(Vec<(Option<String>, String)>);

const USAGE: &str = "accepted: VALUE or COLUMN=VALUE,... such as 0 or debt=0.5,region=none";

impl FromStr for Standing {
    type Err = String;

    /// `VALUE` or `COLUMN=VALUE,...`.
    fn from_str(text: &str) -> Result<Self, String> {
        let one = |piece: &str| -> Result<(Option<String>, String), String> {
            match named::cut(piece, '=')? {
                None => Ok((None, named::name(piece)?)),
                Some((column, value)) => Ok((Some(named::name(column)?), named::name(value)?)),
            }
        };
        let all =
            named::split(text, ',').and_then(|all| all.into_iter().map(one).collect::<Result<Vec<_>, _>>());
        let all = all.map_err(|what| format!("{what}; {USAGE}"))?;
        // 0,5 is no number here, and what stands behind a comma no value for all.
        match all.len() > 1 && all.iter().any(|(column, _)| column.is_none()) {
            false => Ok(Self(all)),
            true => {
                Err(format!("a value for all columns stands alone, and a decimal sign is a point; {USAGE}"))
            }
        }
    }
}

impl Standing {
    /// The value for a column; the last one that was given.
    pub fn of<'s>(all: &'s [Self], column: &str) -> Option<&'s str> {
        let each = || all.iter().flat_map(|standing| &standing.0).rev();
        let own = each().find(|(of, _)| of.as_deref() == Some(column));
        own.or_else(|| each().find(|(of, _)| of.is_none())).map(|(_, value)| value.as_str())
    }

    /// The columns that are named.
    pub fn columns(all: &[Self]) -> impl Iterator<Item = &str> {
        all.iter().flat_map(|standing| &standing.0).filter_map(|(of, _)| of.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_column() {
        let parse = |text: &str| text.parse::<Standing>();
        let all = [parse("0").unwrap(), parse("debt=-1.5, \"a,b\"=\"x=y\", region= none ").unwrap()];
        for (column, want) in [("debt", "-1.5"), ("a,b", "x=y"), ("region", "none"), ("income", "0")] {
            assert_eq!(Standing::of(&all, column), Some(want), "{column}");
        }
        assert_eq!(Standing::of(&all[1..], "income"), None);
        assert_eq!(Standing::columns(&all).collect::<Vec<_>>(), ["debt", "a,b", "region"]);
        for text in ["", "a=", "=1", "a=1,,b=2", "\"a=1", "0,5", "a=0,5"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}

//! Tables, figures and rows of the papers that this program does not measure, and why: `bench/papers/unmeasured.toml`.

use std::fmt;

use hushtable_columns::failure::{Failure, Result};
use serde::Deserialize;

const TEXT: &str = include_str!("../../../../bench/papers/unmeasured.toml");

/// A table or a figure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unmeasured {
    paper: String,
    /// Its number in the paper.
    what: String,
    reason: String,
}

/// Rows of tables that are here, of which nothing of ours is run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// Names of tables here.
    tables: Vec<String>,
    /// Names of rows, or name and key with a blank between.
    rows: Vec<String>,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub left: Vec<Unmeasured>,
    pub rows: Vec<Rows>,
}

/// All of them.
pub fn all() -> Result<File> {
    toml::from_str(TEXT).map_err(|e| Failure::new(format!("unmeasured.toml: {e}")))
}

impl fmt::Display for Unmeasured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}: {}", self.paper, self.what, self.reason)
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, rows {}: {}", self.tables.join(", "), self.rows.join(", "), self.reason)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::paper::table::Table;

    #[test]
    fn all_have_reasons() {
        let all = all().unwrap();
        let reasons =
            all.left.iter().map(|left| &left.reason).chain(all.rows.iter().map(|rows| &rows.reason));
        assert!(reasons.into_iter().all(|reason| reason.len() > 20 && reason.ends_with('.')));
    }

    /// And no reason is given for what is run, or for what no table has.
    #[test]
    fn every_row_without_a_run_has_a_reason() {
        let all = all().unwrap();
        let mut given = BTreeSet::new();
        for rows in &all.rows {
            for table in &rows.tables {
                given.extend(rows.rows.iter().map(|row| (table.clone(), row.clone())));
            }
        }
        let (mut used, mut missing) = (BTreeSet::new(), Vec::new());
        for table in Table::all().map(Result::unwrap) {
            for row in &table.rows {
                let of = |name: &str| (table.name.to_string(), name.to_string());
                let reason = [of(&row.name), of(&row.label())].into_iter().find(|key| given.contains(key));
                match (reason, row.is_run()) {
                    (Some(key), false) => drop(used.insert(key)),
                    (None, false) => missing.push(format!("{}: {}", table.name, row.label())),
                    (Some(key), true) => panic!("{key:?} is run"),
                    (None, true) => {}
                }
            }
        }
        assert!(missing.is_empty(), "rows without a run and without a reason: {missing:#?}");
        assert_eq!(given, used, "reasons for rows that there are not");
    }
}

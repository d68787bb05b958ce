//! A table of a paper as data: `bench/papers/*.toml`.

use std::collections::BTreeMap;

use hushtable::net::LinkShape;
use hushtable_cli::{
    choice::Optimise,
    failure::{Failure, Result},
};
use serde::Deserialize;
use toml::{Table as Values, Value};

use crate::work::Work;

/// Name and text of every table.
const EMBEDDED: [(&str, &str); 29] = [
    ("rotl-table3", include_str!("../../../../bench/papers/rotl-table3.toml")),
    ("rotl-table4", include_str!("../../../../bench/papers/rotl-table4.toml")),
    ("rotl-table5", include_str!("../../../../bench/papers/rotl-table5.toml")),
    ("rotl-table6", include_str!("../../../../bench/papers/rotl-table6.toml")),
    ("rotl-table7", include_str!("../../../../bench/papers/rotl-table7.toml")),
    ("rotl-table8", include_str!("../../../../bench/papers/rotl-table8.toml")),
    ("rotl-table9", include_str!("../../../../bench/papers/rotl-table9.toml")),
    ("rotl-table10", include_str!("../../../../bench/papers/rotl-table10.toml")),
    ("rotl-table11", include_str!("../../../../bench/papers/rotl-table11.toml")),
    ("rotl-draft-table3", include_str!("../../../../bench/papers/rotl-draft-table3.toml")),
    ("rotl-draft-table5", include_str!("../../../../bench/papers/rotl-draft-table5.toml")),
    ("rotl-draft-table6", include_str!("../../../../bench/papers/rotl-draft-table6.toml")),
    ("rotl-draft-figure14", include_str!("../../../../bench/papers/rotl-draft-figure14.toml")),
    ("rotl-draft-ratios", include_str!("../../../../bench/papers/rotl-draft-ratios.toml")),
    ("ndss-table1", include_str!("../../../../bench/papers/ndss-table1.toml")),
    ("ndss-table3", include_str!("../../../../bench/papers/ndss-table3.toml")),
    ("ndss-table4", include_str!("../../../../bench/papers/ndss-table4.toml")),
    ("ndss-table5", include_str!("../../../../bench/papers/ndss-table5.toml")),
    ("dfss-table2", include_str!("../../../../bench/papers/dfss-table2.toml")),
    ("dfss-table3", include_str!("../../../../bench/papers/dfss-table3.toml")),
    ("dfss-table4", include_str!("../../../../bench/papers/dfss-table4.toml")),
    ("dfss-table5", include_str!("../../../../bench/papers/dfss-table5.toml")),
    ("dfss-table6", include_str!("../../../../bench/papers/dfss-table6.toml")),
    ("dfss-table7", include_str!("../../../../bench/papers/dfss-table7.toml")),
    ("dfss-table8", include_str!("../../../../bench/papers/dfss-table8.toml")),
    ("fable-table4", include_str!("../../../../bench/papers/fable-table4.toml")),
    ("fable-figure5", include_str!("../../../../bench/papers/fable-figure5.toml")),
    ("fable-figure6", include_str!("../../../../bench/papers/fable-figure6.toml")),
    ("fable-figure7", include_str!("../../../../bench/papers/fable-figure7.toml")),
];

/// A table as printed, its corrections, and what of ours stands beside each cell.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    #[serde(skip)]
    pub name: &'static str,
    pub title: String,
    /// The paper and the table's number in it.
    pub source: String,
    pub machine: String,
    pub network: String,
    #[serde(default)]
    pub notes: Vec<String>,
    /// Why cells are wrong.
    #[serde(default)]
    pub errata: BTreeMap<String, String>,
    /// What all runs have in common; rows and columns add to it.
    run: Values,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

/// One quantity.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub name: String,
    pub unit: Unit,
    /// What of ours answers it; none: the paper's cells only.
    pub measure: Option<Measure>,
    /// The simulated network; none: loopback.
    #[serde(default, deserialize_with = "network")]
    pub net: LinkShape,
    /// Whether what the planner would choose stands beside it.
    #[serde(default = "yes")]
    pub auto: bool,
    /// Columns whose sum this one is.
    #[serde(default)]
    sum: Vec<usize>,
    /// Columns whose quotient this one is.
    quotient: Option<[usize; 2]>,
    #[serde(default)]
    run: Values,
}

/// One system on one kind of job.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub name: String,
    pub key: String,
    /// One a column; NaN where the paper prints nothing.
    pub cells: Vec<f64>,
    /// One a column, or none at all; NaN where the printed cell is right.
    #[serde(default)]
    pub corrected: Vec<f64>,
    /// Keys of [`Table::errata`].
    #[serde(default)]
    pub erratum: String,
    /// None: a system that we do not have.
    run: Option<Values>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Unit {
    #[serde(rename = "bit")]
    Bits,
    #[serde(rename = "kB")]
    Kilobytes,
    #[serde(rename = "us")]
    Micros,
    #[serde(rename = "ratio")]
    Ratio,
}

/// A measured quantity, for each lookup or OT. A session is set-up, offline and online; a total is the latter two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    OfflineBits,
    OnlineBits,
    TotalBits,
    SessionBits,
    OfflineUs,
    OnlineUs,
    TotalUs,
    SessionUs,
}

/// What gives one figure: a run, or the quotient of `over` and the run.
#[derive(Clone, Debug)]
pub struct Source {
    pub work: Work,
    pub over: Option<Work>,
}

impl Source {
    /// The same lookups by the protocol that `--protocol auto` takes, or values by the method; none for other
    /// work.
    pub fn planned(&self, link: &LinkShape, optimise: Optimise) -> Result<Option<Self>> {
        let mut planned = self.clone();
        Ok(planned.work.plan(link, optimise)?.then_some(planned))
    }
}

fn yes() -> bool {
    true
}

fn network<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<LinkShape, D::Error> {
    String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Bits => "bit",
            Self::Kilobytes => "kB",
            Self::Micros => "us",
            Self::Ratio => "ratio",
        }
    }
}

impl Table {
    /// Every table's name and contents.
    pub fn all() -> impl Iterator<Item = Result<Self>> {
        EMBEDDED.into_iter().map(|(name, text)| Self::parse(name, text))
    }

    /// The table of this name.
    pub fn load(name: &str) -> Result<Self> {
        let found = EMBEDDED.into_iter().find(|(known, _)| *known == name);
        let (name, text) = found.ok_or_else(|| {
            let known = EMBEDDED.map(|(known, _)| known).join(", ");
            Failure::new(format!("no table {name:?}; there are {known}"))
        })?;
        Self::parse(name, text)
    }

    fn parse(name: &'static str, text: &str) -> Result<Self> {
        let parsed = toml::from_str::<Self>(text).map_err(|e| Failure::new(format!("table {name}: {e}")));
        let table = Self { name, ..parsed? };
        table.check().map_err(|what| Failure::new(format!("table {name}: {what}")))?;
        Ok(table)
    }

    /// Whether lengths fit, errata are explained, and sums and quotients hold once corrected.
    fn check(&self) -> std::result::Result<(), String> {
        for row in &self.rows {
            let at = format!("{} {}", row.name, row.key);
            let columns = self.columns.len();
            if row.cells.len() != columns || ![0, columns].contains(&row.corrected.len()) {
                return Err(format!("{at}: not {columns} cells"));
            }
            let unexplained = row.errata().find(|key| !self.errata.contains_key(*key));
            if let Some(key) =
                unexplained.or((row.corrected.is_empty() == row.errata().next().is_some()).then_some(""))
            {
                return Err(format!("{at}: erratum {key:?}"));
            }
            for (i, column) in self.columns.iter().enumerate() {
                let derived = match column.quotient {
                    Some([a, b]) => row.right(a) / row.right(b),
                    None if column.sum.is_empty() => continue,
                    None => column.sum.iter().map(|&j| row.right(j)).sum(),
                };
                if (row.right(i) - derived).abs() > ROUNDING {
                    return Err(format!(
                        "{at}: {} is {}, the others give {derived}",
                        column.name,
                        row.right(i)
                    ));
                }
            }
        }
        Ok(())
    }

    /// What a row's cell in a column is measured by: the row's own protocol.
    ///
    /// # Errors
    /// If the table describes a run that this program does not have.
    pub fn source(&self, row: &Row, column: &Column, at_most: u32) -> Result<Option<Source>> {
        let (Some(run), Some(_)) = (&row.run, column.measure) else { return Ok(None) };
        let mut all = self.run.clone();
        all.extend(run.clone());
        all.extend(column.run.clone());
        let over = match all.remove("over") {
            Some(Value::Table(over)) => Some(all.clone().into_iter().chain(over).collect()),
            _ => None,
        };
        let work = |mut values: Values| {
            for count in ["batch", "count", "rows"] {
                if let Some(Value::Integer(count)) = values.get_mut(count) {
                    *count = (*count).min(at_most.into());
                }
            }
            values.try_into::<Work>().map_err(|e| Failure::new(format!("table {}: {e}", self.name)))
        };
        Ok(Some(Source { work: work(all)?, over: over.map(work).transpose()? }))
    }
}

/// Half a unit of the last place of two summands that are printed with two decimals.
const ROUNDING: f64 = 0.0101;

impl Row {
    pub fn label(&self) -> String {
        format!("{} {}", self.name, self.key)
    }

    /// The corrected value of a cell that is wrong.
    pub fn correction(&self, column: usize) -> Option<f64> {
        self.corrected.get(column).copied().filter(|v| !v.is_nan())
    }

    /// Whether a word of the label is `word`, in whatever case.
    pub fn has(&self, word: &str) -> bool {
        self.label().split_whitespace().any(|known| known.eq_ignore_ascii_case(word))
    }

    /// The keys of the errata of this row.
    pub fn errata(&self) -> impl Iterator<Item = &str> {
        self.erratum.split(", ").filter(|key| !key.is_empty())
    }

    /// The right value of a cell; NaN if there is none.
    fn right(&self, column: usize) -> f64 {
        self.correction(column).unwrap_or(self.cells[column])
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_file_is_embedded_and_adds_up() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/papers");
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        files.sort();
        let mut names: Vec<std::ffi::OsString> =
            EMBEDDED.iter().map(|(name, _)| format!("{name}.toml").into()).collect();
        names.sort();
        assert_eq!(files, names);
        for table in Table::all() {
            let table = table.unwrap();
            assert!(table.rows.iter().any(|row| row.run.is_some()), "{}", table.name);
            let printed = table.rows.iter().flat_map(|row| &row.cells).filter(|cell| !cell.is_nan());
            let few = table.name == "ndss-table3" || table.name.starts_with("fable-figure");
            assert!(printed.clone().count() > 5 || few, "{}", table.name);
            assert!(printed.into_iter().all(|cell| *cell >= 0.0), "{}", table.name);
        }
    }

    #[test]
    fn mistakes_are_seen() {
        let good = r#"title = "t"
source = "s"
machine = "m"
network = "n"
[errata]
E = "because"
[run]
kind = "lut"
[[columns]]
name = "a"
unit = "bit"
[[columns]]
name = "b"
unit = "bit"
sum = [0]
[[rows]]
name = "r"
key = "k"
cells = [1.5, 1]
corrected = [nan, 1.5]
erratum = "E"
"#;
        assert!(Table::parse("t", good).is_ok());
        let mistakes = [
            ("corrected = [nan, 1.5]", "corrected = [nan, 1.4]"),
            ("corrected = [nan, 1.5]", "corrected = [1.5]"),
            ("cells = [1.5, 1]", "cells = [1.5]"),
            ("erratum = \"E\"", "erratum = \"F\""),
            ("erratum = \"E\"", ""),
            ("corrected = [nan, 1.5]", ""),
            ("unit = \"bit\"", "unit = \"mile\""),
            ("cells = [1.5, 1]", "cells = [1.5, \"1\"]"),
        ];
        for (right, wrong) in mistakes {
            assert!(Table::parse("t", &good.replace(right, wrong)).is_err(), "{wrong}");
        }
    }

    /// What two tables of one paper say about the same runs.
    #[test]
    fn tables_agree() {
        let [quotients, times] = ["rotl-table6", "rotl-table5"].map(|name| Table::load(name).unwrap());
        let online = |row: &str, key: &str, net: &str| {
            let row = times.rows.iter().find(|r| r.name == row && r.key == key).unwrap();
            row.cells[times.columns.iter().position(|c| c.name == format!("{net} online")).unwrap()]
        };
        let mut compared = 0;
        for row in
            quotients.rows.iter().filter(|row| ["n=4", "n=16", "n=64", "n=256"].contains(&row.key.as_str()))
        {
            for (i, column) in quotients.columns.iter().enumerate() {
                let (net, l) = column.name.split_once(' ').unwrap();
                let key = format!("{} {l}", row.key);
                let (cell, quotient) =
                    (row.right(i), online("SP-LUT", &key, net) / online("ROTL", &key, net));
                assert!(
                    (quotient - cell).abs() < 0.051_f64.min(0.03 * quotient),
                    "{key} {net}: {cell}, {quotient}"
                );
                compared += 1;
            }
        }
        assert_eq!(compared, 32);
        let [last, draft] = ["rotl-table3", "rotl-draft-table3"].map(|name| Table::load(name).unwrap());
        assert!(last.rows.iter().zip(&draft.rows).all(|(a, b)| a.cells == b.cells));
        let [sizes, runs] = ["rotl-table10", "rotl-table5"].map(|name| Table::load(name).unwrap());
        for row in sizes.rows.iter().filter(|row| row.name == "ROTL") {
            let other = runs.rows.iter().find(|r| r.label() == row.label()).unwrap();
            assert_eq!([2, 5, 8].map(|i| row.cells[i]), [0, 3, 6].map(|i| other.cells[i]), "{}", row.key);
        }
    }

    /// Every run that a table describes is one that this program knows.
    #[test]
    fn every_run_is_known() {
        for table in Table::all().map(Result::unwrap) {
            for (row, column) in table.rows.iter().flat_map(|row| table.columns.iter().map(move |c| (row, c)))
            {
                let source = table.source(row, column, 7).unwrap();
                assert_eq!(source.is_some(), row.run.is_some() && column.measure.is_some());
                for work in source.into_iter().flat_map(|s| [Some(s.work), s.over]).flatten() {
                    assert!((1..=7).contains(&work.items()));
                }
            }
        }
    }
}

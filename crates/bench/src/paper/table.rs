//! A table of a paper as data: `bench/papers/*.toml`.

use std::collections::BTreeMap;

use hushtable::{net::LinkShape, ot::Scheme};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::{choice::Optimise, extension::Extension};
use serde::Deserialize;
use toml::{Table as Values, Value};

use crate::work::Work;

/// Name and text of every table.
const EMBEDDED: [(&str, &str); 34] = [
    ("rotl-table2", include_str!("../../../../bench/papers/rotl-table2.toml")),
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
    ("ndss-table6", include_str!("../../../../bench/papers/ndss-table6.toml")),
    ("ndss-figure3", include_str!("../../../../bench/papers/ndss-figure3.toml")),
    ("dfss-table2", include_str!("../../../../bench/papers/dfss-table2.toml")),
    ("dfss-table3", include_str!("../../../../bench/papers/dfss-table3.toml")),
    ("dfss-table4", include_str!("../../../../bench/papers/dfss-table4.toml")),
    ("dfss-table5", include_str!("../../../../bench/papers/dfss-table5.toml")),
    ("dfss-table6", include_str!("../../../../bench/papers/dfss-table6.toml")),
    ("dfss-table7", include_str!("../../../../bench/papers/dfss-table7.toml")),
    ("dfss-table8", include_str!("../../../../bench/papers/dfss-table8.toml")),
    ("fable-table4", include_str!("../../../../bench/papers/fable-table4.toml")),
    ("fable-table4-28", include_str!("../../../../bench/papers/fable-table4-28.toml")),
    ("fable-figure5", include_str!("../../../../bench/papers/fable-figure5.toml")),
    ("fable-figure6", include_str!("../../../../bench/papers/fable-figure6.toml")),
    ("fable-figure7", include_str!("../../../../bench/papers/fable-figure7.toml")),
    ("fable-section6.4", include_str!("../../../../bench/papers/fable-section6.4.toml")),
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
    /// What of ours stands beside the cells, unless a row says it.
    ours: String,
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
    #[serde(default = "loopback", deserialize_with = "network")]
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
    /// What of ours stands beside this row's cells.
    ours: Option<String>,
    /// The columns that are run: all, unless some are named.
    #[serde(default)]
    only: Vec<String>,
    /// The step of the online phase that stands beside this row's cells; none: the whole run.
    pub step: Option<String>,
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
    #[serde(rename = "rounds")]
    Rounds,
    #[serde(rename = "ratio")]
    Ratio,
}

/// A measured quantity, for each lookup or OT, but for rounds, which a batch shares. A session is set-up, offline and online; a total is the latter two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    OfflineBits,
    OnlineBits,
    TotalBits,
    SessionBits,
    OfflineUs,
    OnlineUs,
    OnlineRounds,
    TotalUs,
    SessionUs,
}

/// What gives one figure: a run, or the quotient of `over` and the run.
#[derive(Clone, Debug)]
pub struct Source {
    pub work: Work,
    pub over: Option<Work>,
    /// What a bound made smaller than the table says: then it is another job.
    pub cut: Option<String>,
}

/// What a run may have at most, whatever the table says.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Lookups, OTs or other items.
    pub items: u32,
    /// Rows of a private table.
    pub rows: u32,
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

fn loopback() -> LinkShape {
    LinkShape::LOOPBACK
}

fn network<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<LinkShape, D::Error> {
    String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
}

impl Column {
    /// What makes correlated OTs for it: where bits or rounds are counted Ferret, with which the papers on ROTL count, else what
    /// suits the link.
    pub fn ot(&self) -> Extension {
        match self.measure {
            Some(measure) if measure.counts_bits() || measure == Measure::OnlineRounds => {
                Extension::Of(Scheme::Ferret)
            }
            _ => Extension::Auto,
        }
    }
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Bits => "bit",
            Self::Kilobytes => "kB",
            Self::Micros => "us",
            Self::Rounds => "rounds",
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
            let missing = row.only.iter().find(|name| self.columns.iter().all(|c| c.name != **name));
            if let Some(name) = missing {
                return Err(format!("{at}: no column {name:?}"));
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
    pub fn source(&self, row: &Row, column: &Column, most: Bounds) -> Result<Option<Source>> {
        let (Some(run), Some(_)) = (&row.run, column.measure) else { return Ok(None) };
        if !row.only.is_empty() && !row.only.contains(&column.name) {
            return Ok(None);
        }
        let mut all = self.run.clone();
        all.extend(run.clone());
        all.extend(column.run.clone());
        let over = match all.remove("over") {
            Some(Value::Table(over)) => Some(all.clone().into_iter().chain(over).collect()),
            _ => None,
        };
        let mut cuts = Vec::new();
        let mut work = |mut values: Values| {
            let private = ["confidential", "embedding", "sql-join"].map(Value::from);
            let of_table = values.get("kind").is_some_and(|kind| private.contains(kind));
            let rows = if of_table { most.rows } else { most.items };
            for (name, most) in [("batch", most.items), ("count", most.items), ("rows", rows)] {
                let Some(Value::Integer(count)) = values.get_mut(name) else { continue };
                if *count > i64::from(most) {
                    cuts.push(format!("{name} {count} -> {most}"));
                    *count = most.into();
                }
            }
            values.try_into::<Work>().map_err(|e| Failure::new(format!("table {}: {e}", self.name)))
        };
        let (work, over) = (work(all)?, over.map(work).transpose()?);
        cuts.dedup();
        let cut = (!cuts.is_empty()).then(|| cuts.join(", "));
        Ok(Some(Source { work, over, cut }))
    }

    /// What of ours stands beside a row's cells.
    pub fn ours<'a>(&'a self, row: &'a Row) -> &'a str {
        row.ours.as_deref().unwrap_or(&self.ours)
    }
}

/// Half a unit of the last place of two summands that are printed with two decimals.
const ROUNDING: f64 = 0.0101;

impl Row {
    pub fn label(&self) -> String {
        format!("{} {}", self.name, self.key)
    }

    /// Whether something of ours is run for it.
    #[cfg(test)]
    pub fn is_run(&self) -> bool {
        self.run.is_some()
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
mod tests;

//! What the cells of a column are, for errors that say which labels there are.

use std::collections::BTreeSet;

use crate::join::column::Column;
use hushtable_columns::{Bad, Cell, ColumnFile, Dialect, failure::Result, quoted};
use zeroize::Zeroize;

/// Most labels that an error lists.
const SHOWN: usize = 20;

/// Most labels of a column that are kept. Of more it is said that there are more.
const KEPT: usize = 1000;

/// Of a column that is read.
pub struct Seen {
    /// The labels there are; of a column of numbers those that are none.
    labels: BTreeSet<String>,
    /// Whether what is no number begins with a digit: then it is meant as one.
    digits: bool,
    /// How many rows have each group.
    met: Vec<usize>,
    /// Cells that are what was expected, and others.
    fine: usize,
    other: usize,
}

impl Seen {
    pub fn new(column: &Column) -> Self {
        let met = vec![0; column.groups().map_or(0, <[String]>::len)];
        Self { labels: BTreeSet::new(), digits: false, met, fine: 0, other: 0 }
    }

    /// A cell, and what it was read as.
    pub fn cell(&mut self, cell: &Cell<'_>, dialect: &Dialect, read: &std::result::Result<f64, String>) {
        if let Ok(value) = *read {
            if value.is_nan() {
                return;
            }
            self.fine += 1;
            // The place of a group.
            self.met.get_mut(value as usize).into_iter().for_each(|met| *met += 1);
            return;
        }
        self.other += 1;
        let label = cell.label(dialect).unwrap_or_default();
        self.digits |= label.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
        if !label.is_empty() && self.labels.len() < KEPT && !self.labels.contains(label.as_str()) {
            self.labels.insert(label.to_string());
        }
    }

    /// An error for a group that no row has, and for a column of texts where numbers are expected.
    pub fn check(&self, column: &Column, file: &ColumnFile<'_>) -> Result<()> {
        let name = &column.name;
        let Some(groups) = column.groups() else {
            let texts = self.fine == 0 && !self.labels.is_empty() && !self.digits;
            let says = || {
                format!(
                    "column {name:?} has texts, and numbers are expected: {}. To count by them, name them behind the column \
                     in --columns (join --help); or name the columns to join without it",
                    list(self.labels.iter().map(String::as_str))
                )
            };
            return if texts { Err(file.says(&says())) } else { Ok(()) };
        };
        let unmet: Vec<&str> = groups
            .iter()
            .zip(&self.met)
            .filter(|(_, met)| **met == 0)
            .map(|(group, _)| group.as_str())
            .collect();
        if unmet.is_empty() || self.fine + self.other == 0 {
            return Ok(());
        }
        let (unmet, there) = (list(unmet.into_iter()), self.there(groups));
        Err(file
            .says(&format!("column {name:?}: no row has the label {unmet}; the labels there are: {there}")))
    }

    /// Says of a column with other labels than the groups that were named, which there are.
    pub fn note(&self, column: &Column, bad: &mut Bad) {
        let Some(groups) = column.groups().filter(|_| !self.labels.is_empty()) else { return };
        bad.note(format!("column {:?} has the labels: {}", column.name, self.there(groups)));
    }

    /// The labels that the rows have.
    fn there(&self, groups: &[String]) -> String {
        let met = groups.iter().zip(&self.met).filter(|(_, met)| **met > 0).map(|(group, _)| group.as_str());
        let all: BTreeSet<&str> = self.labels.iter().map(String::as_str).chain(met).collect();
        if all.is_empty() { "none".into() } else { list(all.into_iter()) }
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        std::mem::take(&mut self.labels).into_iter().for_each(|mut label| label.zeroize());
    }
}

/// The first ones of these.
fn list<'l>(labels: impl ExactSizeIterator<Item = &'l str>) -> String {
    let more = labels.len().saturating_sub(SHOWN);
    let shown: Vec<String> = labels.take(SHOWN).map(quoted).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &more
}

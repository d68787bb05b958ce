//! TOML files of users, with complaints that name the line.

use std::{ops::Range, path::Path};

use hushtable_columns::failure::{Failure, Result};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// A file that was read.
#[derive(Clone, Copy)]
pub struct TomlFile<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

/// A value and where it stands.
pub type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> TomlFile<'a> {
    pub fn table(&self) -> Result<DeTable<'a>> {
        let table = DeTable::parse(self.text).map_err(|e| self.says(e.span(), e.message()))?;
        Ok(table.into_inner())
    }

    /// The line of a place.
    pub fn line(&self, at: &Range<usize>) -> usize {
        let before = &self.text.as_bytes()[..at.start.min(self.text.len())];
        1 + before.iter().filter(|&&b| b == b'\n').count()
    }

    /// A complaint with the line that it is about.
    pub fn says(&self, at: Option<Range<usize>>, what: &str) -> Failure {
        let path = self.path.display();
        Failure::input(match at {
            None => format!("{path}: {what}"),
            Some(at) => format!("{path}: line {}: {what}", self.line(&at)),
        })
    }

    /// An error for the first key that is not known; `of` is what has it.
    pub fn knows(&self, table: &DeTable<'_>, of: &str, known: &[&str]) -> Result<()> {
        match table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
            None => Ok(()),
            Some(other) => {
                let known = known.join(", ");
                let what = format!("{:?} is not known here; {of} has: {known}", other.get_ref());
                Err(self.says(Some(other.span()), &what))
            }
        }
    }

    /// What must be there.
    pub fn need<'t>(
        &self,
        table: &'t DeTable<'a>,
        at: Option<Range<usize>>,
        key: &str,
    ) -> Result<&'t Value<'a>> {
        table.get(key).ok_or_else(|| self.says(at, &format!("{key:?} is missing")))
    }

    /// The text as it is written.
    pub fn written(&self, value: &Value<'_>) -> &'a str {
        self.text.get(value.span()).unwrap_or_default()
    }

    pub fn number(&self, name: &str, value: &Value<'_>) -> Result<f64> {
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
            DeValue::Integer(whole) if whole.radix() == 10 => whole.as_str().parse::<f64>().ok(),
            _ => None,
        };
        number.filter(|v| v.is_finite()).ok_or_else(|| {
            let got = self.written(value);
            self.says(Some(value.span()), &format!("{name}: {got} is not a finite decimal number"))
        })
    }

    pub fn string<'v>(&self, name: &str, value: &'v Value<'_>) -> Result<&'v str> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text),
            _ => {
                let got = self.written(value);
                Err(self.says(Some(value.span()), &format!("{name}: {got} is not a text in quotes")))
            }
        }
    }

    pub fn inner<'v>(&self, name: &str, value: &'v Value<'a>) -> Result<&'v DeTable<'a>> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            _ => Err(self.says(Some(value.span()), &format!("{name} is a table"))),
        }
    }
}

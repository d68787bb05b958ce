//! How results are written: as the file that their rows came from.

use serde::{Deserialize, Serialize};

/// The name of the column of ids, and how text is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    pub id: String,
    pub delimiter: char,
    pub decimal: char,
}

impl Default for Style {
    fn default() -> Self {
        Self { id: "id".into(), delimiter: ',', decimal: '.' }
    }
}

impl Style {
    /// The same for ids of these columns. Those of several have a name of their own.
    pub fn of_ids(self, ids: &[impl AsRef<str>], together: &str) -> Self {
        match ids {
            [] => self,
            [one] => Self { id: one.as_ref().to_owned(), ..self },
            _ => Self { id: together.to_owned(), ..self },
        }
    }

    /// Whether it is one that a file can have: a file of this program's may have been changed.
    pub fn is_usable(&self) -> bool {
        let sign = |c: char| c == '\t' || c == ' ' || c.is_ascii_punctuation();
        sign(self.delimiter) && !"\"'+-.".contains(self.delimiter) && ".,".contains(self.decimal)
    }

    /// Whether nothing of it is special.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    pub fn separator(&self) -> u8 {
        u8::try_from(self.delimiter).unwrap_or(b',')
    }

    /// A number; nothing for none.
    pub fn number(&self, number: f64) -> String {
        match (number.is_nan(), self.decimal) {
            (true, _) => String::new(),
            (false, ',') => number.to_string().replace('.', ","),
            (false, _) => number.to_string(),
        }
    }

    /// The name of the column of ids beside these columns, which differs from theirs.
    pub fn id_beside<'n>(&self, columns: impl IntoIterator<Item = &'n str>) -> String {
        let columns: Vec<&str> = columns.into_iter().collect();
        let mut id = self.id.clone();
        while columns.contains(&id.as_str()) {
            id.push('_');
        }
        id
    }
}

//! This party's keys, from their file.

use std::path::Path;

use apps::{
    ids::{Looks, Rules},
    private_table::{Description, Field, Reading},
};
use hushtable::Role;
use hushtable_columns::{
    self as columns, Bad, Cell, ColumnFile, Dialect, Ids, LeftOut, Style,
    failure::{Cause, Failure, Result},
    shares::ShareFile,
    written,
};
use hushtable_jobs::{
    join::forms::hint,
    private_table::{shares_fit, shares_name},
};
use prim::Wiped;

/// Keys as they are written, in the order of the file. Wiped when they are dropped.
pub struct Keys<'a> {
    path: &'a Path,
    column: &'a str,
    /// This party's half, if nobody knows them.
    shares: Option<ShareFile>,
    dialect: Dialect,
    /// How results are written, in text.
    pub style: Style,
    /// What the places of rows are called.
    place: &'static str,
    pub texts: Ids,
    places: Vec<u64>,
}

impl<'a> Keys<'a> {
    /// The column of the file at `path`. One error names all bad rows.
    pub fn read(path: &'a Path, column: Option<&'a str>, dialect: &'a Dialect) -> Result<Self> {
        let bytes = columns::read(path)?;
        if let Some(shares) = ShareFile::read(path, &bytes)? {
            return match column {
                None => Ok(Self::shared(path, dialect, shares)),
                Some(_) => Err(Failure::new("--column is for files of columns; a share file has none")),
            };
        }
        let column =
            column.ok_or_else(|| Failure::new("--column NAME says which column of --keys has the keys"))?;
        dialect.no_standing("nothing can stand for a missing key")?;
        let file = ColumnFile::of(path, bytes, dialect)?;
        let (dialect, style) = (file.dialect().clone(), file.style());
        let (mut texts, mut places) = (Ids::default(), Vec::new());
        let (mut bad, mut left_out) = (Bad::new(file.place()), LeftOut::read(&dialect, Some(column))?);
        file.each_row(&[column], |at, row| {
            let row = match row {
                Ok(row) => row,
                Err(what) => return bad.row(at, &what, None),
            };
            let text = row(0).field(&dialect).and_then(|field| match field {
                Field::Missing => Err("is missing: every row needs a key".to_owned()),
                field => field.written(),
            });
            match text {
                Ok(text) if text.trim().is_empty() => {
                    bad.cell(at, column, &Cell::shown(&row(0)), "is missing: every row needs a key", None);
                }
                Ok(text) if left_out.takes(Some(text.trim())) => {}
                Ok(text) => {
                    texts.push(&text);
                    places.push(at);
                }
                Err(what) => bad.cell(at, column, &Cell::shown(&row(0)), &what, None),
            }
        })?;
        left_out.check(path)?;
        bad.check(path, &dialect)?;
        if texts.is_empty() {
            return Err(file.says("no rows below the header: there is nothing to look up"));
        }
        Ok(Self { path, column, shares: None, dialect, style, place: file.place(), texts, places })
    }

    /// Keys that nobody knows, by the names of their rows or by their numbers.
    fn shared(path: &'a Path, dialect: &Dialect, shares: ShareFile) -> Self {
        let style = shares.style.clone().unwrap_or_default();
        let (column, texts) = match &shares.ids {
            // Not of a style's: the name lives as long as this.
            Some(ids) => ("id", ids.iter().collect()),
            None => ("row", (1..=shares.count).map(|row| row.to_string()).collect()),
        };
        Self {
            path,
            column,
            shares: Some(shares),
            dialect: dialect.clone(),
            style,
            place: "row",
            texts,
            places: vec![],
        }
    }

    /// What the column of keys is called, or of what names them.
    pub fn name(&self) -> &str {
        self.column
    }

    /// This party's half, and what names it for the peer.
    pub fn half(&self) -> Option<(&[u64], u32, [u8; 32])> {
        let file = self.shares.as_ref()?;
        Some((&file.shares, file.bits, shares_name(file, Role::P1)))
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// About how many bytes their results take, without text of the table.
    pub fn bytes(&self) -> u64 {
        (self.texts.bytes() + 32 * self.len()) as u64
    }

    /// As the table has them, and for each whether it can be there at all; in place of one that cannot a key that can
    /// is looked up, so that the number stays the same. `strict`: all must be able to.
    pub fn encode(
        &self,
        description: &Description,
        reading: Reading,
        strict: bool,
    ) -> Result<(Wiped<u64>, Vec<bool>)> {
        if let Some(file) = &self.shares {
            shares_fit(file, description).map_err(|what| self.says(&what))?;
            return Ok((Wiped::default(), vec![true; file.count]));
        }
        let kind = description.key.kind;
        let (mut keys, mut known) = (Wiped::default(), Vec::with_capacity(self.len()));
        let mut bad = Bad::new(self.place);
        for (text, &place) in self.texts.iter().zip(&self.places) {
            let read = kind.read(&written(text, &self.dialect), reading);
            let shown = || hushtable_columns::quoted(text);
            match &read {
                Ok(None) if strict => {
                    let what = format!("cannot be in the table, whose keys are {}", kind.words());
                    bad.cell(place, self.column, &shown(), &what, Some(text));
                }
                Err(what) => {
                    let what = format!("{what}; keys of the table are {}", kind.words());
                    bad.cell(place, self.column, &shown(), &what, Some(text));
                }
                _ => {}
            }
            let key = read.unwrap_or(None);
            known.push(key.is_some());
            kind.append(key.unwrap_or(0), &mut keys);
        }
        let count = bad.count();
        bad.check(self.path, &self.dialect).map_err(|cells| {
            // Not in the error, which a record keeps.
            eprintln!("{cells}");
            self.says(&format!("{}; standard error shows what is there", count.unwrap_or_default()))
        })?;
        Ok((keys, known))
    }

    /// What who serves the table might write otherwise.
    pub fn hint(&self, rules: Rules) -> Option<String> {
        let mut looks = Looks::new(rules);
        self.texts.iter().for_each(|text| looks.see(&rules.form(text).unwrap_or_default()));
        let place = |row: usize| format!("{} {}", self.place, self.places[row]);
        hint(self.column, &looks, &place).map(|hint| format!("{}, {hint}", self.path.display()))
    }

    /// A complaint about the file.
    pub fn says(&self, what: &str) -> Failure {
        Failure::input(format!("{}: {what}", self.path.display()))
    }
}

/// The rules that bring keys into the form that the table has; an error if others are asked for.
pub fn rules(asked: Option<Rules>, description: &Description) -> Result<Rules> {
    let rules = asked.unwrap_or_default();
    let what = match (&description.key.form, asked) {
        (Some(form), _) if *form == rules.normal_form() => return Ok(rules),
        (None, None) => return Ok(rules),
        (None, Some(_)) => {
            let kind = description.key.kind.words();
            format!("--normalise is for keys of text; those of the table are {kind}: leave it out")
        }
        (Some(form), _) => format!(
            "the parties disagree on the form of keys: here {}, at the peer {form}; --normalise {} here would be the same",
            rules.normal_form(),
            asking(form)
        ),
    };
    Err(Failure::Reported(Cause::Disagreement, what))
}

/// How rules of this normal form are asked for.
fn asking(form: &str) -> String {
    let gives = |text: &String| text.parse::<Rules>().is_ok_and(|rules| rules.normal_form() == form);
    match form {
        "telephone numbers" => "e164:+CODE".into(),
        "dates" => "date:ORDER".into(),
        _ => [form.to_owned(), format!("none,{form}")].into_iter().find(gives).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_asked_for_by_rules_that_give_it() {
        for rules in [
            "trim,nfc",
            "none",
            "lower",
            "none,lower",
            "none,trim",
            "alnum,lower",
            "digits,zeros",
            "e164:+43",
            "date:mdy",
        ] {
            let form = rules.parse::<Rules>().unwrap().normal_form();
            let asking = asking(&form).replace("CODE", "47").replace("ORDER", "dmy");
            assert_eq!(asking.parse::<Rules>().unwrap().normal_form(), form, "{rules}: {asking}");
        }
        assert_eq!(asking("trim,nfc"), "trim,nfc");
    }
}

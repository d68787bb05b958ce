//! Results for each row of a hidden join, which go to who owns the rows.

pub mod answer;

use crate::{
    calibration::Calibration,
    cost::Phases,
    count::some,
    explain,
    join::file::{JoinedFile, Table},
    link::Link,
    meeting::Agreed,
    page::Page,
};
use hushtable::{Error, Party, Role, bill::Bill, net::LinkShape, ot::Setting, run::Reveal};
use hushtable_columns::{
    self as columns, FileFormat, Ids,
    failure::{Failure, Result},
    output::Output,
    shares::role_name,
    terminal,
};
use serde::Serialize;

/// To whom results go, if somebody gets them.
pub fn somebody(reveal: Reveal, options: &str) -> Result<Reveal> {
    match reveal {
        Reveal::Nobody => Err(Failure::new(format!(
            "--reveal none cannot be combined with {options}: results are of a party's rows"
        ))),
        reveal => Ok(reveal),
    }
}

/// Of the owners of rows those whom results reach, P0 first.
pub fn owners(all: impl Iterator<Item = Role>, reveal: Reveal) -> Result<Vec<Role>> {
    let mut owners: Vec<Role> = all.filter(|role| reveal.reaches(*role)).collect();
    owners.sort_by_key(|role| *role as usize);
    match owners.is_empty() {
        false => Ok(owners),
        true => Err(Failure::new(
            "whoever is to get results owns no rows of this join; see --reveal, and `join --rows`",
        )),
    }
}

/// Who owns the rows of the joins in a file now.
pub fn of_file(file: &JoinedFile, me: Role) -> impl Iterator<Item = Role> {
    file.joins.iter().map(move |table| file.now(&table.owner, me))
}

/// The join whose rows are those of who is `owner` now.
pub fn table(file: &JoinedFile, owner: Role, me: Role) -> &Table {
    file.joins.iter().find(|table| file.now(&table.owner, me) == owner).expect("one of the owners")
}

/// Compares what both must ask alike; `or` says what else helps where the files differ.
pub fn agree(p: &mut Party, fields: &Agreed, or: &str) -> Result<()> {
    let compared: Vec<(&str, String)> =
        fields.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    p.agree(&compared).map_err(|error| match &error {
        Error::Handshake { field, .. } if field == "files" => Failure::from(error)
            .worded(|text| format!("{text}. Both files must come from the same run of `join`{or}")),
        _ => Failure::from(error),
    })
}

/// Results by row, from those by bin and the row of each bin, counted from 1; NaN where there is none.
pub fn by_row(rows: &[u64], results: Vec<Option<f64>>, count: usize) -> Vec<f64> {
    let mut own = vec![f64::NAN; count];
    for (&row, result) in rows.iter().zip(results) {
        if let (Some(row), Some(result)) = ((row as usize).checked_sub(1), result) {
            own[row] = result;
        }
    }
    own
}

/// Says who learns what: of each row what `tells` says.
pub fn told(page: &mut Page, owners: &[Role], me: Role, default: Option<f64>, tells: &str) {
    page.title("Who learns what");
    for (name, role) in [("this party", me), ("the peer", me.peer())] {
        if !owners.contains(&role) {
            page.line(name, "nothing: it gets no result, and does not learn which rows match, nor how many");
            continue;
        }
        page.line(name, &format!("for each of its rows that the other has too {tells}"));
        match default {
            None => page.line("", "which of its rows the other has: the others' cells are empty"),
            Some(value) => {
                let text = format!(
                    "a row that the other does not have gets {value}. A row in common may get {value} too; any other result \
                     tells that the row is in common"
                );
                page.line("", &text);
            }
        }
    }
    page.line("repeated runs", "over the same rows add up: what one leaves open another may tell");
}

/// Says what it takes.
pub fn takes(page: &mut Page, link: &Link, bill: impl FnOnce(&Setting) -> Result<Bill>) -> Result<()> {
    let calibration = Calibration::load(None)?.over(link);
    let shape = Some(link.net()).filter(|&net| net != LinkShape::LOOPBACK).or(calibration.link());
    let over = shape.unwrap_or(LinkShape::LOOPBACK);
    let bill = bill(&calibration.machine().setting(over))?;
    let phases = explain::sent(page, &bill, &over, &calibration, link.role());
    explain::time(page, phases, None, shape, &calibration);
    Ok(())
}

/// What is said about results when they are there.
#[derive(Serialize)]
pub struct Report<'a> {
    pub kind: &'a str,
    pub function: &'a str,
    pub role: &'a str,
    pub rows: usize,
    pub protocol: String,
    #[serde(flatten)]
    pub phases: Phases,
}

impl<'a> Report<'a> {
    pub fn new(
        [kind, function]: [&'a str; 2],
        role: Role,
        rows: usize,
        protocol: String,
        phases: &Phases,
    ) -> Self {
        Self { kind, function, role: role_name(role), rows, protocol, phases: *phases }
    }

    /// Writes this party's results by the names of its rows, if it has any; prints a line of JSON if that is asked for.
    pub fn deliver(
        &self,
        results: Option<&[f64]>,
        names: Option<&Ids>,
        output: Option<Output>,
        json: bool,
    ) -> Result<()> {
        match (results, output) {
            (Some(results), Some(output)) => {
                let path = output.path().to_owned();
                let format = FileFormat::of(&path);
                let columns: [(&str, &[f64]); 1] = [(self.function, results)];
                output.write(|to| columns::write(to, format, names, &columns))?;
                eprintln!("wrote {} to {}", some(self.rows, "row"), path.display());
            }
            _ => eprintln!("the results go to the peer; nothing is written here"),
        }
        if !json {
            return Ok(());
        }
        terminal::json(self)
    }
}

//! What a job file says: the shared part of a job, the same bytes at both parties.

use std::{fs, ops::Range, path::Path};

use crate::{
    delivery::RESERVED,
    hex::sha256,
    toml_file::{TomlFile, Value},
};
use hushtable::{math::Function, operation::Relation};
use hushtable_columns::failure::{Failure, Result};
use toml::de::{DeTable, DeValue};

/// Version of the format.
const FORMAT: &str = "1";

/// Keys of a file, of its options and of a step: those behind the first few of a step are options of `apply`, `score`
/// or `proximity`.
const FILE: [&str; 7] = ["hushtable-job", "about", "parties", "ids", "join", "options", "step"];
const OPTIONS: [&str; 3] = ["find-difference", "optimise", "threads"];
const STEP: [&str; 5] = ["name", "operation", "reveal", "x", "y"];
const APPLY: [&str; 7] =
    ["bits", "domain", "fraction-bits", "method", "output-fraction-bits", "outside", "protocol"];
const SCORE: [&str; 8] =
    ["bands", "bits", "default", "fraction-bits", "normalise", "reveal-exact", "tell-form", "threshold"];
/// Those of a score over a join.
const JOINED: [&str; 3] = ["default", "normalise", "tell-form"];
const PROXIMITY: [&str; 6] = ["east", "latitude", "longitude", "north", "plane", "within"];

/// The operations that are no function and no comparison: each party's files are its own.
pub const SCORING: &str = "score";
pub const NEARNESS: &str = "proximity";

/// A job.
#[derive(Debug, PartialEq)]
pub struct JobFile {
    /// SHA-256 of the bytes, in hexadecimal digits.
    pub hash: String,
    pub about: Option<String>,
    /// Who listens and who connects.
    pub parties: [String; 2],
    /// The column of each that names the rows; none: they are matched by position.
    pub ids: Option<[String; 2]>,
    /// Rows are those in common, by a hidden join of these ids.
    pub join: bool,
    pub find_difference: bool,
    /// For all steps.
    pub options: Vec<Flag>,
    pub steps: Vec<Step>,
}

/// What is computed, in the words of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub line: usize,
    /// Of the step and its column.
    pub name: String,
    pub operation: String,
    pub x: Option<Operand>,
    pub y: Option<Operand>,
    /// Both, none, or a party's name.
    pub reveal: String,
    pub options: Vec<Flag>,
}

/// Where numbers come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// The columns of the parties that have some.
    Columns([Option<String>; 2]),
    /// A public number, as it is written.
    Number(String),
    /// The results of the step with this number.
    Step(usize),
}

/// An option as the command line has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    pub key: String,
    /// Nothing for one without a value.
    pub value: Option<String>,
    pub line: usize,
}

impl JobFile {
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(Failure::file(path))?;
        Self::parse(path, &bytes)
    }

    /// The file at `path`, which holds these bytes.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Failure::input(format!("{}: no UTF-8 text", path.display())))?;
        let file = TomlFile { path, text };
        let table = file.table()?;
        file.knows(&table, "a job file", &FILE)?;
        let version = need(file, &table, None, "hushtable-job")?;
        if file.written(version) != FORMAT {
            let what = format!("version {}; this program reads version {FORMAT}", file.written(version));
            return Err(file.says(Some(version.span()), &what));
        }
        let about = table.get("about").map(|about| file.string("about", about)).transpose()?;
        let parties = parties(file, need(file, &table, None, "parties")?)?;
        let ids = ids(file, &table, &parties)?;
        let mut options = match table.get("options") {
            None => Vec::new(),
            Some(options) => {
                let options = file.inner("options", options)?;
                file.knows(options, "options", &OPTIONS)?;
                flags(file, options, &OPTIONS)?
            }
        };
        let find_difference = options.iter().any(|flag| flag.key == "find-difference");
        options.retain(|flag| flag.key != "find-difference");
        let steps = steps(file, need(file, &table, None, "step")?, &parties)?;
        let (hash, about) = (sha256(bytes), about.map(str::to_owned));
        let join = joins(file, &table, &ids, &steps)?;
        Ok(Self { hash, about, parties, ids, join, find_difference, options, steps })
    }

    /// Whether a later step goes on with the results of this one.
    pub fn stays(&self, step: usize) -> bool {
        let is_it = |operand: &Option<Operand>| *operand == Some(Operand::Step(step));
        self.steps.iter().any(|later| is_it(&later.x) || is_it(&later.y))
    }
}

/// What must be there.
fn need<'t, 'a>(
    file: TomlFile<'a>,
    table: &'t DeTable<'a>,
    at: Option<Range<usize>>,
    key: &str,
) -> Result<&'t Value<'a>> {
    table.get(key).ok_or_else(|| file.says(at, &format!("{key:?} is missing")))
}

/// Who listens and who connects.
fn parties(file: TomlFile<'_>, value: &Value<'_>) -> Result<[String; 2]> {
    let DeValue::Table(table) = value.get_ref() else {
        return Err(file.says(Some(value.span()), "parties is a table: listens and connects"));
    };
    file.knows(table, "parties", &["listens", "connects"])?;
    let name = |key: &str| -> Result<String> {
        let Some(value) = table.get(key) else {
            return Err(file.says(Some(value.span()), &format!("parties: {key:?} is missing")));
        };
        let name = file.string(key, value)?;
        if RESERVED.contains(&name) || name.is_empty() {
            let what = format!("{key}: no party can be called {name:?}");
            return Err(file.says(Some(value.span()), &what));
        }
        Ok(name.to_owned())
    };
    let parties = [name("listens")?, name("connects")?];
    match parties[0] == parties[1] {
        true => Err(file.says(Some(value.span()), "parties: both have the same name")),
        false => Ok(parties),
    }
}

fn ids(file: TomlFile<'_>, table: &DeTable<'_>, parties: &[String; 2]) -> Result<Option<[String; 2]>> {
    let Some(value) = table.get("ids") else { return Ok(Some(["id".into(), "id".into()])) };
    let missing = "ids: a column's name, one for each party, or false for rows that are matched by position";
    match value.get_ref() {
        DeValue::Boolean(false) => Ok(None),
        DeValue::String(name) => Ok(Some([name.to_string(), name.to_string()])),
        DeValue::Table(_) => match columns(file, "ids", value, parties)? {
            [Some(a), Some(b)] => Ok(Some([a, b])),
            _ => Err(file.says(Some(value.span()), missing)),
        },
        _ => Err(file.says(Some(value.span()), missing)),
    }
}

/// Columns by the names of the parties.
fn columns(
    file: TomlFile<'_>,
    name: &str,
    value: &Value<'_>,
    parties: &[String; 2],
) -> Result<[Option<String>; 2]> {
    let DeValue::Table(table) = value.get_ref() else {
        return Err(file.says(Some(value.span()), &format!("{name}: columns by the parties' names")));
    };
    file.knows(table, name, &[&parties[0], &parties[1]])?;
    let of = |party: &String| -> Result<Option<String>> {
        Ok(table.get(party.as_str()).map(|value| file.string(party, value)).transpose()?.map(str::to_owned))
    };
    match [of(&parties[0])?, of(&parties[1])?] {
        [None, None] => Err(file.says(Some(value.span()), &format!("{name}: no column of either party"))),
        columns => Ok(columns),
    }
}

/// Whether rows are joined, which only a score of rows with ids is.
fn joins(file: TomlFile<'_>, table: &DeTable<'_>, ids: &Option<[String; 2]>, steps: &[Step]) -> Result<bool> {
    let value = table.get("join");
    let join = match value.map(Value::get_ref) {
        None => false,
        Some(DeValue::Boolean(join)) => *join,
        Some(_) => return Err(file.says(value.map(Value::span), "join: true or false")),
    };
    let options = steps.iter().flat_map(|step| &step.options);
    let of_join = options.filter(|flag| JOINED.contains(&flag.key.as_str())).map(|flag| &flag.key).next();
    match (join, steps, ids) {
        (false, ..) => match of_join {
            Some(key) => Err(file.says(None, &format!("{key} needs join = true"))),
            None => Ok(false),
        },
        (true, [one], Some(_)) if one.operation == SCORING => Ok(true),
        _ => {
            Err(file.says(value.map(Value::span), "join = true is for one step, a score, and rows with ids"))
        }
    }
}

fn steps(file: TomlFile<'_>, value: &Value<'_>, parties: &[String; 2]) -> Result<Vec<Step>> {
    let DeValue::Array(array) = value.get_ref() else {
        return Err(file.says(Some(value.span()), "each step begins with [[step]]"));
    };
    let mut steps: Vec<Step> = Vec::new();
    for value in array {
        let step = step(file, value, &steps, parties)?;
        if steps.iter().any(|other| other.name == step.name) {
            let what = format!("two steps are called {:?}: give one another name", step.name);
            return Err(file.says(Some(value.span()), &what));
        }
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(file.says(Some(value.span()), "no step"));
    }
    let used = |i: usize, step: &Step| {
        let later = steps.iter().flat_map(|step| [&step.x, &step.y]);
        step.reveal != "none" || steps.len() == 1 || later.flatten().any(|o| *o == Operand::Step(i))
    };
    match steps.iter().enumerate().find(|(i, step)| !used(*i, step)) {
        None => Ok(steps),
        Some((_, Step { name, line, .. })) => Err(Failure::input(format!(
            "{}: line {line}: nobody gets the result {name:?}, and no step goes on with it",
            file.path.display()
        ))),
    }
}

fn step(file: TomlFile<'_>, value: &Value<'_>, before: &[Step], parties: &[String; 2]) -> Result<Step> {
    let table = file.inner("step", value)?;
    let at = Some(value.span());
    let operation = operation(file, need(file, table, at.clone(), "operation")?)?;
    let more: &[&str] = match operation.as_str() {
        SCORING => &SCORE,
        NEARNESS => &PROXIMITY,
        _ => &APPLY,
    };
    file.knows(table, "such a step", &[&STEP[..], more].concat())?;
    let operand = |key: &str| -> Result<Option<Operand>> {
        table.get(key).map(|value| operand(file, key, value, before, parties)).transpose()
    };
    let (x, y) = (operand("x")?, operand("y")?);
    let says =
        |key: &str, what: String| Err(file.says(table.get(key).map(Value::span).or(at.clone()), &what));
    match (operation.as_str(), &x, &y) {
        (SCORING | NEARNESS, None, None) => {}
        (SCORING, ..) => {
            return says("x", "score: each party's features and weights are its own: no x, no y".into());
        }
        (NEARNESS, ..) => return says("x", "proximity: each party's places are its own: no x, no y".into()),
        (_, None, _) => return says("x", format!("{operation}: x = ... says where its numbers come from")),
        (_, Some(Operand::Number(_)), _) => return says("x", "x: a public number can be y only".into()),
        (name, _, None) if is_relation(name) => {
            return says("y", format!("{name}: y = ... says what x is compared with"));
        }
        (name, _, Some(_)) if !is_relation(name) => return says("y", format!("{name} has no y")),
        (name, Some(Operand::Columns([a, b])), _) if !is_relation(name) && (a.is_none() || b.is_none()) => {
            return says("x", format!("x: {name} is of the sum of both parties' numbers: a column of each"));
        }
        _ => {}
    }
    let name = table.get("name").map(|name| file.string("name", name)).transpose()?.unwrap_or(&operation);
    if name.is_empty() || name.contains(char::is_control) {
        return says("name", format!("name: {name:?} is no name of a column"));
    }
    let reveal = need(file, table, at.clone(), "reveal")?;
    let to = file.string("reveal", reveal)?;
    if to != "both" && to != "none" && !parties.iter().any(|party| party == to) {
        let what = format!("reveal: {to:?} is not one of: {}, {}, both, none", parties[0], parties[1]);
        return Err(file.says(Some(reveal.span()), &what));
    }
    let (line, options) = (file.line(&value.span()), flags(file, table, more)?);
    Ok(Step { line, name: name.to_owned(), operation, x, y, reveal: to.to_owned(), options })
}

/// The name of a function or a comparison, `score` or `proximity`.
fn operation(file: TomlFile<'_>, value: &Value<'_>) -> Result<String> {
    let name = file.string("operation", value)?;
    let names = Function::ALL.into_iter().map(Function::name);
    let names: Vec<&str> =
        names.chain(Relation::ALL.map(Relation::name)).chain([SCORING, NEARNESS]).collect();
    if names.contains(&name) {
        return Ok(name.to_owned());
    }
    let what = format!("operation: {name:?} is not one of: {}", names.join(", "));
    Err(file.says(Some(value.span()), &what))
}

pub fn is_relation(operation: &str) -> bool {
    Relation::ALL.into_iter().any(|relation| relation.name() == operation)
}

fn operand(
    file: TomlFile<'_>,
    key: &str,
    value: &Value<'_>,
    before: &[Step],
    parties: &[String; 2],
) -> Result<Operand> {
    match value.get_ref() {
        DeValue::String(name) => match before.iter().position(|step| step.name == *name) {
            Some(step) => Ok(Operand::Step(step)),
            None => {
                let names: Vec<&str> = before.iter().map(|step| step.name.as_str()).collect();
                let names = if names.is_empty() { "there is none".into() } else { names.join(", ") };
                let what = format!("{key}: {name:?} is not an earlier step: {names}");
                Err(file.says(Some(value.span()), &what))
            }
        },
        DeValue::Table(_) => columns(file, key, value, parties).map(Operand::Columns),
        _ => file.number(key, value).map(|number| Operand::Number(number.to_string())),
    }
}

/// Those of the keys in `known` that are there, as options.
fn flags(file: TomlFile<'_>, table: &DeTable<'_>, known: &[&str]) -> Result<Vec<Flag>> {
    let mut flags = Vec::new();
    for (key, value) in table.iter().filter(|(key, _)| known.contains(&key.get_ref().as_ref())) {
        let line = file.line(&key.span());
        let value = match value.get_ref() {
            DeValue::Boolean(false) => continue,
            DeValue::Boolean(true) => None,
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Array(all) => {
                let numbers = all.iter().map(|number| file.number(key.get_ref(), number));
                let numbers = numbers.map(|number| Ok(number?.to_string())).collect::<Result<Vec<_>>>()?;
                Some(numbers.join(","))
            }
            _ => Some(file.number(key.get_ref(), value)?.to_string()),
        };
        flags.push(Flag { key: key.get_ref().to_string(), value, line });
    }
    Ok(flags)
}

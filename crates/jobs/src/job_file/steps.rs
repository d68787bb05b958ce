//! The steps of a job file, as they are written.

use std::ffi::OsString;

use crate::toml_file::{TomlFile, Value};
use hushtable::{math::Function, operation::Relation};
use hushtable_columns::failure::{Failure, Result};
use toml::de::{DeTable, DeValue};

/// The operations that are no function and no comparison: each party's files are its own.
pub const SCORING: &str = "score";
pub const NEARNESS: &str = "proximity";
/// A hidden join, and statistics of the rows in common.
pub const JOINING: &str = "join";
pub const STATISTICS: &str = "stats";

/// What is computed, in the words of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub line: usize,
    /// Of the step and its column.
    pub name: String,
    pub operation: String,
    /// Of a join the columns of each party, and those with cells that may be missing.
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

impl Flag {
    /// As an argument.
    pub fn argument(&self) -> OsString {
        match &self.value {
            None => format!("--{}", self.key).into(),
            Some(value) => format!("--{}={value}", self.key).into(),
        }
    }
}

/// Keys of steps: these are options of the commands that they stand for.
const APPLY: [&str; 7] =
    ["bits", "domain", "fraction-bits", "method", "output-fraction-bits", "outside", "protocol"];
const SCORE: [&str; 8] =
    ["bands", "bits", "default", "fraction-bits", "normalise", "reveal-exact", "tell-form", "threshold"];
const PROXIMITY: [&str; 6] = ["east", "latitude", "longitude", "north", "plane", "within"];

/// Those of a hidden join, besides the columns of each party, and of statistics of it.
const JOIN: [&str; 5] = ["duplicates", "fraction-bits", "normalise", "rows", "tell-form"];
const STATS: [&str; 14] = [
    "by",
    "count",
    "covariance",
    "histogram",
    "least",
    "max",
    "mean",
    "median",
    "min",
    "noise",
    "quantile",
    "sum",
    "variance",
    "where",
];

/// Columns by the names of the parties.
pub fn columns(
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
        let Some(value) = table.get(party.as_str()) else { return Ok(None) };
        match value.get_ref() {
            DeValue::Array(all) if name == "columns" || name == "missing" => {
                let all = all.iter().map(|one| file.string(party, one));
                Ok(Some(all.collect::<Result<Vec<_>>>()?.join(",")))
            }
            _ => Ok(Some(file.string(party, value)?.to_owned())),
        }
    };
    match [of(&parties[0])?, of(&parties[1])?] {
        [None, None] => Err(file.says(Some(value.span()), &format!("{name}: no column of either party"))),
        columns => Ok(columns),
    }
}

/// An error unless a hidden join comes first, if there is one, and statistics of it after that.
pub fn joint(file: TomlFile<'_>, ids: &Option<[String; 2]>, join: bool, steps: &[Step]) -> Result<()> {
    let of_join = |step: &&Step| [JOINING, STATISTICS].contains(&&*step.operation);
    let Some(Step { name, line, operation, .. }) = steps.iter().find(of_join) else { return Ok(()) };
    let says = |what: &str| {
        Err(Failure::input(format!("{}: line {line}: step {name:?}: {what}", file.path.display())))
    };
    match steps {
        _ if ids.is_none() => says("a hidden join needs ids"),
        _ if join => says("join = true is for a score; a step with operation = \"join\" joins by itself"),
        [first, rest @ ..]
            if first.operation == JOINING && rest.iter().all(|step| step.operation == STATISTICS) =>
        {
            Ok(())
        }
        _ if operation == STATISTICS => {
            says("statistics are of a hidden join: a step with operation = \"join\" comes first")
        }
        _ => says("a hidden join is the first step, and those that follow it are statistics"),
    }
}

pub fn steps(file: TomlFile<'_>, value: &Value<'_>, parties: &[String; 2]) -> Result<Vec<Step>> {
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
        step.reveal != "none"
            || steps.len() == 1
            || step.operation == JOINING
            || later.flatten().any(|o| *o == Operand::Step(i))
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
    let operation = operation(file, file.need(table, at.clone(), "operation")?)?;
    let more: &[&str] = match operation.as_str() {
        SCORING => &SCORE,
        NEARNESS => &PROXIMITY,
        JOINING => &JOIN,
        STATISTICS => &STATS,
        _ => &APPLY,
    };
    // What numbers it takes, as its keys are called.
    let (x, y) = if operation == JOINING { ("columns", "missing") } else { ("x", "y") };
    file.knows(table, "such a step", &[&["name", "operation", "reveal", x, y], more].concat())?;
    let operand = |key: &str| -> Result<Option<Operand>> {
        table.get(key).map(|value| operand(file, key, value, before, parties)).transpose()
    };
    let (x, y) = (operand(x)?, operand(y)?);
    let says =
        |key: &str, what: String| Err(file.says(table.get(key).map(Value::span).or(at.clone()), &what));
    match (operation.as_str(), &x, &y) {
        (SCORING | NEARNESS | STATISTICS, None, None) => {}
        (JOINING, None | Some(Operand::Columns(_)), None | Some(Operand::Columns(_))) => {}
        (JOINING, ..) => return says("columns", "columns and missing: by the parties' names".into()),
        (STATISTICS, ..) => return says("x", "stats: of the join: no x, no y".into()),
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
    let reveal = file.need(table, at.clone(), "reveal")?;
    let to = file.string("reveal", reveal)?;
    if to != "both" && to != "none" && !parties.iter().any(|party| party == to) {
        let what = format!("reveal: {to:?} is not one of: {}, {}, both, none", parties[0], parties[1]);
        return Err(file.says(Some(reveal.span()), &what));
    }
    let to_be = match operation.as_str() {
        JOINING => "none",
        STATISTICS => "both",
        _ => to,
    };
    if to != to_be {
        let what = format!("reveal: {operation} has {to_be:?}");
        return Err(file.says(Some(reveal.span()), &what));
    }
    let (line, options) = (file.line(&value.span()), flags(file, table, more)?);
    Ok(Step { line, name: name.to_owned(), operation, x, y, reveal: to.to_owned(), options })
}

/// The name of a function or a comparison, or of another operation.
fn operation(file: TomlFile<'_>, value: &Value<'_>) -> Result<String> {
    let name = file.string("operation", value)?;
    let names = Function::ALL.into_iter().map(Function::name);
    let names: Vec<&str> = names
        .chain(Relation::ALL.map(Relation::name))
        .chain([SCORING, NEARNESS, JOINING, STATISTICS])
        .collect();
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

/// Those of the keys in `known` that are there, as options: of a list of texts one for each.
pub fn flags(file: TomlFile<'_>, table: &DeTable<'_>, known: &[&str]) -> Result<Vec<Flag>> {
    let mut flags = Vec::new();
    for (key, value) in table.iter().filter(|(key, _)| known.contains(&key.get_ref().as_ref())) {
        let (line, name) = (file.line(&key.span()), key.get_ref());
        let values = match value.get_ref() {
            DeValue::Boolean(false) => vec![],
            DeValue::Boolean(true) => vec![None],
            DeValue::String(text) => vec![Some(text.to_string())],
            DeValue::Array(all) if all.iter().any(|one| matches!(one.get_ref(), DeValue::String(_))) => {
                let texts = all.iter().map(|text| Ok(Some(file.string(name, text)?.to_owned())));
                texts.collect::<Result<_>>()?
            }
            DeValue::Array(all) => {
                let numbers = all.iter().map(|number| file.number(name, number));
                let numbers = numbers.map(|number| Ok(number?.to_string())).collect::<Result<Vec<_>>>()?;
                vec![Some(numbers.join(","))]
            }
            _ => vec![Some(file.number(name, value)?.to_string())],
        };
        flags.extend(values.into_iter().map(|value| Flag { key: name.to_string(), value, line }));
    }
    Ok(flags)
}

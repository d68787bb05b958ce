//! What a job file says: the shared part of a job, the same bytes at both parties.

mod steps;

use std::{fs, path::Path};

use crate::{
    hex::sha256,
    job_file::steps::{columns, flags, joint, steps},
    toml_file::{TomlFile, Value},
};
use hushtable_columns::failure::{Failure, Result};
use toml::de::{DeTable, DeValue};

pub use steps::{Flag, JOINING, NEARNESS, Operand, SCORING, STATISTICS, Step, is_relation};

/// Version of the format.
const FORMAT: &str = "1";

/// Keys of a file and of its options.
const FILE: [&str; 7] = ["hushtable-job", "about", "parties", "ids", "join", "options", "step"];
const OPTIONS: [&str; 3] = ["find-difference", "optimise", "threads"];

/// Those of a step that need a join.
const JOINED: [&str; 3] = ["default", "normalise", "tell-form"];

/// Words that mean other recipients than a party by its name.
pub const RESERVED: [&str; 8] = ["me", "peer", "both", "none", "p0", "p1", "0", "1"];

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
        let version = file.need(&table, None, "hushtable-job")?;
        if file.written(version) != FORMAT {
            let what = format!("version {}; this program reads version {FORMAT}", file.written(version));
            return Err(file.says(Some(version.span()), &what));
        }
        let about = table.get("about").map(|about| file.string("about", about)).transpose()?;
        let parties = parties(file, file.need(&table, None, "parties")?)?;
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
        let steps = steps(file, file.need(&table, None, "step")?, &parties)?;
        let (hash, about) = (sha256(bytes), about.map(str::to_owned));
        let join = joins(file, &table, &ids, &steps)?;
        joint(file, &ids, join, &steps)?;
        Ok(Self { hash, about, parties, ids, join, find_difference, options, steps })
    }

    /// Whether its first step is a hidden join, and the others are statistics of it.
    pub fn is_joint(&self) -> bool {
        self.steps.first().is_some_and(|step| step.operation == JOINING)
    }

    /// Whether a later step goes on with the results of this one.
    pub fn stays(&self, step: usize) -> bool {
        if self.is_joint() {
            return step == 0 && self.steps.len() > 1;
        }
        let is_it = |operand: &Option<Operand>| *operand == Some(Operand::Step(step));
        self.steps.iter().any(|later| is_it(&later.x) || is_it(&later.y))
    }
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
        if RESERVED.contains(&name.to_lowercase().as_str()) || name.is_empty() {
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

/// Whether rows are joined, which only a score of rows with ids is.
fn joins(file: TomlFile<'_>, table: &DeTable<'_>, ids: &Option<[String; 2]>, steps: &[Step]) -> Result<bool> {
    let value = table.get("join");
    let join = match value.map(Value::get_ref) {
        None => false,
        Some(DeValue::Boolean(join)) => *join,
        Some(_) => return Err(file.says(value.map(Value::span), "join: true or false")),
    };
    let options = steps.iter().filter(|step| step.operation != JOINING).flat_map(|step| &step.options);
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

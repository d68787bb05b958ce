//! Scoring of the rows that a hidden join has in common: `--joined`, and `--join` in one go.

mod answer;
mod model;
mod work;

use std::path::{Path, PathBuf};

use crate::score::{
    Score,
    common::{
        model::Model,
        work::{Ask, Input, Scored},
    },
};
use apps::{ids::Rules, scoring::Scoring};
use clap::Args;
use hushtable::Role;
use hushtable_columns::{
    ColumnFile,
    failure::{Failure, Result},
};
use hushtable_jobs::{
    count::count,
    delivery::Delivery,
    join::{
        asked::Duplicates,
        column,
        file::JoinedFile,
        rows::{self, Reading, Rows},
    },
    meeting::Meeting,
    options::refuse,
    row_results,
};

/// Rows that are not in the same order at both.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Rows in common")]
pub struct Rowing {
    /// Score the rows of this file of a `join`, in place of --features; results go to who owns the rows
    ///
    /// Each party's weights are for its own columns of numbers in the join.
    #[arg(long, value_name = "FILE", conflicts_with = "features")]
    pub joined: Option<PathBuf>,
    /// Join --features with the peer's by this column of ids, or several, and score the rows in common, in one go
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', conflicts_with = "joined")]
    pub join: Vec<String>,
    /// With --join: how ids are brought into one form, as for `join` [default: trim,nfc]
    #[arg(long, value_name = "RULE,...", value_parser = column::rules, requires = "join")]
    pub normalise: Vec<Rules>,
    /// With --join: tell the peer the pattern that most ids have, such as A999999, and compare it with the peer's before
    /// anything is joined, as for `join`; the peer says so too
    #[arg(long, requires = "join")]
    pub tell_form: bool,
    /// With --join: a bound on the number of ids here, which the peer learns in place of the number itself; a clock may
    /// tell more
    #[arg(long, value_name = "N", value_parser = count, requires = "join")]
    pub pad_to: Option<usize>,
    /// With --join: refuse a peer that says it has more ids, before anything is computed
    #[arg(long, value_name = "N", value_parser = count, requires = "join")]
    pub peer_at_most: Option<usize>,
    /// The result of a row that the peer does not have: a result there can be, or empty; the peer says the same
    ///
    /// With empty, the default, the results tell which rows are in common. With a value such a row looks like others
    /// with that result.
    #[arg(long, value_name = "VALUE")]
    pub default: Option<String>,
}

impl Rowing {
    /// Whether any of it is asked for.
    pub fn asked(&self) -> bool {
        self.joined.is_some() || !self.join.is_empty()
    }
}

/// A job file that says what is scored.
pub struct InJob<'a> {
    pub delivery: &'a Delivery,
    /// The hash of the file.
    pub hash: &'a str,
    /// The name of the results.
    pub column: &'a str,
    /// Shows what it would do, and asks.
    pub approve: &'a dyn Fn(&str) -> Result<()>,
    /// The files that are read besides.
    pub inputs: Vec<&'a Path>,
    /// Most ids that the peer may have.
    pub peer_at_most: Option<usize>,
}

/// Runs it.
pub fn score(args: &Score, job: Option<&InJob<'_>>) -> Result<()> {
    refuse(
        "cannot be combined with --joined and --join",
        [
            ("--threads", args.terms.threads.is_some()),
            ("--find-difference", args.terms.find_difference),
            ("--store", args.stored.path().is_some()),
            ("--leave-out", !args.csv.leave_out.is_empty()),
        ],
    )?;
    let reveal = row_results::somebody(args.reveal()?, "--joined and --join")?;
    let scoring = Scoring::new(args.bits, args.fraction_bits, args.asked.question())?;
    let default =
        args.rowing.default.as_deref().map(|text| answer::default(text, &scoring)).transpose()?.flatten();
    let column = crate::score::column_name(scoring.question());
    let (delivery, column) =
        job.map_or((&args.delivery, column), |job| (job.delivery, job.column.to_owned()));
    let (input, ids) = match &args.rowing.joined {
        Some(path) => {
            let file = JoinedFile::read(path)?;
            let model = Model::read(&args.weights, path, &file, &scoring)?;
            (Input::File(Box::new(file), model), 0)
        }
        None => fresh(args, &scoring)?,
    };
    let role = args.link.role();
    let owners = input.owners(reveal, role)?;
    crate::score::say(args, reveal);
    let forms = rules(args)?;
    let file = job.map(|job| job.hash.to_owned());
    let peer_at_most = job.map_or(args.rowing.peer_at_most, |job| job.peer_at_most);
    let told = args.rowing.tell_form;
    let ask = Ask { file: file.clone(), scoring, default, owners, column, forms, told, peer_at_most };
    let mut inputs = vec![args.weights.as_path()];
    inputs.extend(args.rowing.joined.as_deref().or(args.features.as_deref()));
    inputs.extend(job.iter().flat_map(|job| job.inputs.iter().copied()));
    let rows = input.rows(role).max(ids);
    let explained = ask.explain(&input, &args.link)?;
    job.map_or(Ok(()), |job| (job.approve)(&explained))?;
    let errand = Meeting {
        kind: if job.is_some() { "run" } else { "score" },
        file,
        rows,
        column: ask.column.clone(),
        reveal: reveal.name().to_owned(),
        fields: ask.fields(&input, role),
        explained,
        writes: ask.owners.contains(&role).then_some(48 * rows as u64),
        delivery,
        link: &args.link,
        inputs,
    };
    errand.carry_out(Scored::new(ask, input, delivery.json, delivery.quiet))
}

/// The rules of each column of the id.
fn rules(args: &Score) -> Result<Vec<Rules>> {
    rows::rules(&args.rowing.normalise, args.rowing.join.len(), "--join")
}

/// Ids and parts of scores of a file that is not joined yet.
fn fresh(args: &Score, scoring: &Scoring) -> Result<(Input, usize)> {
    let path = args.features();
    let file = ColumnFile::open(path, &args.csv)?;
    let (ids, rules) = (&args.rowing.join, rules(args)?);
    let reading = Reading { ids, rules: &rules, columns: &[], duplicates: Duplicates::Refuse, whole: false };
    let rows = Rows::read(&file, path, &args.csv, &reading)?;
    rows.warn(path);
    let (_, parts) = crate::score::parts(args, scoring, None, &file)?;
    let bound = match args.rowing.pad_to {
        Some(bound) if bound < rows.ids() => {
            return Err(Failure::new(format!("--pad-to {bound}: {} has {} ids", path.display(), rows.ids())));
        }
        bound => bound.unwrap_or(rows.ids()),
    };
    let ids = rows.ids();
    Ok((Input::Fresh { rows: Box::new(rows), parts, bound }, ids))
}

/// The role of a party by its name in a file.
fn role_of(name: &str) -> Role {
    if name == "P0" { Role::P0 } else { Role::P1 }
}

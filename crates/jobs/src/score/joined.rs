//! Scoring of the rows that a hidden join has in common: `--joined`, and `--join` in one go.

mod answer;
mod model;
mod work;

use std::path::Path;

use crate::{
    delivery::Delivery,
    join::{
        asked::Duplicates,
        file::JoinedFile,
        rows::{self, Reading, Rows},
    },
    meeting::{COMPUTED, Meeting},
    options::refuse,
    row_results,
    score::{
        joined::{
            model::Model,
            work::{Ask, Input, Scored},
        },
        options::Score,
        parts::{column_name, parts, say},
    },
};
use apps::{ids::Rules, scoring::Scoring};
use hushtable_columns::{
    ColumnFile, FileFormat,
    failure::{Failure, Result},
};

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
            ("--threads", args.accord.threads.is_some()),
            ("--find-difference", args.accord.find_difference),
            ("--store", args.stored.path().is_some()),
            ("--leave-out", !args.csv.leave_out.is_empty()),
        ],
    )?;
    let reveal = row_results::somebody(args.reveal()?, "--joined and --join")?;
    let scoring = Scoring::new(args.bits, args.fraction_bits, args.asked.question())?;
    let default =
        args.rowing.default.as_deref().map(|text| answer::default(text, &scoring)).transpose()?.flatten();
    let column = column_name(scoring.question());
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
    say(args, reveal);
    let forms = rules(args)?;
    if let Some(path) = args.delivery.output.as_ref().filter(|_| owners.contains(&role)) {
        FileFormat::of_output(path)?;
    }
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
        wish: None,
        outcome: COMPUTED,
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
    let (_, parts) = parts(args, scoring, None, &file)?;
    let bound = match args.rowing.pad_to {
        Some(bound) if bound < rows.ids() => {
            return Err(Failure::new(format!("--pad-to {bound}: {} has {} ids", path.display(), rows.ids())));
        }
        bound => bound.unwrap_or(rows.ids()),
    };
    let ids = rows.ids();
    Ok((Input::Fresh { rows: Box::new(rows), parts, bound }, ids))
}

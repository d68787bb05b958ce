//! Scoring of the rows that a hidden join has in common: `--joined`, and `--join` in one go.

mod fresh;
mod model;

use std::{path::Path, sync::Arc};

use crate::{
    choice::Choosing,
    count::some,
    job::{Body, Job},
    join::{
        asked::Duplicates,
        file::JoinedFile,
        forms,
        rows::{Reading, Rows},
        tell,
    },
    row_results::{self, Asked, InCommon, of_file},
    score::{
        joined::{fresh::Fresh, model::Model},
        options::Score,
        parts::{column_name, parts, say},
    },
    shared_results::SHARED_BITS,
    task::Before,
};
use apps::scoring::Scoring;
use hushtable::{
    Role,
    operation::{Operation, Port},
    run::Reveal,
};
use hushtable_columns::{ColumnFile, failure::Result};
use prim::wipe::Wiped;

/// Steps, what is said and compared of them, and the join before them if they need one.
type Steps = (Vec<Job>, InCommon, Option<Box<dyn Before>>);

/// What is asked for. `column`: the name of the results, if it is not that of the question.
pub fn steps(args: &Score, column: Option<&str>, peer_at_most: Option<usize>) -> Result<Steps> {
    let reveal = row_results::somebody(args.reveal()?, "--joined and --join")?;
    // With results that can be multiplied.
    let scoring = Scoring::new(args.bits, args.fraction_bits, args.asked.question())?.additive(SHARED_BITS);
    let asked = Asked {
        column: column.map_or_else(|| column_name(scoring.question()), str::to_owned),
        default: row_results::default(args.rowing.default.as_deref(), held(&scoring))?,
        threads: args.accord.threads,
        choosing: Choosing::default(),
    };
    match &args.rowing.joined {
        Some(path) => {
            let (jobs, about) = of_file(args, path, &scoring, reveal, &asked)?;
            Ok((jobs, about, None))
        }
        None => joined_now(args, &scoring, reveal, asked, peer_at_most),
    }
}

/// How results are held, with those that there can be.
fn held(scoring: &Scoring) -> Port {
    let held = scoring.result();
    match held.fraction {
        0 => held,
        fraction => held.within(Some([0, 1 << fraction])),
    }
}

/// Over the bins of a join that was made before.
fn of_file(
    args: &Score,
    path: &Path,
    scoring: &Scoring,
    reveal: Reveal,
    asked: &Asked,
) -> Result<(Vec<Job>, InCommon)> {
    let (mut file, me) = (JoinedFile::read(path)?, args.link.role());
    let model = Model::read(&args.weights, path, &file, scoring, me)?;
    let owners = row_results::owners(of_file::owners(&file, me), reveal)?;
    say(args, reveal);
    let words = format!(" of {}", file.words());
    let about = about(scoring, asked, owners.clone(), file.pairing(me), (of_file::rows(&file), words));
    let mut jobs = vec![];
    for owner in owners {
        let bins = of_file::bins(&mut file, owner, me);
        let first = model.step(&file, &bins, me, asked);
        let main = Body::Other(Box::new(scoring.clone()));
        let zeros = Wiped::zeros(bins.matched.len());
        bins.steps(&mut jobs, Some(first), row_results::main(main, vec![zeros], asked), asked)?;
    }
    Ok((jobs, about))
}

/// After a join of this file's ids and parts of scores.
fn joined_now(
    args: &Score,
    scoring: &Scoring,
    reveal: Reveal,
    asked: Asked,
    peer_at_most: Option<usize>,
) -> Result<Steps> {
    let (path, me) = (args.features(), args.link.role());
    let file = ColumnFile::open(path, &args.csv)?.joined();
    let ids = args.rowing.ids()?;
    let rules = forms::rules(&args.rowing.normalise, ids.len(), "--join")?;
    // Of the features, below.
    let reading = Reading {
        ids: &ids,
        rules: &rules,
        columns: &[],
        duplicates: Duplicates::Refuse,
        whole: false,
        pad_to: args.rowing.pad_to,
        most: apps::join::MAX_ROWS,
    };
    let mut rows = Rows::read(&file, path, &reading)?;
    rows.warn(path);
    let named: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (_, parts) = parts(args, scoring, &named, &file)?;
    let owners = row_results::owners([Role::P0, Role::P1].into_iter(), reveal)?;
    say(args, reveal);
    let words = format!(", by a hidden join of {} here", some(rows.ids(), "id"));
    let mut about = about(scoring, &asked, owners.clone(), "joined now".into(), (rows.ids(), words));
    about.compared.extend(rules.iter().map(|rules| ("form of ids", rules.normal_form())));
    about.compared.push(tell::field(args.rowing.tell_form));
    let ids =
        format!("that this party has up to {}; and the peer's number to this party", some(rows.bound, "id"));
    about.shows.push(("to the peer", ids));
    if args.rowing.tell_form {
        let form = format!("{}; and the same of the peer's to this party", tell::words(&rows));
        about.shows.push(("and", form));
    }
    let (names, sizes) = (Arc::new(std::mem::take(&mut rows.names)), [rows.bound; 2]);
    let fresh = Fresh {
        asked,
        scoring: scoring.clone(),
        owners,
        rows,
        names,
        parts,
        peer_at_most,
        told: args.rowing.tell_form,
        sizes,
    };
    Ok((fresh.steps(me)?, about, Some(Box::new(fresh))))
}

/// What is said and compared, of rows that are these.
fn about(
    scoring: &Scoring,
    asked: &Asked,
    owners: Vec<Role>,
    files: String,
    (rows, words): (usize, String),
) -> InCommon {
    let mut compared = InCommon::compared("score", files, &owners, asked.default);
    compared.extend(scoring.fields());
    InCommon {
        compared,
        or: ", or both parties say --join",
        rows,
        words,
        result: format!("the column {}: {}", asked.column, scoring.question()),
        notes: vec![],
        owners,
        default: asked.default,
        tells: scoring.tells(),
        shows: vec![],
    }
}

//! The job, or the scoring of a join, that `score` is asked for.

mod joined;
pub mod options;
mod parts;
pub mod weights;

use crate::{
    decision, evaluate,
    job::{Body, Job},
    options::refuse,
    row_results::InCommon,
    score::{
        options::Score,
        parts::{column_name, format, parts, say},
    },
    shared_results::SHARED_BITS,
    task::Before,
};
use apps::scoring::Scoring;
use hushtable::{math::Function, run::Reveal};
use hushtable_columns::{ColumnFile, failure::Result, numbers::Operand};

/// Steps, what is said and compared of them if they are over rows in common, and the join before them if they need one.
pub type Steps = (Vec<Job>, Option<InCommon>, Option<Box<dyn Before>>);

/// What is asked for, read and checked. `column`: the name of results over rows in common, if it is not that of the question.
pub fn steps(args: &Score, column: Option<&str>, peer_at_most: Option<usize>) -> Result<Steps> {
    let in_common = args.rowing.asked();
    let csv = &args.csv;
    refuse(&[
        (
            in_common,
            "cannot be combined with --joined and --join: no ids are compared; a join finds those in common",
            &[("--find-difference", args.accord.find_difference)],
        ),
        (
            args.rowing.joined.is_some(),
            "cannot be combined with --joined: it says how a table is read, and that was read when it was joined",
            &[
                ("--leave-out", !csv.leave_out.is_empty()),
                ("--bad-rows", csv.bad_rows.is_some()),
                ("--na-as", !csv.na_as.is_empty()),
            ],
        ),
        (!in_common, "needs --joined or --join", &[("--default", args.rowing.default.is_some())]),
    ])?;
    if !in_common {
        return Ok((vec![job(args)?], None, None));
    }
    let (jobs, rows, before) = joined::steps(args, column, peer_at_most)?;
    Ok((jobs, Some(rows), before))
}

/// The job over rows that are in the same order at both.
pub fn job(args: &Score) -> Result<Job> {
    let question = args.asked.question();
    let column = column_name(&question);
    let scoring = Scoring::new(args.bits, args.fraction_bits, question)?;
    let file = ColumnFile::open(args.features(), &args.csv)?;
    let id = [args.id.as_str()];
    let (ids, words) = parts(args, &scoring, &id, &file)?;
    let pairing = ["parts of scores"; 2].map(str::to_owned);
    let format = format(&scoring);
    let operand = Operand { words, range: format.range(), pairing, error: Some(format.rounding()) };
    let (threads, reveal) = (args.accord.threads, args.reveal()?);
    say(args, reveal);
    let (error, note) = exactness(&scoring, &operand);
    let scoring = if reveal == Reveal::Nobody { scoring.additive(SHARED_BITS) } else { scoring };
    let body = Body::Other(Box::new(scoring));
    let mut job = Job::new(threads, reveal, body, column, ids, vec![operand], vec![true]);
    (job.error, job.notes, job.style) = (error, vec![note], file.style().of_ids(&id, ""));
    Ok(job)
}

/// How exact results are, and words about it.
fn exactness(scoring: &Scoring, x: &Operand) -> (Option<f64>, (&'static str, String)) {
    let Some(card) = scoring.card() else {
        let near = decision::about(x.error.unwrap_or_default());
        let text = format!(
            "each party's part of a score is rounded to a multiple of {}: a score within {near} of a threshold's may fall \
             on either side",
            2f64.powi(-(scoring.fraction() as i32))
        );
        return (Some(0.0), ("decision", text));
    };
    let error = card.max_ulp() * 2f64.powi(-(card.scale_out as i32));
    let text = evaluate::exactness("sigmoid", error, x, false);
    (evaluate::carried(Some(Function::Sigmoid), error, x, card.domain), ("exactness", text))
}

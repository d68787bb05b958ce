//! The jobs that `apply` is asked for, on the command line or by a step: of its arguments a checked question, of that columns
//! and what is computed of them, and then the job.

mod columns;
mod computation;
mod joined;
pub mod options;
pub mod question;

use crate::{
    apply::{
        columns::Columns,
        options::Apply,
        question::{Earlier, Numbers, Question, What},
    },
    decision::Through,
    evaluate,
    fixed::Table,
    job::Job,
    row_results::InCommon,
};
use hushtable_columns::failure::Result;

/// The jobs, with all that this party brings to them; and what is said and compared of rows in common.
pub fn jobs(question: &Question<'_>) -> Result<(Vec<Job>, Option<InCommon>)> {
    match &question.numbers {
        Numbers::Files(files) => {
            let columns = Columns::open(files, question.how)?;
            let mut job = computation::of(question, &columns, files.through)?;
            job.choosing = question.choosing.clone();
            Ok((vec![job], None))
        }
        Numbers::Joined(columns) => joined::steps(question, columns).map(|(jobs, rows)| (jobs, Some(rows))),
    }
}

/// The job of a step of a job file.
pub fn step(args: &Apply, earlier: &[Earlier], through: Option<Through>) -> Result<Job> {
    Ok(jobs(&Question::of_step(args, earlier, through)?)?.0.remove(0))
}

/// The function of such a step, if thresholds can be seen through it: of numbers of columns, or of results of the
/// earlier step that `from` are.
pub fn sees_through(args: &Apply, from: Option<&Earlier>) -> Option<Through> {
    let how = &args.how;
    match What::of(args, args.choosing.protocol) {
        What::Lookup(Table::Of(function)) => {
            Through::looked_up(function, how.domain.unwrap_or(function.domain()))
        }
        What::Function(function) => {
            let format = from.map(|from| [from.shares.bits, from.shares.fraction_bits]);
            let bits = format.map(|format| format[0]).or(how.bits);
            let fraction_bits = format.map_or(how.function_bits(), |format| format[1]);
            let wanted = how.wanted(bits, fraction_bits, true, args.choosing.optimise.into());
            // One that cannot be evaluated is complained of where it is.
            let made = evaluate::evaluation(function, wanted).ok()?;
            Through::of(function, &made.card(), how.bits.is_some())
        }
        _ => None,
    }
}

//! The jobs that `apply` is asked for, on the command line or by a step: of its arguments a checked question, of that columns
//! and what is computed of them, and then the job.

mod columns;
mod computation;
mod joined;
pub mod options;
pub mod question;

use crate::{
    apply::{
        columns::{Columns, Read},
        computation::Computed,
        options::Apply,
        question::{Files, Numbers, Question, What},
    },
    decision::Through,
    earlier::Earlier,
    evaluate,
    fixed::Table,
    job::Job,
    row_results::InCommon,
};
use hushtable_columns::failure::Result;

/// The jobs, with all that this party brings to them; and what is said and compared of rows in common.
pub fn jobs(question: &Question<'_>) -> Result<(Vec<Job>, Option<InCommon>)> {
    match &question.numbers {
        Numbers::Files(files) => Ok((vec![of_files(question, files)?], None)),
        Numbers::Joined(columns) => joined::steps(question, columns).map(|(jobs, rows)| (jobs, Some(rows))),
    }
}

/// The job of numbers in files.
fn of_files(question: &Question<'_>, files: &Files<'_>) -> Result<Job> {
    let columns = Columns::open(files, question.how)?;
    let (reading, computed) = computation::of(question, &columns, files.through)?;
    let Read { ids, operands, gives } = columns.read(&reading, question.role)?;
    let Computed { body, column, error, note } = computed(&operands)?;
    let mut job = Job::new(question.threads, question.reveal, body, column, ids, operands, gives);
    (job.error, job.notes) = (error, note.into_iter().collect());
    job.choosing = question.choosing.clone();
    Ok(job)
}

/// The job of a step of a job file.
pub fn step(args: &Apply, earlier: &[Earlier], through: Option<Through>) -> Result<Job> {
    let question = Question::of_step(args, earlier, through)?;
    jobs(&question).map(|(mut jobs, _)| jobs.remove(0))
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

//! `--joined`: a function or a comparison of columns of a hidden join, for the rows in common.

mod question;
mod work;

use hushtable_columns::{
    FileFormat,
    failure::{Failure, Result},
};
use hushtable_jobs::{
    accuracy::Beyond,
    apply::{
        ask::one_of_two,
        options::{Apply, Operation},
    },
    choice::Choice,
    join::file::JoinedFile,
    meeting::{COMPUTED, Meeting},
    options::refuse,
    row_results,
};

use crate::apply::joined::{
    question::Question,
    work::{Applied, Ask},
};

/// Runs it, over the file of a join.
pub fn apply(args: &Apply) -> Result<()> {
    let path = args.rowing.joined.as_deref().expect("asked for");
    supported(args)?;
    let reveal = match args.operation {
        Some(Operation::Function(function)) => {
            let telling =
                format!("The column can be computed from its {function}, as exactly as the digits allow.");
            args.accord.reveal_numbers(&args.link, &telling)?
        }
        Some(Operation::Relation(relation)) if relation.selects() => {
            args.accord.reveal_numbers(&args.link, &one_of_two(relation))?
        }
        _ => args.accord.reveal(&args.link)?,
    };
    let reveal = row_results::somebody(reveal, "--joined")?;
    let file = JoinedFile::read(path)?;
    let question = match args.operation {
        Some(Operation::Function(function)) => Question::function(args, function, &file)?,
        Some(Operation::Relation(relation)) => Question::relation(args, relation, &file)?,
        None => return Err(Failure::new("--joined needs a function or a comparison")),
    };
    let default = args.rowing.default.as_deref().map(|text| question.default(text)).transpose()?.flatten();
    let role = args.link.role();
    let owners = row_results::owners(row_results::of_file(&file, role), reveal)?;
    if let Some(path) = args.delivery.output.as_ref().filter(|_| owners.contains(&role)) {
        FileFormat::of_output(path)?;
    }
    let ask = Ask { question, default, owners };
    let rows = file.owned.as_ref().map_or(0, |owned| owned.ids.len());
    let errand = Meeting {
        kind: "apply",
        file: None,
        rows,
        column: ask.question.name.clone(),
        reveal: reveal.name().to_owned(),
        fields: ask.fields(&file, role),
        explained: ask.explain(&file, &args.link)?,
        writes: ask.owners.contains(&role).then_some(48 * rows as u64),
        delivery: &args.delivery,
        link: &args.link,
        inputs: vec![path],
        wish: None,
        outcome: COMPUTED,
    };
    errand.carry_out(Applied::new(ask, file, args.delivery.json))
}

/// An error for an option that joined rows do not have.
fn supported(args: &Apply) -> Result<()> {
    refuse(
        "cannot be combined with --joined",
        [
            ("--table", args.table.is_some()),
            ("--no-ids", args.no_ids),
            ("--store", args.stored.path().is_some()),
            ("--leave-out", !args.csv.leave_out.is_empty()),
            ("--threads", args.accord.threads.is_some()),
            ("--find-difference", args.accord.find_difference),
            ("--protocol", args.choosing.protocol != Choice::Auto),
            ("--calibration", args.choosing.calibration.is_some()),
            ("--outside wrap", args.how.outside == Some(Beyond::Wrap)),
        ],
    )?;
    refuse(
        "cannot be combined with --joined: the join already fixed the fraction bits",
        [("--fraction-bits", args.how.fraction_bits.is_some())],
    )
}

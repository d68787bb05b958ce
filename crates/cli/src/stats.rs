//! `hushtable stats`: what two parties learn of the rows that they have in common.

use hushtable_columns::{FileFormat, failure::Result};
use hushtable_jobs::{
    join::file::JoinedFile,
    meeting::{COMPUTED, Meeting},
    stats::{arguments::Stats, explain, question::Question, work::Asking},
};

/// Runs the subcommand.
pub fn run(args: &Stats) -> Result<()> {
    args.link.attended(|| stats(args))
}

fn stats(args: &Stats) -> Result<()> {
    if let Some(path) = &args.delivery.output {
        FileFormat::of_output(path)?;
    }
    let file = JoinedFile::read(&args.joined)?;
    let question = Question::of(&args.asked, &file)?;
    let read = hushtable_jobs::explain::size_of_files([args.joined.as_path()]);
    let explained = Some(explain::page(&question, &file, &args.link, read)?);
    let errand = Meeting {
        kind: "stats",
        file: None,
        rows: file.most(),
        column: question.words(),
        reveal: "both".into(),
        fields: question.fields(&file, args.link.role()),
        explained,
        // An output only where one is asked for.
        writes: args.delivery.output.is_some().then_some(1 << 16),
        delivery: &args.delivery,
        link: &args.link,
        inputs: vec![&args.joined],
        kept: None,
        wish: None,
        outcome: COMPUTED,
    };
    errand.carry_out(Asking::new(question, file))
}

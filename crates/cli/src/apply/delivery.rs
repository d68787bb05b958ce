//! What becomes of the results: to whom they go, in which file, and what is said about them.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use hushtable::Role;
use serde::Serialize;

use super::{
    job::{Job, Work},
    lanes::{Outcome, Reveal},
    output::Output,
    shares::role_name,
};
use crate::{
    cost::Phases,
    failure::{Failure, Result},
};

/// Where the results go.
#[derive(Args, Debug)]
#[command(next_help_heading = "Results")]
pub struct Delivery {
    /// Where the results go: CSV of id and result, or with --reveal none this party's shares
    ///
    /// Appears when it is complete. Not needed if only the peer gets results.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace --output if it is there
    #[arg(long)]
    pub force: bool,
    /// Who gets the results
    #[arg(long, value_enum, default_value = "both", value_name = "WHO")]
    pub reveal: Reveal,
    /// Threads and connections to work with, 1 to 64; the peer must use as many
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub threads: u16,
    /// Print the cost as one line of JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// No summary and no progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    kind: &'a str,
    function: &'a str,
    role: &'a str,
    rows: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    index_bits: Option<u32>,
    value_bits: u32,
    protocol: String,
    threads: usize,
    /// Lookups whose material came from disk.
    stored: usize,
    #[serde(flatten)]
    phases: Phases,
}

impl Delivery {
    /// The output file, unless this party gets nothing.
    pub fn reserve(&self, role: Role, input: &Path) -> Result<Option<Output>> {
        match &self.output {
            _ if !self.reveal.reaches(role) => Ok(None),
            Some(path) => Output::reserve(path, input, self.reveal == Reveal::None, self.force).map(Some),
            None => Err(Failure::new("--output FILE says where the results go")),
        }
    }

    /// Writes what this party got in `session`.
    pub fn finish(
        &self,
        job: &Job,
        outcome: Outcome,
        output: Option<Output>,
        session: [u8; 32],
        role: Role,
    ) -> Result<()> {
        let Some(output) = output else {
            eprintln!("the results go to the peer; nothing is written here");
            return Ok(());
        };
        let path = output.path().to_owned();
        match outcome {
            Outcome::Values(values) => output.write(|to| write_csv(to, job, &values))?,
            Outcome::Shares(shares) => {
                let file = job.share_file(session, role, shares);
                output.write(|to| file.write(to))?;
            }
            Outcome::AtPeer => unreachable!("only the party that gets nothing has no output"),
        }
        eprintln!("wrote {} rows to {}", job.rows(), path.display());
        Ok(())
    }

    /// Says what the job took.
    pub fn summary(&self, kind: &str, job: &Job, role: Role, stored: usize, phases: Phases) -> Result<()> {
        if !self.quiet {
            eprint!("{}", phases.table());
        }
        if self.json {
            let index_bits = match &job.work {
                Work::Lookup(lookup) => Some(lookup.domain.index_bits()),
                _ => None,
            };
            let report = Report {
                kind,
                function: &job.column,
                role: role_name(role),
                rows: job.rows(),
                index_bits,
                value_bits: job.work.result(job.reveal).0.bits,
                protocol: job.work.protocol(),
                threads: job.threads(),
                stored,
                phases,
            };
            let line = serde_json::to_string(&report).expect("plain data");
            writeln!(io::stdout(), "{line}").map_err(Failure::stdout)?;
        }
        Ok(())
    }
}

fn write_csv(to: &mut dyn Write, job: &Job, values: &[i64]) -> io::Result<()> {
    let scale = 2f64.powi(job.work.result(job.reveal).0.fraction_bits as i32);
    let mut to = csv::Writer::from_writer(to);
    match &job.ids {
        None => to.write_record([&job.column])?,
        Some(_) => to.write_record(["id", &job.column])?,
    }
    for (i, &value) in values.iter().enumerate() {
        let value = (value as f64 / scale).to_string();
        match &job.ids {
            None => to.write_record([&value])?,
            Some(ids) => to.write_record([&ids[i], &value])?,
        }
    }
    to.flush()
}

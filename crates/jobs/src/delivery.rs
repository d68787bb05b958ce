//! What becomes of the results: to whom they go, in which file, and what is said about them.

use std::{convert::Infallible, path::PathBuf, str::FromStr};

use crate::{
    cost::Phases,
    count::some,
    digits::Digits,
    job::{Body, Job},
    link::Link,
};
use clap::Args;
use hushtable::{
    Role,
    run::{Done, Outcome, Reveal},
};
use hushtable_columns::{
    self as columns, FileFormat, Ids,
    failure::{Failure, Result},
    manner,
    output::Output,
    shares::role_name,
    terminal,
};
use serde::Serialize;

/// Where the results go.
#[derive(Args, Debug)]
#[command(next_help_heading = "Results")]
pub struct Delivery {
    /// Where the results go: a file of id and result, or this party's shares of what stays shared
    ///
    /// CSV, or by the extension Parquet or Arrow. Appears when it is complete, readable by its owner only. Not needed
    /// if only the peer gets results.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Who else may read --output: permissions as for chmod, such as 640, less what the umask takes away
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub output_mode: Option<u32>,
    /// Replace --output and --record if they are there; never an input of this command
    #[arg(long)]
    pub force: bool,
    /// Only say, on standard output, what this shows to whom and what it takes; nothing is connected or sent
    #[arg(long)]
    pub dry_run: bool,
    /// A record of the job as JSON, for this party only: who came, parameters, hashes of the inputs, what --dry-run
    /// says, outcome
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Have the record signed by both parties, if the peer says so too; `hushtable record verify` checks it
    #[arg(long, requires = "record")]
    pub sign: bool,
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

/// Who gets the results, in the words of the party that asks: whoever listens, they mean the same.
#[derive(Clone, Debug)]
pub enum Recipient {
    Me,
    Peer,
    Named(String),
    /// The same words at both parties.
    Fixed(Reveal),
}

impl FromStr for Recipient {
    type Err = Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        Ok(match text {
            "me" => Self::Me,
            "peer" => Self::Peer,
            "both" => Self::Fixed(Reveal::Both),
            "none" => Self::Fixed(Reveal::Nobody),
            "p0" | "0" => Self::Fixed(Reveal::Only(Role::P0)),
            "p1" | "1" => Self::Fixed(Reveal::Only(Role::P1)),
            name => Self::Named(name.to_owned()),
        })
    }
}

impl Recipient {
    /// Who that is in this session.
    pub fn on(&self, link: &Link) -> Result<Reveal> {
        Ok(match self {
            Self::Fixed(reveal) => *reveal,
            Self::Me => Reveal::Only(link.role()),
            Self::Peer => Reveal::Only(link.role().peer()),
            Self::Named(name) => Reveal::Only(link.whose(name)?),
        })
    }
}

impl Delivery {
    /// Refuses what does not fit these jobs.
    pub fn check(&self, jobs: &[Job], role: Role) -> Result<()> {
        match &self.output {
            _ if jobs.iter().all(|job| job.reveal == Reveal::Nobody) => self.no_mode(),
            Some(path) if jobs.iter().any(|job| job.writes(role)) => FileFormat::of_output(path).map(drop),
            _ => Ok(()),
        }
    }

    /// Refuses permissions for a file of shares.
    pub fn no_mode(&self) -> Result<()> {
        match self.output_mode {
            Some(_) => Err(Failure::new("--output-mode is for results: shares are for their owner only")),
            None => Ok(()),
        }
    }

    /// Refuses a record of what does not run.
    pub fn no_record(&self) -> Result<()> {
        match self.record {
            Some(_) => {
                Err(Failure::new("--record is for a job that runs; nothing does with --dry-run or explain"))
            }
            None => Ok(()),
        }
    }

    /// Writes what this party got of each step in `session`.
    pub fn finish(
        &self,
        jobs: &[Job],
        done: Vec<Done>,
        output: Option<Output>,
        session: [u8; 32],
        role: Role,
    ) -> Result<()> {
        let Some(output) = output else {
            eprintln!("the results go to the peer; nothing is written here");
            return Ok(());
        };
        let (path, mut columns) = (output.path().to_owned(), Vec::new());
        for (job, done) in jobs.iter().zip(done) {
            let mut outcomes = done.outcomes.into_iter();
            match outcomes.next() {
                Some(Outcome::Values(values)) => {
                    let bits = outcomes.next().and_then(Outcome::values);
                    columns.push((job.column.as_str(), cells(job, values, bits)));
                }
                Some(Outcome::Shares(mut shares)) if job.writes(role) => {
                    // The only step then.
                    let file = job.share_file(session, role, std::mem::take(&mut *shares).into());
                    output.write(|to| file.write(to))?;
                    eprintln!("wrote {} to {}", some(job.rows(), "row"), path.display());
                    return Ok(());
                }
                _ => {}
            }
        }
        let rows = columns.first().map_or(0, |(_, values)| values.len());
        let mut columns: Vec<(&str, &[f64])> =
            columns.iter().map(|(name, values)| (*name, &values[..])).collect();
        let (format, labels) = (FileFormat::of(&path), jobs[0].labels.as_ref());
        if let Some(labels) = labels {
            columns.insert(0, ("peer_row", &labels.peer_rows));
        }
        let ids = jobs.iter().find_map(names);
        let style = jobs.iter().find(|job| names(job).is_some()).map_or(&jobs[0].style, |job| &job.style);
        output.write(|to| columns::write(to, (format, style), ids, &columns))?;
        eprintln!("wrote {} to {}", some(rows, "row"), path.display());
        Ok(())
    }

    /// Says how many threads there were, if this party left that open and more is to be said.
    pub fn tell_threads(&self, open: bool, threads: usize) {
        if open {
            let threads = some(threads, "thread");
            terminal::detail(&format!(
                "{threads}: as many as the peer asked for, or as rows and processors allow\n"
            ));
        }
    }

    /// Prints what a step over so many rows here took, if that is asked for.
    pub fn report(
        &self,
        kind: &str,
        (job, rows): (&Job, usize),
        role: Role,
        stored: usize,
        phases: Phases,
    ) -> Result<()> {
        if manner::is_json() {
            let index_bits = match &job.body {
                Body::Lookup(lookup) => Some(lookup.domain.index_bits()),
                _ => None,
            };
            let report = Report {
                kind,
                function: &job.column,
                role: role_name(role),
                rows,
                index_bits,
                value_bits: job.result().0.bits,
                protocol: job.operation().method(),
                threads: job.threads(),
                stored,
                phases,
            };
            terminal::json(&report)?;
        }
        Ok(())
    }
}

/// About how many bytes the results take, if the party `role` gets some.
pub fn size(jobs: &[Job], role: Role) -> Option<u64> {
    let written = || jobs.iter().filter(|job| job.writes(role));
    written().next().map(|_| written().map(of_one).sum())
}

/// What names the rows here.
fn names(job: &Job) -> Option<&Ids> {
    let placed = job.placed.as_ref().map(|placed| &*placed.ids);
    placed.or(job.labels.as_ref().map(|labels| &*labels.ids)).or(job.ids.as_deref())
}

/// The results of a step as numbers; with `bits` there is none where they are 0.
fn cells(job: &Job, values: Vec<i64>, bits: Option<Vec<i64>>) -> Vec<f64> {
    let fraction = job.result().0.fraction_bits;
    let (scale, digits) = (2f64.powi(fraction as i32), Digits::of_number(fraction));
    let rounded = values.iter().filter(|&&value| !columns::is_exact(value.into())).count();
    if rounded > 0 {
        eprintln!(
            "warning: {} of {:?}, of more than 53 bits, written as the nearest floating-point numbers",
            some(rounded, "result"),
            job.column
        );
    }
    let shown = |value: i64| digits.shown(value as f64 / scale);
    let Some(placed) = &job.placed else {
        // In the integers' memory.
        return values.into_iter().map(shown).collect();
    };
    let common = |bin: usize| bits.as_ref().is_none_or(|bits| bits[bin] == 1);
    placed.by_row(values.iter().enumerate().map(|(bin, value)| common(bin).then(|| shown(*value))))
}

fn of_one(job: &Job) -> u64 {
    // The digits of 64 bits, and what stands between two of them.
    const NUMBER: u64 = 24;
    let ids = names(job).map_or(0, |ids| ids.bytes() + 3 * ids.len());
    // With labels, the number of the peer's row besides.
    let numbers = 1 + u64::from(job.labels.is_some());
    job.rows() as u64 * numbers * NUMBER + ids as u64
}

/// Permissions in octal digits.
fn mode(text: &str) -> std::result::Result<u32, String> {
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| mode & !0o666 == 0 && mode & 0o600 == 0o600);
    mode.ok_or_else(|| "accepted: three octal digits that let the owner read and write, such as 640".into())
}

//! `hushtable record verify`: what both parties signed of a job.

use std::{
    fmt::Write as _,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use hushtable::net::{self, Certificate};
use serde::Deserialize;

use super::Signed;
use crate::{
    failure::{Failure, Result},
    store::date,
};

const EXAMPLES: &str = "\
Examples:
  hushtable record verify --identity bank.id job.json
  Somebody else, who has both parties' certificates from a source to trust:
    hushtable record verify --certificate bank-cert.pem --certificate telecom-cert.pem job.json

A record is signed if both parties ran the job with --record FILE --sign. What is signed is what both have: who they \
are, the session, what they compared, and that it was computed. The rest of the record, such as the files that were \
read, is what one party says.";

/// Look at records of jobs
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Records {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Check both parties' signatures of a record, and say what they signed
    #[command(after_help = EXAMPLES)]
    Verify(Verify),
}

#[derive(Args, Debug)]
struct Verify {
    /// What --record wrote
    #[arg(value_name = "FILE")]
    record: PathBuf,
    /// A party's identity: its own certificate and those that it trusts
    #[arg(long, value_name = "DIR", required_unless_present = "certificate")]
    identity: Option<PathBuf>,
    /// A certificate; may be given more than once
    #[arg(long, value_name = "FILE")]
    certificate: Vec<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &Records) -> Result<()> {
    let Action::Verify(args) = &args.action;
    let mut certificates = Vec::new();
    if let Some(folder) = &args.identity {
        certificates.extend(net::Identity::load(folder)?.certificates());
    }
    for path in &args.certificate {
        certificates.push(Certificate::read(path)?);
    }
    let text = fs::read(&args.record).map_err(Failure::file(&args.record))?;
    let signed = read(&args.record, &text)?;
    let parties = signed.check(&certificates).map_err(|error| {
        Failure::from(error).worded(|error| format!("{}: {error}", args.record.display()))
    })?;
    io::stdout().write_all(describe(&signed, parties).as_bytes()).map_err(Failure::stdout)
}

/// What the record in `text` says is signed.
pub fn read(path: &Path, text: &[u8]) -> Result<net::Signed> {
    #[derive(Deserialize)]
    struct Entry {
        hushtable_record: u32,
        signed: Option<Signed>,
        unsigned: Option<String>,
    }
    let says = |what: String| Failure::input(format!("{}: {what}", path.display()));
    let entry: Entry = serde_json::from_slice(text).map_err(|error| says(format!("no record: {error}")))?;
    if entry.hushtable_record != super::FORMAT {
        let (got, want) = (entry.hushtable_record, super::FORMAT);
        return Err(says(format!("format version {got}; this program reads version {want}")));
    }
    let Some(Signed { statement, signatures }) = entry.signed else {
        let why = entry.unsigned.unwrap_or_else(|| "--sign was not asked for".into());
        return Err(says(format!("not signed: {why}")));
    };
    let bytes = signatures.map(|text| unhex(&text).ok_or_else(|| says("a signature is no hex".into())));
    let [p0, p1] = bytes;
    Ok(net::Signed { fields: statement, signatures: [p0?, p1?] })
}

/// For people.
fn describe(signed: &net::Signed, parties: [&Certificate; 2]) -> String {
    let mut page = "both signatures are right; what was signed:\n".to_owned();
    let width = signed.fields.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    for (i, (name, value)) in signed.fields.iter().enumerate() {
        let shown = match (i, value.parse()) {
            (0 | 1, _) => format!("{} ({value})", parties[i].name()),
            (3 | 4, Ok(seconds)) => date(seconds),
            _ => value.clone(),
        };
        // Nothing in it begins a line of its own.
        let line = format!("{name:width$}  {shown}").replace(char::is_control, "?");
        writeln!(page, "  {line}").expect("text grows");
    }
    page
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| if let [high, low] = *pair { Some(digit(high)? << 4 | digit(low)?) } else { None })
        .collect()
}

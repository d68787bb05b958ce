//! `hushtable record verify`: what both parties signed of a job, and what one says alone.

use std::{fmt::Write as _, fs, path::PathBuf};

use clap::{Args, Subcommand};
use hushtable::net::{self, Certificate, Role};
use hushtable_columns::{
    failure::{Failure, Result},
    shares::role_name,
    terminal::{self, within_a_line},
    units::date,
};
use hushtable_jobs::{
    hex::unhex,
    record::{
        Marks, Signed,
        claim::{Claim, End},
        without_signature,
    },
};
use serde::{Deserialize, de::DeserializeOwned};

const EXAMPLES: &str = "\
Examples:
  hushtable record verify --identity bank.id job.json
  Somebody else, who has both parties' certificates from a source to trust:
    hushtable record verify --certificate bank-cert.pem --certificate telecom-cert.pem job.json

A record is signed if both parties ran the job with --record FILE --sign. Both sign what both have: who they are, the \
session, the command, what they compared, and that it was computed. The party that kept the record signs all of it, and \
commits to its own part together with the peer: the files that it read, rows, what was explained to it. So nobody can \
alter that later, this party included. It remains what one party says.";

/// Look at records of jobs
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Records {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Check all signatures of a record, and say who signed what
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
    let page = read(&text).and_then(|read| {
        let parties = read.signed.check(&certificates).map_err(|error| error.to_string())?;
        read.check(parties)?;
        Ok(read.describe(parties))
    });
    terminal::print(&page.map_err(|what| Failure::input(format!("{}: {what}", args.record.display())))?)
}

/// A record with signatures.
pub struct Read {
    pub signed: net::Signed,
    own: Own,
}

/// What one party says.
struct Own {
    claim: Claim,
    end: End,
    salt: [u8; 32],
    /// What it signed.
    text: Vec<u8>,
    signature: Vec<u8>,
}

/// What the record in `text` says, and who is said to have signed it.
///
/// # Errors
/// Why it is none.
pub fn read(text: &[u8]) -> std::result::Result<Read, String> {
    #[derive(Deserialize)]
    struct Format {
        hushtable_record: u32,
    }
    let Format { hushtable_record: format } = parsed(text)?;
    if format != hushtable_jobs::record::FORMAT {
        return Err(format!(
            "format version {format}; this program reads version {}",
            hushtable_jobs::record::FORMAT
        ));
    }
    let Marks { signed, salt, unsigned } = parsed(text)?;
    let Some(Signed { statement, signatures }) = signed else {
        return Err(format!("not signed: {}", unsigned.unwrap_or_else(|| "--sign was not asked for".into())));
    };
    let [p0, p1] = signatures.map(|text| unhex(&text).ok_or("a signature is no hex"));
    let signed = net::Signed { fields: statement, signatures: [p0?, p1?] };
    let (text, signature) = without_signature(text)
        .ok_or("it does not end with this party's own signature, as it was written")?;
    let salt = salt.and_then(|salt| unhex(&salt)?.try_into().ok()).ok_or("the salt is not 64 digits")?;
    let own = Own { claim: parsed(&text)?, end: parsed(&text)?, salt, text, signature };
    Ok(Read { signed, own })
}

fn parsed<T: DeserializeOwned>(text: &[u8]) -> std::result::Result<T, String> {
    serde_json::from_slice(text).map_err(|error| format!("no record: {error}"))
}

impl Read {
    /// `Ok(())` if what one party says is as it was when it was signed, and says nothing against what both signed.
    pub fn check(&self, parties: [&Certificate; 2]) -> std::result::Result<(), String> {
        let (own, signed) = (&self.own, &self.signed);
        let role = own.role()?;
        if !parties[role as usize].has_signed_record(&own.text, &own.signature) {
            return Err(format!("what {role:?} alone says was altered, or is not signed by {role:?}"));
        }
        let differs = |what: &str| Err(format!("what {role:?} says contradicts what both signed: {what}"));
        if signed.committed(role) != Some(&own.claim.shown_digest(&own.salt)) {
            return differs("its own part is not the one of the job");
        }
        let Claim { this_party, expected_peer, peer, session, job_file, rows, command, .. } = &own.claim;
        for (what, who, of) in [
            ("this_party", this_party, role),
            ("peer", peer, role.peer()),
            ("expected_peer", expected_peer, role.peer()),
        ] {
            if who.as_ref().and_then(|who| who.fingerprint.as_deref()) != signed.party(of) {
                return differs(what);
            }
        }
        if session.as_deref() != signed.session() {
            return differs("session");
        }
        let [first, parameters @ .., last] = signed.given() else {
            return differs("the statement has no command");
        };
        if (first.0.as_str(), &first.1) != ("command", command) || last.0 != "outcome" {
            return differs("command");
        }
        let own_parameters = own.claim.parameters.iter();
        if !own_parameters
            .map(|[name, value]| (name, value))
            .eq(parameters.iter().map(|(name, value)| (name, value)))
        {
            return differs("parameters");
        }
        let value =
            |name: &str| parameters.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
        if value("number of rows").is_some_and(|signed| *signed != rows.to_string()) {
            return differs("rows");
        }
        match value("job file").map(|file| Some(file).filter(|file| *file != "none")) {
            Some(file) if file != job_file.as_deref() => differs("job_file"),
            _ => Ok(()),
        }
    }

    /// For people.
    fn describe(&self, parties: [&Certificate; 2]) -> String {
        let mut page = "both signatures are right; both signed:\n".to_owned();
        let seconds = |text: &str| text.parse().map_or_else(|_| text.to_owned(), date);
        let lines = self.signed.fields.iter().enumerate().map(|(i, (name, value))| match i {
            0 | 1 => (name.as_str(), who(parties[i])),
            3 | 4 => (name.as_str(), seconds(value)),
            _ => (name.as_str(), value.clone()),
        });
        write(&mut page, lines);
        let Own { claim, end, .. } = &self.own;
        writeln!(page, "{} alone says, in a record that it signed and nobody altered since:", claim.role)
            .expect("text grows");
        let ended = match &end.error {
            Some(error) => format!("{}, exit code {}: {error}", end.outcome, end.exit_code),
            None => format!("{}, exit code {}", end.outcome, end.exit_code),
        };
        let mut lines = vec![
            ("program", format!("hushtable {}", claim.version)),
            ("began, ended", format!("{}, {}", claim.began, end.ended)),
            ("outcome", ended),
            ("rows", claim.rows.to_string()),
            ("result", format!("{}, to {}", claim.column, claim.reveal)),
        ];
        lines.extend(claim.inputs.iter().map(|input| {
            ("file read", format!("{}, {} bytes, SHA-256 {}", input.file, input.bytes, input.sha256))
        }));
        lines.extend(claim.output.iter().map(|output| ("output", output.clone())));
        lines.push(("explained", format!("{} lines, in the file", claim.explained.lines().count())));
        write(&mut page, lines.into_iter());
        page
    }
}

impl Own {
    fn role(&self) -> std::result::Result<Role, String> {
        let role = [Role::P0, Role::P1].into_iter().find(|role| role_name(*role) == self.claim.role);
        role.ok_or_else(|| format!("the role {:?}; accepted: P0, P1", self.claim.role))
    }
}

/// Under the name that this party, or an identity, has for it; what a certificate says of itself is what its owner
/// chose.
fn who(certificate: &Certificate) -> String {
    let fingerprint = certificate.fingerprint();
    match certificate.pinned() {
        Some(name) => format!("{name} (fingerprint {fingerprint})"),
        None => {
            format!("fingerprint {fingerprint}; its certificate calls itself {:?}", certificate.claimed())
        }
    }
}

/// Lines of two columns.
fn write<'a>(page: &mut String, lines: impl Iterator<Item = (&'a str, String)> + Clone) {
    let width = lines.clone().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    for (name, value) in lines {
        // Nothing in it begins a line of its own.
        writeln!(page, "  {}", within_a_line(&format!("{name:width$}  {value}"))).expect("text grows");
    }
}

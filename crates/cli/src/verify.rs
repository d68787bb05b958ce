//! `hushtable record verify`: what both parties signed of a job, and what one says alone.

mod fields;

use std::{fmt::Write as _, fs, path::PathBuf};

use crate::verify::fields::{only_known, parsed};
use clap::{Args, Subcommand};
use hushtable::{
    net::{self, Certificate, Role},
    run::Reveal,
};
use hushtable_columns::{
    failure::{Failure, Result},
    manner,
    shares::role_name,
    terminal::{self, within_a_line},
    units::{date, some},
};
use hushtable_jobs::{
    hex::unhex,
    record::{
        FORMAT, Marks, Signed,
        claim::{Claim, End, LONGEST_ERROR},
        without_signature,
    },
};
use serde::{Deserialize, Serialize};

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
    if format != FORMAT {
        return Err(format!("format version {format}; this program reads version {FORMAT}"));
    }
    let Marks { signed, salt, unsigned } = parsed(text)?;
    if signed.is_some() && unsigned.is_some() {
        return Err("signatures, and why there are none".into());
    }
    let Some(Signed { statement, signatures }) = signed else {
        return Err(format!("not signed: {}", unsigned.unwrap_or_else(|| "--sign was not asked for".into())));
    };
    let [p0, p1] = signatures.map(|text| unhex(&text).ok_or("a signature is no hex"));
    let signed = net::Signed { fields: statement, signatures: [p0?, p1?] };
    let (text, signature) = without_signature(text)
        .ok_or("it does not end with this party's own signature, as it was written")?;
    let salt = salt.and_then(|salt| unhex(&salt)?.try_into().ok()).ok_or("the salt is not 64 digits")?;
    only_known(&text)?;
    let own = Own { claim: parsed(&text)?, end: parsed(&text)?, salt, text, signature };
    if own.end.error.as_ref().is_some_and(|error| error.chars().count() > LONGEST_ERROR) {
        return Err(format!("the error has more than {LONGEST_ERROR} characters"));
    }
    Ok(Read { signed, own })
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
        if let Some(revealed) = revealed(command, parameters).filter(|revealed| *revealed != own.claim.reveal)
        {
            return differs(&format!("reveal is {:?}, and {revealed:?} there", own.claim.reveal));
        }
        own.goes_together(signed.time(role))?;
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

    /// For people, or as JSON.
    fn describe(&self, parties: [&Certificate; 2]) -> String {
        let [signed, alone] = self.said(parties);
        let party = &self.own.claim.role;
        if manner::is_json() {
            return terminal::json_line(&Shown { signed, party, alone });
        }
        let mut page = "both signatures are right; both signed:\n".to_owned();
        write(&mut page, &signed);
        writeln!(page, "{party} alone says, in a record that it signed and nobody altered since:")
            .expect("text grows");
        write(&mut page, &alone);
        page
    }

    /// Names and values that both signed, and those that one party says alone.
    fn said(&self, parties: [&Certificate; 2]) -> [Vec<(String, String)>; 2] {
        let seconds = |text: &str| text.parse().map_or_else(|_| text.to_owned(), date);
        let lines = self.signed.fields.iter().enumerate().map(|(i, (name, value))| match i {
            0 | 1 => (name.as_str(), who(parties[i])),
            3 | 4 => (name.as_str(), seconds(value)),
            _ => (name.as_str(), value.clone()),
        });
        let signed = lines.map(|(name, value)| (name.to_owned(), value)).collect();
        let Own { claim, end, .. } = &self.own;
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
        lines.push(("explained", format!("{}, in the file", some(claim.explained.lines().count(), "line"))));
        [signed, lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()]
    }
}

/// What `--json` prints of a record whose signatures are right: names and values.
#[derive(Serialize)]
struct Shown<'a> {
    /// What both signed.
    signed: Vec<(String, String)>,
    /// Whose record it is, and what this party says alone.
    party: &'a str,
    alone: Vec<(String, String)>,
}

/// To whom results go by what both signed, in the words of a party's own part, where it has them.
fn revealed(command: &str, parameters: &[(String, String)]) -> Option<String> {
    let one_of = |what: &str| {
        let values = parameters.iter().filter(|(name, _)| {
            let step = name.strip_prefix("step ").and_then(|step| step.rsplit_once(": "));
            step.map_or(name.as_str(), |(_, name)| name) == what
        });
        values.map(|(_, value)| value.as_str()).collect::<Vec<_>>()
    };
    if command == "join" {
        return one_of("what is revealed").first().map(|&shown| shown.to_owned());
    }
    let all = one_of("reveal");
    // Of rows in common it has the owners.
    let words =
        [Reveal::Both, Reveal::Nobody, Reveal::Only(Role::P0), Reveal::Only(Role::P1)].map(Reveal::name);
    (!all.is_empty() && all.iter().all(|value| words.contains(value))).then(|| all.join(", "))
}

/// How far a clock may be set while a job runs, in seconds.
const SLACK: u64 = 600;

impl Own {
    /// `Ok(())` if its outcome and times go together, and with when this party signed.
    fn goes_together(&self, signed: Option<u64>) -> std::result::Result<(), String> {
        let End { ended, outcome, exit_code, error } = &self.end;
        let role = &self.claim.role;
        let fits = match outcome.as_str() {
            "done" => *exit_code == 0 && error.is_none(),
            "failed" => *exit_code != 0 && error.is_some(),
            "interrupted" => *exit_code > 128 && error.is_none(),
            _ => false,
        };
        if !fits {
            let error = if error.is_some() { "an error" } else { "no error" };
            return Err(format!(
                "what {role} says contradicts itself: outcome {outcome:?}, exit code {exit_code}, {error}"
            ));
        }
        let began = &self.claim.began;
        let in_order = signed.is_some_and(|signed| {
            is_date(began)
                && is_date(ended)
                && *began <= date(signed.saturating_add(SLACK))
                && *ended >= date(signed.saturating_sub(SLACK))
        });
        match in_order {
            true => Ok(()),
            false => Err(format!(
                "what {role} says contradicts what both signed: it began {began}, ended {ended}, and was signed in between"
            )),
        }
    }

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

/// Whether it is written as [`date`] does, so that earlier ones are less.
fn is_date(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00Z";
    let fits = |(c, form): (u8, &u8)| if *form == b'0' { c.is_ascii_digit() } else { c == *form };
    if text.len() != FORM.len() || !text.bytes().zip(FORM).all(fits) {
        return false;
    }
    let within = |at: usize, [least, most]: [u8; 2]| {
        text[at..at + 2].parse().is_ok_and(|number: u8| (least..=most).contains(&number))
    };
    [(5, [1, 12]), (8, [1, 31]), (11, [0, 23]), (14, [0, 59]), (17, [0, 60])]
        .into_iter()
        .all(|(at, ends)| within(at, ends))
}

/// Lines of two columns.
fn write(page: &mut String, lines: &[(String, String)]) {
    // Blanks in numbers would let what follows them look like a line of its own, where a terminal breaks it.
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = lines.iter().map(|(name, value)| (squeezed(name), squeezed(value))).collect();
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    for (name, value) in lines {
        // Nothing in it begins a line of its own.
        writeln!(page, "  {}", within_a_line(&format!("{name:width$}  {value}"))).expect("text grows");
    }
}

#[cfg(test)]
mod tests;

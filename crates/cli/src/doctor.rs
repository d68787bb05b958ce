//! `hushtable doctor`: at which step a connection to the peer fails.

use std::{fmt::Write as _, path::PathBuf};

use clap::Args;
use hushtable::net::{Stage, diagnose};
use hushtable_columns::{
    failure::{Failure, Result},
    manner, terminal,
};
use hushtable_jobs::link;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  hushtable doctor --connect bank.example:7000 --identity telecom.id

The peer must be listening, for example with `hushtable apply ... --listen`; it goes on waiting afterwards, \
whatever is found.
Steps: name (the host has an address), tcp (the port takes connections), tls (both use TLS 1.3), pin (each \
side trusts the other's certificate), version (the same wire version), parameters (the same security \
parameters).";

/// Find out at which step the connection to the peer fails
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Doctor {
    /// Where the peer listens
    #[arg(long, value_name = "HOST:PORT")]
    connect: String,
    /// This party's identity folder
    #[arg(long, value_name = "DIR", required_unless_present = "insecure_plain_tcp")]
    identity: Option<PathBuf>,
    /// The peer, by the name that `hushtable identity list` prints; needed if this party trusts several
    #[arg(long, value_name = "NAME", conflicts_with = "insecure_plain_tcp")]
    peer: Option<String>,
    /// No TLS, for a peer that uses none
    #[arg(long, conflicts_with = "identity")]
    insecure_plain_tcp: bool,
}

/// A step, as `--json` prints it.
#[derive(Serialize)]
struct Line {
    step: String,
    ok: bool,
    found: String,
}

/// Runs the subcommand.
pub fn run(args: &Doctor) -> Result<()> {
    link::has_port(&args.connect)?;
    let options = link::options(args.identity.as_deref(), args.peer.as_deref(), args.insecure_plain_tcp)?;
    let mut text = String::new();
    let mut failed = None;
    for (stage, found) in diagnose(&args.connect, options) {
        let step = stage.to_string();
        if manner::is_json() {
            let (ok, found) = (found.is_ok(), found.as_ref().map_or_else(ToString::to_string, Clone::clone));
            text += &terminal::json_line(&Line { step, ok, found });
        } else {
            let found = found.as_ref().map_or_else(|_| "FAILS".into(), |found| format!("ok    {found}"));
            writeln!(text, "{step:12}{found}").expect("text grows");
        }
        if let Err(error) = found {
            failed = Some((stage, error));
        }
    }
    terminal::print(&text)?;
    match failed {
        None => Ok(()),
        Some((stage, error)) => {
            Err(Failure::from(error).worded(|error| format!("{stage}: {error}\n{}", advice(stage))))
        }
    }
}

/// What usually helps.
fn advice(stage: Stage) -> &'static str {
    match stage {
        Stage::Name => "Is the host name right, and known to this machine?",
        Stage::Tcp => "Is the peer listening on this port now? Does a firewall let it through?",
        Stage::Tls => "Does the peer use TLS too (--identity at both sides), and is it a hushtable at all?",
        Stage::Pin => {
            "Exchange the files cert.pem, compare fingerprints with `hushtable identity show`, pin the peer's at \
             both sides with `hushtable identity trust`; name the right --peer at both."
        }
        Stage::Version => "Compare `hushtable info` at both sides.",
        _ => "Run the same release of hushtable at both sides.",
    }
}

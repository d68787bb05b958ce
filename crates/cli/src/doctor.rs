//! `hushtable doctor`: at which step a connection to the peer fails.

use std::{fmt::Write as _, path::PathBuf};

use clap::Args;
use hushtable::net::{Stage, diagnose};
use hushtable_columns::{
    failure::{Failure, Result},
    terminal,
};
use hushtable_jobs::link;

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

/// Runs the subcommand.
pub fn run(args: &Doctor) -> Result<()> {
    let options = link::options(args.identity.as_deref(), args.peer.as_deref(), args.insecure_plain_tcp)?;
    let mut text = String::new();
    let mut failed = None;
    for (stage, found) in diagnose(&args.connect, options) {
        match found {
            Ok(found) => writeln!(text, "{:12}ok    {found}", stage.to_string()).expect("text grows"),
            Err(error) => {
                writeln!(text, "{:12}FAILS", stage.to_string()).expect("text grows");
                failed = Some((stage, error));
            }
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
        Stage::Name => {
            "Is it HOST:PORT, such as bank.example:7000? Is the host name right, and known to this machine?"
        }
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

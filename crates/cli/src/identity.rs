//! `hushtable identity`: this party's key and certificate, and the peers it trusts.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use hushtable::net;

use crate::failure::{Failure, Result};

const EXAMPLES: &str = "\
Examples:
  hushtable identity new --name bank --out bank.id
  hushtable identity trust --identity bank.id telecom/cert.pem
  hushtable identity show --identity bank.id

An identity is a folder: key.pem is secret and readable by its owner only; cert.pem is for the peer; trusted/ \
holds the certificates of the peers that may connect. Before you rely on a peer's certificate, read its \
fingerprint to the peer by phone and compare.";

/// Make this party's identity and pin the peers it trusts
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Identity {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Make an identity, valid for two years, and print its fingerprint
    #[command(after_help = EXAMPLES)]
    New {
        /// Who this is, for the peer to read: 1 to 64 letters, digits, '-', '_' and '.'
        #[arg(long, value_name = "NAME")]
        name: String,
        /// The folder to make; must not be there
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Pin a peer's certificate and print its fingerprint
    #[command(after_help = EXAMPLES)]
    Trust {
        /// This party's identity
        #[arg(long, value_name = "DIR")]
        identity: PathBuf,
        /// The peer's cert.pem
        certificate: PathBuf,
    },
    /// Print the name, the fingerprint and the certificate file of an identity
    #[command(after_help = EXAMPLES)]
    Show {
        /// This party's identity
        #[arg(long, value_name = "DIR")]
        identity: PathBuf,
    },
}

/// Runs the subcommand.
pub fn run(args: &Identity) -> Result<()> {
    let text = match &args.action {
        Action::New { name, out } => describe(&net::Identity::create(out, name)?),
        Action::Show { identity } => describe(&net::Identity::load(identity)?),
        Action::Trust { identity, certificate } => {
            let fingerprint = net::Identity::trust(identity, certificate)?;
            format!(
                "trusted from now on: {fingerprint}\ncompare this fingerprint with the peer, by phone say\n"
            )
        }
    };
    io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
}

fn describe(identity: &net::Identity) -> String {
    format!(
        "name         {}\nfingerprint  {}\nfor the peer {}\n",
        identity.name(),
        identity.fingerprint(),
        identity.certificate_path().display()
    )
}

/// Two identities in `folder` that trust each other, for two processes on this machine.
pub fn pair(folder: &Path, names: [&str; 2]) -> Result<[PathBuf; 2]> {
    let folders = names.map(|name| folder.join(format!("{name}.id")));
    let certificates =
        [0, 1].map(|i| net::Identity::create(&folders[i], names[i]).map(|id| id.certificate_path()));
    let [first, second] = certificates;
    net::Identity::trust(&folders[0], &second?)?;
    net::Identity::trust(&folders[1], &first?)?;
    Ok(folders)
}

//! `hushtable identity`: this party's key and certificate, and the peers it trusts.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use hushtable::net::{self, Fingerprint, Peer};
use hushtable_columns::{
    failure::{Failure, Result},
    manner, terminal,
};
use hushtable_jobs::job_file::RESERVED;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  hushtable identity new --name bank --out bank.id
  hushtable identity new --name \"Klinikum Süd\" --out klinikum.id
  hushtable identity show --identity bank.id
  hushtable identity trust --identity bank.id telecom-cert.pem
  hushtable identity trust --identity bank.id telecom-cert.pem --fingerprint 5F:02:...:9C
  hushtable identity list --identity bank.id
  hushtable identity untrust --identity bank.id telecom
  hushtable identity rotate --identity bank.id

An identity is a folder: key.pem is secret and readable by its owner only; cert.pem is for the peer; trusted/ \
holds the certificates of the peers that may connect, each under its name. A certificate is trusted only after \
its fingerprint was compared: the peer reads the one that its `identity show` prints, by phone say. At a terminal \
`trust` asks; elsewhere --fingerprint says it.
A name has 1 to 64 letters of any script, digits, '-', '_', '.' (not first) and single blanks between them; \
however its accents are typed, it is the same. Names with blanks stand in quotes.";

/// Make this party's identity and pin the peers it trusts
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Identity {
    #[command(subcommand)]
    action: Action,
}

/// An identity that is there.
#[derive(Args, Debug)]
struct Own {
    /// This party's identity
    #[arg(long, value_name = "DIR")]
    identity: PathBuf,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Make an identity, valid for two years, and print its fingerprint
    #[command(after_help = EXAMPLES)]
    New {
        /// Who this is, for the peer to read: 1 to 64 letters of any script, digits, '-', '_', '.' and blanks
        #[arg(long, value_name = "NAME")]
        name: String,
        /// The folder to make; must not be there
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Pin a peer's certificate once its fingerprint was compared
    #[command(after_help = EXAMPLES)]
    Trust {
        #[command(flatten)]
        own: Own,
        /// The peer's cert.pem
        certificate: PathBuf,
        /// What the peer says its fingerprint is; without it this asks at the terminal
        #[arg(long, value_name = "HEX")]
        fingerprint: Option<Fingerprint>,
        /// What to call the peer here, for --peer [default: the name in its certificate]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Print the name, the fingerprint and the certificate file of an identity
    #[command(after_help = EXAMPLES)]
    Show(Own),
    /// Print the peers that an identity trusts, each with its fingerprint
    #[command(after_help = EXAMPLES)]
    List(Own),
    /// Trust a peer no longer
    #[command(after_help = EXAMPLES)]
    Untrust {
        #[command(flatten)]
        own: Own,
        /// The name that `identity list` prints
        name: String,
    },
    /// Make a new key and certificate for an identity, which keeps its name and its peers
    #[command(after_help = EXAMPLES)]
    Rotate(Own),
}

/// Runs the subcommand.
pub fn run(args: &Identity) -> Result<()> {
    let text = match &args.action {
        Action::New { name, out } => describe(&net::Identity::create(out, free(name)?)?),
        Action::Show(own) => describe(&net::Identity::load(&own.identity)?),
        Action::List(own) => list(&net::Identity::load(&own.identity)?.peers()),
        Action::Trust { own, certificate, fingerprint, name } => {
            let confirmed = match fingerprint {
                Some(fingerprint) => *fingerprint,
                None => compared(certificate)?,
            };
            let own_name = Peer::read(certificate)?.name;
            free(name.as_deref().unwrap_or(&own_name))?;
            let peer = net::Identity::trust(&own.identity, certificate, confirmed, name.as_deref())?;
            said("trusted from now on", peer)
        }
        Action::Untrust { own, name } => {
            said("trusted no longer", net::Identity::untrust(&own.identity, name)?)
        }
        Action::Rotate(own) => {
            let made = describe(&net::Identity::rotate(&own.identity)?);
            eprintln!("the peers must trust the new certificate, and no longer trust the old one");
            made
        }
    };
    terminal::print(&text)
}

/// Who somebody is, as `--json` prints it.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    fingerprint: String,
    /// What the peer gets, of one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<String>,
}

fn line(Peer { name, fingerprint }: &Peer) -> String {
    terminal::json_line(&Line { name, fingerprint: fingerprint.to_string(), certificate: None })
}

fn said(what: &str, peer: Peer) -> String {
    match manner::is_json() {
        true => line(&peer),
        false => format!("{what}: {} {}\n", peer.name, peer.fingerprint),
    }
}

/// The name, unless it means another recipient than a party by its name.
fn free(name: &str) -> Result<&str> {
    match RESERVED.contains(&name.to_lowercase().as_str()) {
        true => Err(Failure::new(format!(
            "no party can be called {name:?}: --reveal and --to mean something else by {}",
            RESERVED.join(", ")
        ))),
        false => Ok(name),
    }
}

fn describe(identity: &net::Identity) -> String {
    if manner::is_json() {
        let certificate = Some(identity.certificate_path().display().to_string());
        let fingerprint = identity.fingerprint().to_string();
        return terminal::json_line(&Line { name: identity.name(), fingerprint, certificate });
    }
    format!(
        "name         {}\nfingerprint  {}\nfor the peer {}\n",
        identity.name(),
        identity.fingerprint(),
        identity.certificate_path().display()
    )
}

fn list(peers: &[Peer]) -> String {
    if manner::is_json() {
        return peers.iter().map(line).collect();
    }
    let width = peers.iter().map(|peer| peer.name.chars().count()).max().unwrap_or_default();
    peers.iter().map(|Peer { name, fingerprint }| format!("{name:width$}  {fingerprint}\n")).collect()
}

/// The fingerprint of a certificate, once whoever sits at the terminal says that the peer has the same.
fn compared(certificate: &Path) -> Result<Fingerprint> {
    let peer = Peer::read(certificate)?;
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::new(
            "nobody compared the fingerprint: run this at a terminal, or give --fingerprint HEX, the one that \
             the peer reads to you",
        ));
    }
    ask(&peer, &mut io::stdin().lock(), &mut terminal::Screen)?;
    Ok(peer.fingerprint)
}

/// Asks whether the fingerprint is the peer's; anything but "yes" is an error.
fn ask(peer: &Peer, answers: &mut impl BufRead, screen: &mut impl Write) -> Result<()> {
    let broken = |e: io::Error| Failure::new(format!("terminal: {e}"));
    write!(
        screen,
        "The certificate is of {:?}, fingerprint\n  {}\nAsk the peer, by phone say, for the fingerprint that its \
         `hushtable identity show` prints.\nIs it the same? Type yes or no: ",
        peer.name, peer.fingerprint
    )
    .and_then(|()| screen.flush())
    .map_err(broken)?;
    let mut answer = String::new();
    answers.read_line(&mut answer).map_err(broken)?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => Err(Failure::new("not trusted: the fingerprint was not confirmed with \"yes\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_a_yes() {
        let folder = tempfile::tempdir().unwrap();
        let made = net::Identity::create(&folder.path().join("x"), "telecom").unwrap();
        let peer = Peer { name: made.name().into(), fingerprint: made.fingerprint() };
        for (answer, fine) in
            [("yes\n", true), (" yes \r\n", true), ("y\n", false), ("no\n", false), ("", false)]
        {
            let mut screen = Vec::new();
            assert_eq!(ask(&peer, &mut answer.as_bytes(), &mut screen).is_ok(), fine, "{answer:?}");
            let shown = String::from_utf8(screen).unwrap();
            assert!(shown.contains(&peer.fingerprint.to_string()) && shown.contains("telecom"), "{shown}");
        }
    }
}

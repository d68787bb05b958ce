//! The record of a job, `--record`: what was explained before it, who came, and how it ended.

pub mod verify;

use std::{fmt, path::Path, time::SystemTime};

use hushtable::net::{self, Connection, Peer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    apply::{
        output::{Output, PRIVATE},
        shares::role_name,
    },
    columns,
    cost::Phases,
    failure::{Failure, Result},
    link::Link,
    store::date,
};

/// Version of the format.
const FORMAT: u32 = 1;

/// A record that is being kept.
pub struct Record {
    output: Output,
    entry: Entry,
}

/// What the file holds.
#[derive(Serialize)]
struct Entry {
    hushtable_record: u32,
    version: &'static str,
    command: String,
    began: String,
    ended: String,
    outcome: &'static str,
    exit_code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    role: &'static str,
    this_party: Option<Who>,
    /// Who was let in, and who came.
    expected_peer: Option<Who>,
    peer: Option<Who>,
    /// The same at both parties.
    session: Option<String>,
    /// The hash of the job file.
    #[serde(skip_serializing_if = "Option::is_none")]
    job_file: Option<String>,
    rows: usize,
    column: String,
    reveal: String,
    /// What the parties compared, but for the ids.
    parameters: Vec<[String; 2]>,
    inputs: Vec<Input>,
    output: Option<String>,
    explained: String,
    #[serde(flatten)]
    phases: Option<Phases>,
    /// What both parties signed; or why they did not, where this one asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<Signed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsigned: Option<String>,
}

/// A statement, and its signatures by P0 and P1 in hexadecimal digits.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed {
    statement: Vec<(String, String)>,
    signatures: [String; 2],
}

/// What became of the signatures.
pub enum Seal {
    NotAsked,
    /// Why there are none.
    Missing(String),
    Signed(net::Signed),
}

#[derive(Serialize)]
struct Who {
    name: String,
    fingerprint: Option<String>,
}

/// A file that was read.
#[derive(Serialize)]
struct Input {
    file: String,
    bytes: u64,
    sha256: String,
}

/// A job that is about to begin.
pub struct About<'a> {
    /// The subcommand.
    pub command: &'a str,
    /// The hash of the job file.
    pub file: Option<String>,
    /// How many rows it is of.
    pub rows: usize,
    /// What comes out.
    pub column: String,
    /// To whom.
    pub reveal: String,
    /// What the parties compare, but for the ids.
    pub fields: Vec<(String, String)>,
    pub link: &'a Link,
    /// The files that were read.
    pub inputs: &'a [&'a Path],
    /// Where this party's results go.
    pub output: Option<&'a Path>,
    /// The text of a dry run.
    pub explained: String,
}

impl Record {
    /// Of a job that begins now. The record will be at `path`, and replaces neither inputs nor the output.
    pub fn begin(path: &Path, force: bool, about: About<'_>) -> Result<Self> {
        if about.output == Some(path) {
            return Err(Failure::new(format!("{}: --record and --output are the same file", path.display())));
        }
        let inputs: Vec<&Path> = about.inputs.iter().copied().chain(about.link.identity()).collect();
        let output = Output::reserve(path, &inputs, PRIVATE, force)?;
        Ok(Self { output, entry: Entry::of(about)? })
    }

    /// The peer is there.
    pub fn met(&mut self, connection: &Connection) {
        let fingerprint = connection.peer_fingerprint().map(|fingerprint| fingerprint.to_string());
        self.entry.peer = Some(Who { name: connection.peer_name().to_owned(), fingerprint });
        self.entry.session = Some(blake3::Hash::from(connection.id()).to_hex().to_string());
    }

    /// What the parties compared, once the link is known: in place of what was expected.
    pub fn compared(&mut self, fields: Vec<(String, String)>) {
        self.entry.parameters = fields.into_iter().map(<[String; 2]>::from).collect();
    }

    /// What the job took.
    pub fn took(&mut self, phases: Phases) {
        self.entry.phases = Some(phases);
    }

    /// What both parties signed, or why they did not.
    pub fn seal(&mut self, seal: Seal) {
        match seal {
            Seal::NotAsked => {}
            Seal::Missing(why) => self.entry.unsigned = Some(why),
            Seal::Signed(net::Signed { fields: statement, signatures }) => {
                let signatures = signatures.map(|bytes| hex(&bytes));
                self.entry.signed = Some(Signed { statement, signatures });
            }
        }
    }

    /// Writes the record of a job that ended so. A failure of the job goes before one to write this.
    pub fn end(mut self, done: Result<()>) -> Result<()> {
        self.entry.ended = now();
        self.entry.outcome = if done.is_ok() { "done" } else { "failed" };
        if let Err(failure) = &done {
            self.entry.exit_code = failure.code();
            self.entry.error = Some(failure.to_string());
        }
        let Self { output, entry } = self;
        let written = output.write(|to| Ok(serde_json::to_writer_pretty(to, &entry)?));
        done.and(written)
    }
}

impl Record {
    /// Writes the record of a job that a signal stopped.
    pub fn interrupted(mut self, signal: u8) -> Result<()> {
        (self.entry.ended, self.entry.outcome) = (now(), "interrupted");
        self.entry.exit_code = 128 + signal; // as shells show it
        let Self { output, entry } = self;
        output.write(|to| Ok(serde_json::to_writer_pretty(to, &entry)?))
    }
}

/// What it says is in the file.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Record({})", self.output.path().display())
    }
}

impl Entry {
    fn of(about: About<'_>) -> Result<Self> {
        let About { command, file, rows, column, reveal, fields, link, inputs, output, explained } = about;
        let [this_party, expected_peer] = match link.ends()? {
            Some(ends) => ends.map(|end| Some(Who::from(end))),
            None => [None, None],
        };
        let files = inputs.iter().filter(|path| path.is_file());
        Ok(Self {
            hushtable_record: FORMAT,
            version: env!("CARGO_PKG_VERSION"),
            command: command.to_owned(),
            began: now(),
            ended: String::new(),
            outcome: "",
            exit_code: 0,
            error: None,
            role: role_name(link.role()),
            this_party,
            expected_peer,
            peer: None,
            session: None,
            job_file: file,
            rows,
            column,
            reveal,
            parameters: fields.into_iter().map(<[String; 2]>::from).collect(),
            inputs: files.map(|path| Input::of(path)).collect::<Result<_>>()?,
            output: output.map(|path| path.display().to_string()),
            explained,
            phases: None,
            signed: None,
            unsigned: None,
        })
    }
}

impl From<Peer> for Who {
    fn from(peer: Peer) -> Self {
        Self { name: peer.name, fingerprint: Some(peer.fingerprint.to_string()) }
    }
}

impl Input {
    fn of(path: &Path) -> Result<Self> {
        let text = columns::read(path)?;
        let sha256 = sha256(&text);
        Ok(Self { file: path.display().to_string(), bytes: text.len() as u64, sha256 })
    }
}

/// SHA-256 in hexadecimal digits, as `sha256sum` prints it.
pub fn sha256(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Now, to the second.
fn now() -> String {
    date(SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs()))
}

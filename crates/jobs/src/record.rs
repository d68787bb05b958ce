//! The record of a job, `--record`: what was explained before it, who came, and how it ended.
//!
//! With `--sign` three things keep it from being altered later. Both parties sign a [statement](hushtable::net::Signed):
//! all that they compared. It holds a commitment of each to its [claim], what it alone says: the files that it read,
//! rows, what was explained to it. And each signs its own file as it is in the end, outcome and cost too.

pub mod claim;

use std::{
    fmt,
    io::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    cost::Phases,
    hex::{hex, unhex},
    record::claim::{Claim, End, Who, now},
};
use hushtable::net::{self, Connection, Identity};
use hushtable_columns::{
    failure::{Failure, Result},
    output::{Output, PRIVATE},
};
use serde::{Deserialize, Serialize};

pub use crate::record::claim::About;

/// Version of the format.
pub const FORMAT: u32 = 2;

/// What stands before this party's signature, at the end of the file.
const OWN: &str = ",\n  \"own_signature\": \"";

/// What stands behind.
const CLOSED: &str = "\"\n}";

/// A record that is being kept.
pub struct Record {
    output: Output,
    entry: Entry,
    /// Whose key signs it in the end, if that is asked for.
    identity: Option<PathBuf>,
}

/// What the file holds. The signature of this party follows.
#[derive(Serialize)]
struct Entry {
    hushtable_record: u32,
    #[serde(flatten)]
    claim: Claim,
    #[serde(flatten)]
    end: End,
    #[serde(flatten)]
    phases: Option<Phases>,
    #[serde(flatten)]
    marks: Marks,
}

/// What both parties signed; or why they did not, where this one asked for it.
#[derive(Default, Serialize, Deserialize)]
pub struct Marks {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signed>,
    /// Of the commitment to what this party says alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsigned: Option<String>,
}

/// A statement, and its signatures by P0 and P1 in hexadecimal digits.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    pub statement: Vec<(String, String)>,
    pub signatures: [String; 2],
}

/// What became of the signatures.
pub enum Seal {
    /// Why there are none.
    Missing(String),
    Signed(net::Signed),
}

impl Record {
    /// Of a job that begins now. The record will be at `path`, and replaces neither inputs nor the output.
    pub fn begin(path: &Path, force: bool, about: About<'_>) -> Result<Self> {
        if about.output == Some(path) {
            return Err(Failure::new(format!("{}: --record and --output are the same file", path.display())));
        }
        let inputs: Vec<&Path> =
            about.inputs.iter().copied().chain(about.identity).chain(about.kept).collect();
        let output = Output::reserve(path, &inputs, PRIVATE, force)?;
        let end = End { ended: String::new(), outcome: String::new(), exit_code: 0, error: None };
        let (claim, phases, marks) = (Claim::of(about)?, None, Marks::default());
        Ok(Self {
            output,
            entry: Entry { hushtable_record: FORMAT, claim, end, phases, marks },
            identity: None,
        })
    }

    /// It is to be signed, by the key in this folder and by the peer.
    pub fn signed_by(mut self, identity: Option<&Path>) -> Self {
        self.identity = identity.map(Path::to_owned);
        self.entry.marks.unsigned = identity.map(|_| "the job did not get that far".into());
        self
    }

    /// The peer is there.
    pub fn met(&mut self, connection: &Connection) {
        let fingerprint = connection.peer_fingerprint().map(|fingerprint| fingerprint.to_string());
        let claim = &mut self.entry.claim;
        claim.peer = Some(Who { name: connection.peer_name().to_owned(), fingerprint });
        claim.session = Some(blake3::Hash::from(connection.id()).to_hex().to_string());
    }

    /// What the parties compared, once the link is known: in place of what was expected.
    pub fn compared(&mut self, fields: Vec<(String, String)>) {
        self.entry.claim.parameters = fields.into_iter().map(<[String; 2]>::from).collect();
    }

    /// What the job took.
    pub fn took(&mut self, phases: Phases) {
        self.entry.phases = Some(phases);
    }

    /// What this party commits to, which must not change from now on.
    pub fn commit(&mut self, salt: [u8; 32]) -> [u8; 32] {
        self.entry.marks.salt = Some(hex(&salt));
        self.entry.claim.digest(&salt)
    }

    /// What both parties signed, or why they did not.
    pub fn mark(&mut self, seal: Seal) {
        (self.entry.marks.signed, self.entry.marks.unsigned) = match seal {
            Seal::Missing(why) => (None, Some(why)),
            Seal::Signed(net::Signed { fields: statement, signatures }) => {
                (Some(Signed { statement, signatures: signatures.map(|bytes| hex(&bytes)) }), None)
            }
        };
    }

    /// Writes the record of a job that ended so. A failure of the job goes before one to write this.
    pub fn end(mut self, done: Result<()>) -> Result<()> {
        let end = &mut self.entry.end;
        end.outcome = if done.is_ok() { "done" } else { "failed" }.into();
        if let Err(failure) = &done {
            end.exit_code = failure.code();
            end.keep_error(&failure.to_string());
        }
        let written = self.write();
        done.and(written)
    }

    /// Writes the record of a job that a signal stopped.
    pub fn interrupted(mut self, signal: u8) -> Result<()> {
        self.entry.end.outcome = "interrupted".into();
        self.entry.end.exit_code = 128 + signal; // as shells show it
        self.write()
    }

    fn write(mut self) -> Result<()> {
        self.entry.end.ended = now();
        let mut text = serde_json::to_string_pretty(&self.entry).expect("plain data");
        if let Some(folder) = &self.identity {
            match Identity::load(folder).and_then(|identity| identity.sign_record(text.as_bytes())) {
                Ok(signature) => text = with_signature(&text, &signature),
                Err(error) => eprintln!("warning: this party's own record is not signed: {error}"),
            }
        }
        self.output.write(|to| to.write_all(text.as_bytes()))
    }
}

/// The file with this party's signature of it, which is the last field.
fn with_signature(text: &str, signature: &[u8]) -> String {
    let open = text.strip_suffix("\n}").expect("a pretty object");
    format!("{open}{OWN}{}{CLOSED}", hex(signature))
}

/// What was signed and its signature, if the file ends with one.
pub fn without_signature(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let text = str::from_utf8(text).ok()?.trim_end();
    let (open, digits) = text.strip_suffix(CLOSED)?.rsplit_once(OWN)?;
    Some((format!("{open}\n}}").into_bytes(), unhex(digits)?))
}

/// What it says is in the file.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Record({})", self.output.path().display())
    }
}

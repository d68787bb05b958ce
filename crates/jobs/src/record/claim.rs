//! What one party says of a job, before its results are there: what it commits to when both sign.

use std::{path::Path, time::SystemTime};

use crate::hex::{hex, sha256};
use hushtable::{Role, net::Peer};
use hushtable_columns::{self as columns, failure::Result, shares::role_name, units::date};
use serde::{Deserialize, Serialize};

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
    pub role: Role,
    /// This party and the only peer that is let in, unless by plain TCP.
    pub ends: Option<[Peer; 2]>,
    /// The identity folder.
    pub identity: Option<&'a Path>,
    /// The files that were read.
    pub inputs: &'a [&'a Path],
    /// Another file that the record must not replace, of which it has no hash.
    pub kept: Option<&'a Path>,
    /// Where this party's results go.
    pub output: Option<&'a Path>,
    /// The text of a dry run.
    pub explained: String,
}

/// In the order of the file.
#[derive(Serialize, Deserialize)]
pub struct Claim {
    pub version: String,
    pub command: String,
    pub began: String,
    pub role: String,
    pub this_party: Option<Who>,
    /// Who was let in, and who came.
    pub expected_peer: Option<Who>,
    pub peer: Option<Who>,
    /// The same at both parties.
    pub session: Option<String>,
    /// The hash of the job file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_file: Option<String>,
    pub rows: usize,
    pub column: String,
    pub reveal: String,
    /// What the parties compared, but for the ids.
    pub parameters: Vec<[String; 2]>,
    pub inputs: Vec<Input>,
    pub output: Option<String>,
    pub explained: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Who {
    pub name: String,
    pub fingerprint: Option<String>,
}

/// A file that was read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub file: String,
    pub bytes: u64,
    pub sha256: String,
}

/// Most characters of an error in a record.
pub const LONGEST_ERROR: usize = 1000;

/// How a job ended.
#[derive(Serialize, Deserialize)]
pub struct End {
    pub ended: String,
    pub outcome: String,
    pub exit_code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl End {
    /// Keeps what an error says, as much as a record has of it.
    pub fn keep_error(&mut self, error: &str) {
        let whole = error.chars().count() <= LONGEST_ERROR;
        let (most, rest) = if whole { (LONGEST_ERROR, "") } else { (LONGEST_ERROR - 3, "...") };
        self.error = Some(error.chars().take(most).chain(rest.chars()).collect());
    }
}

impl Claim {
    pub fn of(about: About<'_>) -> Result<Self> {
        let About {
            command, file, rows, column, reveal, fields, role, ends, inputs, output, explained, ..
        } = about;
        let [this_party, expected_peer] = match ends {
            Some(ends) => ends.map(|end| Some(Who::from(end))),
            None => [None, None],
        };
        let files = inputs.iter().filter(|path| path.is_file());
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            began: now(),
            role: role_name(role).to_owned(),
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
        })
    }

    /// What hides all of it and commits to it: nobody can test guesses of an input's hash without the salt.
    pub fn digest(&self, salt: &[u8; 32]) -> [u8; 32] {
        let mut hash = blake3::Hasher::new_derive_key("hushtable 2026-11 what one party says of a job");
        hash.update(salt).update(&serde_json::to_vec(self).expect("plain data"));
        *hash.finalize().as_bytes()
    }

    /// The same in hexadecimal digits.
    pub fn shown_digest(&self, salt: &[u8; 32]) -> String {
        hex(&self.digest(salt))
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

/// Now, to the second.
pub fn now() -> String {
    date(SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_any_length_is_cut() {
        let mut end = End { ended: String::new(), outcome: String::new(), exit_code: 4, error: None };
        for (length, kept) in [(5, 5), (1000, 1000), (1001, 1000), (5000, 1000)] {
            end.keep_error(&"\u{e5}".repeat(length));
            let error = end.error.as_ref().unwrap();
            assert_eq!((error.chars().count(), error.ends_with("...")), (kept, length > kept));
        }
    }
}

//! A job: its public parameters, which both parties compare, and this party's rows.

use std::borrow::Cow;

use hushtable::{Error, Party, Role, operation::Operation, run::Reveal};

use super::{
    input::{Format, Operand},
    lookup::Lookup,
    shares::ShareFile,
    threads::Threads,
};
use crate::failure::{Failure, Result};

/// Results that stay shared have at least this width, so that any later index can be cut from them.
pub const SHARED_BITS: u32 = 16;

/// A job: its public parameters and this party's rows.
pub struct Job {
    pub work: Work,
    /// Name of the result column.
    pub column: String,
    pub reveal: Reveal,
    pub ids: Option<Vec<String>>,
    /// What this party asks for.
    asked: Option<u16>,
    /// Lanes, once the parties are agreed.
    threads: usize,
    /// This party's part of the numbers; of two for a comparison.
    x: Vec<Operand>,
    /// Whether this party gives numbers for each of them.
    gives: Vec<bool>,
}

/// What is done with the numbers.
pub enum Work {
    /// A lookup, by a protocol on which the parties settle.
    Lookup(Lookup),
    /// Anything else.
    Other(Box<dyn Operation>),
}

impl Job {
    /// Of this party's parts `x` of one or two batches of numbers; `gives` says whether it has any for each.
    pub fn new(
        asked: Option<u16>,
        reveal: Reveal,
        work: Work,
        column: String,
        ids: Option<Vec<String>>,
        x: Vec<Operand>,
        gives: Vec<bool>,
    ) -> Self {
        Self { work, column, reveal, ids, asked, threads: 1, x, gives }
    }

    pub fn rows(&self) -> usize {
        self.x[0].words.len()
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Threads that this party asks for, or one.
    pub fn asked_threads(&self) -> usize {
        self.asked.map_or(1, usize::from).min(self.rows()).max(1)
    }

    /// Whether this party left the number of threads open.
    pub fn threads_are_open(&self) -> bool {
        self.asked.is_none()
    }

    /// What is done.
    pub fn operation(&self) -> &dyn Operation {
        match &self.work {
            Work::Lookup(lookup) => &lookup.operation,
            Work::Other(operation) => operation.as_ref(),
        }
    }

    /// This party's words of each operand, as the operation takes them.
    pub fn operands(&self, role: Role) -> Vec<Cow<'_, [u64]>> {
        let words = self.x.iter().map(|x| match &self.work {
            Work::Lookup(lookup) => Cow::Owned(lookup.indices(&x.words, role)),
            Work::Other(_) => Cow::Borrowed(&x.words[..]),
        });
        words.collect()
    }

    /// The public parameters that the parties compare, but for the ids.
    pub fn fields(&self, role: Role, store: String) -> Vec<(&'static str, String)> {
        let mut fields =
            vec![("number of rows", self.rows().to_string()), ("number of inputs", self.x.len().to_string())];
        fields.extend(self.x.iter().map(|x| ("input", x.pairing[role as usize].clone())));
        fields.push(("function", self.operation().name()));
        if let Work::Lookup(lookup) = &self.work {
            fields.extend(lookup.fields());
        }
        fields.extend(self.operation().fields());
        fields.extend([("reveal", self.reveal.name().to_owned()), ("store", store)]);
        fields
    }

    /// Compares everything public with the peer, before any work on secrets, and settles the number of threads.
    /// `near`: the peer is on this machine.
    pub fn agree(&mut self, p: &mut Party, store: String, near: bool) -> Result<()> {
        let ids = self.ids.as_ref().map_or("none".to_owned(), |ids| id_digest(p.id(), ids));
        let mut fields = self.fields(p.role(), store);
        fields.insert(1, ("ids (hash in row order)", ids));
        p.agree(&fields).map_err(|error| match &error {
            Error::Handshake { field, .. } if field.starts_with("ids") => {
                Failure::from(error).worded(|error| format!(
                    "{error}. Rows are matched by position: keep the common ids and sort both files by id (finding \
                     them privately, by private set intersection, is not part of this program yet)"
                ))
            }
            _ => Failure::from(error),
        })?;
        self.settle(p, near)
    }

    /// The number of threads; and an error at both parties if neither has numbers for one of the inputs.
    fn settle(&mut self, p: &mut Party, near: bool) -> Result<()> {
        let threads = Threads::new(self.asked, self.rows(), near);
        let mine: Vec<u8> = self.gives.iter().map(|&gives| gives.into()).collect();
        let message = [&mine[..], &threads.to_bytes()].concat();
        let length = message.len();
        let theirs = p.connection().channel().exchange(message, length)?;
        let (theirs, asked) = theirs.split_last_chunk().expect("two bytes at the end");
        self.threads = threads.settle(*asked)?.min(self.rows());
        let missing = mine.iter().zip(theirs).position(|(mine, theirs)| mine | theirs == 0);
        match missing {
            None => Ok(()),
            Some(0) => Err(Failure::new("neither party has numbers for x: --column NAME names them")),
            Some(_) => Err(Failure::new("neither party has numbers for y: --against NAME names them")),
        }
    }

    /// How the results are held, and their range.
    pub fn result(&self) -> (Format, [i64; 2]) {
        let held = self.operation().result();
        let end = 1i64 << (held.bits - 1);
        let format = Format { bits: held.bits, fraction_bits: held.fraction };
        (format, held.range.unwrap_or([end.wrapping_neg(), end.wrapping_sub(1)]))
    }

    /// This party's share file of the results.
    pub fn share_file(&self, session: [u8; 32], role: Role, shares: Vec<u64>) -> ShareFile {
        let (format, range) = self.result();
        let made = ShareFile::new(&self.column, session, role, format, range, shares);
        ShareFile { ids: self.ids.clone(), ..made }.sealed()
    }
}

/// A hash of all ids in order, bound to the session so that it says nothing in another one.
pub fn id_digest(session: [u8; 32], ids: &[String]) -> String {
    let mut hash = blake3::Hasher::new_keyed(&session);
    for id in ids {
        hash.update(&(id.len() as u64).to_le_bytes());
        hash.update(id.as_bytes());
    }
    hash.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_digest_is_of_the_list_and_the_session() {
        let ids = |names: &[&str]| names.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let base = id_digest([1; 32], &ids(&["ab", "c"]));
        assert_eq!(base, id_digest([1; 32], &ids(&["ab", "c"])));
        assert_ne!(base, id_digest([2; 32], &ids(&["ab", "c"])));
        assert_ne!(base, id_digest([1; 32], &ids(&["a", "bc"])));
        assert_ne!(base, id_digest([1; 32], &ids(&["c", "ab"])));
    }
}

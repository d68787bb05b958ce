//! A job: its public parameters, which both parties compare, and this party's rows.

use std::sync::atomic::AtomicUsize;

use apps::scoring::Scoring;
use hushtable::{Error, Party, Role, store::Reserved};

use super::{
    delivery::Delivery,
    evaluate::Evaluating,
    input::{Format, Operand},
    lanes::{Done, Reveal},
    lookup::Lookup,
    relation::Comparing,
    shares::ShareFile,
};
use crate::{
    failure::{Failure, Result},
    score,
};

/// A job: its public parameters and this party's rows.
pub struct Job {
    pub work: Work,
    /// Name of the result column.
    pub column: String,
    pub reveal: Reveal,
    pub ids: Option<Vec<String>>,
    threads: usize,
    /// This party's part of the numbers; of two for a comparison.
    x: Vec<Operand>,
    /// Whether this party gives numbers for each of them.
    gives: Vec<bool>,
}

/// What is done with the numbers.
pub enum Work {
    Lookup(Lookup),
    Evaluate(Evaluating),
    Compare(Comparing),
    Score(Scoring),
}

impl Job {
    /// Of this party's parts `x` of one or two batches of numbers; `gives` says whether it has any for each.
    pub fn new(
        delivery: &Delivery,
        work: Work,
        column: String,
        ids: Option<Vec<String>>,
        x: Vec<Operand>,
        gives: Vec<bool>,
    ) -> Self {
        let threads = usize::from(delivery.threads).min(x[0].words.len());
        Self { work, column, reveal: delivery.reveal, ids, threads, x, gives }
    }

    pub fn rows(&self) -> usize {
        self.x[0].words.len()
    }

    /// Rows of each lane.
    pub fn lane_rows(&self) -> Vec<usize> {
        let share = self.rows().div_ceil(self.threads);
        (0..self.threads).map(|i| share.min(self.rows().saturating_sub(i * share))).collect()
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// This party's parts of the numbers of each lane that has rows.
    pub fn lane_words(&self) -> Vec<Vec<&[u64]>> {
        let share = self.rows().div_ceil(self.threads);
        let mut chunks: Vec<_> = self.x.iter().map(|x| x.words.chunks(share)).collect();
        let lanes = self.rows().div_ceil(share);
        (0..lanes).map(|_| chunks.iter_mut().filter_map(Iterator::next).collect()).collect()
    }

    /// Compares everything public with the peer, before any work on secrets.
    pub fn agree(&self, p: &mut Party, store: String) -> Result<()> {
        let role = p.role();
        let ids = self.ids.as_ref().map_or("none".to_owned(), |ids| id_digest(p.id(), ids));
        let mut fields = vec![
            ("number of rows", self.rows().to_string()),
            ("ids (hash in row order)", ids),
            ("number of inputs", self.x.len().to_string()),
        ];
        fields.extend(self.x.iter().map(|x| ("input", x.pairing[role as usize].clone())));
        fields.extend(self.work.fields());
        fields.extend([
            ("reveal", self.reveal.name().to_owned()),
            ("store", store),
            ("threads", self.threads.to_string()),
        ]);
        p.agree(&fields).map_err(|error| match &error {
            Error::Handshake { field, .. } if field.starts_with("ids") => {
                Failure::from(error).worded(|error| format!(
                    "{error}. Rows are matched by position: keep the common ids and sort both files by id (finding \
                     them privately, by private set intersection, is not part of this program yet)"
                ))
            }
            _ => Failure::from(error),
        })?;
        self.somebody_gives(p)
    }

    /// An error at both parties if neither has numbers for one of the inputs.
    fn somebody_gives(&self, p: &mut Party) -> Result<()> {
        let mine: Vec<u8> = self.gives.iter().map(|&gives| gives.into()).collect();
        let theirs = p.connection().channel().exchange(mine.clone(), mine.len())?;
        let missing = mine.iter().zip(&theirs).position(|(mine, theirs)| mine | theirs == 0);
        match missing {
            None => Ok(()),
            Some(0) => Err(Failure::new("neither party has numbers for x: --column NAME names them")),
            Some(_) => Err(Failure::new("neither party has numbers for y: --against NAME names them")),
        }
    }

    /// Correlated OTs, as sender and as receiver, that `rows` of its rows take at the party `role`.
    pub fn cots(&self, role: Role, rows: usize) -> Result<(usize, usize)> {
        match &self.work {
            Work::Lookup(lookup) => Ok(lookup.cots(role, rows)),
            Work::Evaluate(evaluating) => Ok(evaluating.cots(role, rows)?),
            Work::Compare(comparing) => Ok(comparing.cots(role, rows, self.reveal)?),
            Work::Score(scoring) => Ok(scoring.cots(role, rows)?),
        }
    }

    /// The results for a lane's rows, of which `words` has this party's parts. `progress` counts them.
    pub fn lane(
        &self,
        p: &mut Party,
        words: Vec<&[u64]>,
        stock: Option<Reserved>,
        progress: &AtomicUsize,
    ) -> std::result::Result<Done, Error> {
        match &self.work {
            Work::Lookup(lookup) => lookup.lane(p, stock, words[0], self.reveal, progress),
            Work::Evaluate(evaluating) => evaluating.lane(p, words[0], self.reveal, progress),
            Work::Compare(comparing) => comparing.lane(p, [words[0], words[1]], self.reveal, progress),
            Work::Score(scoring) => score::lane(scoring, p, words[0], self.reveal, progress),
        }
    }

    /// This party's share file of the results.
    pub fn share_file(&self, session: [u8; 32], role: Role, shares: Vec<u64>) -> ShareFile {
        let (format, range) = self.work.result(Reveal::None);
        let made = ShareFile::new(&self.column, session, role, format, range, shares);
        ShareFile { ids: self.ids.clone(), ..made }.sealed()
    }
}

impl Work {
    /// How the results are held, and their range.
    pub fn result(&self, reveal: Reveal) -> (Format, [i64; 2]) {
        match self {
            Self::Lookup(lookup) => lookup.result(),
            Self::Evaluate(evaluating) => evaluating.result(),
            Self::Compare(comparing) => comparing.result(reveal),
            Self::Score(scoring) => score::result(scoring, reveal),
        }
    }

    /// Its name for reports.
    pub fn protocol(&self) -> String {
        match self {
            Self::Lookup(lookup) => lookup.protocol.name().to_owned(),
            Self::Evaluate(evaluating) => evaluating.protocol(),
            Self::Compare(comparing) => comparing.protocol(),
            Self::Score(scoring) => score::protocol(scoring),
        }
    }

    /// What the parties compare.
    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Lookup(lookup) => lookup.fields(),
            Self::Evaluate(evaluating) => evaluating.fields(),
            Self::Compare(comparing) => comparing.fields(),
            Self::Score(scoring) => score::fields(scoring),
        }
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

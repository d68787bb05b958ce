//! What both parties must have alike: compared before any work on secrets.

use crate::{
    delivery::{Delivery, Recipient},
    job::{Job, Labels},
    link::Link,
    row_results::{self, InCommon},
    threads::Threads,
};
use clap::Args;
use hushtable::{Error, Party, Role, run::Reveal};
use hushtable_columns::{
    Ids,
    failure::{Cause, Failure, Result},
    terminal::{complain, within_a_line},
};

/// What the parties ask for alike, whatever is computed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Results")]
pub struct Accord {
    /// Who gets the results: me, peer, both or none; or a party by its name [default: both where
    /// results are bits; where they tell numbers, it must be given]
    ///
    /// p0 and p1 are the party that listens and the one that connects. With none each party keeps a file of shares.
    #[arg(long, value_name = "WHO")]
    reveal: Option<Recipient>,
    /// Threads and connections to work with, 1 to 64 [default: what the peer asks for, or what suits the
    /// rows and processors of both parties]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub threads: Option<u16>,
    /// If the ids differ, find the first row where they do, and print its number and this party's id; the peer must
    /// say so too
    ///
    /// Hashes of ever fewer first rows are compared: each party can test guesses of the peer's id in that
    /// row.
    #[arg(long)]
    pub find_difference: bool,
}

impl Accord {
    /// To whom results go: both, if nothing is said. `telling`: how they tell a party the other's numbers, if they do; then
    /// it must be said.
    pub fn reveal(&self, link: &Link, telling: Option<&str>) -> Result<Reveal> {
        match (&self.reveal, telling) {
            (Some(reveal), _) => reveal.on(link),
            (None, None) => Ok(Reveal::Both),
            (None, Some(telling)) => Err(Failure::new(format!(
                "--reveal is missing: it says who gets the results. {telling} --reveal me: this party learns that of the \
                 peer's numbers; peer: the peer learns it of this party's; both: each learns it of the other's; none: \
                 nobody does, and each party keeps shares for a later step. Both parties must mean the same"
            ))),
        }
    }
}

/// What is compared of a run as a whole.
#[derive(Clone, Debug, Default)]
pub struct Common {
    /// The hash of the job file, if there is one.
    pub file: Option<String>,
    /// Whether the row is searched in which ids differ.
    pub find_difference: bool,
    /// Whether this party wants the record signed; it is if both do.
    pub sign: bool,
    /// Of rows in common.
    pub in_common: Option<InCommon>,
    /// What a job file says, for people.
    pub described: String,
}

impl Common {
    /// As asked for on the command line.
    pub fn of(accord: &Accord, delivery: &Delivery) -> Self {
        let (find_difference, sign) = (accord.find_difference, delivery.sign);
        Self { file: None, find_difference, sign, in_common: None, described: String::new() }
    }
}

/// Names and values.
pub type Fields = Vec<(&'static str, String)>;

/// How many fields are of the run as a whole, the number of rows last.
const COMMON: usize = 4;

/// What the parties compare but for the ids, a list for each step; the first begins with what is common. Of rows in common
/// all steps follow from one list.
pub fn fields(jobs: &[Job], common: &Common, role: Role, store: &str) -> Vec<Fields> {
    let file = ("job file", common.file.clone().unwrap_or_else(|| "none".into()));
    if let Some(rows) = &common.in_common {
        let all = [file].into_iter().chain(rows.compared.iter().cloned());
        return vec![all.chain([("store", store.to_owned())]).collect()];
    }
    let mut lists: Vec<Fields> = jobs.iter().map(|job| job.fields(role)).collect();
    let pairs = jobs[0].labels.as_ref().map_or_else(|| "no".to_owned(), Labels::pairing);
    let search = if common.find_difference { "yes" } else { "no" };
    let whole: [_; COMMON] = [
        file,
        ("search of a row that differs", search.to_owned()),
        ("pairs", pairs),
        ("number of rows", jobs[0].rows().to_string()),
    ];
    lists[0].splice(..0, whole);
    lists[0].push(("store", store.to_owned()));
    lists
}

/// All of these fields, with the step where there are several.
pub fn named(jobs: &[Job], lists: &[Fields]) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (i, (job, fields)) in jobs.iter().zip(lists).enumerate() {
        let step =
            if lists.len() > 1 { format!("step {}, {}: ", job.step, job.column) } else { String::new() };
        let common = if i == 0 { COMMON } else { 0 };
        all.extend(fields.iter().enumerate().map(|(at, (name, value))| {
            let step = if at < common { "" } else { &step };
            (format!("{step}{name}"), value.clone())
        }));
    }
    all
}

/// Compares everything public with the peer, before any work on secrets. Returns what was compared but for the ids.
pub fn agree(p: &mut Party, jobs: &[Job], common: &Common, store: &str) -> Result<Vec<(String, String)>> {
    let ids = jobs[0].ids.as_deref();
    let fields = fields(jobs, common, p.role(), store);
    let all = named(jobs, &fields);
    if let Some(rows) = &common.in_common {
        return row_results::agree(p, &all, rows.or).map(|()| all);
    }
    let digest = || ids.map_or("none".to_owned(), |ids| id_digest(p.id(), ids));
    let digest = (!common.find_difference).then(digest);
    for list in lists(&fields, digest) {
        p.agree(&list).map_err(of_ids)?;
    }
    if let Some(ids) = ids.filter(|_| common.find_difference) {
        search(p, ids)?;
    }
    Ok(all)
}

/// The lists in the order of comparison: what is common alone first, so that parties which differ there, in what a row
/// is or in how many there are, send no digest of their ids. Without one a row that differs is searched.
fn lists(fields: &[Fields], digest: Option<String>) -> Vec<Fields> {
    let mut lists = fields.to_vec();
    let mut common: Fields = lists[0].drain(..COMMON).collect();
    match digest {
        Some(digest) => lists[0].insert(0, ("ids (hash in row order)", digest)),
        // A search says more than the number of rows.
        None => drop(common.pop()),
    }
    lists.insert(0, common);
    lists
}

/// With what helps if the ids differ.
fn of_ids(error: Error) -> Failure {
    match &error {
        Error::Handshake { field, .. } if field.starts_with("ids") => Failure::from(error).worded(|error| {
            format!(
                "{error}. Rows are matched by position: `hushtable join --reveal ids` writes the common rows of each \
                 file in the same order, and `score --join ID` finds them without showing which. --find-difference at both \
                 parties finds the first row that differs"
            )
        }),
        _ => Failure::from(error),
    }
}

/// An error if the ids differ, which names the first row in which they do.
fn search(p: &mut Party, ids: &Ids) -> Result<()> {
    let Some(row) = p.connection().first_difference(&ids.iter().collect::<Vec<_>>())? else { return Ok(()) };
    let own = match ids.get(row) {
        Some(id) => {
            // Not in the error, which a record keeps.
            let id = format!("{id:?}");
            complain(&format!("row {} here: {}\n", row + 1, within_a_line(&id)));
            "the id here stands above, the peer's is not shown".to_owned()
        }
        None => format!("here the rows end with row {}", ids.len()),
    };
    let what = format!("the parties' ids differ, first in row {}: {own}", row + 1);
    Err(Failure::Reported(Cause::Disagreement, what))
}

/// Settles the number of threads, the same for all steps; an error at both parties if neither has numbers for an input.
/// `near`: the peer is on this machine. Returns whether the peer wants the record signed.
pub fn settle(p: &mut Party, jobs: &mut [Job], sign: bool, near: bool) -> Result<bool> {
    let rows = jobs.iter().map(Job::rows).max().unwrap_or_default();
    let threads = Threads::new(jobs[0].asked(), rows, near);
    let gives: Vec<Vec<u8>> = jobs.iter().map(Job::gives).collect();
    let message = [&gives.concat()[..], &[u8::from(sign)], &threads.to_bytes()].concat();
    let length = message.len();
    let theirs = p.connection().channel().exchange(message, length)?;
    let (theirs, asked) = theirs.split_last_chunk().expect("two bytes at the end");
    let (peer_signs, mut theirs) = theirs.split_last().expect("a byte before");
    let threads = threads.settle(*asked)?;
    for (job, gives) in jobs.iter_mut().zip(&gives) {
        let (of_job, rest) = theirs.split_at(gives.len());
        job.settle(threads, of_job)?;
        theirs = rest;
    }
    Ok(*peer_signs == 1)
}

/// A hash of all ids in order, bound to the session so that it says nothing in another one.
fn id_digest(session: [u8; 32], ids: &Ids) -> String {
    let mut hash = blake3::Hasher::new_keyed(&session);
    for id in ids.iter() {
        hash.update(&(id.len() as u64).to_le_bytes());
        hash.update(id.as_bytes());
    }
    hash.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_ids_follows_what_is_common() {
        let text = |name| (name, String::new());
        let all = ["job file", "search", "pairs", "number of rows", "function", "reveal"].map(text);
        let names = |list: &Fields| list.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let found = lists(&[all.to_vec(), vec![text("step 2")]], Some("digest".into()));
        assert_eq!(names(&found[0]), ["job file", "search", "pairs", "number of rows"]);
        assert_eq!(names(&found[1]), ["ids (hash in row order)", "function", "reveal"]);
        assert_eq!(names(&found[2]), ["step 2"]);
        let found = lists(&[all.to_vec()], None);
        assert_eq!(names(&found[0]), ["job file", "search", "pairs"]);
        assert_eq!(names(&found[1]), ["function", "reveal"]);
    }

    #[test]
    fn id_digest_is_of_the_list_and_the_session() {
        let ids = |names: &[&str]| names.iter().collect::<Ids>();
        let base = id_digest([1; 32], &ids(&["ab", "c"]));
        assert_eq!(base, id_digest([1; 32], &ids(&["ab", "c"])));
        assert_ne!(base, id_digest([2; 32], &ids(&["ab", "c"])));
        assert_ne!(base, id_digest([1; 32], &ids(&["a", "bc"])));
        assert_ne!(base, id_digest([1; 32], &ids(&["c", "ab"])));
    }
}

//! Material that was made ahead, for the rows of a job.

use std::path::{Path, PathBuf};

use crate::{
    choice::{Choice, Choosing},
    job::{Body, Job},
};
use clap::Args;
use hushtable::{
    Party, net,
    operation::Operation,
    store::{Reserved, Store},
};
use hushtable_columns::failure::{Failure, Result};

/// Where material comes from.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Stored material")]
pub struct Stored {
    /// Material that `hushtable prepare` made with the peer; what it lacks is made now
    ///
    /// It says how that is done: with material for lookups a function is looked up, as with --outside wrap; a circuit is
    /// evaluated as it was prepared for.
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// All material must come from --store: if it holds too little, nothing is started
    #[arg(long, requires = "store")]
    no_offline: bool,
}

/// What the job takes from disk: at most one store.
pub struct Stock {
    store: Option<Store>,
    no_offline: bool,
}

/// The identity in this folder, which a command needs that works with a store.
pub fn identity(folder: Option<&Path>) -> Result<net::Identity> {
    let Some(folder) = folder else {
        let why = "what is on disk is encrypted for an identity, and belongs to a peer with a certificate";
        return Err(Failure::new(format!("--store needs --identity DIR: {why}")));
    };
    Ok(net::Identity::load(folder)?)
}

impl Stored {
    /// The folder, which is read.
    pub fn path(&self) -> Option<&Path> {
        self.store.as_deref()
    }
}

impl Stock {
    /// Everything is made now.
    pub fn none() -> Self {
        Self { store: None, no_offline: false }
    }

    /// Opens the store that is named, if one is, under the identity in this folder.
    pub fn open(stored: &Stored, folder: Option<&Path>) -> Result<Self> {
        let Some(path) = &stored.store else { return Ok(Self::none()) };
        let identity = identity(folder)?;
        Ok(Self { store: Some(Store::open(path, &identity)?), no_offline: stored.no_offline })
    }

    /// Whether it is for lookups by a protocol.
    pub fn holds_lookups(&self) -> bool {
        self.store.as_ref().is_some_and(|store| store.about().lookups.is_some())
    }

    /// What the protocol is to be chosen by: with a store of lookups there is no choice.
    pub fn choosing(&self, asked: &Choosing) -> Result<Choosing> {
        let Some((stored, _)) = self.store.as_ref().and_then(|store| store.about().lookups) else {
            return Ok(asked.clone());
        };
        match asked.protocol {
            Choice::Of(other) if other != stored => Err(Failure::new(format!(
                "the store holds material of {stored}; --protocol {other} does not fit"
            ))),
            _ => Ok(Choosing { protocol: Choice::Of(stored), ..asked.clone() }),
        }
    }

    /// Whether everything is made now.
    pub fn is_none(&self) -> bool {
        self.store.is_none()
    }

    /// What the parties compare.
    pub fn name(&self) -> String {
        self.store.as_ref().map_or("none".into(), |store| store.about().name())
    }

    /// What it is for, in words.
    pub fn holds(&self) -> String {
        self.store.as_ref().map_or("nothing".into(), |store| store.about().text.clone())
    }

    /// An error if there is a store and it holds no material for the operation.
    pub fn fits(&self, operation: &dyn Operation) -> Result<()> {
        self.store.as_ref().map_or(Ok(()), |store| Ok(store.fits(operation)?))
    }

    /// How many of `rows` are there, before the peer was asked.
    pub fn left(&self, rows: usize) -> usize {
        self.store.as_ref().map_or(0, |store| store.left().min(rows as u64) as usize)
    }

    /// Checks that the store serves the steps that take from it, and that there is enough if all must come from it and it is
    /// `known` how many there are.
    pub fn check(&self, jobs: &mut [Job], known: bool) -> Result<()> {
        let Some(store) = &self.store else { return Ok(()) };
        for job in jobs.iter_mut().filter(|job| job.stocked) {
            if let (Body::Lookup(lookup), Some((protocol, _))) = (&mut job.body, store.about().lookups) {
                lookup.operation.protocol = protocol;
            }
            store.fits(job.operation())?;
        }
        if known { self.enough(items(jobs)) } else { Ok(()) }
    }

    /// Moves on to where both parties are; returns how many of `rows` are there.
    pub fn agree(&mut self, p: &mut Party, rows: usize) -> Result<usize> {
        let Some(store) = &mut self.store else { return Ok(0) };
        store.agree(p)?;
        let stored = store.left().min(rows as u64) as usize;
        self.enough(rows)?;
        Ok(stored)
    }

    /// Hands out `counts` items to lanes.
    pub fn reserve(&mut self, counts: &[usize]) -> Result<Vec<Option<Reserved>>> {
        let Some(store) = &mut self.store else { return Ok(counts.iter().map(|_| None).collect()) };
        Ok(store.reserve_lanes(counts)?.into_iter().map(Some).collect())
    }

    /// What people should know about what is left after `stored` of `rows`.
    fn summary(&self, stored: usize, rows: usize) -> Option<String> {
        let store = self.store.as_ref()?;
        let (left, items) = (store.left(), store.about().items());
        let made = match rows - stored {
            0 => String::new(),
            made => format!(", the other {made} were made now"),
        };
        Some(format!("{stored} of {rows} {items} came from the store{made}; {left} are left"))
    }

    /// Says that on the terminal.
    pub fn tell(&self, stored: usize, rows: usize) {
        if let Some(text) = self.summary(stored, rows) {
            eprintln!("{text}");
        }
    }

    /// An error if there are fewer than `rows` and all must be there.
    pub fn enough(&self, rows: usize) -> Result<()> {
        let Some(store) = self.store.as_ref().filter(|_| self.no_offline) else { return Ok(()) };
        let (left, items) = (store.left(), store.about().items());
        if left >= rows as u64 {
            return Ok(());
        }
        let more = "make another store with `hushtable prepare`, or leave --no-offline out";
        Err(Failure::local(format!("{left} {items} are left in the store, {rows} are needed; {more}")))
    }
}

/// How many items the steps have that take from a store.
pub fn items(jobs: &[Job]) -> usize {
    jobs.iter().filter(|job| job.stocked).map(Job::rows).sum()
}

/// How many of each lane's rows come from the store: the first ones do.
pub fn shares(rows: &[usize], mut stored: usize) -> Vec<usize> {
    let share = |&rows: &usize| {
        let share = stored.min(rows);
        stored -= share;
        share
    };
    rows.iter().map(share).collect()
}

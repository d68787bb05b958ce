//! Material that was made ahead, for the lookups of a job.

use hushtable::{
    Party,
    operation::Lookup,
    store::{Reserved, Store},
};

use super::Apply;
use crate::{
    choice::{Choice, Choosing},
    failure::{Failure, Result},
    store::identity_of,
};

/// What the job takes from disk: at most one store.
pub struct Stock {
    store: Option<Store>,
    no_offline: bool,
}

impl Stock {
    /// No store.
    pub fn none() -> Self {
        Self { store: None, no_offline: false }
    }

    /// Opens the store that the arguments name.
    pub fn open(args: &Apply) -> Result<Self> {
        let open = |path: &std::path::PathBuf| -> Result<Store> {
            Ok(Store::open(path, &identity_of(&args.link)?)?)
        };
        Ok(Self { store: args.store.as_ref().map(open).transpose()?, no_offline: args.no_offline })
    }

    /// What the protocol is to be chosen by: with a store there is no choice.
    pub fn choosing(&self, asked: &Choosing) -> Result<Choosing> {
        let Some(stored) = self.store.as_ref().map(|store| store.about().protocol) else {
            return Ok(asked.clone());
        };
        match asked.protocol {
            Choice::Of(other) if other != stored => Err(Failure::new(format!(
                "the store holds material of {stored}; --protocol {other} does not fit"
            ))),
            _ => Ok(Choosing { protocol: Choice::Of(stored), ..asked.clone() }),
        }
    }

    /// What the parties compare.
    pub fn name(&self) -> String {
        self.store.as_ref().map_or("none".into(), |store| store.about().name())
    }

    /// How many of `rows` lookups are there, before the peer was asked.
    pub fn left(&self, rows: usize) -> usize {
        self.store.as_ref().map_or(0, |store| store.left().min(rows as u64) as usize)
    }

    /// Checks that the store serves the lookups, and that there is enough if all must come from it.
    pub fn check(&self, lookup: &mut Lookup, rows: usize) -> Result<()> {
        let Some(store) = &self.store else { return Ok(()) };
        lookup.protocol = store.about().protocol;
        store.fits(lookup.protocol, &lookup.job)?;
        self.enough(rows)
    }

    /// Moves on to where both parties are; returns how many of `rows` lookups are there.
    pub fn agree(&mut self, p: &mut Party, rows: usize) -> Result<usize> {
        let Some(store) = &mut self.store else { return Ok(0) };
        store.agree(p)?;
        let stored = store.left().min(rows as u64) as usize;
        self.enough(rows)?;
        Ok(stored)
    }

    /// Hands out `counts` lookups to lanes.
    pub fn reserve(&mut self, counts: &[usize]) -> Result<Vec<Option<Reserved>>> {
        let Some(store) = &mut self.store else { return Ok(counts.iter().map(|_| None).collect()) };
        Ok(store.reserve_lanes(counts)?.into_iter().map(Some).collect())
    }

    /// What people should know about what is left after `stored` of `rows` lookups.
    pub fn summary(&self, stored: usize, rows: usize) -> Option<String> {
        let left = self.store.as_ref()?.left();
        let made = match rows - stored {
            0 => String::new(),
            made => format!(", the other {made} were made now"),
        };
        Some(format!("{stored} of {rows} lookups came from the store{made}; {left} are left"))
    }

    fn enough(&self, rows: usize) -> Result<()> {
        let Some(left) = self.store.as_ref().map(Store::left).filter(|_| self.no_offline) else {
            return Ok(());
        };
        if left >= rows as u64 {
            return Ok(());
        }
        let more = "make another store with `hushtable prepare`, or leave --no-offline out";
        Err(Failure::local(format!("{left} lookups are left in the store, {rows} are needed; {more}")))
    }
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

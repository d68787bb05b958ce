//! What the parts of a session take, as they are done one after the other.

use std::slice;

use hushtable::{
    Party,
    operation::{Operation, Words},
    run::{self, Outcome, Phase, Ready, Reveal, Unwatched},
};
use hushtable_columns::failure::Result;

/// Phases of what is done.
#[derive(Default)]
pub struct Took {
    pub offline: Phase,
    pub online: Phase,
}

impl Took {
    /// The columns that an operation gives, opened to whom `reveal` says.
    pub fn run(
        &mut self,
        p: &mut Party,
        operation: &dyn Operation,
        operands: &[&[u64]],
        reveal: Reveal,
    ) -> Result<Vec<Outcome>> {
        let lanes = slice::from_mut(p);
        let done = run::run(operation, lanes, vec![Ready::default()], operands, reveal, &Unwatched)?;
        (self.offline, self.online) = (self.offline.then(done.offline), self.online.then(done.online));
        Ok(done.outcomes)
    }

    /// The values of those columns, opened to both parties.
    pub fn values(
        &mut self,
        p: &mut Party,
        operation: &dyn Operation,
        operands: &[&[u64]],
    ) -> Result<Vec<Vec<i64>>> {
        let opened = self.run(p, operation, operands, Reveal::Both)?;
        Ok(opened.into_iter().filter_map(Outcome::values).collect())
    }

    /// This party's words of those columns, which stay shared.
    pub fn columns(
        &mut self,
        p: &mut Party,
        operation: &dyn Operation,
        operands: &[&[u64]],
    ) -> Result<Vec<Words>> {
        let kept = self.run(p, operation, operands, Reveal::Nobody)?;
        Ok(kept.into_iter().map(Outcome::into_words).collect())
    }

    /// The same of the only column.
    pub fn shares(&mut self, p: &mut Party, operation: &dyn Operation, operands: &[&[u64]]) -> Result<Words> {
        Ok(self.columns(p, operation, operands)?.into_iter().next().unwrap_or_default())
    }
}

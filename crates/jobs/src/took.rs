//! What the parts of a session take, as they are done.

use hushtable::{Party, run::Phase};
use hushtable_columns::failure::Result;

/// Phases of what is done.
#[derive(Default)]
pub struct Took {
    pub offline: Phase,
    pub online: Phase,
}

impl Took {
    pub fn offline<T>(
        &mut self,
        p: &mut Party,
        f: impl FnOnce(&mut Party) -> hushtable::Result<T>,
    ) -> Result<T> {
        let (made, took) = Phase::of(p, f)?;
        self.offline = self.offline.then(took);
        Ok(made)
    }

    pub fn online<T>(
        &mut self,
        p: &mut Party,
        f: impl FnOnce(&mut Party) -> hushtable::Result<T>,
    ) -> Result<T> {
        let (made, took) = Phase::of(p, f)?;
        self.online = self.online.then(took);
        Ok(made)
    }
}

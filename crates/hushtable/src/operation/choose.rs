//! Which way of doing an operation suits a link: what [`plan::choose`] takes of its [ways](Operation::ways), at the
//! rates of the reference. Nothing is measured here: both parties come to the same from their
//! [setting](crate::Party::setting).

use super::Operation;
use crate::{
    bill::Objective,
    error::Result,
    ot::Setting,
    plan::{self, Machine, Wanted},
};

/// Ways of doing the same, with columns of the same [signature](Operation::signature).
pub struct Ways {
    /// What a choice makes least.
    pub objective: Objective,
    /// The usual one first.
    pub all: Vec<Box<dyn Operation>>,
}

impl Ways {
    /// A way for each objective, which `of` gives: first that for `objective`.
    pub(super) fn by_objective<T: Operation + 'static>(
        objective: Objective,
        of: impl Fn(Objective) -> Result<T>,
    ) -> Result<Option<Self>> {
        let others = [Objective::Total, Objective::Online, Objective::Rounds, Objective::Bytes];
        let others = others.into_iter().filter(|&other| other != objective);
        let boxed = |objective| of(objective).map(|way| Box::new(way) as Box<dyn Operation>);
        let all = [objective].into_iter().chain(others).map(boxed).collect::<Result<_>>()?;
        Ok(Some(Self { objective, all }))
    }
}

/// The way of `operation` that suits `items` items of it under this setting; `None` where it is to be done as it says.
///
/// # Errors
/// As [`Operation::bill`].
pub fn choose(
    operation: &dyn Operation,
    items: usize,
    under: &Setting,
) -> Result<Option<Box<dyn Operation>>> {
    let Some(Ways { objective, all }) = operation.ways()?.filter(|_| items > 0) else { return Ok(None) };
    let with_effort = |way: Box<dyn Operation>| {
        let effort = way.effort(items, under)?;
        Ok((way, effort))
    };
    let ways = all.into_iter().map(with_effort).collect::<Result<_>>()?;
    Ok(plan::choose(ways, &Wanted::new(objective, under.link, Machine::REFERENCE)))
}

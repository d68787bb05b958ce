//! What suits a setting: which of its [ways](Operation::ways) an operation is done by, and how many of its items together.
//! Nothing is measured here: both parties come to the same from their [setting](crate::Party::setting).

use super::{Operation, Ways};
use crate::{
    error::{Error, Result},
    ot::Setting,
    plan::{self, Machine, Wanted},
};

/// The way of `operation` that suits `items` of it under this setting; `None` where it is to be done as it says.
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

/// Of `items` items as many as the operation does together and as fit the memory of the setting, at both parties: 1 at
/// least, if there are any.
///
/// # Errors
/// As [`Operation::effort`].
pub fn batch(operation: &dyn Operation, items: usize, under: &Setting) -> Result<usize> {
    let most = items.min(operation.most().max(1));
    let memory = |items: usize| {
        let [p0, p1] = operation.effort(items, under)?.memory;
        Ok::<_, Error>(p0.max(p1))
    };
    if most <= 1 {
        return Ok(most);
    }
    let all = memory(most)?;
    if all <= under.memory {
        return Ok(most);
    }
    // What each takes besides the first one.
    let one = memory(1)?;
    let each = (all.saturating_sub(one) as f64 / (most - 1) as f64).max(1.0);
    let more = (under.memory.saturating_sub(one) as f64 / each) as usize;
    Ok((1 + more).min(most))
}

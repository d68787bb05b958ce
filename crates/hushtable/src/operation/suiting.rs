//! What suits a setting: which of its [ways](Operation::ways) an operation is done by, and how many of its items together.
//! Nothing is measured here: both parties come to the same from their [setting](crate::Party::setting).

use super::{Operation, Ways};
use crate::{
    error::{Error, Result},
    ot::Setting,
    plan::{self, Machine, Wanted},
};

/// The way of `operation` that suits `items` of it under this setting; `None` where it is to be done as it says. What the
/// setting makes least goes before what the operation would.
///
/// # Errors
/// As [`Operation::bill`].
pub fn choose(
    operation: &dyn Operation,
    items: usize,
    under: &Setting,
) -> Result<Option<Box<dyn Operation>>> {
    let Some(Ways { objective, all }) = operation.ways(under.objective)?.filter(|_| items > 0) else {
        return Ok(None);
    };
    let with_effort = |way: Box<dyn Operation>| {
        let effort = way.effort(items, under)?;
        Ok((way, effort))
    };
    let ways = all.into_iter().map(with_effort).collect::<Result<_>>()?;
    let machine = Machine::REFERENCE.objective(under.objective).prices(under.prices);
    Ok(plan::choose(ways, &Wanted::new(objective, under.link, machine)))
}

/// Bytes of memory at a party that stay in its cache while a batch is worked on, about: what a batch takes is not all in
/// use at a time.
const CACHE: u64 = 24 << 20;

/// Seconds that a byte of a batch takes besides where the batch is larger than that: AES by lookups was measured.
const MISSED: f64 = 0.4e-9;

/// Of `items` items as many as the operation does together at both parties: 1 at least, if there are any. They fit the
/// memory of the setting; and the cache too, where that gains four times as much as the parties wait more for each other.
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
    if all <= CACHE.min(under.memory) {
        return Ok(most);
    }
    // What each takes besides the first one.
    let one = memory(1)?;
    let each = (all.saturating_sub(one) as f64 / (most - 1) as f64).max(1.0);
    let within = |bytes: u64| (1 + (bytes.saturating_sub(one) as f64 / each) as usize).min(most);
    let (cached, most) = (within(CACHE), within(under.memory));
    // One that does not fit alone fits no better without others.
    if cached >= most || one >= CACHE {
        return Ok(most);
    }
    let waiting = plan::waiting(&operation.effort(cached, under)?, &under.link, &Machine::REFERENCE);
    Ok(if 4.0 * waiting < MISSED * each * cached as f64 { cached } else { most })
}

//! How many items of an operation are done together.

use super::Operation;
use crate::{error::Result, ot::Setting};

/// Of `items` items as many as the operation does together and as fit the memory of the setting, at both parties: 1 at
/// least, if there are any.
///
/// # Errors
/// As [`Operation::effort`].
pub fn batch(operation: &dyn Operation, items: usize, under: &Setting) -> Result<usize> {
    let most = items.min(operation.most().max(1));
    let memory = |items: usize| {
        let [p0, p1] = operation.effort(items, under)?.memory;
        Ok::<_, crate::Error>(p0.max(p1))
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

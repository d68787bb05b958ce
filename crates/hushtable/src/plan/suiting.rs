//! Which way of doing an operation suits a link: of the ways that suit one objective or another, the one of least
//! predicted time.
//!
//! Protocols for functions and comparisons are chosen for an objective, by counts alone. Over a slow link fewer bytes
//! can be the quickest, as for comparisons. Fewer rounds never are where time in all counts: they cost as many rounds
//! offline. For functions no choice changes by the link by more than predictions are exact to. Nothing is measured here:
//! both parties come to the same from the link that they [agreed on](crate::Party::link).

use super::{BEFORE, Estimate, Machine, Objective, predict::implied};
use crate::{
    bill::Bill,
    error::{Error, Result},
    ot::Setting,
};

/// Another way is taken if it is predicted to take less than this part of the time: predictions by bills are not
/// exacter.
const LESS: f64 = 0.9;

/// The way to take in place of the usual one, which was chosen for `objective`, under this setting. `of` gives the way that
/// suits an objective, and `bill` what the batch costs by a way.
///
/// # Errors
/// Those of `of` and `bill`.
pub(crate) fn suiting<T>(
    under: &Setting,
    objective: Objective,
    usual: T,
    bill: impl Fn(&T) -> Result<Bill>,
    of: impl Fn(Objective) -> Result<T>,
) -> Result<T> {
    // Inside a machine the counts are what was measured.
    let Some(value) = value(objective).filter(|_| under.link.mbit_per_s.is_some()) else { return Ok(usual) };
    let seconds = |way: &T| Ok::<_, Error>(value(&implied(&bill(way)?, &under.link, &Machine::REFERENCE)));
    let (mut least, mut taken) = (LESS * seconds(&usual)?, usual);
    let others = [Objective::Total, Objective::Online, Objective::Rounds, Objective::Bytes];
    for other in others.into_iter().filter(|&other| other != objective) {
        let way = of(other)?;
        let time = seconds(&way)?;
        if time < least {
            (least, taken) = (time, way);
        }
    }
    Ok(taken)
}

/// The time that counts for an objective, if it is one of time.
fn value(objective: Objective) -> Option<impl Fn(&[Estimate; 3]) -> f64> {
    let before = match objective {
        Objective::Total => 1.0,
        Objective::Online => BEFORE,
        Objective::Bytes | Objective::Rounds => return None,
    };
    Some(move |[setup, offline, online]: &[Estimate; 3]| {
        before * (setup.seconds + offline.seconds) + online.seconds
    })
}

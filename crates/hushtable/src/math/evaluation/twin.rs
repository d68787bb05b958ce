//! The plaintext twin of an evaluation: what the protocol may give for a number, over all shares of it.

use prim::ring::low;

use super::{
    form::{Form, Results},
    guard::Instead,
    program::Program,
};
use crate::math::functions::{Function, target::Place};

impl Program {
    /// The least and the greatest of a number; `None` for one that is refused.
    pub(super) fn outcomes(&self, x: i64) -> Option<Results> {
        let from = i128::from(x) - i128::from(self.grid.lo);
        let place = match from {
            ..0 => Place::Below,
            from if from >= i128::from(self.grid.count) => Place::Above,
            _ => Place::Inside,
        };
        if self.check.is_some_and(|check| !check.accepts(x)) {
            return None;
        }
        let instead = Results::one(self.instead[usize::from(place == Place::Above)].value(x));
        Some(match (&self.form, self.guard) {
            (Form::Angle(angle), _) => {
                let ([error, _], unit) = (angle.error(), 2f64.powi(self.fraction_out as i32));
                let function = self.named.expect("a function by name");
                let value = wave(function, x, self.grid.fraction) * unit;
                Results { least: (value - error).floor() as i64, greatest: (value + error).ceil() as i64 }
            }
            (Form::Direct(direct), None) => Results::one(direct.result(low(from as u64, direct.table().0))),
            (form, None) => form.results_at(from as i64),
            (form, Some(_)) if place == Place::Inside => form.results_at(from as i64),
            // Whether such a number counts as inside depends on its shares.
            (form, Some(guard)) if guard.is_near(from) => form.results_at(from as i64).with(instead),
            (_, Some(_)) => instead,
        })
    }
}

/// A sine or cosine of an integer times `2^-fraction`, of which floating point need not have all digits.
fn wave(function: Function, x: i64, fraction: u32) -> f64 {
    let unit = 2f64.powi(-(fraction as i32));
    let (cosine, turn) = function.wave().expect("a sine or cosine");
    if let Some(units) = turn {
        let rest = i128::from(x).rem_euclid(i128::from(units) << fraction);
        return function.eval(rest as f64 * unit);
    }
    let low = x & 0xffff_ffff;
    let [a, b] = [x - low, low].map(|part| (part as f64 * unit).sin_cos());
    if cosine { a.1 * b.1 - a.0 * b.0 } else { a.0 * b.1 + a.1 * b.0 }
}

impl Instead {
    fn value(self, x: i64) -> i64 {
        match self {
            Self::Constant(value) => value,
            Self::Number(more) => x << more,
        }
    }
}

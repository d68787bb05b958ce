//! Public numbers that shares are compared with.

use hushtable::operation::Relation;
use hushtable_columns::failure::{Failure, Result};

/// The number in steps of `2^-fraction_bits` with which shares of that scale are compared in place of `value`, so that the
/// answer is that of `value` itself.
pub fn steps(relation: Relation, value: f64, fraction_bits: u32) -> Result<f64> {
    // A power of two: exact.
    let scaled = value * 2f64.powi(fraction_bits as i32);
    let refuse = |why: &str| {
        Err(Failure::new(format!(
            "--constant {value}: {why}; accepted: a multiple of 2^-{fraction_bits}, or more --fraction-bits where the \
             numbers are read"
        )))
    };
    match relation {
        Relation::Ge | Relation::Lt => Ok(scaled.ceil()),
        Relation::Gt | Relation::Le => Ok(scaled.floor()),
        Relation::Eq | Relation::Ne if scaled.fract() != 0.0 => {
            refuse("none of the numbers can be equal to it")
        }
        Relation::Max | Relation::Min if fraction_bits == 0 && scaled.fract() != 0.0 => {
            refuse("the numbers are whole")
        }
        Relation::Eq | Relation::Ne | Relation::Max | Relation::Min => Ok(scaled.round()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(relation: Relation, x: f64, y: f64) -> bool {
        match relation {
            Relation::Ge => x >= y,
            Relation::Gt => x > y,
            Relation::Le => x <= y,
            Relation::Lt => x < y,
            Relation::Eq => x == y,
            Relation::Ne => x != y,
            Relation::Max | Relation::Min => unreachable!("not asked for"),
        }
    }

    #[test]
    fn the_answer_is_that_of_the_number_itself() {
        for fraction_bits in [0, 1, 2, 7] {
            let scale = 2f64.powi(fraction_bits as i32);
            // All quarters of a step around all numbers.
            for (relation, x, quarters) in Relation::ALL[..6]
                .iter()
                .flat_map(|r| (-9..10).flat_map(move |x| (-50..50).map(move |quarters| (*r, x, quarters))))
            {
                let (number, value) = (f64::from(x) / scale, f64::from(quarters) / 4.0 / scale);
                let equality = matches!(relation, Relation::Eq | Relation::Ne);
                match steps(relation, value, fraction_bits) {
                    Ok(steps) => {
                        let (got, want) =
                            (holds(relation, f64::from(x), steps), holds(relation, number, value));
                        assert_eq!(got, want, "{number} {relation:?} {value}, {fraction_bits} fraction bits");
                    }
                    Err(error) => assert!(equality && quarters % 4 != 0, "{error}"),
                }
            }
        }
    }

    #[test]
    fn what_a_scale_does_not_have_is_refused() {
        for (relation, fraction_bits, fine) in [
            (Relation::Eq, 0, false),
            (Relation::Ne, 2, false),
            (Relation::Max, 0, false),
            (Relation::Min, 2, true),
            (Relation::Ge, 0, true),
        ] {
            assert_eq!(steps(relation, 0.4, fraction_bits).is_ok(), fine, "{relation:?} {fraction_bits}");
        }
    }
}

//! Public numbers that shares are compared with.

use hushtable::{math, operation::Relation};
use hushtable_columns::{
    Format, Rounding,
    failure::{Failure, Result},
};

/// The number in steps of `2^-fraction_bits` with which shares of that scale are compared in place of `value`, so that the
/// answer is that of `value` itself.
///
/// Beside numbers that were rounded to nearest it is rounded as they were, if the scale tells its decimals apart: what
/// was written alike stays equal. One with more decimals is none of those numbers and is compared as it is, as beside
/// numbers that were rounded up or down before this order.
pub fn steps(relation: Relation, value: f64, fraction_bits: u32, rounding: Rounding) -> Result<f64> {
    // A power of two: exact.
    let scaled = value * 2f64.powi(fraction_bits as i32);
    let refuse = |why: &str| {
        Err(Failure::new(format!(
            "--constant {value}: {why}; accepted: a multiple of 2^-{fraction_bits}, or ge and lt with numbers beside it"
        )))
    };
    match relation {
        Relation::Ge | Relation::Lt | Relation::Gt | Relation::Le
            if rounding == Rounding::Nearest && math::fraction_bits(&[value]) <= fraction_bits =>
        {
            Ok(scaled.round())
        }
        Relation::Ge | Relation::Lt => Ok(scaled.ceil()),
        Relation::Gt | Relation::Le => Ok(scaled.floor()),
        Relation::Eq | Relation::Ne if scaled.fract() != 0.0 => refuse("the scale has no such number"),
        Relation::Max | Relation::Min if fraction_bits == 0 && scaled.fract() != 0.0 => {
            refuse("the numbers are whole")
        }
        Relation::Eq | Relation::Ne | Relation::Max | Relation::Min => Ok(scaled.round()),
    }
}

/// The number in steps of this format, beside sums that were rounded as suits the relation.
pub fn word(relation: Relation, value: f64, format: Format) -> Result<i64> {
    let steps = steps(relation, value, format.fraction_bits, Rounding::before(relation))?;
    let word = format.encode(steps * format.rounding());
    word.map(|word| word as i64).map_err(|what| Failure::new(format!("--constant {value} {what}")))
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
                match steps(relation, value, fraction_bits, Rounding::Up) {
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
            assert_eq!(
                steps(relation, 0.4, fraction_bits, Rounding::Up).is_ok(),
                fine,
                "{relation:?} {fraction_bits}"
            );
        }
    }

    /// A generator of numbers.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> i64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) % end) as i64
        }
    }

    /// As it is written: `n` of `10^-decimals`.
    fn decimal(n: i64, decimals: u32) -> f64 {
        format!("{n}e-{decimals}").parse().expect("a number")
    }

    fn order(relation: Relation, x: i64, y: i64) -> bool {
        holds(relation, x as f64, y as f64)
    }

    /// Decimals x scales that tell them apart x numbers next to a constant and at it, as whole numbers of the last decimal:
    /// columns that were rounded to nearest, and sums of two numbers that are rounded for the order.
    #[test]
    fn numbers_written_with_the_same_decimals_are_on_their_side() {
        let mut random = Random(7);
        for _ in 0..100_000 {
            let decimals = random.below(6) as u32;
            let value = random.below(2_000_000) - 1_000_000;
            let x = value + random.below(5) - 2;
            let relation = Relation::ALL[random.below(6) as usize];
            let (written, constant) = (decimal(x, decimals), decimal(value, decimals));
            // One step at least to a decimal; two for sums, whose numbers are each less than a step off.
            let least = (f64::from(decimals) * 10f64.log2()).ceil() as u32;
            let bits = least + random.below(8) as u32;
            let scale = 2f64.powi(bits as i32);
            let Ok(at) = steps(relation, constant, bits, Rounding::Nearest) else {
                assert!(matches!(relation, Relation::Eq | Relation::Ne) && (constant * scale).fract() != 0.0);
                continue;
            };
            assert_eq!(
                holds(relation, (written * scale).round(), at),
                order(relation, x, value),
                "{written} {relation:?} {constant}, {bits} fraction bits"
            );
            let (first, rounding) = (random.below(2_000_000) - 1_000_000, Rounding::before(relation));
            if rounding == Rounding::Nearest {
                continue;
            }
            let scale = 2.0 * scale;
            let part = |n: i64| rounding.whole(decimal(n, decimals) * scale);
            let at = steps(relation, constant, bits + 1, rounding).unwrap();
            assert_eq!(
                holds(relation, part(first) + part(x - first), at),
                order(relation, x, value),
                "{first} + {} of 10^-{decimals} {relation:?} {constant}, {} fraction bits",
                x - first,
                bits + 1
            );
        }
    }

    /// A constant between the steps of a scale that does not tell its decimals apart, beside multiples of the step.
    #[test]
    fn what_is_finer_than_the_scale_is_compared_as_it_is() {
        let mut random = Random(9);
        for _ in 0..20_000 {
            let bits = random.below(8) as u32;
            let decimals = 1 + (f64::from(bits + 1) / 10f64.log2()) as u32 + random.below(3) as u32;
            // The last digit is none of those that could be left out.
            let n = 10 * (random.below(200_000) - 100_000) + 1 + random.below(9);
            let constant = decimal(n, decimals);
            let scale = 2f64.powi(bits as i32);
            let word = (constant * scale).round() + random.below(5) as f64 - 2.0;
            for relation in [Relation::Ge, Relation::Gt, Relation::Le, Relation::Lt] {
                let at = steps(relation, constant, bits, Rounding::Nearest).unwrap();
                assert_eq!(
                    holds(relation, word, at),
                    holds(relation, word / scale, constant),
                    "{word} / {scale} {relation:?} {constant}"
                );
            }
        }
    }
}

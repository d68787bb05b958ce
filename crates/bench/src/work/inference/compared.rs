//! Results against what they are to become.

use std::{io::Read, ops::Range};

use apps::inference::twin;
use hushtable::{
    arith::fixed,
    math::{TensorCard, gelu},
};
use hushtable_columns::failure::{Failure, Result};

use super::asked::{InferenceWork, Shape};
use crate::{lanes, measured::Accuracy};

/// Units in the last place by which a block may differ from its twin in the clear.
const BLOCK_UNITS: f64 = 48.0;

/// The same of one with the precision of networks.
const BLOCK_UNITS_OF_NETWORKS: f64 = 256.0;

/// Results in floating point; those of the twin, if that is another one; and the greatest distance from it, in units in the last
/// place.
pub(super) type Expected = (Vec<f64>, Option<Vec<f64>>, f64);

/// Units in the last place by which a block may differ from its twin.
pub(super) fn most_units(work: &InferenceWork) -> f64 {
    if work.network { BLOCK_UNITS_OF_NETWORKS } else { BLOCK_UNITS }
}

/// Checks the results of some rows, which begin with what `from` gives of P0's shares.
pub(super) fn check(
    work: &InferenceWork,
    rows: Range<usize>,
    mine: &[u64],
    from: &mut dyn Read,
    accuracy: &mut Accuracy,
) -> Result<()> {
    let expected = expected(work, &work.numbers(rows.clone()))?;
    compare(work, rows.start, expected, mine, from, accuracy)
}

/// The same with what rows from `first` on are to become.
pub(super) fn compare(
    work: &InferenceWork,
    first: usize,
    (float, twin, most): Expected,
    mine: &[u64],
    from: &mut dyn Read,
    accuracy: &mut Accuracy,
) -> Result<()> {
    let mut sums = Vec::with_capacity(mine.len());
    for word in mine {
        sums.push(word.wrapping_add(lanes::word(from)?));
    }
    let got = fixed::decode(&sums, work.bits, work.fraction_bits);
    let unit = f64::from(1u32 << work.fraction_bits);
    for (i, y) in got.iter().enumerate() {
        let from_twin = (y - twin.as_ref().unwrap_or(&float)[i]).abs() * unit;
        if from_twin > most {
            let text = format!("number {i} from row {first} on is wrong by {from_twin:.1} units");
            return Err(Failure::Check(text));
        }
        accuracy.add((y - float[i]).abs() * unit);
    }
    Ok(())
}

/// What the rows are to become: in floating point; and the greatest error allowed, in units in the
/// last place, from what is beside it.
fn expected(work: &InferenceWork, x: &[f64]) -> Result<Expected> {
    let most = |TensorCard { function, max_ulp, .. }| -> Result<f64> {
        max_ulp.parse().map_err(|e| Failure::new(format!("error of {function}, {max_ulp}: {e}")))
    };
    Ok(match work.shape {
        Shape::Gpt2Softmax => (twin::softmax(x, 256), None, most(work.softmax(1).card()?)?),
        _ => (x.iter().map(|&x| gelu(x)).collect(), None, most(work.gelu(1).card()?)?),
    })
}

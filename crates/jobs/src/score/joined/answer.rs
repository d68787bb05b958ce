//! What scoring asks of results by row.

use crate::shared_results::SHARED_BITS;
use apps::scoring::{Question, Scoring};
use hushtable_columns::failure::{Failure, Result};

/// What `--default` says; nothing for empty.
pub fn default(text: &str, scoring: &Scoring) -> Result<Option<f64>> {
    if text == "empty" {
        return Ok(None);
    }
    let (fine, accepted): (fn(f64, f64) -> bool, _) = match scoring.question() {
        Question::Probability => (|value, most| (0.0..=most).contains(&value), "0 to 1".to_owned()),
        question => (
            |value, most| (0.0..=most).contains(&value) && value.fract() == 0.0,
            format!("a whole number from 0 to {}", most(question)),
        ),
    };
    let value = text.parse::<f64>().ok().filter(|value| fine(*value, most(scoring.question())));
    let refused = || Failure::new(format!("--default {text}: accepted: {accepted}, or empty"));
    value.map(Some).ok_or_else(refused)
}

/// The largest result.
fn most(question: &Question) -> f64 {
    match question {
        Question::Bands(thresholds) => thresholds.len() as f64,
        Question::AtLeast(_) | Question::Probability => 1.0,
    }
}

/// A question with results that can be multiplied.
pub fn shared(scoring: &Scoring) -> Result<Scoring> {
    let same = Scoring::new(scoring.bits(), scoring.fraction(), scoring.question().clone())?;
    Ok(same.additive(SHARED_BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_results_there_can_be() {
        let of = |question: Question, text: &str| {
            default(text, &Scoring::new(40, 16, question).unwrap()).map_err(|e| e.to_string())
        };
        assert_eq!(of(Question::AtLeast(0.5), "0"), Ok(Some(0.0)));
        assert_eq!(of(Question::AtLeast(0.5), "empty"), Ok(None));
        assert_eq!(of(Question::Bands(vec![0.2, 0.5]), "2"), Ok(Some(2.0)));
        assert_eq!(of(Question::Probability, "0.25"), Ok(Some(0.25)));
        for (question, text) in [
            (Question::AtLeast(0.5), "2"),
            (Question::AtLeast(0.5), "0.5"),
            (Question::Bands(vec![0.2, 0.5]), "3"),
            (Question::Probability, "1.5"),
            (Question::Probability, "none"),
        ] {
            assert!(of(question, text).unwrap_err().contains("--default"), "{text}");
        }
    }
}

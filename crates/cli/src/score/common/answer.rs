//! From shares of scores to the results of rows, which their owner gets.

use apps::scoring::{Question, Scoring};
use hushtable::{
    AShare, Party, Role,
    bill::Bill,
    gates::{Bits, Mux},
    operation::{Held, Operation, Words},
    run::{self, Outcome, Ready, Reveal, Unwatched},
    share::Sharing,
};

use crate::{
    apply::job::SHARED_BITS,
    failure::{Failure, Result},
    stats::groups::Took,
};

/// How a bit is held that is shared by XOR.
const BIT: Held = Held { sharing: Sharing::Xor, bits: 1, fraction: 0, range: Some([0, 1]) };

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
fn shared(scoring: &Scoring) -> Result<Scoring> {
    let same = Scoring::new(scoring.bits(), scoring.fraction(), scoring.question().clone())?;
    Ok(same.additive(SHARED_BITS))
}

/// What it costs for so many bins.
pub fn bill(scoring: &Scoring, default: Option<f64>, bins: usize) -> Result<Bill> {
    let operation = shared(scoring)?;
    let held = operation.result();
    let more = match default {
        Some(_) => Mux::bill(&[held.bits]),
        None => Bill::opening(1),
    };
    let opened = Bill::opening(held.bits.into());
    Ok(run::bill(&operation, bins, 1, Reveal::Nobody)? + (more + opened).times(bins))
}

/// The results of all bins, at the owner of the rows; of bins that do not match nothing or the default.
pub fn answer(
    p: &mut Party,
    scoring: &Scoring,
    default: Option<f64>,
    owner: Role,
    (matched, scores): (&Bits, &AShare<u64>),
    took: &mut Took,
) -> Result<Option<Vec<Option<f64>>>> {
    let asked = shared(scoring)?;
    let operation = asked.suiting(&p.link(), matched.len())?.unwrap_or_else(|| Box::new(asked));
    let held = operation.result();
    if held.sharing != Sharing::Additive {
        return Err(Failure::new("results that are not shared additively"));
    }
    let (lanes, ready) = (std::slice::from_mut(&mut *p), vec![Ready::default()]);
    let done = run::run(&*operation, lanes, ready, &[scores.words()], Reveal::Nobody, &Unwatched)?;
    (took.offline, took.online) = (took.offline.then(done.offline), took.online.then(done.online));
    let Outcome::Shares(words) = done.outcome else { unreachable!("nobody gets them") };
    let mut results = AShare::<u64>::new(held.bits, words.to_vec());
    if let Some(default) = default {
        // The default and what a match adds to it.
        let word = (default * 2f64.powi(held.fraction as i32)).round() as i64 as u64;
        let first = p.role() == Role::P0;
        let plus = |results: &AShare<u64>, word: u64| match first {
            true => results.plus_public(&vec![word; results.len()]),
            false => Ok(results.clone()),
        };
        let mux = took.offline(p, |p| Mux::prepare(p, matched.len(), &[held.bits]))?;
        results = took.online(p, |p| {
            let more = mux.select(p, matched, &plus(&results, word.wrapping_neg())?)?;
            plus(&more, word)
        })?;
    }
    let open = |p: &mut Party, held: Held, words: Vec<u64>| {
        // Public by the functionality: to the owner, who has the places of its rows; bin by bin to nobody else.
        match Reveal::Only(owner).open(p, held, Words::new(words))? {
            Outcome::Values(values) => Ok(Some(values)),
            _ => Ok(None),
        }
    };
    let values = took.online(p, |p| open(p, held, results.words().to_vec()))?;
    let bits = match default {
        Some(_) => None,
        None => took.online(p, |p| open(p, BIT, matched.iter().collect()))?,
    };
    let scale = 2f64.powi(held.fraction as i32);
    let shown = |i: usize| bits.as_ref().is_none_or(|bits| bits[i] == 1);
    Ok(values.map(|values| {
        let value = |(i, value): (usize, &i64)| shown(i).then_some(*value as f64 / scale);
        values.iter().enumerate().map(value).collect()
    }))
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

//! Vertical logistic regression: two parties score the people they have in common, each with its own features.
//!
//! # Functionality
//! For each row party p has features `x_p`, and it has weights `w_p` and an intercept `b_p`. Its part of the score is
//! `z_p = b_p + w_p x_p`. Out, for each row: shares of the bit whether the probability `sigmoid(z_0 + z_1)` is at
//! least a
//! public threshold t; or of the number of public thresholds that it reaches, its band; or of the probability.
//!
//! What an opened result says: a bit or a band says between which numbers the score lies, and so the other's part.
//! **The
//! probability says all of it**: who has p and its own part has the other's, `ln(p / (1 - p))` minus its own.
//!
//! # Protocol
//! 1. Each party computes its part and rounds it to a multiple of `2^-f`. The parts are additive shares of the score
//!    in a ring of l bits; they are limited to an eighth of it each, so that the score leaves the top bit free.
//! 2. *Thresholds*: the sigmoid increases, so the probability is at least t just when the score is at least
//!    `ln(t / (1 - t))`, or the least multiple of `2^-f` that is: a comparison with a public number for each, by
//!    [`Bands`], and no sigmoid.
//! 3. *Probability*: the sigmoid of the score, by [`Evaluation`].
//!
//! # Cost
//! A comparison of near numbers of l bits for each threshold, all in the same rounds; or that of the evaluation, see
//! its card.
//!
//! # Source
//! Mohassel, Zhang, "SecureML" (S&P 2017), section 4, for a model that is split by features.

pub mod model;

use std::fmt;

use hushtable::{
    Error, Result,
    arith::Objective,
    bill::Bill,
    math::{Bounds, Card, Evaluation, Function, Options},
    operation::{Bands, Material, Operation, Signature, Ways},
    ot::Setting,
    source::{Origin, Shape},
};

/// Where the sigmoid is evaluated: beyond, its limits are nearer than `2^-23`.
const DOMAIN: Bounds = Bounds { lo: -16.0, hi: 16.0 };

/// A party's part of a model.
#[derive(Clone, PartialEq)]
pub struct Weights {
    /// What is added to every row's part.
    pub intercept: f64,
    /// One for each feature.
    pub values: Vec<f64>,
}

impl Weights {
    /// The part of the score of one row.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many features as weights.
    pub fn part(&self, features: &[f64]) -> Result<f64> {
        if features.len() != self.values.len() {
            let (want, got) = (self.values.len(), features.len());
            return Err(Error::Shape { what: "features of a row", want, got });
        }
        let terms = self.values.iter().zip(features).map(|(w, x)| w * x);
        Ok(self.intercept + terms.sum::<f64>())
    }
}

/// Prints the shape only: the weights are a party's own.
impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Weights({} features)", self.values.len())
    }
}

/// What is asked about each row.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// Whether the probability is at least this.
    AtLeast(f64),
    /// How many of these, which increase, the probability reaches.
    Bands(Vec<f64>),
    /// The probability.
    Probability,
}

/// A question about scores of a given format. Public, the same at both parties.
#[derive(Clone)]
pub struct Scoring {
    bits: u32,
    fraction: u32,
    question: Question,
    method: Answer,
}

#[derive(Clone)]
enum Answer {
    /// Comparison with the thresholds' scores, times `2^fraction`.
    Bands(Bands),
    Sigmoid(Evaluation),
}

impl Scoring {
    /// For scores of `bits` bits, 16 to 64, with `fraction` behind the point.
    ///
    /// # Errors
    /// [`Error::Param`] for other widths, for thresholds that are not between 0 and 1, do not increase, are more than
    /// 15 or whose score no score reaches, and if the sigmoid cannot be evaluated in that format: see
    /// [`Evaluation::new`].
    pub fn new(bits: u32, fraction: u32, question: Question) -> Result<Self> {
        let refuse = |what, got: u32, accepted| Err(Error::Param { what, got: got.to_string(), accepted });
        if !(16..=64).contains(&bits) {
            return refuse("bits of a score", bits, "16 to 64".into());
        }
        if fraction + 4 > bits {
            return refuse("bits behind the point of a score", fraction, format!("0 to {}", bits - 4));
        }
        let method = match &question {
            Question::AtLeast(t) => Answer::Bands(bands(&[*t], bits, fraction)?),
            Question::Bands(thresholds) => Answer::Bands(bands(thresholds, bits, fraction)?),
            Question::Probability => {
                let options = Options::default().domain(DOMAIN);
                Answer::Sigmoid(Evaluation::new(Function::Sigmoid, bits, fraction, &options)?)
            }
        };
        Ok(Self { bits, fraction, question, method })
    }

    /// Bits of a score.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Bits behind the point of a score, and of a probability.
    pub fn fraction(&self) -> u32 {
        self.fraction
    }

    /// What is asked.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// How the sigmoid is evaluated, if it is.
    pub fn card(&self) -> Option<Card> {
        match &self.method {
            Answer::Sigmoid(evaluation) => Some(evaluation.card()),
            Answer::Bands(_) => None,
        }
    }

    /// What both parties compare: the tables of the sigmoid, or the scores that are compared with.
    pub fn digest(&self) -> hushtable::Digest {
        match &self.method {
            Answer::Sigmoid(evaluation) => evaluation.digest(),
            Answer::Bands(bands) => bands.terms().digest(),
        }
    }

    /// What parts must be in size less than, or equal to the negative of.
    pub fn limit(&self) -> f64 {
        2f64.powi(self.bits as i32 - 3 - self.fraction as i32)
    }

    /// A part as a share of the score, rounded to nearest, ties away from zero. `None` if it is not within the
    /// [limit](Self::limit).
    pub fn encode(&self, part: f64) -> Option<u64> {
        let (scaled, end) =
            ((part * 2f64.powi(self.fraction as i32)).round(), 2f64.powi(self.bits as i32 - 3));
        (-end..end).contains(&scaled).then_some(scaled as i64 as u64)
    }

    /// With results that are shared additively, bits and bands mod `2^bits`.
    #[must_use]
    pub fn additive(self, bits: u32) -> Self {
        let method = match self.method {
            Answer::Bands(bands) => Answer::Bands(bands.additive(bits)),
            sigmoid => sigmoid,
        };
        Self { method, ..self }
    }

    fn operation(&self) -> &dyn Operation {
        match &self.method {
            Answer::Bands(bands) => bands,
            Answer::Sigmoid(evaluation) => evaluation,
        }
    }
}

/// Takes this party's [parts](Scoring::encode) of the scores.
impl Operation for Scoring {
    fn name(&self) -> String {
        "score".into()
    }

    fn method(&self) -> String {
        self.operation().method()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        // Many digits make it longer than what parties compare by name; then the digest alone tells.
        let long = || format!("bands by {}", self.method());
        let asked = Some(self.question.to_string()).filter(|text| text.len() <= 256).unwrap_or_else(long);
        vec![
            ("what is asked", asked),
            ("bits", self.bits.to_string()),
            ("fraction bits", self.fraction.to_string()),
            ("digest of the question", self.digest().to_hex().to_string()),
        ]
    }

    fn signature(&self) -> Signature {
        self.operation().signature()
    }

    fn bill(&self, items: usize, under: &Setting) -> Result<Bill> {
        self.operation().bill(items, under)
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        let Answer::Bands(bands) = &self.method else { return Ok(None) };
        bands.ways_of(asked, |bands| Self { method: Answer::Bands(bands), ..self.clone() })
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        self.operation().material(from, items)
    }

    fn stored_as(&self) -> String {
        self.operation().stored_as()
    }

    fn shape(&self) -> Result<Shape> {
        self.operation().shape()
    }

    fn tells(&self) -> String {
        let score = |t: &f64| format!("{:.4}", Function::Ln.eval(t / (1.0 - t)));
        match &self.question {
            Question::AtLeast(t) => format!(
                "whether the probability is at least {t}: one bit. With its own part of the score: whether the other's \
                 part is at least {} minus its own",
                score(t)
            ),
            Question::Bands(thresholds) => format!(
                "in which of {} bands the probability lies. With its own part of the score: between which of the numbers \
                 {}, each minus its own part, the other's part lies",
                thresholds.len() + 1,
                list(thresholds.iter().map(score))
            ),
            Question::Probability => {
                "the probability p. With its own part of the score: the other's part, which is \
                                      ln(p / (1 - p)) minus its own, as exactly as the digits of p say"
                    .into()
            }
        }
    }

    fn card(&self) -> Option<String> {
        Scoring::card(self).map(|card| card.to_string())
    }
}

/// In the same words at both parties.
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(t) => write!(f, "whether the probability is at least {t}"),
            Self::Bands(all) => write!(f, "how many of {} the probability reaches", list(all.iter())),
            Self::Probability => f.write_str("the probability"),
        }
    }
}

fn list(items: impl Iterator<Item = impl fmt::Display>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// The comparisons with thresholds, which must increase.
fn bands(thresholds: &[f64], bits: u32, fraction: u32) -> Result<Bands> {
    if let Some(pair) = thresholds.windows(2).find(|pair| pair[0] >= pair[1]) {
        let got = format!("{} before {}", pair[0], pair[1]);
        return Err(Error::Param { what: "thresholds", got, accepted: "numbers that increase".into() });
    }
    let cuts = thresholds.iter().map(|t| least_score(*t, bits, fraction)).collect::<Result<Vec<_>>>()?;
    Bands::new(bits, cuts, Objective::Total)
}

/// The least score, times `2^fraction`, whose sigmoid is at least t.
fn least_score(t: f64, bits: u32, fraction: u32) -> Result<i64> {
    let refuse = |accepted: String| Err(Error::Param { what: "threshold", got: t.to_string(), accepted });
    if !(t > 0.0 && t < 1.0) {
        return refuse("more than 0 and less than 1".into());
    }
    let scale = 2f64.powi(fraction as i32);
    let least = (Function::Ln.eval(t / (1.0 - t)) * scale).ceil();
    let end = 2f64.powi(bits as i32 - 2);
    if !(-end..end).contains(&least) {
        let reached = Function::Sigmoid.eval(end / scale);
        return refuse(format!(
            "{} to {reached}, for scores of {bits} bits with {fraction} behind the point",
            1.0 - reached
        ));
    }
    Ok(least as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_sums() {
        let weights = Weights { intercept: -1.5, values: vec![2.0, -0.25] };
        assert_eq!(weights.part(&[3.0, 4.0]).unwrap(), 3.5);
        let error = weights.part(&[3.0]).unwrap_err();
        assert!(matches!(error, Error::Shape { want: 2, got: 1, .. }), "{error}");
    }

    #[test]
    fn thresholds_are_the_least_scores() {
        for fraction in [0, 8, 16] {
            for t in [1e-4, 0.1, 0.25, 0.5, 0.731, 0.9, 0.9999] {
                let least = least_score(t, 32, fraction).unwrap();
                let sigmoid = |score: i64| Function::Sigmoid.eval(score as f64 / 2f64.powi(fraction as i32));
                assert!(sigmoid(least) >= t && sigmoid(least - 1) < t, "{t} with {fraction} bits");
            }
        }
        assert_eq!(least_score(0.5, 16, 8).unwrap(), 0);
        for t in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            assert!(least_score(t, 32, 16).is_err(), "{t}");
        }
        assert!(least_score(0.9999, 16, 12).unwrap_err().to_string().contains("for scores of 16 bits"));
    }

    #[test]
    fn thresholds_of_bands_increase() {
        let bands = |thresholds: &[f64]| Scoring::new(40, 16, Question::Bands(thresholds.to_vec()));
        assert!(bands(&[0.1, 0.5, 0.9]).is_ok() && bands(&[0.5, 0.500001]).is_ok());
        let many: Vec<f64> = (1..=15).map(|i| f64::from(i) / 16.0).collect();
        assert_eq!(bands(&many).unwrap().result().range, Some([0, 15]));
        let more: Vec<f64> = (1..=16).map(|i| f64::from(i) / 17.0).collect();
        for (thresholds, fragment) in [
            (&[0.5, 0.1][..], "accepted: numbers that increase"),
            (&[0.5, 0.5], "0.5 before 0.5"),
            (&[0.5, 1.0], "threshold: 1"),
            (&[], "0 cuts"),
            (&more, "16 cuts"),
        ] {
            let error = bands(thresholds).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(error.contains(fragment), "{thresholds:?}: {error}");
        }
    }

    #[test]
    fn parts_within_the_limit_only() {
        let scoring = Scoring::new(16, 8, Question::AtLeast(0.5)).unwrap();
        assert_eq!(scoring.limit(), 32.0);
        assert_eq!(scoring.encode(-32.0), Some((-8192i64) as u64));
        assert_eq!([scoring.encode(32.0), scoring.encode(-32.01), scoring.encode(f64::NAN)], [None; 3]);
        assert_eq!(scoring.encode(31.999), None, "rounds to 32");
        assert!(Scoring::new(16, 13, Question::AtLeast(0.5)).is_err());
        assert!(Scoring::new(15, 8, Question::AtLeast(0.5)).is_err());
    }
}

//! Biometric fusion: whether the matching scores of several devices, taken together, reach a threshold.
//!
//! # Functionality
//! For each person m shared scores `s_i`, multiples of `2^-f` with `0 <= s_i < 1`. Out: shares of the bit whether their
//! weighted quasi-arithmetic mean, `phi^-1(sum of w_i phi(s_i) / sum of w_i)` with `phi(s) = tan(pi s / 2)`, is at least
//! a public threshold t. One device that is nearly sure weighs more than several that are half sure: phi has a pole at
//! 1. A score of 1 itself is to be given as `1 - 2^-f`, the largest there is; its phi is `2^f 2 / pi`.
//!
//! # Protocol
//! phi increases, so the mean is at least t just when `sum of w_i phi(s_i)` is at least `phi(t) sum of w_i`: a table of
//! the tangents of all scores, read for all devices in the same rounds; a local sum with public weights, which are
//! multiples of `2^-8`; one comparison with a public number. Neither the inverse of phi nor a division is needed.
//!
//! # Cost, a person
//! m lookups by [`Evaluation`], and a comparison of 40 bits.
//!
//! # Source
//! fss-spec 16, Biometric fusion.

use hushtable::{
    AShare, Error, Result,
    arith::{Fixed, Objective},
    bill::Bill,
    error::same,
    math::{Bounds, Evaluation, Function, Method, Options, Outside},
    operation::{Bands, Material, Operation, Port, Signature, Words, spend},
    ot::Setting,
    source::Origin,
    terms::Value,
};
use prim::ring::low;

/// Width of a score and of the sum, and bits behind the point of a phi and of a weight.
const BITS: u32 = 40;
const FRACTION: u32 = 12;
const WEIGHT: u32 = 8;

/// Most bits behind the point of a score, and largest sum of weights: sums then leave two bits of the ring.
const MOST_FRACTION: u32 = 12;
const MOST_WEIGHT: f64 = 64.0;

/// Devices, their weights and a threshold. Public, the same at both parties.
#[derive(Clone)]
pub struct Fusion {
    fraction: u32,
    /// Times `2^8`.
    weights: Vec<u64>,
    threshold: f64,
    tangent: Evaluation,
    reached: Bands,
}

impl Fusion {
    /// For scores with `fraction` bits behind the point, a device for each weight.
    ///
    /// # Errors
    /// [`Error::Param`] unless a score has 1 to 12 bits behind the point, weights are multiples of `2^-8` above 0 and 64
    /// in sum at most, and the threshold is more than 0 and less than 1.
    pub fn new(fraction: u32, weights: &[f64], threshold: f64) -> Result<Self> {
        let refuse =
            |what, got: String, accepted: &str| Err(Error::Param { what, got, accepted: accepted.into() });
        if !(1..=MOST_FRACTION).contains(&fraction) {
            return refuse("bits behind the point of a score", fraction.to_string(), "1 to 12");
        }
        let whole: Vec<u64> = weights.iter().map(|w| (w * 2f64.powi(WEIGHT as i32)).round() as u64).collect();
        let sum = weights.iter().sum::<f64>();
        if !weights.iter().all(|w| *w > 0.0) || whole.is_empty() || sum > MOST_WEIGHT {
            return refuse(
                "weights",
                format!("{weights:?}"),
                "one or more above 0, with a sum of 64 at most",
            );
        }
        // With a weight that is rounded, decisions would be those of another mean.
        let nearest = |w: &u64| (*w).max(1) as f64 / f64::from(1u32 << WEIGHT);
        if let Some((weight, other)) =
            weights.iter().zip(whole.iter().map(nearest)).find(|(w, near)| *w != near)
        {
            let accepted = format!("multiples of 1/256; the nearest is {other}");
            return refuse("weights", weight.to_string(), &accepted);
        }
        if !(threshold > 0.0 && threshold < 1.0) {
            return refuse("threshold", threshold.to_string(), "more than 0 and less than 1");
        }
        let options = Options::default()
            .domain(Bounds { lo: 0.0, hi: 0.5 })
            .method(Method::Direct)
            .outside(Outside::Wrap)
            .fraction_out(FRACTION);
        // Half a score is the same integer with one more bit behind the point.
        let tangent = Evaluation::new(Function::TanPi, BITS, fraction + 1, &options)?;
        // Rounded as those of scores are, so that scores that all are the threshold reach it.
        let phi = (Function::TanPi.eval(threshold / 2.0) * 2f64.powi(FRACTION as i32)).round();
        let cut = phi * whole.iter().sum::<u64>() as f64;
        // A threshold above all scores is reached by none: so is the largest cut.
        let cut = cut.min(2f64.powi(BITS as i32 - 2)) as i64;
        let reached = Bands::new(BITS, vec![cut], Objective::Total)?;
        Ok(Self { fraction, weights: whole, threshold, tangent, reached })
    }

    /// How many devices there are.
    pub fn devices(&self) -> usize {
        self.weights.len()
    }

    /// The mean in floating point, of scores of all devices.
    pub fn mean(weights: &[f64], scores: &[f64]) -> f64 {
        let phi = |s: &f64| Function::TanPi.eval(s / 2.0);
        let sum: f64 = weights.iter().zip(scores).map(|(w, s)| w * phi(s)).sum();
        Function::Atan.eval(sum / weights.iter().sum::<f64>()) / std::f64::consts::FRAC_PI_2
    }
}

/// Takes this party's shares of the scores mod `2^40`, times `2^f`, an operand for each device.
impl Operation for Fusion {
    fn name(&self) -> String {
        "fusion".into()
    }

    fn method(&self) -> String {
        format!("{} tangents by table, comparison", self.devices())
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("fraction bits", self.fraction.to_string()),
            ("weights", Value::text(&self.weights[..])),
            ("threshold", self.threshold.to_string()),
        ]
    }

    fn signature(&self) -> Signature {
        let score = Port::additive("score", BITS).scaled(self.fraction);
        Signature::new(vec![score; self.devices()], self.reached.result())
    }

    fn bill(&self, items: usize, under: &Setting) -> Result<Bill> {
        Ok(self.tangent.bill(self.devices() * items) + self.reached.bill(items, under)?)
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let tangents = self.tangent.prepare(from, self.devices() * items)?;
        let reached = self.reached.material(from, items)?;
        let (weights, fraction) = (self.weights.clone(), self.fraction);
        Ok(spend(items, move |s, given| {
            same("devices", weights.len(), given.len())?;
            given.iter().try_for_each(|scores| same("scores of a device", items, scores.len()))?;
            let scores = AShare::<u64>::new(BITS, given.concat());
            let phi = tangents.eval(s, &Fixed::new(scores, fraction + 1)?)?;
            let phi = phi.share().words();
            let weighted = |i: usize| {
                let all = weights.iter().enumerate();
                all.fold(0u64, |sum, (device, w)| sum.wrapping_add(w.wrapping_mul(phi[device * items + i])))
            };
            let sums = Words::new((0..items).map(|i| low(weighted(i), BITS)).collect());
            reached.eval(s, &[&sums])
        }))
    }

    fn tells(&self) -> String {
        format!("whether the mean of {} scores is at least {}: one bit", self.devices(), self.threshold)
    }

    fn card(&self) -> Option<String> {
        let all = self.weights.iter().sum::<u64>() as f64 / f64::from(1u32 << WEIGHT);
        let off = all / 2f64.powi(FRACTION as i32);
        Some(format!("{}\nthe weighted sum of tangents is off by {off:.5} at most", self.tangent.card()))
    }
}

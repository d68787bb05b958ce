//! Scores of rows whose features are shared, as those of a hidden join, by weights that each party has for some of them.
//!
//! # Functionality
//! In: XOR shares of a bit b, whether the row counts; of each party's features additive shares mod `2^r`, with `f` bits
//! behind the point; its weights for them and its intercept, which it alone knows. Out: shares mod `2^l` of
//! `b (intercepts) + sum of weight * feature`, where features are 0 if b is: each party's sum is rounded to a neighbour.
//!
//! # Cost
//! Of each party: a selection of a known word, and a [linear layer](arith::Layer) of its weights.
//!
//! # Source
//! Mohassel, Zhang, "SecureML" (S&P 2017), section 5; join-spec 4.

use std::sync::Arc;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{self, LayerJob, LinearJob, MatrixShape},
    bill::Bill,
    error::same,
    gates::{Bits, KnownMux},
    operation::{Material, Operation, Port, Signature, Words, spend},
    ot::Setting,
};
use prim::wipe::Wiped;

/// Bits behind the point of a weight, and of a weight with its sign.
pub const FRACTION: u32 = 24;
const WEIGHT: u32 = 32;

/// What is public of scores of shared features.
#[derive(Clone, Debug)]
pub struct Model {
    bits: u32,
    fraction: u32,
    parts: [Part; 2],
}

/// What is public of a party's features.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// How many.
    pub features: usize,
    /// Their bits behind the point.
    pub fraction: u32,
}

/// Scores of shared features, at one party. It has this party's weights, so unlike other operations it is not public.
/// Takes the bits, and the features of P0 and of P1.
#[derive(Clone)]
pub struct Weighted {
    /// What is public.
    pub model: Model,
    /// This party's weights.
    pub mine: Arc<OwnWeights>,
}

/// A party's intercept and weights; wiped.
pub struct OwnWeights {
    intercept: Wiped<u64>,
    weights: Wiped<i64>,
}

impl OwnWeights {
    /// An intercept as a [score](crate::scoring::Scoring::encode), and each [`weight`] in the order of the features.
    pub fn new(intercept: u64, weights: Wiped<i64>) -> Self {
        Self { intercept: vec![intercept].into(), weights }
    }
}

/// A party's part of a batch.
struct Prepared {
    intercepts: KnownMux,
    /// Where it has features.
    layer: Option<arith::Layer>,
}

/// A weight as it is multiplied; `None` if it does not fit.
pub fn weight(weight: f64) -> Option<i64> {
    // As it is rounded: what is just below the bound may reach it.
    let rounded = (weight * 2f64.powi(FRACTION as i32)).round();
    (rounded.abs() < 2f64.powi(WEIGHT as i32 - 1)).then_some(rounded as i64)
}

/// What a weight must be less than in size.
pub fn largest() -> f64 {
    2f64.powi((WEIGHT - 1 - FRACTION) as i32)
}

impl Model {
    /// Scores of `bits` bits, `fraction` behind the point, of the features of P0 and of P1.
    ///
    /// # Errors
    /// [`Error::Param`] for scores with more digits than products have, and for products of more than 64 bits.
    pub fn new(bits: u32, fraction: u32, parts: [Part; 2]) -> Result<Self> {
        let made = Self { bits, fraction, parts };
        for part in parts {
            let most = part.fraction + FRACTION;
            if most < fraction {
                let (what, got) =
                    ("bits behind the point of a score of rows in common", fraction.to_string());
                return Err(Error::Param { what, got, accepted: format!("at most {most}") });
            }
            let ring = made.ring(part);
            if ring > 64 {
                let what = "bits of a score, and of what is rounded away of it";
                return Err(Error::Param { what, got: ring.to_string(), accepted: "64".into() });
            }
        }
        Ok(made)
    }

    /// Bits that are rounded away of products; 0 where these have as many behind the point as scores.
    fn cut(&self, part: Part) -> u32 {
        (part.fraction + FRACTION).saturating_sub(self.fraction)
    }

    fn ring(&self, part: Part) -> u32 {
        self.bits + self.cut(part)
    }

    /// The products with the features of a party, if it has any.
    fn job(&self, owner: Role, items: usize) -> Result<Option<LayerJob>> {
        let part = self.parts[owner as usize];
        if part.features == 0 || items == 0 {
            return Ok(None);
        }
        let shape = MatrixShape { batch: 1, rows: items, inner: part.features, columns: 1 };
        let map = LinearJob { shape: shape.into(), bits: self.ring(part), number_bits: WEIGHT, owner };
        LayerJob::new(map, self.cut(part)).map(Some)
    }
}

impl Operation for Weighted {
    fn name(&self) -> String {
        "scores of shared features".into()
    }

    fn method(&self) -> String {
        "products with known weights".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let part = |part: Part| format!("{} with {} bits behind the point", part.features, part.fraction);
        let Model { bits, fraction, parts: [p0, p1] } = self.model;
        vec![
            ("bits", bits.to_string()),
            ("fraction bits", fraction.to_string()),
            ("features of P0", part(p0)),
            ("features of P1", part(p1)),
        ]
    }

    fn signature(&self) -> Signature {
        let Model { bits, fraction, parts } = self.model;
        let of = |part: Part| {
            let features = Port::additive("features", self.model.ring(part)).of(part.features);
            features.scaled(part.fraction)
        };
        let [p0, p1] = parts.map(of);
        Signature::new([Port::bit("in common"), p0, p1], Port::additive("score", bits).scaled(fraction))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let model = &self.model;
        let of = |role| -> Result<Bill> {
            let intercepts = KnownMux::bill(role, &[model.bits]).times(items);
            let Some(job) = model.job(role, items)? else { return Ok(intercepts) };
            Ok(intercepts + job.bill(1)?)
        };
        Ok(of(Role::P0)? + of(Role::P1)?)
    }

    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        let (model, mut parts) = (&self.model, Vec::new());
        for role in [Role::P0, Role::P1] {
            let intercepts = KnownMux::prepare(p, role, items, &[model.bits])?;
            let weights: &[i64] = if p.role() == role { &self.mine.weights } else { &[] };
            let layer = model.job(role, items)?.map(|job| arith::Layer::prepare(p, &job, 1, weights));
            parts.push(Prepared { intercepts, layer: layer.transpose()? });
        }
        let (bits, mine) = (model.bits, Arc::clone(&self.mine));
        Ok(spend(items, move |s, given| {
            same("operands", 1 + parts.len(), given.len())?;
            let bit = Bits::collect(given[0].iter().copied());
            let intercepts = Wiped::from(vec![mine.intercept[0]; items]);
            let mut sum = AShare::<u64>::new(bits, vec![0; items]);
            for ((role, part), features) in [Role::P0, Role::P1].into_iter().zip(parts).zip(&given[1..]) {
                let known: &[&[u64]] = if s.role() == role { &[&intercepts] } else { &[] };
                sum = &sum + &part.intercepts.select(s, &bit, known)?[0];
                let Some(layer) = part.layer else { continue };
                let features = AShare::<u64>::new(layer.bits(), features.to_vec());
                sum = &sum + &layer.apply(s, &features, &[])?.low_bits(bits)?;
            }
            Ok(vec![Words::new(sum.into_wide())])
        }))
    }

    fn tells(&self) -> String {
        "the score".into()
    }
}

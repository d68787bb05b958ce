//! Functions of rows of shared numbers, and GELU.

use super::{Held, Material, Operation, material, operands};
use crate::{
    arith::Fixed,
    bill::Bill,
    error::Result,
    math::{Affine, Gelu, GeluJob, Norm, NormJob, Softmax, SoftmaxJob},
    share::{AShare, Sharing},
    source::Origin,
};

/// Numbers of a GELU whose material is in memory at a time.
const BATCH: usize = 1 << 16;

/// Layer norm of each row.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    /// What the rows have in common.
    pub job: NormJob,
    /// The gains and offsets of the columns.
    pub affine: Affine,
}

impl Operation for SoftmaxJob {
    fn name(&self) -> String {
        "softmax".into()
    }

    fn method(&self) -> String {
        let steps = "maximum, exponential, reciprocal";
        self.plans().map_or(steps.into(), |[max, far]| format!("{steps}; {max}, {far}"))
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("parameters", format!("{self:?}"))]
    }

    fn result(&self) -> Held {
        held(self.bits, self.scale, Some([-8, (1 << self.scale) + 8]))
    }

    fn bill(&self, _items: usize) -> Result<Bill> {
        SoftmaxJob::bill(self)
    }

    fn most(&self) -> Option<usize> {
        None
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, scale, softmax) = (self.bits, self.scale, Softmax::prepare(from, *self)?);
        Ok(material(items, move |s, given| words(softmax.eval(s, &fixed(given, bits, scale)?)?)))
    }

    fn card(&self) -> Option<String> {
        SoftmaxJob::card(self).ok().map(|card| card.to_string())
    }
}

impl Operation for GeluJob {
    fn name(&self) -> String {
        "gelu".into()
    }

    fn method(&self) -> String {
        "256 lines".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let job = Self { batch: 0, ..*self };
        vec![("parameters", format!("{job:?}"))]
    }

    fn result(&self) -> Held {
        held(self.bits, self.scale, None)
    }

    fn bill(&self, items: usize) -> Result<Bill> {
        GeluJob::bill(&Self { batch: items, ..*self })
    }

    fn most(&self) -> Option<usize> {
        Some(BATCH)
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, scale) = (self.bits, self.scale);
        let gelu = Gelu::prepare(from, Self { batch: items, ..*self })?;
        Ok(material(items, move |s, given| words(gelu.eval(s, &fixed(given, bits, scale)?)?)))
    }

    fn card(&self) -> Option<String> {
        GeluJob::card(self).ok().map(|card| card.to_string())
    }
}

impl Operation for LayerNorm {
    fn name(&self) -> String {
        "layer norm".into()
    }

    fn method(&self) -> String {
        "squares, reciprocal root".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("parameters", format!("{:?}", self.job))]
    }

    fn result(&self) -> Held {
        held(self.job.bits, self.job.scale, None)
    }

    fn bill(&self, _items: usize) -> Result<Bill> {
        self.job.bill()
    }

    fn most(&self) -> Option<usize> {
        None
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (NormJob { bits, scale, .. }, affine) = (self.job, self.affine.clone());
        let norm = Norm::prepare(from, self.job)?;
        Ok(material(items, move |s, given| words(norm.eval(s, &fixed(given, bits, scale)?, &affine)?)))
    }

    fn card(&self) -> Option<String> {
        self.job.card().ok().map(|card| card.to_string())
    }
}

fn held(bits: u32, fraction: u32, range: Option<[i64; 2]>) -> Held {
    Held { sharing: Sharing::Additive, bits, fraction, range }
}

fn fixed(given: &[&[u64]], bits: u32, scale: u32) -> Result<Fixed<u64>> {
    let [x] = operands(given)?;
    Fixed::new(AShare::new(bits, x.to_vec()), scale)
}

fn words(y: Fixed<u64>) -> Result<Vec<u64>> {
    Ok(y.share().words().to_vec())
}

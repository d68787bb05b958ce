//! Functions of rows of shared numbers, and GELU.

use super::{Material, Operation, Port, Signature, Ways, implied, material, operands};
use crate::{
    arith::Fixed,
    bill::{Bill, Effort, Objective},
    error::Result,
    math::{Affine, Gelu, GeluJob, Norm, NormJob, Softmax, SoftmaxJob},
    ot::Setting,
    party::Party,
    share::AShare,
    source::Origin,
};

/// Layer norm of each row.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    /// What the rows have in common, however many it says there are.
    pub job: NormJob,
    /// The gains and offsets of the columns.
    pub affine: Affine,
}

/// An item is a row, however many the job says there are.
impl Operation for SoftmaxJob {
    fn name(&self) -> String {
        "softmax".into()
    }

    fn method(&self) -> String {
        let steps = "maximum, exponential, reciprocal";
        self.plan().map_or(steps.into(), |max| format!("{steps}; {max}"))
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        self.terms().fields()
    }

    fn signature(&self) -> Signature {
        let row = row(self.bits, self.scale).of(self.len);
        let off = self.most_off();
        Signature::new([row], row.within(Some([-off, (1 << self.scale) + off])))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        SoftmaxJob::bill(&Self { rows: items, ..*self })
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        Ways::by_objective(asked.unwrap_or(self.objective), |objective| Ok(Self { objective, ..*self }))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, scale) = (self.bits, self.scale);
        let softmax = Softmax::prepare(from, Self { rows: items, ..*self })?;
        Ok(material(items, move |s, given| words(softmax.eval(s, &fixed(given, bits, scale)?)?)))
    }

    fn card(&self) -> Option<String> {
        SoftmaxJob::card(self).ok().map(|card| card.to_string())
    }
}

impl Operation for GeluJob {
    fn name(&self) -> String {
        self.function.name().to_lowercase()
    }

    fn method(&self) -> String {
        self.method()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        self.terms().fields()
    }

    fn signature(&self) -> Signature {
        let number = row(self.bits, self.scale);
        Signature::new([number], number)
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        GeluJob::bill(&Self { batch: items, ..*self })
    }

    fn effort(&self, items: usize, under: &Setting) -> Result<Effort> {
        let bill = Operation::bill(self, items, under)?;
        let counted = Self { batch: items, ..*self }.counted()?;
        Ok(counted.unwrap_or_else(|| implied(&self.signature(), bill, self.stocks(), items)))
    }

    /// Of the same card.
    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        Ways::by_objective(asked.unwrap_or(self.objective), |objective| Ok(Self { objective, ..*self }))
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

/// An item is a row. Rows share the material for gains that one party knows: it is made for each batch anew, and not
/// stored.
impl Operation for LayerNorm {
    fn name(&self) -> String {
        "layer norm".into()
    }

    fn method(&self) -> String {
        "squares, reciprocal root".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        self.job.terms().fields()
    }

    fn signature(&self) -> Signature {
        // A number of a row less the mean is at most the root of its length times the deviation; a unit for errors.
        let NormJob { bits, scale, len, gain, .. } = self.job;
        let most = ((gain * ((len as f64).sqrt() + 1.0) + 1.0) * 2f64.powi(scale as i32)) as i64;
        let end = i64::MAX >> (64 - bits.clamp(1, 64));
        let row = row(bits, scale).of(len);
        Signature::new([row], row.within(Some([(-most).max(-end - 1), most.min(end)])))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        self.of(items).bill()
    }

    fn effort(&self, items: usize, under: &Setting) -> Result<Effort> {
        let implied = implied(&self.signature(), self.bill(items, under)?, self.stocks(), items);
        let effort = self.of(items).effort()?;
        let memory = [0, 1].map(|party| effort.memory[party].max(implied.memory[party]));
        Ok(effort.remembering(memory))
    }

    fn set_up(&self, p: &mut Party, items: usize) -> Result<()> {
        self.of(items).set_up(p)
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        let by = |objective| Self { job: NormJob { objective, ..self.job }, affine: self.affine.clone() };
        Ways::by_objective(asked.unwrap_or(self.job.objective), |objective| Ok(by(objective)))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let NormJob { bits, scale, .. } = self.job;
        let norm = Norm::prepare(from, self.of(items), &self.affine)?;
        Ok(material(items, move |s, given| words(norm.eval(s, &fixed(given, bits, scale)?)?)))
    }

    fn card(&self) -> Option<String> {
        self.job.card().ok().map(|card| card.to_string())
    }
}

impl LayerNorm {
    /// The job for so many rows.
    fn of(&self, rows: usize) -> NormJob {
        NormJob { rows, ..self.job }
    }
}

fn row(bits: u32, fraction: u32) -> Port {
    Port::additive("numbers", bits).scaled(fraction)
}

fn fixed(given: &[&[u64]], bits: u32, scale: u32) -> Result<Fixed<u64>> {
    let [x] = operands(given)?;
    Fixed::new(AShare::new(bits, x.to_vec()), scale)
}

fn words(y: Fixed<u64>) -> Result<Vec<u64>> {
    Ok(y.into_share().into_wide())
}

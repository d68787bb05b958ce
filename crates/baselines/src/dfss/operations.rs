//! Gates of one opening, as operations.

use std::{ops::Range, sync::Arc};

use hushtable::{
    AShare, Result, Role,
    arith::Decomposition,
    bill::Bill,
    operation::{self, Material, Operation, Port, Signature, Words, operands},
    ot::Setting,
    session::Session,
    source::Origin,
};
use prim::ring::{Ring, low};

use super::{
    AdditiveContainment, MAX_CARRY_BITS, OneRoundDigits, OneRoundReduction, Piecewise, PiecewiseJob,
};

/// In which of these intervals a signed number lies, as additive numbers of as many bits.
pub struct AdditiveIntervals {
    /// Of the numbers and of the results.
    pub bits: u32,
    /// They may meet and overlap.
    pub intervals: Vec<Range<i64>>,
}

/// `floor(x / 2^cut)` mod `2^(bits - cut)`.
pub struct Reduction {
    /// Of the numbers.
    pub bits: u32,
    /// Bits that are cut off.
    pub cut: u32,
}

/// Digits of `digit` bits, which divide those of the number, the lowest first: in one opening if there are few bits below
/// the top one, else by a tree.
pub struct Digits {
    /// Of the numbers.
    pub bits: u32,
    /// Of a digit.
    pub digit: u32,
}

/// Polynomials over pieces as long, of each its coefficients from the constant one on, as residues mod `2^ring`.
pub struct Spline {
    /// The numbers, the ring of the results and the degree.
    pub job: PiecewiseJob,
    /// Of each piece.
    pub coefficients: Arc<Vec<Vec<u64>>>,
}

/// Material of an operation that takes one column and gives one.
fn spend(
    items: usize,
    spend: impl FnOnce(&mut Session, &[u64]) -> Result<Vec<u64>> + Send + 'static,
) -> Box<dyn Material> {
    operation::spend(items, move |s, given| {
        let [x] = operands(given)?;
        Ok(vec![Words::new(spend(s, x)?)])
    })
}

impl Operation for AdditiveIntervals {
    fn name(&self) -> String {
        "additive intervals".into()
    }

    fn method(&self) -> String {
        "keys of a comparison".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string()), ("intervals", format!("{:?}", self.intervals))]
    }

    fn signature(&self) -> Signature {
        let number = Port::additive("number", self.bits);
        Signature::new([number], number.of(self.intervals.len()))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(AdditiveContainment::bill(self.bits, self.bits)?.times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, half) = (self.bits, 1i64 << (self.bits - 1));
        // From the least number on, so that no interval wraps.
        let above = |i: &Range<i64>| (i.start + half) as u64..(i.end + half) as u64;
        let intervals: Vec<Range<u64>> = self.intervals.iter().map(above).collect();
        let material = AdditiveContainment::prepare(from, bits, bits, items)?;
        Ok(spend(items, move |s, x| {
            let shift = if s.role() == Role::P0 { half as u64 } else { 0 };
            let x: Vec<u64> = x.iter().map(|word| word.wrapping_add(shift)).collect();
            Ok(rows(material.inside(s, &number(bits, &x), &intervals)?.iter()))
        }))
    }
}

impl Reduction {
    fn of<R: Ring>(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let bits = self.bits;
        let material = OneRoundReduction::<R>::prepare(from, bits, self.cut, items)?;
        Ok(spend(items, move |s, x| {
            Ok(material.reduce(s, &number(bits, x))?.words().iter().map(|w| w.to_u64()).collect())
        }))
    }
}

impl Operation for Reduction {
    fn name(&self) -> String {
        "truncate and reduce".into()
    }

    fn method(&self) -> String {
        "carry by a table".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string()), ("cut", self.cut.to_string())]
    }

    fn signature(&self) -> Signature {
        let bits = self.bits.saturating_sub(self.cut);
        Signature::new([Port::additive("number", self.bits)], Port::additive("number", bits))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(OneRoundReduction::<u8>::bill(self.bits, self.cut)?.times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        match self.bits.saturating_sub(self.cut) {
            ..=8 => self.of::<u8>(from, items),
            9..=16 => self.of::<u16>(from, items),
            _ => self.of::<u32>(from, items),
        }
    }
}

impl Digits {
    fn at_once(&self) -> bool {
        self.digit < self.bits && self.bits - self.digit <= MAX_CARRY_BITS
    }

    fn of<R: Ring>(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, digit) = (self.bits, self.digit);
        if self.at_once() {
            let material = OneRoundDigits::<R>::prepare(from, bits, digit, items)?;
            return Ok(spend(items, move |s, x| Ok(rows(material.digits(s, &number(bits, x))?.iter()))));
        }
        let material = Decomposition::prepare(from, bits, digit, items)?;
        Ok(spend(items, move |s, x| Ok(rows(material.digits(s, &number(bits, x))?.iter()))))
    }
}

impl Operation for Digits {
    fn name(&self) -> String {
        "digits".into()
    }

    fn method(&self) -> String {
        if self.at_once() { "carries by tables" } else { "carries by a tree" }.into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string()), ("digit", self.digit.to_string())]
    }

    fn signature(&self) -> Signature {
        let digits = self.bits.div_ceil(self.digit.max(1)) as usize;
        let digits = Port::additive("digits", self.digit).of(digits);
        Signature::new([Port::additive("number", self.bits)], digits)
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let one = match self.at_once() {
            true => OneRoundDigits::<u8>::bill(self.bits, self.digit)?,
            false => Decomposition::bill(self.bits, self.digit)?,
        };
        Ok(one.times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        match self.digit {
            ..=8 => self.of::<u8>(from, items),
            9..=16 => self.of::<u16>(from, items),
            _ => self.of::<u32>(from, items),
        }
    }
}

impl Operation for Spline {
    fn name(&self) -> String {
        "spline".into()
    }

    fn method(&self) -> String {
        format!("{} pieces of degree {}, one opening", self.coefficients.len(), self.job.degree)
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("format", format!("{:?}", self.job))]
    }

    fn signature(&self) -> Signature {
        let number = Port::additive("number", self.job.ring);
        Signature::new([number], number)
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(self.job.bill()?.times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (job, coefficients) = (self.job, self.coefficients.clone());
        let material = Piecewise::prepare(from, job, items)?;
        let count = coefficients.len() as u64;
        let cuts: Vec<u64> = (1..count).map(|i| (i << job.bits) / count).collect();
        Ok(spend(items, move |s, x| {
            let y = material.eval(s, &number(job.bits, x), &cuts, &coefficients)?;
            Ok(y.words().to_vec())
        }))
    }
}

/// Shares of numbers of `bits` bits.
fn number(bits: u32, x: &[u64]) -> AShare<u64> {
    AShare::new(bits, x.iter().map(|w| low(*w, bits)).collect())
}

/// Item by item.
fn rows<'a, R: Ring>(columns: impl IntoIterator<Item = &'a AShare<R>>) -> Vec<u64> {
    let columns: Vec<_> = columns.into_iter().collect();
    let items = columns.first().map_or(0, |column| column.len());
    let columns = &columns;
    (0..items).flat_map(|i| columns.iter().map(move |column| column.words()[i].to_u64())).collect()
}

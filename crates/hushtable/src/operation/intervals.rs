//! In which public intervals a shared number lies.

use std::ops::Range;

use prim::ring::low;

use super::{Material, Operation, Port, Signature, material, operands};
use crate::{
    arith::Containment,
    bill::Bill,
    error::{Error, Result},
    gates::Bits,
    net::Role,
    ot::Setting,
    share::AShare,
    source::Origin,
    terms::{Terms, Value},
};

/// The most intervals.
const MOST: usize = 64;

/// A bit for each of some public intervals: whether a signed number lies in it. One opening for all of them.
#[derive(Clone)]
pub struct Intervals {
    bits: u32,
    intervals: Vec<Range<i64>>,
}

impl Intervals {
    /// For signed numbers of `bits` bits, 1 to 20. An interval that does not begin before its end is empty.
    ///
    /// # Errors
    /// [`Error::Param`] for another width, unless there are 1 to 64 intervals, and for bounds outside `-2^(bits-1)` to
    /// `2^(bits-1)`, both included.
    pub fn new(bits: u32, intervals: Vec<Range<i64>>) -> Result<Self> {
        Containment::bill(bits)?;
        if !(1..=MOST).contains(&intervals.len()) {
            let (got, accepted) = (intervals.len().to_string(), format!("1 to {MOST}"));
            return Err(Error::Param { what: "number of intervals", got, accepted });
        }
        let half = 1i64 << (bits - 1);
        let bounds = intervals.iter().flat_map(|i| [i.start, i.end]);
        if let Some(bound) = bounds.into_iter().find(|bound| !(-half..=half).contains(bound)) {
            let (got, accepted) = (bound.to_string(), format!("-{half} to {half}"));
            return Err(Error::Param { what: "bound of an interval", got, accepted });
        }
        Ok(Self { bits, intervals })
    }

    /// The intervals.
    pub fn intervals(&self) -> &[Range<i64>] {
        &self.intervals
    }
}

/// Takes additive shares of the numbers; of an item it gives a bit for each interval.
impl Operation for Intervals {
    fn name(&self) -> String {
        "intervals".into()
    }

    fn method(&self) -> String {
        format!("one-hot vectors of {} entries", 1u64 << self.bits)
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let ends = |of: &Range<i64>| Value::from(&[of.start, of.end][..]);
        let all = Value::List(self.intervals.iter().map(ends).collect());
        let digest = Terms::of("intervals").with("ends", all).digest();
        vec![("bits", self.bits.to_string()), ("digest of the intervals", digest.to_hex().to_string())]
    }

    fn signature(&self) -> Signature {
        Signature::new([Port::additive("number", self.bits)], Port::bit("inside").of(self.intervals.len()))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(Containment::bill(self.bits)?.times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let Self { bits, intervals } = self.clone();
        let vectors = Containment::prepare(from, bits, items)?;
        let half = 1i64 << (bits - 1);
        let moved: Vec<Range<u64>> = intervals
            .iter()
            .map(|i| (i.start + half) as u64..(i.end + half).max(i.start + half) as u64)
            .collect();
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            // Numbers from 0 on.
            let by = if s.role() == Role::P0 { half as u64 } else { 0 };
            let x = x.iter().map(|w| low(w.wrapping_add(by), bits)).collect();
            let inside = vectors.inside(s, &AShare::<u64>::new(bits, x), &moved)?;
            let rows = Bits::to_share::<u64>(&inside)?;
            // No growing: that leaves copies behind.
            let mut all = Vec::with_capacity(rows.len() * inside.len());
            rows.words().iter().for_each(|row| all.extend((0..inside.len()).map(|i| row >> i & 1)));
            Ok(all)
        }))
    }

    fn stored_as(&self) -> String {
        format!("intervals of numbers of {} bits", self.bits)
    }

    fn tells(&self) -> String {
        match self.intervals.len() {
            1 => "whether the number lies in the interval: one bit".into(),
            many => format!("in which of {many} intervals the number lies: a bit for each"),
        }
    }
}

//! Numbers where a shared bit is 1, and elsewhere a public one; or the bits beside the numbers.
//!
//! # Functionality
//! In: XOR shares of a bit b, additive shares of a number x. Out: shares of x where `b = 1` and of a public e where it is
//! 0; or, without e, those of x and of b as they are, for who opens both.
//!
//! # Protocol
//! `e + b (x - e)`, by [`Mux`]; without e nothing is sent.

use super::{Held, Material, Operation, Port, Signature, Words, material, operands, spend};
use crate::{
    bill::Bill,
    error::{Error, Result},
    gates::{Bits, Mux},
    net::Role,
    ot::Setting,
    session::Session,
    share::{AShare, Sharing},
    source::Origin,
};

/// Numbers where a shared bit is 1: the first operand is the bits, the second the numbers.
#[derive(Clone, Copy, Debug)]
pub struct Elsewhere {
    number: Port,
    other: Option<i64>,
}

impl Elsewhere {
    /// Of numbers that are held like this, with `other`, times `2^fraction`, where the bit is 0; without it both columns
    /// are given as they are.
    ///
    /// # Errors
    /// [`Error::Param`] unless they are shared additively, a word an item.
    pub fn new(number: Port, other: Option<i64>) -> Result<Self> {
        match (number.held, number.words) {
            (Held::Shared(Sharing::Additive), 1) => Ok(Self { number, other }),
            _ => Err(Error::Param {
                what: "numbers where a bit is 1",
                got: number.name.into(),
                accepted: "additive shares, a word an item".into(),
            }),
        }
    }
}

impl Operation for Elsewhere {
    fn name(&self) -> String {
        match self.other {
            Some(_) => "number where a bit is 1".into(),
            None => "number beside a bit".into(),
        }
    }

    fn method(&self) -> String {
        self.other.map_or("as they are", |_| "multiplexer").into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let [bits, fraction] = [self.number.bits, self.number.fraction].map(|n| n.to_string());
        let other = self.other.map_or("none".into(), |other| other.to_string());
        vec![("bits", bits), ("fraction bits", fraction), ("elsewhere", other)]
    }

    fn signature(&self) -> Signature {
        let (bit, number) = (Port::bit("choice"), self.number);
        let gives = match self.other {
            Some(other) => vec![number.within(number.range.map(|[lo, hi]| [lo.min(other), hi.max(other)]))],
            None => vec![number, bit],
        };
        Signature { takes: vec![bit, number], gives }
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(self.other.map_or(Bill::FREE, |_| Mux::bill(&[self.number.bits]).times(items)))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let Some(other) = self.other else {
            return Ok(spend(items, |_, given| {
                let [choices, x] = operands(given)?;
                Ok(vec![
                    Words::new(x.to_vec()),
                    Words::new(choices.iter().map(|choice| choice & 1).collect()),
                ])
            }));
        };
        let (bits, mux) = (self.number.bits, Mux::prepare(from, items, &[self.number.bits])?);
        Ok(material(items, move |s, given| {
            let [choices, x] = operands(given)?;
            let choices = Bits::collect(choices.iter().copied());
            let more = plus(s, &AShare::new(bits, x.to_vec()), other.wrapping_neg())?;
            let chosen = mux.select(s, &choices, &more)?;
            Ok(plus(s, &chosen, other)?.into_wide())
        }))
    }

    fn tells(&self) -> String {
        match self.other {
            Some(_) => "the number where the bit is 1, else a public one".into(),
            None => "the bit, and the number".into(),
        }
    }
}

/// The numbers and a public one.
fn plus(s: &Session, x: &AShare<u64>, public: i64) -> Result<AShare<u64>> {
    match s.role() {
        Role::P0 => x.plus_public(&vec![public as u64; x.len()]),
        Role::P1 => Ok(x.clone()),
    }
}

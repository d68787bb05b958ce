//! Numbers shared by XOR as additive ones, and the other way round.

use super::{Material, Operation, Port, Signature, material, operands};
use crate::{
    arith::{AdditiveToXor, XorToAdditive},
    bill::Bill,
    error::Result,
    ot::Setting,
    share::{AShare, BShare},
    source::Origin,
};

/// Numbers shared by XOR as additive shares of as many bits or more.
#[derive(Clone, Copy, Debug)]
pub struct ToAdditive {
    /// Width of the numbers, and of the results.
    pub bits: [u32; 2],
    /// Whether they are in two's complement; else they are unsigned.
    pub signed: bool,
    /// Bits behind the point, which stay where they are.
    pub fraction: u32,
}

impl Operation for ToAdditive {
    fn name(&self) -> String {
        "xor to additive".into()
    }

    fn method(&self) -> String {
        "bit by bit, the carry from the top bit".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let [from, to] = self.bits;
        vec![
            ("bits", format!("{from} to {to}")),
            ("signed", self.signed.to_string()),
            ("fraction bits", self.fraction.to_string()),
        ]
    }

    fn signature(&self) -> Signature {
        let [w, l] = self.bits;
        let range = match self.signed {
            // Ends that fit: of 63 unsigned bits and more they do not.
            true => Some([i64::MIN >> (64 - w.clamp(1, 64)), i64::MAX >> (64 - w.clamp(1, 64))]),
            false => (w < 63).then(|| [0, (1 << w) - 1]),
        };
        let number = Port::additive("number", l).scaled(self.fraction).within(range);
        Signature::new([Port::xor("number", w).scaled(self.fraction)], number)
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(XorToAdditive::bill(self.bits)?.times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (Self { bits: [w, _], signed, .. }, made) =
            (*self, XorToAdditive::prepare(from, self.bits, items)?);
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            let x = BShare::new(w, x.to_vec());
            Ok(if signed { made.signed(s, &x) } else { made.unsigned(s, &x) }?.into_wide())
        }))
    }

    fn tells(&self) -> String {
        "the number itself".into()
    }
}

/// Additive shares of numbers as XOR shares of their bits, which are as many.
#[derive(Clone, Copy, Debug)]
pub struct ToXor {
    /// Width of the numbers.
    pub bits: u32,
    /// Bits behind the point, which stay where they are.
    pub fraction: u32,
}

impl Operation for ToXor {
    fn name(&self) -> String {
        "additive to xor".into()
    }

    fn method(&self) -> String {
        "an adder of both shares".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string()), ("fraction bits", self.fraction.to_string())]
    }

    fn signature(&self) -> Signature {
        let number = Port::additive("number", self.bits).scaled(self.fraction);
        Signature::new([number], Port::xor("number", self.bits).scaled(self.fraction))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(AdditiveToXor::bill(self.bits)?.times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, made) = (self.bits, AdditiveToXor::prepare(from, self.bits, items)?);
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            Ok(made.bits(s, &AShare::<u64>::new(bits, x.to_vec()))?.into_wide())
        }))
    }

    fn tells(&self) -> String {
        "the number itself".into()
    }
}

//! A sine with its cosine, as an operation.

use hushtable::{
    AShare, Result,
    arith::Fixed,
    bill::Bill,
    math::{PreparedSinCos, SinCos},
    operation::{Material, Operation, Port, Signature, Words},
    ot::Setting,
    session::Session,
    source::Origin,
};
use prim::ring::low;

/// A sine, and its cosine.
pub struct Both(pub SinCos);

struct Made {
    items: usize,
    scale: u32,
    bits: u32,
    material: PreparedSinCos,
}

impl Operation for Both {
    fn name(&self) -> String {
        "sine and cosine".into()
    }

    fn method(&self) -> String {
        self.0.card().method.to_string()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("digest", self.0.digest().to_hex().to_string())]
    }

    fn signature(&self) -> Signature {
        let number = Port::additive("angle", self.0.bits()).scaled(self.0.scale());
        let both = Port { name: "sine and cosine", ..number.scaled(self.0.scale_out()) };
        Signature::new([number], both.of(2))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(self.0.bill().times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, scale) = (self.0.bits(), self.0.scale());
        Ok(Box::new(Made { items, scale, bits, material: self.0.prepare(from, items)? }))
    }
}

impl Material for Made {
    fn items(&self) -> usize {
        self.items
    }

    fn eval(self: Box<Self>, s: &mut Session, operands: &[&[u64]]) -> Result<Vec<Words>> {
        let words = operands[0].iter().map(|word| low(*word, self.bits));
        let x = Fixed::new(AShare::new(self.bits, words.collect()), self.scale)?;
        let [sine, cosine] = self.material.eval(s, &x)?;
        let pairs = sine.share().words().iter().zip(cosine.share().words());
        Ok(vec![Words::new(pairs.flat_map(|(sine, cosine)| [*sine, *cosine]).collect())])
    }
}

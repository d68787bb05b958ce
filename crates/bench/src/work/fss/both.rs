//! A sine with its cosine, as an operation.

use hushtable::{
    AShare, Result,
    arith::Fixed,
    bill::Bill,
    math::SinCos,
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
    source::Origin,
};

/// A sine, and its cosine.
pub struct Both(pub SinCos);

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
        let material = self.0.prepare(from, items)?;
        Ok(spend(items, move |s, given| {
            let [angles] = operands(given)?;
            let x = Fixed::new(AShare::new(bits, angles.to_vec()), scale)?;
            let [sine, cosine] = material.eval(s, &x)?;
            let pairs = sine.share().words().iter().zip(cosine.share().words());
            Ok(vec![Words::new(pairs.flat_map(|(sine, cosine)| [*sine, *cosine]).collect())])
        }))
    }
}

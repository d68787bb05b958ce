//! Functions of one shared number.

use super::{Material, Operation, Port, Signature, material, operands};
use crate::{
    arith::Fixed, bill::Bill, error::Result, math::Evaluation, ot::Setting, share::AShare, source::Origin,
};

impl Operation for Evaluation {
    fn name(&self) -> String {
        self.card().function
    }

    fn method(&self) -> String {
        self.card().method.to_string()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let card = self.card();
        vec![
            ("bits", card.ring.to_string()),
            ("fraction bits", card.scale.to_string()),
            ("domain", card.domain.to_string()),
            ("output fraction bits", card.scale_out.to_string()),
            ("method", card.method.to_string()),
            ("outside the domain", card.outside.to_string()),
            ("digest of the function", self.digest().to_hex().to_string()),
        ]
    }

    fn signature(&self) -> Signature {
        let value = Port::additive("value", self.bits()).scaled(self.scale_out());
        let takes = [Port::additive("number", self.bits()).scaled(self.scale())];
        Signature::new(takes, value.within(Some(self.range(self.card().reach))))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(Evaluation::bill(self, items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, scale, prepared) = (self.bits(), self.scale(), Evaluation::prepare(self, from, items)?);
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            let y = prepared.eval(s, &Fixed::new(AShare::<u64>::new(bits, x.to_vec()), scale)?)?;
            Ok(y.into_share().into_wide())
        }))
    }

    /// Not the function: its values are in a table that is public.
    fn stored_as(&self) -> String {
        let card = self.card();
        let checked = if card.gathered { ", with a check of the domain" } else { "" };
        format!("functions by {} of {} entries, in {} bits{checked}", card.method, card.entries, card.ring)
    }

    fn tells(&self) -> String {
        format!(
            "{} of the sum of both numbers; where results differ, who also has its own number can compute the other \
             party's, as exactly as the results' digits say",
            self.card().function
        )
    }

    fn card(&self) -> Option<String> {
        Some(Evaluation::card(self).to_string())
    }
}

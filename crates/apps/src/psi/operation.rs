//! An intersection as an operation, which runs as any other.

use std::sync::Arc;

use hushtable::{
    Party, Result,
    bill::Bill,
    chance::Chance,
    operation::{Material, Operation, Port, Signature, Words, spend},
    ot::Setting,
};

use super::{Learns, Psi};
use crate::ids::Set;

/// Which ids two parties have in common, at one party. It has this party's ids, so unlike other operations it is not
/// public. One item; gives the rows of its own that a party has in common, in an order that both have.
pub struct Intersect {
    /// Sizes, and who learns.
    pub psi: Psi,
    /// This party's ids.
    pub ids: Arc<Set>,
}

impl Operation for Intersect {
    fn name(&self) -> String {
        "intersection".into()
    }

    fn method(&self) -> String {
        "oblivious pseudo-random function".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        [self.ids.rules().fields(), self.psi.fields()].concat()
    }

    fn signature(&self) -> Signature {
        let [p0, p1] = self.psi.sizes;
        Signature::new([], Port::list("rows in common", p0.max(p1)))
    }

    fn bill(&self, items: usize, under: &Setting) -> Result<Bill> {
        Ok((self.psi.bill(under)? + Set::bill()).times(items))
    }

    fn chance(&self, _: usize) -> Chance {
        self.psi.chance() + Set::chance(self.psi.sizes.iter().sum())
    }

    fn most(&self) -> usize {
        1
    }

    fn prepare(&self, p: &mut Party, _: usize) -> Result<Box<dyn Material>> {
        let (ids, material) = (Arc::clone(&self.ids), self.psi.prepare(p)?);
        Ok(spend(1, move |s, _| {
            let ids = ids.salted(s)?;
            let rows = material.find(s, &ids)?.unwrap_or_default();
            Ok(vec![Words::new(rows.into_iter().map(|row| row as u64).collect())])
        }))
    }

    fn tells(&self) -> String {
        let who = if self.psi.learns == Learns::Both { "both parties" } else { "one party" };
        format!("{who}: which of its ids the other has too")
    }
}

//! Linear layers that one party knows.

use std::sync::Arc;

use prim::Wiped;

use super::{Material, Operation, Port, Signature, Ways, material, operands};
use crate::{
    arith::{Layer, LayerJob},
    bill::{Bill, Effort, Objective},
    error::Result,
    ot::Setting,
    party::Party,
    share::AShare,
    source::{Origin, Source},
    terms::Value,
};

/// A linear layer: what both parties know, and at its owner what it alone does. An item is the whole layer.
#[derive(Clone)]
pub struct Linear {
    job: LayerJob,
    known: Option<Arc<KnownMap>>,
}

/// What the owner of a layer alone knows. Not printable.
pub struct KnownMap {
    /// The map, as [`arith::LinearShape`](crate::arith::LinearShape) says.
    pub numbers: Wiped<i64>,
    /// What is added to each column, with as many bits behind the point as products have; or nothing.
    pub offsets: Wiped<u64>,
}

impl Linear {
    /// At the owner with the map; at the other party it is not looked at.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other numbers than the shape has, [`Error::Param`](crate::Error::Param) for one that does not fit its bits.
    pub fn new(job: LayerJob, known: Option<Arc<KnownMap>>) -> Result<Self> {
        if let Some(known) = &known {
            job.map().check_numbers(job.map().owner, &known.numbers)?;
            job.check_offsets(&known.offsets)?;
        }
        Ok(Self { job, known })
    }
}

/// Stored material of a lattice is for the map that it was made for, and refused for others.
impl Operation for Linear {
    fn name(&self) -> String {
        "linear layer".into()
    }

    fn method(&self) -> String {
        if self.job.by_lattice() { "lattices" } else { "correlated OTs" }.into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let map = self.job.map();
        vec![
            ("shape", map.shape.to_string()),
            ("bits", map.bits.to_string()),
            ("bits of a weight", map.number_bits.to_string()),
            ("bits to cut off", self.job.cut().to_string()),
            ("owner", Value::text(map.owner)),
            ("method", self.method()),
        ]
    }

    fn signature(&self) -> Signature {
        let map = self.job.map();
        let number = Port::additive("numbers", map.bits);
        Signature::new([number.of(map.shape.left())], number.of(map.shape.out()))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        self.job.bill(items)
    }

    /// With the tiles that take least time, and those that send least.
    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        let objective = asked.unwrap_or(Objective::Total);
        Ways::by_objective(objective, |objective| {
            let job = LayerJob::of(self.job.map(), self.job.cut(), 1, objective)?;
            Ok(Self { job, known: self.known.clone() })
        })
    }

    fn effort(&self, items: usize, _: &Setting) -> Result<Effort> {
        let shape = self.job.map().shape;
        let words = 8 * (items * (shape.left() + shape.out()) + 2 * shape.right()) as u64;
        let effort = self.job.effort(items)?;
        let memory = effort.memory.map(|memory| memory.saturating_add(words));
        Ok(effort.remembering(memory))
    }

    fn set_up(&self, p: &mut Party, items: usize) -> Result<()> {
        self.job.set_up(p, items)
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        // The other party's are not looked at.
        let known = self.known.clone().filter(|_| from.role() == self.job.map().owner);
        let numbers = known.as_ref().map_or(&[][..], |known| &known.numbers);
        let layer = Layer::prepare(from, &self.job, items, numbers)?;
        let bits = self.job.map().bits;
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            let offsets = known.as_ref().map_or(&[][..], |known| &known.offsets);
            Ok(layer.apply(s, &AShare::<u64>::new(bits, x.to_vec()), offsets)?.into_wide())
        }))
    }
}

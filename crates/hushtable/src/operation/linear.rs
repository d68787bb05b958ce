//! Linear layers that one party knows.

use std::sync::Arc;

use prim::Wiped;

use super::{Material, Operation, Port, Signature, Words, implied, operands, spend};
use crate::{
    arith::{Layer, LayerJob},
    bill::{Bill, Effort},
    error::{Error, Result},
    ot::Setting,
    party::Party,
    share::AShare,
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
    /// At the owner with the map, at the other party without.
    ///
    /// # Errors
    /// [`Error::Shape`] for other numbers than the shape has, [`Error::Param`] for one that does not fit its bits.
    pub fn new(job: LayerJob, known: Option<Arc<KnownMap>>) -> Result<Self> {
        if let Some(known) = &known {
            job.map().check_numbers(job.map().owner, &known.numbers)?;
            job.check_offsets(&known.offsets)?;
        }
        Ok(Self { job, known })
    }
}

/// Not stored: material is made of the owner's map.
impl Operation for Linear {
    fn name(&self) -> String {
        "linear layer".into()
    }

    fn method(&self) -> String {
        if self.job.by_lattice() { "lattice" } else { "correlated OTs" }.into()
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
        Ok(self.job.bill()?.times(items))
    }

    fn effort(&self, items: usize, under: &Setting) -> Result<Effort> {
        if items != 1 {
            return Ok(implied(&self.signature(), self.bill(items, under)?, self.stocks(), items));
        }
        let map = self.job.map();
        let words = 8 * (map.shape.left() + map.shape.out() + map.shape.right()) as u64;
        let effort = self.job.effort()?;
        let memory = effort.memory.map(|memory| memory + words);
        Ok(effort.remembering(memory))
    }

    fn most(&self) -> usize {
        1
    }

    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        let known = self.known.clone();
        if known.is_some() != (p.role() == self.job.map().owner) {
            let (what, got) =
                ("map of a linear layer", format!("given by {:?}: {}", p.role(), known.is_some()));
            let accepted = format!("given by {:?} alone", self.job.map().owner);
            return Err(Error::Param { what, got, accepted });
        }
        let numbers = known.as_ref().map_or(&[][..], |known| &known.numbers);
        let layers = (0..items).map(|_| Layer::prepare(p, &self.job, numbers));
        let layers: Vec<Layer> = layers.collect::<Result<_>>()?;
        let map = self.job.map();
        Ok(spend(items, move |s, given| {
            let [x] = operands(given)?;
            let offsets = known.as_ref().map_or(&[][..], |known| &known.offsets);
            // Never grows, so that no part of it is left behind.
            let mut out = Words::new(Vec::with_capacity(items * map.shape.out()));
            for (layer, x) in layers.into_iter().zip(x.chunks_exact(map.shape.left())) {
                let made = layer.apply(s, &AShare::<u64>::new(map.bits, x.to_vec()), offsets)?;
                out.extend_from_slice(made.words());
            }
            Ok(vec![out])
        }))
    }
}

//! Additive one-hot vectors as an [`Atom`].

use prim::ring::Ring;

use super::Arithmetic;
use crate::{
    codec::{Reader, Writer},
    error::Result,
    net::Role,
    onehot::Group,
    source::{Atom, Source},
};

impl<G: Group, R: Ring> Arithmetic<G, R> {
    /// [`prepare`](Self::prepare), of any source.
    ///
    /// # Errors
    /// As there.
    pub fn of(p: &mut impl Source, d: u32, bits: u32, batch: usize) -> Result<Self> {
        p.atom((G::NAME, d, bits), batch, |p| Self::prepare(p, d, bits, batch))
    }
}

/// By group, index bits and width.
impl<G: Group, R: Ring> Atom for Arithmetic<G, R> {
    type Form = (&'static str, u32, u32);
    const NAME: &'static str = "additive vectors";

    fn encode(&self, to: &mut Writer) {
        self.encode(to);
    }

    fn decode(from: &mut Reader<'_>, _role: Role, &(_, d, bits): &Self::Form, count: usize) -> Result<Self> {
        Self::decode(from, d, bits, count)
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        Self::take(self, count)
    }
}

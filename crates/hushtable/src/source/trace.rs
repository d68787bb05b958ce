//! Which atoms some material is made of.

use super::atom::Atom;
use crate::{
    codec::Reader,
    error::Result,
    net::Role,
    terms::{Terms, Value},
};

/// Bytes of the atoms of a sample, at most.
const MOST: usize = 1 << 26;

/// The atoms that were asked for, all of zeros.
pub(super) struct Trace {
    pub(super) role: Role,
    /// What they are, and how many.
    pub(super) asked: Vec<(Terms, usize)>,
    /// Their bytes.
    pub(super) bytes: usize,
    zeros: Vec<u8>,
}

impl Trace {
    /// At the party `role`.
    pub(super) fn new(role: Role) -> Self {
        Self { role, asked: Vec::new(), bytes: 0, zeros: vec![0; MOST] }
    }

    pub(super) fn atom<A: Atom>(&mut self, form: &A::Form, count: usize) -> Result<A> {
        self.asked.push((A::terms(form), count));
        let mut from = Reader::new(&self.zeros);
        let atom = A::decode(&mut from, self.role, form, count)?;
        self.bytes += self.zeros.len() - from.left();
        Ok(atom)
    }

    /// Of all that was asked for.
    pub(super) fn digest(&self) -> blake3::Hash {
        let atoms = self.asked.iter().map(|(atom, count)| atom.clone().with("count", *count).into());
        Terms::of("material").with("atoms", Value::List(atoms.collect())).digest()
    }
}

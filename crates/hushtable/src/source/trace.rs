//! Which atoms some material is made of.

use super::atom::Atom;
use crate::{codec::Reader, error::Result, net::Role};

/// Bytes of the atoms of a sample, at most.
const MOST: usize = 1 << 26;

/// The atoms that were asked for, all of zeros.
pub(super) struct Trace {
    pub(super) role: Role,
    /// Their names, forms and numbers.
    pub(super) asked: blake3::Hasher,
    /// Their bytes.
    pub(super) bytes: usize,
    zeros: Vec<u8>,
}

impl Trace {
    /// At the party `role`.
    pub(super) fn new(role: Role) -> Self {
        Self { role, asked: blake3::Hasher::new(), bytes: 0, zeros: vec![0; MOST] }
    }

    pub(super) fn atom<A: Atom>(&mut self, form: &A::Form, count: usize) -> Result<A> {
        self.asked.update(format!("{} {form:?} {count}\n", A::NAME).as_bytes());
        let mut from = Reader::new(&self.zeros);
        let atom = A::decode(&mut from, self.role, form, count)?;
        self.bytes += self.zeros.len() - from.left();
        Ok(atom)
    }
}

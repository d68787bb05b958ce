//! One-hot vectors that are read with additive outputs or as polynomials, as [`Atom`]s.

use zeroize::Zeroizing;

use super::{
    lines::Lines,
    pads::Pads,
    polynomial::{Polynomial, PolynomialShape},
    signed::Signed,
};
use crate::{
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    onehot::{Cyclic, Group, OneHot},
    party::Party,
    source::{Atom, Source},
    terms::Terms,
};

/// How vectors are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// By [`OneHot::doubling`].
    Doubling,
    /// By [`OneHot::tree`].
    Tree,
}

impl Vectors {
    /// In the terms of stored material.
    fn name(self) -> &'static str {
        match self {
            Self::Doubling => "doubling",
            Self::Tree => "tree",
        }
    }

    pub(crate) fn make<G: Group>(self, p: &mut Party, d: u32, count: usize) -> Result<OneHot<G>> {
        match self {
            Self::Doubling => OneHot::doubling(p, d, count),
            Self::Tree => OneHot::tree(p, d, count),
        }
    }
}

impl<G: Group> Signed<G> {
    /// Offline: for `batch` lookups in tables of `2^d` entries with columns of these widths.
    ///
    /// # Errors
    /// Those of the vectors, and as [`OneHot::signed`].
    pub(crate) fn prepare(
        p: &mut dyn Source,
        by: Vectors,
        d: u32,
        widths: &[u32],
        batch: usize,
    ) -> Result<Self> {
        let form = (by, G::NAME, d, widths.to_vec());
        p.atom(form, batch, |p| by.make(p, d, batch)?.signed(p, widths))
    }
}

/// By generator, group, index bits and widths.
impl<G: Group> Atom for Signed<G> {
    type Form = (Vectors, &'static str, u32, Vec<u32>);

    fn terms((by, group, d, widths): &Self::Form) -> Terms {
        Terms::of("signed vectors")
            .with("by", by.name())
            .with("group", *group)
            .with("index bits", *d)
            .with("widths", &widths[..])
    }

    fn encode(&self, to: &mut Writer) {
        self.encode(to);
    }

    fn decode(
        from: &mut Reader<'_>,
        _role: Role,
        (_, _, d, widths): &Self::Form,
        count: usize,
    ) -> Result<Self> {
        Self::decode(from, *d, widths, count)
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        Self::take(self, count)
    }
}

impl<G: Group> Polynomial<G> {
    /// Offline: for `batch` lookups among `2^d` polynomials, by [`OneHot::tree`].
    ///
    /// # Errors
    /// Those of the vectors, and as [`OneHot::polynomial`].
    pub(crate) fn prepare(p: &mut dyn Source, d: u32, shape: PolynomialShape, batch: usize) -> Result<Self> {
        p.atom((G::NAME, d, shape), batch, |p| OneHot::tree(p, d, batch)?.polynomial(p, shape))
    }
}

/// By group, index bits and the polynomials' shape.
impl<G: Group> Atom for Polynomial<G> {
    type Form = (&'static str, u32, PolynomialShape);

    fn terms(&(group, d, shape): &Self::Form) -> Terms {
        shape.terms(Terms::of("polynomials").with("group", group).with("index bits", d))
    }

    fn encode(&self, to: &mut Writer) {
        self.onehot.encode(to);
        self.pads.encode(to, self.shape.width());
    }

    fn decode(from: &mut Reader<'_>, _role: Role, &(_, d, shape): &Self::Form, count: usize) -> Result<Self> {
        shape.check()?;
        let onehot = OneHot::decode(from, d, count)?;
        Ok(Self { shape, onehot, pads: Pads::decode(from, shape.width(), shape.cots() * count)? })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let onehot = self.onehot.take(count)?;
        Ok(Self { shape: self.shape, onehot, pads: self.pads.take(self.shape.cots() * count)? })
    }
}

impl PolynomialShape {
    fn terms(self, of: Terms) -> Terms {
        let of = of.with("degree", self.degree).with("bits", self.bits).with("ring", self.ring);
        let of = if self.cut > 0 { of.with("cut", self.cut) } else { of };
        if self.carry { of.with("carry", true) } else { of }
    }
}

/// By index bits and the lines' shape.
impl Atom for Lines {
    type Form = (u32, PolynomialShape);

    fn terms(&(d, shape): &Self::Form) -> Terms {
        shape.terms(Terms::of("lines and carries").with("index bits", d))
    }

    fn encode(&self, to: &mut Writer) {
        to.words(&self.top, 1);
        self.lines.encode(to);
    }

    fn decode(from: &mut Reader<'_>, role: Role, &(d, shape): &Self::Form, count: usize) -> Result<Self> {
        let top = Zeroizing::new(from.words(count, 1)?);
        Ok(Self { top, lines: Polynomial::decode(from, role, &(Cyclic::NAME, d, shape), count)? })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let lines = self.lines.take(count)?;
        let left = self.lines.len();
        let top = Zeroizing::new(self.top[left..].to_vec());
        prim::wipe(&mut self.top[left..]);
        self.top.truncate(left);
        Ok(Self { top, lines })
    }
}

impl Pads {
    /// The low bits of the words: who adds them up keeps no more.
    fn encode(&self, to: &mut Writer, bits: u32) {
        [&self.zero, &self.step, &self.chosen].iter().for_each(|words| to.words(words, bits));
        to.bits(&self.choices, self.zero.len());
    }

    fn decode(from: &mut Reader<'_>, bits: u32, count: usize) -> Result<Self> {
        let mut words = || Ok(from.words(count, bits)?.into());
        let [zero, step, chosen] = [words()?, words()?, words()?];
        Ok(Self { zero, step, chosen, choices: from.bits(count)?.into() })
    }

    /// Cuts off the last `count`.
    fn take(&mut self, count: usize) -> Result<Self> {
        let Some(left) = self.zero.len().checked_sub(count) else {
            return Err(Error::Shape { what: "pads left", want: count, got: self.zero.len() });
        };
        let choices = self.choices(left..left + count).collect::<Vec<_>>().into();
        self.choices.truncate(left.div_ceil(64));
        let [zero, step, chosen] =
            [&mut self.zero, &mut self.step, &mut self.chosen].map(|words| words.split_off(left));
        Ok(Self { zero, step, chosen, choices })
    }
}

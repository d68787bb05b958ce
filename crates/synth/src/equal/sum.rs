//! Sums modulo 2 of terms, which are numbered: inputs, products, outputs of lookups.

use std::sync::Arc;

/// A sum of terms, a bit for each, without zeros behind the last one; and whether it is negated.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Sum {
    pub terms: Arc<[u64]>,
    pub negated: bool,
}

impl Sum {
    pub fn of(term: u32, negated: bool) -> Self {
        let mut terms = vec![0; term as usize / 64 + 1];
        terms[term as usize / 64] = 1 << (term % 64);
        Self { terms: terms.into(), negated }
    }

    /// Whether it has no terms.
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number of its last term.
    fn last(&self) -> Option<usize> {
        let word = self.terms.last()?;
        Some(64 * self.terms.len() - 1 - word.leading_zeros() as usize)
    }

    pub fn plus(&self, other: &Self) -> Self {
        let (long, short) = if self.terms.len() < other.terms.len() { (other, self) } else { (self, other) };
        let mut terms = long.terms.to_vec();
        terms.iter_mut().zip(&short.terms[..]).for_each(|(term, other)| *term ^= other);
        let size = terms.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        Self { terms: terms[..size].into(), negated: self.negated != other.negated }
    }

    pub fn negate_if(&self, negated: bool) -> Self {
        Self { terms: self.terms.clone(), negated: self.negated != negated }
    }
}

/// Sums, none of which is made of the others.
#[derive(Default)]
pub struct Basis {
    /// Sums with different last terms, and of which of the given ones each is made.
    rows: Vec<(Sum, u32)>,
}

impl Basis {
    /// One more, which is not made of those before, by its number, below 32.
    pub fn insert(&mut self, sum: &Sum, number: usize) {
        let (rest, of) = self.reduced(sum);
        self.rows.push((rest, of | 1 << number));
    }

    /// Of which ones this is the sum, and whether it is negated. Nothing if it is none.
    pub fn find(&self, sum: &Sum) -> Option<(u32, bool)> {
        let (rest, of) = self.reduced(sum);
        rest.is_constant().then_some((of, rest.negated))
    }

    fn reduced(&self, sum: &Sum) -> (Sum, u32) {
        let (mut rest, mut of) = (sum.clone(), 0);
        while let Some(last) = rest.last()
            && let Some((row, mask)) = self.rows.iter().find(|(row, _)| row.last() == Some(last))
        {
            rest = rest.plus(row);
            of ^= mask;
        }
        (rest, of)
    }
}

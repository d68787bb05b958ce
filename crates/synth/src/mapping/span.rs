//! Wires as sums: what XORs alone make of others is free, so a lookup need not read it.

use std::sync::Arc;

use logic::{Form, Gate};

/// Longest sum; a longer one counts as a wire of its own.
const LONGEST: usize = 96;

/// Of each wire the wires whose XOR it is: inputs, and what ANDs and lookups made. Sorted.
pub(super) struct Sums(Vec<Arc<[u32]>>);

impl Sums {
    pub(super) fn of(form: &Form) -> Self {
        let mut sums: Vec<Arc<[u32]>> = vec![Arc::from([])];
        sums.extend((1..=form.inputs() as u32).map(|wire| Arc::from([wire])));
        for (gate, first, made) in form.made() {
            match *gate {
                Gate::Xor(a, b) => {
                    let sum = difference(&sums[a.wire() as usize], &sums[b.wire() as usize]);
                    sums.push(if sum.len() <= LONGEST { sum.into() } else { Arc::from([first]) });
                }
                _ => sums.extend((first..first + made).map(|wire| Arc::from([wire]))),
            }
        }
        Self(sums)
    }

    pub(super) fn of_wire(&self, wire: u32) -> &Arc<[u32]> {
        &self.0[wire as usize]
    }
}

/// Of which wires the sum is by which of some wires, which are independent.
#[derive(Default, Clone)]
pub(super) struct Basis {
    /// Sums with different last wires, and which of the independent ones each is the sum of.
    rows: Vec<(Vec<u32>, u32)>,
}

impl Basis {
    /// How many are independent.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Which of the independent ones this is the sum of; `None`, and one more is independent, if it is none.
    pub(super) fn insert(&mut self, sum: &[u32]) -> Option<u32> {
        match self.reduced(sum) {
            Ok(of) => Some(of),
            Err((rest, of)) => {
                let one = 1 << self.rows.len();
                self.rows.push((rest, of | one));
                None
            }
        }
    }

    /// Which of the independent ones this is the sum of.
    pub(super) fn find(&self, sum: &[u32]) -> Option<u32> {
        self.reduced(sum).ok()
    }

    fn reduced(&self, sum: &[u32]) -> Result<u32, (Vec<u32>, u32)> {
        let (mut rest, mut of) = (sum.to_vec(), 0);
        while let Some(last) = rest.last() {
            match self.rows.iter().find(|(row, _)| row.last() == Some(last)) {
                Some((row, mask)) => {
                    rest = difference(&rest, row);
                    of ^= mask;
                }
                None => return Err((rest, of)),
            }
        }
        Ok(of)
    }
}

/// What is in one of two sorted lists and not in both.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x == y => {
                a.next();
                b.next();
            }
            (Some(x), Some(y)) if x < y => out.extend(a.next()),
            (_, Some(_)) => out.extend(b.next()),
            (Some(_), None) => out.extend(a.next()),
            (None, None) => return out,
        }
    }
}

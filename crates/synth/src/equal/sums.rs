//! A proof that takes no search: each wire as the sum of inputs and products that it is. Forms whose products are those
//! of the same sums, up to their order and to sums of the two sides, come out alike.

use std::{collections::HashMap, sync::Arc};

use logic::{Form, Gate, Lit, TruthTable};

/// Most terms of all sums together.
const MOST: usize = 1 << 26;

/// A sum of terms, in ascending order, and whether it is negated.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Sum {
    terms: Arc<[u32]>,
    negated: bool,
}

impl Sum {
    fn of(terms: &[u32], negated: bool) -> Self {
        Self { terms: terms.into(), negated }
    }

    fn plus(&self, other: &Self) -> Self {
        let (mut a, mut b) = (&self.terms[..], &other.terms[..]);
        let mut terms = Vec::with_capacity(a.len() + b.len());
        while let (Some(x), Some(y)) = (a.first(), b.first()) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => (terms.push(*x), a = &a[1..]).0,
                std::cmp::Ordering::Greater => (terms.push(*y), b = &b[1..]).0,
                std::cmp::Ordering::Equal => (a, b) = (&a[1..], &b[1..]),
            }
        }
        terms.extend_from_slice(a);
        terms.extend_from_slice(b);
        Self::of(&terms, self.negated != other.negated)
    }
}

/// What is known of terms, for both forms.
#[derive(Default)]
struct Terms {
    next: u32,
    products: HashMap<(Arc<[u32]>, Arc<[u32]>), u32>,
    lookups: HashMap<(Arc<TruthTable>, Vec<Sum>), u32>,
    used: usize,
}

impl Terms {
    /// The product of two sums: the term of two of the three sums `a`, `b` and `a + b`, and a sum of these.
    fn product(&mut self, a: &Sum, b: &Sum) -> Sum {
        let zero = |sum: &Sum| sum.terms.is_empty();
        match (a, b) {
            (one, other) | (other, one) if zero(one) => {
                return if one.negated { other.clone() } else { Sum::default() };
            }
            _ => {}
        }
        let both = a.plus(b);
        if zero(&both) {
            return if both.negated { Sum::default() } else { a.clone() };
        }
        let mut sides = [&a.terms, &b.terms, &both.terms];
        sides.sort();
        let (p, q) = (sides[0].clone(), sides[1].clone());
        // Each side as a sum of p, q and 1.
        let within = |sum: &Sum| match &sum.terms {
            terms if *terms == p => (true, false, sum.negated),
            terms if *terms == q => (false, true, sum.negated),
            _ => (true, true, sum.negated),
        };
        let ((ap, aq, a1), (bp, bq, b1)) = (within(a), within(b));
        let next = &mut self.next;
        let term = *self.products.entry((p.clone(), q.clone())).or_insert_with(|| {
            *next += 1;
            *next - 1
        });
        // (ap p + aq q + a1)(bp p + bq q + b1), in which the coefficient of pq is 1.
        let mut sum = Sum::of(&[term], a1 && b1);
        if (ap && bp) ^ (ap && b1) ^ (bp && a1) {
            sum = sum.plus(&Sum { terms: p, negated: false });
        }
        if (aq && bq) ^ (aq && b1) ^ (bq && a1) {
            sum = sum.plus(&Sum { terms: q, negated: false });
        }
        sum
    }

    /// The outputs of a form. Nothing if they are too large.
    fn outputs(&mut self, form: &Form) -> Option<Vec<Sum>> {
        let mut wires = vec![Sum::default()];
        wires.extend((0..form.inputs() as u32).map(|i| Sum::of(&[i], false)));
        let get = |wires: &[Sum], lit: Lit| {
            let sum = &wires[lit.wire() as usize];
            Sum { terms: sum.terms.clone(), negated: sum.negated != lit.negated() }
        };
        for gate in form.gates() {
            match *gate {
                Gate::Xor(a, b) => {
                    let sum = get(&wires, a).plus(&get(&wires, b));
                    wires.push(sum);
                }
                Gate::And(a, b) => {
                    let sum = self.product(&get(&wires, a), &get(&wires, b));
                    wires.push(sum);
                }
                Gate::Lookup { table, pins } => {
                    let (table, pins) = form.lookup(table, pins);
                    let read: Vec<Sum> = pins.iter().map(|pin| get(&wires, *pin)).collect();
                    let outputs = table.outputs();
                    let next = &mut self.next;
                    let first = *self.lookups.entry((table.clone(), read)).or_insert_with(|| {
                        *next += outputs;
                        *next - outputs
                    });
                    wires.extend((first..first + outputs).map(|term| Sum::of(&[term], false)));
                }
            }
            self.used += wires.last().map_or(0, |sum| sum.terms.len());
            if self.used > MOST {
                return None;
            }
        }
        Some(form.outputs().iter().map(|out| get(&wires, *out)).collect())
    }
}

/// Whether the outputs of two forms are the same sums. If not, nothing is said.
pub fn alike(a: &Form, b: &Form) -> bool {
    let mut terms = Terms { next: a.inputs() as u32, ..Terms::default() };
    match (terms.outputs(a), terms.outputs(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

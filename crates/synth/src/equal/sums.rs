//! A proof that takes no search: each wire as the sum of inputs and products that it is. Forms whose products are those
//! of the same sums, up to their order and to sums of the two sides, come out alike.

use std::{collections::HashMap, sync::Arc};

use logic::{Form, Gate, Lit, TruthTable};

/// Most words of all sums that are kept at a time, which are half a GiB.
const MOST: usize = 1 << 26;

/// A sum of terms, a bit for each, without zeros behind the last one; and whether it is negated.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Sum {
    terms: Arc<[u64]>,
    negated: bool,
}

impl Sum {
    fn of(term: u32, negated: bool) -> Self {
        let mut terms = vec![0; term as usize / 64 + 1];
        terms[term as usize / 64] = 1 << (term % 64);
        Self { terms: terms.into(), negated }
    }

    fn plus(&self, other: &Self) -> Self {
        let (long, short) = if self.terms.len() < other.terms.len() { (other, self) } else { (self, other) };
        let mut terms = long.terms.to_vec();
        terms.iter_mut().zip(&short.terms[..]).for_each(|(term, other)| *term ^= other);
        let size = terms.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        Self { terms: terms[..size].into(), negated: self.negated != other.negated }
    }
}

/// What is known of terms, for both forms.
#[derive(Default)]
struct Terms {
    next: u32,
    products: HashMap<[Arc<[u64]>; 2], u32>,
    lookups: HashMap<(Arc<TruthTable>, Vec<Sum>), u32>,
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
        let term = *self.products.entry([p.clone(), q.clone()]).or_insert_with(|| {
            *next += 1;
            *next - 1
        });
        // (ap p + aq q + a1)(bp p + bq q + b1), in which the coefficient of pq is 1.
        let mut sum = Sum::of(term, a1 && b1);
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
        let mut last = vec![0; form.wires()];
        for (i, gate) in form.gates().iter().enumerate() {
            form.reads(gate).iter().for_each(|lit| last[lit.wire() as usize] = i);
        }
        form.outputs().iter().for_each(|lit| last[lit.wire() as usize] = usize::MAX);
        let mut wires = vec![Sum::default()];
        wires.extend((0..form.inputs() as u32).map(|i| Sum::of(i, false)));
        let get = |wires: &[Sum], lit: Lit| {
            let sum = &wires[lit.wire() as usize];
            Sum { terms: sum.terms.clone(), negated: sum.negated != lit.negated() }
        };
        let mut used = 0;
        for (i, gate) in form.gates().iter().enumerate() {
            let first = wires.len();
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
                    wires.extend((first..first + outputs).map(|term| Sum::of(term, false)));
                }
            }
            used += wires[first..].iter().map(|sum| sum.terms.len()).sum::<usize>();
            if used > MOST {
                return None;
            }
            // What no later gate reads is given back.
            for lit in form.reads(gate).iter().filter(|lit| last[lit.wire() as usize] == i) {
                used = used.saturating_sub(std::mem::take(&mut wires[lit.wire() as usize]).terms.len());
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

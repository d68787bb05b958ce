//! A proof that takes no search: each wire as the sum of inputs and products that it is. Forms whose products are those
//! of the same sums, up to their order and to sums of the two sides, come out alike; and those in which lookups and
//! products take the place of what makes a wire of the first form.

use std::{collections::HashMap, sync::Arc};

use logic::{Form, Gate, Lit, TruthTable};

use super::{
    cones::{Known, values},
    sum::Sum,
};
use crate::patterns::counted;

/// Most words of all sums that are kept at a time, which are half a GiB.
const MOST: usize = 1 << 26;

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

    /// What the wires of a form are, some of them wires of one that is known. Nothing if the sums are too large. What no
    /// later gate and no output reads is left out, unless all are to be kept.
    fn wires(&mut self, form: &Form, known: Option<&Known<'_>>, keep: bool) -> Option<Vec<Sum>> {
        let mut last = vec![0; form.wires()];
        for (i, gate) in form.gates().iter().enumerate() {
            form.reads(gate).iter().for_each(|lit| last[lit.wire() as usize] = i);
        }
        form.outputs().iter().for_each(|lit| last[lit.wire() as usize] = usize::MAX);
        let values = known.map_or(Vec::new(), |_| values(form));
        let mut wires = vec![Sum::default()];
        wires.extend((0..form.inputs() as u32).map(|i| Sum::of(i, false)));
        let mut used = 0;
        for (i, (gate, first, made)) in form.made().enumerate() {
            let read: Vec<Sum> = form.reads(gate).iter().map(|lit| get(&wires, *lit)).collect();
            let found = |tables: &dyn Fn() -> Vec<Vec<u64>>| {
                known?.find(&read, &values[first as usize..][..made as usize], &tables())
            };
            match *gate {
                Gate::Xor(..) => wires.push(read[0].plus(&read[1])),
                Gate::And(..) => match found(&|| vec![vec![counted(0, 0) & counted(1, 0)]]) {
                    Some(sums) => wires.extend(sums),
                    None => wires.push(self.product(&read[0], &read[1])),
                },
                Gate::Lookup { table, pins } => {
                    let (table, _) = form.lookup(table, pins);
                    match found(&|| functions(table)) {
                        Some(sums) => wires.extend(sums),
                        None => wires.extend(self.outputs(table, read)),
                    }
                }
            }
            used += wires[first as usize..].iter().map(|sum| sum.terms.len()).sum::<usize>();
            if used > MOST {
                return None;
            }
            for lit in form.reads(gate).iter().filter(|lit| !keep && last[lit.wire() as usize] == i) {
                used = used.saturating_sub(std::mem::take(&mut wires[lit.wire() as usize]).terms.len());
            }
        }
        Some(wires)
    }

    /// What a lookup reads of a table.
    fn outputs(&mut self, table: &Arc<TruthTable>, read: Vec<Sum>) -> impl Iterator<Item = Sum> {
        let outputs = table.outputs();
        let next = &mut self.next;
        let first = *self.lookups.entry((table.clone(), read)).or_insert_with(|| {
            *next += outputs;
            *next - outputs
        });
        (first..first + outputs).map(|term| Sum::of(term, false))
    }
}

fn get(wires: &[Sum], lit: Lit) -> Sum {
    wires[lit.wire() as usize].negate_if(lit.negated())
}

/// Of each output of a table a bit for each row.
fn functions(table: &TruthTable) -> Vec<Vec<u64>> {
    let bits = |rows: &[u64], j: u32| {
        rows.iter().enumerate().fold(0, |word, (row, bits)| word | (bits >> j & 1) << row)
    };
    (0..table.outputs()).map(|j| table.rows().chunks(64).map(|rows| bits(rows, j)).collect()).collect()
}

/// Whether the outputs of two forms are the same sums. If not, nothing is said.
pub fn alike(a: &Form, b: &Form) -> bool {
    let mut terms = Terms { next: a.inputs() as u32, ..Terms::default() };
    let outputs = |form: &Form, wires: &[Sum]| -> Vec<Sum> {
        form.outputs().iter().map(|out| get(wires, *out)).collect()
    };
    let Some(wires) = terms.wires(a, None, b.lookups() > 0) else { return false };
    let of_a = outputs(a, &wires);
    let known = (b.lookups() > 0).then(|| Known::new(a, wires));
    terms.wires(b, known.as_ref(), false).is_some_and(|wires| outputs(b, &wires) == of_a)
}

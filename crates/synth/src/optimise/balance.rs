//! Products of many wires as trees: what is ready first is taken first.

use std::{cmp::Reverse, collections::BinaryHeap};

use logic::{Draft, Form, Gate, Lit};

/// The form with its products balanced: no more ANDs, and no more layers.
pub fn balanced(form: &Form) -> Form {
    let mut readers = vec![0u32; form.wires()];
    let outputs = form.outputs().iter().copied();
    for lit in form.gates().iter().flat_map(|gate| form.reads(gate)).chain(outputs) {
        readers[lit.wire() as usize] += 1;
    }
    let first = form.inputs() as u32 + 1;
    // The AND that only another AND reads is a part of its product.
    let inner = |lit: Lit| match form.gates().get((lit.wire().wrapping_sub(first)) as usize) {
        Some(Gate::And(a, b)) if !lit.negated() && readers[lit.wire() as usize] == 1 => Some([*a, *b]),
        _ => None,
    };
    let mut draft = Draft::new(form.inputs());
    let mut made: Vec<Lit> = vec![Lit::FALSE];
    made.extend(draft.inputs());
    let mut part = vec![false; form.wires()];
    for gate in form.gates() {
        if let Gate::And(a, b) = *gate {
            [a, b]
                .into_iter()
                .filter(|lit| inner(*lit).is_some())
                .for_each(|lit| part[lit.wire() as usize] = true);
        }
    }
    for (gate, number, _) in form.made() {
        let get = |lit: Lit| made[lit.wire() as usize].negate_if(lit.negated());
        let lit = match *gate {
            // It is made with the product that it is a part of.
            Gate::And(..) if part[number as usize] => Lit::FALSE,
            Gate::And(a, b) => {
                let mut factors = BinaryHeap::new();
                let mut stack = vec![a, b];
                while let Some(lit) = stack.pop() {
                    match inner(lit) {
                        Some(sides) => stack.extend(sides),
                        None => factors.push(Reverse((draft.level(get(lit)), get(lit)))),
                    }
                }
                product(&mut draft, factors)
            }
            Gate::Xor(a, b) => draft.xor(get(a), get(b)),
            Gate::Lookup { .. } => unreachable!("a form without lookups"),
        };
        made.push(lit);
    }
    let outputs =
        form.outputs().iter().map(|lit| made[lit.wire() as usize].negate_if(lit.negated())).collect();
    draft.finish("layers", outputs)
}

/// The product of these, each with its level: of two that are ready first at a time.
fn product(draft: &mut Draft, mut factors: BinaryHeap<Reverse<(u32, Lit)>>) -> Lit {
    let mut product = Lit::TRUE;
    while let Some(Reverse((_, a))) = factors.pop() {
        product = a;
        if let Some(Reverse((_, b))) = factors.pop() {
            product = draft.and(a, b);
            if !factors.is_empty() {
                factors.push(Reverse((draft.level(product), product)));
            }
        }
    }
    product
}

//! Proofs without search: what is proven, and what must not be.

use std::sync::Arc;

use logic::{Draft, Form, Gate, Lit, TruthTable};

use super::{differs, sums};
use crate::{
    library,
    mapping::{self, Costs},
};

pub fn lookups_of(form: &Form, most: usize) -> Form {
    let lookup = |inputs: u32, outputs: u32| f64::from(outputs) * f64::from(1 << inputs);
    mapping::lookups(form, most, &Costs { lookup: &lookup, and: 2.0 }, &|form| form.depth() as f64)
}

/// The form with one bit of one lookup's table changed, or one pin negated.
fn changed(form: &Form, at: usize, row: u64, pin: Option<usize>) -> Form {
    let mut draft = Draft::new(form.inputs());
    let mut wires = vec![Lit::FALSE];
    wires.extend(draft.inputs());
    for (i, gate) in form.gates().iter().enumerate() {
        let get = |lit: Lit| wires[lit.wire() as usize].negate_if(lit.negated());
        match *gate {
            Gate::Xor(a, b) => wires.push(draft.xor(get(a), get(b))),
            Gate::And(a, b) => wires.push(draft.and(get(a), get(b))),
            Gate::Lookup { table, pins } => {
                let (table, pins) = form.lookup(table, pins);
                let mut read: Vec<Lit> = pins.iter().map(|pin| get(*pin)).collect();
                let mut table = table.clone();
                if i == at
                    && let Some(pin) = pin
                {
                    read[pin] = !read[pin];
                } else if i == at {
                    let bits = |r: u64| table.rows()[r as usize] ^ u64::from(r == row);
                    table = Arc::new(
                        TruthTable::tabulate(table.inputs(), table.outputs(), bits).expect("a table"),
                    );
                }
                wires.extend(draft.lookup(&table, &read));
            }
        }
    }
    let outputs =
        form.outputs().iter().map(|out| wires[out.wire() as usize].negate_if(out.negated())).collect();
    draft.finish("changed", outputs)
}

#[test]
fn a_changed_table_is_not_proven() {
    for name in ["add32_brent_kung", "f32_less", "f32_add", "multiply32"] {
        let Ok(circuit) = library::get(name) else { panic!("{name}") };
        let form = &circuit.forms()[0];
        let mapped = lookups_of(form, 6);
        assert!(mapped.lookups() > 0 && sums::alike(form, &mapped), "{name}");
        let gates: Vec<usize> = (0..mapped.gates().len())
            .filter(|at| matches!(mapped.gates()[*at], Gate::Lookup { .. }))
            .collect();
        for (i, at) in gates.iter().enumerate().step_by(gates.len().div_ceil(24)) {
            let Gate::Lookup { table, pins } = mapped.gates()[*at] else { unreachable!() };
            let inputs = mapped.lookup(table, pins).0.inputs();
            for row in [0, (1 << inputs) - 1, (i as u64 * 77) & ((1 << inputs) - 1)] {
                assert!(!sums::alike(form, &changed(&mapped, *at, row, None)), "{name} {at} {row}");
            }
            let other = changed(&mapped, *at, 0, Some(i % inputs as usize));
            assert!(differs(form, &other, 1).is_none() || !sums::alike(form, &other), "{name} {at}");
        }
    }
}

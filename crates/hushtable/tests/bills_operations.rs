//! The bills of operations are what they cost.

use crate::support::{
    billed::check_parts,
    operations::{ITEMS, cases, named},
};

use hushtable::{operation::Operation, ot::Setting};

/// What operations add up to is what they cost: parts that a bill forgot would be drawn online, or sent.
#[test]
fn operations() {
    // The last products of a check of a batch, and SP-LUT's tables, do not fill bytes: `bills_math`, `cost` and
    // `circuit_forms` have those; `lattice` those of lattices, whose keys are made once.
    let fills = |operation: &dyn Operation| {
        let name = named(operation);
        operation.lookups().is_none()
            && !name.contains("check of the domain")
            && !name.contains("switching roles")
            && !operation.method().contains("lattices")
    };
    for case in cases().into_iter().filter(|case| fills(&*case.operation)) {
        let operation = &*case.operation;
        check_parts(
            &named(operation),
            operation.bill(ITEMS, &Setting::default()).unwrap(),
            0,
            |p| operation.prepare(p, ITEMS),
            |s, material| {
                let words = case.words(s.role(), 0..ITEMS);
                material.eval(s, &words.iter().map(Vec::as_slice).collect::<Vec<_>>()).map(drop)
            },
        );
    }
}

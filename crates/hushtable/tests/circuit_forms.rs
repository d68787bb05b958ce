//! Forms of circuits as netlists: drawn ones by every protocol, and their bills.

use crate::support::{
    billed,
    forms::{form, inputs, known, outputs, part},
    pairs::{both, pair},
};

use hushtable::{
    Error, Party, Result,
    circuit::{Draft, Form},
    forms::{Layered, Switched},
    lut::Protocol,
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

fn opened(p: &mut Party, form: &Form, seed: u64, items: usize, by: Protocol) -> Result<Vec<Vec<u64>>> {
    let inputs = inputs(seed, form, items);
    let material = Layered::of(form, &known(&inputs), |_| Ok(by))?.prepare(p, items)?;
    let mine = part(p.role(), &inputs, items);
    let out = material.eval(p, mine)?;
    out.iter().map(|bits| bits.open(p)).collect()
}

fn protocols() -> impl Iterator<Item = Protocol> {
    Protocol::ALL.into_iter().filter(|protocol| protocol.opens())
}

#[test]
fn drawn_forms_give_what_they_say() {
    let rng_seed = RngSeed::Fixed(26);
    let config = Config { cases: 80, failure_persistence: None, rng_seed, ..Default::default() };
    let all: Vec<Protocol> = protocols().collect();
    proptest!(config, |(seed in any::<u64>(), items in 0usize..130, gates in 0usize..80, at in 0..all.len())| {
        let form = form(seed, 1 + seed as usize % 20, gates, seed as usize % 3 * 6);
        let want = outputs(&form, &inputs(seed, &form, items), items);
        let (found, peer) = both(pair(2600, None), |p| opened(p, &form, seed, items, all[at]));
        prop_assert_eq!(&found, &peer);
        prop_assert_eq!(found, want);
    });
}

/// ANDs are lookups too, and a round more than there are layers is enough.
#[test]
fn drawn_forms_give_the_same_with_switching_roles() {
    let rng_seed = RngSeed::Fixed(27);
    let config = Config { cases: 60, failure_persistence: None, rng_seed, ..Default::default() };
    proptest!(config, |(seed in any::<u64>(), items in 0usize..70, gates in 0usize..60)| {
        let form = form(seed, 1 + seed as usize % 20, gates, seed as usize % 3 * 6);
        let inputs = inputs(seed, &form, items);
        let switched = Switched::of(&form, &known(&inputs)).expect("a netlist");
        let (found, peer) = both(pair(2610, None), |p| {
            let material = switched.prepare(p, items)?;
            let mine = part(p.role(), &inputs, items);
            let out = material.eval(p, mine)?;
            out.iter().map(|bits| bits.open(p)).collect::<Result<Vec<_>>>()
        });
        prop_assert_eq!(&found, &peer);
        prop_assert_eq!(found, outputs(&form, &inputs, items));
    });
}

#[test]
fn bills_with_switching_roles_are_met() {
    const ITEMS: usize = 128;
    for seed in 0..4 {
        let form = form(seed, 12, 60, 6);
        let inputs = inputs(seed, &form, ITEMS);
        let switched = Switched::of(&form, &known(&inputs)).expect("a netlist");
        let bill = switched.bill(ITEMS);
        assert_eq!(bill.online.rounds, switched.netlist().depth() + 1);
        billed::check(
            &format!("{:?} with switching roles", switched.netlist().lookups()),
            bill,
            |p| switched.prepare(p, ITEMS),
            |s, m| m.eval(s, part(s.role(), &inputs, ITEMS)).map(drop),
        );
    }
}

#[test]
fn bills_of_forms_are_met() {
    const ITEMS: usize = 64;
    for (seed, by) in (0..).zip(protocols()) {
        let form = form(seed, 12, 60, 6);
        let inputs = inputs(seed, &form, ITEMS);
        let layered = Layered::of(&form, &known(&inputs), |_| Ok(by)).expect("a netlist");
        billed::check_parts(
            &format!("{} ANDs and {:?}", layered.netlist().ands(), layered.netlist().lookups()),
            layered.bill(ITEMS),
            0,
            |p| layered.prepare(p, ITEMS),
            |s, m| m.eval(s, part(s.role(), &inputs, ITEMS)).map(drop),
        );
    }
}

/// ANDs with a common operand take two correlated OTs together, also where it is negated in some.
#[test]
fn common_operands_are_opened_once() {
    let mut d = Draft::new(9);
    let x = d.inputs();
    let selected = (0..4).map(|i| d.select(x[0].negate_if(i % 2 == 0), x[1 + i], x[5 + i])).collect();
    let form = d.finish("ands", selected);
    let layered = Layered::of(&form, &[None; 9], |_| unreachable!("no table")).expect("a netlist");
    let bill = layered.bill(1);
    assert_eq!(
        (layered.netlist().ands(), bill.cots, bill.online.bits, bill.online.rounds),
        (4, [1, 1], [5, 5], 1)
    );
}

#[test]
fn what_cannot_be_a_layer_is_refused() {
    let with_lookup = (0..).map(|seed| form(seed, 3, 20, 2)).find(|form| form.lookups() > 0).expect("one");
    let refused = |form: &Form, inputs: usize, by: Protocol| {
        matches!(Layered::of(form, &vec![None; inputs], |_| Ok(by)), Err(Error::Param { .. }))
    };
    assert!(refused(&with_lookup, 2, Protocol::Doubling), "too few inputs");
    assert!(refused(&with_lookup, 4, Protocol::Doubling), "too many");
    assert!(refused(&with_lookup, 3, Protocol::SpLut), "a protocol that takes two messages");
    assert!(!refused(&with_lookup, 3, Protocol::Doubling));
    let constant = Draft::new(0).finish("ands", vec![hushtable::circuit::Lit::TRUE]);
    assert!(refused(&constant, 0, Protocol::Doubling), "nothing goes in");
}

//! Circuits with triples from codes: they give what their forms do, and cost what they say.

use std::sync::Arc;

use crate::support::{
    billed,
    forms::{self, Dice, form},
    pairs::{both, pair},
};

use hushtable::{
    Error, Role,
    circuit::{Circuit, Form, Kind, Port},
    operation::{Engine, Evaluate, Operation},
    ot::Setting,
    run::{Job, Reveal},
};
use hushtable_baselines::ndss::ByCodes;

/// Bits of each of three ports: shared, of P0, of P1.
const BITS: usize = 5;
const KNOWN: [Option<Role>; 3] = [None, Some(Role::P0), Some(Role::P1)];

fn by_codes(form: &Form) -> hushtable::Result<ByCodes> {
    let port = |name: &str, bits| Port::new(name, Kind::Bits(bits as u32)).expect("a port");
    let inputs = ["x", "y", "z"].map(|name| port(name, BITS)).to_vec();
    let outputs = vec![port("out", form.outputs().len())];
    let circuit = Circuit::new("drawn", inputs, outputs, vec![form.clone()]).expect("a circuit");
    ByCodes::new(Evaluate::by(&Arc::new(circuit), &KNOWN, 0, Engine::Layers(None))?)
}

/// This party's words of the ports.
fn part(role: Role, words: &[Vec<u64>; 3]) -> [Vec<u64>; 3] {
    let [x, y, z] = words.clone();
    match role {
        Role::P0 => [x.iter().map(|word| word ^ 0x15).collect(), y, Vec::new()],
        Role::P1 => [vec![0x15; x.len()], Vec::new(), z],
    }
}

#[test]
fn they_give_what_their_forms_do() {
    const ITEMS: usize = 64;
    for seed in 0..12 {
        let form = form(seed, 3 * BITS, 5 * seed as usize, 0);
        let mut dice = Dice::new(seed);
        let words = [(); 3].map(|()| (0..ITEMS).map(|_| dice.word() % 32).collect::<Vec<u64>>());
        let bit = |i: usize| {
            let word = |(item, word): (usize, &u64)| (word >> (i % BITS) & 1) << item;
            words[i / BITS].iter().enumerate().map(word).sum::<u64>()
        };
        let want = form.eval(&(0..3 * BITS).map(bit).collect::<Vec<_>>());
        let operation = by_codes(&form).expect("a form of ANDs");
        let (found, _) = both(pair(2700, None), |p| {
            let mine = part(p.role(), &words);
            let job = mine.iter().fold(Job::new(&operation), |job, words| job.on(words));
            Ok(job.reveal(Reveal::Both).run(p)?.outcomes.remove(0).values().expect("opened"))
        });
        for (item, found) in found.into_iter().enumerate() {
            let bits = want.iter().enumerate().map(|(i, word)| (word >> item & 1) << i);
            let bits: u64 = bits.sum();
            assert_eq!(found as u64 & ((1 << want.len()) - 1), bits, "seed {seed}, item {item}");
        }
    }
}

#[test]
fn bills_are_met() {
    const ITEMS: usize = 64;
    for seed in [3, 4] {
        let operation = by_codes(&form(seed, 3 * BITS, 40, 0)).expect("a form of ANDs");
        let words = [(); 3].map(|()| vec![3; ITEMS]);
        let bill = operation.bill(ITEMS, &Setting::default()).expect("a bill");
        assert!(bill.online.rounds > 1 && bill.online.bits[0] > 0);
        billed::check(
            "a circuit with triples from codes",
            bill,
            |p| operation.prepare(p, ITEMS),
            |s, m| m.eval(s, &part(s.role(), &words).each_ref().map(Vec::as_slice)).map(drop),
        );
    }
}

#[test]
fn lookups_are_refused() {
    let wide = forms::chain(1);
    let mut d = hushtable::circuit::Draft::new(3 * BITS);
    let inputs = d.inputs();
    let outputs = d.insert(&wide, &inputs[..4]);
    assert!(matches!(by_codes(&d.finish("luts", outputs)), Err(Error::Param { .. })));
}

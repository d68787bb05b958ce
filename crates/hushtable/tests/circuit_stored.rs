//! Material of circuits that was written, and cut anywhere.

use crate::support::{
    forms::{Dice, form, inputs, known, outputs, part},
    pairs::{both, pair},
};

use std::{ops::Range, sync::Arc};

use hushtable::{
    Error, Result, Role,
    circuit::{Circuit, Form, Kind, Port},
    forms::{Layered, Switched},
    gates::Bits,
    gc::{Garbled, Garbler, Job, Program},
    lut::Protocol,
    operation::{Engine, Evaluate, Operation},
    plan::Objective,
    session::Session,
    source::{self, Origin, Window},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

/// Spends material.
type Spend = Box<dyn FnOnce(&mut Session, Vec<Bits>) -> Result<Vec<Bits>>>;

/// What evaluates a form, by number.
fn material(by: usize, of: &Drawn, from: &mut Origin<'_>, items: usize) -> Result<Spend> {
    let Drawn { form, known, .. } = of;
    let garbler = [Garbler::Both, Garbler::One(Role::P0), Garbler::One(Role::P1)];
    Ok(match by {
        0 => {
            let made = Layered::of(form, known, |_| Ok(Protocol::Doubling))?.prepare(from, items)?;
            Box::new(|s, inputs| made.eval(s, inputs))
        }
        1 => {
            let made = Switched::of(form, known)?.prepare(from, items)?;
            Box::new(|s, inputs| made.eval(s, inputs))
        }
        _ => {
            let job = Job::new(&Program::new(form)?, known.clone(), items, garbler[by - 2])?;
            let made = Garbled::prepare(from, &job)?;
            Box::new(|s, inputs| made.eval(s, inputs))
        }
    })
}

struct Drawn {
    form: Form,
    inputs: Vec<(Vec<u64>, Option<Role>)>,
    known: Vec<Option<Role>>,
    items: usize,
    /// Pieces, one behind the other.
    pieces: Vec<Range<usize>>,
}

impl Drawn {
    fn new(seed: u64, items: usize, by: usize) -> Self {
        let lookups = if by < 2 { seed as usize % 3 * 6 } else { 0 };
        let form = form(seed, 1 + seed as usize % 20, seed as usize / 64 % 60, lookups);
        let inputs = inputs(seed, &form, items);
        let (mut dice, mut pieces, mut from) = (Dice::new(seed ^ 1), Vec::new(), 0);
        while from < items {
            let end = from + 1 + dice.below((items - from).min(9));
            pieces.push(from..end);
            from = end;
        }
        Self { form, known: known(&inputs), inputs, items, pieces }
    }
}

/// Each piece by itself, of which each has its own half of the items for either party.
#[test]
fn what_was_cut_anywhere_gives_the_same() {
    let rng_seed = RngSeed::Fixed(28);
    let config = Config { cases: 150, failure_persistence: None, rng_seed, ..Default::default() };
    proptest!(config, |(seed in any::<u64>(), items in 1usize..40, by in 0usize..5)| {
        let drawn = Drawn::new(seed, items, by);
        let all = outputs(&drawn.form, &drawn.inputs, items);
        let (found, peer) = both(pair(2700, None), |p| {
            let bytes = source::written(p, 0, |from| material(by, &drawn, from, drawn.items))?;
            let (role, mine) = (p.role(), part(p.role(), &drawn.inputs, items));
            let mut found = Vec::new();
            for at in &drawn.pieces {
                let window = Window { items, before: at.start, wanted: at.len() };
                let made = source::read(&bytes, role, window, |from| material(by, &drawn, from, at.len()))?;
                let out = made(p, mine.iter().map(|bits| bits.range(at.clone())).collect())?;
                found.push(out.iter().map(|bits| bits.open(p)).collect::<Result<Vec<_>>>()?);
            }
            Ok(found)
        });
        prop_assert_eq!(&found, &peer);
        for (at, found) in drawn.pieces.iter().zip(found) {
            let want = all.iter().map(|words| Bits::new(items, words.clone()).range(at.clone()).words().to_vec());
            prop_assert_eq!(found, want.collect::<Vec<_>>(), "{:?} of {}", at, items);
        }
    });
}

/// Of 13 items in pieces, each string is in one of them.
#[test]
fn pieces_have_no_correlated_ot_in_common() {
    for by in 1..5 {
        let seed = (0..).find(|seed| Drawn::new(*seed, 13, by).form.ands() > 9).expect("a form");
        let drawn = Drawn::new(seed, 13, by);
        let (found, peer) = both(pair(2701, None), |p| {
            let bytes = source::written(p, 0, |from| material(by, &drawn, from, 13))?;
            let role = p.role();
            let cut = |at: &Range<usize>| {
                let window = Window { items: 13, before: at.start, wanted: at.len() };
                source::cut(&bytes, role, window, |from| material(by, &drawn, from, at.len()))
            };
            let parts = drawn.pieces.iter().map(cut).collect::<Result<Vec<_>>>()?;
            // Behind Delta.
            let strings = |bytes: &[u8]| bytes[16..].chunks(16).map(<[u8]>::to_vec).collect::<Vec<_>>();
            let mut of_parts: Vec<_> = parts.iter().flat_map(|part| strings(part)).collect();
            let mut of_all = strings(&bytes);
            of_parts.sort();
            of_all.sort();
            assert!(of_all.windows(2).all(|two| two[0] != two[1]), "strings that are alike");
            Ok(of_parts == of_all)
        });
        assert!(found && peer, "{by}");
    }
}

fn circuit(lookups: usize) -> Arc<Circuit> {
    let drawn = |seed| form(seed, 5, 40, lookups);
    let with = |form: &Form| form.ands() > 0 && (form.lookups() > 0) == (lookups > 0);
    let form = (0..).map(drawn).find(with).expect("a form");
    let port = |name, bits| Port::new(name, Kind::Bits(bits)).expect("a port");
    let inputs = vec![port("x", 2), port("y", 3)];
    let outputs = vec![port("z", form.outputs().len() as u32)];
    Arc::new(Circuit::new("drawn", inputs, outputs, vec![form]).expect("a circuit"))
}

#[test]
fn tables_made_ahead_are_not_stored() {
    let circuit = circuit(0);
    let ahead = Evaluate::by(&circuit, &[None; 2], 0, Engine::Garbled { ahead: true }).expect("a way");
    let refused = ahead.shape().expect_err("nothing is stored");
    let bytes = format!("{} bytes an evaluation", 32 * circuit.forms()[0].ands());
    assert!(matches!(&refused, Error::Store(what) if what.contains(&bytes)), "{refused}");
    for engine in [Engine::Layers(None), Engine::Switching, Engine::Garbled { ahead: false }] {
        Evaluate::by(&circuit, &[None; 2], 0, engine).and_then(|way| way.shape()).expect("material");
    }
}

#[test]
fn what_one_party_knows_all_of_is_refused() {
    let circuit = circuit(0);
    let known = [None, Some(Role::P0), Some(Role::P1)];
    for x in known {
        for y in known {
            let alone = x.is_some() && x == y;
            let found = Evaluate::new(&circuit, &[x, y], Objective::Total).map(drop);
            assert_eq!(matches!(found, Err(Error::Param { .. })), alone, "{x:?} {y:?}");
            assert!(alone || found.is_ok());
        }
    }
}

//! Forms of circuits as netlists: drawn ones by every protocol, and their bills.

use crate::support::{
    billed,
    forms::{Dice, chain, form, inputs, known, outputs, part},
    pairs::{both, id, pair},
    relay::{Fate, relayed},
    stats,
    uniform::{assert_uniform, seen},
};

use std::sync::Arc;

use hushtable::{
    Error, Party, Result, Role,
    circuit::{Circuit, Draft, Form, Kind, Port},
    forms::{Layered, Switched},
    gates::Bits,
    lut::{Protocol, Table, splut::SpLut},
    net::Connection,
    onehot::Xor,
    operation::{Evaluate, Operation},
    plan::Objective,
    run::{Job, Reveal},
    share::BShare,
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
    let config = Config { cases: 300, failure_persistence: None, rng_seed, ..Default::default() };
    let all: Vec<Protocol> = protocols().collect();
    proptest!(config, |(seed in any::<u64>(), items in 0usize..130, gates in 0usize..80, at in 0..all.len())| {
        let form = form(seed, 1 + seed as usize % 20, gates, seed as usize % 3 * 6);
        let want = outputs(&form, &inputs(seed, &form, items), items);
        let (found, peer) = both(pair(2600, None), |p| opened(p, &form, seed, items, all[at]));
        prop_assert_eq!(&found, &peer);
        prop_assert_eq!(found, want);
    });
}

/// Values in the clear, with ports of more than a word and blocks that are not full.
#[test]
fn drawn_circuits_of_values_in_the_clear() {
    for (seed, items) in [0usize, 1, 63, 64, 65, 200].into_iter().enumerate() {
        let seed = seed as u64;
        let form = form(seed, 70, 60, seed as usize % 2 * 6);
        let given = inputs(seed, &form, items);
        let port =
            |(i, bits): (usize, usize)| Port::new(format!("p{i}"), Kind::Bits(bits as u32)).expect("a port");
        let ports = |bits: &[usize]| bits.iter().copied().enumerate().map(port).collect::<Vec<_>>();
        let sizes = [form.inputs() - 1, 1];
        let gives = ports(&[form.outputs().len()]);
        let circuit = Circuit::new("drawn", ports(&sizes), gives, vec![form.clone()]).expect("a circuit");
        // Of item i bit j of all inputs or outputs.
        let words = |planes: &[Vec<u64>]| {
            let each = planes.len().div_ceil(64);
            let mut words = vec![0; each * items];
            for (j, plane) in planes.iter().enumerate() {
                (0..items)
                    .for_each(|i| words[each * i + j / 64] |= (plane[i / 64] >> (i % 64) & 1) << (j % 64));
            }
            words
        };
        let planes: Vec<Vec<u64>> = given.iter().map(|(bits, _)| bits.clone()).collect();
        let (wide, last) = planes.split_at(sizes[0]);
        let found = Evaluate::plain(&circuit, items, &[&words(wide), &words(last)]).expect("outputs");
        assert_eq!(*found[0], words(&outputs(&form, &given, items)), "{items} items");
        assert!(Evaluate::plain(&circuit, items, &[&words(wide)]).is_err());
        assert!(Evaluate::plain(&circuit, items + 1, &[&words(wide), &words(last)]).is_err());
    }
}

/// ANDs are lookups too, and a round more than there are layers is enough.
#[test]
fn drawn_forms_give_the_same_with_switching_roles() {
    let rng_seed = RngSeed::Fixed(27);
    let config = Config { cases: 150, failure_persistence: None, rng_seed, ..Default::default() };
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

/// A bit that one party knows with four that the other knows takes one correlated OT, whichever stands first; and a bit
/// that is shared takes triples beside.
#[test]
fn bits_of_both_parties_are_products() {
    const ITEMS: usize = 72;
    let mut d = Draft::new(6);
    let x = d.inputs();
    let ands = (1..6).map(|i| d.and(x[i].negate_if(i % 2 == 0), x[0].negate_if(i % 3 == 0))).collect();
    let form = d.finish("ands", ands);
    for (knows, cots, bits) in [(Role::P0, [1, 2], [3, 6]), (Role::P1, [2, 1], [6, 3])] {
        let known: Vec<_> = (0..6).map(|i| [knows, knows.peer()][i.min(1)]).map(Some).collect();
        let known = [&known[..5], &[None]].concat();
        let layered = Layered::of(&form, &known, |_| unreachable!("no table")).expect("a netlist");
        let bill = layered.bill(1);
        assert_eq!((layered.netlist().ands(), bill.cots), (5, cots), "{knows:?}");
        assert_eq!((bill.online.bits, bill.online.rounds), (bits, 1), "{knows:?}");
        let words: Vec<Vec<u64>> = inputs(6, &form, ITEMS).into_iter().map(|(words, _)| words).collect();
        let inputs: Vec<_> = words.into_iter().zip(known).collect();
        let (found, peer) = both(pair(2640, None), |p| {
            let (material, mine) = (layered.prepare(p, ITEMS)?, part(p.role(), &inputs, ITEMS));
            let out = material.eval(p, mine)?;
            out.iter().map(|bits| bits.open(p)).collect::<Result<Vec<_>>>()
        });
        assert_eq!((&found, found.clone()), (&peer, outputs(&form, &inputs, ITEMS)), "{knows:?}");
    }
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

/// Ports of more than a word, shared and known to either party, by every way there is.
#[test]
fn circuits_are_operations() {
    const ITEMS: usize = 70;
    let port = |name: &str, bits| Port::new(name, Kind::Bits(bits)).expect("a port");
    let drawn = |seed, lookups| {
        let mut d = Draft::new(210);
        let wires = d.inputs();
        let mut out: Vec<_> = (0..100).map(|i| d.xor(wires[i], wires[209 - i])).collect();
        out.push(d.insert(&form(seed, 210, 150, lookups), &wires)[0]);
        d.finish("drawn", out)
    };
    for (seed, lookups) in [(1, 0), (2, 9)] {
        let inputs = vec![port("x", 130), port("y", 3), port("z", 77)];
        let outputs = vec![port("a", 65), port("b", 36)];
        let circuit = Circuit::new("drawn", inputs, outputs, vec![drawn(seed, lookups)]).expect("a circuit");
        let circuit = Arc::new(circuit);
        let known = [None, Some(Role::P0), Some(Role::P1)];
        let mut dice = Dice::new(seed);
        let words = [3, 1, 2].map(|each| (0..each * ITEMS).map(|_| dice.word()).collect::<Vec<u64>>());
        let want = plain(&circuit, &words, ITEMS);
        let ways = Evaluate::new(&circuit, &known, Objective::Total).and_then(|one| one.all()).expect("ways");
        for way in ways {
            let (found, peer) = both(pair(2630, None), |p| {
                let role = p.role();
                let mine = |port: usize| match known[port] {
                    Some(to) if to != role => Vec::new(),
                    None if role == Role::P0 => words[port].iter().map(|word| word ^ 0x5eed).collect(),
                    None => vec![0x5eed; words[port].len()],
                    Some(_) => words[port].clone(),
                };
                let mine = [0, 1, 2].map(mine);
                let job = mine.iter().fold(Job::new(&way), |job, words| job.on(words));
                let done = job.reveal(Reveal::Both).run(p)?;
                Ok(done
                    .outcomes
                    .into_iter()
                    .map(|column| column.values().expect("opened"))
                    .collect::<Vec<_>>())
            });
            assert_eq!(found, peer, "{}", way.method());
            assert_eq!(found, want, "{}", way.method());
        }
    }
}

/// What comes out of a circuit with these words at its ports, as they are opened: in two's complement.
fn plain(circuit: &Circuit, words: &[Vec<u64>], items: usize) -> Vec<Vec<i64>> {
    let mut columns: Vec<Vec<i64>> = vec![Vec::new(); circuit.outputs().len()];
    for item in 0..items {
        let bits = circuit.inputs().iter().zip(words).flat_map(|(port, words)| {
            let each = port.bits().div_ceil(64);
            let of = &words[item * each..][..each];
            (0..port.bits()).map(move |bit| of[bit / 64] >> (bit % 64) & 1)
        });
        let out = circuit.forms()[0].eval(&bits.collect::<Vec<_>>());
        let mut out = out.iter().map(|word| word & 1);
        for (column, port) in columns.iter_mut().zip(circuit.outputs()) {
            let bits: Vec<u64> = out.by_ref().take(port.bits()).collect();
            let width = port.bits().min(64);
            column.extend(bits.chunks(64).map(|bits| {
                let word = bits.iter().rev().fold(0, |word, bit| word << 1 | bit);
                (word << (64 - width)) as i64 >> (64 - width)
            }));
        }
    }
    columns
}

/// A lookup, an AND behind it, and one of constants, as a file may have them: nothing is folded.
fn unfolded() -> Circuit {
    let text = "hushtable circuit 1\nname unfolded\ninput x u4\noutput y u5\nform drawn\n\
                table 3 2 0 1 2 3 3 0 1 2\nt0 1 2 !3\n& 5 !4\n& 6 6\n& 0 7\n& !0 8\n^ 9 4\n= 7 !8 9 10 11\nend\n";
    Circuit::parse(&format!("{text}blake3 {}\n", blake3::hash(text.as_bytes()))).expect("a circuit")
}

#[test]
fn what_a_file_leaves_unfolded_is_evaluated() {
    const ITEMS: usize = 16;
    let circuit = unfolded();
    let form = &circuit.forms()[0];
    let inputs: Vec<(Vec<u64>, Option<Role>)> =
        [0xaaaa, 0xcccc, 0xf0f0, 0xff00].map(|bits| (vec![bits], None)).to_vec();
    let want = outputs(form, &inputs, ITEMS);
    let layered = Layered::of(form, &known(&inputs), |_| Ok(Protocol::Doubling)).expect("a netlist");
    let switched = Switched::of(form, &known(&inputs)).expect("a netlist");
    let (found, _) = both(pair(2640, None), |p| {
        let (a, b) = (layered.prepare(p, ITEMS)?, switched.prepare(p, ITEMS)?);
        let mine = part(p.role(), &inputs, ITEMS);
        let (a, b) = (a.eval(p, mine.clone())?, b.eval(p, mine)?);
        [a, b]
            .iter()
            .map(|out| out.iter().map(|bits| bits.open(p)).collect())
            .collect::<Result<Vec<Vec<_>>>>()
    });
    assert_eq!(found, [want.clone(), want]);
}

/// Catches a question for the next layer that shows a share of a row, and a choice that masks two questions: with one
/// index throughout, questions are uniform, and so is what those of two layers make together.
#[test]
fn questions_are_uniform_at_every_layer() {
    const ITEMS: usize = 4000;
    let switched = Switched::of(&chain(3), &[None; 4]).expect("a netlist");
    let run = |connection: Connection| -> Result<()> {
        let mut p = Party::seeded(connection, 2680, None)?;
        let material = switched.prepare(&mut p, ITEMS)?;
        material.eval(&mut p, vec![Bits::new(ITEMS, vec![0; ITEMS.div_ceil(64)]); 4]).map(drop)
    };
    let outcome = relayed(id(2680), run, run, |_, _, _| Fate::Pass);
    outcome.p0.expect("no panic").expect("an honest run");
    outcome.p1.expect("no panic").expect("an honest run");
    for sent in outcome.sent {
        let asked: Vec<&[u8]> =
            sent.iter().map(|frame| &frame[8..]).filter(|message| message.len() == ITEMS / 4).collect();
        let asked = &asked[asked.len() - 3..];
        for (i, a) in asked.iter().enumerate() {
            assert_digits("a question", a);
            for b in &asked[..i] {
                assert_digits("two questions", &a.iter().zip(*b).map(|(a, b)| a ^ b).collect::<Vec<_>>());
            }
        }
    }
}

/// Asserts that hexadecimal digits are uniform.
fn assert_digits(what: &str, bytes: &[u8]) {
    let mut counts = [0; 16];
    bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]).for_each(|digit| counts[digit as usize] += 1);
    let far = stats::uniform(&counts);
    assert!(far < 6.0, "{what}: {far} standard deviations from uniform");
}

/// A lookup alone sends what SP-LUT sends.
#[test]
fn one_layer_with_switching_roles_is_a_lookup() {
    let run = |circuit: bool| {
        let party = move |c: Connection| -> Result<()> {
            let mut p = Party::seeded(c, 2690, None)?;
            let form = chain(1);
            let table = Table::new(4, form.tables()[0].rows().to_vec())?;
            match circuit {
                true => {
                    let material = Switched::of(&form, &[None; 4])?.prepare(&mut p, 3)?;
                    material.eval(&mut p, vec![Bits::new(3, vec![6]); 4]).map(drop)
                }
                false => {
                    let material = SpLut::<Xor>::prepare(&mut p, 16, 3)?;
                    material.lookup_xor(&mut p, &table, &BShare::new(4, vec![0, 15, 15])).map(drop)
                }
            }
        };
        relayed(id(2690), party, party, |_, _, _| Fate::Pass).sent
    };
    assert!(run(true) == run(false), "the same messages");
}

#[test]
fn what_lookups_of_circuits_send_is_uniform() {
    const ITEMS: usize = 4096;
    let circuit = unfolded();
    let form = &circuit.forms()[0];
    let inputs =
        |x: u64| (0..4).map(move |i| Bits::collect((0..ITEMS).map(|_| x >> i & 1))).collect::<Vec<_>>();
    for by in [Protocol::Doubling, Protocol::OpLut] {
        let layered = Layered::of(form, &[None; 4], |_| Ok(by)).expect("a netlist");
        assert_uniform(by.name(), 2650, 1 << 16, |p, x| {
            let material = layered.prepare(p, ITEMS)?;
            p.barrier()?;
            material.eval(p, inputs(x)).map(drop)
        });
    }
    let switched = Switched::of(form, &[None; 4]).expect("a netlist");
    assert_uniform("switching roles", 2660, 1 << 16, |p, x| {
        let material = switched.prepare(p, ITEMS)?;
        p.barrier()?;
        material.eval(p, inputs(x)).map(drop)
    });
    let unmasked = |p: &mut Party, x: u64| {
        p.barrier()?;
        let words = vec![x; ITEMS];
        p.exchange(bytemuck::cast_slice(&words).to_vec(), 8 * ITEMS).map(drop)
    };
    assert!(seen(2670, 0, unmasked), "indices that nothing masks");
}

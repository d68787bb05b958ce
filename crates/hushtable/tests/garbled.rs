//! Garbled circuits: random ones against a plain evaluation, bills, what is sent and hashed, and what is refused.

use crate::support::{
    billed::check_parts,
    pairs::{both, pair},
    recorded::{check, purposes, recorded},
    uniform::{assert_uniform, seen},
};

use std::{collections::HashSet, panic::catch_unwind, sync::Arc, time::Instant};

use hushtable::{
    Error, Party, Result, Role,
    bill::Bill,
    circuit::{Circuit, Draft, Form, Gate, Lit, TruthTable},
    gates::Bits,
    gc::{Ahead, Garbled, Garbler, Job, Program},
    session::{Purpose, Session},
};
use prim::{
    block::Block,
    half_gates::{And, Places},
    prg::Prg,
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

const GARBLERS: [Garbler; 3] = [Garbler::Both, Garbler::One(Role::P0), Garbler::One(Role::P1)];
const ITEMS: [usize; 10] = [0, 1, 2, 15, 16, 17, 33, 64, 100, 130];

/// A circuit, who knows its inputs, the inputs' bits and the outputs'.
struct Case {
    form: Form,
    known: Vec<Option<Role>>,
    inputs: Vec<Bits>,
    outputs: Vec<Bits>,
}

impl Case {
    /// A form grown at random: gates of wires near and far, outputs that are constants, inputs and complements.
    fn random(seed: u64, inputs: usize, gates: usize, items: usize) -> Self {
        let mut rng = Prg::new(Block(seed.into()));
        let mut below = |bound: usize| rng.below(bound as u32) as usize;
        let mut d = Draft::new(inputs);
        let mut wires = [&[Lit::FALSE][..], &d.inputs()].concat();
        for _ in 0..gates {
            let far = if below(4) == 0 { wires.len() } else { wires.len().min(20) };
            let mut any = || wires[wires.len() - 1 - below(far)].negate_if(below(2) == 1);
            let (a, b) = (any(), any());
            wires.push(if below(2) == 0 { d.and(a, b) } else { d.xor(a, b) });
        }
        let mut outputs = vec![wires[wires.len() - 1], Lit::TRUE, Lit::FALSE];
        outputs.extend((0..12).map(|_| wires[below(wires.len())].negate_if(below(2) == 1)));
        let known = (0..inputs).map(|_| [None, None, Some(Role::P0), Some(Role::P1)][below(4)]).collect();
        Self::of(d.finish("ands", outputs), known, items, seed)
    }

    /// A form on random inputs.
    fn of(form: Form, known: Vec<Option<Role>>, items: usize, seed: u64) -> Self {
        let mut rng = Prg::new(Block(u128::from(seed) << 64));
        let mut drawn = || {
            let mut words = vec![0; items.div_ceil(64)];
            rng.words(64, &mut words);
            Bits::new(items, words)
        };
        let inputs: Vec<Bits> = known.iter().map(|_| drawn()).collect();
        let word = |i: usize| form.eval(&inputs.iter().map(|x| x.words()[i]).collect::<Vec<_>>());
        let words: Vec<Vec<u64>> = (0..items.div_ceil(64)).map(word).collect();
        let output = |o: usize| Bits::new(items, words.iter().map(|word| word[o]).collect());
        let outputs = (0..form.outputs().len()).map(output).collect();
        Self { form, known, inputs, outputs }
    }

    fn job(&self, items: usize, garbler: Garbler) -> Job {
        let program = Program::new(&self.form).expect("XORs and ANDs");
        Job::new(&program, self.known.clone(), items, garbler).expect("inputs of the form")
    }

    /// One party's inputs. Of what the peer knows it gives what must not count.
    fn shares(&self, role: Role) -> Vec<Bits> {
        let share = |(k, (bits, known)): (usize, (&Bits, &Option<Role>))| {
            let mask = |i: usize| (i * 5 + k * 3) as u64 >> 1 & 1;
            Bits::collect(bits.iter().enumerate().map(|(i, bit)| match (known, role) {
                (Some(known), role) if *known == role => bit,
                (Some(_), _) | (None, Role::P1) => mask(i),
                (None, Role::P0) => bit ^ mask(i),
            }))
        };
        self.inputs.iter().zip(&self.known).enumerate().map(share).collect()
    }
}

/// `bits` bits times `bits`: the lower half of the product, by adders one below the other.
fn product(bits: usize) -> Form {
    let mut d = Draft::new(2 * bits);
    let inputs = d.inputs();
    let (x, y) = inputs.split_at(bits);
    let mut sum: Vec<Lit> = x.iter().map(|x| d.and(*x, y[0])).collect();
    for (shift, y) in y.iter().enumerate().skip(1) {
        let mut carry = Lit::FALSE;
        for (at, x) in (shift..bits).zip(x) {
            let term = d.and(*x, *y);
            let (a, b) = (d.xor(sum[at], carry), d.xor(term, carry));
            let both = d.and(a, b);
            (sum[at], carry) = (d.xor(a, term), d.xor(both, carry));
        }
    }
    d.finish("ands", sum)
}

fn online(p: &mut Party, job: &Job, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
    Garbled::prepare(p, job)?.eval(p, inputs)
}

fn ahead(p: &mut Party, job: &Job, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
    Ahead::prepare(p, job)?.eval(p, inputs)
}

type Mode = fn(&mut Party, &Job, Vec<Bits>) -> Result<Vec<Bits>>;

/// Runs a case in both modes and compares what comes out.
fn run(case: &Case, items: usize, garbler: Garbler) {
    let job = case.job(items, garbler);
    for mode in [online as Mode, ahead] {
        let (found, peer) = both(pair(2600, None), |p| mode(p, &job, case.shares(p.role())));
        assert_eq!(found.len(), case.outputs.len());
        for ((found, peer), want) in found.iter().zip(&peer).zip(&case.outputs) {
            assert_eq!((found ^ peer).words(), want.words(), "{garbler:?}, {items} items");
        }
    }
}

#[test]
fn random_circuits_give_what_they_say() {
    let rng_seed = RngSeed::Fixed(26);
    let config = Config { cases: 250, failure_persistence: None, rng_seed, ..Default::default() };
    let sizes = (0usize..12, prop_oneof![0usize..60, 300usize..600]);
    proptest!(config, |(seed in any::<u64>(), (inputs, gates) in sizes, at in 0..ITEMS.len(), by in 0usize..3)| {
        let (items, garbler) = (ITEMS[at], GARBLERS[by]);
        run(&Case::random(seed, inputs, gates, items), items, garbler);
    });
}

/// Several messages, groups and keys, cut anywhere.
#[test]
fn large_circuits_give_what_they_say() {
    for (bits, items) in [(64, 1), (64, 3), (40, 15), (40, 50), (33, 200)] {
        let form = product(bits);
        let known = (0..2 * bits).map(|i| [None, Some(Role::P0), Some(Role::P1)][i % 3]).collect();
        let case = Case::of(form, known, items, 7);
        GARBLERS.into_iter().for_each(|garbler| run(&case, items, garbler));
    }
}

#[test]
fn bills_are_met() {
    let cases = [(0, 0, 64), (5, 0, 64), (9, 100, 64), (9, 100, 1), (12, 500, 17), (4, 50, 0)];
    for (seed, (inputs, gates, items)) in (2610..).zip(cases) {
        let mut case = Case::random(seed, inputs, gates, items);
        for known in [None, Some(None), Some(Some(Role::P0))] {
            if let Some(known) = known {
                case.known.fill(known);
            }
            for garbler in GARBLERS {
                let (job, name) =
                    (case.job(items, garbler), format!("{inputs} inputs, {gates} gates, {garbler:?}"));
                assert!(items > 0 || Garbled::bill(&job) == Bill::FREE && Ahead::bill(&job) == Bill::FREE);
                let shares = |role| case.shares(role);
                let met = |bill: Bill| Bill { online: filled(bill), ..bill };
                check_parts(
                    &name,
                    met(Garbled::bill(&job)),
                    0,
                    |p| Garbled::prepare(p, &job),
                    |s, m| m.eval(s, shares(s.role())).map(drop),
                );
                check_parts(
                    &format!("{name}, ahead"),
                    met(Ahead::bill(&job)),
                    0,
                    |p| Ahead::prepare(p, &job),
                    |s, m| m.eval(s, shares(s.role())).map(drop),
                );
            }
        }
    }
}

/// The one message of bits that is filled up is each party's only one that is no whole number of blocks.
fn filled(bill: Bill) -> hushtable::bill::Phase {
    let bits = bill.online.bits.map(|bits| bits.next_multiple_of(8));
    hushtable::bill::Phase { bits, ..bill.online }
}

#[test]
fn what_is_sent_is_uniform() {
    const BATCH: usize = 64;
    let form = product(16);
    let case =
        |known: fn(usize) -> Option<Role>| Case::of(form.clone(), (0..32).map(known).collect(), BATCH, 1);
    let mixed = case(|i| [None, Some(Role::P0), Some(Role::P1)][i % 3]);
    let shares = |x: u64| (0..32).map(|i| Bits::new(BATCH, vec![(x >> i & 1).wrapping_neg()])).collect();
    for (k, garbler) in (0..).zip(GARBLERS) {
        let job = mixed.job(BATCH, garbler);
        assert_uniform("a garbled circuit", 2640 + 10 * k, 1 << 13, |p, x| {
            let material = Garbled::prepare(p, &job)?;
            p.barrier()?;
            material.eval(p, shares(x)).map(drop)
        });
        assert_uniform("a circuit garbled ahead", 2670 + 10 * k, 1 << 13, |p, x| {
            p.barrier()?;
            let material = Ahead::prepare(p, &job)?;
            material.eval(p, shares(x)).map(drop)
        });
    }
    // Tables of the same labels, with and without tweaks of their own.
    let tables = |p: &mut Party, step: u64| {
        p.barrier()?;
        let (hash, delta) = (p.hash(Purpose::Garbling, Role::P0), p.rng().block().with_lsb(true));
        for first in (0..64).map(|k| k * step) {
            let (mut places, mut tables) = (Places::new(2, 64), [Block::ZERO; 128]);
            places.at_mut(1).fill(delta);
            places.garble(&hash, delta, first, &[And { of: [0, 1], not: [false; 2], to: 0 }], &mut tables);
            p.send(bytemuck::cast_slice(&tables).to_vec())?;
        }
        (0..64).try_for_each(|_| p.recv(2048).map(drop))
    };
    assert_uniform("tables of the same labels", 2690, 1 << 7, |p, _| tables(p, 64));
    assert!(seen(2694, 1 << 7, |p, _| tables(p, 0)), "tweaks that serve twice");
}

/// Without tables, beside which it would be lost, what is sent for inputs.
#[test]
fn what_is_sent_for_inputs_is_uniform() {
    const BATCH: usize = 2048;
    let mut d = Draft::new(32);
    let wires = d.inputs();
    let sum = d.xor_all(wires);
    let form = d.finish("ands", vec![sum]);
    let shares = |x: u64| {
        let bit = |i: u64| Bits::new(BATCH, vec![(x >> i & 1).wrapping_neg(); BATCH / 64]);
        (0..32).map(bit).collect::<Vec<_>>()
    };
    let case = Case::of(form, vec![None; 32], BATCH, 1);
    for (k, garbler) in (0..).zip(GARBLERS) {
        let job = case.job(BATCH, garbler);
        assert_uniform("inputs", 2720 + 10 * k, 1 << 17, |p, x| {
            let material = Garbled::prepare(p, &job)?;
            p.barrier()?;
            material.eval(p, shares(x)).map(drop)
        });
        assert_uniform("inputs ahead", 2750 + 10 * k, 1 << 17, |p, x| {
            let material = Ahead::prepare(p, &job)?;
            p.barrier()?;
            material.eval(p, shares(x)).map(drop)
        });
    }
}

#[test]
fn no_input_of_the_hash_repeats() {
    let wide = Case::random(5, 12, 1000, 70);
    let same = Case::of(alike(), vec![None, Some(Role::P0), Some(Role::P1)], 70, 3);
    // More than one key.
    let long = Case::of(product(64), vec![Some(Role::P0); 128], 70, 2);
    let run = |p: &mut Party| -> Result<Vec<[u8; 32]>> {
        let both = GARBLERS.map(|garbler| [(&wide, garbler), (&same, garbler)]);
        for (case, garbler) in both.into_iter().flatten().chain([(&long, Garbler::One(Role::P0))]) {
            online(p, &case.job(70, garbler), case.shares(p.role()))?;
            ahead(p, &case.job(70, garbler), case.shares(p.role()))?;
        }
        Ok(Vec::new())
    };
    let (records, ids) = recorded(2700, None, run);
    let purposes = purposes(&ids);
    for (record, who) in records.iter().zip(["P0", "P1"]) {
        assert!(check(who, record, &purposes).contains(&Purpose::Garbling), "{who} never garbled");
        let garbled: Vec<_> = record.iter().filter(|h| purposes[&h.key.0] == Purpose::Garbling).collect();
        let distinct: HashSet<_> = garbled.iter().map(|h| (h.key.0, h.input.0)).collect();
        assert_eq!(distinct.len(), garbled.len(), "{who}");
        for key in garbled.iter().map(|h| h.key.0).collect::<HashSet<_>>() {
            assert!(garbled.iter().filter(|h| h.key.0 == key).count() < 1 << 20, "{who}: calls under a key");
        }
        // The check sees a tweak that serves twice: two ANDs of one label.
        let again = [&record[..], &record[record.len() - 1..]].concat();
        assert!(catch_unwind(|| check(who, &again, &purposes)).is_err());
    }
}

/// What `Draft` would not make: ANDs of equal wires, of constants, twice the same, an XOR that is zero, and gates that
/// nothing reads.
fn alike() -> Form {
    let text = "hushtable circuit 1\nname alike\ninput x b3\noutput y b9\nform ands\n& 1 1\n& 1 !1\n& 0 2\n& !0 2\n\
                ^ 2 2\n& 8 3\n& !8 !8\n& 2 3\n& 2 3\n^ 1 2\n& 13 13\n= 4 5 6 7 8 9 10 11 !12\nend\n";
    let circuit = Circuit::parse(&format!("{text}blake3 {}\n", blake3::hash(text.as_bytes())));
    circuit.expect("a circuit").forms()[0].clone()
}

#[test]
fn gates_of_equal_wires_give_what_they_say() {
    for known in [None, Some(Role::P0), Some(Role::P1)] {
        let case = Case::of(alike(), vec![known; 3], 100, 5);
        GARBLERS.into_iter().for_each(|garbler| run(&case, 100, garbler));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let case = Case::random(1, 3, 50, 5);
    both(pair(2710, None), |p| {
        let job = case.job(5, Garbler::Both);
        for lens in [&[5, 5][..], &[5; 4], &[5, 5, 6], &[4, 5, 5]] {
            let inputs = || lens.iter().map(|len| Bits::new(*len, vec![0])).collect::<Vec<_>>();
            let materials = (Garbled::prepare(p, &job)?, Ahead::prepare(p, &job)?);
            let sent = p.connection().channel().cost().sent;
            for refused in [materials.0.eval(p, inputs()), materials.1.eval(p, inputs())] {
                assert!(matches!(refused, Err(Error::Shape { .. })));
            }
            assert_eq!(p.connection().channel().cost().sent, sent, "nothing is sent");
        }
        let known = vec![None; 4];
        assert!(matches!(
            Job::new(&Program::new(&case.form)?, known, 5, Garbler::Both),
            Err(Error::Shape { .. })
        ));
        Ok(())
    });
    let mut d = Draft::new(2);
    let table = Arc::new(TruthTable::new(2, 1, vec![0, 1, 1, 0]).expect("a table"));
    let looked_up = d.lookup(&table, &d.inputs());
    let form = d.finish("luts", looked_up);
    assert!(form.gates().iter().any(|gate| matches!(gate, Gate::Lookup { .. })));
    assert!(matches!(Program::new(&form), Err(Error::Param { .. })));
}

/// The least time of `runs` evaluations, both parties' work among it.
fn seconds<M>(
    case: &Case,
    job: &Job,
    runs: usize,
    prepare: fn(&mut Party, &Job) -> Result<M>,
    eval: fn(M, &mut Session, Vec<Bits>) -> Result<Vec<Bits>>,
) -> f64 {
    let (seconds, _) = both(pair(2720, None), |p| {
        let mut least = f64::MAX;
        for _ in 0..runs {
            let (material, inputs) = (prepare(p, job)?, case.shares(p.role()));
            p.barrier()?;
            let start = Instant::now();
            eval(material, p, inputs)?;
            p.barrier()?;
            least = least.min(start.elapsed().as_secs_f64());
        }
        Ok(least)
    });
    seconds
}

/// Figures only, for whoever changes what is measured; of a release, with a core for each party.
#[test]
#[ignore = "measures"]
fn ands_a_second() {
    let p0 = Garbler::One(Role::P0);
    for (bits, items, garbler) in
        [(64, 1024, Garbler::Both), (64, 1024, p0), (64, 16, p0), (256, 1, p0), (64, 1, p0), (64, 7, p0)]
    {
        let case = Case::of(product(bits), vec![None; 2 * bits], items, 1);
        let (job, ands) = (case.job(items, garbler), items * case.form.ands());
        let runs = (40_000_000 / ands).clamp(3, 500);
        let online = seconds(&case, &job, runs, |p, job| Garbled::prepare(p, job), Garbled::eval);
        let ahead = seconds(&case, &job, runs, Ahead::prepare, Ahead::eval);
        let [online, ahead] = [online, ahead].map(|seconds| ands as f64 / seconds / 1e6);
        let each = case.form.ands();
        println!("{items} of {each} ANDs, {garbler:?}: {online:.1} M ANDs/s, garbled ahead {ahead:.1}");
    }
}

//! Networks of circuits: random ones by both engines against a plain evaluation, bills, what is sent and hashed.

use std::{collections::HashSet, sync::Arc};

use crate::support::{
    billed::check,
    pairs::{both, pair},
    recorded::{check as check_inputs, purposes, recorded},
    uniform::{assert_uniform, seen},
};

use hushtable::{
    Error, Role,
    circuit::{Draft, Form, Lit},
    inner::{By, Evaluation, Network},
    session::Purpose,
};
use prim::{Wiped, block::Block, prg::Prg};

const ENGINES: [By; 3] = [By::Layers, By::Garbling(Role::P0), By::Garbling(Role::P1)];

/// A stage, as the plain evaluation takes it: each array with a word for each item.
type Stage = (Arc<Form>, [Vec<(usize, Vec<u32>)>; 2]);

/// A network, and what it is made of.
struct Case {
    given: Vec<(u32, usize)>,
    made: Vec<(u32, usize)>,
    stages: Vec<Stage>,
}

impl Case {
    /// Stages of forms grown at random, each of which writes some words of one array and some of another, in any order,
    /// and reads the former and any of a third.
    fn random(seed: u64, stages: usize, words: usize) -> Self {
        let mut rng = Prg::new(Block(seed.into()));
        let mut below = |bound: usize| rng.below(bound as u32) as usize;
        let mut shape = || (1 + below(5) as u32, words);
        let given = vec![shape(), shape(), shape()];
        let made = vec![shape(), shape()];
        let all = [&given[..], &made].concat();
        let mut before: Option<(Arc<Form>, [usize; 3])> = None;
        let stages = (0..stages).map(|_| {
            let mut order: Vec<usize> = (0..all.len()).collect();
            (1..order.len()).for_each(|i| order.swap(i, below(i + 1)));
            // A form stands in more than one stage.
            let (form, at) = match before.take() {
                Some(before) => before,
                None => {
                    let at = [order[0], order[1], order[2]];
                    let [own, other, read] = at.map(|array| all[array].0 as usize);
                    let form = Arc::new(grown(&mut below, own + read, own + other));
                    before = Some((form.clone(), at));
                    (form, at)
                }
            };
            let items = 1 + below(words);
            let mut distinct = || {
                let mut places: Vec<u32> = (0..words as u32).collect();
                (1..words).for_each(|i| places.swap(i, below(i + 1)));
                places[..items].to_vec()
            };
            let (own, other) = (distinct(), distinct());
            let read = (0..items).map(|_| below(words) as u32).collect();
            let cells = [vec![(at[0], own.clone()), (at[2], read)], vec![(at[0], own), (at[1], other)]];
            (form, cells)
        });
        let stages = stages.collect();
        Self { given, made, stages }
    }

    /// A stage for each number of items, of a form with about so many ANDs.
    fn staged(stages: &[(usize, usize)]) -> Self {
        let words = stages.iter().map(|stage| stage.0).max().expect("a stage");
        let stage = |&(items, ands): &(usize, usize)| {
            let mut d = Draft::new(16);
            let mut bits = d.inputs();
            for i in 0..ands {
                let both = d.and(bits[i % 16], bits[(i + 3) % 16]);
                bits[(i + 7) % 16] = d.xor(both, bits[(i + 7) % 16]);
            }
            let at: Vec<u32> = (0..items as u32).collect();
            let cells = [vec![(0, at.clone()), (1, at.clone())], vec![(1, at.clone()), (0, at)]];
            (Arc::new(d.finish("ands", bits)), cells)
        };
        Self { given: vec![(8, words); 2], made: vec![], stages: stages.iter().map(stage).collect() }
    }

    fn network(&self) -> Arc<Network> {
        let mut network = Network::new(&self.given);
        self.made.iter().for_each(|&(bits, words)| _ = network.array(bits, words));
        for (form, [reads, writes]) in &self.stages {
            network.stage(form, reads.clone(), writes.clone());
        }
        Arc::new(network)
    }

    /// Random words for the arrays that are given.
    fn words(&self, seed: u128) -> Vec<Vec<u64>> {
        let mut rng = Prg::new(Block(seed));
        let mut drawn = |&(bits, words): &(u32, usize)| {
            let mut all = vec![0; words];
            rng.words(bits, &mut all);
            all
        };
        self.given.iter().map(&mut drawn).collect()
    }

    /// All arrays, in the end.
    fn plain(&self, mut arrays: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
        let widths: Vec<u32> = self.given.iter().chain(&self.made).map(|array| array.0).collect();
        arrays.extend(self.made.iter().map(|array| vec![0; array.1]));
        for (form, [reads, writes]) in &self.stages {
            for item in 0..reads[0].1.len() {
                let bits = |(array, words): &(usize, Vec<u32>)| {
                    let word = arrays[*array][words[item] as usize];
                    (0..widths[*array]).map(|bit| word >> bit & 1).collect::<Vec<_>>()
                };
                let mut made = form.eval(&reads.iter().flat_map(bits).collect::<Vec<_>>()).into_iter();
                for (array, words) in writes {
                    let bits = made.by_ref().take(widths[*array] as usize).enumerate();
                    arrays[*array][words[item] as usize] =
                        bits.fold(0, |word, (i, bit)| word | (bit & 1) << i);
                }
            }
        }
        arrays
    }
}

/// A form of so many inputs and outputs, some of them constants, inputs and complements.
fn grown(below: &mut impl FnMut(usize) -> usize, inputs: usize, outputs: usize) -> Form {
    let mut d = Draft::new(inputs);
    let mut wires = [&[Lit::FALSE][..], &d.inputs()].concat();
    for _ in 0..below(60) {
        let mut any = || wires[below(wires.len())].negate_if(below(2) == 1);
        let (a, b) = (any(), any());
        wires.push(if below(2) == 0 { d.and(a, b) } else { d.xor(a, b) });
    }
    let outputs = (0..outputs).map(|_| wires[below(wires.len())].negate_if(below(2) == 1)).collect();
    d.finish("ands", outputs)
}

/// A party's shares: of random words in each array, those of P1 drawn from a seed.
fn shares(role: Role, case: &Case, words: &[Vec<u64>]) -> Vec<Wiped<u64>> {
    let share = |(x, mask): (&Vec<u64>, Vec<u64>)| match role {
        Role::P0 => Wiped::from(x.iter().zip(mask).map(|(x, mask)| x ^ mask).collect::<Vec<_>>()),
        Role::P1 => Wiped::from(mask),
    };
    words.iter().zip(case.words(99)).map(share).collect()
}

fn gives_what_it_says(case: &Case, seed: u64) {
    let (network, words) = (case.network(), case.words(seed.into()));
    let want = case.plain(words.clone());
    for by in ENGINES {
        let evaluation = Evaluation::of(&network, by).expect("ANDs and XORs");
        let (found, peer) = both(pair(seed, None), |p| {
            let given = shares(p.role(), case, &words);
            evaluation.prepare(p)?.eval(p, given)
        });
        assert_eq!(found.len(), want.len());
        for (array, want) in want.iter().enumerate() {
            let found: Vec<u64> = found[array].iter().zip(peer[array].iter()).map(|(a, b)| a ^ b).collect();
            assert_eq!(&found, want, "{by:?}, array {array}, seed {seed}");
        }
    }
}

#[test]
fn random_networks_give_what_they_say() {
    for (seed, (stages, words)) in
        (4400..).zip([(0, 3), (1, 1), (2, 7), (9, 30), (40, 20), (6, 600), (12, 100)])
    {
        gives_what_it_says(&Case::random(seed, stages, words), seed);
    }
}

/// Stages that end a key, take several, and share one.
#[test]
fn large_networks_give_what_they_say() {
    gives_what_it_says(&Case::staged(&[(700, 300), (240, 1100), (3, 40), (1, 5), (17, 0), (300, 90)]), 4420);
}

#[test]
fn bills_are_met() {
    for (stages, name) in
        [(&[(64, 30), (8, 7), (640, 3)][..], "some"), (&[(8, 0)], "none"), (&[(800, 2)], "one")]
    {
        let case = Case::staged(stages);
        let network = case.network();
        for by in ENGINES {
            let evaluation = Evaluation::of(&network, by).expect("ANDs and XORs");
            let words = case.words(1);
            check(
                &format!("{name} ANDs, {by:?}"),
                evaluation.bill(),
                |p| evaluation.prepare(p),
                |s, m| m.eval(s, shares(s.role(), &case, &words)).map(drop),
            );
        }
    }
}

#[test]
fn what_is_sent_is_uniform() {
    let case = Case::staged(&[(64, 60), (20, 90), (64, 40)]);
    let network = case.network();
    let shares = |x: u64| vec![Wiped::from(vec![x & 0xff; 64]), Wiped::from(vec![x >> 8 & 0xff; 64])];
    for (k, by) in (0..).zip(ENGINES) {
        let evaluation = Evaluation::of(&network, by).expect("ANDs and XORs");
        assert_uniform("a network", 4430 + 10 * k, 1 << 15, |p, x| {
            let material = evaluation.prepare(p)?;
            p.barrier()?;
            material.eval(p, shares(x)).map(drop)
        });
    }
    // A party's shares as they are.
    assert!(seen(4460, 1 << 13, |p, x| {
        p.barrier()?;
        p.exchange(vec![x as u8; 2000], 2000).map(drop)
    }));
}

/// Over all stages, those under one key among them.
#[test]
fn no_input_of_the_hash_repeats() {
    let case = Case::staged(&[(700, 300), (3, 40), (240, 1100), (3, 40), (3, 40), (40, 90)]);
    let (network, words) = (case.network(), case.words(1));
    let (records, ids) = recorded(4470, None, |p| {
        for by in &ENGINES[1..] {
            let given = shares(p.role(), &case, &words);
            Evaluation::of(&network, *by)?.prepare(p)?.eval(p, given)?;
        }
        Ok(Vec::new())
    });
    let purposes = purposes(&ids);
    for (record, who) in records.iter().zip(["P0", "P1"]) {
        assert!(check_inputs(who, record, &purposes).contains(&Purpose::Garbling), "{who} never garbled");
        let garbled: Vec<_> = record.iter().filter(|h| purposes[&h.key.0] == Purpose::Garbling).collect();
        let distinct: HashSet<_> = garbled.iter().map(|h| (h.key.0, h.input.0)).collect();
        assert_eq!(distinct.len(), garbled.len(), "{who}");
        let keys: HashSet<_> = garbled.iter().map(|h| h.key.0).collect();
        for key in &keys {
            assert!(garbled.iter().filter(|h| h.key.0 == *key).count() < 1 << 20, "{who}: calls under a key");
        }
        // Of each network: that of the first stage's pieces, two of the third, that of the rest.
        assert_eq!(keys.len(), 2 * 4, "{who}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let case = Case::staged(&[(8, 5)]);
    let network = case.network();
    both(pair(4480, None), |p| {
        for by in ENGINES {
            for lens in [&[8][..], &[8; 3], &[8, 7], &[9, 8]] {
                let material = Evaluation::of(&network, by)?.prepare(p)?;
                let given = lens.iter().map(|len| Wiped::zeros(*len)).collect();
                assert!(matches!(material.eval(p, given), Err(Error::Shape { .. })), "{by:?}");
            }
        }
        Ok(())
    });
}

//! Netlists: random ones against a plain evaluation, bills, what is sent, and what is refused.

use crate::support::{
    billed::check,
    pairs::{both, pair},
    uniform::{assert_uniform, seen},
};

use std::{panic::AssertUnwindSafe, sync::Arc};

use hushtable::{
    Error, Party, Result, Role,
    circuit::{Builder, Layers, Netlist, Span, Wire, conjunction},
    gates::{Bits, Triples},
};
use prim::{block::Block, prg::Prg};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

/// Bits of inputs, and who knows them.
type Inputs = Vec<(Vec<u64>, Option<Role>)>;

/// A wire with its bits, and who knows it.
#[derive(Clone)]
struct Value {
    wire: Wire,
    span: Span,
    bits: Vec<u64>,
    known: Option<Role>,
    level: u32,
}

/// A netlist that grows at random, evaluated while it does.
struct Twin {
    b: Builder,
    rng: Prg,
    items: usize,
    values: Vec<Value>,
    inputs: Inputs,
    /// ANDs for an item, and the deepest of them; what comes after a barrier is deeper.
    ands: usize,
    depth: u32,
    floor: u32,
}

impl Twin {
    fn new(seed: u64, items: usize) -> Self {
        let (b, rng) = (Builder::new(&[1, 2, 3]), Prg::new(Block(seed.into())));
        let (values, inputs) = (Vec::new(), Vec::new());
        Self { b, rng, items, values, inputs, ands: 0, depth: 0, floor: 0 }
    }

    fn below(&mut self, bound: usize) -> usize {
        let mut word = [0u64];
        self.rng.words(32, &mut word);
        word[0] as usize % bound
    }

    fn role(&mut self) -> Role {
        [Role::P0, Role::P1][self.below(2)]
    }

    fn any(&mut self) -> Value {
        let i = self.below(self.values.len());
        self.values[i].clone()
    }

    /// Some of the wires with the span of one of them.
    fn alike(&mut self, count: usize) -> Vec<Value> {
        let span = self.any().span;
        let all: Vec<Value> = self.values.iter().filter(|value| value.span == span).cloned().collect();
        (0..count).map(|_| all[self.below(all.len())].clone()).collect()
    }

    fn input(&mut self) {
        let width = 1 + self.below(3);
        let (span, known) = match self.below(4) {
            0 => (Span::All(width), Some(self.role())),
            1 => (Span::Each(width), Some(self.role())),
            _ => (Span::Each(1), None),
        };
        let bits: Vec<u64> = (0..span.bits(self.items)).map(|_| self.below(2) as u64).collect();
        let wire = self.b.input(span, known);
        self.inputs.push((bits.clone(), known));
        self.values.push(Value { wire, span, bits, known, level: 0 });
    }

    /// A wire that a local gate makes of some.
    fn local(&mut self, wire: Wire, span: Span, bits: Vec<u64>, of: &[Value]) {
        let known = of[0].known.filter(|known| of.iter().all(|value| value.known == Some(*known)));
        let level = of.iter().map(|value| value.level).max().expect("a wire");
        assert_eq!(bits.len(), span.bits(self.items));
        self.values.push(Value { wire, span, bits, known, level });
    }

    fn xor(&mut self) {
        let count = 1 + self.below(3);
        let of = self.alike(count);
        let bit = |i: usize| of.iter().fold(0, |sum, value| sum ^ value.bits[i]);
        let bits = (0..of[0].bits.len()).map(bit).collect();
        let wire = self.b.xor(&of.iter().map(|value| value.wire).collect::<Vec<_>>());
        self.local(wire, of[0].span, bits, &of);
    }

    /// Bits that are the same for all items, from one of them on, to as many wires of any spans.
    fn add(&mut self) {
        let all = |value: &&Value| matches!(value.span, Span::All(1..));
        let Some(key) = self.values.iter().rfind(all).cloned() else { return };
        let from = self.below(key.bits.len());
        let of: Vec<Value> = (from..key.bits.len()).map(|_| self.any()).collect();
        let made = self.b.add(key.wire, from, &of.iter().map(|value| value.wire).collect::<Vec<_>>());
        let mut gate = of.clone();
        gate.push(key.clone());
        for ((wire, value), key) in made.into_iter().zip(&of).zip(&key.bits[from..]) {
            self.local(wire, value.span, value.bits.iter().map(|bit| bit ^ key).collect(), &gate);
        }
    }

    fn and(&mut self) {
        let count = 2 + self.below(3);
        let of = self.alike(count);
        let known = of[0].known.filter(|known| of.iter().all(|value| value.known == Some(*known)));
        let mut level = of.iter().map(|value| value.level).max().expect("a wire");
        if known.is_none() {
            let Span::Each(width) = of[0].span else { return };
            level = level.max(self.floor) + 1;
            (self.ands, self.depth) = (self.ands + width * (count - 1), self.depth.max(level));
        }
        let ys: Vec<Wire> = of[1..].iter().map(|value| value.wire).collect();
        let made = match self.below(2) {
            0 => self.b.and_each(of[0].wire, &ys),
            _ => self.b.ands(&[(of[0].wire, &ys)]),
        };
        for (wire, y) in made.into_iter().zip(&of[1..]) {
            let bits = of[0].bits.iter().zip(&y.bits).map(|(x, y)| x & y).collect();
            self.values.push(Value { wire, span: y.span, bits, known, level });
        }
    }

    fn linear(&mut self) {
        let (count, rows) = (1 + self.below(5), 1 + self.below(3));
        let of = self.alike(count);
        let rows: Vec<u128> = (0..rows).map(|_| self.below(1 << count) as u128).collect();
        let column: Vec<Wire> = of.iter().map(|value| value.wire).collect();
        let made = self.b.linear(&rows, &column);
        for (wire, row) in made.into_iter().zip(rows) {
            let chosen = |j: &usize| row >> j & 1 == 1;
            let bit = |i| (0..count).filter(chosen).fold(0, |sum, j| sum ^ of[j].bits[i]);
            let bits = (0..of[0].bits.len()).map(bit).collect();
            self.local(wire, of[0].span, bits, &of);
        }
    }

    /// Gates that move bits.
    fn moved(&mut self) {
        let x = self.any();
        let (width, items) = match x.span {
            Span::Each(width) => (width, self.items),
            Span::All(width) => (width, 1),
        };
        let of = |width| match x.span {
            Span::Each(_) => Span::Each(width),
            Span::All(_) => Span::All(width),
        };
        match self.below(4) {
            _ if width == 0 => {}
            0 => {
                let y = self.alike(1).remove(0);
                if let (Span::Each(_), Span::Each(more)) | (Span::All(_), Span::All(more)) = (x.span, y.span)
                {
                    let wire = self.b.join(&[x.wire, y.wire]);
                    self.local(wire, of(width + more), [&x.bits[..], &y.bits].concat(), &[x, y]);
                }
            }
            1 => {
                let mut from = self.below(width);
                let widths = [1 + self.below(width - from), self.below(2)];
                let widths = &widths[..if from + widths[0] + widths[1] > width { 1 } else { 2 }];
                for (wire, count) in self.b.parts(x.wire, from, widths).into_iter().zip(widths) {
                    let bits = x.bits[from * items..][..count * items].to_vec();
                    self.local(wire, of(*count), bits, std::slice::from_ref(&x));
                    from += count;
                }
            }
            2 => {
                let wire = self.b.join(&[x.wire; 3]);
                self.local(wire, of(3 * width), x.bits.repeat(3), &[x]);
            }
            _ if matches!(x.span, Span::All(_)) => {
                let wire = self.b.spread(x.wire);
                let bits = x.bits.iter().flat_map(|bit| vec![*bit; self.items]).collect();
                self.local(wire, Span::Each(width), bits, &[x]);
            }
            _ => self.add(),
        }
    }

    fn grow(&mut self, gates: usize) {
        self.input();
        for _ in 0..gates {
            match self.below(8) {
                0 | 1 => self.input(),
                2 => self.xor(),
                3 | 4 => self.and(),
                5 => self.linear(),
                6 if self.below(4) == 0 => {
                    self.b.barrier();
                    self.floor = self.depth;
                }
                _ => self.moved(),
            }
        }
    }

    /// The netlist, what goes in, and what comes out: every wire.
    fn finish(self) -> (Arc<Netlist>, Inputs, Vec<Vec<u64>>) {
        let outputs: Vec<Wire> = self.values.iter().map(|value| value.wire).collect();
        let net = self.b.finish(&outputs);
        assert_eq!((net.ands(), net.depth()), (self.ands, self.depth));
        (net, self.inputs, self.values.into_iter().map(|value| value.bits).collect())
    }
}

fn random(seed: u64, items: usize, gates: usize) -> (Arc<Netlist>, Inputs, Vec<Vec<u64>>) {
    let mut twin = Twin::new(seed, items);
    twin.grow(gates);
    twin.finish()
}

/// One party's inputs. Of what the peer knows it gives what must not count.
fn shares(role: Role, inputs: &[(Vec<u64>, Option<Role>)]) -> Vec<Bits> {
    let share = |(k, (bits, known)): (usize, &(Vec<u64>, Option<Role>))| {
        let mask = |i: usize| (i * 5 + k * 3) as u64 >> 1 & 1;
        Bits::collect(bits.iter().enumerate().map(|(i, bit)| match (known, role) {
            (Some(known), role) if *known == role => *bit,
            (Some(_), _) | (None, Role::P1) => mask(i),
            (None, Role::P0) => bit ^ mask(i),
        }))
    };
    inputs.iter().enumerate().map(share).collect()
}

fn evaluate(p: &mut Party, net: &Arc<Netlist>, items: usize, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
    Layers::prepare(p, net, items)?.eval(p, inputs)
}

#[test]
fn random_circuits_give_what_they_say() {
    let rng_seed = RngSeed::Fixed(25);
    let config = Config { cases: 200, failure_persistence: None, rng_seed, ..Default::default() };
    proptest!(config, |(seed in any::<u64>(), items in 0usize..80, gates in 0usize..60)| {
        let (net, inputs, want) = random(seed, items, gates);
        let (found, peer) = both(pair(2500, None), |p| {
            let out = evaluate(p, &net, items, shares(p.role(), &inputs))?;
            out.iter().map(|bits| Ok((bits.len(), bits.open(p)?))).collect::<Result<Vec<_>>>()
        });
        prop_assert_eq!(&found, &peer);
        let bits = |(len, words): &(usize, Vec<u64>)| (0..*len).map(|i| words[i / 64] >> (i % 64) & 1).collect();
        prop_assert_eq!(found.iter().map(bits).collect::<Vec<Vec<u64>>>(), want);
    });
}

#[test]
fn bills_are_met() {
    const ITEMS: usize = 64;
    let nets = (0..6).map(|seed| random(seed, ITEMS, 60));
    let joined =
        [1, 2, 3, 7, 16].map(|bits| (conjunction(bits), vec![(vec![1; ITEMS], None); bits], Vec::new()));
    for (net, inputs, _) in nets.chain(joined) {
        check(
            &format!("{} ANDs in {} layers", net.ands(), net.depth()),
            Layers::bill(&net, ITEMS),
            |p| Layers::prepare(p, &net, ITEMS),
            |s, m| m.eval(s, shares(s.role(), &inputs)).map(drop),
        );
        assert_eq!(Layers::bill(&net, 0), hushtable::bill::Bill::FREE);
    }
}

/// Eight bits are compared with eight that P0 knows, which are the same for all items, and of which it has the complement.
fn equal_to_known() -> Arc<Netlist> {
    let mut b = Builder::new(&[1]);
    let (x, y) = (b.inputs(8), b.input(Span::All(8), Some(Role::P0)));
    let mut level = b.add(y, 0, &x);
    while let [x, y, ..] = level[..] {
        level.drain(..2);
        level.push(b.and(x, y));
    }
    b.finish(&level)
}

#[test]
fn what_is_sent_is_uniform() {
    const ITEMS: usize = 2048;
    let net = equal_to_known();
    let eval = |p: &mut Party, x: u64, material: Layers| {
        p.barrier()?;
        let plane = |i: u64| Bits::collect((0..ITEMS).map(|_| x >> i & 1));
        let mut inputs: Vec<Bits> = (0..8).map(plane).collect();
        inputs.push(Bits::new(8, vec![!x]));
        material.eval(p, inputs).map(drop)
    };
    assert_uniform("a circuit", 2510, 1 << 15, |p, x| {
        let material = Layers::prepare(p, &net, ITEMS)?;
        eval(p, x, material)
    });
    let unmasked = |p: &mut Party, x: u64| {
        let zeros = || Bits::new(7 * ITEMS, vec![0; 7 * ITEMS / 64]);
        let triples = Triples::from_shares(zeros(), zeros(), zeros())?;
        let material = Layers::with(&net, ITEMS, vec![triples])?;
        eval(p, x, material)
    };
    assert!(seen(2510, 0, unmasked), "operands that nothing masks");
}

#[test]
fn what_is_no_circuit_is_not_built() {
    fn refused(what: &str, build: impl Fn(&mut Builder, Vec<Wire>) -> Vec<Wire>) {
        let built = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let mut b = Builder::new(&[1]);
            let inputs = b.inputs(2);
            let outputs = build(&mut b, inputs);
            b.finish(&outputs)
        }));
        assert!(built.is_err(), "{what} was built");
    }
    // What is made later, here by another builder: so no gate can wait for itself.
    let later = Builder::new(&[1]).inputs(4)[3];
    refused("a circle", |b, x| vec![b.and(x[0], later)]);
    refused("an XOR of a wire to come", |b, _| vec![b.xor(&[later])]);
    refused("an output that there is not", |_, _| vec![later]);
    refused("parts of a wire to come", |b, _| b.parts(later, 0, &[1]));
    refused("a wire to come, spread", |b, _| vec![b.spread(later)]);
    refused("an XOR of nothing", |b, _| vec![b.xor(&[])]);
    refused("nothing joined", |b, _| vec![b.join(&[])]);
    refused("a column of nothing", |b, _| b.linear(&[1], &[]));
    refused("a long column", |b, x| b.linear(&[1], &vec![x[0]; 129]));
    refused("ANDs that were not announced", |b, x| b.and_each(x[0], &[x[1], x[1]]));
    refused("groups that were not announced", |b, x| b.ands(&[(x[0], &[x[1], x[1]])]));
    refused("an AND of other spans", |b, x| {
        let wide = b.input(Span::Each(2), None);
        vec![b.and(x[0], wide)]
    });
    refused("an XOR of other spans", |b, x| {
        let wide = b.input(Span::Each(2), None);
        vec![b.xor(&[x[0], wide])]
    });
    refused("bits behind the last", |b, x| b.parts(x[0], 1, &[1]));
    refused("bits behind the largest", |b, x| b.parts(x[0], usize::MAX, &[2]));
    refused("a spread of what is spread", |b, x| vec![b.spread(x[0])]);
    refused("a sum with bits of each", |b, x| b.add(x[0], 0, &x[1..]));
    refused("a sum with bits behind the last", |b, x| {
        let all = b.input(Span::All(2), Some(Role::P0));
        b.add(all, 1, &x)
    });
    refused("bits of each behind bits of all", |b, x| {
        let all = b.input(Span::All(1), Some(Role::P0));
        vec![b.join(&[x[0], all])]
    });
    refused("an AND of bits for all that nobody knows", |b, _| {
        let [x, y] = [Role::P0, Role::P1].map(|role| b.input(Span::All(1), Some(role)));
        vec![b.and(x, y)]
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    let net = conjunction(3);
    both(pair(2520, None), |p| {
        let mut stock = Triples::random(p, 100)?;
        let mut bad = |triples: Vec<usize>, lens: &[usize]| {
            let stock = triples.into_iter().map(|count| stock.take(count)).collect::<Result<_>>()?;
            let inputs: Vec<Bits> =
                lens.iter().map(|len| Bits::new(*len, vec![0; len.div_ceil(64)])).collect();
            let refused = Layers::with(&net, 5, stock)
                .and_then(|circuit| circuit.eval(p, inputs))
                .expect_err("refused");
            assert!(matches!(refused, Error::Shape { .. }), "{refused}");
            Ok::<(), Error>(())
        };
        bad(vec![10], &[5, 5])?;
        bad(vec![10], &[5; 4])?;
        bad(vec![10], &[5, 5, 6])?;
        bad(vec![9], &[5; 3])?;
        bad(vec![11], &[5; 3])?;
        bad(vec![], &[5; 3])?;
        bad(vec![10, 0], &[5; 3])?;
        let two = Triples::shared(p, 10, 2)?;
        assert!(matches!(Layers::with(&net, 5, vec![two]), Err(Error::Shape { .. })));
        Ok(())
    });
}

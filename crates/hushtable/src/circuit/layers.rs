//! A netlist evaluated layer by layer.

use std::{borrow::Cow, sync::Arc};

use prim::{Wiped, lowmc};

use super::netlist::{Gate, Netlist, Node, Span, Wire};
use crate::{
    bill::Bill,
    error::{Result, same},
    gates::{Ands, Bits, Triples, and_all},
    net::Role,
    session::Session,
    source::Source,
};

/// One-time material for an evaluation of a netlist for a batch of items.
#[must_use = "one-time material that is not used was generated for nothing"]
#[derive(Debug)]
pub struct Layers {
    net: Arc<Netlist>,
    items: usize,
    /// Of each kind in [`Netlist::triples`].
    stock: Vec<Triples>,
}

impl Layers {
    /// Offline: for so many items. One kind of triples after the other.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(p: &mut dyn Source, net: impl Into<Arc<Netlist>>, items: usize) -> Result<Self> {
        let net = net.into();
        let stock = net.triples.iter().map(|[size, operands]| Triples::shared(p, operands * items, *size));
        let stock = stock.collect::<Result<_>>()?;
        Ok(Self { net, items, stock })
    }

    /// The same with triples that were made for several evaluations.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless they are those of [`Netlist::triples`], for so many items.
    pub fn with(net: impl Into<Arc<Netlist>>, items: usize, stock: Vec<Triples>) -> Result<Self> {
        let net = net.into();
        same("kinds of triples", net.triples.len(), stock.len())?;
        for ([size, operands], triples) in net.triples.iter().zip(&stock) {
            same("triples for the ANDs", operands * items, triples.len())?;
            same("ANDs a triple is for", *size, triples.products())?;
        }
        Ok(Self { net, items, stock })
    }

    /// What an evaluation for so many items costs.
    pub fn bill(net: &Netlist, items: usize) -> Bill {
        let triples = net.triples.iter().map(|[size, operands]| Triples::bill(*size).times(operands * items));
        let mut bill = triples.fold(Bill::FREE, Bill::beside);
        bill.online.rounds = if items == 0 { 0 } else { net.depth() };
        bill
    }

    /// Items there is material for.
    pub fn len(&self) -> usize {
        self.items
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// Online, a round for each layer: shares of the outputs, from those of the inputs. Of an input that the peer knows
    /// only the length counts. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless the inputs are as many, and as long, as the netlist says; and those
    /// of the channel.
    pub fn eval(mut self, s: &mut Session, inputs: &[&Bits]) -> Result<Vec<Bits>> {
        let net = self.net.clone();
        let mut values = Values::new(&net, self.items, s.role(), inputs)?;
        for nodes in net.nodes.chunk_by(|a, b| a.sends && b.sends && a.level == b.level) {
            match nodes {
                [node] if !node.sends => values.local(node),
                _ => self.layer(s, nodes, &mut values)?,
            }
        }
        Ok(values.outputs())
    }

    /// All ANDs of a layer: 1 round, with a message for each gate.
    fn layer(&mut self, s: &mut Session, nodes: &[Node], values: &mut Values) -> Result<()> {
        let mut sets = Vec::with_capacity(nodes.len());
        for node in nodes {
            let Gate::And(x, ys) = &node.gate else { unreachable!("only ANDs send") };
            let kind =
                self.net.triples.iter().position(|kind| kind[0] == ys.len()).expect("a kind of triples");
            let x = values.get(*x);
            let triples = self.stock[kind].take(x.len())?;
            sets.push(Ands { x, ys: ys.iter().map(|y| values.get(*y)).collect(), triples });
        }
        for (node, products) in nodes.iter().zip(and_all(s, sets)?) {
            values.put(node, products);
        }
        Ok(())
    }
}

/// One party's shares of the wires that are still used.
struct Values<'a> {
    net: &'a Netlist,
    items: usize,
    role: Role,
    bits: Vec<Option<Cow<'a, Bits>>>,
    /// How often each wire is still used.
    left: Vec<u32>,
}

impl<'a> Values<'a> {
    fn new(net: &'a Netlist, items: usize, role: Role, inputs: &[&'a Bits]) -> Result<Self> {
        same("inputs of the circuit", net.inputs.len(), inputs.len())?;
        let mut bits: Vec<Option<Cow<Bits>>> = vec![None; net.wires.len()];
        for (wire, input) in net.inputs.iter().zip(inputs) {
            let about = net.about(*wire);
            same("bits of an input of the circuit", about.span.bits(items), input.len())?;
            bits[wire.0 as usize] = Some(match about.known {
                Some(known) if known != role => Cow::Owned(constant(input.len(), 0)),
                _ => Cow::Borrowed(*input),
            });
        }
        Ok(Self { net, items, role, bits, left: net.uses.clone() })
    }

    fn get(&self, wire: Wire) -> &Bits {
        self.bits[wire.0 as usize].as_ref().expect("a wire that is used later")
    }

    /// What a gate has made; what nobody reads any more is dropped.
    fn put(&mut self, node: &Node, made: Vec<Bits>) {
        for (wire, bits) in (node.first..).zip(made) {
            self.bits[wire] = Some(Cow::Owned(bits)).filter(|_| self.left[wire] > 0);
        }
        node.gate.operands().for_each(|wire| drop(self.take(wire)));
    }

    /// A wire, if this was its last use.
    fn take(&mut self, wire: Wire) -> Option<Cow<'a, Bits>> {
        let wire = wire.0 as usize;
        self.left[wire] -= 1;
        if self.left[wire] == 0 { self.bits[wire].take() } else { None }
    }

    fn outputs(mut self) -> Vec<Bits> {
        let net = self.net;
        let output = |wire: &Wire| match self.take(*wire) {
            Some(bits) => bits.into_owned(),
            None => self.get(*wire).clone(),
        };
        net.outputs.iter().map(output).collect()
    }

    /// A gate that takes no message.
    fn local(&mut self, node: &Node) {
        let span = self.net.wires.get(node.first).map_or(Span::All(0), |about| about.span);
        let made = match &node.gate {
            Gate::Constant(bits) => {
                let mine = self.net.wires[node.first].known == Some(self.role);
                vec![Bits::collect(bits.iter().map(|bit| u64::from(*bit && mine)))]
            }
            Gate::Xor(wires) => vec![self.xor(wires, span)],
            Gate::And(x, ys) => ys.iter().map(|y| and(self.get(*x), self.get(*y))).collect(),
            Gate::Linear(rows, column) => self.linear(rows, column),
            Gate::Join(wires) => vec![Bits::concat(wires.iter().map(|wire| self.get(*wire)))],
            Gate::Part(x, from) => {
                let from = self.net.about(*x).span.of(*from).bits(self.items);
                vec![self.get(*x).range(from..from + span.bits(self.items))]
            }
            Gate::Repeat(x, times) => vec![Bits::concat(std::iter::repeat_n(self.get(*x), *times))],
            Gate::Spread(x) => vec![spread(self.get(*x), self.items)],
        };
        self.put(node, made);
    }

    fn xor(&self, wires: &[Wire], span: Span) -> Bits {
        let long = |wire: &&Wire| self.net.about(**wire).span == span;
        let mut operands = wires.iter().filter(long).map(|wire| self.get(*wire).words());
        let first = operands.next().expect("a wire of the gate's span");
        let mut words = match operands.next() {
            Some(second) => first.iter().zip(second).map(|(a, b)| a ^ b).collect(),
            None => first.to_vec(),
        };
        operands.for_each(|next| words.iter_mut().zip(next).for_each(|(word, next)| *word ^= next));
        let single = wires.iter().filter(|wire| !long(wire)).map(|wire| self.get(*wire).words()[0]);
        if let Some(bit) = single.reduce(|a, b| a ^ b) {
            words.iter_mut().for_each(|word| *word ^= bit.wrapping_neg());
        }
        Bits::new(span.bits(self.items), words)
    }

    fn linear(&self, rows: &[u128], column: &[Wire]) -> Vec<Bits> {
        let (len, width) = (self.get(column[0]).len(), self.get(column[0]).words().len());
        let mut planes = Wiped::zeros(lowmc::BITS * width);
        if width == 0 {
            return rows.iter().map(|_| constant(len, 0)).collect();
        }
        for (plane, wire) in planes.chunks_exact_mut(width).zip(column) {
            plane.copy_from_slice(self.get(*wire).words());
        }
        let mut out = Wiped::zeros(rows.len() * width);
        lowmc::multiply(rows, &planes, width, &mut out);
        out.chunks_exact(width).map(|words| Bits::new(len, words.to_vec())).collect()
    }
}

/// Of bits that one party has alone.
fn and(x: &Bits, y: &Bits) -> Bits {
    Bits::new(x.len(), x.words().iter().zip(y.words()).map(|(x, y)| x & y).collect())
}

/// So many equal bits; `bit` may be secret.
fn constant(len: usize, bit: u64) -> Bits {
    // `vec![word; n]` asks whether the word is zero.
    let mut words = vec![0; len.div_ceil(64)];
    words.iter_mut().for_each(|word| *word = bit.wrapping_neg());
    Bits::new(len, words)
}

/// Each bit `items` times, one behind the other.
fn spread(bits: &Bits, items: usize) -> Bits {
    let parts: Vec<Bits> = bits.iter().map(|bit| constant(items, bit)).collect();
    Bits::concat(parts.iter())
}

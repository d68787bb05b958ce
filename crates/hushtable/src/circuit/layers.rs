//! A netlist evaluated layer by layer.

use std::sync::Arc;

use prim::{Wiped, lowmc};

use super::netlist::{Gate, Kind, Netlist, Span, Wire};
use crate::{
    bill::Bill,
    error::{Result, same},
    gates::{Ands, Bits, Triples, and_all},
    session::Session,
    source::Source,
};

/// One party's shares of the wires that are there and still read.
type Values = Vec<Option<Bits>>;

/// One-time material for an evaluation of a netlist for a batch of items.
#[must_use = "one-time material that is not used was generated for nothing"]
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
    pub fn prepare(p: &mut dyn Source, net: &Arc<Netlist>, items: usize) -> Result<Self> {
        let stock = net.triples().iter().map(|[size, operands]| Triples::shared(p, operands * items, *size));
        Ok(Self { net: net.clone(), items, stock: stock.collect::<Result<_>>()? })
    }

    /// The same with triples that were made for several evaluations.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless they are those of [`Netlist::triples`], for so many items.
    pub fn with(net: &Arc<Netlist>, items: usize, stock: Vec<Triples>) -> Result<Self> {
        same("kinds of triples", net.triples().len(), stock.len())?;
        for ([size, operands], triples) in net.triples().iter().zip(&stock) {
            same("triples for the ANDs", operands * items, triples.len())?;
            same("ANDs a triple is for", *size, triples.products())?;
        }
        Ok(Self { net: net.clone(), items, stock })
    }

    /// What an evaluation for so many items costs.
    pub fn bill(net: &Netlist, items: usize) -> Bill {
        let mut bill = net.bill.times(items);
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
    pub fn eval(mut self, s: &mut Session, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
        let net = self.net.clone();
        same("inputs of the circuit", net.inputs.len(), inputs.len())?;
        let mut values: Values = net.wires.iter().map(|_| None).collect();
        for (wire, input) in net.inputs.iter().zip(inputs) {
            let about = net.wires[wire.index()];
            same("bits of an input of the circuit", about.span.bits(self.items), input.len())?;
            let peers = about.known.is_some_and(|known| known != s.role());
            values[wire.index()] = Some(if peers { Bits::zeros(input.len()) } else { input });
        }
        for gates in net.gates.chunk_by(|a, b| a.sends && b.sends && a.level == b.level) {
            match gates {
                [gate] if !gate.sends => self.local(gate, &mut values),
                _ => self.layer(s, gates, &mut values)?,
            }
            for wire in gates.iter().flat_map(|gate| &gate.last) {
                values[wire.index()] = None;
            }
        }
        let output = |(wire, last): &(Wire, bool)| match last {
            true => values[wire.index()].take().expect("an output"),
            false => get(&values, wire).clone(),
        };
        Ok(net.outputs.iter().map(output).collect())
    }

    /// All ANDs of a layer: 1 round, with a message for each gate.
    fn layer(&mut self, s: &mut Session, gates: &[Gate], values: &mut Values) -> Result<()> {
        let mut sets = Vec::with_capacity(gates.len());
        for gate in gates {
            let mut operands = gate.reads.iter().map(|wire| get(values, wire));
            let x = operands.next().expect("an operand");
            let mut stock = self.stock.iter_mut();
            let stock = stock.find(|stock| stock.products() == gate.made).expect("a kind of triples");
            sets.push(Ands { x, ys: operands.collect(), triples: stock.take(x.len())? });
        }
        gates.iter().zip(and_all(s, sets)?).for_each(|(gate, made)| put(values, gate, made));
        Ok(())
    }

    /// A gate that takes no message.
    fn local(&self, gate: &Gate, values: &mut Values) {
        let operands = || gate.reads.iter().map(|wire| get(values, wire));
        let (x, mut others) = (get(values, &gate.reads[0]), operands().skip(1));
        let made = match &gate.kind {
            Kind::Add(from) => return add(gate, *from, values),
            Kind::Xor if gate.moves => return xor(gate, values),
            Kind::Xor => {
                let mut sum = others.next().map_or_else(|| x.clone(), |y| x ^ y);
                others.for_each(|other| sum ^= other);
                sum
            }
            Kind::Join => Bits::concat(operands()),
            Kind::Spread => {
                let spread = |bit| {
                    let mut bits = Bits::zeros(self.items);
                    bits.add(bit);
                    bits
                };
                let parts: Vec<Bits> = x.iter().map(spread).collect();
                Bits::concat(parts.iter())
            }
            several => {
                let made = match several {
                    Kind::Linear(rows) => multiply(rows, operands()),
                    Kind::Part(from) => self.parts(gate, *from, x),
                    _ => others.map(|y| and(x, y)).collect(),
                };
                return put(values, gate, made);
            }
        };
        values[gate.first.index()] = Some(made);
    }

    /// The parts of a wire from bit `from` on.
    fn parts(&self, gate: &Gate, from: usize, x: &Bits) -> Vec<Bits> {
        let bits = |span: Span| span.bits(self.items);
        let mut from = bits(self.net.wires[gate.reads[0].index()].span.of(from));
        let made = self.net.wires[gate.first.index()..][..gate.made].iter().map(|about| bits(about.span));
        let part = |len| {
            from += len;
            x.range(from - len..from)
        };
        made.map(part).collect()
    }
}

/// A wire that is read later.
fn get<'a>(values: &'a Values, wire: &Wire) -> &'a Bits {
    values[wire.index()].as_ref().expect("a wire that is read later")
}

/// What a gate has made.
fn put(values: &mut Values, gate: &Gate, made: Vec<Bits>) {
    values[gate.first.index()..].iter_mut().zip(made).for_each(|(value, made)| *value = Some(made));
}

/// The first wire becomes the sum of all.
fn xor(gate: &Gate, values: &mut Values) {
    let mut sum = values[gate.reads[0].index()].take().expect("a wire that is read");
    gate.reads[1..].iter().for_each(|wire| sum ^= get(values, wire));
    values[gate.first.index()] = Some(sum);
}

/// The first wire's bits from `from` on added to the others, in place if nobody reads these later.
fn add(gate: &Gate, from: usize, values: &mut Values) {
    let bits = get(values, &gate.reads[0]).range(from..from + gate.made);
    for (i, (bit, wire)) in bits.iter().zip(&gate.reads[1..]).enumerate() {
        let value = &mut values[wire.index()];
        let mut sum = if gate.moves { value.take() } else { value.clone() };
        sum.iter_mut().for_each(|sum| sum.add(bit));
        values[gate.first.index() + i] = sum;
    }
}

/// Of bits that one party has alone.
fn and(x: &Bits, y: &Bits) -> Bits {
    Bits::new(x.len(), x.words().iter().zip(y.words()).map(|(x, y)| x & y).collect())
}

/// Rows of a matrix times planes.
fn multiply<'a>(rows: &[u128], planes: impl Iterator<Item = &'a Bits> + Clone) -> Vec<Bits> {
    let (len, width) = planes.clone().next().map_or((0, 0), |plane| (plane.len(), plane.words().len()));
    if width == 0 {
        return vec![Bits::zeros(0); rows.len()];
    }
    let (mut all, mut out) = (Wiped::zeros(lowmc::BITS * width), Wiped::zeros(rows.len() * width));
    all.chunks_exact_mut(width).zip(planes).for_each(|(to, plane)| to.copy_from_slice(plane.words()));
    lowmc::multiply(rows, &all, width, &mut out);
    out.chunks_exact(width).map(|words| Bits::new(len, words.to_vec())).collect()
}

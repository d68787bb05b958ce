//! A netlist evaluated layer by layer.

use std::sync::Arc;

use prim::{Wiped, lowmc};

use super::lookups::Stock;
use super::netlist::{Gate, Kind, Netlist, Span, Wire};
use crate::{
    bill::{Bill, Effort, Step, Work},
    error::{Result, same},
    gates::{Ands, Bits, Triples, and_all_beside},
    net::Role,
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
    /// Of each table in [`Netlist::lookups`].
    lookups: Vec<Box<dyn Stock>>,
}

impl Layers {
    /// Offline: for so many items. One kind of triples after the other, then the lookups of one table after those of the
    /// other.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(p: &mut dyn Source, net: &Arc<Netlist>, items: usize) -> Result<Self> {
        let stock = net.triples().iter().map(|[size, operands]| Triples::shared(p, operands * items, *size));
        let stock = stock.collect::<Result<_>>()?;
        let lookups = net.lookups().iter().map(|(reading, lookups)| reading.prepare(p, lookups * items));
        Ok(Self { net: net.clone(), items, stock, lookups: lookups.collect::<Result<_>>()? })
    }

    /// The same of a circuit without lookups, with triples that were made for several evaluations.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless they are those of [`Netlist::triples`], for so many items; for a
    /// circuit with lookups.
    pub fn with(net: &Arc<Netlist>, items: usize, stock: Vec<Triples>) -> Result<Self> {
        same("tables of a circuit whose triples are there", 0, net.lookups().len())?;
        same("kinds of triples", net.triples().len(), stock.len())?;
        for ([size, operands], triples) in net.triples().iter().zip(&stock) {
            same("triples for the ANDs", operands * items, triples.len())?;
            same("ANDs a triple is for", *size, triples.products())?;
        }
        Ok(Self { net: net.clone(), items, stock, lookups: Vec::new() })
    }

    /// What an evaluation for so many items costs.
    pub fn bill(net: &Netlist, items: usize) -> Bill {
        let lookups = net.lookups().iter().map(|(reading, lookups)| reading.bill(lookups * items));
        let mut bill = lookups.fold(net.bill.times(items), Bill::then);
        bill.online.rounds = if items == 0 { 0 } else { net.depth() };
        bill
    }

    /// What it takes.
    pub fn effort(net: &Netlist, items: usize) -> Effort {
        let ands: usize = net.triples().iter().map(|[size, operands]| size * operands * items).sum();
        let operands: usize = net.triples().iter().map(|[_, operands]| operands * items).sum();
        let triples = net.bill.times(items);
        let mut steps = vec![Step::Cots(triples.cots)];
        let passes = Work::bytes(net.passes() * items / 8);
        let mut work = [Work::triples(operands), Work::words(ands / 64 * 4) + passes];
        let mut memory = [triples.kept / 8 + (net.passes() * items / 8) as u64; 2];
        for (reading, lookups) in net.lookups() {
            let effort = reading.effort(lookups * items);
            steps.extend(effort.steps);
            work = [work[0] + effort.work[0], work[1] + effort.work[1]];
            memory = [0, 1].map(|party| memory[party].saturating_add(effort.memory[party]));
        }
        let effort = Effort::implied(Self::bill(net, items)).working(work).remembering(memory);
        Effort { steps, ..effort }
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
                [gate] if !gate.sends => self.local(s.role(), gate, &mut values),
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
        let (lookups, ands): (Vec<_>, Vec<_>) =
            gates.iter().partition(|gate| matches!(gate.kind, Kind::Lookup(_)));
        let mut reads = Vec::with_capacity(lookups.len());
        let mut masked = Vec::with_capacity(lookups.len());
        for gate in &lookups {
            let Kind::Lookup(table) = gate.kind else { continue };
            let index: Vec<&Bits> = gate.reads.iter().map(|wire| get(values, wire)).collect();
            let stock = self.lookups[table].take(index[0].len())?;
            masked.push(stock.masked(&Bits::to_share(&index)?)?);
            reads.push(stock);
        }
        let mut message = Vec::new();
        masked.iter().for_each(|share| share.append_wire(&mut message));
        let mut sets = Vec::with_capacity(ands.len());
        for gate in &ands {
            let mut operands = gate.reads.iter().map(|wire| get(values, wire));
            let x = operands.next().expect("an operand");
            let mut stock = self.stock.iter_mut();
            let stock = stock.find(|stock| stock.products() == gate.made).expect("a kind of triples");
            sets.push(Ands { x, ys: operands.collect(), triples: stock.take(x.len())? });
        }
        // Public: the offset of each lookup is uniform and serves no other opening, since its material is spent.
        let theirs = message.len();
        let (products, theirs) = and_all_beside(s, sets, message, theirs)?;
        ands.iter().zip(products).for_each(|(gate, made)| put(values, gate, made));
        let mut rest = &theirs[..];
        for ((gate, stock), share) in lookups.iter().zip(reads).zip(masked) {
            let (mine, others) = rest.split_at(share.wire_len());
            rest = others;
            put(values, gate, stock.read(&share.combine(mine)?)?);
        }
        Ok(())
    }

    /// A gate that takes no message.
    fn local(&self, role: Role, gate: &Gate, values: &mut Values) {
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
            // Of what one party knows the other has zeros.
            Kind::Not => match self.net.wires[gate.first.index()].known {
                Some(known) if known != role => x.clone(),
                Some(_) => x.not(Role::P0),
                None => x.not(role),
            },
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

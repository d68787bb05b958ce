//! What a party has of the wires of a netlist while it is evaluated, and the gates that take no message.

use std::sync::Arc;

use prim::{Wiped, lowmc};

use super::netlist::{Gate, Kind, Netlist, Span, Wire};
use crate::{
    error::{Result, same},
    gates::Bits,
    net::Role,
    share::BShare,
};

/// One party's shares of the wires that are there and still read.
pub(crate) struct Wires {
    net: Arc<Netlist>,
    items: usize,
    role: Role,
    values: Vec<Option<Bits>>,
}

impl Wires {
    /// The inputs alone, of so many items. Of what the peer knows only the length counts.
    pub(crate) fn new(net: &Arc<Netlist>, items: usize, role: Role, inputs: Vec<Bits>) -> Result<Self> {
        same("inputs of the circuit", net.inputs.len(), inputs.len())?;
        let mut values: Vec<Option<Bits>> = net.wires.iter().map(|_| None).collect();
        for (wire, input) in net.inputs.iter().zip(inputs) {
            let about = net.wires[wire.index()];
            same("bits of an input of the circuit", about.span.bits(items), input.len())?;
            let peers = about.known.is_some_and(|known| known != role);
            values[wire.index()] = Some(if peers { Bits::zeros(input.len()) } else { input });
        }
        Ok(Self { net: net.clone(), items, role, values })
    }

    /// A wire that is read later.
    pub(crate) fn get(&self, wire: Wire) -> &Bits {
        self.values[wire.index()].as_ref().expect("a wire that is read later")
    }

    /// What a lookup reads, as numbers.
    pub(crate) fn index(&self, gate: &Gate) -> Result<BShare<u32>> {
        Bits::to_share(&gate.reads.iter().map(|wire| self.get(*wire)).collect::<Vec<_>>())
    }

    /// What a gate has made.
    pub(crate) fn put(&mut self, gate: &Gate, made: Vec<Bits>) {
        let values = self.values[gate.first.index()..].iter_mut();
        values.zip(made).for_each(|(value, made)| *value = Some(made));
    }

    /// Wipes what nobody reads after these gates.
    pub(crate) fn release(&mut self, gates: &[Gate]) {
        gates.iter().flat_map(|gate| &gate.last).for_each(|wire| self.values[wire.index()] = None);
    }

    /// The outputs.
    pub(crate) fn outputs(mut self) -> Vec<Bits> {
        let net = self.net.clone();
        let output = |(wire, last): &(Wire, bool)| match last {
            true => self.values[wire.index()].take().expect("an output"),
            false => self.get(*wire).clone(),
        };
        net.outputs.iter().map(output).collect()
    }

    /// A gate that takes no message.
    pub(crate) fn local(&mut self, gate: &Gate) {
        let operands = || gate.reads.iter().map(|wire| self.get(*wire));
        let (x, mut others) = (self.get(gate.reads[0]), operands().skip(1));
        let made = match &gate.kind {
            Kind::Add(from) => return self.add(gate, *from),
            Kind::Xor if gate.moves => return self.xor(gate),
            Kind::Xor => {
                let mut sum = others.next().map_or_else(|| x.clone(), |y| x ^ y);
                others.for_each(|other| sum ^= other);
                sum
            }
            // Of what one party knows the other has zeros.
            Kind::Not => match self.net.wires[gate.first.index()].known {
                Some(known) if known != self.role => x.clone(),
                Some(_) => x.not(Role::P0),
                None => x.not(self.role),
            },
            Kind::Join => Bits::concat(operands()),
            Kind::Moved(by) => {
                let far = by.unsigned_abs().min(self.items);
                let (none, left) = (Bits::zeros(far), self.items - far);
                match by.is_negative() {
                    true => Bits::concat([&x.range(far..self.items), &none].into_iter()),
                    false => Bits::concat([&none, &x.range(0..left)].into_iter()),
                }
            }
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
                return self.put(gate, made);
            }
        };
        self.values[gate.first.index()] = Some(made);
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

    /// The first wire becomes the sum of all.
    fn xor(&mut self, gate: &Gate) {
        let mut sum = self.values[gate.reads[0].index()].take().expect("a wire that is read");
        gate.reads[1..].iter().for_each(|wire| sum ^= self.get(*wire));
        self.values[gate.first.index()] = Some(sum);
    }

    /// The first wire's bits from `from` on added to the others, in place if nobody reads these later.
    fn add(&mut self, gate: &Gate, from: usize) {
        let bits = self.get(gate.reads[0]).range(from..from + gate.made);
        for (i, (bit, wire)) in bits.iter().zip(&gate.reads[1..]).enumerate() {
            let value = &mut self.values[wire.index()];
            let mut sum = if gate.moves { value.take() } else { value.clone() };
            sum.iter_mut().for_each(|sum| sum.add(bit));
            self.values[gate.first.index() + i] = sum;
        }
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

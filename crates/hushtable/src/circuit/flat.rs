//! A netlist as a form.

use std::sync::Arc;

use logic::{Draft, Form, Lit};

use super::{
    netlist::{Gate, Kind, Netlist, Wire},
    wires::Wires,
};
use crate::{error::Result, gates::Bits, net::Role};

/// The form of a netlist without lookups, for one item. What one party computes alone is an input, not a part of it.
pub(crate) struct Flat {
    net: Arc<Netlist>,
    /// Wires that are the form's inputs, bit by bit: first those that are shared.
    inputs: Vec<Wire>,
    form: Form,
}

impl Flat {
    pub(crate) fn new(net: &Arc<Netlist>) -> Self {
        let known = |wire: &&Wire| net.wires[wire.index()].known.is_some();
        let mut inputs: Vec<Wire> = net.inputs.iter().filter(|wire| !known(wire)).copied().collect();
        let read = net.gates.iter().filter(|gate| !is_known(net, gate)).flat_map(|gate| &gate.reads);
        let mut read: Vec<Wire> =
            read.chain(net.outputs.iter().map(|out| &out.0)).filter(known).copied().collect();
        read.sort_unstable_by_key(|wire| wire.index());
        read.dedup();
        inputs.append(&mut read);
        let bits = |wire: &Wire| net.wires[wire.index()].span.bits(1);
        let mut draft = Draft::new(inputs.iter().map(bits).sum());
        let mut wires: Vec<Vec<Lit>> = vec![Vec::new(); net.wires.len()];
        let mut all = draft.inputs().into_iter();
        inputs.iter().for_each(|wire| wires[wire.index()] = all.by_ref().take(bits(wire)).collect());
        for gate in net.gates.iter().filter(|gate| !is_known(net, gate)) {
            let made = net.wires[gate.first.index()..][..gate.made].iter().map(|about| about.span.bits(1));
            let made = added(&mut draft, gate, &wires, made.collect());
            wires[gate.first.index()..].iter_mut().zip(made).for_each(|(wire, lits)| *wire = lits);
        }
        let outputs = net.outputs.iter().flat_map(|out| wires[out.0.index()].clone()).collect();
        Self { net: net.clone(), inputs, form: draft.finish("ands", outputs) }
    }

    /// The form.
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// The netlist's outputs, from the form's.
    pub(crate) fn outputs(&self, bits: Vec<Bits>) -> Vec<Bits> {
        let mut bits = &bits[..];
        let output = |wire: Wire| {
            let (now, rest) = bits.split_at(self.net.wires[wire.index()].span.bits(1));
            bits = rest;
            Bits::concat(now.iter())
        };
        self.net.outputs.iter().map(|out| out.0).map(output).collect()
    }

    /// Who knows each of its inputs.
    pub(crate) fn known(&self) -> Vec<Option<Role>> {
        let of = |wire: &Wire| {
            let about = self.net.wires[wire.index()];
            vec![about.known; about.span.bits(1)]
        };
        self.inputs.iter().flat_map(of).collect()
    }

    /// The form's inputs for so many items, from the netlist's: this party computes what it knows alone.
    pub(crate) fn inputs(&self, items: usize, role: Role, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
        let mut wires = Wires::new(&self.net, items, role, inputs)?;
        let mut found = vec![None; self.inputs.len()];
        // A gate may take a wire that no later one reads: each is noted as soon as it is there.
        let note = |found: &mut Vec<Option<Bits>>, wires: &Wires, made: &dyn Fn(Wire) -> bool| {
            for (found, wire) in found.iter_mut().zip(&self.inputs).filter(|(_, wire)| made(**wire)) {
                *found = Some(wires.get(*wire).clone());
            }
        };
        note(&mut found, &wires, &|wire| self.net.inputs.contains(&wire));
        for gate in self.net.gates.iter().filter(|gate| is_known(&self.net, gate)) {
            wires.local(gate);
            let made = gate.first.index()..gate.first.index() + gate.made;
            note(&mut found, &wires, &|wire| made.contains(&wire.index()));
        }
        let each = |(wire, bits): (&Wire, Option<Bits>)| {
            let (bits, about) = (bits.expect("a wire that was made"), self.net.wires[wire.index()]);
            spread(&bits, about.span.bits(1), items)
        };
        Ok(self.inputs.iter().zip(found).flat_map(each).collect())
    }
}

/// Whether one party computes all that a gate makes.
fn is_known(net: &Netlist, gate: &Gate) -> bool {
    net.wires[gate.first.index()].known.is_some()
}

/// A batch for each bit of a wire: what is the same for all items is there once.
fn spread(bits: &Bits, each: usize, items: usize) -> Vec<Bits> {
    match bits.len() == each * items {
        true => (0..each).map(|i| bits.range(i * items..(i + 1) * items)).collect(),
        false => bits.iter().map(|bit| Bits::collect((0..items).map(|_| bit))).collect(),
    }
}

/// What a gate makes: of each wire its bits, of which there are so many.
fn added(d: &mut Draft, gate: &Gate, wires: &[Vec<Lit>], made: Vec<usize>) -> Vec<Vec<Lit>> {
    let reads: Vec<&[Lit]> = gate.reads.iter().map(|wire| &wires[wire.index()][..]).collect();
    let (first, others) = (reads[0], &reads[1..]);
    match &gate.kind {
        Kind::Xor => vec![(0..first.len()).map(|k| d.xor_all(reads.iter().map(|read| read[k]))).collect()],
        Kind::Not => vec![first.iter().map(|lit| !*lit).collect()],
        Kind::And | Kind::Product => {
            let products = |other: &&[Lit]| first.iter().zip(*other).map(|(x, y)| d.and(*x, *y)).collect();
            others.iter().map(products).collect()
        }
        Kind::Linear(rows) => {
            let counted = |row: u128, k: usize| {
                let column = reads.iter().enumerate().filter(move |(j, _)| row >> j & 1 == 1);
                column.map(move |(_, read)| read[k])
            };
            let mut sum = |row: u128| (0..first.len()).map(|k| d.xor_all(counted(row, k))).collect();
            rows.iter().map(|row| sum(*row)).collect()
        }
        Kind::Add(from) => {
            let mut sum = |bit: Lit, other: &[Lit]| other.iter().map(|lit| d.xor(*lit, bit)).collect();
            others.iter().zip(&first[*from..]).map(|(other, bit)| sum(*bit, other)).collect()
        }
        Kind::Join => vec![reads.concat()],
        Kind::Part(from) => {
            let mut rest = first[*from..].iter().copied();
            made.into_iter().map(|bits| rest.by_ref().take(bits).collect()).collect()
        }
        Kind::Spread => vec![first.to_vec()],
        Kind::Lookup(_) | Kind::Moved(_) => {
            panic!("a netlist with lookups or moved items that is to be a form")
        }
    }
}

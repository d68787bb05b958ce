//! Evaluation by SP-LUT lookups with switching roles: each layer's message carries the next one's question.
//!
//! # Functionality
//! That of [`forms`](super); ANDs are lookups too.
//!
//! # Protocol
//! SP-LUT at every layer (see [`splut`](crate::lut::splut)). The sender of layer k knows its shares of all rows before it
//! sends the masked entries, and so its shares of what the next layer reads: it is the receiver of layer k + 1, and
//! appends its questions `u = s - x` to the same message. In the first half of the items P0 sends at odd layers, in the
//! second at even ones: two evaluations run side by side, and both directions of the link are used.
//!
//! # Cost
//! The bits of the lookups, in `D + 1` rounds for D layers.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section IV-E.

use std::sync::Arc;

use logic::{Form, TruthTable};
use prim::pack::{pack, packed_len, unpack};

use super::{lookups::Reading, lowered::lowered};
use crate::{
    bill::{Bill, Effort, Work},
    circuit::{Netlist, netlist::Gate, wires::Wires},
    error::{Result, same},
    gates::{Bits, Halved},
    lut::{
        Protocol, Table,
        splut::{Asked, SpLut, answer_all},
    },
    net::Role,
    onehot::Xor,
    session::{Session, by_role},
    share::{BShare, Bitwise},
    source::Source,
};

/// A form as a netlist whose ANDs are lookups too, and its tables. Public.
#[derive(Clone)]
pub struct Switched {
    net: Arc<Netlist>,
    readings: Arc<[Reading]>,
}

/// One-time material for an evaluation for a batch of items, by lookups with switching roles.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Switching {
    of: Switched,
    items: usize,
    /// Items in which P0 sends at odd layers, the first ones.
    first: usize,
    /// Of each gate of each layer.
    layers: Vec<Vec<SpLut<Xor>>>,
}

impl Switched {
    /// A form, of whose inputs one party knows some.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) unless each input is said to be shared or known, and for a form without
    /// inputs.
    pub fn of(form: &Form, known: &[Option<Role>]) -> Result<Self> {
        let ands =
            Arc::new(TruthTable::tabulate(2, 1, |row| u64::from(row == 3)).expect("a table of 4 rows"));
        let tables = form.tables().iter().chain([&ands]);
        let readings = tables.map(|table| Reading::new(table, Protocol::SpLut));
        let readings: Arc<[Reading]> = readings.collect::<Result<_>>()?;
        Ok(Self { net: lowered(form, known, &readings, Some(form.tables().len()))?, readings })
    }

    /// The netlist.
    pub fn netlist(&self) -> &Arc<Netlist> {
        &self.net
    }

    /// Offline: for so many items. No message beyond the correlated OTs' own.
    ///
    /// # Errors
    /// Those of the channel, or of a store.
    pub fn prepare(&self, from: &mut dyn Source, items: usize) -> Result<Switching> {
        let role = from.role();
        let each = |gate: &Gate| gate.reads.len() * self.net.width(gate);
        let mut sent = [0; 2];
        for (k, gates) in self.net.layers().enumerate() {
            sent[k % 2] += gates.iter().map(each).sum::<usize>();
        }
        let made = Halved::prepare(from, [sent, [sent[1], sent[0]]], items)?;
        let first = made.first();
        let (mut out, mut inc) = made.into_cots();
        // Items in which this party sends at odd layers, and in which the peer does.
        let (mine, theirs) = by_role(role, first, items - first);
        let lookups = |(k, gates): (usize, &[Gate])| {
            let (send, receive) = if k % 2 == 0 { (mine, theirs) } else { (theirs, mine) };
            let of = |gate: &Gate| {
                let cots = (out.take(send * each(gate))?, inc.take(receive * each(gate))?);
                SpLut::of_cots(role, gate.reads.len() as u32, cots)
            };
            gates.iter().map(of).collect()
        };
        let layers = self.net.layers().enumerate().map(lookups).collect::<Result<_>>()?;
        Ok(Switching { of: self.clone(), items, first, layers })
    }

    /// What an evaluation for so many items costs.
    pub fn bill(&self, items: usize) -> Bill {
        let mut bill = Bill::FREE;
        for (k, gates) in self.net.layers().enumerate() {
            for gate in gates {
                let lookup = self.reading(gate).bill(1);
                let first = if k % 2 == 0 { lookup } else { lookup.swapped() };
                bill = bill.then(first.times(self.net.width(gate)).alternating(items));
            }
        }
        let depth = self.net.depth();
        bill.online.rounds = if items == 0 || depth == 0 { 0 } else { depth + 1 };
        bill
    }

    /// What it takes.
    pub(crate) fn effort(&self, items: usize) -> Effort {
        let passed = self.net.passes() * items / 8;
        let mut work = [Work::default(), Work::bytes(passed)];
        let mut memory = [passed as u64; 2];
        for (reading, (_, lookups)) in self.readings.iter().zip(self.net.lookups()) {
            if *lookups > 0 {
                let effort = reading.effort(lookups * items);
                work = [work[0] + effort.work[0], work[1] + effort.work[1]];
                memory = [0, 1].map(|party| memory[party].saturating_add(effort.memory[party]));
            }
        }
        Effort::implied(self.bill(items)).working(work).remembering(memory)
    }

    fn reading(&self, gate: &Gate) -> &Reading {
        &self.readings[self.net.table(gate)]
    }
}

impl Switching {
    /// Items there is material for.
    pub fn len(&self) -> usize {
        self.items
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// Online, a round more than there are layers: shares of the outputs, from those of the inputs. Spends the material.
    ///
    /// # Errors
    /// As [`Layers::eval`](crate::circuit::Layers::eval).
    pub fn eval(self, s: &mut Session, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
        let (of, role) = (self.of, s.role());
        let net = &of.net;
        let chunks: Vec<&[Gate]> = net.levels().collect();
        let cut = self.first;
        inputs.iter().try_for_each(|bits| same("bits of an input of the circuit", self.items, bits.len()))?;
        same("inputs of the circuit", net.inputs.len(), inputs.len())?;
        if self.items == 0 {
            return Ok(vec![Bits::zeros(0); net.outputs.len()]);
        }
        let part = |at: std::ops::Range<usize>| inputs.iter().map(|bits| bits.range(at.clone())).collect();
        let (mine, theirs) = by_role(role, 0..cut, cut..self.items);
        // The half in which this party sends at the first layer; and the other.
        let mut sender = Side::new(net, &chunks, role, mine.len(), part(mine))?;
        let mut receiver = Side::new(net, &chunks, role, theirs.len(), part(theirs))?;
        let mut layers = self.layers.into_iter().peekable();
        let mut questions = match layers.peek() {
            Some(first) => {
                let mine = receiver.ask(first)?;
                let theirs = sender.asked();
                s.exchange(mine, theirs)?
            }
            None => Vec::new(),
        };
        while let Some(layer) = layers.next() {
            let u = sender.unpacked(&questions);
            let gates = sender.layer();
            let tables =
                gates.iter().map(|gate| table(of.reading(gate).table())).collect::<Result<Vec<_>>>()?;
            let indices =
                gates.iter().map(|gate| Ok([sender.wires.index(gate)?, receiver.wires.index(gate)?]));
            let indices = indices.collect::<Result<Vec<_>>>()?;
            let asked = layer.into_iter().zip(&tables).zip(&indices).zip(&u);
            let asked = asked.map(|(((material, table), index), u)| {
                let shares = index.each_ref().map(BShare::words);
                Asked { material, table: table.into(), shares, u }
            });
            let next = layers.peek();
            let len = if next.is_some() { receiver.asked_next() } else { 0 };
            let go_on = |sent: &[&Vec<Vec<u64>>]| {
                sender.read(sent.iter().map(|columns| columns[0].clone()));
                next.map_or(Ok(Vec::new()), |next| sender.ask(next))
            };
            let (done, message) = answer_all::<Xor, Bitwise, u64>(s, asked.collect(), go_on, len)?;
            receiver.read(done.into_iter().map(|[_, mut columns]| columns.remove(0)));
            questions = message;
            std::mem::swap(&mut sender, &mut receiver);
        }
        if !net.depth().is_multiple_of(2) {
            std::mem::swap(&mut sender, &mut receiver);
        }
        let (first, second) = by_role(role, sender.wires.outputs(), receiver.wires.outputs());
        let joined = first.into_iter().zip(second).map(|(mut first, second)| {
            first.append(&second);
            first
        });
        Ok(joined.collect())
    }
}

/// Half of the items, in which this party sends at every other layer.
struct Side<'n> {
    net: &'n Netlist,
    /// Gates as they are evaluated, and how many of them are done.
    chunks: &'n [&'n [Gate]],
    done: usize,
    items: usize,
    wires: Wires,
}

impl<'n> Side<'n> {
    fn new(
        net: &'n Arc<Netlist>,
        chunks: &'n [&'n [Gate]],
        role: Role,
        items: usize,
        inputs: Vec<Bits>,
    ) -> Result<Self> {
        let mut side = Self { net, chunks, done: 0, items, wires: Wires::new(net, items, role, inputs)? };
        side.advance();
        Ok(side)
    }

    /// Evaluates what is local, up to the next layer.
    fn advance(&mut self) {
        while let Some([gate]) = self.chunks.get(self.done).filter(|gates| !gates[0].sends) {
            self.wires.local(gate);
            self.wires.release(self.chunks[self.done]);
            self.done += 1;
        }
    }

    /// The next layer's gates.
    fn layer(&self) -> &'n [Gate] {
        self.chunks[self.done]
    }

    /// Widths and numbers of the questions for a layer.
    fn questions(&self, gates: &'n [Gate]) -> impl Iterator<Item = (u32, usize)> + use<'n> {
        let (net, items) = (self.net, self.items);
        gates.iter().map(move |gate| (gate.reads.len() as u32, net.width(gate) * items))
    }

    /// Bytes of the questions for the next layer; of those for the layer after it.
    fn asked(&self) -> usize {
        self.questions(self.layer()).map(|(bits, count)| packed_len(count, bits)).sum()
    }

    fn asked_next(&self) -> usize {
        let later = self.chunks[self.done + 1..].iter().find(|gates| gates[0].sends);
        later.map_or(0, |gates| self.questions(gates).map(|(bits, count)| packed_len(count, bits)).sum())
    }

    /// This party's questions for the next layer. Public: the random choice that masks an index serves only here.
    fn ask(&mut self, layer: &[SpLut<Xor>]) -> Result<Vec<u8>> {
        let mut message = Vec::new();
        for (gate, material) in self.layer().iter().zip(layer) {
            let u = material.masked(self.wires.index(gate)?.words());
            pack(&u, gate.reads.len() as u32, &mut message);
        }
        Ok(message)
    }

    /// The peer's questions for the next layer.
    fn unpacked(&self, mut message: &[u8]) -> Vec<Vec<u32>> {
        let question = |(bits, count)| {
            let (mine, rest) = message.split_at(packed_len(count, bits));
            message = rest;
            let mut u = vec![0u32; count];
            unpack(mine, bits, &mut u);
            u
        };
        self.questions(self.layer()).map(question).collect()
    }

    /// Takes the rows of the next layer, and goes on to the one after it.
    fn read(&mut self, rows: impl Iterator<Item = Vec<u64>>) {
        let gates = self.layer();
        for (gate, rows) in gates.iter().zip(rows) {
            let rows = BShare::new(gate.made as u32, rows);
            self.wires.put(gate, Bits::from_share(&rows));
        }
        self.wires.release(gates);
        self.done += 1;
        self.advance();
    }
}

/// A table in words.
fn table(of: &logic::TruthTable) -> Result<Table<u64>> {
    Table::new(of.outputs(), of.rows().to_vec())
}

//! A netlist evaluated layer by layer.

use std::sync::Arc;

use super::{
    lookups::Stock,
    netlist::{Gate, Kind, Netlist},
    vectors::Vectors,
    wires::Wires,
};
use crate::{
    bill::{Bill, Effort, Step, Work},
    error::{Result, same},
    gates::{Ands, Bits, Triples, and_all_beside},
    session::Session,
    source::Source,
};

/// One-time material for an evaluation of a netlist for a batch of items.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Layers {
    net: Arc<Netlist>,
    items: usize,
    /// Of each kind in [`Netlist::triples`].
    stock: Vec<Triples>,
    /// Of all tables in [`Netlist::lookups`] whose lookups are by one-hot vectors by doubling; `None` of none.
    vectors: Option<Vectors>,
    /// Of each other one.
    lookups: Vec<Option<Box<dyn Stock>>>,
}

impl Layers {
    /// Offline: for so many items. One kind of triples after the other, then the lookups of one table after those of the
    /// other.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for a protocol that takes more than one opening, and those of the channel.
    pub fn prepare(p: &mut dyn Source, net: &Arc<Netlist>, items: usize) -> Result<Self> {
        net.lookups().iter().try_for_each(|(reading, _)| reading.opens())?;
        let stock = net.triples().iter().map(|[size, operands]| Triples::shared(p, operands * items, *size));
        let stock = stock.collect::<Result<_>>()?;
        let counts = net.vectors();
        let vectors = if counts.is_empty() { None } else { Some(Vectors::prepare(p, &counts, items)?) };
        let lookups = net.lookups().iter().map(|(reading, lookups)| match reading.shared() {
            true => Ok(None),
            false => reading.prepare(p, lookups * items).map(Some),
        });
        Ok(Self { net: net.clone(), items, stock, vectors, lookups: lookups.collect::<Result<_>>()? })
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
        Ok(Self { net: net.clone(), items, stock, vectors: None, lookups: Vec::new() })
    }

    /// What an evaluation for so many items costs.
    pub fn bill(net: &Netlist, items: usize) -> Bill {
        let others = net.lookups().iter().filter(|(reading, _)| !reading.shared());
        let others = others.map(|(reading, lookups)| reading.bill(lookups * items));
        let vectors = Vectors::bill(&net.vectors(), items);
        let mut bill = others.fold(net.bill.times(items) + vectors, Bill::then);
        // A lookup opens its index.
        let opened = net.lookups().iter().filter(|(reading, _)| reading.shared());
        let opened =
            opened.map(|(reading, lookups)| u64::from(reading.table().inputs()) * (lookups * items) as u64);
        let opened: u64 = opened.sum();
        bill.online.bits = bill.online.bits.map(|bits| bits + opened);
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
        let vectors = Vectors::bill(&net.vectors(), items);
        steps.extend([Step::Cots(vectors.cots), Step::both(vectors.offline.rounds)]);
        for (reading, lookups) in net.lookups() {
            let effort = reading.effort(lookups * items);
            if !reading.shared() {
                steps.extend(effort.steps);
            }
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
        let mut wires = Wires::new(&self.net, self.items, s.role(), inputs)?;
        let net = self.net.clone();
        for gates in net.levels() {
            match gates {
                [gate] if !gate.sends => wires.local(gate),
                _ => self.layer(s, gates, &mut wires)?,
            }
            wires.release(gates);
        }
        Ok(wires.outputs())
    }

    /// All ANDs of a layer: 1 round, with a message for each gate.
    fn layer(&mut self, s: &mut Session, gates: &[Gate], wires: &mut Wires) -> Result<()> {
        let (lookups, ands): (Vec<_>, Vec<_>) =
            gates.iter().partition(|gate| matches!(gate.kind, Kind::Lookup(_)));
        let mut reads = Vec::with_capacity(lookups.len());
        let mut masked = Vec::with_capacity(lookups.len());
        for gate in &lookups {
            let Kind::Lookup(table) = gate.kind else { continue };
            let index = wires.index(gate)?;
            let reading = wires.reading(gate);
            let stock = match (&mut self.lookups[table], &mut self.vectors) {
                (Some(stock), _) => stock.take(index.len())?,
                (None, Some(vectors)) => reading.by(vectors.cut(reading.table().inputs(), index.len())?),
                (None, None) => unreachable!("vectors for lookups that share them"),
            };
            masked.push(stock.masked(&index)?);
            reads.push(stock);
        }
        let mut message = Vec::new();
        masked.iter().for_each(|share| share.append_wire(&mut message));
        let mut sets = Vec::with_capacity(ands.len());
        for gate in &ands {
            let mut operands = gate.reads.iter().map(|wire| wires.get(*wire));
            let x = operands.next().expect("an operand");
            let mut stock = self.stock.iter_mut();
            let stock = stock.find(|stock| stock.products() == gate.made).expect("a kind of triples");
            sets.push(Ands { x, ys: operands.collect(), triples: stock.take(x.len())? });
        }
        // Public: the offset of each lookup is uniform and serves no other opening, since its material is spent.
        let theirs = message.len();
        let (products, theirs) = and_all_beside(s, sets, message, theirs)?;
        ands.iter().zip(products).for_each(|(gate, made)| wires.put(gate, made));
        let mut rest = &theirs[..];
        for ((gate, stock), share) in lookups.iter().zip(reads).zip(masked) {
            let (mine, others) = rest.split_at(share.wire_len());
            rest = others;
            wires.put(gate, stock.read(&share.combine(mine)?)?);
        }
        Ok(())
    }
}

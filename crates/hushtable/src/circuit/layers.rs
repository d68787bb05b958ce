//! A netlist evaluated layer by layer.

use std::sync::Arc;

use super::{
    lookups::Reads,
    netlist::{Gate, Kind, Netlist},
    wires::Wires,
};
use crate::{
    bill::{Bill, Effort, Work},
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
    /// Of the lookups; `None` if there are none.
    reads: Option<Box<dyn Reads>>,
}

impl Layers {
    /// Offline: for so many items of a circuit without lookups. One kind of triples after the other.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a circuit with lookups, and those of the channel.
    pub fn prepare(p: &mut dyn Source, net: &Arc<Netlist>, items: usize) -> Result<Self> {
        same("tables of a circuit of ANDs", 0, net.lookups().len())?;
        Self::reading(p, net, items, |_| Ok(None))
    }

    /// The same of a circuit with lookups, whose material is made after the triples.
    pub(crate) fn reading(
        p: &mut dyn Source,
        net: &Arc<Netlist>,
        items: usize,
        reads: impl FnOnce(&mut dyn Source) -> Result<Option<Box<dyn Reads>>>,
    ) -> Result<Self> {
        let stock = net.triples().iter().map(|[size, operands]| Triples::shared(p, operands * items, *size));
        let stock = stock.collect::<Result<_>>()?;
        Ok(Self { net: net.clone(), items, stock, reads: reads(p)? })
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
        Ok(Self { net: net.clone(), items, stock, reads: None })
    }

    /// What an evaluation for so many items costs, but for lookups.
    pub fn bill(net: &Netlist, items: usize) -> Bill {
        let mut bill = net.bill.times(items);
        bill.online.rounds = if items == 0 { 0 } else { net.depth() };
        bill
    }

    /// What it takes, but for lookups.
    pub(crate) fn effort(net: &Netlist, items: usize) -> Effort {
        let ands: usize = net.triples().iter().map(|[size, operands]| size * operands * items).sum();
        let operands: usize = net.triples().iter().map(|[_, operands]| operands * items).sum();
        let bill = Self::bill(net, items);
        let passed = net.passes() * items / 8;
        let work = [Work::triples(operands), Work::words(ands / 64 * 4) + Work::bytes(passed)];
        Effort::implied(bill).working(work).remembering([bill.kept / 8 + passed as u64; 2])
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
            let index = wires.index(gate)?;
            let material = self.reads.as_mut().expect("material for the lookups");
            let stock = material.take(self.net.table(gate), index.len())?;
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

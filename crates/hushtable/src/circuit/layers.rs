//! A netlist evaluated layer by layer.

use std::sync::Arc;

use zeroize::Zeroizing;

use super::{
    lookups::Reads,
    netlist::{Gate, Kind, Netlist},
    wires::Wires,
};
use crate::{
    bill::{Bill, Effort, Work},
    error::{Result, same},
    gates::{Ands, Bits, Direction, Products, Triples, and_all_beside, products},
    net::Role,
    session::Session,
    share::{BShare, Bitwise},
    source::{Atom, Source},
};

/// One-time material for an evaluation of a netlist for a batch of items.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Layers {
    net: Arc<Netlist>,
    items: usize,
    /// Of each kind in [`Netlist::triples`].
    stock: Vec<Triples>,
    /// Of each kind in [`Netlist::products`].
    products: Vec<Products>,
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

    /// The same of a circuit with lookups, whose material is made last.
    pub(crate) fn reading(
        p: &mut dyn Source,
        net: &Arc<Netlist>,
        items: usize,
        reads: impl FnOnce(&mut dyn Source) -> Result<Option<Box<dyn Reads>>>,
    ) -> Result<Self> {
        let stock = net.triples().iter().map(|[size, operands]| Triples::shared(p, operands * items, *size));
        let stock = stock.collect::<Result<_>>()?;
        let products = net.products.iter().map(|(knows, [size, operands])| {
            Products::prepare(p, Direction::from(knows.peer()), operands * items, &[*size as u32])
        });
        let products = products.collect::<Result<_>>()?;
        Ok(Self { net: net.clone(), items, stock, products, reads: reads(p)? })
    }

    /// The same of a circuit without lookups, with triples that were made for several evaluations.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless they are those of [`Netlist::triples`], for so many items; for a
    /// circuit with lookups.
    pub fn with(net: &Arc<Netlist>, items: usize, stock: Vec<Triples>) -> Result<Self> {
        same("tables of a circuit whose triples are there", 0, net.lookups().len())?;
        same("products of a circuit whose triples are there", 0, net.products.len())?;
        same("kinds of triples", net.triples().len(), stock.len())?;
        for ([size, operands], triples) in net.triples().iter().zip(&stock) {
            same("triples for the ANDs", operands * items, triples.len())?;
            same("ANDs a triple is for", *size, triples.products())?;
        }
        Ok(Self { net: net.clone(), items, stock, products: Vec::new(), reads: None })
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
        let products: usize = net.products.iter().map(|(_, [_, operands])| operands * items).sum();
        let offline = Work::triples(operands) + Work::payload(1) * (products as f64 / 2.0);
        let work = [offline, Work::words(ands / 64 * 4) + Work::bytes(passed)];
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

    /// All ANDs of a layer: 1 round, with a message for each gate of triples, and one for all others.
    fn layer(&mut self, s: &mut Session, gates: &[Gate], wires: &mut Wires) -> Result<()> {
        let of = |kind: fn(&Kind) -> bool| gates.iter().filter(move |gate| kind(&gate.kind));
        let mut reads = Vec::new();
        let mut message = Vec::new();
        for gate in of(|kind| matches!(kind, Kind::Lookup(_))) {
            let index = wires.index(gate)?;
            let material = self.reads.as_mut().expect("material for the lookups");
            let stock = material.take(self.net.table(gate), index.len())?;
            let masked = stock.masked(&index)?;
            masked.append_wire(&mut message);
            reads.push((gate, stock, masked));
        }
        let mut awaited = message.len();
        let of_products = || of(|kind| matches!(kind, Kind::Product));
        let values = of_products().map(|gate| self.known(s.role(), gate, wires));
        let values = Zeroizing::new(values.collect::<Result<Vec<_>>>()?);
        let mut runs = Vec::with_capacity(values.len());
        for (gate, values) in of_products().zip(values.iter()) {
            let x = wires.get(gate.reads[0]);
            let run = &mut self.products[self.net.kind_of_product(gate)];
            let mut run = Atom::take(run, x.len())?.chosen(x.iter(), values);
            message.extend(products::send::<Bitwise>(&mut run, &(0..x.len())));
            awaited += products::awaited(&run, &(0..x.len()));
            runs.push((gate, 0..x.len(), run));
        }
        let mut sets = Vec::new();
        for gate in of(|kind| matches!(kind, Kind::And)) {
            let mut operands = gate.reads.iter().map(|wire| wires.get(*wire));
            let x = operands.next().expect("an operand");
            let mut stock = self.stock.iter_mut();
            let stock = stock.find(|stock| stock.products() == gate.made).expect("a kind of triples");
            sets.push(Ands { x, ys: operands.collect(), triples: stock.take(x.len())? });
        }
        // Public: the offset of each lookup and the bits of products are masked by what serves no other opening, since the
        // material is spent.
        let (made, theirs) = and_all_beside(s, sets, message, awaited)?;
        of(|kind| matches!(kind, Kind::And)).zip(made).for_each(|(gate, made)| wires.put(gate, made));
        let mut rest = &theirs[..];
        let mut next = |bytes| rest.split_off(..bytes).expect("as many bytes as were awaited");
        for (gate, stock, masked) in reads {
            wires.put(gate, stock.read(&masked.combine(next(masked.wire_len()))?)?);
        }
        for (gate, at, mut run) in runs {
            let bytes = products::awaited(&run, &at);
            products::receive::<Bitwise>(&mut run, &at, next(bytes));
            let words = std::mem::take(&mut products::finish::<Bitwise>(run)[0]);
            wires.put(gate, Bits::from_share(&BShare::<u64>::new(gate.made as u32, words)));
        }
        Ok(())
    }

    /// What this party knows of a product's other operands: a column of words, at the one that knows them.
    fn known(&self, role: Role, gate: &Gate, wires: &Wires) -> Result<Vec<Vec<u64>>> {
        if self.net.wires[gate.reads[1].index()].known != Some(role) {
            return Ok(Vec::new());
        }
        let others: Vec<&Bits> = gate.reads[1..].iter().map(|wire| wires.get(*wire)).collect();
        Ok(vec![Bits::to_share::<u64>(&others)?.into_wide()])
    }
}

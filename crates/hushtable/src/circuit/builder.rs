//! How netlists are built, gate by gate.

use std::sync::Arc;

use super::netlist::{About, Gate, Kind, Netlist, Span, Wire};
use crate::{
    bill::Bill,
    gates::{Direction, Products, Triples},
    net::Role,
};

/// A [`Netlist`] that grows. A gate can only name wires that are there, so no circle can be built.
///
/// # Panics
/// Its functions do for wires that do not fit the gate: none, those of another netlist that this one has not, and where
/// nothing else is said other spans.
pub struct Builder {
    net: Netlist,
    /// ANDs come above this level.
    floor: u32,
}

impl Builder {
    /// Of a circuit whose ANDs have an operand in common by so many, 1 to 64: the kinds of triples that it takes, in the
    /// order in which they are made.
    pub fn new(sizes: &[usize]) -> Self {
        let (wires, inputs, outputs, gates) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let triples = sizes.iter().map(|&size| [size, 0]).collect();
        let (products, lookups, bill) = (Vec::new(), Vec::new(), Bill::FREE);
        let net = Netlist { wires, inputs, outputs, gates, triples, products, lookups, bill, depth: 0 };
        Self { net, floor: 0 }
    }

    /// The same circuit with lookups besides in tables of so many inputs and outputs.
    #[must_use]
    pub fn reading(mut self, tables: &[[u32; 2]]) -> Self {
        self.net.lookups = tables.iter().map(|table| (*table, 0)).collect();
        self
    }

    /// The next input: shared, or known to one party.
    pub fn input(&mut self, span: Span, known: Option<Role>) -> Wire {
        let wire = Wire(self.net.wires.len() as u32);
        self.net.wires.push(About { span, level: 0, known });
        self.net.inputs.push(wire);
        wire
    }

    /// The next inputs: shared, a bit for each item.
    pub fn inputs(&mut self, count: usize) -> Vec<Wire> {
        (0..count).map(|_| self.input(Span::Each(1), None)).collect()
    }

    /// The XOR of one wire or more.
    pub fn xor(&mut self, wires: &[Wire]) -> Wire {
        self.alike(wires);
        self.gate(Kind::Xor, wires, &[self.span(wires[0])])[0]
    }

    /// The complement of a wire.
    pub fn not(&mut self, x: Wire) -> Wire {
        self.gate(Kind::Not, &[x], &[self.span(x)])[0]
    }

    /// A row of a table, by its number: a wire for each bit of the index, the lowest one first, and one made for each
    /// bit of the row. One message for all items and bits of the wires.
    ///
    /// # Panics
    /// Also for a number of wires that is not that of the table's inputs, for a table that was not announced, and for
    /// bits that are the same for all items.
    pub fn lookup(&mut self, table: usize, index: &[Wire]) -> Vec<Wire> {
        self.alike(index);
        let [inputs, outputs] = self.net.lookups[table].0;
        assert_eq!(inputs as usize, index.len(), "wires of an index");
        self.gate(Kind::Lookup(table), index, &vec![self.span(index[0]); outputs as usize])
    }

    /// The AND of two wires.
    pub fn and(&mut self, x: Wire, y: Wire) -> Wire {
        self.and_each(x, &[y])[0]
    }

    /// The ANDs of a wire with others. One message for all of it, which opens `x` once.
    ///
    /// # Panics
    /// Also for another number of others than was announced, and for bits that are the same for all items, but that
    /// nobody knows.
    pub fn and_each(&mut self, x: Wire, ys: &[Wire]) -> Vec<Wire> {
        let wires = [&[x], ys].concat();
        self.alike(&wires);
        self.gate(Kind::And, &wires, &vec![self.span(x); ys.len()])
    }

    /// The ANDs of each group's first wire with the others. One message for all groups that have as many others; the
    /// groups' wires may differ in span.
    ///
    /// # Panics
    /// As [`and_each`](Self::and_each).
    pub fn ands(&mut self, groups: &[(Wire, &[Wire])]) -> Vec<Wire> {
        self.grouped(groups, Self::and_each)
    }

    /// The same where one party knows each group's first wire and its peer the others, up to 64 of them, which costs a
    /// correlated OT and a bit for each AND.
    ///
    /// # Panics
    /// Also for wires that others know.
    pub(crate) fn products(&mut self, groups: &[(Wire, &[Wire])]) -> Vec<Wire> {
        self.grouped(groups, |b, x, ys| {
            let wires = [&[x], ys].concat();
            b.alike(&wires);
            b.gate(Kind::Product, &wires, &vec![b.span(x); ys.len()])
        })
    }

    /// Who knows a wire.
    pub(crate) fn known(&self, wire: Wire) -> Option<Role> {
        self.net.wires[wire.index()].known
    }

    /// Groups with as many others together.
    fn grouped(
        &mut self,
        groups: &[(Wire, &[Wire])],
        and: impl Fn(&mut Self, Wire, &[Wire]) -> Vec<Wire>,
    ) -> Vec<Wire> {
        let mut made = vec![Vec::new(); groups.len()];
        let mut sizes: Vec<usize> = groups.iter().map(|group| group.1.len()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for size in sizes {
            let of: Vec<usize> = (0..groups.len()).filter(|i| groups[*i].1.len() == size).collect();
            let xs: Vec<Wire> = of.iter().map(|i| groups[*i].0).collect();
            let x = self.join(&xs);
            let other = |j: usize| of.iter().map(|i| groups[*i].1[j]).collect::<Vec<_>>();
            let ys: Vec<Wire> = (0..size).map(|j| self.join(&other(j))).collect();
            for product in and(self, x, &ys) {
                of.iter().zip(self.parted(product, &xs)).for_each(|(i, part)| made[*i].push(part));
            }
        }
        made.concat()
    }

    /// ANDs from here on come after all that are there, whether they need them or not.
    pub fn barrier(&mut self) {
        self.floor = self.net.depth;
    }

    /// A public matrix over F_2 times a column of 1 to 128 wires: bit j of a row counts wire j. A wire for each row.
    ///
    /// # Panics
    /// Also for more wires.
    pub fn linear(&mut self, rows: &[u128], column: &[Wire]) -> Vec<Wire> {
        assert!(column.len() <= 128, "a column of {} wires", column.len());
        self.alike(column);
        self.gate(Kind::Linear(rows.to_vec()), column, &vec![self.span(column[0]); rows.len()])
    }

    /// The bits of a wire that is the same for all items, from `from` on, each added to all bits of one of the wires,
    /// which may differ in span.
    ///
    /// # Panics
    /// Also if there are fewer bits.
    pub fn add(&mut self, bits: Wire, from: usize, wires: &[Wire]) -> Vec<Wire> {
        let enough = matches!(self.span(bits), Span::All(count) if from + wires.len() <= count);
        assert!(enough, "{} bits from {from} on of {:?}", wires.len(), self.span(bits));
        let spans: Vec<Span> = wires.iter().map(|wire| self.span(*wire)).collect();
        self.gate(Kind::Add(from), &[&[bits], wires].concat(), &spans)
    }

    /// Wires one behind the other, all of them with bits for each item or all with bits that are the same for all.
    pub fn join(&mut self, wires: &[Wire]) -> Wire {
        if let [wire] = wires {
            return *wire;
        }
        let span = self.span(wires[0]);
        let width = |wire: &Wire| match (span, self.span(*wire)) {
            (Span::Each(_), Span::Each(bits)) | (Span::All(_), Span::All(bits)) => bits,
            others => panic!("to join {others:?}"),
        };
        let width = wires.iter().map(width).sum();
        self.gate(Kind::Join, wires, &[span.of(width)])[0]
    }

    /// Parts of so many bits of a wire, for each item or for all, from bit `from` on.
    ///
    /// # Panics
    /// Also if there are fewer bits.
    pub fn parts(&mut self, x: Wire, from: usize, widths: &[usize]) -> Vec<Wire> {
        let span = self.span(x);
        let end = widths.iter().fold(from, |end, width| end.saturating_add(*width));
        assert!(end <= span.bits(1), "bits up to {end} of {span:?}");
        if widths == [span.bits(1)] {
            return vec![x];
        }
        let spans: Vec<Span> = widths.iter().map(|width| span.of(*width)).collect();
        self.gate(Kind::Part(from), &[x], &spans)
    }

    /// A wire cut into parts with the spans of these: what undoes [`join`](Self::join).
    pub fn parted(&mut self, x: Wire, like: &[Wire]) -> Vec<Wire> {
        let widths: Vec<usize> = like.iter().map(|wire| self.span(*wire).bits(1)).collect();
        self.parts(x, 0, &widths)
    }

    /// Bits that are the same for all items, as bits of each.
    pub fn spread(&mut self, x: Wire) -> Wire {
        let Span::All(bits) = self.span(x) else { panic!("to spread bits of each item") };
        self.gate(Kind::Spread, &[x], &[Span::Each(bits)])[0]
    }

    /// A bit of each item: that of the item `by` before, or if `by` is negative behind; 0 where there is none. The one gate
    /// that makes items depend on others.
    ///
    /// # Panics
    /// Also for more bits of an item than one, and for what one party knows.
    pub(crate) fn moved(&mut self, x: Wire, by: isize) -> Wire {
        assert_eq!((self.span(x), self.known(x)), (Span::Each(1), None), "a bit of each item, shared");
        self.gate(Kind::Moved(by), &[x], &[Span::Each(1)])[0]
    }

    /// The circuit with these outputs.
    pub fn finish(self, outputs: &[Wire]) -> Arc<Netlist> {
        let mut net = self.net;
        assert!(outputs.iter().all(|wire| wire.index() < net.wires.len()), "outputs that are there");
        let triples = net.triples.iter().map(|[size, operands]| Triples::bill(*size).times(*operands));
        let products = net.products.iter().map(|(knows, [size, operands])| {
            Products::bill(Direction::from(knows.peer()), &[*size as u32]).times(*operands)
        });
        net.bill = triples.chain(products).fold(Bill::FREE, Bill::beside);
        net.gates.sort_by_key(|gate| (gate.level, !gate.sends));
        let mut read = vec![false; net.wires.len()];
        let outputs =
            outputs.iter().rev().map(|wire| (*wire, !std::mem::replace(&mut read[wire.index()], true)));
        net.outputs = outputs.collect();
        net.outputs.reverse();
        for gate in net.gates.iter_mut().rev() {
            let made = (0..gate.made as u32).map(|i| Wire(gate.first.0 + i));
            let wires = gate.reads.iter().copied().chain(made);
            gate.last = wires.filter(|wire| !std::mem::replace(&mut read[wire.index()], true)).collect();
            let (first, others) = gate.reads.split_first().expect("a wire to read");
            let moved = match gate.kind {
                Kind::Add(_) => gate.last.iter().filter(|wire| others.contains(wire)).count() == others.len(),
                _ => gate.last.contains(first),
            };
            gate.moves = moved && !others.contains(first);
        }
        Arc::new(net)
    }

    fn span(&self, wire: Wire) -> Span {
        self.net.wires[wire.index()].span
    }

    /// Makes sure that wires have one span.
    fn alike(&self, wires: &[Wire]) {
        wires.iter().for_each(|wire| assert_eq!(self.span(*wire), self.span(wires[0]), "wires of a gate"));
    }

    /// A gate that makes wires of these spans.
    fn gate(&mut self, kind: Kind, reads: &[Wire], spans: &[Span]) -> Vec<Wire> {
        let of = || reads.iter().map(|wire| self.net.wires[wire.index()]);
        let mut level = of().map(|about| about.level).max().expect("a wire to read");
        let known = of().map(|about| about.known).reduce(|a, b| a.filter(|_| a == b)).flatten();
        let sends =
            known.is_none() && matches!(kind, Kind::And) || matches!(kind, Kind::Product | Kind::Lookup(_));
        if sends {
            level = level.max(self.floor) + 1;
            self.net.depth = self.net.depth.max(level);
            let operands = match kind {
                Kind::Lookup(table) => Some(&mut self.net.lookups[table].1),
                Kind::Product => Some(self.products_of(reads)),
                _ => self.net.triples.iter_mut().find(|[size, _]| *size == spans.len()).map(|[_, n]| n),
            };
            match (operands, spans[0]) {
                (Some(operands), Span::Each(bits)) => *operands += bits,
                (kind, span) => panic!("{} ANDs of {span:?}, announced: {}", spans.len(), kind.is_some()),
            }
        }
        let first = self.net.wires.len() as u32;
        // What a lookup or an AND with the peer makes is shared.
        let known = known.filter(|_| !sends);
        self.net.wires.extend(spans.iter().map(|&span| About { span, level, known }));
        let (reads, made, last, moves) = (reads.to_vec(), spans.len(), Vec::new(), false);
        self.net.gates.push(Gate { kind, reads, first: Wire(first), made, level, sends, last, moves });
        (first..first + made as u32).map(Wire).collect()
    }

    /// How many operands there are for products like that of these wires.
    fn products_of(&mut self, reads: &[Wire]) -> &mut usize {
        let (knows, size) = (self.known(reads[0]).expect("a wire that one party knows"), reads.len() - 1);
        let peers = reads[1..].iter().all(|wire| self.known(*wire) == Some(knows.peer()));
        assert!(peers && (1..=64).contains(&size), "others that the peer knows, up to 64");
        let products = &mut self.net.products;
        let at = products.iter().position(|(other, [k, _])| (*other, *k) == (knows, size));
        let at = at.unwrap_or_else(|| {
            products.push((knows, [size, 0]));
            products.len() - 1
        });
        &mut products[at].1[1]
    }
}

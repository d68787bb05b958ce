//! Netlists: gates in the order in which they are evaluated.

use crate::{bill::Bill, net::Role};

/// A wire of a [`Netlist`]: a batch of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wire(pub(super) u32);

/// Bits of a wire, in an evaluation for a batch of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// So many for each item: the first ones of all items, then the second ones of all, and so on.
    Each(usize),
    /// So many, which are the same for all items.
    All(usize),
}

/// A circuit: gates of which each names only wires made before. Made by a [`Builder`](super::Builder); public, the same at both parties.
pub struct Netlist {
    pub(crate) wires: Vec<About>,
    pub(crate) inputs: Vec<Wire>,
    /// Each with whether it is the last time that it stands here.
    pub(crate) outputs: Vec<(Wire, bool)>,
    /// By level; of a level those that take a message first.
    pub(crate) gates: Vec<Gate>,
    pub(super) triples: Vec<[usize; 2]>,
    /// Who knows the common operand of such ANDs, how many have it, and the number of such operands for an item.
    pub(crate) products: Vec<(Role, [usize; 2])>,
    /// Of each table its inputs and outputs, and lookups for an item.
    pub(crate) lookups: Vec<([u32; 2], usize)>,
    /// Of the triples for an item.
    pub(crate) bill: Bill,
    pub(super) depth: u32,
}

/// What is known of a wire.
#[derive(Clone, Copy)]
pub(crate) struct About {
    pub span: Span,
    /// Messages that it waits for.
    pub level: u32,
    /// Who knows it; the peer has zeros.
    pub known: Option<Role>,
}

pub(crate) struct Gate {
    pub kind: Kind,
    pub reads: Vec<Wire>,
    /// The first of the wires that it makes. They follow one another.
    pub first: Wire,
    pub made: usize,
    pub level: u32,
    /// Whether it takes a message.
    pub sends: bool,
    /// Wires that nobody reads later.
    pub last: Vec<Wire>,
    /// Whether what it adds to is among these: the first wire, or of `Add` all others, each read once.
    pub moves: bool,
}

pub(crate) enum Kind {
    Xor,
    /// The complement of a wire.
    Not,
    /// The row of a table, by its number, of which the wires are the index, the first one lowest: a wire for each bit.
    Lookup(usize),
    /// Of the first wire with each of the others.
    And,
    /// The same where one party knows the first wire and its peer the others.
    Product,
    /// Rows of a matrix times the wires.
    Linear(Vec<u128>),
    /// The bits of the first wire from this one on, one to each of the others.
    Add(usize),
    /// One behind the other.
    Join,
    /// From this bit on.
    Part(usize),
    /// What is the same for all items, for each.
    Spread,
    /// The bit of the item so many before, or if it is negative behind; 0 where there is none.
    Moved(isize),
}

impl Wire {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Netlist {
    /// Gates in the order in which they are evaluated: those of a level that take a message together, others one by one.
    pub(crate) fn levels(&self) -> impl Iterator<Item = &[Gate]> {
        self.gates.chunk_by(|a, b| a.sends && b.sends && a.level == b.level)
    }

    /// Those of each layer that take a message.
    pub(crate) fn layers(&self) -> impl Iterator<Item = &[Gate]> {
        self.levels().filter(|gates| gates[0].sends)
    }

    /// The number of the table that a lookup reads.
    ///
    /// # Panics
    /// For another gate.
    pub(crate) fn table(&self, gate: &Gate) -> usize {
        let Kind::Lookup(table) = gate.kind else { panic!("a gate that is no lookup") };
        table
    }

    /// Which of the products a gate is.
    ///
    /// # Panics
    /// For another gate.
    pub(crate) fn kind_of_product(&self, gate: &Gate) -> usize {
        let knows = self.wires[gate.reads[0].index()].known;
        let alike = |(other, [size, _]): &(Role, [usize; 2])| Some(*other) == knows && *size == gate.made;
        self.products.iter().position(alike).expect("a product")
    }

    /// Lookups or ANDs for an item that a gate is.
    pub(crate) fn width(&self, gate: &Gate) -> usize {
        self.wires[gate.first.index()].span.bits(1)
    }

    /// Bits of an item that gates read, each as often as one does.
    pub(crate) fn passes(&self) -> usize {
        let bits = |wire: &Wire| self.wires[wire.index()].span.bits(1);
        self.gates.iter().map(|gate| gate.reads.iter().map(bits).sum::<usize>()).sum()
    }

    /// Layers of ANDs that take a message: the rounds of [`Layers`](super::Layers).
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// ANDs for an item, but for those that one party computes alone.
    pub fn ands(&self) -> usize {
        let products = self.products.iter().map(|(_, counts)| counts);
        self.triples.iter().chain(products).map(|[size, operands]| size * operands).sum()
    }

    /// How many ANDs can have an operand in common, and the number of such operands for an item: the triples of an
    /// evaluation, in their order.
    pub fn triples(&self) -> &[[usize; 2]] {
        &self.triples
    }

    /// Of each table its inputs and outputs, and lookups for an item.
    pub fn lookups(&self) -> &[([u32; 2], usize)] {
        &self.lookups
    }
}

impl Span {
    /// Bits for a batch of so many items.
    pub fn bits(self, items: usize) -> usize {
        match self {
            Self::Each(bits) => bits * items,
            Self::All(bits) => bits,
        }
    }

    /// The same with another number of bits.
    pub(crate) fn of(self, bits: usize) -> Self {
        match self {
            Self::Each(_) => Self::Each(bits),
            Self::All(_) => Self::All(bits),
        }
    }
}

//! What a circuit is made of.

use crate::net::Role;

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

/// A circuit: gates of which each names only wires made before. Made by a [`Builder`](super::Builder); public, the same
/// at both parties.
#[derive(Clone, Debug)]
pub struct Netlist {
    pub(super) inputs: Vec<Wire>,
    pub(super) outputs: Vec<Wire>,
    pub(super) wires: Vec<About>,
    /// By level; of a level those that take a message first.
    pub(super) nodes: Vec<Node>,
    /// How often each wire is used.
    pub(super) uses: Vec<u32>,
    /// How many ANDs can have an operand in common, and the number of such operands for an item. In the order in which
    /// their triples are made.
    pub(super) triples: Vec<[usize; 2]>,
}

/// What is known of a wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    pub span: Span,
    /// Messages that it waits for.
    pub level: u32,
    /// Who knows it; the peer has zeros.
    pub known: Option<Role>,
}

/// A gate, and the wires that it makes.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub gate: Gate,
    /// The first of its wires. They follow one another.
    pub first: usize,
    pub level: u32,
    /// Whether it takes a message.
    pub sends: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Gate {
    /// Public bits, which one party adds.
    Constant(Vec<bool>),
    /// Of wires of one span, and single bits for all of it.
    Xor(Vec<Wire>),
    /// Of a wire with each of some others.
    And(Wire, Vec<Wire>),
    /// Rows of a matrix times a column of wires.
    Linear(Vec<u128>, Vec<Wire>),
    /// One behind the other.
    Join(Vec<Wire>),
    /// From this place on.
    Part(Wire, usize),
    /// So many times, one behind the other.
    Repeat(Wire, usize),
    /// What is the same for all items, for each.
    Spread(Wire),
}

impl Netlist {
    /// Layers of ANDs that take a message: the rounds of [`Layers`](super::Layers).
    pub fn depth(&self) -> u32 {
        self.nodes.iter().filter(|node| node.sends).map(|node| node.level).max().unwrap_or(0)
    }

    /// ANDs for an item, but for those that one party computes alone.
    pub fn ands(&self) -> usize {
        self.triples.iter().map(|[size, operands]| size * operands).sum()
    }

    /// How many ANDs can have an operand in common, and the number of such operands for an item: the triples of an
    /// evaluation, in their order.
    pub fn triples(&self) -> &[[usize; 2]] {
        &self.triples
    }

    pub(super) fn about(&self, wire: Wire) -> About {
        self.wires[wire.0 as usize]
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
    pub(super) fn of(self, bits: usize) -> Self {
        match self {
            Self::Each(_) => Self::Each(bits),
            Self::All(_) => Self::All(bits),
        }
    }

    /// Bits for an item, or for all.
    pub(super) fn width(self) -> usize {
        let (Self::Each(bits) | Self::All(bits)) = self;
        bits
    }
}

impl Gate {
    /// The wires that it reads, each as often as it does.
    pub(super) fn operands(&self) -> impl Iterator<Item = Wire> {
        let (one, more): (Option<Wire>, &[Wire]) = match self {
            Self::Constant(_) => (None, &[]),
            Self::Xor(wires) | Self::Linear(_, wires) | Self::Join(wires) => (None, wires),
            Self::And(x, ys) => (Some(*x), ys),
            Self::Part(x, _) | Self::Repeat(x, _) | Self::Spread(x) => (Some(*x), &[]),
        };
        one.into_iter().chain(more.iter().copied())
    }
}

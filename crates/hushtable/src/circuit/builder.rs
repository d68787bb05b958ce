//! Netlists, gate by gate.

use super::netlist::{About, Gate, Netlist, Node, Span, Wire};
use crate::{
    error::{Error, Result},
    net::Role,
};

/// Most wires of a column that a matrix is multiplied with.
const COLUMN: usize = 128;

/// A [`Netlist`] that grows. A gate can only name wires that are there, so no circle can be built. What does not fit
/// together is told at the end, by [`finish`](Self::finish).
#[derive(Debug)]
pub struct Builder {
    net: Netlist,
    /// ANDs come above this level.
    floor: u32,
    refused: Option<Error>,
}

impl Builder {
    /// Of a circuit whose ANDs have an operand in common by so many, 1 to 64: the kinds of triples that it takes, in the
    /// order in which they are made.
    pub fn new(sizes: &[usize]) -> Self {
        let triples = sizes.iter().map(|&size| [size, 0]).collect();
        let (inputs, outputs, wires) = (Vec::new(), Vec::new(), Vec::new());
        let net = Netlist { inputs, outputs, wires, nodes: Vec::new(), uses: Vec::new(), triples };
        Self { net, floor: 0, refused: None }
    }

    /// The next input: shared, or known to one party.
    pub fn input(&mut self, span: Span, known: Option<Role>) -> Wire {
        let wire = self.wire(About { span, level: 0, known });
        self.net.inputs.push(wire);
        wire
    }

    /// The next inputs: shared, a bit for each item.
    pub fn inputs(&mut self, count: usize) -> Vec<Wire> {
        (0..count).map(|_| self.input(Span::Each(1), None)).collect()
    }

    /// Public bits, the same for all items. `holder` adds them, and they count as known to it.
    pub fn constant(&mut self, holder: Role, bits: impl IntoIterator<Item = bool>) -> Wire {
        let bits: Vec<bool> = bits.into_iter().collect();
        let about = About { span: Span::All(bits.len()), level: 0, known: Some(holder) };
        self.push(Gate::Constant(bits), about, 1)[0]
    }

    /// The XOR of one wire or more, of one span; a single bit for all items goes with any.
    pub fn xor(&mut self, wires: &[Wire]) -> Wire {
        let single = Span::All(1);
        let spans = wires.iter().map(|w| self.about(*w).span);
        let span = spans.into_iter().find(|span| *span != single).unwrap_or(single);
        let long: Vec<Wire> = wires.iter().copied().filter(|w| self.about(*w).span != single).collect();
        self.same(&long);
        let about = About { span, ..self.common(wires) };
        self.push(Gate::Xor(wires.to_vec()), about, 1)[0]
    }

    /// The AND of two wires of one span.
    pub fn and(&mut self, x: Wire, y: Wire) -> Wire {
        self.and_each(x, &[y])[0]
    }

    /// The ANDs of a wire with others, all of one span. One message for all of it, which opens `x` once.
    pub fn and_each(&mut self, x: Wire, ys: &[Wire]) -> Vec<Wire> {
        let all: Vec<Wire> = [x].iter().chain(ys).copied().collect();
        self.same(&all);
        let mut about = self.common(&all);
        let sends = about.known.is_none();
        if sends {
            about.level = about.level.max(self.floor) + 1;
            match (about.span, self.net.triples.iter_mut().find(|kind| kind[0] == ys.len())) {
                (Span::Each(bits), Some(kind)) => kind[1] += bits,
                (Span::All(_), _) => {
                    self.refuse("ANDs of bits for all items", "one that nobody knows".into())
                }
                (_, None) => self.refuse("ANDs with a common operand", format!("{} at once", ys.len())),
            }
        }
        let made = self.push(Gate::And(x, ys.to_vec()), about, ys.len());
        if let Some(node) = self.net.nodes.last_mut() {
            node.sends = sends;
        }
        made
    }

    /// The ANDs of each group's first wire with the others. One message for all groups that have as many others; the
    /// groups' wires may differ in span.
    pub fn ands(&mut self, groups: &[(Wire, &[Wire])]) -> Vec<Wire> {
        let mut made: Vec<Vec<Wire>> = vec![Vec::new(); groups.len()];
        for size in self.net.triples.clone().iter().map(|kind| kind[0]) {
            let of: Vec<usize> = (0..groups.len()).filter(|i| groups[*i].1.len() == size).collect();
            if of.is_empty() {
                continue;
            }
            let xs: Vec<Wire> = of.iter().map(|i| groups[*i].0).collect();
            let x = self.join(&xs);
            let other = |j: usize| of.iter().map(|i| groups[*i].1[j]).collect::<Vec<_>>();
            let ys: Vec<Wire> = (0..size).map(|j| self.join(&other(j))).collect();
            for product in self.and_each(x, &ys) {
                let parts = self.parted(product, &xs);
                of.iter().zip(parts).for_each(|(i, part)| made[*i].push(part));
            }
        }
        if groups.iter().zip(&made).any(|(group, made)| group.1.len() != made.len()) {
            self.refuse("ANDs with a common operand", "another number than the circuit's".into());
        }
        made.into_iter().flatten().collect()
    }

    /// ANDs from here on come after all that are there, whether they need them or not.
    pub fn barrier(&mut self) {
        self.floor = self.net.depth();
    }

    /// A public matrix over F_2 times a column of 1 to 128 wires of one span: bit j of a row counts wire j. A wire for
    /// each row.
    pub fn linear(&mut self, rows: &[u128], column: &[Wire]) -> Vec<Wire> {
        if column.len() > COLUMN {
            self.refuse("wires of a column", column.len().to_string());
        }
        self.same(column);
        let about = self.common(column);
        self.push(Gate::Linear(rows.to_vec(), column.to_vec()), about, rows.len())
    }

    /// Wires one behind the other.
    pub fn join(&mut self, wires: &[Wire]) -> Wire {
        if let [wire] = wires {
            return *wire;
        }
        let about = self.common(wires);
        if wires.iter().any(|w| self.about(*w).span.of(0) != about.span.of(0)) {
            self.refuse("wires to join", "bits for each item and bits for all".into());
        }
        let width = wires.iter().map(|w| self.about(*w).span.width()).sum();
        self.push(Gate::Join(wires.to_vec()), About { span: about.span.of(width), ..about }, 1)[0]
    }

    /// `width` of a wire's bits for each item, or for all, from `from` on.
    pub fn part(&mut self, x: Wire, from: usize, width: usize) -> Wire {
        let about = self.common(&[x]);
        if from.checked_add(width).is_none_or(|end| end > about.span.width()) {
            self.refuse("bits of a wire", format!("{width} from {from} on of {:?}", about.span));
        }
        if width == about.span.width() {
            return x;
        }
        self.push(Gate::Part(x, from), About { span: about.span.of(width), ..about }, 1)[0]
    }

    /// A wire cut into parts with the spans of these: what undoes [`join`](Self::join).
    pub fn parted(&mut self, x: Wire, like: &[Wire]) -> Vec<Wire> {
        let mut from = 0;
        let mut part = |wire: &Wire| {
            let width = self.about(*wire).span.width();
            from += width;
            self.part(x, from - width, width)
        };
        like.iter().map(&mut part).collect()
    }

    /// A wire so many times, one behind the other.
    pub fn repeat(&mut self, x: Wire, times: usize) -> Wire {
        let about = self.common(&[x]);
        let span = about.span.of(times * about.span.width());
        self.push(Gate::Repeat(x, times), About { span, ..about }, 1)[0]
    }

    /// Bits that are the same for all items, as bits of each.
    pub fn spread(&mut self, x: Wire) -> Wire {
        let about = self.common(&[x]);
        if about.span.of(0) == Span::Each(0) {
            self.refuse("bits to spread", "those of each item".into());
        }
        self.push(Gate::Spread(x), About { span: Span::Each(about.span.width()), ..about }, 1)[0]
    }

    /// The circuit with these outputs.
    ///
    /// # Errors
    /// [`Error::Param`] if wires did not fit a gate: those of another netlist that this one has not, other spans, other
    /// numbers of ANDs with a common operand than were announced.
    pub fn finish(mut self, outputs: &[Wire]) -> Result<Netlist> {
        self.common(outputs);
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        let mut net = self.net;
        let mut uses = vec![0; net.wires.len()];
        let read = net.nodes.iter().flat_map(|node| node.gate.operands());
        read.chain(outputs.iter().copied()).for_each(|wire| uses[wire.0 as usize] += 1);
        net.nodes.sort_by_key(|node| (node.level, !node.sends));
        Ok(Netlist { outputs: outputs.to_vec(), uses, ..net })
    }

    fn push(&mut self, gate: Gate, about: About, count: usize) -> Vec<Wire> {
        let first = self.net.wires.len();
        self.net.nodes.push(Node { gate, first, level: about.level, sends: false });
        (0..count).map(|_| self.wire(about)).collect()
    }

    fn wire(&mut self, about: About) -> Wire {
        self.net.wires.push(about);
        Wire(self.net.wires.len() as u32 - 1)
    }

    fn about(&self, wire: Wire) -> About {
        let nothing = About { span: Span::All(0), level: 0, known: None };
        self.net.wires.get(wire.0 as usize).copied().unwrap_or(nothing)
    }

    /// The span of the first wire, the messages that all of them wait for, and who knows all of them.
    fn common(&mut self, wires: &[Wire]) -> About {
        if wires.is_empty() {
            self.refuse("wires of a gate", "none".into());
        }
        if wires.iter().any(|wire| wire.0 as usize >= self.net.wires.len()) {
            self.refuse("wires of a gate", "one that the netlist has not".into());
        }
        let mut of = wires.iter().map(|wire| self.about(*wire));
        let first = of.next().unwrap_or(About { span: Span::All(0), level: 0, known: None });
        of.fold(first, |all, next| About {
            level: all.level.max(next.level),
            known: all.known.filter(|known| next.known == Some(*known)),
            ..all
        })
    }

    /// Makes sure that wires have one span.
    fn same(&mut self, wires: &[Wire]) {
        let mut spans = wires.iter().map(|wire| self.about(*wire).span);
        let first = spans.next();
        if let Some(other) = spans.find(|span| Some(*span) != first) {
            self.refuse("spans of a gate's wires", format!("{first:?} and {other:?}"));
        }
    }

    /// Keeps the first error.
    fn refuse(&mut self, what: &'static str, got: String) {
        let accepted = "wires of the netlist that fit the gate".into();
        self.refused.get_or_insert(Error::Param { what, got, accepted });
    }
}

//! Forms of circuits as netlists: ANDs of a layer side by side, those with a common operand together.

use std::{collections::BTreeMap, sync::Arc};

use logic::{Form, Gate, Lit};

use super::lookups::Reading;
use crate::{
    circuit::{Builder, Netlist, Span, Wire},
    error::{Error, Result},
    net::Role,
};

/// How many ANDs have an operand in common: what triples are made for. One operand opens one bit, and takes two
/// correlated OTs, however many ANDs it serves.
const SIZES: [usize; 7] = [64, 32, 16, 8, 4, 2, 1];

/// A form of a circuit, some of whose inputs one party knows; with a number its ANDs are lookups in the table of that
/// number.
///
/// # Errors
/// [`Error::Param`] unless each input is said to be shared or known, and for a form without inputs.
pub(super) fn lowered(
    form: &Form,
    known: &[Option<Role>],
    readings: &[Reading],
    ands: Option<usize>,
) -> Result<Arc<Netlist>> {
    if form.inputs() != known.len() || known.is_empty() {
        let (what, got) = ("inputs of a form", known.len().to_string());
        return Err(Error::Param { what, got, accepted: format!("{}, 1 and more", form.inputs()) });
    }
    let mut lowering = Lowering::new(form, known, readings);
    let waits = lowering.waits();
    let gates: Vec<(&Gate, u32)> = form.made().map(|(gate, first, _)| (gate, first)).collect();
    let mut order: Vec<usize> = (0..gates.len()).collect();
    // Of a level the gates that wait for a message come first; the sort keeps the others in order.
    order.sort_by_key(|i| (waits[*i].0, !waits[*i].1));
    for level in order.chunk_by(|i, j| waits[*i] == waits[*j] && waits[*i].1) {
        match level {
            [i] if !waits[*i].1 => lowering.local(gates[*i]),
            _ => lowering.layer(level.iter().map(|i| gates[*i]), ands),
        }
    }
    Ok(lowering.finish())
}

struct Lowering<'a> {
    form: &'a Form,
    b: Builder,
    known: Vec<Option<Role>>,
    /// Of each wire of the form, and what is left of its negation.
    wires: Vec<Option<Wire>>,
}

impl<'a> Lowering<'a> {
    fn new(form: &'a Form, known: &[Option<Role>], readings: &[Reading]) -> Self {
        let tables: Vec<[u32; 2]> =
            readings.iter().map(|reading| [reading.table().inputs(), reading.table().outputs()]).collect();
        let mut b = Builder::new(&SIZES).reading(&tables);
        let mut wires = vec![None; form.wires()];
        let inputs: Vec<Wire> = known.iter().map(|known| b.input(Span::Each(1), *known)).collect();
        wires[0] = Some(b.xor(&[inputs[0], inputs[0]]));
        wires[1..].iter_mut().zip(inputs).for_each(|(wire, input)| *wire = Some(input));
        Self { form, b, known: known.to_vec(), wires }
    }

    /// Of each gate how many messages it waits for, and whether it takes one.
    fn waits(&self) -> Vec<(u32, bool)> {
        let mut wires: Vec<(u32, Option<Role>)> = vec![(0, self.known[0])];
        wires.extend(self.known.iter().map(|known| (0, *known)));
        let mut waits = Vec::with_capacity(self.form.gates().len());
        for (gate, _, made) in self.form.made() {
            let reads = self.form.reads(gate);
            let of = |lit: &Lit| wires[lit.wire() as usize];
            let level = reads.iter().map(|lit| of(lit).0).max().unwrap_or(0);
            let known = reads.iter().map(|lit| of(lit).1).reduce(|a, b| a.filter(|_| a == b)).flatten();
            let sends = match gate {
                Gate::Xor(..) => false,
                Gate::And(..) => known.is_none(),
                Gate::Lookup { .. } => true,
            };
            waits.push((level + u32::from(sends), sends));
            let about = (level + u32::from(sends), known.filter(|_| !sends));
            wires.extend((0..made).map(|_| about));
        }
        waits
    }

    fn get(&mut self, lit: Lit) -> Wire {
        let wire = self.wires[lit.wire() as usize].expect("a wire that was made");
        if lit.negated() { self.b.not(wire) } else { wire }
    }

    /// An XOR, or an AND of what one party knows.
    fn local(&mut self, (gate, made): (&Gate, u32)) {
        let wire = match *gate {
            Gate::Xor(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                self.b.xor(&[a, b])
            }
            Gate::And(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                self.b.and(a, b)
            }
            Gate::Lookup { .. } => unreachable!("a lookup takes a message"),
        };
        self.wires[made as usize] = Some(wire);
    }

    /// All ANDs and lookups of a level.
    fn layer<'g>(&mut self, gates: impl Iterator<Item = (&'g Gate, u32)>, and_table: Option<usize>) {
        let (mut ands, mut lookups) = (Vec::new(), BTreeMap::<usize, Vec<(Vec<Lit>, u32)>>::new());
        for (gate, made) in gates {
            match (*gate, and_table) {
                (Gate::And(a, b), Some(table)) => lookups.entry(table).or_default().push((vec![a, b], made)),
                (Gate::And(a, b), None) => ands.push([(a, b), (b, a)].map(|(a, b)| (a, b, made))),
                (Gate::Lookup { table, pins }, _) => {
                    let pins = self.form.lookup(table, pins).1.to_vec();
                    lookups.entry(table as usize).or_default().push((pins, made));
                }
                (Gate::Xor(..), _) => unreachable!("an XOR takes no message"),
            }
        }
        self.ands(&ands);
        for (table, gates) in lookups {
            self.lookups(table, &gates);
        }
    }

    /// ANDs, each of which can be seen from both of its operands: `!a & b` is `b ^ a & b`, so that only the wire of the
    /// common operand counts.
    fn ands(&mut self, ands: &[[(Lit, Lit, u32); 2]]) {
        let known = |lit: Lit| self.wires[lit.wire() as usize].and_then(|wire| self.b.known(wire));
        let crossing = |and: &&[(Lit, Lit, u32); 2]| known(and[0].0).is_some() && known(and[0].1).is_some();
        let (crossing, shared): (Vec<_>, Vec<_>) = ands.iter().partition(crossing);
        // Any number of them is a kind of its own.
        let (of_p0, of_p1): (Vec<_>, Vec<_>) = stars(&crossing, |left| left.min(SIZES[0]))
            .into_iter()
            .partition(|star| known(star[0].0) == Some(Role::P0));
        let size = |left| SIZES.into_iter().find(|size| *size <= left).expect("a size of 1");
        let shared = stars(&shared, size);
        self.stars(&shared, Builder::ands);
        self.stars(&of_p0, Builder::products);
        self.stars(&of_p1, Builder::products);
    }

    /// ANDs by their common operand, all that are there.
    fn stars(
        &mut self,
        stars: &[Vec<(Lit, Lit, u32)>],
        ands: impl Fn(&mut Builder, &[(Wire, &[Wire])]) -> Vec<Wire>,
    ) {
        let groups: Vec<(Wire, Vec<Wire>)> = stars
            .iter()
            .map(|star| (self.get(star[0].0.plain()), star.iter().map(|and| self.get(and.1)).collect()))
            .collect();
        let groups: Vec<(Wire, &[Wire])> = groups.iter().map(|(x, ys)| (*x, &ys[..])).collect();
        let products = ands(&mut self.b, &groups);
        for (&(a, b, made), product) in stars.iter().flatten().zip(products) {
            let wire = match a.negated() {
                true => {
                    let b = self.get(b);
                    self.b.xor(&[product, b])
                }
                false => product,
            };
            self.wires[made as usize] = Some(wire);
        }
    }

    /// Lookups in one table: one message.
    fn lookups(&mut self, table: usize, gates: &[(Vec<Lit>, u32)]) {
        let inputs = gates[0].0.len();
        let mut index = Vec::with_capacity(inputs);
        for i in 0..inputs {
            let all: Vec<Wire> = gates.iter().map(|(pins, _)| self.get(pins[i])).collect();
            index.push(self.b.join(&all));
        }
        let rows = self.b.lookup(table, &index);
        let widths = vec![1; gates.len()];
        for (bit, row) in rows.into_iter().enumerate() {
            let parts = self.b.parts(row, 0, &widths);
            gates
                .iter()
                .zip(parts)
                .for_each(|((_, made), part)| self.wires[*made as usize + bit] = Some(part));
        }
    }

    fn finish(mut self) -> Arc<Netlist> {
        let outputs: Vec<Wire> = self.form.outputs().iter().map(|out| self.get(*out)).collect();
        self.b.finish(&outputs)
    }
}

/// ANDs by their common operand, that with the most ANDs first, in groups of which `size` says how many of those that are
/// left they have.
fn stars(ands: &[&[(Lit, Lit, u32); 2]], size: impl Fn(usize) -> usize) -> Vec<Vec<(Lit, Lit, u32)>> {
    let mut by_wire: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, and) in ands.iter().enumerate() {
        and.iter().for_each(|(a, _, _)| by_wire.entry(a.wire()).or_default().push(i));
    }
    let mut order: Vec<(usize, u32)> = by_wire.iter().map(|(wire, of)| (of.len(), *wire)).collect();
    order.sort_unstable_by_key(|&(count, wire)| (usize::MAX - count, wire));
    let (mut taken, mut stars) = (vec![false; ands.len()], Vec::new());
    for (_, wire) in order {
        let left: Vec<_> = by_wire[&wire]
            .iter()
            .filter(|i| !std::mem::replace(&mut taken[**i], true))
            .map(|i| if ands[*i][0].0.wire() == wire { ands[*i][0] } else { ands[*i][1] })
            .collect();
        let mut rest = &left[..];
        while !rest.is_empty() {
            let (star, others) = rest.split_at(size(rest.len()));
            stars.push(star.to_vec());
            rest = others;
        }
    }
    stars
}

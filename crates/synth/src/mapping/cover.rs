//! Which wires are made, and how.

use std::sync::Arc;

use logic::{Draft, Form, Gate, Lit, TruthTable};

use super::{
    costs::Costs,
    cuts::{Cuts, Search, Way},
    groups::{self, Group},
    span::Sums,
    tables::Simulated,
};

/// Of each wire of a form how it is made; `None` if it is not.
pub(super) struct Cover<'a> {
    form: &'a Form,
    most: usize,
    ways: Vec<Option<Way>>,
}

impl<'a> Cover<'a> {
    /// Of each wire that is needed the way that costs least, among those that keep to the depth.
    pub(super) fn of(search: &Search<'a>, cuts: &Cuts) -> Self {
        let form = search.form;
        let mut ways: Vec<Option<Way>> = vec![None; form.wires()];
        let depth = form.outputs().iter().map(|out| cuts.levels[out.wire() as usize]).max().unwrap_or(0);
        let unbound = if search.shallow { depth } else { u32::MAX };
        // The level that each wire may have at most; needed are those with one.
        let mut due: Vec<Option<u32>> = vec![None; form.wires()];
        let need = |due: &mut Vec<Option<u32>>, wire: u32, by: u32| {
            let of = &mut due[wire as usize];
            *of = Some(of.map_or(by, |other| other.min(by)));
        };
        form.outputs().iter().for_each(|out| need(&mut due, out.wire(), unbound));
        let gates: Vec<_> = form.made().collect();
        for (gate, first, made) in gates.into_iter().rev() {
            let by = due[first as usize..][..made as usize].iter().flatten().min().copied();
            let Some(by) = by else { continue };
            let before = by.saturating_sub(1).max(if by == u32::MAX { by } else { 0 });
            match *gate {
                Gate::Lookup { table, pins } => {
                    (first..first + made).for_each(|wire| ways[wire as usize] = Some(Way::Given));
                    form.lookup(table, pins).1.iter().for_each(|pin| need(&mut due, pin.wire(), before));
                }
                Gate::Xor(a, b) | Gate::And(a, b) => {
                    let way = best(search, cuts, gate, first as usize, by);
                    match &way {
                        Way::Lookup(cut) => cut.leaves.iter().for_each(|leaf| need(&mut due, *leaf, before)),
                        _ => {
                            let by = if matches!(gate, Gate::And(..)) { before } else { by };
                            [a, b].iter().for_each(|lit| need(&mut due, lit.wire(), by));
                        }
                    }
                    ways[first as usize] = Some(way);
                }
            }
        }
        Self { form, most: search.most, ways }
    }

    /// How often each wire is read.
    pub(super) fn reads(&self) -> Vec<f64> {
        let mut reads = vec![0.0; self.form.wires()];
        let mut read = |wire: u32| reads[wire as usize] += 1.0;
        self.form.outputs().iter().for_each(|out| read(out.wire()));
        for (gate, first, made) in self.form.made() {
            match self.ways[first as usize..][..made as usize].iter().flatten().next() {
                Some(Way::Lookup(cut)) => cut.leaves.iter().for_each(|leaf| read(*leaf)),
                Some(_) => self.form.reads(gate).iter().for_each(|lit| read(lit.wire())),
                None => {}
            }
        }
        reads
    }

    /// The form that this says: layer by layer, lookups that cost less together joined.
    pub(super) fn form(&self, sums: &Sums, costs: &Costs<'_>) -> Form {
        let levels = self.levels();
        let depth = levels.iter().copied().max().unwrap_or(0);
        let mut lookups: Vec<Vec<Group>> = (0..=depth).map(|_| Vec::new()).collect();
        let mut gates: Vec<Vec<(&Gate, u32, u32)>> = (0..=depth).map(|_| Vec::new()).collect();
        for (gate, first, made) in self.form.made() {
            let level = levels[first as usize] as usize;
            match &self.ways[first as usize..][..made as usize].iter().flatten().next() {
                Some(Way::Lookup(cut)) => {
                    lookups[level].push(Group { leaves: cut.leaves.clone(), outputs: vec![first] });
                }
                Some(_) => gates[level].push((gate, first, made)),
                None => {}
            }
        }
        let mut makers = vec![None; self.form.wires()];
        self.form.made().zip(0..).for_each(|((_, first, made), gate)| {
            makers[first as usize..][..made as usize].fill(Some(gate));
        });
        let mut d = Draft::new(self.form.inputs());
        let mut wires = vec![None; self.form.wires()];
        wires[0] = Some(Lit::FALSE);
        wires[1..].iter_mut().zip(d.inputs()).for_each(|(wire, input)| *wire = Some(input));
        for (lookups, gates) in lookups.into_iter().zip(gates) {
            for group in groups::joined(lookups, self.most, sums, costs) {
                let made = look_up(&mut d, &Simulated::of(self.form, &makers, sums, &group), &group, &wires);
                group.outputs.iter().zip(made).for_each(|(out, lit)| wires[*out as usize] = Some(lit));
            }
            for (gate, first, made) in gates {
                let at = |lit: Lit| get(&wires, lit);
                let lits = match *gate {
                    Gate::Xor(a, b) => vec![d.xor(at(a), at(b))],
                    Gate::And(a, b) => vec![d.and(at(a), at(b))],
                    Gate::Lookup { table, pins } => {
                        let (table, pins) = self.form.lookup(table, pins);
                        d.lookup(table, &pins.iter().map(|pin| at(*pin)).collect::<Vec<_>>())
                    }
                };
                (first..first + made).zip(lits).for_each(|(wire, lit)| wires[wire as usize] = Some(lit));
            }
        }
        let outputs = self.form.outputs().iter().map(|out| get(&wires, *out)).collect();
        d.finish("luts", outputs)
    }

    /// Of each wire how many layers it waits for.
    fn levels(&self) -> Vec<u32> {
        let mut levels = vec![0; self.form.wires()];
        for (gate, first, made) in self.form.made() {
            let after = |wires: &mut dyn Iterator<Item = u32>| {
                wires.map(|wire| levels[wire as usize]).max().unwrap_or(0)
            };
            let level = match self.ways[first as usize..][..made as usize].iter().flatten().next() {
                Some(Way::Lookup(cut)) => 1 + after(&mut cut.leaves.iter().copied()),
                _ => {
                    let sends = u32::from(!matches!(gate, Gate::Xor(..)));
                    sends + after(&mut self.form.reads(gate).iter().map(|lit| lit.wire()))
                }
            };
            levels[first as usize..][..made as usize].fill(level);
        }
        // What is not made has no level.
        levels.iter_mut().zip(&self.ways).for_each(|(level, way)| {
            if way.is_none() {
                *level = 0;
            }
        });
        levels
    }
}

/// The way that costs least and is done by this level.
fn best(search: &Search<'_>, cuts: &Cuts, gate: &Gate, made: usize, by: u32) -> Way {
    let reads = search.form.reads(gate);
    let sends = u32::from(matches!(gate, Gate::And(..)));
    let level = sends + reads.iter().map(|lit| cuts.levels[lit.wire() as usize]).max().unwrap_or(0);
    let part = |lit: &Lit| cuts.flows[lit.wire() as usize] / search.reads[lit.wire() as usize].max(1.0);
    let flow = f64::from(sends) * search.costs.and + reads.iter().map(part).sum::<f64>();
    let fit = cuts.of[made].iter().filter(|cut| cut.level <= by);
    let least = fit.min_by(|a, b| a.flow.partial_cmp(&b.flow).expect("finite costs"));
    match least {
        Some(cut) if level > by || cut.flow < flow => Way::Lookup(cut.clone()),
        _ => Way::Gate,
    }
}

fn get(wires: &[Option<Lit>], lit: Lit) -> Lit {
    wires[lit.wire() as usize].expect("a wire that was made").negate_if(lit.negated())
}

/// The outputs of a group: ANDs where a table has two inputs, and no lookup for what is a sum.
fn look_up(d: &mut Draft, tables: &Simulated, group: &Group, wires: &[Option<Lit>]) -> Vec<Lit> {
    let leaves: Vec<Lit> = group.leaves.iter().map(|leaf| get(wires, Lit::of(*leaf))).collect();
    let (independent, sums) = tables.reduced();
    let read: Vec<Lit> = match (&independent[..], &leaves[..]) {
        ([], _) => Vec::new(),
        ([function], [a, b]) => {
            // Of two inputs what is no sum has one row that differs from the others.
            let bits = function[0] & 0b1111;
            let ones = bits.count_ones() == 1;
            let row = if ones { bits.trailing_zeros() } else { (!bits).trailing_zeros() };
            let and = d.and(a.negate_if(row & 1 == 0), b.negate_if(row & 2 == 0));
            vec![and.negate_if(!ones)]
        }
        _ => {
            let row = |row: u64| {
                let bit = |function: &Vec<u64>| function[row as usize / 64] >> (row % 64) & 1;
                independent.iter().enumerate().fold(0, |sum, (i, function)| sum | bit(function) << i)
            };
            let table = TruthTable::tabulate(leaves.len() as u32, independent.len() as u32, row);
            d.lookup(&Arc::new(table.expect("a table within its limits")), &leaves)
        }
    };
    let sum = |sum: &super::tables::Sum| {
        let of = |all: &[Lit], mask: u64| {
            let chosen = all.iter().enumerate().filter(move |(i, _)| mask >> i & 1 == 1);
            chosen.map(|(_, lit)| *lit).collect::<Vec<_>>()
        };
        let lit = d.xor_all(of(&read, sum.functions).into_iter().chain(of(&leaves, sum.inputs)));
        lit.negate_if(sum.negated)
    };
    sums.iter().map(sum).collect()
}

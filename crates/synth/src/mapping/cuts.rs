//! Cuts: what a lookup in place of a gate could read.

use logic::{Form, Gate, Lit};

use super::{
    costs::Costs,
    span::{Basis, Sums},
};

/// Cuts of a wire that are kept.
const KEPT: usize = 8;

/// Independent wires of which a wire is a function, by gates between.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    /// Sorted.
    pub(super) leaves: Vec<u32>,
    /// Layers until the lookup is done.
    pub(super) level: u32,
    /// What it costs with its part of what it reads.
    pub(super) flow: f64,
}

/// How a wire is made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    /// Given, or made by a lookup of the form.
    Given,
    /// By its gate.
    Gate,
    /// By a lookup at this cut.
    Lookup(Cut),
}

/// Of each wire, by the least level or the least cost.
pub(super) struct Cuts {
    /// The cuts of each wire, the best one first.
    pub(super) of: Vec<Vec<Cut>>,
    /// The least level of each.
    pub(super) levels: Vec<u32>,
    /// The cost of each at its best.
    pub(super) flows: Vec<f64>,
}

/// What is known of a form while cuts are looked for.
pub(super) struct Search<'a> {
    pub(super) form: &'a Form,
    pub(super) sums: &'a Sums,
    pub(super) costs: &'a Costs<'a>,
    /// Most leaves.
    pub(super) most: usize,
    /// Whether levels count before costs.
    pub(super) shallow: bool,
    /// How often each wire is read.
    pub(super) reads: Vec<f64>,
}

impl Search<'_> {
    pub(super) fn run(&self) -> Cuts {
        let wires = self.form.wires();
        let mut cuts = Cuts { of: vec![Vec::new(); wires], levels: vec![0; wires], flows: vec![0.0; wires] };
        for (gate, first, made) in self.form.made() {
            match *gate {
                Gate::Xor(a, b) | Gate::And(a, b) => self.gate(gate, first as usize, [a, b], &mut cuts),
                Gate::Lookup { table, pins } => {
                    let (table, pins) = self.form.lookup(table, pins);
                    let level =
                        1 + pins.iter().map(|pin| cuts.levels[pin.wire() as usize]).max().unwrap_or(0);
                    let read: f64 = pins.iter().map(|pin| self.part(&cuts, pin.wire())).sum();
                    let flow = (self.costs.lookup)(table.inputs(), table.outputs()) + read;
                    for wire in first..first + made {
                        cuts.levels[wire as usize] = level;
                        cuts.flows[wire as usize] = flow / f64::from(made);
                    }
                }
            }
        }
        cuts
    }

    /// A wire's part of the cost of what it is read by.
    fn part(&self, cuts: &Cuts, wire: u32) -> f64 {
        cuts.flows[wire as usize] / self.reads[wire as usize].max(1.0)
    }

    fn gate(&self, gate: &Gate, made: usize, [a, b]: [Lit; 2], cuts: &mut Cuts) {
        let (a, b) = (a.wire(), b.wire());
        let mut found: Vec<Cut> = Vec::new();
        let trivial = |wire: u32| std::iter::once(vec![wire]);
        let of = |wire: u32| trivial(wire).chain(cuts.of[wire as usize].iter().map(|cut| cut.leaves.clone()));
        let theirs: Vec<Vec<u32>> = of(b).collect();
        for x in of(a) {
            for y in &theirs {
                let Some(leaves) = self.joined(&x, y) else { continue };
                if !found.iter().any(|cut| cut.leaves == leaves) {
                    found.push(self.cut(leaves, cuts));
                }
            }
        }
        let key = |cut: &Cut| (if self.shallow { cut.level } else { 0 }, cut.flow, cut.leaves.len());
        found.sort_by(|x, y| key(x).partial_cmp(&key(y)).expect("finite costs"));
        found.truncate(KEPT);
        let sends = u32::from(matches!(gate, Gate::And(..)));
        let by_gate = sends + cuts.levels[a as usize].max(cuts.levels[b as usize]);
        let read = self.part(cuts, a) + self.part(cuts, b);
        let by_gate_flow = read + f64::from(sends) * self.costs.and;
        let best = found.first().map_or((by_gate, by_gate_flow), |cut| (cut.level, cut.flow));
        let better = match self.shallow {
            true => (best.0, best.1) < (by_gate, by_gate_flow),
            false => best.1 < by_gate_flow,
        };
        (cuts.levels[made], cuts.flows[made]) = if better { best } else { (by_gate, by_gate_flow) };
        if self.shallow {
            cuts.levels[made] = best.0.min(by_gate);
        }
        cuts.of[made] = found;
    }

    fn cut(&self, leaves: Vec<u32>, cuts: &Cuts) -> Cut {
        let level = 1 + leaves.iter().map(|leaf| cuts.levels[*leaf as usize]).max().unwrap_or(0);
        let read: f64 = leaves.iter().map(|leaf| self.part(cuts, *leaf)).sum();
        let flow = (self.costs.lookup)(leaves.len() as u32, 1) + read;
        Cut { leaves, level, flow }
    }

    /// Independent ones of both, unless there are too many.
    fn joined(&self, x: &[u32], y: &[u32]) -> Option<Vec<u32>> {
        let mut all = [x, y].concat();
        all.sort_unstable();
        all.dedup();
        if all.len() == x.len() || all.len() == y.len() {
            return Some(all);
        }
        let mut basis = Basis::default();
        all.retain(|leaf| basis.len() <= self.most && basis.insert(self.sums.of_wire(*leaf)).is_none());
        (all.len() <= self.most).then_some(all)
    }
}

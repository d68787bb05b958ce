//! Lookups of a layer that cost less as one.

use std::collections::HashMap;

use logic::TruthTable;

use super::{
    costs::Costs,
    span::{Basis, Sums},
};

/// A lookup: what it reads, independent wires, and what it makes.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) leaves: Vec<u32>,
    pub(super) outputs: Vec<u32>,
}

impl Group {
    fn cost(&self, costs: &Costs<'_>) -> f64 {
        (costs.lookup)(self.leaves.len() as u32, self.outputs.len() as u32)
    }

    /// Both, unless that takes too many inputs or outputs.
    fn with(&self, other: &Self, most: usize, sums: &Sums) -> Option<Self> {
        let mut basis = Basis::default();
        let mut leaves = [&self.leaves[..], &other.leaves].concat();
        leaves.sort_unstable();
        leaves.dedup();
        leaves.retain(|leaf| basis.len() <= most && basis.insert(sums.of_wire(*leaf)).is_none());
        let outputs = [&self.outputs[..], &other.outputs].concat();
        let fits = leaves.len() <= most && outputs.len() <= TruthTable::MAX_OUTPUTS as usize;
        fits.then_some(Self { leaves, outputs })
    }
}

/// The same lookups, joined where that lowers the cost: first those that read the same, then those that have most in
/// common.
pub(super) fn joined(lookups: Vec<Group>, most: usize, sums: &Sums, costs: &Costs<'_>) -> Vec<Group> {
    let mut groups = alike(lookups);
    // The widest first: others lie within it.
    groups.sort_by_key(|group| std::cmp::Reverse(group.leaves.len()));
    let mut gone = vec![false; groups.len()];
    let mut reading: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, group) in groups.iter().enumerate() {
        group.leaves.iter().flat_map(|leaf| sums.of_wire(*leaf).iter()).for_each(|wire| {
            let of = reading.entry(*wire).or_default();
            if of.last() != Some(&i) {
                of.push(i);
            }
        });
    }
    for i in 0..groups.len() {
        if gone[i] {
            continue;
        }
        while let Some((j, both)) = best_partner(i, &groups, &gone, &reading, most, sums, costs) {
            groups[i] = both;
            gone[j] = true;
        }
    }
    groups.into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(group, _)| group).collect()
}

/// Most groups that are tried as partners of one.
const TRIED: usize = 256;

fn best_partner(
    i: usize,
    groups: &[Group],
    gone: &[bool],
    reading: &HashMap<u32, Vec<usize>>,
    most: usize,
    sums: &Sums,
    costs: &Costs<'_>,
) -> Option<(usize, Group)> {
    let near = groups[i].leaves.iter().flat_map(|leaf| sums.of_wire(*leaf).iter());
    let mut tried: Vec<usize> =
        near.flat_map(|wire| reading.get(wire).into_iter().flatten()).copied().collect();
    tried.sort_unstable();
    tried.dedup();
    let others = tried.into_iter().filter(|j| *j > i && !gone[*j]).take(TRIED);
    let mut best: Option<(f64, usize, Group)> = None;
    for j in others {
        let Some(both) = groups[i].with(&groups[j], most, sums) else { continue };
        let saved = groups[i].cost(costs) + groups[j].cost(costs) - both.cost(costs);
        if saved > best.as_ref().map_or(0.0, |best| best.0) {
            best = Some((saved, j, both));
        }
    }
    best.map(|(_, j, both)| (j, both))
}

/// Those that read the same wires, as one.
fn alike(lookups: Vec<Group>) -> Vec<Group> {
    let mut found: Vec<Group> = Vec::new();
    let mut by_leaves: HashMap<Vec<u32>, usize> = HashMap::new();
    for group in lookups {
        let full = |at: &usize| found[*at].outputs.len() == TruthTable::MAX_OUTPUTS as usize;
        match by_leaves.get(&group.leaves).filter(|at| !full(at)) {
            Some(at) => found[*at].outputs.extend(group.outputs),
            None => {
                by_leaves.insert(group.leaves.clone(), found.len());
                found.push(group);
            }
        }
    }
    found
}

//! Cuts: a few wires that say all of a gate.

use super::recipes::{INPUTS, MOST};

/// At most five wires, and what a gate is of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    leaves: [u32; MOST],
    size: usize,
    /// The truth table. It repeats itself if there are fewer leaves than five.
    pub table: u32,
}

/// Cuts kept of a gate.
const KEPT: usize = 14;

impl Cut {
    /// The wire itself.
    pub fn of(wire: u32) -> Self {
        Self { leaves: [wire, 0, 0, 0, 0], size: 1, table: INPUTS[0] }
    }

    /// In ascending order.
    pub fn leaves(&self) -> &[u32] {
        &self.leaves[..self.size]
    }

    /// The cut of a gate that reads both, if it is no wider than five.
    fn joined(&self, other: &Self, gate: impl Fn(u32, u32) -> u32) -> Option<Self> {
        let mut joined = Self { leaves: [0; MOST], size: 0, table: 0 };
        let (mut i, mut j) = (0, 0);
        while i < self.size || j < other.size {
            if joined.size == MOST {
                return None;
            }
            let left = if i < self.size { self.leaves[i] } else { u32::MAX };
            let right = if j < other.size { other.leaves[j] } else { u32::MAX };
            joined.leaves[joined.size] = left.min(right);
            joined.size += 1;
            i += usize::from(left <= right);
            j += usize::from(right <= left);
        }
        joined.table = gate(self.table_on(&joined), other.table_on(&joined));
        Some(joined)
    }

    /// The table on more leaves.
    fn table_on(&self, wide: &Self) -> u32 {
        let mut table = self.table;
        // From the last leaf on, each moves up to where it is among the wide one's.
        let mut to = wide.size;
        for from in (0..self.size).rev() {
            to = wide.leaves[..to].iter().rposition(|leaf| *leaf == self.leaves[from]).unwrap_or(from);
            if to != from {
                table = swapped(table, from, to);
            }
        }
        table
    }
}

/// The table with two inputs exchanged.
fn swapped(table: u32, low: usize, high: usize) -> u32 {
    let shift = (1 << high) - (1 << low);
    let only_low = INPUTS[low] & !INPUTS[high];
    let moved = (table >> shift ^ table) & only_low;
    table ^ moved ^ moved << shift
}

/// The cuts of a gate of those of its two sides, the narrow ones first, and the gate itself last.
pub fn merged(number: u32, a: &[Cut], b: &[Cut], gate: impl Fn(u32, u32) -> u32) -> Vec<Cut> {
    let mut all: Vec<Cut> = Vec::with_capacity(a.len() * b.len());
    for a in a {
        for b in b {
            if let Some(cut) = a.joined(b, &gate)
                && !all.iter().any(|other| other.leaves() == cut.leaves())
            {
                all.push(cut);
            }
        }
    }
    all.sort_by_key(|cut| cut.size);
    all.truncate(KEPT);
    all.push(Cut::of(number));
    all
}

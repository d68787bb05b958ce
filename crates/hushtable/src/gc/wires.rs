//! The labels of a circuit's wires, for some items side by side.

use prim::{Wiped, block::Block};

use super::program::{And, Xor};

/// Items side by side, at most.
pub(super) const COPIES: usize = 16;

/// In each place of a program a label for each item.
pub(super) struct Wires {
    labels: Wiped<Block>,
    copies: usize,
}

impl Wires {
    /// With room for so many items.
    pub(super) fn new(places: usize, copies: usize) -> Self {
        Self { labels: Wiped::zeros(places * copies), copies }
    }

    /// From now on for so many items, which are no more than there is room for. The constant's labels stay.
    pub(super) fn begin(&mut self, copies: usize) {
        self.copies = copies;
    }

    /// The labels in a place.
    pub(super) fn at(&self, place: usize) -> &[Block] {
        &self.labels[place * self.copies..][..self.copies]
    }

    /// They, to be written.
    pub(super) fn at_mut(&mut self, place: usize) -> &mut [Block] {
        &mut self.labels[place * self.copies..][..self.copies]
    }

    /// XORs, one after the other.
    pub(super) fn xor(&mut self, gates: &[Xor]) {
        // Compiled for each of these numbers.
        match self.copies {
            1 => xor(&mut self.labels, 1, gates),
            COPIES => xor(&mut self.labels, COPIES, gates),
            copies => xor(&mut self.labels, copies, gates),
        }
    }

    /// What ANDs read, that of each gate together; `delta` is added to the complement of a label.
    pub(super) fn read(&self, gates: &[And], delta: Block, a: &mut [Block], b: &mut [Block]) {
        match self.copies {
            1 => read(&self.labels, 1, gates, delta, a, b),
            COPIES => read(&self.labels, COPIES, gates, delta, a, b),
            copies => read(&self.labels, copies, gates, delta, a, b),
        }
    }

    /// What they have made.
    pub(super) fn write(&mut self, gates: &[And], made: &[Block]) {
        match self.copies {
            1 => write(&mut self.labels, 1, gates, made),
            COPIES => write(&mut self.labels, COPIES, gates, made),
            copies => write(&mut self.labels, copies, gates, made),
        }
    }
}

#[inline(always)]
fn xor(labels: &mut [Block], copies: usize, gates: &[Xor]) {
    for gate in gates {
        let [a, b] = gate.of.map(|place| place as usize * copies);
        let mut sums = [Block::ZERO; COPIES];
        let sums = &mut sums[..copies];
        sums.copy_from_slice(&labels[a..][..copies]);
        sums.iter_mut().zip(&labels[b..][..copies]).for_each(|(sum, label)| *sum ^= *label);
        labels[gate.to as usize * copies..][..copies].copy_from_slice(sums);
    }
}

#[inline(always)]
fn read(labels: &[Block], copies: usize, gates: &[And], delta: Block, a: &mut [Block], b: &mut [Block]) {
    for ((gate, a), b) in gates.iter().zip(a.chunks_exact_mut(copies)).zip(b.chunks_exact_mut(copies)) {
        for (lit, to) in gate.of.iter().zip([a, b]) {
            let more = if lit.negated() { delta } else { Block::ZERO };
            let from = &labels[lit.wire() as usize * copies..][..copies];
            to.iter_mut().zip(from).for_each(|(to, label)| *to = *label ^ more);
        }
    }
}

#[inline(always)]
fn write(labels: &mut [Block], copies: usize, gates: &[And], made: &[Block]) {
    for (gate, made) in gates.iter().zip(made.chunks_exact(copies)) {
        labels[gate.to as usize * copies..][..copies].copy_from_slice(made);
    }
}

//! Values of keys: at single points, a path for each, and over ranges, part by part.
//!
//! Which nodes are looked at depends on public points and distances only.

use std::ops::Range;

use prim::{
    Wiped,
    block::Block,
    forest::{self, LANES},
    planes,
    ring::low,
};
use zeroize::Zeroizing;

use super::{
    keys::{Body, Keys, Payloads, Plan, Trees, gather},
    layout::Layout,
};
use crate::{
    error::{Error, Result, same},
    net::Role,
    share::{Kind, Sharing},
    tree::Group,
};
use prim::rows::Shift;

/// Levels that are grown at once.
const PART: u32 = 7;

/// A key, and a node of a level of its tree: the turns to it, the first one highest.
pub(super) type Node = (usize, u32);

/// Values of a key that are read together.
struct Task {
    key: usize,
    /// The part of the tree.
    top: u32,
    /// The first point, and its number in the part; that of another is `(from + i) ^ flip`.
    point: u32,
    from: u32,
    flip: u32,
    count: u32,
}

/// What is evaluated: the nodes of a level and what hangs there.
struct Target<'a> {
    level: u32,
    layout: Layout,
    /// Bits of a point.
    bits: u32,
    payloads: Option<&'a Payloads>,
}

impl<G: Group, K: Kind> Keys<G, K> {
    /// Where a point of the function lies for the tree.
    pub(super) fn moved(&self, key: usize, point: u32) -> u32 {
        let shift = self.shifts()[key];
        match G::SHIFT {
            Shift::Xor => point ^ shift,
            Shift::Cyclic => low(point.wrapping_sub(shift).into(), self.plan.shape.position) as u32,
        }
    }

    /// `Ok(())` if there is a point of so many bits for each key.
    pub(super) fn check_points(&self, points: &[u32], bits: u32) -> Result<()> {
        same("points", self.len, points.len())?;
        match points.iter().find(|&&point| u64::from(point) >> bits > 0) {
            None => Ok(()),
            Some(point) => Err(outside(*point, bits)),
        }
    }

    /// This party's share of a word of what lies in the blocks of a node.
    pub(super) fn value(&self, layout: &Layout, blocks: &[Block], entry: u32, word: u32) -> u64 {
        self.signed(layout.place(entry, word).get(blocks), layout.bits)
    }

    /// P1 has what it computes with the opposite sign, unless it has the values themselves.
    fn signed(&self, value: u64, bits: u32) -> u64 {
        let tree = matches!(self.body, Body::Trees(_));
        match self.role == Role::P1 && tree && K::SHARING == Sharing::Additive {
            true => low(value.wrapping_neg(), bits),
            false => value,
        }
    }

    /// The blocks of the leaves of some keys, one for each, in the order of keys. `each` gets the children of every
    /// node on the way, those to the left before those to the right, and their level.
    pub(super) fn leaves(
        &self,
        nodes: &[Node],
        each: &mut dyn FnMut(u32, &[Block]),
    ) -> Zeroizing<Vec<Block>> {
        match &self.body {
            Body::Dense(rows) => {
                let (own, blocks) = (self.plan.dense_blocks(), self.plan.leaf.blocks);
                let leaf = |&(key, leaf): &Node| &rows[key * own + leaf as usize * blocks..][..blocks];
                let mut all = Zeroizing::new(Vec::with_capacity(nodes.len() * blocks));
                nodes.iter().for_each(|node| all.extend_from_slice(leaf(node)));
                all
            }
            Body::Trees(trees) => {
                let top = descend(trees, nodes, self.plan.height(), each);
                payloads(&trees.leaf, &self.plan.leaf, nodes, &top)
            }
        }
    }

    /// Lets `read` have the values of all keys at the points of a range, key by key in order: the key, the first
    /// point, and shares of the words of this and following points.
    pub(super) fn range(&self, range: Range<u32>, read: &mut dyn FnMut(usize, u32, &[u64])) -> Result<()> {
        let of = self.leaf_target();
        check_range(&range, of.bits)?;
        let part = of.level.min(PART);
        let mut tasks = (0..self.len).flat_map(|key| self.tasks(&of, key, range.clone(), part));
        let row = |_| Wiped::<u64>::zeros((2 * LANES) << part);
        let mut rows: Vec<_> = (0..of.layout.blocks).map(row).collect();
        let mut room = Wiped::zeros(LANES << part);
        let mut values = Wiped::zeros((of.layout.words as usize) << (part + of.layout.low));
        loop {
            let group: Vec<Task> = tasks.by_ref().take(LANES).collect();
            if group.is_empty() {
                return Ok(());
            }
            self.part(&of, &group, &mut room, &mut rows);
            for (i, task) in group.iter().enumerate() {
                let values = &mut values[..(task.count * of.layout.words) as usize];
                match of.layout.is_packed() {
                    true => self.packed_values(&of.layout, task, &rows[0][i << (part + 1)..], values),
                    false => self.values(&of.layout, task, &rows, i << part, values),
                }
                read(task.key, task.point, values);
            }
        }
    }

    fn leaf_target(&self) -> Target<'_> {
        let Plan { leaf: layout, shape, .. } = self.plan;
        let payloads = self.trees().map(|trees| &trees.leaf);
        Target { level: self.plan.height(), layout, bits: shape.position, payloads }
    }

    /// What has to be read for a range, in the order of points.
    fn tasks(&self, of: &Target<'_>, key: usize, range: Range<u32>, part: u32) -> Vec<Task> {
        let size = 1u32 << (part + of.layout.low);
        let shift = self.shifts()[key] >> (self.plan.shape.position - of.bits);
        let mut tasks = Vec::new();
        let mut point = range.start;
        while point < range.end {
            let (at, flip) = match G::SHIFT {
                Shift::Xor => (point ^ shift & !(size - 1), shift & (size - 1)),
                Shift::Cyclic => (low(point.wrapping_sub(shift).into(), of.bits) as u32, 0),
            };
            let from = at & (size - 1);
            let count = (size - from).min(range.end - point);
            tasks.push(Task { key, top: at / size, point, from, flip, count });
            point += count;
        }
        tasks
    }

    /// The blocks of the nodes of some parts, a row for each, in words.
    fn part(&self, of: &Target<'_>, tasks: &[Task], room: &mut [Block], rows: &mut [Wiped<u64>]) {
        let part = of.level.min(PART);
        let keys = || tasks.iter().map(|task| task.key);
        let (Body::Trees(trees), Some(payloads)) = (&self.body, of.payloads) else {
            return self.dense_rows(tasks, part, rows);
        };
        let tops: Vec<Node> = tasks.iter().map(|task| (task.key, task.top)).collect();
        room[..LANES].copy_from_slice(&*descend(trees, &tops, of.level - part, &mut |_, _| {}));
        for i in 0..part {
            let words = trees.lanes(of.level - part + i, keys());
            forest::grow(&trees.hash, &words, &mut room[..LANES << (i + 1)]);
        }
        in_order(room, part);
        for (block, (hash, rows)) in payloads.hashes.iter().zip(rows).enumerate() {
            let words = gather(&payloads.words, of.layout.blocks, block, keys());
            let rows = &mut rows[..tasks.len() << (part + 1)];
            let width = |lane: u32| (128 / lane as usize) << part;
            match (of.layout.sharing, of.layout.lane) {
                (Sharing::Xor, _) => forest::write_xor(hash, &words, room, rows),
                (_, 8) => {
                    forest::write_add::<u8>(hash, &words, room, bytemuck::cast_slice_mut(rows), width(8));
                }
                (_, 16) => {
                    forest::write_add::<u16>(hash, &words, room, bytemuck::cast_slice_mut(rows), width(16));
                }
                (_, 32) => {
                    forest::write_add::<u32>(hash, &words, room, bytemuck::cast_slice_mut(rows), width(32));
                }
                _ => forest::write_add::<u64>(hash, &words, room, rows, width(64)),
            }
        }
    }

    fn dense_rows(&self, tasks: &[Task], part: u32, rows: &mut [Wiped<u64>]) {
        let Body::Dense(all) = &self.body else { unreachable!("what has no tree is dense") };
        let blocks = self.plan.dense_blocks();
        for (i, task) in tasks.iter().enumerate() {
            let from = task.key * blocks + ((task.top as usize) << part);
            let words: &[u64] = bytemuck::cast_slice(&all[from..from + (1 << part)]);
            rows[0][i << (part + 1)..][..words.len()].copy_from_slice(words);
        }
    }

    /// Shares at the points of a task, of which the row begins at block `at`.
    fn values(&self, layout: &Layout, task: &Task, rows: &[Wiped<u64>], at: usize, values: &mut [u64]) {
        for (i, point) in (0..).zip(values.chunks_exact_mut(layout.words as usize)) {
            let number = (task.from + i) ^ task.flip;
            let node = at + (number >> layout.low) as usize;
            for (word, value) in (0..).zip(point) {
                let cell = layout.place(number & ((1 << layout.low) - 1), word);
                let found = rows[cell.block][2 * node + cell.shift as usize / 64] >> (cell.shift % 64);
                *value = self.signed(low(found, layout.bits), layout.bits);
            }
        }
    }

    /// The same where values lie side by side, in a row that begins with the part.
    fn packed_values(&self, layout: &Layout, task: &Task, row: &[u64], values: &mut [u64]) {
        match layout.lane {
            8 => self.lanes::<u8>(layout.bits, task, bytemuck::cast_slice(row), values),
            16 => self.lanes::<u16>(layout.bits, task, bytemuck::cast_slice(row), values),
            32 => self.lanes::<u32>(layout.bits, task, bytemuck::cast_slice(row), values),
            _ => self.lanes(layout.bits, task, row, values),
        }
    }

    fn lanes<T: Copy + Into<u64>>(&self, bits: u32, task: &Task, row: &[T], values: &mut [u64]) {
        let negative = if self.signed(1, 64) == 1 { 0 } else { u64::MAX };
        let signed = |found: T| low((found.into() ^ negative).wrapping_sub(negative), bits);
        if task.flip == 0 {
            let found = &row[task.from as usize..][..values.len()];
            return values.iter_mut().zip(found).for_each(|(value, &found)| *value = signed(found));
        }
        for (number, value) in (task.from..).zip(values) {
            *value = signed(row[(number ^ task.flip) as usize]);
        }
    }

    /// Of keys of a bit in the group of XOR, the values at the points of an aligned piece, in whole words, a row for each
    /// key: some consecutive keys at a time, in order.
    pub(super) fn bit_pieces(&self, piece: u32, read: &mut dyn FnMut(Range<usize>, &[u64])) {
        let of = self.leaf_target();
        let part = of.level.min(PART);
        let bits = part + of.layout.low;
        let (stride, words) = (2usize << part, (1usize << bits).div_ceil(64));
        let mut rows = vec![Wiped::zeros(LANES * stride)];
        let (mut room, mut moved) = (Wiped::zeros(LANES << part), Wiped::zeros(LANES * words));
        for first in (0..self.len).step_by(LANES) {
            let keys = first..self.len.min(first + LANES);
            let top = |key: usize| piece ^ self.shifts()[key] >> bits;
            let task = |key| Task { key, top: top(key), point: 0, from: 0, flip: 0, count: 0 };
            self.part(&of, &keys.clone().map(task).collect::<Vec<_>>(), &mut room, &mut rows);
            let lying = rows[0].chunks_exact(stride).zip(moved.chunks_exact_mut(words));
            for (key, (row, moved)) in keys.clone().zip(lying) {
                planes::xor_move(&row[..words], self.shifts()[key] & ((1 << bits) - 1), moved);
            }
            read(keys.clone(), &moved[..keys.len() * words]);
        }
    }

    /// Of keys of a bit, all values of each as they lie for the tree, 64 a word.
    pub(super) fn bit_rows(&self, read: &mut dyn FnMut(usize, &mut [u64])) {
        let of = self.leaf_target();
        let (part, parts) = (of.level.min(PART), 1 << (of.level - of.level.min(PART)));
        let (piece, len) = ((2usize) << part, (2usize) << of.level);
        let mut rows = vec![Wiped::zeros(LANES * piece)];
        let (mut room, mut all) = (Wiped::zeros(LANES << part), Wiped::zeros(len));
        let task = |key| (0..parts).map(move |top| Task { key, top, point: 0, from: 0, flip: 0, count: 0 });
        let mut tasks = (0..self.len).flat_map(task);
        loop {
            let group: Vec<Task> = tasks.by_ref().take(LANES).collect();
            if group.is_empty() {
                return;
            }
            self.part(&of, &group, &mut room, &mut rows);
            for (task, row) in group.iter().zip(rows[0].chunks_exact(piece)) {
                all[task.top as usize * piece..][..piece].copy_from_slice(row);
                if task.top + 1 == parts {
                    read(task.key, &mut all);
                }
            }
        }
    }
}

/// A range of numbers of so many bits.
pub(super) fn check_range(range: &Range<u32>, bits: u32) -> Result<()> {
    match range.start <= range.end && range.end <= 1 << bits {
        true => Ok(()),
        false => Err(outside(range.end.max(range.start), bits)),
    }
}

fn outside(point: u32, bits: u32) -> Error {
    let accepted = format!("0 to {}", (1u64 << bits) - 1);
    Error::Param { what: "point of a function", got: point.to_string(), accepted }
}

/// Nodes of a level, one for each pair of a key and its turns, as many as a group has at most.
fn descend(
    trees: &Trees,
    nodes: &[Node],
    level: u32,
    each: &mut dyn FnMut(u32, &[Block]),
) -> Zeroizing<[Block; LANES]> {
    let mut room = Zeroizing::new([Block::ZERO; 2 * LANES]);
    room.iter_mut().zip(nodes).for_each(|(node, &(key, _))| *node = trees.roots[key]);
    for at in 0..level {
        let words = trees.lanes(at, nodes.iter().map(|&(key, _)| key));
        forest::grow(&trees.hash, &words, &mut *room);
        each(at + 1, &*room);
        for (i, &(_, turns)) in nodes.iter().enumerate() {
            // The turns are public: they are those to public points.
            if turns >> (level - 1 - at) & 1 == 1 {
                room[i] = room[LANES + i];
            }
        }
    }
    Zeroizing::new(*room.first_chunk().expect("both halves"))
}

/// What hangs at nodes: of each its blocks.
pub(super) fn payloads(
    of: &Payloads,
    layout: &Layout,
    at: &[Node],
    nodes: &[Block; LANES],
) -> Zeroizing<Vec<Block>> {
    let mut all = Zeroizing::new(vec![Block::ZERO; at.len() * layout.blocks]);
    let mut pads = Zeroizing::new([Block::ZERO; LANES]);
    for (block, hash) in of.hashes.iter().enumerate() {
        hash.xored_again(&nodes[..], Block::ONE, &mut pads[..]);
        for (i, (&(key, _), node)) in at.iter().zip(nodes).enumerate() {
            let word = of.words[key * layout.blocks + block] & Block::mask(node.bit(1));
            all[i * layout.blocks + block] = layout.add(pads[i], word);
        }
    }
    all
}

/// Puts the nodes of a part, of which the first turn is the lowest bit of their number, in the order in which it
/// is the highest.
fn in_order(nodes: &mut [Block], levels: u32) {
    for i in 0..1usize << levels {
        let j = i.reverse_bits() >> (usize::BITS - levels.max(1));
        if i < j && levels > 0 {
            let (left, right) = nodes.split_at_mut(j * LANES);
            left[i * LANES..][..LANES].swap_with_slice(&mut right[..LANES]);
        }
    }
}

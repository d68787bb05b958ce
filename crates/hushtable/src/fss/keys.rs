//! One party's keys of a batch, of whatever function.

use std::{fmt, marker::PhantomData};

use prim::{Wiped, block::Block, forest::LANES, hash::CcrHash};

use super::layout::{KeyShape, Layout};
use crate::{
    error::{Error, Result},
    net::Role,
    share::{Kind, Share},
    tree::Group,
};

/// Entries of keys of a bit whose vectors are kept in place of trees: so many bits of the position.
pub(super) const DENSE: u32 = 8;

/// What keys are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nodes {
    /// Payloads at the leaves alone.
    None,
    /// The same payload at every level, for comparisons.
    Same,
}

/// The public form of a batch of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub shape: KeyShape,
    /// The payload is the bit 1.
    pub unit: bool,
    pub nodes: Nodes,
    /// Of a leaf.
    pub leaf: Layout,
    /// Of an inner node.
    pub node: Layout,
}

impl Plan {
    pub(super) fn new<K: Kind>(shape: KeyShape, unit: bool, nodes: Nodes) -> Result<Self> {
        shape.check()?;
        let layout = |most| Layout::new::<K>(shape.bits, shape.words, most);
        Ok(Self { shape, unit, nodes, leaf: layout(shape.position), node: layout(0) })
    }

    /// Whether whole vectors are kept in place of trees.
    pub(super) fn dense(&self) -> bool {
        self.height() == 0 || self.unit && self.shape.position <= DENSE
    }

    /// Levels of the tree.
    pub(super) fn height(&self) -> u32 {
        self.shape.position - self.leaf.low
    }

    /// Levels whose nodes have payloads, from 1 on, beside the leaves'.
    pub(super) fn node_levels(&self) -> u32 {
        match self.nodes {
            _ if self.dense() || self.unit => 0,
            Nodes::None => 0,
            Nodes::Same => self.height(),
        }
    }

    /// Blocks of a whole vector.
    pub(super) fn dense_blocks(&self) -> usize {
        self.leaf.blocks << self.height()
    }
}

/// Where the functions have their positions.
pub(super) enum Place<G: Group> {
    /// Where nobody knows: shares of it.
    Hidden(Share<G::Kind, u32>),
    /// At an opened distance from there.
    At(Vec<u32>),
}

/// What the functions are computed from.
pub(super) enum Body {
    /// Shares of all values: blocks of a key one after the other.
    Dense(Wiped<Block>),
    /// Apart: the room of trees in dense keys would hold what lay on the stack.
    Trees(Box<Trees>),
}

/// Trees without their nodes.
pub(super) struct Trees {
    pub roots: Wiped<Block>,
    pub hash: CcrHash,
    /// The corrections of each level, public: as those of the leaves and nodes.
    pub words: Vec<Vec<Block>>,
    pub leaf: Payloads,
    /// From level 1 on.
    pub nodes: Vec<Payloads>,
}

/// What makes payloads of nodes.
pub(super) struct Payloads {
    /// A hash for each block of a node.
    pub hashes: Vec<CcrHash>,
    /// The corrections, as many for each tree.
    pub words: Vec<Block>,
}

/// A batch of keys.
pub(super) struct Keys<G: Group, K: Kind> {
    pub plan: Plan,
    pub role: Role,
    pub len: usize,
    pub place: Place<G>,
    pub body: Body,
    /// Shares of the payload where comparisons need it, words of a key together.
    pub payload: Wiped<u64>,
    /// What comparisons add for the distance, likewise.
    pub constant: Wiped<u64>,
    pub kind: PhantomData<K>,
}

impl Payloads {
    fn split_off(&mut self, at: usize) -> Self {
        let blocks = self.hashes.len();
        Self { hashes: self.hashes.clone(), words: self.words.split_off(at * blocks) }
    }
}

impl Trees {
    fn split_off(&mut self, at: usize) -> Self {
        Self {
            roots: self.roots.split_off(at),
            hash: self.hash.clone(),
            words: self.words.iter_mut().map(|words| words.split_off(at)).collect(),
            leaf: self.leaf.split_off(at),
            nodes: self.nodes.iter_mut().map(|level| level.split_off(at)).collect(),
        }
    }

    /// The corrections of a level for some trees, as many as a group has at most.
    pub(super) fn lanes(&self, level: u32, keys: impl Iterator<Item = usize>) -> [Block; LANES] {
        gather(&self.words[level as usize], 1, 0, keys)
    }
}

/// Block `block` of the blocks of some keys, of each of which there are `blocks`.
pub(super) fn gather(
    words: &[Block],
    blocks: usize,
    block: usize,
    keys: impl Iterator<Item = usize>,
) -> [Block; LANES] {
    let mut out = [Block::ZERO; LANES];
    out.iter_mut().zip(keys).for_each(|(out, key)| *out = words[key * blocks + block]);
    out
}

impl<G: Group, K: Kind> Keys<G, K> {
    /// Cuts off the last `m`.
    pub(super) fn take(&mut self, m: usize) -> Result<Self> {
        let Some(left) = self.len.checked_sub(m) else {
            return Err(Error::Shape { what: "keys left", want: m, got: self.len });
        };
        let words = self.plan.shape.words as usize;
        let place = match &mut self.place {
            Place::Hidden(offset) => Place::Hidden(offset.split_off(left)),
            Place::At(shift) => Place::At(shift.split_off(left)),
        };
        let body = match &mut self.body {
            Body::Dense(rows) => Body::Dense(rows.split_off(left * self.plan.dense_blocks())),
            Body::Trees(trees) => Body::Trees(trees.split_off(left).into()),
        };
        let cut = |words_of: &mut Wiped<u64>| match words_of.is_empty() {
            true => Wiped::default(),
            false => words_of.split_off(left * words),
        };
        let (payload, constant) = (cut(&mut self.payload), cut(&mut self.constant));
        self.len = left;
        Ok(Self { place, body, payload, constant, len: m, kind: PhantomData, ..*self })
    }

    /// The distances, of keys that are placed.
    pub(super) fn shifts(&self) -> &[u32] {
        match &self.place {
            Place::At(shift) => shift,
            Place::Hidden(_) => unreachable!("keys are evaluated where they are placed"),
        }
    }

    /// The trees of keys that are not dense.
    pub(super) fn trees(&self) -> Option<&Trees> {
        match &self.body {
            Body::Dense(_) => None,
            Body::Trees(trees) => Some(trees),
        }
    }

    /// The payloads of the nodes of a level of a comparison, from 1 on, and how they lie.
    pub(super) fn level(&self, level: u32) -> (&Payloads, Layout) {
        let trees = self.trees().expect("levels of a tree");
        (&trees.nodes[level as usize - 1], self.plan.node)
    }

    /// Prints the shape only.
    pub(super) fn print(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KeyShape { position, bits, words } = self.plan.shape;
        write!(f, "{name}<{}>({} keys of {position} bits to {words} x {bits} bits)", G::NAME, self.len)
    }
}

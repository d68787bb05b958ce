//! The nodes of a level part by part, so that memory does not grow with the level; and what is left of trees that
//! are kept as keys.

use prim::{
    Wiped,
    block::Block,
    forest::{self, LANES},
    hash::CcrHash,
};

use super::{HalfTrees, KEPT, lanes};

/// Levels of a part of a tree that is grown at once: what its nodes take stays in the cache.
const PART: u32 = 7;

impl HalfTrees {
    /// Lets `read` have the nodes of a group at `level`, part by part. In what order is no matter to sums.
    pub(crate) fn visit(&self, group: usize, level: u32, mut read: impl FnMut(&[Block])) {
        let mut room = Wiped::zeros(LANES << level.min(PART));
        if level <= PART {
            self.unfold(group, level, &mut room);
            return read(&room);
        }
        for part in 0..1 << (level - PART) {
            self.part(group, level, part, &mut room);
            read(&room);
        }
    }

    /// The nodes of a group at `level` whose first turns, the first one highest, are those of `part`: in order of
    /// the turns that follow, each higher than the one before it.
    fn part(&self, group: usize, level: u32, part: usize, room: &mut [Block]) {
        let turns = level - PART;
        let turn = |level: u32| part >> (turns - 1 - level) & 1;
        let kept = KEPT.min(turns);
        if kept < KEPT {
            // Nodes of the level kept that lie below: their parents are no longer there.
            let first: usize = (0..kept).map(|level| turn(level) << level).sum();
            for (i, node) in room[..LANES << (KEPT - kept)].chunks_exact_mut(LANES).enumerate() {
                let from = group * self.group_len() + (first | i << kept) * LANES;
                node.copy_from_slice(&self.nodes[from..][..LANES]);
            }
        } else {
            let first: usize = (0..KEPT).map(|level| turn(level) << level).sum();
            room[..LANES].copy_from_slice(&self.nodes[group * self.group_len() + first * LANES..][..LANES]);
        }
        for level in KEPT..turns {
            forest::grow(self.key(group), lanes(&self.words[level as usize], group), &mut room[..2 * LANES]);
            if turn(level) == 1 {
                room.copy_within(LANES..2 * LANES, 0);
            }
        }
        for level in KEPT.max(turns)..level {
            let words = lanes(&self.words[level as usize], group);
            forest::grow(self.key(group), words, &mut room[..LANES << (level + 1 - turns)]);
        }
    }

    /// The leaves of a group below a node of each tree at `level`, which are the first of `room`: in order of the turns
    /// that follow, each higher than the one before it.
    pub(crate) fn leaves_below(&self, group: usize, level: u32, room: &mut [Block]) {
        for at in level..self.height {
            let words = lanes(&self.words[at as usize], group);
            forest::grow(self.key(group), words, &mut room[..LANES << (at + 1 - level)]);
        }
    }

    /// The corrections of each level, public, and the key under which all nodes are hashed, where there is one.
    pub(crate) fn into_words(self) -> (Vec<Vec<Block>>, CcrHash) {
        let Self { words, mut keys, .. } = self;
        assert_eq!(keys.len(), 1, "a key for all trees");
        (words, keys.remove(0))
    }

    /// The first node of each tree: the nodes of a level sum to it.
    pub(crate) fn roots_of(&self, batch: usize) -> Wiped<Block> {
        let tree = |i: usize| {
            let nodes = &self.nodes[i / LANES * self.group_len()..][..self.group_len()];
            nodes[i % LANES..].iter().step_by(LANES).fold(Block::ZERO, |sum, &x| sum ^ x)
        };
        (0..batch).map(tree).collect::<Vec<_>>().into()
    }
}

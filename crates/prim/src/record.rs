//! What a thread hashes, recorded: for tests that no input of the hash repeats under one key.
//!
//! Compiled always, so that tests need no build of their own, and without effect unless the compiler checks
//! overflows and the like: in a release nothing can be recorded and the calls are empty.

use std::cell::RefCell;

use crate::Block;

/// An input of [`CcrHash`](crate::CcrHash).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hashed {
    /// The public key.
    pub key: Block,
    /// `x` of `H(x)`.
    pub input: Block,
    /// Whether what is grown is a tree of [`forest`](crate::forest), whose sums hashed the same nodes before.
    pub regrown: bool,
}

thread_local! {
    static RECORD: RefCell<Option<Vec<Hashed>>> = const { RefCell::new(None) };
}

/// Starts a record of this thread.
pub fn start() {
    RECORD.set(Some(Vec::new()));
}

/// Ends it: what was hashed, in order. Nothing in a release.
pub fn take() -> Vec<Hashed> {
    RECORD.take().unwrap_or_default()
}

/// Notes that `x ^ tweak` is hashed, for every x.
#[inline]
pub(crate) fn note(key: Block, xs: &[Block], tweak: Block, regrown: bool) {
    if cfg!(debug_assertions) {
        RECORD.with_borrow_mut(|record| {
            if let Some(record) = record {
                record.extend(xs.iter().map(|&x| Hashed { key, input: x ^ tweak, regrown }));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CcrHash, ggm};

    /// Recorded are the inputs, in whichever way they are hashed; two threads do not see each other's.
    #[test]
    fn inputs_are_recorded() {
        let (hash, other) = (CcrHash::new(Block(7)), CcrHash::new(Block(8)));
        hash.one(Block(1));
        start();
        hash.one(Block(2));
        other.in_place(&mut [Block(3), Block(4)]);
        hash.xored(&[Block(5)], Block(16), &mut [Block(0)]);
        std::thread::spawn(move || other.one(Block(9))).join().unwrap();
        let inputs = |record: Vec<Hashed>| record.iter().map(|h| (h.key.0, h.input.0)).collect::<Vec<_>>();
        let found = inputs(take());
        hash.one(Block(6));
        assert_eq!(
            found,
            if cfg!(debug_assertions) { vec![(7, 2), (8, 3), (8, 4), (7, 21)] } else { vec![] }
        );
        assert!(take().is_empty());

        // A tree hashes every node but its leaves.
        start();
        let (mut leaves, mut corrections) = ([Block::ZERO; 8], [Block::ZERO; 2]);
        ggm::expand(&hash, Block(3), &[Block(100); 3], &mut leaves, &mut corrections);
        let root = Block(100);
        let level = [root, root ^ Block(3)];
        let next = level.map(|x| [hash.one(x), hash.one(x) ^ x]);
        let nodes: Vec<_> = level.iter().chain(next.as_flattened()).map(|x| (7, x.0)).collect();
        let found = inputs(take());
        assert_eq!(found.get(..6).unwrap_or_default(), if cfg!(debug_assertions) { &nodes[..] } else { &[] });
    }
}

//! Whether a party hashes an input twice under one key: what is recorded in sessions, and what may repeat.
//!
//! Two kinds of repetition are meant. Half-trees are grown again from the nodes that are kept: what is grown again
//! must have been hashed before, by the same party, in the tree's first pass. And what is in nobody's secret place
//! is zero or follows from it: the empty leaf of a punctured tree, the idle trees of a group.
#![allow(dead_code)] // not every test uses all of it

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
    thread,
};

use hushtable::{
    Party, Result, Role,
    net::{Connection, LinkShape},
    ot::Scheme,
    session::{Purpose, Session},
};
use prim::{
    block::Block,
    hash::CcrHash,
    record::{self, Hashed},
};

use super::pairs::id;

/// All there are.
pub const PURPOSES: [Purpose; 27] = [
    Purpose::SubfieldTree,
    Purpose::NoiseTree,
    Purpose::Matrix,
    Purpose::OtPad,
    Purpose::KeyProduct,
    Purpose::Pprf,
    Purpose::Row,
    Purpose::Tree,
    Purpose::TreeRow,
    Purpose::Entry,
    Purpose::TreeWord,
    Purpose::CodePad,
    Purpose::WidePad,
    Purpose::JoinedKey,
    Purpose::KeyLeaf,
    Purpose::KeyNode,
    Purpose::VoleTree,
    Purpose::VoleLeaf,
    Purpose::VolePlace,
    Purpose::VoleFactor,
    Purpose::StorePlace,
    Purpose::StoreFactor,
    Purpose::Bin,
    Purpose::FunctionInput,
    Purpose::FunctionValue,
    Purpose::Ggm,
    Purpose::Garbling,
];

/// Keys of one purpose and owner that a session may draw.
const KEYS: usize = 1 << 12;
/// Inputs below this are of empty places: no secret is.
const EMPTY: u128 = 1 << 20;
/// Levels of the trees here, at most.
const HEIGHT: usize = 12;

/// Hashes keys and inputs, of which there are millions. They are as good as random already.
#[derive(Default)]
pub struct Folded(u64);

impl Hasher for Folded {
    fn write(&mut self, _: &[u8]) {
        unreachable!("blocks only")
    }

    fn write_u128(&mut self, x: u128) {
        let folded = (x as u64 ^ ((x >> 64) as u64).rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = folded ^ folded >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Blocks = HashSet<u128, BuildHasherDefault<Folded>>;
type OfBlocks<T> = HashMap<u128, T, BuildHasherDefault<Folded>>;
/// What each key is for.
pub type Purposes = OfBlocks<Purpose>;

/// Both parties' records of a whole session, and the ids of it and of its lanes.
pub fn recorded(
    seed: u64,
    scheme: Option<Scheme>,
    run: impl Fn(&mut Party) -> Result<Vec<[u8; 32]>> + Copy + Send + Sync,
) -> ([Vec<Hashed>; 2], Vec<[u8; 32]>) {
    let party = |connection: Connection| {
        record::start();
        let mut p = Party::seeded(connection, seed, scheme).expect("set-up");
        let ids = run(&mut p).expect("an honest run");
        (record::take(), ids)
    };
    let (c0, c1) = Connection::pair_with(id(seed), LinkShape::LOOPBACK);
    thread::scope(|scope| {
        let p1 = scope.spawn(move || party(c1));
        let (at_p0, mut ids) = party(c0);
        ids.push(id(seed));
        ([at_p0, p1.join().expect("no panic at P1").0], ids)
    })
}

/// What each key of these sessions is for.
pub fn purposes(ids: &[[u8; 32]]) -> Purposes {
    let mut found = Purposes::default();
    for &id in ids {
        let mut s = Session::seeded(Connection::pair_with(id, LinkShape::LOOPBACK).0, 0);
        for purpose in PURPOSES {
            for owner in [Role::P0, Role::P1] {
                found.extend((0..KEYS).map(|_| (s.key(purpose, owner).0, purpose)));
            }
        }
    }
    assert_eq!(found.len(), ids.len() * PURPOSES.len() * 2 * KEYS, "no key is another's");
    found
}

/// The nodes of trees whose root is zero and whose corrections are, under each of these keys; and as leaves are
/// hashed.
fn idle(keys: impl Iterator<Item = u128>) -> Blocks {
    let mut nodes = Blocks::default();
    for hash in keys.map(|key| CcrHash::new(Block(key))) {
        let mut level = vec![Block::ZERO];
        for _ in 0..=HEIGHT {
            nodes.extend(level.iter().flat_map(|x| [x.0, x.0 ^ 1]));
            let children = level.iter().map(|&x| [hash.one(x), hash.one(x) ^ x]);
            level = children.flatten().collect();
            level.sort_unstable_by_key(|x| x.0);
            level.dedup();
        }
    }
    nodes
}

/// The purposes that occur.
pub fn check(what: &str, record: &[Hashed], purposes: &Purposes) -> Vec<Purpose> {
    let purpose = |h: &Hashed| purposes.get(&h.key.0).copied().expect("a key of the session");
    let (mut seen, mut repeated) = (OfBlocks::<Blocks>::default(), Vec::new());
    for h in record.iter().filter(|h| h.input.0 >= EMPTY) {
        let known = !seen.entry(h.key.0).or_default().insert(h.input.0);
        if h.regrown {
            let rows = [Purpose::TreeRow, Purpose::TreeWord, Purpose::KeyLeaf, Purpose::KeyNode];
            let tree = purpose(h) == Purpose::Tree || rows.contains(&purpose(h));
            assert!(tree && known, "{what}: {:?} grows what was not there before", purpose(h));
        } else if known {
            repeated.push(h);
        }
    }
    let idle = idle(seen.keys().copied().filter(|key| purposes[key] == Purpose::Tree));
    repeated.retain(|h| !idle.contains(&h.input.0));
    let of: Vec<Purpose> = repeated.iter().map(|h| purpose(h)).take(5).collect();
    // Where a key has its columns is no mask: who encodes a store and decodes it asks twice.
    repeated.retain(|h| ![Purpose::StorePlace, Purpose::StoreFactor].contains(&purpose(h)));
    assert!(repeated.is_empty(), "{what}: {} inputs repeat under one key: {of:?}", repeated.len());
    seen.keys().map(|key| purposes[key]).collect()
}

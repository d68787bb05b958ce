//! Keys as bytes: for a file, or another process of the same party.
//!
//! A head of 48 bytes says what they are; all lengths follow from it, and are compared with the bytes before anything
//! is allocated.

use std::marker::PhantomData;

use prim::{Wiped, block::Block, hash::CcrHash};
use zeroize::Zeroizing;

use super::{
    keys::{Body, Keys, Nodes, Payloads, Place, Plan, Trees},
    layout::{KeyShape, check_count},
};
use crate::{
    codec::{Reader, Writer, malformed},
    error::Result,
    net::Role,
    share::{Kind, Share, Sharing},
    tree::Group,
};

/// What they begin with: the format and its version.
const MAGIC: &[u8; 8] = b"hushkey1";

/// Bytes of the names of function and group, filled up with zeros.
const NAME: usize = 12;

pub(super) fn encode<G: Group, K: Kind>(name: &str, keys: &Keys<G, K>) -> Zeroizing<Vec<u8>> {
    let plan = &keys.plan;
    let mut to = Writer::new(HEAD + rest_len(plan, keys.len));
    to.bytes(MAGIC);
    to.bytes(&padded(name));
    to.bytes(&padded(G::NAME));
    let nodes = [Nodes::None, Nodes::Same].iter().position(|&nodes| nodes == plan.nodes);
    let KeyShape { position, bits, words } = plan.shape;
    let sharing = u8::from(K::SHARING == Sharing::Xor);
    let flags = [keys.role as u8, sharing, u8::from(plan.unit), nodes.expect("one of them") as u8];
    to.bytes(&flags);
    to.bytes(&[position as u8, bits as u8, words as u8, u8::from(placed(keys))]);
    to.number(keys.len as u64);
    write(keys, &mut to);
    to.finish()
}

/// All but the head, for what knows what they are.
pub(super) fn write<G: Group, K: Kind>(keys: &Keys<G, K>, to: &mut Writer) {
    match &keys.place {
        Place::Hidden(offset) => to.words(offset.words(), keys.plan.shape.position),
        Place::At(shift) => to.words(shift, keys.plan.shape.position),
    }
    to.words(&keys.payload, 64);
    match &keys.body {
        Body::Dense(rows) => to.blocks(rows),
        Body::Trees(trees) => {
            to.blocks(&[trees.hash.key()]);
            to.blocks(&trees.roots);
            trees.words.iter().for_each(|words| to.blocks(words));
            for payloads in std::iter::once(&trees.leaf).chain(&trees.nodes) {
                payloads.hashes.iter().for_each(|hash| to.blocks(&[hash.key()]));
                to.blocks(&payloads.words);
            }
        }
    }
}

/// Bytes of the head.
const HEAD: usize = 8 + 2 * NAME + 8 + 8;

pub(super) fn decode<G: Group, K: Kind>(name: &str, bytes: &[u8], placed: bool) -> Result<Keys<G, K>> {
    let mut from = Reader::new(bytes);
    if from.array::<8>()? != *MAGIC {
        return Err(malformed("stored keys: not of this format"));
    }
    if from.array::<NAME>()? != padded(name) || from.array::<NAME>()? != padded(G::NAME) {
        return Err(malformed("stored keys: of another function or group"));
    }
    let [role, sharing, unit, nodes] = from.array()?;
    let [position, bits, words, at] = from.array()?.map(u32::from);
    let (Some(&role), Some(&nodes)) =
        ([Role::P0, Role::P1].get(role as usize), [Nodes::None, Nodes::Same].get(nodes as usize))
    else {
        return Err(malformed("stored keys: unknown kind"));
    };
    let kind = u8::from(K::SHARING == Sharing::Xor);
    if sharing != kind || unit > 1 || at != u32::from(placed) || nodes != nodes_of(name) {
        return Err(malformed("stored keys: of another kind"));
    }
    let unit = unit == 1;
    if unit && (bits * words != 1 || sharing == 0) {
        return Err(malformed("stored keys: a bit that is none"));
    }
    let plan = Plan::new::<K>(KeyShape { position, bits, words }, unit, nodes)?;
    let len = from.number()?;
    // What is left of a batch may be nothing.
    let len = usize::try_from(len).map_err(|_| malformed("stored keys: too many"))?;
    check_count(len.max(1))?;
    if from.left() != rest_len(&plan, len) {
        return Err(malformed("stored keys: of another length"));
    }
    let keys = read(&mut from, plan, role, len, placed)?;
    from.finish()?;
    Ok(keys)
}

/// What [`write`] wrote of so many keys.
pub(super) fn read<G: Group, K: Kind>(
    from: &mut Reader<'_>,
    plan: Plan,
    role: Role,
    len: usize,
    placed: bool,
) -> Result<Keys<G, K>> {
    let position = plan.shape.position;
    let place = from.words::<u32>(len, position)?;
    let place = if placed { Place::At(place) } else { Place::Hidden(Share::new(position, place)) };
    let payload = Wiped::from(from.words::<u64>(stored_words(&plan, len), 64)?);
    let body = if plan.dense() {
        Body::Dense(from.blocks(len * plan.dense_blocks())?.into())
    } else {
        let hash = CcrHash::new(from.blocks(1)?[0]);
        let roots = from.blocks(len)?.into();
        let words = (0..plan.height()).map(|_| from.blocks(len)).collect::<Result<_>>()?;
        let mut payloads = |blocks: usize| -> Result<Payloads> {
            let hashes: Vec<Block> = from.blocks(blocks)?;
            let hashes = hashes.into_iter().map(CcrHash::new).collect();
            Ok(Payloads { hashes, words: from.blocks(len * blocks)? })
        };
        let leaf = payloads(plan.leaf.blocks)?;
        let nodes = (0..plan.node_levels()).map(|_| payloads(plan.node.blocks)).collect::<Result<_>>()?;
        Body::Trees(Trees { roots, hash, words, leaf, nodes }.into())
    };
    let (constant, kind) = (Wiped::default(), PhantomData);
    let mut keys = Keys { plan, role, len, place, body, payload, constant, kind };
    if placed {
        keys.settle();
    }
    Ok(keys)
}

/// Bytes behind the head.
fn rest_len(plan: &Plan, len: usize) -> usize {
    let place = (len * plan.shape.position as usize).div_ceil(8);
    let body = if plan.dense() {
        len * plan.dense_blocks()
    } else {
        let payloads = |blocks: usize| (len + 1) * blocks;
        let nodes = plan.node_levels() as usize * payloads(plan.node.blocks);
        1 + len * (1 + plan.height() as usize) + payloads(plan.leaf.blocks) + nodes
    };
    place + 8 * stored_words(plan, len) + 16 * body
}

/// Words of payloads that are kept.
fn stored_words(plan: &Plan, len: usize) -> usize {
    if plan.nodes == Nodes::Same { len * plan.shape.words as usize } else { 0 }
}

pub(super) fn nodes_of(name: &str) -> Nodes {
    match name {
        "Dpf" => Nodes::None,
        _ => Nodes::Same,
    }
}

fn placed<G: Group, K: Kind>(keys: &Keys<G, K>) -> bool {
    matches!(keys.place, Place::At(_))
}

fn padded(name: &str) -> [u8; NAME] {
    let mut bytes = [0; NAME];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    bytes
}

//! Keys at random positions: trees, and the corrections of their payloads.
//!
//! One pass over the nodes of a level gives both the sum that the next level is corrected by and the sums of the
//! payloads at this level.

use prim::{
    Wiped,
    block::Block,
    ct,
    forest::{self, LANES},
    hash::CcrHash,
};
use zeroize::Zeroizing;

use super::{
    correct::{self, Correction},
    keys::{Body, Keys, Nodes, Payloads, Place, Plan, Trees},
    layout::{Layout, check_count},
};
use crate::{
    bill::{Bill, Phase},
    error::{Result, same},
    gates::{Bits, Mux},
    net::Role,
    onehot::doubling::Doubling,
    party::Party,
    session::Purpose,
    share::{Bitwise, Kind, Share, Sharing},
    tree::{Group, half_tree::HalfTrees, index::Index},
};

/// The words of a payload, for a batch.
pub(super) type Payload<K> = [Share<K, u64>];

/// Keys of a batch, at positions that nobody knows. `payload`: none if it is the bit 1.
pub(super) fn make<G: Group, K: Kind>(
    p: &mut Party,
    plan: Plan,
    batch: usize,
    payload: Option<&Payload<K>>,
) -> Result<Keys<G, K>> {
    check_count(batch)?;
    payload.map_or(Ok(()), |words| check_payload(&plan, batch, words))?;
    let (d, payload) = (plan.shape.position, payload.unwrap_or(&[]));
    let low = low_bits(&plan);
    let (send, recv) = growing::<G>(&plan).times(batch).cots_of(p.role());
    let (mut out, mut inc) = p.cots(send, recv)?;
    let (mut index, vector) = Doubling::run::<G>(p, d, low, batch, &mut out, &mut inc)?;
    let body = if plan.dense() {
        Body::Dense(entries(p, &plan, batch, &vector, payload)?)
    } else {
        let bits: Vec<u32> = (low..d).rev().collect();
        let mut sums = Sums::new(p, &plan, batch);
        let trees = HalfTrees::grow_over::<G>(
            p,
            &mut index,
            &bits,
            &mut out,
            &mut inc,
            &mut |_, level, group, nodes| sums.inner(level, group, nodes),
        )?;
        for group in 0..trees.groups() {
            trees.visit(group, plan.height(), |nodes| sums.leaves(plan.height(), group, nodes));
        }
        let values = entries(p, &plan, batch, &vector, payload)?;
        Body::Trees(sums.finish::<K>(p, &plan, batch, trees, values, payload)?.into())
    };
    let kept =
        if plan.nodes == Nodes::Same { stored_payload(p.role(), &plan, batch, payload) } else { vec![] };
    let place = Place::Hidden(Share::new(d, std::mem::take(&mut index.offset)));
    let (role, payload, constant) = (p.role(), kept.into(), Wiped::default());
    Ok(Keys { plan, role, len: batch, place, body, payload, constant, kind: std::marker::PhantomData })
}

/// What a key costs, and to place it.
pub(super) fn bill<G: Group>(plan: &Plan) -> Bill {
    let (d, single) = (plan.shape.position, single_bit(plan));
    let words = vec![plan.shape.bits; plan.shape.words as usize];
    let low = low_bits(plan);
    let mut bill = growing::<G>(plan);
    if !plan.unit && low > 0 {
        let products = match single {
            true => Mux::bill(&row_widths(low)),
            false => Mux::bill(&words).times((1 << low) - 1),
        };
        bill = bill + products.all_offline();
    }
    let tree = 128 * (1 + u64::from(plan.height()) + plan.leaf.blocks as u64);
    let nodes = u64::from(plan.node_levels());
    let kept = match plan.dense() {
        true => 128 * plan.dense_blocks() as u64,
        false => tree + 128 * nodes * plan.node.blocks as u64,
    };
    if !plan.dense() {
        bill = bill + correct::bill(&plan.leaf, &plan.node, nodes);
    }
    (bill + Bill::opening(d.into())).keeping(kept + u64::from(d) + 128 * u64::from(plan.shape.words))
}

/// Bits of the position whose vector is made without a tree.
fn low_bits(plan: &Plan) -> u32 {
    if plan.dense() { plan.shape.position } else { plan.leaf.low }
}

/// The vector of the low bits, and the tree.
fn growing<G: Group>(plan: &Plan) -> Bill {
    let (d, low) = (plan.shape.position, low_bits(plan));
    let high = u64::from(d - low);
    let lift = u64::from(Index::lift_bits::<G>(d));
    let entries = (1..low).map(|level| (1u64 << level) - 1).sum::<u64>();
    // At the lowest bit the lift alone needs an OT, unless it belongs to the tree.
    let first = u64::from(lift > 0 && low > 0);
    let sent = entries + 128 * high;
    let levels = u64::from(low.saturating_sub(1)) + high;
    let offline = Phase { bits: [sent + lift, sent], rounds: (levels + first) as u32 };
    Bill { cots: [levels + first, levels], offline, ..Bill::FREE }
}

/// Whether the payload is a shared bit: then it selects, in place of the entries.
fn single_bit(plan: &Plan) -> bool {
    !plan.unit && plan.leaf.sharing == Sharing::Xor && plan.shape.bits * plan.shape.words == 1
}

/// Widths of the words of a vector of `2^low` entries.
fn row_widths(low: u32) -> Vec<u32> {
    vec![(1u32 << low).min(64); ct::row_words(1 << low)]
}

fn check_payload<K: Kind>(plan: &Plan, batch: usize, words: &Payload<K>) -> Result<()> {
    same("words of the payload", plan.shape.words as usize, words.len())?;
    words.iter().try_for_each(|column| {
        same("bits of the payload", plan.shape.bits as usize, column.bits() as usize)?;
        same("payloads", batch, column.len())
    })
}

fn stored_payload<K: Kind>(role: Role, plan: &Plan, batch: usize, words: &Payload<K>) -> Vec<u64> {
    let one = u64::from(role == Role::P0);
    let key = |key: usize| match plan.unit {
        true => vec![one],
        false => words.iter().map(|column| column.words()[key]).collect(),
    };
    let mut all = Vec::with_capacity(batch * plan.shape.words as usize); // growing leaves copies
    (0..batch).for_each(|i| all.extend_from_slice(&Zeroizing::new(key(i))));
    all
}

/// Shares of the payload at the low bits of the position, and of zeros at the other entries, from the vector `rows`.
fn entries<K: Kind>(
    p: &mut Party,
    plan: &Plan,
    batch: usize,
    rows: &[u64],
    payload: &Payload<K>,
) -> Result<Wiped<Block>> {
    let low = low_bits(plan);
    let (width, layout) = (ct::row_words(1 << low), plan.leaf);
    let blocks = if plan.dense() { plan.dense_blocks() } else { layout.blocks };
    let mut values = Wiped::zeros(batch * blocks);
    let place_rows = |values: &mut [Block], word: usize, words: &[u64]| {
        for (key, &bits) in words.iter().enumerate() {
            values[key * blocks + word / 2].0 |= u128::from(bits) << (64 * (word % 2));
        }
    };
    let column = |word: usize| -> Vec<u64> { rows.iter().skip(word).step_by(width).copied().collect() };
    if plan.unit {
        (0..width).for_each(|word| place_rows(&mut values, word, &Zeroizing::new(column(word))));
    } else if low == 0 {
        for (word, column) in (0..).zip(payload) {
            let keys = values.chunks_exact_mut(blocks).zip(column.words());
            keys.for_each(|(values, &x)| layout.place(0, word).put(values, x));
        }
    } else if single_bit(plan) {
        let widths = row_widths(low);
        let columns: Vec<Share<Bitwise, u64>> =
            widths.iter().enumerate().map(|(word, &width)| Share::new(width, column(word))).collect();
        let bit = Bits::collect(payload[0].words().iter().copied());
        let mux = Mux::prepare(p, batch, &widths)?;
        let chosen = mux.select_all(p, &bit, &columns.iter().collect::<Vec<_>>())?;
        chosen.iter().enumerate().for_each(|(word, x)| place_rows(&mut values, word, x.words()));
    } else {
        spread(p, layout, batch, rows, payload, &mut values)?;
    }
    Ok(values)
}

/// Products of the payload with each entry but the first, which is what is missing to the payload.
fn spread<K: Kind>(
    p: &mut Party,
    layout: Layout,
    batch: usize,
    rows: &[u64],
    payload: &Payload<K>,
    values: &mut [Block],
) -> Result<()> {
    let (others, width) = ((1usize << layout.low) - 1, ct::row_words(1 << layout.low));
    let entry = |j: usize| rows.iter().skip(j / 64).step_by(width).map(move |w| w >> (j % 64) & 1);
    let bits = Bits::collect((1..=others).flat_map(entry));
    let repeated = |x: &Share<K, u64>| Share::<K, u64>::new(x.bits(), x.words().repeat(others));
    let columns: Vec<_> = payload.iter().map(repeated).collect();
    let mux = Mux::prepare(p, bits.len(), &vec![layout.bits; payload.len()])?;
    let chosen = mux.select_all(p, &bits, &columns.iter().collect::<Vec<_>>())?;
    for (word, (column, whole)) in (0..).zip(chosen.iter().zip(payload)) {
        for (key, values) in values.chunks_exact_mut(layout.blocks).enumerate() {
            let mut rest = whole.words()[key];
            for entry in 1..=others {
                let x = column.words()[(entry - 1) * batch + key];
                layout.place(entry as u32, word).put(values, x);
                rest = K::strip(rest, x);
            }
            layout.place(0, word).put(values, rest);
        }
    }
    Ok(())
}

/// Sums of payloads over the nodes of a level, before they are corrected, and how many nodes have control bit 1.
struct Level {
    layout: Layout,
    /// Of each tree as many as there are hashes.
    sums: Wiped<Block>,
    counts: Wiped<u32>,
}

/// Those of all levels that have payloads.
struct Sums {
    leaf: Level,
    leaf_hashes: Vec<CcrHash>,
    /// From level 1 on.
    nodes: Vec<Level>,
    node_hashes: Vec<CcrHash>,
}

impl Level {
    fn new(layout: Layout, batch: usize) -> Self {
        let trees = batch.next_multiple_of(LANES);
        Self { layout, sums: Wiped::zeros(trees * layout.blocks), counts: Wiped::zeros(trees) }
    }

    /// Adds some nodes of all trees of a group.
    fn add(&mut self, hashes: &[CcrHash], group: usize, nodes: &[Block]) {
        let counts = &mut self.counts[group * LANES..][..LANES];
        let found = Zeroizing::new(forest::count_control(nodes));
        counts.iter_mut().zip(found.iter()).for_each(|(count, found)| *count += found);
        for (block, hash) in hashes.iter().enumerate() {
            let mut sums = Zeroizing::new([Block::ZERO; LANES]);
            match (self.layout.sharing, self.layout.lane) {
                (Sharing::Xor, _) => sums.copy_from_slice(forest::xor_leaves(hash, nodes).sum()),
                (_, 8) => forest::add_leaves::<u8>(hash, nodes, &mut sums),
                (_, 16) => forest::add_leaves::<u16>(hash, nodes, &mut sums),
                (_, 32) => forest::add_leaves::<u32>(hash, nodes, &mut sums),
                _ => forest::add_leaves::<u64>(hash, nodes, &mut sums),
            }
            let all = self.sums[group * LANES * self.layout.blocks..].iter_mut();
            let own = all.skip(block).step_by(self.layout.blocks);
            own.zip(sums.iter()).for_each(|(own, &sum)| *own = self.layout.add(*own, sum));
        }
    }
}

impl Sums {
    fn new(p: &mut Party, plan: &Plan, batch: usize) -> Self {
        // Nodes hide both Deltas; one name is as good as the other.
        let mut hashes =
            |purpose, count| (0..count).map(|_| p.session().hash(purpose, Role::P0)).collect::<Vec<_>>();
        let leaf_hashes = hashes(Purpose::KeyLeaf, plan.leaf.blocks);
        let node_hashes = hashes(Purpose::KeyNode, plan.node.blocks);
        let nodes = (0..plan.node_levels()).map(|_| Level::new(plan.node, batch)).collect();
        Self { leaf: Level::new(plan.leaf, batch), leaf_hashes, nodes, node_hashes }
    }

    /// Some nodes of a level above the leaves.
    fn inner(&mut self, level: u32, group: usize, nodes: &[Block]) {
        if let Some(at) = (level as usize).checked_sub(1).and_then(|i| self.nodes.get_mut(i)) {
            at.add(&self.node_hashes, group, nodes);
        }
    }

    /// Some leaves, which are nodes of their level too.
    fn leaves(&mut self, height: u32, group: usize, nodes: &[Block]) {
        self.inner(height, group, nodes);
        self.leaf.add(&self.leaf_hashes, group, nodes);
    }

    /// The corrections.
    fn finish<K: Kind>(
        self,
        p: &mut Party,
        plan: &Plan,
        batch: usize,
        trees: HalfTrees,
        values: Wiped<Block>,
        payload: &Payload<K>,
    ) -> Result<Trees> {
        let own = |level: &Level| {
            let sums = Wiped::from(level.sums[..batch * level.layout.blocks].to_vec());
            (sums, Wiped::from(level.counts[..batch].to_vec()))
        };
        let (sums, counts) = own(&self.leaf);
        let leaf = Correction { layout: plan.leaf, values, sums, counts };
        let levels = self.nodes.len();
        let mut nodes = Correction::empty(plan.node, levels * batch);
        for level in &self.nodes {
            let (sums, counts) = own(level);
            nodes.sums.extend_from_slice(&sums);
            nodes.counts.extend_from_slice(&counts);
            let values = nodes.values.extend_zeros(batch * plan.node.blocks);
            for (word, column) in (0..).zip(payload) {
                let keys = values.chunks_exact_mut(plan.node.blocks).zip(column.words());
                keys.for_each(|(values, &x)| plan.node.place(0, word).put(values, x));
            }
        }
        let [leaf_words, node_words] = correct::corrections::<K>(p, [leaf, nodes])?;
        let roots = trees.roots_of(batch);
        let (mut words, hash) = trees.into_words();
        words.iter_mut().for_each(|words| words.truncate(batch));
        let of = |words: &[Block]| Payloads { hashes: self.node_hashes.clone(), words: words.to_vec() };
        let nodes = match levels {
            0 => Vec::new(),
            _ => node_words.chunks_exact(batch * plan.node.blocks).map(of).collect(),
        };
        let leaf = Payloads { hashes: self.leaf_hashes, words: leaf_words };
        Ok(Trees { roots, hash, words, leaf, nodes })
    }
}

//! Expansion: what was replaced gets the result of the last key before it that was not, and all go back to their places.
//!
//! # Protocol
//! 1. `v_i = t_i ? v_{i-1} : v_i`, one after the other: garbled as it stands; by layers as a prefix sum of pairs `(t, v)`
//!    under `(t, v) (t', v') = (t t', t' ? v : v')`, Sklansky's circuit.
//! 2. The exchanges of the sort once more, from the last on.
//!
//! # Cost
//! By layers `ceil(log2 b)` rounds and those of the sort's stages, and about b / 2 times as many sets of ANDs with a
//! common operand, one for each bit of a word and one for the tag; garbled b of these. A set of ANDs for each comparator.
//!
//! # Source
//! FABLE 4.2 (Expansion), whose chain would take b rounds by layers (confidential-errata E18).

use hushtable::inner::Network;

use super::{
    circuits::{Few, exchange, follow},
    distinct::{layers, places},
};

/// One after the other, the places that get something, each with the place it comes from.
fn levels(count: usize, few: Few) -> Vec<Vec<[u32; 2]>> {
    let level = |step: usize| {
        let upper = (0..count).filter(|i| i & step != 0);
        upper.map(|i| [i as u32, (i / step * step) as u32 - 1]).collect()
    };
    match few {
        Few::Layers => (0..usize::BITS).map(|i| 1 << i).take_while(|step| *step < count).map(level).collect(),
        Few::Ands => (1..count as u32).map(|i| vec![[i, i - 1]]).collect(),
    }
}

/// The network of words of `bits` bits, their tags and what was exchanged, in this order.
pub(super) fn network(count: usize, bits: u32, few: Few) -> Network {
    let layers = layers(count);
    let mut from = layers.iter().map(Vec::len).sum();
    let mut network = Network::new(&[(bits, count), (1, count), (1, from)]);
    let (words, tags, swaps) = (0, 1, 2);
    let form = follow(bits);
    for pairs in levels(count, few) {
        let [to, source, _] = places(&pairs, 0);
        let reads = vec![(tags, to.clone()), (words, to.clone()), (tags, source.clone()), (words, source)];
        network.stage(&form, reads, vec![(tags, to.clone()), (words, to)]);
    }
    let form = exchange(bits);
    for pairs in layers.iter().rev() {
        from -= pairs.len();
        let [x, y, swap] = places(pairs, from);
        let reads = vec![(swaps, swap), (words, x.clone()), (words, y.clone())];
        network.stage(&form, reads, vec![(words, x), (words, y)]);
    }
    network
}

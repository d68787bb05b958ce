//! Deduplication: the batch is sorted, and what stands there a second time is replaced.
//!
//! # Functionality
//! In: shares of b keys of d bits. Out: shares of b distinct words of one bit more and of a tag each: the keys sorted,
//! and `2^d + i` where the key at place i is that at place `i - 1`. What was exchanged is kept, so that any words can be
//! brought back to the batch's order.
//!
//! # Protocol
//! 1. Bitonic sort. A comparator gives `[x_i > x_j]` and exchanges the two by it.
//! 2. `t_0 = 0` and `t_i = [x_i = x_{i-1}]`, all of them before anything is replaced.
//! 3. `t_i ? 2^d + i : x_i`, of which the mark, being public, is added to what is left of `x_i` without a message.
//!
//! # Cost
//! There are `p (p + 1) b / 4` [comparators](super::circuits::comparator) for `b = 2^p`, in `p (p + 1) / 2` stages: 2 d
//! ANDs each where they are garbled. On the way back, as many ANDs as a word has bits.
//!
//! # Source
//! FABLE 4.2 (Deduplication) with the polarity of the tags corrected (confidential-errata E9); Batcher (1968) for any b as in the
//! authors' code.

use hushtable::inner::Network;
use prim::Wiped;

use super::circuits::{Few, comparator, repeated};

/// Comparators in layers: of each, the place of what is to be less, and of the other.
pub(super) fn layers(count: usize) -> Vec<Vec<[u32; 2]>> {
    let mut all = Vec::new();
    sort(&mut all, 0, count, true);
    let mut reached = vec![0; count];
    let mut layers: Vec<Vec<[u32; 2]>> = Vec::new();
    for pair in all {
        let [i, j] = pair.map(|place| place as usize);
        let layer = reached[i].max(reached[j]);
        if layer == layers.len() {
            layers.push(Vec::new());
        }
        layers[layer].push(pair);
        (reached[i], reached[j]) = (layer + 1, layer + 1);
    }
    layers
}

fn sort(all: &mut Vec<[u32; 2]>, from: usize, count: usize, up: bool) {
    if count > 1 {
        let half = count / 2;
        sort(all, from, half, !up);
        sort(all, from + half, count - half, up);
        merge(all, from, count, up);
    }
}

fn merge(all: &mut Vec<[u32; 2]>, from: usize, count: usize, up: bool) {
    if count > 1 {
        // The largest power of two below.
        let step = count.next_power_of_two() / 2;
        for i in from..from + count - step {
            let [i, j] = [i as u32, (i + step) as u32];
            all.push(if up { [i, j] } else { [j, i] });
        }
        merge(all, from, step, up);
        merge(all, from + step, count - step, up);
    }
}

/// The places of a layer's pairs, and the numbers of its comparators, of which `from` came before.
pub(super) fn places(pairs: &[[u32; 2]], from: usize) -> [Vec<u32>; 3] {
    let [x, y] = [0, 1].map(|i| pairs.iter().map(|pair| pair[i]).collect());
    [x, y, (from as u32..(from + pairs.len()) as u32).collect()]
}

/// A batch in order, without repetitions.
pub(super) struct Distinct {
    /// The words.
    pub words: Wiped<u64>,
    /// Whether each was replaced.
    pub tags: Wiped<u64>,
    /// What was exchanged, layer by layer.
    pub swaps: Wiped<u64>,
}

/// The network of the keys.
pub(super) fn network(count: usize, key_bits: u32, few: Few) -> Network {
    let layers = layers(count);
    let mut network = Network::new(&[(key_bits, count)]);
    let swaps = network.array(1, layers.iter().map(Vec::len).sum());
    let (tags, kept) = (network.array(1, count), network.array(key_bits, count));
    let (form, mut from) = (comparator(key_bits, few), 0);
    for pairs in &layers {
        let [x, y, swap] = places(pairs, from);
        let reads = vec![(0, x.clone()), (0, y.clone())];
        network.stage(&form, reads, vec![(0, x), (0, y), (swaps, swap)]);
        from += pairs.len();
    }
    let later: Vec<u32> = (1..count as u32).collect();
    let before = later.iter().map(|i| i - 1).collect();
    let reads = vec![(0, later.clone()), (0, before)];
    network.stage(&repeated(key_bits), reads, vec![(tags, later.clone()), (kept, later)]);
    network
}

/// What the network's arrays say; replaced words are of `tagged_bits` bits.
pub(super) fn distinct(arrays: Vec<Wiped<u64>>, tagged_bits: u32) -> Distinct {
    let [keys, swaps, tags, mut words] = arrays.try_into().ok().expect("the arrays of the network");
    words[0] = keys[0];
    for (i, (word, tag)) in (0..).zip(words.iter_mut().zip(tags.iter())) {
        *word ^= tag.wrapping_neg() & (1 << (tagged_bits - 1) | i);
    }
    Distinct { words, tags, swaps }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the principle of zeros and ones, for all batches of up to 12.
    #[test]
    fn networks_sort() {
        for count in 1..=12usize {
            let layers = layers(count);
            for input in 0u32..1 << count {
                let mut state: Vec<u32> = (0..count).map(|i| input >> i & 1).collect();
                for [i, j] in layers.iter().flatten().map(|pair| pair.map(|p| p as usize)) {
                    if state[i] > state[j] {
                        state.swap(i, j);
                    }
                }
                assert!(state.is_sorted(), "{count} places, {input:b}");
            }
        }
        let layers = layers(4096);
        assert_eq!((layers.iter().map(Vec::len).sum::<usize>(), layers.len()), (159_744, 78));
    }
}

//! Deduplication: the batch is sorted, and what stands there a second time is replaced.
//!
//! # Functionality
//! In: shares of b keys of d bits. Out: shares of b distinct words of one bit more and of a tag each: the keys sorted,
//! and `2^d + i` where the key at place i is that at place `i - 1`. What was exchanged is kept, so that any words can be
//! brought back to the batch's order.
//!
//! # Protocol
//! 1. Bitonic sort. A comparator takes shares of `[x_i > x_j]` and exchanges the two by it.
//! 2. `t_0 = 0` and `t_i = [x_i = x_{i-1}]`, all of them before anything is replaced.
//! 3. `t_i ? 2^d + i : x_i`.
//!
//! # Cost
//! A comparator takes a [comparison](super::circuits::greater) and `d` ANDs with a common operand; there are
//! `p (p + 1) b / 4` of them for `b = 2^p`, in `p (p + 1) / 2` layers. On the way back, as many ANDs as a word has bits.
//!
//! # Source
//! FABLE 4.2 (Deduplication) with the polarity of the tags corrected (confidential-errata E9); Batcher (1968) for any b as in the
//! authors' code.

use hushtable::{
    circuit::conjunction,
    error::Result,
    gates::{Bits, Triples, and_shared},
    net::Role,
    session::Session,
};
use zeroize::Zeroizing;

use super::circuits::{Gates, equal_planes, exchange, greater, planes, words};

/// Comparators in layers: of each, the place of what is to be less, and of the other.
pub(super) fn network(count: usize) -> Vec<Vec<[u32; 2]>> {
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

/// A batch in order, without repetitions.
pub(super) struct Distinct {
    /// The words.
    pub words: Zeroizing<Vec<u64>>,
    /// Whether each was replaced.
    pub tags: Bits,
    /// What was exchanged, layer by layer.
    pub swaps: Vec<Bits>,
}

/// Triples that are spent.
pub(super) struct Material {
    pub swap: Triples,
    pub replace: Triples,
}

/// Rounds of [`distinct`].
pub(super) fn rounds(count: usize, key_bits: u32) -> u32 {
    let layers = network(count).len() as u32;
    let replaced = if count > 1 { conjunction(key_bits as usize).depth() + 1 } else { 0 };
    layers * (greater(key_bits).depth() + 1) + replaced
}

/// Sorts the words of `key_bits` bits and replaces repetitions by words of `tagged_bits` bits.
pub(super) fn distinct(
    s: &mut Session,
    gates: &mut Gates,
    mut material: Material,
    [key_bits, tagged_bits]: [u32; 2],
    mut state: Zeroizing<Vec<u64>>,
) -> Result<Distinct> {
    let (mut swaps, comparison) = (Vec::new(), greater(key_bits));
    for pairs in network(state.len()) {
        let [mut x, y] = [0, 1].map(|i| planes(key_bits, pairs.iter().map(|pair| state[pair[i] as usize])));
        x.extend(y.iter().map(|y| y.not(s.role())));
        let swap = gates.eval(s, &comparison, x)?.remove(0);
        exchange(s, material.swap.take(pairs.len())?, &swap, (key_bits, &mut state), &pairs)?;
        swaps.push(swap);
    }
    let count = state.len();
    if count == 1 {
        return Ok(Distinct { words: state, tags: Bits::new(1, vec![0]), swaps });
    }
    let [x, before] = [&state[1..], &state[..count - 1]].map(|words| planes(key_bits, words.iter().copied()));
    let equal = equal_planes(s, &x, &before);
    let repeated = gates.eval(s, &conjunction(equal.len()), equal)?.remove(0);
    let mark = |i: usize| if s.role() == Role::P0 { i as u64 } else { 0 };
    let differ = planes(tagged_bits - 1, (1..count).map(|i| state[i] ^ mark(i)));
    let change = and_shared(s, material.replace, &repeated, &differ.iter().collect::<Vec<_>>())?;
    let changes = words(&change);
    let rest = state[1..].iter_mut().zip(changes.iter()).zip(repeated.iter());
    rest.for_each(|((word, change), tag)| *word ^= change ^ tag << (tagged_bits - 1));
    let mut tags = Bits::new(1, vec![0]);
    tags.append(&repeated);
    Ok(Distinct { words: state, tags, swaps })
}

/// Brings words back to the order of the batch: the exchanges once more, from the last on.
pub(super) fn restore(
    s: &mut Session,
    mut triples: Triples,
    swaps: &[Bits],
    bits: u32,
    state: &mut [u64],
) -> Result<()> {
    for (pairs, swap) in network(state.len()).iter().zip(swaps).rev() {
        exchange(s, triples.take(pairs.len())?, swap, (bits, state), pairs)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the principle of zeros and ones, for all batches of up to 12.
    #[test]
    fn networks_sort() {
        for count in 1..=12usize {
            let layers = network(count);
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
        let layers = network(4096);
        assert_eq!((layers.iter().map(Vec::len).sum::<usize>(), layers.len()), (159_744, 78));
    }
}

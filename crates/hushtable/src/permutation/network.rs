//! A Beneš network: a permutation as switches that each exchange two places or do not.
//!
//! Its layers are those of [`control`]. All of it is secret; what applies it touches every place of every layer.

mod control;
mod sort;

use prim::{Prg, Wiped};

/// Most places.
pub(super) const MAX_LEN: usize = 1 << 16;

/// Bits of a place, of a word that is sorted to draw a permutation.
const PLACE_BITS: u32 = 17;

/// The switches of a permutation. Secret.
pub(super) struct Network {
    places: usize,
    /// 0 or 1 each.
    layers: Vec<Wiped<u8>>,
}

/// Places of a network for `len`, and layers.
pub(super) fn shape(len: usize) -> (usize, usize) {
    let places = len.next_power_of_two();
    (places, (2 * places.ilog2() as usize).saturating_sub(1))
}

/// Switches of a network for `len` places.
pub(super) fn switches(len: usize) -> usize {
    let (places, layers) = shape(len);
    places / 2 * layers
}

/// How far apart the places are that a layer exchanges.
pub(super) fn stride(len: usize, layer: usize) -> usize {
    1 << layer.min(shape(len).1 - 1 - layer)
}

/// Both places of each of a layer's switches.
pub(super) fn pairs(len: usize, layer: usize) -> impl Iterator<Item = [usize; 2]> {
    let stride = stride(len, layer);
    (0..shape(len).0 / 2).map(move |i| {
        let low = i / stride * 2 * stride + i % stride;
        [low, low + stride]
    })
}

impl Network {
    /// Of a uniform permutation of `len` places; those behind, up to a power of two, stay.
    pub(super) fn random(rng: &mut Prg, len: usize) -> Self {
        assert!((1..=MAX_LEN).contains(&len), "{len} places");
        Self::of(&random(rng, len))
    }

    /// Output i is input `pi[i]`.
    fn of(pi: &[u64]) -> Self {
        let places = pi.len().next_power_of_two();
        let mut all = Wiped::from((0..places as u64).collect::<Vec<_>>());
        all[..pi.len()].copy_from_slice(pi);
        let layers = if places == 1 { vec![] } else { control::control_bits(&all) };
        Self { places, layers }
    }

    /// How many layers it has.
    pub(super) fn layers(&self) -> usize {
        self.layers.len()
    }

    /// The switches of a layer.
    pub(super) fn layer(&self, layer: usize) -> &[u8] {
        &self.layers[layer]
    }

    /// Moves words through a layer.
    pub(super) fn exchange(&self, layer: usize, words: &mut [u64]) {
        for (&switch, [a, b]) in self.layers[layer].iter().zip(pairs(self.places, layer)) {
            let swap = (words[a] ^ words[b]) & u64::from(switch).wrapping_neg();
            words[a] ^= swap;
            words[b] ^= swap;
        }
    }
}

/// A uniform permutation: places in the order of random words. If two of these are equal, whichever they are, all are
/// drawn anew.
fn random(rng: &mut Prg, len: usize) -> Wiped<u64> {
    loop {
        let mut words = Wiped::zeros(len.next_power_of_two());
        rng.words(62 - PLACE_BITS, &mut words);
        // Those behind come last.
        words[len..].fill(1 << (62 - PLACE_BITS));
        words.iter_mut().zip(0..).for_each(|(word, i)| *word = *word << PLACE_BITS | i);
        sort::sort(&mut words);
        let equal = |pair: &[u64]| u64::from((pair[0] ^ pair[1]) >> PLACE_BITS == 0);
        if words[..len].windows(2).map(equal).sum::<u64>() == 0 {
            words.truncate(len);
            words.iter_mut().for_each(|word| *word &= (1 << PLACE_BITS) - 1);
            return words;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prim::Block;

    fn moved(network: &Network, len: usize) -> Vec<u64> {
        let mut words: Vec<u64> = (0..network.places as u64).collect();
        (0..network.layers.len()).for_each(|layer| network.exchange(layer, &mut words));
        words.truncate(len);
        words
    }

    /// The permutation of a number, in the order of factorials.
    fn numbered(len: usize, mut number: usize) -> Vec<u64> {
        let mut left: Vec<u64> = (0..len as u64).collect();
        (0..len)
            .map(|i| {
                let at = number % (len - i);
                number /= len - i;
                left.remove(at)
            })
            .collect()
    }

    #[test]
    fn every_small_permutation_has_switches() {
        for (len, all) in [(1, 1), (2, 2), (3, 6), (4, 24), (5, 120), (8, 40320)] {
            for number in 0..all {
                let pi = numbered(len, number);
                assert_eq!(moved(&Network::of(&pi), len), pi, "number {number}");
            }
        }
    }

    #[test]
    fn large_permutations_have_switches_and_layers_undo_themselves() {
        let rng = &mut Prg::new(Block(1));
        for len in [16, 31, 64, 100, 1000, 4096, 5000] {
            let pi = random(rng, len);
            let network = Network::of(&pi);
            assert_eq!(moved(&network, len), *pi);
            let (places, layers) = shape(len);
            assert_eq!(network.layers.iter().map(|layer| layer.len()).sum::<usize>(), switches(len));
            let mut words: Vec<u64> = (0..places as u64).collect();
            (0..layers).chain((0..layers).rev()).for_each(|layer| network.exchange(layer, &mut words));
            assert_eq!(words, (0..places as u64).collect::<Vec<_>>());
        }
        assert_eq!(switches(4096), 47104);
    }

    /// Each of the 24 as often.
    #[test]
    fn permutations_are_uniform() {
        let rng = &mut Prg::new(Block(2));
        let mut counts = std::collections::HashMap::new();
        for _ in 0..24_000 {
            *counts.entry(random(rng, 4).to_vec()).or_insert(0u64) += 1;
        }
        assert_eq!(counts.len(), 24);
        let chi: f64 = counts.values().map(|&c| (c as f64 - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 23.0 + 5.0 * 46f64.sqrt(), "{chi}");
    }
}

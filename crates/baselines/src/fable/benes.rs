//! Permutation networks: any order of `2^k` words by `2 k - 1` layers of switches.
//!
//! # Source
//! Beneš, "Optimal rearrangeable multistage connecting networks" (1964); the switches are set by Waksman's loops
//! ("A permutation network", 1968).
//!
//! # Security
//! What sets the switches branches and indexes by the permutation, at the party that drew it. It does so before the
//! session's inputs are there, of a permutation that is independent of them; how long it takes says nothing of its loops
//! but their number.

use prim::Wiped;

/// A switch of each pair: whether it exchanges, layer by layer. Pairs of a layer stand in the order of [`pairs`].
pub(super) struct Switches(pub Vec<Wiped<u64>>);

/// Layers for `2^k` words.
pub(super) fn layers(len: usize) -> usize {
    2 * len.ilog2() as usize - 1
}

/// The places that the switches of a layer exchange.
pub(super) fn pairs(len: usize, layer: usize) -> impl Iterator<Item = [usize; 2]> {
    let half = len >> (1 + layer.min(layers(len) - 1 - layer));
    (0..len / 2).map(move |i| {
        let first = i / half * 2 * half + i % half;
        [first, first + half]
    })
}

impl Switches {
    /// Those after which place i has what was at `from[i]`.
    pub fn new(from: &[u32]) -> Self {
        let mut all = Self((0..layers(from.len())).map(|_| Wiped::zeros(from.len() / 2)).collect());
        all.set(from, 0, 0);
        all
    }

    /// The switches of the network on the places from `first` on, whose own first layer is `layer`.
    fn set(&mut self, from: &[u32], first: usize, layer: usize) {
        let (half, last) = (from.len() / 2, self.0.len() - 1 - layer);
        if half == 1 {
            self.0[layer][first / 2] = u64::from(from[0]);
            return;
        }
        let lower = halves(from);
        let mut inner = [Wiped::<u32>::zeros(half), Wiped::<u32>::zeros(half)];
        for (place, (&source, &lower)) in from.iter().zip(lower.iter()).enumerate() {
            inner[lower as usize][place % half] = source % half as u32;
            if place < half {
                self.0[last][first / 2 + place] = lower;
            }
            if (source as usize) < half {
                self.0[layer][first / 2 + source as usize] = lower;
            }
        }
        self.set(&inner[0], first, layer + 1);
        self.set(&inner[1], first + half, layer + 1);
    }
}

/// For each place, whether its word goes through the lower inner network: of two that are exchanged by a switch of the
/// first or the last layer, one does.
fn halves(from: &[u32]) -> Wiped<u64> {
    const UNSET: u64 = 2;
    let half = from.len() / 2;
    let partner = |place: usize| (place + half) % from.len();
    let mut to = Wiped::<u32>::zeros(from.len());
    from.iter().enumerate().for_each(|(place, &source)| to[source as usize] = place as u32);
    let mut lower = Wiped::from(vec![UNSET; from.len()]);
    for start in 0..half {
        let mut place = start;
        while lower[place] == UNSET {
            lower[place] = 0;
            let other = partner(place);
            lower[other] = 1;
            place = to[partner(from[other] as usize)] as usize;
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;
    use prim::{block::Block, prg::Prg};

    fn moved(from: &[u32]) -> Vec<u32> {
        let switches = Switches::new(from);
        let mut state: Vec<u32> = (0..from.len() as u32).collect();
        for (layer, bits) in switches.0.iter().enumerate() {
            for ([i, j], &bit) in pairs(from.len(), layer).zip(bits.iter()) {
                if bit == 1 {
                    state.swap(i, j);
                }
            }
        }
        state
    }

    #[test]
    fn every_permutation_of_four_and_random_ones() {
        for code in 0..256u32 {
            let from: Vec<u32> = (0..4).map(|i| code >> (2 * i) & 3).collect();
            if (0..4).all(|i| from.contains(&i)) {
                assert_eq!(moved(&from), from);
            }
        }
        let mut rng = Prg::new(Block(3));
        for k in [1, 3, 6, 11] {
            let mut from: Vec<u32> = (0..1 << k).collect();
            (1..from.len()).for_each(|i| from.swap(i, rng.below(i as u32 + 1) as usize));
            assert_eq!(moved(&from), from);
        }
    }
}

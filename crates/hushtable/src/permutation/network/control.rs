//! Which switches of a Beneš network give a permutation, without a branch or an address that depends on it.
//!
//! The network of `n = 2^w` places has `2 w - 1` layers. Layer t, and the one as far from the end, exchanges places x
//! and `x ^ 2^t`; what lies between the two is a network for the places with bits 0 to t equal to those of x.
//!
//! With pi = L M F, L and F exchanging neighbours and M keeping the lowest bit: the way that an output takes through the
//! halves is the same for q and for `s(q) = 1 ^ pi^-1(1 ^ pi(q))`, and the other one for `q ^ 1`. So the parity of the
//! least place on the cycle of s decides. The least is found by doubling, in which the inverse of `s^k` is s^k between two
//! exchanges of neighbours. Functions are composed by sorting.
//!
//! # Source
//! Bernstein, "Verified fast formulas for control bits for permutation networks" (2020).

use prim::Wiped;

use super::sort::sort;

/// Bits of a place in a word that is sorted.
const FIELD: u32 = 20;

const PLACE: u64 = (1 << FIELD) - 1;

/// The switches of all layers, `n / 2` each, 0 or 1: output i is input `pi[i]`. Those of a layer stand in the order of
/// the lower one of their two places.
///
/// # Panics
/// Unless there are a power of two of places, 2 or more, and below `2^20`.
pub(super) fn control_bits(pi: &[u64]) -> Vec<Wiped<u8>> {
    let (n, w) = (pi.len(), pi.len().ilog2() as usize);
    assert!(n.is_power_of_two() && (1..FIELD as usize).contains(&w), "{n} places");
    let mut layers: Vec<Wiped<u8>> = (0..2 * w - 1).map(|_| Wiped::zeros(n / 2)).collect();
    let mut parts = vec![Wiped::from(pi.to_vec())];
    for t in 0..w - 1 {
        // The two halves of part r are parts r and r + 2^t, as the low bits of places are.
        let mut halves: [Vec<Wiped<u64>>; 2] = [Vec::new(), Vec::new()];
        for (r, part) in parts.iter().enumerate() {
            let (first, last, [even, odd]) = split(part);
            let switches = first.iter().zip(last.iter()).enumerate();
            for (j, (&first, &last)) in switches {
                layers[t][(j << t) + r] = first as u8;
                layers[2 * w - 2 - t][(j << t) + r] = last as u8;
            }
            halves[0].push(even);
            halves[1].push(odd);
        }
        parts = halves.into_iter().flatten().collect();
    }
    for (switch, part) in layers[w - 1].iter_mut().zip(&parts) {
        *switch = part[0] as u8;
    }
    layers
}

/// The switches at the inputs and at the outputs, and the permutations of both halves.
fn split(pi: &[u64]) -> (Wiped<u64>, Wiped<u64>, [Wiped<u64>; 2]) {
    let n = pi.len();
    let parity = parity(pi);
    // At the inputs: sorted by pi, the parity of what comes from there.
    let mut inputs = keyed(pi, &parity);
    sort(&mut inputs);
    let half = |words: &mut dyn Iterator<Item = u64>| Wiped::from(words.collect::<Vec<_>>());
    let first = half(&mut inputs.iter().step_by(2).map(|x| x & 1));
    let last = half(&mut parity.iter().step_by(2).copied());
    let part = |odd: u64| {
        half(&mut (0..n / 2).map(|j| {
            let (a, b) = (pi[2 * j], pi[2 * j + 1]);
            let swap = (last[j] ^ odd).wrapping_neg();
            (a ^ (a ^ b) & swap) >> 1
        }))
    };
    let halves = [part(0), part(1)];
    (first, last, halves)
}

/// Of each output the parity of the least place on its cycle.
fn parity(pi: &[u64]) -> Wiped<u64> {
    let n = pi.len();
    let places = Wiped::from((0..n as u64).collect::<Vec<_>>());
    let mut inverse = keyed(pi, &places);
    sort(&mut inverse);
    inverse.iter_mut().for_each(|x| *x &= PLACE);
    // s, by sorting `1 ^ pi^-1(1 ^ y)` at y = pi(q) by q.
    let around = Wiped::from((0..n).map(|y| inverse[y ^ 1] ^ 1).collect::<Vec<_>>());
    let mut step = keyed(&inverse, &around);
    sort(&mut step);
    step.iter_mut().for_each(|x| *x &= PLACE);
    // Of q, s(q), .. as many as 2^i after i steps; a cycle has at most n / 2.
    let mut least = places;
    for _ in 1..n.ilog2() {
        let back = Wiped::from((0..n).map(|q| step[q ^ 1] ^ 1).collect::<Vec<_>>());
        let both = step.iter().zip(least.iter()).map(|(s, least)| s << FIELD | least);
        let both = Wiped::from(both.collect::<Vec<_>>());
        let mut next = keyed(&back, &both);
        sort(&mut next);
        for ((next, step), least) in next.iter().zip(step.iter_mut()).zip(least.iter_mut()) {
            *step = next >> FIELD & PLACE;
            *least = (*least).min(next & PLACE);
        }
    }
    least.iter_mut().for_each(|x| *x &= 1);
    least
}

/// Words that are sorted by their keys.
fn keyed(keys: &[u64], values: &[u64]) -> Wiped<u64> {
    Wiped::from(keys.iter().zip(values).map(|(key, value)| key << (2 * FIELD) | value).collect::<Vec<_>>())
}

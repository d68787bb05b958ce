//! LowMC on shared inputs, under a key of one party.

use prim::lowmc::{BITS, BOXES, LowMc};

use super::job::{Inputs, PrfJob};
use crate::circuit::{Builder, Wire};

/// Of [inputs](PrfJob::circuit_inputs), as many bits of a block as are needed, of all blocks.
pub(super) fn value(b: &mut Builder, job: &PrfJob, (shared, numbers, keys): &Inputs) -> Vec<Wire> {
    let (cipher, keys) = (LowMc::standard(), *keys);
    let mut state = first_layer(b, job, keys, shared, numbers);
    for round in 1..=cipher.rounds() {
        if round > 1 {
            let free = state.split_off(3 * BOXES);
            state = substitute(b, &state);
            state.extend(free);
        }
        let rows = if round == cipher.rounds() { job.bits_of(0) } else { BITS };
        let product = b.linear(&cipher.linear(round)[..rows], &state);
        state = b.add(keys, round * BITS, &product);
    }
    state
}

/// The key before round 1 and its S-boxes: those with bits of the inputs on shares, for all blocks at once, the others
/// at the owner, for all inputs at once.
fn first_layer(b: &mut Builder, job: &PrfJob, keys: Wire, shared: &[Wire], numbers: &[Wire]) -> Vec<Wire> {
    let reached = shared.len();
    let shared = b.add(keys, 0, shared);
    let mut known = b.add(keys, reached, &numbers[reached..]);
    let free = known.split_off(3 * BOXES - reached);
    let (shared, known) = (substitute(b, &shared), substitute(b, &known));
    let mut state: Vec<Wire> = shared.into_iter().map(|bit| b.join(&vec![bit; job.blocks()])).collect();
    state.extend(known.into_iter().chain(free).map(|bit| b.spread(bit)));
    state
}

/// The S-box of each three bits, the lowest first: `(c + a + b + ab, b + a + ac, a + bc)`.
fn substitute(n: &mut Builder, bits: &[Wire]) -> Vec<Wire> {
    let planes = [0, 1, 2].map(|k| bits.iter().copied().skip(k).step_by(3).collect::<Vec<_>>());
    let [c, b, a] = planes.each_ref().map(|plane| n.join(plane));
    let products = n.ands(&[(a, &[b, c]), (b, &[c])]);
    let sums = [&[c, a, b, products[0]][..], &[a, b, products[1]], &[a, products[2]]];
    let parts = sums.map(|sum| {
        let sum = n.xor(sum);
        n.parted(sum, &planes[0])
    });
    (0..bits.len()).map(|i| parts[i % 3][i / 3]).collect()
}

//! LowMC on shared inputs, under a key of one party.

use prim::lowmc::{BITS, BOXES, LowMc};

use super::job::PrfJob;
use crate::{
    circuit::{Builder, Netlist, Span, Wire},
    error::Result,
};

/// In: the bits of the first S-boxes that x reaches; round keys one behind the other, which the owner knows. Out: as many
/// bits of a block as are needed, of all blocks.
pub(super) fn netlist(job: &PrfJob) -> Result<Netlist> {
    let cipher = LowMc::standard();
    let mut b = Builder::new(&[1, 2]);
    let shared = b.inputs(job.shared_bits());
    let keys = b.input(Span::All(job.cipher.key_bits()), Some(job.owner));
    let mut state = first_layer(&mut b, job, keys, shared);
    for round in 1..=cipher.rounds() {
        if round > 1 {
            let free = state.split_off(3 * BOXES);
            state = substitute(&mut b, &state);
            state.extend(free);
        }
        let rows = if round == cipher.rounds() { job.bits_of(0) } else { BITS };
        let product = b.linear(&cipher.linear(round)[..rows], &state);
        state = plus_key(&mut b, keys, round * BITS, &product);
    }
    b.finish(&state)
}

/// The key before round 1 and its S-boxes: those with bits of the inputs on shares, for all blocks at once, the others
/// at the owner, for all inputs at once.
fn first_layer(b: &mut Builder, job: &PrfJob, keys: Wire, shared: Vec<Wire>) -> Vec<Wire> {
    let (blocks, reached) = (job.blocks(), shared.len());
    let number = |i: usize| (0..blocks).map(move |block| job.cipher.input(0, block).0 >> i & 1 == 1);
    let known: Vec<Wire> = (reached..BITS).map(|i| b.constant(job.owner, number(i))).collect();
    let shared = plus_key(b, keys, 0, &shared);
    let mut known = plus_key(b, keys, reached, &known);
    let free = known.split_off(3 * BOXES - reached);
    let (shared, known) = (substitute(b, &shared), substitute(b, &known));
    let mut state: Vec<Wire> = shared.into_iter().map(|bit| b.repeat(bit, blocks)).collect();
    state.extend(known.into_iter().chain(free).map(|bit| b.spread(bit)));
    state
}

/// The S-box of each three bits, the lowest first: `(c + a + b + ab, b + a + ac, a + bc)`.
fn substitute(n: &mut Builder, bits: &[Wire]) -> Vec<Wire> {
    let [c, b, a] = [0, 1, 2].map(|k| bits.iter().copied().skip(k).step_by(3).collect::<Vec<_>>());
    let [cs, bs, x] = [&c, &b, &a].map(|plane| n.join(plane));
    let products = n.ands(&[(x, &[bs, cs]), (bs, &[cs])]);
    let planes = [vec![cs, x, bs, products[0]], vec![x, bs, products[1]], vec![x, products[2]]];
    let planes = planes.map(|sum| {
        let plane = n.xor(&sum);
        n.parted(plane, &c)
    });
    (0..bits.len()).map(|i| planes[i % 3][i / 3]).collect()
}

/// Adds the bits of the keys from `from` on.
fn plus_key(b: &mut Builder, keys: Wire, from: usize, bits: &[Wire]) -> Vec<Wire> {
    let mut plus = |(i, bit): (usize, &Wire)| {
        let key = b.part(keys, from + i, 1);
        b.xor(&[*bit, key])
    };
    bits.iter().enumerate().map(&mut plus).collect()
}

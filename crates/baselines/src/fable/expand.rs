//! Expansion: what was replaced gets the result of the last key before it that was not.
//!
//! # Protocol
//! `v_i = t_i ? v_{i-1} : v_i`, one after the other, is a prefix sum of pairs `(t, v)` under
//! `(t, v) (t', v') = (t t', t' ? v : v')`: Sklansky's circuit, of `ceil(log2 b)` rounds.
//!
//! # Cost
//! `ceil(log2 b)` rounds, about b / 2 times as many sets of ANDs with a common operand, one for each bit of a word and one
//! for the tag.
//!
//! # Source
//! FABLE 4.2 (Expansion). The paper has a chain, of b rounds for AND gates (confidential-errata E18).

use hushtable::{
    error::Result,
    gates::{Bits, Triples, and_shared},
    session::Session,
};

use super::circuits::{planes, words};

/// For each round, the places that get something, each with the place it comes from.
pub(super) fn levels(count: usize) -> Vec<Vec<[u32; 2]>> {
    let level = |step: usize| {
        let upper = (0..count).filter(|i| i & step != 0);
        upper.map(|i| [i as u32, (i / step * step) as u32 - 1]).collect()
    };
    (0..usize::BITS).map(|i| 1 << i).take_while(|&step| step < count).map(level).collect()
}

/// Words of `bits` bits in `state`.
pub(super) fn expand(
    s: &mut Session,
    mut triples: Triples,
    tags: &Bits,
    (bits, state): (u32, &mut [u64]),
) -> Result<()> {
    let mut tags: Vec<u64> = tags.iter().collect();
    for pairs in levels(state.len()) {
        let own = Bits::collect(pairs.iter().map(|&[i, _]| tags[i as usize]));
        let mut others = planes(bits, pairs.iter().map(|&[i, j]| state[i as usize] ^ state[j as usize]));
        others.push(Bits::collect(pairs.iter().map(|&[_, j]| tags[j as usize])));
        let mut products =
            and_shared(s, triples.take(pairs.len())?, &own, &others.iter().collect::<Vec<_>>())?;
        let new = products.pop().expect("the tags");
        for ((&[i, _], change), tag) in pairs.iter().zip(words(&products).iter()).zip(new.iter()) {
            state[i as usize] ^= change;
            tags[i as usize] = tag;
        }
    }
    Ok(())
}

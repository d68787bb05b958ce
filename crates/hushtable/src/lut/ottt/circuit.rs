//! A public table as a Boolean circuit on shared bits, evaluated on many inputs side by side.
//!
//! A table of d index bits is, for each output bit, a sum of products of index bits. The index is
//! split into h high and `d - h` low bits. All products of low bits and all of high bits are made
//! first; with a coefficient for each pair, an output bit is
//! `sum over products H of high bits of H * (sum of some products of low bits)`, which takes one AND
//! for each H but the empty one. In all
//! `(2^h - h - 1) + (2^(d-h) - (d-h) - 1) + l (2^h - 1)`, for the h with the fewest.

use prim::ring::Ring;

use crate::{
    error::Result,
    gates::{Bits, Triples, and, and_pairs},
    lut::Table,
    net::Role,
    party::Party,
};

/// ANDs of a table of `d` index bits and `l` output bits.
pub(super) fn ands(d: u32, l: u32) -> usize {
    cost(split(d, l), d, l)
}

/// Rounds of the same.
pub(super) fn rounds(d: u32, l: u32) -> u32 {
    let high = split(d, l);
    high.max(d - high).next_power_of_two().ilog2() + u32::from(high > 0)
}

/// The number of high bits that takes the fewest ANDs.
fn split(d: u32, l: u32) -> u32 {
    (0..d).min_by_key(|&h| cost(h, d, l)).expect("an index bit")
}

fn cost(h: u32, d: u32, l: u32) -> usize {
    let products = |bits: u32| (1usize << bits) - bits as usize - 1;
    products(h) + products(d - h) + l as usize * ((1 << h) - 1)
}

/// The output bits at the index bits `x`, lowest first in both. Rounds: one for each doubling of
/// the longer part of the index, and one if there are high bits.
pub(super) fn evaluate<R: Ring>(
    p: &mut Party,
    triples: &mut Triples,
    table: &Table<R>,
    x: &[Bits],
) -> Result<Vec<Bits>> {
    let (d, l) = (x.len() as u32, table.bits());
    let low = d - split(d, l);
    let (low_bits, high_bits) = x.split_at(low as usize);
    let [low_products, high_products] = products(p, triples, [low_bits, high_bits])?;
    let coefficients = coefficients(table);
    // For output bit b, the factor of the product H of high bits, or the summand without (H = 0).
    let factor = |b: u32, high: usize| {
        let part = &coefficients[high << low..][..1 << low];
        let chosen = |&(_, c): &(usize, &u64)| c >> b & 1 == 1;
        linear(p.role(), x[0].len(), &low_products, part.iter().enumerate().filter(chosen).map(|(i, _)| i))
    };
    let mut out: Vec<Bits> = (0..l).map(|b| factor(b, 0)).collect();
    let factors: Vec<Vec<Bits>> =
        (0..l).map(|b| (0..high_products.len()).map(|i| factor(b, i + 1)).collect()).collect();
    let pairs: Vec<(&Bits, &Bits)> = factors.iter().flat_map(|f| high_products.iter().zip(f)).collect();
    if pairs.is_empty() {
        return Ok(out);
    }
    let terms = and_all_pairs(p, triples, &pairs)?;
    for (out, terms) in out.iter_mut().zip(terms.chunks_exact(high_products.len())) {
        *out = terms.iter().fold(out.clone(), |sum, term| &sum ^ term);
    }
    Ok(out)
}

/// Shares of the sum mod `2^d` of a number of P0's and one of P1's, of which `mine` has the bits:
/// `d - 1` ANDs, `d - 1` rounds.
pub(super) fn sum(p: &mut Party, triples: &mut Triples, mine: &[Bits]) -> Result<Vec<Bits>> {
    let none = Bits::new(mine[0].len(), vec![0; mine[0].words().len()]);
    let mut carry = none.clone();
    let mut out = Vec::with_capacity(mine.len());
    for (i, bit) in mine.iter().enumerate() {
        // The shares of the sum's bit without the carry are the summands' own.
        out.push(bit ^ &carry);
        if i + 1 < mine.len() {
            // carry' = carry ^ (a ^ carry)(b ^ carry), a being known to P0 and b to P1
            let (a, b) = match p.role() {
                Role::P0 => (bit, &none),
                Role::P1 => (&none, bit),
            };
            let both = and(p, triples.take(bit.len())?, &(a ^ &carry), &(b ^ &carry))?;
            carry = &carry ^ &both;
        }
    }
    Ok(out)
}

/// All products of one or more bits, for two sets of bits at once: number `m - 1` is that of the
/// bits in the mask m. Neighbouring halves are joined, so products double with every round.
fn products(p: &mut Party, triples: &mut Triples, sets: [&[Bits]; 2]) -> Result<[Vec<Bits>; 2]> {
    let mut sets = sets.map(|bits| bits.iter().map(|bit| vec![bit.clone()]).collect::<Vec<_>>());
    while sets.iter().any(|set| set.len() > 1) {
        let joined = || sets.iter().flat_map(|set| set.chunks_exact(2));
        let pairs: Vec<(&Bits, &Bits)> = joined()
            .flat_map(|pair| pair[1].iter().flat_map(|b| pair[0].iter().map(move |a| (a, b))))
            .collect();
        let mut made = and_all_pairs(p, triples, &pairs)?.into_iter();
        for set in &mut sets {
            let mut next = Vec::with_capacity(set.len().div_ceil(2));
            let mut parts = std::mem::take(set).into_iter();
            while let Some(low) = parts.next() {
                next.push(match parts.next() {
                    Some(high) => join(low, high, &mut made),
                    None => low,
                });
            }
            *set = next;
        }
    }
    Ok(sets.map(|mut set| set.pop().unwrap_or_default()))
}

/// The products of two sets of bits, from those of each and, in order, those across.
fn join(low: Vec<Bits>, high: Vec<Bits>, across: &mut impl Iterator<Item = Bits>) -> Vec<Bits> {
    let each = low.len();
    let mut all = low;
    for high in high {
        all.push(high);
        all.extend(across.by_ref().take(each));
    }
    all
}

/// [`and_pairs`] with triples from the stock.
fn and_all_pairs(p: &mut Party, triples: &mut Triples, pairs: &[(&Bits, &Bits)]) -> Result<Vec<Bits>> {
    let count = pairs.iter().map(|(x, _)| x.len()).sum();
    and_pairs(p, triples.take(count)?, pairs)
}

/// The XOR of some products, of which number 0 is the empty one, 1.
fn linear(role: Role, len: usize, products: &[Bits], which: impl Iterator<Item = usize>) -> Bits {
    let zero = Bits::new(len, vec![0; len.div_ceil(64)]);
    which.fold(zero, |sum, i| match i {
        0 => sum.not(role),
        _ => &sum ^ &products[i - 1],
    })
}

/// The coefficients of all products, for all output bits at once: entry m is for that of the index
/// bits in the mask m.
fn coefficients<R: Ring>(table: &Table<R>) -> Vec<u64> {
    let mut c: Vec<u64> = table.columns()[0].iter().map(|e| e.to_u64()).collect();
    let n = c.len();
    for step in (0..n.ilog2()).map(|bit| 1 << bit) {
        for i in (0..n).filter(|i| i & step != 0) {
            c[i] ^= c[i ^ step];
        }
    }
    c
}
